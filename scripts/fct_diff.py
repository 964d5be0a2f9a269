#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare two results flow by flow, for example with a golden one.

    fct_diff.py A B [--tolerance 1%]

A and B are run folders or flows.csv files. Flows are matched by id. Without --tolerance every column must be equal. With one, the
times and slowdowns may differ by that much, and packets and retransmitted are shown but not judged; all other columns must still
be equal.

Exit status: 0 equal within the tolerance, 1 different, 2 unreadable input.
"""

import argparse
from typing import Dict, List, NamedTuple, Sequence, Tuple

import roce_results as rr
from roce_campaign.regress import Bound, fct_changes, of_flows, relative

TIMES = ("fct_ps", "receiver_fct_ps", "ideal_ps")
COUNTS = ("packets", "retransmitted")
# Field of rr.Flow -> column of flows.csv, where the names differ.
COLUMN = {"traffic_class": "class", "size": "bytes", "start_ps": "start_ns", "fct_ps": "fct_ns",
          "receiver_fct_ps": "receiver_fct_ns", "ideal_ps": "ideal_fct_ns", "finished": "status"}
HALF_DIGITS = 1e-6  # of two slowdowns, printed with six decimals


class Change(NamedTuple):
    """One flow that differs."""

    a: rr.Flow
    b: rr.Flow
    beyond: List[str]  # columns that differ by more than the tolerance
    within: List[str]  # columns that differ by less, or are not judged

    def row(self) -> List[str]:
        """Of the table of the largest."""
        a, b = self.a, self.b
        change = "-" if None in (a.fct_ps, b.fct_ps) else f"{100 * relative(a.fct_ps, b.fct_ps):+.4f}%"
        return [str(a.id), str(a.size), *("-" if f.fct_ps is None else f"{f.fct_ps / 1000:.3f}" for f in (a, b)), change,
                " ".join(self.beyond) or "-", " ".join(self.within) or "-"]


def tolerance(text: str) -> Bound:
    """0.01, 1%, 500ps, 5ns, 2us or 1ms."""
    try:
        if "=" in text:
            raise ValueError(f"'{text}', expected for example 0.01, 1%, 5ns or 2us")
        return Bound.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def by_id(file: str) -> Dict[int, rr.Flow]:
    """The flows of a run folder, or of a flows.csv, by id."""
    flows: Dict[int, rr.Flow] = {}
    for flow in rr.flows_of(file):
        if flow.id in flows:
            raise rr.ResultError(f"{file}: flow {flow.id} is there twice")
        flows[flow.id] = flow
    return flows


def allowed(field: str, a: rr.Flow, b: rr.Flow, bound: Bound) -> bool:
    """Whether a column may differ as it does."""
    x, y = getattr(a, field), getattr(b, field)
    if field not in (*TIMES, *COUNTS, "slowdown") or bound == Bound():
        return False
    if field in COUNTS or field == "slowdown" and bound.ns:  # that follows from the times, which are judged
        return True
    if x is None or y is None:
        return a.finished != b.finished  # "status" says so already
    return bound.allows(x / 1000, y / 1000) if field in TIMES else abs(y - x) <= bound.relative * abs(x) + HALF_DIGITS


def compare(a: rr.Flow, b: rr.Flow, bound: Bound) -> Change:
    fields = {f: allowed(f, a, b, bound) for f in rr.Flow._fields if getattr(a, f) != getattr(b, f)}
    return Change(a, b, *([COLUMN.get(f, f) for f, good in fields.items() if good == within] for within in (False, True)))


def bin_table(pairs: Sequence[Tuple[rr.Flow, rr.Flow]], changes: Sequence[Change]) -> rr.Table:
    header = ["size", "flows", "different", "beyond", "FCT mean change", "FCT largest",
              "A slowdown mean", "B slowdown mean", "A P99", "B P99"]
    metrics = [of_flows([pair[i] for pair in pairs]) for i in (0, 1)]
    rows = []
    for label in (*rr.SIZE_LABELS, "all"):
        here, changed = ([x for x in some if label in (rr.SIZE_LABELS[rr.size_bin(x[0].size)], "all")] for some in (pairs, changes))
        if not here:
            continue
        done = [(a, b) for a, b in here if a.finished and b.finished]
        shares = [share for share, _ in fct_changes(*zip(*done))] if done else []
        key = "all" if label == "all" else f"all.{label}"
        rows.append([label, str(len(here)), str(len(changed)), str(sum(bool(c.beyond) for c in changed)),
                     f"{100 * sum(shares) / len(done):+.4f}%" if done else "-", f"{100 * shares[0]:+.4f}%" if shares else "-"]
                    + [f"{m[name]:.6f}" if name in m else "-" for name in (f"{key}.slowdown.mean", f"{key}.slowdown.p99") for m in metrics])
    return header, rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", metavar="A", help="run folder or flows.csv (the reference)")
    parser.add_argument("b", metavar="B", help="run folder or flows.csv")
    parser.add_argument("--tolerance", type=tolerance, default="0", metavar="T",
                        help="0.01 or 1%% of A's value, or a time: 500ps, 5ns (default: exact)")
    parser.add_argument("--top", type=int, default=10, help="flows to list (default 10)")
    args = parser.parse_args()
    if args.top < 0:
        raise rr.ResultError(f"--top {args.top}, expected 0 or more")
    a, b = by_id(args.a), by_id(args.b)
    alone = [(args.a, sorted(a.keys() - b.keys())), (args.b, sorted(b.keys() - a.keys()))]
    pairs = [(a[i], b[i]) for i in sorted(a.keys() & b.keys())]
    # First what is beyond; of these a change of status; then by the relative change of FCT.
    changes = sorted((compare(x, y, args.tolerance) for x, y in pairs if x != y), key=lambda c: (
        not c.beyond, -abs(relative(c.a.fct_ps, c.b.fct_ps)), c.a.id))
    beyond = sum(bool(c.beyond) for c in changes)
    for name, ids in alone:
        if ids:
            print(f"only in {name}: {len(ids)} flow(s): " + ", ".join([*map(str, ids[:10]), *(["..."] if len(ids) > 10 else [])]))
    if changes and args.top:
        print(f"largest differences (A = {args.a}, B = {args.b}):")
        header = ["flow", "bytes", "A fct_ns", "B fct_ns", "change", "beyond", "within"]
        print(rr.format_aligned((header, [c.row() for c in changes[:args.top]])) + "\n")
    if changes:
        print(rr.format_aligned(bin_table(pairs, changes)) + "\n")
    different = bool(beyond or any(ids for _, ids in alone))
    exact = args.tolerance == Bound()
    verdict = "DIFFERENT" if different else "same" if exact else "same within the tolerance"
    print(f"{len(pairs)} flows compared: {len(changes)} differ"
          + ("" if exact else f", {beyond} beyond the tolerance") + f": {verdict}")
    return 1 if different else 0


if __name__ == "__main__":
    rr.run_main(main)
