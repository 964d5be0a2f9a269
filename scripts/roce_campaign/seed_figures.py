# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""How a metric is distributed over the seeds: boxes with every run, and P99."""

import textwrap
from typing import Dict, List, NamedTuple

import plot_fct
import roce_results as rr

from .grid import Point, Selection, selects
from .metrics import Metric
from .plots import Plot
from .statistic import statistic_of

BOX = ("p25", "p50", "p75")
SPREAD = 0.3  # of the runs' dots, of the distance between boxes


class Panel(NamedTuple):
    """The values of all seeds for each label of the x axis, ascending."""

    title: str
    metric: Metric
    values: Dict[str, List[float]]


def panels(drawer, plot: Plot, where: Selection) -> List[Panel]:
    """For each metric, and each label of the axis "panel"."""
    axis = plot.fields.get("panel", [None])[0]
    found = []
    for name in plot.fields["metric"]:
        metric = drawer.experiment.metrics[name]
        for label in drawer.labels(axis, where) if axis else [None]:
            narrow = {**where, axis: [label]} if axis else where
            parts = [metric.label] if len(plot.fields["metric"]) > 1 or not axis else []
            parts += [Point({axis: label}, {}).text()] if axis else []
            found.append(Panel(", ".join(parts), metric, values(drawer, plot, metric, narrow)))
    return found


def values(drawer, plot: Plot, metric: Metric, where: Selection) -> Dict[str, List[float]]:
    """What the runs measured, by label of the x axis."""
    results, x = drawer.results, plot.fields["x"][0]
    found: Dict[str, List[float]] = {label: [] for label in drawer.labels(x, where)}
    for i, point in enumerate(results.points):
        if selects(where, point.coordinates):
            label = point.coordinates[x]
            if found[label]:
                raise rr.ResultError("several points for one box: name more axes in each or where")
            found[label] = sorted(e["value"] for e in results.entries(i, metric).values()
                                  if e["value"] is not None)
    return found


def draw_box(drawer, plot: Plot, where: Selection, file: str) -> None:
    """The boxes: quartiles and median, whiskers to the ends, a dot for each run, a mark at P99."""
    found = panels(drawer, plot, where)
    if not any(v for p in found for v in p.values.values()):
        raise rr.ResultError("no run has these values: nothing to plot")
    plt = rr.apply_style()
    from matplotlib.lines import Line2D

    columns = min(len(found), 3)
    longest = max(len(p.values) for p in found)
    inches = 0.6 + columns * max(3.6, 0.5 * longest)
    fig, axes = plot_fct.panel_grid(plt, len(found), columns, inches, 3.2)
    for ax, panel in zip(axes, found):
        draw_panel(ax, panel)
        ax.set_title("\n".join(textwrap.wrap(panel.title, 36)))
        ax.set_ylabel(panel.metric.unit)
        ax.set_xlabel(plot.fields["x"][0])
        set_scale(ax, panel, bool(plot.fields.get("log")))
        plot_fct.turn_labels(ax, list(panel.values), columns, inches)
    handles = [Line2D([], [], color="#333333", linewidth=1.6, label="median"),
               Line2D([], [], color="#333333", marker="D", linestyle="", label="P99"),
               Line2D([], [], color="#999999", marker="o", markersize=3, linestyle="",
                      label="a run")]
    counts = [len(v) for p in found for v in p.values.values() if v]
    runs = str(max(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    plot_fct.finish_layout(fig, handles, [
        f"{runs} runs each; boxes: quartiles, whiskers: smallest and largest. {rr.PERCENTILE_NOTE}"
        .replace("flows", "runs")])
    plot_fct.save_figure(fig, file)
    plt.close(fig)


def draw_panel(ax, panel: Panel) -> None:
    """A box for each label with values."""
    for at, (label, runs) in enumerate(panel.values.items()):
        if not runs:
            continue
        low, middle, high = (statistic_of(runs, s) for s in BOX)
        colour = rr.COLOURS[at % len(rr.COLOURS)]
        ax.bxp([{"med": middle, "q1": low, "q3": high, "whislo": runs[0], "whishi": runs[-1]}],
               positions=[at], widths=0.55, showfliers=False, patch_artist=True, zorder=2,
               boxprops={"facecolor": colour, "alpha": 0.35, "edgecolor": colour},
               medianprops={"color": "#333333", "linewidth": 1.6},
               whiskerprops={"color": colour}, capprops={"color": colour})
        # Neighbours in size lie apart; no chance in it, so that the figure stays the same.
        shifts = [SPREAD * ((i * 0.618034) % 1 - 0.5) for i in range(len(runs))]
        ax.plot([at + s for s in shifts], runs, linestyle="", marker="o", markersize=1.8,
                color=colour, alpha=0.6, zorder=3)
        ax.plot([at], [statistic_of(runs, "p99")], linestyle="", marker="D", color="#333333",
                markersize=4.5, zorder=5)
    ax.set_xticks(range(len(panel.values)), list(panel.values))
    ax.set_xlim(-0.6, len(panel.values) - 0.4)


def set_scale(ax, panel: Panel, log: bool) -> None:
    """Logarithmic if all values allow it, else from 0."""
    found = [v for runs in panel.values.values() for v in runs]
    if log and found and min(found) > 0:
        margin = max(1.01, (max(found) / min(found)) ** 0.06)
        plot_fct.log_values(ax, min(found) / margin, max(found) * margin)
    elif found and min(found) >= 0:
        ax.set_ylim(bottom=0)
