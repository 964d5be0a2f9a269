#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plot slowdown by flow size and the distribution of flow completion times.

    plot_fct.py RUN... --out DIR

writes slowdown-by-size.png and fct-cdf.png, and beside each an SVG, a PDF and its data as NAME-data.csv. Flows are put into bins of about equal count by size (flows of one size stay
together), and a bin is drawn at the median of its sizes.
"""

import argparse
import os
from typing import Dict, List, Optional, Sequence

import roce_results as rr
from roce_plot import axes, look
import pandas as pd

MAX_BINS = 20
FLOWS_PER_BIN = 100  # below this, the 99th percentile is the largest value
MIN_BINS = 4
STATISTICS = ("p50", "p99")
WIDTH = 4.6  # of a panel, inches
Styles = Optional[Dict[str, dict]]


def scopes_of(runs: Sequence[rr.Run]) -> List[str]:
    """intra and inter, as far as there are finished flows."""
    scopes = [s for s in ("intra", "inter") if any(f.finished for r in runs for f in r.scope(s))]
    if not scopes:
        raise rr.ResultError("no finished flows in these runs: nothing to plot")
    return scopes


def unfinished_note(runs: Sequence[rr.Run], text: str) -> List[str]:
    """A caption line on unfinished flows, if there are any."""
    counts = [(run.label, sum(not f.finished for f in run.flows), len(run.flows)) for run in runs]
    parts = [f"{label} {unfinished} of {flows}" for label, unfinished, flows in counts if unfinished]
    return [f"Unfinished flows {text}: {', '.join(parts)}."] if parts else []


def statistic_of(values: Sequence[float], name: str) -> float:
    """The mean or a percentile of sorted values."""
    return sum(values) / len(values) if name == "mean" else rr.percentile(values, per_million(name))


def per_million(name: str) -> int:
    """p99.9 as 999000; 0 of the mean."""
    return 0 if name == "mean" else round(float(name[1:]) * 10_000)


def slowdowns(runs: Sequence[rr.Run], statistics: Sequence[str] = STATISTICS) -> pd.DataFrame:
    """A row for each bin of sizes: series, scope, flows, x (the median of sizes), and statistics of the slowdown."""
    rows = []
    for run in runs:
        for scope in ("intra", "inter"):
            flows = [f for f in run.scope(scope) if f.finished]
            for group in rr.equal_count_bins(flows, max(MIN_BINS, min(MAX_BINS, len(flows) // needed(statistics)))):
                values = sorted(f.slowdown for f in group)
                rows.append((run.label, scope, len(group), max(1, rr.percentile([f.size for f in group], 500_000)),
                             *(statistic_of(values, name) for name in statistics)))
    return pd.DataFrame(rows, columns=["series", "scope", "flows", "x", *statistics])


def needed(statistics: Sequence[str]) -> int:
    """Flows of a bin, of which the highest percentile is not the largest value."""
    return max([FLOWS_PER_BIN] + [-(-1_000_000 // (1_000_000 - per_million(name))) for name in statistics])


def plot_slowdown(runs: Sequence[rr.Run], path: str, shown: Styles = None, statistics: Sequence[str] = STATISTICS) -> None:
    """Statistics of the slowdown over flow size, median and 99th percentile; one column of panels per scope."""
    scopes, data = scopes_of(runs), slowdowns(runs, statistics)
    shown = shown or look.styles(r.label for r in runs)
    figure = look.Figure(len(statistics) * len(scopes), len(scopes), WIDTH * len(scopes) + 0.6, 2.7, sharex="col", sharey="row")
    for i, ax in enumerate(figure.panels):
        name, scope = statistics[i // len(scopes)], scopes[i % len(scopes)]
        part = data[data["scope"] == scope]
        axes.curves(ax, part.assign(y=part[name]), shown)
        ax.axhline(1, color="#888888", linewidth=0.9, zorder=1.9)
        low, high = min(1, data[name].min()), max(1.5, data[name].max())
        look.logarithmic(ax.yaxis, low * (high / low) ** -0.06, high * (high / low) ** 0.06)
        look.logarithmic(ax.xaxis, part["x"].min() / 1.3, part["x"].max() * 1.3, "B")
        if i < len(scopes):
            ax.set_title(rr.SCOPE_TITLES[scope])
        if i >= len(figure.panels) - len(scopes):
            ax.set_xlabel("flow size (log scale)")
        if i % len(scopes) == 0:
            label = f"{'median' if name == 'p50' else name.replace('p', 'P')} slowdown (log scale)"
            ax.set_ylabel(label if look.LOOK.words else label.replace(" (", "\n("))
    lines = ["Slowdown = FCT / FCT of the same flow on an empty network (grey line: 1). " + rr.PERCENTILE_NOTE,
             f"Each point: about 1/{MAX_BINS} of the run's finished flows in the panel (larger bins if there are fewer than "
             f"{MAX_BINS * needed(statistics)}), drawn at the bin's median size."]
    if (data["flows"] < needed(statistics)).any():
        highest = max(statistics, key=per_million)
        lines.append(f"Some bins have fewer than {needed(statistics)} flows: their {highest.replace('p', 'P')} is the maximum.")
    figure.save(path, look.keys(shown), lines + unfinished_note(runs, "not included"))


def plot_cdf(runs: Sequence[rr.Run], path: str, shown: Styles = None) -> None:
    """Distribution of flow completion times, one panel per scope."""
    scopes = scopes_of(runs)
    shown = shown or look.styles(r.label for r in runs)
    figure = look.Figure(len(scopes), len(scopes), WIDTH * len(scopes) + 0.6, 3.3, sharey=True)
    for ax, scope in zip(figure.panels, scopes):
        axes.cdf(ax, pd.DataFrame([(r.label, f.fct_ps / 1e6 if f.finished else None) for r in runs for f in r.scope(scope)],
                                  columns=["series", "value"]), shown)
        ax.set_title(rr.SCOPE_TITLES[scope])
        ax.set_xlabel("flow completion time (log scale)")
    figure.panels[0].set_ylabel("flows that finished within")
    figure.save(path, look.keys(shown), ["FCT: from the start of the flow to the sender's last ACK. Markers at each tenth.",
                                         *unfinished_note(runs, "count as longer than any time shown")])


def plot(runs: Sequence[rr.Run], out: str) -> List[str]:
    """Both plots. @return the files written"""
    files = [os.path.join(out, "slowdown-by-size.png"), os.path.join(out, "fct-cdf.png")]
    plot_slowdown(runs, files[0])
    plot_cdf(runs, files[1])
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    rr.add_run_arguments(parser)
    parser.add_argument("--out", default=".", metavar="DIR", help="where to write the figures")
    look.add_style(parser)
    args = parser.parse_args()
    print("\n".join(plot(rr.load_runs(args), args.out)))
    return 0


if __name__ == "__main__":
    rr.run_main(main)
