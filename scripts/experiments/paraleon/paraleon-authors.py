# SPDX-License-Identifier: GPL-2.0-only
"""PARALEON beside the simulator of its authors: the same flows, paths and settings

Their files are not here. A folder with a case of theirs holds NAME.flow.txt and topo*.txt in the HPCC simulator's formats, and
NAME.fct.csv with the columns id (line of the flow file, from 0), bytes, ideal_fct_ns, and the completion times in ns of the runs
default, expert and a1_seed1, a1_seed2 and so on, or a1_from_2000ms, where their tuner has begun one interval earlier. The first
and the last may be compressed (.gz). Of several cases in a folder one is chosen by the path of its NAME.flow.txt.
"""

import contextlib
import csv
import gzip
import os
import re
import subprocess
import sys
from typing import Dict, Iterator, List, TextIO, Tuple

import roce_results as rr

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
FEWEST = 30  # flows of a class that are compared
STATIC, TUNED = 0.05, 0.1  # how far mean slowdowns may be apart
CLASSES = {"to 1 kB": (0, 1e3, "<=1KB"), "1 to 10 kB": (1e3, 1e4, "1KB-10KB"), "10 to 120 kB": (1e4, 120e3, "10KB-120KB"),
           "120 kB to 1 MB": (120e3, 1e6, "120KB-1MB"), "above 1 MB": (1e6, float("inf"), ">1MB")}
SCHEMES = {"Default": (r"default", STATIC), "Expert": (r"expert", STATIC), "PARALEON": (r"a1_(seed\d+|from_\d+ms\w*)", TUNED)}

EXPERIMENT = """\
title: "PARALEON beside the simulator of its authors: {name}"
description: |
  What the simulator of PARALEON's authors made of these flows, and ours with the same topology, paths and settings: HPCC's
  simulator below (replay --profile=hpcc-sim), ACKs in the class of data, no pacing of CNPs, a first one that cuts to half, and for
  the tuner also the two faults of their DCQCN. Random numbers differ: marks, and all of the search.
program: replay
options:
  topology: ./topology.txt
  flows: ./flows.txt
  pathFile: ./paths.csv
  profile: hpcc-sim
  set: HAS_WIN=0,ACK_HIGH_PRIO=0,BUFFER_SIZE=12,PACKET_PAYLOAD_SIZE=1000
  cc: Dcqcn
  int: false
  ns3::roce::Nic::DataHeaderBytes: 56 # and a time stamp
  ns3::roce::Switch::ResumeOthers: false
  hpccFct: false
  hpccPfc: false
grid:
  scheme:
    Default: {{'ns3::roce::Dcqcn::Profile': paraleon-a1}}
    Expert: {{'ns3::roce::Dcqcn::Profile': paraleon-a1-expert, 'ns3::roce::EcnMarker::Profile': paraleon-expert}}
    PARALEON: {{'ns3::roce::Dcqcn::Profile': paraleon-a1, tuner: 'Paraleon[Profile=artifact-a1]'}}
seeds: 5
quick: {{seeds: 3}}
metrics:
{metrics}
  unfinished: {{summary: flows.unfinished, label: unfinished flows}}
  pauses: {{counter: pfcXoffSent, label: PFC pauses (XOFF), unit: pauses}}
plots:
  - {{kind: claims, title: "Mean slowdowns, ours over theirs"}}
  - {{kind: table, title: Numbers, metric: [{names}, unfinished, pauses], rows: scheme}}
claims:
{claims}
"""


