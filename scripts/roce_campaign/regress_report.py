# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/regress says: a row for each fact, by metric, the largest first; of check for the terminal, as Markdown for a pull
request, as JUnit XML."""

import math
from typing import Dict, List, NamedTuple, Sequence, Tuple
from xml.etree import ElementTree

import roce_results as rr

from .baseline import Outcome
from .regress import Change, is_count

HEADER = ["metric", "base", "new", "change", "bound", "verdict", "run", "runs"]


def weight(change: Change) -> Tuple:
    """For sorting: beyond its bound first, then the largest, without the digits in which equal changes differ."""
    return not change.beyond(), -round(abs(change.relative()), 7), change.metric, change.run


def different(changes: Sequence[Change]) -> List[Change]:
    """What changed, each fact once.

    Several metrics may say the same: summary.json repeats flows.csv, and if all large flows are inter, the maxima of all, inter
    and inter.>10MB are one flow's. Metrics of a run with the same two numbers are one fact; the shortest name stays, that of a
    metric beyond its bound before others."""
    facts: Dict[Tuple, Change] = {}
    for change in sorted((c for c in changes if c.relative() != 0),
                         key=lambda c: (not c.beyond(), c.metric.startswith("summary."), len(c.metric), c.metric)):
        what = "count" if is_count(change.metric) else "slowdown" if ".slowdown." in change.metric else "fct"
        digits = tuple(None if v is None else f"{v:.9g}" for v in (change.base, change.new))
        facts.setdefault((change.run, what, *digits), change)
    return list(facts.values())


def percent(share: float, infinite: str) -> str:
    """+3.000%"""
    return infinite if math.isinf(share) else f"{100 * share:+.3f}%"


def table(changes: Sequence[Change], runs: int, each: bool = False) -> List[List[str]]:
    """Rows by metric: the run in which it changed most, and in how many. With `each` by metric and run."""
    members: Dict[Tuple, List[Change]] = {}
    for change in sorted(different(changes), key=weight):
        members.setdefault((change.metric, change.run if each else ""), []).append(change)
    rows = []
    for worst, *others in sorted(members.values(), key=lambda some: weight(some[0])):
        numbers = ["-" if v is None else f"{v:.6g}" for v in (worst.base, worst.new)]
        rows.append([worst.metric, *numbers, percent(worst.relative(), "new or gone"), worst.bound.amount(),
                     "BEYOND" if worst.beyond() else "within", worst.run, f"{1 + len(others)} of {runs}"])
    return rows


def text(rows: Sequence[List[str]], show: int) -> str:
    """A table for the terminal."""
    more = f"\n... and {len(rows) - show} more" if len(rows) > show else ""
    return rr.format_aligned((HEADER, list(rows[:show]))) + more + "\n\n" if rows else ""


class Report(NamedTuple):
    """All that scripts/regress check found."""

    title: str  # the baseline
    outcomes: List[Outcome]
    exact: bool  # whether every flow must be as it was

    def failed(self) -> List[Outcome]:
        """Runs that are not within their bounds, or were made of other inputs."""
        return [o for o in self.outcomes if o.verdict(self.exact) != "within"]

    def status(self) -> int:
        """Of the script: 0 within, 1 beyond, other flows or inputs, 3 a run failed."""
        return 3 if any(o.error for o in self.outcomes) else 1 if self.failed() else 0

    def verdict(self) -> str:
        others = sum(bool(o.inputs) for o in self.outcomes)
        return (f"{len(self.outcomes)} run(s), {len(self.failed())} not within their bounds"
                + (f" or not of the baseline's inputs ({others})" if others else "") + ": " + ("FAILED" if self.failed() else "passed"))

    def rows(self) -> List[List[str]]:
        """Changes of metrics, a row for each fact."""
        return table([c for o in self.outcomes for c in o.changes], len(self.outcomes))

    def runs(self) -> rr.Table:
        """A row for each run."""
        rows = []
        for o in self.outcomes:
            largest = f"{percent(o.changed[0][0], 'done or not')} (flow {o.changed[0][1]})" if o.changed else "-"
            rows.append([o.name, o.verdict(self.exact), f"{len(o.changed)} of {o.flows}", largest, str(len(different(o.beyond())))])
        return ["run", "verdict", "flows with another FCT", "largest", "facts beyond"], rows

    def remarks(self) -> List[str]:
        """Lines on runs that were not compared, or not with the same inputs or ideal times."""
        lines = [f"{o.name}: {o.error}" for o in self.outcomes if o.error]
        lines += [f"{o.name}: not the workload of the baseline: {o.other}" for o in self.outcomes if o.other]
        for path in dict.fromkeys(p for o in self.outcomes for p in o.inputs):
            names = [o.name for o in self.outcomes if path in o.inputs]
            lines.append(f"input {path} is not that of the baseline in {len(names)} run(s), first {names[0]}: restore it, or record "
                         "the baseline again")
        ideal = sum(not o.ideal for o in self.outcomes)
        if ideal:
            lines.append(f"ideal completion times are others than in the baseline in {ideal} run(s): slowdowns of both are "
                         "over the new ones")
        return lines

    def text(self, show: int) -> str:
        return "\n".join([rr.format_aligned(self.runs()), "", *self.remarks()]) + "\n" + text(self.rows(), show) + self.verdict() + "\n"

    def markdown(self, show: int) -> str:
        """For a comment in a pull request."""
        rows = self.rows()
        parts = [f"## Flow completion times against `{self.title}`: {'FAILED' if self.failed() else 'passed'}",
                 self.verdict() + ".", rr.format_markdown(self.runs())]
        parts += ["\n".join(f"* {line}" for line in self.remarks())] if self.remarks() else []
        if rows:
            parts += ["Metrics that changed, the largest first" + (f" ({show} of {len(rows)})" if len(rows) > show else "") + ":",
                      rr.format_markdown((HEADER, rows[:show]))]
        else:
            parts.append("No metric changed.")
        return "\n\n".join(parts) + "\n"

    def junit(self, show: int) -> str:
        """JUnit XML: a test case for each run. No times: the same results give the same file."""
        errors = sum(bool(o.error) for o in self.outcomes)
        counts = {"tests": str(len(self.outcomes)), "failures": str(len(self.failed()) - errors), "errors": str(errors)}
        root = ElementTree.Element("testsuites", counts)
        suite = ElementTree.SubElement(root, "testsuite", {"name": self.title, **counts})
        for o in self.outcomes:
            case = ElementTree.SubElement(suite, "testcase", {"classname": "regress", "name": o.name})
            if o.error:
                ElementTree.SubElement(case, "error", {"message": o.error})
            elif o in self.failed():
                facts = table(o.beyond(), 1, True)
                message = o.other or (f"other inputs: {', '.join(o.inputs)}" if o.inputs else
                                      f"{facts[0][0]} {facts[0][3]}, bound {facts[0][4]}" if facts
                                      else f"{len(o.changed)} of {o.flows} flows have another FCT")
                ElementTree.SubElement(case, "failure", {"message": message}).text = text(facts, show)
        ElementTree.indent(root)
        return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
