# SPDX-License-Identifier: GPL-2.0-only
"""Whether two runs can be compared: the same flows, and which options differ."""

from typing import Dict, List, Optional, Sequence, Tuple

import roce_results as rr

OWN = ("out", "progress", "dryRun")  # options without influence on results
PARTS = ("attributes", "globals", "topology")  # of a manifest; options and versions are compared by name
FEW = 5


def has_phases(run: rr.Run) -> bool:
    """True if flows wait for others, so that their starts are results."""
    return "iterations" in run.summary or any(f.start_ps is None for f in run.flows)


def arrivals(flows: Sequence[rr.Flow], starts: bool) -> List[Tuple]:
    """What the workload is: flows in the order of their ids. @param starts whether with their times"""
    return sorted((f.id, f.src, f.dst, f.traffic_class, f.tag, f.scope, f.size, f.start_ps if starts else None)
                  for f in flows)


def other_workload(base: rr.Run, new: rr.Run) -> Optional[str]:
    """How the workloads differ, None if they are the same."""
    starts = not has_phases(base) and not has_phases(new)
    a, b = arrivals(base.flows, starts), arrivals(new.flows, starts)
    if len(a) != len(b):
        return f"{len(a)} and {len(b)} flows"
    differ = [x[0] for x, y in zip(a, b) if x != y]
    return f"{len(differ)} of {len(a)} flows have other hosts, sizes or starts, first flow {differ[0]}" if differ else None


def differing_options(pairs: Dict[str, Tuple[rr.Run, rr.Run]]) -> List[str]:
    """Options that have other values in the new runs: "--load: 0.3 -> 0.5 (all runs)". Versions, too."""
    found: Dict[Tuple[str, str, str], List[str]] = {}
    for name, (base, new) in pairs.items():
        parts = [run.summary.get("manifest", {}).get("parts", {}) for run in (base, new)]
        for part in PARTS:
            values = tuple(str(p[part])[:12] for p in parts if part in p)
            if len(set(values)) == 2:
                found.setdefault((f"digest of {part}", *values), []).append(name)
        for title, key in (("--{}", "configuration"), ("version of {}", "versions")):
            a, b = base.summary.get(key, {}), new.summary.get(key, {})
            for option in sorted(a.keys() | b.keys()):
                values = str(a.get(option, "(none)")), str(b.get(option, "(none)"))
                # An option that only one version has is no difference as long as it is new in both.
                if values[0] != values[1] and option not in OWN:
                    found.setdefault((title.format(option), *values), []).append(name)
    return [f"{option}: {a} -> {b} ({'all runs' if len(names) == len(pairs) else listed(names)})"
            for (option, a, b), names in found.items()]


def listed(names: Sequence[str]) -> str:
    """The first ones."""
    return ", ".join(names[:FEW]) + (", ..." if len(names) > FEW else "")
