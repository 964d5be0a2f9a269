# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""An experiment: a YAML file that is checked completely before anything runs.

The keys are described in contrib/roce/doc/roce.rst, "Campaigns"; scripts/experiments has examples.
"""

import csv
import itertools
import os
import re
import subprocess
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

import roce_results as rr

from . import identity, yamlread
from .expression import FUNCTIONS, Coordinates, Expression, same_label
from .yamlread import SizeRange, Value

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPERIMENTS = os.path.join(ROOT, "scripts", "experiments")

SECTIONS = ("title", "description", "program", "options", "seed_option", "grid", "exclude", "seeds",
            "warmup", "metrics", "plots", "targets", "claims", "slurm")
MERGED = ("options", "grid", "metrics", "slurm")  # "quick" and "full" change these key by key
OWN_OPTIONS = ("out", "progress")  # given to the program by the workflow

FLOW_VALUES = {"slowdown": "", "fct": "us", "receiver_fct": "us", "ideal_fct": "us",
               "goodput": "Gbit/s", "size": "B", "packets": "", "retransmitted": ""}
PLAIN_STATISTICS = ("mean", "min", "max", "sum", "count", "jain")
STATISTICS = f"{', '.join(PLAIN_STATISTICS)} or a percentile such as p99 or p99.9"
PLOTS = {"lines": (("metric", "x"), ("series", "where", "each", "title", "log")),
         "bars": (("metric", "x"), ("series", "where", "each", "title", "log")),
         "slowdown-by-size": ((), ("series", "where", "each", "title")),
         "fct-cdf": ((), ("series", "where", "each", "title")),
         "queues": ((), ("series", "where", "each", "title", "top"))}
KINDS = ("reduction", "ratio", "value", "count", "relation")
TARGET_COLUMNS = ("id,paper,figure,scenario,algorithm,baseline,metric,kind,reported,band_low,"
                  "band_high,rule,repro,note").split(",")


class Metric(NamedTuple):
    """What is measured of each run."""

    name: str
    source: str  # flows, counter, summary, file or expression
    fields: Dict[str, object]  # the definition, of plain values (JSON)
    label: str
    unit: str
    pool: bool
    expression: Optional[Expression]


class Point(NamedTuple):
    """A point of the grid."""

    coordinates: Coordinates
    options: Dict[str, str]

    def text(self) -> str:
        """For people: Hpcc, load=0.7 (the axis is named where the label is a number)."""
        parts = []
        for axis, label in self.coordinates.items():
            parts.append(f"{axis}={label}" if re.fullmatch(r"[-+.\d]+\S*", label) else label)
        return ", ".join(parts) or "the only point"


class Case(NamedTuple):
    """One case of a claim: its expression with the coordinates that it gives to all metrics."""

    title: str
    expression: Expression
    coordinates: Coordinates


class Claim(NamedTuple):
    """What a paper, or theory, says about the metrics."""

    id: str
    text: str
    kind: str
    unit: str
    reported: str
    band: Optional[Tuple[float, float]]
    rule: str
    cases: List[Case]
    at_least: int  # how many cases must hold (relations)
    target: Dict[str, str]  # the row of the table of targets, if any
    place: str  # file:line


class Plot(NamedTuple):
    """A figure."""

    kind: str
    fields: Dict[str, object]
    place: str


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
    reports_progress: bool
    axes: Dict[str, List[str]]  # of this size
    all_axes: Dict[str, List[str]]  # of this and the full size, for claims
    points: List[Point]
    seeds: List[int]
    warmup_ns: Optional[float]
    metrics: Dict[str, Metric]
    plots: List[Plot]
    claims: List[Claim]
    unclaimed: List[Dict[str, str]]  # selected rows of the table of targets without a claim
    slurm: Dict[str, str]

    def design(self) -> str:
        """A hash of what is run: program, options, grid and seeds."""
        return identity.data_hash([self.program, self.seed_option, self.seeds,
                                   [[p.coordinates, p.options] for p in self.points]])


def find(name: str) -> Tuple[str, str]:
    """Name and file of a built-in experiment, or of a path to a YAML file."""
    if name.endswith((".yaml", ".yml")) or os.sep in name:
        if not os.path.isfile(name):
            raise rr.ResultError(f"{name}: no such experiment file")
        return os.path.splitext(os.path.basename(name))[0], name
    file = os.path.join(EXPERIMENTS, name + ".yaml")
    if not os.path.isfile(file):
        known = sorted(f[:-5] for f in os.listdir(EXPERIMENTS) if f.endswith(".yaml"))
        raise rr.ResultError(f"{name}: no such experiment, there are {', '.join(known)}; "
                             "or give a path to a YAML file")
    return name, os.path.relpath(file)


# ----------------------------------------------------------------------------------- the program


def program_options(program: str, where: Value) -> List[str]:
    """The names of a program's options, from its --help."""
    if not os.path.isfile(program) or not os.access(program, os.X_OK):
        where.fail(f"program '{program}' is not there or not executable; build the project "
                   "(scripts/build.sh) or give a path")
    try:
        done = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60,
                              check=False, stdin=subprocess.DEVNULL,
                              env=identity.clean_environment())
        names = re.findall(r"^\s+--([A-Za-z][\w:-]*?):?(?:\s|$)", done.stdout, re.MULTILINE)
    except (OSError, subprocess.TimeoutExpired) as error:
        where.fail(f"program '{program}': --help does not work: {error}")
    if done.returncode != 0 or "out" not in names:
        where.fail(f"program '{program}': expected an option --out in its --help")
    return names


