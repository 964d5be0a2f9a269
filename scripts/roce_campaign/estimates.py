# SPDX-License-Identifier: GPL-2.0-only
"""Metrics over the seeds, with confidence intervals: what tables, scores and pages are made of.

Over the seeds of a point a metric's estimate is the mean, with a 95 % confidence interval after Student's t; flows that did not
finish are counted, never averaged. A pooled metric is computed from the flows of all seeds together.

All intervals are delete-one-seed jackknife intervals: with n seeds and an estimate e, the pseudo-values n*e - (n-1)*e(without
seed i) are averaged, and their standard error times Student's t with n-1 degrees of freedom is half the interval, centred on e.
For a mean over seeds that is exactly the usual interval. It serves ratios and percentages of means and pooled percentiles alike,
and as the points have the same seeds (the same arrivals), their pairing counts.

But those of a statistic over the seeds (P99 of 100 runs) are bootstrap intervals: the jackknife fails for percentiles, which
hardly change when one value is left out. RESAMPLES times as many seeds are drawn with replacement, the same for all points, from
a generator of fixed seed; the interval is from the 2.5th to the 97.5th percentile of the estimates.
"""

import contextlib
import functools
import math
import os
import random
from concurrent.futures import ProcessPoolExecutor
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import roce_manifest
import roce_results as rr

from . import experiment, workspace
from .expression import NotMeasured
from .grid import Point, selects
from .measure import definitions, of_run
from .metrics import Metric
from .plan import Plan
from .plots import restrict
from .program import ROOT
from .statistic import statistic_of

CONFIDENCE = 0.95
RESAMPLES = 1000
TAILS = ("p2.5", "p97.5")  # of the bootstrap


@functools.lru_cache(maxsize=None)
def student_t(degrees: int) -> float:
    """Two-sided 95 % quantile of Student's t."""
    from scipy.special import stdtrit  # takes long to load
    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))


class Estimate(NamedTuple):
    """A number with its interval; low and high are None with fewer than two seeds."""

    value: float
    low: Optional[float]
    high: Optional[float]
    seeds: int


def estimator(metrics: Iterable[Metric], seeds: Sequence[int], f: Callable[[Sequence[int]], float]) -> Estimate:
    """The number f(seeds), made of these metrics, with its interval; f may get a seed several times."""
    value, n = f(seeds), len(seeds)
    if n < 2:
        return Estimate(value, None, None, n)
    try:
        if any(m.source == "seeds" for m in metrics):  # bootstrap
            draw = random.Random(1)
            values = sorted(f(draw.choices(seeds, k=n)) for _ in range(RESAMPLES))
            return Estimate(value, *(statistic_of(values, tail) for tail in TAILS), n)
        pseudo = [n * value - (n - 1) * f([s for s in seeds if s != left]) for left in seeds]
        mean = math.fsum(pseudo) / n
        error = math.sqrt(math.fsum((p - mean) ** 2 for p in pseudo) / (n - 1) / n)
    except (NotMeasured, OverflowError):
        return Estimate(value, None, None, n)
    half = student_t(n - 1) * error
    return Estimate(value, value - half, value + half, n)


