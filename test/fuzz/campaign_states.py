# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns that are called twice, while something changes in between: inputs behind inputs, results, the program.

The second call must have the numbers of a campaign that is run afresh then, and repeat nothing where nothing has changed. Also
results whose commit was broken off at any step, and damaged: a reader has the whole new one, or says in one line why not and
touches nothing. The program is a script that writes six flows; runs are made in this process.
"""

import contextlib
import hashlib
import importlib.machinery
import io
import json
import os
import random
import shutil
from pathlib import Path
from typing import Dict, List

import roce_results as rr
from roce_campaign import driver, experiment, page, workspace
from roce_campaign import run as campaign_run

ROOT = Path(__file__).resolve().parents[2]
reproduce = importlib.machinery.SourceFileLoader("reproduce", str(ROOT / "scripts" / "reproduce")).load_module()

# Each flow is slower by the sum of the numbers in the option's file and in all that it names, one after the other.
PROGRAM = '''#!/usr/bin/python3
import hashlib, json, os, sys
if "--help" in sys.argv:
    print("    --config:  x []\\n    --manifest:  x [0]\\n    --seed:  x [1]\\n    --out:  x [1]")
    sys.exit(0)
options = dict(a[2:].split("=", 1) for a in sys.argv[1:])
read, slow, waiting = [], %d, [options["config"]]
while waiting:
    read.append(waiting.pop())
    for line in open(read[-1]):
        word = line.split()
        if word[:1] == ["ADD"]:
            slow += int(word[1])
        elif word[:1] == ["FILE"]:
            waiting.append(os.path.join(os.path.dirname(read[-1]), word[1]))
def entry(name, key):
    data = open(name, "rb").read()
    found = {key: name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {**found, "rows": data.count(b"\\n") - 1} if name.endswith(".csv") else found
with open("flows.csv", "w") as f:
    print("''' + ",".join(rr.FLOW_COLUMNS) + '''", file=f)
    for i in range(6):
        s = slow + i + int(options["seed"])
        print(f"{i},0,1,3,0,intra,1000,{i * 100}.000,{1000 * s}.000,,1000.000,{s},1,0,finished", file=f)
summary = {"format": 1, "flows": {"total": 6, "unfinished": 0}, "versions": {}, "configuration": {}}
if options["manifest"] == "1":
    summary["manifest"] = {"outputs": [entry("flows.csv", "name")], "digest": "0" * 64,
                           "inputs": [entry(os.path.relpath(f), "path") for f in read]}
json.dump(summary, open("summary.json", "w"))
'''
EXPERIMENT = """\
title: Twice
program: {program}
options: {{config: ./config.txt}}
grid: {{manifest: [0, 1]}}
seeds: {seeds}
metrics:
  average: {{of: slowdown, statistic: mean}}
  longest: {{of: fct, statistic: max}}
