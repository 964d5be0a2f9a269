#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Traffic classes: which are lossless, which go first, how they share, and what is said of data in classes that are not for it.

    traffic-classes.py BUILD_DIR
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from typing import Dict, List

# Hosts 1 to 9 at switch 0.
HOSTS = range(1, 10)
TOPOLOGY = "10 1 9\n0\n" + "".join(f"{host} 0 100Gbps 0.001ms 0\n" for host in HOSTS)

failures: List[str] = []


def check(condition: bool, text: str) -> None:
    """Note a failure."""
    if not condition:
        failures.append(text)
        print(f"FAIL {text}")


class Result:
    """What a program has left."""

    def __init__(self, done: subprocess.CompletedProcess, out: str) -> None:
        self.status = done.returncode
        self.lines = done.stderr.splitlines()
        self.fct: List[float] = []
        self.counters: Dict[str, int] = {}
        if self.status in (0, 3):
            with open(f"{out}/flows.csv", newline="", encoding="utf-8") as stream:
                self.fct = [float(row["fct_ns"] or "inf") for row in csv.DictReader(stream)]
            with open(f"{out}/summary.json", encoding="utf-8") as stream:
                self.counters = json.load(stream)["counters"]
        self.drops = sum(count for name, count in self.counters.items() if name.startswith("framesDropped"))


