#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/check-ns3-versions.sh accepts headers that fit, in both layouts, and names the file where they do not; this and
the other scripts around ns-3 trees refuse bad arguments in one line.

Usage: ns3-versions.py BUILD_DIR
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
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


def main():
    """Good headers, bad headers, bad arguments."""
    if len(sys.argv) != 2:
        sys.exit("usage: ns3-versions.py BUILD_DIR")
    prefix = installed_ns3(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
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
