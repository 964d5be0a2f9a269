# SPDX-License-Identifier: GPL-2.0-only
"""A part of an experiment: the runs that some figures or claims need, and nothing else."""

from typing import Iterable, List, Sequence, Set

import roce_results as rr

from .claims import Case, Claim
from .experiment import Experiment
from .figure_list import PlannedFigure, is_wanted, matches, planned_figures
from .grid import selects
from .plots import EFFECTS

SHOWN = 12  # names of each kind in an error

Places = Set[frozenset]  # coordinates of points


def is_chosen(claim: Claim, only: Sequence[str]) -> bool:
    """True if a claim is named: its id, or the figure of the paper that it is about."""
    return matches([claim.id, claim.target.get("figure", "")], only)


def places_of(cases: Iterable[Case], experiment: Experiment) -> Places:
    """The points that the metrics of some cases are at."""
    return {place for case in cases for place in case.places(experiment.all_axes)}


def places_of_figure(figure: PlannedFigure, experiment: Experiment) -> Places:
    """The points that a figure shows."""
    plot = figure.plot
    if plot.kind in EFFECTS:
        return places_of((c for _, cases in plot.fields["value"] for c in cases), experiment)
    if plot.kind == "claims":
        ids = plot.fields.get("ids", [c.id for c in experiment.claims])
        return places_of((k for c in experiment.claims if c.id in ids for k in c.cases), experiment)
    return {p.place for p in experiment.points if selects(figure.where, p.coordinates)}


def restrict(experiment: Experiment, only: List[str]) -> Experiment:
    """The experiment with what is named, by the title or file of a figure, by the id of a claim or the
    figure of the paper that it is about (* and ? as in file names).

    Of a figure, the claims about its points are scored, too.
    """
    if not only:
        return experiment
    figures = planned_figures(experiment)
    for name in only:
        if not any(is_wanted(f, [name]) for f in figures) and not any(is_chosen(c, [name]) for c in experiment.claims):
            known = [list(dict.fromkeys(names)) for names in (
                [c.id for c in experiment.claims], [f.name() for f in figures])]
            raise rr.ResultError(rr.one_line(f"--only {name}: no such claim or figure, expected one of "
                                             + "; or ".join(", ".join(k[:SHOWN]) + (", ..." if len(k) > SHOWN else "")
                                                            for k in known if k)))
    drawn: Places = set()
    for figure in figures:
        if is_wanted(figure, only):
            drawn |= places_of_figure(figure, experiment)
    needs = {c.id: places_of(c.cases, experiment) for c in experiment.claims}
    claims = [c for c in experiment.claims if is_chosen(c, only) or (needs[c.id] and needs[c.id] <= drawn)]
    wanted = drawn.union(*(needs[c.id] for c in claims))
    points = [p for p in experiment.points if p.place in wanted]
    if not points:
        raise rr.ResultError(f"--only {', '.join(only)}: that needs no run of the {experiment.size} size")
    ids = [c.id for c in claims]
    until = experiment.until
    if until:
        left = [c for c in until.claims if c in ids]
        until = until._replace(claims=left) if left else None
    return experiment._replace(points=points, claims=claims, unclaimed=[], until=until, only=only)
