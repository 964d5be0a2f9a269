# SPDX-License-Identifier: GPL-2.0-only
"""The figures of a campaign. Here: metrics with their intervals, how a metric is distributed over the seeds, and figures of runs: queues
and throughput over time (the first seed of each point), slowdown and completion times (the flows of all seeds)."""

import os
import re
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import plot_fct
import plot_queues
import plot_tuning
import roce_results as rr
from roce_plot import axes, look, series
import pandas as pd
from roce_files import OwnFiles

from . import claim_figures, comparison, rates
from .claims import reported_values
from .estimates import Results, interval, number, plain, plain_of
from .grid import Point, Selection, seed_count, selects
from .metrics import Metric
from .plan import Plan, PlannedRun
from .plots import EFFECTS, METRIC, Plot, nearest, planned_figures

NUMBERS = ["value", "low", "high", "reported"]
FOLDER = "figures"
DEFAULT_BINS = 100  # of throughput over the time that is drawn
SCOPES = ("intra", "inter")
FAIR = {"color": look.DARK, "linestyle": (0, (4, 3)), "linewidth": 1.0}
TITLES = {"slowdown-by-size": "Slowdown by flow size", "fct-cdf": "Flow completion times", "queues": "Queues over time",
          "rates": "Throughput of flows", "over-time": "Over time", "tuning": "Tuning over time", "box": "Distribution over the seeds", "table": "Metrics",
          "effects": "Effects", "effect-table": "Effects", "claims": "Reported and measured", "ranks": "Distance from the best",
          "best": "The best", "scatter": "One against the other", "rank-table": "Ranks"}


class Figure(NamedTuple):
    """A PNG, or a table with its CSV file; or no file, and why."""

    title: str
    file: Optional[str]
    why_not: str
    table: Optional[rr.Table] = None


def folder_of(style: Optional[str]) -> str:
    """Of a campaign's figures in a style."""
    return FOLDER if style in (None, "page") else f"{FOLDER}-{style}"


