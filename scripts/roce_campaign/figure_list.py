# SPDX-License-Identifier: GPL-2.0-only
"""Which figures a campaign draws, and the names of their files."""

import fnmatch
import itertools
import math
import os
import re
from collections import Counter
from typing import Iterator, List, NamedTuple, Sequence

import roce_results as rr
from roce_plot.look import is_number

from .experiment import Experiment
from .grid import Selection, selects
from .plots import Plot


MAX_FIGURES = 1000  # of an experiment


class PlannedFigure(NamedTuple):
    """A figure of a plot; "each" makes several of one."""

    plot: Plot
    where: Selection
    file: str  # in the campaign's folder

    def name(self) -> str:
        """Its file without folder and ending."""
        return os.path.splitext(os.path.basename(self.file))[0]


def matches(names: Sequence[str], wanted: Sequence[str]) -> bool:
    """True if one of the names is like one of those wanted (* and ?, whatever the case)."""
    return any(fnmatch.fnmatchcase(n.lower(), w.lower()) for n in names if n for w in wanted)


def is_wanted(figure: PlannedFigure, only: Sequence[str]) -> bool:
    """True if a figure is named: by its title or its file."""
    return matches([figure.name(), str(figure.plot.fields.get("title", ""))], only)


def planned_figures(experiment: Experiment) -> List[PlannedFigure]:
    """All figures in order."""
    plots = standard(experiment) if experiment.standard_plots else experiment.plots
    most = sum(math.prod(len(experiment.axes[a]) for a in p.fields.get("each", [])) for p in plots)
    if most > MAX_FIGURES:
        raise rr.ResultError(f"{experiment.file}:1: {most} figures, expected up to {MAX_FIGURES}: name "
                             "the plots, with less in each")
    names: Counter = Counter()
    found = []
    for plot in plots:
        for where in selections(experiment, plot):
            name = readable(plot, where)
            names[name] += 1
            number = f"~{names[name]}" if names[name] > 1 else ""
            end = ".csv" if plot.kind in ("table", "rank-table", "effect-table") else ".png"
            found.append(PlannedFigure(plot, where, f"figures/{name}{number}{end}"))
    return [f for f in found if is_wanted(f, experiment.only)] if experiment.only else found


def figure_files(experiment: Experiment) -> List[str]:
    """The names of their files, from the campaign's folder."""
    return [f.file for f in planned_figures(experiment)]


def readable(plot: Plot, where: Selection) -> str:
    """A name for people."""
    title = plot.fields.get("title")
    parts = [str(title)] if title else [plot.kind] + plot.fields.get("metric", [])
    parts += [f"{a}-{'-'.join(v)}" for a, v in where.items()
              if not title or a in plot.fields.get("each", ())]
    name = re.sub(r"[^A-Za-z0-9.+_-]+", "-", "_".join(parts))[:120].strip("-.")
    return name or plot.kind


def standard(experiment: Experiment) -> List[Plot]:
    """What is drawn if the experiment names no plots."""
    axes = list(experiment.axes)
    plots = []
    if axes:
        numeric = [a for a in axes if all(is_number(x) for x in experiment.axes[a])]
        x = (numeric or axes)[0]
        series = [a for a in axes if a != x][:1]
        each = [a for a in axes if a not in (x, *series)]
        kind = "lines" if numeric else "bars"
        plots += [Plot(kind, {"metric": [m], "x": [x], "series": series, "each": each}, "")
                  for m in experiment.metrics]
    if any(m.source == "flows" for m in experiment.metrics.values()):
        series, each = axes[:1], axes[1:]
        plots += [Plot(kind, {"series": series, "each": each}, "")
                  for kind in ("slowdown-by-size", "fct-cdf")]
    return plots


def selections(experiment: Experiment, plot: Plot) -> Iterator[Selection]:
    """The coordinates of each figure of a plot that has points in this size."""
    axes = plot.fields.get("each", [])
    fixed = plot.fields.get("where", {})
    others = {axis: labels for axis, labels in fixed.items() if axis not in axes}
    there = {tuple(p.coordinates[a] for a in axes) for p in experiment.points
             if selects(others, p.coordinates)}
    for labels in itertools.product(*(experiment.axes[a] for a in axes)):
        if labels in there:
            yield {**fixed, **{axis: [label] for axis, label in zip(axes, labels)}}
