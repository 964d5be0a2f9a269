# SPDX-License-Identifier: GPL-2.0-only
"""Completion times of two versions compared within bounds, flow by flow and by metric; whether two runs can be compared; tables of changes,
a row for each fact, the largest first.

The metrics of a run are FCT and slowdown (mean, P50, P95, P99, P99.9, max) of all, intra and inter flows and of each size bin,
from flows.csv; the same statistics as summary.json states them; the number of flows and of unfinished ones.
"""

import fnmatch
import math
import os
import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import roce_manifest
import roce_results as rr
from roce_plot import look

from . import provenance
from .plan import Plan

STATISTICS = (("mean", None), ("p50", 500_000), ("p95", 950_000), ("p99", 990_000), ("p999", 999_000), ("max", 1_000_000))
DEFAULT_BOUND = "1%"
COUNTS = ("flows", "unfinished")  # these may not change at all, unless a bound names them
TIME_NS = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "ms": 1e6}
PRINTED = 1e-9  # the last digits of printed numbers do not count
OWN = ("out", "progress", "dryRun")  # options without influence on results
PARTS = ("attributes", "globals", "topology")  # of a manifest; options and versions are compared by name
FEW = 5
HEADER = ["metric", "base", "new", "change", "bound", "verdict", "run", "runs"]


class Bound(NamedTuple):
    """How much a value may change: a share of the old one, or a time."""

    pattern: str = "*"  # of metrics that it is for
    relative: float = 0.0
    ns: float = 0.0

    @staticmethod
    def parse(text: str) -> "Bound":
        """5%, 0.05, 100ns or PATTERN=5%; ValueError."""
        pattern, _, amount = text.rpartition("=")
        match = re.fullmatch(r"((?:\d+(?:\.\d*)?|\.\d+)(?:e-?\d{1,2})?)\s*(%|[pnum]s|)", amount.strip())
        if not match:
            raise ValueError(f"'{text}', expected for example 1%, 0.02, 100ns or 'inter.*.p99=5%'")
        value, unit = float(match[1]), match[2]
        share, ns = (0.0, value * TIME_NS[unit]) if unit in TIME_NS else (value / (100 if unit else 1), 0.0)
        return Bound(pattern.strip() or "*", share, ns)

    def fits(self, metric: str) -> bool:
        """True if the bound is for a metric, wherever that was read; a time is for times only."""
        short = metric[len("summary."):] if metric.startswith("summary.") else metric
        return (not self.ns or ".fct." in metric) and any(fnmatch.fnmatchcase(m, self.pattern) for m in (metric, short))

    def amount(self) -> str:
        """Without the pattern, as parse() reads it."""
        return f"{self.ns:.9g}ns" if self.ns else f"{100 * self.relative:.6g}%"

    def text(self) -> str:
        return f"{self.pattern}={self.amount()}"

    def allows(self, old, new):
        """Whether a change is within the bound. @param old, new numbers or columns of them; times in nanoseconds"""
        limit = self.ns + 1e-6 if self.ns else (self.relative + PRINTED) * abs(old)
        return abs(new - old) <= limit


class Change(NamedTuple):
    """A metric in two versions."""

    run: str
    metric: str
    base: Optional[float]
    new: Optional[float]
    bound: Bound

    def relative(self) -> float:
        """Change as a share of the old value; infinite if a value came or went."""
        return relative(self.base, self.new)

    def beyond(self) -> bool:
        """True if the bound is exceeded."""
        return None in (self.base, self.new) or not self.bound.allows(self.base, self.new)


def relative(base: Optional[float], new: Optional[float]) -> float:
    """Change as a share of the old value; infinite if a value came or went, or the old one is 0."""
    if base == new:
        return 0.0
    return (new - base) / abs(base) if base and new is not None else math.inf


def fct_changes(base: Iterable[rr.Flow], new: Iterable[rr.Flow]) -> List[Tuple[float, int]]:
    """Flows with another completion time, the largest change first: that as a share of the old time, and the id.

    @param base, new flows in the same order"""
    return sorted(((relative(a.fct_ps, b.fct_ps), b.id) for a, b in zip(base, new) if a.fct_ps != b.fct_ps),
                  key=lambda c: (-abs(c[0]), c[1]))


# -------------------------------------------------------------------------------------------- runs


def run_folders(path: str) -> Dict[str, str]:
    """Name of a run (without the hash) -> folder: of a campaign, a folder of runs, or a run."""
    if os.path.exists(os.path.join(path, "plan.json")):
        plan = Plan.read(path)
        missing = [r.key for r in plan.runs if plan.record(r) is None]
        if missing:
            raise rr.ResultError(f"{path}: {len(missing)} run(s) of the campaign are missing, first {missing[0]}; "
                                 "finish it with scripts/reproduce")
        for run in plan.by_key.values():
            problem = provenance.damage(plan.run_folder(run), plan.record(run))
            if problem:
                raise rr.ResultError(f"{path}: run {run.key}: {problem}; scripts/reproduce makes it again")
        return {r.key[:r.key.rindex("-")]: plan.run_folder(r) for r in plan.runs}
    if not os.path.isdir(path):
        raise rr.ResultError(f"{path}: no such folder")
    if is_run(path):
        return {"run": path}
    folders = {n: os.path.join(path, n) for n in sorted(os.listdir(path)) if is_run(os.path.join(path, n))}
    if not folders:
        raise rr.ResultError(f"{path}: no campaign, no run and no folder of runs")
    return folders


