#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plot what a tuner measured and changed over time.

    plot_tuning.py RUN... --out DIR [--labels A,B,...]

writes tuning.png: utility, throughput, RTT, pauses, the share of elephants, and a panel for each parameter that changes in one of
the runs. Reads tuning.csv of each run folder (column time_ns, and whichever others there are): a row is about the interval that
ends then.
"""

import argparse
import math
import os
from typing import Dict

import roce_results as rr
from roce_plot import axes, look, series
import pandas as pd

COLUMNS = 4
PLAIN = ("state", "candidate", "kl", "temperature")  # no panel
MEASURED = {"utility": "utility", "o_tp": "throughput of busy uplinks (share of rate)",
            "o_rtt": "RTT (times that of an empty path)", "o_pfc": "share of time not paused",
            "r_elephants": "share of elephants among flows"}


def read_tuning(folder: str) -> pd.DataFrame:
    """time_us and the columns of numbers of a run that say something: all that was measured, and the parameters that change."""
    data = series.read(folder, "tuning.csv", (), (), "a run with a tuner", PLAIN)
    data = data[[c for c in data if c == "time_us" or (c in MEASURED and data[c].notna().any()) or data[c].nunique() > 1]]
    # It is measured as a share of an empty path's RTT over this.
    return data.assign(o_rtt=1 / data["o_rtt"].where(data["o_rtt"] > 0)) if "o_rtt" in data else data


def panels(runs: Dict[str, pd.DataFrame]) -> Dict[str, str]:
    """Titles of what is drawn, by column."""
    there = dict.fromkeys(c for data in runs.values() for c in data if c != "time_us")
    shown = [c for c in MEASURED if c in there] + [c for c in there if c not in MEASURED]
    return {c: MEASURED.get(c, c.split(".", 1)[-1]) for c in shown}


def plot(folders: Dict[str, str], file: str, styles: Dict[str, dict] = None) -> bool:
    """Draw the runs, each with its label. @return false if there is nothing to draw"""
    runs = {label: read_tuning(folder) for label, folder in folders.items()}
    styles = styles or look.styles(runs)
    shown = panels(runs)
    if not shown:
        return False
    columns = min(COLUMNS, len(shown))
    figure = look.Figure(len(shown), columns, 0.4 + 3.4 * columns, 2.1, sharex=True)
    for ax, (column, title) in zip(figure.panels, shown.items()):
        for label, data in runs.items():
            if column in data:
                part = data[["time_us", column]].dropna()
                gap = part["time_us"].diff() > 1.5 * part["time_us"].diff().min()  # nothing was measured there: no line
                part = pd.concat([part[gap].assign(**{column: math.nan}), part]).sort_index(kind="stable")
                axes.line(ax, part["time_us"], part[column], label, color=styles[label]["color"], linewidth=1.1, alpha=0.9,
                          linestyle=styles[label]["linestyle"], marker="." if len(part) < 60 else "", markersize=3)
        ax.set_title(title, fontsize="small")
    for ax in figure.panels[-columns:]:
        look.scale(ax.xaxis, "us", max(data["time_us"].max() for data in runs.values()), "simulated time")
    figure.save(file, look.keys({label: {**style, "marker": ""} for label, style in styles.items()}), [
        "A point for each interval in which something was measured. Parameters are those of the interval, in units of the table; "
        "those that never change are not drawn."])
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN", help="result folder")
    parser.add_argument("--out", required=True, metavar="DIR", help="where tuning.png goes")
    parser.add_argument("--labels", help="names of the runs, separated by commas")
    look.add_style(parser)
    args = parser.parse_args()
    file = os.path.join(args.out, "tuning.png")
    if not plot(dict(zip(rr.run_labels(args.runs, args.labels), args.runs)), file):
        raise rr.ResultError("no interval in any tuning.csv: nothing to plot")
    print(os.path.relpath(file))
    return 0


if __name__ == "__main__":
    rr.run_main(main)
