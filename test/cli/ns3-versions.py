# SPDX-License-Identifier: GPL-2.0-only
"""test/check-ns3-versions.sh accepts headers that fit, in both layouts, and names the file where they do not; this and
the other scripts around ns-3 trees refuse bad arguments in one line. The commands of the chapter on ns-3 trees are run in a tree
whose ./ns3 notes what it is asked for and has the programs of the build, and so is test/in-tree.sh, which must ask for the same.
"""

import re
from pathlib import Path

import pytest
from chapters import DOC, ROOT, blocks

from support import run

# A source file of the module and an example, which includes ns3/core-module.h.
FILES = "--only=roce-command-line|first-flow"


def script(name, *arguments, status=0, **options):
    """@return a finished script of scripts/ or test/. @param options env: nothing else"""
    path = next(folder / name for folder in (ROOT / "scripts", ROOT / "test") if (folder / name).exists())
    return run(*(["env", "-i", *(f"{k}={v}" for k, v in options["env"].items())] if "env" in options else []), path, *arguments,
               status=status, timeout=500)


def installed_ns3(build):
    """@return the prefix of the ns-3 that the build folder uses."""
    cache = (Path(build) / "CMakeCache.txt").read_text(encoding="utf-8")
    folder = Path(re.search(r"^ns3_DIR:\w+=(.*)$", cache, re.M)[1])
    return next(parent for parent in folder.parents if (parent / "include" / "ns3" / "object.h").exists())


def source_tree(prefix, folder, release):
    """The installed headers in the layout of a source tree, without those that a build generates."""
    model = folder / "src" / "core" / "model"
    model.mkdir(parents=True)
    listed = []
    for header in sorted((prefix / "include" / "ns3").glob("*.h")):
        if re.search(r"-(config|export|module)\.h$", header.name):
            continue
        (model / header.name).symlink_to(header)
        # Modules list their headers in their CMake file; enough of core's is what core itself includes.
        listed.append(f"    model/{header.name}")
    core = (prefix / "include" / "ns3" / "core-module.h").read_text(encoding="utf-8")
    own = [line for line in listed if f"/{line.rsplit('/', 1)[1]}" in core or f'"{line.rsplit("/", 1)[1]}' in core]
    (folder / "src" / "core" / "CMakeLists.txt").write_text("HEADER_FILES\n" + "\n".join(own) + "\n", encoding="utf-8")
    (folder / "VERSION").write_text(release + "\n", encoding="utf-8")
    return model


STAND_IN = '''#!/usr/bin/env bash
# What a tree's ./ns3 and ./test.py would be asked for, and the programs of a build.
set -e
echo "$(basename "$0") $*" >>"$(dirname "$0")/asked"
if [ "$1" = run ]; then
    [ -e contrib/roce/CMakeLists.txt ] && [ -e "scratch/two-dc-leaf-spine.cc" ]
    if [ "$2" = --no-build ]; then # a program of the tree, put on this module's devices
        grep -q 'roce-module.h' "scratch/${3%% *}.cc" && echo "Total Bytes Received: ${3##*=}"
        exit
    fi
    read -ra words <<<"$2"
    exec "@BUILD@/bin/${words[0]}" "${words[@]:1}"
fi
'''


def stand_in_tree(folder, build):
    """A folder that looks like an ns-3 source tree. @return a function that gives what it has been asked for, and forgets it"""
    for name in ("contrib", "scratch", "examples/tcp"):
        (folder / name).mkdir(parents=True)
    # What in-tree.sh patches: no more of it than the patch names.
    lines = {}
    for line in (DOC / "howto" / "tcp-bulk-send.diff").read_text(encoding="utf-8").splitlines()[2:]:
        if begin := re.match(r"@@ -(\d+)", line):
            number = int(begin[1])
        elif line[0] != "+":
            lines[number] = line[1:]
            number += 1
    (folder / "examples" / "tcp" / "tcp-bulk-send.cc").write_text(
        "".join(lines.get(n, "") + "\n" for n in range(1, max(lines) + 1)), encoding="utf-8")
    for name in ("ns3", "test.py"):
        (folder / name).write_text(STAND_IN.replace("@BUILD@", str(build)), encoding="utf-8")
        (folder / name).chmod(0o755)

    def asked():
        text = (folder / "asked").read_text(encoding="utf-8")
        (folder / "asked").unlink()
        return text.splitlines()
    return asked


