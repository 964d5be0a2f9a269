# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: what a tuner knows of the mix of flows, and the time lines of its parameters.

The program writes flows and intervals whose mixes one can count by hand.
"""


import plot_tuning
import pytest

from support import rows
from support.campaigns import HEADER, check_bad_input, good, near, run, write_program

# Bytes, start and end in us; None: does not finish. True shares of elephants (1000 B and more): 1/2
# until 100 us, 2/3 until 200 us, 1/2 until 300 us (the mouse has ended at 200 us), then 1 until
# 400 us, then nothing is under way.
PROGRAM = '''#!/usr/bin/python3
import json, sys
options = {"seed": "1", "known": "0"}
if "--help" in sys.argv:
    print("\\n".join(f"    --{o}:  text [x]" for o in [*options, "out"]))
    sys.exit(0)
options.update(a[2:].split("=", 1) for a in sys.argv[1:])
FLOWS = ((999, 0, 200), (1000, 0, 150), (5000, 150, 400), (10, 210, 300))
with open("flows.csv", "w") as f:
    print("%s", file=f)
    for i, (size, start, end) in enumerate(FLOWS):
        fct = f"{1000 * (end - start)}.000"
        print(f"{i},0,1,3,0,intra,{size},{1000 * start}.000,{fct},{fct},1000.000,2.0,1,0,finished", file=f)
with open("tuning.csv", "w") as f:
    print("time_ns,state,candidate,utility,r_elephants,Law.Gain,Law.Same", file=f)
    for i, share in enumerate((0.5, 0.5, "", 1 - float(options["known"]), 0.7)):
        print(f"{100000 * (i + 1)}.000,tuning,{i},{'' if i == 2 else 0.5 + 0.1 * i},{share},{i},7", file=f)
with open("summary.json", "w") as f:
    json.dump({"versions": {}, "configuration": {}, "flows": {"unfinished": 0}}, f)
''' % HEADER

EXPERIMENT = """\
title: A tuner by hand
program: ./program.py
grid:
  known: [0, 0.3]
seeds: 2
metrics:
  whole: {accuracy: tuning.csv, column: r_elephants, elephants: 1000}
  first: {accuracy: tuning.csv, column: r_elephants, elephants: 1000, before: 150us}
  late: {accuracy: tuning.csv, column: r_elephants, elephants: 1000, after: 350us}
  large: {accuracy: tuning.csv, column: r_elephants, elephants: 5001, scale: 100}
  even: {accuracy: tuning.csv, column: r_elephants, elephants: 1000, empty: 0.9, before: 350us}
  none: {accuracy: tuning.csv, column: r_elephants, elephants: 1000, after: 450us}
plots:
  - {kind: tuning, title: Time lines}
  - {kind: tuning, title: Each, each: known}
claims:
  - {id: better, holds: whole(known=0) > whole(known=0.3)}
"""

BAD = [  # what is replaced in EXPERIMENT, by what, line, words
    ("column: r_elephants, elephants: 1000}", "column: r_elephants}", 7, "elephants"),
    ("elephants: 1000, before", "elephants: 0, before", 8, "expected a whole number from 1"),
    ("accuracy: tuning.csv, column: r_elephants, elephants: 1000, after: 350us",
     "accuracy: ../tuning.csv, column: r_elephants, elephants: 1000", 9, "in the run's folder"),
    ("elephants: 5001", "elephants: 5001, size: 1KB", 10, "size"),
    ("empty: 0.9", "empty: even", 11, "empty"),
]

METRICS = {  # at known=0.3
    "whole": (1 + 5 / 6 + 0.7) / 3,
    "first": 1,
    "late": 0.7,
    "large": 100 * (0.5 + 0.5 + 0.3) / 3,
    "even": (1 + 5 / 6 + 0.6) / 3,
    "none": None,
}


@pytest.fixture(name="made", scope="module")
def numbers(shared_folder):
    """Metrics, the claim, and the page's figures.

    @return the folder of results
    """
    folder = shared_folder
    experiment = write_program(folder, PROGRAM, EXPERIMENT)
    out = folder / "results"
    good(run("reproduce", experiment, "--out", out), "tuning")
    found = {r["metric"]: r["value"] for r in rows(out / "metrics-by-seed.csv") if r["known"] == "0.3"}
    assert set(found) == set(METRICS), f"metrics: {list(found)}"
    for name, value in METRICS.items():
        assert near(found[name], value), f"metric {name}: {found[name]}, expected {value}"
    assert rows(out / "score.csv")[0]["grade"] == "A", "claim"
    assert (out / "index.html").read_text().count("data:image/png;base64,") == 3, "figures of the page"
    return out


def test_time_lines(made):
    """What is drawn, and what is not."""
    out = made
    folder = next(out.glob("runs/*0.3*seed1*"))
    lines = plot_tuning.read_tuning(str(folder))
    times = list(lines.dropna(subset="utility")["time_us"])
    assert times == [100, 200, 400, 500], f"empty fields: {times}"
    names = list(plot_tuning.panels({"x": lines}))
    assert names == ["utility", "r_elephants", "Law.Gain"], f"a parameter that stays is drawn: {names}"
    (folder / "tuning.csv").write_text("time_ns,utility\n1,x\n")
    try:
        plot_tuning.read_tuning(str(folder))
        assert False, "a text in place of a number is taken"
    except plot_tuning.rr.ResultError as error:
        assert "tuning.csv:2:" in str(error), str(error)


def test_bad_input(folder):
    """One line with the place."""
    write_program(folder, PROGRAM, EXPERIMENT)
    check_bad_input(folder, EXPERIMENT, BAD)
