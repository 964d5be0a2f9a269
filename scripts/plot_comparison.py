#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Plot what examples/compare-transports has written.

    plot_comparison.py FOLDER [--out DIR]

writes comparison.png: a row for each transport; for each scenario the flows' goodput and the queue
at the bottleneck over time. Prints comparison.csv as a Markdown table.
"""

import argparse
import csv
import os
from typing import Dict, Iterator, List, Tuple

import plot_fct
import roce_manifest
import roce_results as rr

SMALLEST_QUEUE = 1000.0  # bytes; what is below is drawn at the edge of the logarithmic axis

Series = Tuple[List[float], List[float]]  # ms, value


def rows(folder: str, name: str, columns: Tuple[str, ...],
         writer: str = "compare-transports") -> Iterator[List[str]]:
    """The given columns of a file; writer names the program in messages."""
    file = roce_manifest.file_of(folder, name)
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            reader = csv.reader(stream)
            header = next(reader, None) or []
            missing = [c for c in columns if c not in header]
            if missing:
                raise rr.ResultError(f"{file}:1: missing column(s) {', '.join(missing)}")
            indices = [header.index(c) for c in columns]
            for row in reader:
                if len(row) != len(header):
                    raise rr.ResultError(f"{file}:{reader.line_num}: {len(row)} fields, expected "
                                         f"{len(header)}")
                yield [row[i] for i in indices]
    except OSError as error:
        raise rr.ResultError(f"{file}: {error.strerror}, expected a folder written by "
                             f"{writer}") from None


def number(text: str, what: str) -> float:
    """A number or one clear line."""
    try:
        return float(text)
    except ValueError:
        raise rr.ResultError(f"{what} is '{text}', expected a number") from None


def read_series(folder: str, name: str, value: str, factor: float,
                with_flow: bool) -> Dict[Tuple[str, str, str], Series]:
    """(transport, scenario, flow) -> times in ms and values; flow is empty for queues."""
    columns = ("transport", "scenario") + (("flow",) if with_flow else ()) + ("time_ns", value)
    series: Dict[Tuple[str, str, str], Series] = {}
    for row in rows(folder, name, columns):
        times, values = series.setdefault((row[0], row[1], row[2] if with_flow else ""), ([], []))
        times.append(number(row[-2], f"{name}: time_ns") / 1e6)
        values.append(number(row[-1], f"{name}: {value}") * factor)
    if not series:
        raise rr.ResultError(f"{os.path.join(folder, name)} has no rows, nothing to plot")
    return series


def plot(folder: str, path: str) -> None:
    """The figure."""
    rates = read_series(folder, "comparison-rates.csv", "goodput_bps", 1e-9, True)
    queues = read_series(folder, "comparison-queues.csv", "queue_bytes", 1.0, False)
    transports = list(dict.fromkeys(key[0] for key in rates))
    scenarios = list(dict.fromkeys(key[1] for key in rates))
    plt = rr.apply_style()
    from matplotlib.ticker import FuncFormatter, LogLocator

    fig, axes = plt.subplots(len(transports), 2 * len(scenarios), squeeze=False,
                             figsize=(4.7 * len(scenarios), 1.3 + 1.15 * len(transports)))
    for column, scenario in enumerate(scenarios):
        flows = sorted({key[2] for key in rates if key[1] == scenario}, key=int)
        highest_queue = max(max(v) for k, (_, v) in queues.items() if k[1] == scenario)
        for row, transport in enumerate(transports):
            left, right = axes[row, 2 * column], axes[row, 2 * column + 1]
            for index, flow in enumerate(flows):
                times, values = rates.get((transport, scenario, flow), ([], []))
                left.plot(times, values, linewidth=0.6 if len(flows) > 4 else 0.9,
                          color=rr.COLOURS[index % len(rr.COLOURS)])
            times, values = queues.get((transport, scenario, ""), ([], []))
            right.fill_between(times, [max(v, SMALLEST_QUEUE) for v in values], SMALLEST_QUEUE,
                               color=rr.MUTED, linewidth=0, alpha=0.75)
            right.set_yscale("log")
            right.set_ylim(SMALLEST_QUEUE, max(2 * highest_queue, 10 * SMALLEST_QUEUE))
            right.yaxis.set_major_locator(LogLocator(numticks=5))
            right.yaxis.set_major_formatter(FuncFormatter(plot_fct.format_bytes))
            right.minorticks_off()
            # An incast's fair share is small; its first round trips, at line rate, are cut off.
            left.set_ylim(0, 105 if len(flows) < 8 else 250 / len(flows))
            for ax in (left, right):
                ax.set_xlim(0, times[-1] if times else 1)
                ax.tick_params(labelsize=6.5, labelbottom=row + 1 == len(transports))
            if row == 0:
                left.set_title(f"{scenario}: goodput (Gbit/s)", fontsize=8)
                right.set_title("queue", fontsize=8)
            if row + 1 == len(transports):
                left.set_xlabel("ms", fontsize=7)
                right.set_xlabel("ms", fontsize=7)
            if column == 0:
                left.set_ylabel(transport, fontsize=8)
    plot_fct.finish_layout(fig, [], [
        "Goodput of each flow, and the queue in front of the receiver (logarithmic, bytes), on a "
        "100 Gbit/s bottleneck. 2-to-1: the second flow starts at 5 ms. 16-to-1: all start at "
        "once; the axis ends at 2.5 times the fair share. Near and far: two flows from the "
        "receiver's datacenter (blue, orange) and two from another one, 1 ms away (green, pink)."])
    plot_fct.save_figure(fig, path)
    plt.close(fig)


def table(folder: str) -> str:
    """comparison.csv as Markdown."""
    columns = ("scenario", "transport", "jain", "converged_ms", "utilisation", "queue_mean_bytes",
               "queue_max_bytes", "pfc_pauses")
    body = []
    for row in rows(folder, "comparison.csv", columns):
        body.append(row[:2] + [
            f"{number(row[2], 'jain'):.3f}", row[3] or "-",
            f"{100 * number(row[4], 'utilisation'):.1f} %",
            f"{number(row[5], 'queue_mean_bytes') / 1e3:.1f}",
            f"{number(row[6], 'queue_max_bytes') / 1e3:.1f}", row[7]])
    header = ["scenario", "transport", "Jain index", "converged (ms)", "utilisation",
              "mean queue (KB)", "max queue (KB)", "PFC pauses"]
    return rr.format_markdown((header, body))


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", metavar="FOLDER", help="written by compare-transports")
    parser.add_argument("--out", metavar="DIR", help="where to write comparison.png (FOLDER)")
    args = parser.parse_args()
    path = os.path.join(args.out or args.folder, "comparison.png")
    plot(args.folder, path)
    print(table(args.folder))
    print(path)
    return 0


if __name__ == "__main__":
    rr.run_main(main)
