# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Which bounds catch which change: parameters of rate law, ECN and switch moved by some percent, from a seed.

A mutant is a run of a baseline with one attribute moved. No code is changed, so these are shifts of behaviour such as a
wrong constant makes; errors of other kinds are not among them.
"""

import math
import random
import re
from typing import Dict, List, NamedTuple, Optional, Sequence

import roce_results as rr

from . import recheck, regress
from .baseline import Baseline
from .recheck import Order, Outcome

SHIFTS = (0.9, 0.95, 0.98, 1.02, 1.05, 1.1)
BOUNDS = ("0.5%", "1%", "2%", "5%")
KINDS = ("intra.congestionControl", "inter.congestionControl", "stage", "switch")  # in valuesInForce
SETS = ("DataClasses", "LosslessClasses", "Classes")  # sets of bits, no quantities
TRIES = 20  # for a mutant that the program takes


class Mutant(NamedTuple):
    """A run with one parameter moved."""

    run: int  # of the baseline
    attribute: str
    old: str
    new: str
    outcome: Outcome

    def p99(self) -> float:
        """The largest change of a P99 of all, intra or inter flows."""
        return max((abs(c.relative()) for c in self.outcome.changes
                    if re.fullmatch(r"(all|intra|inter)\.(fct|slowdown)\.p99", c.metric)), default=0.0)

    def caught(self, bound: float, metrics: str = "*") -> bool:
        """True if a bound raises the alarm; numbers of flows may not change at all."""
        bounds = [regress.Bound(metrics, bound)]
        return any(abs(c.relative()) > regress.bound_of(c.metric, bounds) + 1e-9 for c in self.outcome.changes
                   if bounds[0].fits(c.metric))


def moved(value: str, shift: float) -> Optional[str]:
    """A number with its unit times the shift, at least one unit away if it is whole; None if it is no number, or 0."""
    match = re.fullmatch(r"\+?(\d+(?:\.\d*)?(?:e[-+]?\d+)?)([A-Za-z]*)", value)
    old = float(match[1]) if match else 0.0
    if not match or old == 0:
        return None
    whole = re.fullmatch(r"\d+", match[1]) or match[2] in ("B", "bps", "ps")
    if not whole:
        return f"{old * shift:.10g}{match[2]}"
    new = old * shift
    return f"{(math.floor if shift < 1 else math.ceil)(new)}{match[2]}"


def parameters(in_force: dict) -> Dict[str, str]:
    """Attributes that can be moved, of valuesInForce in summary.json: ns3::roce::Dcqcn::Gain -> value."""
    found = {}
    for kind in KINDS:
        for group in in_force.get(kind, []):
            for name, value in group.get("values", {}).items():
                if name not in SETS and moved(str(value), 1.1):
                    found[f"{group['type']}::{name}"] = str(value)
    return found


def make(found: Baseline, folder: str, build: Optional[str], count: int, seed: int, show=None) -> List[Mutant]:
    """Draw mutants and run them.

    @param show told of each mutant
    """
    draw = random.Random(seed)
    bounds = [regress.Bound("*", 0.0)]
    known: List[Dict[str, str]] = []
    for old in found.runs:
        both, error = recheck.make(Order(old.name, old.program, old.options), folder, build, lambda run, _, old=old: (
            parameters(run.summary.get("valuesInForce", {})), recheck.compare(old, run, bounds)))
        if error:
            raise rr.ResultError(f"{old.name}: {error}")
        values, outcome = both
        if outcome.other or outcome.changed:
            what = outcome.other or f"{len(outcome.changed)} of {outcome.flows} flows have another completion time"
            raise rr.ResultError(f"{old.name}: the program without a mutant does not give the baseline ({what}): record it again, "
                                 "or mutants would be compared with another program")
        if not values:
            raise rr.ResultError(f"{old.name}: no valuesInForce in its summary.json")
        known.append(values)
    mutants: List[Mutant] = []
    for _ in range(count * TRIES):
        if len(mutants) == count:
            break
        place = draw.randrange(len(found.runs))
        attribute = draw.choice(sorted(known[place]))
        old = known[place][attribute]
        new = moved(old, draw.choice(SHIFTS))
        if any((m.run, m.attribute, m.new) == (place, attribute, new) for m in mutants):
            continue
        outcome = recheck.check(found._replace(runs=[found.runs[place]]), folder, build, 1, bounds,
                                [f"--{attribute}={new}"])[0]
        if outcome.error or outcome.other:
            continue  # a value that the program refuses is no mutant
        mutants.append(Mutant(place, attribute, old, new, outcome))
        if show:
            show(mutants[-1])
    return mutants


def table(found: Baseline, mutants: Sequence[Mutant]) -> rr.Table:
    """A row for each mutant: what it moves, and which bounds catch it."""
    header = ["run", "parameter", "from", "to", "flows moved", "P99 moved", "smallest bound missed", "by means, 1%"]
    rows = []
    for m in sorted(mutants, key=lambda m: (-m.p99(), m.attribute, m.new)):
        missed = [b for b in BOUNDS if not m.caught(regress.Bound.parse(b).relative)]
        rows.append([found.runs[m.run].name, m.attribute, m.old, m.new, f"{len(m.outcome.changed)} of {m.outcome.flows}",
                     f"{100 * m.p99():.2f}%", missed[0] if missed else "none", "caught" if m.caught(0.01, "*.mean") else "-"])
    return header, rows


def totals(mutants: Sequence[Mutant]) -> List[str]:
    """What each bound catches, of the mutants that move anything, and of those that move a P99 by 1 % or more."""
    moving = [m for m in mutants if m.outcome.changed]
    large = [m for m in moving if m.p99() >= 0.01]
    still = [m for m in mutants if not m.outcome.changed]
    lines = [f"{len(mutants)} mutants: {len(moving)} move a flow, {len(large)} a P99 by 1 % or more"]
    for text in BOUNDS:
        bound = regress.Bound.parse(text).relative
        lines.append(f"bound {text}: {sum(m.caught(bound) for m in moving)} of {len(moving)} caught, "
                     f"{sum(m.caught(bound) for m in large)} of {len(large)} of the large; "
                     f"{sum(m.caught(bound) for m in still)} alarms for the {len(still)} that move nothing")
    lines.append(f"bound 1% on means only: {sum(m.caught(0.01, '*.mean') for m in moving)} of {len(moving)} caught, "
                 f"{sum(m.caught(0.01, '*.mean') for m in large)} of {len(large)} of the large")
    return lines
