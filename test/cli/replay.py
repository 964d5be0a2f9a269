#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""replay on another simulator's inputs gives that simulator's results, as far as is documented.

    replay.py BUILD_DIR

Runs test/reference/leafspine128 with DCQCN, HPCC and TIMELY. Bounds are those of the documentation,
with room for what equal-time events and random numbers do. Also checks the list of paths against
scripts/hpcc_paths.py, the forms of fct.txt and pfc.txt, and that bad files give one line.
"""

import csv
import os
import subprocess
import sys
import tempfile
from typing import Dict, List

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REFERENCE = os.path.join(ROOT, "test", "reference", "leafspine128")
# Per transport: options, least number of flows equal to the nanosecond, least number within 1 %.
CASES = {"dcqcn": (["--cc=Dcqcn", "--set=HAS_WIN=0"], 150, 500),
         "hpcc": (["--cc=Hpcc"], 40, 550),
         "timely": (["--cc=Timely", "--set=HAS_WIN=0"], 330, 780)}

failures: List[str] = []


def check(condition: bool, text: str) -> None:
    """Note a failure."""
    if not condition:
        failures.append(text)
        print(f"FAIL {text}")


def table(path: str) -> Dict[int, Dict[str, str]]:
    """Rows by id."""
    with open(path, newline="", encoding="utf-8") as stream:
        return {int(row["id"]): row for row in csv.DictReader(stream)}


def replay(program: str, *options: str) -> subprocess.CompletedProcess:
    """Run it on the reference's inputs."""
    defaults = {"topology": f"{REFERENCE}/topology.txt", "flows": f"{REFERENCE}/flow.txt",
                "config": f"{REFERENCE}/config.txt", "progress": "none"}
    given = {option.split("=")[0] for option in options}
    command = [program, *options]
    command += [f"--{k}={v}" for k, v in defaults.items() if f"--{k}" not in given]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def compare(name: str, out: str, exact_least: int, near_least: int) -> None:
    """A run folder with the reference's results."""
    theirs = table(f"{REFERENCE}/fct.{name}.csv")
    ours = table(f"{out}/flows.csv")
    check(theirs.keys() == ours.keys(), f"{name}: same flows")
    ratios = []
    exact = 0
    for number, flow in theirs.items():
        own = ours[number]
        check((flow["src"], flow["dst"], flow["size_bytes"]) == (own["src"], own["dst"], own["bytes"]),
              f"{name}: flow {number} is the same")
        check(abs(float(own["ideal_fct_ns"]) - float(flow["ideal_fct_ns"])) < 0.5,
              f"{name}: ideal FCT of flow {number}: {own['ideal_fct_ns']}, "
              f"expected {flow['ideal_fct_ns']}")
        ratios.append(float(own["fct_ns"]) / float(flow["fct_ns"]))
        exact += abs(float(own["fct_ns"]) - float(flow["fct_ns"])) < 1.5
    near = sum(abs(r - 1) < 0.01 for r in ratios)
    median = sorted(ratios)[len(ratios) // 2]
    mean = [sum(float(r["fct_ns"]) / float(theirs[i]["ideal_fct_ns"]) for i, r in rows.items()) /
            len(rows) for rows in (theirs, ours)]
    print(f"{name}: {exact} flows equal, {near} within 1 %, median ratio {median:.4f}, mean slowdown "
          f"{mean[0]:.3f}, ours {mean[1]:.3f}")
    check(exact >= exact_least, f"{name}: {exact} flows equal, expected {exact_least}")
    check(near >= near_least, f"{name}: {near} flows within 1 %, expected {near_least}")
    check(abs(median - 1) < 0.001, f"{name}: median ratio {median}")
    check(abs(mean[1] / mean[0] - 1) < 0.05, f"{name}: mean slowdown {mean}")


def check_fct(name: str, out: str) -> None:
    """fct.txt says what flows.csv says, by completion time."""
    expected = sorted(
        ((float(f["start_ns"]) + float(f["fct_ns"]),
          f"{(11 << 24) + 1 + (int(f['src']) << 8):08x} {(11 << 24) + 1 + (int(f['dst']) << 8):08x}",
          f["bytes"], round(float(f["start_ns"])), round(float(f["fct_ns"])),
          round(float(f["ideal_fct_ns"]))) for f in table(f"{out}/flows.csv").values()))
    with open(f"{out}/fct.txt", encoding="utf-8") as stream:
        lines = [line.split() for line in stream]
    check(len(lines) == len(expected), f"{name}: lines of fct.txt")
    ends = [int(line[5]) + int(line[6]) for line in lines]
    check(ends == sorted(ends), f"{name}: fct.txt in order of completion")
    found = sorted((f"{a} {b}", size, int(start), int(fct), int(ideal))
                   for a, b, _, _, size, start, fct, ideal in lines)
    check(found == sorted(row[1:] for row in expected), f"{name}: fct.txt says what flows.csv says")
    check({line[2] for line in lines} >= {"10000", "10001"}, f"{name}: source ports count from 10000")
    check(os.path.exists(f"{out}/pfc.txt"), f"{name}: pfc.txt")


def main() -> int:
    """Run all checks."""
    program = os.path.join(sys.argv[1], "bin", "replay")
    made = subprocess.run(["/usr/bin/python3", f"{ROOT}/scripts/hpcc_paths.py",
                           f"{REFERENCE}/topology.txt", f"{REFERENCE}/flow.txt",
                           "--next-hops=descending"], capture_output=True, text=True, check=True)
    with open(f"{REFERENCE}/paths.csv", encoding="utf-8") as stream:
        check(stream.read() == made.stdout, "paths.csv is what hpcc_paths.py makes")
    with tempfile.TemporaryDirectory() as folder:
        for name, (options, exact, near) in CASES.items():
            out = os.path.join(folder, name)
            done = replay(program, *options, "--profile=hpcc-sim", f"--paths={REFERENCE}/paths.csv",
                          f"--out={out}")
            check(done.returncode == 0, f"{name}: status {done.returncode}: {done.stderr}")
            check("937 of them with given paths" in done.stdout, f"{name}: {done.stdout}")
            compare(name, out, exact, near)
            check_fct(name, out)
        bad = {"missing.txt": None, "words.txt": "a b c\n", "short.txt": "4 1 2\n3\n0 3 1Gbps\n"}
        for name, text in bad.items():
            path = os.path.join(folder, name)
            if text is not None:
                with open(path, "w", encoding="utf-8") as stream:
                    stream.write(text)
            for option in ("topology", "flows", "config", "paths"):
                out = os.path.join(folder, "none")
                done = replay(program, "--cc=Hpcc", f"--{option}={path}", f"--out={out}")
                line = [text for text in done.stderr.splitlines()
                        if not text.startswith(("note: ", "warning: "))]
                check(done.returncode == 2 and len(line) == 1 and
                      line[0].startswith(f"error: {path}:") and not os.path.exists(out),
                      f"--{option}={name}: status {done.returncode}, {done.stderr!r}")
    print("replay: " + ("FAILED" if failures else "all checks passed"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
