# SPDX-License-Identifier: GPL-2.0-only
"""What the quick size of an experiment has less of than the full one, and what that does to its score."""

import re
from typing import Dict, List, Sequence

from .absolute import is_absolute
from .claims import Case, Claim, place_of
from .grid import Point, seed_count
from .metrics import Metric

LEAST_SEEDS = 3  # from which the sign of an effect counts in the quick size
TIME = r"[\d.]+\s*(?:ns|us|ms|s)"
SHORTER = ("a shorter run has fewer of the large flows and less time for queues to build up, so that tails (P99) and pauses "
           "tend to look better than in the full size")


def seeds_needed(full: Sequence[Point], quick: Sequence[Point]) -> Dict[frozenset, int]:
    """Seeds that a point must have for the sign of an effect to count: LEAST_SEEDS, but no more than in the
    full size, which may have one where nothing is drawn.

    @return by coordinates
    """
    have = {frozenset(p.coordinates.items()): len(p.seeds) for p in full}
    return {place: min(LEAST_SEEDS, have.get(place, LEAST_SEEDS))
            for place in (frozenset(p.coordinates.items()) for p in quick)}


def mark_other_sizes(claims: Sequence[Claim], full: Sequence[Point], quick: Sequence[Point], axes: Dict[str, List[str]],
                     metrics: Dict[str, Metric]) -> List[Claim]:
    """The claims; cases with an absolute number at points that have other options in the full size are marked.

    Such a number is for the full size: a limit of 1.35 times the ideal 687 ms of 1 GiB cannot fail with 256 MiB.
    """
    before, now = ({frozenset(p.coordinates.items()): p.options for p in points} for points in (full, quick))

    def marked(case: Case) -> Case:
        changes: Dict[str, None] = {}
        for reference in case.references if is_absolute(case.expression, metrics) else []:
            place = frozenset(place_of(reference, case.coordinates, axes).items())
            old = before.get(place, {})
            changes.update((f"{o} {v} instead of {old[o]}", None) for o, v in now.get(place, {}).items() if old.get(o, v) != v)
        return case._replace(other_size=f"its number is for the full size, --quick has {', '.join(changes)}" if changes else "")

    return [c if c.any_size else c._replace(cases=[marked(k) for k in c.cases]) for c in claims]


def describe_reduction(full: Sequence[Point], quick: Sequence[Point], full_axes: Dict[str, List[str]],
                       axes: Dict[str, List[str]], flatters: str) -> List[str]:
    """What differs between the sizes, for people.

    @param flatters the author's words on where that makes the score look better, "" without
    """
    texts = []
    if seed_count(full) != seed_count(quick):
        texts.append(f"{seed_count(quick)} seeds instead of {seed_count(full)}")
    for axis, labels in full_axes.items():
        gone = [x for x in labels if x not in axes.get(axis, [])]
        if gone:
            texts.append(f"without {axis} {', '.join(gone[:6])}" + (", ..." if len(gone) > 6 else ""))
    there = {frozenset(p.coordinates.items()): p.options for p in full}
    changes: Dict[str, None] = {}
    shorter = False
    for point in quick:
        before = there.get(frozenset(point.coordinates.items()), {})
        for option, value in point.options.items():
            old = before.get(option, value)
            if old != value:
                changes[f"{option} {value} instead of {old}"] = None
                shorter |= option in ("duration", "stop") and bool(re.fullmatch(TIME, value))
    some = list(changes)
    texts += some[:6] + ([f"{len(some) - 6} more options"] if len(some) > 6 else [])
    if flatters:
        texts.append(flatters.strip())
    elif shorter:
        texts.append(SHORTER)
    return texts
