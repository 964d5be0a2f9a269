# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Who is best where: the labels of one axis (the rivals) compared by a metric at each label of another.

Smaller is better. Two rivals are compared seed by seed, since their arrivals are the same: the 95 %
interval is that of the ratio of both, and a difference whose interval includes a ratio of 1 is none.
A rival that leaves flows unfinished comes last, behind all that finish, whatever the others of its
flows took.
"""

from typing import Dict, List, NamedTuple, Optional

import roce_results as rr

from .estimates import Estimate, Results, estimator
from .expression import NotMeasured
from .grid import Selection, selects
from .metrics import Metric


class Entry(NamedTuple):
    """A rival at one row."""

    value: float
    unfinished: int
    rank: float             # 1 is the best; equal ones share the mean of their ranks
    over_best: Estimate     # its value over the best's, paired
    like_best: bool         # the difference to the best is not significant


class Comparison:
    """A metric of all rivals at all rows."""

    def __init__(self, results: Results, metric: Metric, rows_axis: str, rivals_axis: str,
                 where: Selection):
        """
        @param rows_axis axis of what is compared at, such as a scenario
        @param rivals_axis axis of who is compared
        @param where which points; with the two axes it must leave one for each pair
        """
        self.metric = metric
        self.points: Dict[str, Dict[str, int]] = {}
        for index, point in enumerate(results.points):
            if selects(where, point.coordinates):
                row = self.points.setdefault(point.coordinates[rows_axis], {})
                rival = point.coordinates[rivals_axis]
                if rival in row:
                    raise rr.ResultError("several points for one place: name more axes in each or where")
                row[rival] = index
        axes = results.experiment.axes
        self.rows: Dict[str, Dict[str, Entry]] = {}
        for label in where.get(rows_axis, axes[rows_axis]):
            found = compare(results, metric, self.points.get(label, {}))
            if found:
                self.rows[label] = found
        there = {rival for row in self.rows.values() for rival in row}
        self.rivals: List[str] = sorted(
            (r for r in where.get(rivals_axis, axes[rivals_axis]) if r in there), key=self.mean_rank)

    def mean_rank(self, rival: str) -> float:
        """Over the rows in which it is."""
        ranks = [row[rival].rank for row in self.rows.values() if rival in row]
        return sum(ranks) / len(ranks)

    def best(self, row: str) -> str:
        """The rival with the lowest rank; of equal ones the first in the grid."""
        return min(self.rows[row], key=lambda rival: self.rows[row][rival].rank)

    def margin(self, results: Results, row: str) -> Optional[Estimate]:
        """By how many percent the best is below the second, paired; None where no other finishes."""
        order = sorted(self.rows[row], key=lambda rival: self.rows[row][rival].rank)
        if len(order) < 2:
            return None
        if self.rows[row][order[1]].unfinished:
            return None
        share = ratio(results, self.metric, self.points[row][order[0]], self.points[row][order[1]])
        below = [None if x is None else 100 * (1 - x) for x in (share.value, share.high, share.low)]
        return Estimate(*below, share.seeds)


def compare(results: Results, metric: Metric, points: Dict[str, int]) -> Dict[str, Entry]:
    """The rivals of one row, as far as they are measured."""
    values = {rival: results.estimate(point, metric) for rival, point in points.items()}
    values = {rival: e for rival, e in values.items() if e}
    if not values:
        return {}
    unfinished = {rival: (results.counts(points[rival], metric) or (0, 0))[1] for rival in values}
    keys = {rival: (unfinished[rival], values[rival].value) for rival in values}
    best = min(values, key=keys.get)
    found = {}
    for rival, estimate in values.items():
        below = sum(key < keys[rival] for key in keys.values())
        equal = sum(key == keys[rival] for key in keys.values())
        over = ratio(results, metric, points[rival], points[best])
        like = unfinished[rival] == unfinished[best] and (
            rival == best or over.low is None or over.low <= 1 <= over.high)
        found[rival] = Entry(estimate.value, unfinished[rival], below + (equal + 1) / 2, over, like)
    return found


def ratio(results: Results, metric: Metric, point: int, other: int) -> Estimate:
    """A point's metric over another's, with the interval over the seeds that both have."""
    others = set(results.seeds(other, metric))
    seeds = [s for s in results.seeds(point, metric) if s in others]

    def of(chosen):
        bottom = results.over(other, metric, chosen)
        if bottom == 0:
            raise NotMeasured("a ratio to 0")
        return results.over(point, metric, chosen) / bottom

    try:
        return estimator([metric])(seeds, of)
    except (NotMeasured, ZeroDivisionError):
        return Estimate(float("nan"), None, None, 0)