def is_run(folder: str) -> bool:
    """True for the folder of a run with flows, also where they are gone."""
    if not os.path.isdir(folder) or os.path.exists(roce_manifest.place_of(folder, "flows.csv")):
        return os.path.isdir(folder)
    summary = roce_manifest.place_of(folder, roce_manifest.SUMMARY)
    return os.path.exists(summary) and "flows.csv" in roce_manifest.entries_of(rr.read_summary(folder), summary)


def has_phases(run: rr.Run) -> bool:
    """True if flows wait for others, so that their starts are results."""
    return "iterations" in run.summary or any(f.start_ps is None for f in run.flows)


def arrivals(flows: Sequence[rr.Flow], starts: bool) -> List[Tuple]:
    """What the workload is: flows in the order of their ids. @param starts whether with their times"""
    return sorted((f.id, f.src, f.dst, f.traffic_class, f.tag, f.scope, f.size, f.start_ps if starts else None) for f in flows)


def other_workload(base: rr.Run, new: rr.Run) -> Optional[str]:
    """How the workloads differ, None if they are the same."""
    starts = not has_phases(base) and not has_phases(new)
    a, b = arrivals(base.flows, starts), arrivals(new.flows, starts)
    if len(a) != len(b):
        return f"{len(a)} and {len(b)} flows"
    differ = [x[0] for x, y in zip(a, b) if x != y]
    return f"{len(differ)} of {len(a)} flows have other hosts, sizes or starts, first flow {differ[0]}" if differ else None


def differing_options(pairs: Dict[str, Tuple[rr.Run, rr.Run]]) -> List[str]:
    """Options that have other values in the new runs: "--load: 0.3 -> 0.5 (all runs)". Versions, too."""
    found: Dict[Tuple[str, str, str], List[str]] = {}
    for name, (base, new) in pairs.items():
        parts = [run.summary.get("manifest", {}).get("parts", {}) for run in (base, new)]
        for part in PARTS:
            values = tuple(str(p[part])[:12] for p in parts if part in p)
            if len(set(values)) == 2:
                found.setdefault((f"digest of {part}", *values), []).append(name)
        for title, key in (("--{}", "configuration"), ("version of {}", "versions")):
            a, b = base.summary.get(key, {}), new.summary.get(key, {})
            for option in sorted(a.keys() | b.keys()):
                values = str(a.get(option, "(none)")), str(b.get(option, "(none)"))
                # An option that only one version has is no difference as long as it is new in both.
                if values[0] != values[1] and option not in OWN:
                    found.setdefault((title.format(option), *values), []).append(name)
    return [f"{option}: {a} -> {b} ({'all runs' if len(names) == len(pairs) else listed(names)})" for (option, a, b), names in found.items()]


def listed(names: Sequence[str]) -> str:
    return ", ".join(names[:FEW]) + ", ..." * (len(names) > FEW)


# ----------------------------------------------------------------------------------------- metrics


def of_flows(flows: Sequence[rr.Flow]) -> Dict[str, float]:
    """Statistics of flows by scope, and by scope and size bin."""
    found: Dict[str, float] = {}
    for scope in rr.SCOPES:
        members = [f for f in flows if scope in ("all", f.scope)]
        for name, group in ((scope, members), *((f"{scope}.{b}", m) for b, m in zip(rr.SIZE_LABELS, rr.by_size(members)))):
            done = [f for f in group if f.finished]
            if group:
                found[f"{name}.flows"] = float(len(group))
                found[f"{name}.unfinished"] = float(len(group) - len(done))
            for what, values in (("fct", sorted(f.fct_ps / 1000 for f in done)), ("slowdown", sorted(f.slowdown for f in done))):
                for statistic, per_million in STATISTICS if values else ():
                    found[f"{name}.{what}.{statistic}"] = math.fsum(values) / len(values) if per_million is None \
                        else rr.percentile(values, per_million)
    return found


def of_run(run: rr.Run) -> Dict[str, float]:
    """All metrics of a run: of its flows, and the same statistics as summary.json states them."""
    found = of_flows(run.flows)
    for scope in rr.SCOPES:
        node = run.summary.get("statistics", {}).get(scope, {})
        for name, part in ((scope, node), *((f"{scope}.{p.get('label')}", p) for p in node.get("bins", []))):
            for what, key in (("fct", "fctNs"), ("slowdown", "slowdown")):
                values = ((s, part.get(key, {}).get(s)) for s, _ in STATISTICS)
                found.update({f"summary.{name}.{what}.{s}": float(v) for s, v in values if isinstance(v, (int, float))})
    return found


