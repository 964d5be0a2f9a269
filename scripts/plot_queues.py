#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plot queue lengths over time.

    plot_queues.py RUN... --out DIR

writes queues.png, one panel per run: the queues with the largest peaks in colour, the others in grey. Reads queues.csv of each
run folder (columns time_ns, node, port, class, queue_bytes): a row gives the length of one queue from that time until the queue's
next row. Names of nodes come from "nodeNames" in summary.json where it has them.
"""

import argparse
import fnmatch
import os
from typing import Dict, Sequence, Tuple

import roce_results as rr
from roce_plot import axes, look, series
import pandas as pd


def read_queues(folder: str, names: Dict[str, str], ports: str = "*") -> pd.DataFrame:
    """The queues of a run that were ever non-empty, by descending peak: series, time_us, value (bytes), peak.

    @param ports a pattern for NODE:PORT"""
    data = series.read(folder, "queues.csv", ("node", "port", "class"), ["queue_bytes"], "a run with --queues")
    found = []
    for name, node, port, part in series.by_port(data, names):
        if fnmatch.fnmatchcase(f"{node}:{port}", ports) and part["queue_bytes"].max() > 0:
            found.append((-part["queue_bytes"].max(), name, part["time_us"], part["queue_bytes"]))
    return pd.concat([pd.DataFrame({"series": name, "time_us": time, "value": length, "peak": -peak})
                      for peak, name, time, length in sorted(found, key=lambda queue: queue[:2])]
                     or [pd.DataFrame(columns=["series", "time_us", "value", "peak"])])


def plot(runs: Sequence[Tuple[str, str, dict]], path: str, top: int, ports: str = "*") -> bool:
    """One panel per run.

    @param runs label, folder and summary of each run
    @param path the PNG
    @param top how many queues of a run are highlighted
    @param ports only those whose NODE:PORT is like this
    @return False, and no plot, when all queues are empty all the time"""
    found = {label: read_queues(folder, summary.get("nodeNames", {}), ports) for label, folder, summary in runs}
    everything = pd.concat(found.values())
    if everything.empty:
        return False
    begin, end, highest = everything["time_us"].min(), everything["time_us"].max(), everything["value"].max()
    figure = look.Figure(len(found), 1, 9.6, 2.0, sharex=True, sharey=True)
    size = look.text_of("B")
    for ax, (label, data) in zip(figure.panels, found.items()):
        peaks = data.groupby("series", sort=False)["peak"].first()
        shown = look.styles(f"{name}, peak {size(peak)}" for name, peak in peaks[:top].items())
        rest = f"{len(peaks) - top} more, peak {size(peaks.iloc[top])}" if len(peaks) > top else ""
        axes.over_time(ax, data.assign(series=data["series"].replace(dict(zip(peaks.index, shown)))), begin, end, shown, rest)
        axes.names_beside(ax)
        ax.set_title(label)
        if data.empty:
            ax.text(0.5, 0.5, "all queues empty", transform=ax.transAxes, ha="center", color=look.MUTED)
        ax.locator_params(axis="y", nbins=4, steps=[1, 2, 2.5, 5, 10])
        look.scale(ax.yaxis, "B", highest, "queue")
    figure.panels[-1].set(xlim=(begin, max(end, begin + 1e-6)), ylim=(0, 1.06 * highest))
    look.scale(figure.panels[-1].xaxis, "us", end, "simulated time")
    figure.save(path, [], [
        "Bytes waiting in each egress queue. Coloured: " + (
            f"the {top} queues with the largest peak in each run; colours show the rank, not the same queue in all panels."
            if top > 1 else "the queue with the largest peak in each run.") + " Axes are shared."])
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder with queues.csv")
    parser.add_argument("--labels", help="comma-separated names of the runs (default: folders)")
    parser.add_argument("--out", default=".", metavar="DIR", help="where to write queues.png")
    parser.add_argument("--top", type=int, default=4, help="queues to highlight (default 4)")
    look.add_style(parser)
    args = parser.parse_args()
    if args.top < 1:
        raise rr.ResultError(f"--top {args.top}, expected at least 1")
    labels = rr.run_labels(args.runs, args.labels)
    path = os.path.join(args.out, "queues.png")
    if not plot([(label, run, rr.read_summary(run)) for label, run in zip(labels, args.runs)], path, args.top):
        raise rr.ResultError("all queues of these runs are empty all the time: nothing to plot")
    print(path)
    return 0


if __name__ == "__main__":
    rr.run_main(main)
