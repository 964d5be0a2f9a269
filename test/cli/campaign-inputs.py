# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns with files that only some users have, and bars with what is reported beside them.

The program is campaign.py's, whose numbers one can work out by hand.
"""

import gzip
import json

import pytest
from roce_campaign import estimates, figures
from roce_campaign.plots import selections

from support import rows
from support.campaigns import PROGRAM, check_bad_input, good, run, run_here, write_program

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


def write_case(folder, compress):
    """A case of PARALEON's authors' simulator: flows that meet nobody, so that slowdowns are 1."""
    folder.mkdir()
    opened = gzip.open if compress else open
    end = ".gz" if compress else ""
    (folder / "topo4.txt").write_text("6 2 5\n4 5\n" + "".join(f"{a} {b} 100Gbps 0.005ms 0\n" for a, b in
                                                               ((0, 4), (1, 4), (2, 5), (3, 5), (4, 5))), encoding="utf-8")
    with opened(folder / f"few4.flow.txt{end}", "wt", encoding="utf-8") as f:
        f.write("40\n" + "".join(f"{i % 4} {(i + 1) % 4} 3 {i} 500 {2 + i / 1e4:.9f}\n" for i in range(40)))
    with opened(folder / f"few4.fct.csv{end}", "wt", encoding="utf-8") as f:
        f.write(f"id,bytes,ideal_fct_ns,default,expert,a1_seed1,a1_{'from_2000ms' if compress else 'seed2'},a1_other\n")
        f.write("".join(f"{i},500,40000,40000,80000,38000,42000,7\n" for i in range(40)))
    return folder


@pytest.mark.parametrize("compress", [False, True])
def test_authors(folder, build, compress):
    """PARALEON's authors' simulator: a table of ratios by size, with a verdict; without a case one line that says what is asked for."""
    out = folder / "results"
    case = write_case(folder / "case", compress)
    done = good(run("reproduce", "paraleon-authors", "--input", f"case={case}", "--out", out, "--quick", "--jobs", "2", "--build", build),
                "a case")
    for words in ("Default: within 5% in all 1 size", "Expert: NOT within 5%", "PARALEON: within 10%"):
        assert words in done.stdout, f"no '{words}': {done.stdout}"
    found = {r["id"]: r for r in rows(out / "score.csv")}
    assert {k: r["grade"] for k, r in found.items()} == {"Default-to-1-kB": "A", "Expert-to-1-kB": "F", "PARALEON-to-1-kB": "A"}, found
    ours = {k: round(float(r["ours"]), 2) for k, r in found.items()}
    assert ours == {"Default-to-1-kB": 1, "Expert-to-1-kB": 0.5, "PARALEON-to-1-kB": 1}, f"{ours}: their slowdowns are 1, 2 and 1"


def test_authors_refused(folder, build):
    """One line each, and nothing is written."""
    case = write_case(folder / "case", False)

    def refused(words, *arguments):
        bad = run_here("reproduce", "paraleon-authors", *arguments, "--out", folder / "never", "--build", build)
        assert bad.returncode == 2 and bad.stderr.count("\n") == 1 and words in bad.stderr, bad
        assert not (folder / "never").exists(), words

    refused("--input case=FOLDER")
    refused("--input case=FOLDER", "--input", f"flows={case}")
    refused("no NAME.flow.txt", "--input", f"case={folder / 'none'}")
    (case / "few4.fct.csv").write_text("id,bytes,ideal_fct_ns,default\n0,500,0,x\n", encoding="utf-8")
    refused("few4.fct.csv:2", "--input", f"case={case}")
    (case / "few4.fct.csv").unlink()
    refused("no few4.fct.csv", "--input", f"case={case}")
    (case / "topo4.txt").rename(case / "other.txt")
    refused("few4.fct.csv", "--input", f"case={case}")
    (case / "few8.flow.txt").write_text("0\n", encoding="utf-8")
    refused("few4, few8", "--input", f"case={case}")
    refused("no few8.fct.csv", "--input", f"case={case / 'few8.flow.txt'}")
