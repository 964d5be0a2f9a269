# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns whose points have seeds of their own; statistics over seeds, boxes, tables, claims of
numbers only.

The program is campaign.py's: the mean slowdown of a run is slow + seed + 4.5.
"""


import pandas as pd
import pytest
from roce_campaign import estimates
from roce_plot import axes, look

from support import rows
from support.campaigns import check_bad_input, good, inodes, near, run, write_program

EXPERIMENT = """\
title: Seeds by hand
program: ./program.py
options: {hang: false}
grid:
  law: {old: {slow: 10}, new: {slow: 4}}
  kind: {plain: {}, many: {}}
overrides:
  - {at: {kind: many, law: new}, options: {slow: 3}}
  - {at: {kind: many}, seeds: 7}
  - {at: {kind: [many]}, seeds: [1, 2, 3, 4, 10]}
seeds: 2
metrics:
  average: {of: slowdown, statistic: mean, label: slow}
  pooled: {of: slowdown, statistic: p50, pool: true}
  worst: {over_seeds: average, statistic: p99, at: {kind: many}, scale: 10}
  median: {over_seeds: average, statistic: p50}
  pauses: {counter: pauses, at: {kind: many}, unit: frames}
  most: {over_seeds: pauses, statistic: max}
plots:
  - {kind: box, title: Boxes, metric: [average, pauses], x: law, panel: kind, where: {law: [new, old]}}
  - {kind: table, title: A table, metric: [average, worst, most], rows: [kind, law], where: {law: [new, old]}}
  - {kind: table, metric: average, rows: law, each: kind}
  - {kind: bars, metric: [worst, median], x: law, where: {kind: many}}
  - {kind: claims, title: Claims}
claims:
  - {id: share, value: 20e-3 / (20e-3 + 2**30 * 8 / 400e9), reported: 0.5, band: [0.45, 0.55]}
  - {id: numbers, holds: 0.45 <= 1 / 2 <= 0.55}
  - {id: zero, value: 1 / 0, reported: 1}
  - {id: worst, value: "reduction(worst(law=new), worst(law=old))", at: {kind: many}, kind: reduction, reported: 30}
  - {id: mean, value: average, at: {kind: many, law: old}, reported: 18}
  - {id: plain, value: average, at: {kind: plain, law: old}, reported: 16}
  - {id: all, holds: average < 100, each: [law, kind]}
  - {id: elsewhere, value: worst, at: {kind: plain, law: old}, reported: 1}
quick:
  seeds: 1
  overrides:
    - {at: {kind: many}, seeds: 2-3}
