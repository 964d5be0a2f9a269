# SPDX-License-Identifier: GPL-2.0-only
"""An experiment: a YAML file that is checked completely before anything runs.

The keys are described in contrib/roce/doc/howto/campaigns.rst; scripts/experiments has examples.
"""

import glob
import importlib.util
import os
import re
from collections import Counter
from types import ModuleType
from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

import roce_results as rr

from . import yamlread
from .claims import Case, Claim, Claims, read_targets, targets_path
from .expression import is_absolute
from .grid import (Axis, Point, Selection, make_points, read_grid, read_overrides, read_seeds, read_selection, resolve_label, seed_count,
                   seeds_text)
from .metrics import Metric, read_metrics
from .plots import EFFECTS, Plot, read_plot
from .program import ABSENT, ROOT, Options, data_hash, is_trusted, program_options, program_path, refusal
from .yamlread import Map, fail

EXPERIMENTS = os.path.join(ROOT, "scripts", "experiments")

MERGED = ("options", "grid", "metrics", "slurm")  # "quick" and "full" change these key by key
SIZES = ("quick", "full")
LEAST_SEEDS = 3  # from which the sign of an effect counts in the quick size
TIME = r"[\d.]+\s*(?:ns|us|ms|s)"
SHORTER = ("a shorter run has fewer of the large flows and less time for queues to build up, so that tails (P99) and pauses "
           "tend to look better than in the full size")


class Until(NamedTuple):
    """When a campaign has enough seeds: more are added until the intervals of some claims are narrow.

    The rule is in the file, so nobody decides by looking at the results. It looks at widths only, never at where an interval
    lies; the number of seeds at which it ends still depends on the data, so the last interval is a little too narrow on average.
    """

    claims: List[str]
    half_width: float  # at most: of the claim's number, or of the number's size if relative
    relative: bool
    step: int  # seeds to add at once
    most: int  # seeds of a point

    def more(self, have: int) -> int:
        """How many seeds to add to those there are, 0 if there are enough in any case."""
        return max(0, min(self.step, self.most - have))

    def is_narrow(self, value: float, low: Optional[float], high: Optional[float]) -> bool:
        """True if an interval is narrow enough."""
        return low is not None and (high - low) / 2 <= self.half_width * (abs(value) if self.relative else 1)


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
    standard_plots: bool  # those of plots.standard(), as the file does not speak of plots
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
    minutes: Optional[float]  # of one core, about; None: not known
    only: List[str] = []  # figures and claims that it was restricted to, see plots.restrict()

    def design(self) -> str:
        """A hash of what is run: program, options, grid and seeds."""
        return data_hash([self.program, self.seed_option, [[p.coordinates, p.options, p.seeds] for p in self.points]])

    def seed_sets(self) -> Dict[str, int]:
        """The sets of seeds as text, with the number of their points."""
        return Counter(seeds_text(p.seeds) for p in self.points)


def built_in() -> Dict[str, str]:
    """The files of the experiments that come with the project, by name: a folder for each paper."""
    files = glob.glob(os.path.join(glob.escape(EXPERIMENTS), "*", "*.yaml"))
    return {os.path.basename(f)[:-len(".yaml")]: f for f in sorted(files, key=os.path.basename)}


def prepared() -> Dict[str, str]:
    """The Python files beside them, by name: each makes an experiment of files that the repository has not."""
    files = glob.glob(os.path.join(glob.escape(EXPERIMENTS), "*", "*.py"))
    return {os.path.basename(f)[:-len(".py")]: f for f in sorted(files, key=os.path.basename)}


def preparer(name: str) -> ModuleType:
    """Such a file: make(inputs, folder to write into) returns a YAML file, verdict(folder of the results) what they come to."""
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), prepared()[name])
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find(name: str) -> Tuple[str, str]:
    """Name and file of a built-in experiment, or of a path to a YAML file."""
    if name.endswith((".yaml", ".yml")) or os.sep in name:
        if not os.path.isfile(name):
            raise rr.ResultError(f"{name}: no such experiment file")
        return os.path.splitext(os.path.basename(name))[0], name
    known = built_in()
    if name not in known:
        raise rr.ResultError(f"{name}: no such experiment, there are {', '.join([*known, *prepared()])}; or give a path to a YAML file")
    return name, os.path.relpath(known[name])


def merge(layers: List[Map]) -> Map:
    """Sections of the file with those of one size, later ones win."""
    merged = Map({name: Map() for name in MERGED})
    for layer in layers:
        merged.update({name: Map({**merged[name], **value}) if name in MERGED else value for name, value in layer.items()})
    merged["overrides"] = [item for layer in layers for item in layer.get("overrides", [])]
    return merged


