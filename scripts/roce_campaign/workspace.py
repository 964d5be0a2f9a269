# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a campaign's results: which files in it are the campaign's own, and whether its runs can be used again.

Tables, page and figures are in the list of roce_files; a run's folder is known by its run.json, and what a killed run left by its
name, which ends with the run's hash. Everything else in the folder belongs to somebody else and is never touched.
"""

import json
import os
import re
import shutil
from typing import Dict, List, Set

import roce_results as rr
from roce_files import LOCK, PART_FILE, OwnFiles, refuse_inputs, write_whole

from . import provenance
from .experiment import Experiment
from .plan import Plan
from .plots import planned_figures

TABLES = ("index.html", "metrics.csv", "metrics-by-seed.csv", "runs.csv", "score.csv")
KEPT = (LOCK, "plan.json", "runs", "logs", "figures", "logs/campaign.log")  # from one campaign to the next

RUN_NAME = r".+-seed\d+-[0-9a-f]{8}"  # as in plan.py
PART_NAME = RUN_NAME + r"\.part-.+"


def begin(folder: str, experiment: Experiment, mark: bool = True) -> None:
    """End if a campaign in this folder would touch a file that is not its own. @param mark make the folder a campaign's"""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise rr.ResultError(f"{folder} is a file, expected a folder for the results")
    refuse_inputs(folder, TABLES + KEPT, experiment.inputs)
    own = OwnFiles(folder)
    own.refuse_foreign([*TABLES, *KEPT, *(f.file for f in planned_figures(experiment))])
    if mark:
        own.claim(KEPT)


def is_run(path: str) -> bool:
    """True for the folder of a run that a campaign has completed."""
    if os.path.islink(path):
        return False
    try:
        with open(os.path.join(path, "run.json"), encoding="utf-8") as stream:
            record = json.load(stream)
        return record["key"] == os.path.basename(path) and isinstance(record["hash"], str)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def is_result(path: str) -> bool:
    """True for the folder of a run, also if its run.json was removed to have it repeated."""
    return is_run(path) or (not os.path.islink(path) and os.path.isfile(os.path.join(path, "summary.json")))


def check_runs(plan: Plan) -> None:
    """End if the folder of a run is there, but is none."""
    for key in plan.by_key:
        path = os.path.join(plan.folder, "runs", key)
        if os.path.lexists(path) and not is_result(path):
            raise rr.ResultError(f"{path} is there and is no run of a campaign: move it away")


def damaged(plan: Plan) -> Dict[str, str]:
    """Runs whose files are not what they were, with the reason."""
    reasons = {r.key: provenance.damage(plan.run_folder(r), plan.record(r)) for r in plan.complete()}
    return {key: why for key, why in reasons.items() if why}


def of_other_inputs(plan: Plan) -> Dict[str, str]:
    """Runs that have read files which are others now, with the reason."""
    reasons = {r.key: provenance.changed_input(plan.record(r).get("inputs"), plan.folder) for r in plan.complete()}
    return {key: why for key, why in reasons.items() if why}


def tidy(plan: Plan, clean: bool, known: Set[str]) -> List[str]:
    """Make runs that are to be made again incomplete ones, for every process; remove what a killed campaign left, tables and page
    (those of other runs must not look like those of these), and with `clean` stale runs.

    @param known names of runs that are not stale
    @return the folders of stale runs, removed or not"""
    for key, why in plan.again.items():
        write_whole(os.path.join(plan.folder, "runs", key, "run.json"), json.dumps({"key": key, "hash": "", "again": why}) + "\n")
    plan.again = {}
    for part in entries(plan, "runs", PART_NAME):
        if not os.path.islink(part):
            shutil.rmtree(part, ignore_errors=True)
    for part in entries(plan, "", PART_FILE) + entries(plan, "logs", PART_FILE):
        os.remove(part)
    stale = [run for run in entries(plan, "runs", RUN_NAME) if os.path.basename(run) not in known and is_run(run)]
    for run in stale if clean else ():
        shutil.rmtree(run)
    OwnFiles(plan.folder).remove(TABLES)
    return stale


def entries(plan: Plan, folder: str, pattern: str) -> List[str]:
    """What has such a name in a folder of the campaign."""
    path = os.path.join(plan.folder, folder)
    names = os.listdir(path) if os.path.isdir(path) else []
    return sorted(os.path.join(path, n) for n in names if re.fullmatch(pattern, n))
