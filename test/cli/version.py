#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The version stands in base/roce-version.h: every program prints it, every result records it, and CITATION.cff has
it.

    version.py BUILD_DIR
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "contrib" / "roce" / "base" / "roce-version.h"


def main():
    """--version of all programs, then a small run's summary.json."""
    programs = Path(sys.argv[1]).resolve() / "bin"
    version = re.search(r'MODULE_VERSION = "(\d+\.\d+\.\d+)"', HEADER.read_text(encoding="utf-8"))[1]
    wrong = []

    def run(program, *options):
        done = subprocess.run([programs / program, *options], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            wrong.append(f"{program} {options}: status {done.returncode}: {done.stderr}")
        return done.stdout

    names = sorted(path.stem for folder in ("scratch", "examples") for path in (ROOT / folder).glob("*.cc"))
    for name in names:
        for option in ("--version", "--PrintVersion"):
            text = run(name, option)
            if text != f"{name} (ns-3 RoCE) {version}\n":
                wrong.append(f"{name} {option} prints {text!r}, expected version {version}")
    with tempfile.TemporaryDirectory() as folder:
        run("two-dc-leaf-spine", "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--duration=200us", "--progress=none",
            f"--out={folder}/run")
        found = json.loads(Path(folder, "run", "summary.json").read_text(encoding="utf-8"))["versions"]["ns-3-roce"]
        if found != version:
            wrong.append(f"summary.json has version {found}, expected {version}")
    citation = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    if not citation or citation[1] != version:
        wrong.append(f"CITATION.cff has version {citation and citation[1]}, expected {version}")
    for line in wrong:
        print("FAILED " + line)
    print(f"version {version}: {len(names)} programs, {len(wrong)} faults")
    return 1 if wrong or len(names) < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