class Options:
    """Checks names of options against the program's."""

    def __init__(self, names: List[str], seed_option: str, folder: str):
        self.names = names
        self.own = OWN_OPTIONS + (seed_option,)
        self.folder = folder

    def read(self, key: Value, value: Value) -> Tuple[str, str]:
        """A name and its value."""
        name = key.node.value
        if name in self.own:
            key.fail(f"option '{name}' is set by the workflow, expected others")
        if name not in self.names and "::" not in name:
            key.fail(f"the program has no option --{name}")
        if value.is_scalar() and value.node.value == "":
            return name, ""
        text = value.text(f"option {name}")
        # The run's folder is another one, here and on each node.
        for mark, folder in (("./", self.folder), ("{root}/", ROOT)):
            if text.startswith(mark):
                text = os.path.join(folder, text[len(mark):])
                if not os.path.exists(text):
                    value.fail(f"option {name}: {text} does not exist")
        return name, text


# --------------------------------------------------------------------------------------- sections


def merge(base: Dict[str, Value], overlay: Dict[str, Value]) -> Dict[str, object]:
    """Sections of the file with those of one size; mappings become lists of key and value."""
    merged: Dict[str, object] = dict(base)
    for name, value in overlay.items():
        merged[name] = value
    for name in MERGED:
        pairs: Dict[str, Tuple[Value, Value]] = {}
        for source in (base, overlay):
            if name in source:
                pairs.update({k.node.value: (k, v) for k, v in source[name].pairs(name)})
        merged[name] = list(pairs.values())
    return merged


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


Axis = Dict[str, Dict[str, str]]  # label -> options


def read_grid(pairs: List[Tuple[Value, Value]], options: Options) -> Dict[str, Axis]:
    """Axes: a list of values of one option, or labels that stand for several options each."""
    axes: Dict[str, Axis] = {}
    for key, value in pairs:
        name = key.node.value
        if not re.fullmatch(r"[A-Za-z_]\w*", name) and not value.is_list():
            key.fail(f"axis '{name}', expected letters, digits and underscores")
        axis: Axis = {}
        if value.is_map():
            for label, settings in value.pairs(f"axis {name}"):
                axis[label.node.value] = dict(
                    options.read(k, v) for k, v in settings.pairs(f"{name} {label.node.value}"))
        else:
            for item in value.items(f"axis {name}"):
                option, text = options.read(key, item)
                label = item.node.value
                if any(same_label(label, other) for other in axis):
                    item.fail(f"axis {name}: '{label}' is there twice")
                axis[label] = {option: text}
        if not axis:
            value.fail(f"axis {name} has no value")
        axes[name] = axis
    return axes


