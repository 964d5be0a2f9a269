# SPDX-License-Identifier: GPL-2.0-only
"""One run of a campaign, as a process of its own: python3 -m roce_campaign.run FOLDER RUN

The program runs in a new folder, which gets the run's name when all is done. So a run's folder is complete or not there, and two
processes at the same run do not mix. Before and after, the program, its libraries and inputs must be those of the plan.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import sys
import time

import roce_results as rr
from roce_files import write_whole
from roce_jobs import Job

from . import measure, provenance, workspace
from .plan import Plan, PlannedRun, run_hash
from .program import clean_environment, code

POLL_SECONDS = 0.05
PROGRESS_SECONDS = 1.0  # between two writings of the progress file
FINISHED = (0, 3)  # exit statuses with a result: 3 if some flows are not done


def check(plan: Plan, run: PlannedRun, when: str) -> None:
    """The program, and the files that options name, are the plan's, or one line."""
    found = code(plan.data["program"])
    changed = sorted(n for n in found.keys() | plan.data["code"].keys() if found.get(n) != plan.data["code"].get(n))
    if changed:
        raise rr.ResultError(f"{', '.join(changed)} changed {when} this run: results of different code are not mixed; "
                             "start scripts/reproduce again")
    if run_hash(run.options, run.seed, plan.data["seedOption"], plan.data["codeHash"]) != run.hash:
        raise rr.ResultError(f"{run.key}: a file that an option names is not what it was when the campaign was started")


def execute(plan: Plan, run: PlannedRun, part: str) -> Job:
    """Run the program in the folder `part`; an error if it leaves no result."""
    command = [plan.data["program"], *(f"--{o}={v}" for o, v in run.options.items()), f"--{plan.data['seedOption']}={run.seed}", "--out=."]
    command += ["--progress=json"] if plan.data["progress"] else []
    job = Job(run.key, os.path.join(part, "run.log"), command, part, clean_environment())
    shown = os.path.join(part, "progress.json")
    job.start()
    written = 0.0
    try:
        while (status := job.poll()) is None:
            progress = job.progress
            if progress and progress.get("wallSeconds", 0) >= written + PROGRESS_SECONDS:
                written = progress["wallSeconds"]
                write_whole(shown, json.dumps(progress))
            time.sleep(POLL_SECONDS)
    finally:
        job.stop()
    if status not in FINISHED:
        raise rr.ResultError("\n".join(job.failure(status)).replace("error: ", "", 1))
    if not os.path.exists(os.path.join(part, "summary.json")):  # which comes last
        raise rr.ResultError(f"{run.key}: the program left no summary.json")
    if rr.read_summary(part).get("interrupted"):
        raise rr.ResultError(f"{run.key}: the program was ended by a signal or a time limit, and has written a part of its result")
    with contextlib.suppress(FileNotFoundError):
        os.remove(shown)
    return job


def do(plan: Plan, run: PlannedRun) -> None:
    """Make the run's folder, unless it is there."""
    final = plan.run_folder(run)
    if plan.record(run) is None:
        part = f"{final}.part-{socket.gethostname()}-{os.getpid()}"
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        try:
            check(plan, run, "before")
            before = provenance.described(provenance.named_files(run.options.values(), part), part, plan.folder)
            job = execute(plan, run, part)
            check(plan, run, "during")
            problem = provenance.fault(part, before, plan.folder)
            if problem:
                raise rr.ResultError(f"{run.key}: {problem} during this run")
            # Files that options name are in the run's hash: where they are does not matter.
            direct = provenance.described((v for v in run.options.values() if os.path.isfile(v)), part, plan.folder)
            inputs = provenance.inputs(part, run.options.values(), plan.folder)
            record = {"key": run.key, "hash": run.hash, "point": run.point, "seed": run.seed, "options": run.options,
                      "command": job.command, "exitStatus": job.process.returncode, "code": plan.data["code"],
                      "commit": plan.data["commit"], "elapsedSeconds": round(job.seconds, 3),
                      "slurmJob": os.environ.get("SLURM_JOB_ID"), "outputs": provenance.outputs(part),
                      "inputs": {p: m for p, m in inputs.items() if p not in direct}}
            write_whole(os.path.join(part, "run.json"), json.dumps(record, indent=1) + "\n")
            if plan.record(run) is None:
                if workspace.is_result(final):
                    shutil.rmtree(final)
                os.rename(part, final)
        except OSError as error:
            raise rr.ResultError(f"{error.filename or run.key}: {error.strerror}") from None
        finally:
            shutil.rmtree(part, ignore_errors=True)
    # Here and not at the end: on a cluster, the nodes do the reading.
    measure.of_run(plan, run, plan.data["metrics"], plan.data["warmupNs"])


def interrupt(_number, _frame) -> None:
    """End in order; from the terminal and from scripts/reproduce a second signal may come meanwhile."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def main() -> int:
    folder, key = sys.argv[1:]
    plan = Plan.read(folder)
    if key not in plan.by_key:
        raise rr.ResultError(f"{key}: not in the plan of {folder} any more")
    signal.signal(signal.SIGINT, interrupt)
    do(plan, plan.by_key[key])
    return 0


if __name__ == "__main__":
    rr.run_main(main)