def replay(flows: List[str], *options: str) -> Result:
    """Run these lines of a flow file."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("topology", TOPOLOGY), ("flows", f"{len(flows)}\n" + "\n".join(flows) + "\n")):
            with open(f"{folder}/{name}.txt", "w", encoding="utf-8") as stream:
                stream.write(text)
        done = subprocess.run([os.path.join(sys.argv[1], "bin", "replay"), f"--topology={folder}/topology.txt",
                               f"--flows={folder}/flows.txt", f"--out={folder}/out", "--progress=none", *options],
                              capture_output=True, text=True, check=False, timeout=300)
        return Result(done, f"{folder}/out")


def two(first: int, second: int, size: int, *options: str) -> Result:
    """Two flows of these classes into one port."""
    return replay([f"1 3 {first} 100 {size} 0", f"2 3 {second} 100 {size} 0"], *options)


def check_lossless() -> None:
    """PFC protects all classes of the file, with the profile and without."""
    for options in ([], ["--profile=hpcc-sim"]):
        for pair in ((3, 1), (0, 5) if not options else (2, 5), (7, 6)):
            run = two(*pair, 20000000, "--cc=LineRate", *options)
            check(run.status == 0 and run.drops == 0 and run.counters["pfcXoffSent"] > 0,
                  f"classes {pair} {options}: status {run.status}, {run.counters}")
    run = two(3, 1, 20000000, "--cc=LineRate")
    check(all(3.2e6 < fct < 3.5e6 for fct in run.fct), f"classes 3 and 1: {run.fct}, expected 3.3 ms")
    check(not run.lines, f"classes 3 and 1: {run.lines}")
    run = two(3, 1, 20000000, "--cc=LineRate", "--ns3::roce::Switch::LosslessClasses=8")
    check(run.drops > 0, "LosslessClasses on the command line comes first")


def check_queues_of_that_simulator() -> None:
    """Queues 1 to 7 take turns there, and queue 0 goes before them."""
    for pair in ((6, 7), (7, 1), (3, 4), (5, 5)):
        run = two(*pair, 2000000, "--cc=LineRate", "--profile=hpcc-sim")
        check(run.status == 0 and all(330e3 < fct < 342e3 for fct in run.fct), f"queues {pair}: {run.fct}, expected 336 us")
        check(not run.lines, f"queues {pair}: {run.lines}")
        run = two(*pair, 2000000, "--cc=Dcqcn", "--profile=hpcc-sim")
        check(run.status == 0 and max(run.fct) < 1.06 * min(run.fct), f"queues {pair}, DCQCN: {run.fct}")
    run = two(0, 3, 2000000, "--cc=LineRate", "--profile=hpcc-sim")
    check(run.status == 0 and run.fct[0] < 175e3 and 330e3 < run.fct[1] < 342e3, f"queues 0 and 3: {run.fct}, expected 170 and 336 us")
    check(run.lines == ["warning: 1 flow is in class 0, which switches serve before all others (DwrrScheduler::StrictClasses)"],
          f"queues 0 and 3: {run.lines}")
    # Queue 0 knows neither PFC nor marks nor a limit: 16 MB wait at one port of a 1 MB buffer.
    run = replay([f"{host} 9 0 100 2000000 0" for host in HOSTS if host != 9], "--cc=Dcqcn", "--profile=hpcc-sim", "--set=BUFFER_SIZE=1")
    check(run.status == 0 and run.drops == run.counters["pfcXoffSent"] == run.counters["ecnMarked"] == 0,
          f"queue 0: status {run.status}, {run.counters}")


def check_weights() -> None:
    """Shares are an attribute."""
    run = two(3, 4, 20000000, "--cc=LineRate", "--ns3::roce::DwrrScheduler::Weights=3:3")
    check(run.status == 0 and 2.1e6 < run.fct[0] < 2.4e6 and 3.2e6 < run.fct[1] < 3.5e6, f"weights 3 and 1: {run.fct}")
    run = two(3, 4, 1000, "--cc=LineRate", "--ns3::roce::DwrrScheduler::Weights=3:0")
    check(run.status == 2 and run.lines == ["error: ns3::roce::DwrrScheduler::Weights is '3:0', expected CLASS:WEIGHT,... with classes 0 to 7, "
                                            "each once, and weights 1 to 1000000"], f"bad weights: {run.status}, {run.lines}")


def check_warnings() -> None:
    """All programs say when data is in a class that is not meant for it."""
    base = ["two-dc-leaf-spine", "--datacenters=1", "--leaves=1", "--spines=1", "--hostsPerLeaf=9", "--pattern=list", "--cc=LineRate",
            "--progress=none"]
    pool = ", whose frames use the switches' control pool (Switch::DataClasses, Switch::ControlPoolSize): without PFC, dropped when it is " \
           "full, and before all other classes"
    cases = [("3", [], []),
             ("6", [], [f"8 flows are in class 6{pool}"]),
             ("7", [], [f"8 flows are in class 7{pool}"]),
             ("67", [], [f"8 flows are in classes 6, 7{pool}"]),
             ("34", [], ["4 flows are in class 4, which PFC does not protect (Switch::LosslessClasses)"]),
             ("34", ["--lossless=0"], []),
             ("34", ["--ns3::roce::Switch::LosslessClasses=8"], []),
             ("34", ["--ns3::roce::Switch::LosslessClasses=24"], []),
             ("36", ["--ns3::roce::Switch::DataClasses=127", "--ns3::roce::Switch::LosslessClasses=72"],
              ["4 flows are in class 6, which switches serve before all others (DwrrScheduler::StrictClasses)"])]
    with tempfile.TemporaryDirectory() as folder:
        for classes, options, expected in cases:
            with open(f"{folder}/flows.csv", "w", encoding="utf-8") as stream:
                stream.write("src,dst,bytes,start_ns,class\n")
                stream.writelines(f"{i},8,2000,0,{classes[i % len(classes)]}\n" for i in range(8))
            done = subprocess.run([os.path.join(sys.argv[1], "bin", base[0]), *base[1:], f"--flows={folder}/flows.csv",
                                   f"--out={folder}/out", *options], capture_output=True, text=True, check=False, timeout=300)
            run = Result(done, f"{folder}/out")
            found = [line[len("warning: "):] for line in run.lines if line.startswith("warning: ")]
            check(run.status == 0 and found == expected, f"classes {classes} {options}: status {run.status}, {run.lines}, expected {expected}")


def main() -> int:
    """Run all checks."""
    check_lossless()
    check_queues_of_that_simulator()
    check_weights()
    check_warnings()
    print("traffic-classes: " + ("FAILED" if failures else "all checks passed"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
