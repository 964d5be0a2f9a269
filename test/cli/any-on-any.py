# SPDX-License-Identifier: GPL-2.0-only
"""Any on any: each rate law with each edge system, recovery, selector and tuner, lossless and lossy, either works or is refused
with a reason.

What there is comes from the registered types, so that a new one takes part by itself. A cell is a mixed incast over two
datacenters (test/matrix/run-cells.cc): all flows end, all bytes arrive once, nothing is left over, or one line says before the
simulation why not. There is a cell for each pair of values of two parts, and a sample of whole tuples.

The tables in contrib/roce/doc/any-on-any are those that come out here. After a change that is meant, run this with
ROCE_UPDATE_MATRIX=1 and commit them. any-on-any.csv in the build folder has all cells with their options and reasons.
"""

import csv
import io
import itertools
import os
import random
import re
from concurrent.futures import ThreadPoolExecutor

from support import ROOT

TABLES = ROOT / "contrib" / "roce" / "doc" / "any-on-any"
SEED = 1
SAMPLES = 200  # tuples of any values, and as many of pairs that work
NONE = "none"
PARTS = ("law", "between", "edge", "recovery", "selector", "tuner")
# What the others run with. A value that is refused with it gets the first of PARTNERS that it works with.
DEFAULTS = {"law": "Dcqcn", "between": NONE, "edge": NONE, "recovery": "GoBackN", "selector": "FlowHash", "tuner": NONE}
PARTNERS = ("edge", "between", "law")


# What there is ---------------------------------------------------------------------------------------------------------

def first_word(name):
    """@return the system that a type belongs to: Reflex of ReflexNsf."""
    return re.match(r"[A-Z]+[a-z0-9]*", name)[0]


def edge_systems(stages):
    """@return label: options, of each stage at external switches and at all, and of those of one system together."""
    stages = [s for s in stages if s not in ("EcnMarker", "IntStamper")]  # everywhere by default
    systems = [[s] for s in stages]
    systems += [found for _, members in itertools.groupby(stages, first_word) if len(found := list(members)) > 1]
    values = {NONE: []}
    for system in sorted(systems):
        for where, option in (("dci", "edge"), ("all", "stages")):
            values[f"{'+'.join(system)} {where}"] = [f"--{option}={','.join(system)}"]
    return values


def read_parts(programs):
    """@return values of each part: label: options."""
    done = programs.run("roce-run-cells", "--types")
    types = {option: names.split(", ") for option, names in (line.split("\t") for line in done.stdout.splitlines())}
    parts = {part: {name: [f"--{option}={name}"] for name in types[option]} for part, option in
             (("law", "cc"), ("recovery", "lossRecovery"), ("selector", "paths"), ("tuner", "tuner"))}
    parts["between"] = {NONE: [], **{name: [f"--interCc={name}"] for name in types["cc"]}}
    parts["tuner"] = {NONE: [], **parts["tuner"]}
    parts["edge"] = edge_systems(types["edge"])
    for part, value in DEFAULTS.items():
        assert value in parts[part], f"there is no {part} {value}"
    return parts


# Running ---------------------------------------------------------------------------------------------------------------

def whole(values):
    """@return a tuple with a value for each part."""
    return tuple({**DEFAULTS, **values}[part] for part in PARTS)


class Runner:
    """Runs tuples of values, each once."""

    def __init__(self, programs):
        self.programs, self.parts = programs, read_parts(programs)
        self.outcomes = {}  # (tuple, lossless) -> (word, why)

    def options(self, values, lossless):
        """@return the command line of a cell."""
        given = [option for part, value in zip(PARTS, values) for option in self.parts[part][value]]
        return given + ([] if lossless else ["--lossless=0"])

    def run(self, tuples):
        """Run tuples, lossless and lossy, that have not run."""
        todo = [cell for cell in dict.fromkeys(itertools.product(tuples, (True, False))) if cell not in self.outcomes]
        halves = [half for half in (todo[::2], todo[1::2]) if half]
        with ThreadPoolExecutor(2) as pool:
            for half, lines in zip(halves, pool.map(self.run_all, halves)):
                for cell, line in zip(half, lines):
                    self.outcomes[cell] = self.read(cell, line)

    def read(self, cell, line):
        """@return the outcome that a line tells, with a law's own name as LAW, so that reasons are alike."""
        word, _, why = line.partition("\t")
        assert word in ("works", "refused", "fault") and (why or word == "works"), f"{cell}: '{line}'"
        for law in {cell[0][PARTS.index("law")], cell[0][PARTS.index("between")]}:
            why = re.sub(rf"(?:ns3::roce::|(?<=rate law )){law}\b", "LAW", why)
        return word, why.replace("ns3::roce::", "")

    def run_all(self, cells):
        """@return a line for each cell."""
        text = "".join("\t".join(self.options(*cell)) + "\n" for cell in cells)
        done = self.programs.run("roce-run-cells", input=text, status=None, timeout=600)
        lines = done.stdout.splitlines()
        assert done.returncode == 0 and len(lines) == len(cells), \
            f"{len(lines)} outcomes of {len(cells)} cells; the next: {self.options(*cells[len(lines) % len(cells)])}; {done.stderr}"
        return lines

    def works(self, values, lossless=None):
        """@return whether a tuple works, in one of both if lossless is None."""
        return any(self.outcomes[values, x][0] == "works" for x in ((True, False) if lossless is None else (lossless,)))