def read_layers(file: str, size: str) -> Tuple[Map, Map, Map, Optional[str]]:
    """A file, checked, with the file that it is like.

    @return the document, its sections in the full size and in the one asked for, the other file"""
    document = yamlread.read(file)
    base, like = [], None
    if isinstance(document, Map) and "like" in document:
        name = document.pop("like")
        like = os.path.join(os.path.dirname(file), name) if isinstance(name, str) else ""
        if not like.endswith(".yaml") or os.path.basename(name) != name or not os.path.isfile(like):
            fail(name, f"like: '{name}', expected the name of a YAML file beside this one")
        base = [yamlread.read(like)]
    layers: Dict[str, List[Map]] = {part: [] for part in ("", *SIZES)}
    for layer in base + [document]:
        parts = {p: layer.pop(p) for p in SIZES if p in layer} if isinstance(layer, Map) else {}
        for part, sections in {"": layer, **parts}.items():
            layers[part].append(yamlread.check(sections, "experiment", part))
        for name in ("title", "program", "metrics") if layer is not document or not base else ("title",):
            if name not in layer:
                fail(layer, f"'{name}' is missing")
    if size == "quick" and not layers["quick"]:
        fail(document, "there is no section 'quick', run it with --full")
    return document, merge(layers[""] + layers["full"]), merge(layers[""] + layers[size]), like


def check_seeds(cases: Iterable[Tuple[str, Case]], points: List[Point], axes: Dict[str, List[str]]) -> None:
    """What is compared has the same seeds: its intervals count on the pairing.

    @param cases each with the place and name to tell"""
    by_place = {p.place: p for p in points}
    for what, case in cases:
        found = {p.text(): seeds_text(p.seeds) for p in map(by_place.get, case._replace(needs=None).places(axes)) if p}
        if len(set(found.values())) > 1:
            listed = "; ".join(f"{seeds} at {text}" for text, seeds in found.items())
            raise rr.ResultError(f"{what} combines points of different seeds ({listed}), expected the same ones")


def read_until(value: Optional[Map], claims: List[Claim]) -> Optional[Until]:
    """The section "until" of an experiment."""
    if value is None:
        return None
    known = [c.id for c in claims if c.kind != "relation"]
    for name in value["claims"]:
        if name not in known:
            fail(name, f"until: claims '{name}', expected one of {', '.join(known)}")
    relative = value["half_width"].endswith("%")
    width = float(value["half_width"].rstrip("%")) / (100 if relative else 1)
    return Until(list(map(str, value["claims"])), width, relative, int(value.get("step", 1)), int(value["most"]))


# ------------------------------------------------------------------------------------------- sizes


def changed_options(full: List[Point], quick: List[Point]) -> Dict[frozenset, Dict[str, str]]:
    """Options that points have otherwise in the full size, with words for it; by coordinates."""
    before = {p.place: p.options for p in full}
    return {p.place: {o: f"{o} {v} instead of {before[p.place][o]}" for o, v in p.options.items()
                      if before.get(p.place, {}).get(o, v) != v} for p in quick}


def mark_other_sizes(claims: List[Claim], full: List[Point], quick: List[Point], axes: Dict[str, List[str]],
                     metrics: Dict[str, Metric]) -> List[Claim]:
    """The claims; cases with an absolute number at points that have other options in the full size are marked.

    Such a number is for the full size: a limit of 1.35 times the ideal 687 ms of 1 GiB cannot fail with 256 MiB."""
    options = changed_options(full, quick)

    def marked(case: Case) -> Case:
        places = case.places(axes) if is_absolute(case.expression, metrics) else []
        listed = ", ".join(dict.fromkeys(text for place in places for text in options.get(place, {}).values()))
        return case._replace(other_size=f"its number is for the full size, --quick has {listed}" if listed else "")

    return [c if c.any_size else c._replace(cases=[marked(k) for k in c.cases]) for c in claims]


def describe_reduction(full: List[Point], quick: List[Point], full_axes: Dict[str, Axis], axes: Dict[str, Axis], flatters: str) -> List[str]:
    """What the quick size has less of than the full one, for people.

    @param flatters the author's words on where that makes the score look better, "" without"""
    texts = []
    if seed_count(full) != seed_count(quick):
        texts.append(f"{seed_count(quick)} seeds instead of {seed_count(full)}")
    for axis, labels in full_axes.items():
        gone = [x for x in labels if x not in axes.get(axis, [])]
        if gone:
            texts.append(f"without {axis} {', '.join(gone[:6])}" + (", ..." if len(gone) > 6 else ""))
    changes = changed_options(full, quick)
    some = list(dict.fromkeys(text for options in changes.values() for text in options.values()))
    texts += some[:6] + ([f"{len(some) - 6} more options"] if len(some) > 6 else [])
    if flatters:
        texts.append(flatters.strip())
    elif any(o in ("duration", "stop") and re.fullmatch(TIME, p.options[o]) for p in quick for o in changes[p.place]):
        texts.append(SHORTER)
    return texts


# ----------------------------------------------------------------------------------------- loading


