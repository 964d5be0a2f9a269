# SPDX-License-Identifier: GPL-2.0-only
"""One run of a campaign, as a process of its own: python3 -m roce_campaign.run FOLDER RUN

The program runs in a new folder, which gets the run's name when all is done. So a run's folder is
complete or not there, and two processes at the same run do not mix. Before and after, the program
and its libraries must be those of the plan.
"""

import json
import os
import shutil
import signal
import socket
import sys
import time
from typing import List

import roce_results as rr
from roce_files import write_whole
from roce_jobs import Job

from . import identity, measure, provenance, workspace
from .plan import Plan, PlannedRun, run_hash

POLL_SECONDS = 0.05
PROGRESS_SECONDS = 1.0  # between two writings of the progress file
FINISHED = {0: "", 3: "some flows not done"}  # exit statuses with a result (README)


def check_code(plan: Plan, when: str) -> None:
    """The program is the plan's, or one line."""
    found = identity.code(plan.data["program"])
    changed = sorted(n for n in found.keys() | plan.data["code"].keys() if found.get(n) != plan.data["code"].get(n))
    if changed:
        raise rr.ResultError(f"{', '.join(changed)} changed {when} this run: results of different "
                             "code are not mixed; start scripts/reproduce again")


def check_inputs(plan: Plan, run: PlannedRun) -> None:
    """The files that options name are the plan's, too."""
    if run_hash(run.options, run.seed, plan.data["seedOption"], plan.data["codeHash"]) != run.hash:
        raise rr.ResultError(f"{run.key}: a file that an option names is not what it was when the "
                             "campaign was started")


def command(plan: Plan, run: PlannedRun) -> List[str]:
    """The program with its arguments."""
    arguments = [f"--{o}={v}" for o, v in run.options.items()]
    arguments += [f"--{plan.data['seedOption']}={run.seed}", "--out=."]
    if plan.data["progress"]:
        arguments.append("--progress=json")
    return [plan.data["program"]] + arguments


def execute(plan: Plan, run: PlannedRun, part: str) -> Job:
    """Run the program in the folder `part`; an error if it leaves no result."""
    job = Job(run.key, run.key, os.path.join(part, "run"), command(plan, run), cwd=part,
              env=identity.clean_environment())
    job.start()
    written = 0.0
    try:
        while True:
            time.sleep(POLL_SECONDS)
            status = job.poll()
            if status is not None:
                break
            progress = job.progress
            if progress and progress.get("wallSeconds", 0) >= written + PROGRESS_SECONDS:
                written = progress["wallSeconds"]
                write_whole(os.path.join(part, "progress.json"), json.dumps(progress))
    finally:
        job.stop()
    if status not in FINISHED:
        raise rr.ResultError("\n".join(job.failure(status)).replace("error: ", "", 1))
    if not os.path.exists(os.path.join(part, "summary.json")):  # which comes last
        raise rr.ResultError(f"{run.key}: the program left no summary.json")
    if rr.read_summary(part).get("interrupted"):
        raise rr.ResultError(f"{run.key}: the program was ended by a signal or a time limit, and has written a part of its result")
    if os.path.exists(os.path.join(part, "progress.json")):
        os.remove(os.path.join(part, "progress.json"))
    return job


def do(plan: Plan, run: PlannedRun) -> None:
    """Make the run's folder, unless it is there."""
    final = plan.run_folder(run)
    if plan.record(run) is None:
        part = f"{final}.part-{socket.gethostname()}-{os.getpid()}"
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        try:
            check_code(plan, "before")
            check_inputs(plan, run)
            before = provenance.described(provenance.named_files(run.options.values(), part), part, plan.folder)
            job = execute(plan, run, part)
            check_code(plan, "during")
            check_inputs(plan, run)
            problem = provenance.fault(part, before, plan.folder)
            if problem:
                raise rr.ResultError(f"{run.key}: {problem} during this run")
            record = {"key": run.key, "hash": run.hash, "point": run.point, "seed": run.seed,
                      "options": run.options, "command": job.command,
                      "exitStatus": job.process.returncode, "code": plan.data["code"],
                      "commit": plan.data["commit"], "elapsedSeconds": round(job.seconds, 3),
                      "slurmJob": os.environ.get("SLURM_JOB_ID"),
                      "outputs": provenance.outputs(part),
                      "inputs": provenance.indirect_inputs(part, run.options, plan.folder)}
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
    """The command line."""
    folder, key = sys.argv[1:]
    plan = Plan.read(folder)
    if key not in plan.by_key:
        raise rr.ResultError(f"{key}: not in the plan of {folder} any more")
    signal.signal(signal.SIGINT, interrupt)
    do(plan, plan.by_key[key])
    return 0


if __name__ == "__main__":
    rr.run_main(main)
