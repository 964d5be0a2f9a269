# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: throughput over time, how fair it is, and the figures of it; queues of one port.

The program writes rates.csv of four flows, whose throughputs and fairness one can work out by hand.
"""

import os

import plot_queues
import pytest
from roce_campaign import estimates, figures, plots, rates
from roce_plot import look

from support import rows
from support.campaigns import HEADER, check_bad_input, good, near, run, write_program

# Gbit/s. With T = 200 us * (seed + 1): flow 0 (intra) 60 until T, then 20, done at 1600 us; flow 1
# (inter) 0 until T, then 20, but 0 from 1200 to 1400 us, not done at the end, 2000 us; flow 2 (inter)
# 20, done at 2000 us; flow 3 (intra, tag 7) 50 from 1000 to 1250 us. A row each 100 us, and the last.
PROGRAM = '''#!/usr/bin/python3
import json, sys
options = {"seed": "1", "law": "a", "rates": "100us", "empty": "false"}
if "--help" in sys.argv:
    print("\\n".join(f"    --{o}:  text [x]" for o in [*options, "out"]))
    sys.exit(0)
options.update(a[2:].split("=", 1) for a in sys.argv[1:])
turn = 200 * (int(options["seed"]) + 1)
FLOWS = ((0, "intra", 0, 0, 1600, True), (1, "inter", 0, 0, 2000, False),
         (2, "inter", 0, 0, 2000, True), (3, "intra", 7, 1000, 1250, True))
def rate(flow, at):
    if flow == 0:
        return 60 if at < turn else 20
    if flow == 1:
        return 0 if at < turn or 1200 <= at < 1400 else 20
    return 20 if flow == 2 else 50
with open("flows.csv", "w") as f, open("rates.csv" if options["rates"] else "none.csv", "w") as r:
    print("%s", file=f)
    print("time_ns,flow,src,dst,rate_bps,window_bytes,sent_bytes,acked_bytes", file=r)
    for i, scope, tag, start, end, done in FLOWS:
        acked = 0.0
        for at in range(start, end, 50):
            acked += 125 * 50 * rate(i, at)
            if (at + 50) %% 100 == 0 or at + 50 == end:
                print(f"{1000 * (at + 50)}.000,{i},{i + 4},1,100,,{3 * acked:.0f},{acked:.0f}", file=r)
        fct = f"{1000 * (end - start)}.000" if done else ""
        print(f"{i},{i + 4},1,3,{tag},{scope},{acked:.0f},{1000 * start}.000,{fct},{fct},1000.000,"
              f"{2.0 if done else ''},1,0,{'finished' if done else 'unfinished'}", file=f)
with open("queues.csv", "w") as f:
    print("time_ns,node,port,class,queue_bytes\\\\n100.000,7,0,3,50\\\\n300.000,7,1,3,70\\\\n"
          "400.000,8,0,3,9", file=f)
with open("summary.json", "w") as f:
    json.dump({"nodeNames": {"7": "leaf", "8": "spine"}, "statistics": {"warmupNs": 500000},
               "configuration": {"rates": options["rates"]}, "versions": {}}, f)
''' % HEADER

PROGRAM = PROGRAM.replace("\\\\n", "\\n")

EXPERIMENT = """\
title: Rates by hand
program: ./program.py
grid:
  law: [a, b]
