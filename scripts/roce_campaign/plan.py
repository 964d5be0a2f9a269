# SPDX-License-Identifier: GPL-2.0-only
"""results/NAME/plan.json: what one campaign runs, for every process that takes part.

results/NAME/
    plan.json            this
    runs/POINT-seedN-HASH/   flows.csv, summary.json, ... as the program leaves them; run.json comes
                         last and makes the run a complete one
    runs/*.part-*        runs that are going on, or were broken off
    logs/                what the runs said
"""

import json
import os
import re
import subprocess
import tempfile
from typing import Dict, List, NamedTuple, Optional, Set

import roce_manifest
import roce_results as rr
from roce_files import write_whole

from .experiment import Experiment
from .grid import Point
from .program import ROOT, call, code, data_hash, in_parallel
from .yamlread import Text

FORMAT = 1  # of plan.json
HASH_DIGITS = 8
DRY_RUN = "dryRun"


class PlannedRun(NamedTuple):
    """One run."""

    key: str  # name of its folder
    hash: str
    point: Dict[str, str]
    seed: int
    options: Dict[str, str]


def run_hash(options: Dict[str, str], seed: int, seed_option: str, code_hash: str) -> str:
    """The hash of all that a run's result depends on; a file counts by content, not by place."""
    values = {o: roce_manifest.measures(v).sha256 if os.path.isabs(v) and os.path.isfile(v) else v for o, v in options.items()}
    return data_hash({"code": code_hash, "options": values, "seed": seed, "seedOption": seed_option})


def readable(point: Point) -> str:
    """A point as a part of a file name."""
    text = "_".join(f"{a}-{v}" for a, v in point.coordinates.items()) or "run"
    return re.sub(r"[^A-Za-z0-9.+_-]+", "-", text)[:120]


def git_state() -> Optional[str]:
    """Commit of the checkout, with a remark if files differ from it."""
    try:
        commit, changes = (subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True, timeout=30).stdout.strip()
                           for words in (["rev-parse", "HEAD"], ["status", "--porcelain", "-uno"]))
        return commit + " with changes" * bool(changes)
    except (OSError, subprocess.SubprocessError):
        return None


class Plan:
    """The plan of a results folder."""

    def __init__(self, folder: str, data: dict):
        self.folder = folder
        self.data = data
        self.failed: Set[str] = set()  # keys of runs that count as missing, whatever is in their folders
        self.again: Dict[str, str] = {}  # the same of damaged runs and of those of other inputs, with the reason
        self.runs = [PlannedRun(**r) for r in data["runs"]]
        self.by_key: Dict[str, PlannedRun] = {}  # points of equal options share a run
        for run in self.runs:
            self.by_key.setdefault(run.key, run)

    @staticmethod
    def make(experiment: Experiment, folder: str) -> "Plan":
        """The plan of an experiment with the program as it is now."""
        its_code = code(experiment.program)
        code_hash = data_hash(its_code)
        runs = []
        keys: Dict[str, str] = {}  # by hash
        for point, seed in ((p, s) for p in experiment.points for s in p.seeds):
            whole = run_hash(point.options, seed, experiment.seed_option, code_hash)
            key = keys.setdefault(whole, f"{readable(point)}-seed{seed}-{whole[:HASH_DIGITS]}")
            runs.append(PlannedRun(key, whole, point.coordinates, seed, point.options))
        return Plan(folder, {
            "format": FORMAT, "name": experiment.name, "file": os.path.abspath(experiment.file), "size": experiment.size,
            "added": experiment.added, "inputs": experiment.given, "only": experiment.only, "design": experiment.design(),
            "program": experiment.program, "seedOption": experiment.seed_option, "progress": "progress" in experiment.option_names,
            "optionNames": experiment.option_names, "code": its_code, "codeHash": code_hash, "commit": git_state(),
            "runs": [r._asdict() for r in runs]})

    @staticmethod
    def read(folder: str) -> "Plan":
        """The plan that the last scripts/reproduce has left."""
        file = os.path.join(folder, "plan.json")
        if not os.path.exists(file):
            raise rr.ResultError(f"{folder}: no plan.json, expected the results of scripts/reproduce")
        try:
            with open(file, encoding="utf-8") as stream:
                data = json.load(stream)
            if "optionNames" not in data:
                raise ValueError("an earlier version's: run scripts/reproduce again")
            if data["format"] != FORMAT:
                raise ValueError(f"format is {json.dumps(data['format'])[:40]}, expected {FORMAT}: run scripts/reproduce again")
            return Plan(folder, data)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise rr.ResultError(f"{file}: {getattr(error, 'strerror', None) or error}") from None

    def write(self) -> None:
        write_whole(os.path.join(self.folder, "plan.json"), json.dumps(self.data, indent=1) + "\n")

    def run_folder(self, run: PlannedRun) -> str:
        """Where the result of a run is."""
        return os.path.join(self.folder, "runs", run.key)

    def record(self, run: PlannedRun) -> Optional[dict]:
        """run.json of a complete run with this very code and these options, else None."""
        if run.key in self.failed or run.key in self.again:
            return None
        try:
            with open(os.path.join(self.run_folder(run), "run.json"), encoding="utf-8") as stream:
                record = json.load(stream)
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) and record.get("hash") == run.hash else None

    def complete(self) -> List[PlannedRun]:
        """The runs that are there, each once."""
        return [r for r in self.by_key.values() if self.record(r) is not None]


# ------------------------------------------------------------------------------------------ dry runs
#
# Values of options are judged by the program itself before the first run. Each distinct set of options of which no run is there is
# started once, with --dryRun: the program sets all up and ends before its simulation. What it refuses is reported with the place in the
# experiment's file. Programs without --dryRun are not asked.


def judge(experiment: Experiment, run: PlannedRun) -> None:
    """End if the program refuses a run's options."""
    with tempfile.TemporaryDirectory(prefix="roce-dry-run-") as folder:
        command = [experiment.program] + [f"--{o}={v}" for o, v in run.options.items()]
        done = call(command + [f"--{experiment.seed_option}={run.seed}", "--out=.", f"--{DRY_RUN}=1"], cwd=folder)
    if done.returncode != 0:
        lines = [x for x in done.stderr.splitlines() if x.strip()] or [f"exit status {done.returncode}"]
        text = ([x for x in lines if x.startswith("error: ")] or lines[-1:])[0].replace("error: ", "", 1)
        point = ", ".join(f"{a}={v}" for a, v in run.point.items())
        place = place_of(text, run.options) or f"{experiment.file}:1"
        raise rr.ResultError(rr.one_line(f"{place}: the program refuses {point or 'the options'}: {text}"))


def place_of(text: str, options: Dict[str, str]) -> Optional[str]:
    """The place of the option that a complaint is about: it is named, or name and value are there."""
    def word(x: str) -> bool:
        return re.search(rf"(?<![\w:.]){re.escape(x)}(?!\w|::)", text) is not None

    named = [n for n in options if re.search(rf"--{re.escape(n)}(?!\w|::)", text)] \
        or [n for n in options if word(n) and word(options[n])] or [n for n in options if word(n)]
    places = [v.place for n, v in options.items() if n in named and isinstance(v, Text)]
    return places[0] if places else None


def refuse_bad_values(experiment: Experiment, plan: Plan, jobs: int) -> None:
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
    in_parallel(lambda run: judge(experiment, run), [run for options, run in first.items() if options not in good], jobs)
