# SPDX-License-Identifier: GPL-2.0-only
"""What the page of a run holds, from the files of its folder. What is large is thinned, so that a browser opens the page at once."""

import base64
import csv
import json
import os
import re
from typing import Dict, List, NamedTuple, Tuple

import numpy as np
import pandas as pd
import plot_series
import roce_manifest
import roce_results as rr
from roce_plot import look, series

MOST_FLOWS = 100_000
FLOWS_WITH_LINES = 2_000
MOST_POINTS = 150_000  # of a table's lines
BINS, FEWEST_BINS = 800, 50  # of a line; of each the least, the greatest and the last value are kept
RATE_BINS = 200
HEAT_BINS, HEAT_CELLS = 400, 1_000_000
SUBJECTS = {"flow": "flow", "port_name": "port", "node_name": "node"}  # by the first of these columns that a table has
PARTS = ("node_name", "class", "variable", "voq")  # columns that part the lines of a subject
NO_VALUES = {"time_ns", "node", "port", "src", "dst", "qp", "tx_bytes", *SUBJECTS, *PARTS}
GROWING = {"acked_bytes": "goodput_bps", "sent_bytes": "sent_bps"}  # counts, and the rates that are drawn in their place
HEATS = {"utilisation.csv": ("utilisation", "busy"), "queues.csv": ("queue_bytes", "queue"), "pauses.csv": ("paused_ns", "paused")}


class Line(NamedTuple):
    """A value of a flow, a port, a node or the run; it holds until the next one."""

    table: str
    subject: str
    of: str
    name: str
    ns: np.ndarray
    values: np.ndarray


# ------------------------------------------------------------------------------------------ lines


def tables(folder: str) -> Dict[str, Dict[str, str]]:
    """The first row of each table over time, also of those of a user's own stage."""
    found = {}
    for name in sorted(os.listdir(folder), key=lambda name: (name not in ("queues.csv", "rates.csv"), name)):
        if name.endswith(".csv") and not name.endswith(look.DATA):
            try:
                with open(roce_manifest.file_of(folder, name), newline="", encoding="utf-8") as stream:
                    row = next(csv.DictReader(stream), {})
            except (OSError, UnicodeDecodeError, csv.Error) as error:
                raise rr.ResultError(f"{os.path.join(folder, name)}: {getattr(error, 'strerror', None) or error}") from None
            if "time_ns" in row and None not in row:
                found[name] = row
    return found


def lines_of(folder: str, name: str, first: Dict[str, str], starts: Dict[str, float]) -> Tuple[List[Line], int]:
    """The lines of a table, those with most rows first.

    @param first row of the table
    @param starts of flows, ns
    @return and how many are left out"""
    subject = next((column for column in SUBJECTS if column in first), None)
    parts = [column for column in PARTS if column in first and column != subject and (column, subject) != ("node_name", "port_name")]
    numbers = [column for column, text in first.items() if column not in NO_VALUES and re.fullmatch(r"[-+.\deE]*", text or "")]
    if not numbers:
        return [], 0
    keys = parts + [subject] if subject else parts
    data = series.read(folder, name, keys, numbers, gaps=True)
    parts = [column for column in parts if data[column].nunique() > 1 or column == "variable"]
    groups = list(data.groupby(keys if len(keys) > 1 else keys[0], sort=False, observed=True)) if keys else [((), data)]
    groups.sort(key=lambda group: -len(group[1]))
    most = min(FLOWS_WITH_LINES if subject == "flow" else len(groups), len(groups))
    found = []
    for key, rows in groups[:most]:
        labels = dict(zip(keys, key if isinstance(key, tuple) else (key,)))
        suffix = "".join(f" {labels[part]}" if part == "node_name" else f" {part} {labels[part]}" for part in parts if part != "variable")
        for column in numbers:
            there = rows[rows[column].notna()]
            line = Line(name, SUBJECTS.get(subject, "run"), str(labels.get(subject, "")),
                        str(labels.get("variable", GROWING.get(column, column))) + suffix,
                        1000 * there["time_us"].to_numpy(), there[column].to_numpy())
            if there[column].any():
                found.append(growth(line, starts.get(line.of, line.ns[0])) if column in GROWING else line)
    return found, len(groups) - most


