# SPDX-License-Identifier: GPL-2.0-only
"""An option's name stands in one place of the sources: its row, from which come its check, its help and its warnings."""

import re
from pathlib import Path

from support import summary

MODULE = Path(__file__).resolve().parents[2] / "contrib" / "roce"
PROGRAMS = ("two-dc-leaf-spine", "two-dc-fat-tree", "replay")
ROOMS = ("network", "workload", "program", "run", "hpcc", "systems/*")
# Texts with another meaning that are written as an option's name is.
OTHER = {
    "cc": "a column of flow lists",
    "collective": "a pattern",
    "datacenters": "a word of a message",
    "edge": "a kind of switch",
    "fingerprint": "a key of summary.json",
    "flows": "keys of summary.json, words of messages; two programs have a row of it",
    "goal": "a pattern; two programs have a row of it",
    "iterations": "a key of summary.json",
    "jobs": "a pattern; two programs have a row of it",
    "lossRecovery": "a role in summary.json",
    "mlcc": "a profile",
    "pathPolicy": "a role in summary.json",
    "pauses": "a column",
    "pcap": "a word of a message",
    "progress": "a word of a comment on JSON",
    "queues": "a series, for the time line",
    "rates": "a series, for the time line",
    "safetyLimit": "an end of a run, in summary.json",
    "scheduler": "a role in summary.json",
    "seed": "a key of summary.json",
    "stop": "an end of a run, in summary.json",
    "topology": "words of messages, and a key of summary.json",
    "tuner": "a role in summary.json",
    "utilisation": "a column",
}
# Options of which no row has the name as a text of its own.
MADE = {"preset": "a constant, since it is looked for before the others"}


def options_of(programs):
    """@return the names that --help of each program lists."""
    names = set()
    for program in PROGRAMS:
        text = programs.run(program, "--help").stdout.split("Program Options:")[-1].split("General Arguments:")[0]
        names |= set(re.findall(r"^ +--(\w+):", text, re.MULTILINE))
    assert len(names) > 120, f"options that --help lists: {len(names)}"
    return names


def places_of(names):
    """@return where each name is written as a text of its own."""
    places = {name: [] for name in names}
    for path in sorted(path for room in ROOMS for path in MODULE.glob(f"{room}/roce-*") if path.suffix in (".h", ".cc")):
        if path.name.endswith("-presets.cc") or path.name == "roce-job-file.cc":
            continue  # sets options by name, as a user does; keys of a file
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for name in re.findall(r'"(\w+)"', re.sub(r"//.*", "", line)):
                if name in places:
                    places[name].append(f"{path.relative_to(MODULE)}:{number}")
    return places


def test_one_row_each(programs):
    """Each option's name is written once; a name that has another meaning elsewhere is in the list above, and is needed there."""
    for name, places in places_of(options_of(programs) - set(MADE)).items():
        assert places, f"--{name} is listed by --help, but no source has its name"
        assert (len(places) > 1) == (name in OTHER), f"--{name} is written {len(places)} times, expected once or a reason in OTHER: {places}"


def test_bytes(programs, folder):
    """What means bytes is a plain number or has a unit, and is refused in the same words."""
    found = set()
    for program in PROGRAMS:
        text = programs.run(program, "--help").stdout.split("General Arguments:")[0]
        names = re.findall(r"^ +--(\w+): .*\bbytes\b.*\[\d+\]$", text, re.MULTILINE)
        for name in names:
            error = programs.run(program, f"--{name}=1XB", status=2).stderr
            assert f"--{name} is '1XB', expected bytes, for example 1000000 or 1MB (B kB" in error, error
        found |= set(names)
    assert found == {"collectiveBytes", "eagerBytes", "incastBytes", "maxBytes", "messageBytes", "minBytes", "truncate", "workerBytes"}
    for text, value in (("1.5MB", "1500000"), ("2KiB", "2048"), ("7", "7")):
        programs.run(PROGRAMS[0], "--pattern=incast", f"--incastBytes={text}", "--out=r", cwd=folder)
        assert summary(folder / "r")["configuration"]["incastBytes"] == value, text
