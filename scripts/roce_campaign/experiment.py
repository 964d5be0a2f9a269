# SPDX-License-Identifier: GPL-2.0-only
"""An experiment: a YAML file that is checked completely before anything runs.

The keys are described in contrib/roce/doc/howto/campaigns.rst; scripts/experiments has examples.
"""

import glob
import os
import re
from collections import Counter
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

import roce_results as rr

from . import identity, yamlread
from .claims import Case, Claim, Claims, read_targets, targets_path
from .grid import (Axis, Point, Selection, labels_of, make_points, read_grid, read_overrides, read_seeds,
                   read_selection, resolve_label, seeds_text)
from .metrics import Metric, read_metrics
from .plots import EFFECTS, Plot, read_plot
from .program import ABSENT, ROOT, Options, is_trusted, program_options, refusal
from .sizes import describe_reduction, mark_other_sizes, seeds_needed
from .stopping import Until, more_seeds, read_until
from .yamlread import Map

EXPERIMENTS = os.path.join(ROOT, "scripts", "experiments")

MERGED = ("options", "grid", "metrics", "slurm")  # "quick" and "full" change these key by key
SIZES = ("quick", "full")


class Experiment(NamedTuple):
    """All of a file, checked."""

    name: str
    file: str
    size: str  # quick or full
    text: str
    title: str
    description: str
    program: str
    options: Dict[str, str]
    seed_option: str
    option_names: List[str]  # of the program
    axes: Dict[str, List[str]]  # of this size
    all_axes: Dict[str, List[str]]  # of this and the full size, for claims
    points: List[Point]
    warmup_ns: Optional[float]
    metrics: Dict[str, Metric]
    plots: List[Plot]
    standard_plots: bool  # those of figure_list, as the file does not speak of plots
    claims: List[Claim]
    unclaimed: List[Dict[str, str]]  # selected rows of the table of targets without a claim
    slurm: Dict[str, str]
    until: Optional[Until]
    seeds: List[int]  # of points without seeds of their own
    added: int  # how many of these the rule has added
    given: Dict[str, str]  # inputs from elsewhere: name -> path
    inputs: List[str]  # files that are read: this one, the table of targets, those of options
    seeds_needed: Dict[frozenset, int]  # coordinates -> seeds from which the sign of an effect counts
    reduced: List[str]  # what this size has less of than the full one
    only: List[str] = []  # figures and claims that it was restricted to, see only.py

    def design(self) -> str:
        """A hash of what is run: program, options, grid and seeds."""
        return identity.data_hash([self.program, self.seed_option,
                                   [[p.coordinates, p.options, p.seeds] for p in self.points]])

    def seed_sets(self) -> Dict[str, int]:
        """The sets of seeds as text, with the number of their points."""
        return Counter(seeds_text(p.seeds) for p in self.points)


def built_in() -> Dict[str, str]:
    """The files of the experiments that come with the project, by name: a folder for each paper."""
    files = glob.glob(os.path.join(glob.escape(EXPERIMENTS), "*", "*.yaml"))
    return {os.path.basename(f)[:-len(".yaml")]: f for f in sorted(files, key=os.path.basename)}


def find(name: str) -> Tuple[str, str]:
    """Name and file of a built-in experiment, or of a path to a YAML file."""
    if name.endswith((".yaml", ".yml")) or os.sep in name:
        if not os.path.isfile(name):
            raise rr.ResultError(f"{name}: no such experiment file")
        return os.path.splitext(os.path.basename(name))[0], name
    known = built_in()
    if name not in known:
        raise rr.ResultError(f"{name}: no such experiment, there are {', '.join(known)}; "
                             "or give a path to a YAML file")
    return name, os.path.relpath(known[name])


def merge(layers: List[Map]) -> Map:
    """Sections of the file with those of one size, later ones win."""
    merged = Map({name: Map() for name in MERGED})
    for layer in layers:
        merged.update({name: Map({**merged[name], **value}) if name in MERGED else value for name, value in layer.items()})
    merged["overrides"] = [item for layer in layers for item in layer.get("overrides", [])]
    return merged


