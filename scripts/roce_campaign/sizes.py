# SPDX-License-Identifier: GPL-2.0-only
"""What the quick size of an experiment has less of than the full one, and what that does to its score."""

import re
from typing import Dict, List, Sequence

from .absolute import is_absolute
from .claims import Case, Claim
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
    have = {p.place: len(p.seeds) for p in full}
    return {p.place: min(LEAST_SEEDS, have.get(p.place, LEAST_SEEDS)) for p in quick}


def changed_options(full: Sequence[Point], quick: Sequence[Point]) -> Dict[frozenset, Dict[str, str]]:
    """Options that points have otherwise in the full size, with words for it; by coordinates."""
    before = {p.place: p.options for p in full}
    return {p.place: {o: f"{o} {v} instead of {before[p.place][o]}" for o, v in p.options.items()
                      if before.get(p.place, {}).get(o, v) != v} for p in quick}


def mark_other_sizes(claims: Sequence[Claim], full: Sequence[Point], quick: Sequence[Point], axes: Dict[str, List[str]],
                     metrics: Dict[str, Metric]) -> List[Claim]:
    """The claims; cases with an absolute number at points that have other options in the full size are marked.

    Such a number is for the full size: a limit of 1.35 times the ideal 687 ms of 1 GiB cannot fail with 256 MiB.
    """
    options = changed_options(full, quick)

    def marked(case: Case) -> Case:
        changes = [text for place in (case.places(axes) if is_absolute(case.expression, metrics) else [])
                   for text in options.get(place, {}).values()]
        listed = ", ".join(dict.fromkeys(changes))
        return case._replace(other_size=f"its number is for the full size, --quick has {listed}" if changes else "")

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
    changes = changed_options(full, quick)
    some = list(dict.fromkeys(text for options in changes.values() for text in options.values()))
    texts += some[:6] + ([f"{len(some) - 6} more options"] if len(some) > 6 else [])
    if flatters:
        texts.append(flatters.strip())
    elif any(o in ("duration", "stop") and re.fullmatch(TIME, p.options[o]) for p in quick for o in changes[p.place]):
        texts.append(SHORTER)
    return texts
