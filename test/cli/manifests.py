# SPDX-License-Identifier: GPL-2.0-only
"""Readers of results check what a result is made of: format, sizes, hashes and rows; of a commit that was broken off they have the new one.

Campaigns repeat runs that are damaged, and those that have read a file which is another now. Small results
and the campaigns' program are written here; the last test uses the simulator's.
"""

import csv
import hashlib
import io
import json
import multiprocessing
import os
import shutil
import time
from pathlib import Path

import pytest
import roce_manifest
import roce_results as rr
from support.campaigns import HEADER, good, run, write_program

import support
from support import LEAF_SPINE, SCRIPTS, refused, rows

FLOWS = [f"{i},0,1,3,0,intra,1000,{i * 100}.000,{1000 * (i + 1)}.000,,1000.000,{i + 1},1,0,finished" for i in range(6)]
QUEUES = "time_ns,node,port,class,queue_bytes\n100.000,7,0,3,50\n900.000,7,0,3,0\n"
READERS = (("roce_results.py",), ("plot_fct.py", "--out", "{out}"), ("plot_series.py", "--out", "{out}"),
           ("plot_queues.py", "--out", "{out}"), ("fct_diff.py", "{run}"), ("regress", "{run}"))


def entry(name, data):
    """A file as a manifest has it."""
    found = {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {**found, "rows": len(list(csv.reader(io.StringIO(data.decode(), newline="")))) - 1} if name.endswith(".csv") else found


def write_result(folder, manifest=True, slow=1, files=None, **more):
    """A result of six flows with its queue, and perhaps with other files. @return the folder"""
    folder.mkdir(parents=True, exist_ok=True)
    files = {"flows.csv": "\n".join([HEADER, *FLOWS, ""]).replace("1000.000,,", f"{slow}000.000,,"), "queues.csv": QUEUES,
             **(files or {})}
    for name, text in files.items():
        (folder / name).write_text(text)
    summary = {"format": 1, "flows": {"total": 6, "unfinished": 0}, "versions": {}, "configuration": {}, "nodeNames": {"7": "leaf"},
               "counters": {"pauses": 4}, "files": [*files, "summary.json"], **more}
    if manifest:
        summary["manifest"] = {"outputs": [entry(n, t.encode()) for n, t in files.items()], "inputs": [], "digest": "0" * 64}
    (folder / "summary.json").write_text(json.dumps(summary))
    return folder


# ---------------------------------------------------------------------------------------- readers


def test_readers(folder):
    """Each reader says which file is not what was written, and what it should be."""
    for script, *more in READERS:
        whole = write_result(folder / "whole")
        words = [w.format(out=folder / "figures", run=folder / "whole") for w in more]
        done = good(run(script, whole, *words), f"{script}, a whole result")
        assert not done.stderr, f"{script}: {done}"
        file = "queues.csv" if script in ("plot_queues.py", "plot_series.py") else "flows.csv"
        bad = write_result(folder / "bad")
        text = (bad / file).read_text()
        size, count = len(text), text.count("\n") - 1
        short = text[:text.index("\n", len(text) // 2) + 1]
        (bad / file).write_text(short)
        refused(run(script, bad, *words), f"{bad / file}: {len(short)} bytes and {short.count(chr(10)) - 1} rows, "
                f"expected {size} and {count}", "summary.json")
        (bad / file).write_text("")
        refused(run(script, bad, *words), f"{bad / file}: 0 bytes and 0 rows, expected {size} and {count}")
        (bad / file).unlink()
        refused(run(script, bad, *words), f"{bad / file}: is not there, expected {size} bytes")
    # One digit: the size stays.
    bad = write_result(folder / "bad")
    (bad / "flows.csv").write_text((bad / "flows.csv").read_text().replace(",6000.000,", ",7000.000,"))
    refused(run("roce_results.py", bad), "flows.csv: SHA-256 ", "expected ")
    refused(run("roce_results.py", bad / "flows.csv"), "flows.csv: SHA-256 ")
    write_result(folder / "bad", format=2)
    refused(run("roce_results.py", bad), "summary.json: format is 2, expected 1")
    write_result(folder / "bad", format="new")
    refused(run("plot_queues.py", bad), 'summary.json: format is "new", expected 1')
    summary = json.loads((folder / "whole" / "summary.json").read_text())
    for manifest in ([], {"outputs": [{"name": "flows.csv"}]}, {"outputs": [{"name": "../x", "bytes": 1, "sha256": ""}]}):
        (bad / "summary.json").write_text(json.dumps({**summary, "manifest": manifest}))
        refused(run("roce_results.py", bad), "manifest: expected outputs with name, bytes and sha256")


def test_quoted_lines(folder):
    """A line that ends within quotation marks ends no row, wherever the pieces end in which a table is read."""
    text = "flow,name\n" + "".join(f'{i},"{"x" * (i % 7)}\n""{i}"\n' for i in range(250_000))
    whole = write_result(folder / "whole", files={"names.csv": text})
    assert len(text) > 3 * roce_manifest.BLOCK, f"{len(text)} bytes, expected several pieces"
    assert roce_manifest.file_of(str(whole), "names.csv") == str(whole / "names.csv"), "names.csv is not as it is written"
    # A name of two lines in a table that is plotted.
    queues = QUEUES.replace("queue_bytes\n", "queue_bytes,name\n").replace(",50\n", ',50,"a\nleaf"\n')
    whole = write_result(folder / "queues", files={"queues.csv": queues.replace(",0\n", ",0,b\n")})
    good(run("plot_queues.py", whole, "--out", folder / "figures"), "a name of two lines")
    (whole / "queues.csv").write_text(queues.replace(",0\n", ',0,"b'))
    refused(run("plot_queues.py", whole, "--out", folder / "figures"), "and 1 rows, expected")


def test_without_manifest(folder):
    """Results of earlier versions are read, with the number of flows checked; foreign and interrupted ones with a warning."""
    old = write_result(folder / "old", manifest=False)
    assert not good(run("roce_results.py", old), "without a manifest").stderr, "a word about an earlier version's result"
    (old / "flows.csv").write_text("\n".join([HEADER, FLOWS[0], ""]))
    refused(run("roce_results.py", old), "flows.csv: 1 flows, expected 6 (flows.total of summary.json)")
    refused(run("fct_diff.py", old, old), "flows.csv: 1 flows, expected 6")
    part = write_result(folder / "part", interrupted=True)
    done = good(run("roce_results.py", part), "an interrupted run")
    assert done.stderr.count("\n") == 1 and "warning: " in done.stderr and "ended by a signal or a time limit" in done.stderr, f"{done}"
    beside = write_result(folder / "beside")
    (beside / "rates.csv").write_text("time_ns,flow,acked_bytes,rate_bps\n100.000,0,10,1\n")
    done = good(run("plot_series.py", beside), "a table that the run has not written")
    assert "rates.csv: summary.json does not list it" in done.stderr, f"{done}"


# ---------------------------------------------------------------------------------------- commits


def begin_commit(folder, done):
    """A second result half-way into the place of the first. @param done steps of four that have been made"""
    write_result(folder)
    (folder / "old.csv").write_text("goes\n")
    summary = json.loads((folder / "summary.json").read_text())
    summary["files"].append("old.csv")
    summary["manifest"]["outputs"].append(entry("old.csv", b"goes\n"))
    (folder / "summary.json").write_text(json.dumps(summary))
    names = ["flows.csv", "queues.csv", "summary.json"]
    new = write_result(folder.parent / (folder.name + "-new"), slow=9)
    for name, step in zip(names, (1, 2, 4)):
        shutil.move(new / name, folder / (name if step <= done else name + ".tmp"))
    if done >= 3:
        (folder / "old.csv").unlink()
    (folder / ".unfinished").write_text("ns-3-roce run\n" + "".join(f"{n}\n{n}\t12.34\n" for n in names))
    (folder / ".commit").write_text(json.dumps({"files": names, "remove": ["old.csv"]}))
    return folder


def contents(folder):
    """Name -> bytes of each file of a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_commit(folder):
    """A commit that was broken off after any of its renames: every reader has the new result, whole, and changes nothing."""
    for renamed in range(5):
        half = begin_commit(folder / f"half{renamed}", renamed)
        before = contents(half)
        for script in ("roce_results.py", "plot_queues.py"):
            done = good(run(script, half, *(["--out", folder] if script != "roce_results.py" else [])), f"{script} after {renamed} steps")
            assert not done.stderr, f"{script} after {renamed} steps: {done}"
        assert rr.load_run(str(half)).flows[0].fct_ps == 9_000_000, f"after {renamed} steps: the old result"
        assert contents(half) == before, f"after {renamed} steps: {sorted(os.listdir(half))}"


def test_crafted_commit(folder):
    """Names out of the folder, links and folders are refused, and nothing is touched."""
    precious = folder / "precious"
    precious.write_text("mine")
    for i, journal in enumerate(({"files": ["../precious", "summary.json"]},
                                 {"files": ["../precious.tmp", "summary.json"]}, {"files": []}, [],
                                 {"files": ["summary.json", "flows.csv"]},
                                 {"files": ["a\nb", "summary.json"]}, {"files": "summary.json"})):
        half = begin_commit(folder / f"crafted{i}", 1)
        (half / ".commit").write_text(json.dumps(journal))
        before = sorted(os.listdir(half))
        refused(run("roce_results.py", half), ".commit: expected the names of the files of a run")
        assert sorted(os.listdir(half)) == before and precious.read_text() == "mine", f"{journal}: touched"
    # What takes the place of a file must be a run's, byte for byte.
    half = begin_commit(folder / "changed", 1)
    (half / "queues.csv.tmp").write_text("mine")
    before = contents(half)
    refused(run("plot_queues.py", half, "--out", folder), "queues.csv.tmp: 4 bytes and 0 rows, expected")
    assert contents(half) == before, "changed: touched"
    for name in ("queues.csv.tmp", ".commit"):
        half = begin_commit(folder / f"link-{name}", 1)
        (half / name).unlink()
        (half / name).symlink_to(precious)
        before = sorted(os.listdir(half))
        refused(run("roce_results.py", half), name)
        assert sorted(os.listdir(half)) == before and precious.read_text() == "mine", f"a link {name}: touched"


def as_nobody(folder, results):
    """Read as a user who may not write."""
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    results.put([f.fct_ps for f in rr.load_run(str(folder)).flows][0])


def hold(folder, ready, seconds):
    """A run that is at its commit: it has the lock, and ends after a while."""
    import fcntl  # pylint: disable=import-outside-toplevel
    with open(folder / ".unfinished", "a", encoding="utf-8") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        ready.set()
        time.sleep(seconds)
        for name in ("flows.csv", "queues.csv", "summary.json"):
            if (folder / (name + ".tmp")).exists():
                os.rename(folder / (name + ".tmp"), folder / name)
        os.remove(folder / "old.csv")
        os.remove(folder / ".commit")
        os.remove(folder / ".unfinished")


def test_commit_of_others(folder):
    """A reader that may not write reads the new result where it is; one that comes while a run is at its commit waits."""
    half = begin_commit(folder / "half", 1)
    for path in (folder, half):
        path.chmod(0o755)
    before = sorted(os.listdir(half))
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    if os.geteuid() != 0:
        half.chmod(0o555)
    reader = context.Process(target=as_nobody, args=(half, results))
    reader.start()
    assert results.get(timeout=60) == 9_000_000 and sorted(os.listdir(half)) == before, f"read-only: {os.listdir(half)}"
    reader.join()
    half.chmod(0o755)
    ready = context.Event()
    writer = context.Process(target=hold, args=(half, ready, 0.5))
    writer.start()
    ready.wait()
    good(run("roce_results.py", half), "while a run is at its commit")
    writer.join()
    assert sorted(os.listdir(half)) == ["flows.csv", "queues.csv", "summary.json"], f"after the run: {os.listdir(half)}"


def read_back(folder):
    """The files of a result as a reader has them."""
    done = run("roce_results.py", folder)
    assert done.returncode == 0 and not [line for line in done.stderr.splitlines() if "a later run has not finished" not in line], \
        f"{sorted(os.listdir(folder))}: {done}"
    names = roce_manifest.read_summary(str(folder))["files"]
    return {name: Path(roce_manifest.file_of(str(folder), name)).read_bytes() for name in names if name != "summary.json"}


def test_commit_of_the_program(build, folder):
    """The program is killed at each of its last operations on files, among them all renames: the reader has all of the result
    before or all of the new one, and the next run ends a commit that has begun."""
    if not (build / "bin" / "roce-fuzz-driver").exists():
        pytest.skip(f"no {build}/bin/roce-fuzz-driver, which kills a run at its renames")
    from roce_fuzz import Case, Driver  # pylint: disable=import-outside-toplevel
    driver = Driver(build)
    small = ["--pattern=incast", "--incastSenders=1", "--duration=20us", "--datacenters=1", "--spines=1", "--leaves=1", "--hostsPerLeaf=2", "--progress=none", "--out=out"]
    before, new = Case("two-dc-leaf-spine", [*small, "--queues=5us", "--pfc"]), [*small, "--incastBytes=5000", "--queues=3us", "--rates=5us"]
    start = folder / "before"
    start.mkdir()
    assert driver.run(before, start).status == 0, "the run before"
    old = read_back(start / "out")
    work = folder / "new"
    shutil.copytree(start, work)
    reply = driver.run(Case("two-dc-leaf-spine", new), work)
    whole = read_back(work / "out")
    assert reply.status == 0 and sorted(whole) != sorted(old) and whole["flows.csv"] != old["flows.csv"], "the new run is no other"
    states, ended = set(), 0
    for n in range(reply.operations, 0, -1):
        shutil.rmtree(work)
        shutil.copytree(start, work)
        killed = driver.run(Case("two-dc-leaf-spine", new, fault=f"{n}:kill"), work)
        assert killed.signal == 9, f"operation {n} of {reply.operations}: status {killed.status}, no kill"
        left = frozenset(os.listdir(work / "out"))
        found = read_back(work / "out")
        begun = ".commit" in left
        assert found in ((whole,) if begun or ended == 0 else (old,)), \
            (f"operation {n}, after which there is {sorted(left)}: not the " f"{'new' if begun else 'old'} result, but {sorted(found)}")
        if begun:
            assert driver.run(Case("two-dc-leaf-spine", new), work).status == 0, f"operation {n}: the next run"
            assert sorted(os.listdir(work / "out")) == sorted([*whole, "summary.json"]), f"operation {n}: the commit is not ended"
        states |= {left} if begun else set()
        ended += begun
        if ended and not begun:
            break
    driver.close()
    # The journal's own, one of each new file, and one of each file that goes.
    expected = len(whole) + 1 + len(set(old) - set(whole))
    assert len(states) >= expected, f"{len(states)} states of the commit, expected at least {expected}: {states}"


# -------------------------------------------------------------------------------------- campaigns

# Flows are slower by the number in the file that --config names by its name; it may write a manifest.
PROGRAM = '''#!/usr/bin/python3
import hashlib, json, os, sys
if "--help" in sys.argv:
    print("    --config:  x []\\n    --manifest:  x [0]\\n    --part:  x [0]\\n    --spoil:  x [0]\\n    --seed:  x [1]\\n    --out:  x [1]")
    sys.exit(0)
options = dict(a[2:].split("=", 1) for a in sys.argv[1:])
named = [os.path.join(os.path.dirname(options["config"]), line.split()[1]) for line in open(options["config"]) if line.strip()]
slow = sum(int(open(f).read()) for f in named)
with open("flows.csv", "w") as f:
    print("%s", file=f)
    for i in range(6):
        s = slow + i + int(options["seed"])
        print(f"{i},0,1,3,0,intra,1000,{i * 100}.000,{1000 * s}.000,,1000.000,{s},1,0,finished", file=f)
def entry(name, key):
    data = open(name, "rb").read()
    found = {key: name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return {**found, "rows": 6} if name.endswith(".csv") else found
summary = {"format": 1, "flows": {"total": 6, "unfinished": 0}, "versions": {}, "configuration": {}}
if options["manifest"] == "1":
    summary["manifest"] = {"outputs": [entry("flows.csv", "name")], "digest": "0" * 64,
                           "inputs": [entry(os.path.relpath(f), "path") for f in [options["config"], *named]]}
if options["part"] == "1":
    summary["interrupted"] = True
json.dump(summary, open("summary.json", "w"))
if options["spoil"] == "1":
    open(named[0], "w").write(str(int(slow) + 1))
sys.exit(3 if options["part"] == "1" else 0)
''' % HEADER

EXPERIMENT = """\
title: Files behind files
program: ./program.py
options: {config: ./config.txt, part: 0, spoil: 0}
grid: {manifest: [0, 1]}
seeds: 2
metrics:
  average: {of: slowdown, statistic: mean}
plots: []
claims:
  - {id: one, value: average, at: {manifest: 1}, reported: 3}
"""


def averages(out):
    """manifest: 0 or 1 -> mean slowdown."""
    return {r["manifest"]: float(r["mean"]) for r in rows(out / "metrics.csv")}


def write_campaign(folder):
    """The experiment and its files."""
    folder.mkdir(parents=True)
    experiment = write_program(folder, PROGRAM, EXPERIMENT)
    (folder / "config.txt").write_text("FLOW_FILE sub/flow.txt\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "flow.txt").write_text("1\n")
    return experiment


def test_indirect_inputs(folder):
    """A file that a config file names changes: runs that have read it are made again, with one line each."""
    experiment = write_campaign(folder / "a")
    out = folder / "a" / "out"
    good(run("reproduce", experiment, "--out", out), "first")
    assert averages(out) == {"0": 5.0, "1": 5.0}, f"first: {averages(out)}"
    again = good(run("reproduce", experiment, "--out", out), "again")
    assert "4 runs, 4 of them there" in again.stderr and "made again" not in again.stderr, f"unchanged: {again.stderr}"
    (folder / "a" / "sub" / "flow.txt").write_text("7\n")
    dry = good(run("reproduce", experiment, "--out", out, "--dry-run"), "a dry run")
    assert dry.stdout.count("sub/flow.txt, which it has read, has changed") == 4 and "(there)" not in dry.stdout, f"{dry}"
    only = good(run("reproduce", experiment, "--out", out, "--only", "one"), "--only")
    assert only.stderr.count("is made again: ") == 2 and only.stderr.count("sub/flow.txt, which it has read, has changed") == 2, \
        f"--only: {only.stderr}"
    assert averages(out) == {"1": 11.0}, f"--only: {averages(out)}"
    rest = good(run("reproduce", experiment, "--out", out), "the rest")
    assert "4 runs, 2 of them there" in rest.stderr and rest.stderr.count("is made again: ") == 2, f"the rest: {rest.stderr}"
    assert averages(out) == {"0": 11.0, "1": 11.0}, f"changed: {averages(out)}"
    # All of it moved to another place: the same runs.
    shutil.move(folder / "a", folder / "b")
    moved = good(run("reproduce", folder / "b" / experiment.name, "--out", folder / "b" / "out"), "moved")
    assert "4 runs, 4 of them there" in moved.stderr, f"moved: {moved.stderr}"


def test_damaged_runs(folder):
    """Truncated, emptied and removed files: these runs are repeated, one line each, and not scored before."""
    experiment = write_campaign(folder / "a")
    out = folder / "a" / "out"
    good(run("reproduce", experiment, "--out", out), "first")
    table = (out / "metrics.csv").read_bytes()
    names = sorted(p.name for p in (out / "runs").iterdir())
    for name, damage in zip(names, (lambda p: os.truncate(p / "flows.csv", 200), lambda p: os.truncate(p / "flows.csv", 0),
                                    lambda p: (p / "flows.csv").unlink(), lambda p: (p / "summary.json").write_text("{}"))):
        damage(out / "runs" / name)
    score = good(run("score", experiment, "--results", out), "score")
    assert score.stderr.count("warning: run ") == 4 and "is not used: flows.csv: 0 bytes, expected" in score.stderr, f"{score}"
    refused(run("regress", out, out), "scripts/reproduce makes it again")
    done = good(run("reproduce", experiment, "--out", out), "repeated")
    assert ("4 runs, 0 of them there" in done.stderr and done.stderr.count("is made again: ") == 4
          and "flows.csv: is not there" in done.stderr and "summary.json: 2 bytes" in done.stderr), f"repeated: {done.stderr}"
    assert (out / "metrics.csv").read_bytes() == table, "other numbers after the repetition"
    # What an early version has left has no list of files: nothing says what they were.
    record = json.loads((out / "runs" / names[0] / "run.json").read_text())
    (out / "runs" / names[0] / "run.json").write_text(json.dumps({k: v for k, v in record.items() if k != "outputs"}))
    done = good(run("reproduce", experiment, "--out", out), "of an earlier version")
    assert "4 runs, 3 of them there" in done.stderr and "run.json: outputs: expected" in done.stderr, f"earlier version: {done.stderr}"
    plan = out / "plan.json"
    plan.write_text(plan.read_text().replace('"format": 1', '"format": 2'))
    refused(run("score", experiment, "--results", out), "plan.json: format is 2, expected 1")


def test_interrupted_run(folder):
    """A run that was ended by a signal has a result, with status 3, but is no run of a campaign."""
    experiment = write_campaign(folder / "a")
    experiment.write_text(EXPERIMENT.replace("part: 0", "part: 1"))
    done = run("reproduce", experiment, "--out", folder / "out")
    assert done.returncode == 1 and "ended by a signal or a time limit" in done.stderr, f"{done}"


def test_changing_inputs(folder):
    """A file that changes while a run reads it: the run fails, with and without a manifest, and nothing is made of it."""
    experiment = write_campaign(folder / "a")
    experiment.write_text(EXPERIMENT.replace("spoil: 0", "spoil: 1"))
    done = run("reproduce", experiment, "--out", folder / "out", "--jobs", "1")
    assert done.returncode == 1 and done.stderr.count("sub/flow.txt, which it has read, has changed during this run") == 4, f"{done}"
    assert not (folder / "out" / "index.html").exists(), "a page of runs with other inputs"


def test_foreign_programs(folder):
    """An experiment's program that is not of the build is not even asked for its options; score and plot start none."""
    experiment = write_campaign(folder / "a")
    witness = folder / "started"
    program = folder / "a" / "program.py"
    program.write_text(PROGRAM.replace("import hashlib", f"open({str(witness)!r}, 'a'); import hashlib"))
    out = folder / "out"
    reproduce = [SCRIPTS / "reproduce", experiment, "--out", out]
    done = support.run(*reproduce, status=2)
    refused(done, f"{experiment}:2: program '{program.resolve()}' is no program of the build", "--allow-program")
    assert not witness.exists() and not out.exists(), "a program that is not of the build was started"
    done = support.run(SCRIPTS / "regress", "record", folder / "base.yaml", experiment, status=2)
    refused(done, "is no program of the build")
    good(run("reproduce", experiment, "--out", out), "--allow-program")
    witness.unlink()
    good(run("score", experiment, "--results", out), "score")
    good(run("plot", experiment, "--results", out), "plot")
    assert not witness.exists(), "score or plot start the program"
    # An earlier version's plan does not name the options: they would have to ask the program.
    plan = json.loads((out / "plan.json").read_text())
    (out / "plan.json").write_text(json.dumps({k: v for k, v in plan.items() if k != "optionNames"}))
    for script in ("score", "plot"):
        done = run(script, experiment, "--results", out)
        refused(done, "plan.json: an earlier version's", "run scripts/reproduce again")
        assert "--allow-program" not in done.stderr and not witness.exists(), f"{script}: {done}, or it starts the program"
    # As one of a build it needs no word.
    (folder / "build" / "bin").mkdir(parents=True)
    shutil.copy(program, folder / "build" / "bin" / "program.py")
    experiment.write_text(EXPERIMENT.replace("./program.py", "program.py"))
    support.run(*reproduce, "--dry-run", "--build", folder / "build")


def test_only_keeps_figures(folder):
    """--only leaves the figures of the rest alone."""
    experiment = write_campaign(folder / "a")
    experiment.write_text(EXPERIMENT.replace("plots: []", "plots:\n  - {kind: lines, metric: average, x: manifest, title: Mine}\n"
                                             "  - {kind: fct-cdf, where: {manifest: 0}, title: Theirs}"))
    out = folder / "a" / "out"
    good(run("reproduce", experiment, "--out", out), "all")
    names = {f"{name}{end}" for name in ("Mine", "Theirs") for end in (".png", ".svg", ".pdf", "-data.csv")}
    assert set(os.listdir(out / "figures")) == names, f"all: {os.listdir(out / 'figures')}"
    theirs = (out / "figures" / "Theirs.png").stat()
    good(run("reproduce", experiment, "--out", out, "--only", "Mine"), "--only")
    assert (out / "figures" / "Theirs.png").exists() and (out / "figures" / "Theirs.png").stat().st_mtime_ns == theirs.st_mtime_ns, \
        "--only removes the figure of another plot"


# ------------------------------------------------------------------------------------- simulator

REPLAY = """\
title: Replayed
program: replay
options: {config: ./config.txt, cc: Hpcc}
grid: {}
metrics: {time: {of: fct, statistic: mean}}
plots: []
"""


def test_simulator(programs, folder):
    """The programs' own manifests: a table cut short is refused, and a flow list that a configuration names counts."""
    programs.run(LEAF_SPINE, "--leaves=1", "--spines=1", "--hostsPerLeaf=2", "--datacenters=1", "--duration=200us", "--load=0.5",
                 "--progress=none", "--queues=10us", f"--out={folder}/run")
    for name, script in (("flows.csv", "roce_results.py"), ("queues.csv", "plot_series.py")):
        good(run(script, folder / "run"), f"{script}, a whole result")
        file = folder / "run" / name
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(lines[:2]))
        refused(run(script, folder / "run"), f"{name}: {len(''.join(lines[:2]))} bytes and 1 rows, expected {len(''.join(lines))} and "
                f"{len(lines) - 1}")
        file.write_text("".join(lines))
    (folder / "lists").mkdir()
    (folder / "lists" / "topology.txt").write_text("4 1 3\n3\n" + "".join(f"{i} 3 10Gbps 1us 0\n" for i in range(3)))
    (folder / "lists" / "flow.txt").write_text("1\n0 1 3 100 100000 0\n")
    (folder / "config.txt").write_text("TOPOLOGY_FILE lists/topology.txt\nFLOW_FILE lists/flow.txt\n")
    (folder / "replay.yaml").write_text(REPLAY)
    times = []
    for flow, words in (("100000", "0 of them there"), ("100000", "1 of them there"), ("9000000", "lists/flow.txt, which it has read, has")):
        (folder / "lists" / "flow.txt").write_text(f"1\n0 1 3 100 {flow} 0\n")
        done = good(run("reproduce", folder / "replay.yaml", "--build", programs.build, "--out", folder / "out"), "replay")
        assert words in done.stderr, f"{flow} bytes: {done.stderr}"
        times.append(float(rows(folder / "out" / "metrics.csv")[0]["mean"]))
    assert times[0] == times[1] and times[2] > 50 * times[0], f"a flow list behind a configuration: {times} us"
