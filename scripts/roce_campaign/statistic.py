# SPDX-License-Identifier: GPL-2.0-only
"""Statistics of values, by the names that experiments use."""

import bisect
import itertools
import math
from typing import List, Optional, Sequence, Tuple

import roce_results as rr


def per_million(statistic: str) -> int:
    """p99.9 as 999000."""
    return round(float(statistic[1:]) * 10_000)


def statistic_of(ascending: Sequence[float], statistic: str) -> Optional[float]:
    """A statistic of sorted values; percentiles are nearest-rank."""
    if statistic == "count":
        return float(len(ascending))
    if statistic == "sum":
        return math.fsum(ascending)
    if not ascending:
        return None
    if statistic == "mean":
        return math.fsum(ascending) / len(ascending)
    if statistic in ("min", "max"):
        return ascending[0 if statistic == "min" else -1]
    if statistic == "jain":  # 1 if all are equal, 1/n if one has all
        squares = math.fsum(v * v for v in ascending)
        return math.fsum(ascending) ** 2 / (len(ascending) * squares) if squares else None
    return rr.percentile(ascending, per_million(statistic))


def count_peaks(series: Sequence[float]) -> int:
    """How often a series rises above half of its greatest value, from below a quarter of it or from its begin."""
    top = max(series, default=0.0)
    peaks, low = 0, True
    for value in series:
        if low and value > top / 2:
            peaks, low = peaks + 1, False
        elif value < top / 4:
            low = True
    return peaks


def weighted_statistic(pairs: List[Tuple[float, float]], statistic: str) -> Optional[float]:
    """A statistic of (value, weight)."""
    pairs = sorted(p for p in pairs if p[1] > 0)
    if not pairs:
        return None
    if statistic == "mean":
        return math.fsum(v * w for v, w in pairs) / math.fsum(w for _, w in pairs)
    if statistic in ("min", "max"):
        return pairs[0 if statistic == "min" else -1][0]
    sums = list(itertools.accumulate(weight for _, weight in pairs))
    at = bisect.bisect_left(sums, sums[-1] * per_million(statistic) / 1e6)
    return pairs[min(at, len(pairs) - 1)][0]
