# SPDX-License-Identifier: GPL-2.0-only
"""How well a tuner knows the mix of elephants and mice (PARALEON, Figures 10 and 11).

The true mix of an interval is of the flows that were under way in it, from their start to their last
ACK: an elephant is one whose whole size is at least so much. With two classes the total variation
between two mixes is the difference of their shares of elephants.
"""

import bisect
import math
from typing import Dict, List, Optional, Sequence

import roce_manifest
import roce_results as rr

from . import columns


class TrueMix:
    """Counts of flows under way."""

    def __init__(self, flows: Sequence[rr.Flow], least_bytes: int):
        started = [f for f in flows if f.start_ps is not None]
        self.starts: List[List[int]] = []
        self.ends: List[List[int]] = []
        for large in (False, True):
            chosen = [f for f in started if (f.size >= least_bytes) == large]
            self.starts.append(sorted(f.start_ps for f in chosen))
            self.ends.append(sorted(f.start_ps + f.fct_ps for f in chosen if f.finished))

    def share(self, begin_ps: float, end_ps: float) -> Optional[float]:
        """Share of elephants between two times; None if no flow was under way."""
        mice, elephants = (bisect.bisect_left(starts, end_ps) - bisect.bisect_right(ends, begin_ps)
                           for starts, ends in zip(self.starts, self.ends))
        return elephants / (mice + elephants) if mice + elephants else None


def accuracy(folder: str, definition: dict) -> Dict[str, Optional[float]]:
    """1 - total variation between what a tuner found and the true mix, mean over the intervals."""
    file = roce_manifest.file_of(folder, definition["file"])
    truth = TrueMix(rr.flows_of(folder), definition["elephants"])
    after, before = definition.get("after", -math.inf), definition.get("before", math.inf)
    found, last = [], 0.0
    for row in columns.rows(file, ["time_ns", definition["column"]], "; a metric needs it, expected a run with a tuner"):
        time = row.number("time_ns")
        share = row.number(definition["column"]) if row[definition["column"]] else definition.get("empty")
        true = truth.share(last * 1000, time * 1000)
        last = time
        if share is not None and true is not None and after <= time < before:
            found.append(1 - abs(share - true))
    value = math.fsum(found) / len(found) if found else None
    return {"value": None if value is None else value * definition.get("scale", 1)}
