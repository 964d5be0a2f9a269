#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Plot the time series of a run.

    plot_series.py RUN [--out DIR] [--from US] [--to US]

writes series.png, a panel for each of these tables that the run folder has: queues.csv, rates.csv
(goodput, and the rate that the rate law allows), transport.csv, pauses.csv, utilisation.csv. Each
panel shows those queues, flows or ports with the largest values. Both what was sampled and what was
recorded on change is drawn; names of nodes come from "nodeNames" in summary.json.
"""

import argparse
import bisect
import os
import statistics
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

import plot_comparison
import plot_fct
import plot_queues
import roce_manifest
import roce_results as rr

BINS = 250  # of averages over time

Key = Tuple[str, ...]


class Series(NamedTuple):
    """One quantity of one queue, flow or port; a value holds until the next."""

    times_us: List[float]
    values: List[float]

    def at(self, time_us: float) -> float:
        """The value at a time; 0 before the first."""
        index = bisect.bisect_right(self.times_us, time_us)
        return self.values[index - 1] if index else 0.0

    def between(self, time_us: float) -> float:
        """The same of a count that grows evenly from one row to the next."""
        index = bisect.bisect_right(self.times_us, time_us)
        if index == 0 or index == len(self.times_us):
            return self.values[index - 1] if index else 0.0
        t0, t1 = self.times_us[index - 1], self.times_us[index]
        v0, v1 = self.values[index - 1], self.values[index]
        return v0 + (v1 - v0) * (time_us - t0) / (t1 - t0)


class Window(NamedTuple):
    """The stretch of time that is drawn, in us."""

    begin: float
    end: float

    def edges(self) -> List[float]:
        """Borders of the bins."""
        return [self.begin + (self.end - self.begin) * i / BINS for i in range(BINS + 1)]


class Panel(NamedTuple):
    """A panel: what the axis says, and who draws."""

    label: str
    draw: Callable


def read_series(folder: str, name: str, keys: Key, value: str) -> Dict[Key, Series]:
    """A column of a table by the key columns; nothing if there is no such file."""
    series: Dict[Key, Series] = {}
    if not os.path.exists(roce_manifest.file_of(folder, name)):
        return series
    for row in plot_comparison.rows(folder, name, ("time_ns", *keys, value), "a program's --out"):
        entry = series.setdefault(tuple(row[1:-1]), Series([], []))
        entry.times_us.append(plot_comparison.number(row[0], f"{name}: time_ns") / 1000)
        entry.values.append(plot_comparison.number(row[-1], f"{name}: {value}") if row[-1] else 0.0)
    return series


def largest(series: Dict[Key, Series], top: int, of: Callable[[Series], float]) -> List[Key]:
    """The keys of the largest ones."""
    return sorted(series, key=lambda k: (-of(series[k]), k))[:top]


def growth(series: Series, window: Window, factor: float) -> List[float]:
    """How fast a count grows in each bin, per us, times a factor."""
    edges = window.edges()
    counts = [series.between(edge) for edge in edges]  # samples may be coarser than bins
    width = edges[1] - edges[0]
    return [(b - a) * factor / width for a, b in zip(counts, counts[1:])]


def sampling_interval(table: Dict[Key, Series]) -> float:
    """Most frequent time between samples, us; the last one may be shorter."""
    times = sorted({t for s in table.values() for t in s.times_us})
    gaps = [round(b - a, 6) for a, b in zip(times, times[1:])]
    return statistics.mode(gaps) if gaps else times[0]


def busy_share(series: Series, window: Window, interval: Optional[float]) -> List[float]:
    """Average of a utilisation in each bin; interval between samples, or none: on change."""
    busy = Series([], [])  # so far
    total = 0.0
    for i, time in enumerate(series.times_us):
        before = series.times_us[i - 1] if i else 0.0
        if interval is None:
            total += (time - before) * series.values[i - 1] if i else 0.0
        else:
            # There are no rows while nothing is sent.
            begin = max(before, time - interval)
            busy.times_us.append(begin)
            busy.values.append(total)
            total += (time - begin) * series.values[i]
        busy.times_us.append(time)
        busy.values.append(total)
    return growth(busy, window, 1.0)


def stairs(ax, points: List[float], window: Window, **style) -> None:
    """One value per bin."""
    edges = window.edges()
    ax.plot([e for pair in zip(edges, edges[1:]) for e in pair], [p for p in points for _ in (0, 1)],
            **style)


def step_line(ax, series: Series, window: Window, factor: float, **style) -> None:
    """A value that holds until the next."""
    inside = [(t, v) for t, v in zip(*series) if window.begin < t <= window.end]
    if series.times_us[0] <= window.begin:
        inside.insert(0, (window.begin, series.at(window.begin)))
    if not inside:
        return
    queue = plot_queues.Queue("", [t for t, _ in inside], [v for _, v in inside])
    points = plot_queues.steps(*plot_queues.thin(queue, *window), window.end)
    ax.plot([t for t, _ in points], [v * factor for _, v in points], **style)


def line_style(rank: int) -> dict:
    """Colour and order: the largest is on top."""
    return {"linewidth": 1.0, "color": rr.COLOURS[rank % len(rr.COLOURS)], "zorder": 20 - rank}


class Run:
    """What a folder has."""

    def __init__(self, folder: str, top: int) -> None:
        self.folder = folder
        self.top = top
        self.summary = rr.read_summary(folder)
        self.queues = read_series(folder, "queues.csv", ("node", "port", "class"), "queue_bytes")
        self.acked = read_series(folder, "rates.csv", ("flow",), "acked_bytes")
        self.rates = read_series(folder, "rates.csv", ("flow",), "rate_bps")
        self.transport = read_series(folder, "transport.csv", ("variable", "flow"), "value")
        self.paused = read_series(folder, "pauses.csv", ("node", "port", "class"), "paused_ns")
        self.busy = read_series(folder, "utilisation.csv", ("node", "port"), "utilisation")
        self.flows = largest(self.acked, top, lambda s: s.values[-1])

    def end_us(self) -> float:
        """Time of the last row of any table."""
        tables = (self.queues, self.acked, self.transport, self.paused, self.busy)
        return max((s.times_us[-1] for t in tables for s in t.values()), default=0.0)

    def port(self, key: Key) -> str:
        """Name of a port, with its class if the key has one."""
        node = self.summary.get("nodeNames", {}).get(key[0], f"node {key[0]}")
        return f"{node} port {key[1]}" + (f" class {key[2]}" if len(key) > 2 else "")

    def interval(self, option: str, table: Dict[Key, Series]) -> Optional[float]:
        """Time between samples; none if the table was written on change."""
        mode = self.summary.get("configuration", {}).get(option)
        return None if mode == "change" else sampling_interval(table)

    def panels(self, variable: Optional[str]) -> List[Panel]:
        """Panels of the tables that are there."""
        panels = []
        if self.queues:
            panels.append(Panel("queue (KB)", self.draw_queues))
        if self.acked:
            panels.append(Panel("goodput (Gbit/s)", self.draw_goodput))
            panels.append(Panel("allowed rate (Gbit/s)", self.draw_rates))
        names = list(dict.fromkeys(key[0] for key in self.transport))
        if variable is not None and variable not in names:
            raise rr.ResultError(f"--variable {variable}, expected one of {', '.join(names)}")
        if names:
            name = variable or names[0]
            panels.append(Panel(name, lambda ax, window: self.draw_variable(ax, window, name)))
        if self.paused:
            panels.append(Panel("paused", self.draw_pauses))
        if self.busy:
            panels.append(Panel("utilisation", self.draw_busy))
        return panels

    def draw_queues(self, ax, window: Window) -> None:
        """The longest queues."""
        for rank, key in enumerate(largest(self.queues, self.top, lambda s: max(s.values))):
            step_line(ax, self.queues[key], window, 1e-3, label=self.port(key), **line_style(rank))

    def draw_goodput(self, ax, window: Window) -> None:
        """The flows with most bytes."""
        for rank, key in enumerate(self.flows):
            stairs(ax, growth(self.acked[key], window, 8e-3), window, label=f"flow {key[0]}",
                   **line_style(rank))

    def draw_rates(self, ax, window: Window) -> None:
        """What the rate law allows the same flows."""
        for rank, key in enumerate(self.flows):
            step_line(ax, self.rates[key], window, 1e-9, label=f"flow {key[0]}", **line_style(rank))

    def draw_variable(self, ax, window: Window, name: str) -> None:
        """A variable of the rate law, for the same flows."""
        chosen = [k for k in ((name, flow[0]) for flow in self.flows) if k in self.transport]
        for rank, key in enumerate(chosen or [k for k in self.transport if k[0] == name][:self.top]):
            step_line(ax, self.transport[key], window, 1.0, label=f"flow {key[1]}",
                      **line_style(rank))

    def draw_pauses(self, ax, window: Window) -> None:
        """A row per port and class, darker where it was paused for more of the time."""
        keys = largest(self.paused, 3 * self.top, lambda s: s.values[-1])[::-1]
        interval = self.interval("pauses", self.paused)
        for height, key in enumerate(keys):
            series = self.paused[key]
            for i, (time, total) in enumerate(zip(*series)):
                # pauses.csv counts nanoseconds.
                length = (total - (series.values[i - 1] if i else 0.0)) / 1000
                if length > 0 and time > window.begin:
                    begin = series.times_us[i - 1] if i else 0.0
                    begin = max(begin, time - (interval or length))
                    share = min(1.0, length / max(time - begin, 1e-9))
                    ax.broken_barh([(begin, time - begin)], (height - 0.4, 0.8), linewidth=0,
                                   facecolors=rr.COLOURS[1], alpha=0.15 + 0.85 * share)
        ax.set_yticks(range(len(keys)), [self.port(key) for key in keys], fontsize=6)
        ax.set_ylim(-0.6, len(keys) - 0.4)

    def draw_busy(self, ax, window: Window) -> None:
        """The busiest ports."""
        interval = self.interval("utilisation", self.busy)
        shares = {key: busy_share(s, window, interval) for key, s in self.busy.items()}
        busiest = sorted(shares, key=lambda k: (-sum(shares[k]), k))[:self.top]
        for rank, key in enumerate(busiest):
            stairs(ax, shares[key], window, label=self.port(key), **line_style(rank))
        ax.set_ylim(0, 1.05)


def plot(run: Run, path: str, window: Window, variable: Optional[str]) -> None:
    """The figure."""
    panels = run.panels(variable)
    if not panels:
        raise rr.ResultError(f"{run.folder} has no time series; expected a run with --queues, "
                             "--rates, --transport, --pauses or --utilisation")
    plt = rr.apply_style()
    fig, axes = plt.subplots(len(panels), 1, figsize=(10.5, 1.2 + 1.55 * len(panels)), sharex=True,
                             squeeze=False)
    for ax, panel in zip(axes[:, 0], panels):
        panel.draw(ax, window)
        ax.set_ylabel(panel.label, fontsize=8)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.005, 1.05), borderaxespad=0)
        if panel.label != "paused" and ax.get_ylim()[0] < 0 < ax.get_ylim()[1] and \
                min(min(line.get_ydata(), default=0) for line in ax.get_lines()) >= 0:
            ax.set_ylim(bottom=0)
    axes[-1, 0].set_xlim(window.begin, window.end)
    axes[-1, 0].set_xlabel("simulated time (us)")
    plot_fct.finish_layout(fig, [], [
        f"The {run.top} longest queues, flows with most bytes and busiest ports. Goodput and "
        f"utilisation are averages over {1000 * (window.end - window.begin) / BINS:.0f} ns."])
    plot_fct.save_figure(fig, path)
    plt.close(fig)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("run", metavar="RUN", help="run folder")
    parser.add_argument("--out", metavar="DIR", help="where to write series.png (RUN)")
    parser.add_argument("--from", type=float, default=0.0, dest="begin", metavar="US",
                        help="begin of what is drawn, us")
    parser.add_argument("--to", type=float, dest="end", metavar="US", help="its end (that of the run)")
    parser.add_argument("--top", type=int, default=4, help="queues, flows and ports (default 4)")
    parser.add_argument("--variable", help="of transport.csv (its first)")
    args = parser.parse_args()
    if args.top < 1:
        raise rr.ResultError(f"--top {args.top}, expected at least 1")
    run = Run(args.run, args.top)
    window = Window(args.begin, run.end_us() if args.end is None else args.end)
    if window.end <= window.begin and run.panels(args.variable):
        raise rr.ResultError(f"--to {window.end}, expected more than --from {window.begin}")
    path = os.path.join(args.out or args.run, "series.png")
    plot(run, path, window, args.variable)
    print(path)
    return 0


if __name__ == "__main__":
    rr.run_main(main)
