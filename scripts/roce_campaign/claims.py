# SPDX-License-Identifier: GPL-2.0-only
"""Claims: what a paper, or theory, says about the metrics; tables of targets."""

import itertools
import math
import os
import re
from typing import Dict, List, NamedTuple, Optional, Tuple, Union

import roce_results as rr

from .expression import MAX_LENGTH, Coordinates, Expression, Reference
from .grades import Rule, reported_number
from .grid import Selection, known_label, read_place, resolve_label, selects
from .metrics import Metric
from .program import ROOT
from .yamlread import Items, Map, Text, fail, parsed, some

MAX_CASES = 10_000  # of a claim
TARGET_COLUMNS = ("id,paper,figure,scenario,algorithm,baseline,metric,kind,reported,band_low,"
                  "band_high,rule,repro,note").split(",")

KINDS = ("relation", "count", "ratio")  # of a table of targets, as ours; others are "reduction %", "x", "MB", ...


class Case(NamedTuple):
    """One case of a claim: its expression with the coordinates that it gives to all metrics."""

    variables: Coordinates  # what "each" has put in
    expression: Expression
    coordinates: Coordinates
    needs: Optional[Expression] = None  # without which there is nothing to claim
    other_size: str = ""  # why a number of the full size cannot be compared with this one

    @property
    def references(self) -> List[Reference]:
        """All metrics that it looks at."""
        return self.expression.references + (self.needs.references if self.needs else [])

    def places(self, axes: Dict[str, List[str]]) -> List[frozenset]:
        """The coordinates of the points that it looks at."""
        return [frozenset(place_of(r, self.coordinates, axes).items()) for r in self.references]

    @property
    def title(self) -> str:
        """law=Timely, load=0.7"""
        return ", ".join(f"{n}={v}" for n, v in self.variables.items())


class Claim(NamedTuple):
    """What a paper, or theory, says about the metrics."""

    id: str
    text: str
    kind: str
    unit: str
    reported: str
    band: Optional[Tuple[float, float]]
    rule: str
    cases: List[Case]
    at_least: int  # how many cases must hold (relations)
    target: Dict[str, str]  # the row of the table of targets, if any
    place: str  # file:line
    own: bool  # a check of the experiment's author, not a statement of the paper
    any_size: bool = False  # its absolute numbers are the same in every size
    basis: str = ""  # "fitted": surroundings were chosen by its number; "repeated": it has the number of another claim


def targets_path(value: Union[Text, Map, None], folder: str) -> Optional[str]:
    """The file of a table of targets, if there is one."""
    if value is None:
        return None
    name = value["file"] if isinstance(value, Map) else value
    path = name.replace("{root}", ROOT, 1) if name.startswith("{root}") else os.path.join(folder, name)
    if not os.path.isfile(path):
        fail(value, f"targets: {path} does not exist, or is no file")
    return path


def read_targets(value: Union[Text, Map, None], path: Optional[str], own: bool) -> Tuple[Dict[str, Dict[str, str]], bool]:
    """Rows of a table of targets by id, and whether rows without a claim are shown.

    @param own whether the table is the experiment's own, whose "where" counts"""
    where = value.get("where", {}) if own and isinstance(value, Map) else {}
    for column in where:
        if column not in TARGET_COLUMNS:
            fail(column, f"targets: no column '{column}'")
    found: Dict[str, Dict[str, str]] = {}
    for row in rr.rows_of(path, ["id", "kind", "reported", "band_low", "band_high", "rule"]) if path else ():
        if row["id"] in found:
            raise rr.ResultError(f"{row.place}: id {row['id']} is there twice")
        found[row["id"]] = row
    return {name: row for name, row in found.items() if all(row.get(column) == text for column, text in where.items())}, bool(where)


def reported_values(claims: List[Claim], axes: Dict[str, List[str]]) -> Dict[Tuple[str, frozenset], float]:
    """What claims report of a metric at a point, the first of those that are about nothing else. @return by metric and coordinates"""
    found = {}
    for claim in claims:
        case = claim.cases[0]
        number = reported_number(claim.reported)
        if claim.kind == "value" and number is not None and case.expression.is_reference():
            found.setdefault((case.expression.references[0].metric, case.places(axes)[0]), number)
    return found


