# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""How well a tuner knows the mix of elephants and mice (PARALEON, Figures 10 and 11).

The true mix of an interval is of the flows that were under way in it, from their start to their last
ACK: an elephant is one whose whole size is at least so much. With two classes the total variation
between two mixes is the difference of their shares of elephants.
"""

import bisect
import csv
import math
from typing import Dict, List, Optional, Sequence, Tuple

import roce_manifest
import roce_results as rr


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


def read_shares(file: str, column: str) -> List[Tuple[float, Optional[float]]]:
    """Ends of the intervals, ns, and the shares that a tuner found."""
    rows: List[Tuple[float, Optional[float]]] = []
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            missing = [c for c in ("time_ns", column) if c not in (reader.fieldnames or [])]
            if missing:
                raise rr.ResultError(f"{file}:1: missing column(s) {', '.join(missing)}")
            for row in reader:
                try:
                    share = float(row[column]) if row[column] else None
                    rows.append((float(row["time_ns"]), share))
                    if not math.isfinite(rows[-1][0] + (share or 0)):
                        raise ValueError
                except (ValueError, TypeError):
                    raise rr.ResultError(f"{file}:{reader.line_num}: expected numbers in time_ns "
                                         f"and {column}") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        what = getattr(error, "strerror", None) or error
        raise rr.ResultError(f"{file}: {what}; a metric needs it, expected a run with a tuner") \
            from None
    return rows


def accuracy(folder: str, definition: dict) -> Dict[str, Optional[float]]:
    """1 - total variation between what a tuner found and the true mix, mean over the intervals."""
    file = roce_manifest.file_of(folder, definition["file"])
    truth = TrueMix(rr.flows_of(folder), definition["elephants"])
    after, before = definition.get("after", -math.inf), definition.get("before", math.inf)
    found, last = [], 0.0
    for time, share in read_shares(file, definition["column"]):
        true = truth.share(last * 1000, time * 1000)
        last = time
        share = definition.get("empty") if share is None else share
        if share is not None and true is not None and after <= time < before:
            found.append(1 - abs(share - true))
    value = math.fsum(found) / len(found) if found else None
    return {"value": None if value is None else value * definition.get("scale", 1)}
