#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Plot queue lengths over time.

    plot_queues.py RUN... --out DIR

writes queues.png, one panel per run: the queues with the largest peaks in colour, the others in
grey. Reads queues.csv of each run folder (columns time_ns, node, port, class, queue_bytes): a row
gives the length of one queue from that time until the queue's next row. Names of nodes come from
"nodeNames" in summary.json where it has them.
"""

import argparse
import csv
import fnmatch
import os
from typing import Dict, List, NamedTuple, Sequence, Tuple

import plot_fct
import roce_manifest
import roce_results as rr

QUEUE_COLUMNS = ("time_ns", "node", "port", "class", "queue_bytes")
MAX_POINTS = 4000  # per line; beyond, peaks and last values of stretches of time are drawn


class Queue(NamedTuple):
    """One queue's samples."""

    name: str
    times_us: List[float]
    lengths: List[float]

    def peak(self) -> float:
        """Largest length."""
        return max(self.lengths)


def read_queues(folder: str, node_names: Dict[str, str], ports: str = "*") -> List[Queue]:
    """The queues of a run that were ever non-empty, by descending peak.

    @param ports a pattern for NODE:PORT
    """
    file = roce_manifest.file_of(folder, "queues.csv") if os.path.isdir(folder) else folder
    samples: Dict[Tuple[str, str, str], Tuple[List[float], List[float]]] = {}
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            reader = csv.reader(stream)
            header = next(reader, None) or []
            missing = [c for c in QUEUE_COLUMNS if c not in header]
            if missing:
                raise rr.ResultError(f"{file}:1: missing column(s) {', '.join(missing)}")
            t, node, port, cls, length = (header.index(c) for c in QUEUE_COLUMNS)
            for row in reader:
                try:
                    key = (row[node], row[port], row[cls])
                    entry = samples.get(key)
                    if entry is None:
                        entry = samples[key] = ([], [])
                    time_us, value = float(row[t]) / 1000, float(row[length])
                except (ValueError, IndexError):
                    text = ",".join(row)
                    raise rr.ResultError(
                        f"{file}:{reader.line_num}: '{text}', expected numbers for "
                        f"{', '.join(QUEUE_COLUMNS)}"
                    ) from None
                if entry[0] and time_us < entry[0][-1]:
                    raise rr.ResultError(f"{file}:{reader.line_num}: time goes backwards")
                entry[0].append(time_us)
                entry[1].append(value)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise rr.ResultError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    queues = []
    classes = {key[2] for key in samples}
    for (node_id, port_id, class_id), (times, lengths) in samples.items():
        node_name = node_names.get(node_id, "node " + node_id)
        if not fnmatch.fnmatchcase(f"{node_name}:{port_id}", ports):
            continue
        name = f"{node_name} port {port_id}"
        if len(classes) > 1:
            name += f" class {class_id}"
        queues.append(Queue(name, times, lengths))
    queues = [q for q in queues if q.peak() > 0]
    return sorted(queues, key=lambda q: (-q.peak(), q.name))


def thin(queue: Queue, begin: float, end: float) -> Tuple[List[float], List[float]]:
    """The samples, or two per stretch of time if there are many: its maximum and its last."""
    if len(queue.times_us) <= MAX_POINTS or end <= begin:
        return queue.times_us, queue.lengths
    slots: Dict[int, List[float]] = {}
    width = 2 * (end - begin) / MAX_POINTS
    for time, length in zip(queue.times_us, queue.lengths):
        slot = slots.setdefault(int((time - begin) / width), [time, length, time, length])
        if length > slot[1]:
            slot[:2] = (time, length)
        slot[2:] = (time, length)
    points = list(slots.values())
    return ([t for p in points for t in (p[0], p[2])], [v for p in points for v in (p[1], p[3])])


