# SPDX-License-Identifier: GPL-2.0-only
"""Whether a claim states a number of us, bytes, Gbit/s or events, which is for one size of the runs.

"all_mean <= 1.35 * 687195" cannot fail where messages are a quarter as large. Ratios of metrics, slowdowns, shares and
comparisons with 0 mean the same in every size. Metrics have degree 1 if they grow with the unit that they are counted in, else
0, and an expression states an absolute number where it adds or compares what is of different degrees.
"""

import ast
import re
from typing import Dict, Optional

from .expression import FUNCTIONS, Expression
from .metrics import Metric

RELATIVE_WORDS = ("ratio", "slowdown", "share", "utilisation", "fraction")
RELATIVE_COLUMNS = ("utility", "o_tp", "o_rtt", "o_pfc", "r_elephants")  # of tuning.csv
EFFECTS = ("reduction", "change", "ratio", "trend", "spread")  # have no unit, if what they compare has the same
COUNTS = ("sum", "count", "peaks")


class Mixed(Exception):
    """What has a unit is added to, or compared with, a plain number."""


def is_relative(name: str) -> bool:
    """True for the name of a share or an index, such as bottleneck_utilisation; "duration" is none."""
    return any(word.lower() in RELATIVE_WORDS for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", name))


def degree_of_metric(metric: Metric, metrics: Dict[str, Metric]) -> int:
    """1 of a number with a unit or a count, 0 of a share or an index."""
    fields = metric.fields
    statistics = (fields.get("statistic"), fields.get("within"))
    if metric.source == "seeds":
        return degree_of_metric(metrics[fields["over_seeds"]], metrics)
    if metric.source == "expression":
        try:
            return degree(metric.expression.root, metrics) or 0
        except Mixed:
            return 1
    if metric.source == "accuracy" or "jain" in statistics:
        return 0
    if metric.source == "fairness":
        return int(fields["statistic"] == "time_to")
    if any(s in COUNTS for s in statistics):
        return 1
    if metric.source == "flows":
        return int(fields["of"] != "slowdown")
    if metric.source == "summary":
        return int(not any(is_relative(str(part)) for part in fields["summary"]))
    if metric.source == "file":
        column = str(fields["column"])
        return int(column not in RELATIVE_COLUMNS and not is_relative(column))
    return 1


def same(*degrees: Optional[int]) -> Optional[int]:
    """The degree of several that are added or compared; None (0, of any degree) goes with all."""
    known = {d for d in degrees if d is not None}
    if len(known) > 1:
        raise Mixed
    return known.pop() if known else None


def degree(node: ast.expr, metrics: Dict[str, Metric]) -> Optional[int]:
    """The degree of an expression; Mixed if it states an absolute number."""
    if isinstance(node, ast.Constant):
        return None if node.value == 0 else 0
    if isinstance(node, ast.UnaryOp):
        return degree(node.operand, metrics)
    if isinstance(node, ast.BinOp):
        left, right = degree(node.left, metrics), degree(node.right, metrics)
        if isinstance(node.op, (ast.Add, ast.Sub)):
            return same(left, right)
        left, right = left or 0, right or 0
        if isinstance(node.op, ast.Pow):
            return int(left * node.right.value) if isinstance(node.right, ast.Constant) else left
        return left + right if isinstance(node.op, ast.Mult) else left - right
    if isinstance(node, ast.BoolOp):
        for child in node.values:
            degree(child, metrics)
        return 0
    if isinstance(node, ast.Compare):
        same(*(degree(child, metrics) for child in [node.left, *node.comparators]))
        return 0
    if isinstance(node, ast.Call) and node.func.id in FUNCTIONS:
        found = same(*(degree(child, metrics) for child in node.args))
        return 0 if node.func.id in EFFECTS else found
    name = node.func.id if isinstance(node, ast.Call) else node.id
    return degree_of_metric(metrics[name], metrics)


def is_absolute(expression: Expression, metrics: Dict[str, Metric]) -> bool:
    """True if a claim with this expression states a number that has a unit, or is a count."""
    if not expression.references:
        return False  # computed, whatever was run
    try:
        return bool(degree(expression.root, metrics))
    except Mixed:
        return True
