#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Run two congestion controls at two loads across two datacenters, then tabulate and plot.

    scripts/quickstart.py [--ccs Dcqcn,Hpcc] [--loads 0.3,0.6] [--duration 20ms] [-- --option=...]

Runs build/bin/two-dc-leaf-spine once for each pair, in parallel up to the number of cores, and
writes one run folder each plus table.md, table.csv, slowdown-by-size.png, fct-cdf.png and
queues.png. Arguments after -- are passed to the program.

Exit status: 0 done, 1 a run failed (its last words are shown), 2 bad usage.
"""

import argparse
import collections
import itertools
import os
import shutil
import signal
import sys
import time
from typing import List

import plot_fct
import plot_queues
import roce_results as rr
from roce_files import LOCK, OwnFiles, lock
from roce_jobs import Job, duration_text, positive

ROOT = os.path.relpath(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TTY_SECONDS = 0.5  # between updates of the live line
SUMMARIES = ("table.md", "table.csv", "slowdown-by-size.png", "fct-cdf.png", "queues.png")
LOG_SECONDS = 5.0  # between reports when the output is not a terminal


class Display:
    """One line that is written over on a terminal, a few lines now and then elsewhere."""

    def __init__(self, stream):
        self.stream = stream
        self.live = stream.isatty()
        self.next_report = time.monotonic() + (0 if self.live else LOG_SECONDS)

    def say(self, text: str) -> None:
        """A line that stays."""
        self.stream.write(("\r\033[K" if self.live else "") + text + "\n")
        self.stream.flush()

    def update(self, jobs: List[Job], finished: int, total: int) -> None:
        """Show the running jobs, not too often."""
        now = time.monotonic()
        if now < self.next_report:
            return
        self.next_report = now + (TTY_SECONDS if self.live else LOG_SECONDS)
        head = f"[{finished}/{total} done] "
        if not self.live:
            for job in jobs:
                self.say(head + job.status())
            return
        width = shutil.get_terminal_size().columns - 1
        for level in range(4):
            line = head + " | ".join(job.status(level) for job in jobs)
            if len(line) <= width:
                break
        self.stream.write("\r\033[K" + line[:width])
        self.stream.flush()


def run_all(jobs: List[Job], parallel: int, display: Display) -> bool:
    """Run the jobs, at most so many at once.

    @return False when one failed; the others are then stopped and its last words shown
    """
    waiting = collections.deque(jobs)
    running: List[Job] = []
    finished = 0
    try:
        while waiting or running:
            while waiting and len(running) < parallel:
                job = waiting.popleft()
                job.start()
                running.append(job)
            for job in list(running):
                status = job.poll()
                if status is None:
                    continue
                running.remove(job)
                finished += 1
                if status != 0:
                    report_failure(job, status, display)
                    return False
                flows = job.progress.get("flowsDone")
                text = f", {flows:.0f} flows" if flows is not None else ""
                display.say(f"[{finished}/{len(jobs)} done] {job.name} finished in "
                            f"{duration_text(job.seconds)}{text}")
            if running:
                display.update(running, finished, len(jobs))
                time.sleep(0.05)
        return True
    finally:
        for job in running:
            job.stop()


def report_failure(job: Job, status: int, display: Display) -> None:
    """Say which run failed, how, and what it said last."""
    for line in job.failure(status):
        display.say(line)


def loads_list(text: str) -> List[str]:
    """Comma-separated loads, each between 0 and 1."""
    loads = [x.strip() for x in text.split(",")]
    for load in loads:
        try:
            good = 0 < float(load) <= 1
        except ValueError:
            good = False
        if not good:
            raise argparse.ArgumentTypeError(f"load '{load}', expected above 0 and at most 1")
    return loads


def names_list(text: str) -> List[str]:
    """Comma-separated names."""
    names = [x.strip() for x in text.split(",")]
    if not all(names):
        raise argparse.ArgumentTypeError(f"'{text}', expected comma-separated names")
    return names


def parse_arguments(argv: List[str]):
    """Own options, and those after -- for the program."""
    extra: List[str] = []
    if "--" in argv:
        at = argv.index("--")
        argv, extra = argv[:at], argv[at + 1:]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ccs", type=names_list, default=["Dcqcn", "Hpcc"], metavar="A,B",
                        help="congestion controls (default Dcqcn,Hpcc)")
    parser.add_argument("--loads", type=loads_list, default=["0.3", "0.6"], metavar="X,Y",
                        help="loads as a part of the host links' rate (default 0.3,0.6)")
    parser.add_argument("--workload", default="websearch", help="default websearch")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--duration", default="100ms",
                        help="simulated time with new flows (default 100ms)")
    parser.add_argument("--queues", default="50us", metavar="TIME",
                        help="time between samples of all queues (default 50us)")
    parser.add_argument("--jobs", type=positive, metavar="N",
                        help="runs at a time (default: the number of usable cores)")
    parser.add_argument("--bin", metavar="FILE", default=os.path.normpath(
                            os.path.join(ROOT, "build", "bin", "two-dc-leaf-spine")),
                        help="default build/bin/two-dc-leaf-spine")
    parser.add_argument("--out", metavar="DIR", default=os.path.normpath(
                            os.path.join(ROOT, "results", "quickstart")),
                        help="default results/quickstart")
    return parser.parse_args(argv), extra


def make_jobs(args, extra: List[str]) -> List[Job]:
    """The runs to do."""
    jobs = []
    for cc, load in itertools.product(args.ccs, args.loads):
        percent = f"{100 * float(load):g}"
        name = f"{cc.lower()}-load{percent}"
        folder = os.path.join(args.out, name)
        command = [args.bin, f"--cc={cc}", f"--load={load}", f"--seed={args.seed}",
                   f"--workload={args.workload}", f"--out={folder}", "--progress=json",
                   f"--duration={args.duration}", f"--queues={args.queues}"]
        jobs.append(Job(name, f"{cc} {percent} % load", folder, command + extra))
    names = [job.name for job in jobs]
    twice = [n for n in names if names.count(n) > 1]
    if twice:
        raise rr.ResultError(f"the same run twice ({twice[0]}), expected different --ccs, --loads")
    return jobs


def begin(out: str, names: List[str]):
    """Take the folder, and remove tables and plots of earlier runs: they must not look like those
    of these.

    @param names what the runs write
    @return the lock
    """
    if os.path.lexists(out) and not os.path.isdir(out):
        raise rr.ResultError(f"{out} is a file, expected a folder for the results")
    own = OwnFiles(out)
    if not own.marked() and is_earlier(out):
        own.adopt([LOCK, *SUMMARIES, *names])
    own.refuse_foreign([LOCK, *SUMMARIES, *names])
    own.claim([LOCK, *names])
    locked = lock(out, "scripts/quickstart.py")
    own.remove(SUMMARIES)
    return locked


def is_earlier(out: str) -> bool:
    """True for the results of a version that did not list its files: known by the tables."""
    try:
        with open(os.path.join(out, "table.csv"), encoding="utf-8") as stream:
            head = stream.readline()
        return head == ",".join(rr.tidy_table([])[0]) + "\n" \
            and os.path.exists(os.path.join(out, "table.md"))
    except (OSError, UnicodeDecodeError):
        return False


def summarise(jobs: List[Job], out: str) -> None:
    """Table and plots of all runs."""
    runs = [rr.load_run(job.folder, job.label) for job in jobs]
    print("\n" + rr.report(runs), end="")
    own = OwnFiles(out)
    own.claim(SUMMARIES)
    files = [own.write("table.md", rr.report(runs, markdown=True)),
             own.write("table.csv", rr.csv_text(rr.tidy_table(runs)))]
    if any(f.finished for run in runs for f in run.flows):
        files += plot_fct.plot(runs, out)
    else:
        print("\nNo flow finished: no FCT plots.")
    queues = os.path.join(out, "queues.png")
    with_queues = [r for r in runs if os.path.exists(os.path.join(r.folder, "queues.csv"))]
    if not with_queues:
        print("\nNo run wrote queues.csv: no queues.png.")
    elif plot_queues.plot([(r.label, r.folder, r.summary) for r in with_queues], queues, 4):
        files.append(queues)
    else:
        print("\nAll queues were empty: no queues.png.")
    print("\nwritten: " + "\n         ".join(os.path.relpath(f) for f in files))


def main() -> int:
    """The command line."""
    args, extra = parse_arguments(sys.argv[1:])
    if not os.path.isfile(args.bin):
        raise rr.ResultError(f"{args.bin}: no such program, build the project first or give --bin")
    jobs = make_jobs(args, extra)
    with begin(args.out, [end for job in jobs for end in (job.name, job.name + ".log")]):
        parallel = min(args.jobs or len(os.sched_getaffinity(0)), len(jobs))
        display = Display(sys.stderr)
        display.say(f"{len(jobs)} run(s), {parallel} at a time, into {os.path.relpath(args.out)}")
        # Ctrl-C and kill end the runs, too.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        if not run_all(jobs, parallel, display):
            return 1
        summarise(jobs, args.out)
    return 0


if __name__ == "__main__":
    rr.run_main(main)
