# SPDX-License-Identifier: GPL-2.0-only
"""What several threads or processes must not change."""

import json
import os
import re
from pathlib import Path

from golden import COMMON

from . import contents, run, summary

# Open MPI refuses root and more processes than cores unless it is told.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet"]
# Open MPI does not give all of its memory back.
NO_LEAKS = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
# Each flow waits for two before it: of its own source, to its source, or of others.
GRAPH = "src,dst,bytes,start_ns,name,after\n" + "".join(
    f"{7 * i % 16},{(7 * i + 3 + i % 5) % 16},{3000 * (i % 9)},{i % 4 * 250},f{i},{f'f{i // 2} f{i - 1}' if i > 2 else ''}\n"
    for i in range(120))

# Four ways from datacenter 0 to 3 of other delays and rates, two of them a link longer.
WAN = "0 1 200Gbps 30us\n1 3 200Gbps 30us\n0 2 25Gbps 10us\n2 3 25Gbps 10us\n1 2 100Gbps 20us\n"


def goal(ranks=16, messages=120, nics=1):
    """@return GOAL: messages with and without named sources and tags, short and long, on two CPUs that compute between them."""
    lines = [[] for _ in range(ranks)]
    for i in range(messages):
        src, size, tag = 7 * i % ranks, f"{3000 * (i % 9)}b", i % 3
        dst = (src + 3 + i % 5) % ranks
        source = ("-1", "-1") if dst % 4 == 0 else (src, "-1") if dst % 4 == 1 else (src, tag)
        lines[src] += [f"c{i}: calc {i % 7 * 400} cpu {i % 2}", f"s{i}: send {size} to {dst} tag {tag} cpu {i % 2} nic {i % nics}",
                       f"s{i} {'irequires' if i % 3 == 0 else 'requires'} c{i}"]
        lines[dst] += [f"r{i}: recv {size} from {source[0]} tag {source[1]}"]
        for rank, label, first in ((src, f"c{i}", 3), (dst, f"r{i}", 1)):
            before = [line.split(":")[0] for line in lines[rank][:-first] if line[0] == "r" and ":" in line]
            if before and i % 4 != 1:
                lines[rank].append(f"{label} requires {before[-1]}")
    return f"num_ranks {ranks}\n" + "".join(f"rank {r} {{\n" + "".join(f"{line}\n" for line in lines[r]) + "}\n" for r in range(ranks))


# A step of training in both datacenters, and two collectives on the same NICs.
JOBS = [{"name": "step", "placement": "random", "repetitions": 2, "pause": "3us",
         "training": {"tensor": 2, "pipeline": 2, "data": 2, "layers": 4, "microBatches": 3, "hidden": 64, "sequence": 128, "flops": 1e13,
                      "zero": True, "overlap": True, "bucketBytes": 20000}},
        {"name": "reduce", "ranks": 8, "start": "7us", "repetitions": 3, "placement": "0-3,8-11",
         "collective": {"kind": "all-reduce", "bytes": 100000, "levels": "2:direct,4:ring", "pieces": 3}},
        {"name": "exchange", "ranks": 4, "repetitions": 4, "placement": "9,1,8,0", "collective": {"kind": "all-to-all", "bytes": 50000}}]


def said(text):
    """Without mpirun's report of processes that have not ended with status 0."""
    return re.sub(r"-{20,}\n.*?-{20,}\n", "", text, flags=re.DOTALL)


def result(program, options, out, processes=1, launcher=None):
    """@return status, and by name what must not depend on threads and processes.

    @param launcher what starts the processes, if not mpirun
    @param options {graph} stands for a list of flows, {goal} for programs of 16 ranks, {nics} for those of 8 with two NICs, {jobs} for JOBS,
        {wan} for WAN
    """
    files = {name: Path(out).with_name(name) for name in ("graph", "goal", "nics", "jobs", "wan")}
    files["graph"].write_text(GRAPH, encoding="utf-8")
    files["wan"].write_text(WAN, encoding="utf-8")
    files["goal"].write_text(goal(), encoding="utf-8")
    files["nics"].write_text(goal(ranks=8, nics=2), encoding="utf-8")
    files["jobs"].write_text(json.dumps(JOBS), encoding="utf-8")
    launcher = launcher or ([*MPIRUN, "-np", processes] if processes > 1 else [])
    done = run(*launcher, program, *COMMON, *(o.format(**files) if "{" in o else o for o in options), "--fingerprint", f"--out={out}",
               status=None, timeout=600, env=NO_LEAKS if launcher else {})
    found = {"status": done.returncode, "message": said(done.stderr)}
    if done.returncode in (0, 3):
        told = summary(out)
        told["counters"].pop("events")
        found.update({"fingerprint": told["fingerprint"], "counters": told["counters"], "statistics": told["statistics"],
                      "digest": told["manifest"]["digest"]})
        found.update({name: data for name, data in contents(out).items() if name != "summary.json"})
    return found


def differences(expected, found):
    """@return names of what is not the same in two results, and what was said without a result."""
    differ = [what for what in {**expected, **found} if expected.get(what) != found.get(what)]
    return differ + ([] if "flows.csv" in found else [found["message"].strip()])


def check_same(program, options, folder, shapes):
    """Each shape, (processes, threads), gives what one thread gives."""
    expected = result(program, options, folder / "one")
    assert "flows.csv" in expected, f"one thread: {expected}"
    for processes, threads in shapes:
        more = [f"--threads={threads}"] if threads > 1 else []
        differ = differences(expected, result(program, [*options, *more], folder / f"{processes}-{threads}", processes))
        assert not differ, f"{processes} processes of {threads} threads: {', '.join(differ)}"
