# SPDX-License-Identifier: GPL-2.0-only
"""The small language of claims and derived metrics.

    reduction(inter_p99(transport='Reflex+Timely', load=0.7), inter_p99(transport=Timely, load=0.7))

A metric's name, with coordinates in parentheses, is its value at that point of the grid. Numbers,
+ - * / **, comparisons (also chained), and, or, not, and the functions below. Nothing else: an
expression cannot call Python.
"""

import ast
import math
import operator
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


# Name -> number of arguments (None: one or more), function, meaning.
FUNCTIONS: Dict[str, Tuple[Optional[int], Callable, str]] = {
    "reduction": (2, lambda new, base: 100 * _divide(base - new, base),
                  "by how many percent the first is lower than the second"),
    "change": (2, lambda new, base: 100 * _divide(new - base, base),
               "by how many percent the first is higher than the second"),
    "ratio": (2, _divide, "the first divided by the second"),
    "trend": (None, _trend, "rank correlation of the values with their order, from -1 (they fall) to 1 (they rise)"),
    "spread": (None, lambda *v: 100 * _divide(max(v) - min(v), math.fsum(v) / len(v)),
               "largest minus smallest, in percent of the mean"),
    "mean": (None, lambda *v: math.fsum(v) / len(v), "arithmetic mean"),
    "min": (None, lambda *v: min(v), "smallest"),
    "max": (None, lambda *v: max(v), "largest"),
    "abs": (1, abs, "absolute value"),
    "nearest": (None, lambda to, *v: min(v or (to,), key=lambda x: abs(x - to)),
                "of all but the first, the one that is nearest to the first"),
}

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: _divide, ast.Pow: _power}
COMPARE = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
           ast.Eq: operator.eq, ast.NotEq: operator.ne}
SYMBOL = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}

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


def depth(root: ast.AST) -> int:
    """How many nodes are in one another."""
    found, level = 0, [root]
    while level:
        found += 1
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    return found


def label_key(text: str):
    """The same for labels that are equal as text or as numbers: 0.30 is 0.3."""
    try:
        value = float(text)
    except ValueError:
        return text
    return value if math.isfinite(value) else text


def same_label(a: str, b: str) -> bool:
    """Labels are equal as text or as numbers."""
    return a == b or label_key(a) == label_key(b)


