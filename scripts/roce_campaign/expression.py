# SPDX-License-Identifier: GPL-2.0-only
"""The small language of claims and derived metrics.

    reduction(inter_p99(transport='Reflex+Timely', load=0.7), inter_p99(transport=Timely, load=0.7))

A metric's name, with coordinates in parentheses, is its value at that point of the grid. Numbers, + - * / **, comparisons (also
chained), and, or, not, and the functions below. Nothing else: an expression cannot call Python.
"""

import ast
import math
import operator
import re
import warnings
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

MAX_LENGTH = 10_000  # characters
MAX_DEPTH = 100
LARGEST = 1e100  # number

Coordinates = Dict[str, str]


class NotMeasured(Exception):
    """A value that is needed is not there; the message says which."""


class Reference(NamedTuple):
    """A metric at a point, as far as the expression gives its coordinates."""

    metric: str
    coordinates: Coordinates

    def __hash__(self):
        return hash((self.metric, frozenset(self.coordinates.items())))


def _divide(a: float, b: float) -> float:
    if b == 0:
        raise NotMeasured("division by zero")
    return a / b


def _power(a: float, b: float) -> float:
    try:
        value = float(a)**b  # of large integers there would be no end
    except (ZeroDivisionError, OverflowError):
        value = math.nan
    if isinstance(value, complex) or not math.isfinite(value):
        raise NotMeasured(f"{a:g} ** {b:g}")
    return value


def _trend(*values: float) -> float:
    """Spearman's rank correlation of the values with their order; those that are equal share their ranks."""
    n = len(values)
    ranks = [sum(w < v for w in values) + sum(w == v for w in values) / 2 for v in values]
    top = math.fsum((r - n / 2) * (i + 0.5 - n / 2) for i, r in enumerate(ranks))
    squares = math.fsum((r - n / 2) ** 2 for r in ranks)
    return _divide(top, math.sqrt(squares * n * (n * n - 1) / 12))


# Name -> number of arguments (None: one or more), function.
FUNCTIONS: Dict[str, Tuple[Optional[int], Callable]] = {
    "reduction": (2, lambda new, base: 100 * _divide(base - new, base)),  # by how many percent the first is lower
    "change": (2, lambda new, base: 100 * _divide(new - base, base)),  # by how many percent the first is higher
    "ratio": (2, _divide),
    "trend": (None, _trend),
    "spread": (None, lambda *v: 100 * _divide(max(v) - min(v), math.fsum(v) / len(v))),  # in percent of the mean
    "mean": (None, lambda *v: math.fsum(v) / len(v)),
    "min": (None, lambda *v: min(v)),
    "max": (None, lambda *v: max(v)),
    "abs": (1, abs),
    "nearest": (None, lambda to, *v: min(v or (to,), key=lambda x: abs(x - to))),  # of all but the first, the nearest to the first
}
EFFECTS = ("reduction", "change", "ratio", "trend", "spread")  # have no unit, if what they compare has the same

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: _divide, ast.Pow: _power}
COMPARE = {ast.Lt: ("<", operator.lt), ast.LtE: ("<=", operator.le), ast.Gt: (">", operator.gt), ast.GtE: (">=", operator.ge),
           ast.Eq: ("==", operator.eq), ast.NotEq: ("!=", operator.ne)}

Lookup = Callable[[Reference], float]


def finite(function: Callable, *values: float) -> float:
    """The function's value, NotMeasured if it is too large for a number."""
    try:
        found = function(*values)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise NotMeasured("a number without limit")
    return found


def label_key(text: str):
    """The same for labels that are equal as text or as numbers: 0.30 is 0.3."""
    try:
        value = float(text)
    except ValueError:
        return text
    return value if math.isfinite(value) else text


