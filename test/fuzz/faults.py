# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Faults: runs that are killed at any moment and file operation, get signals, no room, no memory, no permission or no standard
streams, come two at once, or find files of others under their names. There is all of the result before or of the new one, as the
next run finds it; the error line and the status are as promised."""

import errno
import json
import os
import signal
import subprocess
import time

from command_lines import BASES, FILES
from roce_fuzz import Case, Fuzzer, Link, is_temporary, snapshot, whole, write_files

# What the runs write: little; a good deal in many files; so much that some is written while simulating.
RUNS = [
    ("two-dc-leaf-spine", []),
    ("two-dc-leaf-spine", ["--queues=change", "--rates=change", "--transport=change", "--pfc", "--pauses=1us", "--utilisation=1us",
                           "--pcap=nic0,nic1", "--chromeTrace", "--netanim=0us-20us", "--hpccFct", "--hpccPfc"]),
    ("two-dc-fat-tree", ["--pattern=allreduce", "--groups=2", "--iterations=3", "--minBytes=5000", "--maxBytes=9000", "--queues=1us",
                         "--computeTime=1us"]),
    ("replay", ["--queues=change", "--rates=1us"]),
    ("two-dc-leaf-spine", ["--duration=40us", "--load=0.2", "--queues=change", "--rates=20ns"]),
]


def normal(name, contents):
    """@return a file of a result without what differs from run to run."""
    if name == "summary.json":
        summary = json.loads(contents)
        summary.pop("timing", None)
        summary.get("counters", {}).pop("events", None)
        for part in ("digest", "parts"):  # the programs in the driver are another build
            summary.get("manifest", {}).pop(part, None)
        return json.dumps(summary, sort_keys=True)
    return contents


def result_of(files):
    """@return the files of the result in out, by name; empty without a whole summary."""
    prefix = "out/"
    if prefix + "summary.json" not in files:
        return {}
    names = json.loads(files[prefix + "summary.json"])["files"]
    return {name: normal(name, files[prefix + name]) for name in names}


class Faults(Fuzzer):
    """Kills and limits."""

    name = "faults"

    def __init__(self):
        super().__init__()
        self.results = []  # of each of RUNS: files; time; operations

    def prepare(self, folder):
        for i, (program, more) in enumerate(RUNS):
            where = folder / f"run{i}"
            where.mkdir()
            write_files(where, FILES)
            case = Case(program, BASES[program] + more)
            self.driver.run(case, where)
            reply = self.driver.run(case, where)  # warm
            if reply.status != 0:
                raise SystemExit(f"error: {case.command()} ends with status {reply.status}: {reply.stderr[:500]!r}")
            files = {name: data for name, data in snapshot(where).items() if name.startswith("out/") and not name.endswith("/") and not is_temporary(name)}
            self.results.append((files, reply.wall, reply.operations))

    def make(self, rng, index):
        which = rng.randrange(len(RUNS))
        program, more = RUNS[which]
        previous = rng.choice([None] + list(range(len(RUNS))))
        files = dict(FILES)
        if previous is not None:
            files.update(self.results[previous][0])
            files["out/foreign.txt"] = b"mine\n"
        _, wall, operations = self.results[which]
        operations = max(1, operations)
        where = rng.choice([rng.random(), rng.random(), 1 - rng.random()**3])  # the end is where most can go wrong
        kind = rng.choice(["kill", "kill", "fault kill", "fault kill", "commit kill", "commit kill", "full", "full", "io", "io", "fsize",
                           "as", "readonly", "unwritable", "two", "closed", "foreign", "foreign"])
        limits = {}
        if kind == "kill":
            limits["kill"] = f"{int(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))}:{int(where * wall * 1.1)}"
        elif kind == "fault kill":
            limits["fault"] = f"{1 + int(where * operations)}:kill"
        elif kind == "commit kill":
            # The last operations give the files their names: two to four each.
            last = 3 * len(self.results[which][0]) + 6
            limits["fault"] = f"{max(1, operations - rng.randrange(last))}:kill"
        elif kind == "closed":
            limits["closed"] = "".join(stream for stream in "012" if rng.random() < 0.6) or "1"
        elif kind == "foreign":
            files.update(self.make_foreign(rng, which))
        elif kind == "full":
            limits["fault"] = f"{1 + int(where * operations)}:{errno.ENOSPC}"
        elif kind == "io":
            limits["fault"] = f"{1 + int(where * operations)}:{rng.choice([errno.EIO, errno.EACCES, errno.ENOENT, errno.EDQUOT])}"
        elif kind == "fsize":
            limits["fsize"] = rng.choice([4096, 5000, 8192, 20000, 66000])
        elif kind == "as" and not self.driver.sanitized:
            limits["as"] = rng.randint(40, 140) * 1000000
            more = more + rng.choice([[], ["--messageBytes=1", "--pattern=alltoall", "--hostsPerLeaf=100"]])
        elif kind == "readonly":
            limits["uid"] = 65534 if os.getuid() == 0 else 0
        elif kind != "two":
            kind = "unwritable"
            more = more + [rng.choice(["--out=/proc/roce", "--out=flow.txt", "--out=flow.txt/x", "--out=/dev/null", "--out=" + "o" * 300])]
        case = Case(program, BASES[program] + more, files, **limits)
        case.kind = kind
        case.previous = previous
        case.expected = [which]
        if kind == "two":
            case.expected.append(rng.randrange(len(RUNS)))
            case.delay = rng.random() * wall / 1e6
        return case

    def make_foreign(self, rng, which):
        """@return files of somebody else whose names look like those of a run's."""
        files = {"precious.txt": b"precious\n"}
        names = [path + ".tmp" for path in self.results[which][0]]
        own = names + ["out/.unfinished", "out/.commit", "out/.commit.tmp"]
        list_of_all = "ns-3-roce run\n" + "".join(f"{os.path.basename(name)[:-4]}\n" for name in names)
        journal = {"files": [os.path.basename(rng.choice(names))[:-4], "../precious.txt", "summary.json"],
                   "remove": ["foreign.txt", "flows.csv", "../precious.txt"]}
        for name in rng.sample(own, rng.choice([1, 1, 1, 2, 3])):
            files[name] = rng.choice([b"mine\n", b"{}", json.dumps(journal).encode(), list_of_all.encode(), Link("../precious.txt"),
                                      Link("nowhere")])
        return files

    def shrink(self, case, wanted, root):
        return case

    def attempt(self, case, folder):
        write_files(folder, case.files)
        if case.kind == "readonly":
            (folder / "out").mkdir(exist_ok=True)
            for where, _, _ in os.walk(folder):
                os.chmod(where, 0o555)
        before = snapshot(folder)
        other = self.start_other(case, folder) if case.kind == "two" else None
        reply = self.driver.run(case, folder)
        if other:
            text = other.communicate()[1]
            second = reply._replace(status=other.returncode, stderr=text)
            if other.returncode not in (0, 2) or (other.returncode == 2 and self.judge.error_line(second)):
                return reply, [f"two: the other run ends with status {other.returncode}: {text[-300:]}"]
            if reply.status == 2 and other.returncode == 2:
                return reply, ["two: both runs are refused"]
        if case.kind == "readonly":
            for where, _, _ in os.walk(folder):
                os.chmod(where, 0o755)
        after = snapshot(folder)
        findings = self.judge.ending(case, reply)
        if findings:
            return reply, findings
        if reply.status in (1, 2):
            findings += self.judge.error_line(reply)
        for path, contents in before.items():
            if not path.startswith("out/") and after.get(path) != contents:
                findings.append(f"lost: {path}, outside of the results")
        if case.kind != "foreign":
            after = self.look(case, folder, after, findings)
        if after.get("out/foreign.txt") != before.get("out/foreign.txt"):
            findings.append("lost: out/foreign.txt, which is not of the previous result")
        for path, contents in case.files.items() if case.kind == "foreign" else ():
            # A list of a run in which nothing is known to be one's own is no loss.
            mine = path.endswith(".tmp") or path in ("out/.unfinished", "out/.commit")
            if mine and after.get(path) != before[path] and not before[path].startswith(b"ns-3-roce run\n"):
                findings.append(f"lost: {path}, which no run has made")
        if "closed" in case.limits and reply.status != 0:
            findings.append(f"closed: status {reply.status}: {reply.stderr[-300:]}")
        findings += self.results_are_whole(case, reply, after)
        return reply, findings

    def look(self, case, folder, after, findings):
        """Make a run look that goes no further. @return what is then there"""
        if "out/.commit" not in after:
            return after
        program = case.program
        reply = self.driver.run(Case(program, BASES[program] + ["--pcap=nix"]), folder)
        now = snapshot(folder)
        if reply.status != 2 or b"nix" not in reply.stderr or "out/.commit" in now:
            findings.append(f"commit: the next run does not bring it to its end: status {reply.status}: {reply.stderr[-300:]}")
        old = result_of(self.results[case.previous][0]) if case.previous is not None else None
        if result_of(now) == old and case.previous not in case.expected:
            findings.append("commit: the result is the one before, though the journal is there")
        return now

    def start_other(self, case, folder):
        """@return a second process with the same folder for results."""
        program, more = RUNS[case.expected[1]]
        other = subprocess.Popen([self.driver.build / "bin" / program] + BASES[program] + more, cwd=folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(case.delay)
        return other

    def results_are_whole(self, case, reply, after):
        """@return what is wrong with the folder: no result, the one before or the new one, and that whole."""
        refused = reply.status in (1, 2)
        if "out/summary.json" not in after:
            if case.previous is not None:
                return ["lost: the result before"]
            if reply.status == 0 and not case.kind == "unwritable":
                return ["no result: status 0, but no summary.json"]
            return []
        findings = whole("out/summary.json", after)
        if findings:
            return findings
        found = result_of(after)
        old = result_of(self.results[case.previous][0]) if case.previous is not None else None
        if found == old:
            stale = reply.status == 0 and case.previous not in case.expected
            return ["no result: status 0, but the result is the one before"] if stale else []
        for expected in case.expected:
            new = result_of(self.results[expected][0])
            if found == new:
                alone = refused and case.kind != "two" and b"the new result is complete" not in reply.stderr
                return [f"half result: the whole new result is there, but the status is {reply.status}"] if alone else []
        if case.kind in ("as", "unwritable") and reply.status in (0, 3):
            return []
        if case.kind == "kill" and reply.status == 3 and json.loads(found["summary.json"]).get("interrupted"):
            return []
        return [f"half result: neither the one before nor a new one: {sorted(found)}"]


def main(argv):
    """Run."""
    return Faults().main(argv)
