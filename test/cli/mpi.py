# SPDX-License-Identifier: GPL-2.0-only
"""Several processes must give the bytes of one, and hold less each: all files, fingerprint, counters, what is said.

Small runs of golden.py and threads.py by mpirun, most with 2 processes, some with 4 or with threads. With ROCE_RANKS=2,4
all of them with those numbers. A process that dies must end the run and leave no result; one that gets a signal must not let
the others wait; processes that differ, and what several cannot do, must be refused in one line. Skipped without mpirun; a build
without MPI must say so.
"""

import contextlib
import os
import re
import shutil
import signal
import sys
from pathlib import Path

import pytest
from golden import RUNS
from threads import MORE, SMALL
from threads import REFUSED as NO_THREADS

from support import LEAF_SPINE, has_bytes, run, summary, wait_for
from support.parallel import MPIRUN, NO_LEAKS, check_same, result, said

if not shutil.which("mpirun"):
    pytest.skip("no mpirun; scripts/install.sh installs one", allow_module_level=True)

RUNS = {
    **RUNS,
    **MORE,
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
          "far-mlcc": [(2, 1), (3, 1)], "changes": [(2, 1), (3, 1), (2, 2)], "changes-samples": [(4, 1)]}
# Options that are refused, by a word of the message.
REFUSED = {**{option: word for option, word in NO_THREADS.items() if "=two" not in option and "=0" not in option},
           "--threads=auto": "auto", "--leaves=0": "leaves", "--noSuchOption=1": "noSuchOption", "--draw=none/page.html": "none/page.html"}


# By number of processes: what each holds of a network beyond its share at most, as a part of what one alone holds. It was 0.42 and
# 0.63; with full stations of others, 0.8 and more.
MORE_MEMORY = {2: 0.45, 4: 0.6}

# A run that takes long enough to look at.
LONG = ["--load=0.8", "--duration=1s", "--queues=50us", "--progress=none"]


@pytest.fixture(autouse=True)
def with_mpi(programs, request):
    """A build without MPI has only to say so."""
    if "libmpi" not in run("ldd", programs.build / "lib" / "libns3-roce.so", status=0).stdout and request.node.name != "test_without_mpi":
        pytest.skip("a build without MPI")


def test_without_mpi(programs, folder):
    """What a build without MPI says; one with it has several processes."""
    found = result(programs.bin / LEAF_SPINE, SMALL[1:], folder / "two", 2)
    if "libmpi" not in run("ldd", programs.build / "lib" / "libns3-roce.so").stdout:
        assert found["status"] == 2 and "built without MPI" in found["message"], f"{found}"
    else:
        assert found["status"] == 0, f"{found}"


@pytest.mark.parametrize("name", RUNS)
def test_same_bytes(programs, folder, name):
    """With each number of processes."""
    program, *options = RUNS[name]
    wanted = [(int(n), 1) for n in os.environ.get("ROCE_RANKS", "").split(",") if n]
    check_same(programs.bin / program, options, folder, wanted or SHAPES.get(name, [(2, 1)]))


def refuse(folder, word, *command):
    """@return the line in which mpirun's processes refuse to run, and nothing is left."""
    done = run(*MPIRUN, *command, status=2, cwd=folder, env=NO_LEAKS)
    message = said(done.stderr)
    assert message.count("\n") == 1 and word in message, f"{command}: {message}"
    assert not list(folder.glob("*/summary.json")), f"{command}: leaves a result"
    return message


@pytest.mark.parametrize("program, options, word", [
    *((LEAF_SPINE, [option], word) for option, word in REFUSED.items()), ("first-flow", [], "processes"),
    (LEAF_SPINE, ["--datacenters=1", "--leaves=1", "--hostDelay=0us"], "delay")])
def test_refused(programs, folder, program, options, word):
    """What several processes cannot do."""
    refuse(folder, word, "-np", 2, programs.bin / program, *options, *(["--out=refused"] if program == LEAF_SPINE else []))


# Runs a command and writes down its peak memory, KiB.
MEASURE = """
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
with open(sys.argv[1] + os.environ.get("OMPI_COMM_WORLD_RANK", "0"), "w", encoding="utf-8") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status if status != 3 else 0)  # else mpirun ends the others
"""


def peak_kib(program, folder, arity, processes):
    """@return the most that a process of a run of two fat-trees holds."""
    launcher = [*MPIRUN, "-np", processes] if processes > 1 else []
    name = folder / f"peak-{arity}-{processes}-"
    traffic = ["--duration=2us", "--load=0.3"] if arity > 4 else ["--duration=20us", "--load=0.9"]  # a flow or two
    run(*launcher, sys.executable, "-c", MEASURE, name, program, f"--k={arity}", "--wanDelay=20us", *traffic,
        "--stop=1ns", "--progress=none", "--out=", cwd=folder)
    peaks = [int(file.read_text()) for file in folder.glob(name.name + "*")]
    assert len(peaks) == processes, f"{peaks}"
    return max(peaks)


def test_memory(programs, folder):
    """A process of several holds less of a network than one alone."""
    if programs.sanitized():
        pytest.skip("sanitizers have memory of their own")
    program = programs.bin / "two-dc-fat-tree"
    one, two, four = (peak_kib(program, folder, 16, n) - peak_kib(program, folder, 4, n) for n in (1, 2, 4))
    assert two < (1 / 2 + MORE_MEMORY[2]) * one, f"two processes: {two} KiB each, one: {one}"
    assert four < (1 / 4 + MORE_MEMORY[4]) * one, f"four processes: {four} KiB each, one: {one}"