def read_where(value: Value, axes: Dict[str, List[str]], what: str) -> Coordinates:
    """Coordinates: axis -> label, each checked."""
    found = {}
    for key, label in value.pairs(what):
        axis = key.node.value
        if axis not in axes:
            key.fail(f"{what}: no axis '{axis}', expected one of {', '.join(axes) or '(none)'}")
        found[axis] = resolve_label(label.text(axis), axes[axis])
        if found[axis] is None:
            label.fail(f"{what}: axis {axis} has no '{label.node.value}', "
                       f"expected one of {', '.join(axes[axis])}")
    return found


def resolve_label(text: str, labels: List[str]) -> Optional[str]:
    """The axis's own spelling of a label, None if it has none."""
    return next((label for label in labels if same_label(label, text)), None)


def matches(point: Coordinates, where: Coordinates) -> bool:
    """True if the point has all these coordinates."""
    return all(point.get(axis) == label for axis, label in where.items())


def labels_of(axes: Dict[str, Axis]) -> Dict[str, List[str]]:
    """Axis -> labels."""
    return {name: list(axis) for name, axis in axes.items()}


def make_points(axes: Dict[str, Axis], fixed: Dict[str, str], excluded: List[Coordinates],
                where: Value) -> List[Point]:
    """All combinations without the excluded ones."""
    points = []
    for combination in itertools.product(*(axis.items() for axis in axes.values())):
        coordinates = {name: label for name, (label, _) in zip(axes, combination)}
        if any(matches(coordinates, e) for e in excluded):
            continue
        options = dict(fixed)
        setter: Dict[str, str] = {}
        for name, (_, settings) in zip(axes, combination):
            for option, text in settings.items():
                if option in setter:
                    where.fail(f"option {option} is set by two axes: {setter[option]} and {name}")
                setter[option] = name
                options[option] = text
        points.append(Point(coordinates, options))
    if not points:
        where.fail("grid and exclude leave no point")
    return points


# ---------------------------------------------------------------------------------------- metrics


def parse_statistic(text: str) -> str:
    """Check a statistic's name."""
    match = re.fullmatch(r"p(\d{1,3}(?:\.\d{1,4})?)", text)
    good = 0 < float(match[1]) <= 100 if match else text in PLAIN_STATISTICS
    if not good:
        raise ValueError(f"statistic '{text}', expected {STATISTICS}")
    return text


def read_metrics(pairs: List[Tuple[Value, Value]]) -> Dict[str, Metric]:
    """The metrics in order; a derived one may use those before it."""
    metrics: Dict[str, Metric] = {}
    for key, value in pairs:
        name = key.name("metric")
        if name in FUNCTIONS:
            key.fail(f"metric '{name}' has the name of a function")
        metrics[name] = read_metric(name, value, metrics)
    return metrics


SOURCES = {
    "of": ("statistic", "scope", "size", "class", "tag", "pool"),
    "counter": (),
    "summary": (),
    "file": ("column", "statistic", "where", "after", "before", "weight", "group"),
    "expression": (),
}


