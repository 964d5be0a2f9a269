# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What the fuzzers share: running a program on one input, judging what it did, the loop over inputs, the report."""

import argparse
import collections
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from roce_campaign.run import read_message, text_lines  # pylint: disable=wrong-import-position

COMPILED_IN = ("two-dc-leaf-spine", "two-dc-fat-tree", "replay")
IN_DRIVER = COMPILED_IN + ("roce-api-calls",)

CPU_SECONDS = 20  # of a small run, sanitized
BIG_CPU_SECONDS = 2  # of a run that was asked to be large: stopped, no finding
WALL_MS = 300000  # other programs may have the processor
MEMORY_KIB = 2 * 1024 * 1024
LONGEST_LINE = 600
PROGRESS = r"progress: \{.*\}$|[\d.]+ ms simulated "
CRASHES = ("signal", "time", "memory", "status")
PRINTERS = re.compile(rb"--?(help|version|Print[A-Za-z]*)(=|$)")


class Case:
    """One input: a program, its arguments (bytes), the files in its folder, and how it is run."""

    def __init__(self, program, arguments, files=None, big=False, **limits):
        self.program = program
        self.arguments = [a if isinstance(a, bytes) else a.encode() for a in arguments]
        self.files = files or {}  # name: bytes, a Link, or None for a folder
        self.big = big  # may need much time or memory by right
        self.limits = limits  # of the driver: cpu, wall, as, fsize, uid, kill, closed, fault

    def with_arguments(self, arguments):
        """@return the same with other arguments."""
        return Case(self.program, arguments, self.files, self.big, **self.limits)

    def command(self):
        """@return a line for a shell in the case's folder; {bin} is where the programs are."""
        return " ".join(["{bin}/" + self.program] + [quote(a) for a in self.arguments])

    def options(self):
        """@return the names of its options."""
        return " ".join(a.split(b"=")[0].decode("utf-8", "replace") for a in self.arguments)


def quote(argument):
    """@return an argument (bytes) as a word for bash."""
    if all(32 <= byte < 127 for byte in argument):
        return shlex.quote(argument.decode()).replace("{", "{{").replace("}", "}}")
    plain = "".join(chr(b) if 32 <= b < 127 and b not in b"'\\{}" else f"\\x{b:02x}" for b in argument)
    return f"$'{plain}'"


Reply = collections.namedtuple("Reply", "status signal late cpu wall rss operations stdout stderr")