def check_bounds(bounds: Sequence[Bound], metrics: Iterable[str]) -> None:
    """End if a bound is for no metric that there is."""
    known = sorted(set(metrics))
    for bound in bounds:
        if not any(bound.fits(m) for m in known):
            some = [m for m in known if not m.startswith("summary.")]
            raise rr.ResultError(f"--bound {bound.pattern}: fits no metric of these runs, expected for example "
                                 + ", ".join(f"'{m}'" for m in some[:1] + some[len(some) // 2:][:2]))


def is_count(metric: str) -> bool:
    """Whether it is a number of flows."""
    return metric.endswith(tuple(f".{c}" for c in COUNTS))


def bound_of(metric: str, bounds: Sequence[Bound]) -> Bound:
    """The last bound whose pattern fits. Counts are bounded only by patterns that end in them."""
    return next((b for b in reversed(bounds) if b.fits(metric) and (b.pattern.endswith(COUNTS) or not is_count(metric))), Bound())


def compare(name: str, base: Dict[str, float], new: Dict[str, float], bounds: Sequence[Bound]) -> List[Change]:
    """All metrics of one run in both versions."""
    return [Change(name, m, base.get(m), new.get(m), bound_of(m, bounds)) for m in sorted(base.keys() | new.keys())]


def by_point(runs: Dict[str, Dict[str, float]]) -> Dict[str, Dict[str, float]]:
    """Runs that differ only in the seed: the mean of each metric over those that have it; counts are added up."""
    together: Dict[str, Dict[str, List[float]]] = {}
    for name, metrics in runs.items():
        point = together.setdefault(re.sub(r"-seed\d+$", "", name), {})
        for metric, value in metrics.items():
            point.setdefault(metric, []).append(value)
    return {name: {m: math.fsum(v) / (1 if is_count(m) else len(v)) for m, v in point.items()} for name, point in together.items()}


# ------------------------------------------------------------------------------------------ tables


def weight(change: Change) -> Tuple:
    """For sorting: beyond its bound first, then the largest, without the digits in which equal changes differ."""
    return not change.beyond(), -round(abs(change.relative()), 7), change.metric, change.run


def different(changes: Sequence[Change]) -> List[Change]:
    """What changed, each fact once.

    Several metrics may say the same: summary.json repeats flows.csv, and if all large flows are inter, the maxima of all, inter
    and inter.>10MB are one flow's. Metrics of a run with the same two numbers are one fact; the shortest name stays, that of a
    metric beyond its bound before others."""
    facts: Dict[Tuple, Change] = {}
    for change in sorted((c for c in changes if c.relative() != 0),
                         key=lambda c: (not c.beyond(), c.metric.startswith("summary."), len(c.metric), c.metric)):
        digits = tuple(None if v is None else f"{v:.9g}" for v in (change.base, change.new))
        facts.setdefault((change.run, kind_of(change.metric), *digits), change)
    return list(facts.values())


def kind_of(metric: str) -> str:
    return "count" if is_count(metric) else "slowdown" if ".slowdown." in metric else "fct"


def time_text(ns: float) -> str:
    """3.604ms: a time for people, as bounds are written."""
    unit, size = look.scaled("ns", float(f"{ns:.4g}"))
    return f"{float(f'{ns:.4g}') / size:.10g}{unit}".replace("\u00b5", "u")


def shown(metric: str, value: Optional[float]) -> str:
    """A value for people: times with a unit, counts whole, other numbers with four digits."""
    if value is None:
        return "-"
    if kind_of(metric) == "fct":
        return time_text(value)
    return f"{value:.0f}" if kind_of(metric) == "count" or abs(value) >= 1e4 else f"{value:.4g}"


def percent(share: float, infinite: str) -> str:
    """+3.000%"""
    return infinite if math.isinf(share) else f"{100 * share:+.3f}%"


def table(changes: Sequence[Change], runs: int, each: bool = False) -> List[List[str]]:
    """Rows by metric: the run in which it changed most, and in how many. With `each` by metric and run."""
    members: Dict[Tuple, List[Change]] = {}
    for change in sorted(different(changes), key=weight):
        members.setdefault((change.metric, change.run if each else ""), []).append(change)
    rows = []
    for worst, *others in sorted(members.values(), key=lambda some: weight(some[0])):
        numbers = [shown(worst.metric, v) for v in (worst.base, worst.new)]
        rows.append([worst.metric, *numbers, percent(worst.relative(), "new or gone"), worst.bound.amount(),
                     "BEYOND" if worst.beyond() else "within", worst.run, f"{1 + len(others)} of {runs}"])
    return rows


def text(rows: Sequence[List[str]], show: int) -> str:
    """A table for the terminal."""
    more = f"\n... and {len(rows) - show} more" if len(rows) > show else ""
    return rr.format_aligned((HEADER, list(rows[:show]))) + more + "\n\n" if rows else ""
