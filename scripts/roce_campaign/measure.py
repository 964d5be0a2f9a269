# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of single runs: a number each, or None where there is nothing to measure (no finished flow of that kind)."""

import bisect
import fnmatch
import json
import math
import os
from collections import Counter
from typing import Callable, Dict, Iterable, List, Optional, Tuple

import roce_manifest
import roce_results as rr
from roce_files import write_whole

from . import rates
from .experiment import Experiment
from .expression import LARGEST, Expression, NotMeasured, Reference
from .grid import selects
from .plan import Plan, PlannedRun
from .program import data_hash
from .statistic import count_peaks, statistic_of, weighted_statistic

VERSION = 4  # of what is computed here: older measures.json are not used

FLOW_VALUE: Dict[str, Callable[[rr.Flow], float]] = {"slowdown": lambda f: f.slowdown, "fct": lambda f: f.fct_ps / 1e6,
                                                     "receiver_fct": lambda f: None if f.receiver_fct_ps is None
                                                     else f.receiver_fct_ps / 1e6, "ideal_fct": lambda f: f.ideal_ps / 1e6,
                                                     "receiver_slowdown": lambda f: None if f.receiver_fct_ps is None
                                                     else f.receiver_fct_ps / f.ideal_ps,
                                                     "goodput": lambda f: 8e3 * f.size / f.fct_ps if f.fct_ps else None,
                                                     "size": lambda f: float(f.size), "packets": lambda f: float(f.packets),
                                                     "retransmitted": lambda f: float(f.retransmitted)}
NAMES = {"flow": "id", "src": "src", "dst": "dst"}  # of columns of rates.csv in Flow


def scaled(value: Optional[float], definition: dict) -> Optional[float]:
    """A value as the definition has it."""
    return None if value is None else value * definition.get("scale", 1)


def chosen(flow: rr.Flow, definition: dict) -> bool:
    """True if a metric is of this flow, among others."""
    low, high = definition.get("size", (None, None))
    return (definition.get("scope", "all") in ("all", flow.scope) and (low is None or flow.size > low)
            and (high is None or flow.size <= high) and flow.traffic_class in definition.get("class", (flow.traffic_class,))
            and flow.tag in definition.get("tag", (flow.tag,)))


def measure_rates(folder: str, definition: dict) -> dict:
    """A metric of the flows' progress over time."""
    where, scope = definition.get("where", {}), definition.get("scope", "all")
    flows = [p for p in rates.read(folder, definition["file"]) if chosen(p.flow, {**definition, "scope": "all"})
             and all(wanted(str(getattr(p.flow, NAMES[c])), c, text, {}) for c, text in where.items())]
    # The same window for intra and inter, so that the two can be compared.
    window = rates.window(flows, definition)
    found = (rates.fairness if definition["source"] == "fairness" else rates.throughput)(
        [p for p in flows if scope in ("all", p.flow.scope)], window, definition)
    return {**found, "value": scaled(found["value"], definition)}


def measure_flows(run: rr.Run, definition: dict) -> dict:
    """A metric of flows: its value, the number of flows and of those that did not finish."""
    selected = [f for f in run.flows if chosen(f, definition)]
    value = FLOW_VALUE[definition["of"]]
    values = sorted(v for v in (value(f) for f in selected if f.finished) if v is not None)
    result = {"flows": len(selected), "unfinished": sum(not f.finished for f in selected)}
    if definition["pool"]:
        return {**result, "values": [scaled(v, definition) for v in values]}
    return {**result, "value": scaled(statistic_of(values, definition["statistic"]), definition)}


def measure_summary(summary: dict, definition: dict, where: str) -> dict:
    node, path = summary, definition["summary"]
    for part in path:
        if isinstance(node, list) and part.isdigit() and int(part) < len(node):
            node = node[int(part)]
        elif isinstance(node, dict) and part in node:
            node = node[part]
        elif "absent" in definition and part == path[-1]:
            node = definition["absent"]
        else:
            raise rr.ResultError(f"{where}/summary.json: no {'.'.join(path)}")
    if node is not None and (isinstance(node, bool) or not isinstance(node, (int, float)) or not abs(node) <= LARGEST):
        raise rr.ResultError(f"{where}/summary.json: {'.'.join(path)} is not a number")
    return {"value": scaled(node, definition)}


