#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What README.md and the chapters of the documentation tell a reader to type really works.

    chapters.py BUILD_DIR [CHAPTER ...]

The commands of a chapter (code-block:: console) are run one after the other in a folder of their own, where blocks and
included files with a caption are files. Lines without `$` must be printed. `.. not run: REASON` before a block leaves it out.
The tutorial's rate law, which is built beside the module, is there in its chapter.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "documentation"))
from chapters import DOC, ROOT, blocks, chapters, readme_blocks  # noqa: E402  pylint: disable=wrong-import-position

# A reader of the chapters is not root and has a core for each process.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# Commands of README.md that install, build, or take minutes.
LONG = ("scripts/quickstart.sh", "scripts/test.sh", "scripts/reproduce transports")


def enter(folder, build):
    """Make a folder look like the checkout, but for results."""
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("contrib", "examples", "scratch", "test", ".git"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").symlink_to(build)


def run_blocks(todo, place, build, environment):
    """
    @param todo blocks
    @param place folder of the files that they include
    @return number of commands run, number left out, and what was wrong
    """
    count, left, wrong = 0, 0, []
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        enter(folder, build)
        for block in todo:
            caption = block.options.get("caption", "")
            if caption and "/" not in caption and " " not in caption:
                source = place / block.argument
                text = source.read_text(encoding="utf-8") if block.name == "literalinclude" else block.text()
                (folder / caption).write_text(text, encoding="utf-8")
            if block.argument != "console":
                continue
            for command, expected in block.commands():
                if block.reason:
                    left += 1
                    continue
                done = subprocess.run(["timeout", "100", "bash", "-c", command], cwd=folder, capture_output=True, text=True,
                                      check=False, env=environment)
                count += 1
                output = done.stdout + done.stderr
                if done.returncode:
                    wrong.append(f"{command}: status {done.returncode}: {output[-1000:]}")
                wrong += [f"{command}: does not print '{line}' but: {output[-1000:]}" for line in expected if line not in output]
    return count, left, wrong


def main():
    """All chapters, or those that are named."""
    if len(sys.argv) < 2:
        sys.exit("usage: chapters.py BUILD_DIR [CHAPTER ...]")
    build = Path(sys.argv[1]).resolve()
    failed = commands = 0
    todo = {path.relative_to(DOC).with_suffix("").as_posix(): blocks(path) for path in chapters()}
    todo["README"] = readme_blocks(LONG)
    for name, parts in todo.items():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        environment = dict(os.environ, PATH=f"/usr/bin:{os.environ['PATH']}", MPLBACKEND="agg", **MPI)
        if name == "tutorial":
            environment["LD_PRELOAD"] = str(build / "lib" / "libroce-tutorial.so")
        begin = time.monotonic()
        count, left, wrong = run_blocks(parts, (DOC / name).parent, build, environment)
        commands += count
        failed += len(wrong)
        for line in wrong:
            print(f"FAILED {name}: {line}")
        if count + left:
            print(f"{name}: {count} commands, {left} not run, {time.monotonic() - begin:.0f} s", flush=True)
    print(f"{commands} commands, {failed} faults")
    return 1 if failed or not commands else 0


if __name__ == "__main__":
    sys.exit(main())
