# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a campaign. Here: metrics with their intervals, and how a metric is distributed over the seeds."""

from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import roce_results as rr
from roce_plot import axes, look
import pandas as pd
from roce_files import OwnFiles

from . import claim_figures, comparison, run_figures
from .claims import reported_values
from .estimates import Results, interval, number, plain_of
from .grid import Point, Selection, seed_count, selects
from .metrics import Metric
from .plan import Plan
from .plots import EFFECTS, Plot, planned_figures

NUMBERS = ["value", "low", "high", "reported"]
TITLES = {"slowdown-by-size": "Slowdown by flow size", "fct-cdf": "Flow completion times", "queues": "Queues over time",
          "rates": "Throughput of flows", "tuning": "Tuning over time", "box": "Distribution over the seeds", "table": "Metrics",
          "effects": "Effects", "effect-table": "Effects", "claims": "Reported and measured", "ranks": "Distance from the best",
          "best": "The best", "scatter": "One against the other", "rank-table": "Ranks"}


class Figure(NamedTuple):
    """A PNG, or a table with its CSV file; or no file, and why."""

    title: str
    file: Optional[str]
    why_not: str
    table: Optional[rr.Table] = None


class Drawer:
    """Draws the plots of an experiment into figures/ of its campaign's folder."""

    def __init__(self, results: Results, plan: Plan):
        self.results = results
        self.experiment = results.experiment
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
        old = [p.file for p in planned_ones] if self.experiment.only else [n for n in own.listed() if n.startswith("figures/")]
        own.remove(n for n in old if own.path(n) not in kept)
        return figures

    def figure(self, plot: Plot, where: Selection, file: str) -> Figure:
        default = ", ".join(m.label for m in self.metrics(plot)) or TITLES[plot.kind]
        place = ", ".join(f"{a}={v[0]}" for a, v in where.items() if len(v) == 1)
        title = str(plot.fields.get("title", default[:1].upper() + default[1:])) + (f" ({place})" if place else "")
        try:
            return Figure(title, file, "", DRAW[plot.kind](self, plot, where, file))
        except rr.ResultError as error:
            return Figure(title, None, str(error))

    def metrics(self, plot: Plot) -> List[Metric]:
        return [self.experiment.metrics[m] for m in plot.fields.get("metric", [])]

    def points(self, where: Selection) -> Iterator[Tuple[int, Point]]:
        """The selected points, with their indices."""
        return ((i, p) for i, p in enumerate(self.experiment.points) if selects(where, p.coordinates))

    def labels(self, axis: str, where: Selection) -> List[str]:
        """An axis's values with points, as the plot's "where" orders them."""
        there = {p.coordinates[axis] for _, p in self.points(where)}
        return [label for label in where.get(axis, self.experiment.axes[axis]) if label in there]

    def seeds(self, where: Selection) -> str:
        """How many seeds the selected points have."""
        return seed_count(p for _, p in self.points(where))

    @staticmethod
    def series_name(plot: Plot, point: Point, where: Selection) -> str:
        """Name of a point's series, of the axes that the plot names, else of all that are neither fixed nor of the panels or x."""
        used = plot.fields.get("x", []) + plot.fields.get("panel", [])
        names = plot.fields.get("series") or [a for a in point.coordinates if len(where.get(a, ())) != 1 and a not in used]
        return Point({a: point.coordinates[a] for a in names}, {}).text() if names else ""

    def styles(self, names: Sequence[str], plot: Plot, where: Selection) -> Dict[str, dict]:
        """Of series, each the same in all figures of the experiment."""
        axis = next((labels for labels in self.experiment.axes.values() if set(names) <= set(labels)), None)
        if axis is None and plot.kind not in EFFECTS:
            axis = list(dict.fromkeys(self.series_name(plot, p, where) for p in self.experiment.points))
        return look.styles(names, axis or ())

    def panel_titles(self, plot: Plot, where: Selection) -> Dict[str, str]:
        """Of the panels: labels of their axis, or metrics."""
        if "panel" not in plot.fields:
            return {m.name: m.label for m in self.metrics(plot)}
        axis = plot.fields["panel"][0]
        return {label: Point({axis: label}, {}).text() for label in self.labels(axis, where)}

    def frame(self, plot: Plot, where: Selection, place: List[str], measure: Callable, columns: List[str]) -> pd.DataFrame:
        """Columns metric, panel (a label of that axis, or a metric), series, x, and more numbers.

        @param place columns in which two points must differ
        @param measure point's index, point, metric -> rows of the other columns"""
        x, panel = (plot.fields.get(name, [None])[0] for name in ("x", "panel"))
        rows = [(i, m.name, p.coordinates.get(panel, m.name if x else ""), self.series_name(plot, p, where), p.coordinates.get(x), *row)
                for i, p in self.points(where) for m in self.metrics(plot) for row in measure(i, p, m)]
        if not rows:
            raise rr.ResultError("no run has these values: nothing to plot")
        data = pd.DataFrame(rows, columns=["point", "metric", "panel", "series", "x", *columns])
        if (data.groupby(place)["point"].nunique() > 1).any():
            raise rr.ResultError("several points for one place in the plot: name more axes in series, each or where")
        return data.astype(dict.fromkeys(columns, float))

    def estimates(self, plot: Plot, where: Selection) -> pd.DataFrame:
        """frame() of value, low, high, reported."""
        reported = reported_values(self.experiment.claims, self.experiment.all_axes) if plot.fields.get("reported") else {}

        def measure(index: int, point: Point, metric: Metric) -> Iterator[tuple]:
            e = self.results.estimate(index, metric)
            if e:
                yield e.value, e.low, e.high, reported.get((metric.name, frozenset(point.coordinates.items())))

        return self.frame(plot, where, ["metric", "panel", "series"] + ["x"] * ("x" in plot.fields), measure, NUMBERS)

    def values(self, plot: Plot, where: Selection) -> pd.DataFrame:
        """frame() of value: what each run measured."""
        def measure(index: int, _: Point, metric: Metric) -> Iterator[tuple]:
            return ((e["value"],) for e in self.results.entries(index, metric).values() if e["value"] is not None)

        return self.frame(plot, where, ["metric", "panel", "x"], measure, ["value"])


