# SPDX-License-Identifier: GPL-2.0-only
"""Plots: which figures an experiment asks for, the names of their files, and --only, the part of an experiment that figures or claims
need."""

import difflib
import fnmatch
import itertools
import math
import os
import re
from collections import Counter
from typing import Callable, Dict, Iterable, List, NamedTuple, Sequence, Set

import roce_results as rr
from roce_plot.look import DATA, FORMATS, is_number

from . import paper_names
from .claims import Case, Claims
from .grid import Selection, read_place, read_selection, selects
from .yamlread import Map, fail, parse_rate_gbps, parse_time_ns, some

MAX_FIGURES = 1000  # of an experiment
SHOWN = 12  # names of each kind in an error; of more, the nearest
NEAREST = 5
EFFECTS = ("effects", "effect-table")  # of expressions
METRIC = "metric"  # as x: the metrics side by side
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
    @param claims ids of the experiment's claims"""
    kind = str(value["kind"])
    metrics = [n for n, m in reader.metrics.items() if kind != "box" or m.per_run()]
    known = {"metric": metrics, "ids": claims, **dict.fromkeys(("x", "rows", "panel", "series", "each"), known_axes)}
    if kind in ("lines", "bars"):
        known["x"] = [*known_axes, METRIC]
    plain: Dict[str, object] = {}
    for name, field in value.items():
        if name == "kind" or kind in EFFECTS and name in ("value", "series"):
            continue
        if name in known:
            chosen: List[str] = []
            for word in some(field):
                found = fnmatch.filter(known[name], word) if name in ("metric", "ids") else [w for w in known[name] if w == word]
                if not found:
                    fail(word, f"plot: {name} '{word}', expected one of {', '.join(known[name])}")
                chosen += [w for w in found if w not in chosen]
            plain[name] = chosen
        elif name in ("where", "at"):
            plain[name] = (read_selection if name == "where" else read_place)(field, reader.axes, f"plot: {name}")
        elif name in ("statistic", "names"):
            plain[name] = [str(word) for word in some(field)]
        else:
            plain[name] = CONVERT.get(name, str)(field)
    if kind in EFFECTS:
        plain["series"] = reader.each(value.get("series", []), "plot: series")
        each = {plain["rows"][0]: reader.axes[plain["rows"][0]], **plain["series"]}
        panels = value["value"] if isinstance(value["value"], Map) else {value["value"]: value["value"]}
        plain["value"] = [(str(title), reader.cases(text, plain.get("at", {}), each, "plot: value", False))
                          for title, text in panels.items()]
    return Plot(kind, plain, value.place)


class PlannedFigure(NamedTuple):
    """A figure of a plot; "each" makes several of one."""

    plot: Plot
    where: Selection
    file: str  # in the campaign's folder

    def files(self) -> List[str]:
        """The file, and those beside it."""
        stem, end = os.path.splitext(self.file)
        if end == ".csv":
            return [self.file] + [stem + e for e in FORMATS if self.plot.fields.get("reported")]
        return [stem + e for e in (*FORMATS, DATA)]

    def name(self) -> str:
        """Its file without folder and ending."""
        return os.path.splitext(os.path.basename(self.file))[0]

    def is_wanted(self, only: Sequence[str]) -> bool:
        """True if it is named: by its title, its file, or a figure of the paper in its title."""
        title = str(self.plot.fields.get("title", ""))
        return matches([self.name(), title], only) or speaks_of(title, only)