"""

BAD = [  # what is replaced in EXPERIMENT, by what, line, words
    ("{at: {kind: many}, seeds: 7}", "{at: {kind: many}, seeds: 0}", 9, "seeds '0'"),
    ("{at: {kind: many}, seeds: 7}", "{at: {kind: many}}", 9, "expected options:, seeds: or both"),
    ("{over_seeds: average, statistic: p50}", "{over_seeds: pooled, statistic: p50}", 16, "'pooled'"),
    ("{over_seeds: average, statistic: p50}", "{over_seeds: worst, statistic: p50}", 16, "'worst'"),
    ("{over_seeds: average, statistic: p50}", "{over_seeds: average}", 16, "'statistic' is missing"),
    ("{over_seeds: average, statistic: p50}", "{expression: 2 * worst}", 16, "no value per run"),
    ("metric: [average, pauses], x", "metric: [average, worst], x", 20, "plot: metric 'worst'"),
    ("rows: [kind, law]", "rows: [kind, laws]", 21, "plot: rows 'laws'"),
    ("value: average, at: {kind: plain, law: old}, reported: 16",
     "value: average(kind=many) - average(kind=plain), at: {law: old}, reported: 16", 31,
     "claim plain combines points of different seeds (1-4 10 at old, many; 1-2 at old, plain)"),
    ("{kind: table, metric: average, rows: law, each: kind}",
     "{kind: effects, rows: law, value: average(kind=many) - average(kind=plain)}", 22,
     "the plot combines points of different seeds"),
]

# metric, law, kind -> mean, interval, seeds. Seeds 1 2 3 4 10: mean 4, deviation sqrt(12.5), half an
# interval 2.776445 * sqrt(12.5 / 5); seeds 1 2: 12.706205 / 2. Of five seeds the P99 is the largest:
# of five drawn with replacement it is at most 2 with 1 %, at most 3 with 7.8 %. The median is 1, or
# 10, with 5.8 % each.
METRICS = {
    ("average", "old", "many"): (18.5, 18.5 - 4.389944, 18.5 + 4.389944, 5),
    ("average", "old", "plain"): (16.0, 16 - 6.353102, 16 + 6.353102, 2),
    ("worst", "old", "many"): (245.0, 175.0, 245.0, 5),
    ("worst", "new", "many"): (175.0, 105.0, 175.0, 5),
    ("worst", "old", "plain"): (None, None, None, 0),
    ("median", "old", "many"): (17.5, 15.5, 24.5, 5),
    ("median", "new", "plain"): (9.5, 9.5, 10.5, 2),
    ("most", "new", "many"): (40.0, 12.0, 40.0, 5),
}

# id -> ours, interval, grade, seeds. The reduction of P99: 17.5 of 24.5, with seed 3 10.5 of 17.5.
SCORES = {
    "share": ("0.48222", None, None, "A", ""),
    "numbers": ("1/1", None, None, "A", ""),
    "zero": ("", None, None, "N", ""),
    "worst": ("28.5714", 28.571429, 40.0, "A", "1-4 10"),
    "mean": ("18.5", 14.110056, 22.889944, "A", "1-4 10"),
    "plain": ("16", 9.646898, 22.353102, "A", "1-2"),
    "all": ("4/4", None, None, "A", "1-2; 1-4 10"),
    "elsewhere": ("", None, None, "N", "1-2"),
}

TABLE = [("plain", "new", 10), ("plain", "old", 16), ("many", "new", 11.5), ("many", "old", 18.5)]


@pytest.fixture(name="made", scope="module")
def runs(shared_folder):
    """Which runs there are in both sizes, and what is made of them.

    @return the experiment with its results
    """
    folder = shared_folder
    experiment = write_program(folder, experiment=EXPERIMENT)
    out = folder / "results"
    full = good(run("reproduce", experiment, "--dry-run"), "list of runs").stdout.split()
    quick = good(run("reproduce", experiment, "--dry-run", "--quick"), "quick").stdout.split()
    assert len(full) == 12 and len(quick) == 6, f"runs: {full} {quick}"
    kept = [k for k in quick if "law-new_kind-many" in k]
    assert len(kept) == 2 and set(kept) <= set(full), f"options of the file's overrides: {kept}"
    done = good(run("reproduce", experiment, "--out", out), "seeds")
    assert "12 runs" in done.stderr and len(inodes(out)) == 12, f"runs: {done.stderr}"
    metrics = {(r["metric"], r["law"], r["kind"]): r for r in rows(out / "metrics.csv")}
    for key, (mean, low, high, seeds) in METRICS.items():
        m = metrics[key]
        assert near(m["mean"], mean) and near(m["ci_low"], low) and near(m["ci_high"], high) and m["seeds"] == str(seeds), \
            f"metric {key}: {m}"
    by_seed = rows(out / "metrics-by-seed.csv")
    assert len(by_seed) == 14 + 10 and {r["metric"] for r in by_seed} == {"average", "pauses"}, f"metrics by seed: {len(by_seed)}"
    published = folder / "published.csv"
    good(run("score", experiment, "--results", out, "--publish", published), "score")
    scores = {r["id"]: r for r in rows(out / "score.csv")}
    seeds = {r["id"]: r["seeds"] for r in rows(published)}
    for name, (ours, low, high, grade, of) in SCORES.items():
        s = scores[name]
        assert (s["ours"], s["grade"], seeds[name]) == (ours, grade, of) and near(s["ci_low"], low) and near(s["ci_high"], high), \
            f"claim {name}: {s}, seeds {seeds[name]}"
        assert "one seed" not in s["note"], f"{s}"
    assert scores["share"]["note"] == "no run needed", f"{scores['share']}"
    assert "division by zero" in scores["zero"]["note"], f"{scores['zero']}"
    assert "0.45 <= 0.5 <= 0.55" in scores["numbers"]["note"], f"{scores['numbers']}"
    return experiment, out


def test_page(made):
    """The page counts runs and seeds and has the table; what is missing is counted, too."""
    experiment, out = made
    page = (out / "index.html").read_text()
    for words in ("4 points\n&times; 2 to 5 seeds, 12 different runs", "1-2 (2 points), 1-4 10 (2 points)",
                  "over_seeds average; statistic p99", "<td>18.5 [14.11, 22.89]</td>",
                  "<td>245 [175, 245]</td>", "<th>pauses</th>", "no run needed",
                  "A-table.csv", "bootstrap"):
        assert words in page or words.replace("pauses", "most (frames)") in page, f"not in the page: {words}"
    assert "No figure" not in page, "a figure is missing"
    table = rows(out / "figures" / "A-table.csv")
    assert [(r["kind"], r["law"], float(r["average"])) for r in table] == TABLE, f"table: {table}"
    last = table[-1]
    assert (near(last["average_ci_low"], 14.110056) and near(last["worst_ci_low"], 175)
          and near(last["most"], 40) and table[0]["worst"] == ""), f"table: {last}"
    parts = {k: rows(out / "figures" / f"table_average_kind-{k}.csv") for k in ("plain", "many")}
    assert ([r["law"] for r in parts["many"]] == ["old", "new"] and parts["many"][0]["average"] == "18.5"
          and parts["plain"][0]["average"] == "16"), f"each: {parts}"
    gone = next(out.glob("runs/law-old_kind-many-seed10-*"))
    (gone / "run.json").unlink()
    (out / "figures" / "old.csv").write_text("")
    with open(out / ".roce-files", "a", encoding="utf-8") as stream:
        stream.write("+ figures/old.csv\n")
    good(run("plot", experiment, "--results", out), "plot with a run missing")
    assert "1 of 12 runs are missing" in (out / "index.html").read_text(), "missing runs"
    assert not (out / "figures" / "old.csv").exists(), "a table of earlier definitions"
    notes = {r["id"]: r["note"] for r in rows(out / "score.csv")}
    assert "4 of 5 seeds have all values" in notes["mean"] and "seeds" not in notes["plain"], f"notes: {notes}"
    early = run("score", experiment, "--results", out, "--publish", out / "early.csv")
    assert early.returncode == 2 and "1 runs are missing" in early.stderr, f"published: {early}"
    again = good(run("reproduce", experiment, "--out", out), "the missing run")
    assert "12 runs, 11 of them there" in again.stderr, f"one run again: {again.stderr}"


def test_boxes(made):
    """The boxes show every run, quartiles and P99."""
    experiment, out = made
    from roce_campaign import figures, plots

    results, plan = estimates.load(str(out), str(experiment), 1)
    drawer = figures.Drawer(results, plan)
    plot = results.experiment.plots[0]
    where = plots.selections(results.experiment, plot)[0]
    data = drawer.values(plot, where).groupby(["metric", "panel", "x"])["value"].agg(sorted).to_dict()
    assert (data == {("average", "plain", "new"): [9.5, 10.5], ("average", "plain", "old"): [15.5, 16.5],
                   ("average", "many", "new"): [8.5, 9.5, 10.5, 11.5, 17.5],
                   ("average", "many", "old"): [15.5, 16.5, 17.5, 18.5, 24.5],
                   **{("pauses", "many", k): [4, 8, 12, 16, 40] for k in ("new", "old")}}), f"values: {data}"
    ax = look.Figure(1, 1, 4, 3).panels[0]
    axes.boxes(ax, pd.DataFrame({"x": "one", "value": [float(v) for v in range(1, 201)]}), look.styles(["none", "one"]), False)
    lines = {line.get_marker(): list(line.get_ydata()) for line in ax.get_lines()
             if line.get_marker() not in ("", "None")}
    assert lines["D"] == [198.0] and len(lines["o"]) == 200, f"P99 and runs: {lines.keys()}"
    bars = [sorted(set(line.get_ydata())) for line in ax.get_lines()
            if line.get_marker() in ("", "None")]
    assert [100.0] in bars and [150.0, 200.0] in bars and [1.0, 50.0] in bars, f"box: {bars}"
    both = plot._replace(fields={**plot.fields, "panel": None})
    both.fields.pop("panel")
    drawn = drawer.figure(both, {}, str(out / "figures" / "both.png"))
    assert drawn.file is None and "several points for one place" in drawn.why_not, f"{drawn}"
    for kind, fields, words in (("queues", {"panel": ["law"]}, "several points for the panel"),
                                ("table", {"rows": ["law"], "metric": ["average"]},
                                 "several points for one row")):
        drawn = drawer.figure(plot._replace(kind=kind, fields=fields), {},
                              str(out / "figures" / f"{kind}.png"))
        assert drawn.file is None and words in drawn.why_not, f"{kind}: {drawn}"


def test_bad_input(folder):
    """One line with the place."""
    write_program(folder, experiment=EXPERIMENT)
    check_bad_input(folder, EXPERIMENT, BAD)
