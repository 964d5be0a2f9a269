#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/ do under faults: foreign files in a results folder, odd experiment files and options.

    campaign-faults.py BUILD_DIR [TEST...]

The program is a small script written here; nothing is simulated.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"

PROGRAM = '''#!/usr/bin/python3
import json, sys, time
if "--help" in sys.argv:
    print("    --load:  x [1]\\n    --mode:  x [1]\\n    --file:  x [1]\\n    --sleep:  x [0]\\n"
          "    --seed:  x [1]\\n    --out:  x [1]")
    sys.exit(0)
options = dict(a[2:].split("=", 1) for a in sys.argv[1:])
time.sleep(float(options.get("sleep", 0)))
with open("flows.csv", "w") as f:
    print("id,src,dst,class,tag,scope,bytes,start_ns,fct_ns,receiver_fct_ns,ideal_fct_ns,slowdown,"
          "packets,retransmitted,status", file=f)
    for i in range(4):
        s = 1 + i + int(options["seed"])
        print(f"{i},0,1,3,0,intra,1000,{i * 100}.000,{1000 * s}.000,,1000.000,{s},1,0,finished", file=f)
with open("summary.json", "w") as f:
    json.dump({"counters": {"pauses": 4}, "flows": {"unfinished": 0}, "versions": {}, "x": 1e300,
               "configuration": {}}, f)
'''

EXPERIMENT = """\
title: Faults
program: ./program.py
grid:
  load: [0.3, 0.6]
metrics:
  average: {of: slowdown, statistic: mean}
plots:
  - {kind: lines, metric: average, x: load, title: Drawn}
claims:
  - {id: one, value: average, at: {load: 0.3}, reported: 3}
"""


def check(condition, what):
    """End with one line if something is wrong."""
    if not condition:
        raise SystemExit(f"FAILED {what}")


def run(name, *arguments, seconds=100, env=None, cwd=None):
    """@return a finished script of scripts/."""
    return subprocess.run([str(SCRIPTS / name)] + [str(a) for a in arguments], capture_output=True,
                          text=True, timeout=seconds, check=False, cwd=cwd,
                          env={**os.environ, **(env or {})})