def load(name: str, size: str, program: Optional[str] = None, build: Optional[str] = None, targets_file: Optional[str] = None,
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
    @param names of the program's options, which is not started then"""
    short, file = find(name)
    if not re.fullmatch(r"[A-Za-z0-9][\w.+-]*", short):
        raise rr.ResultError(f"{file}: '{short}' names the results, expected letters, digits and ._+-")
    folder = os.path.dirname(os.path.abspath(file))
    document, full, chosen, like = read_layers(file, size)
    seed_option = str(chosen.get("seed_option", "seed"))
    path = program or program_path(chosen["program"], folder, build)
    if names is None:
        if not allow and os.path.exists(path) and not is_trusted(path, build):
            fail(chosen["program"], f"program {refusal(os.path.realpath(path))}")
        names = program_options(path, chosen["program"])
    if seed_option not in names:
        fail(chosen["program"], f"the program has no option --{seed_option} for the seed; name it with seed_option")
    given, inputs = dict(given or {}), chosen.get("inputs", Map())  # files that others have and the repository has not
    for input_name, input_path in given.items():
        if input_name not in inputs:
            raise rr.ResultError(f"--input {input_name}: {file} has no such input, expected one of {', '.join(inputs) or '(none)'}")
        if not os.path.isfile(input_path):
            raise rr.ResultError(f"--input {input_name}: {input_path} does not exist, or is no file")
    options = Options(names, seed_option, folder, {str(n): os.path.abspath(given[n]) if n in given else None for n in inputs})
    axes = read_grid(chosen["grid"], options)
    full_axes = read_grid(full["grid"], options)
    all_axes = {axis: list(labels) for axis, labels in full_axes.items()}
    for axis, labels in axes.items():
        known_labels = all_axes.setdefault(axis, [])
        known_labels += [x for x in labels if resolve_label(x, known_labels) is None]

    def points_of(sections: Map, its_axes: Dict[str, Axis], seeds: List[int], more: List[Selection]) -> Tuple[List[Point], List[Selection]]:
        excluded = [read_selection(v, all_axes, "exclude") for v in sections.get("exclude", [])] + more
        overrides = read_overrides(sections["overrides"], all_axes, options)
        return make_points(its_axes, options.read(sections["options"]), excluded, overrides, seeds, document), excluded

    absent = [{axis: [label]} for axis, labels in axes.items() for label, settings in labels.items() if ABSENT in settings.values()]
    seeds = read_seeds(chosen.get("seeds"))
    seeds += range(max(seeds) + 1, max(seeds) + 1 + added)
    points, excluded = points_of(chosen, axes, seeds, absent)
    if any(ABSENT in p.options.values() for p in points):
        fail(chosen["inputs"], "inputs: expected their use in the grid, whose other points can do without")
    all_points: List[Point] = points
    needed: Dict[frozenset, int] = {}
    reduced: List[str] = []
    if size == "quick":
        all_points, _ = points_of(full, full_axes, read_seeds(full.get("seeds")), [])
        # No more than in the full size, which may have one where nothing is drawn.
        have = {p.place: len(p.seeds) for p in all_points}
        needed = {p.place: min(LEAST_SEEDS, have.get(p.place, LEAST_SEEDS)) for p in points}
        reduced = describe_reduction(all_points, points, full_axes, axes, chosen.get("flatters", ""))
    metrics = read_metrics(chosen["metrics"], all_axes)
    table = targets_file or targets_path(chosen.get("targets"), folder)
    targets, show_all = read_targets(chosen.get("targets"), table, targets_file is None)
    reader = Claims(metrics, all_axes, excluded, targets)
    claims = [reader.read(value) for value in chosen.get("claims", [])]
    ids = [c.id for c in claims]
    for i, value in enumerate(chosen.get("claims", [])):
        if ids[i] in ids[:i]:
            fail(value, f"claim {ids[i]} is there twice")
    claims = mark_other_sizes(claims, all_points, points, all_axes, metrics)
    unclaimed = [row for key, row in targets.items() if key not in ids] if show_all else []
    plots = [read_plot(v, reader, list(axes), ids) for v in chosen.get("plots", [])]
    check_seeds([(f"{c.place}: claim {c.id}", case) for c in claims for case in c.cases]
                + [(f"{p.place}: the plot", case) for p in plots if p.kind in EFFECTS
                   for _, cases in p.fields["value"] for case in cases], points, all_axes)
    text = "\n".join([yamlread.read_text(file)] + [f"# {os.path.basename(f)}\n\n{yamlread.read_text(f)}" for f in [like] if f])
    return Experiment(
        short, file, size, text, str(chosen["title"]), str(chosen.get("description", "")), os.path.realpath(path),
        options.read(chosen["options"]), seed_option, names, {a: list(x) for a, x in axes.items()}, all_axes, points,
        yamlread.parse_time_ns(chosen["warmup"]) if "warmup" in chosen else None,
        metrics, plots, "plots" not in chosen, claims, unclaimed, {k: str(v) for k, v in chosen["slurm"].items()},
        read_until(chosen.get("until"), claims), seeds, added, given,
        [file, path, *(f for f in (like, table) if f),
         *sorted({v for p in points for v in p.options.values() if os.path.isabs(v) and os.path.exists(v)})], needed, reduced,
        float(chosen["minutes"]) if "minutes" in chosen else None)
