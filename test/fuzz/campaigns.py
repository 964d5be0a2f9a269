#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Fuzzes experiment files: each is refused with one line that names a place, or works to the page.

    campaigns.py [--count N] [--seconds S] [--seed S] [--keep DIR]

Files are made from those in scripts/experiments and from a small grammar: values, keys and whole
sections are exchanged, dropped, doubled and replaced by odd ones; some files are damaged byte by byte.
The checks of scripts/reproduce run here, in this process, with a program that only answers --help.
Of a part of the files that pass, tables, score, figures and page are made of invented numbers. After
every sixth file a campaign is called twice while something changes (campaign_states.py).

The same seed makes the same files. Exit status: 0 nothing found, 1 something was (in --keep DIR).
"""

import argparse
import contextlib
import functools
import io
import json
import logging
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import Dict, List, Optional

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

# pylint: disable=wrong-import-position
import roce_results as rr  # noqa: E402
from roce_campaign import experiment, measure, page, score, workspace  # noqa: E402
from roce_campaign.estimates import Results  # noqa: E402
from roce_campaign.plan import Plan  # noqa: E402
from roce_campaign.plots import planned_figures  # noqa: E402

import campaign_states  # noqa: E402

SECTIONS = list(json.loads((ROOT / "scripts" / "roce_campaign" / "experiment.schema.json").read_text())["$defs"]["experiment"]["properties"])
EXPERIMENTS = sorted((ROOT / "scripts" / "experiments").glob("*/*.yaml"), key=lambda f: f.name)
SLOW_SECONDS = 5.0  # for the checks of a file
HARD_SECONDS = 60  # for all that is done with one
MEMORY = 3 << 30
RENDER_RUNS = 200  # larger plans are not rendered
RENDER_FIGURES = 6
STATES_EVERY = 6  # files

# What takes the place of values and keys.
ODD = ["", " ", "0", "-1", "1", "2", "1e400", "nan", "inf", "-inf", "9" * 400, "0x" + "f" * 5000,
       "1e-320", "1e99", "$", "$x^2$", r"$\frac{1$", "a$b", "\\", "{", "}", "{x}", "{load}", "{{", "%", "%s",
       "%(x)s", "'", '"', "`", ";", "|", "&", "../..", "/", ".", "..", "./", "{root}/", "{root}/README.md",
       "~", "\0", "\x1b[31m", "\x7f", "\u0085", "\u2028", "\ud800", "\ufeff", "\U0001f600", "日本語", "é",
       "e\u0301", "\u202e", "a" * 201, "a" * 5000, "a\nb", "a\tb", "\n", "true", "false", "null", "~",
       "yes", "2026-11-22", "12:30:45", "!!python/object:os.system", "<<", "*", "&a", "- a", "a: b",
       "#", "0.3", "0.30", "1..3", "3-1", "1-99999", "1-3", "100000", "p50", "p0", "p100", "p99.99999",
       "mean", "count", "jain", "time_to", "all", "inter", "slowdown", "fct", "10us", "0us", "1ps",
       "9" * 30 + "s", "5%", "100%", "0%", "4KB", ">10MB", "<=1KB", "1KB-2KB", "9" * 300 + "GB",
       "12.5Gbps", "0Gbps", "9" * 400 + "Gbps", "not scored", "in band", "factor 0", "factor 2",
       "sign & 1.2.3-4x", "sign & 0.5-1.5x", ">= 95", "A in band; B factor 1", "A", ";", "order of magnitude"]
NUMBERS = ["{m}", "{m} / {m}", "{m} - {m}", "{m} ** 1e9", "{m} * 1e99 * 1e99 * 1e99 * 1e99", "1 / 0",
           "1 / ({m} - {m})", "reduction({m}, {m})", "ratio({m}, 0)", "change(1, {m})", "spread({m}, -{m})",
           "mean({m}, {m})", "max({m})", "-{m}", "1", "abs({m}) ** 0.5", "(0 - {m}) ** 0.5", "{m} * 1e99"]
RELATIONS = ["{m} < {m}", "1 < {m} < 2", "not {m} > 1", "{m} > 1 and {m} < 9", "{m} == {m} or 1 < 2",
             "{m} ** 99 > 1", "{m} * 1e99 * 1e99 * 1e99 * 1e99 > 1", "1 / {m} > 0", "1 < 2", "{m} != 0"]
ODD_EXPRESSIONS = [
    "abs({m}, 1)", "{m}(load=0.3)", "{m}({a}={l})", "{m}({a}={l}) / {m}({a}='{l}')", "not {m}",
    "-" * 5000 + "1", "+".join(["1"] * 2000), "(" * 300 + "1" + ")" * 300, "9" * 400, "1e400", "lambda: 1",
    "{m}.real", "[{m}]", "{m}[0]", "True", "1if 1else 2", "'a'", "b'a'", "f'{m}'", "__import__('os')",
    "{m}(**{m})", "{m}(*{m})", "{m}({a}=None)", "{m}({a}=1j)", "0x" + "f" * 5000,
    "{m}({a}=0x" + "f" * 4500 + ")", "1 if {m} else 2", "({m} := 1)", "...", "not " * 90 + "{m} > 1"]
KEYS = [*SECTIONS, "quick", "full", "of", "statistic", "scope", "size", "class", "tag", "pool",
        "counter", "summary", "file", "column", "weight", "where", "group", "within", "after", "before",
        "until", "fairness", "bin", "threshold", "hold", "throughput", "over_seeds", "expression", "at",
        "label", "unit", "scale", "kind", "x", "series", "panel", "each", "log", "rows", "value", "ids",
        "top", "ports", "fair", "id", "text", "holds", "reported", "band", "rule", "at_least", "options",
        "seeds", "metric", "partition", "time"]
KINDS = ["lines", "bars", "effects", "claims", "slowdown-by-size", "fct-cdf", "queues", "rates", "box",
         "table"]


FAST_DUMPER = getattr(yaml, "CDumper", yaml.Dumper)


class TooSlow(Exception):
    """A file takes too long."""


class Mutator:
    """Makes files of a random generator."""

    def __init__(self, chance: random.Random, originals: List[str]):
        self.chance = chance
        self.originals = originals
        self.trees = [yaml.load(text, yaml.BaseLoader) for text in originals]
        self.seeded = False  # the first metric has no value per run
        self.wild = 0.3  # how often odd things are where the grammar has a plain one

    def file(self) -> bytes:
        """The next file."""
        kind = self.chance.random()
        if kind < 0.15:
            return self.damaged(self.chance.choice(self.originals).encode())
        if kind < 0.4:
            tree = self.chance.choice(self.trees)
        else:
            tree = self.grown()
        for _ in range(self.chance.choice((0, 0, 0, 0, 1, 1, 2, 6))):
            tree = self.mutated(tree)
        if self.chance.random() < 0.03:
            tree = self.knotted(tree)
        style = {"allow_unicode": self.chance.random() < 0.5, "sort_keys": False,
                 "default_flow_style": self.chance.choice((True, False, None)),
                 "width": self.chance.choice((80, 10_000))}
        try:
            text = yaml.dump(tree, Dumper=FAST_DUMPER, **style)
        except UnicodeEncodeError:  # half a surrogate pair
            text = yaml.dump(tree, **style)
        data = text.encode("utf-8", "surrogatepass")
        return self.damaged(data) if self.chance.random() < 0.05 else data

    def damaged(self, data: bytes) -> bytes:
        """Some bytes other ones."""
        data = bytearray(data)
        for _ in range(self.chance.choice((1, 1, 2, 5, 20))):
            at = self.chance.randrange(len(data) + 1)
            what = self.chance.randrange(8)
            if what == 0:
                data[at:at + self.chance.randrange(1, 40)] = b""
            elif what == 1:
                data[at:at] = bytes(self.chance.randrange(256) for _ in range(3))
            elif what == 2:
                data[at:at] = data[at:at + self.chance.randrange(1, 200)]
            elif what == 3:
                data[at:at + 1] = self.chance.choice(list(b"{}[]:,&*!|>'\"%@`#?-\n\t \0\xff")).to_bytes(1, "big")
            elif what == 4:
                data[at:at] = self.chance.choice([b"[" * 2000, b"{a: " * 500, b"\xef\xbb\xbf", b"---\n", b"...\n",
                                            b"%YAML 9.9\n", b"- " * 300, b"? ", b"!!binary ", b"&a ", b"*a "])
            elif what == 5:
                del data[at:]
            else:
                text = self.chance.choice(ODD).encode("utf-8", "surrogatepass")
                data[at:at + len(text) * (what == 6)] = text
        return bytes(data)

    def odd(self, tree):
        """A value in place of another."""
        what = self.chance.randrange(10)
        if what < 6:
            return self.chance.choice(ODD)
        if what < 8:
            return self.expression(NUMBERS)
        if what == 8:
            return [self.chance.choice(ODD) for _ in range(self.chance.randrange(4))]
        return {self.chance.choice(KEYS): self.chance.choice(ODD)} if self.chance.random() < 0.5 else tree

    def expression(self, plain: List[str], metric: str = "", axis: str = "", label: str = "") -> str:
        """An expression, in the language or not."""
        text = self.chance.choice(ODD_EXPRESSIONS if self.chance.random() < self.wild else plain)
        metric = metric or self.chance.choice(["average", "p99", "m0", "inter_mean"])
        return text.replace("{m}", metric).replace("{a}", axis or "load").replace("{l}", label or "0.3")

    def mutated(self, tree):
        """The tree with one change somewhere."""
        chance = self.chance
        if isinstance(tree, dict) and tree and chance.random() < 0.85:
            tree = dict(tree)
            key = chance.choice(list(tree))
            what = chance.random()
            if what < 0.7:
                tree[key] = self.mutated(tree[key])
            elif what < 0.8:
                tree.pop(key)
            elif what < 0.9:
                tree[chance.choice(KEYS + ODD)] = tree[key] if chance.random() < 0.5 else tree.pop(key)
            else:
                tree[chance.choice(KEYS)] = self.odd(tree[chance.choice(list(tree))])
            return tree
        if isinstance(tree, list) and tree and chance.random() < 0.85:
            tree = list(tree)
            at = chance.randrange(len(tree))
            what = chance.random()
            if what < 0.7:
                tree[at] = self.mutated(tree[at])
            elif what < 0.8:
                tree.pop(at)
            elif what < 0.9:
                tree.append(tree[at])
            else:
                tree.append(self.odd(tree[at]))
            return tree
        if isinstance(tree, str) and tree and chance.random() < 0.3:
            at = chance.randrange(len(tree) + 1)
            return tree[:at] + chance.choice(ODD)[:300] + tree[at:]
        return self.odd(tree)

    def knotted(self, tree):
        """With aliases: of a part in others, in itself, or of an exponential number of values."""
        if not isinstance(tree, dict) or not tree:
            return tree
        tree = dict(tree)
        chance = self.chance
        key, other = chance.choice(list(tree)), chance.choice(list(tree))
        what = chance.randrange(3)
        if what == 0:
            tree[key] = tree[other]
        elif what == 1:
            knot = [] if chance.random() < 0.5 else {}
            knot.append(knot) if isinstance(knot, list) else knot.update({"<<": knot, "a": "1"})
            tree[key] = knot
        else:
            level = ["1"] * 9 if chance.random() < 0.5 else {"a": "1"}
            for _ in range(chance.choice((3, 10, 40))):
                level = [level] * 9 if isinstance(level, list) else {"<<": [level] * 9}
            tree[key] = level
        return tree

    def label(self) -> str:
        """A label, mostly a plain one."""
        return self.chance.choice(ODD) if self.chance.random() < self.wild else \
            self.chance.choice(["0.3", "0.6", "Hpcc", "Dcqcn", "a", "b", "10", "1000", "x y", "λ=1", "$10", "a $x_{$ b"])

    def grown(self) -> dict:
        """An experiment of the grammar; mostly a good one."""
        chance = self.chance
        self.wild = chance.choice((0.0, 0.0, 0.03, 0.3))
        axes = {}
        for name in chance.sample(["load", "cc", "mode"], chance.randrange(4)):
            labels = list(dict.fromkeys(self.label() for _ in range(chance.randrange(1, 5))))
            axes[name] = labels if chance.random() < 0.7 else \
                {label: {"opt" + name: str(i)} for i, label in enumerate(labels)}
        if chance.random() < 0.01:
            axes = {name: [str(i) for i in range(chance.choice((3, 3, 59)))] for name in ("load", "cc", "mode", "opta", "optb")}
        self.seeded = False
        metrics = {f"m{i}": self.metric(i) for i in range(chance.randrange(1, 5))}
        names = list(metrics)
        tree = {"title": chance.choice(["Made up", "Costs $5 and $6", self.label()]),
                "program": "./program.sh", "metrics": metrics}
        if axes or chance.random() < 0.5:
            tree["grid"] = axes
        if chance.random() < 0.5:
            tree["seeds"] = chance.choice(["1", "2", "3", "10", "3-5", ["1", "7"]])
        if len(axes) > 1 and chance.random() < 0.3:
            tree["exclude"] = [{name: chance.choice(list(labels)) for name, labels in axes.items()}]
        if axes and chance.random() < 0.2:
            name = chance.choice(list(axes))
            tree["overrides"] = [{"at": {name: chance.choice(list(axes[name]))}, "options": {"opta": "1"}}]
        if chance.random() < 0.8:
            tree["plots"] = [self.plot(names, axes) for _ in range(chance.randrange(1, 4))]
        if chance.random() < 0.7:
            tree["claims"] = [self.claim(i, names, axes) for i in range(chance.randrange(1, 5))]
        if chance.random() < 0.3:
            tree["quick"] = {"seeds": "2"}
            part = {"grid": {"mode": [self.label(), "b"]}} if chance.random() < 0.3 else {"seeds": "2"}
            tree[chance.choice(["quick", "full"])] = part
        for name, value in (("description", "One.\n\nTwo $."), ("warmup", "1us"),
                            ("options", {"opta": self.label()}), ("slurm", {"time": "1:00"})):
            if chance.random() < 0.15:
                tree[name] = value
        return tree

    def metric(self, index: int) -> dict:
        """A definition."""
        chance = self.chance
        found = chance.choice([
            {"of": chance.choice(["slowdown", "fct", "goodput", "size"]),
             "statistic": chance.choice(["mean", "p99", "max", "jain", "count"])},
            {"of": "fct", "statistic": "p50", "pool": "true", "size": "<=2KB"},
            {"counter": "pauses"}, {"summary": "counters.pauses"},
            {"file": "queues.csv", "column": "queue_bytes", "statistic": "mean", "weight": "time"},
            {"fairness": "rates.csv", "statistic": "time_to", "bin": "1us", "threshold": "0.9"},
            {"fairness": "rates.csv", "statistic": "mean", "bin": chance.choice(["1us", "1ps"])},
            {"throughput": "rates.csv", "statistic": "mean", "after": "10%"},
            *([{"over_seeds": "m0", "statistic": "p50"}, {"expression": self.expression(NUMBERS, "m0")}]
              * (index > 0 and not self.seeded))])
        self.seeded = self.seeded or (index == 0 and ("pool" in found or "over_seeds" in found))
        if chance.random() < 0.3:
            found[chance.choice(["label", "unit"])] = self.label()
        if chance.random() < 0.1:
            found["scale"] = chance.choice(["2", "-1", "1e99", "1e-99", "0", self.label()])
        return found

    def plot(self, metrics: List[str], axes: Dict[str, object]) -> dict:
        """A plot."""
        chance = self.chance
        axis = chance.choice(list(axes) or ["load"])
        kind = chance.choice(KINDS if axes else ["claims", "fct-cdf", "queues", "rates"])
        found = {"kind": kind}
        if kind in ("lines", "bars", "box"):
            found.update(metric=chance.sample(metrics, chance.randrange(1, len(metrics) + 1)), x=axis)
        elif kind == "table":
            found.update(metric=metrics, rows=axis)
        elif kind == "effects":
            found.update(rows=axis, value=chance.choice([f"{metrics[0]} - 1", {"a $": metrics[-1]},
                                                         self.expression(NUMBERS, metrics[0])]),
                         at={a: list(axes[a])[0] for a in axes if a != axis})
        others = [a for a in axes if a != axis]
        if others and kind not in ("claims", "effects"):
            found["each" if kind in ("box", "table") else chance.choice(["series", "each"])] = others
        if chance.random() < 0.3:
            found["title"] = self.label()
        if chance.random() < 0.3 and kind in ("lines", "bars", "box"):
            found["log"] = "true"
        return found

    def claim(self, index: int, metrics: List[str], axes: Dict[str, object]) -> dict:
        """A claim."""
        chance = self.chance
        at = {a: chance.choice(list(labels)) for a, labels in axes.items()}
        metric = chance.choice(metrics)
        found = {"id": f"c{index}"}
        if chance.random() < 0.5:
            found.update(value=chance.choice([metric, f"{metric} - {metric}", self.expression(
                NUMBERS, metric, *next(iter(at.items()), ("load", "0.3")))]), at=at, reported=chance.choice(
                    ["3", "0", "-5", "1", "0.0", "1e5", self.label()]))
            if chance.random() < 0.6:
                found["kind"] = chance.choice(["reduction", "ratio", "value", "count"])
        else:
            found.update(holds=chance.choice([f"{metric} > 1", f"{metric} == {metric}", self.expression(RELATIONS, metric)]))
            if axes and chance.random() < 0.5:
                found["each"] = list(axes)
            else:
                found["at"] = at
        if chance.random() < 0.1:
            found["band"] = chance.choice([["1", "2"], ["-1e99", "1e99"], ["0", "0"]])
        if chance.random() < self.wild:
            found[chance.choice(["rule", "band", "unit", "text", "at_least"])] = chance.choice(
                ODD)
        return found


class MadePlan(Plan):
    """A plan whose runs are all there, in one folder; or none is."""

    made = ""  # folder of a run
    there = True

    def run_folder(self, run) -> str:
        return self.made

    def record(self, run) -> Optional[dict]:
        return {"hash": run.hash, "elapsedSeconds": 1.0, "slurmJob": None, "commit": None,
                "exitStatus": 0} if self.there else None


def write_run(folder: Path) -> None:
    """A run's results, for the figures of single runs."""
    folder.mkdir()
    header = ",".join(rr.FLOW_COLUMNS)
    flows = [f"{i},0,{i},3,0,{'inter' if i % 2 else 'intra'},{(i + 1) * 1000},{i * 100}.000,{(i + 2) * 1000}.000,"
             f"{(i + 2) * 1000}.000,1000.000,{i + 2},{i},0,finished" for i in range(6)]
    (folder / "flows.csv").write_text("\n".join([header, *flows, ""]))
    (folder / "queues.csv").write_text("time_ns,node,port,class,queue_bytes\n100.000,7,0,3,50\n900.000,7,0,3,0\n")
    rows = [f"{t}000.000,{i},{t * 100}" for t in range(1, 8) for i in range(6)]
    (folder / "rates.csv").write_text("\n".join(["time_ns,flow,acked_bytes", *rows, ""]))
    (folder / "summary.json").write_text('{"counters": {"pauses": 4}, "nodeNames": {"7": "leaf"}, "flows": '
                                         '{"unfinished": 0}, "configuration": {}, "versions": {}}')


