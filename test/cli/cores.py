# SPDX-License-Identifier: GPL-2.0-only
"""test/benchmark/cores.sh, which compares numbers of threads on a large machine, does so with networks that take seconds."""

import csv
import re

import pytest

from support import ROOT, run

CORES = ROOT / "test" / "benchmark" / "cores.sh"


def test_small(programs):
    """Each run has a row, each number of threads a line, and what is divided by what is right."""
    counts, networks = (1, 2, 3), ("leaf-spine", "fat-trees", "fat-tree", "large")
    text = run(CORES, f"--build={programs.build}", "--scale=8", "--threads=1,2,3", "--repetitions=1", timeout=300).stdout
    head, rest = text.split("\n", 1)
    assert re.fullmatch(r"# \d{4}-\d\d-\d\d, \d+ cores, .+, load [\d.]+, scale 8", head), head
    runs, table = rest.split("\n\n")
    rows = list(csv.DictReader(runs.splitlines()))
    assert [(row["network"], row["threads"]) for row in rows] == [(name, str(n)) for name in networks for n in counts]
    lines = [re.fullmatch(r"(\S+) +(\d+) +([\d.]+) s +([\d.]+) +([\d.]+) s +([\d.]+) +(\d+) MB", line).groups()
             for line in table.splitlines()[1:-1]]
    assert [line[:2] for line in lines] == [(row["network"], row["threads"]) for row in rows]
    for line, row in zip(lines, rows):
        assert abs(float(line[2]) - float(row["whole_s"])) < 0.006 and line[6] == row["memory_mb"], (line, row)
        assert float(row["simulation_s"]) <= float(row["whole_s"]), row
        base = next(float(other["whole_s"]) for other in rows if other["network"] == row["network"])
        assert abs(float(line[3]) - base / float(row["whole_s"])) < 0.006, (line, base)
    assert table.splitlines()[-1] == "flows.csv is the same in all runs of a network"


@pytest.mark.parametrize("option, word", [("--scale=0", "scale"), ("--threads=1,x", "threads"), ("--networks=star", "star"),
                                          ("--cores=2", "unknown"), ("--build=nowhere", "nowhere")])
def test_refused(option, word):
    """In one line."""
    done = run(CORES, option, status=2)
    assert done.stderr.count("\n") == 1 and word in done.stderr, done.stderr