def growth(line: Line, start: float) -> Line:
    """How fast a count of bytes grows from a time on, bit/s: averages over at most RATE_BINS parts of its time."""
    ns, values = np.append(start, line.ns), np.append(0.0, line.values)
    edges = np.linspace(ns[0], ns[-1], min(len(ns), RATE_BINS + 1))
    rates = 8e9 * np.diff(np.interp(edges, ns, values)) / np.maximum(np.diff(edges), 1e-3)
    return line._replace(ns=edges, values=np.append(rates, 0.0))


def changes(line: Line) -> Line:
    """Without rows that repeat the value before, but for the last."""
    kept = np.append(True, line.values[1:] != line.values[:-1])
    kept[-1] = True
    return line._replace(ns=line.ns[kept], values=line.values[kept])


def thinned(line: Line, bins: int, end: float) -> Line:
    """The least, the greatest and the last row of each part of the time."""
    column = (line.ns * (bins / end)).astype(int)
    order = np.lexsort((line.values, column))
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    last = np.append(starts[1:], len(column)) - 1
    kept = np.unique(np.concatenate([order[starts], order[last], last]))
    return line._replace(ns=line.ns[kept], values=line.values[kept])


def fitting(lines: List[Line], end: float) -> Tuple[List[Line], str]:
    """Lines of a table with at most MOST_POINTS in all, and what that has cost."""
    lines = [changes(line) for line in lines]
    bins, full = BINS, sum(len(line.ns) for line in lines)
    thin = [thinned(line, bins, end) for line in lines]
    while sum(len(line.ns) for line in thin) > MOST_POINTS and bins > FEWEST_BINS:
        bins //= 2
        thin = [thinned(line, bins, end) for line in lines]
    fit = int(np.searchsorted(np.cumsum([len(line.ns) for line in thin]), MOST_POINTS, side="right"))
    note = f"extremes and last values in each of {bins} parts of the time" if sum(len(line.ns) for line in thin) < full else ""
    return thin[:fit], note + (f"; {len(lines) - fit} lines with fewest rows are left out" if fit < len(lines) else "")


# ----------------------------------------------------------------------------------------- pauses


def pause_events(folder: str, summary: dict) -> Tuple[str, List[Line]]:
    """How long ports were paused, of the pause frames that the ports at the other end sent (pfc.csv), or HPCC's pfc.txt."""
    neighbours, names = summary.get("neighbours", {}), summary.get("nodeNames", {})
    hosts = dict(zip((n for n in names.values() if re.search(r"host\d+$", n)), (p for p in neighbours if p.startswith("nic"))))
    events: Dict[str, List[Tuple[float, bool]]] = {}
    source = next((name for name in ("pfc.csv", "pfc.txt") if os.path.exists(roce_manifest.place_of(folder, name))), "")
    if source == "pfc.csv":
        for row in rr.rows_of(roce_manifest.file_of(folder, source), ["time_ns", "port_name", "event"]):
            events.setdefault(neighbours.get(row["port_name"], row["port_name"]), []).append((row.number("time_ns"), row["event"] == "xoff"))
    elif source:
        file = roce_manifest.file_of(folder, source)
        with open(file, encoding="utf-8") as stream:
            for number, text in enumerate(stream, 1):
                if not re.fullmatch(r"(\d+ ){4}[01]\n?", text):
                    raise rr.ResultError(f"{file}:{number}: expected time, node, kind, port, 0 or 1")
                time, node, _, port, paused = text.split()
                name = names.get(node, f"node{node}")
                events.setdefault(hosts.get(name, f"{name}:{int(port) - 1}"), []).append((float(time), paused == "1"))
    found = []
    for port, changes in events.items():
        since, total, rows = None, 0.0, []
        for time, paused in changes:
            total += time - since if since is not None else 0.0
            since = time if paused else None
            rows.append((time, total))
        found.append(Line(source, "port", port, "paused_ns", *np.array(rows).T))
    return source, found