class Fuzzer:
    """Tries files."""

    def __init__(self, chance: random.Random, folder: Path, keep: Optional[Path], share: float):
        """
        @param share of the files that pass, of which all is made
        """
        self.chance = chance
        self.share = share
        self.folder = folder
        self.keep = keep
        self.counts = {"refused": 0, "accepted": 0, "rendered": 0, "called twice": 0, "found": 0}
        write_programs(folder)
        self.states = campaign_states.States(random.Random(chance.randrange(1 << 30)), folder)
        write_run(folder / "run")
        MadePlan.made = str(folder / "run")

    def try_file(self, number: int, data: bytes) -> None:
        """One file; says what is wrong with how it is treated."""
        file = self.folder / "case.yaml"
        file.write_bytes(data)
        render = self.chance.random() < self.share  # in any case, so that the files stay the same
        seed = self.chance.randrange(1 << 30)
        started = time.process_time()
        signal.alarm(HARD_SECONDS)
        try:
            size = "quick" if b"quick:" in data and seed % 2 else "full"
            problem = self.checked(file, size, render, seed)
            seconds = time.process_time() - started
            if not problem and seconds > SLOW_SECONDS and not render:
                problem = f"took {seconds:.0f} s"
        except Exception:  # pylint: disable=broad-except
            problem = traceback.format_exc()
        finally:
            signal.alarm(0)
        if problem:
            self.counts["found"] += 1
            print(f"file {number}: {problem}", flush=True)
            if self.keep:
                self.keep.mkdir(parents=True, exist_ok=True)
                (self.keep / f"campaign-{number}.yaml").write_bytes(data)

    def try_states(self, number: int) -> None:
        """A campaign that is called twice."""
        self.counts["called twice"] += 1
        signal.alarm(HARD_SECONDS)
        try:
            problem = self.states.case(number)
        except Exception:  # pylint: disable=broad-except
            problem = traceback.format_exc()
        finally:
            signal.alarm(0)
        if problem:
            self.counts["found"] += 1
            print(f"state {number}: {problem}", flush=True)

    def checked(self, file: Path, size: str, render: bool, seed: int) -> str:
        """What is wrong, or nothing."""
        try:
            found = experiment.load(str(file), size, build=str(self.folder), allow=True)
            workspace.begin(str(self.folder / "out"), found, mark=False)
        except rr.ResultError as error:
            self.counts["refused"] += 1
            return refusal(str(error))
        self.counts["accepted"] += 1
        names = [f.file for f in planned_figures(found)]
        if len(set(n.lower() for n in names)) < len(names) and len(set(names)) < len(names):
            return f"figures of one name: {names}"
        if render and sum(len(p.seeds) for p in found.points) <= RENDER_RUNS and len(names) <= RENDER_FIGURES:
            self.counts["rendered"] += 1
            self.render(found, random.Random(seed))
        return ""

    def render(self, found: experiment.Experiment, chance: random.Random) -> None:
        """All that is made after the runs, of invented numbers."""
        out = self.folder / "out"
        plan = Plan.make(found, str(out))
        plan = MadePlan(str(out), plan.data)
        plan.there = chance.random() < 0.7
        scale = chance.choice([1.0, 1.0, 1.0, 0.0, -1.0, 1e99, 1e-99])
        measured = {(i, seed): {m.name: invented(m, chance, scale) for m in found.metrics.values()}
                    for i, p in enumerate(found.points) for seed in p.seeds if chance.random() < 0.9}
        results = Results(found, found.points, measured)
        workspace.begin(str(out), found)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                scores, _ = page.write_tables(results, plan)
                page.write_page(results, plan, scores)
                print(score.printed(scores))
            try:
                measure.measure(plan.made, measure.definitions(found), found.warmup_ns)
            except rr.ResultError as error:
                if "\n" in str(error):
                    raise
        finally:
            shutil.rmtree(out)


