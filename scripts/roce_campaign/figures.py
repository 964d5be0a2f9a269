# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The standard figures of a campaign: metrics with their intervals, slowdown by flow size,
distribution of completion times, and what run_figures, seed_figures and tables draw.

Slowdown and distribution are those of plot_fct.py; flows of all seeds are pooled in them.
"""

import textwrap
from typing import Dict, List, NamedTuple, Optional, Tuple

import plot_fct
import roce_results as rr
from roce_files import OwnFiles

from . import claim_figures, comparison_figures, run_figures, seed_figures, tables
from .estimates import Estimate, Results
from .claims import reported_values
from .experiment import Experiment
from .figure_list import is_number, planned_figures
from .grid import Point, Selection, seed_count, selects
from .metrics import Metric
from .plan import Plan
from .plots import Plot


TITLES = {"slowdown-by-size": "Slowdown by flow size", "fct-cdf": "Flow completion times",
          "queues": "Queues over time", "rates": "Throughput of flows",
          "tuning": "Tuning over time",
          "box": "Distribution over the seeds", "table": "Metrics", "effects": "Effects", "effect-table": "Effects",
          "claims": "Reported and measured", "ranks": "Distance from the best",
          "best": "The best", "scatter": "One against the other", "rank-table": "Ranks"}


class Figure(NamedTuple):
    """A PNG, or a table with its CSV file; or no file, and why."""

    title: str
    file: Optional[str]
    why_not: str
    table: Optional[rr.Table] = None


class Panel(NamedTuple):
    """A part of a figure: estimates along the x axis for each series."""

    title: str
    unit: str
    rows: Dict[str, List[Optional[Estimate]]]
    reported: Dict[str, List[Optional[float]]] = {}  # what claims say of the same


class Drawer:
    """Draws the plots of an experiment into figures/ of its campaign's folder."""

    def __init__(self, results: Results, plan: Plan):
        self.results = results
        self.experiment: Experiment = results.experiment
        self.plan = plan

    def all(self) -> List[Figure]:
        """All figures in order; those of earlier definitions are removed, but with --only."""
        own = OwnFiles(self.plan.folder)
        figures = []
        planned_ones = planned_figures(self.experiment)
        for planned in planned_ones:
            own.claim([planned.file])
            figures.append(self.figure(planned.plot, planned.where, own.path(planned.file)))
        kept = {f.file for f in figures if f.file}
        old = [p.file for p in planned_ones] if self.experiment.only else \
            [n for n in own.listed() if n.startswith("figures/")]
        own.remove(n for n in old if own.path(n) not in kept)
        return figures

    def figure(self, plot: Plot, where: Selection, file: str) -> Figure:
        """One figure."""
        labels = [self.experiment.metrics[m].label for m in plot.fields.get("metric", [])]
        default = ", ".join(labels) or TITLES[plot.kind]
        place = ", ".join(f"{a}={v[0]}" for a, v in where.items() if len(v) == 1)
        title = str(plot.fields.get("title", default[:1].upper() + default[1:]))
        title += f" ({place})" if place else ""
        try:
            if plot.kind in ("lines", "bars"):
                self.draw_metrics(plot, where, file)
            elif plot.kind == "effects":
                claim_figures.draw_effects(self.results, plot, file)
            elif plot.kind == "effect-table":
                return Figure(title, file, "", claim_figures.write_effects(self.results, plot, file))
            elif plot.kind == "claims":
                claim_figures.draw_claims(self.results, plot, file)
            elif plot.kind == "table":
                return Figure(title, file, "", tables.write(self.results, plot, where, file))
            elif plot.kind == "rank-table":
                return Figure(title, file, "",
                              comparison_figures.write_ranks(self, plot, where, file))
            elif plot.kind in comparison_figures.DRAW:
                comparison_figures.DRAW[plot.kind](self, plot, where, file)
            elif plot.kind == "box":
                seed_figures.draw_box(self, plot, where, file)
            else:
                run_figures.DRAW[plot.kind](self, plot, where, file)
        except rr.ResultError as error:
            return Figure(title, None, str(error))
        return Figure(title, file, "")

    # ------------------------------------------------------------------------------------- metrics

    def draw_metrics(self, plot: Plot, where: Selection, file: str) -> None:
        """Panels over an axis; a line or a group of bars for each series."""
        labels = self.labels(plot.fields["x"][0], where)
        panels = self.panels(plot, where, labels)
        if not any(e for p in panels for row in p.rows.values() for e in row):
            raise rr.ResultError("no run has these values: nothing to plot")
        plt = rr.apply_style()
        columns = min(len(panels), 3)
        width = 4.6 if columns == 1 else 3.7 * columns
        if plot.kind == "bars" and columns == 1:  # no bar narrower than its interval's caps
            width = max(width, 0.17 * len(labels) * (len(panels[0].rows) + 1))
        fig, axes = plot_fct.panel_grid(plt, len(panels), columns, width + 0.4, 3.0)
        series = list(dict.fromkeys(s for p in panels for s in p.rows))
        for ax, panel in zip(axes, panels):
            self.draw_panel(ax, panel, plot, labels, series)
            draw_reported(ax, panel, series)
            ax.set_title("\n".join(textwrap.wrap(panel.title, 36 if columns > 1 else 60)))
            plot_fct.turn_labels(ax, labels, columns, width + 0.4)
        handles = legend(plot.kind, series)
        if any(v is not None for p in panels for row in p.reported.values() for v in row):
            handles.append(reported_handle())
        plot_fct.finish_layout(fig, handles, [self.note(plot, where)])
        plot_fct.save_figure(fig, file)
        plt.close(fig)

    def note(self, plot: Plot, where: Selection) -> str:
        """What the intervals are."""
        metrics = [self.experiment.metrics[m] for m in plot.fields["metric"]]
        seeds = seed_count(p for p in self.experiment.points if selects(where, p.coordinates))
        whole = [m for m in metrics if m.source == "seeds"]
        note = "One seed."
        if seeds != "1":
            note = (f"{seeds} seeds; bars: 95 % confidence interval (bootstrap)."
                    if len(whole) == len(metrics) else
                    f"Mean of {seeds} seeds; bars: 95 % confidence interval (Student's t).")
        for m in whole:
            note += f" {m.label}: {m.fields['statistic']} over the seeds, with bootstrap interval."
        if any(m.pool for m in metrics):
            note += " " + ", ".join(m.label for m in metrics if m.pool) + ": flows of all seeds pooled."
        return note

    def panels(self, plot: Plot, where: Selection, labels: List[str]) -> List[Panel]:
        """One for each metric, or with "panel" for each value of that axis."""
        x = plot.fields["x"][0]
        metrics = [self.experiment.metrics[m] for m in plot.fields["metric"]]
        if "panel" not in plot.fields:
            names = self.series(plot, where, x)
            return [Panel(m.label, unit_of([m]),
                          {s: self.row(plot, m, s, where, labels) for s in names},
                          {s: self.reported_row(plot, m, s, where, labels) for s in names}
                          if plot.fields.get("reported") else {}) for m in metrics]
        axis = plot.fields["panel"][0]
        panels = []
        for label in self.labels(axis, where):
            narrow = {**where, axis: [label]}
            names = self.series(plot, narrow, x)
            rows = {(f"{m.label}, {s}" if s else m.label): self.row(plot, m, s, narrow, labels)
                    for m in metrics for s in names}
            panels.append(Panel(Point({axis: label}, {}).text(), unit_of(metrics), rows))
        return panels

    def reported_row(self, plot: Plot, metric: Metric, series: str, where: Selection,
                     labels: List[str]) -> List[Optional[float]]:
        """What claims report along the x axis."""
        x = plot.fields["x"][0]
        reported = reported_values(self.experiment.claims, self.experiment.all_axes)
        row: List[Optional[float]] = [None] * len(labels)
        for point in self.experiment.points:
            if selects(where, point.coordinates) \
                    and self.series_name(plot, point, where, x) == series:
                row[labels.index(point.coordinates[x])] = reported.get(
                    (metric.name, frozenset(point.coordinates.items())))
        return row

    def labels(self, axis: str, where: Selection) -> List[str]:
        """An axis's values with points, as the plot's "where" orders them."""
        return [label for label in where.get(axis, self.experiment.axes[axis])
                if any(selects(where, p.coordinates) and p.coordinates[axis] == label
                       for p in self.experiment.points)]

    @staticmethod
    def draw_panel(ax, panel: Panel, plot: Plot, labels: List[str], series: List[str]) -> None:
        """Lines or bars."""
        numeric = plot.kind == "lines" and all(is_number(v) for v in labels)
        positions = [float(v) for v in labels] if numeric else [float(i) for i in range(len(labels))]
        # Side by side, or the intervals of the series hide each other.
        step = 0.012 * ((max(positions) - min(positions)) or 1.0)
        for name, row in panel.rows.items():
            index = series.index(name)
            if plot.kind == "lines":
                shift = step * (index - (len(series) - 1) / 2)
                draw_line(ax, [p + shift for p in positions], row, index)
            else:
                draw_bars(ax, row, index, len(series))
        ax.set_ylabel(panel.unit)
        ax.set_xlabel(plot.fields["x"][0])
        if not numeric or len(labels) <= 8:
            ax.set_xticks(positions)
            ax.set_xticklabels(labels)
        set_y_axis(ax, [e for row in panel.rows.values() for e in row if e],
                   bool(plot.fields.get("log")))

    def series(self, plot: Plot, where: Selection, x: Optional[str]) -> List[str]:
        """Names of the series; "" if there is only one."""
        names: Dict[str, None] = {}
        for point in self.experiment.points:
            if selects(where, point.coordinates):
                names[self.series_name(plot, point, where, x)] = None
        return list(names)

    @staticmethod
    def series_name(plot: Plot, point: Point, where: Selection, x: Optional[str]) -> str:
        """Of the axes that plot names, else of all that are not fixed."""
        axes = plot.fields.get("series") or [a for a in point.coordinates
                                             if len(where.get(a, ())) != 1 and a != x]
        return Point({a: point.coordinates[a] for a in axes}, {}).text() if axes else ""

    def row(self, plot: Plot, metric: Metric, series: str, where: Selection, labels: List[str]
            ) -> List[Optional[Estimate]]:
        """Estimates along the x axis."""
        x = plot.fields["x"][0]
        row: List[Optional[Estimate]] = [None] * len(labels)
        for i, point in enumerate(self.experiment.points):
            if not selects(where, point.coordinates):
                continue
            if self.series_name(plot, point, where, x) == series:
                at = labels.index(point.coordinates[x])
                if row[at] is not None:
                    raise rr.ResultError("several points for one place in the plot: "
                                         "name more axes in series, each or where")
                row[at] = self.results.estimate(i, metric)
        return row


