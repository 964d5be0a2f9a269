# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Plots: which figures an experiment asks for."""

from typing import Dict, List, NamedTuple

from .grid import read_where
from .metrics import Metric
from .yamlread import Value

PLOTS = {"lines": (("metric", "x"), ("series", "where", "each", "title", "log")),
         "bars": (("metric", "x"), ("series", "where", "each", "title", "log")),
         "slowdown-by-size": ((), ("series", "where", "each", "title")),
         "fct-cdf": ((), ("series", "where", "each", "title")),
         "queues": ((), ("series", "where", "each", "title", "top"))}


class Plot(NamedTuple):
    """A figure."""

    kind: str
    fields: Dict[str, object]
    place: str


def read_plot(value: Value, metrics: Dict[str, Metric], axes: Dict[str, List[str]]) -> Plot:
    """One figure."""
    keys = {k.node.value: v for k, v in value.pairs("plot")}
    if "kind" not in keys:
        value.fail("plot: 'kind' is missing")
    kind = keys["kind"].one_of("plot kind", tuple(PLOTS))
    required, optional = PLOTS[kind]
    fields = value.fields(f"plot {kind}", ("kind",) + required + optional, required)
    plain: Dict[str, object] = {}
    for name, field in fields.items():
        if name == "metric":
            plain[name] = [m.one_of("plot: metric", tuple(metrics))
                           for m in field.items_or_one("metric")]
        elif name in ("x", "series", "each"):
            names = [field] if name == "x" else field.items_or_one(name)
            plain[name] = [f.one_of(f"plot: {name}", tuple(axes)) for f in names]
        elif name == "where":
            plain[name] = read_where(field, axes, "plot: where")
        elif name == "log":
            plain[name] = field.flag("plot: log")
        elif name == "top":
            plain[name] = field.whole("plot: top", 1, 20)
        elif name == "title":
            plain[name] = field.text("title")
    return Plot(kind, plain, f"{value.file}:{value.line}")
