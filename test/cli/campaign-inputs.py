# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns with files that only some users have, and bars with what is reported beside them.

The program is campaign.py's, whose numbers one can work out by hand.
"""

import json

import pytest
from roce_campaign import estimates, figures
from roce_campaign.plots import selections

from support import rows
from support.campaigns import PROGRAM, check_bad_input, good, run, write_program

# A file makes flows slower by the number in it.
PROGRAM = PROGRAM.replace(
    's = float(options["slow"])',
    's = float(options["slow"]) + (float(open(options["file"]).read()) if options["file"] else 0)')

EXPERIMENT = """\
title: Inputs
program: ./program.py
options: {hang: false}
inputs:
  trace: a number, in a file of yours
grid:
  law: {old: {slow: 10}, new: {slow: 4}}
  flows: {drawn: {}, theirs: {file: '{input:trace}'}}
seeds: 2
metrics:
  average: {of: slowdown, statistic: mean}
plots:
  - {kind: bars, metric: average, x: law, series: flows, reported: true}
  - {kind: bars, metric: average, x: law, series: flows}
claims:
  - {id: drawn, value: average, at: {law: new, flows: drawn}, reported: 8}
  - {id: theirs, value: average, at: {law: new, flows: theirs}, reported: 108}
  - {id: both, value: average(law=old) - average(law=new), at: {flows: drawn}, reported: 6}
"""

BAD = [
    ("'{input:trace}'", "'{input:trade}'", 8, "no input 'trade', expected one of trace"),
    ("options: {hang: false}", "options: {file: '{input:trace}'}", 5, "expected their use in the grid"),
    ("reported: true", "reported: often", 13, "reported"),
]


def grades(out):
    """Claim -> grade."""
    return {r["id"]: r["grade"] for r in rows(out / "score.csv")}


@pytest.fixture(name="made", scope="module")
def inputs(shared_folder):
    """Without the file its points are left out; with it they are there, also for the score."""
    folder = shared_folder
    experiment = write_program(folder, PROGRAM, EXPERIMENT)
    out = folder / "results"
    good(run("reproduce", experiment, "--out", out), "without the input")
    assert len(rows(out / "runs.csv")) == 4, "two points of two seeds without the input"
    assert grades(out) == {"drawn": "A", "theirs": "N", "both": "A"}, f"without: {grades(out)}"
    trace = folder / "mine.txt"
    trace.write_text("100", encoding="utf-8")
    done = good(run("reproduce", experiment, "--out", out, "--input", f"trace={trace}"), "with it")
    assert "8 runs, 4 of them there" in done.stderr, f"the other runs are kept: {done.stderr}"
    assert grades(out) == {"drawn": "A", "theirs": "A", "both": "A"}, f"with: {grades(out)}"
    plan = json.loads((out / "plan.json").read_text(encoding="utf-8"))
    assert plan["inputs"] == {"trace": str(trace)}, f"the plan names it: {plan['inputs']}"
    good(run("score", experiment, "--results", out), "score, which does not get the input")
    assert grades(out)["theirs"] == "A", "the score forgets the input"
    trace.write_text("50", encoding="utf-8")
    dry = good(run("reproduce", experiment, "--out", out, "--input", f"trace={trace}", "--dry-run"),
               "another content")
    assert dry.stdout.count("(there)") == 4, f"its content counts: {dry.stdout}"
    for given, words in (("trade=x", "has no such input, expected one of trace"),
                         (f"trace={folder}/none", "does not exist"), ("trace", "expected NAME=FILE")):
        bad = run("reproduce", experiment, "--out", folder / "never", "--input", given)
        assert bad.returncode == 2 and words in bad.stderr and not (folder / "never").exists(), \
            f"--input {given}: {bad.returncode} {bad.stderr}"
    trace.write_text("100", encoding="utf-8")
    return experiment, out


def test_reported(made):
    """Bars have the number of the claim that is on the same metric and point, and no other."""
    experiment, out = made
    results, plan = estimates.load(str(out), str(experiment), 1)
    drawer = figures.Drawer(results, plan)
    plots = results.experiment.plots
    drawn = [drawer.estimates(p, selections(results.experiment, p)[0]).set_index(["series", "x"])["reported"]
             for p in plots]
    assert drawn[0].dropna().to_dict() == {("drawn", "new"): 8.0, ("theirs", "new"): 108.0}, f"reported: {drawn[0]}"
    assert drawn[1].isna().all(), "reported without being asked for"


def test_bad_input(folder):
    """One line with the place."""
    write_program(folder, PROGRAM, EXPERIMENT)
    check_bad_input(folder, EXPERIMENT, BAD)