def reported_handle():
    """The mark of a reported number, for legends."""
    from matplotlib.lines import Line2D
    return Line2D([], [], label="reported", color="black", marker="_", markersize=9,
                  markeredgewidth=2, linestyle="")


def draw_reported(ax, panel: Panel, series: List[str]) -> None:
    """A line across each bar at the height that is reported."""
    width = 0.8 / len(series)
    for name, row in panel.reported.items():
        left = -0.4 + width * series.index(name)
        for i, value in enumerate(row):
            if value is not None:
                ax.plot([i + left, i + left + width], [value, value], color="black", linewidth=2,
                        solid_capstyle="butt", zorder=4)
                ax.set_ylim(top=max(ax.get_ylim()[1], 1.06 * value))


def unit_of(metrics: List[Metric]) -> str:
    """The common unit of metrics, or else what they are of."""
    found = dict.fromkeys(m.unit or str(m.fields.get("of", "value")) for m in metrics)
    return " / ".join(found)


def legend(kind: str, series: List[str]) -> list:
    """Its entries, none for a single series without a name."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    styles = [rr.run_style(i) for i in range(len(series))] if series != [""] else []
    if kind == "lines":
        return [Line2D([], [], label=name, **style) for name, style in zip(series, styles)]
    return [Patch(color=style["color"], label=name) for name, style in zip(series, styles)]


def set_y_axis(ax, estimates: List[Estimate], log: bool) -> None:
    """From 0, or logarithmic if all values allow it; an interval beyond the axis is cut off."""
    values = [e.value for e in estimates]
    highest = max([e.value if e.high is None else e.high for e in estimates], default=1.0)
    if log and values and min(values) > 0:
        lows = [e.low for e in estimates if e.low is not None and e.low > 0]
        bottom = max(min(values + lows) / 1.15, min(values) / 5)
        top = max(highest, max(values)) * 1.15
        plot_fct.log_values(ax, bottom, top)
    elif values:
        negative = min(values) < 0
        bottom = min([v for v in values] + [e.low for e in estimates if e.low is not None])
        span = (highest - min(0.0, bottom)) or 1.0
        ax.set_ylim(bottom - 0.05 * span if negative else 0, highest + 0.05 * span)


def draw_line(ax, positions: List[float], row: List[Optional[Estimate]], index: int) -> None:
    """A series with error bars."""
    points = [(x, e) for x, e in zip(positions, row) if e]
    if not points:
        return
    x = [p[0] for p in points]
    y = [e.value for _, e in points]
    ax.errorbar(x, y, yerr=errors([e for _, e in points]), capsize=2.5, elinewidth=1,
                markeredgecolor="white", markeredgewidth=0.5, **rr.run_style(index))


def draw_bars(ax, row: List[Optional[Estimate]], index: int, count: int) -> None:
    """A series as bars in groups."""
    width = 0.8 / count
    points = [(i, e) for i, e in enumerate(row) if e]
    style = rr.run_style(index)
    ax.bar([i - 0.4 + width * (index + 0.5) for i, _ in points], [e.value for _, e in points],
           width * 0.92, yerr=errors([e for _, e in points]), color=style["color"],
           error_kw={"capsize": 2, "elinewidth": 1, "ecolor": "#333333"}, zorder=2)


def errors(estimates: List[Estimate]) -> Tuple[List[float], List[float]]:
    """Lengths of the error bars down and up; a bootstrap interval may lie on one side."""
    return ([0.0 if e.low is None else max(0.0, e.value - e.low) for e in estimates],
            [0.0 if e.high is None else max(0.0, e.high - e.value) for e in estimates])