def plot(runs: Sequence[Tuple[str, str, dict]], path: str, top: int, ports: str = "*") -> bool:
    """One panel per run.

    @param runs label, folder and summary of each run
    @param path the PNG
    @param top how many queues of a run are highlighted
    @param ports only those whose NODE:PORT is like this
    @return False, and no plot, when all queues are empty all the time
    """
    loaded = [(label, read_queues(folder, summary.get("nodeNames", {}), ports))
              for label, folder, summary in runs]
    if not any(queues for _, queues in loaded):
        return False
    plt = rr.apply_style()
    from matplotlib.collections import LineCollection
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    fig, axes = plt.subplots(
        len(loaded), 1, figsize=(9.6, 1.5 + 1.75 * len(loaded)), sharex=True, sharey=True,
        squeeze=False,
    )
    begin = min(q.times_us[0] for _, queues in loaded for q in queues)
    end = max(q.times_us[-1] for _, queues in loaded for q in queues)
    for ax, (label, queues) in zip(axes[:, 0], loaded):
        ax.set_title(label)
        others = queues[top:]
        handles = []
        for rank, queue in enumerate(queues[:top]):
            points = steps(*thin(queue, begin, end), end)
            # The largest is on top of the others.
            handles += ax.plot([p[0] for p in points], [p[1] for p in points], linewidth=1.1,
                               color=rr.COLOURS[rank % len(rr.COLOURS)], zorder=4 + top - rank,
                               label=f"{queue.name}, peak {plot_fct.format_bytes(queue.peak())}")
        if others:
            handles.append(ax.add_collection(LineCollection(
                [steps(*thin(q, begin, end), end) for q in others],
                colors="#BBBBBB", linewidths=0.6, zorder=2,
                label=f"{len(others)} more, peak {plot_fct.format_bytes(others[0].peak())}")))
        if handles:
            ax.legend(handles=handles, fontsize=7.5, loc="upper left",
                      bbox_to_anchor=(1.005, 1.05), borderaxespad=0)
        else:
            ax.text(0.5, 0.5, "all queues empty", transform=ax.transAxes, ha="center",
                    color=rr.MUTED)
    bottom = axes[-1, 0]
    bottom.set_xlim(begin, end if end > begin else begin + 1)
    highest = 1.06 * max(q.peak() for _, queues in loaded for q in queues)
    bottom.set_ylim(0, highest)
    time_unit, time_factor = plot_fct.unit_of(end, plot_fct.TIME_UNITS_US)
    size_unit, size_factor = plot_fct.unit_of(highest, plot_fct.BYTE_UNITS)
    bottom.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v / time_factor:g}"))
    bottom.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v / size_factor:g}"))
    bottom.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
    bottom.set_xlabel(f"simulated time ({time_unit})")
    for ax in axes[:, 0]:
        ax.set_ylabel(f"queue ({size_unit})")
    plot_fct.finish_layout(fig, [], [
        "Bytes waiting in each egress queue. Coloured: "
        + (f"the {top} queues with the largest peak in each run; colours show the rank, not the same "
           "queue in all panels." if top > 1 else "the queue with the largest peak in each run.")
        + " Axes are shared."])
    plot_fct.save_figure(fig, path)
    plt.close(fig)
    return True


def steps(times: List[float], lengths: List[float], end: float) -> List[Tuple[float, float]]:
    """Corners of the step curve through the samples, held until the end."""
    points: List[Tuple[float, float]] = []
    for time, length in zip(times, lengths):
        if points:
            points.append((time, points[-1][1]))
        points.append((time, length))
    points.append((end, points[-1][1]))
    return points


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder with queues.csv")
    parser.add_argument("--labels", help="comma-separated names of the runs (default: folders)")
    parser.add_argument("--out", default=".", metavar="DIR", help="where to write queues.png")
    parser.add_argument("--top", type=int, default=4, help="queues to highlight (default 4)")
    args = parser.parse_args()
    if args.top < 1:
        raise rr.ResultError(f"--top {args.top}, expected at least 1")
    labels = rr.run_labels(args.runs, args.labels)
    runs = [(label, path, rr.read_summary(path)) for label, path in zip(labels, args.runs)]
    path = os.path.join(args.out, "queues.png")
    if not plot(runs, path, args.top):
        raise rr.ResultError("all queues of these runs are empty all the time: nothing to plot")
    print(path)
    return 0


if __name__ == "__main__":
    rr.run_main(main)