def other_build(program, folder):
    """@return a copy of a program with another build id."""
    data = bytearray(program.read_bytes())
    at = data.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")
    data[at + 16] ^= 1
    copy = folder / "other-build"
    copy.write_bytes(data)
    copy.chmod(0o755)
    return copy


def test_processes_that_differ(programs, folder):
    """In options, input, environment or build."""
    program = programs.bin / LEAF_SPINE
    for name, size in (("a", 50000), ("b", 90000)):
        (folder / name).mkdir()
        (folder / name / "f.csv").write_text(f"src,dst,bytes,start_ns\n0,4,100000,0\n4,5,{size},5\n")
    small = ["--leaves=2", "--hostsPerLeaf=2", "--duration=100us", "--progress=none", f"--out={folder}/differ"]
    listed = [*small, "--pattern=list", "--flows=f.csv"]
    # What each of two processes runs (options of mpirun, program, its options), and what the message says.
    cases = [
        ([[], program, small], [[], program, [*small, "--ns3::roce::Hpcc::Eta=0.5"]], "ns3::roce::Hpcc::Eta is 0.5, there not set"),
        ([[], program, [*small, "--ns3::roce::Hpcc::Eta=0.5"]], [[], program, small], "ns3::roce::Hpcc::Eta is not set, there 0.5"),
        ([["--wdir", folder / "a"], program, listed], [["--wdir", folder / "b"], program, listed], "flow 1 is 4 to 5, 90000 B"),
        ([[], program, small], [["-x", "NS_GLOBAL_VALUE=RngSeed=7"], program, small], "RngSeed is 7, there 1"),
        ([[], program, small], [["-x", "NS_GLOBAL_VALUE=RngRun=7"], program, small], "--seed is 7, there 1"),
        ([[], program, small], [[], program, [*small, "--load=0.1"]], "--load is 0.1, there 0.5"),
        ([[], program, small], [[], program, [*small, "--queues=5us"]], "--queues is 5us, there "),
        ([[], program, small], [[], other_build(program, folder), small], "build: program is "),
    ]
    for first, second, word in cases:
        command = [arg for i, (more, what, options) in enumerate((first, second))
                   for arg in ([":"] if i else []) + ["-np", "1", *more, what, *options]]
        message = refuse(folder, word, *command)
        assert message.startswith("error: process 1: its options or input are not those of process 0 ("), message
        assert not (folder / "differ").exists(), word


def children_of(parent):
    """@return processes whose parent it is."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rsplit(")", 1)[1].split()
            found += [int(stat.parent.name)] if int(fields[1]) == parent else []
    return sorted(found)


@pytest.fixture
def two_processes(programs, folder):
    """mpirun, which says what it has to, and whose two processes simulate; their ids, the result's folder and what is said."""
    out, errors = folder / "out", folder / "errors"
    with open(errors, "w", encoding="utf-8") as stream:
        process = programs.start(shutil.which("mpirun"), *MPIRUN[1:-1], "-np", 2, programs.bin / LEAF_SPINE, *LONG, f"--out={out}",
                                 stderr=stream, env={**os.environ, **NO_LEAKS})
    try:
        assert wait_for(lambda: has_bytes(out / "queues.csv.tmp"), process), f"no table: {errors.read_text()}"
        ranks = children_of(process.pid)
        assert len(ranks) == 2, f"processes {ranks}, expected 2"
        yield process, ranks, out, errors.read_text
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_one_is_killed(two_processes):
    """The run ends with an error and without a result."""
    process, ranks, out, message = two_processes
    os.kill(ranks[1], signal.SIGKILL)
    assert process.wait(timeout=60) != 0, message()
    assert not (out / "summary.json").exists() and not (out / "flows.csv").exists(), "it leaves results"
    assert "signal 9" in message() or "Killed" in message(), f"no clear error: {message()}"


def test_one_has_a_signal(two_processes):
    """All end with what there is, marked as a part."""
    process, ranks, out, message = two_processes
    os.kill(ranks[1], signal.SIGTERM)
    assert process.wait(timeout=60) == 3 and "unfinished: " in message() and "ended by SIGTERM" in message(), message()
    found = summary(out)
    assert found.get("interrupted") is True and 0 < found["flows"]["finished"] < found["flows"]["total"], found["flows"]


def test_one_is_stopped(two_processes):
    """The others say which one does not answer, and then go on."""
    process, ranks, out, message = two_processes
    table = out / "queues.csv.tmp"
    os.kill(ranks[1], signal.SIGSTOP)
    assert wait_for(lambda: "warning: " in message(), process), message()
    size = table.stat().st_size
    os.kill(ranks[1], signal.SIGCONT)
    assert wait_for(lambda: not table.exists() or table.stat().st_size > size, process), f"the run does not go on: {message()}"
    assert process.poll() is None and table.exists(), message()
    lines = [line for line in message().splitlines() if line.startswith("warning: ")]
    assert re.fullmatch(r"warning: process [01] has not answered for 10 s, the other processes wait", "".join(lines)), lines
