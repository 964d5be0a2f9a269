# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Throughput of flows over time, and how fair it is.

Throughput is the acknowledged payload (rates.csv, acked_bytes) over the part of a stretch of time in
which the flow is there, from its start to its last ACK. Between two rows it grows evenly. A run ends
with the last row.
"""

import bisect
import csv
import functools
import math
import os
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import roce_manifest
import roce_results as rr

from .statistic import statistic_of

MAX_BINS = 1_000_000
GBPS = 8e-3  # per byte in a microsecond
ACTIVE_SHARE = 0.5  # of a bin that a flow must be there for


class Series(NamedTuple):
    """A count that grows evenly from one row to the next."""

    times_us: List[float]
    values: List[float]

    def between(self, time_us: float) -> float:
        """The count at a time; 0 before the first row."""
        index = bisect.bisect_right(self.times_us, time_us)
        if index == 0 or index == len(self.times_us):
            return self.values[index - 1] if index else 0.0
        t0, t1 = self.times_us[index - 1], self.times_us[index]
        v0, v1 = self.values[index - 1], self.values[index]
        return v0 + (v1 - v0) * (time_us - t0) / (t1 - t0)


class Progress(NamedTuple):
    """A flow and what was acknowledged of it so far."""

    flow: rr.Flow
    start_us: float
    end_us: float  # of the run, if the flow did not finish
    acked: Series

    def rate(self, begin: float, end: float, least: float = 0.0) -> Optional[float]:
        """Gbit/s between two times, us; None if the flow is there for less of it than `least`."""
        active = min(end, self.end_us) - max(begin, self.start_us)
        if active <= 0 or active < least * (end - begin):
            return None
        return GBPS * (self.acked.between(end) - self.acked.between(begin)) / active


@functools.lru_cache(maxsize=2)
def read(folder: str, name: str = "rates.csv") -> List[Progress]:
    """The flows of a run that are in its rates.csv, by number; all of them, warm-up or not."""
    file = roce_manifest.file_of(folder, name)
    if not os.path.exists(file):
        raise rr.ResultError(f"{file}: no such file, expected a run with the option rates "
                             "(for example 1ms)")
    table = read_acked(file)
    end_us = max((s.times_us[-1] for s in table.values()), default=0.0)
    found = []
    for flow in rr.flows_of(folder):
        series = table.get(str(flow.id))
        if series:
            start = flow.start_ps / 1e6
            acked = Series([start] + series.times_us, [0.0] + series.values)
            done = start + flow.fct_ps / 1e6 if flow.finished else end_us
            found.append(Progress(flow, start, done, acked))
    return found


def read_acked(file: str) -> Dict[str, Series]:
    """What was acknowledged so far, by flow. No pandas: its start takes as long as a small run."""
    table: Dict[str, Series] = {}
    with open(file, newline="", encoding="utf-8") as stream:
        reader = csv.DictReader(stream)
        try:
            for row in reader:
                series = table.setdefault(row["flow"], Series([], []))
                series.times_us.append(float(row["time_ns"]) / 1000)
                series.values.append(float(row["acked_bytes"] or 0))
        except (KeyError, TypeError, ValueError, csv.Error):
            raise rr.ResultError(f"{file}:{reader.line_num}: expected numbers in time_ns, flow, acked_bytes") from None
    return table


def window(flows: Sequence[Progress], definition: dict) -> Tuple[float, float]:
    """The stretch of time that is looked at, us."""
    end = max((p.acked.times_us[-1] for p in flows), default=0.0)
    end = min(end, definition.get("before", math.inf) / 1000)
    if definition.get("until") == "first_done":
        end = min([end] + [p.end_us for p in flows])
    begin = definition.get("after", 0.0) / 1000
    return definition.get("after_share", 0.0) * end or begin, end


def throughput(flows: Sequence[Progress], within: Tuple[float, float], definition: dict
               ) -> Dict[str, Optional[float]]:
    """A statistic of the flows' throughput within a window."""
    found = sorted(r for r in (p.rate(*within) for p in flows) if r is not None)
    return {"value": statistic_of(found, definition["statistic"])}


def bins(begin: float, end: float, width: float) -> float:
    """The number of bins in a stretch of time, which must not be beyond what one can look at."""
    found = (end - begin) / width
    if found > MAX_BINS:
        raise rr.ResultError(f"bins of {width:g} us make {found:.0f} of {end - begin:g} us, expected up "
                             f"to {MAX_BINS}")
    return found


def indices(flows: Sequence[Progress], begin: float, end: float, width: float
            ) -> List[Optional[float]]:
    """Jain's index in each whole bin; None where fewer than two flows are there, or all stand still."""
    found: List[Optional[float]] = []
    for i in range(int(bins(begin, end, width) * (1 + 1e-12))):
        edges = begin + i * width, begin + (i + 1) * width
        rates = [r for r in (p.rate(*edges, ACTIVE_SHARE) for p in flows) if r is not None]
        found.append(statistic_of(sorted(rates), "jain") if len(rates) > 1 else None)
    return found


def fairness(flows: Sequence[Progress], within: Tuple[float, float], definition: dict
             ) -> Dict[str, object]:
    """A statistic of Jain's index over the bins of a window."""
    begin, end = within
    width = definition["bin"] / 1000
    found = indices(flows, begin, end, width)
    known = [v for v in found if v is not None]
    statistic, threshold = definition["statistic"], definition.get("threshold", 0.0)
    if not known:
        return {"value": None}
    if statistic == "share_below":
        return {"value": sum(v < threshold for v in known) / len(known)}
    if statistic != "time_to":
        return {"value": statistic_of(sorted(known), statistic)}
    held = 0
    for i, value in enumerate(found):
        held = held + 1 if value is not None and value >= threshold else 0
        if held == definition.get("hold", 1):
            return {"value": begin + (i + 1 - held) * width, "reached": True}
    return {"value": end, "reached": False}
