# SPDX-License-Identifier: GPL-2.0-only
"""Plots: which figures an experiment asks for."""

from typing import Callable, Dict, List, NamedTuple, Sequence

from .claims import Claims
from .grid import read_place, read_selection
from .yamlread import Map, fail, parse_rate_gbps, parse_time_ns, some

EFFECTS = ("effects", "effect-table")  # of expressions
CONVERT: Dict[str, Callable] = {"log": "true".__eq__, "reported": "true".__eq__, "top": int, "fair": parse_rate_gbps,
                                "bin": lambda text: parse_time_ns(text) / 1000}


class Plot(NamedTuple):
    """A figure. Of EFFECTS, fields["value"] is a list of (title, cases)."""

    kind: str
    fields: Dict[str, object]
    place: str


def read_plot(value: Map, reader: Claims, known_axes: Sequence[str], claims: List[str]) -> Plot:
    """One figure, which is as the schema has it.

    @param known_axes those of this size; another size may have more
    @param claims ids of the experiment's claims
    """
    kind = str(value["kind"])
    metrics = [n for n, m in reader.metrics.items() if kind != "box" or m.per_run()]
    known = {"metric": metrics, "ids": claims, **dict.fromkeys(("x", "rows", "panel", "series", "each"), known_axes)}
    plain: Dict[str, object] = {}
    for name, field in value.items():
        if name == "kind" or kind in EFFECTS and name in ("value", "series"):
            continue
        if name in known:
            plain[name] = [str(word) for word in some(field)]
            for word in some(field):
                if word not in known[name]:
                    fail(word, f"plot: {name} '{word}', expected one of {', '.join(known[name])}")
        elif name in ("where", "at"):
            plain[name] = (read_selection if name == "where" else read_place)(field, reader.axes, f"plot: {name}")
        else:
            plain[name] = CONVERT.get(name, str)(field)
    if kind in EFFECTS:
        plain["series"] = reader.each(value.get("series", []), "plot: series")
        each = {plain["rows"][0]: reader.axes[plain["rows"][0]], **plain["series"]}
        panels = value["value"] if isinstance(value["value"], Map) else {value["value"]: value["value"]}
        plain["value"] = [(str(title), reader.cases(text, plain.get("at", {}), each, "plot: value", False))
                          for title, text in panels.items()]
    return Plot(kind, plain, value.place)
