# SPDX-License-Identifier: GPL-2.0-only
"""A run of small input files, and what it leaves."""

import tempfile
from pathlib import Path

from . import rows, summary, write_files


class Result:
    """What a program has said and left."""

    def __init__(self, done, out):
        self.done, self.out = done, out
        self.lines = done.stderr.splitlines()

    def table(self, name):
        """The rows of a file."""
        return rows(self.out / name)

    def fct(self):
        """Completion times in ns, by flow; infinite where it is not done."""
        return [float(row["fct_ns"] or "inf") for row in self.table("flows.csv")]

    def counters(self):
        """Those of summary.json."""
        return summary(self.out)["counters"]

    def drops(self):
        """Frames dropped for any reason."""
        return sum(count for name, count in self.counters().items() if name.startswith("framesDropped"))


def run_files(programs, folder, files, *options, program="replay", status=0):
    """Run a program on files. @param files text by option: flows -> --flows=.../flows.txt"""
    place = Path(tempfile.mkdtemp(dir=folder))
    write_files(place, {f"{name}.txt": text for name, text in files.items()})
    done = programs.run(program, *(f"--{name}={place}/{name}.txt" for name in files), f"--out={place}/out", "--progress=none", *options,
                        status=status)
    return Result(done, place / "out")
