#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Compare two results flow by flow, for example with a golden one.

    fct_diff.py A B [--tolerance 1%]

A and B are run folders or flows.csv files. Flows are matched by id. Without --tolerance every
column must be equal. With one, the times and slowdowns may differ by that much, and packets and
retransmitted are shown but not judged; all other columns must still be equal.

Exit status: 0 equal within the tolerance, 1 different, 2 unreadable input.
"""

import argparse
import re
from fractions import Fraction
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import roce_results as rr

# What a flow is: these must be equal under any tolerance.
IDENTITY = ("src", "dst", "traffic_class", "tag", "scope", "size", "start_ps", "finished")
TIMES = ("fct_ps", "receiver_fct_ps", "ideal_ps")
COUNTS = ("packets", "retransmitted")
# Field of rr.Flow -> column of flows.csv, where the names differ.
COLUMN = {"traffic_class": "class", "size": "bytes", "start_ps": "start_ns", "fct_ps": "fct_ns",
          "receiver_fct_ps": "receiver_fct_ns", "ideal_ps": "ideal_fct_ns", "finished": "status"}


class Tolerance(NamedTuple):
    """How much a value may differ: a part of A's value, or picoseconds (times only)."""

    relative: Fraction
    absolute_ps: Fraction

    def is_exact(self) -> bool:
        """True when nothing may differ."""
        return self.relative == 0 and self.absolute_ps == 0


class Change(NamedTuple):
    """One flow that differs."""

    a: rr.Flow
    b: rr.Flow
    beyond: List[str]  # columns that differ by more than the tolerance
    within: List[str]  # columns that differ by less, or are not judged


