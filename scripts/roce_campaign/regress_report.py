# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/regress says of changes: a row for each fact, by metric, the largest first."""

import math
from typing import Dict, List, NamedTuple, Sequence, Tuple

import roce_results as rr

from .regress import Change

HEADER = ["metric", "base", "new", "change", "bound", "verdict", "run", "runs"]


class Fact(NamedTuple):
    """A metric that changed, in one or several runs."""

    worst: Change  # the run in which it changed most
    runs: int  # in which it changed
    beyond: int  # in which it is beyond its bound

    def weight(self) -> Tuple:
        """For sorting: beyond its bound first, then the largest."""
        return not self.beyond, -size(self.worst), self.worst.metric


def weight(change: Change) -> Tuple:
    """For sorting changes in the same way."""
    return not change.beyond(), -size(change), change.run, change.metric


def size(change: Change) -> float:
    """How much it is, without the digits in which equal changes differ."""
    return round(abs(change.relative()), 7)


def different(changes: Sequence[Change]) -> List[Change]:
    """What changed, each fact once.

    Several metrics may say the same: summary.json repeats flows.csv, and if all large flows are inter, the maxima
    of all, inter and inter.>10MB are one flow's. Metrics of a run with the same two numbers are one fact; the
    shortest name stays, that of a metric beyond its bound before others.
    """
    facts: Dict[Tuple, Change] = {}
    for change in sorted((c for c in changes if c.relative() != 0),
                         key=lambda c: (not c.beyond(), c.metric.startswith("summary."),
                                        len(c.metric), c.metric)):
        what = "count" if change.metric.endswith((".flows", ".unfinished")) else \
            "slowdown" if ".slowdown." in change.metric else "fct"
        digits = tuple(None if v is None else f"{v:.9g}" for v in (change.base, change.new))
        facts.setdefault((change.run, what, *digits), change)
    return list(facts.values())


def by_metric(changes: Sequence[Change]) -> List[Fact]:
    """A fact for each metric, over the runs."""
    members: Dict[str, List[Change]] = {}
    for change in changes:
        members.setdefault(change.metric, []).append(change)
    return sorted((Fact(min(some, key=weight), len(some), sum(c.beyond() for c in some))
                   for some in members.values()), key=Fact.weight)


def relative_text(change: Change) -> str:
    """+3.000%"""
    relative = change.relative()
    return "new or gone" if math.isinf(relative) else f"{100 * relative:+.3f}%"


def row(fact: Fact, runs: int) -> List[str]:
    """Of the table."""
    change = fact.worst
    numbers = ["-" if v is None else f"{v:.6g}" for v in (change.base, change.new)]
    return [change.metric, *numbers, relative_text(change), f"{100 * change.bound:g}%",
            "BEYOND" if fact.beyond else "within", change.run, f"{fact.runs} of {runs}"]


def table(changes: Sequence[Change], runs: int, each: bool = False) -> List[List[str]]:
    """Rows by metric, or with `each` by metric and run."""
    some = different(changes)
    facts = [Fact(c, 1, int(c.beyond())) for c in sorted(some, key=weight)] if each else by_metric(some)
    return [row(fact, runs) for fact in facts]


def text(rows: Sequence[List[str]], show: int) -> str:
    """For the terminal."""
    if not rows:
        return ""
    more = f"\n... and {len(rows) - show} more" if len(rows) > show else ""
    return rr.format_aligned((HEADER, list(rows[:show]))) + more + "\n\n"
