# SPDX-License-Identifier: GPL-2.0-only
"""Faults planted in the code (test/mutants): each still has its one place, the published table is of these, and what the script says.

Making them takes minutes, and is done by hand: test/mutants/run.
"""

import csv
from pathlib import Path

import code_mutants as cm
import pytest
from shifts import totals

from support import ROOT, refused, run

MUTANTS = ROOT / "test" / "mutants"
LIST = """program: two-dc-leaf-spine
runs:
  - {name: one, options: [--cc=Dcqcn]}
mutants:
  - name: mine
    file: %s
    from: %s
    to: %s
"""
SOURCE = "switch/roce-switch.cc"


@pytest.fixture(scope="module")
def faults():
    """The list that is there."""
    return cm.read(MUTANTS / "laws-and-switch.yaml")


def test_places(faults):
    """Each of all lists has its one place in the code."""
    for file in sorted(MUTANTS.glob("*.yaml")):
        cm.check_places(cm.read(file), ROOT)
    assert len(faults.mutants) >= 30, f"{len(faults.mutants)} mutants"
    assert {"laws", "switch"} <= {str(Path(f.file).parent) for f in faults.mutants}, "rate laws and switch"


def test_table(faults):
    """The table on the page has a row for each, and what it says holds."""
    with open(ROOT / "contrib/roce/doc/developers/code-mutants.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == cm.HEADER, f"header: {header}"
    assert sorted(r[0] for r in rows) == sorted(f.name for f in faults.mutants), "the table is of other mutants: test/mutants/run --csv"
    for row in rows:
        entry = dict(zip(cm.HEADER, row))
        large = entry["P99 moved"] == "a run failed" or float(entry["P99 moved"].split()[0]) >= 1
        assert not large or entry["smallest bound missed"] not in ("0.5 %", "1 %"), f"the bound of 1 % misses {entry}"
        assert entry["flows moved"] != "0" or entry["why none moves"], f"no reason: {entry}"


def test_refusals(folder):
    """A list that does not fit the code, or is wrong in itself: one line that says where, and nothing is built."""
    for name, values, word in (("gone", (SOURCE, "no such text", "x"), "stands 0 times"),
                               ("more", (SOURCE, "m_ports", "x"), "expected once"),
                               ("file", ("model/none.cc", "a", "b"), "model/none.cc cannot be read"),
                               ("same", (SOURCE, "a", "a"), "which differ"),
                               ("empty", (SOURCE, '""', "a"), "expected parts of a line")):
        file = folder / f"{name}.yaml"
        file.write_text(LIST % values)
        done = run(MUTANTS / "run", "--list", file, "--work", folder / "work", status=2)
        assert refused(done, word).startswith(f"error: {file}:5: "), f"{name}: {done}"
        assert not (folder / "work").exists(), f"{name}: something was built"


def outcome(*changes):
    """A run whose metrics changed so."""
    flows = [(0.1, 7)] if changes else []
    return cm.baseline.Outcome("one", "", "", 10, flows, [cm.regress.Change("one", m, 100.0, 100.0 + c, cm.regress.Bound()) for m, c in changes],
                              True)


def test_words():
    """What is said of a fault: by its largest shift in any run, by the bounds that notice it, or why it moves nothing."""
    fault = cm.CodeMutant("mine", SOURCE, "a", "b", "not used", "list:5")
    small, still, broken = (cm.Mutant((fault.name, fault.file), runs) for runs in (
        [outcome(), outcome(("all.fct.p99", 1.5), ("all.fct.mean", -0.4))], [outcome(), outcome()],
        [outcome()._replace(error="exit status 1")]))
    row = cm.row(fault, small)
    assert row[2:6] == ["1", "1.50 %", "2 %", "-"], f"a shift of 1.5 %: {row}"
    row = cm.row(fault, still)
    assert row[2:] == ["0", "0.00 %", "-", "-", "not used"] and not still.caught("0.5%"), f"no shift: {row}"
    row = cm.row(fault, broken)
    assert row[3:5] == ["a run failed", "none"], f"a run that fails: {row}"
    text = totals([small, still, broken])
    assert (text[0] == "3 mutants: 2 move a flow, 2 a P99 by 1 % or more"
          and text[2] == "bound 1%: 2 of 2 caught, 2 of 2 of the large; 0 alarms for the 1 that move nothing"
          and text[3] == "bound 2%: 1 of 2 caught, 1 of 2 of the large; 0 alarms for the 1 that move nothing"), f"totals: {text}"
    assert sorted([still, small], key=cm.Mutant.weight) == [small, still], "the largest first"


def test_planting(folder):
    """The fault is in the tree while it is built, and never afterwards."""
    fault = cm.CodeMutant("mine", "law.cc", "x / 2", "x / 3", "", "list:5")

    class Toy(cm.Tree):
        """Notes what would be compiled, and fails."""

        def compile(self):
            self.program = fault.source(self.root).read_text()
            raise cm.rr.ResultError("does not compile")
    tree = Toy(folder, 1, "")
    fault.source(tree.root).parent.mkdir(parents=True)
    fault.source(tree.root).write_text("y = x / 2;\n")
    with pytest.raises(cm.rr.ResultError):
        cm.plant(fault, tree, None)
    assert tree.program == "y = x / 3;\n" and fault.source(tree.root).read_text() == "y = x / 2;\n", "the fault, and the code again"
