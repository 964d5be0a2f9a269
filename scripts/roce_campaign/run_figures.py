# SPDX-License-Identifier: GPL-2.0-only
"""Figures of runs: queues and throughput over time (the first seed of each point), and slowdown and completion times (the flows
of all seeds).
"""

from typing import Callable, Dict, Iterator, List, Tuple

import plot_fct
import plot_queues
import plot_tuning
import roce_results as rr
from roce_plot import look

from . import rates
from .grid import Point, Selection, selects
from .plan import PlannedRun
from .plots import Plot

DEFAULT_BINS = 100  # of throughput over the time that is drawn
SCOPES = look.styles(["intra", "inter"])
FAIR = {"color": look.DARK, "linestyle": (0, (4, 3)), "linewidth": 1.0}


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
        name = drawer.series_name(plot, point, where) or "all seeds"
        loaded = rr.load_run(drawer.plan.run_folder(run), name, drawer.experiment.warmup_ns)
        pooled.setdefault(name, loaded._replace(flows=[])).flows.extend(loaded.flows)
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


def draw_queues(drawer, plot: Plot, where: Selection, file: str) -> None:
    """A panel for each point."""
    runs = [(label, folder, rr.read_summary(folder)) for label, folder in first_runs(drawer, plot, where).items()]
    ports = str(plot.fields.get("ports", "*"))
    if not plot_queues.plot(runs, file, int(plot.fields.get("top", 4)), ports):
        which = "all queues" if ports == "*" else f"the queues of {ports}"
        raise rr.ResultError(f"{which} are empty all the time: nothing to plot")


def draw_rates(drawer, plot: Plot, where: Selection, file: str) -> None:
    """A panel for each point, a line for each flow."""
    runs = {label: rates.read(folder) for label, folder in first_runs(drawer, plot, where).items()}
    end = max((p.end_us for flows in runs.values() for p in flows), default=0.0)
    if end <= 0:
        raise rr.ResultError("no flow in rates.csv: nothing to plot")
    width = plot.fields.get("bin", end / DEFAULT_BINS)
    columns = min(len(runs), 3)
    figure = look.Figure(len(runs), columns, 0.4 + (6.6 if columns == 1 else 3.9 * columns), 2.7, sharex=True, sharey=True)
    for i, (ax, (label, flows)) in enumerate(zip(figure.panels, runs.items())):
        for progress in flows:
            ax.plot(*line(progress, width), linewidth=1.0, alpha=0.85, zorder=3, color=SCOPES[progress.flow.scope]["color"])
        if "fair" in plot.fields:
            ax.axhline(plot.fields["fair"], **FAIR)
        ax.set_title(label)
        ax.xaxis.set_tick_params(labelbottom=True)
        look.scale(ax.xaxis, "us", end, "simulated time")
        if i % columns == 0:
            ax.set_ylabel("throughput (Gbit/s)")
    figure.panels[0].set(xlim=(0, end), ylim=(0, None))
    used = {p.flow.scope for flows in runs.values() for p in flows}
    handles = look.keys({f"flow {rr.SCOPE_TITLES[s]}": {"color": SCOPES[s]["color"]} for s in SCOPES if s in used})
    figure.save(file, handles + (look.keys({"fair share": FAIR}) if "fair" in plot.fields else []), [
        f"Acknowledged payload of each flow, averages over {look.text_of('us')(width)}; the first seed. Axes are shared."])


def line(progress: rates.Progress, width: float) -> Tuple[List[float], List[float]]:
    """Throughput in the bins that the flow is there for, drawn at their middle."""
    rates.bins(progress.start_us, progress.end_us, width)
    found = [((i + 0.5) * width, progress.rate(i * width, (i + 1) * width, rates.ACTIVE_SHARE))
             for i in range(int(progress.start_us / width), int(progress.end_us / width) + 1)]
    return [time for time, rate in found if rate is not None], [rate for _, rate in found if rate is not None]


def draw_tuning(drawer, plot: Plot, where: Selection, file: str) -> None:
    """A line for each point in every panel."""
    runs = first_runs(drawer, plot, where)
    if not plot_tuning.plot(runs, file, drawer.styles(list(runs), plot, where)):
        raise rr.ResultError("no interval in any tuning.csv: nothing to plot")


def draw_flows(draw: Callable) -> Callable:
    """What draws the flows of all seeds with a function of plot_fct."""
    def drawn(drawer, plot: Plot, where: Selection, file: str) -> None:
        runs = pooled_runs(drawer, plot, where)
        draw(runs, file, drawer.styles([r.label for r in runs], plot, where))
    return drawn


DRAW = {"queues": draw_queues, "rates": draw_rates, "tuning": draw_tuning, "slowdown-by-size": draw_flows(plot_fct.plot_slowdown),
        "fct-cdf": draw_flows(plot_fct.plot_cdf)}
