# SPDX-License-Identifier: GPL-2.0-only
"""The metrics of all runs of a results folder: what tables, scores and pages are made of."""

import os
from typing import Iterable, Optional, Tuple

import roce_manifest
import roce_results as rr

from . import experiment, only, workspace
from .estimates import Results
from .plan import Plan
from .program import is_trusted


def load(folder: str, file: Optional[str], jobs: int,
         targets: Optional[str] = None, failed: Iterable[str] = ()) -> Tuple[Results, Plan]:
    """Plan and metrics of a results folder.

    The runs are those of the last scripts/reproduce; metrics, plots and claims are those of the
    experiment file as it is now. Grid, options and seeds must not have changed.

    @param failed keys of runs that count as missing
    """
    plan = Plan.read(folder)
    plan.failed.update(failed)
    names, program = plan.data.get("optionNames"), plan.data["program"]
    if names is None and os.path.exists(program) and not is_trusted(program, None):
        raise rr.ResultError(f"{folder}/plan.json: an earlier version's, without the options of '{program}', which is no program of the "
                             "build; run scripts/reproduce again")
    found = only.restrict(experiment.load(
        file or plan.data["file"], plan.data["size"], program, targets_file=targets,
        added=plan.data.get("added", 0), given=plan.data.get("inputs"), names=names),
        plan.data.get("only", []))
    if found.design() != plan.data["design"]:
        raise rr.ResultError(f"{found.file}: program, options, grid or seeds are not those of "
                             f"{folder} any more; run scripts/reproduce again")
    workspace.check(folder, found)
    workspace.begin(folder, found)
    plan.again = workspace.damaged(plan)
    for key, why in plan.again.items():
        roce_manifest.warn(f"run {key} is not used: {why}; scripts/reproduce makes it again")
    return Results.collect(found, plan, jobs), plan


def of_name(name: str, folder: Optional[str], targets: Optional[str] = None) -> Tuple[Results, Plan]:
    """The same by an experiment's name; the folder is results/NAME unless given."""
    short, file = experiment.find(name)
    folder = folder or os.path.join(experiment.ROOT, "results", short)
    return load(folder, file, len(os.sched_getaffinity(0)), targets)