def _coordinate(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and not isinstance(node.value, bytes):
        return str(node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return "-" + _coordinate(node.operand)
    raise ValueError(f"coordinate '{ast.unparse(node)}', expected a word, number or 'quoted text'")


def _reference(node: ast.expr, metrics=None) -> Reference:
    """The metric of a node. @param metrics names that may be used, None once that was checked"""
    name, keywords = (node.func.id, node.keywords) if isinstance(node, ast.Call) else (node.id, [])
    if metrics is not None and name not in metrics:
        raise ValueError(f"unknown metric or function '{name}', metrics are {', '.join(metrics)}; functions {', '.join(FUNCTIONS)}")
    if isinstance(node, ast.Call) and (node.args or any(k.arg is None for k in keywords)):
        raise ValueError(f"{name}(...): expected coordinates such as load=0.7")
    return Reference(name, {k.arg: _coordinate(k.value) for k in keywords})


class Expression:
    """A parsed expression."""

    def __init__(self, text: str, metrics):
        """Parse; ValueError says what is wrong. @param metrics names that may be used"""
        if len(text) > MAX_LENGTH:
            raise ValueError(f"an expression of {len(text)} characters, expected up to {MAX_LENGTH}")
        self.text = text
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # Python's doubts, such as "1if": refused
                self.root = ast.parse(text.strip(), mode="eval").body
            depth, level = 0, [self.root]
            while level:
                depth, level = depth + 1, [child for node in level for child in ast.iter_child_nodes(node)]
        except (SyntaxError, ValueError, Warning) as error:
            raise ValueError(f"cannot parse '{text}': {getattr(error, 'msg', error)}") from None
        except (RecursionError, MemoryError):
            depth = MAX_DEPTH + 1
        if depth > MAX_DEPTH:
            raise ValueError(f"an expression of more than {MAX_DEPTH} operations in one another")
        self.references: List[Reference] = []
        self.boolean = self._check(self.root, metrics)

    def _check(self, node: ast.expr, metrics) -> bool:
        """Check the tree and collect the references. @return True for an expression that is true or false"""
        truth, children = False, []
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            if abs(node.value) > LARGEST:
                raise ValueError(f"a number above {LARGEST:g}")
        elif isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            children = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
            truth, children = isinstance(node.op, ast.Not), [node.operand]
        elif isinstance(node, ast.BoolOp):
            truth, children = True, node.values
        elif isinstance(node, ast.Compare) and all(type(o) in COMPARE for o in node.ops):
            children = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            count, children = FUNCTIONS[node.func.id][0], node.args
            if node.keywords or not node.args or count not in (None, len(node.args)):
                raise ValueError(f"{node.func.id}() takes {count or 'one or more'} value(s)")
        elif isinstance(node, ast.Name) or isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            self.references.append(_reference(node, metrics))
        else:
            raise ValueError(f"'{ast.unparse(node)}' is not part of the language of claims")
        for child in children:
            if self._check(child, metrics) != truth:
                raise ValueError(f"'{ast.unparse(child)}' is " + ("a number, expected a comparison" if truth else
                                                                 "true or false, expected a number"))
        return truth or isinstance(node, ast.Compare)

    def at(self, coordinates: Dict[str, str]) -> str:
        """Its text, with these coordinates at every metric that does not give its own."""
        def placed(node: ast.expr) -> ast.expr:
            for name, field in ast.iter_fields(node):
                if isinstance(field, list):
                    setattr(node, name, [placed(f) if isinstance(f, ast.expr) else f for f in field])
                elif isinstance(field, ast.expr) and not (isinstance(node, ast.Call) and name == "func"):
                    setattr(node, name, placed(field))
            if not isinstance(node, (ast.Name, ast.Call)) or isinstance(node, ast.Call) and node.func.id in FUNCTIONS:
                return node
            call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
            own = {keyword.arg for keyword in call.keywords}
            call.keywords += [ast.keyword(axis, ast.Constant(label)) for axis, label in coordinates.items() if axis not in own]
            return call

        return ast.unparse(placed(ast.parse(self.text.strip(), mode="eval").body))

    def evaluate(self, lookup: Lookup):
        """The value; a number, or true or false. @param lookup gives a reference's value, or raises NotMeasured"""
        return self._value(self.root, lookup)

    def is_reference(self) -> bool:
        """True for a metric at a point and nothing else."""
        root = self.root
        return isinstance(root, ast.Name) or isinstance(root, ast.Call) and root.func.id not in FUNCTIONS

    def difference(self, lookup: Lookup) -> Optional[float]:
        """The left side less the right one, if the whole is a single comparison."""
        node = self.root
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return None
        return self._value(node.left, lookup) - self._value(node.comparators[0], lookup)

    @property
    def is_effect(self) -> bool:
        """Whether the whole says which of two metrics is larger, or of which sign an effect is: a comparison of metrics with
        metrics, with 0, or of a ratio with 1. Other numbers are limits."""
        node = self.root
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return False
        sides = [node.left, node.comparators[0]]
        for side, other in (sides, sides[::-1]):
            if isinstance(side, ast.Constant):
                return side.value == (1 if isinstance(other, ast.Call) and other.func.id == "ratio" else 0)
        return all(any(isinstance(n, ast.Name) and n.id not in FUNCTIONS for n in ast.walk(side)) for side in sides)

    def shown(self, lookup: Lookup, node: Optional[ast.expr] = None) -> str:
        """A comparison with the values in it: 2 <= 3.1 <= 8, or several."""
        node = node or self.root
        if isinstance(node, ast.BoolOp):
            return (" and " if isinstance(node.op, ast.And) else " or ").join(self.shown(lookup, child) for child in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"not ({self.shown(lookup, node.operand)})"
        return f"{self._value(node.left, lookup):.4g}" + "".join(
            f" {COMPARE[type(sign)][0]} {self._value(child, lookup):.4g}" for sign, child in zip(node.ops, node.comparators))

    def _value(self, node: ast.expr, lookup: Lookup):
        def values(nodes) -> list:
            return [self._value(child, lookup) for child in nodes]

        if isinstance(node, ast.Constant):
            return float(node.value)
        if isinstance(node, ast.BinOp):
            return finite(BINARY[type(node.op)], *values([node.left, node.right]))
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, lookup)
            return -value if isinstance(node.op, ast.USub) else not value
        if isinstance(node, ast.BoolOp):
            # Every part is evaluated: a part that is not measured is not hidden by the others.
            return (all if isinstance(node.op, ast.And) else any)(values(node.values))
        if isinstance(node, ast.Compare):
            found = values([node.left, *node.comparators])
            return all(COMPARE[type(o)][1](a, b) for o, a, b in zip(node.ops, found, found[1:]))
        if isinstance(node, ast.Call) and node.func.id in FUNCTIONS:
            return finite(FUNCTIONS[node.func.id][1], *values(node.args))
        return lookup(_reference(node))


# ---------------------------------------------------------------------------------- absolute numbers
#
# "all_mean <= 1.35 * 687195" (us) cannot fail where messages are a quarter as large; ratios of metrics, slowdowns, shares and comparisons
# with 0 mean the same in every size. Metrics have degree 1 if they grow with the unit that they are counted in, else 0, and an
# expression states an absolute number where it adds or compares what is of different degrees.

RELATIVE_WORDS = ("ratio", "slowdown", "share", "utilisation", "fraction")
RELATIVE_COLUMNS = ("utility", "o_tp", "o_rtt", "o_pfc", "r_elephants")  # of tuning.csv


class Mixed(Exception):
    """What has a unit is added to, or compared with, a plain number."""


def is_relative(name: str) -> bool:
    """True for the name of a share or an index, such as bottleneck_utilisation; "duration" is none."""
    return any(word.lower() in RELATIVE_WORDS for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", name))


def degree_of_metric(metric, metrics) -> int:
    """1 of a number with a unit or a count, 0 of a share or an index."""
    fields, source = metric.fields, metric.source
    statistics = {fields.get("statistic"), fields.get("within")}
    if source == "seeds":
        return degree_of_metric(metrics[fields["over_seeds"]], metrics)
    if source == "expression":
        try:
            return degree(metric.expression.root, metrics) or 0
        except Mixed:
            return 1
    if source == "accuracy" or "jain" in statistics:
        return 0
    if source == "fairness":
        return int(fields["statistic"] == "time_to")
    if statistics & {"sum", "count", "peaks"}:
        return 1
    if source == "flows":
        return int(fields["of"] != "slowdown")
    names = [str(part) for part in fields["summary"]] if source == "summary" else [str(fields["column"])] if source == "file" else []
    return int(not any(is_relative(name) or source == "file" and name in RELATIVE_COLUMNS for name in names))


def degree(node: ast.expr, metrics) -> Optional[int]:
    """The degree of an expression, None (0, of any degree) goes with all; Mixed if it states an absolute number."""
    def same(nodes) -> Optional[int]:
        known = {d for d in (degree(child, metrics) for child in nodes) if d is not None}
        if len(known) > 1:
            raise Mixed
        return known.pop() if known else None

    if isinstance(node, ast.Constant):
        return None if node.value == 0 else 0
    if isinstance(node, ast.UnaryOp):
        return degree(node.operand, metrics)
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, (ast.Add, ast.Sub)):
            return same([node.left, node.right])
        left, right = degree(node.left, metrics) or 0, degree(node.right, metrics) or 0
        if isinstance(node.op, ast.Pow):
            return int(left * node.right.value) if isinstance(node.right, ast.Constant) else left
        return left + right if isinstance(node.op, ast.Mult) else left - right
    if isinstance(node, ast.BoolOp):
        for child in node.values:
            degree(child, metrics)
        return 0
    if isinstance(node, ast.Compare):
        same([node.left, *node.comparators])
        return 0
    if isinstance(node, ast.Call) and node.func.id in FUNCTIONS:
        found = same(node.args)
        return 0 if node.func.id in EFFECTS else found
    return degree_of_metric(metrics[_reference(node).metric], metrics)


def is_absolute(expression: Expression, metrics) -> bool:
    """True if a claim with this expression states a number that has a unit, or is a count. @param metrics definitions by name"""
    try:
        return bool(expression.references) and bool(degree(expression.root, metrics))
    except Mixed:
        return True
