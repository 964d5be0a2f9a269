# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Figures that compare the labels of one axis: who is how far from the best, who is best by which
margin, one metric against another, and a table of ranks."""

import math
from typing import Dict, List

import plot_fct
import roce_results as rr

from .comparison import Comparison
from .estimates import plain
from .grid import Selection, seed_count, selects
from .plots import Plot
from .tables import number

CELL_INCHES = (0.62, 0.3)
FARTHEST = 10.0  # times the best, where colours end
PAPER = "#FFFFFF"


def comparisons(drawer, plot: Plot, where: Selection) -> List[Comparison]:
    """One for each metric."""
    metrics = [drawer.experiment.metrics[m] for m in plot.fields["metric"]]
    found = [Comparison(drawer.results, m, plot.fields["rows"][0], plot.fields["series"][0], where)
             for m in metrics]
    found = [c for c in found if c.rows]
    if not found:
        raise rr.ResultError("no run has these values: nothing to plot")
    return found


def seeds_line(drawer, where: Selection) -> str:
    """How many seeds."""
    return seed_count(p for p in drawer.experiment.points if selects(where, p.coordinates)) + " seeds"


# -------------------------------------------------------------------------------------------- ranks


def draw_ranks(drawer, plot: Plot, where: Selection, file: str) -> None:
    """For each metric a field: rows, and rivals from the lowest mean rank on; how far each is from
    the best of its row."""
    found = comparisons(drawer, plot, where)
    plt = rr.apply_style()
    columns = max(len(c.rivals) for c in found)
    rows = max(len(c.rows) for c in found)
    fig, axes = plt.subplots(len(found), 1, squeeze=False, figsize=(
        2.2 + CELL_INCHES[0] * columns, len(found) * (1.5 + CELL_INCHES[1] * (rows + 1)) + 0.4))
    for ax, comparison in zip(axes[:, 0], found):
        draw_field(ax, comparison)
    plot_fct.finish_layout(fig, [], [
        "A cell is the value over that of the row's best, in brackets if the difference is not significant (95 %, seed by seed); "
        "\u2020: flows unfinished.", f"From left to right by mean rank over the rows. {seeds_line(drawer, where)}."])
    plot_fct.save_figure(fig, file)
    plt.close(fig)


def draw_field(ax, comparison: Comparison) -> None:
    """One metric."""
    from matplotlib.colors import LogNorm

    rows, rivals = list(comparison.rows), comparison.rivals
    field = [[shade(comparison, row, rival) for rival in rivals] for row in rows]
    ax.imshow(field, norm=LogNorm(1, FARTHEST), cmap="YlOrRd", aspect="auto")
    for y, row in enumerate(rows):
        for x, rival in enumerate(rivals):
            entry = comparison.rows[row].get(rival)
            if not entry:
                continue
            text = number(float(f"{entry.over_best.value:.3g}"))
            text = f"({text})" if entry.like_best and rival != comparison.best(row) else text
            text += "\u2020" if entry.unfinished else ""
            dark = field[y][x] > FARTHEST ** 0.6
            ax.text(x, y, text, ha="center", va="center", fontsize=7,
                    color=PAPER if dark else "#222222",
                    fontweight="bold" if rival == comparison.best(row) else "normal")
    ax.set_xticks(range(len(rivals)), [f"{r}\n{comparison.mean_rank(r):.1f}" for r in rivals],
                  rotation=55, ha="right", rotation_mode="anchor", fontsize=7.5)
    ax.set_yticks(range(len(rows)), rows)
    ax.grid(False)
    ax.set_title(comparison.metric.label)


def shade(comparison: Comparison, row: str, rival: str) -> float:
    """Times the best, within what colours show; not a number where there is none."""
    entry = comparison.rows[row].get(rival)
    if not entry or math.isnan(entry.over_best.value):
        return math.nan
    return FARTHEST if entry.unfinished else min(max(entry.over_best.value, 1.0), FARTHEST)


# --------------------------------------------------------------------------------------------- best


def draw_best(drawer, plot: Plot, where: Selection, file: str) -> None:
    """Rows and metrics: who is best, and how far below the second; pale where that is not
    significant."""
    found = comparisons(drawer, plot, where)
    rows = list(dict.fromkeys(row for c in found for row in c.rows))
    plt = rr.apply_style()
    fig, ax = plt.subplots(figsize=(1.8 + 1.75 * len(found), 1.4 + 0.42 * len(rows)))
    winners = list(dict.fromkeys(c.best(row) for c in found for row in rows if row in c.rows))
    for x, comparison in enumerate(found):
        for y, row in enumerate(rows):
            if row in comparison.rows:
                draw_winner(ax, x, y, comparison, drawer.results, row, winners)
    ax.set_xlim(-0.5, len(found) - 0.5)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xticks(range(len(found)), [c.metric.label for c in found])
    ax.set_yticks(range(len(rows)), rows)
    ax.xaxis.tick_top()
    ax.grid(False)
    plot_fct.finish_layout(fig, [], [
        "The best, and by how many percent it is below the second; full colour where that is significant (95 %, seed by seed).",
        f"{seeds_line(drawer, where)}."])
    plot_fct.save_figure(fig, file)
    plt.close(fig)


def draw_winner(ax, x: int, y: int, comparison: Comparison, results, row: str,
                winners: List[str]) -> None:
    """One place."""
    from matplotlib.patches import Rectangle

    best = comparison.best(row)
    margin = comparison.margin(results, row)
    sure = margin is None or (margin.low is not None and margin.low > 0)
    colour = rr.COLOURS[winners.index(best) % len(rr.COLOURS)]
    ax.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=colour,
                           alpha=0.55 if sure else 0.13, linewidth=0))
    text = best + (f"  {margin.value:.0f} %" if margin else "")
    ax.text(x, y, text, ha="center", va="center", fontsize=7.5,
            fontweight="bold" if sure else "normal")


# ------------------------------------------------------------------------------------------ scatter


def draw_scatter(drawer, plot: Plot, where: Selection, file: str) -> None:
    """One metric against another, a mark with its name for each label of the series, and the line
    of those that none is better than in both."""
    names = plot.fields["metric"]
    if len(names) != 2:
        raise rr.ResultError("scatter needs two metrics: that of x and that of y")
    axis = plot.fields["series"][0]
    panel_axis = plot.fields.get("panel", [None])[0]
    panels = drawer.labels(panel_axis, where) if panel_axis else [None]
    marks = [scatter_marks(drawer, axis, names, {**where, panel_axis: [p]} if p else where)
             for p in panels]
    if not any(marks):
        raise rr.ResultError("no run has these values: nothing to plot")
    plt = rr.apply_style()
    columns = min(len(panels), 2)
    fig, axes = plot_fct.panel_grid(plt, len(panels), columns, 5.6 * columns, 4.4)
    labels = [drawer.experiment.metrics[m].label for m in names]
    order = list(dict.fromkeys(name for found in marks for name in found))
    for ax, panel, found in zip(axes, panels, marks):
        draw_marks(ax, found, order)
        ax.set_title(panel or "")
        ax.set_xlabel(labels[0])
        ax.set_ylabel(labels[1])
    plot_fct.finish_layout(fig, [], [
        "Bars: 95 % confidence interval. Line: those that none is better than in both.",
        f"{seeds_line(drawer, where)}."])
    plot_fct.save_figure(fig, file)
    plt.close(fig)


def scatter_marks(drawer, axis: str, names: List[str], where: Selection) -> Dict[str, tuple]:
    """Both estimates of each label that has both."""
    found = {}
    for index, point in enumerate(drawer.results.points):
        if selects(where, point.coordinates):
            both = tuple(drawer.results.estimate(index, drawer.experiment.metrics[m]) for m in names)
            if point.coordinates[axis] in found:
                raise rr.ResultError("several points for one mark: name more axes in each or where")
            if all(both):
                found[point.coordinates[axis]] = both
    return found


def frontier(found: Dict[str, tuple]) -> List[tuple]:
    """Those that none is at least as good as in both and better in one, by x."""
    values = [(x.value, y.value) for x, y in found.values()]
    return sorted({v for v in values
                   if not any(o != v and o[0] <= v[0] and o[1] <= v[1] for o in values)})


def draw_marks(ax, found: Dict[str, tuple], order: List[str]) -> None:
    """Logarithmic in both directions; names beside the marks."""
    if not found:
        return
    line = frontier(found)
    ax.plot([v[0] for v in line], [v[1] for v in line], color=rr.MUTED, linewidth=0.9, zorder=1)
    for name, (x, y) in found.items():
        style = {**rr.run_style(order.index(name)), "linestyle": ""}
        for e, draw in ((x, ax.hlines), (y, ax.vlines)):
            if e.low is not None:
                draw((y if e is x else x).value, max(e.low, 1e-3), e.high, color=style["color"], linewidth=0.8,
                     alpha=0.4)
        ax.plot([x.value], [y.value], **style)
    for axis, set_limits, values in ((ax.xaxis, ax.set_xlim, [x.value for x, _ in found.values()]),
                                     (ax.yaxis, ax.set_ylim, [y.value for _, y in found.values()])):
        set_log_axis(axis, set_limits, min(values), max(values))
    write_names(ax, {name: (x.value, y.value) for name, (x, y) in found.items()})


def set_log_axis(axis, set_limits, least: float, greatest: float) -> None:
    """Just around the marks, whatever their intervals; with plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    margin = max((greatest / least) ** 0.12, 1.05)
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    set_limits(least / margin, greatest * margin ** 1.6)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if greatest > 5 * least else (1, 1.2, 1.5, 2, 3, 5, 7)))
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axis.set_minor_formatter(NullFormatter())


