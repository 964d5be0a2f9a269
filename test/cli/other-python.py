#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Scripts work for a user whose first python3 (conda, pyenv) lacks what they need, and say what is missing where nothing has it.

    other-python.py BUILD_DIR
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def check(condition, what):
    """End with one line if something is wrong."""
    if not condition:
        sys.exit("FAILED " + what)


def run(*command, **environment):
    """@return the finished process, with its output."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=100, check=False,
                          env={**os.environ, **environment})


def main():
    """Every script, started with a bare Python; then as if no Python had the modules."""
    for path in sorted(SCRIPTS.iterdir()):
        first = path.read_text(encoding="utf-8").split("\n", 1)[0] if path.is_file() else ""
        check("python" not in first or first == "#!/usr/bin/python3", f"{path.name} begins with {first}")
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        done = run("/usr/bin/python3", "-m", "venv", "--without-pip", folder / "bare")
        if done.returncode:
            print("skipped: no module venv")
            sys.exit(77)
        bare = folder / "bare" / "bin" / "python3"
        check(run(bare, "-c", "import matplotlib").returncode, "the bare Python has matplotlib: this test shows nothing")
        done = run(Path(sys.argv[1]) / "bin" / "two-dc-leaf-spine", "--duration=100us", "--progress=none", f"--out={folder}/run")
        check(done.returncode == 0, done.stderr)
        path = f"{bare.parent}:{os.environ['PATH']}"
        for command in ((bare, SCRIPTS / "plot_fct.py", folder / "run", "--out", folder / "plots"),
                        ("python3", SCRIPTS / "plot_fct.py", folder / "run", "--out", folder / "plots"),
                        (bare, SCRIPTS / "reproduce", "transports", "--quick", "--dry-run")):
            done = run(*command, PATH=path)
            check(done.returncode == 0, f"{command}: {done.stdout} {done.stderr}")
        check((folder / "plots" / "fct-cdf.png").exists(), "plot_fct.py has drawn nothing")
        # As if Debian's had been tried: one line says what to install.
        done = run(bare, SCRIPTS / "plot_fct.py", folder / "run", "--out", folder / "plots", ROCE_PYTHON_TRIED="yes")
        check(done.returncode and "apt install python3-matplotlib" in done.stderr and done.stderr.count("\n") == 1,
              f"without matplotlib: {done.stderr}")
        # A program of the user's that imports the readers is not started again.
        done = run(bare, "-c", f"import sys; sys.path.insert(0, '{SCRIPTS}'); import roce_results; print(sys.executable)")
        check(done.stdout.strip() == str(bare), f"an importing program runs with {done.stdout}")
    print("other Python: scripts work")


if __name__ == "__main__":
    main()
