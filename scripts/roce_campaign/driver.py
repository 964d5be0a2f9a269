# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Starts Snakemake on a plan, here or on a Slurm cluster, and shows how far it is."""

import ctypes
import getpass
import glob
import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from typing import Dict, List, Optional

import roce_results as rr
from roce_jobs import duration_text

from .plan import Plan
from .yamlread import split_options

SCRIPTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TTY_SECONDS = 0.5  # between updates of the live line
LOG_SECONDS = 10.0  # between reports when the output is not a terminal
LATENCY_SECONDS = 60  # how late a file of a cluster node may show here
CANCEL_SECONDS = 60.0  # for scancel to answer
PR_SET_PDEATHSIG = 1  # of prctl(2)
GRACE_SECONDS = 30.0  # for Snakemake to end its jobs after an interrupt


def job_name(plan: Plan) -> str:
    """Of all Slurm jobs of a campaign, and of no other: which folder it is, is in it."""
    folder = hashlib.sha256(os.path.realpath(plan.folder).encode()).hexdigest()
    return f"roce-{plan.data['name']}-{folder[:12]}"


def sbatch(slurm: Dict[str, str], name: str) -> List[str]:
    """The command that submits a job; Snakemake adds the script."""
    command = ["sbatch", "--parsable", "--output=logs/slurm-%j.log", "--ntasks=1",
               "--cpus-per-task=1"]
    for key in ("partition", "account", "qos", "time", "mem"):
        if key in slurm:
            command.append(f"--{key}={slurm[key]}")
    # The name is last: jobs are found by it.
    return command + split_options(slurm.get("options", "")) + [f"--job-name={name}"]


