# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of single runs: a number each, or None where there is nothing to measure (no finished flow
of that kind).
"""

import fnmatch
import json
import math
import os
from collections import Counter
from typing import Callable, Dict, Iterable, List, Optional, Tuple

import roce_manifest
import roce_results as rr
from roce_files import write_whole

from . import columns, identity, mix, rates
from .experiment import Experiment
from .expression import LARGEST, AnyName, Expression, NotMeasured, Reference
from .grid import selects
from .plan import Plan, PlannedRun
from .statistic import count_peaks, statistic_of, weighted_statistic

VERSION = 4  # of what is computed here: older measures.json are not used

FLOW_VALUE: Dict[str, Callable[[rr.Flow], float]] = {
    "slowdown": lambda f: f.slowdown,
    "fct": lambda f: f.fct_ps / 1e6,
    "receiver_fct": lambda f: None if f.receiver_fct_ps is None else f.receiver_fct_ps / 1e6,
    "ideal_fct": lambda f: f.ideal_ps / 1e6,
    "goodput": lambda f: 8e3 * f.size / f.fct_ps if f.fct_ps else None,
    "size": lambda f: float(f.size),
    "packets": lambda f: float(f.packets),
    "retransmitted": lambda f: float(f.retransmitted),
}


NAMES = {"flow": "id", "src": "src", "dst": "dst"}  # of columns of rates.csv in Flow


def chosen(flow: rr.Flow, definition: dict) -> bool:
    """True if a metric is of this flow, among others."""
    low, high = definition.get("size", (None, None))
    return (definition.get("scope", "all") in ("all", flow.scope)
            and (low is None or flow.size > low) and (high is None or flow.size <= high)
            and flow.traffic_class in definition.get("class", (flow.traffic_class,))
            and flow.tag in definition.get("tag", (flow.tag,)))


def measure_rates(folder: str, definition: dict) -> dict:
    """A metric of the flows' progress over time."""
    where, scope = definition.get("where", {}), definition.get("scope", "all")
    flows = [p for p in rates.read(folder, definition["file"])
             if chosen(p.flow, {**definition, "scope": "all"})
             and all(wanted(str(getattr(p.flow, NAMES[c])), c, text, {}) for c, text in where.items())]
    # The same window for intra and inter, so that the two can be compared.
    window = rates.window(flows, definition)
    flows = [p for p in flows if scope in ("all", p.flow.scope)]
    found = rates.fairness(flows, window, definition) if definition["source"] == "fairness" else \
        rates.throughput(flows, window, definition)
    value = found["value"]
    return {**found, "value": None if value is None else value * definition.get("scale", 1)}


def measure_flows(run: rr.Run, definition: dict) -> dict:
    """A metric of flows: its value, the number of flows and of those that did not finish."""
    selected = [f for f in run.flows if chosen(f, definition)]
    value = FLOW_VALUE[definition["of"]]
    values = sorted(v for v in (value(f) for f in selected if f.finished) if v is not None)
    scale = definition.get("scale", 1)
    result = {"flows": len(selected), "unfinished": sum(not f.finished for f in selected)}
    if definition["pool"]:
        result["values"] = [v * scale for v in values]
    else:
        found = statistic_of(values, definition["statistic"])
        result["value"] = None if found is None else found * scale
    return result


def measure_summary(summary: dict, definition: dict, where: str) -> dict:
    """A number of summary.json."""
    node = summary
    for part in definition["summary"]:
        if isinstance(node, list) and part.isdigit() and int(part) < len(node):
            node = node[int(part)]
        elif isinstance(node, dict) and part in node:
            node = node[part]
        elif "absent" in definition and part == definition["summary"][-1]:
            node = definition["absent"]
        else:
            raise rr.ResultError(f"{where}/summary.json: no {'.'.join(definition['summary'])}")
    if node is None:
        return {"value": None}
    if isinstance(node, bool) or not isinstance(node, (int, float)) or not abs(node) <= LARGEST:
        raise rr.ResultError(f"{where}/summary.json: {'.'.join(definition['summary'])} is not a "
                             "number")
    return {"value": node * definition.get("scale", 1)}


