# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Scripts find the Python that has what they need: importing this may start them again with Debian's.

Who has conda's or pyenv's python3 first in the PATH, and calls `python3 scripts/plot_fct.py`, need not know that
scripts/install.sh has put matplotlib and the like into /usr/bin/python3's packages.
"""

import importlib.util
import os
import sys

DEBIAN = "/usr/bin/python3"
NEEDED = ("matplotlib", "pandas", "yaml", "jsonschema", "scipy", "jinja2")  # by some script or other
TRIED = "ROCE_PYTHON_TRIED"


def find() -> None:
    """Start again with Debian's Python if this one lacks a module; only for the scripts of this folder."""
    here = os.path.dirname(os.path.realpath(__file__))
    if os.path.dirname(os.path.realpath(sys.argv[0] or ".")) != here or sys.executable == DEBIAN:
        return
    if TRIED in os.environ or not os.path.exists(DEBIAN):
        return
    if any(importlib.util.find_spec(module) is None for module in NEEDED):
        os.environ[TRIED] = sys.executable
        os.environ.pop("PYTHONHOME", None)
        os.execv(DEBIAN, [DEBIAN, *sys.argv])


find()
