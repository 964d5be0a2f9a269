#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Make the documentation, a site of HTML pages: contrib/roce/doc, with tables made from the programs and the sources.

    scripts/build-doc.py [BUILD_DIR] [--publish DIR]

The chapters of systems are in contrib/roce/systems/*/doc. Those of systems that the build does not have are left out.

The pages are in BUILD_DIR/doc/html (default: build). Attributes and trace sources come from BUILD_DIR/bin/roce-type-tables,
which is built if it is not there, as after scripts/quickstart.sh; rooms from test/cli/rooms.py; contrib/roce/doc/tables.py
makes tables of them, api.py the reference of classes, which needs doxygen and Breathe (left out without them).

The site needs no server and no network. --publish makes a new folder of it for static hosting, such as a branch of GitHub Pages;
a folder that --publish has made is replaced, any other is not.

Exit status: 0 done, 1 Sphinx has warnings or errors, 2 something is missing.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULE = ROOT / "contrib" / "roce"
sys.path.insert(0, str(MODULE / "doc"))
import api  # noqa: E402
import tables  # noqa: E402
from tables import fail  # noqa: E402


def built_systems(build):
    """@return the systems that a build has, and those that it does not have: folders of contrib/roce/systems with chapters."""
    there = {path.parent.name for path in (MODULE / "systems").glob("*/doc")}
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    chosen = re.search(r"^ROCE_SYSTEMS:\w+=(.*)$", cache, re.M)
    built = there & set(chosen[1].split(";")) if chosen else there
    return built, there - built


def forget(source, system):
    """Turn links to the chapter of a system that is not built into plain text."""
    for path in source.rglob("*.rst"):
        text = path.read_text(encoding="utf-8")
        text = re.sub(rf"^ +papers/{system}\n", "", text, flags=re.M)  # in a table of contents
        text = re.sub(rf"^\.\. figure:: papers/{system}-.*\n(?:\n* .*\n)+", "", text, flags=re.M)
        path.write_text(re.sub(rf":doc:`[./]*(?:papers/)?({system}(?:-appendix)?)`", r"*\1*", text), encoding="utf-8")


PUBLISHED = ".nojekyll"  # GitHub Pages then takes folders such as _static, too


def publish(html, place):
    """Copy the site to a folder that is new, empty, or an earlier copy."""
    if place.exists() and (not place.is_dir() or any(place.iterdir()) and not (place / PUBLISHED).exists()):
        fail(2, f"{place} is there and not made by --publish, expected a new or empty folder")
    for path in place.iterdir() if place.exists() else ():
        if path.name != ".git":  # of a branch that is checked out there
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    shutil.copytree(html, place, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".doctrees", ".buildinfo", "objects.inv"))
    (place / PUBLISHED).touch()


def main():
    """Copy the chapters, add the tables, let Sphinx make pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", metavar="BUILD_DIR", nargs="?", type=Path, default=ROOT / "build")
    parser.add_argument("--publish", metavar="DIR", type=Path, help="also copy the site to this folder, for static hosting")
    args = parser.parse_args()
    build = args.build.resolve()
    program = build / "bin" / "roce-type-tables"
    sphinx = shutil.which("sphinx-build", path="/usr/bin:/usr/local/bin")
    if not sphinx:
        fail(2, "sphinx-build not found, expected it from scripts/install.sh")
    if not program.exists():
        if not (build / "CMakeCache.txt").exists():
            fail(2, f"{build} is no build, expected one by scripts/build.sh or scripts/quickstart.sh")
        made = subprocess.run(["cmake", "--build", build, "--parallel", "--target", program.name], capture_output=True, text=True,
                              check=False)
        if made.returncode or not program.exists():
            fail(2, f"{program} cannot be built:\n{(made.stdout + made.stderr).strip()}")
    # In folders as in the checkout: chapters include files of scripts by their relative paths.
    tree, html = build / "doc" / "source", build / "doc" / "html"
    source = tree / (MODULE / "doc").relative_to(ROOT)
    for folder in (tree, html, build / "doc" / "api"):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(MODULE / "doc", source)
    built, others = built_systems(build)
    for system in built:
        shutil.copytree(MODULE / "systems" / system / "doc", source / "papers", dirs_exist_ok=True)
    for system in others:
        forget(source, system)
    (tree / "scripts").symlink_to(ROOT / "scripts")
    (build / "doc" / "types.json").write_text(json.dumps(tables.write(program, source)), encoding="utf-8")
    more = api.write(source, build / "doc" / "api")
    header = (MODULE / "base" / "roce-version.h").read_text(encoding="utf-8")
    version = re.search(r'MODULE_VERSION = "([^"]+)"', header)[1]
    done = subprocess.run([sphinx, "-q", "-W", "--keep-going", "-n", "-D", f"version={version}", "-D", f"release={version}", *more,
                           "-b", "html", source, html], capture_output=True, text=True, check=False)
    if done.returncode or done.stderr.strip():
        fail(1, "sphinx-build:\n" + done.stderr.replace(str(source), "contrib/roce/doc").strip())
    if args.publish:
        publish(html, args.publish)
    print((args.publish or html) / "index.html")


if __name__ == "__main__":
    main()
