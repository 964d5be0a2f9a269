# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Metrics of two versions compared within bounds.

What is compared of each run: FCT and slowdown (mean, P50, P95, P99, P99.9, max) of all, intra and
inter flows and of each size bin, from flows.csv; the same statistics as summary.json states them;
the number of flows and of unfinished ones.
"""

import fnmatch
import math
import os
import re
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import roce_manifest
import roce_results as rr

from . import provenance
from .plan import Plan

STATISTICS = (("mean", None), ("p50", 500_000), ("p95", 950_000), ("p99", 990_000),
              ("p999", 999_000), ("max", 1_000_000))
DEFAULT_BOUND = "1%"
COUNTS = ("flows", "unfinished")  # these may not change at all, unless a bound names them


class Bound(NamedTuple):
    """How much a metric may change: a part of the old value."""

    pattern: str
    relative: float

    @staticmethod
    def parse(text: str) -> "Bound":
        """1%, 0.01 or PATTERN=1%; ValueError."""
        pattern, _, amount = text.rpartition("=")
        match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)(%?)", amount.strip())
        if not match:
            raise ValueError(f"'{text}', expected for example 1%, 0.02 or 'inter.*.p99=5%'")
        return Bound(pattern.strip() or "*", float(match[1]) / (100 if match[2] else 1))

    def fits(self, metric: str) -> bool:
        """True if the bound is for a metric, wherever that was read."""
        return any(fnmatch.fnmatchcase(m, self.pattern) for m in (metric, without_prefix(metric)))

    def text(self) -> str:
        """As parse() reads it."""
        return f"{self.pattern}={100 * self.relative:.6g}%"


class Change(NamedTuple):
    """A metric that changed."""

    run: str
    metric: str
    base: Optional[float]
    new: Optional[float]
    bound: float

    def relative(self) -> float:
        """Change as a part of the old value; infinite if a value came or went."""
        if self.base is None or self.new is None:
            return math.inf
        if self.base == self.new:
            return 0.0
        return (self.new - self.base) / abs(self.base) if self.base else math.inf

    def beyond(self) -> bool:
        """True if the bound is exceeded; the last digits of printed numbers do not count."""
        return abs(self.relative()) > self.bound + 1e-9


def run_folders(path: str) -> Dict[str, str]:
    """Name of a run (without the hash) -> folder: of a campaign, a folder of runs, or a run."""
    if os.path.exists(os.path.join(path, "plan.json")):
        plan = Plan.read(path)
        missing = [r.key for r in plan.runs if plan.record(r) is None]
        if missing:
            raise rr.ResultError(f"{path}: {len(missing)} run(s) of the campaign are missing, "
                                 f"first {missing[0]}; finish it with scripts/reproduce")
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


def groups(run: rr.Run) -> Iterator[Tuple[str, List[rr.Flow]]]:
    """Flows by scope, and by scope and size bin."""
    for scope in rr.SCOPES:
        flows = run.scope(scope)
        yield scope, flows
        for label, members in zip(rr.SIZE_LABELS, rr.by_size(flows)):
            yield f"{scope}.{label}", members


def of_flows(run: rr.Run) -> Dict[str, float]:
    """Statistics of a run's flows.csv."""
    found: Dict[str, float] = {}
    for name, flows in groups(run):
        if not flows:
            continue
        done = [f for f in flows if f.finished]
        found[f"{name}.flows"] = float(len(flows))
        found[f"{name}.unfinished"] = float(len(flows) - len(done))
        for what, values in (("fct", sorted(f.fct_ps / 1000 for f in done)),
                             ("slowdown", sorted(f.slowdown for f in done))):
            for statistic, per_million in STATISTICS if values else ():
                found[f"{name}.{what}.{statistic}"] = \
                    math.fsum(values) / len(values) if per_million is None \
                    else rr.percentile(values, per_million)
    return found


def of_summary(summary: dict) -> Dict[str, float]:
    """The same statistics as summary.json states them."""
    found: Dict[str, float] = {}

    def take(name: str, node: dict) -> None:
        for what, key in (("fct", "fctNs"), ("slowdown", "slowdown")):
            for statistic, _ in STATISTICS:
                value = node.get(key, {}).get(statistic)
                if isinstance(value, (int, float)):
                    found[f"summary.{name}.{what}.{statistic}"] = float(value)

    for scope in rr.SCOPES:
        node = summary.get("statistics", {}).get(scope, {})
        take(scope, node)
        for part in node.get("bins", []):
            take(f"{scope}.{part.get('label')}", part)
    return found


def of_run(run: rr.Run) -> Dict[str, float]:
    """All metrics of a run."""
    return {**of_flows(run), **of_summary(run.summary)}


def check_bounds(bounds: Sequence[Bound], metrics: Iterable[str]) -> None:
    """End if a bound is for no metric that there is."""
    known = sorted(set(metrics))
    for bound in bounds:
        if not any(bound.fits(m) for m in known):
            some = [m for m in known if not m.startswith("summary.")]
            raise rr.ResultError(f"--bound {bound.pattern}: fits no metric of these runs, expected for example "
                                 + ", ".join(f"'{m}'" for m in some[:1] + some[len(some) // 2:][:2]))


def bound_of(metric: str, bounds: Sequence[Bound]) -> float:
    """The last bound whose pattern fits. Counts are bounded only by patterns that end in them."""
    found = 0.0
    for bound in bounds:
        if metric.rsplit(".", 1)[-1] in COUNTS and not bound.pattern.endswith(COUNTS):
            continue
        if bound.fits(metric):
            found = bound.relative
    return found


def without_prefix(metric: str) -> str:
    """The metric's name, wherever it was read."""
    return metric[len("summary."):] if metric.startswith("summary.") else metric


def compare(name: str, base: Dict[str, float], new: Dict[str, float],
            bounds: Sequence[Bound]) -> List[Change]:
    """All metrics of one run in both versions."""
    return [Change(name, m, base.get(m), new.get(m), bound_of(m, bounds))
            for m in sorted(base.keys() | new.keys())]


def mean_of(runs: Sequence[Dict[str, float]]) -> Dict[str, float]:
    """The mean of each metric over runs that have it; counts are added up."""
    found = {}
    for metric in sorted(set().union(*runs)):
        values = [r[metric] for r in runs if metric in r]
        total = math.fsum(values)
        found[metric] = total if metric.rsplit(".", 1)[-1] in COUNTS else total / len(values)
    return found


def by_point(runs: Dict[str, Dict[str, float]]) -> Dict[str, Dict[str, float]]:
    """Runs that differ only in the seed, averaged."""
    together: Dict[str, List[Dict[str, float]]] = {}
    for name, metrics in runs.items():
        together.setdefault(re.sub(r"-seed\d+$", "", name), []).append(metrics)
    return {name: mean_of(members) for name, members in together.items()}