class Claims:
    """Reads claims; knows grid and metrics."""

    def __init__(self, metrics: Dict[str, Metric], axes: Dict[str, List[str]],
                 excluded: List[Selection], targets: Dict[str, Dict[str, str]]):
        self.metrics = metrics
        self.excluded = excluded
        self.axes = axes
        self.targets = targets

    def read(self, value: Map) -> Claim:
        name = str(value["id"])
        what = f"claim {name}"
        target = self.targets.get(name, {})
        relation = "holds" in value
        theirs = target.get("kind", "")
        default = theirs if theirs in KINDS else "reduction" if theirs.startswith("reduction") or theirs == "% range" else "value"
        kind = value.get("kind", "relation" if relation else default)
        if relation != (kind == "relation"):
            fail(value, f"{what}: kind {kind} goes with {'value:' if relation else 'holds:'}")
        at = read_place(value.get("at", {}), self.axes, what)
        each = self.each(value.get("each", []), what)
        cases = self.cases(value["holds" if relation else "value"], at, each, what, relation)
        if "needs" in value:
            needs = self.cases(value["needs"], at, each, f"{what}: needs", True)
            cases = [c._replace(needs=n.expression) for c, n in zip(cases, needs)]
        if "take" in value and (not each or "needs" in value):
            fail(value, f"{what}: take: goes with value: and each:, not with needs:")
        if "take" in value:
            cases = [self._taken(value["take"], cases, at, value, what)]
        elif not relation and each:
            fail(value, f"{what}: each: goes with holds:, or with take: max, min, mean of several numbers")
        at_least = len(cases)
        if "at_least" in value:
            at_least = parsed(value["at_least"], lambda t: parse_share(t, len(cases)), f"{what}: at_least")
        reported = str(value.get("reported", target.get("reported", "")))
        unit = "%" if kind == "reduction" else ""
        if target.get("kind") in ("MB", "Gb/s", "%", "x"):
            unit = target["kind"]
        own = value["own"] == "true" if "own" in value else not (target if self.targets else reported)
        text = " \u00b7 ".join(target[c] for c in ("figure", "scenario", "algorithm", "baseline",
                                                   "metric") if target.get(c) not in (None, "", "-"))
        claim = Claim(name, str(value.get("text", text or name)), str(kind), str(value.get("unit", unit)), reported,
                      self._band(value, target, what), str(value.get("rule", "" if relation else target.get("rule", ""))),
                      cases, at_least, target, value.place, own, value.get("any_size") == "true",
                      str(value.get("basis", "")))
        try:
            Rule.of(claim)
        except ValueError as error:
            fail(value, f"{what}: {error}")
        return claim

    def each(self, value: Union[Text, Items, Map], what: str) -> Dict[str, List[str]]:
        """Variables of the cases: "load" (an axis, all its values), or name: list."""
        if isinstance(value, Map):
            return {str(name): [known_label(x, self.axes[name], name, what) if name in self.axes else str(x) for x in some(labels)]
                    for name, labels in value.items()}
        for axis in some(value):
            if not isinstance(axis, str):
                fail(axis, f"{what}: each: expected a single value")
            if axis not in self.axes:
                fail(axis, f"{what}: no axis '{axis}', expected one of {', '.join(self.axes)}")
        return {str(axis): self.axes[axis] for axis in some(value)}

    def cases(self, value: Text, at: Coordinates, each: Dict[str, List[str]], what: str, relation: bool) -> List[Case]:
        """An expression for each combination of the variables, without excluded points."""
        count = math.prod(len(labels) for labels in each.values())
        if count > MAX_CASES:
            fail(value, f"{what}: each: makes {count} cases, expected up to {MAX_CASES}")
        combinations = [dict(zip(each, c)) for c in itertools.product(*each.values())]
        there = [v for v in combinations if not any(selects(e, {**at, **v}) for e in self.excluded)]
        cases = []
        for variables in there or combinations:
            text = str(value)
            for name, label in variables.items():
                text = text.replace("{" + name + "}", label)[:MAX_LENGTH + 1]
            try:
                expression = Expression(text, self.metrics)
            except ValueError as error:
                fail(value, f"{what}: {error}")
            if expression.boolean != relation:
                fail(value, f"{what}: expected " + ("a comparison" if relation else "a number, holds: is for comparisons"))
            coordinates = {**at, **{n: v for n, v in variables.items() if n in self.axes}}
            for reference in expression.references:
                self._check(reference, coordinates, value, what)
            cases.append(Case(variables, expression, coordinates))
        return cases

    def _taken(self, function: str, cases: List[Case], at: Coordinates, value: Map, what: str) -> Case:
        """One case of several: the largest number of all, or the like."""
        def is_there(case: Case) -> bool:
            return not any(selects(e, dict(place)) for e in self.excluded for place in case.places(self.axes))

        parts = [case.expression.at({k: v for k, v in case.coordinates.items() if k not in at})
                 for case in [c for c in cases if is_there(c)] or cases]
        try:
            expression = Expression(f"{function}({', '.join(parts)})", self.metrics)
        except ValueError as error:
            fail(value, f"{what}: {error}")
        return cases[0]._replace(variables={}, expression=expression, coordinates=at)

    def _check(self, reference: Reference, coordinates: Coordinates, value: Text, what: str) -> None:
        for axis, label in reference.coordinates.items():
            if axis not in self.axes:
                fail(value, f"{what}: no axis '{axis}', expected one of {', '.join(self.axes)}")
            if resolve_label(label, self.axes[axis]) is None:
                fail(value, f"{what}: axis {axis} has no '{label}', expected one of {', '.join(self.axes[axis])}")
        for axis, labels in self.axes.items():
            if axis not in reference.coordinates and axis not in coordinates and len(labels) > 1:
                fail(value, f"{what}: {reference.metric} at which {axis}? one of {', '.join(labels)}")

    @staticmethod
    def _band(value: Map, target: Dict[str, str], what: str) -> Optional[Tuple[float, float]]:
        """Of the claim, or of the table of targets."""
        limits = value.get("band", [target.get("band_low", ""), target.get("band_high", "")])
        if not all(limits):
            return None
        try:
            low, high = map(float, limits)
            if -math.inf < low <= high < math.inf:
                return low, high
        except ValueError:
            pass
        fail(value.get("band", value), f"{what}: band '{limits[0]}', '{limits[1]}'{'' if 'band' in value else ' in the table of targets'}, "
             "expected numbers, the lower first")


def place_of(reference: Reference, coordinates: Coordinates, axes: Dict[str, List[str]]) -> Coordinates:
    """The point that a reference means. @param coordinates those that its case gives to all references"""
    place = {}
    for axis, labels in axes.items():
        label = reference.coordinates.get(axis, coordinates.get(axis))
        place[axis] = labels[0] if label is None else resolve_label(label, labels)
    return place


def parse_share(text: str, total: int) -> int:
    """4 or 80% of the total, as a count."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d*)?)(%?)", text)
    if match and match[2]:
        share = float(match[1])
        if 0 < share <= 100:
            return max(1, -int(-total * share // 100))
    elif match and "." not in text and 1 <= int(text) <= total:
        return int(text)
    raise ValueError(f"'{text}', expected 1 to {total} or a part such as 80%")