def pauses_table(lines: List[Line]) -> List[list]:
    """Port, how often it was paused, for how long, first and last time (ns); the longest first."""
    rows = []
    for line in lines:
        grown = np.diff(line.values, prepend=0.0) > 0
        if grown.any():
            begin = line.ns[np.maximum(np.flatnonzero(grown)[0] - 1, 0)]
            rows.append([line.of, int(np.count_nonzero(grown & ~np.append(False, grown[:-1]))), round(line.values[-1]), round(begin),
                         round(line.ns[np.flatnonzero(grown)[-1]])])
    return sorted(rows, key=lambda row: (-row[2], row[0]))


# --------------------------------------------------------------------------------------- heat map


def heat_row(line: Line, edges: np.ndarray, interval) -> np.ndarray:
    """A value for each part of the time: how busy, the longest queue, the share in which it was paused."""
    if line.name.startswith("utilisation"):
        data = pd.DataFrame({"time_us": line.ns / 1000, "value": line.values})
        return plot_series.busy_share(data, edges / 1000, interval)
    if line.name.startswith("paused_ns"):
        return np.diff(np.interp(edges, line.ns, line.values, left=0)) / np.diff(edges)
    held = np.append(0.0, line.values)[np.searchsorted(line.ns, edges[:-1], side="right")]  # from the part before
    column = np.minimum(np.searchsorted(edges, line.ns, side="right") - 1, len(held) - 1)
    np.maximum.at(held, column, line.values)
    return held


