# SPDX-License-Identifier: GPL-2.0-only
"""Makes the runs of a plan, here or on a Slurm cluster, and shows how far they are.

Each run is a process of its own, roce_campaign.run. Nothing about it is kept here: a run is done when its folder is complete and
measured, so a campaign that was broken off goes on with what is missing.
"""

import collections
import contextlib
import ctypes
import getpass
import glob
import hashlib
import itertools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from typing import Dict, List, Optional, Set

import roce_results as rr

from . import measure
from .plan import Plan
from .yamlread import split_options

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TTY_SECONDS = 0.5  # between updates of the live line
LOG_SECONDS = 10.0  # between reports when the output is not a terminal
POLL_SECONDS = 0.05
ASK_SECONDS = 2.0  # between questions to Slurm, each for all jobs
ANSWER_SECONDS = 60.0  # for Slurm to answer
LATENCY_SECONDS = 60.0  # how late a file of a cluster node may show here
GRACE_SECONDS = 30.0  # for runs to end after an interrupt
PR_SET_PDEATHSIG = 1  # of prctl(2)
ENDED = ("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT")


def duration_text(seconds: float) -> str:
    """12 s, 3 min 05 s, 1 h 02 min."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def is_done(plan: Plan, key: str) -> bool:
    """Whether a run is there and measured."""
    return measure.kept(plan, plan.by_key[key], plan.data["metrics"], plan.data["warmupNs"])[1] is not None


class Here:
    """Runs as processes of this machine."""

    def __init__(self, plan: Plan, log, lock):
        """@param log stream that gets what they say
        @param lock stream that they keep open, so that the folder is theirs until the last has ended"""
        self.plan = plan
        self.log = log
        self.lock = lock
        self.running: Dict[str, subprocess.Popen] = {}
        self.logs: List[str] = []  # of failed runs, if of their own

    def start(self, key: str) -> None:
        self.running[key] = subprocess.Popen(
            [sys.executable, "-m", "roce_campaign.run", ".", key], cwd=self.plan.folder, env={**os.environ, "PYTHONPATH": SCRIPTS},
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, pass_fds=(self.lock.fileno(),),
            preexec_fn=lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT))  # kill -9 of this process ends that one, too

    def ended(self) -> Dict[str, bool]:
        """The runs that have ended, and whether well."""
        return {key: p.returncode == 0 for key, p in self.running.items() if p.poll() is not None}

    def stop(self, number: int) -> None:
        """End all with a signal."""
        for process in self.running.values():
            process.send_signal(number)

    def close(self) -> None:
        """At the end; nothing is left."""


class Cluster:
    """Runs as jobs of Slurm."""

    def __init__(self, plan: Plan, log, slurm: Dict[str, str]):
        self.plan = plan
        self.log = log
        self.running: Dict[str, str] = {}  # key -> job
        self.logs: List[str] = []
        self.gone: Dict[str, float] = {}  # key -> when the job was seen to have ended
        self.ask_at = 0.0
        # Of all jobs of this campaign, and of no other: which folder it is, is in it.
        name = f"roce-{plan.data['name']}-{hashlib.sha256(os.path.realpath(plan.folder).encode()).hexdigest()[:12]}"
        self.mine = [f"--name={name}", f"--user={getpass.getuser()}"]
        self.sbatch = ["sbatch", "--parsable", f"--chdir={plan.folder}", "--output=logs/slurm-%j.log", "--ntasks=1", "--cpus-per-task=1"]
        self.sbatch += [f"--{key}={slurm[key]}" for key in ("partition", "account", "qos", "time", "mem") if key in slurm]
        # The name is last: jobs are found by it.
        self.sbatch += split_options(slurm.get("options", "")) + [f"--job-name={name}"]
        self.stop(signal.SIGINT)  # the jobs of a campaign that was killed with -9, and all its processes
        # If this process is killed with -9, another one cancels the jobs.
        self.guard = subprocess.Popen(["sh", "-c", f"trap '' INT TERM HUP; read -r end || {shlex.join(['scancel', *self.mine])}"],
                                      stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def start(self, key: str) -> None:
        command = shlex.join(["env", f"PYTHONPATH={SCRIPTS}", sys.executable, "-m", "roce_campaign.run", ".", key])
        done = self.ask(self.sbatch + [f"--wrap={command}"])
        if done is None or done.returncode != 0:
            self.log.write(f"error: {key}: sbatch: {(done.stderr if done else 'no answer').strip()}\n".encode())
            self.log.flush()
        self.running[key] = done.stdout.strip().partition(";")[0] if done and done.returncode == 0 else ""

    @staticmethod
    def ask(command: List[str]) -> Optional[subprocess.CompletedProcess]:
        """A command of Slurm; None without an answer."""
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=ANSWER_SECONDS)
        except FileNotFoundError:
            raise rr.ResultError(f"{command[0]} is not there, expected Slurm's commands in the PATH") from None
        except (OSError, subprocess.TimeoutExpired):
            return None

    def ended(self) -> Dict[str, bool]:
        """The runs that have ended, and whether well: what the job has left counts, which may show late."""
        now = time.monotonic()
        if now < self.ask_at:
            return {}
        self.ask_at = now + ASK_SECONDS
        done = self.ask(["squeue", "--noheader", "--states=all", "--format=%i %T", *self.mine])
        if done is None or done.returncode != 0:
            return {}  # the controller is away for a moment
        states = dict(line.split()[:2] for line in done.stdout.splitlines() if len(line.split()) >= 2)
        found = {}
        for key, job in self.running.items():
            state = states.get(job, "")  # Slurm forgets a job some minutes after its end
            if job and state and state not in ENDED:
                continue
            waited = now - self.gone.setdefault(key, now)
            if is_done(self.plan, key):
                found[key] = True
            elif not job or state not in ("", "COMPLETED") or waited > LATENCY_SECONDS:
                found[key] = False
                self.logs.append(os.path.join(self.plan.folder, "logs", f"slurm-{job}.log"))
        return found

    def stop(self, _number: int) -> None:
        if self.ask(["scancel", *self.mine]) is None:
            sys.stderr.write(f"note: jobs may be left: scancel {self.mine[0]}\n")
        self.ask_at = 0.0

    def close(self) -> None:
        """At the end, also of an interrupted campaign."""
        self.stop(signal.SIGINT)
        self.guard.communicate(b"end\n")


class Campaign:
    """The runs of one call of scripts/reproduce."""

    def __init__(self, plan: Plan, jobs: int, slurm: Optional[Dict[str, str]]):
        self.plan, self.jobs, self.slurm = plan, jobs, slurm
        self.interrupted = False
        self.stop_at = float("inf")
        self.failed: Set[str] = set()  # keys of runs that are not there, or cannot be measured
        self.log = os.path.join(plan.folder, "logs", "campaign.log")
        self.logs = [self.log]

    def run(self, lock_stream) -> None:
        """Make all that is missing."""
        os.makedirs(os.path.dirname(self.log), exist_ok=True)
        waiting = collections.deque(k for k in self.plan.by_key if not is_done(self.plan, k))
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        with open(self.log, "wb") as log:
            pool = Here(self.plan, log, lock_stream) if self.slurm is None else Cluster(self.plan, log, self.slurm)
            previous = {n: signal.signal(n, lambda *_: self._interrupt(pool)) for n in numbers}
            try:
                self._work(pool, waiting)
            finally:
                pool.close()
                self.logs += pool.logs
                for number, handler in previous.items():
                    signal.signal(number, handler)

    def _interrupt(self, pool) -> None:
        """End the runs; a second interrupt does not wait."""
        pool.stop(signal.SIGKILL if self.interrupted else signal.SIGINT)
        self.stop_at = min(self.stop_at, time.monotonic() + GRACE_SECONDS)
        self.interrupted = True

    def _work(self, pool, waiting: collections.deque) -> None:
        """Start what waits, collect what has ended, show progress."""
        live = sys.stderr.isatty()
        started = time.monotonic()
        before = len(self.plan.by_key) - len(waiting)
        report_at = started + (0 if live else LOG_SECONDS / 2)
        while pool.running or waiting:
            while waiting and len(pool.running) < self.jobs and not self.interrupted:
                pool.start(waiting.popleft())
            for key, good in pool.ended().items():
                del pool.running[key]
                self.failed.update([] if good else [key])
            now = time.monotonic()
            if self.interrupted:
                waiting.clear()
                if now > self.stop_at:
                    pool.stop(signal.SIGKILL)
                    self.stop_at = now + GRACE_SECONDS
            if now >= report_at:
                report_at = now + (TTY_SECONDS if live else LOG_SECONDS)
                text = self._text(len(self.plan.by_key) - len(waiting) - len(pool.running) - len(self.failed), before, now - started)
                self._show(f"\r\033[K{text[:shutil.get_terminal_size().columns - 1]}" if live else text + "\n")
            time.sleep(POLL_SECONDS)
        if live:
            self._show("\r\033[K")

    @staticmethod
    def _show(text: str) -> None:
        """Write to the terminal, which may have been closed meanwhile."""
        with contextlib.suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()

    def _text(self, done: int, before: int, elapsed: float) -> str:
        """[3/12 runs] ETA 2 min 10 s"""
        total = len(self.plan.by_key)
        parts = []  # how far the runs are that are going on
        for part in sorted(glob.glob(os.path.join(glob.escape(self.plan.folder), "runs", "*.part-*"))):
            try:
                with open(os.path.join(part, "progress.json"), encoding="utf-8") as stream:
                    p = json.load(stream)
                parts.append(float(p["done"]))
            except (OSError, ValueError, KeyError, TypeError):
                parts.append(0.0)
        worked = done - before + sum(parts)
        text = f"[{done}/{total} runs]"
        if parts:
            text += f" {len(parts)} going on ({', '.join(f'{100 * p:.0f}%' for p in parts[:8])})"
        if worked > 0:
            text += f", ETA {duration_text((total - before - worked) * elapsed / worked)}"
        return text

    def failures(self) -> List[str]:
        """What went wrong: the lines of failed runs, or where to look."""
        texts: List[str] = []
        for file in filter(os.path.exists, self.logs):
            with open(file, encoding="utf-8", errors="replace") as stream:
                lines = stream.read().splitlines()
            for i, line in enumerate(lines):
                if line.startswith("error: ") and line not in texts:
                    texts += [line, *itertools.takewhile(lambda x: x.startswith(("    error: ", "    (")), lines[i + 1:])]
        missing = [k for k in self.plan.by_key if k in self.failed]
        texts.append(f"{len(missing)} of {len(self.plan.by_key)} runs are missing: {', '.join(missing[:5])}" + ", ..." * (len(missing) > 5))
        return texts + [f"all that was said: {os.path.relpath(self.log)}"]
