# SPDX-License-Identifier: GPL-2.0-only
"""Names of a paper's figures and tables, however they are written: Figure 9, fig9, Fig. 9a, Figures 11, 12 and 15, Table 3.

A Name is a kind, a number and perhaps a letter. One without a letter is all of that figure.
"""

import re
from typing import NamedTuple, Set

KINDS = {"f": "Figure", "t": "Table"}
# Kind, first number, and the numbers or letters that go on: "Figures 11, 12 and 15a", "Figures 9 to 11", "Figure 13 A and B".
START = re.compile(r"\b(fig(?:ure)?s?|tables?)[ .~_-]*(\d+)", re.I)
LETTER = re.compile(r" ?([a-h])(?![a-z])", re.I)
MORE = re.compile(r"(,? (?:and|to)|,|/|-) ?(?:(\d+)|([a-h])(?![a-z]))", re.I)


class Name(NamedTuple):
    """One figure or table, or a part of it."""

    kind: str  # Figure or Table
    number: int
    letter: str = ""  # small

    def __str__(self) -> str:
        return f"{self.kind} {self.number}{self.letter}"

    def is_part_of(self, other: "Name") -> bool:
        """True if both speak of the same, or of a part of it."""
        return self[:2] == other[:2] and (not self.letter or not other.letter or self.letter == other.letter)


def find(text: str) -> Set[Name]:
    """The figures and tables that a text names."""
    found: Set[Name] = set()
    for start in START.finditer(text):
        kind, number, at = KINDS[start[1][0].lower()], int(start[2]), start.end()
        letter = ""
        while True:
            lettered = LETTER.match(text, at)
            if lettered:
                letter, at = lettered[1].lower(), lettered.end()
            found.add(Name(kind, number, letter))
            more = MORE.match(text, at)
            if not more:
                break
            is_range, at = more[1].strip() in ("to", "-"), more.end()
            if more[2]:
                found |= {Name(kind, n) for n in range(number + 1, int(more[2])) if is_range}
                number, letter = int(more[2]), ""
            else:
                first, letter = letter, more[3].lower()
                if is_range and first:
                    found |= {Name(kind, number, chr(c)) for c in range(ord(first) + 1, ord(letter))}
    return found


def is_named(text: str, wanted: str) -> bool:
    """True if wanted is the name of figures or tables, and nothing else, and the text speaks of one of them."""
    names = find(wanted)
    rest = START.sub("", wanted)
    return bool(names) and not re.sub(r"\d+|\b[a-h]\b|and|to|[ ,./-]", "", rest, flags=re.I) and any(
        n.is_part_of(w) for n in find(text) for w in names)
