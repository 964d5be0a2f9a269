#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Tells Snakemake how a Slurm job is: running, success or failed.

    slurm_status.py JOB

Without accounting, Slurm forgets a job some minutes after its end. A job nobody knows any more
counts as a success: Snakemake then looks for its file, and there is none if it failed.
"""

import re
import subprocess
import sys

RUNNING = ("PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "SUSPENDED", "REQUEUED",
           "REQUEUE_HOLD", "REQUEUE_FED", "RESIZING", "SIGNALING", "STAGE_OUT", "STOPPED",
           "SPECIAL_EXIT")
SECONDS = 30


def ask(*command: str):
    """@return the finished process, None if there is no answer."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None


def state(job: str) -> str:
    """Slurm's word for a job's state; "" when nobody knows the job, RUNNING without an answer."""
    shown = ask("scontrol", "--oneliner", "show", "job", job)
    if shown is None or (shown.returncode != 0 and "Invalid job id" not in shown.stderr):
        return "RUNNING"  # the controller is away for a moment
    match = re.search(r"\bJobState=(\w+)", shown.stdout)
    if match:
        return match[1]
    kept = ask("sacct", "--allocations", "--noheader", "--parsable2", "--format=State",
               f"--jobs={job}")
    return kept.stdout.split()[0] if kept and kept.returncode == 0 and kept.stdout.split() else ""


def main() -> int:
    """The command line."""
    word = state(sys.argv[1])
    print("running" if word in RUNNING else "success" if word in ("COMPLETED", "") else "failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
