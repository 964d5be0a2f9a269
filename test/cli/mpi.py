#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Several processes must give the bytes of one: flows.csv, sampled series, fingerprint, counters, what is said at the end.

    mpi.py BUILD_DIR [NAME ...]

Runs small runs of golden.py and threads.py by mpirun, most with 2 processes, some with 4 or with threads. With ROCE_RANKS=2,4
all of them with those numbers. A process that dies must end the run and leave no result; one that gets a signal must not let
the others wait; processes that differ, and what several cannot do, must be refused in one line. Skipped (status 77) without
mpirun; a build without MPI must say so.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import threads
from golden import LEAF_SPINE, RUNS

SKIPPED = 77
SECONDS = 300
# Open MPI refuses root and more processes than cores unless it is told.
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--quiet"]
SMALL = threads.SMALL
RUNS = {
    **RUNS,
    **threads.MORE,
    # What stands for ports of other processes has the order of a list of names, too.
    "chosen": SMALL + ["--pattern=alltoall", "--messageBytes=30000", "--wanDelay=20us", "--queues=5us", "--utilisation=5us",
                       "--transport=7us", "--seriesPorts=dc1-leaf0,nic9,dc0-leaf1,nic2,dc1-dci0,dc0-dci0"],
    # A busy link between datacenters fails and is repaired again and again, one direction of another, while pauses stand.
    "cut-link-fails": SMALL + ["--load=0.6", "--interFraction=0.8", "--duration=100us", "--leafBuffer=1MiB", "--pauses=10us",
                               "--wanRate=20Gbps", "--wanDelay=20us", "--cc=none", "--lossRecovery=SelectiveRepeat",
                               "--reroute=10us", "--stop=400us",
                               "--failLinks=dc0-dci0/dc1-dci0@61us-62us,dc0-dci0/dc1-dci0@81us-82us,"
                               "dc0-dci0/dc1-dci0@101us-102us,dc0-leaf0>dc0-spine0@20us-70us"],
    # Processes meet every 300 us but for samples, most of which come at times of their own; a link between them fails meanwhile.
    "far": SMALL + ["--load=0.5", "--interFraction=0.3", "--wanDelay=300us", "--duration=700us", "--cc=Hpcc", "--queues=71us",
                    "--utilisation=113us", "--transport=203us", "--reroute=20us", "--failLinks=dc0-dci0/dc1-dci0@431us-507us"],
    # Nothing is looked at, and the last completions come when NICs have nothing more to send.
    "far-quiet": SMALL + ["--pattern=alltoall", "--messageBytes=20000", "--wanDelay=200us"],
    "far-mlcc": SMALL + ["--cc=Hpcc", "--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide", "--hostRate=25Gbps", "--load=0.5",
                         "--interFraction=0.6", "--wanDelay=50us", "--duration=300us", "--mlcc=17us"],
    "paused": SMALL + ["--pattern=incast", "--incastSenders=12", "--cc=none", "--leafBuffer=1MiB", "--spineBuffer=1MiB",
                       "--stop=60us", "--duration=50us"],
}
# By name of the run: numbers of processes, and threads of each. By default 2 processes of one thread.
SHAPES = {"two-dc-dcqcn": [(2, 1), (4, 1), (2, 2)], "two-dc-hpcc": [(2, 1), (4, 1)], "phases": [(2, 1), (4, 1)],
          "ties": [(2, 1), (4, 1)], "one-dc-timely": [(4, 1)], "chosen": [(4, 1)], "stalled": [(2, 1), (4, 1)],
          "tuner-lossy": [(2, 1), (3, 1), (2, 2)], "acc": [(2, 1), (3, 1)],
          "cut-link-fails": [(2, 1), (3, 1)], "far": [(2, 1), (3, 1), (2, 2)], "far-quiet": [(2, 1), (2, 3)],
          "far-mlcc": [(2, 1), (3, 1)]}
# Options that are refused, by a word of the message.
REFUSED = {**{option: word for option, word in threads.REFUSED.items() if "=two" not in option and "=0" not in option},
           "--threads=auto": "auto", "--leaves=0": "leaves", "--noSuchOption=1": "noSuchOption"}


def say(text):
    """Without mpirun's report of processes that have not ended with status 0."""
    return re.sub(r"-{20,}\n.*?-{20,}\n", "", text, flags=re.DOTALL)


def mpirun(program, options, out, n):
    """@return as threads.run(), with n processes."""
    found = threads.run(program, options, out, [*MPIRUN, "-np", str(n)])
    found["message"] = say(found["message"])
    return found


