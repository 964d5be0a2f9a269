# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Figures of runs: queues and throughput over time (the first seed of each point), and slowdown and
completion times (the flows of all seeds).
"""

from typing import Callable, Dict, Iterator, List, Tuple

import plot_fct
import plot_queues
import plot_tuning
import roce_results as rr

from . import rates
from .grid import Point, Selection, selects
from .plan import PlannedRun
from .plots import Plot

DEFAULT_BINS = 100  # of throughput over the time that is drawn
SCOPE_COLOURS = {"intra": rr.COLOURS[0], "inter": rr.COLOURS[1]}


def complete_runs(drawer, where: Selection) -> Iterator[Tuple[PlannedRun, Point]]:
    """The runs of these points that are there."""
    points = {frozenset(p.coordinates.items()): p for p in drawer.experiment.points}
    for run in drawer.plan.runs:
        if selects(where, run.point) and drawer.plan.record(run) is not None:
            yield run, points[frozenset(run.point.items())]


def pooled_runs(drawer, plot: Plot, where: Selection) -> List[rr.Run]:
    """A run for each series, with the flows of all its seeds."""
    pooled: Dict[str, rr.Run] = {}
    for run, point in complete_runs(drawer, where):
        name = drawer.series_name(plot, point, where, None) or "all seeds"
        loaded = rr.load_run(drawer.plan.run_folder(run), name, drawer.experiment.warmup_ns)
        if name in pooled:
            pooled[name].flows.extend(loaded.flows)
        else:
            pooled[name] = loaded
    if not pooled:
        raise rr.ResultError("no complete run: nothing to plot")
    return list(pooled.values())


def first_runs(drawer, plot: Plot, where: Selection) -> Dict[str, str]:
    """The folder of the first seed of each point; by label of the panel's axis, or by series."""
    found: Dict[str, str] = {}
    axis = plot.fields.get("panel")
    for run, point in complete_runs(drawer, where):
        if run.seed != point.seeds[0]:
            continue
        label = Point({axis[0]: run.point[axis[0]]}, {}).text() if axis else \
            drawer.series_name(plot, point, where, None) or f"seed {run.seed}"
        if label in found:
            raise rr.ResultError(f"several points for the panel {label}: name more axes in each or "
                                 "where")
        found[label] = drawer.plan.run_folder(run)
    if not found:
        raise rr.ResultError("no complete run: nothing to plot")
    if axis:
        order = [Point({axis[0]: x}, {}).text() for x in drawer.labels(axis[0], where)]
        found = {label: found[label] for label in order if label in found}
    return found


def draw_queues(drawer, plot: Plot, where: Selection, file: str) -> None:
    """A panel for each point."""
    runs = [(label, folder, rr.read_summary(folder))
            for label, folder in first_runs(drawer, plot, where).items()]
    ports = str(plot.fields.get("ports", "*"))
    if not plot_queues.plot(runs, file, int(plot.fields.get("top", 4)), ports):
        which = "all queues" if ports == "*" else f"the queues of {ports}"
        raise rr.ResultError(f"{which} are empty all the time: nothing to plot")


def draw_rates(drawer, plot: Plot, where: Selection, file: str) -> None:
    """A panel for each point, a line for each flow."""
    runs = {label: rates.read(folder)
            for label, folder in first_runs(drawer, plot, where).items()}
    end = max((p.end_us for flows in runs.values() for p in flows), default=0.0)
    if end <= 0:
        raise rr.ResultError("no flow in rates.csv: nothing to plot")
    width = plot.fields.get("bin", end / DEFAULT_BINS)
    plt = rr.apply_style()
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FuncFormatter

    columns = min(len(runs), 3)
    inches = 0.4 + (6.6 if columns == 1 else 3.9 * columns)
    fig, axes = plot_fct.panel_grid(plt, len(runs), columns, inches, 2.7, sharex=True, sharey=True)
    unit, factor = plot_fct.unit_of(end, plot_fct.TIME_UNITS_US)
    for i, (ax, (label, flows)) in enumerate(zip(axes, runs.items())):
        ax.set_title(label)
        for progress in flows:
            ax.plot(*line(progress, width), linewidth=1.0, alpha=0.85, zorder=3,
                    color=SCOPE_COLOURS[progress.flow.scope])
        if "fair" in plot.fields:
            ax.axhline(plot.fields["fair"], color="#333333", linestyle=(0, (4, 3)), linewidth=1.0)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v / factor:g}"))
        ax.xaxis.set_tick_params(labelbottom=True)
        ax.set_xlabel(f"simulated time ({unit})")
        if i % columns == 0:
            ax.set_ylabel("throughput (Gbit/s)")
    axes[0].set_xlim(0, end)
    axes[0].set_ylim(bottom=0)
    used = [s for s in SCOPE_COLOURS if any(p.flow.scope == s for f in runs.values() for p in f)]
    handles = [Line2D([], [], color=SCOPE_COLOURS[s], label=f"flow {rr.SCOPE_TITLES[s]}")
               for s in used]
    if "fair" in plot.fields:
        handles.append(Line2D([], [], color="#333333", linestyle=(0, (4, 3)), label="fair share"))
    plot_fct.finish_layout(fig, handles, [
        f"Acknowledged payload of each flow, averages over {plot_fct.format_time_us(width)}; the first "
        "seed. Axes are shared."])
    plot_fct.save_figure(fig, file)
    plt.close(fig)


def draw_tuning(drawer, plot: Plot, where: Selection, file: str) -> None:
    """A line for each point in every panel."""
    if not plot_tuning.plot(first_runs(drawer, plot, where), file):
        raise rr.ResultError("no interval in any tuning.csv: nothing to plot")


def line(progress: rates.Progress, width: float) -> Tuple[List[float], List[float]]:
    """Throughput in the bins that the flow is there for, drawn at their middle."""
    rates.bins(progress.start_us, progress.end_us, width)
    times: List[float] = []
    values: List[float] = []
    for i in range(int(progress.start_us / width), int(progress.end_us / width) + 1):
        rate = progress.rate(i * width, (i + 1) * width, rates.ACTIVE_SHARE)
        if rate is not None:
            times.append((i + 0.5) * width)
            values.append(rate)
    return times, values


def draw_pooled(draw: Callable) -> Callable:
    """A figure of plot_fct of the flows of all seeds."""
    return lambda drawer, plot, where, file: draw(pooled_runs(drawer, plot, where), file)


DRAW = {"queues": draw_queues, "rates": draw_rates, "tuning": draw_tuning,
        "slowdown-by-size": draw_pooled(plot_fct.plot_slowdown),
        "fct-cdf": draw_pooled(plot_fct.plot_cdf)}
