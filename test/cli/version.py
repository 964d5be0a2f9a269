# SPDX-License-Identifier: GPL-2.0-only
"""The version is in base/roce-version.h: every program prints it, every result records it, and CITATION.cff has it."""

import re

import pytest

from support import LEAF_SPINE, ROOT, summary

HEADER = ROOT / "contrib" / "roce" / "base" / "roce-version.h"
VERSION = re.search(r'MODULE_VERSION = "(\d+\.\d+\.\d+)"', HEADER.read_text(encoding="utf-8"))[1]
NAMES = sorted(path.stem for folder in ("scratch", "examples") for path in (ROOT / folder).glob("*.cc"))


@pytest.mark.parametrize("name", NAMES)
def test_program(programs, name):
    """Each program says it."""
    for option in ("--version", "--PrintVersion"):
        text = programs.run(name, option).stdout
        assert text == f"{name} (ns-3 RoCE) {VERSION}\n", f"{name} {option} prints {text!r}, expected version {VERSION}"


def test_files(programs, folder):
    """So do a result, and the file for citations."""
    assert len(NAMES) >= 5, f"programs: {NAMES}"
    programs.run(LEAF_SPINE, "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--duration=200us", "--progress=none", f"--out={folder}")
    assert summary(folder)["versions"]["ns-3-roce"] == VERSION
    citation = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    assert citation and citation[1] == VERSION, f"CITATION.cff has version {citation and citation[1]}, expected {VERSION}"
