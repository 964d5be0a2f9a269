# SPDX-License-Identifier: GPL-2.0-only
"""Who is best where: the labels of one axis (the rivals) compared by a metric at each label of another, and figures of that: how
far each is from the best, which is best by which margin, one metric against another, and a table of ranks.

Smaller is better. Two rivals are compared seed by seed, since their arrivals are the same: the 95 % interval is that of the ratio
of both, and a difference whose interval includes a ratio of 1 is none. A rival that leaves flows unfinished comes last, behind
all that finish, whatever the others of its flows took.
"""

from typing import Dict, List, NamedTuple, Optional

import roce_results as rr
from roce_plot import axes, look
import pandas as pd

from .estimates import Estimate, Results, estimator, number, plain
from .expression import NotMeasured
from .grid import Selection, selects
from .metrics import Metric
from .plots import Plot

UNFINISHED = "\u2020"
CELL = ["row", "column", "colour", "text", "bold"]


class Entry(NamedTuple):
    """A rival at one row."""

    value: float
    unfinished: int
    rank: float             # 1 is the best; equal ones share the mean of their ranks
    over_best: Estimate     # its value over the best's, paired
    like_best: bool         # the difference to the best is not significant


class Comparison:
    """A metric of all rivals at all rows."""

    def __init__(self, results: Results, metric: Metric, rows_axis: str, rivals_axis: str, where: Selection):
        """@param rows_axis axis of what is compared at, such as a scenario
        @param rivals_axis axis of who is compared
        @param where which points; with the two axes it must leave one for each pair"""
        self.metric = metric
        self.points: Dict[str, Dict[str, int]] = {}
        for index, point in enumerate(results.points):
            if selects(where, point.coordinates):
                row = self.points.setdefault(point.coordinates[rows_axis], {})
                rival = point.coordinates[rivals_axis]
                if rival in row:
                    raise rr.ResultError("several points for one place: name more axes in each or where")
                row[rival] = index
        axes = results.experiment.axes
        self.rows: Dict[str, Dict[str, Entry]] = {}
        for label in where.get(rows_axis, axes[rows_axis]):
            found = compare(results, metric, self.points.get(label, {}))
            if found:
                self.rows[label] = found
        there = {rival for row in self.rows.values() for rival in row}
        self.rivals: List[str] = sorted((r for r in where.get(rivals_axis, axes[rivals_axis]) if r in there), key=self.mean_rank)

    def mean_rank(self, rival: str) -> float:
        """Over the rows in which it is."""
        ranks = [row[rival].rank for row in self.rows.values() if rival in row]
        return sum(ranks) / len(ranks)

    def best(self, row: str) -> str:
        """The rival with the lowest rank; of equal ones the first in the grid."""
        return min(self.rows[row], key=lambda rival: self.rows[row][rival].rank)

    def margin(self, results: Results, row: str) -> Optional[Estimate]:
        """By how many percent the best is below the second, paired; None where no other finishes."""
        order = sorted(self.rows[row], key=lambda rival: self.rows[row][rival].rank)
        if len(order) < 2 or self.rows[row][order[1]].unfinished:
            return None
        share = ratio(results, self.metric, self.points[row][order[0]], self.points[row][order[1]])
        below = [None if x is None else 100 * (1 - x) for x in (share.value, share.high, share.low)]
        return Estimate(*below, share.seeds)


def compare(results: Results, metric: Metric, points: Dict[str, int]) -> Dict[str, Entry]:
    """The rivals of one row, as far as they are measured."""
    values = {rival: e for rival, e in ((rival, results.estimate(point, metric)) for rival, point in points.items()) if e}
    if not values:
        return {}
    unfinished = {rival: (results.counts(points[rival], metric) or (0, 0))[1] for rival in values}
    keys = {rival: (unfinished[rival], values[rival].value) for rival in values}
    best = min(values, key=keys.get)
    found = {}
    for rival, estimate in values.items():
        below = sum(key < keys[rival] for key in keys.values())
        equal = sum(key == keys[rival] for key in keys.values())
        over = ratio(results, metric, points[rival], points[best])
        like = unfinished[rival] == unfinished[best] and (rival == best or over.low is None or over.low <= 1 <= over.high)
        found[rival] = Entry(estimate.value, unfinished[rival], below + (equal + 1) / 2, over, like)
    return found


def ratio(results: Results, metric: Metric, point: int, other: int) -> Estimate:
    """A point's metric over another's, with the interval over the seeds that both have."""
    others = set(results.seeds(other, metric))
    seeds = [s for s in results.seeds(point, metric) if s in others]

    def of(chosen):
        bottom = results.over(other, metric, chosen)
        if bottom == 0:
            raise NotMeasured("a ratio to 0")
        return results.over(point, metric, chosen) / bottom

    try:
        return estimator([metric], seeds, of)
    except (NotMeasured, ZeroDivisionError):
        return Estimate(float("nan"), None, None, 0)


# ----------------------------------------------------------------------------------------- figures


def comparisons(drawer, plot: Plot, where: Selection) -> List[Comparison]:
    found = [Comparison(drawer.results, m, plot.fields["rows"][0], plot.fields["series"][0], where) for m in drawer.metrics(plot)]
    found = [c for c in found if c.rows]
    if not found:
        raise rr.ResultError("no run has these values: nothing to plot")
    return found