seeds: 3
metrics:
  to_fair: {fairness: rates.csv, bin: 200us, statistic: time_to, threshold: 0.9, tag: 0}
  to_lower: {fairness: rates.csv, bin: 200us, statistic: time_to, threshold: 0.5, tag: 0}
  held: {fairness: rates.csv, bin: 200us, statistic: time_to, threshold: 0.9, hold: 3, tag: 0}
  late: {fairness: rates.csv, bin: 200us, statistic: time_to, threshold: 0.9, hold: 3, tag: 0, until: first_done, scale: 0.001}
  cut: {fairness: rates.csv, bin: 200us, statistic: time_to, threshold: 0.9, tag: 0, before: 500us}
  from_then: {fairness: rates.csv, bin: 200us, statistic: time_to, threshold: 0.9, tag: 0, after: 1200us}
  below: {fairness: rates.csv, bin: 200us, statistic: share_below, threshold: 0.9, tag: 0, until: first_done}
  index: {fairness: rates.csv, bin: 200us, statistic: mean, tag: 0, until: first_done}
  lowest: {fairness: rates.csv, bin: 200us, statistic: min, tag: 0, until: first_done}
  quarter: {fairness: rates.csv, bin: 200us, statistic: mean, tag: 0, after: 75%, until: first_done}
  part: {fairness: rates.csv, bin: 200us, statistic: mean, after: 1ms, before: 1.4ms}
  whole: {fairness: rates.csv, bin: 200us, statistic: mean, after: 1ms, until: first_done}
  two: {fairness: rates.csv, bin: 200us, statistic: min, where: {flow: '[02]'}, before: 1.6ms}
  alone: {fairness: rates.csv, bin: 200us, statistic: mean, where: {src: 4}}
  inter: {throughput: rates.csv, statistic: mean, scope: inter, after: 800us, until: first_done, tag: 0}
  intra: {throughput: rates.csv, statistic: mean, scope: intra, after: 800us, until: first_done, tag: 0}
  total: {throughput: rates.csv, statistic: sum, scope: inter, after: 800us, before: 1.6ms}
  spell: {throughput: rates.csv, statistic: max, tag: 7}
  between: {throughput: rates.csv, statistic: mean, where: {flow: 2}, after: 130us, before: 170us}
  first: {throughput: rates.csv, statistic: mean, where: {flow: 2}, after: 20us, before: 70us}
  not_one: {fairness: rates.csv, bin: 200us, statistic: share_below, threshold: 1, tag: 0, until: first_done}
plots:
  - {kind: rates, title: Rates, panel: law, fair: 33Gbps, bin: 200us, where: {law: [b, a]}}
  - {kind: rates, title: Each, each: law}
  - {kind: queues, title: Queues, panel: law, ports: 'leaf:0'}
  - {kind: queues, title: No queue, ports: 'leaf:7'}
claims:
  - {id: share, value: inter / intra, at: {law: a}, kind: ratio, reported: 0.9}
  - {id: late, value: late, at: {law: a}, reported: 1}
  - {id: fair, holds: to_fair < 700, at: {law: b}}