def find_partners(runner):
    """@return (part, value): values of other parts that it needs beside the defaults, as Wrcc its switches."""
    parts = runner.parts
    candidates = {}
    for part, values in parts.items():
        for value in values:
            others = [{p: v} for p in PARTNERS if p != part for v in parts[p] if v != DEFAULTS[p]]
            candidates[part, value] = [{}] + others
    runner.run([whole({part: value}) for part, value in candidates])
    alone = {c for c in candidates if runner.works(whole({c[0]: c[1]}))}
    left = {c: tries for c, tries in candidates.items() if c not in alone}
    runner.run([whole({part: value, **other}) for (part, value), tries in left.items() for other in tries])
    return {(part, value): next((other for other in tries if runner.works(whole({part: value, **other}))), {})
            for (part, value), tries in candidates.items()}


def ways(partners, one, other):
    """@return the tuples that stand for a pair of values, the most plain first."""
    pair = dict((one, other))
    found = []
    for more in ({}, partners[one], partners[other], {**partners[one], **partners[other]}):
        found.append(whole({**more, **pair}))
    return list(dict.fromkeys(found))


def judge(runner, tries, lossless):
    """@return word and reason of a pair: of the first way that works, else of the one with all partners."""
    found = [runner.outcomes[t, lossless] for t in tries]
    for word in ("fault", "works"):
        if any(outcome[0] == word for outcome in found):
            return word, ""
    return found[-1]


# Tables ----------------------------------------------------------------------------------------------------------------

class Reasons:
    """Numbers refusals."""

    def __init__(self):
        self.numbers = {}

    def number(self, why):
        """@return the number of a reason."""
        return self.numbers.setdefault(why, len(self.numbers) + 1)

    def mark(self, outcomes):
        """@return what a table says of a cell, lossless and lossy."""
        refusals = list(dict.fromkeys(str(self.number(why)) for word, why in outcomes if word == "refused"))
        working = [name for name, (word, _) in zip(("lossless", "lossy"), outcomes) if word == "works"]
        return " ".join([{0: "no", 2: "yes"}.get(len(working), "".join(working)), *refusals])


def text_of(rows):
    """@return rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def sample(runner, pairs):
    """@return tuples of any values, and tuples of which each pair works."""
    chance = random.Random(SEED)

    def draw():
        return tuple(chance.choice(list(runner.parts[part])) for part in PARTS)

    anyhow = [draw() for _ in range(SAMPLES)]
    good = []
    while len(good) < SAMPLES:
        values = draw()
        if all(pairs[pair][0][0] == "works" for pair in itertools.combinations(list(zip(PARTS, values)), 2)):
            good.append(values)
    return anyhow, good


def make_tables(runner, partners, pairs, samples):
    """@return name: text of each file."""
    reasons = Reasons()
    tables = {}
    for one, other in itertools.combinations(PARTS, 2):
        rows = sorted((one, other), key=lambda p: -len(runner.parts[p]))
        table = [["", *runner.parts[rows[1]]]]
        for value in runner.parts[rows[0]]:
            cells = []
            for across in runner.parts[rows[1]]:
                by_part = {rows[0]: value, rows[1]: across}
                cells.append(reasons.mark(pairs[(one, by_part[one]), (other, by_part[other])]))
            table.append([value, *cells])
        tables[f"{one}-{other}.csv"] = text_of(table)
    rows = [["tuples", "", "number", "work", "refused"]]
    for name, tuples in zip(("of any values", "of pairs that work"), samples):
        for lossless in (True, False):
            working = sum(runner.works(t, lossless) for t in tuples)
            for why in (runner.outcomes[t, lossless][1] for t in tuples if not runner.works(t, lossless)):
                reasons.number(why)
            rows.append([name, "lossless" if lossless else "lossy", len(tuples), working, len(tuples) - working])
    tables["samples.csv"] = text_of(rows)
    tables["partners.csv"] = text_of([["part", "value", "runs with"], *(
        [part, value, ", ".join(f"{p} {v}" for p, v in found.items())] for (part, value), found in partners.items() if found)])
    tables["reasons.csv"] = text_of([["", "reason"], *([n, why] for why, n in reasons.numbers.items())])
    return tables


def compare(tables):
    """The tables are those of the documentation."""
    if os.environ.get("ROCE_UPDATE_MATRIX"):
        TABLES.mkdir(exist_ok=True)
        for old in TABLES.iterdir():
            old.unlink()
        for name, text in tables.items():
            (TABLES / name).write_text(text, encoding="utf-8")
    there = {path.name: path.read_text(encoding="utf-8") for path in TABLES.iterdir()}
    different = sorted(name for name in there.keys() | tables.keys() if there.get(name) != tables.get(name))
    assert not different, \
        (f"{TABLES.relative_to(ROOT)}: {', '.join(different)} differ from what works now; if that is meant, repeat "
                         "with ROCE_UPDATE_MATRIX=1 and commit")


def test_any_on_any(programs):
    """All of it."""
    runner = Runner(programs)
    partners = find_partners(runner)
    values = [(part, value) for part in PARTS for value in runner.parts[part]]
    tries = {pair: ways(partners, *pair) for pair in itertools.combinations(values, 2) if pair[0][0] != pair[1][0]}
    runner.run([t for found in tries.values() for t in found])
    pairs = {pair: [judge(runner, found, lossless) for lossless in (True, False)] for pair, found in tries.items()}
    samples = sample(runner, pairs)
    runner.run([t for tuples in samples for t in tuples])
    cells = [[" ".join(runner.options(*cell)), *outcome] for cell, outcome in runner.outcomes.items()]
    (programs.build / "any-on-any.csv").write_text(text_of([["options", "outcome", "why"], *cells]), encoding="utf-8")
    faults = [f"  {options}: {why}" for options, outcome, why in cells if outcome == "fault"]
    assert not faults, "\n".join([f"{len(faults)} of {len(cells)} cells neither work nor are refused, such as", *faults[:20]])
    compare(make_tables(runner, partners, pairs, samples))