def leaves_passed_by(run: rr.Run, flows: dict) -> List[str]:
    """Node numbers of the leaf switches that so many of these flows pass, from or to their hosts."""
    shape = run.summary.get("configuration", {})
    try:
        hosts, leaves = int(shape["hostsPerLeaf"]), int(shape["leaves"])
    except (KeyError, ValueError):
        raise rr.ResultError(f"{run.folder}: passed_by: is for runs of two-dc-leaf-spine") from None
    passing = Counter(leaf for f in run.flows if chosen(f, flows) for leaf in {f.src // hosts, f.dst // hosts})
    numbers = {name: node for node, name in run.summary.get("nodeNames", {}).items()}
    return [numbers[f"dc{i // leaves}-leaf{i % leaves}"]
            for i in range(leaves * int(shape["datacenters"])) if passing[i] == flows["flows"]]


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
    for row in columns.rows(roce_manifest.file_of(folder, definition["file"]), [column, *where] + ["time_ns"] * timed + [group] * bool(group),
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
        found = weighted_statistic([p for points in series.values() for p in held(points, begin, definition.get("before", last))], statistic)
    else:
        values = of_groups(members, definition, run) if group else members.get(None, [])
        found = float(count_peaks(values)) if statistic == "peaks" else statistic_of(sorted(values), statistic)
    return {"value": None if found is None else found * definition.get("scale", 1)}


def of_groups(members: Dict[str, List[float]], definition: dict, run: Optional[rr.Run]) -> List[float]:
    """A number for each group of rows."""
    within = definition.get("within", "mean")
    if "passed_by" in definition:
        members = {leaf: members.get(leaf, []) for leaf in leaves_passed_by(run, definition["passed_by"])}
    elif not members and within in ("count", "sum"):
        return [0.0]  # no row at all: none in any group
    return [statistic_of(sorted(m), within) for m in members.values()]


def wanted(value: str, column: str, text: str, names: Dict[str, str]) -> bool:
    """True for this text, or what is above or below it (">5e6"); * ? [] are wildcards, a node also has a name."""
    return (value == text or fnmatch.fnmatchcase(value, text)
            or (column == "node" and fnmatch.fnmatchcase(names.get(value, ""), text))
            or (text[:1] in ("<", ">") and is_beyond(value, text)))


def is_beyond(text: str, limit: str) -> bool:
    """True for a number beyond a limit such as >5e6; False for no number."""
    try:
        difference = float(text) - float(limit[1:])
    except ValueError:
        return False
    return difference > 0 if limit[0] == ">" else difference < 0


def held(points: List[Tuple[float, float]], begin: float, end: float) -> Iterable[Tuple[float, float]]:
    """Each value with the time it holds between begin and end; 0 before the first row."""
    times = [0.0] + [t for t, _ in points] + [math.inf]
    for value, t, until in zip([0.0] + [v for _, v in points], times, times[1:]):
        yield value, min(until, end) - max(t, begin)


def definitions(experiment: Experiment) -> Dict[str, dict]:
    """The metrics' definitions as plain values."""
    return {name: {"source": m.source, "pool": m.pool, **m.fields}
            for name, m in experiment.metrics.items() if m.source != "seeds"}


def measure(folder: str, metrics: Dict[str, dict], warmup_ns: Optional[float]) -> Dict[str, dict]:
    """All metrics of a run folder."""
    run = None
    if any(d["source"] == "flows" or "passed_by" in d for d in metrics.values()):
        run = rr.load_run(folder, folder, warmup_ns)
    summary = run.summary if run else rr.read_summary(folder)
    found: Dict[str, dict] = {}
    for name, definition in metrics.items():
        if definition["source"] == "flows":
            found[name] = measure_flows(run, definition)
        elif definition["source"] == "summary":
            found[name] = measure_summary(summary, definition, folder)
        elif definition["source"] == "file":
            found[name] = measure_file(folder, summary, definition, run)
        elif definition["source"] in ("fairness", "throughput"):
            found[name] = measure_rates(folder, definition)
        elif definition["source"] == "accuracy":
            found[name] = mix.accuracy(folder, definition)
        else:
            found[name] = {"value": derived(definition, found)}
    return found


def derived(definition: dict, found: Dict[str, dict]) -> Optional[float]:
    """A metric from others of the same run."""
    def lookup(reference: Reference) -> float:
        value = found.get(reference.metric, {}).get("value")
        if value is None:
            raise NotMeasured(reference.metric)
        return value
    try:
        value = float(Expression(definition["expression"], AnyName()).evaluate(lookup))
    except NotMeasured:
        return None
    return value * definition.get("scale", 1)


def kept(plan: Plan, run: PlannedRun, metrics: Dict[str, dict], warmup_ns: Optional[float]) -> Tuple[str, Optional[dict]]:
    """A hash of what the measures of a run depend on, and those in its folder that have it; None if there are none."""
    key = identity.data_hash([VERSION, run.hash, of_point(metrics, run), warmup_ns])
    try:
        with open(os.path.join(plan.run_folder(run), "measures.json"), encoding="utf-8") as stream:
            found = json.load(stream)
        if plan.record(run) is not None and found["hash"] == identity.data_hash([key, found["metrics"]]):
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
        write_whole(os.path.join(folder, "measures.json"),
                    json.dumps({"hash": identity.data_hash([key, found]), "metrics": found}) + "\n")
    return found
