#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plot what examples/compare-transports has written.

    plot_comparison.py FOLDER [--out DIR]

writes comparison.png: a row for each transport; for each scenario the flows' goodput and the queue
at the bottleneck over time. Prints comparison.csv as a Markdown table.
"""

import argparse
import os

import roce_results as rr
from roce_plot import axes, look, series
import pandas as pd
import roce_manifest

SMALLEST_QUEUE = 1000.0  # bytes; what is below is drawn at the edge of the logarithmic axis
PLACE = ("transport", "scenario")
TABLE = {"scenario": "scenario", "transport": "transport", "jain": "Jain index", "converged_ms": "converged (ms)",
         "utilisation": "utilisation", "queue_mean_bytes": "mean queue (KB)", "queue_max_bytes": "max queue (KB)",
         "pfc_pauses": "PFC pauses"}


def read(folder: str, name: str, keys, value: str) -> pd.DataFrame:
    """A table over time, which must not be empty."""
    data = series.read(folder, name, keys, [value], "compare-transports").rename(columns={value: "value"})
    if data.empty:
        raise rr.ResultError(f"{os.path.join(folder, name)} has no rows, nothing to plot")
    return data


def plot(folder: str, path: str) -> None:
    """The figure."""
    rates = read(folder, "comparison-rates.csv", (*PLACE, "flow"), "goodput_bps")
    queues = read(folder, "comparison-queues.csv", PLACE, "queue_bytes")
    rates["value"] /= 1e9
    transports, scenarios = rates["transport"].unique(), rates["scenario"].unique()
    figure = look.Figure(2 * len(transports) * len(scenarios), 2 * len(scenarios), 4.7 * len(scenarios), 1.15)
    panels = iter(figure.panels)
    for row, transport in enumerate(transports):
        for scenario in scenarios:
            goodput, queue = (data[(data["transport"] == transport) & (data["scenario"] == scenario)] for data in (rates, queues))
            left, right, end = next(panels), next(panels), goodput["time_us"].max()
            flows = sorted(goodput["flow"].unique(), key=int)
            axes.over_time(left, goodput.assign(series=goodput["flow"]), 0, end, {
                flow: {**style, "linewidth": 0.9 if len(flows) <= 4 else 0.6} for flow, style in look.styles(flows).items()})
            # An incast's fair share is small; its first round trips, at line rate, are cut off.
            left.set(xlim=(0, end), ylim=(0, 105 if len(flows) < 8 else 250 / len(flows)))
            right.fill_between(queue["time_us"], queue["value"].clip(lower=SMALLEST_QUEUE), SMALLEST_QUEUE, color=look.MUTED,
                               linewidth=0, alpha=0.75)
            highest = queues["value"][queues["scenario"] == scenario].max()
            look.logarithmic(right.yaxis, SMALLEST_QUEUE, max(2 * highest, 10 * SMALLEST_QUEUE), look.text_of("B"))
            right.set_xlim(0, end)
            for ax, title in ((left, f"{scenario}: goodput (Gbit/s)"), (right, "queue")):
                ax.tick_params(labelsize=look.SMALL, labelbottom=row + 1 == len(transports))
                ax.minorticks_off()
                if row == 0:
                    ax.set_title(title, fontsize=look.SMALL)
                look.scale(ax.xaxis, "us", end, "time")
                ax.xaxis.label.set(fontsize=look.SMALL, visible=row + 1 == len(transports))
            if scenario == scenarios[0]:
                left.set_ylabel(transport, fontsize=look.SMALL)
    figure.save(path, [], [
        "Goodput of each flow, and the queue in front of the receiver (logarithmic, bytes), on a 100 Gbit/s bottleneck. 2-to-1: the "
        "second flow starts at 5 ms. 16-to-1: all start at once; the axis ends at 2.5 times the fair share. Near and far: two flows "
        "from the receiver's datacenter (blue, orange) and two from another one, 1 ms away (green, pink)."])


def table(folder: str) -> str:
    """comparison.csv as Markdown."""
    file = roce_manifest.file_of(folder, "comparison.csv")
    try:
        data = pd.read_csv(file, keep_default_na=False)[list(TABLE)]
        for column, unit, form in (("jain", 1, "{:.3f}"), ("utilisation", 0.01, "{:.1f} %"), ("queue_mean_bytes", 1000, "{:.1f}"),
                                   ("queue_max_bytes", 1000, "{:.1f}")):
            data[column] = (data[column] / unit).map(form.format)
    except (KeyError, TypeError, ValueError) as error:
        raise rr.ResultError(f"{file}: {error.args[0]}, expected what compare-transports has written") from None
    return rr.format_markdown((list(TABLE.values()), data.replace("", "-").astype(str).values.tolist()))


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
