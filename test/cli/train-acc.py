#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/train_acc: two short trainings give the same bytes, another seed others, and the programs read what comes out.

    train-acc.py BUILD_DIR
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check(condition, what):
    """End with one line if something is wrong."""
    if not condition:
        sys.exit("FAILED " + what)


def run(*command):
    """@return the finished process, with its output."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False)


def main():
    """All of it."""
    if len(sys.argv) != 2:
        sys.exit("usage: train-acc.py BUILD_DIR")
    build = Path(sys.argv[1]).resolve()
    script = ROOT / "scripts" / "train_acc"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def train(file, *options):
            done = run(script, folder / file, f"--build={build}", "--episodes=2", *options)
            check(done.returncode == 0, f"{file}: {done.stderr}")
            return (folder / file).read_text(encoding="utf-8")

        first = train("a.txt")
        check(first.startswith("acc-table 1\nintervals 3\naction 40000 160000 0.2\n"), f"head of a table: {first[:80]}")
        check(first.count("\naction ") == 12 and first.count("\nvalue ") > 100, "12 curves and what was learned of them")
        check(train("b.txt") == first, "the same training twice gives different bytes")
        check(train("c.txt", "--seed=2") != first, "another seed gives the same table")
        check(train("d.txt", f"--start={folder / 'a.txt'}").count("\nvalue ") >= first.count("\nvalue "),
              "--start forgets what the table knows")
        compiled = train("e.inc")
        check(compiled.startswith('R"acc(#') and compiled.endswith(')acc"\n') and first in compiled, "a table to be compiled in")

        out = folder / "run"
        program = build / "bin" / "two-dc-leaf-spine"
        network = ["--datacenters=1", "--leaves=2", "--spines=1", "--hostsPerLeaf=4", "--cc=Dcqcn", "--pattern=incast",
                   "--incastSenders=6", f"--out={out}"]
        done = run(program, *network, f"--tuner=Acc[Table={folder / 'a.txt'}|MonitorInterval=50us|TracePorts=true]")
        check(done.returncode == 0, f"--tuner=Acc: {done.stderr}")
        with open(out / "tuning.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        ports = [column for column in rows[0] if ":" in column]
        check(len(ports) == 2 * 5 + 2, f"a column for each port: {ports}")
        check(sum(float(row["retuned"]) for row in rows) > 0 and len({row["kmax_kb"] for row in rows}) > 1,
              "tuning.csv shows no choice")
        check(not (out / "learned.txt").exists(), "learned.txt without SharedTable")
        (folder / "bad.txt").write_text("acc-table 1\nintervals 3\naction 1 2 3\n", encoding="utf-8")
        done = run(program, *network, f"--tuner=Acc[Table={folder / 'bad.txt'}]")
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and
              "bad.txt:3: Pmax is '3', expected a number from 0 to 1" in done.stderr, f"a bad table: {done.stderr}")
        done = run(script, folder / "f.txt", f"--build={build}", f"--start={folder / 'bad.txt'}")
        check(done.returncode == 2 and "Pmax is '3'" in done.stderr, f"train_acc with a bad table: {done.stderr}")
        done = run(script, folder / "f.txt", f"--build={folder}")
        check(done.returncode == 2 and "expected a build folder" in done.stderr, f"train_acc without programs: {done.stderr}")
    print("train_acc: reproducible; its table is read")


if __name__ == "__main__":
    main()
