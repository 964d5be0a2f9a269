# SPDX-License-Identifier: GPL-2.0-only
"""YAML files checked against a schema: every complaint names the file and the line.

What is read are mappings, lists and texts that know their place in the file. Scalars keep the text they have there: "0.30" stays
"0.30", "2:00:00" is no number of seconds and "off" no boolean. experiment.schema.json says what the parts of an experiment may
be, in JSON Schema with these additions:

  expected     what a text should be, for the message
  format       one of FORMATS
  whole        limits of a whole number
  oneOrMore    a list of such values, or one without the list
  keys         which keys go together, "NAME!" is required: those of "" and those of the one key that is there
               ("reduction: one two!"), or with "by" those of the value of that key
"""

import functools
import json
import math
import os
import re
import shlex
from typing import Dict, List, NoReturn, Optional, Tuple, Union

import jsonschema
import yaml

import roce_results as rr

MAX_BYTES = 1_000_000  # of an experiment file
MAX_DEPTH = 30  # of nesting, aliases followed
MAX_NODES = 100_000  # of the document, aliases followed; the largest experiment has 5000
MAX_TIME_NS = 1e18  # thirty years
MAX_GBPS = 1e9
# No text for a figure, a page or a program's argument: NUL and its like, halves of a character.
NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
SMALLEST, LARGEST = 1e-100, 1e100  # of numbers: products of some of them are still numbers


class Text(str):
    """A scalar as it is written."""
    place = ""  # file:line


class Items(list):
    """A list."""
    place = ""


class Map(dict):
    """A mapping; its keys are texts."""
    place = ""


Tree = Union[Text, Items, Map]


def fail(where: Tree, message: str) -> NoReturn:
    """One line with the place."""
    raise rr.ResultError(rr.one_line(f"{where.place}: {message}"))


def some(value: Tree) -> List[Tree]:
    """The elements of a list, or the value itself."""
    return value if isinstance(value, list) else [value]


def parsed(text: Text, parse, what: str):
    """A text through a function that raises ValueError."""
    try:
        return parse(text)
    except ValueError as error:
        fail(text, f"{what}: {error}")


# ---------------------------------------------------------------------------------------- reading


class Loader(yaml.SafeLoader):
    """Composes nodes within limits, and without what this language has no meaning for."""

    def __init__(self, stream, file: str):
        super().__init__(stream)
        self.file = file
        self.level = 0
        self.made: Dict[int, Optional[Tuple[Tree, int, int]]] = {}  # of nodes by id: tree, depth, number of values; None: begun

    def compose_node(self, parent, index):
        """A node with all below it."""
        event = self.peek_event()
        self.level += 1
        if self.level > MAX_DEPTH:
            refuse(event, f"nested deeper than {MAX_DEPTH} levels")
        if getattr(event, "tag", None) not in (None, "!"):
            refuse(event, f"the tag {event.tag} has no meaning here")
        node = super().compose_node(parent, index)
        self.level -= 1
        return node

    def tree(self, node) -> Tuple[Tree, int, int]:
        """What a node is, which aliases share, its depth and how many values it has, aliases followed."""
        if id(node) in self.made:
            return self.made[id(node)] or refuse(node, "an alias for what it is in: that contains itself")
        self.made[id(node)] = None
        if isinstance(node, yaml.ScalarNode):
            below, found = [], Text(node.value)
            bad = NO_TEXT.search(node.value)
            if bad:
                refuse(node, f"the character U+{ord(bad[0]):04X} is not allowed in a text")
        elif isinstance(node, yaml.SequenceNode):
            below = [self.tree(n) for n in node.value]
            found = Items(part for part, *_ in below)
        else:
            below = [self.tree(n) for pair in node.value for n in pair]
            found = mapping([(k, v) for (k, *_), (v, *_) in zip(below[::2], below[1::2])])
        depth, count = 1 + max((d for _, d, _ in below), default=0), 1 + sum(n for *_, n in below)
        if depth > MAX_DEPTH or count > MAX_NODES:
            refuse(node, f"nested deeper than {MAX_DEPTH} levels" if depth > MAX_DEPTH else
                   f"more than {MAX_NODES} values, aliases followed")
        found.place = f"{self.file}:{node.start_mark.line + 1}"
        self.made[id(node)] = found, depth, count
        return found, depth, count


def refuse(where, problem: str) -> NoReturn:
    """As PyYAML's own complaints. @param where event or node"""
    raise yaml.composer.ComposerError(None, None, problem, where.start_mark)


