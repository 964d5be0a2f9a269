# SPDX-License-Identifier: GPL-2.0-only
"""Grades of claims, and the rules by which a number gets one.

A  reproduced: our number lies in the band (a relation holds in all its cases)
B  size about right: sign agrees and 0.5 to 1.5 times the reported number, or within a factor of 2
C  only the sign (of a reduction; side of 1 of a ratio), or the order of magnitude, agrees
U  undecided: the 95 % interval does not tell the sign of the effect (of a reduction; side of 1 of a ratio;
   which side of a comparison is larger), so neither that it is the reported one nor that it is not; or
   the quick size has too few seeds to tell
F  not reproduced
N  not measured: runs are missing, there were no flows of that kind, or what the claim needs does not hold
X  not scored, as the table of targets says
"""

import math
import operator
import re
from typing import Callable, List, Optional, Tuple

from .expression import LARGEST

GRADES = {"A": "reproduced", "B": "size about right", "C": "sign or order of magnitude only",
          "U": "undecided, sign not significant", "F": "not reproduced", "N": "not measured", "X": "not scored"}
DEFAULT_RULES = {"reduction": "A in band; B sign & 0.5-1.5x; C sign", "ratio": "A in band; B sign & 0.5-1.5x; C sign",
                 "value": "A in band; B factor 2; C order of magnitude", "count": "A factor 3; C order of magnitude",
                 "relation": ""}

NO_EFFECT = {"reduction": 0.0, "ratio": 1.0}  # where the sign changes

LIMITS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}

Test = Callable[[float], bool]


class Rule:
    """When a number gets which grade: "A in band; B sign & 0.5-1.5x; C sign".

    Conditions: in band, sign, sign & LO-HIx (times the reported number), factor N, order of magnitude, and limits such as >= 95. A single
    condition without a letter gives A; "sign only" gives C; "not scored" gives X. Text in parentheses is ignored.
    """

    def __init__(self, clauses: List[Tuple[str, Test]], scored: bool = True, no_effect: Optional[float] = None):
        self.clauses, self.scored, self.no_effect = clauses, scored, no_effect

    @staticmethod
    def of(claim) -> "Rule":
        """The rule of a Claim; ValueError if it cannot be understood."""
        text = re.sub(r"\([^)]*\)", "", claim.rule).strip()
        if claim.kind == "relation" or text.startswith("not scored"):
            return Rule([], claim.kind == "relation")
        default = DEFAULT_RULES[claim.kind]
        if claim.kind == "count" and claim.band:
            default = default.replace("factor 3", "in band")
        clauses = []
        for clause in (text or default).split(";"):
            match = re.fullmatch(r"\s*(?:([ABC])\s+)?(\S.*?)\s*", clause)
            if not match:
                raise ValueError(f"rule '{claim.rule}', expected for example '{DEFAULT_RULES['reduction']}'")
            clauses.append((match[1] or ("C" if match[2] == "sign only" else "A"), Rule._condition(match[2], claim)))
        return Rule(clauses, no_effect=NO_EFFECT.get(claim.kind))

    @staticmethod
    def _condition(text: str, claim) -> Test:
        limit = re.fullmatch(r"(>=|<=|>|<)\s*(-?\d+(?:\.\d+)?)", text)
        if limit:
            return lambda x: LIMITS[limit[1]](x, float(limit[2]))
        reported = reported_number(claim.reported)
        if reported is None and not (text == "in band" and claim.band):
            raise ValueError(f"reported '{claim.reported}', expected a number for the rule '{text}'")
        if text == "in band":
            low, high = claim.band or default_band(claim.kind, reported)
            return lambda x: low <= x <= high
        origin = NO_EFFECT.get(claim.kind, 0.0)
        size = reported - origin

        def sign(x: float) -> bool:
            return (x - origin > 0) == (size > 0) and (x - origin < 0) == (size < 0)

        if text in ("sign", "sign only"):
            return sign
        times = re.fullmatch(r"sign & ([\d.]+)-([\d.]+)x", text)
        if times:
            low, high = float(times[1]), float(times[2])
            return lambda x: sign(x) and low * abs(size) <= abs(x - origin) <= high * abs(size)
        factor = re.fullmatch(r"factor ([\d.]+)", text)
        if not factor and text != "order of magnitude":
            raise ValueError(f"rule '{text}' is unknown, expected in band, sign, sign & 0.5-1.5x, "
                             "factor 2, order of magnitude, >= 95 or not scored")
        most = float(factor[1]) if factor else 10.0
        if not most >= 1:
            raise ValueError(f"rule '{text}', expected a factor from 1")
        return lambda x: x * reported > 0 and 1 / most <= x / reported <= most

    def grade(self, value: float) -> str:
        """The best grade whose condition holds."""
        return next((letter for letter, test in self.clauses if test(value)), "F")

    def sign_open(self, low: Optional[float], high: Optional[float]) -> bool:
        """Whether an interval does not tell the sign of an effect."""
        return None not in (low, high, self.no_effect) and low <= self.no_effect <= high

    def mark(self, value: float, low: Optional[float], high: Optional[float]) -> str:
        """The grade of a number with an interval.

        An effect whose sign the interval leaves open gets U, whatever side of no effect the estimate is on, if a part of the interval
        would get more than F. But a condition that no effect would meet as well (a band around it) says that there is little effect,
        which the interval shows if it lies in it.
        """
        grade = self.grade(value)
        if not self.sign_open(low, high) or any(letter == grade and all(map(test, (low, self.no_effect, high)))
                                                for letter, test in self.clauses):
            return grade
        return "U" if any(self.grade(x) != "F" for x in (low, value, high)) else "F"


def reported_number(text: str) -> Optional[float]:
    """The number a reported value begins with (a range counts by its lower end)."""
    match = re.match(r"\s*(-?\d+(?:\.\d+)?)", text)
    value = float(match[1]) if match else math.inf
    return value if abs(value) <= LARGEST else None


def default_band(kind: str, reported: float) -> Tuple[float, float]:
    """The band of a claim that gives none."""
    if kind == "reduction":  # 30 % of it, at least 4 and at most 15 points
        half = min(15.0, max(4.0, 0.3 * abs(reported)))
        return reported - half, reported + half
    if kind == "ratio":
        ends = 1 + 0.4 * (reported - 1), 1 + 2.5 * (reported - 1)
        return min(ends), max(ends)
    half = 0.3 * abs(reported)
    return reported - half, reported + half
