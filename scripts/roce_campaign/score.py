# SPDX-License-Identifier: GPL-2.0-only
"""Claims against metrics: a grade each (see grades.py).

Grades are of the estimate. The note says when the confidence interval reaches other grades. An effect whose sign the interval
leaves open gets U, on whichever side the estimate is; so does a relation that holds, or fails, only by such cases.
"""

import contextlib
import textwrap
from collections import Counter
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import roce_results as rr

from .claims import Case, Claim, place_of
from .estimates import Estimate, Results, estimator, plain
from .expression import NotMeasured, Reference
from .grades import GRADES, Rule
from .grid import Point, seeds_text

SHOWN_CASES = 4  # of a relation; of more, only those that do not hold
NOTE_WIDTH = 110  # on the terminal
TEXT_WIDTH = 70


class NotApplicable(NotMeasured):
    """What a claim needs does not hold."""


class Score(NamedTuple):
    """The result of one claim."""

    id: str
    reported: str
    ours: str
    low: Optional[float]
    high: Optional[float]
    grade: str
    note: str
    claim: Optional[Claim]
    target: Dict[str, str]
    seeds: str = ""  # of the claim's points

    @property
    def source(self) -> str:
        return "own" if self.claim and self.claim.own else "paper"

    @property
    def text(self) -> str:
        return self.claim.text if self.claim else " \u00b7 ".join(
            self.target[c] for c in ("figure", "scenario", "algorithm", "metric") if self.target.get(c))


HEADER = ["id", "reported", "ours", "ci_low", "ci_high", "grade", "note", "source"]
SOURCES = {"paper": "claims of the paper", "own": "own checks"}


def not_counted(unfinished: Dict[int, int]) -> List[str]:
    """A remark on unfinished flows, by point."""
    total = sum(unfinished.values())
    return [f"{total} unfinished flows not counted"] if total else []