def draw_ranks(drawer, plot: Plot, where: Selection, file: str) -> None:
    """For each metric a field: rows, and rivals from the lowest mean rank on; how far each is from the best of its row."""
    found = comparisons(drawer, plot, where)
    columns, rows = max(len(c.rivals) for c in found), max(len(c.rows) for c in found)
    figure = look.Figure(len(found), 1, 2.2 + 0.62 * columns, 1.8 + 0.3 * rows, True)
    for ax, c in zip(figure.panels, found):
        cells = []
        for row, entries in c.rows.items():
            for rival, entry in entries.items():
                text, best = number(float(f"{entry.over_best.value:.3g}")), rival == c.best(row)
                text = f"({text})" if entry.like_best and not best else text
                cells.append((row, rival, look.heat(look.FARTHEST if entry.unfinished else entry.over_best.value),
                              text + UNFINISHED * bool(entry.unfinished), best))
        axes.cells(ax, pd.DataFrame(cells, columns=CELL), list(c.rows), c.rivals)
        ax.set_xticks(range(len(c.rivals)), [f"{r}\n{c.mean_rank(r):.1f}" for r in c.rivals], rotation=55, ha="right",
                      rotation_mode="anchor", fontsize=look.SMALL)
        ax.set_title(c.metric.label)
    figure.save(file, [], [
        "A cell is the value over that of the row's best, in brackets if the difference is not significant (95 %, seed by seed); "
        f"{UNFINISHED}: flows unfinished.", f"From left to right by mean rank over the rows. {drawer.seeds(where)} seeds."])


def draw_best(drawer, plot: Plot, where: Selection, file: str) -> None:
    """Rows and metrics: which is best, and how far below the second; pale where that is not significant."""
    found = comparisons(drawer, plot, where)
    shown = drawer.styles(list(dict.fromkeys(c.best(row) for c in found for row in c.rows)), plot, where)
    cells = []
    for c in found:
        for row in c.rows:
            best, margin = c.best(row), c.margin(drawer.results, row)
            sure = margin is None or (margin.low is not None and margin.low > 0)
            cells.append((row, c.metric.label, look.pale(shown[best]["color"], 0.55 if sure else 0.13),
                          best + (f"  {margin.value:.0f} %" if margin else ""), sure))
    data = pd.DataFrame(cells, columns=CELL)
    rows, columns = list(data["row"].unique()), list(data["column"].unique())
    inches = max(1.75, 0.075 * max(map(len, columns)) + 0.2, 0.08 * data["text"].str.len().max() + 0.2)
    figure = look.Figure(1, 1, 1.8 + inches * len(columns), 0.6 + 0.42 * len(rows), True)
    axes.cells(figure.panels[0], data, rows, columns)
    figure.panels[0].xaxis.tick_top()
    figure.save(file, [], [
        "The best, and by how many percent it is below the second; full colour where that is significant (95 %, seed by seed).",
        f"{drawer.seeds(where)} seeds."])


def marks(drawer, plot: Plot, where: Selection) -> pd.DataFrame:
    """Columns panel, series, value_x, low_x, high_x and the same of y: estimates of two metrics where both are above 0."""
    if len(plot.fields["metric"]) != 2:
        raise rr.ResultError("scatter needs two metrics: that of x and that of y")
    data = drawer.estimates(plot, where)
    x, y = (data[data["metric"] == metric] for metric in plot.fields["metric"])
    both = x.merge(y, on=["panel", "series"]).query("value_x > 0 and value_y > 0")  # as on logarithmic axes
    if both.empty:
        raise rr.ResultError("no run has these values: nothing to plot")
    return both


def draw_scatter(drawer, plot: Plot, where: Selection, file: str) -> None:
    """One metric against another, a mark with its name for each label of the series, and the line of those that none is better
    than in both."""
    data, titles = marks(drawer, plot, where), drawer.panel_titles(plot, where)
    panels = list(data["panel"].unique())
    shown = drawer.styles(data["series"].unique(), plot, where)
    columns = min(len(panels), 2)
    figure = look.Figure(len(panels), columns, 5.6 * columns, 4.4)
    for ax, panel in zip(figure.panels, panels):
        x, y = drawer.metrics(plot)
        ax.set(title=titles.get(panel, ""), xlabel=x.label, ylabel=y.label)
        axes.scatter(ax, data[data["panel"] == panel], shown)
    figure.save(file, [], ["Bars: 95 % confidence interval. Line: those that none is better than in both.",
                           f"{drawer.seeds(where)} seeds."])


def write_ranks(drawer, plot: Plot, where: Selection, file: str) -> rr.Table:
    """A row for each rival: of each metric its mean rank, in how many rows it is the best or not significantly behind it, and at
    most how many times the best."""
    found = comparisons(drawer, plot, where)
    ranks = pd.DataFrame({c.metric.name: {r: c.mean_rank(r) for r in c.rivals} for c in found}).mean(axis=1)
    axis = plot.fields["series"][0]
    plain_rows, rows = [], []
    for rival, mean in ranks.sort_values(kind="stable").items():
        cells, shown = [rival, plain(mean)], [rival, f"{mean:.1f}"]
        for c in found:
            entries = [row[rival] for row in c.rows.values() if rival in row]
            near, worst = sum(e.like_best for e in entries), max((e.over_best.value for e in entries), default=0)
            left = UNFINISHED if any(e.unfinished for e in entries) else ""
            cells += [plain(c.mean_rank(rival)), str(near), plain(worst)] if entries else [""] * 3
            shown.append(f"{c.mean_rank(rival):.1f}; {near} of {len(entries)}; {number(worst)}{left}" if entries else "-")
        plain_rows.append(cells)
        rows.append(shown)
    rr.write_file(file, rr.csv_text(([axis, "mean_rank"] + [f"{c.metric.name}_{what}" for c in found
                                               for what in ("rank", "best_or_like", "worst")], plain_rows)))
    return [axis, "mean rank"] + [c.metric.label for c in found], rows


DRAW = {"ranks": draw_ranks, "best": draw_best, "scatter": draw_scatter, "rank-table": write_ranks}
