# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Claims: what a paper, or theory, says about the metrics; tables of targets."""

import csv
import itertools
import math
import os
import re
from typing import Dict, List, NamedTuple, Optional, Tuple

import roce_results as rr

from .expression import MAX_LENGTH, Coordinates, Expression, Reference
from .grades import Rule, reported_number
from .grid import Selection, read_where, resolve_label, selects
from .metrics import Metric
from .program import ROOT
from .yamlread import Value

MAX_PATH = 4000
MAX_CASES = 10_000  # of a claim
TAKEN = ("max", "min", "mean")  # of several numbers
KINDS = ("reduction", "ratio", "value", "count", "relation")
TARGET_COLUMNS = ("id,paper,figure,scenario,algorithm,baseline,metric,kind,reported,band_low,"
                  "band_high,rule,repro,note").split(",")

TARGET_KINDS = {"relation": "relation", "count": "count", "ratio": "ratio"}


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


def targets_path(value: Optional[Value], folder: str) -> Optional[str]:
    """The file of a table of targets, if there is one."""
    if value is None:
        return None
    if value.is_map():
        value = value.fields("targets", ("file", "where"), ("file",))["file"]
    name = value.short("targets", MAX_PATH)
    path = name.replace("{root}", ROOT, 1) if name.startswith("{root}") else os.path.join(folder, name)
    if not os.path.isfile(path):
        value.fail(f"targets: {path} does not exist, or is no file")
    return path


def read_targets(value: Optional[Value], path: Optional[str], own: bool
                 ) -> Tuple[Dict[str, Dict[str, str]], bool]:
    """Rows of a table of targets by id, and whether rows without a claim are shown.

    @param own whether the table is the experiment's own, whose "where" counts
    """
    where: Dict[str, str] = {}
    if own and value is not None and value.is_map():
        fields = value.fields("targets", ("file", "where"), ("file",))
        for key, text in fields["where"].pairs("targets: where") if "where" in fields else []:
            if key.node.value not in TARGET_COLUMNS:
                key.fail(f"targets: no column '{key.node.value}'")
            where[key.node.value] = text.text("targets: where")
    return read_targets_file(path, where) if path else {}, bool(where)


def read_targets_file(path: str, where: Dict[str, str]) -> Dict[str, Dict[str, str]]:
    """The rows that have these fields, by id."""
    rows = {}
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            missing = [c for c in ("id", "kind", "reported", "band_low", "band_high", "rule")
                       if c not in (reader.fieldnames or [])]
            if missing:
                raise rr.ResultError(f"{path}:1: missing column(s) {', '.join(missing)}")
            for row in reader:
                if None in row or None in row.values():
                    raise rr.ResultError(f"{path}:{reader.line_num}: expected "
                                         f"{len(reader.fieldnames)} fields")
                if row["id"] in rows:
                    raise rr.ResultError(f"{path}:{reader.line_num}: id {row['id']} is there twice")
                if all(row.get(column) == text for column, text in where.items()):
                    rows[row["id"]] = row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise rr.ResultError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    return rows


def target_kind(text: str) -> str:
    """Our kind of a claim for the table's: "reduction %", "x", "MB", ..."""
    if text.startswith("reduction") or text == "% range":
        return "reduction"
    return TARGET_KINDS.get(text, "value")


def reported_values(claims: List[Claim], axes: Dict[str, List[str]]
                    ) -> Dict[Tuple[str, frozenset], float]:
    """What claims report of a metric at a point, of those that are about nothing else.

    @return by metric and coordinates
    """
    found = {}
    for claim in claims:
        case = claim.cases[0]
        number = reported_number(claim.reported)
        if claim.kind == "value" and number is not None and case.expression.is_reference():
            reference = case.expression.references[0]
            place = place_of(reference, case.coordinates, axes)
            found[reference.metric, frozenset(place.items())] = number
    return found


