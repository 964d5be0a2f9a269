# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""YAML with strict types: every complaint names the file and the line.

Scalars keep the text they have in the file: "0.30" stays "0.30", "2:00:00" is no number of seconds
and "off" no boolean. What a value means is decided where it is used.
"""

import math
import re
from typing import Callable, Dict, List, NoReturn, Optional, Sequence, Tuple

import roce_results as rr

try:
    import yaml
except ImportError:
    raise rr.ResultError("campaigns need PyYAML: apt install python3-yaml") from None


MAX_BYTES = 1_000_000  # of an experiment file
MAX_DEPTH = 30  # of nesting, aliases followed
MAX_NODES = 1_000_000  # of the document, aliases followed
MAX_TEXT = 200  # of a label, name or title, characters
MAX_TIME_NS = 1e18  # thirty years
MAX_GBPS = 1e9
# No text for a figure, a page or a program's argument: NUL and its like, halves of a character.
NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


SMALLEST, LARGEST = 1e-100, 1e100  # of numbers: products of some of them are still numbers


class Loader(yaml.SafeLoader):
    """Composes nodes within limits, and without what this language has no meaning for."""

    def __init__(self, stream):
        super().__init__(stream)
        self.level = 0
        self.sizes: Dict[int, Tuple[int, int]] = {}  # of finished nodes by id: depth and nodes

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
        if isinstance(event, yaml.AliasEvent):
            if id(node) not in self.sizes:
                refuse(event, f"*{event.anchor} contains itself")
            return node
        below = []
        if isinstance(node, yaml.ScalarNode):
            bad = NO_TEXT.search(node.value)
            if bad:
                refuse(event, f"the character U+{ord(bad[0]):04X} is not allowed in a text")
        elif isinstance(node, yaml.SequenceNode):
            below = [self.sizes[id(n)] for n in node.value]
        else:
            below = [self.sizes[id(n)] for pair in node.value for n in pair]
        depth = 1 + max((d for d, _ in below), default=0)
        count = 1 + sum(n for _, n in below)
        if depth > MAX_DEPTH:
            refuse(event, f"nested deeper than {MAX_DEPTH} levels")
        if count > MAX_NODES:
            refuse(event, f"more than {MAX_NODES} values, aliases followed")
        self.sizes[id(node)] = depth, count
        return node


def refuse(event, problem: str) -> NoReturn:
    """As PyYAML's own complaints."""
    raise yaml.composer.ComposerError(None, None, problem, event.start_mark)


class Value:
    """A node of the file; the methods return what it must be, or raise with its line."""

    def __init__(self, node, file: str):
        self.node = node
        self.file = file
        self.line = node.start_mark.line + 1

    def fail(self, message: str) -> NoReturn:
        """One line with the place."""
        raise rr.ResultError(rr.one_line(f"{self.file}:{self.line}: {message}"))

    def is_scalar(self) -> bool:
        """A single value."""
        return isinstance(self.node, yaml.ScalarNode)

    def is_list(self) -> bool:
        """A sequence."""
        return isinstance(self.node, yaml.SequenceNode)

    def is_map(self) -> bool:
        """A mapping."""
        return isinstance(self.node, yaml.MappingNode)

    def text(self, what: str) -> str:
        """A scalar as it is written; not empty."""
        if not self.is_scalar():
            self.fail(f"{what}: expected a single value")
        if self.node.value == "":
            self.fail(f"{what} is empty")
        return self.node.value

    def short(self, what: str, longest: int = MAX_TEXT) -> str:
        """A scalar that is a line of some characters."""
        text = self.text(what)
        if "\n" in text or "\t" in text:
            self.fail(f"{what}: expected a single line without tabs")
        if len(text) > longest:
            self.fail(f"{what} has {len(text)} characters, expected up to {longest}")
        return text

    def name(self, what: str) -> str:
        """An identifier: letters, digits and underscores."""
        text = self.short(what)
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
            self.fail(f"{what} '{text}', expected letters, digits and underscores")
        return text

    def one_of(self, what: str, known: Sequence[str]) -> str:
        """One of the known words."""
        text = self.text(what)
        if text not in known:
            self.fail(f"{what} '{text}', expected one of {', '.join(known)}")
        return text

    def number(self, what: str) -> float:
        """A finite number."""
        text = self.text(what)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or (value and not SMALLEST <= abs(value) <= LARGEST):
            self.fail(f"{what} is '{text}', expected a number")
        return value

    def whole(self, what: str, low: int, high: int = 2**32 - 1) -> int:
        """A whole number within limits."""
        text = self.text(what)
        if not re.fullmatch(r"\d{1,12}", text) or not low <= int(text) <= high:
            self.fail(f"{what} is '{text}', expected a whole number from {low} to {high}")
        return int(text)

    def flag(self, what: str) -> bool:
        """true or false."""
        return self.one_of(what, ("true", "false")) == "true"

    def parsed(self, what: str, parse: Callable):
        """A scalar through a function that raises ValueError."""
        try:
            return parse(self.text(what))
        except ValueError as error:
            self.fail(f"{what}: {error}")

    def items(self, what: str, allow_empty: bool = False) -> List["Value"]:
        """The elements of a list."""
        if not self.is_list():
            self.fail(f"{what}: expected a list")
        if not self.node.value and not allow_empty:
            self.fail(f"{what}: the list is empty")
        return [Value(n, self.file) for n in self.node.value]

    def items_or_one(self, what: str) -> List["Value"]:
        """The elements of a list, or the value itself."""
        return self.items(what) if self.is_list() else [self]

    def pairs(self, what: str) -> List[Tuple["Value", "Value"]]:
        """Key and value of a mapping, in the file's order; a key twice is an error.

        The merge key '<<' (YAML 1.1) stands for the pairs of another mapping, or of several;
        of a key that is there more than once, the mapping's own value counts, then the first's.
        """
        if not self.is_map():
            self.fail(f"{what}: expected a mapping (name: value)")
        seen: Dict[str, int] = {}
        own = []
        merged = []
        for key_node, value_node in self.node.value:
            key = Value(key_node, self.file)
            value = Value(value_node, self.file)
            text = key.text(f"a key of {what}")
            if text in seen:
                key.fail(f"{what}: '{text}' is there twice (first in line {seen[text]})")
            seen[text] = key.line
            if text == "<<":
                for source in value.items_or_one(f"{what}: <<"):
                    merged += source.pairs(f"{what}: <<")
            else:
                own.append((key, value))
        taken = {key.node.value for key, _ in own}
        inherited = []
        for key, value in merged:
            if key.node.value not in taken:
                taken.add(key.node.value)
                inherited.append((key, value))
        return inherited + own

    def fields(self, what: str, known: Sequence[str],
               required: Sequence[str] = ()) -> Dict[str, "Value"]:
        """A mapping whose keys are all known."""
        result = {}
        for key, value in self.pairs(what):
            text = key.node.value
            if text not in known:
                key.fail(f"{what}: unknown key '{text}', expected one of {', '.join(known)}")
            result[text] = value
        for name in required:
            if name not in result:
                self.fail(f"{what}: '{name}' is missing")
        return result


