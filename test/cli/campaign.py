# SPDX-License-Identifier: GPL-2.0-only
"""scripts/reproduce, score, plot and regress as a user runs them.

Most cases use a small program of their own (support/campaigns.py), whose flows have numbers that one can
work out by hand; the kill in the middle and regress use two-dc-leaf-spine.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from support import SCRIPTS, rows
from support.campaigns import (EXPERIMENT, HEADER, PLAIN, PROGRAM, TARGETS, change_flows, good, inodes, near, run, run_here, seal, slower,
                               start, write_program, check_bad_input)

# By hand. Mean over flows: slow + seed + 4.5; over seeds 1 to 3: slow + 6.5, standard deviation 1,
# half interval t(2)/sqrt(3) = 4.302653 / 1.732051 = 2.484138. The reduction of the seeds' means is
# 100*(16.5-10.5)/16.5 = 36.36; without seed i 36.36 becomes 600/17, 600/16.5, 600/16: pseudo-values
# 3*e - 2*that = 38.5027, 36.3636, 34.0909; standard error 1.273767, interval 36.3636 -+ 5.48058.
# The ratio likewise: 17/11, 16.5/10.5, 16/10 give 1.62338, 1.57143, 1.51429, error 0.0315037.
#
# An open sign: 100*(16.5-8)/16.5 = 51.52, without seed i 100*7/17, 100*8.5/16.5, 100*10/16: error
# 12.3130, interval -+ 52.97869. Of sides: 1.5*pauses - average is -9.5, -4.5 and 0.5, error 5/sqrt(3);
# pauses - average is -11.5, -8.5 and -5.5 (old) or -5.5, -2.5 and 0.5 (new), error sqrt(3).
SCORES = {
    "band": ("36.3636", 30.8830, 41.8442, "A"),
    "size": ("36.3636", 30.8830, 41.8442, "B"),
    "sign": ("36.3636", 30.8830, 41.8442, "C"),
    "fails": ("36.3636", 30.8830, 41.8442, "F"),
    "value": ("10.5", 10.5 - 2.484138, 10.5 + 2.484138, "A"),
    "twice": ("10.5", 10.5 - 2.484138, 10.5 + 2.484138, "B"),
    "count": ("8", 8 - 4 * 2.484138, 8 + 4 * 2.484138, "C"),
    "ratio": ("1.57143", 1.435879, 1.706978, "A"),
    "holds": ("2/2", None, None, "A"),
    "not-all": ("1/2", None, None, "F"),
    "one-of-two": ("1/2", None, None, "A"),
    "variable": ("2/2", None, None, "A"),
    "open": ("51.5152", -1.463538, 104.493841, "U"),
    "open-sign": ("51.5152", -1.463538, 104.493841, "U"),
    "open-wrong": ("51.5152", -1.463538, 104.493841, "U"),
    "open-band": ("51.5152", -1.463538, 104.493841, "U"),
    "open-ratio": ("0.761905", -0.006210, 1.530019, "U"),
    "open-sides": ("1/1", -4.5 - 12.420688, -4.5 + 12.420688, "U"),
    "sure-sides": ("1/1", -8.5 - 7.452413, -8.5 + 7.452413, "A"),
    "open-zero": ("1/1", 2.5 - 7.452413, 2.5 + 7.452413, "U"),
    "open-one": ("1/1", -0.530019, 1.006210, "U"),
    "open-limit": ("1/1", -2 - 4 * 2.484138, -2 + 4 * 2.484138, "A"),
    "open-case": ("1/2", None, None, "U"),
    "sure-case": ("2/2", None, None, "A"),
    "nothing": ("", None, None, "N"),
    "omitted": ("", None, None, "X"),
    "T-1": ("36.3636", 30.8830, 41.8442, "A"),
    "open-failing": ("0/1", -4.5 - 12.420688, -4.5 + 12.420688, "U"),
    "sure-failing": ("0/1", -8.5 - 7.452413, -8.5 + 7.452413, "F"),
    "failing-limit": ("0/1", -2 - 4 * 2.484138, -2 + 4 * 2.484138, "F"),
    "T-2": ("", None, None, "N"),
}

# metric, law -> mean and interval. Pooled: the 15th of 30 slowdowns; without a seed the 10th of 20.
METRICS = {
    ("average", "old"): (16.5, 16.5 - 2.484138, 16.5 + 2.484138),
    ("inter", "new"): (15.0, 15 - 2.484138, 15 + 2.484138),
    ("small", "old"): (13.0, 13 - 2.484138, 13 + 2.484138),
    ("pauses", "new"): (8.0, 8 - 4 * 2.484138, 8 + 4 * 2.484138),
    # 50 bytes from 100 to 300 ns, of 400.
    ("queue", "new"): (25.0, 25.0, 25.0),
    ("per_pause", "new"): ((9.5 / 4 + 10.5 / 8 + 11.5 / 12) / 3, None, None),
    # Nodes 7 and 8 have means 25 and 9: 34 * 34 / (2 * (625 + 81)).
    ("fair", "old"): (0.8186969, 0.8186969, 0.8186969),
    ("some", "new"): (7000.0, 7000.0, 7000.0),
    ("count", "new"): (5.0, 5.0, 5.0),
    ("late", "new"): (150.0, 150.0, 150.0),
    ("pooled", "new"): (10.0, None, None),
}

BAD = [  # what is replaced in EXPERIMENT, by what, line, words
    ("title: Numbers by hand", "titel: x", 1, "unknown key 'titel'"),
    ("program: ./program.py", "program: none-such", 2, "not there"),
    ("program: ./program.py", "program: /bin/true", 2, "--out"),
    ("options: {hang: false}", "options: {hung: false}", 3, "no option --hung"),
    ("options: {hang: false}", "options: {seed: 4}", 3, "set by the workflow"),
    ("options: {hang: false}", "options: {hang: [1]}", 3, "single value"),
    ("options: {hang: false}", "options: {file: ./missing.txt}", 3, "does not exist"),
    ("options: {hang: false}", "options: {hang: false", 4, ""),
    ("    new: {slow: 4}", "    old: {slow: 4}", 7, "twice"),
    ("seeds: 3", "seeds: 0", 8, "seeds '0'"),
    ("seeds: 3", "seeds: [1, 1]", 8, "twice"),
    ("seeds: 3", "seeds: many", 8, "expected a count"),
    ("statistic: mean}\n  inter", "statistic: mode}\n  inter", 10, "statistic 'mode'"),
    ("of: slowdown, statistic: p99", "of: speed, statistic: p99", 11, "expected one of slowdown"),
    ("statistic: p99", "statistic: p0", 11, "statistic 'p0'"),
    ("size: <=2KB", "size: small", 12, "size"),
    ("average / pauses", "averages / pauses", 15, "unknown metric or function 'averages'"),
    ("average / pauses", "average.real", 15, "not part of the language"),
    ("average / pauses", "__import__('os')", 15, "unknown metric or function"),
    ("average(law=new), average(law=old))\", kind: reduction, reported: 35",
     "average(law=young), average(law=old))\", kind: reduction, reported: 35", 23, "no 'young'"),
    ("value: average, at: {law: new}, reported: 9", "value: average, reported: 9", 27,
     "at which law"),
    ("kind: count, reported: 30", "kind: count, reported: many", 29, "expected a number"),
    ("rule: not scored (why not)", "rule: excellent", 48, "rule 'excellent' is unknown"),
    ("at_least: 50%", "at_least: 3", 33, "at_least"),
    ("file: targets.csv", "file: none.csv", 53, "none.csv"),
    ("id: size", "id: band", 24, "twice"),
]


def test_examples(build):
    """The experiments that are shipped are good ones; chapters.py runs that of the documentation."""
    for size in ("--quick", "--full"):
        for file in sorted((SCRIPTS / "experiments").glob("*/*.yaml")):
            good(run_here("reproduce", file.stem, size, "--dry-run", "--unchecked", "--build", build), file.name)


def test_bad_input(folder):
    """Nothing is run."""
    write_program(folder)
    check_bad_input(folder, EXPERIMENT, BAD)
    (folder / "less.yaml").write_text(EXPERIMENT + "exclude: [{law: old}]\n")
    less = good(run("reproduce", folder / "less.yaml", "--dry-run"), "exclude")
    assert re.findall(r"law-(\w+)-seed(\d)", less.stdout) == [("new", s) for s in "123"], f"{less}"
    assert not (folder / "none").exists(), "a results folder in spite of bad input"
    for arguments, words in ((("none-such",), "transports"), (("hand.yaml",), "no such"),
                             ((folder / "hand.yaml", "--quick"), "no section 'quick'"),
                             ((folder / "hand.yaml", "--time", "1:00"), "only with --slurm")):
        done = run_here("reproduce", *arguments)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and words in done.stderr, f"{arguments}: {done}"


def test_numbers(folder):
    """Metrics, intervals and grades are those worked out by hand."""
    experiment = write_program(folder)
    out = folder / "results"
    done = good(run("reproduce", experiment, "--out", out, env={"NS_GLOBAL_VALUE": "RngRun=9"}),
                "numbers")
    scores = {r["id"]: r for r in rows(out / "score.csv")}
    assert list(scores) == list(SCORES), f"claims: {list(scores)}"
    for name, (ours, low, high, grade) in SCORES.items():
        s = scores[name]
        assert (s["ours"], s["grade"]) == (ours, grade) and near(s["ci_low"], low) and near(s["ci_high"], high), f"claim {name}: {s}"
        assert re.search(rf"^ *{grade} +{name} ", done.stdout, re.M), f"not printed: {name}"
    assert "interval reaches A, B" in scores["T-1"]["note"], scores["T-1"]["note"]
    assert "no value at" in scores["nothing"]["note"], scores["nothing"]["note"]
    assert ("sign not significant" in scores["open"]["note"]
          and "1 of the 1 that hold not significant" in scores["open-case"]["note"]
          and "1 of the 1 that fail not significant" in scores["open-failing"]["note"]), \
        f"{scores['open']} {scores['open-case']} {scores['open-failing']}"
    assert "law=old" in scores["not-all"]["note"] and "16.5" in scores["not-all"]["note"], scores["not-all"]["note"]
    metrics = {(r["metric"], r["law"]): r for r in rows(out / "metrics.csv")}
    for key, (mean, low, high) in METRICS.items():
        m = metrics[key]
        assert near(m["mean"], mean) and (low is None or near(m["ci_low"], low) and near(m["ci_high"], high)), f"metric {key}: {m}"
    assert metrics["average", "old"]["flows"] == "30", "flows counted"
    assert len(rows(out / "metrics-by-seed.csv")) == 11 * 2 * 3, "metrics by seed"
    page = (out / "index.html").read_text()
    assert page.count("data:image/png;base64,") >= 3, "figures in the page"
    assert not re.search(r"(src|href)=\"(?!data:|#)|https?://|<script ", page), "not self-contained"
    for words in ("Numbers by hand", "program.py", "T-2", "reduction(average(law=new)", "3.37"):
        assert words in page, f"not in the page: {words}"

    # Claims may change afterwards; the grid may not.
    before = inodes(out)
    experiment.write_text(EXPERIMENT.replace("reported: 35}", "reported: 90}"))
    published = folder / "published.csv"
    good(run("score", experiment, "--results", out, "--publish", published), "score")
    row = {r["id"]: r for r in rows(published)}["band"]
    assert (row["grade"], row["size"], row["seeds"]) == ("C", "full", "1-3") and row["claim"] and row["commit"], f"published: {row}"
    assert {r["id"]: r["grade"] for r in rows(out / "score.csv")}["band"] == "C", "new claim"
    below = run("score", experiment, "--results", out, "--fail-below", "B")
    assert below.returncode == 1, "--fail-below"
    (folder / "other.csv").write_text(TARGETS.replace("36.0,42.8", "50,60"))
    good(run("score", experiment, "--results", out, "--targets", folder / "other.csv"), "table")
    assert {r["id"]: r["grade"] for r in rows(out / "score.csv")}["T-1"] == "B", "another table"
    good(run("plot", experiment, "--results", out), "plot")
    assert inodes(out) == before, "score or plot ran something"
    experiment.write_text(EXPERIMENT.replace("slow: 4", "slow: 5"))
    other = run("score", experiment, "--results", out)
    assert other.returncode == 2 and "scripts/reproduce" in other.stderr, f"changed grid: {other}"


def test_like(folder):
    """An experiment may be like another one, but for what it says itself."""
    experiment = write_program(folder)
    like = folder / "like.yaml"
    like.write_text("title: Another\nlike: hand.yaml\ngrid: {law: {old: {slow: 12}, new: {slow: 4}}}\n"
                    "quick: {seeds: 1}\nplots: []\n")
    out = folder / "like"
    good(run("reproduce", like, "--out", out), "like")
    metrics = {(r["metric"], r["law"]): r for r in rows(out / "metrics.csv")}
    assert near(metrics["average", "old"]["mean"], 18.5) and near(metrics["average", "new"]["mean"], 10.5), \
        f"its own grid: {metrics['average', 'old']}"
    assert [r["id"] for r in rows(out / "score.csv")] == list(SCORES), "the other file's claims"
    page = (out / "index.html").read_text()
    assert "Another" in page and "# hand.yaml" in page, "both files in the page"
    assert "image/png" not in page and "#figures" not in page and not list(out.glob("figures/*")), "figures in spite of plots: []"
    quick = good(run("reproduce", like, "--quick", "--dry-run"), "its own size")
    assert len(quick.stdout.split()) == 2, f"quick: {quick.stdout}"
    for name in ("none.yaml", "../hand.yaml", "hand"):
        like.write_text(f"title: Another\nlike: {name}\n")
        done = run("reproduce", like, "--dry-run")
        assert (done.returncode == 2 and done.stderr.count("\n") == 1
              and f"{like}:2: like: '{name}', expected the name of a YAML file" in done.stderr), f"like {name}: {done}"
    experiment.write_text("title: x\nlike: hand.yaml\n")
    done = run("reproduce", experiment, "--dry-run")
    assert done.returncode == 2 and done.stderr.count("\n") == 1, f"like itself: {done}"


def test_identity(folder):
    """Other options, files or code give other runs; the others stay as they are."""
    experiment = write_program(folder)
    out = folder / "results"
    (folder / "input.txt").write_text("1")
    text = PLAIN.replace("hang: false", "hang: false, file: ./input.txt")
    experiment.write_text(text)

    def again(*more):
        good(run("reproduce", experiment, "--out", out, *more), "identity")
        assert all(r["state"] == "complete" for r in rows(out / "runs.csv")), "runs.csv"
        return inodes(out), {r["run"] for r in rows(out / "runs.csv")}

    first, used = again()
    assert len(first) == 6 and used == set(first), f"first: {first}"
    second, _ = again()
    assert second == first, "a second time runs something"
    experiment.write_text(text.replace("slow: 4", "slow: 5"))
    third, used = again()
    assert len(third) == 9 and all(third[k] == first[k] for k in first), "an option of one point"
    assert len(used) == 6 and len(used & set(first)) == 3, f"runs used: {used}"
    values = {(r["metric"], r["law"]): r["mean"] for r in rows(out / "metrics.csv")}
    assert near(values["average", "new"], 11.5), f"mixed: {values}"
    (folder / "input.txt").write_text("2")
    fourth, used = again()
    assert len(fourth) == 15 and not used & set(third), "the content of a file"
    program = folder / "program.py"
    program.write_text(PROGRAM + "# other code\n")
    fifth, used = again("--clean")
    assert len(fifth) == 6 and set(fifth) == used and not used & set(fourth), "other code, --clean"

    # A program that changes while the campaign runs: no result.
    plan = json.loads((out / "plan.json").read_text())
    key = plan["runs"][0]["key"]
    shutil.rmtree(out / "runs" / key)
    program.write_text(PROGRAM)
    done = subprocess.run(["/usr/bin/python3", "-m", "roce_campaign.run", str(out), key],
                          capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(SCRIPTS)})
    assert done.returncode == 2 and "program.py changed" in done.stderr and not (out / "runs" / key).exists(), f"changed code: {done}"
    # A result that says it is another's is not used.
    program.write_text(PROGRAM + "# other code\n")
    record = out / "runs" / plan["runs"][1]["key"] / "run.json"
    record.write_text(record.read_text().replace(plan["runs"][1]["hash"], "0" * 64))
    sixth, _ = again()
    assert [k for k in fifth if sixth[k] != fifth[k]] == [r["key"] for r in plan["runs"][:2]], "removed and foreign results"


def test_failure(folder):
    """A run that fails: its words, the others done; then only it again. Unfinished flows."""
    experiment = write_program(folder)
    out = folder / "results"
    experiment.write_text(PLAIN.replace("    new: {slow: 4}", "    new: {slow: 4, break: 2}"))
    done = run("reproduce", experiment, "--out", out)
    assert done.returncode == 1 and "broken on purpose" in done.stderr and "1 of 6 runs are missing: law-new-seed2" in done.stderr, \
        f"failure: {done}"
    assert len(inodes(out)) == 5, "the others"
    page = (out / "index.html").read_text()
    assert "1 of 6 runs are missing" in page and "broken on purpose" in page, "a failed run costs the page of the others"
    early = run("score", experiment, "--results", out, "--publish", folder / "early.csv")
    assert early.returncode == 2 and "1 runs are missing" in early.stderr and not (folder / "early.csv").exists(), \
        f"published too early: {early}"
    good(run("score", experiment, "--results", out), "score of what is there")
    scores = {r["id"]: r for r in rows(out / "score.csv")}
    assert "2 of 3 seeds have all values" in scores["band"]["note"], f"note: {scores['band']}"

    experiment.write_text(PLAIN.replace("hang: false", "hang: true"))
    good(run("reproduce", experiment, "--out", out), "unfinished flows")
    metric = rows(out / "metrics.csv")[0]
    assert (metric["flows"], metric["unfinished"]) == ("30", "3"), f"unfinished: {metric}"
    assert "6 flows did not finish" in (out / "index.html").read_text(), "not in the page"
    notes = {r["id"]: r["note"] for r in rows(out / "score.csv")}
    assert "6 unfinished flows not counted" in notes["band"], notes["band"]


KILL = """\
title: Killed half-way
program: {program}
options: {{wanDelay: 20us, load: 0.6, workload: websearch, duration: {duration}, queues: 20us}}
grid: {{cc: [Dcqcn, Hpcc]}}
seeds: 3
metrics:
  all_mean: {{of: slowdown, statistic: mean}}
  p99: {{of: fct, statistic: p99, scope: inter}}
