#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Plot what a tuner measured and changed over time.

    plot_tuning.py RUN... --out DIR [--labels A,B,...]

writes tuning.png: utility, throughput, RTT, pauses, the share of elephants, and a panel for each
parameter that changes in one of the runs. Reads tuning.csv of each run folder (column time_ns, and
whichever others there are): a row tells of the interval that ends then.
"""

import argparse
import csv
import math
import os
from typing import Callable, Dict, List, NamedTuple, Tuple

import plot_fct
import roce_manifest
import roce_results as rr

COLUMNS = 4
PLAIN = {"time_ns", "state", "candidate", "kl", "temperature"}  # no panel


class Measured(NamedTuple):
    """A panel of what was measured."""

    column: str
    title: str
    value: Callable[[float], float]


MEASURED = (Measured("utility", "utility", float),
            Measured("o_tp", "throughput of busy uplinks (share of rate)", float),
            Measured("o_rtt", "RTT (times that of an empty path)",
                     lambda v: 1 / v if v > 0 else math.nan),
            Measured("o_pfc", "share of time not paused", float),
            Measured("r_elephants", "share of elephants among flows", float))

Lines = Dict[str, Tuple[List[float], List[float]]]  # times (ms) and values by column


def read_tuning(folder: str) -> Lines:
    """The columns of numbers of a run; empty fields are left out."""
    file = roce_manifest.file_of(folder, "tuning.csv")
    found: Lines = {}
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            if "time_ns" not in (reader.fieldnames or []):
                raise rr.ResultError(f"{file}:1: missing column(s) time_ns")
            for row in reader:
                try:
                    time = float(row["time_ns"]) / 1e6
                    for column, text in row.items():
                        if column in PLAIN or not text:
                            continue
                        times, values = found.setdefault(column, ([], []))
                        times.append(time)
                        values.append(float(text))
                except (ValueError, TypeError):
                    raise rr.ResultError(f"{file}:{reader.line_num}: expected numbers") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise rr.ResultError(f"{file}: {getattr(error, 'strerror', None) or error}, expected a run "
                             "with a tuner") from None
    return found


def panels(runs: Dict[str, Lines]) -> List[Measured]:
    """What is drawn: what was measured, and the parameters that change."""
    shown = [m for m in MEASURED if any(m.column in lines for lines in runs.values())]
    known = {m.column for m in MEASURED}
    names: Dict[str, None] = {}
    for lines in runs.values():
        names.update((n, None) for n in lines if n not in known and len(set(lines[n][1])) > 1)
    return shown + [Measured(n, n.split(".", 1)[-1] if "." in n else n, float) for n in names]


def plot(folders: Dict[str, str], file: str) -> bool:
    """Draw the runs, each with its label.

    @return false if there is nothing to draw
    """
    runs = {label: read_tuning(folder) for label, folder in folders.items()}
    shown = panels(runs)
    if not shown:
        return False
    plt = rr.apply_style()
    from matplotlib.lines import Line2D

    columns = min(COLUMNS, len(shown))
    fig, axes = plot_fct.panel_grid(plt, len(shown), columns, 0.4 + 3.4 * columns, 2.1, sharex=True,
                                    sharey=False)
    handles = []
    for i, (label, lines) in enumerate(runs.items()):
        colour = rr.COLOURS[i % len(rr.COLOURS)]
        handles.append(Line2D([], [], color=colour, label=label))
        for ax, panel in zip(axes, shown):
            times, values = lines.get(panel.column, ([], []))
            # Nothing was measured between rows far apart: no line there.
            step = min((b - a for a, b in zip(times, times[1:])), default=0.0)
            x: List[float] = []
            y: List[float] = []
            for before, time, value in zip([math.inf] + times, times, values):
                if time - before > 1.5 * step:
                    x.append(before)
                    y.append(math.nan)
                x.append(time)
                y.append(panel.value(value))
            ax.plot(x, y, color=colour, linewidth=1.1, alpha=0.9, zorder=3,
                    marker="." if len(x) < 60 else "", markersize=3)
    for i, (ax, panel) in enumerate(zip(axes, shown)):
        ax.set_title(panel.title, fontsize="small")
        ax.xaxis.set_tick_params(labelbottom=True)
        if i >= len(shown) - columns:
            ax.set_xlabel("simulated time (ms)")
    plot_fct.finish_layout(fig, handles, [
        "A point for each interval in which something was measured. Parameters are those in force in "
        "it, in units of the table; those that never change are not drawn."])
    plot_fct.save_figure(fig, file)
    plt.close(fig)
    return True


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="result folder")
    parser.add_argument("--out", required=True, metavar="DIR", help="where tuning.png goes")
    parser.add_argument("--labels", help="names of the runs, separated by commas")
    args = parser.parse_args()
    labels = rr.run_labels(args.runs, args.labels)
    file = os.path.join(args.out, "tuning.png")
    os.makedirs(args.out, exist_ok=True)
    if not plot(dict(zip(labels, args.runs)), file):
        raise rr.ResultError("no interval in any tuning.csv: nothing to plot")
    print(os.path.relpath(file))
    return 0


if __name__ == "__main__":
    rr.run_main(main)