plots: []
"""


class InProcess(driver.Campaign):
    """The runs that are missing, one after the other, in place of driver.py."""

    def run(self, lock_stream) -> bool:
        for run in self.plan.by_key.values():
            campaign_run.do(campaign_run.Plan.read(self.plan.folder), run)
        os.makedirs(os.path.join(self.plan.folder, "logs"), exist_ok=True)
        return True


class States:
    """Makes campaigns and what happens to them, from a random generator."""

    def __init__(self, chance: random.Random, folder: Path):
        self.chance = chance
        self.folder = folder
        driver.Campaign = InProcess

    def case(self, number: int) -> str:
        """One of them. @return what is wrong, or nothing"""
        place = self.folder / f"state{number}"
        place.mkdir()
        try:
            return self.broken_commit(place) if number % 3 == 0 else self.called_twice(place)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    # ------------------------------------------------------------------------------ campaigns

    def called_twice(self, place: Path) -> str:
        """A campaign, something that changes, the campaign again."""
        chance = self.chance
        files = self.write_inputs(place)
        self.write_program(place, 0)
        (place / "twice.yaml").write_text(EXPERIMENT.format(program="./program.py", seeds=chance.choice((1, 2))))
        self.call(place, "out")
        before = self.numbers(place / "out")
        done = [self.change(place, files) for _ in range(chance.choice((0, 1, 1, 2, 3)))]
        times = {p: p.stat().st_mtime_ns for p in (place / "out").glob("runs/*/flows.csv")}
        self.call(place, "out")
        found = self.numbers(place / "out")
        self.call(place, "fresh")
        expected = self.numbers(place / "fresh")
        if found != expected:
            return f"after {done}: {found}, afresh {expected}, before {before}"
        if set(done) <= {"touch"} and times != {p: p.stat().st_mtime_ns for p in (place / "out").glob("runs/*/flows.csv")}:
            return f"after {done}: runs are made again"
        return self.foreign(place)

    def write_inputs(self, place: Path) -> List[Path]:
        """A file of the option, and those that it names in turn. @return all of them"""
        chance = self.chance
        files = [place / "config.txt"]
        for depth in range(chance.choice((0, 1, 1, 2, 3))):
            files.append(place / chance.choice(("", "sub/", "sub/deep/")) / f"input{depth}.{chance.choice(('txt', 'csv', 'dat'))}")
        for i, file in enumerate(files):
            file.parent.mkdir(parents=True, exist_ok=True)
            lines = [f"ADD {chance.randrange(100)}", "# a remark"]
            if i + 1 < len(files):
                absolute = chance.random() < 0.3
                lines.append(f"FILE {files[i + 1] if absolute else os.path.relpath(files[i + 1], file.parent)}")
            chance.shuffle(lines)
            file.write_text("\n".join(lines) + "\n")
        return files

    @staticmethod
    def write_program(place: Path, slow: int) -> None:
        """The program of a version."""
        (place / "program.py").write_text(PROGRAM % slow)
        (place / "program.py").chmod(0o755)

    def change(self, place: Path, files: List[Path]) -> str:
        """Something happens to inputs, results or program. @return what"""
        chance = self.chance
        what = chance.choice(("input", "input", "touch", "program", "flip", "cut", "empty", "remove", "append"))
        if what == "input":
            file = chance.choice(files)
            file.write_text(file.read_text() + f"ADD {chance.randrange(1, 100)}\n")
            return f"input {files.index(file)} of {len(files)}"
        if what == "touch":
            os.utime(chance.choice(files))
        elif what == "program":
            self.write_program(place, chance.randrange(1, 100))
        else:
            run = chance.choice(sorted((place / "out" / "runs").iterdir()))
            file = run / chance.choice(("flows.csv", "flows.csv", "summary.json", "measures.json", "run.json"))
            if not file.exists():
                return "touch"
            damage(file, what, chance)
            return f"{what} {file.name}"
        return what

    @staticmethod
    def call(place: Path, name: str) -> None:
        """What scripts/reproduce does, without asking the program and without the page."""
        with contextlib.redirect_stderr(io.StringIO()):
            folder = str(place / name)
            found = experiment.load(str(place / "twice.yaml"), "full", allow=True)
            workspace.begin(folder, found, mark=False)
            plan = reproduce.make_plan(found, folder)
            workspace.begin(folder, found)
            _, scorer = reproduce.run_plan(found, plan, set(plan.by_key), 1, None, False, None, None)
            page.write_tables(scorer.results, plan)

    @staticmethod
    def numbers(folder: Path) -> List[str]:
        """The metrics of each run."""
        return (folder / "metrics-by-seed.csv").read_text().splitlines()

    def foreign(self, place: Path) -> str:
        """An experiment that names a program elsewhere: it is refused, and not started."""
        chance = self.chance
        witness = place / "started"
        program = place / chance.choice(("a.sh", "sub.sh", "bin/../b.sh"))
        (place / "bin").mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\ntouch {witness}\n")
        program.chmod(0o755)
        if chance.random() < 0.5:
            (place / "link").symlink_to(program)
            program = place / "link"
        name = chance.choice((str(program), f"./{os.path.relpath(program, place)}"))
        (place / "foreign.yaml").write_text(EXPERIMENT.format(program=name, seeds=1))
        try:
            experiment.load(str(place / "foreign.yaml"), "full", build=str(place))
            return f"{name} is taken for a program of the build"
        except rr.ResultError as error:
            if "is no program of the build" not in str(error) or "\n" in str(error):
                return f"{name}: {error}"
        return f"{name} was started" if witness.exists() else ""

    # -------------------------------------------------------------------------------- commits

    def broken_commit(self, place: Path) -> str:
        """A commit that was broken off, then perhaps damaged."""
        chance = self.chance
        folder = place / "run"
        old, new = (result(chance.randrange(1, 50), names) for names in (["flows.csv", "queues.csv"], ["flows.csv", "rates.csv"]))
        steps = chance.randrange(6)
        folder.mkdir()
        for name, data in old.items():
            (folder / name).write_bytes(data)
        for i, (name, data) in enumerate(new.items()):
            (folder / (name if steps > (i if name != "summary.json" else 3) else name + ".tmp")).write_bytes(data)
        if steps > 2:
            (folder / "queues.csv").unlink()
        (folder / ".commit").write_text(json.dumps({"files": list(new), "remove": ["queues.csv"]}))
        (folder / ".unfinished").write_text("ns-3-roce run\n" + "".join(f"{n}\n{n}\t1.2\n" for n in new))
        (folder / "mine.txt").write_text("mine")
        damaged = chance.random() < 0.5
        if damaged:
            file = chance.choice(sorted(p for p in folder.iterdir() if p.name not in ("mine.txt", ".unfinished")))
            damage(file, chance.choice(("flip", "cut", "empty", "append")), chance)
        before = contents(folder)
        try:
            flows = [f.fct_ps for f in rr.load_run(str(folder)).flows]
        except rr.ResultError as error:
            if "\n" in str(error) or not damaged:
                return f"after {steps} steps{', damaged' if damaged else ''}: {error}"
            flows = None
        if contents(folder) != before:
            return f"after {steps} steps: a reader has changed {sorted(contents(folder))}"
        if flows is not None and flows != fcts(new["flows.csv"]):
            return f"after {steps} steps{', damaged' if damaged else ''}: neither the new result nor a word"
        return ""


def damage(file: Path, what: str, chance: random.Random) -> None:
    """Something happens to a file."""
    data = bytearray(file.read_bytes())
    if what == "flip" and data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(7)
    elif what == "cut":
        del data[chance.randrange(len(data) + 1):]
    elif what == "append":
        data += data[-30:]
    elif what == "remove":
        file.unlink()
        return
    else:
        data.clear()
    file.write_bytes(data)


def contents(folder: Path) -> Dict[str, bytes]:
    """The files of a folder."""
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def fcts(data: bytes) -> List[int]:
    """Completion times of a table of flows, ps."""
    return [int(line.split(",")[8].split(".")[0]) * 1000 for line in data.decode().splitlines()[1:]]


def result(slow: int, names: List[str]) -> Dict[str, bytes]:
    """Files of a result, summary.json last."""
    rows = [f"{i},0,1,3,0,intra,1000,{i * 100}.000,{1000 * (slow + i)}.000,,1000.000,{slow + i},1,0,finished" for i in range(6)]
    files = {name: "time_ns,flow\n1,2\n".encode() for name in names}
    files["flows.csv"] = "\n".join([",".join(rr.FLOW_COLUMNS), *rows, ""]).encode()
    outputs = [{"name": n, "bytes": len(d), "sha256": hashlib.sha256(d).hexdigest(), "rows": d.count(b"\n") - 1}
               for n, d in files.items()]
    summary = {"format": 1, "flows": {"total": 6}, "files": [*files, "summary.json"],
               "manifest": {"outputs": outputs, "inputs": [], "digest": "0" * 64}}
    return {**files, "summary.json": json.dumps(summary).encode()}
