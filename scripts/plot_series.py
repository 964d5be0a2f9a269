#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plot the time series of a run.

    plot_series.py RUN [--out DIR] [--from TIME] [--to TIME]

writes series.png, with panels for each of these tables that the run folder has: queues.csv, rates.csv (goodput, and the rate that
the rate law allows), transport.csv, pauses.csv, utilisation.csv, notifications.csv (how many of each kind), and those of systems:
pfr.csv (WRCC), voqs.csv (BiCC), pfq.csv and mlcc.csv (MLCC). Each panel shows those queues, flows or ports with the largest values,
of fair rates the least. Both what was sampled and what was recorded on change is drawn; names of nodes come from "nodeNames" in
summary.json.
"""

import argparse
import math
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
          "transport": (("variable", "flow"), "value"), "pauses": (PORT, "paused_ns"), "utilisation": (PORT[:2], "utilisation"),
          "pfr": (PORT[:2], "fair_rate_bps", "queue_bytes", "threshold_bytes", "pauses"),
          "voqs": ((*PORT[:2], "voq"), "queue_bytes", "rate_bps"), "pfq": (("node", "src", "qp"), "queue_bytes", "rate_bps", "flow"),
          "mlcc": (("variable", "flow"), "value"), "notifications": (("kind",), "flow")}
QUEUES = {"queues": "queue", "voqs": "VOQ", "pfq": "flow's queue"}  # panels of bytes
RATES = {"voqs": "VOQ's rate", "pfq": "queue's rate"}
MICRO_LOOPS = {"r_ns_bps": "near source (Gbit/s)", "r_credit_bps": "credit (Gbit/s)", "rbar_bps": "receiver's DQM (Gbit/s)"}


def read_tables(folder: str, names: Dict[str, str]) -> Dict[str, pd.DataFrame]:
    """The tables that a folder has, with the columns series and value. @param names of nodes"""
    tables = {}
    for table, (keys, value, *more) in TABLES.items():
        if os.path.exists(roce_manifest.file_of(folder, f"{table}.csv")):
            data = series.read(folder, f"{table}.csv", keys, [value, *more], gaps=True).fillna({value: 0.0, **dict.fromkeys(more, 0.0)})
            if len(data):
                data = data.rename(columns={value: "value"})
                tables[table] = data.assign(series=series_of(data, keys)) if not set(PORT[:2]) <= set(keys) else pd.concat(
                    part.assign(series=f"{port} VOQ " + part["voq"].astype(str) if "voq" in keys else port)
                    for port, *_, part in series.by_port(data, names))
    return tables


def series_of(data: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """What the rows of a table that is not of ports are about, for each row."""
    if "kind" in keys:
        return data["kind"].astype(str)
    if "qp" in keys:  # with a connection of several flows, it is none of them
        flows = data.groupby(list(keys), observed=True)["flow"].transform("nunique")
        return ("flow " + data["flow"].astype(int).astype(str)).where(
            flows == 1, "nic" + data["src"].astype(str) + " QP " + data["qp"].astype(str))
    return "flow " + data["flow"].astype(str)


def growth(time_us: np.ndarray, counts: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """How fast a count grows in each bin, per us; it grows evenly between samples, which may be coarser than bins."""
    return np.diff(np.interp(edges, time_us, counts, left=0)) / (edges[1] - edges[0])


def interval_of(table: str, data: pd.DataFrame, summary: dict) -> Optional[float]:
    """Most frequent time between samples, us (the last one may be shorter); none if the table was written on change."""
    if summary.get("configuration", {}).get(table) == "change":
        return None
    times = data["time_us"].drop_duplicates().sort_values()
    gaps = times.diff().round(6).mode()
    return times.iloc[0] if gaps.empty else gaps[0]


def busy_share(data: pd.DataFrame, edges: np.ndarray, interval: Optional[float]) -> np.ndarray:
    """Average of a utilisation in each bin. @param interval between samples, or none: on change"""
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


def averages(data: pd.DataFrame, rate: Callable[[pd.DataFrame], np.ndarray], edges: np.ndarray) -> pd.DataFrame:
    """What `rate` makes of the rows of each series: a value for each bin."""
    return pd.concat(pd.DataFrame({"series": name, "time_us": edges[:-1], "value": rate(part)})
                     for name, part in data.groupby("series", sort=False))


def panels_of(tables: Dict[str, pd.DataFrame], summary: dict, top: int, variable: Optional[str], edges: np.ndarray
              ) -> Dict[Tuple[str, str], pd.DataFrame]:
    """What is drawn in each panel, by its table and title: the series with the largest values, the largest first.

    @param variable of the rate law, or none: its first"""
    found, flows = {}, []
    if "queues" in tables:
        found["queues", "queue"] = pick(tables["queues"], largest(tables["queues"], "max", top))
    if "rates" in tables:
        data = tables["rates"]
        flows = largest(data, "last", top)
        found["rates", "goodput (Gbit/s)"] = pick(averages(
            data, lambda part: 8e-3 * growth(part["time_us"], part["value"], edges), edges), flows)
        found["rates", "allowed rate (Gbit/s)"] = pick(data.assign(value=data["rate_bps"] / 1e9), flows)
    names = list(tables["transport"]["variable"].unique()) if "transport" in tables else []
    if variable is not None and variable not in names:
        raise rr.ResultError(f"--variable {variable}, expected one of {', '.join(names)}")
    for chosen in [variable] if variable else names[:1]:
        data = tables["transport"][tables["transport"]["variable"] == chosen]
        there = list(data["series"].unique())
        found["transport", chosen] = pick(data, [flow for flow in flows if flow in there] or there[:top])
    if "pauses" in tables:
        data = pick(tables["pauses"], largest(tables["pauses"], "last", 3 * top))
        found["pauses", "paused"] = strips(data, interval_of("pauses", tables["pauses"], summary))
    if "utilisation" in tables:
        interval = interval_of("utilisation", tables["utilisation"], summary)
        data = averages(tables["utilisation"], lambda part: busy_share(part, edges, interval), edges)
        found["utilisation", "utilisation of ports"] = pick(data, largest(data, "sum", top))
    found.update(panels_of_systems(tables, top))
    if "notifications" in tables:
        parts = tables["notifications"].groupby("series")["time_us"]
        found["notifications", f"notifications per {look.text_of('us')(edges[1] - edges[0])}"] = pd.concat(
            pd.DataFrame({"series": kind, "time_us": edges[:-1], "value": np.histogram(times, edges)[0]}) for kind, times in parts)
    return found


def panels_of_systems(tables: Dict[str, pd.DataFrame], top: int) -> Dict[Tuple[str, str], pd.DataFrame]:
    """The same for tables that systems have."""
    found = {}
    if "pfr" in tables:
        data = tables["pfr"]
        least = list(data.groupby("series", sort=False)["value"].min().sort_values(kind="stable").index[:top])
        data = pick(data, least)
        found["pfr", "fair rate (Gbit/s)"] = data.assign(value=data["value"] / 1e9)
        found["pfr", "Q_p (% of Q_max)"] = data.assign(
            value=100 * data["queue_bytes"] / data["threshold_bytes"].astype(float).replace(0, np.inf))
        if data["pauses"].any():
            found["pfr", "XOFFs in a period"] = data.assign(value=data["pauses"].astype(int))
    for table in ("voqs", "pfq"):
        if table in tables:
            data = pick(tables[table], largest(tables[table], "max", top))
            found[table, QUEUES[table]] = data
            found[table, f"{RATES[table]} (Gbit/s)"] = data.assign(value=data["rate_bps"] / 1e9)
    for variable, title in MICRO_LOOPS.items():
        data = tables["mlcc"][tables["mlcc"]["variable"] == variable] if "mlcc" in tables else pd.DataFrame()
        if len(data):
            rows = data.groupby("series", sort=False)["value"].size()
            found["mlcc", title] = pick(data.assign(value=data["value"] / 1e9), list(rows.sort_values(ascending=False, kind="stable").index[:top]))
    return found


def links_of(folder: str, summary: dict, edges: np.ndarray) -> pd.DataFrame:
    """How busy ports were in each bin: a row for each, NICs first and then switch by switch, as "neighbours" in summary.json."""
    data = series.read(folder, "utilisation.csv", ("port_name",), ["utilisation"]).rename(columns={"utilisation": "value"})
    interval = interval_of("utilisation", data, summary)
    busy = {name: busy_share(part, edges, interval) for name, part in data.groupby("port_name", observed=True)}
    ports = list(summary.get("neighbours", {})) or sorted(busy)
    if summary.get("configuration", {}).get("seriesPorts"):
        ports = [port for port in ports if port in busy]
    return pd.DataFrame({port: busy.get(port, np.zeros(len(edges) - 1)) for port in ports}).T


def plot_links(busy: pd.DataFrame, path: str, begin: float, end: float) -> None:
    """@param busy see links_of(); its columns share the time"""
    nodes = np.array(["NICs" if port.startswith("nic") else port.split(":")[0] for port in busy.index])
    shares, first, count = axes.fewer_rows(busy.to_numpy(), nodes, axes.HEAT_MOST, np.maximum)
    height = axes.HEAT_ROW * len(first) if len(first) <= axes.HEAT_NAMED else max(4.0, axes.HEAT_THIN * len(first))
    figure = look.Figure(1, 1, 10.5, height + 1.2, True)
    ax = figure.panels[0]
    axes.heat_rows(ax, shares, list(busy.index[first]), list(nodes[first]), (begin, end), height)
    look.scale(ax.xaxis, "us", end, "simulated time")
    figure.save(path, [], [f"How busy each port was, averages over {look.text_of('us')((end - begin) / busy.shape[1])}: white never, "
                           "darkest always. Lines part the ports of nodes, or of thin ones their kinds." +
                           (f" A row is the busiest of up to {count} neighbours." if count > 1 else "")])


def plot(panels: Dict[Tuple[str, str], pd.DataFrame], path: str, begin: float, end: float, top: int) -> None:
    figure = look.Figure(len(panels), 1, 10.5, 1.6, sharex=True)
    for ax, ((table, title), data) in zip(figure.panels, panels.items()):
        ax.set_ylabel(title, fontsize=look.SMALL)
        if table == "pauses":
            axes.strips(ax, data[data["end"] > begin])
            continue
        axes.over_time(ax, data, begin, end, look.styles(data["series"].unique()))
        axes.names_beside(ax)
        if data["value"].dtype.kind in "iu":  # counts
            ax.yaxis.get_major_locator().set_params(integer=True)
        if title in QUEUES.values():
            look.scale(ax.yaxis, "B", ax.get_ylim()[1], title)
        if ax.dataLim.y0 >= 0:
            ax.set_ylim(0, 1.05 if table == "utilisation" else None)
    figure.panels[-1].set_xlim(begin, end)
    look.scale(figure.panels[-1].xaxis, "us", end, "simulated time")
    figure.save(path, [], [f"The {top} longest queues, flows with most bytes, busiest ports and ports with the least fair rates. Goodput "
                           f"and utilisation are averages over {look.text_of('us')((end - begin) / BINS)}."])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("run", metavar="RUN", help="run folder")
    parser.add_argument("--out", metavar="DIR", help="where to write the pictures (RUN)")
    parser.add_argument("--from", type=rr.time_us, default=0.0, dest="begin", metavar="TIME", help="start of what is drawn, such as 500us")
    parser.add_argument("--to", type=rr.time_us, dest="end", metavar="TIME", help="its end (that of the run)")
    parser.add_argument("--top", type=int, default=4, help="queues, flows and ports (default 4)")
    parser.add_argument("--variable", help="of transport.csv (its first)")
    look.add_style(parser)
    args = parser.parse_args()
    if args.top < 1:
        raise rr.ResultError(f"--top {args.top}, expected at least 1")
    summary = rr.read_summary(args.run)
    tables = read_tables(args.run, summary.get("nodeNames", {}))
    if not tables:
        raise rr.ResultError(f"{args.run} has no time series; expected a run with --queues, --rates, --transport, --pauses, "
                             "--utilisation, --notifications or a system's (--pfr, --voqs, --pfq, --mlcc)")
    end = max(data["time_us"].max() for data in tables.values()) if args.end is None else args.end
    if end <= args.begin:
        raise rr.ResultError(f"--to {end:g} us, expected more than --from {args.begin:g} us")
    path = os.path.join(args.out or args.run, "series.png")
    plot(panels_of(tables, summary, args.top, args.variable, np.linspace(args.begin, end, BINS + 1)), path, args.begin, end, args.top)
    print(path)
    if "utilisation" in tables:
        path = os.path.join(args.out or args.run, "links.png")
        interval = interval_of("utilisation", tables["utilisation"], summary)
        bins = min(BINS, math.ceil((end - args.begin) / interval)) if interval else BINS
        plot_links(links_of(args.run, summary, np.linspace(args.begin, end, bins + 1)), path, args.begin, end)
        print(path)
    return 0


if __name__ == "__main__":
    rr.run_main(main)
