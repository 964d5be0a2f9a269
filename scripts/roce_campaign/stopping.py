# SPDX-License-Identifier: GPL-2.0-only
"""When a campaign has enough seeds: more are added until the intervals of some claims are narrow.

The rule is in the file, so nobody decides by looking at the results. It looks at widths only, never
at where an interval lies; the number of seeds at which it ends still depends on the data, so the last
interval is a little too narrow on average.
"""

from typing import List, NamedTuple, Optional

from .claims import Claim
from .yamlread import Map, fail


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
        return low is not None and (high - low) / 2 <= self.half_width * (abs(value) if self.relative else 1)


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


def more_seeds(seeds: List[int], added: int) -> List[int]:
    """Seeds with so many behind the last one."""
    return seeds + list(range(max(seeds) + 1, max(seeds) + 1 + added))