def compare(programs, names, scratch):
    """@return names of runs that are not the same."""
    failed = []
    wanted = [(int(n), 1) for n in os.environ.get("ROCE_RANKS", "").split(",") if n]
    graph = threads.write_graph(scratch)
    for name, (program, *options) in RUNS.items():
        if names and name not in names:
            continue
        options = [option.replace("{graph}", graph) for option in options]
        expected = threads.run(programs / program, options, scratch / name)
        if "flows.csv" not in expected:
            sys.exit(f"{name}: status {expected['status']}: {expected['message']}")
        for n, t in wanted or SHAPES.get(name, [(2, 1)]):
            more = [f"--threads={t}"] if t > 1 else []
            found = mpirun(programs / program, [*options, *more], scratch / f"{name}-{n}-{t}", n)
            differ = threads.differences(expected, found)
            if "flows.csv" not in found:
                differ.append(found["message"].strip())
            failed += [name] if differ else []
            print(f"{name}, {n} processes of {t} threads: {'differs: ' + ', '.join(differ) if differ else 'same'}", flush=True)
    return failed


def refuse(programs, scratch):
    """@return options that are not refused in one line."""
    failed = []
    cases = [(LEAF_SPINE, [option], word) for option, word in REFUSED.items()]
    cases += [("first-flow", [], "processes"), (LEAF_SPINE, ["--datacenters=1", "--leaves=1", "--hostDelay=0us"], "delay")]
    for program, options, word in cases:
        out = scratch / "refused"
        done = subprocess.run([*MPIRUN, "-np", "2", programs / program, *options, *([f"--out={out}"] if program == LEAF_SPINE else [])],
                              capture_output=True, text=True, timeout=SECONDS, check=False, cwd=scratch)
        message = say(done.stderr)
        if done.returncode != 2 or message.count("\n") != 1 or word not in message or (out / "summary.json").exists():
            failed.append(" ".join([program, *options]))
            print(f"{program} {' '.join(options)} with 2 processes: status {done.returncode}, '{message.strip()}'")
    return failed


def other_build(program, scratch):
    """@return a copy of a program with another build id."""
    data = bytearray(program.read_bytes())
    at = data.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")
    data[at + 16] ^= 1
    copy = scratch / "other-build"
    copy.write_bytes(data)
    copy.chmod(0o755)
    return copy


def differ(programs, scratch):
    """@return in what processes may differ without that being told."""
    failed = []
    program = programs / LEAF_SPINE
    for name, size in (("a", 50000), ("b", 90000)):
        (scratch / name).mkdir()
        (scratch / name / "f.csv").write_text(f"src,dst,bytes,start_ns\n0,4,100000,0\n4,5,{size},5\n")
    small = ["--leaves=2", "--hostsPerLeaf=2", "--duration=100us", "--progress=none", f"--out={scratch}/differ"]
    listed = [*small, "--pattern=list", "--flows=f.csv"]
    # What each of two processes runs (options of mpirun, program, its options), and what the message says.
    cases = [
        ([[], program, small], [[], program, [*small, "--ns3::roce::Hpcc::Eta=0.5"]], "ns3::roce::Hpcc::Eta is 0.5, there not set"),
        ([[], program, [*small, "--ns3::roce::Hpcc::Eta=0.5"]], [[], program, small], "ns3::roce::Hpcc::Eta is not set, there 0.5"),
        ([["--wdir", scratch / "a"], program, listed], [["--wdir", scratch / "b"], program, listed], "flow 1 is 4 to 5, 90000 B"),
        ([[], program, small], [["-x", "NS_GLOBAL_VALUE=RngSeed=7"], program, small], "RngSeed is 7, there 1"),
        ([[], program, small], [["-x", "NS_GLOBAL_VALUE=RngRun=7"], program, small], "--seed is 7, there 1"),
        ([[], program, small], [[], program, [*small, "--load=0.1"]], "--load is 0.1, there 0.5"),
        ([[], program, small], [[], program, [*small, "--queues=5us"]], "--queues is 5us, there "),
        ([[], program, small], [[], other_build(program, scratch), small], "build: program is "),
    ]
    for first, second, word in cases:
        command = MPIRUN + [arg for i, (more, what, options) in enumerate((first, second))
                            for arg in ([":"] if i else []) + ["-np", "1", *more, what, *options]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=scratch)
        message = say(done.stderr)
        line = "error: process 1: its options or input are not those of process 0 ("
        if done.returncode != 2 or message.count("\n") != 1 or not message.startswith(line) or word not in message or \
                (scratch / "differ").exists():
            failed.append(word)
            print(f"{word}: status {done.returncode}, '{message.strip()}'")
    return failed


