#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Plot slowdown by flow size and the distribution of flow completion times.

    plot_fct.py RUN... --out DIR

writes slowdown-by-size.png and fct-cdf.png. Flows are put into bins of about equal count by size
(flows of one size stay together), and a bin is drawn at the median of its sizes.
"""

import argparse
import os
import textwrap
from typing import List, Sequence, Tuple

import roce_results as rr

MAX_BINS = 20
FLOWS_PER_BIN = 100  # below this, the 99th percentile is the largest value
MIN_BINS = 4


BYTE_UNITS = (("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1))
TIME_UNITS_US = (("s", 1e6), ("ms", 1e3), ("\u00b5s", 1), ("ns", 1e-3))


def unit_of(value: float, units: Sequence[Tuple[str, float]]) -> Tuple[str, float]:
    """The largest unit not above the value, with its factor; the smallest unit below all."""
    return next((u for u in units if abs(value) >= u[1]), units[-1])


def format_bytes(value: float, _position=None) -> str:
    """Tick label: 10 KB, 1.5 MB (decimal units)."""
    unit, factor = unit_of(value, BYTE_UNITS)
    return f"{value / factor:.3g} {unit}"


def format_time_us(value: float, _position=None) -> str:
    """Tick label of a time in microseconds: 500 ns, 10 us, 2 ms."""
    unit, factor = unit_of(value, TIME_UNITS_US)
    return f"{value / factor:.3g} {unit}"


def finish_layout(fig, handles: Sequence, lines: Sequence[str]) -> None:
    """Put one legend above all panels and a caption below them, and fit the panels between.

    @param handles what the legend shows; their labels name them
    @param lines paragraphs of the caption, wrapped to the figure's width
    """
    width, height = fig.get_size_inches()
    top = 1.0
    if handles:
        longest = max(len(h.get_label()) for h in handles)
        columns = max(1, int((width - 0.3) / (0.55 + 0.085 * longest)))
        columns = min(columns, len(handles))
        rows = -(-len(handles) // columns)
        fig.legend(handles=handles, loc="upper left", ncol=columns, bbox_to_anchor=(0.0, 1.0))
        top = 1 - (0.18 * rows + 0.12) / height
    wrapped = [w for line in lines for w in textwrap.wrap(line, int(width * 17.5))]
    fig.text(0.12 / width, 0.1 / height, "\n".join(wrapped), va="bottom", fontsize=7.5,
             color=rr.MUTED, linespacing=1.35)
    bottom = (0.14 + 0.145 * len(wrapped)) / height
    fig.tight_layout(rect=(0, bottom, 1, top))


def panel_grid(plt, count: int, columns: int, width: float, height: float, **shared) -> tuple:
    """A figure with room for that many panels in rows.

    @param width of the figure, inches
    @param height of a row
    @return the figure and its panels
    """
    rows = -(-count // columns)
    fig, axes = plt.subplots(rows, columns, squeeze=False, figsize=(width, height * rows + 0.8),
                             **shared)
    for ax in axes.flat[count:]:
        ax.set_visible(False)
    return fig, list(axes.flat[:count])


def turn_labels(ax, labels: Sequence[str], columns: int, width: float) -> None:
    """Turn the labels of the x axis if they would not fit side by side."""
    if ax.get_xticklabels() and sum(len(x) + 2 for x in labels) * columns > 9 * width:
        for label in ax.get_xticklabels():
            label.set(rotation=30, ha="right", rotation_mode="anchor")


def log_values(ax, bottom: float, top: float) -> None:
    """A logarithmic y axis with plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    ax.set_yscale("log", nonpositive="clip")
    ax.set_ylim(bottom, top)
    ratio = top / bottom
    subs = (1, 1.2, 1.5, 2, 3, 4, 5, 7) if ratio < 5 else (1, 2, 5) if ratio < 300 else (1,)
    ax.yaxis.set_major_locator(MaxNLocator(5) if ratio < 2 else LogLocator(subs=subs))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def save_figure(fig, path: str) -> None:
    """Write a PNG at 150 dpi, making its folder."""
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        # Without the writing program's version the same data give the same file.
        fig.savefig(path, metadata={"Software": None})
    except OSError as error:
        raise rr.ResultError(f"{path}: {error.strerror}") from None


