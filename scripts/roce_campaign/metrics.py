# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Metrics: what an experiment measures of each run."""

import os
import re
from typing import Dict, List, NamedTuple, Optional, Tuple

import roce_results as rr

from . import yamlread
from .expression import FUNCTIONS, Expression
from .grid import read_selection
from .yamlread import SizeRange, Value

FLOW_VALUES = {"slowdown": "", "fct": "us", "receiver_fct": "us", "ideal_fct": "us",
               "goodput": "Gbit/s", "size": "B", "packets": "", "retransmitted": ""}
PLAIN_STATISTICS = ("mean", "min", "max", "sum", "count", "jain")
STATISTICS = f"{', '.join(PLAIN_STATISTICS)} or a percentile such as p99 or p99.9"

SOURCES = {
    "of": ("statistic", "scope", "size", "class", "tag", "pool"),
    "counter": (),
    "summary": (),
    "file": ("column", "statistic", "where", "after", "before", "weight", "group", "within"),
    "expression": (),
}


class Metric(NamedTuple):
    """What is measured of each run."""

    name: str
    source: str  # flows, counter, summary, file or expression
    fields: Dict[str, object]  # the definition, of plain values (JSON)
    label: str
    unit: str
    pool: bool
    expression: Optional[Expression]


def parse_statistic(text: str) -> str:
    """Check a statistic's name."""
    match = re.fullmatch(r"p(\d{1,3}(?:\.\d{1,4})?)", text)
    good = 0 < float(match[1]) <= 100 if match else text in PLAIN_STATISTICS
    if not good:
        raise ValueError(f"statistic '{text}', expected {STATISTICS}")
    return text


def read_metrics(pairs: List[Tuple[Value, Value]], axes: Dict[str, List[str]]
                 ) -> Dict[str, Metric]:
    """The metrics in order; a derived one may use those before it."""
    metrics: Dict[str, Metric] = {}
    for key, value in pairs:
        name = key.name("metric")
        if name in FUNCTIONS:
            key.fail(f"metric '{name}' has the name of a function")
        metrics[name] = read_metric(name, value, metrics, axes)
    return metrics


def read_metric(name: str, value: Value, before: Dict[str, Metric],
                axes: Dict[str, List[str]]) -> Metric:
    """One definition."""
    what = f"metric {name}"
    keys = [k.node.value for k, _ in value.pairs(what)]
    chosen = [s for s in SOURCES if s in keys]
    if len(chosen) != 1:
        value.fail(f"{what}: expected exactly one of {', '.join(SOURCES)}")
    source = chosen[0]
    own = (source,) + SOURCES[source]
    needed = {"of": ("statistic",), "file": ("column", "statistic")}.get(source, ())
    fields = value.fields(what, own + ("at", "label", "unit", "scale"), needed)
    plain: Dict[str, object] = {}
    unit, pool, expression = "", False, None
    if source == "of":
        plain["of"] = fields["of"].one_of(what, tuple(FLOW_VALUES))
        unit = FLOW_VALUES[plain["of"]]
        if "scope" in fields:
            plain["scope"] = fields["scope"].one_of(f"{what}: scope", rr.SCOPES)
        if "size" in fields:
            size = fields["size"].parsed(f"{what}: size", SizeRange.parse)
            plain["size"] = [size.low, size.high]
        for column in ("class", "tag"):
            if column in fields:
                plain[column] = [v.whole(f"{what}: {column}", 0)
                                 for v in fields[column].items_or_one(column)]
        pool = "pool" in fields and fields["pool"].flag(f"{what}: pool")
    elif source == "counter":
        plain["summary"] = ["counters", fields["counter"].text(what)]
    elif source == "summary":
        plain["summary"] = fields["summary"].text(what).split(".")
    elif source == "file":
        plain = read_file_fields(fields, what)
    else:
        expression = fields["expression"].parsed(what, lambda t: Expression(t, before))
        if expression.boolean or any(r.coordinates for r in expression.references):
            fields["expression"].fail(f"{what}: expected a number from metrics of the same run")
        if any(before[r.metric].pool for r in expression.references):
            fields["expression"].fail(f"{what}: uses a pooled metric, which has no value per run")
        plain["expression"] = expression.text
    if "statistic" in fields:
        plain["statistic"] = fields["statistic"].parsed(what, parse_statistic)
        if plain["statistic"] in ("count", "jain"):
            unit = ""
        if plain.get("weight") == "time" and plain["statistic"] in ("sum", "count", "jain"):
            fields["statistic"].fail(f"{what}: weight: time gives no {plain['statistic']}")
    if "at" in fields:
        plain["at"] = read_selection(fields["at"], axes, f"{what}: at")
    if "scale" in fields:
        plain["scale"] = fields["scale"].number(f"{what}: scale")
        unit = ""
    label = fields["label"].text(what) if "label" in fields else name.replace("_", " ")
    unit = fields["unit"].text(what) if "unit" in fields else unit
    kind = {"of": "flows", "counter": "summary"}.get(source, source)
    return Metric(name, kind, plain, label, unit, pool, expression)


def read_file_fields(fields: Dict[str, Value], what: str) -> Dict[str, object]:
    """What is particular to a column of a CSV file."""
    plain: Dict[str, object] = {"file": fields["file"].text(what)}
    if os.path.basename(plain["file"]) != plain["file"]:
        fields["file"].fail(f"{what}: expected the name of a file in the run's folder")
    plain["column"] = fields["column"].text(what)
    plain["where"] = {k.node.value: v.text(what)
                      for k, v in (fields["where"].pairs(what) if "where" in fields else [])}
    for limit in ("after", "before"):
        if limit in fields:
            plain[limit] = fields[limit].parsed(f"{what}: {limit}", yamlread.parse_time_ns)
    if "weight" in fields:
        plain["weight"] = fields["weight"].one_of(f"{what}: weight", ("rows", "time"))
    if "group" in fields:
        plain["group"] = fields["group"].text(f"{what}: group")
        if "weight" in fields:
            fields["weight"].fail(f"{what}: group: takes rows, without weight:")
    if "within" in fields:
        plain["within"] = fields["within"].parsed(f"{what}: within", parse_statistic)
        if "group" not in fields:
            fields["within"].fail(f"{what}: within: is a statistic of each group, add group:")
    return plain