def mapping(pairs) -> Map:
    """Keys and values in the file's order; a key twice is an error.

    The merge key '<<' (YAML 1.1) stands for the pairs of another mapping, or of several; of a key that is there more than once,
    the mapping's own value counts, then the first's."""
    own = Map()
    for key, value in pairs:
        if not isinstance(key, Text):
            fail(key, "a key of a mapping: expected a single value")
        if key == "":
            fail(key, "a key of a mapping is empty")
        if key in own:
            first = next(k for k in own if k == key)
            fail(key, f"'{key}' is there twice (first in line {first.place.rpartition(':')[2]})")
        own[key] = value
    inherited: Dict[Text, Tree] = {}
    for source in some(own.pop("<<", [])):
        if not isinstance(source, Map):
            fail(source, "<<: expected a mapping (name: value)")
        inherited = {**source, **inherited}
    return Map({**{k: v for k, v in inherited.items() if k not in own}, **own})


def read(file: str, longest: int = MAX_BYTES) -> Tree:
    """The document of a file. @param longest bytes of it"""
    text = read_text(file, longest)
    line, problem, loader = 1, "", None
    try:
        loader = Loader(text, file)
        node = loader.get_single_node()
        if node is not None:
            return loader.tree(node)[0]
        problem = "empty, expected an experiment"
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = f"the character U+{error.character:04X} is not allowed in a file"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or str(error)
    except (ValueError, OverflowError) as error:  # a number in an escape or a directive
        line, problem = loader.line + 1, str(error)
    raise rr.ResultError(rr.one_line(f"{file}:{line}: {problem}"))


def read_text(file: str, longest: int = MAX_BYTES) -> str:
    """The text of a file in UTF-8, with or without a byte order mark."""
    try:
        with open(file, "rb") as stream:
            data = stream.read(longest + 1)
    except OSError as error:
        raise rr.ResultError(f"{file}: {error.strerror}") from None
    if len(data) > longest:
        raise rr.ResultError(f"{file}:1: more than {longest} bytes, expected an experiment")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise rr.ResultError(f"{file}:{line}: not UTF-8") from None


# ----------------------------------------------------------------------------------------- values


def number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (value and not SMALLEST <= abs(value) <= LARGEST):
        raise ValueError(f"'{text}', expected a number")
    return value


def quantity(text: str, units: Dict[str, float], example: str, most: float, least: float = 0) -> float:
    """A number with its unit."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*(\D*)", text)
    value = float(match[1]) * units[match[2]] if match and match[2] in units else math.inf
    if not least <= value <= most:
        raise ValueError(f"'{text}', expected a {example}")
    return value


def parse_time_ns(text: str) -> float:
    """2ms or 500us in nanoseconds."""
    return quantity(text, {"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}, "time such as 500us or 2ms", MAX_TIME_NS)


def parse_bytes(text: str) -> int:
    """100KB, 1.5MB or 4MiB in bytes."""
    return round(quantity(text, {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30},
                          "size such as 5000, 100KB or 4MiB", 2**64 - 1))


def parse_rate_gbps(text: str) -> float:
    """12.5Gbps or 400Mbps in Gbit/s."""
    return quantity(text, {"bps": 1e-9, "kbps": 1e-6, "Mbps": 1e-3, "Gbps": 1.0, "Tbps": 1e3}, "rate such as 12.5Gbps", MAX_GBPS,
                    SMALLEST)


def parse_sizes(text: str) -> Tuple[Optional[int], Optional[int]]:
    """">10MB" (above), "<=100KB" (up to) or "100KB-1MB" (above the first, up to the second), as limits in bytes."""
    match = re.fullmatch(r"(>|<=)\s*(\S.*)", text.strip())
    if match:
        size = parse_bytes(match[2].strip())
        return (size, None) if match[1] == ">" else (None, size)
    low, dash, high = text.partition("-")
    limits = (parse_bytes(low.strip()), parse_bytes(high.strip())) if dash else (0, 0)
    if limits[0] >= limits[1]:
        raise ValueError(f"'{text}', expected for example >10MB, <=100KB or 100KB-1MB")
    return limits


def parse_after(text: str) -> Dict[str, float]:
    """A time, or a part of the run such as 50%."""
    share = re.fullmatch(r"(\d{1,2}(?:\.\d*)?)\s*%", text)
    return {"after_share": float(share[1]) / 100} if share else {"after": parse_time_ns(text)}


def parse_seeds(text: str) -> List[int]:
    """A count (5: seeds 1 to 5) or a range (3-7)."""
    match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text)
    low, high = (1, 0) if not match else (1, int(match[1])) if match[2] is None else (int(match[1]), int(match[2]))
    if not 1 <= low <= high or high - low >= 100_000:
        raise ValueError(f"'{text}', expected a count from 1, an ascending range such as 3-7, or a list")
    return list(range(low, high + 1))


def split_options(text: str) -> List[str]:
    """Options of sbatch as in a shell."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ValueError(f"'{text}': {error}".lower()) from None