def program_path(name: str, folder: str, build: Optional[str]) -> str:
    """A program of the build, or a path from the experiment's folder."""
    if os.sep in name:
        return os.path.join(folder, name)
    return os.path.join(build or os.path.join(ROOT, "build"), "bin", name)


def read_layers(file: str, size: str) -> Tuple[Map, Map, Map, Optional[str]]:
    """A file, checked, with the file that it is like.

    @return the document, its sections in the full size and in the one asked for, the other file
    """
    document = yamlread.read(file)
    base, like = [], None
    if isinstance(document, Map) and "like" in document:
        name = document.pop("like")
        like = os.path.join(os.path.dirname(file), name) if isinstance(name, str) else ""
        if not like.endswith(".yaml") or os.path.basename(name) != name or not os.path.isfile(like):
            yamlread.fail(name, f"like: '{name}', expected the name of a YAML file beside this one")
        base = [yamlread.read(like)]
    layers: Dict[str, List[Map]] = {part: [] for part in ("", *SIZES)}
    for layer in base + [document]:
        parts = {p: layer.pop(p) for p in SIZES if p in layer} if isinstance(layer, Map) else {}
        for part, sections in {"": layer, **parts}.items():
            layers[part].append(yamlread.check(sections, "experiment", part))
        for name in ("title", "program", "metrics") if layer is not document or not base else ("title",):
            if name not in layer:
                yamlread.fail(layer, f"'{name}' is missing")
    if size == "quick" and not layers["quick"]:
        yamlread.fail(document, "there is no section 'quick', run it with --full")
    return document, merge(layers[""] + layers["full"]), merge(layers[""] + layers[size]), like


def read_claims(values: List[Map], reader: Claims) -> List[Claim]:
    """All claims, each id once."""
    claims = [reader.read(value) for value in values]
    ids = [c.id for c in claims]
    for i, value in enumerate(values):
        if ids[i] in ids[:i]:
            yamlread.fail(value, f"claim {ids[i]} is there twice")
    return claims


def check_seeds(cases: Iterable[Tuple[str, Case]], points: List[Point], axes: Dict[str, List[str]]) -> None:
    """What is compared has the same seeds: its intervals count on the pairing.

    @param cases each with the place and name to tell
    """
    by_place = {p.place: p for p in points}
    for what, case in cases:
        found = {p.text(): seeds_text(p.seeds) for p in map(by_place.get, case._replace(needs=None).places(axes)) if p}
        if len(set(found.values())) > 1:
            listed = "; ".join(f"{seeds} at {text}" for text, seeds in found.items())
            raise rr.ResultError(f"{what} combines points of different seeds ({listed}), expected "
                                 "the same ones")


def read_inputs(known: Map, given: Dict[str, str], file: str) -> Dict[str, Optional[str]]:
    """Files that others have and the repository has not: name -> path, None if it was not given."""
    for name, path in given.items():
        if name not in known:
            raise rr.ResultError(f"--input {name}: {file} has no such input, expected one of "
                                 f"{', '.join(known) or '(none)'}")
        if not os.path.isfile(path):
            raise rr.ResultError(f"--input {name}: {path} does not exist, or is no file")
    return {str(name): os.path.abspath(given[name]) if name in given else None for name in known}