def _coordinate(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and not isinstance(node.value, bytes):
        return str(node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return "-" + _coordinate(node.operand)
    raise ValueError(f"coordinate '{ast.unparse(node)}', expected a word, number or 'quoted text'")


class Expression:
    """A parsed expression."""

    def __init__(self, text: str, metrics):
        """Parse; ValueError says what is wrong.

        @param metrics names that may be used
        """
        if len(text) > MAX_LENGTH:
            raise ValueError(f"an expression of {len(text)} characters, expected up to {MAX_LENGTH}")
        self.text = text
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # Python's doubts, such as "1if": refused
                self.root = ast.parse(text.strip(), mode="eval").body
            too_deep = depth(self.root) > MAX_DEPTH
        except (SyntaxError, ValueError, Warning) as error:
            raise ValueError(f"cannot parse '{text}': {getattr(error, 'msg', error)}") from None
        except (RecursionError, MemoryError):
            too_deep = True
        if too_deep:
            raise ValueError(f"an expression of more than {MAX_DEPTH} operations in one another")
        self.references: List[Reference] = []
        self.boolean = self._check(self.root, metrics)

    def _check(self, node: ast.expr, metrics) -> bool:
        """Check the tree and collect the references.

        @return True for an expression that is true or false
        """
        def each(children, truth: bool) -> None:
            for child in children:
                if self._check(child, metrics) != truth:
                    raise ValueError(f"'{ast.unparse(child)}' is " + ("a number, expected a comparison" if truth else
                                                                     "true or false, expected a number"))

        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            if abs(node.value) > LARGEST:
                raise ValueError(f"a number above {LARGEST:g}")
        elif isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            each([node.left, node.right], False)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
            each([node.operand], isinstance(node.op, ast.Not))
        elif isinstance(node, ast.BoolOp):
            each(node.values, True)
        elif isinstance(node, ast.Compare) and all(type(o) in COMPARE for o in node.ops):
            each([node.left, *node.comparators], False)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            count = FUNCTIONS[node.func.id][0]
            if node.keywords or not node.args or count not in (None, len(node.args)):
                raise ValueError(f"{node.func.id}() takes {count or 'one or more'} value(s)")
            each(node.args, False)
        elif isinstance(node, ast.Name) or isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            self.references.append(self._reference(node, metrics))
        else:
            raise ValueError(f"'{ast.unparse(node)}' is not part of the language of claims")
        return isinstance(node, (ast.BoolOp, ast.Compare)) or isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)

    @staticmethod
    def _reference(node: ast.expr, metrics) -> Reference:
        name, keywords = (node.func.id, node.keywords) if isinstance(node, ast.Call) else (node.id, [])
        if name not in metrics:
            raise ValueError(f"unknown metric or function '{name}', metrics are {', '.join(metrics)}; functions {', '.join(FUNCTIONS)}")
        if isinstance(node, ast.Call) and (node.args or any(k.arg is None for k in keywords)):
            raise ValueError(f"{name}(...): expected coordinates such as load=0.7")
        return Reference(name, {k.arg: _coordinate(k.value) for k in keywords})

    def at(self, coordinates: Dict[str, str]) -> str:
        """Its text, with these coordinates at every metric that does not give its own."""
        return ast.unparse(_Placed(coordinates).visit(ast.parse(self.text.strip(), mode="eval").body))

    def evaluate(self, lookup: Lookup):
        """The value; a number, or true or false.

        @param lookup gives a reference's value, or raises NotMeasured
        """
        return self._value(self.root, lookup)

    def is_reference(self) -> bool:
        """True for a metric at a point and nothing else."""
        return len(self.references) == 1 and (
            isinstance(self.root, ast.Name)
            or isinstance(self.root, ast.Call) and self.root.func.id not in FUNCTIONS)

    def difference(self, lookup: Lookup) -> Optional[float]:
        """The left side less the right one, if the whole is a single comparison."""
        node = self.root
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            return None
        return self._value(node.left, lookup) - self._value(node.comparators[0], lookup)

    @property
    def is_effect(self) -> bool:
        """Whether the whole says which of two metrics is larger, or of which sign an effect is:
        a comparison of metrics with metrics, with 0, or of a ratio with 1. Other numbers are
        limits."""
        node = self.root
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            return False
        sides = [node.left, node.comparators[0]]
        for side, other in (sides, sides[::-1]):
            if isinstance(side, ast.Constant):
                is_ratio = isinstance(other, ast.Call) and other.func.id == "ratio"
                return side.value == (1 if is_ratio else 0)
        return all(any(isinstance(n, ast.Name) and n.id not in FUNCTIONS for n in ast.walk(side)) for side in sides)

    def shown(self, lookup: Lookup) -> str:
        """A comparison with the values in it: 2 <= 3.1 <= 8, or several."""
        return self._shown(self.root, lookup)

    def _shown(self, node: ast.expr, lookup: Lookup) -> str:
        if isinstance(node, ast.BoolOp):
            sign = " and " if isinstance(node.op, ast.And) else " or "
            return sign.join(self._shown(child, lookup) for child in node.values)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"not ({self._shown(node.operand, lookup)})"
        text = f"{self._value(node.left, lookup):.4g}"
        for sign, child in zip(node.ops, node.comparators):
            text += f" {SYMBOL[type(sign)]} {self._value(child, lookup):.4g}"
        return text

    def _value(self, node: ast.expr, lookup: Lookup):
        if isinstance(node, ast.Constant):
            return float(node.value)
        if isinstance(node, ast.BinOp):
            return finite(BINARY[type(node.op)], self._value(node.left, lookup), self._value(node.right, lookup))
        if isinstance(node, ast.UnaryOp):
            value = self._value(node.operand, lookup)
            return -value if isinstance(node.op, ast.USub) else not value
        if isinstance(node, ast.BoolOp):
            # Every part is evaluated: a part that is not measured is not hidden by the others.
            values = [self._value(child, lookup) for child in node.values]
            return all(values) if isinstance(node.op, ast.And) else any(values)
        if isinstance(node, ast.Compare):
            values = [self._value(child, lookup) for child in [node.left] + node.comparators]
            return all(COMPARE[type(o)](a, b) for o, a, b in zip(node.ops, values, values[1:]))
        if isinstance(node, ast.Call) and node.func.id in FUNCTIONS:
            return finite(FUNCTIONS[node.func.id][1], *(self._value(a, lookup) for a in node.args))
        return lookup(self._reference(node, AnyName()))


class _Placed(ast.NodeTransformer):
    """Gives coordinates to metrics."""

    def __init__(self, coordinates: Dict[str, str]):
        self.coordinates = coordinates

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A metric without brackets."""
        return self.visit_Call(ast.Call(node, [], []))

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A function, or a metric."""
        if node.func.id in FUNCTIONS:
            node.args = [self.visit(argument) for argument in node.args]
            return node
        own = {keyword.arg for keyword in node.keywords}
        node.keywords += [ast.keyword(axis, ast.Constant(label))
                          for axis, label in self.coordinates.items() if axis not in own]
        return node


class AnyName:
    """Contains every name: the references were checked when the text was parsed."""

    def __contains__(self, name: str) -> bool:
        return True