"""

BAD = [  # what is replaced in EXPERIMENT, by what, line, words
    ("time_to, threshold: 0.9, tag: 0}", "time_to, tag: 0}", 7, "'threshold' is missing"),
    ("time_to, threshold: 0.5", "time_to, threshold: 1.5", 8, "up to 1"),
    ("hold: 3, tag: 0}", "hold: 0, tag: 0}", 9, "hold"),
    ("tag: 0, before: 500us", "tag: 0, before: 500", 11, "expected a time"),
    ("share_below, threshold: 0.9", "share_below", 13, "'threshold' is missing"),
    ("statistic: mean, tag: 0, until: first_done", "statistic: mean, threshold: 0.9", 14,
     "only with statistic time_to or share_below"),
    ("statistic: min, tag: 0, until", "statistic: min, tag: 0, hold: 2, until", 15, "time_to with hold:"),
    ("after: 75%", "after: 175%", 16, "expected a time"),
    ("bin: 200us, statistic: mean, after: 1ms, before: 1.4ms", "bin: 0us, statistic: mean", 17, "more than 0"),
    ("after: 1ms, until: first_done}", "after: 1ms, until: last_done}", 18, "'last_done'"),
    ("where: {src: 4}", "where: {source: 4}", 20, "where 'source'"),
    ("statistic: sum, scope: inter", "statistic: time_to, scope: inter", 23, "statistic 'time_to'"),
    ("{throughput: rates.csv, statistic: max", "{throughput: a/rates.csv, statistic: max", 24, "file"),
    ("fair: 33Gbps", "fair: 33", 29, "expected a rate"),
    ("panel: law, fair", "panel: laws, fair", 29, "plot: panel 'laws'"),
]

# Jain's index: (60 + 0 + 20)^2 / (3 * 4000) = 8/15 until T, then 1, from 1200 to 1400 us 2/3. Bins up to
# T: 2, 3, 4; up to 1600 us: 8. The seeds' values, whose mean is expected:
INDICES = [(n * 8 / 15 + 2 / 3 + (7 - n)) / 8 for n in (2, 3, 4)]
METRICS = {
    "to_fair": [400, 600, 800],
    "to_lower": [0, 0, 0],
    "held": [400, 600, 1400],  # with seed 3 two bins, then the dip
    "late": [0.4, 0.6, 1.6],  # and only one before the first flow is done: its end counts
    "cut": [500, 500, 500],  # the bin from 400 us is not whole
    "from_then": [1400, 1400, 1400],
    "below": [3 / 8, 4 / 8, 5 / 8],
    "index": INDICES,
    "lowest": [8 / 15] * 3,
    "quarter": [(2 / 3 + 1) / 2] * 3,
    # 20 20 20 50, then flow 3 is there for a quarter of the bin: not counted.
    "part": [(110**2 / (4 * 3700) + 2 / 3) / 2] * 3,
    "whole": [110**2 / (4 * 3700)] * 3,  # until flow 3 is done at 1250 us
    "two": [80**2 / (2 * 4000)] * 3,
    "alone": [None] * 3,  # one flow has no index
    "inter": [17.5] * 3,
    "intra": [20] * 3,
    "total": [35] * 3,
    "spell": [50] * 3,
    "between": [20] * 3,
    "first": [20] * 3,  # before the first row
    "not_one": [3 / 8, 4 / 8, 5 / 8],  # an index of 1 is not below 1
}


@pytest.fixture(name="made", scope="module")
def numbers(shared_folder):
    """Metrics and claims.

    @return the experiment with its results
    """
    folder = shared_folder
    experiment = write_program(folder, PROGRAM, EXPERIMENT)
    out = folder / "results"
    good(run("reproduce", experiment, "--out", out), "rates")
    found = {}
    for row in rows(out / "metrics-by-seed.csv"):
        if row["law"] == "a":
            found.setdefault(row["metric"], []).append(row["value"])
    assert set(found) == set(METRICS), f"metrics: {list(found)}"
    for name, values in METRICS.items():
        assert len(found[name]) == 3 and all(near(t, v) for t, v in zip(found[name], values)), \
            f"metric {name}: {found[name]}, expected {values}"
    scores = {r["id"]: r for r in rows(out / "score.csv")}
    assert scores["share"]["ours"] == "0.875", f"{scores['share']}"
    assert "late at a not reached in 1 of 3 runs, whose ends count" in scores["late"]["note"], f"{scores['late']}"
    assert scores["fair"]["grade"] == "A" and "not reached" not in scores["fair"]["note"], f"{scores['fair']}"
    page = (out / "index.html").read_text()
    assert "bin 200 us" in page and page.count("data:image/png;base64,") == 4 and "No figure: the queues of leaf:7 are empty" in page, \
        "page"
    return experiment, out


def test_figures(made):
    """What the figures show."""
    experiment, out = made
    results, plan = estimates.load(str(out), str(experiment), 1)
    drawer = figures.Drawer(results, plan)
    plot = results.experiment.plots[0]
    where = plots.selections(results.experiment, plot)[0]
    runs = figures.first_runs(drawer, plot, where)
    assert list(runs) == ["b", "a"] and all("seed1-" in f for f in runs.values()), f"panels: {runs}"
    flows = rates.read(runs["a"])
    assert [p.flow.id for p in flows] == [0, 1, 2, 3], "flows of the warm-up count"
    times, values = figures.line(flows[0], 200)
    assert times == [100.0 + 200 * i for i in range(8)] and all(abs(v - (60 if t < 400 else 20)) < 1e-9 for t, v in zip(times, values)), \
        f"line: {times} {values}"
    assert figures.line(flows[3], 200)[0] == [1100.0], "a flow that is there for less than half"
    kept = []
    save = look.Figure.save
    look.Figure.save = lambda figure, *_: kept.append(figure)
    figures.draw_rates(drawer, plot, where, "none.png")
    look.Figure.save = save
    panel = kept[0].panels[1]
    drawn = [(line.get_color(), len(line.get_xdata())) for line in panel.get_lines()]
    colours = {scope: style["color"] for scope, style in look.styles(figures.SCOPES).items()}
    assert drawn[:4] == [(colours["intra"], 8), (colours["inter"], 10), (colours["inter"], 10), (colours["intra"], 1)], f"lines: {drawn}"
    assert list(panel.get_lines()[4].get_ydata()) == [33, 33] and panel.get_title("left") == "a" and len(panel.get_lines()) == 5, \
        "fair share"
    names = {"7": "leaf", "8": "spine"}
    queues = {p: list(plot_queues.read_queues(runs["a"], names, p)["series"].unique())
              for p in ("leaf:0", "*:0", "*", "leaf:2")}
    assert (queues == {"leaf:0": ["leaf port 0"], "*:0": ["leaf port 0", "spine port 0"],
                     "*": ["leaf port 1", "leaf port 0", "spine port 0"], "leaf:2": []}), f"queues: {queues}"


def test_over_time(made):
    """A column of a table over time: its sum, a line for each point as "where" orders them, or a line for each value of a column."""
    experiment, out = made
    text = experiment.read_text()
    (experiment.parent / "axes.yaml").write_text(text[:text.index("plots:")] + """\
