# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns with points that differ from the plain grid, and figures of effects and claims.

Overrides, runs that points share, metrics of some points, groups of rows; the numbers that the
figures show. The program is campaign.py's, whose numbers one can work out by hand.
"""

import math

import pandas as pd
import pytest
import roce_results as rr
from roce_campaign import claim_figures, estimates, figures, plots, score, yamlread
from roce_plot import axes

from support import rows
from support.campaigns import PROGRAM, check_bad_input, good, inodes, near, run, write_program

# A counter that only some runs have, and a node without a name.
PROGRAM = PROGRAM.replace(
    '"pauses": 4 * int(options["seed"])}',
    '"pauses": 4 * int(options["seed"]), **({} if options["slow"] == "10" else {"stage": 7})}')

EXPERIMENT = """\
title: Points by hand
program: ./program.py
options: {hang: false}
grid:
  law: {old: {slow: 10}, new: {slow: 4}}
  kind: {plain: {}, late: {}, fast: {}}
overrides:
  - {at: {kind: fast, law: [new]}, options: {slow: 3}}
  - {at: {kind: [fast, late], law: new}, options: {sleep: 0}}
  - {at: {kind: fast, law: new}, options: {slow: 2}}
exclude:
  - {law: [old], kind: [late]}
seeds: 3
metrics:
  average: {of: slowdown, statistic: mean}
  inter: {of: slowdown, statistic: p99, scope: inter}
  most: {file: queues.csv, column: time_ns, statistic: max, group: node, within: count}
  least: {file: queues.csv, column: time_ns, statistic: min, group: node, within: count}
  leaf: {file: queues.csv, column: queue_bytes, statistic: max, where: {node: 'le?f'}, group: node, within: sum}
  nobody: {file: queues.csv, column: queue_bytes, statistic: max, where: {node: 'x*'}, group: node, within: count}
  nothing: {file: queues.csv, column: queue_bytes, statistic: max, where: {node: 'x*'}, group: node}
  stage: {counter: stage, at: {law: new}}
  twice: {expression: 2 * stage}
  anyway: {counter: stage, absent: 3, scale: 2}
  pooled: {of: slowdown, statistic: p50, pool: true, at: {law: [new], kind: [plain, fast]}}
plots:
  - kind: effects
    title: "Effects: by hand"
    rows: kind
    series: {stat: [average, inter]}
    value: {percent: "reduction({stat}(law=new), {stat}(law=old))", plain: "{stat}(law=new)"}
  - {kind: claims, title: Claims, ids: [some, 'b?nded', '*ent']}
  - {kind: bars, metric: [average, inter], x: law, panel: kind, where: {law: [new, old], kind: [plain, fast]}}
  - {kind: lines, metric: average, x: kind, where: {kind: [fast, plain]}}
  - {kind: effect-table, title: Ratios, rows: kind, value: {mean: "ratio(average(law=new), average(law=old))", new: average(law=new)}}
  - {kind: effects, title: Over one, rows: kind, log: true, value: "ratio(average(law=new), average(law=old))"}
claims:
  - {id: percent, value: "reduction(average(law=new), average(law=old))", at: {kind: plain}, kind: reduction, reported: 35}
  - {id: count, value: average, at: {law: new, kind: plain}, kind: count, reported: 42}
  - {id: banded, value: average, at: {law: new, kind: plain}, reported: 21, band: [10.5, 42]}
  - {id: everywhere, holds: average < 100, each: [law, kind]}
  - {id: some, holds: average > 11, each: [law, kind], at_least: 1}
  - {id: chain, holds: 2 <= average <= 8, at: {law: new, kind: plain}}
  - {id: either, holds: average < 2 or inter > 9, at: {law: new, kind: plain}}
  - {id: absent, value: stage, at: {law: old, kind: plain}, reported: 7}
  - {id: negative, value: 0 - average, at: {law: new, kind: plain}, reported: -21, band: [-42, -10.5]}
  - {id: largest, value: "reduction(average(law=new), average(law=old))", each: kind, take: max, reported: 50, band: [0, 90]}
  - {id: smallest, value: "average + 0 * inter(law=new)", at: {law: new}, each: kind, take: min, reported: 8, band: [8, 9]}
  - {id: middle, value: average, each: {kind: [plain, fast], law: [new]}, take: mean, reported: 9, band: [8, 10]}
  - {id: digits, value: 12345678 + 0 * average, at: {law: new, kind: plain}, reported: 12345678}
