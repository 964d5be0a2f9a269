# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Axes and points: what an experiment runs, with which seeds."""

import itertools
import math
import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from .expression import Coordinates, label_key, same_label
from .program import Options
from .yamlread import Value

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

    def text(self) -> str:
        """For people: Hpcc, load=0.7 (the axis is named where the label is a number)."""
        parts = []
        for axis, label in self.coordinates.items():
            parts.append(f"{axis}={label}" if re.fullmatch(r"[-+.\d]+\S*", label) else label)
        return ", ".join(parts) or "the only point"


def read_seeds(value: Optional[Value]) -> List[int]:
    """A count (5: seeds 1 to 5), a range (3-7) or a list."""
    if value is None:
        return [1]
    if value.is_list():
        seeds = [v.whole("a seed", 1) for v in value.items("seeds")]
    else:
        text = value.text("seeds")
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text)
        if not match:
            value.fail(f"seeds '{text}', expected a count, a range such as 3-7, or a list")
        low, high = (1, int(match[1])) if match[2] is None else (int(match[1]), int(match[2]))
        if not 1 <= low <= high or high - low >= 100_000:
            value.fail(f"seeds '{text}', expected a count from 1 or an ascending range")
        seeds = list(range(low, high + 1))
    if len(set(seeds)) != len(seeds):
        value.fail("a seed is there twice")
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


def read_grid(pairs: List[Tuple[Value, Value]], options: Options) -> Dict[str, Axis]:
    """Axes: a list of values of one option, or labels that stand for several options each."""
    axes: Dict[str, Axis] = {}
    for key, value in pairs:
        name = key.short("axis")
        if not re.fullmatch(r"[A-Za-z_]\w*", name) and not value.is_list():
            key.fail(f"axis '{name}', expected letters, digits and underscores")
        axis: Axis = {}
        seen = set()
        for label in [k for k, _ in value.pairs(f"axis {name}")] if value.is_map() else \
                value.items(f"axis {name}"):
            text = label.short(f"a value of axis {name}")
            if label_key(text) in seen:
                label.fail(f"axis {name}: '{text}' is there twice")
            seen.add(label_key(text))
        if value.is_map():
            for label, settings in value.pairs(f"axis {name}"):
                axis[label.node.value] = dict(
                    options.read(k, v) for k, v in settings.pairs(f"{name} {label.node.value}"))
        else:
            for item in value.items(f"axis {name}"):
                axis[item.node.value] = dict([options.read(key, item)])
        if not 1 <= len(axis) <= MAX_LABELS:
            value.fail(f"axis {name} has {len(axis)} values, expected 1 to {MAX_LABELS}")
        axes[name] = axis
    return axes


def read_selection(value: Value, axes: Dict[str, List[str]], what: str) -> Selection:
    """Some of the points: axis -> a label or a list of them, each checked."""
    found: Selection = {}
    for key, labels in value.pairs(what):
        axis = key.node.value
        if axis not in axes:
            key.fail(f"{what}: no axis '{axis}', expected one of {', '.join(axes) or '(none)'}")
        found[axis] = []
        for label in labels.items_or_one(f"{what}: {axis}"):
            own = resolve_label(label.text(axis), axes[axis])
            if own is None:
                label.fail(f"{what}: axis {axis} has no '{label.node.value}', "
                           f"expected one of {', '.join(axes[axis])}")
            found[axis].append(own)
    return found


def read_where(value: Value, axes: Dict[str, List[str]], what: str) -> Coordinates:
    """Coordinates: axis -> label, each checked."""
    for key, label in value.pairs(what):
        label.text(f"{what}: {key.node.value}")  # no list
    return {axis: labels[0] for axis, labels in read_selection(value, axes, what).items()}


def read_overrides(values: List[Value], axes: Dict[str, List[str]],
                   options: Options) -> List[Override]:
    """Options and seeds of some points, in the file's order."""
    found = []
    for item in values:
        fields = item.fields("override", ("at", "options", "seeds"), ("at",))
        if len(fields) == 1:
            item.fail("override: expected options:, seeds: or both")
        settings = fields["options"].pairs("override: options") if "options" in fields else []
        found.append(Override(read_selection(fields["at"], axes, "override: at"),
                              dict(options.read(k, v) for k, v in settings),
                              read_seeds(fields["seeds"]) if "seeds" in fields else None))
    return found


def resolve_label(text: str, labels: List[str]) -> Optional[str]:
    """The axis's own spelling of a label, None if it has none."""
    return next((label for label in labels if same_label(label, text)), None)


def selects(selection: Selection, point: Coordinates) -> bool:
    """True if the point is among those selected."""
    return all(point.get(axis) in labels for axis, labels in selection.items())


def labels_of(axes: Dict[str, Axis]) -> Dict[str, List[str]]:
    """Axis -> labels."""
    return {name: list(axis) for name, axis in axes.items()}


def make_points(axes: Dict[str, Axis], fixed: Dict[str, str], excluded: List[Selection],
                overrides: List[Override], seeds: List[int], where: Value) -> List[Point]:
    """All combinations without the excluded ones.

    @param seeds of the points to which no override gives others
    """
    count = math.prod(len(axis) for axis in axes.values())
    if count > MAX_RUNS:
        where.fail(f"the grid has {count} points, expected up to {MAX_RUNS}")
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
                    where.fail(f"option {option} is set by two axes: {setter[option]} and {name}")
                setter[option] = name
                options[option] = text
        own = seeds
        for override in overrides:
            if selects(override.at, coordinates):
                options.update(override.options)
                own = override.seeds or own
        points.append(Point(coordinates, options, own))
    if not points:
        where.fail("grid and exclude leave no point")
    runs = sum(len(p.seeds) for p in points)
    if runs > MAX_RUNS:
        where.fail(f"points and seeds make {runs} runs, expected up to {MAX_RUNS}")
    return points
