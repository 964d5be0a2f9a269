# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Plots: which figures an experiment asks for."""

from typing import Dict, List, NamedTuple, Sequence

from . import yamlread
from .claims import Claims
from .grid import read_selection, read_where
from .yamlread import Value

PLOTS = {"lines": (("metric", "x"), ("series", "panel", "where", "each", "title", "log")),
         "bars": (("metric", "x"), ("series", "panel", "where", "each", "title", "log", "reported")),
         "effects": (("value", "rows"), ("series", "at", "title", "label", "log")),
         "effect-table": (("value", "rows"), ("series", "at", "title")),
         "claims": ((), ("ids", "title")),
         "slowdown-by-size": ((), ("series", "where", "each", "title")),
         "fct-cdf": ((), ("series", "where", "each", "title")),
         "queues": ((), ("series", "panel", "where", "each", "title", "top", "ports")),
         "rates": ((), ("series", "panel", "where", "each", "title", "fair", "bin")),
         "tuning": ((), ("series", "where", "each", "title")),
         "box": (("metric", "x"), ("panel", "where", "each", "title", "log")),
         "ranks": (("metric", "rows", "series"), ("where", "each", "title")),
         "best": (("metric", "rows", "series"), ("where", "each", "title")),
         "scatter": (("metric", "series"), ("panel", "where", "each", "title")),
         "rank-table": (("metric", "rows", "series"), ("where", "each", "title")),
         "table": (("metric", "rows"), ("where", "each", "title"))}
EFFECTS = ("effects", "effect-table")  # of expressions
ONE_ROWS_AXIS = EFFECTS + ("ranks", "best", "rank-table")
ONE_SERIES_AXIS = ("ranks", "best", "scatter", "rank-table")


class Plot(NamedTuple):
    """A figure. Of EFFECTS, fields["value"] is a list of (title, cases)."""

    kind: str
    fields: Dict[str, object]
    place: str


def read_plot(value: Value, reader: Claims, known_axes: Sequence[str], claims: List[str]) -> Plot:
    """One figure.

    @param known_axes those of this size; another size may have more
    @param claims ids of the experiment's claims
    """
    keys = {k.node.value: v for k, v in value.pairs("plot")}
    if "kind" not in keys:
        value.fail("plot: 'kind' is missing")
    kind = keys["kind"].one_of("plot kind", tuple(PLOTS))
    required, optional = PLOTS[kind]
    fields = value.fields(f"plot {kind}", ("kind",) + required + optional, required)
    metrics = [n for n, d in reader.metrics.items() if kind != "box" or d.per_run()]
    single = ("x", "panel") + ("rows",) * (kind in ONE_ROWS_AXIS) + ("series",) * (kind in ONE_SERIES_AXIS)
    read = {"metric": lambda field: [m.one_of("plot: metric", metrics) for m in field.items_or_one("metric")],
            "where": lambda field: read_selection(field, reader.axes, "plot: where"),
            "at": lambda field: read_where(field, reader.axes, "plot: at"),
            "ids": lambda field: [i.one_of("plot: ids", claims) for i in field.items("ids")],
            "log": lambda field: field.flag("plot: log"), "reported": lambda field: field.flag("plot: reported"),
            "top": lambda field: field.whole("plot: top", 1, 20),
            "fair": lambda field: field.parsed("plot: fair", yamlread.parse_rate_gbps), "bin": read_bin}
    plain: Dict[str, object] = {}
    for name, field in fields.items():
        if name in read:
            plain[name] = read[name](field)
        elif name in ("x", "rows", "panel", "each") or (name == "series" and kind not in EFFECTS):
            plain[name] = [f.one_of(f"plot: {name}", known_axes)
                           for f in ([field] if name in single else field.items_or_one(name))]
        elif name in ("title", "label", "ports"):
            plain[name] = field.short(f"plot: {name}")
    if kind in EFFECTS:  # the panels: an expression each, for every row and series
        plain["series"] = reader.each(fields.get("series"), "plot: series")
        rows, text = plain["rows"][0], fields["value"]
        each = {rows: reader.axes[rows], **plain["series"]}
        named = [(k.short("plot: value"), v) for k, v in text.pairs("plot: value")] if text.is_map() else \
            [(text.text("plot: value"), text)]
        plain["value"] = [(title, reader.cases(v, plain.get("at", {}), each, "plot: value", False)) for title, v in named]
    return Plot(kind, plain, f"{value.file}:{value.line}")


def read_bin(field: Value) -> float:
    """The length of a stretch of time, us."""
    found = field.parsed("plot: bin", yamlread.parse_time_ns) / 1000
    if found <= 0:
        field.fail("plot: bin, expected more than 0")
    return found
