# SPDX-License-Identifier: GPL-2.0-only
"""Faults planted in the code: the list of them, a copy of the tree to plant them in, and what scripts/regress makes of them.

The list is YAML: `program`, `runs` (name and options) and `mutants`: name, file (in contrib/roce), `from`, `to` and, for one that
moves no flow, `still`: why.
"""

import shutil
import subprocess
from pathlib import Path
from typing import List, NamedTuple, Sequence

from shifts import ROOT, Baseline, Mutant, baseline, regress, rr

from roce_campaign import yamlread

MODULE = "contrib/roce"
NEEDED = ("CMakeLists.txt", "contrib", "scratch", "scripts")  # to build the programs
HEADER = ["mutant", "file", "flows moved", "P99 moved", "smallest bound missed", "by means, 1 %", "why none moves"]


class CodeMutant(NamedTuple):
    """One line of code, changed."""

    name: str
    file: str  # in contrib/roce
    old: str
    new: str
    still: str  # why no flow moves; empty: some do
    place: str  # file:line of the list

    def source(self, tree: Path) -> Path:
        """The file that it changes."""
        return tree / MODULE / self.file

    def changed(self, text: str) -> str:
        """The file's text with the fault; an error if there is not exactly one place for it."""
        found = text.count(self.old)
        if found != 1:
            raise rr.ResultError(f"{self.place}: {self.name}: '{self.old}' stands {found} times in {self.file}, expected once")
        return text.replace(self.old, self.new)


class Faults(NamedTuple):
    """A list of mutants, and the runs that shall notice them."""

    orders: List[baseline.Order]
    program: str
    mutants: List[CodeMutant]


def read(file: Path) -> Faults:
    """The list, checked as far as that goes without the code."""
    top = yamlread.check(yamlread.read(str(file)), "mutants", "the list")
    faults: List[CodeMutant] = []
    for fields in top["mutants"]:
        name, old, new = fields["name"], fields["from"], fields["to"]
        if not old.strip() or old == new or "\n" in old + new:
            yamlread.fail(fields, f"{name}: expected parts of a line in from and to, which differ")
        if name in [f.name for f in faults]:
            yamlread.fail(fields, f"mutant '{name}' is there twice")
        faults.append(CodeMutant(name, fields["file"], old, new, fields.get("still", ""), fields.place))
    orders = [baseline.Order(run["name"], top["program"], run["options"]) for run in top["runs"]]
    return Faults(orders, top["program"], faults)


def check_places(faults: Faults, tree: Path) -> None:
    """Each of them must still have its one place in the code."""
    for fault in faults.mutants:
        try:
            text = fault.source(tree).read_text(encoding="utf-8")
        except OSError as error:
            raise rr.ResultError(f"{fault.place}: {fault.name}: {fault.file} cannot be read: {error.strerror}") from None
        fault.changed(text)


class Tree:
    """A copy of the checkout that is built again and again."""

    def __init__(self, folder: Path, jobs: int, program: str):
        self.root, self.build, self.jobs, self.program = folder / "tree", folder / "tree" / "build", jobs, program

    def make(self) -> None:
        """Copy and build. What was built before stays."""
        for name in NEEDED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.root / name, symlinks=True, dirs_exist_ok=True,
                                ignore=shutil.ignore_patterns("__pycache__"))
            else:
                self.root.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.root / name)
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        run(["cmake", "-S", self.root, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", *launcher])
        self.compile()

    def compile(self) -> None:
        """Build the program."""
        run(["cmake", "--build", self.build, "--parallel", str(self.jobs), "--target", self.program])


def run(command: Sequence) -> None:
    """A command that has to work."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise rr.ResultError(rr.one_line(f"{' '.join(map(str, command))}: status {done.returncode}: {(done.stdout + done.stderr)[-600:]}"))


def plant(fault: CodeMutant, tree: Tree, found: Baseline) -> List[baseline.Outcome]:
    """Build the program with a fault and make all runs again; the tree is as before afterwards."""
    source = fault.source(tree.root)
    text = source.read_text(encoding="utf-8")
    source.write_text(fault.changed(text), encoding="utf-8")
    try:
        tree.compile()
        return baseline.check(found, str(tree.root), str(tree.build), tree.jobs, [regress.Bound()])
    finally:
        source.write_text(text, encoding="utf-8")


def row(fault: CodeMutant, mutant: Mutant) -> List[str]:
    """Of the table."""
    still = not mutant.moved() and not mutant.failed()
    return [*mutant.what, str(mutant.moved()), "a run failed" if mutant.failed() else f"{100 * mutant.p99():.2f} %",
            "-" if still else mutant.missed().replace("%", " %"), "caught" if mutant.caught("*.mean=1%") else "-",
            fault.still if still else ""]