"""

# metric, law, kind -> mean; None: no value there. Mean slowdown: slow + seed + 4.5, seed 2 on average.
METRICS = {
    ("average", "old", "plain"): 16.5, ("average", "old", "fast"): 16.5,
    ("average", "new", "plain"): 10.5, ("average", "new", "late"): 10.5,
    ("average", "new", "fast"): 8.5,
    # Node 7 has two rows with 50 bytes in all, node 8 one.
    ("most", "old", "plain"): 2, ("least", "old", "plain"): 1, ("leaf", "old", "plain"): 50,
    ("nobody", "old", "plain"): 0, ("nothing", "old", "plain"): None,
    ("stage", "new", "fast"): 7, ("stage", "old", "plain"): None,
    ("twice", "new", "fast"): 14, ("twice", "old", "plain"): None,
    ("anyway", "new", "fast"): 14, ("anyway", "old", "plain"): 6,
    ("pooled", "new", "plain"): 10, ("pooled", "new", "late"): None,
    ("pooled", "old", "plain"): None,
}

BAD = [  # what is replaced in EXPERIMENT, by what, line, words
    ("{at: {kind: fast, law: [new]}", "{at: {sort: fast}", 8, "no axis 'sort'"),
    ("{at: {kind: fast, law: [new]}", "{at: {law: [new, young]}", 8, "no 'young'"),
    ("options: {slow: 3}", "options: {slaw: 3}", 8, "no option --slaw"),
    ("law: [new]}, options: {slow: 3}}", "law: [new]}}", 8, "expected options:, seeds: or both"),
    ("{law: [old], kind: [late]}", "{law: [old], kind: [lately]}", 12, "no 'lately'"),
    ("statistic: max, group: node, within: count}\n  least", "statistic: max, within: count}\n  least",
     17, "expected group: beside within:"),
    ("statistic: min, group: node, within: count", "statistic: min, group: node, within: counts", 18,
     "within 'counts'"),
    ("at: {law: new}}\n  twice", "at: {law: newer}}\n  twice", 22, "no 'newer'"),
    ("    rows: kind", "    rows: sort", 29, "plot: rows 'sort'"),
    ("{percent: \"reduction", "{percent: \"1 < reduction", 31, "expected a number"),
    ("[some, 'b?nded', '*ent']", "[some, percents]", 32, "plot: ids 'percents'"),
    ("[some, 'b?nded', '*ent']", "'per?'", 32, "plot: ids 'per?'"),
    ("panel: kind", "panel: sort", 33, "plot: panel 'sort'"),
    ("each: kind, take: max", "each: kind", 47, "take: max, min, mean"),
    ("each: kind, take: max", "each: kind, take: sum", 47, "expected one of max, min, mean"),
    ("each: [law, kind]}", "each: [law, kind], take: max}", 41, "unknown key 'take'"),
    ("kind: plain}, kind: count, reported: 42", "kind: [plain]}, kind: count, reported: 42", 39,
     "expected a single value"),
]


# Flows of four hosts at two leaf switches in each of two datacenters, two hosts at a leaf switch.
SENDERS = PROGRAM.replace(
    '{i},0,1,3,0', '{i},{i % 8},1,3,0').replace(
    '"7": "leaf"', '"10": "dc0-leaf0", "11": "dc0-leaf1", "12": "dc1-leaf0", "13": "dc1-leaf1"').replace(
    '"configuration": {', '"configuration": {"datacenters": "2", "leaves": "2", "hostsPerLeaf": "2", ')


def test_passed_by(folder):
    """Leaf switches are chosen by how many flows pass them."""
    events = "time_ns,node\\n1,10\\n2,10\\n3,10\\n4,11\\n5,13\\n6,13\\n"
    program = SENDERS.replace('with open("queues.csv"', f'with open("events.csv", "w") as f:\n'
                              f'    f.write("{events}")\nwith open("queues.csv"')
    metrics = "\n".join(f"  {name}: {{file: events.csv, column: time_ns, statistic: {statistic}, group: "
                        f"node, within: count, passed_by: {{{flows}}}}}" for name, statistic, flows in
                        [("ten", "mean", "flows: 10"), ("two", "mean", "flows: 2"), ("sum_two", "sum", "flows: 2"),
                         ("inter", "mean", "flows: 5, scope: inter"), ("large", "mean", "flows: 1, size: '>8KB'"),
                         ("none", "mean", "flows: 9")])
    experiment = write_program(
        folder, program, f"title: Leaf switches\nprogram: ./program.py\nseeds: 1\nmetrics:\n{metrics}\n")
    good(run("reproduce", experiment, "--out", folder / "out"), "passed by")
    found = {r["metric"]: r["mean"] for r in rows(folder / "out" / "metrics.csv")}
    # Flow i goes from host i % 8 to host 1 and has i + 1 KB: all 10 pass leaf 0 (3 events), some from its own hosts, 2 each of
    # the others (1, 0 and 2 events), where node 12 has no row. Odd flows are between datacenters: 5 at leaf 0, else 1.
    # Above 8 KB are flows 8 and 9, both at leaf 0.
    for name, mean in {"ten": 3, "two": 1, "sum_two": 3, "inter": 3, "large": None, "none": None}.items():
        assert near(found[name], mean), f"passed by: {name}: {found}"
    text = experiment.read_text()
    for old, new, words in (("group: node, ", "group: time_ns, ", "expected node with passed_by:"),
                            ("flows: 9", "scope: all", "'flows' is missing")):
        experiment.write_text(text.replace(old, new))
        done = run("reproduce", experiment, "--dry-run")
        assert done.returncode == 2 and words in done.stderr, f"{new}: {done}"
    plain = write_program(folder / "plain", PROGRAM, text.replace("events.csv", "queues.csv"))
    done = run("reproduce", plain, "--out", folder / "plain" / "out")
    assert "is for runs of two-dc-leaf-spine" in done.stderr, f"another program: {done}"


@pytest.fixture(name="made", scope="module")
def points(shared_folder):
    """Which runs there are, and the metrics of points that share them.

    @return the experiment with its results
    """
    folder = shared_folder
    experiment = write_program(folder, PROGRAM, EXPERIMENT)
    out = folder / "results"
    dry = good(run("reproduce", experiment, "--dry-run"), "list of runs")
    assert len(dry.stdout.split()) == 12, f"5 points, 4 different runs, 3 seeds: {dry.stdout}"
    done = good(run("reproduce", experiment, "--out", out), "points")
    assert "12 runs" in done.stderr and len(inodes(out)) == 12, f"runs: {done.stderr}"
    table = rows(out / "runs.csv")
    assert len(table) == 15 and all(r["state"] == "complete" for r in table), f"runs.csv: {table}"
    used = {(r["law"], r["kind"], r["seed"]): r["run"] for r in table}
    assert (used["old", "plain", "1"] == used["old", "fast", "1"] != used["new", "plain", "1"]
          and used["new", "plain", "1"] != used["new", "fast", "1"]), f"shared runs: {used}"
    metrics = {(r["metric"], r["law"], r["kind"]): r for r in rows(out / "metrics.csv")}
    for key, mean in METRICS.items():
        assert near(metrics[key]["mean"], mean), f"metric {key}: {metrics[key]}"
    assert metrics["pooled", "new", "late"]["flows"] == "" and metrics["pooled", "new", "fast"]["flows"] == "30", \
        "flows of a metric of some points"
    page = (out / "index.html").read_text()
    assert "5 points" in page and "12 different runs" in page and "No figure" not in page and page.count("data:image/png;base64,") == 5, \
        "page"
    assert "at law new; kind plain, fast" in page and page.count("<td>old</td><td>plain</td>") == 9 + 3, "metrics of some points"
    assert (out / "figures" / "Effects-by-hand.png").exists(), "a figure's file has its title"
    ratios = rows(out / "figures" / "Ratios.csv")
    assert ([r["kind"] for r in ratios] == ["plain", "late", "fast"] and near(ratios[0]["mean"], 10.5 / 16.5)
          and ratios[1]["mean"] == "" and near(ratios[1]["new"], 10.5) and near(ratios[1]["new ci_high"], 10.5 + 2.484138)), \
        f"a table of effects: {ratios}"
    scores = {r["id"]: r for r in rows(out / "score.csv")}
    assert (scores["everywhere"]["ours"] == "5/5" and scores["everywhere"]["grade"] == "A"
          and "not measured" not in scores["everywhere"]["note"]), f"excluded points: {scores['everywhere']}"
    assert "2 <= 10.5 <= 8 does not hold" in scores["chain"]["note"], f"{scores['chain']}"
    assert "10.5 < 2 or 15 > 9" in scores["either"]["note"] and scores["either"]["grade"] == "A", f"{scores['either']}"
    assert scores["absent"]["grade"] == "N", f"{scores['absent']}"
    # With kind=late there is no old; the interval is that of the largest number of each seed.
    assert near(scores["largest"]["ours"], 100 * 8 / 16.5) and scores["largest"]["ci_low"] != "", f"{scores['largest']}"
    assert near(scores["smallest"]["ours"], 8.5) and near(scores["middle"]["ours"], 9.5), f"{scores['smallest']}, {scores['middle']}"
    gone = {r["run"]: r for r in table}[used["old", "fast", "2"]]["run"]
    (out / "runs" / gone / "run.json").unlink()
    again = good(run("reproduce", experiment, "--out", out), "one run again")
    assert "12 runs, 11 of them there" in again.stderr, f"one run again: {again.stderr}"
    return experiment, out


def test_figures(made):
    """What the figures show is what one works out by hand."""
    experiment, out = made
    results, plan = estimates.load(str(out), str(experiment), 1)
    effects, claims, bars, lines = results.experiment.plots[:4]
    assert claims.fields["ids"] == ["some", "banded", "percent", "absent"], f"claims to show: {claims.fields}"
    titles = [title for title, _ in effects.fields["value"]]
    assert titles == ["percent", "plain"], f"panels: {titles}"
    found = claim_figures.effects(results, effects)
    percent, plain = ({place[1:]: e for place, e in found.items() if place[0] == title} for title in titles)
    # As in campaign.py; with kind=late there is no old.
    expected = {("average", "plain"): 36.3636, ("average", "fast"): 100 * 8 / 16.5,
                ("inter", "plain"): 100 * 6 / 21, ("inter", "fast"): 100 * 8 / 21}
    assert set(percent) == set(expected), f"effects: {list(percent)}"
    for place, value in expected.items():
        assert abs(percent[place].value - value) < 1e-4, f"effect {place}: {percent[place]}"
    assert abs(percent["average", "plain"].low - 30.8830) < 1e-3, f"{percent['average', 'plain']}"
    assert plain["average", "late"].value == 10.5 and len(plain) == 6, f"effects: {plain}"

    scores = {s.id: s for s in score.Scorer(results).all()}
    percents, shares, relations = (claim_figures.claim_rows(list(scores.values()), kind).set_index("id")
                                   for kind in ("percent", "share", "relation"))
    row = percents.loc["percent"]
    assert row.reported == 35 and (row.band_low, row.band_high) == (24.5, 45.5) and abs(row.value - 36.3636) < 1e-3, f"{row}"
    row = shares.loc["count"]
    assert (row.reported == 1 and math.isnan(row.band_low) and abs(row.value - 0.25) < 1e-9
          and abs(row.low - (10.5 - 2.484138) / 42) < 1e-6 and "count" not in percents.index), f"share: {row}"
    row = shares.loc["banded"]
    assert (row.band_low, row.band_high) == (0.5, 2.0), f"band: {row}"
    row = shares.loc["negative"]
    assert ((row.band_low, row.band_high) == (0.5, 2.0) and abs(row.value - 0.5) < 1e-9
          and abs(row.low - (10.5 - 2.484138) / 21) < 1e-6
          and abs(row.high - (10.5 + 2.484138) / 21) < 1e-6), f"over a negative number: {row}"
    held = relations["value"].to_dict()
    assert held["everywhere"] == 100 and held["some"] == 40, f"relations: {held}"
    absent = pd.concat([shares, relations]).loc["absent"]
    assert math.isnan(absent.value) and absent.text == "not measured", f"not measured: {absent}"

    drawer = figures.Drawer(results, plan)
    where = plots.selections(results.experiment, bars)[0]
    labels = drawer.labels("law", where)
    assert labels == ["new", "old"], f"the order of where: {labels}"
    data = drawer.estimates(bars, where).set_index(["panel", "metric", "x"])["value"].sort_index()
    shown = {title: {series: list(data[title, series][labels]) for series in ("average", "inter")}
             for title in drawer.panel_titles(bars, where)}
    assert (shown == {"plain": {"average": [10.5, 16.5], "inter": [15.0, 21.0]},
                    "fast": {"average": [8.5, 16.5], "inter": [13.0, 21.0]}} and list(shown) == ["plain", "fast"]), f"panels: {shown}"
    data = drawer.estimates(lines, plots.selections(results.experiment, lines)[0])
    assert list(data["series"].unique()) == ["old", "new"], f"series: {data}"
    both = [results.experiment.metrics[m] for m in ("average", "stage")]
    assert figures.unit_of(both) == "slowdown", "units"
    assert figures.unit_of([both[0], both[1]._replace(label="stages (of all)")]) == "slowdown / of all", "units"
    low, high = axes.limits(pd.Series([1.0, 3.0, 0.0]), -1000.0, 1000.0)
    assert -3 < low < 0 < 3.5 < high < 6, f"an interval that dwarfs the values: {low} {high}"


MERGED = """\
one: &one {a: 1, b: 2}
two: &two {b: 3, c: 4}
both: {<<: [*one, *two], c: 5, d: 6}
deep: {<<: {<<: *two, e: 7}, b: 8}
"""


def test_merge_keys(folder):
    """The merge key of YAML 1.1, which uno.yaml has."""
    (folder / "merged.yaml").write_text(MERGED, encoding="utf-8")
    pairs = yamlread.read(str(folder / "merged.yaml"))
    assert pairs["both"] == {"a": "1", "b": "2", "c": "5", "d": "6"}, f"merged: {pairs['both']}"
    assert pairs["deep"] == {"c": "4", "e": "7", "b": "8"}, f"merged deep: {pairs['deep']}"
    (folder / "bad.yaml").write_text("one: {<<: 3}\n", encoding="utf-8")
    try:
        yamlread.read(str(folder / "bad.yaml"))
        assert False, "a merge key without a mapping is taken"
    except rr.ResultError as error:
        assert "bad.yaml:1: " in str(error) and "expected a mapping" in str(error), str(error)


def test_bad_input(folder):
    """One line with the place."""
    write_program(folder, PROGRAM, EXPERIMENT)
    check_bad_input(folder, EXPERIMENT, BAD)