FORMATS = {"number": number, "time": parse_time_ns, "rate": parse_rate_gbps, "sizes": parse_sizes, "after": parse_after,
           "seeds": parse_seeds, "sbatch": split_options}

# ----------------------------------------------------------------------------------------- schema

KINDS = {"string": "a single value", "array": "a list", "object": "a mapping (name: value)"}


def check_whole(_validator, limits, value, _schema):
    low, high = limits
    if isinstance(value, str) and not (re.fullmatch(r"\d{1,12}", value) and low <= int(value) <= high):
        yield jsonschema.ValidationError(f"is '{value}', expected a whole number from {low} to {high}", instance=value)


def check_one_or_more(validator, schema, value, _schema):
    if isinstance(value, list) and not value:
        yield jsonschema.ValidationError("the list is empty", instance=value)
    for item in some(value):
        yield from validator.descend(item, schema)


def check_keys(_validator, cases, value, schema):
    if not isinstance(value, dict):
        return
    known, by = [c for c in cases if c], schema.get("by")
    chosen = [c for c in known if (value.get(by) == c if by else c in value)]
    if by and by in value and not chosen:
        yield jsonschema.ValidationError(f"{by} '{value[by]}', expected one of {', '.join(known)}", instance=value[by])
    elif len(chosen) != 1:
        yield jsonschema.ValidationError(f"'{by}' is missing" if by else f"expected exactly one of {', '.join(known)}", instance=value)
    else:
        words = [by or chosen[0], *cases[chosen[0]].split(), *cases.get("", "").split()]
        names = [w.rstrip("!") for w in words]
        for key in (k for k in value if k not in names):
            yield jsonschema.ValidationError(f"unknown key '{key}', expected one of {', '.join(names)}", instance=key)
        for word in words:
            if word.endswith("!") and word[:-1] not in value:
                yield jsonschema.ValidationError(f"'{word[:-1]}' is missing", instance=value)


@functools.lru_cache(maxsize=None)
def validator_of(part: str):
    """What checks a part of an experiment. @param part a name of $defs in experiment.schema.json"""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "experiment.schema.json"), encoding="utf-8") as stream:
        schema = json.load(stream)
    formats = jsonschema.FormatChecker(formats=())
    for name, parse in FORMATS.items():
        formats.checks(name, raises=ValueError)(lambda v, parse=parse: not isinstance(v, str) or [parse(v)] != [])
    own = {"whole": check_whole, "oneOrMore": check_one_or_more, "keys": check_keys}
    return jsonschema.validators.extend(jsonschema.Draft202012Validator, own)({**schema, "$ref": f"#/$defs/{part}"}, format_checker=formats)


def message(error) -> str:
    """What is wrong, in words."""
    value, wanted, rule = error.instance, error.validator_value, error.validator
    if rule in ("whole", "oneOrMore", "keys"):
        return error.message
    if rule == "format":
        return str(error.cause)
    if rule == "type":
        return "expected " + " or ".join(KINDS[k] for k in ([wanted] if isinstance(wanted, str) else wanted))
    if rule == "enum":
        return f"'{value}', expected one of {', '.join(wanted)}"
    if rule == "required":
        return next(f"'{name}' is missing" for name in wanted if name not in value)
    if rule == "additionalProperties":
        return f"unknown key '{unknown(error)}', expected one of {', '.join(error.schema['properties'])}"
    if rule == "maxLength":
        return f"has {len(value)} characters, expected up to {wanted}"
    if rule == "minLength" or (rule in ("minItems", "minProperties") and not value):
        return "is empty"
    return (f"'{value}', " if isinstance(value, str) else "") + f"expected {error.schema['expected']}"


def unknown(error) -> Text:
    """The first key that a mapping should not have."""
    return next(k for k in error.instance if k not in error.schema["properties"])


def check(tree: Tree, part: str, what: str) -> Tree:
    """The tree if it is as the schema has that part, else one line."""
    error = next(validator_of(part).iter_errors(tree), None)
    if error is None:
        return tree
    names, node = [what] if what else [], tree
    for step in error.absolute_path:
        node = node[step]
        if isinstance(step, str):
            names.append(step)
        elif isinstance(node, Map) and isinstance(node.get("id"), Text):
            names.append(node["id"])
    text = message(error)
    where = unknown(error) if error.validator == "additionalProperties" else error.instance
    fail(where, (": ".join(names) or "the experiment") + (" " if text.startswith(("'", "is ", "has ")) else ": ") + text)
