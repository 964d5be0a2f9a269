# SPDX-License-Identifier: GPL-2.0-only
"""A baseline: runs with their command lines and the completion time of every flow, as one text file.

    format: 1
    bounds: ['*=1%']
    runs:
      - name: load-0.3-seed1
        program: two-dc-leaf-spine              # of the build, or a path from this file's folder
        options: [--load=0.3, --seed=1]
        status: 0
        starts: true                            # flow starts belong to the workload, they wait for nothing
        arrivals: 6a09...                       # SHA-256 of the flows: hosts, class, tag, size, start
        ideal: bb67...                          # SHA-256 of their ideal completion times
        inputs: {'{here}/topology.txt': 9f86...}    # SHA-256 of the files that it has read
        flows: 33
        fct_ps: 132873600 6512640 ...           # in the order of ids; - is not finished

Sizes and hosts of the flows are not in it: those of the new run are the same, or the check ends there.
"""

from typing import Dict, List, NamedTuple, Optional, Tuple

import yaml

import roce_results as rr
from roce_files import write_whole

from . import identity, yamlread
from .regress import Bound
from .same_runs import arrivals, has_phases

FORMAT = 1
WIDTH = 120
HEAD = "# What scripts/regress check compares with; written by scripts/regress record.\n"
MAX_BYTES = 100_000_000


class Recorded(NamedTuple):
    """A run of a baseline."""

    name: str
    program: str
    options: List[str]
    status: int  # exit status of the program: 0, or 3 if flows are not done
    starts: bool
    arrivals: str
    ideal: str
    fct_ps: List[Optional[int]]  # None: not finished
    inputs: Dict[str, str] = {}  # path -> SHA-256


class Baseline(NamedTuple):
    """The file."""

    bounds: List[str]
    runs: List[Recorded]


def hashes(run: rr.Run, starts: bool) -> Tuple[str, str]:
    """What a run's workload and its ideal completion times are."""
    return (identity.data_hash(arrivals(run.flows, starts)),
            identity.data_hash([f.ideal_ps for f in in_order(run)]))


def in_order(run: rr.Run) -> List[rr.Flow]:
    """The flows by their ids."""
    return sorted(run.flows, key=lambda f: f.id)


def recorded(name: str, program: str, options: List[str], status: int, run: rr.Run, inputs: Dict[str, str]) -> Recorded:
    """What a baseline keeps of a run."""
    starts = not has_phases(run)
    return Recorded(name, program, options, status, starts, *hashes(run, starts),
                    [f.fct_ps for f in in_order(run)], inputs)


def flows_with(fct_ps: List[Optional[int]], new: rr.Run) -> List[rr.Flow]:
    """The flows of a new run, but for their completion times and the slowdowns that follow."""
    return [f._replace(fct_ps=fct, finished=fct is not None, slowdown=None if fct is None else fct / max(1, f.ideal_ps))
            for f, fct in zip(in_order(new), fct_ps)]


def write(baseline: Baseline, file: str) -> None:
    """The file, in an order that makes differences small."""
    runs = [{**{k: v for k, v in r._asdict().items() if k != "fct_ps" and (k != "inputs" or v)}, "flows": len(r.fct_ps),
             "fct_ps": " ".join("-" if x is None else str(x) for x in r.fct_ps)} for r in baseline.runs]
    write_whole(file, HEAD + yaml.safe_dump({"format": FORMAT, "bounds": baseline.bounds, "runs": runs}, width=WIDTH, sort_keys=False,
                                            default_flow_style=None, allow_unicode=True))


def read(file: str) -> Baseline:
    """The file, checked."""
    document = yamlread.check(yamlread.read(file, MAX_BYTES), "baseline", "the baseline")
    if document["format"] != str(FORMAT):
        yamlread.fail(document["format"], f"format is '{document['format']}', expected {FORMAT}: record it again")
    for bound in document["bounds"]:
        yamlread.parsed(bound, Bound.parse, "bounds")
    names = [run["name"] for run in document["runs"]]
    for run, name in zip(document["runs"], names):
        if names.count(name) > 1:
            yamlread.fail(run, f"run '{name}' is there twice")
    return Baseline([str(bound) for bound in document["bounds"]], [read_run(run) for run in document["runs"]])


def read_run(run: yamlread.Map) -> Recorded:
    """One run."""
    fct = yamlread.parsed(run["fct_ps"], lambda text: [None if x == "-" else picoseconds(x) for x in text.split()], "fct_ps")
    if len(fct) != int(run["flows"]):
        yamlread.fail(run["flows"], f"flows is {run['flows']}, but fct_ps has {len(fct)} of them")
    name, program, arrivals, ideal = (str(run[key]) for key in ("name", "program", "arrivals", "ideal"))
    return Recorded(name, program, [str(o) for o in run["options"]], int(run["status"]), run["starts"] == "true", arrivals, ideal,
                    fct, {str(path): str(digest) for path, digest in run.get("inputs", {}).items()})


def picoseconds(text: str) -> int:
    """A completion time; ValueError."""
    if not text.isdecimal():
        raise ValueError(f"'{text[:40]}', expected picoseconds or -")
    return int(text)