plots:
  - {kind: over-time, title: Sum, file: rates.csv, column: acked_bytes, label: acknowledged, where: {law: [b, a]}, names: [second, first]}
  - {kind: over-time, title: Each, file: rates.csv, column: acked_bytes, by: flow, where: {law: a}}
  - {kind: bars, title: Side by side, metric: [inter, intra], x: metric, series: law}
  - {kind: table, title: Beside, metric: late, rows: law, reported: true}
  - {kind: slowdown-by-size, title: Sizes, series: law, statistic: [mean]}
""" + text[text.index("claims:"):])
    good(run("plot", experiment.parent / "axes.yaml", "--results", out, "--style", "paper"), "plot --style")
    drawn = out / "figures-paper"
    assert len(list(drawn.iterdir())) == 4 * 4 + 4, f"{list(drawn.iterdir())}"  # the table has no data beside its CSV file
    assert not [f for f in (out / "figures").iterdir() if f.stem == "Sum"], "--style draws the page's figures, too"
    total = rows(drawn / "Sum-data.csv")
    assert list(dict.fromkeys(r["series"] for r in total)) == ["second", "first"] and total[0]["y_axis"] == "acknowledged (MB)", f"{total[0]}"
    # At 1000 us: 400 us of 60 and 600 of 20, 600 of 20, 1000 of 20 Gbit/s.
    at = {r["series"]: float(r["y"]) for r in total if float(r["x"]) == 1.0}
    assert near(at["first"], (24 + 12 + 12 + 20) / 8), f"the sum: {at}"
    each = rows(drawn / "Each-data.csv")
    assert {r["series"] for r in each} == {f"flow {i}" for i in range(4)}, f"by flow: {each[:4]}"
    beside = rows(drawn / "Side-by-side-data.csv")
    assert [(r["series"], r["x"]) for r in beside] == [(law, m) for law in "ab" for m in ("inter", "intra")], f"metrics: {beside}"
    assert [r["late_reported"] for r in rows(drawn / "Beside.csv")] == ["1", ""], "reported"
    assert {r["y_axis"] for r in rows(drawn / "Sizes-data.csv")} == {"mean slowdown (log scale)"}, "statistic"
    one = good(run("plot", experiment.parent / "axes.yaml", "--results", out, "--only", "sum"), "plot --only")
    assert one.stdout.split() == [os.path.relpath(out / "figures" / "Sum.png")], f"{one}"
    assert "no such figure of axes, expected one of " in run("plot", experiment.parent / "axes.yaml", "--results", out, "--only", "fig3").stderr


def test_missing(folder):
    """Without rates.csv: one line that says what is needed."""
    experiment = write_program(folder, PROGRAM, EXPERIMENT.replace(
        "grid:", "options: {rates: ''}\ngrid:"))
    done = run("reproduce", experiment, "--out", folder / "results")
    assert done.returncode == 1 and "expected a run with the option rates" in done.stderr, f"no rates.csv: {done}"


def test_bad_input(folder):
    """One line with the place."""
    write_program(folder, PROGRAM, EXPERIMENT)
    check_bad_input(folder, EXPERIMENT, BAD)