# ------------------------------------------------------------------------------------------ metrics


def unit_of(metrics: Sequence[Metric]) -> str:
    """The common unit of metrics, or else what they are of."""
    return " / ".join(dict.fromkeys(m.unit or str(m.fields.get("of", "value")) for m in metrics))


def draw_metrics(drawer: Drawer, plot: Plot, where: Selection, file: str) -> None:
    """Panels over an axis; a line or a group of bars for each series."""
    data, titles, metrics = drawer.estimates(plot, where), drawer.panel_titles(plot, where), drawer.metrics(plot)
    if "panel" in plot.fields and len(metrics) > 1:
        data["series"] = data["metric"].map({m.name: m.label for m in metrics}) + data["series"].map(lambda s: f", {s}" if s else "")
    labels, bars = drawer.labels(plot.fields["x"][0], where), plot.kind == "bars"
    shown = drawer.styles(data["series"].unique(), plot, where)
    columns = min(len(titles), 3)
    # No bar is narrower than the caps of its interval.
    width = max(4.6 if columns == 1 else 3.7 * columns, 0.17 * columns * len(labels) * (len(shown) + 1) if bars else 0) + 0.4
    figure = look.Figure(len(titles), columns, width, 3.0)
    for ax, (panel, title) in zip(figure.panels, titles.items()):
        part = data[data["panel"] == panel]
        unit, factor = look.scaled(unit_of([m for m in metrics if m.name in set(part["metric"])]), part["value"].max())
        if len(part):
            axes.estimates(ax, part.assign(**(part[NUMBERS] / factor)), labels, shown, bars, bool(plot.fields.get("log")))
        ax.set(title=look.wrapped(title, int(10.5 * width / columns)), xlabel=plot.fields["x"][0], ylabel=unit)
        figure.turn_labels(ax, labels)
    handles = look.keys(shown, "line" if not bars else "mark" if plot.fields.get("log") else "bar")
    if data["reported"].notna().any():
        handles += look.keys({"reported": {"color": "black", "marker": "_", "markersize": 9, "markeredgewidth": 2}}, "mark")
    figure.save(file, handles, [note(drawer, plot, where)])