def parse_tolerance(text: str) -> Tolerance:
    """0.01, 1%, 500ps, 5ns, 2us or 1ms."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)(?:e(-?\d+))?(%|ps|ns|us|ms)?", text.strip())
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}', expected for example 0.01, 1%, 5ns or 2us")
    value = Fraction(match[1].rstrip(".") or "0") * Fraction(10) ** int(match[2] or 0)
    unit = match[3]
    if unit in (None, "%"):
        return Tolerance(value / (100 if unit else 1), Fraction(0))
    return Tolerance(Fraction(0), value * {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9}[unit])


def by_id(file: str) -> Dict[int, rr.Flow]:
    """The flows of a run folder, or of a flows.csv, by id."""
    flows: Dict[int, rr.Flow] = {}
    for flow in rr.flows_of(file):
        if flow.id in flows:
            raise rr.ResultError(f"{file}: flow {flow.id} is there twice")
        flows[flow.id] = flow
    return flows


def compare(a: rr.Flow, b: rr.Flow, tolerance: Tolerance) -> Optional[Change]:
    """The differences of one flow, None if there are none at all."""
    if a == b:
        return None
    beyond = [f for f in IDENTITY if getattr(a, f) != getattr(b, f)]
    within = []
    for field in TIMES + ("slowdown",) + COUNTS:
        x, y = getattr(a, field), getattr(b, field)
        if x == y:
            continue
        if x is None or y is None:
            # One of them unfinished: "status" tells so already, unless only this field is empty.
            judged = beyond if "finished" not in beyond else within
        elif field in COUNTS:
            judged = beyond if tolerance.is_exact() else within
        elif field == "slowdown" and tolerance.absolute_ps:
            judged = within  # follows from the times, which are judged
        else:
            limit = tolerance.relative * abs(Fraction(x))
            if field in TIMES:
                limit += tolerance.absolute_ps
            else:
                # Printed with six decimals: each may be off by half of the last.
                limit += 0 if tolerance.is_exact() else Fraction(1, 1_000_000)
            judged = within if abs(Fraction(y) - Fraction(x)) <= limit else beyond
        judged.append(field)
    return Change(a, b, beyond, within)


def fct_change(change: Change) -> Optional[Fraction]:
    """Relative change of the FCT, None if one of the two is unfinished."""
    if change.a.fct_ps is None or change.b.fct_ps is None:
        return None
    return Fraction(change.b.fct_ps - change.a.fct_ps, max(1, change.a.fct_ps))


def _time(ps: Optional[int]) -> str:
    return "-" if ps is None else f"{ps // 1000}.{ps % 1000:03d}"


def _percent(value: Optional[Fraction]) -> str:
    return "-" if value is None else f"{float(100 * value):+.4f}%"


def columns(fields: Sequence[str]) -> str:
    """Column names for people."""
    return " ".join(COLUMN.get(f, f) for f in fields)


def largest_table(changes: Sequence[Change], top: int) -> rr.Table:
    """The flows that differ most: first beyond the tolerance, then by relative change of FCT."""

    def weight(change: Change) -> Tuple:
        relative = fct_change(change)
        # A change of status counts as infinite; ties by id, for a stable order.
        size = (1, 0) if "finished" in change.beyond else (0, abs(relative or 0))
        return (not change.beyond, -size[0], -size[1], change.a.id)

    header = ["flow", "bytes", "A fct_ns", "B fct_ns", "change", "beyond", "within"]
    rows = []
    for change in sorted(changes, key=weight)[:top]:
        a, b = change.a, change.b
        rows.append([str(a.id), str(a.size), _time(a.fct_ps), _time(b.fct_ps),
                     _percent(fct_change(change)), columns(change.beyond) or "-",
                     columns(change.within) or "-"])
    return header, rows


def bin_table(pairs: Sequence[Tuple[rr.Flow, rr.Flow]], changes: Sequence[Change]) -> rr.Table:
    """Summary by size bin."""
    header = ["size", "flows", "different", "beyond", "FCT mean change", "FCT largest",
              "A slowdown mean", "B slowdown mean", "A P99", "B P99"]
    rows = []
    for b, label in list(enumerate(rr.SIZE_LABELS)) + [(None, "all")]:
        here = [p for p in pairs if b is None or rr.size_bin(p[0].size) == b]
        if not here:
            continue
        changed = [c for c in changes if b is None or rr.size_bin(c.a.size) == b]
        relative = [r for r in map(fct_change, changed) if r is not None]
        finished = sum(x.finished and y.finished for x, y in here)
        a_stats = rr.slowdown_stats(x for x, _ in here)
        b_stats = rr.slowdown_stats(y for _, y in here)
        rows.append(
            [label, str(len(here)), str(len(changed)), str(sum(bool(c.beyond) for c in changed)),
             _percent(Fraction(sum(relative)) / finished if finished else None),
             _percent(max(relative, key=abs, default=None))]
            + ["-" if v is None else f"{v:.6f}"
               for v in (a_stats.mean, b_stats.mean, a_stats.p99, b_stats.p99)])
    return header, rows


def listed(name: str, ids: Sequence[int]) -> str:
    """A line on flows that are only in one of the two."""
    some = ", ".join(map(str, ids[:10])) + (", ..." if len(ids) > 10 else "")
    return f"only in {name}: {len(ids)} flow(s): {some}"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", metavar="A", help="run folder or flows.csv (the reference)")
    parser.add_argument("b", metavar="B", help="run folder or flows.csv")
    parser.add_argument("--tolerance", type=parse_tolerance, default="0", metavar="T",
                        help="0.01 or 1%% of A's value, or a time: 500ps, 5ns (default: exact)")
    parser.add_argument("--top", type=int, default=10, help="flows to list (default 10)")
    args = parser.parse_args()
    if args.top < 0:
        raise rr.ResultError(f"--top {args.top}, expected 0 or more")
    a, b = by_id(args.a), by_id(args.b)
    only_a, only_b = sorted(a.keys() - b.keys()), sorted(b.keys() - a.keys())
    pairs = [(a[i], b[i]) for i in sorted(a.keys() & b.keys())]
    changes = [c for c in (compare(x, y, args.tolerance) for x, y in pairs) if c]
    beyond = sum(bool(c.beyond) for c in changes)
    for name, ids in ((args.a, only_a), (args.b, only_b)):
        if ids:
            print(listed(name, ids))
    if changes:
        if args.top:
            print(f"largest differences (A = {args.a}, B = {args.b}):")
            print(rr.format_aligned(largest_table(changes, args.top)) + "\n")
        print(rr.format_aligned(bin_table(pairs, changes)) + "\n")
    different = bool(beyond or only_a or only_b)
    exact = args.tolerance.is_exact()
    verdict = "DIFFERENT" if different else "same" if exact else "same within the tolerance"
    print(f"{len(pairs)} flows compared: {len(changes)} differ"
          + ("" if exact else f", {beyond} beyond the tolerance") + f": {verdict}")
    return 1 if different else 0


if __name__ == "__main__":
    rr.run_main(main)
