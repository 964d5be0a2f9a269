# SPDX-License-Identifier: GPL-2.0-only
"""A run that a signal ends leaves what it has, and says so; standard streams that are closed or full do no harm."""

import fcntl
import hashlib
import os
import resource
import signal
import time

import pytest

from support import LEAF_SPINE, complaints, contents, has_bytes, rows, run, summary, wait_for

SMALL = [LEAF_SPINE, "--progress=none", "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--queues=1us", "--out=r"]
LONG = [*SMALL, "--duration=1s", "--load=0.9"]
SHORT = [*SMALL, "--duration=200us", "--pcap=nic0"]
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)


@pytest.fixture
def start(programs, folder):
    """Starts a run, and waits until it simulates."""
    processes = []

    def begin(*options, **more):
        processes.append(programs.start(*LONG, *options, cwd=folder, **more))
        table = folder / "r" / "queues.csv.tmp"
        assert wait_for(lambda: has_bytes(table), processes[-1]), f"no {table}, status {processes[-1].returncode}"
        return processes[-1]
    yield begin
    for process in processes:
        process.kill()
        process.wait()


def check_interrupted(folder, process, word):
    """The whole result of a part of a run."""
    error = process.communicate(timeout=120)[1]
    assert process.returncode == 3, f"status {process.returncode}: {error}"
    lines = complaints(error)
    assert len(lines) == 1 and lines[0].startswith("unfinished: ") and f"the run was ended by {word}" in lines[0], f"says {error!r}"
    told, files = summary(folder / "r"), contents(folder / "r")
    assert told.get("interrupted") is True and told["end"] == "interrupted", f"end {told['end']}"
    assert sorted(files) == sorted(told["files"]), f"files {sorted(files)}"
    # Sizes, digests and rows are those of the files.
    outputs = {entry["name"]: entry for entry in told["manifest"]["outputs"]}
    assert sorted([*outputs, "summary.json"]) == sorted(told["files"]), f"outputs {sorted(outputs)}"
    for name, entry in outputs.items():
        assert (entry["bytes"], entry["sha256"]) == (len(files[name]), hashlib.sha256(files[name]).hexdigest()), f"{name}: {entry}"
        assert not name.endswith(".csv") or entry["rows"] == files[name].count(b"\n") - 1, f"{name}: {entry}"
    flows = rows(folder / "r" / "flows.csv")
    finished = sum(row["status"] == "finished" for row in flows)
    assert 0 < finished < len(flows) == told["flows"]["total"] and finished == told["flows"]["finished"], \
        f"{finished} of {len(flows)} rows are finished, {told['flows']}"


@pytest.mark.parametrize("number", ENDING)
def test_signals_end_a_run_in_order(folder, start, number):
    """Also if they come twice, as those of `timeout` do."""
    process = start()
    process.send_signal(number)
    time.sleep(0.05)  # two that wait are one
    process.send_signal(number)
    check_interrupted(folder, process, number.name)


def test_threads_end_in_order(folder, start):
    """Several threads."""
    process = start("--threads=2", "--wanDelay=20us")
    process.send_signal(signal.SIGTERM)
    check_interrupted(folder, process, "SIGTERM")


def test_limit_of_processor_time(folder, start):
    """As with ulimit -t, but only once the run simulates: before that, the signal ends it at once."""
    process = start()
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (1, resource.RLIM_INFINITY))
    check_interrupted(folder, process, "SIGXCPU")


def test_a_second_signal_ends_at_once(folder, start):
    """Standard output has room for the first line; with the table of the end the run waits for a reader that never comes."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, b"x" * (4096 - 200))
    process = start(stdout=writer)
    process.send_signal(signal.SIGTERM)
    wait_for((folder / "r" / "summary.json").exists)
    time.sleep(1.5)  # three times as long as the second signal is taken for the first one's
    assert process.poll() is None, f"the run has ended with status {process.returncode}"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM, f"status {process.returncode}"
    os.close(reader)
    os.close(writer)


def test_what_is_ignored_stays_ignored(folder, start):
    """As under nohup."""
    process = start(preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    assert process.poll() is None, f"SIGINT, which is ignored, has ended the run with status {process.returncode}"
    process.send_signal(signal.SIGTERM)
    check_interrupted(folder, process, "SIGTERM")


def test_closed_streams(programs, folder):
    """What is printed is in no file, whichever streams are closed."""
    found = {}
    for closed in ("", ">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"):
        out = folder / f"r{len(found)}"
        run("bash", "-c", f'exec "$0" "$@" {closed}', programs.bin / LEAF_SPINE, *SHORT[1:], "--progress=text", f"--out={out}")
        found[closed] = {name: data for name, data in contents(out).items() if name != "summary.json"}
    assert set(found[""]) == {"flows.csv", "queues.csv", "nic0.pcap"}, f"files {set(found[''])}"
    for closed, files in found.items():
        assert files == found[""], f"with '{closed}' files differ"


@pytest.mark.parametrize("options", [SHORT[1:], ["--help"], ["--version"], ["--PrintProfile=Dcqcn"]])
def test_full_output(programs, folder, options):
    """A full standard output is an error."""
    with open("/dev/full", "w", encoding="utf-8") as full:
        line = programs.refuse(LEAF_SPINE, *options, cwd=folder, stdout=full)
    assert line.startswith("error: standard output: cannot write"), line
