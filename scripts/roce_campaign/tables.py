# SPDX-License-Identifier: GPL-2.0-only
"""Tables of metrics: a row for each label of an axis, or of several, a column for each metric."""

from typing import List, Optional, Tuple

import roce_results as rr

from .estimates import Estimate, Results, plain
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


def estimates(results: Results, plot: Plot, where: Selection) -> List[Tuple[List[str], List[Optional[Estimate]]]]:
    """Labels and numbers of each row, in the order of "where" and the grid."""
    axes = plot.fields["rows"]
    metrics = [results.experiment.metrics[m] for m in plot.fields["metric"]]
    rows = {}
    for i, point in enumerate(results.points):
        if selects(where, point.coordinates):
            labels = tuple(point.coordinates[a] for a in axes)
            if labels in rows:
                raise rr.ResultError("several points for one row: name more axes in rows, each or "
                                     "where")
            rows[labels] = [results.estimate(i, m) for m in metrics]
    order = [where.get(a, results.experiment.axes[a]) for a in axes]
    return [(list(labels), rows[labels]) for labels in sorted(
        rows, key=lambda row: [known.index(x) for known, x in zip(order, row)])]


def write(results: Results, plot: Plot, where: Selection, file: str) -> rr.Table:
    """The table as a CSV file.

    @return it for people
    """
    axes = plot.fields["rows"]
    metrics = [results.experiment.metrics[m] for m in plot.fields["metric"]]
    rows = estimates(results, plot, where)
    header = axes + [f"{m.name}{end}" for m in metrics for end in ("", "_ci_low", "_ci_high")]
    rr.write_csv(file, (header, [labels + [plain(n) for e in found
                                           for n in ((e.value, e.low, e.high) if e else [None] * 3)]
                                 for labels, found in rows]))
    titles = axes + [m.label + (f" ({m.unit})" if m.unit else "") for m in metrics]
    return titles, [labels + [f"{number(e and e.value)} {interval(e)}".strip() for e in found]
                    for labels, found in rows]
