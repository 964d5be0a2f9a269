#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""A run that a signal ends leaves what it has, and says so; standard streams that are closed or full do no harm.

    signals.py BUILD_DIR
"""

import csv
import fcntl
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

LONG = ["--progress=none", "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--duration=1s", "--load=0.9", "--queues=1us", "--out=r"]
SHORT = ["--progress=none", "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--duration=200us", "--queues=1us", "--pcap=nic0", "--out=r"]
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)


class Tests:
    def __init__(self, build):
        self.program = f"{build}/bin/two-dc-leaf-spine"
        self.failed = []
        self.name = ""

    def check(self, condition, what):
        if not condition:
            self.failed.append(f"{self.name}: {what}")
            print("FAILED", self.failed[-1], flush=True)

    def all(self):
        for name in sorted(name for name in dir(self) if name.startswith("test_")):
            self.name = name
            print(name, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                getattr(self, name)(folder)
        return self.failed

    def start(self, cwd, *options, **more):
        """A run, once it simulates."""
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **more}
        run = subprocess.Popen([self.program, *LONG, *options], cwd=cwd, text=True, **streams)
        end = time.monotonic() + 60
        table = f"{cwd}/r/queues.csv.tmp"
        while not (os.path.exists(table) and os.path.getsize(table)):
            if run.poll() is not None or time.monotonic() > end:
                run.kill()
                sys.exit(f"{self.name}: no {table}, status {run.returncode}: {run.communicate()[1]}")
            time.sleep(0.01)
        return run

    def check_interrupted(self, d, run, word):
        """The whole result of a part of a run."""
        error = run.communicate(timeout=120)[1]
        self.check(run.returncode == 3, f"status {run.returncode}: {error}")
        lines = [line for line in error.splitlines() if not line.startswith("warning: ")]
        self.check(len(lines) == 1 and lines[0].startswith("unfinished: ") and f"the run was ended by {word}" in lines[0], f"says {error!r}")
        with open(f"{d}/r/summary.json", encoding="utf-8") as file:
            summary = json.load(file)
        self.check(summary.get("interrupted") is True and summary["end"] == "interrupted", f"end {summary['end']}")
        self.check(sorted(os.listdir(f"{d}/r")) == sorted(summary["files"]), f"files {os.listdir(f'{d}/r')}")
        self.check_manifest(f"{d}/r", summary)
        with open(f"{d}/r/flows.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        finished = sum(row["status"] == "finished" for row in rows)
        self.check(0 < finished < len(rows) == summary["flows"]["total"] and finished == summary["flows"]["finished"],
                   f"{finished} of {len(rows)} rows are finished, {summary['flows']}")

    def check_manifest(self, folder, summary):
        """Sizes, digests and rows are those of the files."""
        outputs = {entry["name"]: entry for entry in summary["manifest"]["outputs"]}
        self.check(sorted([*outputs, "summary.json"]) == sorted(summary["files"]), f"outputs {sorted(outputs)}")
        for name, entry in outputs.items():
            with open(f"{folder}/{name}", "rb") as file:
                data = file.read()
            self.check((entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest()), f"{name}: {entry}")
            if name.endswith(".csv"):
                self.check(entry["rows"] == data.count(b"\n") - 1, f"{name}: {entry}")

    def test_signals_end_a_run_in_order(self, d):
        for number in ENDING:
            run = self.start(d)
            run.send_signal(number)
            time.sleep(0.05)  # two that wait are one
            run.send_signal(number)  # as `timeout` does
            self.check_interrupted(d, run, number.name)

    def test_threads_end_in_order(self, d):
        run = self.start(d, "--threads=2", "--wanDelay=20us")
        run.send_signal(signal.SIGTERM)
        self.check_interrupted(d, run, "SIGTERM")

    def test_limit_of_processor_time(self, d):
        run = self.start(d, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (2, 60)))
        self.check_interrupted(d, run, "SIGXCPU")

    def test_a_second_signal_ends_at_once(self, d):
        """Standard output has room for the first line; with the table of the end the run waits for a reader that never comes."""
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        os.write(writer, b"x" * (4096 - 200))
        run = self.start(d, stdout=writer)
        run.send_signal(signal.SIGTERM)
        end = time.monotonic() + 60
        while not os.path.exists(f"{d}/r/summary.json") and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(1.5)  # three times as long as the second signal is taken for the first one's
        self.check(run.poll() is None, f"the run has ended with status {run.returncode}")
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=60)
        self.check(run.returncode == -signal.SIGTERM, f"status {run.returncode}")
        os.close(reader)
        os.close(writer)

    def test_what_is_ignored_stays_ignored(self, d):
        run = self.start(d, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        run.send_signal(signal.SIGINT)
        time.sleep(1)
        self.check(run.poll() is None, f"SIGINT, which is ignored, has ended the run with status {run.returncode}")
        run.send_signal(signal.SIGTERM)
        self.check_interrupted(d, run, "SIGTERM")

    def test_closed_streams(self, d):
        """What is printed is in no file, whichever streams are closed."""
        found = {}
        for closed in ("", ">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"):
            command = f'exec "$0" "$@" {closed}'
            done = subprocess.run(["bash", "-c", command, self.program, *SHORT, "--progress=text", f"--out=r{len(found)}"], cwd=d,
                                  capture_output=True, check=False)
            self.check(done.returncode == 0, f"closed '{closed}': status {done.returncode}: {done.stderr}")
            folder = f"{d}/r{len(found)}"
            found[closed] = {}
            for name in os.listdir(folder):
                if name != "summary.json":
                    with open(f"{folder}/{name}", "rb") as file:
                        found[closed][name] = file.read()
        self.check(set(found[""]) == {"flows.csv", "queues.csv", "nic0.pcap"}, f"files {set(found[''])}")
        for closed, files in found.items():
            self.check(files == found[""], f"with '{closed}' files differ")

    def test_full_output(self, d):
        for options in (SHORT, ["--help"], ["--version"], ["--PrintProfile=Dcqcn"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([self.program, *options], cwd=d, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
            self.check(done.returncode == 2 and len(lines) == 1 and lines[0].startswith("error: standard output: cannot write"),
                       f"{options[0]}: status {done.returncode}: {done.stderr!r}")


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    failed = Tests(os.path.abspath(sys.argv[1])).all()
    print(f"{len(failed)} checks failed" if failed else "all as promised")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