plots:
  - {{kind: lines, metric: [all_mean, p99], x: cc, log: true}}
  - {{kind: bars, metric: all_mean, x: cc, title: Bars}}
  - {{kind: slowdown-by-size, each: cc}}
  - {{kind: fct-cdf, series: cc}}
  - {{kind: queues, where: {{cc: Hpcc}}, top: 2}}
claims:
  - {{id: lower, value: "reduction(all_mean(cc=Hpcc), all_mean(cc=Dcqcn))", reported: 10, kind: reduction}}
"""


@pytest.fixture(scope="module")
def undisturbed(build, shared_folder):
    """A campaign with figures of every kind."""
    experiment = shared_folder / "kill.yaml"
    program = build / "bin" / "two-dc-leaf-spine"
    experiment.write_text(KILL.format(program=program, duration="4ms"))
    undisturbed = shared_folder / "undisturbed"
    good(run("reproduce", experiment, "--out", undisturbed), "undisturbed")
    page = (undisturbed / "index.html").read_text()
    assert "No figure" not in page and page.count("data:image/png;base64,") == 6 and len(list(undisturbed.glob("figures/*.png"))) == 6, \
        "figures of every kind"
    return undisturbed


def test_kill(build, folder, undisturbed):
    """kill -9 in the middle: the same command ends with the same bytes and repeats nothing."""
    experiment, out = undisturbed.parent / "kill.yaml", folder / "killed"
    process = start(experiment, out)
    try:
        end = time.monotonic() + 120
        while len(list(out.glob("runs/*/measures.json"))) < 2:
            assert process.poll() is None and time.monotonic() < end, "ended before it was killed"
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGSTOP)  # it has as much to do when the second one has been refused
        second = run("reproduce", experiment, "--out", out)
        assert second.returncode == 2 and "another scripts/reproduce" in second.stderr, f"two at a time: {second}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    before = inodes(out)
    assert 2 <= len(before) < 6, f"killed too late: {len(before)} runs"
    assert not (out / "score.csv").exists(), "a score of half a campaign"
    # What a kill may leave as well: a folder of a run that was going on.
    part = out / "runs" / (sorted(inodes(undisturbed))[-1] + ".part-host-1")
    part.mkdir(exist_ok=True)
    (part / "flows.csv").write_text(HEADER + "\n")
    done = good(run("reproduce", experiment, "--out", out), "after the kill")
    assert f"{len(before)} of them there already" in done.stderr, done.stderr
    after = inodes(out)
    assert len(after) == 6 and all(after[k] == before[k] for k in before), "a finished run again"
    for name in ("metrics.csv", "metrics-by-seed.csv", "score.csv", "index.html"):
        assert (out / name).read_bytes() == (undisturbed / name).read_bytes(), f"{name} differs"
    for key in after:
        assert (out / "runs" / key / "flows.csv").read_bytes() == (undisturbed / "runs" / key / "flows.csv").read_bytes(), f"{key} differs"
    assert not list(out.glob("runs/*.part-*")), "remains of the killed run"

    # Another library: nothing of the old one is used.
    libraries = folder / "lib"
    libraries.mkdir()
    library = libraries / "libns3-roce.so"
    shutil.copy(build / "lib" / library.name, library)
    with open(library, "ab") as stream:
        stream.write(b"\0")
    dry = good(run("reproduce", experiment, "--out", out, "--dry-run",
                   env={"LD_LIBRARY_PATH": str(libraries)}), "another library")
    assert len(dry.stdout.split()) == 6 and "(there)" not in dry.stdout, f"mixed: {dry.stdout}"
    dry = good(run("reproduce", experiment, "--out", out, "--dry-run"), "the library again")
    assert dry.stdout.count("(there)") == 6, f"not found again: {dry.stdout}"


def test_interrupt(folder):
    """Ctrl-C: status 130, and the same command goes on."""
    experiment = write_program(folder, experiment=PLAIN)
    program = folder / "program.py"
    program.write_text(PROGRAM.replace('with open("queues', 'import time; time.sleep(1)\nwith open("queues'))
    out = folder / "results"
    process = start(experiment, out)
    end = time.monotonic() + 100
    while not list(out.glob("runs/*/measures.json")):
        assert process.poll() is None and time.monotonic() < end, "ended before the interrupt"
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    try:
        _, stderr = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        pytest.fail("no end after an interrupt")
    assert process.returncode == 130 and "goes on from here" in stderr, f"interrupt: {stderr}"
    assert 1 <= len(inodes(out)) < 6, "runs after an interrupt"
    good(run("reproduce", experiment, "--out", out), "after the interrupt")


def test_regress(folder, undisturbed):
    """3 % more is found and named; the same is the same; bounds count."""
    same = good(run("regress", undisturbed, undisturbed), "regress, the same")
    assert " 0 changed" in same.stdout and same.stdout.rstrip().endswith("passed"), same.stdout

    def changed(name, edit):
        copy = folder / name
        shutil.copytree(undisturbed, copy)
        chosen = sorted((copy / "runs").glob("*-seed2-*"))[0]
        edit(chosen)
        seal(chosen)
        return copy

    def fails(copy, *words, more=()):
        done = run("regress", undisturbed, copy, *more)
        assert done.returncode == 1 and all(w in done.stdout for w in words), f"{copy.name}: {done}"

    whole = changed("whole", lambda r: change_flows(r / "flows.csv", slower))
    fails(whole, "cc-Dcqcn-seed2", "all.fct.mean", "+3.000%", "BEYOND", "FAILED", more=("--show", "999"))
    good(run("regress", undisturbed, whole, "--bound", "3.1%"), "a bound above the change")
    fails(whole, "all.fct.p99", more=("--bound", "3.1%", "--bound", "all.fct.p99=2%"))
    good(run("regress", undisturbed, whole, "--over-seeds", "--bound", "2.9%"), "over the seeds")
    one = changed("one-class", lambda r: change_flows(
        r / "flows.csv", slower, lambda row: row["scope"] == "inter" and int(row["bytes"]) <= 10_000))
    fails(one, "inter.<=10KB.fct.mean", "+3.000%")

    def edit_summary(run_folder):
        summary = json.loads((run_folder / "summary.json").read_text())
        summary["statistics"]["intra"]["fctNs"]["p99"] *= 0.97
        (run_folder / "summary.json").write_text(json.dumps(summary))
    fails(changed("summary", edit_summary), "summary.intra.fct.p99", "-3.000%")

    def unfinished(row):
        row.update(fct_ns="", receiver_fct_ns="", slowdown="", status="unfinished")
    stuck = changed("stuck", lambda r: change_flows(r / "flows.csv", unfinished,
                                                    lambda row: row["id"] == "0"))
    fails(stuck, "all.unfinished", more=("--bound", "1000%", "--show", "999"))
    alone = changed("alone", lambda r: None)
    single = sorted((alone / "runs").glob("*-seed2-*"))[0]
    good(run("regress", single, single), "single runs")
    (alone / "plan.json").unlink()
    shutil.rmtree(single)
    both = run("regress", undisturbed / "runs", alone / "runs")
    assert both.returncode == 1 and "only in" in both.stdout, f"a run is missing: {both}"
    for arguments in ((undisturbed, folder / "none"), (undisturbed, undisturbed, "--bound", "much")):
        assert run("regress", *arguments).returncode == 2, f"{arguments[1:]}"