class Claims:
    """Reads claims; knows grid and metrics."""

    def __init__(self, metrics: Dict[str, Metric], axes: Dict[str, List[str]],
                 excluded: List[Selection], targets: Dict[str, Dict[str, str]]):
        self.metrics = metrics
        self.excluded = excluded
        self.axes = axes
        self.targets = targets

    def read(self, value: Value) -> Claim:
        """One claim."""
        fields = value.fields("claim", ("id", "text", "value", "holds", "kind", "unit", "reported",
                                        "band", "rule", "at", "each", "take", "at_least", "own", "needs", "any_size"),
                              ("id",))
        name = fields["id"].short("id")
        what = f"claim {name}"
        target = self.targets.get(name, {})
        if ("value" in fields) == ("holds" in fields):
            value.fail(f"{what}: expected either value: or holds:")
        relation = "holds" in fields
        kind = "relation" if relation else target_kind(target.get("kind", "value"))
        if "kind" in fields:
            kind = fields["kind"].one_of(f"{what}: kind", KINDS)
        if relation != (kind == "relation"):
            value.fail(f"{what}: kind {kind} goes with {'value:' if relation else 'holds:'}")
        at = read_where(fields["at"], self.axes, what) if "at" in fields else {}
        each = self.each(fields.get("each"), what)
        cases = self.cases(fields["holds" if relation else "value"], at, each, what, relation)
        if "needs" in fields:
            needs = self.cases(fields["needs"], at, each, f"{what}: needs", True)
            cases = [c._replace(needs=n.expression) for c, n in zip(cases, needs)]
        if "take" in fields and (relation or not each or "needs" in fields):
            value.fail(f"{what}: take: goes with value: and each:, not with needs:")
        if "take" in fields:
            cases = [self._taken(fields["take"].one_of(f"{what}: take", TAKEN), cases, at, value, what)]
        elif not relation and each:
            value.fail(f"{what}: each: goes with holds:, or with take: {', '.join(TAKEN)} of several numbers")
        at_least = len(cases)
        if "at_least" in fields:
            at_least = fields["at_least"].parsed(f"{what}: at_least",
                                                 lambda t: parse_share(t, len(cases)))
        reported = fields["reported"].short(f"{what}: reported") if "reported" in fields \
            else target.get("reported", "")
        band = self._band(fields.get("band"), target, what, value)
        rule = fields["rule"].text(what) if "rule" in fields else \
            "" if relation else target.get("rule", "")
        place = f"{value.file}:{value.line}"
        unit = "%" if kind == "reduction" else ""
        if target.get("kind") in ("MB", "Gb/s", "%", "x"):
            unit = target["kind"]
        own = fields["own"].flag(f"{what}: own") if "own" in fields else \
            not (target if self.targets else reported)
        text = " \u00b7 ".join(target[c] for c in ("figure", "scenario", "algorithm", "baseline",
                                                   "metric") if target.get(c) not in (None, "", "-"))
        claim = Claim(name, fields["text"].text(what) if "text" in fields else text or name, kind,
                      fields["unit"].short(f"{what}: unit") if "unit" in fields else unit,
                      reported, band, rule, cases, at_least, target, place, own,
                      "any_size" in fields and fields["any_size"].flag(f"{what}: any_size"))
        try:
            Rule.of(claim)
        except ValueError as error:
            value.fail(f"{what}: {error}")
        return claim

    def each(self, value: Optional[Value], what: str) -> Dict[str, List[str]]:
        """Variables of the cases: "load" (an axis, all its values), or name: list."""
        if value is None:
            return {}
        each = {}
        if value.is_map():
            for key, listed in value.pairs(f"{what}: each"):
                name = key.name("each")
                labels = [v.short("each") for v in listed.items_or_one("each")]
                if name in self.axes:
                    found = [resolve_label(label, self.axes[name]) for label in labels]
                    if None in found:
                        listed.fail(f"{what}: axis {name} has no '{labels[found.index(None)]}'")
                    labels = found
                each[name] = labels
            return each
        for item in value.items_or_one(f"{what}: each"):
            name = item.text("each")
            if name not in self.axes:
                item.fail(f"{what}: no axis '{name}', expected one of {', '.join(self.axes)}")
            each[name] = self.axes[name]
        return each

    def cases(self, value: Value, at: Coordinates, each: Dict[str, List[str]], what: str,
              relation: bool) -> List[Case]:
        """An expression for each combination of the variables, without excluded points."""
        count = math.prod(len(labels) for labels in each.values())
        if count > MAX_CASES:
            value.fail(f"{what}: each: makes {count} cases, expected up to {MAX_CASES}")
        combinations = [dict(zip(each, c)) for c in itertools.product(*each.values())]
        there = [v for v in combinations if not any(selects(e, {**at, **v}) for e in self.excluded)]
        cases = []
        for variables in there or combinations:
            text = value.text(what)
            for name, label in variables.items():
                text = text.replace("{" + name + "}", label)[:MAX_LENGTH + 1]
            try:
                expression = Expression(text, self.metrics)
            except ValueError as error:
                value.fail(f"{what}: {error}")
            if expression.boolean != relation:
                value.fail(f"{what}: expected "
                           + ("a comparison" if relation else "a number, holds: is for comparisons"))
            coordinates = {**at, **{n: v for n, v in variables.items() if n in self.axes}}
            for reference in expression.references:
                self._check(reference, coordinates, value, what)
            cases.append(Case(variables, expression, coordinates))
        return cases

    def _taken(self, function: str, cases: List[Case], at: Coordinates, value: Value, what: str) -> Case:
        """One case of several: the largest number of all, or the like."""
        def is_there(case: Case) -> bool:
            places = [place_of(r, case.coordinates, self.axes) for r in case.references]
            return not any(selects(e, place) for e in self.excluded for place in places)

        parts = [case.expression.at({k: v for k, v in case.coordinates.items() if k not in at})
                 for case in [c for c in cases if is_there(c)] or cases]
        try:
            expression = Expression(f"{function}({', '.join(parts)})", self.metrics)
        except ValueError as error:
            value.fail(f"{what}: {error}")
        return cases[0]._replace(variables={}, expression=expression, coordinates=at)

    def _check(self, reference, coordinates: Coordinates, value: Value, what: str) -> None:
        for axis, label in reference.coordinates.items():
            if axis not in self.axes:
                value.fail(f"{what}: no axis '{axis}', expected one of {', '.join(self.axes)}")
            if resolve_label(label, self.axes[axis]) is None:
                value.fail(f"{what}: axis {axis} has no '{label}', "
                           f"expected one of {', '.join(self.axes[axis])}")
        for axis, labels in self.axes.items():
            if axis not in reference.coordinates and axis not in coordinates and len(labels) > 1:
                value.fail(f"{what}: {reference.metric} at which {axis}? "
                           f"one of {', '.join(labels)}")

    @staticmethod
    def _band(value: Optional[Value], target: Dict[str, str], what: str, claim: Value):
        if value is not None:
            limits = [v.number(f"{what}: band") for v in value.items(f"{what}: band")]
            if len(limits) != 2 or not limits[0] <= limits[1]:
                value.fail(f"{what}: band, expected [low, high]")
            return tuple(limits)
        low, high = target.get("band_low", ""), target.get("band_high", "")
        if not low or not high:
            return None
        try:
            limits = float(low), float(high)
            if not -math.inf < limits[0] <= limits[1] < math.inf:
                raise ValueError
            return limits
        except ValueError:
            claim.fail(f"{what}: band '{low}', '{high}' in the table of targets, expected numbers, the "
                       "lower first")


def place_of(reference: Reference, coordinates: Coordinates,
             axes: Dict[str, List[str]]) -> Coordinates:
    """The point that a reference means.

    @param coordinates those that its case gives to all references
    """
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