def measure_file(folder: str, summary: dict, definition: dict, run: Optional[rr.Run]) -> dict:
    """A statistic of a column of a time series."""
    column, group, statistic, where = (definition.get(k) for k in ("column", "group", "statistic", "where"))
    by_time = definition.get("weight") == "time"
    begin, end = definition.get("after", 0.0), definition.get("before", math.inf)
    timed = by_time or "after" in definition or "before" in definition
    names = summary.get("nodeNames", {})
    last = 0.0
    series: Dict[tuple, List[Tuple[float, float]]] = {}
    members: Dict[Optional[str], List[float]] = {}
    for row in rr.rows_of(roce_manifest.file_of(folder, definition["file"]), [column, *where] + ["time_ns"] * timed + [group] * bool(group),
                          "; a metric needs it, switch it on in options"):
        time = row.number("time_ns") if timed else 0.0
        last = max(last, time)
        if row[column] == "" or not all(wanted(row[c], c, text, names) for c, text in where.items()):
            continue
        value = row.number(column)
        if by_time:
            series.setdefault(tuple(v for c, v in row.items() if c not in ("time_ns", column)), []).append((time, value))
        elif not timed or begin <= time < end:
            members.setdefault(row[group] if group else None, []).append(value)
    if by_time:
        held_values = [p for points in series.values() for p in held(points, begin, definition.get("before", last))]
        return {"value": scaled(weighted_statistic(held_values, statistic), definition)}
    values = of_groups(members, definition, run) if group else members.get(None, [])
    return {"value": scaled(float(count_peaks(values)) if statistic == "peaks" else statistic_of(sorted(values), statistic), definition)}