def load(name: str, size: str, program: Optional[str] = None,
         build: Optional[str] = None, targets_file: Optional[str] = None,
         added: int = 0, given: Optional[Dict[str, str]] = None, allow: bool = False,
         names: Optional[List[str]] = None) -> Experiment:
    """Read and check an experiment.

    @param name of a built-in one, or the path of a YAML file
    @param size quick or full
    @param program path to use instead of the file's
    @param build folder whose bin/ has the programs; default build of this checkout
    @param targets_file table of targets to use instead of the file's
    @param added seeds to have beyond the file's, as its rule "until" asks for
    @param given paths of the inputs that the file names and does not bring with it
    @param allow a program that is not one of the build
    @param names of the program's options, which is not started then
    """
    short, file = find(name)
    if not re.fullmatch(r"[A-Za-z0-9][\w.+-]*", short):
        raise rr.ResultError(f"{file}: '{short}' names the results, expected letters, digits and "
                             "._+-")
    folder = os.path.dirname(os.path.abspath(file))
    document, full, chosen, like = read_layers(file, size)
    seed_option = str(chosen.get("seed_option", "seed"))
    path = program or program_path(chosen["program"], folder, build)
    if names is None:
        if not allow and os.path.exists(path) and not is_trusted(path, build):
            yamlread.fail(chosen["program"], f"program {refusal(os.path.realpath(path))}")
        names = program_options(path, chosen["program"])
    if seed_option not in names:
        yamlread.fail(chosen["program"], f"the program has no option --{seed_option} for the seed; name it with seed_option")
    given = dict(given or {})
    options = Options(names, seed_option, folder, read_inputs(chosen.get("inputs", Map()), given, file))
    axes = read_grid(chosen["grid"], options)
    full_axes = read_grid(full["grid"], options)
    all_axes = labels_of(full_axes)
    for axis, labels in labels_of(axes).items():
        known_labels = all_axes.setdefault(axis, [])
        known_labels += [x for x in labels if resolve_label(x, known_labels) is None]

    def points_of(sections: Map, its_axes: Dict[str, Axis], seeds: List[int], more: List[Selection]) -> Tuple[List[Point], List[Selection]]:
        excluded = [read_selection(v, all_axes, "exclude") for v in sections.get("exclude", [])] + more
        overrides = read_overrides(sections["overrides"], all_axes, options)
        return make_points(its_axes, options.read(sections["options"]), excluded, overrides, seeds, document), excluded

    absent = [{axis: [label]} for axis, labels in axes.items() for label, settings in labels.items() if ABSENT in settings.values()]
    seeds = more_seeds(read_seeds(chosen.get("seeds")), added)
    points, excluded = points_of(chosen, axes, seeds, absent)
    if any(ABSENT in p.options.values() for p in points):
        yamlread.fail(chosen["inputs"], "inputs: expected their use in the grid, whose other points can do without")
    all_points: List[Point] = points
    needed: Dict[frozenset, int] = {}
    reduced: List[str] = []
    if size == "quick":
        all_points, _ = points_of(full, full_axes, read_seeds(full.get("seeds")), [])
        needed = seeds_needed(all_points, points)
        reduced = describe_reduction(all_points, points, labels_of(full_axes), labels_of(axes), chosen.get("flatters", ""))
    metrics = read_metrics(chosen["metrics"], all_axes)
    table = targets_file or targets_path(chosen.get("targets"), folder)
    targets, show_all = read_targets(chosen.get("targets"), table, targets_file is None)
    reader = Claims(metrics, all_axes, excluded, targets)
    claims = mark_other_sizes(read_claims(chosen.get("claims", []), reader), all_points, points, all_axes, metrics)
    claimed = {c.id for c in claims}
    unclaimed = [row for key, row in targets.items() if key not in claimed] if show_all else []
    plots = [read_plot(v, reader, list(axes), [c.id for c in claims]) for v in chosen.get("plots", [])]
    check_seeds([(f"{c.place}: claim {c.id}", case) for c in claims for case in c.cases]
                + [(f"{p.place}: the plot", case) for p in plots if p.kind in EFFECTS
                   for _, cases in p.fields["value"] for case in cases], points, all_axes)
    text = "\n".join([yamlread.read_text(file)] + [f"# {os.path.basename(f)}\n\n{yamlread.read_text(f)}" for f in [like] if f])
    return Experiment(
        short, file, size, text, str(chosen["title"]), str(chosen.get("description", "")), os.path.realpath(path),
        options.read(chosen["options"]), seed_option, names, labels_of(axes), all_axes, points,
        yamlread.parse_time_ns(chosen["warmup"]) if "warmup" in chosen else None,
        metrics, plots, "plots" not in chosen, claims, unclaimed, {k: str(v) for k, v in chosen["slurm"].items()},
        read_until(chosen.get("until"), claims), seeds, added, given,
        [file, path] + [f for f in (like, table) if f] + files_of(points), needed, reduced)


def files_of(points: List[Point]) -> List[str]:
    """Files and folders that options name."""
    values = {v for p in points for v in p.options.values()}
    return sorted(v for v in values if os.path.isabs(v) and os.path.exists(v))
