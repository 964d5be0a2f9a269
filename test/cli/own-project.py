# SPDX-License-Identifier: GPL-2.0-only
"""A project outside the repository: the page howto/own-project.rst, typed in an empty folder against an installed copy, and
the repository in a subfolder."""

import json
import re
import shutil

import pytest
from chapters import DOC, ROOT, blocks

from support import run

PAGE = DOC / "howto" / "own-project.rst"


def shell(command, folder, home, status=0):
    """@return the output of a command that ends with the status."""
    done = run("bash", "-c", command, cwd=folder, env={"HOME": str(home)}, status=status)
    return done.stdout + done.stderr


def type_page(build, folder, home):
    """The page's files and commands; @return those commands."""
    typed = []
    for block in blocks(PAGE):
        if "caption" in block.options:
            (folder / block.options["caption"]).write_text(block.text(), encoding="utf-8")
        elif block.argument == "console":
            for command, _ in block.commands():
                typed.append(command)
                # Only the first one is typed in the checkout; the build may have another name.
                shell(command.replace("--install build", f"--install {build}"), folder, home)
    return typed


@pytest.fixture(autouse=True)
def not_sanitized(programs):
    """Programs of other projects would have to be sanitized, too."""
    if programs.sanitized():
        pytest.skip("programs of other projects would have to be sanitized, too")


def test_installed(build, folder):
    """Against an installed copy, which is then moved."""
    work = folder
    folder, home = work / "mine", work / "home"
    folder.mkdir()
    home.mkdir()
    typed = type_page(build, folder, home)
    assert len(typed) == 4, f"{PAGE.name} has {len(typed)} commands, expected 4: install, configure, build, run"
    headers = list((home / "roce" / "include" / "ns3").iterdir())
    assert len(headers) > 100 and not any(path.is_symlink() for path in headers), \
        f"{len(headers)} installed headers, expected more than 100 and no links into the checkout"
    for header in ("host/roce-nic.h", "run/roce-series-kinds.h"):
        source = ROOT / "contrib" / "roce" / header
        assert (build / "include" / "ns3" / source.name).read_bytes() == source.read_bytes(), f"the build folder has another {header}"
    found = json.loads((folder / "results" / "mine" / "summary.json").read_text(encoding="utf-8"))
    own, ours = (shell(f"{program} --version", folder, home).split()
                 for program in ("build/mine", build / "bin" / "two-dc-leaf-spine"))
    assert own[0] == "mine" and own[-1] == ours[-1] == found["versions"]["ns-3-roce"], f"version: {own}, {ours}, {found['versions']}"
    options = typed[-1].split(" ", 1)[1].replace("results/mine", str(work / "ours"))
    shell(f"{build}/bin/two-dc-leaf-spine {options}", folder, home)
    flows = [(path / "flows.csv").read_text(encoding="utf-8") for path in (folder / "results" / "mine", work / "ours")]
    assert flows[0].count("\n") > 10 and flows[0] == flows[1], "the same options give other flows.csv than two-dc-leaf-spine"

    for path in (home / "roce" / "lib").rglob("*.cmake"):
        text = path.read_text(encoding="utf-8")
        for place in (home, build, ROOT):
            assert str(place) not in text, f"{path.name} names {place}: the prefix cannot be moved"
    (home / "roce").rename(home / "moved")
    shell("$HOME/moved/bin/replay --version", folder, home)
    shutil.rmtree(folder / "build")
    configure = typed[1].replace("$HOME/roce", "$HOME/moved")
    shell(configure, folder, home)

    # What does not fit is reported in words.
    package = home / "moved" / "lib" / "cmake" / "ns3-roce" / "ns3-roceConfig.cmake"
    text = package.read_text(encoding="utf-8")
    package.write_text(re.sub(r'STREQUAL "[^"]+"', 'STREQUAL "3.0"', text), encoding="utf-8")
    shutil.rmtree(folder / "build")
    output = " ".join(shell(configure, folder, home, status=1).split())
    assert "it was built with ns-3" in output and "set ns3_DIR" in output, f"another ns-3: {output}"


def test_subfolder(folder):
    """With add_subdirectory: the target is there, the program's source compiles, and nobody else's programs come along."""
    work, folder = folder, folder / "around"
    folder.mkdir()
    line = next(b.text() for b in blocks(PAGE) if b.argument == "cmake" and "caption" not in b.options).strip()
    own = (DOC / "own-project" / "CMakeLists.txt").read_text(encoding="utf-8")
    (folder / "CMakeLists.txt").write_text(re.sub(r"find_package\(.*\)", "include(CTest)\nfind_package(ns3 CONFIG)\n" + line, own), encoding="utf-8")
    shutil.copy(DOC / "own-project" / "mine.cc", folder)
    (folder / re.search(r"\((\S+)", line)[1]).symlink_to(ROOT)
    shell("cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=Release", folder, work)
    targets = set(re.findall(r"^(\S+): phony|^(\S+): CXX_\w+", shell("ninja -C build -t targets all", folder, work), re.M))
    targets = {a or b for a, b in targets}
    assert "libroce" in targets and "mine" in targets, f"targets: no libroce or mine among {len(targets)}"
    for name in ("two-dc-leaf-spine", "first-flow", "roce-unit-tests", "roce-test-runner", "roce-programs"):
        assert name not in targets, f"the subfolder brings the target {name} along"
    shell("ninja -C build CMakeFiles/mine.dir/mine.cc.o", folder, work)
    link = shell("ninja -C build -t commands mine | tail -1", folder, work)
    assert "libns3-roce.so" in link and re.search(r"libns3[^ ]*core", link), f"mine is not linked to the module and ns-3: {link}"
