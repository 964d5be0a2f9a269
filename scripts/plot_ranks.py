#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what the ranks of a run did: ranks.png, from operations.csv (a program's --operations).

    plot_ranks.py RUN [--out DIR] [--from TIME] [--to TIME] [--ranks FIRST-LAST] [--job JOB]

A row for each rank, coloured by what it did over time; of many ranks, neighbours share a row, whose colours are mixed. Below is which
share of the ranks did what. A message is under way at its sender until its send is done, and at its receiver from when it is sent,
and the receive is posted, until the receive is done. A rank is idle if it computes nothing and none of its messages is under way.
"""

import argparse
import os
from typing import Optional, Tuple

import numpy as np
import pandas as pd

import roce_results as rr
from roce_plot import axes, look, series

BINS = 1400  # of time; a pixel each
MOST_ROWS = 256  # of ranks; beyond, some share one
WIDTH, HEIGHT, SHARES = 10.5, 6.8, 1.1  # inches: of the figure, at most of all rows, of the shares below
# What a rank does, with its colour.
STATES = {"compute": look.COLOURS[0], "both": look.COLOURS[2], "messages": look.COLOURS[1], "idle": "#EAEAEA"}
NUMBERS = ("job", "rank", "iteration", "sent_ns", "start_ns", "end_ns")


def read(folder: str, job: Optional[int], ranks: Optional[Tuple[int, int]]) -> pd.DataFrame:
    """Operations that have started: kind, iteration, and begin and end in us, those that are not done until the last of all.

    Columns job and rank; row is the place of both among those that are there. A receive begins when its message is on its way."""
    file, data = series.table(folder, "operations.csv", ("kind",), NUMBERS, "a run with --operations", gaps=NUMBERS[2:])
    series.refuse(file, data, ~data["kind"].isin(["calc", "send", "recv"]), "kind: expected calc, send or recv")
    if job is not None:
        data = data[data["job"] == job]
    if ranks:
        data = data[data["rank"].between(*ranks)]
    if data.empty:
        raise rr.ResultError(f"{file}: no operation of these ranks")
    data = data.assign(row=data.groupby(["job", "rank"]).ngroup())
    data["end"] = data["end_ns"].fillna(data[["start_ns", "end_ns"]].max().max()) / 1000
    begin = data["start_ns"].where(data["kind"] != "recv", data[["start_ns", "sent_ns"]].max(axis=1, skipna=False))
    return data.assign(begin=begin / 1000).drop(columns=["start_ns", "end_ns", "sent_ns"])


def covered(data: pd.DataFrame, rows: int, edges: np.ndarray) -> np.ndarray:
    """Which share of each bin operations cover, by row and bin; where they overlap, it counts once."""
    # All rows one after the other on one axis, far enough from each other.
    first, last = edges[0], edges[-1]
    stride = 2 * (last - first)
    data = data[(data["end"] > first) & (data["begin"] < last)].sort_values(["row", "begin"], kind="stable")
    begin = data["begin"].clip(lower=first).to_numpy() - first + stride * data["row"].to_numpy()
    end = data["end"].clip(upper=last).to_numpy() - first + stride * data["row"].to_numpy()
    reached = np.maximum.accumulate(end) if len(end) else end
    begin = np.maximum(begin, np.append(-1.0, reached[:-1])) if len(end) else begin  # what others have covered
    length = np.clip(end - begin, 0, None)
    points = np.column_stack([begin, begin + length]).ravel()
    done = np.column_stack([np.cumsum(length) - length, np.cumsum(length)]).ravel()
    at = (edges - first)[None, :] + stride * np.arange(rows)[:, None]
    total = np.interp(at.ravel(), points, done, left=0.0).reshape(at.shape) if len(points) else np.zeros(at.shape)
    return np.diff(total, axis=1) / np.diff(edges)


def shares_of(data: pd.DataFrame, edges: np.ndarray) -> np.ndarray:
    """How much of each bin a row was in each of STATES: by state, row and bin."""
    rows = int(data["row"].max()) + 1
    data = data.dropna(subset=["begin"])
    calc = data["kind"] == "calc"
    computes, messages, either = (covered(part, rows, edges) for part in (data[calc], data[~calc], data))
    return np.clip([either - messages, computes + messages - either, either - computes, 1 - either], 0, 1)


def label_rows(ax, names: pd.DataFrame, height: float) -> None:
    """Numbers of ranks beside as many rows as there is room for, lines between jobs. @param names job and rank of each row"""
    several = names["job"].nunique() > 1
    step = 1
    while len(names) / step > height / 0.14:
        step *= 2
    starts = np.flatnonzero(names["job"].diff().fillna(1) != 0)
    ticks = [row for first, last in zip(starts, [*starts[1:], len(names)]) for row in range(first, last, step)]
    ax.hlines(starts[1:], *ax.get_xlim(), color=look.DARK, linewidth=0.8)
    jobs = names["job"].to_numpy()
    ax.set_yticks(np.array(ticks) + 0.5, [(f"job {jobs[t]:g}: " if several and t in starts else "") + f"{names['rank'].iloc[t]:g}"
                                          for t in ticks], fontsize=look.SMALL)
    ax.set_ylabel("rank")
    ax.tick_params(axis="y", length=0)


def plot(data: pd.DataFrame, path: str, begin: float, end: float) -> None:
    """@param data see read()"""
    from matplotlib.colors import to_rgb

    edges = np.linspace(begin, end, BINS + 1)
    names = data.drop_duplicates("row").sort_values("row")[["job", "rank"]]
    shares = shares_of(data, edges)
    rows, first, count = axes.fewer_rows(shares, names["job"].to_numpy(), MOST_ROWS, np.add)
    height = min(HEIGHT, max(1.0, 0.3 * len(first)))
    figure = look.Figure(2, 1, WIDTH, (height + SHARES + 0.3) / 2, True, sharex=True, gridspec_kw={"height_ratios": (height, SHARES)})
    ax, below = figure.panels
    colours = np.array([to_rgb(colour) for colour in STATES.values()])
    ax.imshow(np.tensordot(rows, colours, axes=(0, 0)).clip(0, 1), aspect="auto", interpolation="nearest",
              extent=(begin, end, len(first), 0))
    ax.grid(False)
    for state, of_rows in zip(STATES, rows):
        axes.record_rows(ax, of_rows, [f"{names['job'].iloc[row]:g}:{names['rank'].iloc[row]:g}" for row in first], edges, state)
    label_rows(ax, names.iloc[first].reset_index(drop=True), height)
    below.stackplot(np.repeat(edges, 2)[1:-1], np.repeat(100 * shares.mean(axis=1), 2, axis=1), colors=list(STATES.values()), linewidth=0)
    for state, of_all in zip(STATES, shares.mean(axis=1)):
        axes.record_rows(below, [of_all], ["all"], edges, state)
    below.set(xlim=(begin, end), ylim=(0, 100), ylabel="ranks")
    below.yaxis.set_major_formatter(lambda value, _: f"{value:g} %")
    iterations = data.groupby(["job", "iteration"])["begin"].min()  # of those that have one
    below.vlines(iterations, 0, 100, color=look.DARK, linewidth=0.6)
    look.scale(below.xaxis, "us", end, "simulated time")
    total = shares.mean(axis=(1, 2))
    shown = {f"{state}: {100 * share:.1f} %": {"color": colour} for (state, colour), share in zip(STATES.items(), total)}
    lines = ["Ranks compute, have messages under way, or both; messages without computation are exposed communication. Idle ranks wait for "
             "what nobody has sent yet, or are done." + (" Lines below: starts of iterations." if len(iterations) else "")]
    if count > 1:
        lines.append(f"{count} ranks share a row, whose colours are mixed.")
    figure.save(path, look.keys(shown, "bar"), lines)


def span_of(text: str) -> Tuple[int, int]:
    """FIRST-LAST, or one number."""
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise argparse.ArgumentTypeError(f"'{text}', expected for example 0-63")
    return int(first), int(last or first)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN", help="run folder")
    parser.add_argument("--out", metavar="DIR", help="where to write the picture (RUN)")
    parser.add_argument("--from", type=rr.time_us, default=0.0, dest="begin", metavar="TIME", help="start of what is drawn, such as 500us")
    parser.add_argument("--to", type=rr.time_us, dest="end", metavar="TIME", help="its end (the last operation's)")
    parser.add_argument("--ranks", type=span_of, metavar="FIRST-LAST", help="these only, for example 0-63")
    parser.add_argument("--job", type=int, help="its ranks only")
    look.add_style(parser)
    args = parser.parse_args()
    data = read(args.run, args.job, args.ranks)
    end = data["end"].max() if args.end is None else args.end
    if end <= args.begin:
        raise rr.ResultError(f"--to {end:g} us, expected more than --from {args.begin:g} us")
    path = os.path.join(args.out or args.run, "ranks.png")
    plot(data, path, args.begin, end)
    print(path)
    return 0


if __name__ == "__main__":
    rr.run_main(main)
