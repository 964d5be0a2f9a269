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

FAIRNESS_STATISTICS = ("time_to", "share_below", "mean", "min")

FLOWS = ("scope", "size", "class", "tag")
RATES = FLOWS + ("where", "after", "before", "until")
SOURCES = {
    "of": ("statistic", "pool") + FLOWS,
    "counter": ("absent",),
    "summary": (),
    "file": ("column", "statistic", "where", "after", "before", "weight", "group", "within",
             "passed_by"),
    "fairness": ("statistic", "bin", "threshold", "hold") + RATES,
    "throughput": ("statistic",) + RATES,
    "accuracy": ("column", "elephants", "empty", "after", "before"),
    "over_seeds": ("statistic",),
    "expression": (),
}


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


def parse_statistic(text: str) -> str:
    """Check a statistic's name."""
    match = re.fullmatch(r"p(\d{1,3}(?:\.\d{1,4})?)", text)
    good = 0 < float(match[1]) <= 100 if match else text in PLAIN_STATISTICS
    if not good:
        raise ValueError(f"statistic '{text}', expected {STATISTICS}")
    return text


def parse_condition(text: str) -> str:
    """Check what a column must be: a text with wildcards, or >5e6."""
    if text[:1] in ("<", ">"):
        try:
            float(text[1:])
        except ValueError:
            raise ValueError(f"'{text}', expected a number behind {text[0]}") from None
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
    needed = {"file": ("column", "statistic"), "fairness": ("bin", "statistic"),
              "accuracy": ("column", "elephants")}.get(
        source, ("statistic",) if "statistic" in own else ())
    fields = value.fields(what, own + ("at", "label", "unit", "scale"), needed)
    plain: Dict[str, object] = {}
    unit, pool, expression = "", False, None
    if source == "of":
        plain["of"] = fields["of"].one_of(what, tuple(FLOW_VALUES))
        unit = FLOW_VALUES[plain["of"]]
        plain.update(read_flow_fields(fields, what))
        pool = "pool" in fields and fields["pool"].flag(f"{what}: pool")
    elif source == "counter":
        plain["summary"] = ["counters", fields["counter"].text(what)]
        if "absent" in fields:
            plain["absent"] = fields["absent"].number(f"{what}: absent")
    elif source == "summary":
        plain["summary"] = fields["summary"].text(what).split(".")
    elif source == "file":
        plain = read_file_fields(fields, what)
    elif source == "accuracy":
        plain = read_accuracy_fields(fields, what)
    elif source in ("fairness", "throughput"):
        plain = {**read_rates_fields(fields, source, what), **read_flow_fields(fields, what)}
        unit = {"fairness": "us" if plain.get("statistic") == "time_to" else ""}.get(source, "Gbit/s")
    elif source == "over_seeds":
        base = before[fields["over_seeds"].one_of(what, [n for n, m in before.items()
                                                         if m.per_run()])]
        plain = {"over_seeds": base.name, **({"at": base.fields["at"]} if "at" in base.fields else {})}
        unit = base.unit
    else:
        expression = fields["expression"].parsed(what, lambda t: Expression(t, before))
        if expression.boolean or any(r.coordinates for r in expression.references):
            fields["expression"].fail(f"{what}: expected a number from metrics of the same run")
        for name in (r.metric for r in expression.references if not before[r.metric].per_run()):
            fields["expression"].fail(f"{what}: {name} has no value per run")
        plain["expression"] = expression.text
    if "statistic" in fields and "statistic" not in plain:
        peaks = source == "file" and fields["statistic"].text(what) == "peaks"
        plain["statistic"] = "peaks" if peaks else fields["statistic"].parsed(what, parse_statistic)
        if plain["statistic"] in ("count", "jain", "peaks"):
            unit = ""
        if plain.get("weight") == "time" and plain["statistic"] in ("sum", "count", "jain", "peaks"):
            fields["statistic"].fail(f"{what}: weight: time gives no {plain['statistic']}")
    if "at" in fields:
        plain["at"] = read_selection(fields["at"], axes, f"{what}: at")
    if "scale" in fields:
        plain["scale"] = fields["scale"].number(f"{what}: scale")
        unit = ""
    label = fields["label"].short(f"{what}: label") if "label" in fields else name.replace("_", " ")
    unit = fields["unit"].short(f"{what}: unit") if "unit" in fields else unit
    kind = {"of": "flows", "counter": "summary", "over_seeds": "seeds"}.get(source, source)
    return Metric(name, kind, plain, label, unit, pool, expression)


