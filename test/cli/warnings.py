#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What is taken but makes a result worth less is said, on standard error and in summary.json; what does not fit into
the memory is refused.

    warnings.py BUILD_DIR
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

PROGRAM = "two-dc-leaf-spine"
SMALL = ["--progress=none", "--leaves=2", "--spines=1", "--hostsPerLeaf=2", "--duration=20us"]
INCAST = ["--pattern=incast", "--incastSenders=6", "--incastBytes=300000", "--incastReceiver=0", "--cc=none"]

# Options, and the beginnings of the warnings expected, in order.
CASES = [
    ([], []),
    (INCAST, []),
    (INCAST + ["--ns3::roce::Switch::HeadroomFactor=0.001", "--leafBuffer=200KB", "--ecn=0"], ["{losslessDrops} frames of lossless classes"]),
    (["--warmup=1h"], ["a warm-up of 3.6e+06 ms leaves no flow for statistics: the last one starts at "]),
    (["--warmup=1us"], []),
    (["--incastSenders=3", "--groups=2", "--messageBytes=5"],
     ["--incastSenders, --messageBytes, --groups: without effect with --pattern=poisson"]),
    (INCAST + ["--load=0.3"], ["--load: without effect with --pattern=incast"]),
    (["--pattern=poisson+incast", "--incastSenders=3", "--load=0.3"], []),
    (["--seriesPorts=nic0"], ["--seriesPorts: without effect without a time series"]),
    (["--seriesPorts=nic0", "--queues=1us"], []),
]

# Options, limit of the address space, status, and what the error line holds.
LIMITS = [
    (["--pattern=alltoall", "--hostsPerLeaf=1000", "--leafBuffer=4000MB"], 1 << 30, 2, ["15996000 flows", "GB of memory"]),
    (["--pattern=permutation", "--hostsPerLeaf=200000"], 1 << 30, 2, ["800000 NICs", "GB of memory"]),
    (["--pattern=permutation", "--leaves=20000", "--hostsPerLeaf=1"], 1 << 30, 2, ["routes", "GB of memory"]),
    # More than the estimate, which is on the low side.
    (["--pattern=alltoall", "--hostsPerLeaf=70", "--leafBuffer=1000MB"], 200 << 20, 1, ["out of memory"]),
]


def run(build, options, folder, limit=None):
    """@return the finished process."""
    def confine():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    command = [os.path.join(build, "bin", PROGRAM), *SMALL, "--out=" + folder, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False,
                          preexec_fn=confine if limit else None)


def check_warnings(build, options, expected):
    """@return what is wrong, or nothing."""
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "out")
        done = run(build, options, folder)
        if done.returncode:
            return f"status {done.returncode}: {done.stderr}"
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
    said = [line[9:] for line in done.stderr.splitlines() if line.startswith("warning: ")]
    expected = [text.format(**summary["counters"]) for text in expected]
    if said != summary["warnings"] or len(said) != len(done.stderr.splitlines()):
        return f"standard error {done.stderr!r}, summary {summary['warnings']}"
    if len(said) != len(expected) or not all(map(str.startswith, said, expected)):
        return f"said {said}, expected {expected}"
    return f"dropped frames: {said}" if bool(summary["counters"]["losslessDrops"]) != ("frames" in str(said)) else ""


def check_limit(build, options, limit, status, words):
    """@return what is wrong, or nothing."""
    with tempfile.TemporaryDirectory() as root:
        done = run(build, options, os.path.join(root, "out"), limit)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("warning: ")]
    if done.returncode != status or len(lines) != 1 or not lines[0].startswith("error: "):
        return f"status {done.returncode}, expected {status}: {done.stderr}"
    missing = [word for word in words if word not in lines[0]]
    return f"{missing} not in {lines[0]}" if missing else ""


def main():
    """All cases."""
    build = os.path.abspath(sys.argv[1])
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        sanitized = "ROCE_SANITIZE:BOOL=ON" in file.read()
    found = [(options, check_warnings(build, options, expected)) for options, expected in CASES]
    if sanitized:
        print("limits: skipped, the sanitizer reserves terabytes")
    else:
        found += [(case[0], check_limit(build, *case)) for case in LIMITS]
    wrong = [f"FAILED {' '.join(options)}: {text}" for options, text in found if text]
    print("\n".join(wrong + [f"{len(found) - len(wrong)} of {len(found)} cases as expected"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