def invented(metric, chance: random.Random, scale: float) -> dict:
    """What a run may have measured."""
    value = chance.choice([None, 0.0, scale * chance.random(), scale * chance.random(), scale * 7])
    return {"value": value, "flows": 9, "unfinished": chance.choice([0, 2]),
            "values": [scale * chance.random() for _ in range(chance.randrange(4))],
            "reached": chance.random() < 0.5}


def refusal(message: str) -> str:
    """What is wrong with the line that refuses a file, or nothing."""
    if "\n" in message or not message.isprintable():
        return f"not one line: {message!r}"
    if len(message) > 1200:
        return f"{len(message)} characters: {message}"
    if not re.match(r"\S+:\d+: \S", message):
        return f"no place: {message}"
    return ""


def write_programs(folder: Path) -> None:
    """Programs that have the options that the experiments need, and do nothing."""
    names = {"seed", "out", "progress", "load", "cc", "mode", "opta", "optb", "optload", "optcc", "optmode"}
    programs = {"program.sh"}
    for file in EXPERIMENTS:
        text = file.read_text()
        names.update(re.findall(r"([A-Za-z]\w*):", text))
        programs.update(re.findall(r"^program: (\S+)", text, re.M))
    lines = "\n".join(f"    --{n}:  x" for n in sorted(names))
    (folder / "bin").mkdir()
    for name in programs:
        for path in (folder / "bin" / name, folder / name):
            path.write_text(f"#!/bin/sh\ncat <<'END'\n{lines}\nEND\n")
            path.chmod(0o755)
    # Every file is tried in one folder, with the targets of all papers in one table.
    tables = []
    for paper in sorted((ROOT / "scripts" / "experiments").iterdir()):
        shutil.copytree(paper, folder, dirs_exist_ok=True)
        if (folder / "targets.csv").exists():
            tables.append((folder / "targets.csv").read_text())
            (folder / "targets.csv").unlink()
    (folder / "targets.csv").write_text(tables[0] + "".join(t.partition("\n")[2] for t in tables[1:]))


