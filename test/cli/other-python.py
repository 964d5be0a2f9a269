# SPDX-License-Identifier: GPL-2.0-only
"""Scripts work for a user whose first python3 (conda, pyenv) lacks what they need, and say what is missing where nothing has it."""

import os

import pytest

from support import LEAF_SPINE, SCRIPTS, run


def test_first_lines():
    """Every script names Debian's Python."""
    for path in sorted(SCRIPTS.iterdir()):
        first = path.read_text(encoding="utf-8").split("\n", 1)[0] if path.is_file() else ""
        assert "python" not in first or first == "#!/usr/bin/python3", f"{path.name} begins with {first}"


def test_bare_python(programs, folder):
    """Scripts, started with a bare Python; then as if no Python had the modules."""
    if run("/usr/bin/python3", "-m", "venv", "--without-pip", folder / "bare", status=None).returncode:
        pytest.skip("no module venv")
    bare = folder / "bare" / "bin" / "python3"
    assert run(bare, "-c", "import matplotlib", status=None).returncode, "the bare Python has matplotlib: this test shows nothing"
    programs.run(LEAF_SPINE, "--duration=100us", "--progress=none", f"--out={folder}/run")
    path = {"PATH": f"{bare.parent}:{os.environ['PATH']}"}
    plot = [SCRIPTS / "plot_fct.py", folder / "run", "--out", folder / "plots"]
    for command in ([bare, *plot], ["python3", *plot], [bare, SCRIPTS / "reproduce", "transports", "--quick", "--dry-run",
                                                       "--build", programs.build]):
        run(*command, env=path)
    assert (folder / "plots" / "fct-cdf.png").exists(), "plot_fct.py has drawn nothing"
    # As if Debian's had been tried: one line says what to install.
    done = run(bare, *plot, env={"ROCE_PYTHON_TRIED": "yes"}, status=None)
    assert done.returncode and "apt install python3-matplotlib" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    # A program of the user's that imports the readers is not started again.
    done = run(bare, "-c", f"import sys; sys.path.insert(0, '{SCRIPTS}'); import roce_results; print(sys.executable)")
    assert done.stdout.strip() == str(bare), f"an importing program runs with {done.stdout}"
