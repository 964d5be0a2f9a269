# SPDX-License-Identifier: GPL-2.0-only
"""Values of options, judged by the program itself before the first run.

Each distinct set of options of which no run is there is started once, with --dryRun: the program sets all up and ends before its
simulation. What it refuses is reported with the place in the experiment's file. Programs without --dryRun are not asked.
"""

import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Dict, Optional

import roce_results as rr

from .experiment import Experiment
from .plan import Plan, PlannedRun
from .program import clean_environment
from .yamlread import Text

DRY_RUN = "dryRun"


def complaint(program: str, seed_option: str, run: PlannedRun) -> Optional[str]:
    """What the program says against a run's options; nothing if they are good."""
    with tempfile.TemporaryDirectory(prefix="roce-dry-run-") as folder:
        command = [program] + [f"--{o}={v}" for o, v in run.options.items()]
        done = subprocess.run(command + [f"--{seed_option}={run.seed}", "--out=.", f"--{DRY_RUN}=1"],
                              cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False, env=clean_environment())
    if done.returncode == 0:
        return None
    lines = [x for x in done.stderr.splitlines() if x.strip()] or [f"exit status {done.returncode}"]
    errors = [x for x in lines if x.startswith("error: ")]
    return (errors or lines[-1:])[0].replace("error: ", "", 1)


def place_of(text: str, options: Dict[str, str]) -> Optional[str]:
    """The place of the option that a complaint is about: it is named, or name and value are there."""
    def word(x: str) -> bool:
        return re.search(rf"(?<![\w:.]){re.escape(x)}(?!\w|::)", text) is not None

    named = [n for n in options if re.search(rf"--{re.escape(n)}(?!\w|::)", text)] \
        or [n for n in options if word(n) and word(options[n])] or [n for n in options if word(n)]
    places = [v.place for n, v in options.items() if n in named and isinstance(v, Text)]
    return places[0] if places else None


def check(experiment: Experiment, plan: Plan, jobs: int) -> None:
    """End if the program refuses the options of a run. @param jobs dry runs at a time"""
    if DRY_RUN not in experiment.option_names:
        return
    first: Dict[tuple, PlannedRun] = {}  # of each set of options
    good = set()  # of those a run is there
    for run in plan.by_key.values():
        options = tuple(run.options.items())
        first.setdefault(options, run)
        if options not in good and plan.record(run) is not None:
            good.add(options)
    runs = [run for options, run in first.items() if options not in good]
    pool = ThreadPoolExecutor(max(1, jobs))
    try:
        for run, text in zip(runs, pool.map(lambda r: complaint(experiment.program, experiment.seed_option, r), runs)):
            if text is not None:
                point = ", ".join(f"{a}={v}" for a, v in run.point.items())
                place = place_of(text, run.options) or f"{experiment.file}:1"
                raise rr.ResultError(rr.one_line(f"{place}: the program refuses {point or 'the options'}: {text}"))
    finally:
        pool.shutdown(cancel_futures=True)