def read(file: str, longest: int = MAX_BYTES) -> Value:
    """The document of a file of up to so many bytes."""
    text = read_text(file, longest)
    line, problem, loader = 1, "", None
    try:
        loader = Loader(text)
        node = loader.get_single_node()
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = f"the character U+{error.character:04X} is not allowed in a file"
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = getattr(error, "problem", None) or str(error)
    except (ValueError, OverflowError) as error:  # a number in an escape or a directive
        line, problem = loader.line + 1, str(error)
    if problem:
        raise rr.ResultError(rr.one_line(f"{file}:{line}: {problem}"))
    if node is None:
        raise rr.ResultError(f"{file}:1: empty, expected an experiment")
    return Value(node, file)


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


TIME_NS = {"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
SIZES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9,
         "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def parse_time_ns(text: str) -> float:
    """2ms or 500us in nanoseconds."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*(ps|ns|us|ms|s)", text)
    value = float(match[1]) * TIME_NS[match[2]] if match else math.inf
    if value > MAX_TIME_NS:
        raise ValueError(f"'{text}', expected a time such as 500us or 2ms")
    return value


def parse_bytes(text: str) -> int:
    """100KB, 1.5MB or 4MiB in bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([KMG]?i?B|)", text)
    value = float(match[1]) * SIZES[match[2]] if match and match[2] in SIZES else math.inf
    if value >= 2**64:
        raise ValueError(f"'{text}', expected a size such as 5000, 100KB or 4MiB")
    return round(value)


def parse_rate_gbps(text: str) -> float:
    """12.5Gbps or 400Mbps in Gbit/s."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?)\s*([kMGT]?)bps", text)
    units = {"": 1e-9, "k": 1e-6, "M": 1e-3, "G": 1.0, "T": 1e3}
    value = float(match[1]) * units[match[2]] if match else 0.0
    if not 0 < value <= MAX_GBPS:
        raise ValueError(f"'{text}', expected a rate such as 12.5Gbps")
    return value


class SizeRange:
    """Flow sizes above `low` and up to `high` bytes; None: no limit."""

    def __init__(self, low: Optional[int], high: Optional[int]):
        self.low = low
        self.high = high

    def __contains__(self, size: int) -> bool:
        return (self.low is None or size > self.low) and (self.high is None or size <= self.high)

    @staticmethod
    def parse(text: str) -> "SizeRange":
        """">10MB" (above), "<=100KB" (up to) or "100KB-1MB" (above the first, up to the second)."""
        match = re.fullmatch(r"(>|<=)\s*(\S.*)", text.strip())
        if match:
            size = parse_bytes(match[2].strip())
            return SizeRange(size, None) if match[1] == ">" else SizeRange(None, size)
        low, dash, high = text.partition("-")
        if dash:
            limits = parse_bytes(low.strip()), parse_bytes(high.strip())
            if limits[0] < limits[1]:
                return SizeRange(*limits)
        raise ValueError(f"'{text}', expected for example >10MB, <=100KB or 100KB-1MB")
