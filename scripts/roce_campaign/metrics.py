# SPDX-License-Identifier: GPL-2.0-only
"""Metrics: what an experiment measures of each run."""

from typing import Callable, Dict, List, NamedTuple, Optional

from .expression import FUNCTIONS, Expression
from .grid import read_selection
from .yamlread import Map, Text, fail, parse_after, parse_sizes, parse_time_ns, parsed, some

FLOW_UNITS = {"slowdown": "", "receiver_slowdown": "", "fct": "us", "receiver_fct": "us", "ideal_fct": "us",
              "goodput": "Gbit/s", "size": "B", "packets": "", "retransmitted": ""}
NO_UNIT = ("count", "jain", "peaks")  # statistics
# Key of a definition -> source.
SOURCES = {"of": "flows", "counter": "summary", "summary": "summary", "file": "file", "fairness": "fairness",
           "throughput": "throughput", "accuracy": "accuracy", "over_seeds": "seeds", "expression": "expression"}


def numbers(value) -> List[int]:
    """One or several whole numbers."""
    return [int(v) for v in some(value)]


# What the keys of a definition become, which goes into plans as JSON, in this order; None: see read_metric().
FIELDS: Dict[str, Optional[Callable]] = {
    "of": str, "summary": None, "absent": float, "file": None, "column": str, "where": dict, "elephants": int, "empty": float,
    "after": None, "after_share": None, "before": parse_time_ns, "weight": str, "group": str, "within": str, "passed_by": None,
    "until": str, "bin": parse_time_ns, "threshold": float, "hold": int, "scope": str, "size": lambda text: list(parse_sizes(text)), "class": numbers,
    "tag": numbers, "flows": int, "over_seeds": str, "expression": None, "statistic": str, "at": None, "scale": float}


class Metric(NamedTuple):
    """What is measured of each run."""

    name: str
    source: str  # flows, summary, file, fairness, throughput, accuracy, expression or seeds
    fields: Dict[str, object]  # the definition, of plain values (JSON)
    label: str
    unit: str
    pool: bool
    expression: Optional[Expression]

    def of_run(self) -> str:
        """The metric of single runs that this one is made of."""
        return str(self.fields.get("over_seeds", self.name))

    def per_run(self) -> bool:
        """True if it has a value for each run."""
        return not self.pool and self.source != "seeds"


def read_metrics(definitions: Map, axes: Dict[str, List[str]]) -> Dict[str, Metric]:
    """The metrics in order; a derived one may use those before it."""
    metrics: Dict[str, Metric] = {}
    for name, value in definitions.items():
        if name in FUNCTIONS:
            fail(name, f"metric '{name}' has the name of a function")
        metrics[str(name)] = read_metric(name, value, metrics, axes)
    return metrics


def read_metric(name: Text, value: Map, before: Dict[str, Metric], axes: Dict[str, List[str]]) -> Metric:
    """One definition, which is as the schema has it."""
    what = f"metric {name}"
    key = next(s for s in SOURCES if s in value)
    source = SOURCES[key]
    plain: Dict[str, object] = {}
    expression = None
    if key == "counter":
        plain["summary"] = ["counters", str(value[key])]
    elif key == "summary":
        plain["summary"] = value[key].split(".")
    elif source in ("file", "fairness", "throughput", "accuracy"):
        plain["file"] = str(value[key])
    elif source == "expression":
        expression = read_expression(value[key], before, what)
        plain["expression"] = expression.text
    elif source == "seeds":
        known = [n for n, m in before.items() if m.per_run()]
        if value[key] not in known:
            fail(value[key], f"{what}: '{value[key]}', expected one of {', '.join(known)}")
        plain.update({k: v for k, v in before[value[key]].fields.items() if k == "at"})
    plain.update({f: convert(value[f]) for f, convert in FIELDS.items() if convert and f in value})
    if source == "file":
        plain.setdefault("where", {})
    if "after" in value:
        plain.update(parse_after(value["after"]))
    if "passed_by" in value:
        plain["passed_by"] = {k: FIELDS[k](v) for k, v in value["passed_by"].items()}
    if "at" in value:
        plain["at"] = read_selection(value["at"], axes, f"{what}: at")
    plain = {f: plain[f] for f in FIELDS if f in plain}
    unit = value.get("unit", unit_of(source, plain, before))
    return Metric(str(name), source, plain, str(value.get("label", name.replace("_", " "))), str(unit), value.get("pool") == "true",
                  expression)


def read_expression(text: Text, before: Dict[str, Metric], what: str) -> Expression:
    """A number made of metrics of the same run."""
    expression = parsed(text, lambda t: Expression(t, before), what)
    if expression.boolean or any(r.coordinates for r in expression.references):
        fail(text, f"{what}: expected a number from metrics of the same run")
    for name in (r.metric for r in expression.references if not before[r.metric].per_run()):
        fail(text, f"{what}: {name} has no value per run")
    return expression


def unit_of(source: str, plain: Dict[str, object], before: Dict[str, Metric]) -> str:
    """The unit of a metric that names none."""
    statistic = plain.get("statistic")
    if "scale" in plain or statistic in NO_UNIT:
        return ""
    if source == "seeds":
        return before[plain["over_seeds"]].unit
    if source == "fairness":
        return "us" if statistic == "time_to" else ""
    return "Gbit/s" if source == "throughput" else FLOW_UNITS.get(str(plain.get("of")), "")