def write_names(ax, marks: Dict[str, tuple]) -> None:
    """Each name where it covers the fewest others and marks; a thin line to its mark if it is far."""
    at = {name: ax.transData.transform(value) for name, value in marks.items()}
    per_point = ax.figure.dpi / 72
    taken: List[tuple] = [(x - 4, y - 4, x + 4, y + 4) for x, y in at.values()]
    for name, (x, y) in sorted(at.items(), key=lambda item: tuple(item[1])):
        width, height = 3.9 * len(name) * per_point, 8 * per_point
        best = None
        for distance in (5, 14, 24, 36, 50):
            for right, up in ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1)):
                left = x + right * distance * per_point - (0, width / 2, width)[(right < 0) * 2 + (right == 0)]
                bottom = y + up * distance * per_point - height / 2
                box = (left, bottom, left + width, bottom + height)
                cost = sum(overlap(box, other) for other in taken) + 0.4 * height * distance
                if best is None or cost < best[0]:
                    best = (cost, box, distance)
        _, box, distance = best
        taken.append(box)
        offset = (box[0] - x) / per_point, (box[1] - y) / per_point
        ax.annotate(name, marks[name], xytext=offset, textcoords="offset points", fontsize=7, va="bottom",
                    annotation_clip=False,
                    arrowprops={"arrowstyle": "-", "color": rr.MUTED, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
                    if distance > 5 else None)


def overlap(a: tuple, b: tuple) -> float:
    """The area that two boxes share."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return wide * high if wide > 0 and high > 0 else 0.0


# ------------------------------------------------------------------------------------ table of ranks


def write_ranks(drawer, plot: Plot, where: Selection, file: str) -> rr.Table:
    """A row for each rival: of each metric its mean rank, in how many rows it is the best or not
    significantly behind it, and at most how many times the best."""
    found = comparisons(drawer, plot, where)
    rivals = list(dict.fromkeys(r for c in found for r in c.rivals))
    whole = {r: sum(c.mean_rank(r) for c in found if r in c.rivals) / sum(r in c.rivals for c in found)
             for r in rivals}
    axis = plot.fields["series"][0]
    plain_rows, rows = [], []
    for rival in sorted(rivals, key=whole.get):
        cells, shown = [plain(whole[rival])], [f"{whole[rival]:.1f}"]
        for c in found:
            entries = [row[rival] for row in c.rows.values() if rival in row]
            if not entries:
                cells += [""] * 3
                shown.append("-")
                continue
            near = sum(e.like_best for e in entries)
            worst = max(e.over_best.value for e in entries)
            left = "\u2020" if any(e.unfinished for e in entries) else ""
            cells += [plain(c.mean_rank(rival)), str(near), plain(worst)]
            shown.append(f"{c.mean_rank(rival):.1f}; {near} of {len(entries)}; {number(worst)}{left}")
        plain_rows.append([rival] + cells)
        rows.append([rival] + shown)
    header = [axis, "mean_rank"] + [f"{c.metric.name}_{what}" for c in found
                                    for what in ("rank", "best_or_like", "worst")]
    rr.write_csv(file, (header, plain_rows))
    return [axis, "mean rank"] + [c.metric.label for c in found], rows


DRAW = {"ranks": draw_ranks, "best": draw_best, "scatter": draw_scatter}