class Driver:
    """Runs cases: in the driver program, or by executing the programs themselves."""

    def __init__(self, build, leaks=False):
        self.build = Path(build).resolve()
        environment = dict(os.environ)
        # ns-3's ObjectFactory loses an object whose attribute throws.
        environment["ASAN_OPTIONS"] = f"detect_leaks={int(leaks)}:hard_rss_limit_mb={MEMORY_KIB // 1024}"
        environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
        self.process = subprocess.Popen([self.build / "bin" / "roce-fuzz-driver"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment)
        greeting = self.process.stdout.readline().decode().split()
        if greeting[:1] != ["ready"]:
            raise SystemExit(f"error: {self.build}/bin/roce-fuzz-driver does not start; build it first")
        self.sanitized = "sanitized" in greeting

    def close(self):
        """End the driver."""
        self.process.stdin.close()
        self.process.wait()

    def run(self, case, folder, direct=False):
        """@return what the program did in the folder. direct: not within the driver."""
        program = case.program
        if direct or program not in IN_DRIVER:
            program = str(self.build / "bin" / program) if "/" not in program else program
        limits = {"cpu": BIG_CPU_SECONDS if case.big else CPU_SECONDS, "wall": WALL_MS, **case.limits}
        if not self.sanitized:
            limits.setdefault("as", 2 * MEMORY_KIB * 1024)
        else:
            limits.pop("as", None)  # shadow memory needs terabytes of addresses
        words = [f"{key}={value}" for key, value in limits.items()]
        words.append("folder=" + str(folder).encode().hex())
        words.append("argv=" + ",".join(a.hex() for a in [program.encode()] + case.arguments))
        self.process.stdin.write((" ".join(words) + "\n").encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline().decode().split()
        if len(line) != 9:
            raise SystemExit(f"error: the driver ended at: {case.command()}")
        numbers = [int(word) for word in line[:7]]
        return Reply(*numbers, *[b"" if word == "-" else bytes.fromhex(word) for word in line[7:]])


def snapshot(folder):
    """@return {path within the folder: contents} of all files, {path + "/": ""} of all folders."""
    found = {}
    for where, folders, files in os.walk(folder):
        base = os.path.relpath(where, folder)
        for name in folders:
            found[os.path.normpath(os.path.join(base, name)) + "/"] = b""
        for name in files:
            path = os.path.join(where, name)
            key = os.path.normpath(os.path.join(base, name))
            if os.path.islink(path):
                found[key] = b"link to " + os.readlink(path).encode()
                continue
            with open(path, "rb") as file:
                found[key] = file.read()
    return found


def is_temporary(path):
    """@return whether a file has no final name: a half-written one, a lock."""
    name = os.path.basename(path)
    return name.endswith((".tmp", ".lock")) or name.startswith(".")


class Link(str):
    """In place of a file's contents: a symbolic link to this."""


def write_files(folder, files):
    """Put files into a folder."""
    for name, contents in files.items():
        path = Path(folder) / name
        if isinstance(contents, Link):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(contents)
        elif contents is None:
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)


class Judge:
    """Says what is wrong with what a program did, in lines KIND: DETAIL; none: nothing."""

    def judge(self, case, reply, before, after):
        """@param before, after: snapshots of the folder. @return findings."""
        findings = self.ending(case, reply)
        if findings or reply.late or reply.signal:
            return findings
        asked = any(PRINTERS.match(a) for a in case.arguments)
        if reply.status in (1, 2):
            findings += self.error_line(reply)
        if reply.status == 2:
            findings += self.refused(before, after)
        elif reply.status in (0, 3):
            findings += self.accepted(case, before, after, asked)
            if reply.status == 3 and b"unfinished" not in reply.stderr:
                findings.append("silent: status 3, but standard error does not say what is unfinished")
        elif reply.status == 1:
            findings += [f"half result: status 1, but {path} is new" for path in after
                         if os.path.basename(path) == "summary.json" and path not in before]
        return findings

    def ending(self, case, reply):
        """@return what is wrong with how the program ended."""
        text = reply.stderr.decode("utf-8", "replace")
        cpu_limit = case.limits.get("cpu", BIG_CPU_SECONDS if case.big else CPU_SECONDS)
        if "hard rss limit exhausted" in text:
            return [] if case.big else [f"memory: more than {MEMORY_KIB // 1024} MiB"]
        for mark in ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:"):
            if mark in text:
                return [f"sanitizer: {sanitizer_line(text, mark)}"]
        if reply.late or reply.signal == 24 or (reply.signal == 9 and reply.cpu > 9e5 * cpu_limit):
            if case.big:
                return []
            return [f"time: stopped after {reply.cpu / 1e6:.1f} s of CPU time, {reply.wall / 1e6:.1f} s"]
        if reply.signal:
            if reply.signal == int(str(case.limits.get("kill", "0:")).split(":", maxsplit=1)[0]):
                return []
            if reply.signal == 9 and "kill" in str(case.limits.get("fault")):
                return []
            return [f"signal: {reply.signal}: {last_line(text)}"]
        if reply.status not in (0, 1, 2, 3):
            return [f"status: {reply.status}: {last_line(text)}"]
        memory = "memory" in text and (case.big or case.limits.get("as"))
        if reply.status == 1 and not (memory or case.limits.get("fault") or case.limits.get("fsize")):
            return [f"status: 1 without a fault: {last_line(text)}"]
        if reply.rss > MEMORY_KIB and not case.big:
            return [f"memory: {reply.rss // 1024} MiB"]
        return []

    @staticmethod
    def error_line(reply):
        """@return what is wrong with standard error of a run that failed."""
        lines = reply.stderr.decode("utf-8", "replace").split("\n")
        if lines[-1] == "":
            lines.pop()
        lines = [shown for line in lines for shown in text_lines(read_message(line))]
        errors = [line for line in lines if line.startswith("error: ")]
        other = [line for line in lines if not re.match(PROGRESS + "|(error|warning|note): ", line)]
        findings = []
        if len(errors) != 1:
            findings.append(f"error line: {len(errors)} lines begin with 'error: ': {lines[:3]}")
        if other and reply.status == 2:
            findings.append(f"error line: more on standard error than an error: {other[:3]}")
        if lines and not lines[-1].startswith("error: "):
            findings.append(f"error line: standard error ends with {lines[-1][:200]!r}")
        for line in errors:
            if len(line) > LONGEST_LINE:
                findings.append(f"error line: {len(line)} characters: {line[:100]}")
            control = [c for c in line if ord(c) < 32 or ord(c) == 127]
            if control:
                findings.append(f"error line: control character {control[0]!r} in {line[:100]!r}")
            if not line[len("error: "):].strip():
                findings.append("error line: it says nothing")
        return findings

    @staticmethod
    def refused(before, after):
        """@return what is wrong with the files after bad input: all must be as before."""
        findings = [f"lost: {path} was {'changed' if path in after else 'removed'} by a run with status 2"
                    for path in before if after.get(path) != before[path]]
        findings += [f"left: {path} by a run with status 2" for path in after
                     if path not in before and not path.endswith("/") and not is_temporary(path)]
        return findings

    @staticmethod
    def accepted(case, before, after, asked):
        """@return what is wrong with the files of a run that ended well."""
        findings = []
        replaced = set()
        for path, contents in before.items():
            if os.path.basename(path) == "summary.json" and after.get(path) != contents:
                folder = os.path.dirname(path)
                replaced |= {os.path.join(folder, name) for name in files_of(contents)} | {path}
        for path, contents in before.items():
            if path not in replaced and after.get(path) != contents:
                findings.append(f"lost: {path}, which is not of the previous result, was "
                                f"{'changed' if path in after else 'removed'}")
        results = [path for path in after if os.path.basename(path) == "summary.json"
                   and after[path] != before.get(path)]
        out = [a for a in case.arguments if a.lstrip(b"-").startswith(b"out=")]
        if case.program in COMPILED_IN and not asked and not results and out[-1:] != [b"--out="] and \
                out[-1:] != [b"-out="]:
            findings.append("no result: the run ended well, but no summary.json is new")
        for path in results:
            findings += whole(path, after)
        findings += [f"left: {path} by a run that ended well" for path in after
                     if path not in before and path.endswith(".tmp")]
        return findings


def files_of(summary):
    """@return the file names that a summary (bytes) lists; none if it is no summary."""
    try:
        names = json.loads(summary).get("files", [])
        return [name for name in names if isinstance(name, str)]
    except (ValueError, AttributeError, RecursionError, TypeError):
        return []


def whole(path, files):
    """@return what is wrong with a result, whose summary is files[path]."""
    try:
        summary = json.loads(files[path])
    except ValueError as error:
        return [f"half result: {path} does not parse: {error}"]
    names = summary.get("files")
    if not isinstance(names, list) or "summary.json" not in names:
        return [f"half result: {path} does not name its files"]
    folder = os.path.dirname(path)
    findings = []
    for name in names:
        full = os.path.join(folder, name)
        if full not in files:
            findings.append(f"half result: {path} names {name}, which is not there")
        elif name.endswith(".csv") and files[full] and not files[full].endswith(b"\n"):
            findings.append(f"half result: {name} ends within a line")
    outputs = {entry["name"]: entry for entry in summary.get("manifest", {}).get("outputs", [])}
    if outputs and sorted([*outputs, "summary.json"]) != sorted(names):
        findings.append(f"half result: the manifest of {path} has {sorted(outputs)}")
    for name, entry in outputs.items():
        data = files.get(os.path.join(folder, name), b"")
        if (entry["bytes"], entry["sha256"]) != (len(data), hashlib.sha256(data).hexdigest()):
            findings.append(f"half result: {name} is not what the manifest says")
    return findings


def sanitizer_line(text, mark):
    """@return the report's first line and its first place in this project, without addresses."""
    line = next(line for line in text.splitlines() if mark in line)
    place = re.search(r"(contrib/roce|scratch)/[\w/.-]+:\d+", text)
    line = re.sub(r"0x[0-9a-f]+|==\d+==|\bT\d+\b", "", line)
    return f"{line.strip()[:200]} {place.group(0) if place else ''}"


def last_line(text):
    """@return the line that says why, the last one otherwise."""
    lines = [line for line in text.splitlines() if line.strip()]
    why = [line for line in lines if "msg=" in line or "what():" in line or "ssert" in line]
    return (why or lines or ["nothing on standard error"])[-1][:300]


def signature(finding):
    """@return a finding without what differs from input to input."""
    finding = re.sub(r"( characters: |control character ).*", r"\1", finding, flags=re.DOTALL)
    return re.sub(r"'[^']*'|\"[^\"]*\"|[-+]?\d[\d.e+-]*", "#", finding)[:120]


class Fuzzer:
    """A kind of inputs. Subclasses say how one is made and may check more."""

    name = ""
    leaks = False
    count = 100

    def __init__(self):
        self.driver = None
        self.judge = Judge()

    def prepare(self, folder):
        """Ask the programs what is needed to make inputs."""

    def make(self, rng, index):
        """@return a Case."""
        raise NotImplementedError

    def attempt(self, case, folder):
        """Run a case in an empty folder. @return reply, findings"""
        write_files(folder, case.files)
        if case.limits.get("uid"):
            os.chmod(folder, 0o777)
        before = snapshot(folder)
        reply = self.driver.run(case, folder)
        return reply, self.judge.judge(case, reply, before, snapshot(folder))

    # From here on: the loop.

    def run_one(self, case, root):
        """@return reply and findings of a case, in a folder that is gone afterwards."""
        folder = Path(root) / "case"
        folder.mkdir()
        try:
            return self.attempt(case, folder)
        finally:
            remove(folder)

    def shrink(self, case, wanted, root):
        """@return the case with as few arguments as show the same finding, as far as ten seconds go."""
        index = 0
        cpu = {} if wanted.startswith("time") else {"cpu": 1}
        end = time.monotonic() + 10
        while index < len(case.arguments) and time.monotonic() < end:
            fewer = case.with_arguments(case.arguments[:index] + case.arguments[index + 1:])
            fewer.limits = {**case.limits, **cpu}
            _, findings = self.run_one(fewer, root)
            if wanted in {signature(f) for f in findings}:
                case = case.with_arguments(fewer.arguments)
            else:
                index += 1
        return case

    def main(self, argv):
        """@return exit status: 1 if anything was found."""
        options = parse(self, argv)
        self.driver = Driver(options.build, self.leaks)
        report = Report(self.name, options)
        with tempfile.TemporaryDirectory(prefix="roce-fuzz-") as root:
            self.prepare(Path(root))
            indices = [options.only] if options.only is not None else range(options.count)
            for index in indices:
                if options.seconds and report.elapsed() > options.seconds:
                    break
                case = self.make(random.Random(f"{self.name}/{options.seed}/{index}"), index)
                reply, findings = self.run_one(case, root)
                for finding in report.add(case, reply, findings):
                    small = self.shrink(case, signature(finding), root)
                    if report.is_new(finding, small):
                        report.keep(index, small, reply, finding)
                report.progress(index, len(indices))
        self.driver.close()
        return report.finish()


def remove(folder):
    """Remove a folder, whatever its permissions are."""
    shutil.rmtree(folder, ignore_errors=True)
    if os.path.exists(folder):
        for where, _, _ in os.walk(folder):
            os.chmod(where, 0o700)
        shutil.rmtree(folder)


def parse(fuzzer, argv):
    """@return the options of a fuzzer."""
    parser = argparse.ArgumentParser(prog="run --kind=" + fuzzer.name, description=fuzzer.__doc__)
    parser.add_argument("--seed", type=int, default=1, help="inputs follow from it")
    parser.add_argument("--count", type=int, default=fuzzer.count, help="inputs")
    parser.add_argument("--seconds", type=float, default=0, help="no new input after this time; 0: no limit")
    parser.add_argument("--only", type=int, help="only the input of this index")
    parser.add_argument("--keep", metavar="DIR", help="write inputs that find something there")
    parser.add_argument("build", nargs="?", default=str(ROOT / "build"), metavar="BUILD_DIR")
    return parser.parse_args(argv)


class Report:
    """Counts, prints and keeps what was found."""

    def __init__(self, kind, options):
        self.kind = kind
        self.options = options
        self.start = time.monotonic()
        self.shown = self.start
        self.counts = collections.Counter()
        self.cpu = 0.0
        self.slowest = 0.0
        self.slowest_command = ""
        self.found = collections.Counter()
        self.crashes = set()

    def elapsed(self):
        """@return seconds so far."""
        return time.monotonic() - self.start

    def add(self, case, reply, findings):
        """Count an input. @return findings whose like was not there before"""
        self.counts["inputs"] += 1
        self.cpu += reply.cpu / 1e6
        if not case.big and reply.cpu / 1e6 > self.slowest:
            self.slowest, self.slowest_command = reply.cpu / 1e6, case.command()
        if findings:
            self.counts["findings"] += 1
        elif reply.signal or reply.late:
            self.counts["ended"] += 1
        else:
            self.counts[{0: "accepted", 3: "accepted", 2: "refused"}.get(reply.status, "failed")] += 1
        new = [f for f in findings if signature(f) not in self.found or f.split(":")[0] in CRASHES]
        self.found.update(signature(f) for f in findings)
        return new

    def is_new(self, finding, case):
        """@return whether a finding, made small, was not there before: crashes say little, so their options count, too."""
        if finding.split(":")[0] not in CRASHES:
            return True
        key = signature(finding) + case.options()
        known = key in self.crashes
        self.crashes.add(key)
        return not known

    def keep(self, index, case, reply, finding):
        """Show a finding, and write its input to --keep."""
        again = f"test/fuzz/run --kind={self.kind} --seed={self.options.seed} --only={index} {self.options.build}"
        command = case.command().format(bin=Path(self.options.build).resolve() / "bin")
        limits = f"  [{case.limits}]" if case.limits else ""
        print(f"\nFOUND {finding}\n  {command[:2000]}{limits}\n  {again}", file=sys.stderr, flush=True)
        if self.options.keep:
            digest = hashlib.sha1(signature(finding).encode()).hexdigest()[:6]
            folder = Path(self.options.keep) / f"{self.kind}-{self.options.seed}-{index}-{digest}"
            write_files(folder / "files", {"": None, **case.files})
            (folder / "command").write_text(f"cd {shlex.quote(str(folder.resolve() / 'files'))} && {command}\n",
                                            encoding="utf-8")
            (folder / "finding.txt").write_text(f"{finding}\n{again}\n{case.limits}\n", encoding="utf-8")
            (folder / "stderr").write_bytes(reply.stderr)

    def progress(self, index, total):
        """A line every ten seconds."""
        now = time.monotonic()
        if now - self.shown >= 10:
            self.shown = now
            print(f"{self.kind}: {index + 1} of {total} inputs, {self.counts['findings']} findings, "
                  f"{now - self.start:.0f} s", file=sys.stderr, flush=True)

    def finish(self):
        """Print the totals. @return exit status"""
        c = self.counts
        print(f"{'kind':14} {'inputs':>7} {'accepted':>9} {'refused':>8} {'failed':>7} {'ended':>6} {'findings':>9} "
              f"{'slowest':>8} {'CPU':>7} {'time':>7}")
        print(f"{self.kind:14} {c['inputs']:7} {c['accepted']:9} {c['refused']:8} {c['failed']:7} {c['ended']:6} "
              f"{c['findings']:9} {self.slowest:6.1f} s {self.cpu:5.0f} s {self.elapsed():5.0f} s")
        for what, times in self.found.most_common():
            print(f"{times:6} times {what}")
        if self.slowest > CPU_SECONDS / 4:
            print(f"slowest: {self.slowest_command[:1000]}", file=sys.stderr)
        return 1 if c["findings"] else 0
