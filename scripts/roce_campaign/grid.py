# SPDX-License-Identifier: GPL-2.0-only
"""Axes and points: what an experiment runs, with which seeds."""

import itertools
import math
import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Union

from .expression import Coordinates, label_key
from .program import Options
from .yamlread import Items, Map, Text, fail, parse_seeds, some

MAX_LABELS = 1000  # of an axis
MAX_RUNS = 100_000

Axis = Dict[str, Dict[str, str]]  # label -> options
Selection = Dict[str, List[str]]  # axis -> any of these labels


class Override(NamedTuple):
    """Options of some points that no single axis can give, or seeds of their own."""

    at: Selection
    options: Dict[str, str]
    seeds: Optional[List[int]]


class Point(NamedTuple):
    """A point of the grid."""

    coordinates: Coordinates
    options: Dict[str, str]
    seeds: Sequence[int] = ()

    @property
    def place(self) -> frozenset:
        """Its coordinates as a key."""
        return frozenset(self.coordinates.items())

    def text(self) -> str:
        """For people: Hpcc, load=0.7 (the axis is named where the label is a number)."""
        parts = []
        for axis, label in self.coordinates.items():
            parts.append(f"{axis}={label}" if re.fullmatch(r"[-+.\d]+\S*", label) else label)
        return ", ".join(parts) or "the only point"


def read_seeds(value: Union[Text, Items, None]) -> List[int]:
    """A count (5: seeds 1 to 5), a range (3-7) or a list."""
    if value is None:
        return [1]
    seeds = [int(v) for v in value] if isinstance(value, list) else parse_seeds(value)
    if len(set(seeds)) != len(seeds):
        fail(value, "a seed is there twice")
    return seeds


def seeds_text(seeds: Sequence[int]) -> str:
    """1-10, or 1-3 7 9."""
    runs: List[List[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][1] + 1:
            runs[-1][1] = seed
        else:
            runs.append([seed, seed])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def seed_count(points: Iterable[Point]) -> str:
    """How many seeds the points have: 5, 1 to 100, or none."""
    counts = [len(p.seeds) for p in points] or [0]
    return f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else str(max(counts))


def read_grid(sections: Map, options: Options) -> Dict[str, Axis]:
    """Axes: a list of values of one option, or labels that stand for several options each."""
    axes: Dict[str, Axis] = {}
    for name, values in sections.items():
        if not re.fullmatch(r"[A-Za-z_]\w*", name) and isinstance(values, Map):
            fail(name, f"axis '{name}', expected letters, digits and underscores")
        seen = set()
        for label in values:
            if label_key(label) in seen:
                fail(label, f"axis {name}: '{label}' is there twice")
            seen.add(label_key(label))
        if not 1 <= len(values) <= MAX_LABELS:
            fail(values, f"axis {name} has {len(values)} values, expected 1 to {MAX_LABELS}")
        settings = values.items() if isinstance(values, Map) else ((label, {name: label}) for label in values)
        axes[str(name)] = {str(label): options.read(some_options) for label, some_options in settings}
    return axes


def read_selection(value: Map, axes: Dict[str, List[str]], what: str) -> Selection:
    """Some of the points: axis -> a label or a list of them, each checked."""
    found: Selection = {}
    for axis, labels in value.items():
        if axis not in axes:
            fail(axis, f"{what}: no axis '{axis}', expected one of {', '.join(axes) or '(none)'}")
        found[str(axis)] = [known_label(label, axes[axis], axis, what) for label in some(labels)]
    return found


def known_label(label: Text, labels: List[str], axis: str, what: str) -> str:
    """The axis's own spelling of a label."""
    own = resolve_label(label, labels)
    if own is None:
        fail(label, f"{what}: axis {axis} has no '{label}', expected one of {', '.join(labels)}")
    return own


def read_place(value: Map, axes: Dict[str, List[str]], what: str) -> Coordinates:
    """Coordinates: axis -> label, each checked."""
    return {axis: labels[0] for axis, labels in read_selection(value, axes, what).items()}


def read_overrides(values: List[Map], axes: Dict[str, List[str]], options: Options) -> List[Override]:
    """Options and seeds of some points, in the file's order."""
    return [Override(read_selection(item["at"], axes, "override: at"), options.read(item.get("options", {})),
                     read_seeds(item["seeds"]) if "seeds" in item else None) for item in values]


def resolve_label(text: str, labels: List[str]) -> Optional[str]:
    """The axis's own spelling of a label, which may be equal as a number, None if it has none."""
    return next((label for label in labels if label_key(label) == label_key(text)), None)


def selects(selection: Selection, point: Coordinates) -> bool:
    """True if the point is among those selected."""
    return all(point.get(axis) in labels for axis, labels in selection.items())


def make_points(axes: Dict[str, Axis], fixed: Dict[str, str], excluded: List[Selection],
                overrides: List[Override], seeds: List[int], where: Map) -> List[Point]:
    """All combinations without the excluded ones. @param seeds of the points to which no override gives others"""
    count = math.prod(len(axis) for axis in axes.values())
    if count > MAX_RUNS:
        fail(where, f"the grid has {count} points, expected up to {MAX_RUNS}")
    points = []
    for combination in itertools.product(*(axis.items() for axis in axes.values())):
        coordinates = {name: label for name, (label, _) in zip(axes, combination)}
        if any(selects(e, coordinates) for e in excluded):
            continue
        options = dict(fixed)
        setter: Dict[str, str] = {}
        for name, (_, settings) in zip(axes, combination):
            for option, text in settings.items():
                if option in setter:
                    fail(where, f"option {option} is set by two axes: {setter[option]} and {name}")
                setter[option] = name
                options[option] = text
        own = seeds
        for override in overrides:
            if selects(override.at, coordinates):
                options.update(override.options)
                own = override.seeds or own
        points.append(Point(coordinates, options, own))
    if not points:
        fail(where, "grid and exclude leave no point")
    runs = sum(len(p.seeds) for p in points)
    if runs > MAX_RUNS:
        fail(where, f"points and seeds make {runs} runs, expected up to {MAX_RUNS}")
    return points
