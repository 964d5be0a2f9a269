# SPDX-License-Identifier: GPL-2.0-only
"""What a run tells while it goes: figures that agree with its result, one line of a terminal, and lines in one piece."""

import json
import os
import pty
import re

import pytest

from support import LEAF_SPINE, rows, run, summary
from support.parallel import MPIRUN, NO_LEAKS

SMALL = ["--leaves=2", "--spines=1", "--hostsPerLeaf=2", "--wanDelay=20us", "--out=r"]
LONG = [*SMALL, "--load=0.9", "--duration=1s", "--seed=2"]


TCP = ["--pattern=poisson+incast", "--incastSenders=3", "--incastBytes=50000", "--ccOf=tag1:TcpCubic"]


@pytest.mark.parametrize("options, processes", [([], 1), (TCP, 1), (["--threads=2"], 1), ([], 2)])
def test_last_line(programs, folder, options, processes):
    """The last line says what the run has delivered in simulated time; with several processes, what the first one has."""
    if processes > 1 and "libmpi" not in run("ldd", programs.build / "lib" / "libns3-roce.so").stdout:
        pytest.skip("a build without MPI")
    command = [*MPIRUN, "-np", processes] if processes > 1 else []
    done = run(*command, programs.bin / LEAF_SPINE, *SMALL, "--duration=100us", "--progress=json", *options, cwd=folder, status=0,
               env=NO_LEAKS if command else {})
    last = json.loads([line for line in done.stderr.splitlines() if line.startswith('{"progress"')][-1])["progress"]
    flows = rows(folder / "r" / "flows.csv")
    own = [row for row in flows if processes == 1 or int(row["dst"]) < 4]  # those to its datacenter
    goodput = 8e12 * sum(int(row["bytes"]) for row in own) / last["simulatedPs"]
    assert len(own) > 2 and abs(last["goodputBps"] - goodput) < 2, f"{last}, expected {goodput}"
    assert last["queuedBytes"] == last["longestQueuedBytes"] == 0, f"{last}"


# A collective, whose flows wait for each other. Far longer than the two seconds that a test gives it, on any machine.
GATHER = [*SMALL, "--pattern=collective", "--collectiveBytes=40000000000", "--progress=json"]


@pytest.mark.parametrize("stop", [[], ["--stop=2s"]])
def test_share(programs, folder, stop):
    """What is done is the share of the bytes that have arrived or, if that is larger, of the time until --stop; it grows."""
    process = programs.start(LEAF_SPINE, *GATHER, *stop, cwd=folder)
    lines = []
    for line in process.stderr:
        lines += [json.loads(line)["progress"]] if line.startswith('{"progress"') else []
        if len(lines) == 2:
            process.send_signal(2)
    assert process.wait(timeout=60) == 3
    total = sum(int(row["bytes"]) for row in rows(folder / "r" / "flows.csv"))
    last = lines[-1]
    bytes_share = last["goodputBps"] * last["simulatedPs"] / 8e12 / total
    time_share = last["simulatedPs"] / last["endPs"] if stop else 0
    assert abs(last["done"] - max(bytes_share, time_share)) < 1e-5 and 0 < bytes_share < 1, f"{bytes_share}, {time_share}: {last}"
    assert 0 < lines[0]["done"] < lines[1]["done"] < 1 and (not stop or bytes_share < time_share < 1), f"{lines}"


def read_terminal(programs, folder, options, lines):
    """@return what a terminal gets from a run that SIGINT ends after so many lines of progress."""
    terminal, end = pty.openpty()
    process = programs.start(LEAF_SPINE, *options, cwd=folder, stdout=end, stderr=end)
    os.close(end)
    text = b""
    try:
        while True:
            text += os.read(terminal, 65536)
            if text.count(b"ETA") == lines:
                process.send_signal(2)
                lines = -1
    except OSError:  # nobody writes any more
        pass
    process.wait(timeout=60)
    os.close(terminal)
    return text.decode()


def test_terminal(programs, folder):
    """Each line takes the place of the one before, a message that of the line; goodput and queues are those of the moment."""
    text = read_terminal(programs, folder, LONG, 2)
    kept = [re.sub(r"\x1b\[\?7[lh]", "", line.split("\r\x1b[K")[-1]) for line in text.replace("\r\n", "\n").rstrip().split("\n")]
    assert sum(line.count("packet-hops/s") for line in kept) == 2, f"more than the last line and the table: {kept}"
    assert kept[-1].startswith("  ") or kept[-1].startswith("unfinished: "), f"{kept[-1]!r}"
    assert text.count("\x1b[?7l") == text.count("\r\x1b[K\x1b[?7l") >= 2, f"a line stands behind another: {text!r}"
    shown = re.findall(r"([\d.]+) Gbit/s goodput, ([\d.]+) (\w+) queued \(([\d.]+) (\w+) at (dc\S+)\)", text)
    assert len(shown) >= 2 and "ETA unknown" not in text, f"{text!r}"
    told = summary(folder / "r")
    most = told["counters"]["peakBufferBytes"]
    units = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
    for goodput, total, unit, longest, its_unit, name in shown:
        assert 1 < float(goodput) < 8 * 100, f"of 8 hosts of 100 Gbit/s: {goodput}"
        assert 0 < float(longest) * units[its_unit] <= min(most, float(total) * units[unit]) * 1.06 and name in told["nodeNames"].values()


def test_lines_are_whole(programs, folder):
    """Each piece that is written ends with a line, and what was printed before an error stands before it."""
    reader, writer = os.pipe2(os.O_DIRECT)  # a read has what one write has written
    process = programs.start(LEAF_SPINE, *SMALL, "--duration=20us", "--stop=15us", cwd=folder, stdout=writer, stderr=writer)
    os.close(writer)
    pieces = []
    while piece := os.read(reader, 65536):
        pieces.append(piece.decode())
    os.close(reader)
    assert process.wait(timeout=60) == 3
    assert all(piece.endswith("\n") for piece in pieces), f"{pieces}"
    text = "".join(pieces)
    assert text.index("M packet-hops/s\nunfinished: ") > text.index("scope "), text
