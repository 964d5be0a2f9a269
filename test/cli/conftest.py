# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the programs and scripts as a user runs them.

    /usr/bin/python3 -m pytest test/cli/results.py [-k NAME] [--build DIR]

A file of which all tests are skipped ends with status 77, which CTest knows.
"""

import os
import sys
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# Behind the rest: names such as warnings.py are no modules for others.
sys.path += [str(HERE.parent / name) for name in ("../scripts", "documentation", "fuzz", "mutants", "cli")]

from support import Programs  # noqa: E402  pylint: disable=wrong-import-position


def pytest_addoption(parser):
    """The build folder."""
    parser.addoption("--build", default=os.environ.get("ROCE_BUILD", HERE.parents[1] / "build"), help="folder with bin/ and lib/")


def pytest_sessionfinish(session, exitstatus):
    """Whether anything was tested."""
    stats = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if exitstatus in (0, pytest.ExitCode.NO_TESTS_COLLECTED) and "skipped" in stats and "passed" not in stats:
        session.exitstatus = 77


@pytest.fixture(scope="session")
def build(pytestconfig):
    """The build folder."""
    return Path(pytestconfig.getoption("--build")).resolve()


@pytest.fixture(scope="session")
def programs(build):
    """Starts the programs of the build."""
    return Programs(build)


@pytest.fixture
def folder():
    """An empty folder, which is removed."""
    with tempfile.TemporaryDirectory(prefix="roce-test-") as name:
        yield Path(name).resolve()


@pytest.fixture(scope="module")
def shared_folder():
    """One for all tests of a file."""
    with tempfile.TemporaryDirectory(prefix="roce-test-") as name:
        yield Path(name).resolve()
