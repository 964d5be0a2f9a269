#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/check-ns3-versions.sh accepts headers that fit, in both layouts, and names the file where they do not; this and
the other scripts around ns-3 trees refuse bad arguments in one line. The commands of the chapter on ns-3 trees are run in a tree
whose ./ns3 notes what it is asked for and has the programs of the build, and so is scripts/in-tree.sh, which must ask for the same.

Usage: ns3-versions.py BUILD_DIR
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "documentation"))
from chapters import DOC, ROOT, blocks  # noqa: E402  pylint: disable=wrong-import-position

SCRIPTS = ROOT / "scripts"
# A source file of the module and an example, which includes ns3/core-module.h.
FILES = "--only=roce-command-line|first-flow"


def check(condition, what):
    """End with one line if something is wrong."""
    if not condition:
        sys.exit("FAILED " + what)


def run(script, *arguments, **options):
    """@return the finished script, with its output."""
    return subprocess.run([str(SCRIPTS / script), *map(str, arguments)], capture_output=True, text=True, timeout=500,
                          check=False, **options)


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
    read -ra words <<<"$2"
    exec "@BUILD@/bin/${words[0]}" "${words[@]:1}"
fi
'''


def stand_in_tree(folder, build):
    """A folder that looks like an ns-3 source tree. @return a function that gives what it has been asked for, and forgets it"""
    for name in ("contrib", "scratch"):
        (folder / name).mkdir(parents=True)
    for name in ("ns3", "test.py"):
        (folder / name).write_text(STAND_IN.replace("@BUILD@", str(build)), encoding="utf-8")
        (folder / name).chmod(0o755)

    def asked():
        text = (folder / "asked").read_text(encoding="utf-8")
        (folder / "asked").unlink()
        return text.splitlines()
    return asked


def test_page(folder, build):
    """The page's commands work in a tree, and scripts/in-tree.sh configures, builds and tests as the page says."""
    asked = stand_in_tree(folder, build)
    block = next(b for b in blocks(DOC / "howto" / "ns3-tree.rst") if b.argument == "console" and "./ns3 configure" in b.text())
    for command, _ in block.commands():
        done = subprocess.run(["bash", "-euc", command.replace("/path/to/repository", str(ROOT))], cwd=folder, capture_output=True,
                              text=True, timeout=100, check=False)
        check(done.returncode == 0, f"the chapter's {command}: {done.stdout}{done.stderr}")
    page = asked()
    check([line.split()[:2] for line in page] == [["ns3", "configure"], ["ns3", "build"], ["test.py", "-s"], ["ns3", "run"], ["ns3", "run"]],
          f"the chapter's commands: {page}")
    check((folder / "results" / "first" / "summary.json").exists(), "the chapter's last command leaves no result")
    for mode in ([], ["--copy"], []):
        # What links and copies of an earlier call have put there is replaced.
        done = run("in-tree.sh", *mode, folder, env={"PATH": "/usr/bin:/bin", "ROCE_PYTHON": "/bin/echo"})
        check(done.returncode == 0 and "the module works in" in done.stdout and "golden.py" in done.stdout, f"in-tree.sh {mode}: {done}")
        check((folder / "contrib" / "roce").is_symlink() == (not mode) and (folder / "contrib" / "roce" / "CMakeLists.txt").exists(),
              f"in-tree.sh {mode}: contrib/roce")
        script = asked()
        for line in page[:3]:
            same = [other for other in script if set(line.split()) <= set(other.split())]
            check(same, f"the chapter says '{line}', in-tree.sh does {script}")


def main():
    """Good headers, bad headers, bad arguments, the chapter's commands."""
    if len(sys.argv) != 2:
        sys.exit("usage: ns3-versions.py BUILD_DIR")
    prefix = installed_ns3(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        test_page(Path(name) / "stand-in", Path(sys.argv[1]).resolve())
        tree = Path(name) / "tree"
        done = run("check-ns3-versions.sh", FILES, prefix)
        row = re.search(r"^(3\.\S+) +C\+\+(\d+) +2  ok +(\S+)$", done.stdout, re.M)
        check(done.returncode == 0 and row, f"installed headers: {done.stdout}{done.stderr}")
        model = source_tree(prefix, tree, row[1])
        done = run("check-ns3-versions.sh", FILES, tree)
        check(done.returncode == 0 and re.search(rf"^{row[1]} +C\+\+{row[2]} +2  ok +{tree}$", done.stdout, re.M),
              f"source tree: {done.stdout}{done.stderr}")

        # A version that has renamed what the example calls, and not what the module's file does.
        simulator = (model / "simulator.h").read_text(encoding="utf-8")
        (model / "simulator.h").unlink()
        (model / "simulator.h").write_text(re.sub(r"\bstatic void Run\(\)", "static void Start()", simulator), encoding="utf-8")
        done = run("check-ns3-versions.sh", FILES, tree)
        check(done.returncode == 1 and "ERRORS in 1 files" in done.stdout and "first-flow.cc" in done.stdout
              and "Run" in done.stdout, f"a renamed function: {done.stdout}{done.stderr}")

        bad = [("check-ns3-versions.sh", [name], "neither src/core/model/object.h nor include/ns3/object.h"),
               ("check-ns3-versions.sh", ["--only=no-such-file", tree], "no source file matches"),
               ("check-ns3-versions.sh", [], "usage"),
               ("in-tree.sh", [name], "not the top folder of one ns-3 source tree"),
               ("in-tree.sh", ["--move"], "unknown option --move"),
               ("fetch-ns3.sh", ["--nix"], "usage"),
               ("build-ns3.sh", [], "usage")]
        for script, arguments, words in bad:
            done = run(script, *arguments)
            check(done.returncode == 2 and done.stderr.count("\n") == 1 and words in done.stderr,
                  f"{script} {arguments}: status {done.returncode}: {done.stderr}")
        (tree / "test.py").touch()
        (tree / "contrib" / "roce").mkdir(parents=True)
        (tree / "scratch").mkdir()
        done = run("in-tree.sh", tree)
        check(done.returncode == 1 and "move it away first" in done.stderr and (tree / "contrib" / "roce").is_dir(),
              f"in-tree.sh with somebody's own module: {done.stderr}")
        done = run("build.sh", Path(name) / "build", env={"ROCE_NS3": name, "PATH": "/usr/bin:/bin"})
        check(done.returncode == 2 and "no ns3Config.cmake" in done.stderr and not (Path(name) / "build").exists(),
              f"build.sh: {done.stderr}")
    print("scripts around ns-3 trees: as expected")


if __name__ == "__main__":
    main()
