#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What is promised of results when something goes wrong, as a user sees it.

    results.py BUILD_DIR

The earlier result survives bad input, a full disk, kill -9 and a second run in the same folder; files
of others and input files are not touched. contrib/roce/doc/howto/results.rst names these tests.
"""

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SMALL = ["--progress=none", "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--duration=200us"]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REFERENCE = f"{SOURCE}/test/reference/leafspine128"
REPLAY = [f"--topology={REFERENCE}/topology.txt", f"--flows={REFERENCE}/flow.txt", "--cc=Hpcc", "--stop=2001ms",
          "--progress=none"]
FLOWS = "src,dst,bytes,start_ns\n0,1,1000,0\n4,1,5000,500\n"


class Tests:
    def __init__(self, build):
        self.bin = f"{build}/bin"
        self.failed = []

    def check(self, condition, what):
        if not condition:
            self.failed.append(f"{self.name}: {what}")
            print("FAILED", self.failed[-1], flush=True)

    def run(self, program, *options, cwd, expect=0, limit=None):
        """Run a program; its standard error. limit: largest file, bytes."""

        def prepare():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        # ns-3 does not free the event that an exception leaves: no matter at the end of a process, but a leak.
        leaks = {"ASAN_OPTIONS": "detect_leaks=0"} if limit is not None else {}
        done = subprocess.run([f"{self.bin}/{program}", *options], cwd=cwd, capture_output=True, text=True,
                              timeout=300, check=False, preexec_fn=prepare, env={**os.environ, **leaks})
        self.check(done.returncode == expect,
                   f"{program} {' '.join(options)}: status {done.returncode}, expected {expect}: {done.stderr[-500:]}")
        if expect == 2:
            lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
            self.check(len(lines) == 1 and lines[0].startswith("error: "), f"not one error line: {done.stderr!r}")
        return done.stderr

    def all(self):
        for name in sorted(name for name in dir(self) if name.startswith("test_")):
            self.name = name
            print(name, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                getattr(self, name)(folder)
        return self.failed

    # Item by item: what a user does, what must be there afterwards.

    def test_no_folder_means_no_files(self, d):
        """replay asks for fct.txt and pfc.txt by itself, which an empty --out takes back."""
        self.run("replay", *REPLAY, "--out=", cwd=d)
        self.run("replay", *REPLAY, "--out=", "--hpccPfc=0", cwd=d)
        self.check(os.listdir(d) == [], f"files: {os.listdir(d)}")
        error = self.run("replay", *REPLAY, "--out=", "--hpccPfc=1", cwd=d, expect=2)
        self.check("--hpccPfc with an empty --out" in error, error)

    def test_bad_input_keeps_the_earlier_result(self, d):
        self.run("two-dc-leaf-spine", *SMALL, "--out=r", "--pcap=nic0", cwd=d)
        before = snapshot(f"{d}/r")
        for bad in ["--pcap=nix", "--queues=1us --seriesPorts=nix", "--rates=1us --seriesFlows=99999",
                    "--pcap=nic0,nic0", "--pattern=list --flows=nix", "--netanim=1", "--cc=nix",
                    "--hpccFct=1 --queues=change --pcap=dc0-leaf0:99"]:
            self.run("two-dc-leaf-spine", *SMALL, "--out=r", *bad.split(), cwd=d, expect=2)
            self.check(snapshot(f"{d}/r") == before, f"{bad} changed the folder to {sorted(snapshot(f'{d}/r'))}")
        self.run("two-dc-leaf-spine", *SMALL, "--out=fresh", "--pcap=nix", cwd=d, expect=2)
        self.check(not os.path.exists(f"{d}/fresh"), "bad input leaves a new folder")

    def test_inputs_and_files_of_others_stay(self, d):
        with open(f"{d}/flows.csv", "w", encoding="utf-8") as file:
            file.write(FLOWS)
        listed = ["two-dc-leaf-spine", *SMALL, "--pattern=list", "--flows=flows.csv"]
        error = self.run(*listed, "--out=.", cwd=d, expect=2)
        self.check("flows.csv: this run reads it" in error, error)
        self.check(read(f"{d}/flows.csv") == FLOWS, "the input is gone")
        self.check(os.listdir(d) == ["flows.csv"], f"files: {os.listdir(d)}")
        # A reference that the run does not read.
        os.mkdir(f"{d}/ref")
        with open(f"{d}/ref/fct.txt", "w", encoding="utf-8") as file:
            file.write("reference")
        error = self.run("replay", *REPLAY, "--out=ref", cwd=d, expect=2)
        self.check("ref/fct.txt: is not from an earlier run" in error, error)
        self.check(read(f"{d}/ref/fct.txt") == "reference", "the reference is gone")
        # A file of the earlier run as the input of the next, by another name.
        self.run(*listed, "--out=r", cwd=d)
        os.replace(f"{d}/flows.csv", f"{d}/r/flows.csv")
        os.symlink("r/flows.csv", f"{d}/link.csv")
        error = self.run("two-dc-leaf-spine", *SMALL, "--pattern=list", "--flows=link.csv", "--out=r", cwd=d, expect=2)
        self.check("r/flows.csv: this run reads it" in error, error)
        self.check(read(f"{d}/r/flows.csv") == FLOWS, "the input is gone")

    def test_two_runs_in_one_folder(self, d):
        long = ["two-dc-leaf-spine", *SMALL, "--out=r", "--duration=1s", "--load=0.9", "--queues=10us"]
        first = subprocess.Popen([f"{self.bin}/{long[0]}", *long[1:]], cwd=d, stdout=subprocess.DEVNULL)
        wait_for(f"{d}/r/queues.csv.tmp")
        error = self.run("two-dc-leaf-spine", *SMALL, "--out=r", cwd=d, expect=2)
        self.check("r: another run is writing there" in error, error)
        self.check(not os.path.exists(f"{d}/r/summary.json"), "the second run has left a result")
        self.check(tabulate(f"{d}/r") == (2, f"error: {d}/r: the run has not finished (.unfinished is there, "
                                             "summary.json not)\n"), f"{tabulate(f'{d}/r')}")
        first.send_signal(signal.SIGKILL)
        first.wait()
        self.check(sorted(os.listdir(f"{d}/r")) == [".unfinished", "queues.csv.tmp"],
                   f"after kill -9: {os.listdir(f'{d}/r')}")
        self.run("two-dc-leaf-spine", *SMALL, "--out=r", cwd=d)
        self.check(sorted(os.listdir(f"{d}/r")) == ["flows.csv", "summary.json"],
                   f"after the next run: {os.listdir(f'{d}/r')}")

    def test_many_runs_at_once(self, d):
        """Of runs that start together, each ends with a whole result or says that it may not."""
        for _ in range(5):
            runs = [subprocess.Popen([f"{self.bin}/two-dc-leaf-spine", *SMALL, "--out=r", f"--seed={seed}",
                                      "--queues=1us", "--fingerprint"], cwd=d, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True) for seed in (1, 2, 3)]
            ends = [(run.communicate(), run.returncode) for run in runs]
            whole = [out.rsplit("fingerprint ", 1)[1].strip() for (out, _), status in ends if status == 0]
            self.check(whole, "none has a result")
            self.check(all(status == 0 or (status == 2 and "another run is writing" in error)
                           for (_, error), status in ends), f"ends: {ends}")
            summary = json.loads(read(f"{d}/r/summary.json"))
            self.check(summary["fingerprint"] in whole, "the result is none of the runs'")
            self.check(sorted(os.listdir(f"{d}/r")) == sorted(summary["files"]), f"files: {os.listdir(f'{d}/r')}")

    def test_kill_keeps_the_earlier_result(self, d):
        self.run("two-dc-leaf-spine", *SMALL, "--out=r", cwd=d)
        before = snapshot(f"{d}/r")
        run = subprocess.Popen([f"{self.bin}/two-dc-leaf-spine", *SMALL, "--out=r", "--duration=1s",
                                "--load=0.9", "--queues=10us"], cwd=d, stdout=subprocess.DEVNULL)
        wait_for(f"{d}/r/queues.csv.tmp")
        run.send_signal(signal.SIGKILL)
        run.wait()
        after = snapshot(f"{d}/r")
        self.check({name: after.get(name) for name in before} == before, f"killed: {sorted(after)}")
        self.check(tabulate(f"{d}/r") == (0, f"warning: {d}/r: a later run has not finished, this is the result of "
                                             "the one before\n"), f"{tabulate(f'{d}/r')}")

    def test_files_that_look_temporary(self, d):
        """A file of somebody else is one, whatever it is called; nothing is written through a link."""
        write(f"{d}/precious", "precious")
        for name in ("flows.csv.tmp", "queues.csv.tmp", "nic0.pcap.tmp", "summary.json.tmp", ".unfinished", ".commit", ".commit.tmp"):
            for link in (False, True):
                os.mkdir(f"{d}/r")
                if link:
                    os.symlink(f"{d}/precious", f"{d}/r/{name}")
                else:
                    write(f"{d}/r/{name}", "mine")
                error = self.run("two-dc-leaf-spine", *SMALL, "--queues=10us", "--pcap=nic0", "--out=r", cwd=d, expect=2)
                self.check(f"r/{name}: " in error and "expected" in error, f"{name}, link {link}: {error}")
                self.check(read(f"{d}/r/{name}") == ("precious" if link else "mine"), f"{name}, link {link}: overwritten")
                self.check(read(f"{d}/precious") == "precious", f"{name}: written through a link")
                left = set(os.listdir(f"{d}/r")) - {name}
                self.check(not left, f"{name}, link {link}: left {left}")
                shutil.rmtree(f"{d}/r")

    def test_crafted_summary(self, d):
        """To be listed is not enough to be removed, nor to be replaced by something else."""
        self.run("two-dc-leaf-spine", *SMALL, "--queues=10us", "--out=r", cwd=d)
        summary = json.loads(read(f"{d}/r/summary.json"))
        write(f"{d}/r/thesis.tex", "mine")
        summary["files"].append("thesis.tex")
        for entry in ([], [{"name": "thesis.tex", "bytes": 4, "sha256": "0" * 64}]):
            summary["manifest"]["outputs"] += entry
            write(f"{d}/r/summary.json", json.dumps(summary))
            self.run("two-dc-leaf-spine", *SMALL, "--queues=10us", "--out=r", cwd=d)
            self.check(read(f"{d}/r/thesis.tex") == "mine", "it is gone")
        write(f"{d}/r/queues.csv", "mine, too")
        error = self.run("two-dc-leaf-spine", *SMALL, "--queues=10us", "--out=r", cwd=d, expect=2)
        self.check("r/queues.csv: is not as the earlier run has left it" in error, error)
        self.run("two-dc-leaf-spine", *SMALL, "--out=r", cwd=d)
        self.check(read(f"{d}/r/queues.csv") == "mine, too", "a changed table is gone")

    def test_manifest_of_inputs(self, d):
        write(f"{d}/flows.csv", FLOWS)
        self.run("two-dc-leaf-spine", *SMALL, "--pattern=list", "--flows=flows.csv", "--out=a", cwd=d)
        os.rename(f"{d}/flows.csv", f"{d}/other.csv")
        self.run("two-dc-leaf-spine", *SMALL, "--pattern=list", "--flows=other.csv", "--out=b", "--queues=5us", "--threads=2", cwd=d)
        write(f"{d}/other.csv", FLOWS.replace("5000", "5001"))
        self.run("two-dc-leaf-spine", *SMALL, "--pattern=list", "--flows=other.csv", "--out=c", cwd=d)
        self.run("two-dc-leaf-spine", *SMALL, "--pattern=list", "--flows=other.csv", "--out=e", "--ns3::roce::Nic::Eager=true", cwd=d)
        a, b, c, e = [json.loads(read(f"{d}/{name}/summary.json"))["manifest"] for name in "abce"]
        self.check(a["inputs"] == [{"path": "flows.csv", "bytes": len(FLOWS), "sha256": hashlib.sha256(FLOWS.encode()).hexdigest()}],
                   f"inputs {a['inputs']}")
        self.check(a["digest"] == b["digest"], f"the same run has another digest: {a['parts']}, {b['parts']}")
        self.check(a["digest"] != c["digest"] and a["parts"]["flows"] != c["parts"]["flows"], "another flow list has the same digest")
        differ = [part for part in c["parts"] if c["parts"][part] != e["parts"][part]]
        self.check(differ == ["attributes"], f"another attribute changes {differ}")
        # What files name is an input, too.
        write(f"{d}/config.txt", f"TOPOLOGY_FILE {REFERENCE}/topology.txt\nFLOW_FILE {REFERENCE}/flow.txt\n")
        self.run("replay", "--config=config.txt", "--cc=Hpcc", "--stop=2001ms", "--progress=none", "--out=f", cwd=d)
        inputs = {entry["path"] for entry in json.loads(read(f"{d}/f/summary.json"))["manifest"]["inputs"]}
        self.check(inputs >= {"config.txt", f"{REFERENCE}/topology.txt", f"{REFERENCE}/flow.txt"}, f"inputs {inputs}")

    def test_full_disk(self, d):
        """A limit on the size of files stands for the full disk."""
        self.run("two-dc-leaf-spine", *SMALL, "--out=r", cwd=d)
        before = snapshot(f"{d}/r")
        for options in (["--queues=1us", "--duration=600us"], ["--pcap=all", "--duration=600us"],
                        ["--rates=change", "--chromeTrace", "--duration=600us"],
                        ["--netanim=0us-600us", "--duration=600us"],
                        ["--queues=change", "--pcap=all", "--chromeTrace", "--duration=600us"]):
            error = self.run("two-dc-leaf-spine", *SMALL, "--out=r", *options, cwd=d, expect=2, limit=50000)
            self.check(": cannot write: File too large" in error, error)
            after = snapshot(f"{d}/r")
            self.check({name: after.get(name) for name in before} == before, f"{options}: {sorted(after)}")
        error = self.run("two-dc-leaf-spine", *SMALL, "--out=new", cwd=d, expect=2, limit=0)
        self.check("cannot write" in error, error)
        self.check(not any(name in os.listdir(f"{d}/new") for name in before), f"files: {os.listdir(f'{d}/new')}")

    def test_captures_are_part_of_the_result(self, d):
        self.run("two-dc-leaf-spine", *SMALL, "--out=r", "--pcap=nic0,dc0-leaf0:1", cwd=d)
        summary = json.loads(read(f"{d}/r/summary.json"))
        self.check(summary["files"] == ["nic0.pcap", "dc0-leaf0-1.pcap", "flows.csv", "summary.json"],
                   f"files: {summary['files']}")
        self.run("two-dc-leaf-spine", *SMALL, "--out=r", "--seed=2", cwd=d)
        self.check(sorted(os.listdir(f"{d}/r")) == ["flows.csv", "summary.json"],
                   f"beside the new result: {os.listdir(f'{d}/r')}")

    def test_folders_in_the_way(self, d):
        os.makedirs(f"{d}/r/summary.json")
        error = self.run("two-dc-leaf-spine", *SMALL, "--out=r", cwd=d, expect=2)
        self.check("r/summary.json: is a folder" in error, error)
        with open(f"{d}/file", "w", encoding="utf-8"):
            pass
        self.run("two-dc-leaf-spine", *SMALL, "--out=file", cwd=d, expect=2)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def snapshot(folder):
    """Contents of a folder's files by name."""
    contents = {}
    for name in os.listdir(folder):
        with open(f"{folder}/{name}", "rb") as file:
            contents[name] = file.read()
    return contents


def tabulate(folder):
    """Status and standard error of the script that reads results."""
    done = subprocess.run([sys.executable, f"{SOURCE}/scripts/roce_results.py", folder], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stderr


def wait_for(path, seconds=60):
    end = time.monotonic() + seconds
    while not os.path.exists(path) and time.monotonic() < end:
        time.sleep(0.01)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    failed = Tests(os.path.abspath(sys.argv[1])).all()
    print(f"{len(failed)} checks failed" if failed else "all as promised")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