class Results:
    """Metrics of all runs of a campaign."""

    def __init__(self, its_experiment: experiment.Experiment, points: List[Point], measured: Dict[Tuple[int, int], Dict[str, dict]]):
        """@param measured (index of the point, seed) -> metrics; runs that are not there are missing"""
        self.experiment = its_experiment
        self.points = points
        self.measured = measured
        self._index = {p.place: i for i, p in enumerate(points)}
        self._estimates: Dict[Tuple[int, str], Optional[Estimate]] = {}

    def find(self, coordinates: Dict[str, str]) -> int:
        """Index of the point with all these coordinates."""
        place = frozenset(coordinates.items())
        if place not in self._index:
            where = ", ".join(f"{a}={v}" for a, v in coordinates.items())
            raise NotMeasured(f"no runs at {where}" + " in this size" * (self.experiment.size != "full"))
        return self._index[place]

    def entries(self, point: int, metric: Metric) -> Dict[int, dict]:
        """What the runs of a point have of a metric, by seed."""
        if not selects(metric.fields.get("at", {}), self.points[point].coordinates):
            return {}
        found = ((s, self.measured.get((point, s), {}).get(metric.of_run())) for s in self.points[point].seeds)
        return {s: e for s, e in found if e}

    def seeds(self, point: int, metric: Metric) -> List[int]:
        """Seeds in which a metric has a value."""
        return [s for s, e in self.entries(point, metric).items() if metric.pool or e["value"] is not None]

    def over(self, point: int, metric: Metric, seeds: Sequence[int]) -> float:
        """A metric's mean over the seeds, its statistic over them, or its value over their pooled flows."""
        entries = [self.measured[point, s][metric.of_run()] for s in seeds]
        if metric.per_run():
            return math.fsum(e["value"] for e in entries) / len(entries)
        values = [v for e in entries for v in e["values"]] if metric.pool else [e["value"] for e in entries]
        value = statistic_of(sorted(values), metric.fields["statistic"])
        if value is None:
            raise NotMeasured(f"no {'flow for ' if metric.pool else ''}{metric.name} at {self.points[point].text()}")
        return value * (1 if metric.pool else metric.fields.get("scale", 1))

    def estimate(self, point: int, metric: Metric) -> Optional[Estimate]:
        """A metric at a point; None where no seed has a value, or the metric is of other points."""
        key = point, metric.name
        if key not in self._estimates:
            seeds = self.seeds(point, metric)
            self._estimates[key] = None
            with contextlib.suppress(NotMeasured):
                if seeds:
                    self._estimates[key] = estimator([metric], seeds, lambda s: self.over(point, metric, s))
        return self._estimates[key]

    def counts(self, point: int, metric: Metric) -> Optional[Tuple[int, int]]:
        """Flows and unfinished flows that a metric of flows looks at, over all seeds."""
        entries = self.entries(point, metric).values()
        if not entries or not all("unfinished" in e for e in entries):
            return None
        return sum(e["flows"] for e in entries), sum(e["unfinished"] for e in entries)

    def not_reached(self, point: int, metric: Metric) -> int:
        """Runs in which a threshold was not reached."""
        return sum(e.get("reached") is False for e in self.entries(point, metric).values())

    def table(self) -> rr.Table:
        """metrics.csv: one row per metric and point."""
        axes = list(self.experiment.axes)
        rows = []
        for metric in self.experiment.metrics.values():
            for i, point in enumerate(self.points):
                e = self.estimate(i, metric)
                rows.append([metric.name, *(point.coordinates[a] for a in axes), str(e.seeds if e else 0), *plain_of(e),
                             *map(str, self.counts(i, metric) or ("", ""))])
        return ["metric"] + axes + ["seeds", "mean", "ci_low", "ci_high", "flows", "unfinished"], rows

    def seed_table(self) -> rr.Table:
        """metrics-by-seed.csv: one row per metric, point and seed; without those of no single run."""
        axes = list(self.experiment.axes)
        return ["metric"] + axes + ["seed", "value"], [
            [metric.name, *(point.coordinates[a] for a in axes), str(seed), plain(entry["value"])]
            for metric in self.experiment.metrics.values() if metric.per_run()
            for i, point in enumerate(self.points) for seed, entry in self.entries(i, metric).items()]


def plain(value: Optional[float]) -> str:
    """A number for CSV files: ten digits, empty if there is none."""
    return "" if value is None else f"{value:.10g}"


def plain_of(e: Optional[Estimate]) -> List[str]:
    """An estimate and its interval for CSV files."""
    return [plain(n) for n in (e[:3] if e else [None] * 3)]


def number(value: Optional[float]) -> str:
    """Four significant digits without an exponent, where that is readable."""
    if value is None:
        return "-"
    if value != 0 and (abs(value) >= 1e9 or abs(value) < 1e-3):
        return f"{value:.3e}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def interval(e: Optional[Estimate]) -> str:
    """[1.2, 3.4] or nothing."""
    return "" if not e or e.low is None else f"[{number(e.low)}, {number(e.high)}]"


# ----------------------------------------------------------------------------------------- loading


def load(folder: str, file: Optional[str], jobs: int, targets: Optional[str] = None, failed: Iterable[str] = ()) -> Tuple[Results, Plan]:
    """Plan and metrics of a results folder.

    The runs are those of the last scripts/reproduce; metrics, plots and claims are those of the experiment file as it is now.
    Grid, options and seeds must not have changed.

    @param failed keys of runs that count as missing"""
    plan = Plan.read(folder)
    plan.failed.update(failed)
    data = plan.data
    found = restrict(experiment.load(file or data["file"], data["size"], data["program"], targets_file=targets, added=data.get("added", 0),
                                     given=data.get("inputs"), names=data["optionNames"]), data.get("only", []))
    if found.design() != data["design"]:
        raise rr.ResultError(f"{found.file}: program, options, grid or seeds are not those of {folder} any more; "
                             "run scripts/reproduce again")
    workspace.begin(folder, found)
    plan.again = workspace.damaged(plan)
    for key, why in plan.again.items():
        roce_manifest.warn(f"run {key} is not used: {why}; scripts/reproduce makes it again")
    index = {tuple(p.coordinates.items()): i for i, p in enumerate(found.points)}
    work = functools.partial(of_run, plan, metrics=definitions(found), warmup_ns=found.warmup_ns)
    if jobs > 1 and len(plan.runs) > 1:
        with ProcessPoolExecutor(jobs) as pool:
            measures = list(pool.map(work, plan.runs))
    else:
        measures = [work(r) for r in plan.runs]
    measured = {(index[tuple(r.point.items())], r.seed): m for r, m in zip(plan.runs, measures) if m is not None}
    return Results(found, found.points, measured), plan


def of_name(name: str, folder: Optional[str], targets: Optional[str] = None) -> Tuple[Results, Plan]:
    """The same by an experiment's name; the folder is results/NAME unless given."""
    short, file = experiment.find(name)
    return load(folder or os.path.join(ROOT, "results", short), file, len(os.sched_getaffinity(0)), targets)
