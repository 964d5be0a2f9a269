#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""compare-transports and plot_comparison.py as a user runs them: what they print, leave and refuse.

Usage: comparison.py BUILD_DIR
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

PLOT = Path(__file__).resolve().parents[2] / "scripts" / "plot_comparison.py"
SCENARIOS = ["2-to-1", "16-to-1", "near and far"]


def check(condition, what):
    """End with one line if something is wrong."""
    if not condition:
        sys.exit("FAILED " + what)


def run(*command):
    """@return the finished process, with its output."""
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300,
                          check=False)


def main():
    """One rate law through everything."""
    program = Path(sys.argv[1]) / "bin" / "compare-transports"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "compare"
        done = run(program, "--only=theta-PowerTCP", f"--out={out}")
        check(done.returncode == 0, f"status {done.returncode}: {done.stderr}")
        with open(out / "comparison.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        check([r["scenario"] for r in rows] == SCENARIOS, f"scenarios: {rows}")
        check(all(r["transport"] == "theta-PowerTCP" for r in rows), f"transports: {rows}")
        pair = rows[0]
        check(float(pair["jain"]) > 0.98 and float(pair["converged_ms"]) < 5, f"fairness: {pair}")
        check(0.95 < float(pair["utilisation"]) <= 1, f"utilisation: {pair}")
        check(0 < float(pair["queue_mean_bytes"]) < float(pair["queue_max_bytes"]) < 1e6,
              f"queue: {pair}")
        for row in rows:
            check(f"{float(row['jain']):.3f}" in done.stdout, f"not printed: {row}")
        # Goodput of both flows adds up to what the link carries, less headers.
        total = {}
        with open(out / "comparison-rates.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["scenario"] == "2-to-1":
                    total[row["time_ns"]] = total.get(row["time_ns"], 0) + int(row["goodput_bps"])
        late = [bps for time, bps in total.items() if float(time) > 20e6]
        mean = sum(late) / len(late)
        check(len(late) > 90 and 93e9 < mean < 98.1e9, f"goodput: {len(late)}, {mean}")

        plot = run("/usr/bin/python3", PLOT, out)
        check(plot.returncode == 0, f"plot: {plot.stderr}")
        check((out / "comparison.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n", "no PNG")
        check(plot.stdout.count("| theta-PowerTCP |") == 3, f"table: {plot.stdout}")

        bad = run(program, "--only=Vegas", f"--out={folder}/none")
        check(bad.returncode == 2 and "--only=Vegas" in bad.stderr, f"--only: {bad.stderr}")
        check(not (Path(folder) / "none").exists(), "a folder in spite of bad input")
        (Path(folder) / "empty").mkdir()
        missing = run("/usr/bin/python3", PLOT, f"{folder}/empty")
        check(missing.returncode != 0 and missing.stderr.count("\n") == 1, f"{missing.stderr}")
    print("compare-transports and plot_comparison.py: as expected")


if __name__ == "__main__":
    main()