def signal_one(programs, scratch):
    """One process gets a signal: @return what is wrong then."""
    out = scratch / "signalled"
    command = [*MPIRUN[:-1], "-np", "2", programs / LEAF_SPINE, "--load=0.8", "--duration=1s", "--queues=50us", "--progress=none",
               f"--out={out}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        ranks = once_writing(run, out / "queues.csv.tmp")
        if len(ranks) != 2:
            run.kill()
            return f"{len(ranks)} processes instead of 2, or no table"
        os.kill(ranks[1], signal.SIGTERM)
        try:
            _, message = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            run.kill()
            return "the others go on"
    if run.returncode != 3 or "unfinished: " not in message or "ended by SIGTERM" not in message:
        return f"status {run.returncode}, '{message}'"
    summary = json.loads((out / "summary.json").read_text())
    if summary.get("interrupted") is not True or not 0 < summary["flows"]["finished"] < summary["flows"]["total"]:
        return f"a result without the mark, or with all flows or none: {summary['flows']}"
    return ""


def children_of(parent):
    """@return processes whose parent it is."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        found += [int(stat.parent.name)] if int(fields[1]) == parent else []
    return sorted(found)


def once_writing(run, table):
    """Wait until a table has its first bytes: all processes simulate then. @return the processes of mpirun, none without the table"""
    end = time.monotonic() + 60
    while run.poll() is None and time.monotonic() < end:
        if table.exists() and table.stat().st_size:
            return children_of(run.pid)
        time.sleep(0.1)
    return []


def kill_one(programs, scratch):
    """One process is killed in the middle: @return what is wrong then."""
    out = scratch / "killed"
    command = [*MPIRUN[:-1], "-np", "2", programs / LEAF_SPINE, "--load=0.8", "--duration=1s", "--queues=50us", "--progress=none",
               f"--out={out}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        ranks = once_writing(run, out / "queues.csv.tmp")
        if len(ranks) != 2:
            run.kill()
            return f"{len(ranks)} processes instead of 2, or no table"
        os.kill(ranks[1], signal.SIGKILL)
        try:
            _, message = run.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            run.kill()
            return "the others go on"
    if run.returncode == 0:
        return f"status 0, '{message}'"
    if (out / "summary.json").exists() or (out / "flows.csv").exists():
        return "it leaves results"
    return "" if "signal 9" in message or "Killed" in message else f"no clear error: '{message}'"


def stop_one(programs, scratch):
    """One process is stopped for a while: the others say which one does not answer, and then go on. @return what is wrong"""
    out, said = scratch / "stopped", scratch / "stopped.txt"
    command = [*MPIRUN[:-1], "-np", "2", programs / LEAF_SPINE, "--load=0.8", "--duration=1s", "--queues=50us", "--progress=none",
               f"--out={out}"]
    with open(said, "w", encoding="utf-8") as errors, subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors) as run:
        ranks = once_writing(run, out / "queues.csv.tmp")
        if len(ranks) != 2:
            run.kill()
            return f"{len(ranks)} processes instead of 2, or no table"
        os.kill(ranks[1], signal.SIGSTOP)
        end = time.monotonic() + 60
        while "warning: " not in said.read_text() and run.poll() is None and time.monotonic() < end:
            time.sleep(0.1)
        size = (out / "queues.csv.tmp").stat().st_size
        os.kill(ranks[1], signal.SIGCONT)
        while (out / "queues.csv.tmp").exists() and (out / "queues.csv.tmp").stat().st_size == size and time.monotonic() < end:
            time.sleep(0.1)
        ended = run.poll()
        goes_on = ended is None and (out / "queues.csv.tmp").stat().st_size > size
        run.terminate()
        run.wait(timeout=60)
    message = said.read_text()
    if not goes_on:
        return f"the run does not go on, status {ended}, '{message}'"
    lines = [line for line in message.splitlines() if line.startswith("warning: ")]
    expected = re.fullmatch(r"warning: process [01] has not answered for 10 s, the other processes wait", "".join(lines))
    return "" if expected else f"expected one warning that names a process, found {lines}, '{message}'"


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: mpi.py BUILD_DIR [NAME ...]")
    if not shutil.which("mpirun"):
        print("skipped: no mpirun; scripts/install.sh installs one")
        sys.exit(SKIPPED)
    programs = (Path(sys.argv[1]) / "bin").resolve()
    # Open MPI does not give all of its memory back.
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        linked = subprocess.run(["ldd", programs.parent / "lib" / "libns3-roce.so"], capture_output=True, text=True, check=True)
        if "libmpi" not in linked.stdout:
            found = mpirun(programs / LEAF_SPINE, [], scratch / "without", 2)
            if found["status"] != 2 or "built without MPI" not in found["message"]:
                sys.exit(f"without MPI: status {found['status']}, '{found['message']}'")
            print("a build without MPI says so")
            return
        failed = compare(programs, sys.argv[2:], scratch)
        if not sys.argv[2:]:
            failed += refuse(programs, scratch)
            failed += differ(programs, scratch)
            if wrong := kill_one(programs, scratch):
                failed.append(f"a killed process: {wrong}")
            if wrong := signal_one(programs, scratch):
                failed.append(f"a process with a signal: {wrong}")
            if wrong := stop_one(programs, scratch):
                failed.append(f"a stopped process: {wrong}")
    if failed:
        sys.exit("results depend on the number of processes, or are not refused: " + ", ".join(failed))


if __name__ == "__main__":
    main()