def good(done, what):
    """The same process if its status is 0."""
    check(done.returncode == 0, f"{what}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done


def refused(done, words, what):
    """One line with these words, and status 2."""
    check(done.returncode == 2 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
          and words in done.stderr and not done.stdout, f"{what}: {done}")


def write(folder, text=EXPERIMENT, name="faults.yaml"):
    """The experiment with its program.

    @return its path
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.py").write_text(PROGRAM)
    (folder / "program.py").chmod(0o755)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def contents(folder):
    """Path -> bytes of all files in a folder."""
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


# ------------------------------------------------------------------------------- files of others


def test_foreign_folder(folder):
    """A folder with files of others: refused before anything is touched; --out that is a file."""
    experiment = write(folder)
    for name in ("index.html", "metrics.csv", "plan.json", "runs/mine/data.csv", "state/x.done",
                 "figures/mine.png", ".snakemake/log", "logs/snakemake.log", ".lock"):
        out = folder / ("out-" + name.replace("/", "-"))
        (out / name).parent.mkdir(parents=True)
        (out / name).write_text("mine")
        before = contents(out)
        refused(run("reproduce", experiment, "--out", out, "--clean"), name.split("/")[0], name)
        check(contents(out) == before, f"{name}: touched")
    beside = folder / "beside"
    (beside / "notes").mkdir(parents=True)
    (beside / "notes" / "a.txt").write_text("mine")
    good(run("reproduce", experiment, "--out", beside), "a folder with other files")
    check((beside / "notes" / "a.txt").read_text() == "mine", "a file beside the results")
    file = folder / "file"
    file.write_text("mine")
    for out in (file, file / "below"):
        refused(run("reproduce", experiment, "--out", out), str(file), "--out is a file")
    check(file.read_text() == "mine", "--out was a file")


def test_foreign_files(folder):
    """Files that others put into a campaign's folder stay, with --clean as well."""
    experiment = write(folder)
    out = folder / "out"
    good(run("reproduce", experiment, "--out", out), "first")
    mine = ["figures/mine.png", "figures/mine.csv", "runs/mine/data.csv", "runs/x.part-old/a",
            "runs/load-1-seed1-0123abcd/notes", "state/mine.done", "logs/mine.log", "metrics.csv.tmp"]
    for name in mine:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("mine")
    outside = folder / "outside"
    shutil.copytree(next((out / "runs").glob("load-0.3-*")), outside)
    (out / "runs" / outside.name).symlink_to(outside)
    experiment.write_text(EXPERIMENT.replace("[0.3, 0.6]", "[0.3]").replace("Drawn", "Other"))
    kept = good(run("reproduce", experiment, "--out", out), "second")
    check("1 run(s) of other code or options are kept" in kept.stderr, kept.stderr)
    check(not (out / "figures" / "Drawn.png").exists() and (out / "figures" / "Other.png").exists(),
          "figures of earlier definitions")
    cleaned = good(run("reproduce", experiment, "--out", out, "--clean"), "--clean")
    check("1 run(s) of other code or options removed" in cleaned.stderr, cleaned.stderr)
    for name in mine:
        check((out / name).read_text() == "mine", f"{name} is gone")
    check((out / "runs" / outside.name).is_symlink() and (outside / "run.json").exists(), "a link")
    check(len([r for r in (out / "runs").glob("load-*") if (r / "run.json").exists()]) == 1,
          "stale runs in spite of --clean")

    # A file of the name of a result, put there after the result was removed.
    (out / "index.html").unlink()
    for path in (out, out / "figures"):
        check(path.is_dir(), "folder")
    (out / "figures" / "Third.png").write_text("mine")
    experiment.write_text(EXPERIMENT.replace("[0.3, 0.6]", "[0.3]").replace("Drawn", "Third"))
    before = contents(out)
    refused(run("reproduce", experiment, "--out", out), "Third.png", "a foreign figure")
    refused(run("plot", experiment, "--results", out), "Third.png", "plot, a foreign figure")
    check(contents(out) == before, "a foreign figure: touched")

    # A folder that has the name of a run.
    experiment.write_text(EXPERIMENT)
    key = run("reproduce", experiment, "--out", out, "--dry-run").stdout.split("\n")[1]
    (out / "runs" / key).mkdir()
    (out / "runs" / key / "notes").write_text("mine")
    refused(run("reproduce", experiment, "--out", out), "run.json", "a foreign folder of a run's name")
    check((out / "runs" / key / "notes").read_text() == "mine", "a foreign folder of a run's name")


def test_earlier_version(folder):
    """Results without the list of files, of an earlier version, are taken over."""
    experiment = write(folder)
    out = folder / "out"
    good(run("reproduce", experiment, "--out", out), "first")
    (out / ".roce-files").unlink()
    (out / "figures" / "mine.png").write_text("mine")
    again = good(run("reproduce", experiment, "--out", out), "taken over")
    check("2 of them there already" in again.stderr, again.stderr)
    check((out / "figures" / "mine.png").read_text() == "mine", "a foreign figure")
    (out / ".roce-files").unlink()
    good(run("score", experiment, "--results", out), "score")
    good(run("plot", experiment, "--results", out), "plot")


def test_inputs(folder):
    """What is read is never among what is written."""
    for name in ("metrics.csv", "index.html", "runs/a.yaml", "figures/a.csv"):
        out = folder / "targets" / name.replace("/", "-")
        table = out / name
        table.parent.mkdir(parents=True)
        table.write_text("id,kind,reported,band_low,band_high,rule\none,value,3,,,\n")
        experiment = write(out.parent, EXPERIMENT + f"targets: {out.name}/{name}\n")
        before = contents(out)
        refused(run("reproduce", experiment, "--out", out), name, f"targets in {name}")
        check(contents(out) == before, f"targets in {name}: touched")
    out = folder / "option"
    experiment = write(out, EXPERIMENT + "options: {file: ./score.csv}\n")
    (out / "score.csv").write_text("1\n")
    refused(run("reproduce", experiment, "--out", out), "score.csv is read", "a file of an option")
    out = folder / "inside"
    experiment = write(out / "runs")
    refused(run("reproduce", experiment, "--out", out), "is read", "the experiment in runs/")
    # The same by another way: a link to the results.
    experiment = write(folder / "linked" / "runs")
    (folder / "way").symlink_to(folder / "linked")
    refused(run("reproduce", experiment, "--out", folder / "way"), "is read", "through a link")
    experiment = write(folder / "fine")
    good(run("reproduce", experiment, "--out", folder / "fine"), "the experiment beside results")
    refused(run("score", experiment, "--results", folder / "fine", "--publish", experiment),
            "is read", "--publish onto the experiment")
    check(experiment.read_text() == EXPERIMENT, "the experiment is overwritten")


def test_two_at_once(folder):
    """The second campaign in a folder ends with one line and status 2, and the first is whole."""
    experiment = write(folder, EXPERIMENT + "options: {sleep: 1}\n")
    out = folder / "out"
    first = subprocess.Popen([SCRIPTS / "reproduce", experiment, "--out", out],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + 60
        while not (out / "plan.json").exists():
            check(first.poll() is None and time.monotonic() < end, "the first does not start")
            time.sleep(0.02)
        refused(run("reproduce", experiment, "--out", out), "another scripts/reproduce", "the second")
    finally:
        _, stderr = first.communicate(timeout=100)
    check(first.returncode == 0, f"the first: {stderr}")


def test_quickstart(folder):
    """quickstart.py, too, removes and replaces its own files only."""
    program = write(folder).parent / "program.py"
    program.write_text(PROGRAM.replace('open("', 'open(options["out"] + "/" + "').replace(
        "time.sleep", "import os; os.makedirs(options['out'], exist_ok=True); time.sleep"))
    out = folder / "out"
    out.mkdir()
    (out / "queues.png").write_text("mine")
    arguments = ("--ccs", "Hpcc", "--loads", "0.3", "--bin", program, "--out", out)
    refused(run("quickstart.py", *arguments), "queues.png", "quickstart, foreign file")
    check(contents(out) == {"queues.png": b"mine"}, "quickstart: touched")
    (out / "queues.png").unlink()
    good(run("quickstart.py", *arguments), "quickstart")
    (out / "mine.png").write_text("mine")
    good(run("quickstart.py", *arguments), "quickstart again")
    (out / ".roce-files").unlink()
    good(run("quickstart.py", *arguments), "quickstart, results of an earlier version")
    check((out / "mine.png").read_text() == "mine", "quickstart: a foreign file")
    refused(run("quickstart.py", *arguments[:-1], program), "is a file", "quickstart --out is a file")


def main():
    """All tests, or those named."""
    chosen = sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="roce-campaign-faults-") as name:
        for test_name, test in list(globals().items()):
            if test_name.startswith("test_") and (not chosen or test_name in chosen):
                folder = Path(name) / test_name
                folder.mkdir()
                test(folder)
                print(f"{test_name}: as expected", flush=True)


if __name__ == "__main__":
    main()
