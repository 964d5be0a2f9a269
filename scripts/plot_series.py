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
import os
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import roce_results as rr
from roce_plot import axes, look, series
import numpy as np
import pandas as pd
import roce_manifest

BINS = 250  # of averages over time
PORT = ("node", "port", "class")
TABLES = {"queues": (PORT, "queue_bytes"), "rates": (("flow",), "acked_bytes", "rate_bps"),
          "transport": (("variable", "flow"), "value"), "pauses": (PORT, "paused_ns"), "utilisation": (PORT[:2], "utilisation")}


def growth(time_us: np.ndarray, counts: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """How fast a count grows in each bin, per us; it grows evenly between samples, which may be coarser than bins."""
    return np.diff(np.interp(edges, time_us, counts, left=0)) / (edges[1] - edges[0])


def sampling_interval(data: pd.DataFrame) -> float:
    """Most frequent time between samples, us; the last one may be shorter."""
    times = data["time_us"].drop_duplicates().sort_values()
    gaps = times.diff().round(6).mode()
    return times.iloc[0] if gaps.empty else gaps[0]


def busy_share(data: pd.DataFrame, edges: np.ndarray, interval: Optional[float]) -> np.ndarray:
    """Average of a utilisation in each bin.

    @param interval between samples, or none: on change
    """
    time, value = data["time_us"].to_numpy(), data["value"].to_numpy()
    before = np.append(0.0, time[:-1])
    if interval is None:
        return growth(time, np.append(0.0, np.cumsum(np.diff(time) * value[:-1])), edges)
    begin = np.maximum(before, time - interval)  # there are no rows while nothing is sent
    done = np.cumsum((time - begin) * value)
    return growth(np.column_stack([begin, time]).ravel(), np.column_stack([np.append(0.0, done[:-1]), done]).ravel(), edges)


def strips(data: pd.DataFrame, interval: Optional[float]) -> pd.DataFrame:
    """Columns series, begin, end, share of each stretch of time in which a port was paused."""
    before = data.groupby("series", sort=False)
    length = (data["value"] - before["value"].shift(fill_value=0.0)) / 1000  # pauses.csv counts nanoseconds
    begin = np.maximum(before["time_us"].shift(fill_value=0.0), data["time_us"] - (interval or length))
    found = pd.DataFrame({"series": data["series"], "begin": begin, "end": data["time_us"],
                          "share": (length / (data["time_us"] - begin).clip(lower=1e-9)).clip(upper=1)})
    return found[length > 0]


def largest(data: pd.DataFrame, of: str, count: int) -> List[str]:
    """The series with the largest values: their max, last or sum."""
    found = data.groupby("series", sort=False)["value"].agg(of)
    return list(found.sort_values(ascending=False, kind="stable").index[:count])


def pick(data: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """The rows of these series, in their order."""
    parts = data.groupby("series")
    return pd.concat([parts.get_group(name) for name in names]) if len(names) else data[:0]


class Run:
    """What a folder has."""

    def __init__(self, folder: str, top: int) -> None:
        self.folder, self.top, self.summary = folder, top, rr.read_summary(folder)
        self.tables = {}
        for name, (keys, *values) in TABLES.items():
            if os.path.exists(roce_manifest.file_of(folder, f"{name}.csv")):
                data = series.read(folder, f"{name}.csv", keys, values).fillna(dict.fromkeys(values, 0.0))
                names = self.summary.get("nodeNames", {})
                parts = [part.assign(series=port) for port, *_, part in series.by_port(data, names)] if "node" in keys else \
                    [data.assign(series="flow " + data["flow"].astype(str))]
                data = pd.concat(parts) if parts else data.assign(series="")
                if not data.empty:
                    self.tables[name] = data.rename(columns={values[0]: "value"})

    def end_us(self) -> float:
        """Time of the last row of any table."""
        return max((data["time_us"].max() for data in self.tables.values()), default=0.0)

    def interval(self, table: str) -> Optional[float]:
        """Time between samples; none if the table was written on change."""
        mode = self.summary.get("configuration", {}).get(table)
        return None if mode == "change" else sampling_interval(self.tables[table])

    def variable(self, name: Optional[str]) -> Optional[str]:
        """The variable of the rate law that is drawn."""
        names = list(self.tables["transport"]["variable"].unique()) if "transport" in self.tables else []
        if name is not None and name not in names:
            raise rr.ResultError(f"--variable {name}, expected one of {', '.join(names)}")
        return name or next(iter(names), None)

    def averages(self, table: str, rate: Callable[[pd.DataFrame], np.ndarray], edges: np.ndarray) -> pd.DataFrame:
        """What `rate` makes of the rows of each series of a table: a value for each bin."""
        return pd.concat(pd.DataFrame({"series": name, "time_us": edges[:-1], "value": rate(part)})
                         for name, part in self.tables[table].groupby("series", sort=False))

    def panels(self, variable: Optional[str], begin: float, end: float) -> Dict[Tuple[str, str], pd.DataFrame]:
        """What is drawn in each panel, by its table and title: the series with the largest values, the largest first."""
        edges = np.linspace(begin, end, BINS + 1)
        found, flows, tables, chosen = {}, [], self.tables, self.variable(variable)
        if "queues" in tables:
            found["queues", "queue"] = pick(tables["queues"], largest(tables["queues"], "max", self.top))
        if "rates" in tables:
            flows = largest(tables["rates"], "last", self.top)
            found["rates", "goodput (Gbit/s)"] = pick(self.averages(
                "rates", lambda part: 8e-3 * growth(part["time_us"], part["value"], edges), edges), flows)
            found["rates", "allowed rate (Gbit/s)"] = pick(tables["rates"].assign(value=tables["rates"]["rate_bps"] / 1e9), flows)
        if chosen:
            data = tables["transport"][tables["transport"]["variable"] == chosen]
            there = list(data["series"].unique())
            found["transport", chosen] = pick(data, [flow for flow in flows if flow in there] or there[:self.top])
        if "pauses" in tables:
            found["pauses", "paused"] = pick(tables["pauses"], largest(tables["pauses"], "last", 3 * self.top))
        if "utilisation" in tables:
            interval = self.interval("utilisation")
            data = self.averages("utilisation", lambda part: busy_share(part, edges, interval), edges)
            found["utilisation", "utilisation of ports"] = pick(data, largest(data, "sum", self.top))
        return found


def plot(run: Run, path: str, begin: float, end: float, variable: Optional[str]) -> None:
    """The figure."""
    panels = run.panels(variable, begin, end)
    figure = look.Figure(len(panels), 1, 10.5, 1.6, sharex=True)
    for ax, ((table, title), data) in zip(figure.panels, panels.items()):
        ax.set_ylabel(title, fontsize=look.SMALL)
        if table == "pauses":
            paused = strips(data, run.interval("pauses"))
            axes.strips(ax, paused[paused["end"] > begin])
            continue
        axes.over_time(ax, data, begin, end, look.styles(data["series"].unique()))
        axes.names_beside(ax)
        if table == "queues":
            look.scale(ax.yaxis, "B", ax.get_ylim()[1], title)
        if table == "utilisation":
            ax.set_ylim(0, 1.05)
        elif ax.get_lines() and ax.dataLim.y0 >= 0:
            ax.set_ylim(bottom=0)
    figure.panels[-1].set_xlim(begin, end)
    look.scale(figure.panels[-1].xaxis, "us", end, "simulated time")
    figure.save(path, [], [f"The {run.top} longest queues, flows with most bytes and busiest ports. Goodput and utilisation are "
                           f"averages over {look.text_of('us')((end - begin) / BINS)}."])


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
    if not run.tables:
        raise rr.ResultError(f"{run.folder} has no time series; expected a run with --queues, --rates, --transport, --pauses or "
                             "--utilisation")
    end = run.end_us() if args.end is None else args.end
    if end <= args.begin:
        raise rr.ResultError(f"--to {end}, expected more than --from {args.begin}")
    path = os.path.join(args.out or args.run, "series.png")
    plot(run, path, args.begin, end, args.variable)
    print(path)
    return 0


if __name__ == "__main__":
    rr.run_main(main)
