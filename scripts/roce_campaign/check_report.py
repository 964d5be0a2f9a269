# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/regress check found: for the terminal, as Markdown for a pull request, as JUnit XML."""

import math
from typing import Dict, List, NamedTuple
from xml.etree import ElementTree

import roce_results as rr

from . import regress_report
from .recheck import Outcome


class Report(NamedTuple):
    """All that was found."""

    title: str  # the baseline
    outcomes: List[Outcome]
    exact: bool  # whether every flow must be as it was

    def failed(self) -> List[Outcome]:
        """Runs that are not within their bounds."""
        return [o for o in self.outcomes if o.verdict(self.exact) != "within"]

    def status(self) -> int:
        """Of the script: 0 within, 1 beyond or other flows, 3 a run failed."""
        return 3 if any(o.error for o in self.outcomes) else 1 if self.failed() else 0

    def rows(self) -> List[List[str]]:
        """Changes of metrics, a row for each fact."""
        return regress_report.table([c for o in self.outcomes for c in o.changes], len(self.outcomes))


def percent(change: float) -> str:
    """+3.0 %"""
    return "done or not" if math.isinf(change) else f"{100 * change:+.3f}%"


def runs_table(report: Report) -> rr.Table:
    """A row for each run."""
    rows = []
    for o in report.outcomes:
        largest = f"{percent(o.changed[0][0])} (flow {o.changed[0][1]})" if o.changed else "-"
        rows.append([o.name, o.verdict(report.exact), f"{len(o.changed)} of {o.flows}", largest,
                     str(len(regress_report.different(o.beyond())))])
    return ["run", "verdict", "flows with another FCT", "largest", "facts beyond"], rows


def remarks(report: Report) -> List[str]:
    """Lines on runs that were not compared, or whose ideal times are others."""
    lines = [f"{o.name}: {o.error}" for o in report.outcomes if o.error]
    lines += [f"{o.name}: not the workload of the baseline: {o.other}" for o in report.outcomes if o.other]
    others: Dict[str, List[str]] = {}
    for o in report.outcomes:
        for path in o.inputs:
            others.setdefault(path, []).append(o.name)
    lines += [f"input {path} is not that of the baseline in {len(names)} run(s), first {names[0]}" for path, names in others.items()]
    ideal = [o.name for o in report.outcomes if not o.ideal]
    if ideal:
        lines.append(f"ideal completion times are others than in the baseline in {len(ideal)} run(s): slowdowns of both are "
                     "over the new ones")
    return lines


def verdict(report: Report) -> str:
    """The last line."""
    return f"{len(report.outcomes)} run(s), {len(report.failed())} not within their bounds: " \
        + ("FAILED" if report.failed() else "passed")


def text(report: Report, show: int) -> str:
    """For the terminal."""
    return "\n".join([rr.format_aligned(runs_table(report)), "", *remarks(report)]) + "\n" \
        + regress_report.text(report.rows(), show) + verdict(report) + "\n"


def markdown(report: Report, show: int) -> str:
    """For a comment in a pull request."""
    rows = report.rows()
    parts = [f"## Flow completion times against `{report.title}`: {'FAILED' if report.failed() else 'passed'}",
             verdict(report) + ".", rr.format_markdown(runs_table(report))]
    parts += ["\n".join(f"* {line}" for line in remarks(report))] if remarks(report) else []
    if rows:
        parts += ["Metrics that changed, the largest first" + (f" ({show} of {len(rows)})" if len(rows) > show else "") + ":",
                  rr.format_markdown((regress_report.HEADER, rows[:show]))]
    else:
        parts.append("No metric changed.")
    return "\n\n".join(parts) + "\n"


def junit(report: Report, show: int) -> str:
    """JUnit XML: a test case for each run. No times: the same results give the same file."""
    counts = {"tests": len(report.outcomes), "failures": sum(not o.error for o in report.failed()),
              "errors": sum(bool(o.error) for o in report.outcomes)}
    root = ElementTree.Element("testsuites", {k: str(v) for k, v in counts.items()})
    suite = ElementTree.SubElement(root, "testsuite", {"name": report.title, **{k: str(v) for k, v in counts.items()}})
    for o in report.outcomes:
        case = ElementTree.SubElement(suite, "testcase", {"classname": "regress", "name": o.name})
        if o.error:
            ElementTree.SubElement(case, "error", {"message": o.error})
        elif o in report.failed():
            facts = regress_report.table(o.beyond(), 1, True)
            message = o.other or (f"{facts[0][0]} {facts[0][3]}, bound {facts[0][4]}" if facts
                                  else f"{len(o.changed)} of {o.flows} flows have another FCT")
            ElementTree.SubElement(case, "failure", {"message": message}).text = regress_report.text(facts, show)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
