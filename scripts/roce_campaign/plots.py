# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Plots: which figures an experiment asks for."""

from typing import Dict, List, NamedTuple, Sequence, Tuple

from . import yamlread
from .claims import Case, Claims
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
    axes = reader.axes
    keys = {k.node.value: v for k, v in value.pairs("plot")}
    if "kind" not in keys:
        value.fail("plot: 'kind' is missing")
    kind = keys["kind"].one_of("plot kind", tuple(PLOTS))
    required, optional = PLOTS[kind]
    fields = value.fields(f"plot {kind}", ("kind",) + required + optional, required)
    plain: Dict[str, object] = {}
    for name, field in fields.items():
        if name == "metric" and kind == "box":
            plain[name] = [m.one_of("plot: metric", [n for n, d in reader.metrics.items()
                                                     if d.per_run()])
                           for m in field.items_or_one("metric")]
        elif name == "metric":
            plain[name] = [m.one_of("plot: metric", tuple(reader.metrics))
                           for m in field.items_or_one("metric")]
        elif kind in EFFECTS and name in ("value", "series"):
            pass  # below
        elif name in ("x", "rows", "panel", "series", "each"):
            single = (name in ("x", "panel") or (name == "rows" and kind in ONE_ROWS_AXIS)
                      or (name == "series" and kind in ONE_SERIES_AXIS))
            names = [field] if single else field.items_or_one(name)
            plain[name] = [f.one_of(f"plot: {name}", known_axes) for f in names]
        elif name == "where":
            plain[name] = read_selection(field, axes, "plot: where")
        elif name == "at":
            plain[name] = read_where(field, axes, "plot: at")
        elif name == "ids":
            plain[name] = [i.one_of("plot: ids", claims) for i in field.items("ids")]
        elif name == "log":
            plain[name] = field.flag("plot: log")
        elif name == "reported":
            plain[name] = field.flag("plot: reported")
        elif name == "top":
            plain[name] = field.whole("plot: top", 1, 20)
        elif name == "fair":
            plain[name] = field.parsed("plot: fair", yamlread.parse_rate_gbps)
        elif name == "bin":
            plain[name] = field.parsed("plot: bin", yamlread.parse_time_ns) / 1000
            if plain[name] <= 0:
                field.fail("plot: bin, expected more than 0")
        elif name in ("title", "label", "ports"):
            plain[name] = field.short(f"plot: {name}")
    if kind in EFFECTS:
        plain["series"] = reader.each(fields.get("series"), "plot: series")
        plain["value"] = read_effects(fields["value"], plain, reader)
    return Plot(kind, plain, f"{value.file}:{value.line}")


def read_effects(value: Value, plain: Dict[str, object], reader: Claims
                 ) -> List[Tuple[str, List[Case]]]:
    """The panels: an expression each, for every row and series."""
    rows = plain["rows"][0]
    each = {rows: reader.axes[rows], **plain["series"]}
    named = [(k.short("plot: value"), v) for k, v in value.pairs("plot: value")] if value.is_map() \
        else [(value.text("plot: value"), value)]
    return [(title, reader.cases(text, plain.get("at", {}), each, "plot: value", False))
            for title, text in named]