class Scorer:
    """Scores the claims of an experiment."""

    def __init__(self, results: Results):
        self.results = results
        self.experiment = results.experiment

    def _place(self, reference: Reference, coordinates: Dict[str, str]) -> int:
        """The point a reference means."""
        return self.results.find(place_of(reference, coordinates, self.experiment.all_axes))

    def _points(self, case: Case) -> List[Point]:
        """The points that a case looks at, as far as this size has them."""
        found = []
        for reference in case.expression.references:
            with contextlib.suppress(NotMeasured):
                found.append(self.results.points[self._place(reference, case.coordinates)])
        return found

    def _too_few_seeds(self, case: Case) -> str:
        """A remark if the quick size has too few seeds at a case's points to tell the sign of an effect."""
        for point in self._points(case):
            needed = self.experiment.seeds_needed.get(point.place, 0)
            if len(point.seeds) < needed:
                return f"the sign of an effect needs {needed} seeds, --quick has {len(point.seeds)} here"
        return ""

    def _prepare(self, case: Case, unfinished: Dict[int, int]) -> Tuple[List[int], Callable, List[str]]:
        """Seeds that all metrics of a case have, what looks up their values over some of these, and remarks.

        @param unfinished gets the number of unfinished flows by point"""
        places = {r: self._place(r, case.coordinates) for r in case.expression.references}
        seeds: Optional[set] = None
        planned = 0
        remarks = []
        for reference, point in places.items():
            metric = self.experiment.metrics[reference.metric]
            have = self.results.seeds(point, metric)
            if not have:
                raise NotMeasured(f"{metric.name} has no value at {self.results.points[point].text()}")
            seeds = set(have) if seeds is None else seeds & set(have)
            planned = len(self.results.points[point].seeds)
            counts = self.results.counts(point, metric)
            if counts and counts[1]:
                unfinished[point] = max(unfinished.get(point, 0), counts[1])
            late = self.results.not_reached(point, metric)
            if late:
                remarks.append(f"{metric.name} at {self.results.points[point].text()} not reached in {late} of {planned} runs, whose ends count")
        if places and not seeds:
            raise NotMeasured("no seed has all the values")
        if places and len(seeds) < planned:
            remarks.append(f"{len(seeds)} of {planned} seeds have all values")

        def lookup(some: Sequence[int]) -> Callable[[Reference], float]:
            return lambda r: self.results.over(places[r], self.experiment.metrics[r.metric], some)
        return sorted(seeds or ()), lookup, list(dict.fromkeys(remarks))

    def _interval(self, case: Case, seeds: List[int], f: Callable) -> Estimate:
        """A number of a case, with the interval that its metrics need."""
        return estimator([self.experiment.metrics[r.metric] for r in case.expression.references], seeds, f)

    def _check_needs(self, case: Case) -> None:
        """NotApplicable if the condition of a case does not hold, NotMeasured if that is not known, or if its number is for
        another size."""
        if case.other_size:
            raise NotMeasured(case.other_size)
        if case.needs is None:
            return
        seeds, lookup, _ = self._prepare(case._replace(expression=case.needs), {})
        if not case.needs.evaluate(lookup(seeds)):
            raise NotApplicable(f"not applicable: needs {case.needs.text}, which does not hold: {case.needs.shown(lookup(seeds))}")

    def value(self, case: Case) -> Tuple[Estimate, List[str]]:
        """The number of a claim."""
        self._check_needs(case)
        unfinished: Dict[int, int] = {}
        seeds, lookup, remarks = self._prepare(case, unfinished)
        return self._interval(case, seeds, lambda s: float(case.expression.evaluate(lookup(s)))), remarks + not_counted(unfinished)

    def relation(self, case: Case, unfinished: Dict[int, int]) -> Tuple[bool, str, Optional[Estimate], List[str]]:
        """Whether a relation holds, how it looks, and for a single comparison the difference of its sides."""
        self._check_needs(case)
        seeds, lookup, remarks = self._prepare(case, unfinished)
        holds = case.expression.evaluate(lookup(seeds))
        text = case.expression.shown(lookup(seeds)) + ("" if holds else " does not hold")
        if case.expression.difference(lookup(seeds)) is None:
            return holds, text, None, remarks
        return holds, text, self._interval(case, seeds, lambda s: case.expression.difference(lookup(s))), remarks

    def score(self, claim: Claim) -> Score:
        rule = Rule.of(claim)
        if not rule.scored:
            case = claim.cases[0]
            computed = claim.kind != "relation" and not case.expression.references
            return self._result(claim, f"{self.value(case)[0].value:.6g}" if computed else "", None, "X", claim.rule)
        if claim.kind == "relation":
            return self._score_relation(claim)
        try:
            estimate, remarks = self.value(claim.cases[0])
        except NotMeasured as error:
            return self._result(claim, "", None, "N", str(error))
        grade = rule.mark(*estimate[:3])
        if estimate.low is None:
            remarks.insert(0, ("no run needed", "one seed, no interval", "no interval")[min(estimate.seeds, 2)])
        else:
            reached = sorted({rule.grade(x) for x in estimate[:3]})
            if len(reached) > 1:
                remarks.insert(0, f"interval reaches {', '.join(reached)}")
            if rule.sign_open(estimate.low, estimate.high):
                remarks.insert(0, "sign not significant")
        few = self._too_few_seeds(claim.cases[0]) if rule.no_effect is not None else ""
        if few and grade in "ABC":
            grade = "U"
            remarks.insert(0, few)
        return self._result(claim, f"{estimate.value:.6g}", estimate, grade, "; ".join(remarks))

    def too_wide(self) -> List[str]:
        """Claims whose intervals are wider than the experiment's rule "until" asks for."""
        until = self.experiment.until
        found = []
        for claim in (c for c in self.experiment.claims if until and c.id in until.claims):
            try:
                estimate, _ = self.value(claim.cases[0])
            except NotMeasured:
                found.append(f"{claim.id} not measured")
                continue
            if not until.is_narrow(estimate.value, estimate.low, estimate.high):
                found.append(f"{claim.id} {estimate.value:.3g}, " + (interval(estimate.low, estimate.high) or "one seed"))
        return found

    def _score_relation(self, claim: Claim) -> Score:
        judged: List[Tuple[bool, bool, str]] = []  # of each case: whether it holds, whether that is open, text
        missing: List[str] = []
        without: List[str] = []  # cases without what they need
        remarks: List[str] = []
        unfinished: Dict[int, int] = {}
        single, few = None, ""
        for case in claim.cases:
            prefix = f"{case.title}: " if case.title else ""
            try:
                holds, text, difference, found = self.relation(case, unfinished)
            except NotMeasured as error:
                (without if isinstance(error, NotApplicable) else missing).append(f"{prefix}{error}")
                continue
            is_open = False
            if difference and difference.low is not None and difference.low <= 0 <= difference.high and difference.low < difference.high:
                text += " (not significant)"
                is_open = case.expression.is_effect
            elif case.expression.is_effect and self._too_few_seeds(case):
                is_open, few = holds, self._too_few_seeds(case)
            judged.append((holds, is_open, prefix + text))
            remarks += [r for r in found if r not in remarks]
            single = difference if len(claim.cases) == 1 else None
        texts, failing = [text for *_, text in judged], [text for holds, _, text in judged if not holds]
        open_held, open_failed = (sum(is_open for holds, is_open, _ in judged if holds == which) for which in (True, False))
        measured, held = len(judged), len(judged) - len(failing)
        if not measured:
            return self._result(claim, "", None, "N", (missing + without)[0])
        count = len(claim.cases) - len(without)
        enough = -(-claim.at_least * count // len(claim.cases))
        # With cases missing, the answer is known only if they cannot change it.
        if enough > held >= enough - len(missing):
            if self.experiment.size != "quick":
                enough = None
            else:
                # The cases of the quick size are what there is to judge; the note says so.
                enough *= measured / count
        grade = "N" if enough is None else "F" if held + open_failed < enough else "U" if held - open_held < enough else "A"
        if missing:
            remarks.insert(0, f"{len(missing)} of {len(claim.cases)} cases not measured")
        if without:
            remarks.insert(0, f"{len(without)} of {len(claim.cases)} cases not applicable")
        if grade == "U":
            for what, some, of in (("fail", open_failed, measured - held), ("hold", open_held, held)):
                if some:
                    remarks.insert(0, f"{some} of the {of} that {what} not significant")
            if few:
                remarks.append(few)
        if measured > SHOWN_CASES:
            texts = failing[:SHOWN_CASES] + (["..."] if len(failing) > SHOWN_CASES else [])
        note = "; ".join(texts + remarks + not_counted(unfinished))
        return self._result(claim, f"{held}/{measured}", single, grade, note)

    @staticmethod
    def _result(claim: Claim, ours: str, estimate: Optional[Estimate], grade: str, note: str) -> Score:
        low, high = estimate[1:3] if estimate else (None, None)
        return Score(claim.id, claim.reported or "-", ours, low, high, grade, note, claim, claim.target)

    def all(self) -> List[Score]:
        """All claims, then the rows of the table of targets that no claim covers."""
        # Several sets of seeds if the cases of a claim have different ones.
        return [self.score(c)._replace(seeds="; ".join(dict.fromkeys(seeds_text(p.seeds) for k in c.cases for p in self._points(k))))
                for c in self.experiment.claims] + [
            Score(row["id"], row["reported"] or "-", "", None, None, "N", "no claim in the experiment", None, row)
            for row in self.experiment.unclaimed]


def table(scores: List[Score]) -> rr.Table:
    return HEADER, [[s.id, s.reported, s.ours, plain(s.low), plain(s.high), s.grade, s.note, s.source] for s in scores]


def interval(low: Optional[float], high: Optional[float]) -> str:
    """[1.2, 3.4] or nothing."""
    return "" if low is None or high is None else f"[{low:.4g}, {high:.4g}]"


def printed(scores: List[Score], reduced: Sequence[str] = ()) -> str:
    """For the terminal: what is claimed, grade, ours, reported; the paper's claims first.

    @param reduced what the size has less of than the full one"""
    if not scores:
        return "no claims to score"
    parts = []
    for source, title in SOURCES.items():
        some = [s for s in scores if s.source == source]
        rows = [[s.grade, s.id, s.ours or "-", interval(s.low, s.high) or "-", s.reported,
                 textwrap.shorten(s.text, TEXT_WIDTH, placeholder=" ...")] for s in some]
        rows.insert(0, ["grade", "id", "ours", "95 % interval", "reported", "claim"])
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows]
        for i, s in reversed(list(enumerate(some, 2))):
            lines[i:i] = ["       " + textwrap.shorten(s.note, NOTE_WIDTH, placeholder=" ...")] if s.note else []
        if some:
            parts.append(f"{title.capitalize()}\n" + "\n".join(lines))
    if reduced:
        parts.append("--quick: " + "; ".join(reduced))
    return "\n\n".join(parts + ["\n".join(count_lines(scores))])


def count_lines(scores: Sequence[Score]) -> List[str]:
    """4 claims of the paper: 3 A (reproduced), 1 F (not reproduced); the same without those that say less; of own checks."""
    lines = []
    for source, title in SOURCES.items():
        of_source = [s for s in scores if s.source == source]
        bases = Counter(s.claim.basis for s in of_source if s.claim and s.claim.basis)
        without = "without " + " and ".join(f"{n} {basis}" for basis, n in sorted(bases.items())) + " ones "
        for some, prefix in ((of_source, ""), ([s for s in of_source if not (s.claim and s.claim.basis)], without)):
            if some and (bases or not prefix):
                counts = Counter(s.grade for s in some)
                lines.append(f"{prefix}{len(some)} {title}: " + ", ".join(f"{counts[g]} {g} ({GRADES[g]})" for g in GRADES if counts[g]))
    return lines
