# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns: an experiment is a small YAML file, described in contrib/roce/doc/howto/campaigns.rst.

experiment reads it (yamlread, program, grid, metrics, claims, plots); plan.json lists its runs; driver starts each as a process (run), here
or with Slurm; measure and estimates make metrics of them, score grades the claims, page shows all with its figures. regress compares the
runs of two versions, baseline those of a file. The first line of each file says what is in it.
"""

import importlib.util
import sys

MISSING = [module for module in ("jinja2", "jsonschema", "scipy", "yaml") if importlib.util.find_spec(module) is None]
if MISSING:
    sys.exit(f"error: campaigns need {', '.join(MISSING)}: apt install {' '.join(f'python3-{module}' for module in MISSING)}")