def heat_map(lines: List[Line], summary: dict, end: float) -> dict:
    """Ports by time, as bytes: 255 is always, or the longest queue. Ports with nothing at all are left out."""
    found: Dict[str, Dict[str, np.ndarray]] = {kind: {} for _, kind in HEATS.values()}
    ports = {line.of for line in lines}
    order = [port for port in summary.get("neighbours", {}) if port in ports]
    order += sorted(ports.difference(order))
    edges = np.linspace(0, end, max(20, min(HEAT_BINS, HEAT_CELLS // max(1, len(order)))) + 1)
    interval = {}
    for line in lines:
        column, kind = next(HEATS[t] for t in HEATS if line.name.startswith(HEATS[t][0]))
        if kind == "busy" and kind not in interval:
            times = pd.DataFrame({"time_us": np.unique(np.concatenate([l.ns for l in lines if l.name.startswith(column)])) / 1000})
            interval[kind] = plot_series.interval_of("utilisation", times, summary)
        row = heat_row(line, edges, interval.get(kind))
        rows = found[kind]
        rows[line.of] = np.maximum(rows[line.of], row) if line.of in rows else row
    kinds = {}
    for kind, rows in ((kind, rows) for kind, rows in found.items() if rows):
        most = 1.0 if kind != "queue" else max(1.0, max(row.max() for row in rows.values()))
        shown = [port for port in order if port in rows and rows[port].max() > 0]
        cells = np.array([rows[port] for port in shown]).reshape(len(shown), -1) / most
        data = np.where(cells > 0, np.clip(np.round(255 * cells), 1, 255), 0).astype(np.uint8)
        kinds[kind] = {"ports": shown, "never": len(order) - len(shown), "most": most, "cells": base64.b64encode(data.tobytes()).decode()}
    return {"bins": len(edges) - 1, "kinds": kinds}


# ------------------------------------------------------------------------------------------- page


def flow_columns(flows: List[rr.Flow]) -> dict:
    """Flows as columns; times in ns, which are null if there are none."""
    def ns(ps):
        return None if ps is None else round(ps / 1000)

    return {"id": [f.id for f in flows], "src": [f.src for f in flows], "dst": [f.dst for f in flows],
            "inter": [int(f.scope == "inter") for f in flows], "bytes": [f.size for f in flows], "start": [ns(f.start_ps) for f in flows],
            "fct": [ns(f.fct_ps) for f in flows], "slowdown": [f.slowdown for f in flows], "retransmitted": [f.retransmitted for f in flows]}


def slowdowns(run: rr.Run) -> rr.Table:
    """Of all flows, and by size."""
    (_, whole), (head, by_size) = rr.scope_table([run]), rr.size_table([run])
    count = len(rr.SLOWDOWN_HEADER)
    first = ["all", *whole[0][1 + count:3 + count], *whole[0][1:1 + count]]
    return [head[0], *head[2:]], [first, *([row[0], *row[2:]] for row in by_size)]


def given_options(folder: str) -> Dict[str, str]:
    """What a campaign gave the program; nothing of other runs."""
    try:
        with open(os.path.join(folder, "run.json"), encoding="utf-8") as stream:
            return {str(k): str(v) for k, v in json.load(stream)["options"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def read(folder: str) -> dict:
    """All that the page shows."""
    if not os.path.isdir(folder):
        raise rr.ResultError(f"{folder}: expected a run folder, which a program's --out names")
    run = rr.load_run(folder, os.path.basename(os.path.abspath(folder)))
    summary, notes = run.summary, []
    starts = {str(f.id): f.start_ps / 1000 for f in run.flows if f.start_ps is not None}
    whole: Dict[str, List[Line]] = {}
    for name, first in tables(folder).items():
        whole[name], without = lines_of(folder, name, first, starts)
        if without:
            notes.append(f"{name}: only the {FLOWS_WITH_LINES:,} lines with most rows")
    source = "pauses.csv" if "pauses.csv" in whole else ""
    paused = [line for line in whole.get("pauses.csv", []) if line.name.startswith("paused_ns")]
    if not source:
        source, paused = pause_events(folder, summary)
    heated = paused + [line for name, (column, _) in HEATS.items() if name != "pauses.csv"
                       for line in whole.get(name, []) if line.name.startswith(column)]
    ends = [(f.start_ps + (f.fct_ps or 0)) / 1000 for f in run.flows if f.start_ps is not None]
    end = max([1.0, *ends, *(line.ns[-1] for lines in whole.values() for line in lines)])
    shown: List[Line] = []
    for name, lines in whole.items():
        kept, note = fitting([line for line in lines if not line.name.startswith(("paused", "utilisation"))], end)  # these are rows of the map
        shown += kept
        notes += [f"{name}: {note}"] if note else []
    step = -(-len(run.flows) // MOST_FLOWS)
    if step > 1:
        notes.append(f"one of {step} flows is drawn and counted below")
    return {
        "name": run.label, "summary": {key: summary.get(key) for key in ("configuration", "versions", "seed", "end", "counters", "warnings",
                                                                         "interrupted")},
        "given": given_options(folder), "counts": {"finished": sum(f.finished for f in run.flows), "total": len(run.flows)},
        "slowdowns": slowdowns(run), "notes": rr.notes([run]), "thinned": notes, "end": end, "step": max(1, step),
        "links": sorted({tuple(sorted(pair)) for pair in summary.get("neighbours", {}).items()}),
        "ports": list(summary.get("neighbours", {})), "files": sorted({*whole, source} - {""}),
        "heat": heat_map(heated, summary, end), "pauses": {"source": source, "rows": pauses_table(paused)},
        "flows": flow_columns(run.flows[::max(1, step)]),
        "lines": [[line.table, line.subject, line.of, line.name, [round(t) for t in line.ns.tolist()],
                   [float(f"{v:.5g}") for v in line.values.tolist()]] for line in shown]}
