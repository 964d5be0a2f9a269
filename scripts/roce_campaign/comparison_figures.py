# SPDX-License-Identifier: GPL-2.0-only
"""Figures that compare the labels of one axis: how far each is from the best, which is best by which
margin, one metric against another, and a table of ranks."""

from typing import List

import roce_results as rr
from roce_plot import axes, look
import pandas as pd

from .comparison import Comparison
from .estimates import plain
from .grid import Selection
from .plots import Plot
from .tables import number

UNFINISHED = "\u2020"
CELL = ["row", "column", "colour", "text", "bold"]


def comparisons(drawer, plot: Plot, where: Selection) -> List[Comparison]:
    """One for each metric."""
    found = [Comparison(drawer.results, m, plot.fields["rows"][0], plot.fields["series"][0], where) for m in drawer.metrics(plot)]
    found = [c for c in found if c.rows]
    if not found:
        raise rr.ResultError("no run has these values: nothing to plot")
    return found


def draw_ranks(drawer, plot: Plot, where: Selection, file: str) -> None:
    """For each metric a field: rows, and rivals from the lowest mean rank on; how far each is from
    the best of its row."""
    found = comparisons(drawer, plot, where)
    columns, rows = max(len(c.rivals) for c in found), max(len(c.rows) for c in found)
    figure = look.Figure(len(found), 1, 2.2 + 0.62 * columns, 1.8 + 0.3 * rows)
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
    figure = look.Figure(1, 1, 1.8 + inches * len(columns), 0.6 + 0.42 * len(rows))
    axes.cells(figure.panels[0], data, rows, columns)
    figure.panels[0].xaxis.tick_top()
    figure.save(file, [], [
        "The best, and by how many percent it is below the second; full colour where that is significant (95 %, seed by seed).",
        f"{drawer.seeds(where)} seeds."])


def marks(drawer, plot: Plot, where: Selection) -> pd.DataFrame:
    """Columns panel, series, value_x, low_x, high_x and the same of y: estimates of two metrics where there are both."""
    if len(plot.fields["metric"]) != 2:
        raise rr.ResultError("scatter needs two metrics: that of x and that of y")
    data = drawer.estimates(plot, where)
    x, y = (data[data["metric"] == metric] for metric in plot.fields["metric"])
    both = x.merge(y, on=["panel", "series"])
    if both.empty:
        raise rr.ResultError("no run has these values: nothing to plot")
    return both


def draw_scatter(drawer, plot: Plot, where: Selection, file: str) -> None:
    """One metric against another, a mark with its name for each label of the series, and the line
    of those that none is better than in both."""
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
    """A row for each rival: of each metric its mean rank, in how many rows it is the best or not
    significantly behind it, and at most how many times the best."""
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
    rr.write_csv(file, ([axis, "mean_rank"] + [f"{c.metric.name}_{what}" for c in found
                                               for what in ("rank", "best_or_like", "worst")], plain_rows))
    return [axis, "mean rank"] + [c.metric.label for c in found], rows


DRAW = {"ranks": draw_ranks, "best": draw_best, "scatter": draw_scatter, "rank-table": write_ranks}