def read_metric(name: str, value: Value, before: Dict[str, Metric]) -> Metric:
    """One definition."""
    what = f"metric {name}"
    keys = [k.node.value for k, _ in value.pairs(what)]
    chosen = [s for s in SOURCES if s in keys]
    if len(chosen) != 1:
        value.fail(f"{what}: expected exactly one of {', '.join(SOURCES)}")
    source = chosen[0]
    own = (source,) + SOURCES[source]
    needed = {"of": ("statistic",), "file": ("column", "statistic")}.get(source, ())
    fields = value.fields(what, own + ("label", "unit", "scale"), needed)
    plain: Dict[str, object] = {}
    unit, pool, expression = "", False, None
    if source == "of":
        plain["of"] = fields["of"].one_of(what, tuple(FLOW_VALUES))
        unit = FLOW_VALUES[plain["of"]]
        if "scope" in fields:
            plain["scope"] = fields["scope"].one_of(f"{what}: scope", rr.SCOPES)
        if "size" in fields:
            size = fields["size"].parsed(f"{what}: size", SizeRange.parse)
            plain["size"] = [size.low, size.high]
        for column in ("class", "tag"):
            if column in fields:
                plain[column] = [v.whole(f"{what}: {column}", 0)
                                 for v in fields[column].items_or_one(column)]
        pool = "pool" in fields and fields["pool"].flag(f"{what}: pool")
    elif source == "counter":
        plain["summary"] = ["counters", fields["counter"].text(what)]
    elif source == "summary":
        plain["summary"] = fields["summary"].text(what).split(".")
    elif source == "file":
        plain["file"] = fields["file"].text(what)
        if os.path.basename(plain["file"]) != plain["file"]:
            fields["file"].fail(f"{what}: expected the name of a file in the run's folder")
        plain["column"] = fields["column"].text(what)
        plain["where"] = {k.node.value: v.text(what)
                          for k, v in (fields["where"].pairs(what) if "where" in fields else [])}
        for limit in ("after", "before"):
            if limit in fields:
                plain[limit] = fields[limit].parsed(f"{what}: {limit}", yamlread.parse_time_ns)
        if "weight" in fields:
            plain["weight"] = fields["weight"].one_of(f"{what}: weight", ("rows", "time"))
        if "group" in fields:
            plain["group"] = fields["group"].text(f"{what}: group")
            if "weight" in fields:
                fields["weight"].fail(f"{what}: group: averages rows, without weight:")
    else:
        expression = fields["expression"].parsed(what, lambda t: Expression(t, before))
        if expression.boolean or any(r.coordinates for r in expression.references):
            fields["expression"].fail(f"{what}: expected a number from metrics of the same run")
        if any(before[r.metric].pool for r in expression.references):
            fields["expression"].fail(f"{what}: uses a pooled metric, which has no value per run")
        plain["expression"] = expression.text
    if "statistic" in fields:
        plain["statistic"] = fields["statistic"].parsed(what, parse_statistic)
        if plain["statistic"] in ("count", "jain"):
            unit = ""
        if plain.get("weight") == "time" and plain["statistic"] in ("sum", "count", "jain"):
            fields["statistic"].fail(f"{what}: weight: time gives no {plain['statistic']}")
    if "scale" in fields:
        plain["scale"] = fields["scale"].number(f"{what}: scale")
        unit = ""
    label = fields["label"].text(what) if "label" in fields else name.replace("_", " ")
    unit = fields["unit"].text(what) if "unit" in fields else unit
    kind = {"of": "flows", "counter": "summary"}.get(source, source)
    return Metric(name, kind, plain, label, unit, pool, expression)


# ------------------------------------------------------------------------------- claims and plots


def read_targets(value: Optional[Value], folder: str) -> Tuple[Dict[str, Dict[str, str]], bool]:
    """Rows of a table of targets by id, and whether rows without a claim are shown."""
    if value is None:
        return {}, False
    where: Dict[str, str] = {}
    file_value = value
    if value.is_map():
        fields = value.fields("targets", ("file", "where"), ("file",))
        file_value = fields["file"]
        if "where" in fields:
            for key, text in fields["where"].pairs("targets: where"):
                if key.node.value not in TARGET_COLUMNS:
                    key.fail(f"targets: no column '{key.node.value}'")
                where[key.node.value] = text.text("targets: where")
    name = file_value.text("targets")
    path = name.replace("{root}", ROOT) if name.startswith("{root}") else os.path.join(folder, name)
    return read_targets_file(path, where), bool(where)


def read_targets_file(path: str, where: Dict[str, str]) -> Dict[str, Dict[str, str]]:
    """The rows that have these fields, by id."""
    rows = {}
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            missing = [c for c in ("id", "kind", "reported", "band_low", "band_high", "rule")
                       if c not in (reader.fieldnames or [])]
            if missing:
                raise rr.ResultError(f"{path}:1: missing column(s) {', '.join(missing)}")
            for row in reader:
                if None in row or None in row.values():
                    raise rr.ResultError(f"{path}:{reader.line_num}: expected "
                                         f"{len(reader.fieldnames)} fields")
                if row["id"] in rows:
                    raise rr.ResultError(f"{path}:{reader.line_num}: id {row['id']} is there twice")
                if all(row.get(column) == text for column, text in where.items()):
                    rows[row["id"]] = row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise rr.ResultError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    return rows