def too_slow(_number, _frame) -> None:
    """The alarm."""
    raise TooSlow(f"more than {HARD_SECONDS} s")


def parse_arguments(argv: List[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, metavar="N", help="files (default 10000)")
    parser.add_argument("--seconds", type=float, metavar="S", help="end after this time")
    parser.add_argument("--seed", type=int, default=1, help="of the random generator (default 1)")
    parser.add_argument("--render", type=float, default=0.05, metavar="P",
                        help="part of the good files of which page and figures are made (default 0.05)")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to put files with findings")
    return parser.parse_args(argv)


def main(argv: List[str]) -> int:
    """Make files and try them."""
    args = parse_arguments(argv)
    chance = random.Random(args.seed)
    originals = [f.read_text() for f in EXPERIMENTS]
    mutator = Mutator(chance, originals)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    signal.signal(signal.SIGALRM, too_slow)
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    # The programs do not change: asking each of them once is enough.
    experiment.program_options = cached(experiment.program_options)
    end = None if args.seconds is None else time.monotonic() + args.seconds
    tried = 0
    with tempfile.TemporaryDirectory(prefix="roce-fuzz-") as name:
        fuzzer = Fuzzer(chance, Path(name), args.keep, args.render)
        while tried < args.count and (end is None or time.monotonic() < end):
            fuzzer.try_file(tried, mutator.file())
            tried += 1
            if tried % STATES_EVERY == 0:
                fuzzer.try_states(tried // STATES_EVERY)
    counts = ", ".join(f"{n} {what}" for what, n in fuzzer.counts.items())
    print(f"seed {args.seed}: {tried} experiment files: {counts}")
    return 1 if fuzzer.counts["found"] else 0


def cached(ask):
    """The options of a program, asked for once."""
    known: Dict[str, List[str]] = {}

    @functools.wraps(ask)
    def options(path, where):
        if path not in known or not os.path.exists(path):
            known[path] = ask(path, where)
        return known[path]
    return options


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
