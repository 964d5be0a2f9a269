# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""When a campaign has enough seeds: more are added until the intervals of some claims are narrow.

The rule is in the file, so nobody decides by looking at the results. It looks at widths only, never
at where an interval lies; the number of seeds at which it ends still depends on the data, so the last
interval is a little too narrow on average.
"""

import re
from typing import List, NamedTuple, Optional, Tuple

from .claims import Claim
from .yamlread import Value

MAX_SEEDS = 1000


class Until(NamedTuple):
    """The rule."""

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
        return low is not None and (high - low) / 2 <= self.half_width * (
            abs(value) if self.relative else 1)


def parse_width(text: str) -> Tuple[float, bool]:
    """5, or 10% of the number."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s*(%?)", text)
    if not match or float(match[1]) <= 0:
        raise ValueError(f"'{text}', expected a number above 0, or one with %")
    return (float(match[1]) / 100, True) if match[2] else (float(match[1]), False)


def read_until(value: Optional[Value], claims: List[Claim]) -> Optional[Until]:
    """The section "until" of an experiment."""
    if value is None:
        return None
    fields = value.fields("until", ("claims", "half_width", "step", "most"),
                          ("claims", "half_width", "most"))
    numbers = [c.id for c in claims if c.kind != "relation"]
    chosen = [v.one_of("until: claims", numbers) for v in fields["claims"].items("until: claims")]
    width, relative = fields["half_width"].parsed("until: half_width", parse_width)
    return Until(chosen, width, relative,
                 fields["step"].whole("until: step", 1, MAX_SEEDS) if "step" in fields else 1,
                 fields["most"].whole("until: most", 2, MAX_SEEDS))


def more_seeds(seeds: List[int], added: int) -> List[int]:
    """Seeds with so many behind the last one."""
    return seeds + list(range(max(seeds) + 1, max(seeds) + 1 + added))