TARGET_KINDS = {"relation": "relation", "count": "count", "ratio": "ratio"}


def target_kind(text: str) -> str:
    """Our kind of a claim for the table's: "reduction %", "x", "MB", ..."""
    if text.startswith("reduction") or text == "% range":
        return "reduction"
    return TARGET_KINDS.get(text, "value")


class Claims:
    """Reads claims; knows grid and metrics."""

    def __init__(self, metrics: Dict[str, Metric], axes: Dict[str, List[str]],
                 targets: Dict[str, Dict[str, str]]):
        self.metrics = metrics
        self.axes = axes
        self.targets = targets

    def read(self, value: Value) -> Claim:
        """One claim."""
        from . import score  # needs the classes above

        fields = value.fields("claim", ("id", "text", "value", "holds", "kind", "unit", "reported",
                                        "band", "rule", "at", "each", "at_least"), ("id",))
        name = fields["id"].text("id")
        what = f"claim {name}"
        target = self.targets.get(name, {})
        if ("value" in fields) == ("holds" in fields):
            value.fail(f"{what}: expected either value: or holds:")
        relation = "holds" in fields
        kind = "relation" if relation else target_kind(target.get("kind", "value"))
        if "kind" in fields:
            kind = fields["kind"].one_of(f"{what}: kind", KINDS)
        if relation != (kind == "relation"):
            value.fail(f"{what}: kind {kind} goes with {'value:' if relation else 'holds:'}")
        at = read_where(fields["at"], self.axes, what) if "at" in fields else {}
        each = self._each(fields.get("each"), what)
        cases = self._cases(fields["holds" if relation else "value"], at, each, what, relation)
        if not relation and len(cases) != 1:
            value.fail(f"{what}: each: goes with holds:, a value is one number")
        at_least = len(cases)
        if "at_least" in fields:
            at_least = fields["at_least"].parsed(f"{what}: at_least",
                                                 lambda t: parse_share(t, len(cases)))
        reported = fields["reported"].text(what) if "reported" in fields \
            else target.get("reported", "")
        band = self._band(fields.get("band"), target, what)
        rule = fields["rule"].text(what) if "rule" in fields else \
            "" if relation else target.get("rule", "")
        place = f"{value.file}:{value.line}"
        unit = "%" if kind == "reduction" else ""
        if target.get("kind") in ("MB", "Gb/s", "%", "x"):
            unit = target["kind"]
        text = " \u00b7 ".join(target[c] for c in ("figure", "scenario", "algorithm", "baseline",
                                                   "metric") if target.get(c) not in (None, "", "-"))
        claim = Claim(name, fields["text"].text(what) if "text" in fields else text or name, kind,
                      fields["unit"].text(what) if "unit" in fields else unit,
                      reported, band, rule, cases, at_least, target, place)
        try:
            score.Rule.of(claim)
        except ValueError as error:
            value.fail(f"{what}: {error}")
        return claim

    def _each(self, value: Optional[Value], what: str) -> Dict[str, List[str]]:
        """Variables of the cases: "load" (an axis, all its values), or name: list."""
        if value is None:
            return {}
        each = {}
        if value.is_map():
            for key, listed in value.pairs(f"{what}: each"):
                name = key.name("each")
                labels = [v.text("each") for v in listed.items_or_one("each")]
                if name in self.axes:
                    found = [resolve_label(label, self.axes[name]) for label in labels]
                    if None in found:
                        listed.fail(f"{what}: axis {name} has no '{labels[found.index(None)]}'")
                    labels = found
                each[name] = labels
            return each
        for item in value.items_or_one(f"{what}: each"):
            name = item.text("each")
            if name not in self.axes:
                item.fail(f"{what}: no axis '{name}', expected one of {', '.join(self.axes)}")
            each[name] = self.axes[name]
        return each

    def _cases(self, value: Value, at: Coordinates, each: Dict[str, List[str]], what: str,
               relation: bool) -> List[Case]:
        cases = []
        for combination in itertools.product(*each.values()):
            variables = dict(zip(each, combination))
            text = value.text(what)
            for name, label in variables.items():
                text = text.replace("{" + name + "}", label)
            try:
                expression = Expression(text, self.metrics)
            except ValueError as error:
                value.fail(f"{what}: {error}")
            if expression.boolean != relation:
                value.fail(f"{what}: expected "
                           + ("a comparison" if relation else "a number, holds: is for comparisons"))
            if not expression.references:
                value.fail(f"{what}: no metric in it")
            coordinates = dict(at)
            coordinates.update({n: v for n, v in variables.items() if n in self.axes})
            for reference in expression.references:
                self._check(reference, coordinates, value, what)
            title = ", ".join(f"{n}={v}" for n, v in variables.items())
            cases.append(Case(title, expression, coordinates))
        return cases

    def _check(self, reference, coordinates: Coordinates, value: Value, what: str) -> None:
        for axis, label in reference.coordinates.items():
            if axis not in self.axes:
                value.fail(f"{what}: no axis '{axis}', expected one of {', '.join(self.axes)}")
            if resolve_label(label, self.axes[axis]) is None:
                value.fail(f"{what}: axis {axis} has no '{label}', "
                           f"expected one of {', '.join(self.axes[axis])}")
        for axis, labels in self.axes.items():
            if axis not in reference.coordinates and axis not in coordinates and len(labels) > 1:
                value.fail(f"{what}: {reference.metric} at which {axis}? "
                           f"one of {', '.join(labels)}")

    @staticmethod
    def _band(value: Optional[Value], target: Dict[str, str], what: str):
        if value is not None:
            limits = [v.number(f"{what}: band") for v in value.items(f"{what}: band")]
            if len(limits) != 2 or not limits[0] <= limits[1]:
                value.fail(f"{what}: band, expected [low, high]")
            return tuple(limits)
        low, high = target.get("band_low", ""), target.get("band_high", "")
        if not low or not high:
            return None
        try:
            return float(low), float(high)
        except ValueError:
            raise rr.ResultError(f"{target['id']}: band '{low}', '{high}' in the table of targets, "
                                 "expected numbers") from None