def test_page(build, folder):
    """The page's commands work in a tree, and test/in-tree.sh configures, builds and tests as the page says."""
    asked = stand_in_tree(folder, build)
    block = next(b for b in blocks(DOC / "howto" / "ns3-tree.rst") if b.argument == "console" and "./ns3 configure" in b.text())
    for command, _ in block.commands():
        run("bash", "-euc", command.replace("/path/to/repository", str(ROOT)), cwd=folder)
    page = asked()
    assert ([line.split()[:2] for line in page] == [["ns3", "configure"], ["ns3", "build"], ["test.py", "-s"], ["ns3", "run"], ["ns3", "run"]]), \
        f"the chapter's commands: {page}"
    assert (folder / "results" / "first" / "summary.json").exists(), "the chapter's last command leaves no result"
    for mode in ([], ["--copy"], []):
        # What links and copies of an earlier call have put there is replaced.
        done = script("in-tree.sh", *mode, folder, env={"PATH": "/usr/bin:/bin", "ROCE_PYTHON": "/bin/echo"})
        assert "the module works in" in done.stdout and "golden.py" in done.stdout, f"in-tree.sh {mode}: {done}"
        assert (folder / "contrib" / "roce").is_symlink() == (not mode) and (folder / "contrib" / "roce" / "CMakeLists.txt").exists(), \
            f"in-tree.sh {mode}: contrib/roce"
        done = asked()
        for line in page[:3]:
            same = [other for other in done if set(line.split()) <= set(other.split())]
            assert same, f"the chapter says '{line}', in-tree.sh does {done}"


def test_headers(build, folder):
    """Good headers in both layouts, then bad ones."""
    prefix, tree = installed_ns3(build), folder / "tree"
    done = script("check-ns3-versions.sh", FILES, prefix)
    row = re.search(r"^(3\.\S+) +C\+\+(\d+) +2  ok +(\S+)$", done.stdout, re.M)
    assert row, f"installed headers: {done.stdout}{done.stderr}"
    model = source_tree(prefix, tree, row[1])
    done = script("check-ns3-versions.sh", FILES, tree)
    assert re.search(rf"^{row[1]} +C\+\+{row[2]} +2  ok +{tree}$", done.stdout, re.M), f"source tree: {done.stdout}{done.stderr}"

    # A version that has renamed what the example calls, and not what the module's file does.
    simulator = (model / "simulator.h").read_text(encoding="utf-8")
    (model / "simulator.h").unlink()
    (model / "simulator.h").write_text(re.sub(r"\bstatic void Run\(\)", "static void Start()", simulator), encoding="utf-8")
    done = script("check-ns3-versions.sh", FILES, tree, status=1)
    assert "ERRORS in 1 files" in done.stdout and "first-flow.cc" in done.stdout and "Run" in done.stdout, done.stdout + done.stderr
    done = script("check-ns3-versions.sh", "--only=no-such-file", tree, status=2)
    assert done.stderr.count("\n") == 1 and "no source file matches" in done.stderr, done.stderr
    (tree / "test.py").touch()
    (tree / "contrib" / "roce").mkdir(parents=True)
    (tree / "scratch").mkdir()
    done = script("in-tree.sh", tree, status=1)
    assert "move it away first" in done.stderr and (tree / "contrib" / "roce").is_dir(), f"somebody's own module: {done.stderr}"


@pytest.mark.parametrize("name, arguments, words", [
    ("check-ns3-versions.sh", ["."], "neither src/core/model/object.h nor include/ns3/object.h"),
    ("check-ns3-versions.sh", [], "usage"),
    ("in-tree.sh", ["."], "not the top folder of one ns-3 source tree"),
    ("in-tree.sh", ["--move"], "unknown option --move"),
    ("fetch-ns3.sh", ["--nix"], "usage"),
    ("build-ns3.sh", [], "usage")])
def test_bad_arguments(folder, name, arguments, words):
    """In one line."""
    done = script(name, *(str(folder) if a == "." else a for a in arguments), status=2)
    assert done.stderr.count("\n") == 1 and words in done.stderr, done.stderr


def test_no_ns3(folder):
    """A folder without ns-3."""
    done = script("build.sh", folder / "build", env={"ROCE_NS3": folder, "PATH": "/usr/bin:/bin"}, status=2)
    assert "no ns3Config.cmake" in done.stderr and not (folder / "build").exists(), done.stderr
