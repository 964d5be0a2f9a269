# SPDX-License-Identifier: GPL-2.0-only
"""Who is best where: ranks, margins and frontiers, from numbers made up here. Nothing is run.

    campaign-comparison.py BUILD_DIR
"""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from roce_campaign import comparison, experiment, figures
from roce_campaign.estimates import Results
from roce_plot import axes

from support import rows
from support.campaigns import check_bad_input, near, write_program

EXPERIMENT = """\
title: Comparisons by hand
program: ./program.py
grid:
  law: {a: {slow: 1}, b: {slow: 2}, c: {slow: 3}}
  place: {near: {}, far: {}, lost: {}}
seeds: 3
metrics:
  tail: {of: slowdown, statistic: p99, label: tail}
  middle: {of: slowdown, statistic: p50}
  raised: {of: slowdown, statistic: mean}
plots:
  - {kind: ranks, title: Ranks, metric: [tail, middle], rows: place, series: law}
  - {kind: best, title: Best, metric: [tail, middle], rows: place, series: law}
  - {kind: scatter, title: Both, metric: [tail, middle], series: law, panel: place}
  - {kind: rank-table, title: Table, metric: tail, rows: place, series: law}
"""

BAD = [  # what is replaced in EXPERIMENT, by what, line, words
    ("{kind: ranks, title: Ranks, metric: [tail, middle], rows: place, series: law}",
     "{kind: ranks, metric: tail, rows: place}", 12, "'series' is missing"),
    ("title: Best, metric: [tail, middle], rows: place", "metric: tail, rows: [place, law]", 13, "rows: expected a single value"),
    ("metric: [tail, middle], series: law, panel: place", "metric: [tail, middle], series: laws", 14, "plot: series 'laws'"),
]

# By place and law: the tail of seeds 1, 2, 3. Near, b is below a in every seed by far more than it varies, c is
# as a on average. Far, b is below c in the mean, not in every seed. Lost, the lowest, a, leaves a flow unfinished.
TAIL = {"near": {"a": [10.0, 20.0, 30.0], "b": [5.0, 10.0, 15.0], "c": [30.0, 20.0, 10.0]},
        "far": {"a": [9.0, 9.0, 9.0], "b": [1.0, 6.0, 2.0], "c": [4.0, 2.0, 6.0]},
        "lost": {"a": [1.0, 1.0, 1.0], "b": [4.0, 4.0, 4.0], "c": [4.0, 4.0, 4.0]}}


def fabricate(design):
    """Results as if runs had been measured: middle is the inverse of the tail, so that no law is better in both."""
    measured = {}
    for index, point in enumerate(design.points):
        place, law = point.coordinates["place"], point.coordinates["law"]
        for seed, tail in zip(point.seeds, TAIL[place][law]):
            counts = {"flows": 10, "unfinished": int((place, law) == ("lost", "a"))}
            measured[index, seed] = {"tail": {"value": tail, **counts},
                                     "middle": {"value": 60 / tail, **counts}}
    return Results(design, design.points, measured)


@pytest.fixture(scope="module")
def results(shared_folder):
    """Made up."""
    return fabricate(experiment.load(str(write_program(shared_folder, experiment=EXPERIMENT)), "full", allow=True))


def test_ranks(results):
    """Ranks, equal ones among them; paired differences; the unfinished come last."""
    tail = comparison.Comparison(results, results.experiment.metrics["tail"], "place", "law", {})
    ranks = {(row, law): e.rank for row, found in tail.rows.items() for law, e in found.items()}
    assert (ranks == {("near", "b"): 1, ("near", "a"): 2.5, ("near", "c"): 2.5, ("far", "b"): 1, ("far", "c"): 2,
                    ("far", "a"): 3, ("lost", "b"): 1.5, ("lost", "c"): 1.5, ("lost", "a"): 3}), f"ranks: {ranks}"
    assert tail.rivals == ["b", "c", "a"], f"order by mean rank: {tail.rivals}"
    assert [tail.best(row) for row in tail.rows] == ["b", "b", "b"], "the best"
    near_a, near_c, far_c = tail.rows["near"]["a"], tail.rows["near"]["c"], tail.rows["far"]["c"]
    assert near(near_a.over_best.value, 2) and near(near_a.over_best.low, 2) and not near_a.like_best, \
        f"seed by seed a is twice b, whatever the seeds' spread: {near_a}"
    assert near(near_c.over_best.value, 2) and near_c.like_best, f"c is twice b only in the mean: {near_c}"
    assert near(far_c.over_best.value, 4 / 3) and far_c.like_best, f"{far_c}"
    lost = tail.rows["lost"]["a"]
    assert lost.unfinished == 3 and not lost.like_best, f"unfinished flows count as worse than any time: {lost}"
    margin = tail.margin(results, "far")
    assert near(margin.value, 25) and margin.low < 0, f"b is a quarter below c, not surely: {margin}"
    alone = comparison.Comparison(results, results.experiment.metrics["tail"], "place", "law", {"law": ["a"]})
    assert alone.margin(results, "near") is None, "a margin to nobody"
    empty = comparison.Comparison(results, results.experiment.metrics["raised"], "place", "law", {})
    assert not empty.rows and not empty.rivals, "rows of a metric that nobody has"


def test_figures(results, folder):
    """All kinds are drawn; the table has ranks; what is ambiguous is refused."""
    plan = SimpleNamespace(folder=str(folder))
    drawer = figures.Drawer(results, plan)
    (folder / "figures").mkdir()
    for drawn in drawer.all():
        assert drawn.file and Path(drawn.file).stat().st_size > 100, f"not drawn: {drawn}"
    table = rows(folder / "figures" / "Table.csv")
    assert ([(r["law"], r["tail_best_or_like"]) for r in table] == [("b", "3"), ("c", "3"), ("a", "1")]
          and near(table[0]["mean_rank"], 3.5 / 3) and near(table[2]["tail_worst"], 9 / 3)), f"table: {table}"
    plot = results.experiment.plots[2]
    marks = comparison.marks(drawer, plot, {"place": ["far"]})
    assert list(marks["series"]) == ["a", "b", "c"] and len(axes.frontier(marks)) == 3, f"none is better in both: {marks}"
    line = axes.frontier(pd.DataFrame([(1, 3), (2, 3), (4, 1), (1, 3)], columns=["value_x", "value_y"]))
    assert line.values.tolist() == [[1, 3], [4, 1]], f"the frontier: {line}"
    for kind, fields, words in (("scatter", {"metric": ["tail"], "series": ["law"]}, "needs two metrics"),
                                ("scatter", {"metric": ["tail", "middle"], "series": ["law"]}, "several points for one place"),
                                ("best", {"metric": ["tail"], "series": ["law"], "rows": ["law"]}, "several points for one place"),
                                ("ranks", {"metric": ["raised"], "series": ["law"], "rows": ["place"]}, "nothing to plot")):
        drawn = drawer.figure(plot._replace(kind=kind, fields=fields), {}, str(folder / "figures" / "none.png"))
        assert drawn.file is None and words in drawn.why_not, f"{kind}: {drawn}"


def test_bad_input(folder):
    """One line with the place."""
    write_program(folder, experiment=EXPERIMENT)
    check_bad_input(folder, EXPERIMENT, BAD)
