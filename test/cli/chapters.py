# SPDX-License-Identifier: GPL-2.0-only
"""What README.md and the chapters of the documentation tell a reader to type really works.

The commands of a chapter (code-block:: console) are run one after the other in a folder of their own, where blocks
with a caption are files. Lines without `$` must be printed. `.. not run: REASON` before a block leaves it out.
The tutorial's rate law, which is built beside the module, is there in its chapter. One chapter: pytest -k howto/start.
"""

import os
import shutil

import pytest
from chapters import ROOT, blocks, chapters, page_of, readme_blocks

from support import run

# A reader of the chapters is not root and has a core for each process.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# Commands of README.md that install, build, or take minutes.
LONG = ("git clone", "scripts/quickstart.sh", "scripts/test.sh", "scripts/reproduce uno-bars")


def enter(folder, build):
    """Make a folder look like the checkout, but for results."""
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("contrib", "examples", "scratch", "test", ".git"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").symlink_to(build)


def run_blocks(todo, build, folder, environment):
    """@param todo blocks @return what was wrong"""
    wrong = []
    enter(folder, build)
    for block in todo:
        caption = block.options.get("caption", "")
        if caption and "/" not in caption and " " not in caption:
            (folder / caption).write_text(block.text(), encoding="utf-8")
        if block.argument != "console" or block.reason:
            continue
        for command, expected in block.commands():
            done = run("timeout", "100", "bash", "-c", command, cwd=folder, env=environment, status=None)
            output = done.stdout + done.stderr
            if done.returncode:
                wrong.append(f"{command}: status {done.returncode}: {output[-1000:]}")
            wrong += [f"{command}: does not print '{line}' but: {output[-1000:]}" for line in expected if line not in output]
    return wrong


def to_run():
    """Chapters with commands: blocks by name."""
    todo = {page_of(path): blocks(path) for path in chapters()}
    todo["README"] = readme_blocks(LONG)
    return {name: parts for name, parts in todo.items() if any(p.argument == "console" and not p.reason for p in parts)}


@pytest.mark.parametrize("name", to_run())
def test_chapter(build, folder, name):
    """A chapter's commands."""
    environment = {"PATH": f"/usr/bin:{os.environ['PATH']}", "MPLBACKEND": "agg", **MPI}
    if name == "tutorial":
        environment["LD_PRELOAD"] = str(build / "lib" / "libroce-tutorial.so")
    wrong = run_blocks(to_run()[name], build, folder, environment)
    assert not wrong, "\n".join(wrong)


def test_there_are_some():
    """It is no test of nothing."""
    assert len(to_run()) > 10
