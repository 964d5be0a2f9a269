# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns that add seeds until intervals are narrow; conditions on numbers, peaks, nearest(), trend().

The program is campaign.py's: the mean slowdown of a run is slow + seed + 4.5. Half the interval of its
mean over seeds 1 to n is t(n-1) * s / sqrt(n), s the deviation of 1 to n: 6.353 of two seeds, 2.054 of
four, 1.963 of six, 1.998 of seven.
"""


from roce_campaign.statistic import count_peaks

from support import rows
from support.campaigns import check_bad_input, good, near, run, write_program

EXPERIMENT = """\
title: As many seeds as needed
program: ./program.py
grid: {law: {old: {slow: 10}, new: {slow: 4}}}
seeds: 2
until: {claims: [mean], half_width: 2.2, step: 2, most: 7}
metrics:
  average: {of: slowdown, statistic: mean}
  long: {file: queues.csv, column: time_ns, statistic: max, where: {queue_bytes: '>8', node: leaf}}
  short: {file: queues.csv, column: time_ns, statistic: min, where: {queue_bytes: '<10'}}
  peaks: {file: queues.csv, column: queue_bytes, statistic: peaks}
claims:
  - {id: mean, value: average, at: {law: old}, reported: 16}
  - {id: holds, holds: average > 1, each: law}
  - {id: near, value: "nearest(15, average(law=new), average(law=old))", reported: 15}
  - {id: order, value: "trend(average(law=new), average(law=old), 1000, 3, 3)", reported: 1}
plots: []
"""

BAD = [  # what is replaced in EXPERIMENT, by what, line, words
    ("half_width: 2.2", "half_width: 0", 5, "until: half_width"),
    ("half_width: 2.2", "half_width: narrow", 5, "expected a number above 0, or one with %"),
    ("claims: [mean]", "claims: [means]", 5, "'means'"),
    ("claims: [mean]", "claims: [holds]", 5, "'holds'"),
    ("most: 7", "most: 1", 5, "until: most"),
    (", most: 7", "", 5, "'most' is missing"),
    ("'>8'", "'>many'", 8, "expected a number behind < or >"),
]


def seeds(out):
    """The seeds of the runs that there are."""
    return sorted({int(p.name.split("-seed")[1].split("-")[0]) for p in out.glob("runs/*-seed*")})


def test_until(folder):
    """Seeds are added for all points, a step at a time, until the interval is narrow."""
    experiment = write_program(folder, experiment=EXPERIMENT)
    out = folder / "results"
    assert len(good(run("reproduce", experiment, "--dry-run"), "list").stdout.split()) == 4, "list"
    done = good(run("reproduce", experiment, "--out", out), "until narrow")
    assert seeds(out) == [1, 2, 3, 4], f"2.054 with four seeds: {seeds(out)}"
    assert "1 interval(s) too wide, 2 more seed(s): mean 16, [9.647, 22.35]" in done.stderr, done.stderr
    assert "still wider" not in done.stdout, done.stdout
    scored = {r["id"]: r for r in rows(out / "score.csv")}
    assert near(scored["mean"]["ci_low"], 17 - 2.054260), f"{scored['mean']}"
    assert scored["order"]["ours"] == "-0.564288", f"ranks 3, 4, 5, 1.5, 1.5 in their order: {scored['order']}"
    assert scored["near"]["ours"] == "17", f"of 11 and 17 the nearer one to 15: {scored['near']}"
    published = folder / "published.csv"
    good(run("score", experiment, "--results", out, "--publish", published), "score")
    assert {r["seeds"] for r in rows(published)} == {"1-4"}, f"{rows(published)}"
    again = good(run("reproduce", experiment, "--out", out), "again")
    assert "8 runs, 8 of them there" in again.stderr, again.stderr
    metrics = {(r["metric"], r["law"]): r["mean"] for r in rows(out / "metrics.csv")}
    assert [metrics[m, "old"] for m in ("long", "short", "peaks")] == ["100", "300", "1"], f"{metrics}"


def test_limit(folder):
    """There is a limit; what is still too wide then is reported."""
    text = EXPERIMENT.replace("half_width: 2.2", "half_width: 5%")
    experiment = write_program(folder, experiment=text)
    out = folder / "results"
    done = good(run("reproduce", experiment, "--out", out), "until the most")
    assert seeds(out) == [1, 2, 3, 4, 5, 6, 7], f"{seeds(out)}"
    assert "still wider than asked for with 7 seeds: mean 18.5" in done.stdout, done.stdout


def test_peaks():
    """A peak is above half of the largest value, and the next one comes after a quarter."""
    for series, peaks in (([], 0), ([0, 0], 0), ([5], 1), ([1, 9, 1, 8, 1], 2), ([9, 3, 9], 1),
                          ([9, 2, 4, 9], 2), ([2, 9, 2, 4, 2, 9, 9], 2)):
        assert count_peaks(series) == peaks, f"{series}: {count_peaks(series)}"


def test_bad_input(folder):
    """One line with the place."""
    write_program(folder, experiment=EXPERIMENT)
    check_bad_input(folder, EXPERIMENT, BAD)