def matches(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """True if one of the names is like one of those wanted (* and ?, whatever the case)."""
    return any(fnmatch.fnmatchcase(n.lower(), w.lower()) for n in names if n for w in wanted)


def nearest(name: str, known: Sequence[str]) -> str:
    """What may have been meant: all, or of many the nearest."""
    return ", ".join(difflib.get_close_matches(name, known, NEAREST, 0) if len(known) > SHOWN else known)


def speaks_of(text: str, wanted: Sequence[str]) -> bool:
    """True if a text names a figure or table of the paper that is wanted."""
    return any(paper_names.is_named(text, w) for w in wanted)


def planned_figures(experiment) -> List[PlannedFigure]:
    plots = standard(experiment) if experiment.standard_plots else experiment.plots
    most = sum(math.prod(len(experiment.axes[a]) for a in p.fields.get("each", [])) for p in plots)
    if most > MAX_FIGURES:
        raise rr.ResultError(f"{experiment.file}:1: {most} figures, expected up to {MAX_FIGURES}: name the plots, with less in each")
    names: Counter = Counter()
    found = []
    for plot in plots:
        title, each = plot.fields.get("title"), plot.fields.get("each", [])
        for where in selections(experiment, plot):
            parts = [str(title)] if title else [plot.kind] + plot.fields.get("metric", [])
            parts += [f"{a}-{'-'.join(v)}" for a, v in where.items() if not title or a in each]
            name = re.sub(r"[^A-Za-z0-9.+_-]+", "-", "_".join(parts))[:120].strip("-.") or plot.kind
            names[name] += 1
            number = f"~{names[name]}" if names[name] > 1 else ""
            end = ".csv" if plot.kind in ("table", "rank-table", "effect-table") else ".png"
            found.append(PlannedFigure(plot, where, f"figures/{name}{number}{end}"))
    if not experiment.only:
        return found
    # What has no figure of its own is drawn with the other claims.
    return [f for f in found if f.is_wanted(experiment.only)] or [f for f in found if f.plot.kind == "claims"]


def standard(experiment) -> List[Plot]:
    """What is drawn if the experiment names no plots."""
    axes = list(experiment.axes)
    plots = []
    if axes:
        numeric = [a for a in axes if all(map(is_number, experiment.axes[a]))]
        x = (numeric or axes)[0]
        series = [a for a in axes if a != x][:1]
        each = [a for a in axes if a not in (x, *series)]
        plots += [Plot("lines" if numeric else "bars", {"metric": [m], "x": [x], "series": series, "each": each}, "")
                  for m in experiment.metrics]
    if any(m.source == "flows" for m in experiment.metrics.values()):
        plots += [Plot(kind, {"series": axes[:1], "each": axes[1:]}, "") for kind in ("slowdown-by-size", "fct-cdf")]
    return plots


def selections(experiment, plot: Plot) -> List[Selection]:
    """The coordinates of each figure of a plot that has points in this size."""
    axes, fixed = plot.fields.get("each", []), plot.fields.get("where", {})
    others = {axis: labels for axis, labels in fixed.items() if axis not in axes}
    there = {tuple(p.coordinates[a] for a in axes) for p in experiment.points if selects(others, p.coordinates)}
    return [{**fixed, **{axis: [label] for axis, label in zip(axes, labels)}}
            for labels in itertools.product(*(experiment.axes[a] for a in axes)) if labels in there]


# -------------------------------------------------------------------------------------------- only


def places_of(cases: Iterable[Case], experiment) -> Set[frozenset]:
    """The coordinates of the points that the metrics of some cases are at."""
    return {place for case in cases for place in case.places(experiment.all_axes)}


def places_of_figure(figure: PlannedFigure, experiment) -> Set[frozenset]:
    """Those of the points that a figure shows."""
    plot = figure.plot
    if plot.kind in EFFECTS:
        return places_of((c for _, cases in plot.fields["value"] for c in cases), experiment)
    if plot.kind == "claims":
        ids = plot.fields.get("ids", [c.id for c in experiment.claims])
        return places_of((k for c in experiment.claims if c.id in ids for k in c.cases), experiment)
    return {p.place for p in experiment.points if selects(figure.where, p.coordinates)}


class Content(NamedTuple):
    """A figure or table of the paper, as far as the experiment has it."""

    name: paper_names.Name
    figures: int
    claims: int
    runs: int
    share: float  # of all runs


def contents(experiment) -> List[Content]:
    """The paper's figures and tables that --only can name."""
    figures = planned_figures(experiment)
    texts = [str(f.plot.fields.get("title", "")) for f in figures] + [c.target.get("figure", "") for c in experiment.claims]
    names = sorted({n._replace(letter="") for text in texts for n in paper_names.find(text)})
    runs = sum(len(p.seeds) for p in experiment.points)
    found = []
    for name in names:
        try:
            part = restrict(experiment, [str(name)])
        except rr.ResultError:  # the size has no runs of it
            continue
        claims = sum(speaks_of(c.target.get("figure", ""), [str(name)]) for c in part.claims)
        own = sum(len(p.seeds) for p in part.points)
        found.append(Content(name, sum(f.is_wanted([str(name)]) for f in figures), claims, own, own / runs))
    return found


def restrict(experiment, only: List[str]):
    """The experiment with what is named, by the title or file of a figure, by the id of a claim or the figure of the paper that
    it is about (* and ? as in file names). Of a figure, the claims about its points are scored, too."""
    if not only:
        return experiment
    figures = planned_figures(experiment)
    about = {c.id: c.target.get("figure", "") for c in experiment.claims}

    def is_wanted(claim: str, names: Sequence[str]) -> bool:
        return matches([claim, about[claim]], names) or speaks_of(about[claim], names)

    for name in only:
        if not any(f.is_wanted([name]) for f in figures) and not any(is_wanted(claim, [name]) for claim in about):
            known = {"": [str(c.name) for c in contents(experiment)], "claims such as ": list(about),
                     "files such as ": list(dict.fromkeys(f.name() for f in figures))}
            raise rr.ResultError(rr.one_line(f"--only {name}: no such claim or figure, expected one of " + "; or ".join(
                (what if len(k) > SHOWN else "") + nearest(name, k) for what, k in known.items() if k)))
    drawn: Set[frozenset] = set().union(*(places_of_figure(f, experiment) for f in figures if f.is_wanted(only)))
    needs = {c.id: places_of(c.cases, experiment) for c in experiment.claims}
    claims = [c for c in experiment.claims if is_wanted(c.id, only) or (needs[c.id] and needs[c.id] <= drawn)]
    wanted = drawn.union(*(needs[c.id] for c in claims))
    points = [p for p in experiment.points if p.place in wanted]
    if not points:
        raise rr.ResultError(f"--only {', '.join(only)}: that needs no run of the {experiment.size} size")
    until = experiment.until
    if until:
        left = [c for c in until.claims if c in {c.id for c in claims}]
        until = until._replace(claims=left) if left else None
    return experiment._replace(points=points, claims=claims, unclaimed=[], until=until, only=only)