def used_scopes(runs: Sequence[rr.Run]) -> List[str]:
    """intra and inter, as far as there are finished flows."""
    scopes = [s for s in ("intra", "inter") if any(f.finished for r in runs for f in r.scope(s))]
    if not scopes:
        raise rr.ResultError("no finished flows in these runs: nothing to plot")
    return scopes


def finish(fig, runs: Sequence[rr.Run], lines: Sequence[str]) -> None:
    """Legend of the runs (each is in it, drawn or not), caption, layout."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=r.label, **rr.run_style(i)) for i, r in enumerate(runs)]
    finish_layout(fig, handles, lines)


def unfinished_note(runs: Sequence[rr.Run], text: str) -> List[str]:
    """A caption line on unfinished flows, if there are any."""
    parts = []
    for run in runs:
        count = sum(not f.finished for f in run.flows)
        if count:
            parts.append(f"{run.label} {count} of {len(run.flows)}")
    return [f"Unfinished flows {text}: {', '.join(parts)}."] if parts else []


def plot_slowdown(runs: Sequence[rr.Run], path: str) -> None:
    """Median and 99th percentile of the slowdown over flow size; one column of panels per scope."""
    plt = rr.apply_style()
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    scopes = used_scopes(runs)
    rows = (("median", 500_000), ("P99", 990_000))
    fig, axes = plt.subplots(
        len(rows),
        len(scopes),
        figsize=(4.6 * len(scopes) + 0.6, 6.2),
        sharex="col",
        sharey="row",
        squeeze=False,
    )
    small_bins = False
    for c, scope in enumerate(scopes):
        for index, run in enumerate(runs):
            flows = [f for f in run.scope(scope) if f.finished]
            if not flows:
                continue
            wanted = max(MIN_BINS, min(MAX_BINS, len(flows) // FLOWS_PER_BIN))
            bins = rr.equal_count_bins(flows, wanted)
            small_bins |= any(len(b) < FLOWS_PER_BIN for b in bins)
            x = [max(1, rr.percentile([f.size for f in b], 500_000)) for b in bins]
            values = [sorted(f.slowdown for f in b) for b in bins]
            for r, (_, per_million) in enumerate(rows):
                y = [rr.percentile(v, per_million) for v in values]
                axes[r][c].plot(x, y, markeredgecolor="white", markeredgewidth=0.5,
                                **rr.run_style(index))
        axes[0][c].set_title(rr.SCOPE_TITLES[scope])
        axes[-1][c].set_xlabel("flow size (bytes, log scale)")
        axes[-1][c].set_xscale("log")
        axes[-1][c].xaxis.set_major_formatter(FuncFormatter(format_bytes))
    for r, (name, _) in enumerate(rows):
        axes[r][0].set_ylabel(f"{name} slowdown (log scale)")
        for ax in axes[r]:
            ax.set_yscale("log")
            ax.axhline(1, color="#888888", linewidth=0.9, zorder=1.9)
        log_number_axis(axes[r], LogLocator, FuncFormatter, NullFormatter)
    lines = ["Slowdown = FCT / FCT of the same flow on an empty network (grey line: 1). "
             + rr.PERCENTILE_NOTE,
             f"Each point: about 1/{MAX_BINS} of the run's finished flows in the panel (larger "
             f"bins if there are fewer than {MAX_BINS * FLOWS_PER_BIN}), drawn at the bin's "
             "median size."]
    if small_bins:
        lines.append(f"Some bins have fewer than {FLOWS_PER_BIN} flows: their P99 is the maximum.")
    finish(fig, runs, lines + unfinished_note(runs, "not included"))
    save_figure(fig, path)
    plt.close(fig)


def log_number_axis(axes, locator, formatter, no_labels) -> None:
    """Plain numbers on the shared logarithmic y axis of a row of panels, and always 1 on it."""
    low = min([1] + [ax.dataLim.y0 for ax in axes])
    high = max([low * 1.5] + [ax.dataLim.y1 for ax in axes])
    axes[0].set_ylim(low * (high / low) ** -0.06, high * (high / low) ** 0.06)
    ratio = high / low
    subs = (1, 1.2, 1.4, 1.6, 2, 2.5, 3, 4, 5, 7) if ratio < 4 else (1, 1.5, 2, 3, 5, 7)
    if ratio > 12:
        subs = (1, 2, 5) if ratio < 300 else (1,)
    for ax in axes:
        ax.yaxis.set_major_locator(locator(subs=subs))
        ax.yaxis.set_major_formatter(formatter(lambda v, _: f"{v:g}"))
        ax.yaxis.set_minor_formatter(no_labels())
        ax.yaxis.grid(False, which="minor")


def time_axis(ax, locator, formatter, no_labels) -> None:
    """A logarithmic axis of microseconds, labelled with units."""
    ax.set_xscale("log")
    low, high = ax.dataLim.intervalx
    subs = (1, 2, 5) if high / low < 60 else (1,)
    ax.xaxis.set_major_locator(locator(subs=subs))
    ax.xaxis.set_major_formatter(formatter(format_time_us))
    ax.xaxis.set_minor_formatter(no_labels())


def plot_cdf(runs: Sequence[rr.Run], path: str) -> None:
    """Distribution of flow completion times, one panel per scope."""
    plt = rr.apply_style()
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter

    scopes = used_scopes(runs)
    fig, axes = plt.subplots(
        1,
        len(scopes),
        figsize=(4.6 * len(scopes) + 0.6, 4.1),
        sharey=True,
        squeeze=False,
    )
    for ax, scope in zip(axes[0], scopes):
        for index, run in enumerate(runs):
            flows = run.scope(scope)
            x = sorted(f.fct_ps / 1e6 for f in flows if f.finished)
            if not x:
                continue
            # Of all flows: a curve that ends below 100 % says that flows did not finish.
            y = [100 * (i + 1) / len(flows) for i in range(len(x))]
            style = rr.run_style(index)
            style["marker"] = ""
            ax.plot([x[0]] + x, [0] + y, drawstyle="steps-post", **style)
            # One marker per decile tells close curves apart without colour.
            at = [rr.nearest_rank(len(x), p * 100_000 + 50_000) - 1 for p in range(10)]
            ax.plot([x[i] for i in at], [y[i] for i in at], linestyle="", color=style["color"],
                    marker=rr.run_style(index)["marker"], markeredgecolor="white",
                    markeredgewidth=0.5)
        ax.set_title(rr.SCOPE_TITLES[scope])
        time_axis(ax, LogLocator, FuncFormatter, NullFormatter)
        ax.set_xlabel("flow completion time (log scale)")
        ax.set_ylim(0, 101)
        ax.yaxis.set_major_formatter(PercentFormatter(decimals=0))
    axes[0][0].set_ylabel("flows that finished within")
    lines = ["FCT: from the start of the flow to the sender's last ACK. Markers at each tenth."]
    finish(fig, runs, lines + unfinished_note(runs, "count as longer than any time shown"))
    save_figure(fig, path)
    plt.close(fig)


def plot(runs: Sequence[rr.Run], out: str) -> List[str]:
    """Both plots.

    @return the files written
    """
    files = [os.path.join(out, "slowdown-by-size.png"), os.path.join(out, "fct-cdf.png")]
    plot_slowdown(runs, files[0])
    plot_cdf(runs, files[1])
    return files


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    rr.add_run_arguments(parser)
    parser.add_argument("--out", default=".", metavar="DIR", help="where to write the PNGs")
    args = parser.parse_args()
    for file in plot(rr.load_runs(args.runs, args.labels, args.warmup_ns), args.out):
        print(file)
    return 0


if __name__ == "__main__":
    rr.run_main(main)