def note(drawer: Drawer, plot: Plot, where: Selection) -> str:
    metrics, seeds = drawer.metrics(plot), drawer.seeds(where)
    whole = [m for m in metrics if m.source == "seeds"]
    text = "One seed."
    if seeds != "1":
        text = (f"{seeds} seeds; bars: 95 % confidence interval (bootstrap)." if len(whole) == len(metrics) else
                f"Mean of {seeds} seeds; bars: 95 % confidence interval (Student's t).")
    for m in whole:
        text += f" {m.label}: {m.fields['statistic']} over the seeds, with bootstrap interval."
    pooled = ", ".join(m.label for m in metrics if m.pool)
    return text + (f" {pooled}: flows of all seeds pooled." if pooled else "")


# -------------------------------------------------------------------------------------------- seeds


def draw_box(drawer: Drawer, plot: Plot, where: Selection, file: str) -> None:
    """Quartiles and median, whiskers to the ends, a dot for each run, a mark at P99; for each metric and label of the panels."""
    data, metrics, x = drawer.values(plot, where), {m.name: m for m in drawer.metrics(plot)}, plot.fields["x"][0]
    labels, titles = drawer.labels(x, where), drawer.panel_titles(plot, where)
    shown = drawer.styles(labels, plot, where)
    panels = [(name, key) for name in metrics for key in titles if "panel" in plot.fields or name == key]
    columns = min(len(panels), 3)
    figure = look.Figure(len(panels), columns, 0.6 + columns * max(3.6, 0.5 * len(labels)), 3.2)
    for ax, (name, key) in zip(figure.panels, panels):
        part = data[(data["metric"] == name) & (data["panel"] == key)]
        unit, factor = look.scaled(metrics[name].unit, part["value"].max())
        axes.boxes(ax, part.assign(value=part["value"] / factor), shown, bool(plot.fields.get("log")))
        title = f"{metrics[name].label}, {titles[key]}" if len(metrics) > 1 and name != key else titles[key]
        ax.set(title=look.wrapped(title, 36), xlabel=x, ylabel=unit)
        figure.turn_labels(ax, labels)
    handles = look.keys({"median": {"color": look.DARK, "linewidth": 1.6}}) + look.keys({
        "P99": {"color": look.DARK, "marker": "D"}, "a run": {"color": "#999999", "marker": "o", "markersize": 3}}, "mark")
    counts = data.groupby(["metric", "panel", "x"]).size()
    runs = str(counts.max()) if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"
    figure.save(file, handles, [f"{runs} runs each; boxes: quartiles, whiskers: smallest and largest. "
                                + rr.PERCENTILE_NOTE.replace("flows", "runs")])


def write_metrics(drawer: Drawer, plot: Plot, where: Selection, file: str) -> rr.Table:
    """A row for each label of an axis, or of several, a column for each metric: as a CSV file, and for people."""
    axis_names, metrics = plot.fields["rows"], drawer.metrics(plot)
    found = {}
    for i, point in drawer.points(where):
        labels = tuple(point.coordinates[a] for a in axis_names)
        if labels in found:
            raise rr.ResultError("several points for one row: name more axes in rows, each or where")
        found[labels] = [drawer.results.estimate(i, m) for m in metrics]
    rows = sorted(found.items(), key=lambda row: [where.get(a, drawer.experiment.axes[a]).index(x) for a, x in zip(axis_names, row[0])])
    rr.write_file(file, rr.csv_text((axis_names + [f"{m.name}{end}" for m in metrics for end in ("", "_ci_low", "_ci_high")],
                                     [[*labels, *(n for e in numbers for n in plain_of(e))] for labels, numbers in rows])))
    return axis_names + [m.label + (f" ({m.unit})" if m.unit else "") for m in metrics], [
        [*labels, *(f"{number(e and e.value)} {interval(e)}".strip() for e in numbers)] for labels, numbers in rows]


DRAW = {"lines": draw_metrics, "bars": draw_metrics, "box": draw_box, **run_figures.DRAW, **comparison.DRAW,
        **claim_figures.DRAW, "table": write_metrics}
