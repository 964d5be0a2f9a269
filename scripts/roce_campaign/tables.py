# SPDX-License-Identifier: GPL-2.0-only
"""Tables of metrics: a row for each label of an axis, or of several, a column for each metric."""

from typing import Optional

import roce_results as rr

from .estimates import Estimate, Results, plain_of
from .grid import Selection, selects
from .plots import Plot


def number(value: Optional[float]) -> str:
    """Four significant digits without an exponent, where that is readable."""
    if value is None:
        return "-"
    if value != 0 and (abs(value) >= 1e9 or abs(value) < 1e-3):
        return f"{value:.3e}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def interval(e: Optional[Estimate]) -> str:
    """[1.2, 3.4] or nothing."""
    return "" if not e or e.low is None else f"[{number(e.low)}, {number(e.high)}]"


def write(results: Results, plot: Plot, where: Selection, file: str) -> rr.Table:
    """The table as a CSV file. @return it for people"""
    axes = plot.fields["rows"]
    metrics = [results.experiment.metrics[m] for m in plot.fields["metric"]]
    found = {}
    for i, point in enumerate(results.points):
        if selects(where, point.coordinates):
            labels = tuple(point.coordinates[a] for a in axes)
            if labels in found:
                raise rr.ResultError("several points for one row: name more axes in rows, each or where")
            found[labels] = [results.estimate(i, m) for m in metrics]
    order = [where.get(a, results.experiment.axes[a]) for a in axes]
    rows = sorted(found.items(), key=lambda row: [known.index(x) for known, x in zip(order, row[0])])
    rr.write_file(file, rr.csv_text((axes + [f"{m.name}{end}" for m in metrics for end in ("", "_ci_low", "_ci_high")],
                                     [[*labels, *(n for e in numbers for n in plain_of(e))] for labels, numbers in rows])))
    return axes + [m.label + (f" ({m.unit})" if m.unit else "") for m in metrics], [
        [*labels, *(f"{number(e and e.value)} {interval(e)}".strip() for e in numbers)] for labels, numbers in rows]