def read_flow_fields(fields: Dict[str, Value], what: str) -> Dict[str, object]:
    """Which flows a metric is of."""
    plain: Dict[str, object] = {}
    if "scope" in fields:
        plain["scope"] = fields["scope"].one_of(f"{what}: scope", rr.SCOPES)
    if "size" in fields:
        size = fields["size"].parsed(f"{what}: size", SizeRange.parse)
        plain["size"] = [size.low, size.high]
    for column in ("class", "tag"):
        if column in fields:
            plain[column] = [v.whole(f"{what}: {column}", 0)
                             for v in fields[column].items_or_one(column)]
    return plain


def read_rates_fields(fields: Dict[str, Value], source: str, what: str) -> Dict[str, object]:
    """What is particular to the flows' progress over time."""
    plain: Dict[str, object] = {"file": read_file_name(fields[source], what)}
    if "where" in fields:
        plain["where"] = {k.one_of(f"{what}: where", ("flow", "src", "dst")):
                          v.parsed(f"{what}: where", parse_condition)
                          for k, v in fields["where"].pairs(what)}
    if "after" in fields:
        share = re.fullmatch(r"(\d{1,2}(?:\.\d*)?)\s*%", fields["after"].text(what))
        plain["after_share" if share else "after"] = float(share[1]) / 100 if share else \
            fields["after"].parsed(f"{what}: after", yamlread.parse_time_ns)
    if "before" in fields:
        plain["before"] = fields["before"].parsed(f"{what}: before", yamlread.parse_time_ns)
    if "until" in fields:
        plain["until"] = fields["until"].one_of(f"{what}: until", ("first_done",))
    if source == "fairness":
        plain.update(read_fairness_fields(fields, what))
    return plain


def read_fairness_fields(fields: Dict[str, Value], what: str) -> Dict[str, object]:
    """What is particular to Jain's index over time."""
    statistic = fields["statistic"].one_of(f"{what}: statistic", FAIRNESS_STATISTICS)
    plain: Dict[str, object] = {"statistic": statistic}
    plain["bin"] = fields["bin"].parsed(f"{what}: bin", yamlread.parse_time_ns)
    if plain["bin"] <= 0:
        fields["bin"].fail(f"{what}: bin, expected more than 0")
    limited = statistic in ("time_to", "share_below")
    if limited != ("threshold" in fields):
        fields["statistic"].fail(f"{what}: threshold: goes with statistic time_to or share_below")
    if limited:
        plain["threshold"] = fields["threshold"].number(f"{what}: threshold")
        if not 0 < plain["threshold"] <= 1:
            fields["threshold"].fail(f"{what}: threshold, expected more than 0 and up to 1")
    if "hold" in fields:
        plain["hold"] = fields["hold"].whole(f"{what}: hold", 1, 1_000_000)
        if statistic != "time_to":
            fields["hold"].fail(f"{what}: hold: goes with statistic time_to")
    return plain


def read_accuracy_fields(fields: Dict[str, Value], what: str) -> Dict[str, object]:
    """What is particular to what a tuner knows of the mix of flows."""
    plain: Dict[str, object] = {"file": read_file_name(fields["accuracy"], what),
                                "column": fields["column"].text(what),
                                "elephants": fields["elephants"].whole(f"{what}: elephants", 1)}
    if "empty" in fields:
        plain["empty"] = fields["empty"].number(f"{what}: empty")
    for limit in ("after", "before"):
        if limit in fields:
            plain[limit] = fields[limit].parsed(f"{what}: {limit}", yamlread.parse_time_ns)
    return plain


def read_file_name(value: Value, what: str) -> str:
    """A file of the run's folder."""
    name = value.short(what)
    if os.path.basename(name) != name or name in (".", ".."):
        value.fail(f"{what}: expected the name of a file in the run's folder")
    return name


def read_file_fields(fields: Dict[str, Value], what: str) -> Dict[str, object]:
    """What is particular to a column of a CSV file."""
    plain: Dict[str, object] = {"file": read_file_name(fields["file"], what)}
    plain["column"] = fields["column"].text(what)
    plain["where"] = {k.node.value: v.parsed(f"{what}: where", parse_condition)
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
    if "passed_by" in fields:
        if plain.get("group") != "node":
            fields["passed_by"].fail(f"{what}: passed_by: chooses leaf switches, add group: node")
        chosen = fields["passed_by"].fields(f"{what}: passed_by", ("flows",) + FLOWS, ("flows",))
        plain["passed_by"] = {"flows": chosen["flows"].whole(f"{what}: passed_by: flows", 0),
                            **read_flow_fields(chosen, f"{what}: passed_by")}
    return plain