def of_groups(members: Dict[str, List[float]], definition: dict, run: Optional[rr.Run]) -> List[float]:
    """A number for each group of rows; with passed_by, for each leaf switch that this number of flows passes, from or to their hosts."""
    within, flows = definition.get("within", "mean"), definition.get("passed_by")
    if flows:
        shape = run.summary.get("configuration", {})
        try:
            hosts, leaves, datacenters = (int(shape[name]) for name in ("hostsPerLeaf", "leaves", "datacenters"))
        except (KeyError, ValueError):
            raise rr.ResultError(f"{run.folder}: passed_by: is for runs of two-dc-leaf-spine") from None
        passing = Counter(leaf for f in run.flows if chosen(f, flows) for leaf in {f.src // hosts, f.dst // hosts})
        numbers = {name: node for node, name in run.summary.get("nodeNames", {}).items()}
        passed = (numbers[f"dc{i // leaves}-leaf{i % leaves}"] for i in range(leaves * datacenters) if passing[i] == flows["flows"])
        members = {leaf: members.get(leaf, []) for leaf in passed}
    elif not members and within in ("count", "sum"):
        return [0.0]  # no row at all: none in any group
    return [statistic_of(sorted(m), within) for m in members.values()]


def wanted(value: str, column: str, text: str, names: Dict[str, str]) -> bool:
    """True for this text, or what is above or below it (">5e6"); * ? [] are wildcards, a node also has a name."""
    if value == text or fnmatch.fnmatchcase(value, text) or column == "node" and fnmatch.fnmatchcase(names.get(value, ""), text):
        return True
    try:
        difference = (float(value) - float(text[1:])) * {">": 1, "<": -1}.get(text[:1], math.nan)
    except ValueError:
        return False
    return difference > 0


def held(points: List[Tuple[float, float]], begin: float, end: float) -> Iterable[Tuple[float, float]]:
    """Each value with the time it holds between begin and end; 0 before the first row."""
    times = [0.0] + [t for t, _ in points] + [math.inf]
    for value, t, until in zip([0.0] + [v for _, v in points], times, times[1:]):
        yield value, min(until, end) - max(t, begin)


def accuracy(folder: str, definition: dict) -> dict:
    """How well a tuner knows the mix of elephants and mice (PARALEON, Figures 10 and 11): 1 - total variation between what it
    found and the true mix, mean over the intervals.

    The true mix of an interval is of the flows that were under way in it, from their start to their last ACK: an elephant is one whose
    whole size is at least so much. With two classes the total variation between two mixes is the difference of their shares."""
    started = [f for f in rr.flows_of(folder) if f.start_ps is not None]
    mice, elephants = ([f for f in started if (f.size >= definition["elephants"]) == large] for large in (False, True))
    spans = [(sorted(f.start_ps for f in some), sorted(f.start_ps + f.fct_ps for f in some if f.finished)) for some in (mice, elephants)]
    after, before = definition.get("after", -math.inf), definition.get("before", math.inf)
    found, last = [], 0.0
    for row in rr.rows_of(roce_manifest.file_of(folder, definition["file"]), ["time_ns", definition["column"]],
                          "; a metric needs it, expected a run with a tuner"):
        time = row.number("time_ns")
        share = row.number(definition["column"]) if row[definition["column"]] else definition.get("empty")
        small, large = (bisect.bisect_left(starts, time * 1000) - bisect.bisect_right(ends, last * 1000) for starts, ends in spans)
        last = time
        if share is not None and small + large and after <= time < before:
            found.append(1 - abs(share - large / (small + large)))
    return {"value": scaled(math.fsum(found) / len(found) if found else None, definition)}


def derived(definition: dict, found: Dict[str, dict]) -> dict:
    """A metric from others of the same run."""
    def lookup(reference: Reference) -> float:
        value = found.get(reference.metric, {}).get("value")
        if value is None:
            raise NotMeasured(reference.metric)
        return value
    try:
        return {"value": scaled(float(Expression(definition["expression"], None).evaluate(lookup)), definition)}
    except NotMeasured:
        return {"value": None}


def definitions(experiment: Experiment) -> Dict[str, dict]:
    """The metrics' definitions as plain values."""
    return {name: {"source": m.source, "pool": m.pool, **m.fields} for name, m in experiment.metrics.items() if m.source != "seeds"}


def measure(folder: str, metrics: Dict[str, dict], warmup_ns: Optional[float]) -> Dict[str, dict]:
    """All metrics of a run folder."""
    run = None
    if any(d["source"] == "flows" or "passed_by" in d for d in metrics.values()):
        run = rr.load_run(folder, folder, warmup_ns)
    summary = run.summary if run else rr.read_summary(folder)
    found: Dict[str, dict] = {}
    by_source = {"flows": lambda d: measure_flows(run, d), "summary": lambda d: measure_summary(summary, d, folder),
                 "file": lambda d: measure_file(folder, summary, d, run), "fairness": lambda d: measure_rates(folder, d),
                 "throughput": lambda d: measure_rates(folder, d), "accuracy": lambda d: accuracy(folder, d),
                 "expression": lambda d: derived(d, found)}
    for name, definition in metrics.items():
        found[name] = by_source[definition["source"]](definition)
    return found


def kept(plan: Plan, run: PlannedRun, metrics: Dict[str, dict], warmup_ns: Optional[float]) -> Tuple[str, Optional[dict]]:
    """A hash of what the measures of a run depend on, and those in its folder that have it; None if there are none."""
    key = data_hash([VERSION, run.hash, of_point(metrics, run), warmup_ns])
    try:
        with open(os.path.join(plan.run_folder(run), "measures.json"), encoding="utf-8") as stream:
            found = json.load(stream)
        if plan.record(run) is not None and found["hash"] == data_hash([key, found["metrics"]]):
            return key, found["metrics"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return key, None


def of_point(metrics: Dict[str, dict], run: PlannedRun) -> Dict[str, dict]:
    """The metrics without those of other points only."""
    return {n: d for n, d in metrics.items() if selects(d.get("at", {}), run.point)}


def of_run(plan: Plan, run: PlannedRun, metrics: Dict[str, dict], warmup_ns: Optional[float]) -> Optional[dict]:
    """The measures of a complete run, kept in its folder; None if it is not complete."""
    key, found = kept(plan, run, metrics, warmup_ns)
    if found is None and plan.record(run) is not None:
        folder = plan.run_folder(run)
        found = measure(folder, of_point(metrics, run), warmup_ns)
        write_whole(os.path.join(folder, "measures.json"), json.dumps({"hash": data_hash([key, found]), "metrics": found}) + "\n")
    return found