@contextlib.contextmanager
def opened(path: str) -> Iterator[TextIO]:
    """A text file that may be compressed."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path, encoding="utf-8") as stream:
            yield stream
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise rr.ResultError(f"{path}: {error}") from None


def find(given: str) -> Tuple[str, str, str, str]:
    """Name, flows, completion times and topology of the case in a folder, or of which the flows are given."""
    folder, chosen = (os.path.dirname(given), os.path.basename(given)) if os.path.isfile(given) else (given, None)
    files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    cases = {m[1]: f for f in files if chosen in (None, f) for m in [re.fullmatch(r"(.+)\.flow\.txt(?:\.gz)?", f)] if m}
    if len(cases) != 1:
        raise rr.ResultError(f"{given}: {', '.join(cases) or 'no NAME.flow.txt'}, expected one case: a folder with it, or its NAME.flow.txt")
    name, flows = next(iter(cases.items()))
    times = [f for f in (f"{name}.fct.csv", f"{name}.fct.csv.gz") if f in files]
    topologies = [f for f in files if re.fullmatch(r"topo.*\.txt", f)]
    # Of several the one with the same number of hosts in its name.
    hosts = re.search(r"\d+", name)
    fitting = [f for f in topologies if hosts and hosts[0] in re.findall(r"\d+", f)] if len(topologies) > 1 else topologies
    if not times or len(fitting) != 1:
        raise rr.ResultError(f"{folder}: no {name}.fct.csv" if not times else
                             f"{folder}: {', '.join(topologies) or 'no topo*.txt'}, expected one topology for {name}")
    return name, *(os.path.join(folder, f) for f in (flows, times[0], fitting[0]))


def read_slowdowns(path: str) -> Dict[str, Dict[str, List[float]]]:
    """Slowdowns by scheme and class; those of several seeds together."""
    found: Dict[str, Dict[str, List[float]]] = {}
    with opened(path) as stream:
        rows = csv.DictReader(stream)
        columns = {s: [c for c in rows.fieldnames or [] if re.fullmatch(p, c)] for s, (p, _) in SCHEMES.items()}
        try:
            for row in rows:
                size, ideal = int(row["bytes"]), float(row["ideal_fct_ns"])
                label = next(c for c, (low, high, _) in CLASSES.items() if low < size <= high or size == low == 0)
                for scheme, names in columns.items():
                    for column in names:
                        found.setdefault(scheme, {}).setdefault(label, []).append(float(row[column]) / ideal)
        except (KeyError, ValueError, TypeError, ZeroDivisionError, csv.Error) as error:
            raise rr.ResultError(f"{path}:{rows.line_num}: {error!r}, expected numbers in bytes, ideal_fct_ns and the runs") from None
    if not found:
        raise rr.ResultError(f"{path}: no flow of a run default, expert or a1_seed1")
    return found


def write(path: str, text: str) -> None:
    """Write a file unless it has that text."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            if stream.read() == text:
                return
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def make(given: Dict[str, str], folder: str) -> str:
    """Write the experiment for a case. @param given inputs: case, a folder @param folder to write into @return its YAML file"""
    if set(given) != {"case"}:
        raise rr.ResultError("paraleon-authors needs a case of PARALEON's authors' simulator, which is not part of this project: "
                             "--input case=FOLDER, with NAME.flow.txt, NAME.fct.csv and topo*.txt")
    name, flows, times, topology = find(given["case"])
    theirs = read_slowdowns(times)
    os.makedirs(folder, exist_ok=True)
    for path, target in ((flows, "flows.txt"), (topology, "topology.txt")):
        with opened(path) as stream:
            write(os.path.join(folder, target), stream.read())
    paths = subprocess.run([sys.executable, os.path.join(ROOT, "contrib", "roce", "hpcc", "hpcc_paths.py"), "topology.txt", "flows.txt"],
                           cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if paths.returncode:
        raise rr.ResultError(rr.one_line(paths.stderr.strip() or f"{flows}: paths cannot be computed"))
    write(os.path.join(folder, "paths.csv"), paths.stdout)
    metrics, claims = [], []
    for i, (label, (_, _, size)) in enumerate(CLASSES.items()):
        if any(len(classes.get(label, [])) >= FEWEST for classes in theirs.values()):
            metrics.append(f'  class{i}: {{of: slowdown, statistic: mean, size: "{size}", label: "mean slowdown {label}"}}')
    for scheme, classes in theirs.items():
        allowed = SCHEMES[scheme][1]
        for i, label in enumerate(CLASSES):
            values = classes.get(label, [])
            if len(values) >= FEWEST:
                mean = sum(values) / len(values)
                claims.append(f'  - {{id: "{scheme}-{size_id(label)}", text: "{scheme}, {label}: theirs {mean:.3f}", value: "class{i} / '
                              f'{mean!r}", at: {{scheme: {scheme}}}, kind: ratio, reported: 1, '
                              f'band: [{1 - allowed}, {1 + allowed}], own: true}}')
    file = os.path.join(folder, "paraleon-authors.yaml")
    write(file, EXPERIMENT.format(name=name, metrics="\n".join(metrics), claims="\n".join(claims),
                                  names=", ".join(m.split(":")[0].strip() for m in metrics)))
    return file


def verdict(results: str) -> str:
    """A line for each scheme: whether the means of all sizes are as near as they should be."""
    with opened(os.path.join(results, "score.csv")) as stream:
        ratios = {row["id"]: float(row["ours"]) for row in csv.DictReader(stream) if row["ours"]}
    lines = []
    for scheme, (_, allowed) in SCHEMES.items():
        own = {label: ratios[f"{scheme}-{size_id(label)}"] for label in CLASSES if f"{scheme}-{size_id(label)}" in ratios}
        if own:
            worst = max(own, key=lambda label: abs(own[label] - 1))
            lines.append(f"{scheme}: {'within' if abs(own[worst] - 1) <= allowed else 'NOT within'} {allowed:.0%} in all {len(own)} "
                         f"size(s); farthest is {worst}, ours over theirs {own[worst]:.3f}")
    return "\n".join(lines)


def size_id(label: str) -> str:
    """A class in a claim's id."""
    return label.replace(" ", "-")