class Drawer:
    """Draws the plots of an experiment into figures/ of its campaign's folder."""

    def __init__(self, results: Results, plan: Plan):
        self.results = results
        self.experiment = results.experiment
        self.plan = plan

    def all(self, folder: str = FOLDER, only: Sequence[str] = ()) -> List[Figure]:
        """All figures in order; those of earlier definitions are removed, but with --only.

        @param folder of the campaign's, where they go
        @param only names or titles, or none: all"""
        own = OwnFiles(self.plan.folder)
        all_planned = planned_figures(self.experiment)
        planned_ones = [p for p in all_planned if not only or p.is_wanted(only)]
        if not planned_ones and only:
            raise rr.ResultError(rr.one_line(f"--only {', '.join(only)}: no such figure of {self.experiment.name}, expected one of "
                                             + nearest(only[0], [p.name() for p in all_planned])))
        figures, kept, planned_files = [], set(), []
        for planned in planned_ones:
            names = [os.path.join(folder, os.path.basename(name)) for name in planned.files()]
            own.claim(names)
            planned_files += names
            figures.append(self.figure(planned.plot, planned.where, own.path(names[0])))
            kept.update(names if figures[-1].file else [])
        partly = only or self.experiment.only
        own.remove(n for n in (planned_files if partly else own.listed()) if n not in kept and os.path.dirname(n) == folder)
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
            return {"": common(self.metrics(plot))} if plot.fields.get("x") == [METRIC] else {m.name: m.label for m in self.metrics(plot)}
        axis = plot.fields["panel"][0]
        return {label: Point({axis: label}, {}).text() for label in self.labels(axis, where)}

    def frame(self, plot: Plot, where: Selection, place: List[str], measure: Callable, columns: List[str]) -> pd.DataFrame:
        """Columns metric, panel (a label of that axis, or a metric), series, x, and more numbers.

        @param place columns in which two points must differ
        @param measure point's index, point, metric -> rows of the other columns"""
        x, panel = (plot.fields.get(name, [None])[0] for name in ("x", "panel"))
        labels = short_labels(self.metrics(plot)) if x == METRIC else {}
        rows = [(i, m.name, p.coordinates.get(panel, m.name if x and not labels else ""), self.series_name(plot, p, where),
                 labels.get(m.name, p.coordinates.get(x)), *row)
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
    """The common unit of metrics, or else what they are of, or what their label has in brackets at its end."""
    def one(metric: Metric) -> str:
        in_label = re.search(r"\(([^()]*)\)$", metric.label)
        return metric.unit or str(metric.fields.get("of", in_label[1] if in_label else ""))

    return " / ".join(filter(None, dict.fromkeys(map(one, metrics))))


def common(metrics: Sequence[Metric]) -> str:
    """The words at the begin and the end of all labels."""
    words = [m.label.replace(",", "").split() for m in metrics]
    first, last = os.path.commonprefix(words), os.path.commonprefix([w[::-1] for w in words])[::-1]
    return " ".join(first + (last if len(metrics) > 1 else []))


def short_labels(metrics: Sequence[Metric]) -> Dict[str, str]:
    """By name of the metrics: the words in which the labels differ."""
    words = [m.label.replace(",", "").split() for m in metrics]
    first, last = len(os.path.commonprefix(words)), len(os.path.commonprefix([w[::-1] for w in words]))
    return {m.name: " ".join(w[first:len(w) - last]) or m.label for m, w in zip(metrics, words)}


def draw_metrics(drawer: Drawer, plot: Plot, where: Selection, file: str) -> None:
    """Panels over an axis; a line or a group of bars for each series."""
    data, titles, metrics = drawer.estimates(plot, where), drawer.panel_titles(plot, where), drawer.metrics(plot)
    x = plot.fields["x"][0]
    if "panel" in plot.fields and len(metrics) > 1 and x != METRIC:
        data["series"] = data["metric"].map({m.name: m.label for m in metrics}) + data["series"].map(lambda s: f", {s}" if s else "")
    labels, bars = list(short_labels(metrics).values()) if x == METRIC else drawer.labels(x, where), plot.kind == "bars"
    shown = drawer.styles(data["series"].unique(), plot, where)
    columns = min(len(titles), 3 if len(titles) != 4 else 2)
    # No bar is narrower than the caps of its interval.
    width = max(4.6 if columns == 1 else 3.7 * columns, 0.17 * columns * len(labels) * (len(shown) + 1) if bars else 0) + 0.4
    figure = look.Figure(len(titles), columns, width, 3.0)
    for ax, (panel, title) in zip(figure.panels, titles.items()):
        part = data[data["panel"] == panel]
        unit, factor = look.scaled(unit_of([m for m in metrics if m.name in set(part["metric"])]), part["value"].max())
        if len(part):
            axes.estimates(ax, part.assign(**(part[NUMBERS] / factor)), labels, shown, bars, bool(plot.fields.get("log")))
        figure.name(ax, title, unit, int(10.5 * figure.fig.get_size_inches()[0] / columns))
        if ax in figure.panels[-columns:]:
            ax.set_xlabel(common(metrics) if x == METRIC else x)
        figure.turn_labels(ax, labels)
    handles = look.keys(shown, "line" if not bars else "mark" if plot.fields.get("log") else "bar")
    if data["reported"].notna().any():
        handles += look.keys({"the paper's": {"color": "white", "edge": look.DARK}}, "bar") if not plot.fields.get("log") else \
            look.keys({"the paper's": {"color": look.DARK, "marker": "o", "markerfacecolor": "white"}}, "mark")
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
    smaller = ", ".join(change for change in drawer.experiment.reduced if re.match(r"[A-Za-z]\S* \S+ instead of ", change))
    return text + (f" {pooled}: flows of all seeds pooled." if pooled else "") + (f" --quick: {smaller}." if smaller else "")


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
        figure.name(ax, title, unit, 36)
        ax.set_xlabel(x)
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
    found, theirs = {}, {}
    known = reported_values(drawer.experiment.claims, drawer.experiment.all_axes)
    for i, point in drawer.points(where):
        labels = tuple(point.coordinates[a] for a in axis_names)
        if labels in found:
            raise rr.ResultError("several points for one row: name more axes in rows, each or where")
        found[labels] = [drawer.results.estimate(i, m) for m in metrics]
        if plot.fields.get("reported"):
            theirs[labels] = [known.get((m.name, point.place)) for m in metrics]
    rows = sorted(found.items(), key=lambda row: [where.get(a, drawer.experiment.axes[a]).index(x) for a, x in zip(axis_names, row[0])])
    ends = ("", "_ci_low", "_ci_high") + ("_reported",) * bool(theirs)
    rr.write_file(file, rr.csv_text((axis_names + [m.name + end for m in metrics for end in ends], [
        [*labels, *(n for i, e in enumerate(numbers) for n in plain_of(e) + [plain(r[i]) for r in [theirs.get(labels)] if r])]
        for labels, numbers in rows])))
    header = [m.label + (f" ({m.unit})" if m.unit else "") for m in metrics]
    table = axis_names + [h for name in header for h in [name] + ["the paper's"] * bool(theirs)], [
        [*labels, *(text for i, e in enumerate(numbers) for text in [f"{number(e and e.value)} {interval(e)}".strip()]
                    + [number(r[i]) for r in [theirs.get(labels)] if r])] for labels, numbers in rows]
    if theirs:
        axes.draw_table(file, *table, len(axis_names), note(drawer, plot, where))
    return table


# --------------------------------------------------------------------------------------------- runs


def complete_runs(drawer: Drawer, where: Selection) -> Iterator[Tuple[PlannedRun, Point]]:
    """The runs of these points that are there."""
    points = {frozenset(p.coordinates.items()): p for p in drawer.experiment.points}
    for run in drawer.plan.runs:
        if selects(where, run.point) and drawer.plan.record(run) is not None:
            yield run, points[frozenset(run.point.items())]


def pooled_runs(drawer: Drawer, plot: Plot, where: Selection) -> List[rr.Run]:
    """A run for each series, with the flows of all its seeds."""
    pooled: Dict[str, rr.Run] = {}
    for run, point in complete_runs(drawer, where):
        name = drawer.series_name(plot, point, where) or "all seeds"
        loaded = rr.load_run(drawer.plan.run_folder(run), name, drawer.experiment.warmup_ns)
        pooled.setdefault(name, loaded._replace(flows=[])).flows.extend(loaded.flows)
    if not pooled:
        raise rr.ResultError("no complete run: nothing to plot")
    return list(pooled.values())


def first_runs(drawer: Drawer, plot: Plot, where: Selection) -> Dict[str, str]:
    """The folder of the first seed of each point; by label of the panel's axis, or by series."""
    found: Dict[str, str] = {}
    axis = plot.fields.get("panel")
    for run, point in complete_runs(drawer, where):
        if run.seed != point.seeds[0]:
            continue
        label = Point({axis[0]: run.point[axis[0]]}, {}).text() if axis else \
            drawer.series_name(plot, point, where) or f"seed {run.seed}"
        if label in found:
            raise rr.ResultError(f"several points for the panel {label}: name more axes in each or where")
        found[label] = drawer.plan.run_folder(run)
    if not found:
        raise rr.ResultError("no complete run: nothing to plot")
    if axis:
        order = [Point({axis[0]: x}, {}).text() for x in drawer.labels(axis[0], where)]
        found = {label: found[label] for label in order if label in found}
    return found


def draw_queues(drawer: Drawer, plot: Plot, where: Selection, file: str) -> None:
    """A panel for each point."""
    runs = [(label, folder, rr.read_summary(folder)) for label, folder in first_runs(drawer, plot, where).items()]
    ports = str(plot.fields.get("ports", "*"))
    if not plot_queues.plot(runs, file, int(plot.fields.get("top", 4)), ports):
        which = "all queues" if ports == "*" else f"the queues of {ports}"
        raise rr.ResultError(f"{which} are empty all the time: nothing to plot")


def draw_rates(drawer: Drawer, plot: Plot, where: Selection, file: str) -> None:
    """A panel for each point, a line for each flow."""
    runs = {label: rates.read(folder) for label, folder in first_runs(drawer, plot, where).items()}
    end = max((p.end_us for flows in runs.values() for p in flows), default=0.0)
    if end <= 0:
        raise rr.ResultError("no flow in rates.csv: nothing to plot")
    width = plot.fields.get("bin", end / DEFAULT_BINS)
    columns, shown = min(len(runs), 3), look.styles(SCOPES)
    figure = look.Figure(len(runs), columns, 0.4 + (6.6 if columns == 1 else 3.9 * columns), 2.7, sharex=True, sharey=True)
    for i, (ax, (label, flows)) in enumerate(zip(figure.panels, runs.items())):
        for progress in flows:
            axes.line(ax, *line(progress, width), f"flow {progress.flow.id}", linewidth=1.0, alpha=0.85,
                      color=shown[progress.flow.scope]["color"], linestyle=shown[progress.flow.scope]["linestyle"])
        if "fair" in plot.fields:
            ax.axhline(plot.fields["fair"], **FAIR)
        ax.set_title(label)
        ax.xaxis.set_tick_params(labelbottom=True)
        look.scale(ax.xaxis, "us", end, "simulated time")
        if i % columns == 0:
            ax.set_ylabel("throughput (Gbit/s)")
    figure.panels[0].set(xlim=(0, end), ylim=(0, None))
    used = {p.flow.scope for flows in runs.values() for p in flows}
    handles = look.keys({f"flow {rr.SCOPE_TITLES[s]}": {**shown[s], "marker": ""} for s in SCOPES if s in used})
    figure.save(file, handles + (look.keys({"fair share": FAIR}) if "fair" in plot.fields else []), [
        f"Acknowledged payload of each flow, averages over {look.text_of('us')(width)}; the first seed. Axes are shared."])


def draw_over_time(drawer: Drawer, plot: Plot, where: Selection, file: str) -> None:
    """A column of a table of runs: the sum of its rows at each time, a line for each point, or a line for each value of a column, in a
    panel for each point."""
    name, column, by = (plot.fields.get(field) for field in ("file", "column", "by"))
    runs = first_runs(drawer, plot, where)
    axis = [a for a, labels in where.items() if len(labels) > 1]
    if "panel" not in plot.fields and len(axis) == 1:  # as "where" orders them
        order = [Point({axis[0]: label}, {}).text() for label in where[axis[0]]]
        runs = dict(sorted(runs.items(), key=lambda run: order.index(run[0]) if run[0] in order else len(order)))
    if "names" in plot.fields:
        runs = dict(zip(plot.fields["names"], runs.values()))
    parts = {}
    for label, folder in runs.items():
        data = series.table(folder, name, [by] if by else [], ["time_ns", column], "a program's --out")[1].rename(columns={column: "value"})
        data["time_us"] = data["time_ns"] / 1000
        parts[label] = data.assign(series=f"{by} " + data[by].astype(str)) if by else \
            data.groupby("time_us", as_index=False)["value"].sum().assign(series=label)
    panels = parts if by else {"": pd.concat(parts.values())}
    everything = pd.concat(parts.values())
    end, highest = everything["time_us"].max(), everything["value"].max()
    columns = min(len(panels), 3)
    figure = look.Figure(len(panels), columns, 0.4 + (6.6 if columns == 1 else 3.9 * columns), 2.7, sharex=True, sharey=True)
    names = list(everything["series"].unique())
    shown = look.styles(sorted(names, key=lambda name: (len(name), name)) if by else names)
    for ax, (label, data) in zip(figure.panels, panels.items()):
        axes.over_time(ax, data, 0, end, shown)
        ax.set_title(label if len(panels) > 1 else "")
        look.scale(ax.xaxis, "us", end, "simulated time")
    unit = {"bytes": "B", "bps": "bit/s"}.get(column.rsplit("_", 1)[-1], "")
    look.scale(figure.panels[0].yaxis, unit, highest, str(plot.fields.get("label", column)))
    figure.panels[0].set(xlim=(0, end), ylim=(min(0, everything["value"].min()), None))
    figure.save(file, look.keys({name: {**style, "marker": ""} for name, style in shown.items()}), [
        (f"A line for each {by}" if by else "The sum of all rows of the table at each time") + "; the first seed."])


def line(progress: rates.Progress, width: float) -> Tuple[List[float], List[float]]:
    """Throughput in the bins that the flow is there for, drawn at their middle."""
    rates.bins(progress.start_us, progress.end_us, width)
    found = [((i + 0.5) * width, progress.rate(i * width, (i + 1) * width, rates.ACTIVE_SHARE))
             for i in range(int(progress.start_us / width), int(progress.end_us / width) + 1)]
    return [time for time, rate in found if rate is not None], [rate for _, rate in found if rate is not None]


def draw_tuning(drawer: Drawer, plot: Plot, where: Selection, file: str) -> None:
    """A line for each point in every panel."""
    runs = first_runs(drawer, plot, where)
    if not plot_tuning.plot(runs, file, drawer.styles(list(runs), plot, where)):
        raise rr.ResultError("no interval in any tuning.csv: nothing to plot")


def draw_flows(draw: Callable) -> Callable:
    """What draws the flows of all seeds with a function of plot_fct."""
    def drawn(drawer: Drawer, plot: Plot, where: Selection, file: str) -> None:
        runs = pooled_runs(drawer, plot, where)
        more = [plot.fields["statistic"]] if "statistic" in plot.fields else []
        draw(runs, file, drawer.styles([r.label for r in runs], plot, where), *more)
    return drawn


DRAW = {"lines": draw_metrics, "bars": draw_metrics, "box": draw_box, "table": write_metrics, "queues": draw_queues, "rates": draw_rates,
        "tuning": draw_tuning, "over-time": draw_over_time, "slowdown-by-size": draw_flows(plot_fct.plot_slowdown), "fct-cdf": draw_flows(plot_fct.plot_cdf),
        **comparison.DRAW, **claim_figures.DRAW}