def parse_share(text: str, total: int) -> int:
    """4 or 80% of the total, as a count."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d*)?)(%?)", text)
    if match and match[2]:
        share = float(match[1])
        if 0 < share <= 100:
            return max(1, -int(-total * share // 100))
    elif match and "." not in text and 1 <= int(text) <= total:
        return int(text)
    raise ValueError(f"'{text}', expected 1 to {total} or a part such as 80%")


def read_plot(value: Value, metrics: Dict[str, Metric], axes: Dict[str, List[str]]) -> Plot:
    """One figure."""
    keys = {k.node.value: v for k, v in value.pairs("plot")}
    if "kind" not in keys:
        value.fail("plot: 'kind' is missing")
    kind = keys["kind"].one_of("plot kind", tuple(PLOTS))
    required, optional = PLOTS[kind]
    fields = value.fields(f"plot {kind}", ("kind",) + required + optional, required)
    plain: Dict[str, object] = {}
    for name, field in fields.items():
        if name == "metric":
            plain[name] = [m.one_of("plot: metric", tuple(metrics))
                           for m in field.items_or_one("metric")]
        elif name in ("x", "series", "each"):
            names = [field] if name == "x" else field.items_or_one(name)
            plain[name] = [f.one_of(f"plot: {name}", tuple(axes)) for f in names]
        elif name == "where":
            plain[name] = read_where(field, axes, "plot: where")
        elif name == "log":
            plain[name] = field.flag("plot: log")
        elif name == "top":
            plain[name] = field.whole("plot: top", 1, 20)
        elif name == "title":
            plain[name] = field.text("title")
    return Plot(kind, plain, f"{value.file}:{value.line}")


SLURM = ("partition", "account", "qos", "time", "mem", "options")


def read_slurm(pairs: List[Tuple[Value, Value]]) -> Dict[str, str]:
    """What sbatch is told."""
    found = {}
    for key, value in pairs:
        name = key.one_of("slurm", SLURM)
        found[name] = value.text(f"slurm: {name}")
    return found


# ------------------------------------------------------------------------------------- everything


def load(name: str, size: str, program: Optional[str] = None,
         build: Optional[str] = None, targets_file: Optional[str] = None) -> Experiment:
    """Read and check an experiment.

    @param name of a built-in one, or the path of a YAML file
    @param size quick or full
    @param program path to use instead of the file's
    @param build folder whose bin/ has the programs; default build of this checkout
    @param targets_file table of targets to use instead of the file's
    """
    short, file = find(name)
    if not re.fullmatch(r"[A-Za-z0-9][\w.+-]*", short):
        raise rr.ResultError(f"{file}: '{short}' names the results, expected letters, digits and "
                             "._+-")
    folder = os.path.dirname(os.path.abspath(file))
    document = yamlread.read(file)
    known = SECTIONS + ("quick", "full")
    base = document.fields("the experiment", known, ("title", "program", "metrics"))
    overlays = {}
    for part in ("quick", "full"):
        overlays[part] = base[part].fields(part, SECTIONS) if part in base else None
        base.pop(part, None)
    if size == "quick" and overlays["quick"] is None:
        document.fail("there is no section 'quick', run it with --full")
    full = merge(base, overlays["full"] or {})
    chosen = full if size == "full" else merge(base, overlays["quick"])

    seed_option = chosen["seed_option"].text("seed_option") if "seed_option" in chosen else "seed"
    path = program or chosen["program"].text("program")
    if os.sep not in path:
        path = os.path.join(build or os.path.join(ROOT, "build"), "bin", path)
    elif not program:
        path = os.path.join(folder, path)
    names = program_options(path, chosen["program"])
    if seed_option not in names:
        chosen["program"].fail(f"the program has no option --{seed_option} for the seed; "
                               "name it with seed_option")
    options = Options(names, seed_option, folder)
    fixed = dict(options.read(k, v) for k, v in chosen["options"])
    axes = read_grid(chosen["grid"], options)
    all_axes = labels_of(read_grid(full["grid"], options))
    for axis, labels in labels_of(axes).items():
        known_labels = all_axes.setdefault(axis, [])
        known_labels += [x for x in labels if resolve_label(x, known_labels) is None]
    excluded = [read_where(v, all_axes, "exclude")
                for v in (chosen["exclude"].items("exclude") if "exclude" in chosen else [])]
    metrics = read_metrics(chosen["metrics"])
    if not metrics:
        document.fail("metrics: expected at least one")
    targets, show_all = (read_targets_file(targets_file, {}), False) if targets_file else \
        read_targets(chosen.get("targets"), folder)
    reader = Claims(metrics, all_axes, targets)
    claims = []
    for value in chosen["claims"].items("claims", True) if "claims" in chosen else []:
        claims.append(reader.read(value))
        if [c.id for c in claims].count(claims[-1].id) > 1:
            value.fail(f"claim {claims[-1].id} is there twice")
    claimed = {c.id for c in claims}
    unclaimed = [row for key, row in targets.items() if key not in claimed] if show_all else []
    plots = [read_plot(v, metrics, all_axes)
             for v in (chosen["plots"].items("plots", True) if "plots" in chosen else [])]
    with open(file, encoding="utf-8") as stream:
        text = stream.read()
    return Experiment(
        short, file, size, text,
        chosen["title"].text("title"),
        chosen["description"].text("description") if "description" in chosen else "",
        os.path.realpath(path), fixed, seed_option, "progress" in names,
        labels_of(axes), all_axes, make_points(axes, fixed, excluded, document),
        read_seeds(chosen.get("seeds")),
        chosen["warmup"].parsed("warmup", yamlread.parse_time_ns) if "warmup" in chosen else None,
        metrics, plots, claims, unclaimed, read_slurm(chosen["slurm"]))


def select(points: List[Point], where: Coordinates) -> Iterator[Point]:
    """The points with these coordinates."""
    return (p for p in points if matches(p.coordinates, where))
