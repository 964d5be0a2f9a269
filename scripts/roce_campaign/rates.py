# SPDX-License-Identifier: GPL-2.0-only
"""Throughput of flows over time, and how fair it is.

Throughput is the acknowledged payload (rates.csv, acked_bytes) over the part of a stretch of time in which the flow is there,
from its start to its last ACK. Between two rows it grows evenly. A run ends with the last row.
"""

import bisect
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


class Progress(NamedTuple):
    """A flow and what was acknowledged of it so far."""

    flow: rr.Flow
    start_us: float
    end_us: float  # of the run, if the flow did not finish
    times_us: List[float]
    acked: List[float]

    def at(self, time_us: float) -> float:
        """What was acknowledged at a time, which grows evenly from one row to the next; 0 before the first."""
        index = bisect.bisect_right(self.times_us, time_us)
        if index == 0 or index == len(self.times_us):
            return self.acked[index - 1] if index else 0.0
        t0, t1 = self.times_us[index - 1], self.times_us[index]
        v0, v1 = self.acked[index - 1], self.acked[index]
        return v0 + (v1 - v0) * (time_us - t0) / (t1 - t0)

    def rate(self, begin: float, end: float, least: float = 0.0) -> Optional[float]:
        """Gbit/s between two times, us; None if the flow is there for less of it than `least`."""
        active = min(end, self.end_us) - max(begin, self.start_us)
        if active <= 0 or active < least * (end - begin):
            return None
        return GBPS * (self.at(end) - self.at(begin)) / active


@functools.lru_cache(maxsize=2)
def read(folder: str, name: str = "rates.csv") -> List[Progress]:
    """The flows of a run that are in its rates.csv, by number; all of them, warm-up or not."""
    file = roce_manifest.file_of(folder, name)
    if not os.path.exists(file):
        raise rr.ResultError(f"{file}: no such file, expected a run with the option rates (for example 1ms)")
    table: Dict[str, Tuple[List[float], List[float]]] = {}
    for row in rr.rows_of(file, ["time_ns", "flow", "acked_bytes"]):
        times, acked = table.setdefault(row["flow"], ([], []))
        times.append(row.number("time_ns") / 1000)
        acked.append(row.number("acked_bytes") if row["acked_bytes"] else 0.0)
    end_us = max((times[-1] for times, _ in table.values()), default=0.0)
    found = []
    for flow in rr.flows_of(folder):
        if str(flow.id) in table:
            times, acked = table[str(flow.id)]
            start = flow.start_ps / 1e6
            found.append(Progress(flow, start, start + flow.fct_ps / 1e6 if flow.finished else end_us, [start] + times, [0.0] + acked))
    return found


def window(flows: Sequence[Progress], definition: dict) -> Tuple[float, float]:
    """The stretch of time that is looked at, us."""
    end = min(max((p.times_us[-1] for p in flows), default=0.0), definition.get("before", math.inf) / 1000)
    if definition.get("until") == "first_done":
        end = min([end] + [p.end_us for p in flows])
    return definition.get("after_share", 0.0) * end or definition.get("after", 0.0) / 1000, end


def throughput(flows: Sequence[Progress], within: Tuple[float, float], definition: dict) -> Dict[str, Optional[float]]:
    """A statistic of the flows' throughput within a window."""
    found = sorted(r for r in (p.rate(*within) for p in flows) if r is not None)
    return {"value": statistic_of(found, definition["statistic"])}


def bins(begin: float, end: float, width: float) -> float:
    """The number of bins in a stretch of time, which must not be beyond what one can look at."""
    found = (end - begin) / width
    if found > MAX_BINS:
        raise rr.ResultError(f"bins of {width:g} us make {found:.0f} of {end - begin:g} us, expected up to {MAX_BINS}")
    return found


def fairness(flows: Sequence[Progress], within: Tuple[float, float], definition: dict) -> Dict[str, object]:
    """A statistic of Jain's index over the whole bins of a window; a bin has none where fewer than two flows are there, or all
    stand still."""
    begin, end = within
    width = definition["bin"] / 1000
    found: List[Optional[float]] = []
    for i in range(int(bins(begin, end, width) * (1 + 1e-12))):
        rates = [p.rate(begin + i * width, begin + (i + 1) * width, ACTIVE_SHARE) for p in flows]
        rates = sorted(r for r in rates if r is not None)
        found.append(statistic_of(rates, "jain") if len(rates) > 1 else None)
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
