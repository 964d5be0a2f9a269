# SPDX-License-Identifier: GPL-2.0-only
"""What bounds of scripts/regress catch of a change: of a fault in the code, or of a parameter of rate law, ECN or switch that is moved."""

import math
import random
import re
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence

ROOT = Path(__file__).absolute().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import roce_results as rr  # noqa: E402  pylint: disable=wrong-import-position
from roce_campaign import baseline, regress  # noqa: E402  pylint: disable=wrong-import-position
from roce_campaign.baseline import Baseline  # noqa: E402  pylint: disable=wrong-import-position

SHIFTS = (0.9, 0.95, 0.98, 1.02, 1.05, 1.1)
BOUNDS = ("0.5%", "1%", "2%", "5%")
KINDS = ("intra.congestionControl", "inter.congestionControl", "stage", "switch")  # in valuesInForce
SETS = ("DataClasses", "LosslessClasses", "Classes")  # sets of bits, no quantities
TRIES = 20  # for a mutant that the program takes


class Mutant(NamedTuple):
    """A change, and the runs of a baseline with it."""

    what: Sequence[str]  # the first columns of its row
    outcomes: List[baseline.Outcome]

    def failed(self) -> bool:
        """Whether a run ended with an error."""
        return any(o.error or o.other for o in self.outcomes)

    def moved(self) -> int:
        """Flows with another completion time, in all runs."""
        return sum(len(o.changed) for o in self.outcomes)

    def p99(self) -> float:
        """The largest change of a P99 of all, intra or inter flows."""
        return max((abs(c.relative()) for o in self.outcomes for c in o.changes
                    if re.fullmatch(r"(all|intra|inter)\.(fct|slowdown)\.p99", c.metric)), default=0.0)

    def caught(self, text: str) -> bool:
        """Whether a bound raises the alarm in any run; numbers of flows may not change at all."""
        bound = regress.Bound.parse(text)
        return self.failed() or any(c._replace(bound=regress.bound_of(c.metric, [bound])).beyond()
                                    for o in self.outcomes for c in o.changes if bound.fits(c.metric))

    def missed(self) -> str:
        """The smallest bound that raises none."""
        return next((b for b in BOUNDS if not self.caught(b)), "none")

    def weight(self):
        """For sorting: those that fail first, then the largest shift of a P99."""
        return not self.failed(), -self.p99(), -self.moved(), self.what


def totals(mutants: Sequence[Mutant]) -> List[str]:
    """What each bound catches, of those that move any flow, and of those that move a P99 by 1 % or more."""
    moving = [m for m in mutants if m.moved() or m.failed()]
    large = [m for m in moving if m.failed() or m.p99() >= 0.01]
    still = [m for m in mutants if m not in moving]
    lines = [f"{len(mutants)} mutants: {len(moving)} move a flow, {len(large)} a P99 by 1 % or more"]
    for name, bound in [(f"bound {b}", b) for b in BOUNDS] + [("bound 1% on means only", "*.mean=1%")]:
        lines.append(f"{name}: {sum(m.caught(bound) for m in moving)} of {len(moving)} caught, "
                     f"{sum(m.caught(bound) for m in large)} of {len(large)} of the large; "
                     f"{sum(m.caught(bound) for m in still)} alarms for the {len(still)} that move nothing")
    return lines


def shifted(value: str, shift: float) -> Optional[str]:
    """A number with its unit times the shift, at least one unit away if it is whole; None if it is no number, or 0."""
    match = re.fullmatch(r"\+?(\d+(?:\.\d*)?(?:e[-+]?\d+)?)([A-Za-z]*)", value)
    old = float(match[1]) if match else 0.0
    if not match or old == 0:
        return None
    if not re.fullmatch(r"\d+", match[1]) and match[2] not in ("B", "bps", "ps"):
        return f"{old * shift:.10g}{match[2]}"
    return f"{(math.floor if shift < 1 else math.ceil)(old * shift)}{match[2]}"


def parameters(in_force: dict) -> Dict[str, str]:
    """Attributes that can be moved, of valuesInForce in summary.json: ns3::roce::Dcqcn::Gain -> value."""
    return {f"{group['type']}::{name}": str(value) for kind in KINDS for group in in_force.get(kind, [])
            for name, value in group.get("values", {}).items() if name not in SETS and shifted(str(value), 1.1)}


def unchanged(found: Baseline, folder: str, build: Optional[str]) -> List[Dict[str, str]]:
    """The parameters of each run; an error if the program as it is does not give the baseline."""
    def known(old: baseline.Recorded) -> Dict[str, str]:
        both, error = baseline.make(baseline.Order(old.name, old.program, old.options), folder, build, lambda run, *_: (
            parameters(run.summary.get("valuesInForce", {})), baseline.compare(old, run, [regress.Bound()])))
        if error:
            raise rr.ResultError(f"{old.name}: {error}")
        values, outcome = both
        if outcome.other or outcome.changed:
            what = outcome.other or f"{len(outcome.changed)} of {outcome.flows} flows have another completion time"
            raise rr.ResultError(f"{old.name}: the program without a mutant does not give the baseline ({what}): record it again, "
                                 "or mutants would be compared with another program")
        if not values:
            raise rr.ResultError(f"{old.name}: no valuesInForce in its summary.json")
        return values
    return [known(old) for old in found.runs]


def draw(found: Baseline, folder: str, build: Optional[str], count: int, seed: int) -> List[Mutant]:
    """Mutants with one parameter of one run moved, drawn from a seed. No code is changed."""
    chance = random.Random(seed)
    known = unchanged(found, folder, build)
    mutants: Dict[tuple, Mutant] = {}
    for _ in range(count * TRIES):
        if len(mutants) == count:
            break
        place = chance.randrange(len(found.runs))
        attribute = chance.choice(sorted(known[place]))
        old = known[place][attribute]
        what = (found.runs[place].name, attribute, old, shifted(old, chance.choice(SHIFTS)))
        if what not in mutants:
            mutant = Mutant(what, baseline.check(found._replace(runs=[found.runs[place]]), folder, build, 1, [regress.Bound()],
                                                [f"--{attribute}={what[3]}"]))
            if not mutant.failed():  # a value that the program refuses is no mutant
                mutants[what] = mutant
    return list(mutants.values())


def table(mutants: Sequence[Mutant]) -> rr.Table:
    """A row for each drawn mutant."""
    header = ["run", "parameter", "from", "to", "flows moved", "P99 moved", "smallest bound missed", "by means, 1%"]
    return header, [[*m.what, f"{m.moved()} of {m.outcomes[0].flows}", f"{100 * m.p99():.2f}%", m.missed(),
                     "caught" if m.caught("*.mean=1%") else "-"] for m in sorted(mutants, key=Mutant.weight)]