def cancel_jobs(name: str) -> None:
    """Cancel what is left of a campaign's Slurm jobs, if anything."""
    try:
        subprocess.run(["scancel", f"--name={name}", f"--user={getpass.getuser()}"],
                       stdin=subprocess.DEVNULL, capture_output=True, check=False,
                       timeout=CANCEL_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        sys.stderr.write(f"note: jobs may be left: scancel --name={name}\n")


def environment() -> Dict[str, str]:
    """That of Snakemake. It imports distutils; the stand-in that setuptools puts before Python's own takes longer to load
    than all the rest of Snakemake."""
    if os.path.isdir(os.path.join(sysconfig.get_path("stdlib"), "distutils")):
        return {"SETUPTOOLS_USE_DISTUTILS": "stdlib", **os.environ}
    return dict(os.environ)


def interrupt_at_death_of_parent() -> None:
    """For a process that is about to begin: who kills this one with -9 ends that one's jobs, too."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)


class Campaign:
    """One call of scripts/reproduce, from the plan to the page."""

    def __init__(self, plan: Plan, jobs: int, slurm: Optional[Dict[str, str]]):
        self.plan = plan
        self.jobs = jobs
        self.slurm = slurm
        self.process: Optional[subprocess.Popen] = None
        self.interrupted = False
        self.log = os.path.join(plan.folder, "logs", "snakemake.log")

    def command(self) -> List[str]:
        """Snakemake with its options."""
        if importlib.util.find_spec("snakemake") is None:
            raise rr.ResultError(f"{sys.executable} has no Snakemake: apt install snakemake, and "
                                 "call this script with /usr/bin/python3")
        command = [
            sys.executable, "-m", "snakemake",
            "--snakefile", os.path.join(SCRIPTS, "Snakefile"), "--directory", self.plan.folder,
            "--config", f"scripts={SCRIPTS}", f"python={sys.executable}",
            f"local_jobs={len(os.sched_getaffinity(0))}",
            "--rerun-incomplete", "--rerun-triggers", "mtime", "--keep-going", "--nocolor",
            "--scheduler", "greedy"]
        if self.slurm is None:
            return command + ["--cores", str(self.jobs)]
        status = f"{sys.executable} {os.path.join(SCRIPTS, 'roce_campaign', 'slurm_status.py')}"
        return command + [
            "--jobs", str(self.jobs), "--local-cores", str(len(os.sched_getaffinity(0))),
            # Snakemake formats the command with the names of the job, braces of ours are none.
            "--cluster", " ".join(shlex.quote(x) for x in sbatch(
                self.slurm, job_name(self.plan))).replace("{", "{{").replace("}", "}}"),
            "--cluster-status", status, "--cluster-cancel", "scancel",
            "--latency-wait", str(LATENCY_SECONDS), "--max-status-checks-per-second", "5"]

    def run(self, lock_stream) -> bool:
        """Run all; True when all is there."""
        os.makedirs(os.path.join(self.plan.folder, "logs"), exist_ok=True)
        command = self.command()
        if self.slurm is not None:
            cancel_jobs(job_name(self.plan))  # of a campaign that was killed with -9, and all its processes
        locks = os.path.join(self.plan.folder, ".snakemake", "locks")
        with open(self.log, "w", encoding="utf-8") as log:
            # A killed Snakemake leaves its own lock; ours says that nobody is alive.
            if any(os.scandir(locks) if os.path.isdir(locks) else ()):
                unlock = subprocess.run(command + ["--unlock"], stdout=log, stderr=subprocess.STDOUT,
                                        env=environment(), check=False)
                if unlock.returncode != 0:
                    raise rr.ResultError(f"Snakemake does not start, see {os.path.relpath(self.log)}")
            previous = {s: signal.signal(s, self._interrupt)
                        for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
            try:
                self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                                stderr=subprocess.STDOUT, env=environment(),
                                                pass_fds=(lock_stream.fileno(),),
                                                preexec_fn=interrupt_at_death_of_parent)
                self._watch()
            finally:
                if self.slurm is not None and self.process and self.process.poll() is not None:
                    cancel_jobs(job_name(self.plan))  # which Snakemake did not get to, if any
                for number, handler in previous.items():
                    signal.signal(number, handler)
        return self.process.returncode == 0 and not self.interrupted

    def _interrupt(self, _number, _frame) -> None:
        """Tell Snakemake to end its jobs; a second interrupt does not wait."""
        if self.interrupted and self.process:
            self.process.kill()
        self.interrupted = True
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)

    # ---------------------------------------------------------------------------------- progress

    def _watch(self) -> None:
        """Show progress until Snakemake ends."""
        total = len(self.plan.by_key)
        live = sys.stderr.isatty()
        started = time.monotonic()
        done_before = self._done()
        report_at = started + (0 if live else LOG_SECONDS / 2)
        stop_at = None
        while self.process.poll() is None:
            time.sleep(0.1)
            now = time.monotonic()
            if self.interrupted:
                stop_at = stop_at or now + GRACE_SECONDS
                if now > stop_at:
                    self.process.kill()
            if now >= report_at:
                report_at = now + (TTY_SECONDS if live else LOG_SECONDS)
                text = self._text(total, done_before, now - started)
                self._show(f"\r\033[K{text[:shutil.get_terminal_size().columns - 1]}" if live
                           else text + "\n")
        if live:
            self._show("\r\033[K")

    @staticmethod
    def _show(text: str) -> None:
        """Write to the terminal, which may have been closed meanwhile."""
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except OSError:
            pass

    def _done(self) -> int:
        """Finished runs."""
        return sum(os.path.exists(self.plan.mark(r)) for r in self.plan.by_key.values())

    def _text(self, total: int, done_before: int, elapsed: float) -> str:
        """[3/12 runs] ETA 2 min 10 s"""
        done = self._done()
        parts = self._parts()
        worked = done - done_before + sum(parts)
        if done == total:
            return f"[{done}/{total} runs] tables, figures, page"
        text = f"[{done}/{total} runs]"
        if parts:
            text += f" {len(parts)} going on ({', '.join(f'{100 * p:.0f}%' for p in parts[:8])})"
        if worked > 0:
            left = (total - done_before - worked) * elapsed / worked
            text += f", ETA {duration_text(left)}"
        return text

    def _parts(self) -> List[float]:
        """How far the runs are that are going on: parts of their simulated time."""
        found = []
        for part in sorted(glob.glob(os.path.join(glob.escape(self.plan.folder), "runs",
                                                  "*.part-*"))):
            try:
                with open(os.path.join(part, "progress.json"), encoding="utf-8") as stream:
                    p = json.load(stream)
                found.append(min(1.0, p["simulatedPs"] / max(1, p["endPs"])))
            except (OSError, ValueError, KeyError, TypeError):
                found.append(0.0)
        return found

    # ---------------------------------------------------------------------------------- failures

    def missing(self) -> List[str]:
        """Keys of the runs that are not done, or could not be measured."""
        return [k for k, r in self.plan.by_key.items() if not os.path.exists(self.plan.mark(r))]

    def failures(self) -> List[str]:
        """What went wrong: the lines of failed runs, or where to look."""
        texts = []
        logs = [self.log] + [f for n in self._failed_jobs()
                             for f in glob.glob(os.path.join(self.plan.folder, "logs",
                                                             f"slurm-{n}.log"))]
        for file in logs:
            with open(file, encoding="utf-8", errors="replace") as stream:
                lines = stream.read().splitlines()
            for i, line in enumerate(lines):
                if line.startswith("error: ") and line not in texts:
                    texts.append(line)
                    for more in lines[i + 1:]:
                        if not more.startswith("    error: ") and not more.startswith("    ("):
                            break
                        texts.append(more)
        missing = self.missing()
        if missing:
            texts.append(f"{len(missing)} of {len(self.plan.by_key)} runs are missing: "
                         + ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else ""))
        texts.append(f"all that was said: {os.path.relpath(self.log)}")
        return texts

    def _failed_jobs(self) -> List[str]:
        """Ids of failed cluster jobs, from Snakemake's log."""
        with open(self.log, encoding="utf-8", errors="replace") as stream:
            return re.findall(r"cluster_jobid: (\d+)", stream.read())
