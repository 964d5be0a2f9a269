# SPDX-License-Identifier: GPL-2.0-only
"""What tests of programs and scripts share: starting one, what it says, what it leaves."""

import csv
import json
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "scripts"
HPCC_PATHS = ROOT / "contrib" / "roce" / "hpcc" / "hpcc_paths.py"
REFERENCE = ROOT / "test" / "reference" / "leafspine128"
LEAF_SPINE = "two-dc-leaf-spine"
SECONDS = 300
REMARKS = ("warning: ", "note: ")


def run(*command, status=0, env=None, **more):
    """A finished process with what it printed. @param status that it must have, several, or None @param env further variables"""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "timeout": SECONDS, **more}
    done = subprocess.run([str(word) for word in command], check=False, env={**os.environ, **(env or {})}, **options)
    if status is not None:
        assert done.returncode in (status if isinstance(status, tuple) else (status,)), \
            f"{' '.join(done.args)[-600:]}: status {done.returncode}, expected {status}: {str(done.stdout or '')[-600:]}{done.stderr[-1500:]}"
    return done


def complaints(stderr):
    """The lines that are neither warnings nor notes."""
    return [line for line in stderr.splitlines() if not line.startswith(REMARKS)]


def refused(done, *words, beside=()):
    """One line with these words, and status 2. @param beside how other lines may begin @return the line"""
    lines = [line for line in done.stderr.splitlines() if not line.startswith(beside)]
    assert done.returncode == 2 and len(lines) == 1 and lines[0].startswith("error: "), f"not refused in one line: {done}"
    for word in words:
        assert word in lines[0], f"no '{word}' in: {done}"
    return lines[0]


class Programs:
    """The programs of a build."""

    def __init__(self, build):
        self.build = Path(build)
        self.bin = self.build / "bin"

    def run(self, program, *options, **more):
        """As run()."""
        return run(self.bin / program, *options, **more)

    def refuse(self, program, *options, words=(), **more):
        """It refuses these options. @return the line"""
        return refused(self.run(program, *options, status=2, **more), *words, beside=REMARKS)

    def start(self, program, *options, **more):
        """A process that runs, of which standard error is read."""
        return subprocess.Popen([str(self.bin / program), *map(str, options)], text=True,
                                **{"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **more})

    def sanitized(self):
        """Whether the build is one with sanitizers."""
        return "ROCE_SANITIZE:BOOL=ON" in (self.build / "CMakeCache.txt").read_text(encoding="utf-8")


def rows(path):
    """The rows of a table."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def summary(folder):
    """summary.json of a result."""
    return json.loads((Path(folder) / "summary.json").read_text(encoding="utf-8"))


def contents(folder):
    """The bytes of a folder's files by name."""
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def write_files(folder, files):
    """Text files by path. @return the folder"""
    for name, text in files.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def wait_for(condition, process=None, seconds=60):
    """Until a condition holds, the process has ended, or it is too late. @return whether it holds"""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end or (process and process.poll() is not None):
            return False
        time.sleep(0.01)
    return True


def has_bytes(path):
    """Whether a file has begun."""
    return path.exists() and path.stat().st_size > 0
