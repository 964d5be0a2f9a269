#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""scripts/reproduce, score, plot and regress as a user runs them.

    campaign.py BUILD_DIR

Most cases use a small program of their own, written here, whose flows have numbers that one can
work out by hand; the kill in the middle and regress use two-dc-leaf-spine.
"""

import contextlib
import csv
import hashlib
import importlib.machinery
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
HEADER = ("id,src,dst,class,tag,scope,bytes,start_ns,fct_ns,receiver_fct_ns,ideal_fct_ns,slowdown,"
          "packets,retransmitted,status")

# Slowdowns slow + seed + 0, 1, ... 9 of ten flows; the last does not finish with --hang; with
# --break the program fails. Flow i has (i + 1) * 1000 bytes; odd ones are between datacenters.
PROGRAM = '''#!/usr/bin/python3
import json, os, sys
options = {"slow": "0", "seed": "1", "hang": "false", "break": "false", "file": "", "sleep": "0"}
if "--help" in sys.argv:
    print("\\n".join(f"    --{o}:  text [x]" for o in [*options, "out"]))
    sys.exit(0)
options.update(a[2:].split("=", 1) for a in sys.argv[1:])
if "NS_GLOBAL_VALUE" in os.environ:
    sys.exit("the environment changes results")
if options["break"] == options["seed"]:
    print("error: broken on purpose", file=sys.stderr)
    sys.exit(2)
with open("flows.csv", "w") as f:
    print("%s", file=f)
    for i in range(10):
        s = float(options["slow"]) + int(options["seed"]) + i
        hang = options["hang"] == "true" and i == 9
        fct = "" if hang else f"{1000 * s:.3f}"
        print(f"{i},0,1,3,0,{'inter' if i %% 2 else 'intra'},{(i + 1) * 1000},{i * 100}.000,{fct},{fct},"
              f"1000.000,{'' if hang else s},1,0,{'unfinished' if hang else 'finished'}", file=f)
with open("queues.csv", "w") as f:
    print("time_ns,node,port,class,queue_bytes\\n100.000,7,0,3,50\\n300.000,7,0,3,0\\n"
          "400.000,8,0,3,9", file=f)
with open("summary.json", "w") as f:
    json.dump({"counters": {"pauses": 4 * int(options["seed"])}, "nodeNames": {"7": "leaf"},
               "flows": {"unfinished": int(options["hang"] == "true")},
               "versions": {"ns-3": "3.37"}, "configuration": {"slow": options["slow"]}}, f)
sys.exit(3 if options["hang"] == "true" else 0)
''' % HEADER

EXPERIMENT = """\
title: Numbers by hand
program: ./program.py
options: {hang: false}
grid:
  law:
    old: {slow: 10}
    new: {slow: 4}
seeds: 3
metrics:
  average: {of: slowdown, statistic: mean}
  inter: {of: slowdown, statistic: p99, scope: inter}
  small: {of: fct, statistic: max, size: <=2KB}
  pooled: {of: slowdown, statistic: p50, pool: true}
  pauses: {counter: pauses}
  per_pause: {expression: average / pauses}
  queue: {file: queues.csv, column: queue_bytes, statistic: mean, weight: time, where: {node: leaf}}
  fair: {file: queues.csv, column: queue_bytes, statistic: jain, group: node, after: 100ns}
  some: {of: size, statistic: sum, class: 3, tag: [0, 5], size: 2KB-4KB}
  count: {of: packets, statistic: count, scope: inter, tag: 0}
  late: {file: queues.csv, column: time_ns, statistic: max, before: 350ns, scale: 0.5}
  huge: {of: slowdown, statistic: mean, size: ">1MB"}
claims:
  - {id: band, value: "reduction(average(law=new), average(law=old))", kind: reduction, reported: 35}
  - {id: size, value: "reduction(average(law=new), average(law=old))", kind: reduction, reported: 60}
  - {id: sign, value: "reduction(average(law=new), average(law=old))", kind: reduction, reported: 90}
  - {id: fails, value: "reduction(average(law=new), average(law=old))", kind: reduction, reported: -5}
  - {id: value, value: average, at: {law: new}, reported: 9}
  - {id: twice, value: average, at: {law: new}, reported: 19}
  - {id: count, value: pauses, at: {law: new}, kind: count, reported: 30}
  - {id: ratio, value: "ratio(average(law=old), average(law=new))", kind: ratio, reported: 1.6}
  - {id: holds, holds: inter > average, each: law}
  - {id: not-all, holds: "average < 11", each: law}
  - {id: one-of-two, holds: "average < 11", each: law, at_least: 50%}
  - {id: variable, holds: "{m} > 3", each: {m: [average, inter]}, at: {law: old}}
  - {id: open, value: &open "reduction(pauses(law=new), average(law=old))", kind: reduction, reported: 50}
  - {id: open-sign, value: *open, kind: reduction, reported: 5}
  - {id: open-wrong, value: *open, kind: reduction, reported: -50}
  - {id: open-band, value: *open, kind: reduction, reported: 2, band: [-10, 60]}
  - {id: open-ratio, value: "ratio(pauses, average)", at: {law: new}, kind: ratio, reported: 0.8}
  - {id: open-sides, holds: 1.5 * pauses < average, at: {law: old}}
  - {id: sure-sides, holds: pauses < average, at: {law: old}}
  - {id: open-zero, holds: average - pauses > 0, at: {law: new}}
  - {id: open-one, holds: "1 >= ratio(pauses, average)", at: {law: new}}
  - {id: open-limit, holds: pauses < 10, at: {law: new}}
  - {id: open-case, holds: 1.5 * pauses < average, each: law, at_least: 1}
  - {id: sure-case, holds: pauses < average, each: law, at_least: 1}
  - {id: nothing, value: huge, at: {law: new}, reported: 1}
  - {id: omitted, value: average, at: {law: new}, reported: 1, rule: not scored (why not)}
  - {id: T-1, value: "reduction(average(law=new), average(law=old))"}
  - {id: open-failing, holds: 1.5 * pauses > average, at: {law: old}}
  - {id: sure-failing, holds: pauses > average, at: {law: old}}
  - {id: failing-limit, holds: pauses > 10, at: {law: new}}
targets: {file: targets.csv, where: {paper: some}}
"""
PLAIN = EXPERIMENT + "plots: []\n"  # without figures, which take most of the time

TARGETS = """\
id,paper,figure,scenario,algorithm,baseline,metric,kind,reported,band_low,band_high,rule,repro,note
T-1,some,Fig1,load 70,new,old,avg,reduction %,32.9,36.0,42.8,A in band; B sign & 0.5-1.5x; C sign,sim,
T-2,some,Fig2,load 70,new,old,avg,reduction %,32.9,23.0,42.8,A in band; B sign & 0.5-1.5x; C sign,sim,
T-3,other,Fig2,load 70,new,old,avg,reduction %,32.9,23.0,42.8,A in band,sim,
"""

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


def check(condition, what):
    """End with one line if something is wrong."""
    if not condition:
        raise SystemExit("FAILED " + what)


def command(name, *arguments):
    """A script of scripts/ with its arguments. The programs of these tests are no programs of the build."""
    allowed = ["--allow-program"] if name == "reproduce" else []
    return [str(SCRIPTS / name)] + [str(a) for a in arguments] + allowed


def run(name, *arguments, seconds=200, env=None, cwd=None):
    """@return a finished script of scripts/."""
    return subprocess.run(command(name, *arguments), capture_output=True,
                          text=True, timeout=seconds, check=False, cwd=cwd,
                          env={**os.environ, **(env or {})})


def run_here(name, *arguments):
    """The same in this process, which saves Python's start: for what ends before anything is run."""
    if str(SCRIPTS) not in sys.path:
        sys.path.insert(0, str(SCRIPTS))
    module = importlib.machinery.SourceFileLoader(name, str(SCRIPTS / name)).load_module()
    saved, sys.argv = sys.argv, command(name, *arguments)
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    try:
        with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
            module.rr.run_main(module.main)
    except SystemExit as end:
        status = end.code
    finally:
        sys.argv = saved
    for stream in streams:
        stream.seek(0)
    return subprocess.CompletedProcess([name, *arguments], status, *(stream.read() for stream in streams))


def good(done, what):
    """The same process if its status is 0."""
    check(done.returncode == 0, f"{what}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done


def rows(file):
    """A CSV file."""
    with open(file, newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def near(text, expected):
    """Equal to five digits; None is the empty field."""
    return text == "" if expected is None else \
        text != "" and abs(float(text) - expected) <= 2e-5 * max(1, abs(expected))


def inodes(folder):
    """Run folder -> inode and time of its flows: unchanged if it was not run again."""
    return {f.parent.name: (f.stat().st_ino, f.stat().st_mtime_ns)
            for f in sorted(folder.glob("runs/*/flows.csv")) if ".part-" not in f.parent.name}


def test_examples(build):
    """The experiments that are shipped are good ones; chapters.py runs that of the documentation."""
    for size in ("--quick", "--full"):
        for file in sorted((SCRIPTS / "experiments").glob("*/*.yaml")):
            good(run_here("reproduce", file.stem, size, "--dry-run", "--unchecked", "--build", build), file.name)


def write_program(folder, text=PROGRAM, experiment=EXPERIMENT):
    """The program by hand, with its experiment and targets."""
    program = folder / "program.py"
    program.write_text(text)
    program.chmod(0o755)
    (folder / "targets.csv").write_text(TARGETS)
    (folder / "hand.yaml").write_text(experiment)
    return folder / "hand.yaml"


def check_bad_input(folder, experiment, cases):
    """One line with the place, status 2."""
    for i, (old, new, line, words) in enumerate(cases):
        check(experiment.count(old) == 1, f"bad input {i}: '{old}' is not once in the experiment")
        file = folder / f"bad{i}.yaml"
        file.write_text(experiment.replace(old, new))
        done = run_here("reproduce", file, "--out", folder / "none", "--dry-run")
        where = f"{file}:{line}: " if line else "error: "
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and where in done.stderr
              and words in done.stderr and not done.stdout, f"{new}: {done}")


def test_bad_input(folder):
    """Nothing is run."""
    write_program(folder)
    check_bad_input(folder, EXPERIMENT, BAD)
    (folder / "less.yaml").write_text(EXPERIMENT + "exclude: [{law: old}]\n")
    less = good(run("reproduce", folder / "less.yaml", "--dry-run"), "exclude")
    check(re.findall(r"law-(\w+)-seed(\d)", less.stdout) == [("new", s) for s in "123"], f"{less}")
    check(not (folder / "none").exists(), "a results folder in spite of bad input")
    for arguments, words in ((("none-such",), "transports"), (("hand.yaml",), "no such"),
                             ((folder / "hand.yaml", "--quick"), "no section 'quick'"),
                             ((folder / "hand.yaml", "--time", "1:00"), "only with --slurm")):
        done = run_here("reproduce", *arguments)
        check(done.returncode == 2 and done.stderr.count("\n") == 1 and words in done.stderr,
              f"{arguments}: {done}")


def test_numbers(folder):
    """Metrics, intervals and grades are those worked out by hand."""
    experiment = write_program(folder)
    out = folder / "results"
    done = good(run("reproduce", experiment, "--out", out, env={"NS_GLOBAL_VALUE": "RngRun=9"}),
                "numbers")
    scores = {r["id"]: r for r in rows(out / "score.csv")}
    check(list(scores) == list(SCORES), f"claims: {list(scores)}")
    for name, (ours, low, high, grade) in SCORES.items():
        s = scores[name]
        check((s["ours"], s["grade"]) == (ours, grade) and near(s["ci_low"], low)
              and near(s["ci_high"], high), f"claim {name}: {s}")
        check(re.search(rf"^ *{grade} +{name} ", done.stdout, re.M), f"not printed: {name}")
    check("interval reaches A, B" in scores["T-1"]["note"], scores["T-1"]["note"])
    check("no value at" in scores["nothing"]["note"], scores["nothing"]["note"])
    check("sign not significant" in scores["open"]["note"]
          and "1 of the 1 that hold not significant" in scores["open-case"]["note"]
          and "1 of the 1 that fail not significant" in scores["open-failing"]["note"],
          f"{scores['open']} {scores['open-case']} {scores['open-failing']}")
    check("law=old" in scores["not-all"]["note"] and "16.5" in scores["not-all"]["note"],
          scores["not-all"]["note"])
    metrics = {(r["metric"], r["law"]): r for r in rows(out / "metrics.csv")}
    for key, (mean, low, high) in METRICS.items():
        m = metrics[key]
        check(near(m["mean"], mean) and (low is None or near(m["ci_low"], low)
                                         and near(m["ci_high"], high)), f"metric {key}: {m}")
    check(metrics["average", "old"]["flows"] == "30", "flows counted")
    check(len(rows(out / "metrics-by-seed.csv")) == 11 * 2 * 3, "metrics by seed")
    page = (out / "index.html").read_text()
    check(page.count("data:image/png;base64,") >= 3, "figures in the page")
    check(not re.search(r"(src|href)=\"(?!data:|#)|https?://|<script", page), "not self-contained")
    for words in ("Numbers by hand", "program.py", "T-2", "reduction(average(law=new)", "3.37"):
        check(words in page, f"not in the page: {words}")

    # Claims may change afterwards; the grid may not.
    before = inodes(out)
    experiment.write_text(EXPERIMENT.replace("reported: 35}", "reported: 90}"))
    published = folder / "published.csv"
    good(run("score", experiment, "--results", out, "--publish", published), "score")
    row = {r["id"]: r for r in rows(published)}["band"]
    check((row["grade"], row["size"], row["seeds"]) == ("C", "full", "1-3") and row["claim"]
          and row["commit"], f"published: {row}")
    check({r["id"]: r["grade"] for r in rows(out / "score.csv")}["band"] == "C", "new claim")
    below = run("score", experiment, "--results", out, "--fail-below", "B")
    check(below.returncode == 1, "--fail-below")
    (folder / "other.csv").write_text(TARGETS.replace("36.0,42.8", "50,60"))
    good(run("score", experiment, "--results", out, "--targets", folder / "other.csv"), "table")
    check({r["id"]: r["grade"] for r in rows(out / "score.csv")}["T-1"] == "B", "another table")
    good(run("plot", experiment, "--results", out), "plot")
    check(inodes(out) == before, "score or plot ran something")
    experiment.write_text(EXPERIMENT.replace("slow: 4", "slow: 5"))
    other = run("score", experiment, "--results", out)
    check(other.returncode == 2 and "scripts/reproduce" in other.stderr, f"changed grid: {other}")


def test_like(folder):
    """An experiment may be like another one, but for what it says itself."""
    experiment = write_program(folder)
    like = folder / "like.yaml"
    like.write_text("title: Another\nlike: hand.yaml\ngrid: {law: {old: {slow: 12}, new: {slow: 4}}}\n"
                    "quick: {seeds: 1}\nplots: []\n")
    out = folder / "like"
    good(run("reproduce", like, "--out", out), "like")
    metrics = {(r["metric"], r["law"]): r for r in rows(out / "metrics.csv")}
    check(near(metrics["average", "old"]["mean"], 18.5) and near(metrics["average", "new"]["mean"], 10.5),
          f"its own grid: {metrics['average', 'old']}")
    check([r["id"] for r in rows(out / "score.csv")] == list(SCORES), "the other file's claims")
    page = (out / "index.html").read_text()
    check("Another" in page and "# hand.yaml" in page, "both files in the page")
    check("image/png" not in page and "#figures" not in page and not list(out.glob("figures/*")), "figures in spite of plots: []")
    quick = good(run("reproduce", like, "--quick", "--dry-run"), "its own size")
    check(len(quick.stdout.split()) == 2, f"quick: {quick.stdout}")
    for name in ("none.yaml", "../hand.yaml", "hand"):
        like.write_text(f"title: Another\nlike: {name}\n")
        done = run("reproduce", like, "--dry-run")
        check(done.returncode == 2 and done.stderr.count("\n") == 1
              and f"{like}:2: like: '{name}', expected the name of a YAML file" in done.stderr,
              f"like {name}: {done}")
    experiment.write_text("title: x\nlike: hand.yaml\n")
    done = run("reproduce", experiment, "--dry-run")
    check(done.returncode == 2 and done.stderr.count("\n") == 1, f"like itself: {done}")


def test_identity(folder):
    """Other options, files or code give other runs; the others stay as they are."""
    experiment = write_program(folder)
    out = folder / "results"
    (folder / "input.txt").write_text("1")
    text = PLAIN.replace("hang: false", "hang: false, file: ./input.txt")
    experiment.write_text(text)

    def again(*more):
        good(run("reproduce", experiment, "--out", out, *more), "identity")
        check(all(r["state"] == "complete" for r in rows(out / "runs.csv")), "runs.csv")
        return inodes(out), {r["run"] for r in rows(out / "runs.csv")}

    first, used = again()
    check(len(first) == 6 and used == set(first), f"first: {first}")
    second, _ = again()
    check(second == first, "a second time runs something")
    experiment.write_text(text.replace("slow: 4", "slow: 5"))
    third, used = again()
    check(len(third) == 9 and all(third[k] == first[k] for k in first), "an option of one point")
    check(len(used) == 6 and len(used & set(first)) == 3, f"runs used: {used}")
    values = {(r["metric"], r["law"]): r["mean"] for r in rows(out / "metrics.csv")}
    check(near(values["average", "new"], 11.5), f"mixed: {values}")
    (folder / "input.txt").write_text("2")
    fourth, used = again()
    check(len(fourth) == 15 and not used & set(third), "the content of a file")
    program = folder / "program.py"
    program.write_text(PROGRAM + "# other code\n")
    fifth, used = again("--clean")
    check(len(fifth) == 6 and set(fifth) == used and not used & set(fourth), "other code, --clean")

    # A program that changes while the campaign runs: no result.
    plan = json.loads((out / "plan.json").read_text())
    key = plan["runs"][0]["key"]
    shutil.rmtree(out / "runs" / key)
    program.write_text(PROGRAM)
    done = subprocess.run(["/usr/bin/python3", "-m", "roce_campaign.run", str(out), key],
                          capture_output=True, text=True, check=False, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(SCRIPTS)})
    check(done.returncode == 2 and "program.py changed" in done.stderr
          and not (out / "runs" / key).exists(), f"changed code: {done}")
    # A result that says it is another's is not used.
    program.write_text(PROGRAM + "# other code\n")
    record = out / "runs" / plan["runs"][1]["key"] / "run.json"
    record.write_text(record.read_text().replace(plan["runs"][1]["hash"], "0" * 64))
    sixth, _ = again()
    check([k for k in fifth if sixth[k] != fifth[k]] == [r["key"] for r in plan["runs"][:2]],
          "removed and foreign results")


def test_failure(folder):
    """A run that fails: its words, the others done; then only it again. Unfinished flows."""
    experiment = write_program(folder)
    out = folder / "results"
    experiment.write_text(PLAIN.replace("    new: {slow: 4}", "    new: {slow: 4, break: 2}"))
    done = run("reproduce", experiment, "--out", out)
    check(done.returncode == 1 and "broken on purpose" in done.stderr
          and "1 of 6 runs are missing: law-new-seed2" in done.stderr, f"failure: {done}")
    check(len(inodes(out)) == 5, "the others")
    page = (out / "index.html").read_text()
    check("1 of 6 runs are missing" in page and "broken on purpose" in page, "a failed run costs the page of the others")
    early = run("score", experiment, "--results", out, "--publish", folder / "early.csv")
    check(early.returncode == 2 and "1 runs are missing" in early.stderr
          and not (folder / "early.csv").exists(), f"published too early: {early}")
    good(run("score", experiment, "--results", out), "score of what is there")
    scores = {r["id"]: r for r in rows(out / "score.csv")}
    check("2 of 3 seeds have all values" in scores["band"]["note"], f"note: {scores['band']}")

    experiment.write_text(PLAIN.replace("hang: false", "hang: true"))
    good(run("reproduce", experiment, "--out", out), "unfinished flows")
    metric = rows(out / "metrics.csv")[0]
    check((metric["flows"], metric["unfinished"]) == ("30", "3"), f"unfinished: {metric}")
    check("6 flows did not finish" in (out / "index.html").read_text(), "not in the page")
    notes = {r["id"]: r["note"] for r in rows(out / "score.csv")}
    check("6 unfinished flows not counted" in notes["band"], notes["band"])


KILL = """\
title: Killed half-way
program: {program}
options: {{wanDelay: 20us, load: 0.6, workload: websearch, duration: {duration}, queueInterval: 20us}}
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


def start(experiment, out):
    """scripts/reproduce in a process group of its own."""
    return subprocess.Popen([str(SCRIPTS / "reproduce"), str(experiment), "--allow-program", "--out", str(out),
                             "--jobs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            text=True, start_new_session=True)


def test_kill(folder, build):
    """kill -9 in the middle: the same command ends with the same bytes and repeats nothing."""
    experiment = folder / "kill.yaml"
    program = build / "bin" / "two-dc-leaf-spine"
    experiment.write_text(KILL.format(program=program, duration="4ms"))
    undisturbed, out = folder / "undisturbed", folder / "killed"
    good(run("reproduce", experiment, "--out", undisturbed), "undisturbed")
    page = (undisturbed / "index.html").read_text()
    check("No figure" not in page and page.count("data:image/png;base64,") == 6
          and len(list(undisturbed.glob("figures/*.png"))) == 6, "figures of every kind")

    process = start(experiment, out)
    try:
        end = time.monotonic() + 120
        while len(list(out.glob("runs/*/measures.json"))) < 2:
            check(process.poll() is None and time.monotonic() < end, "ended before it was killed")
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGSTOP)  # it has as much to do when the second one has been refused
        second = run("reproduce", experiment, "--out", out)
        check(second.returncode == 2 and "another scripts/reproduce" in second.stderr,
              f"two at a time: {second}")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    before = inodes(out)
    check(2 <= len(before) < 6, f"killed too late: {len(before)} runs")
    check(not (out / "score.csv").exists(), "a score of half a campaign")
    # What a kill may leave as well: a folder of a run that was going on.
    part = out / "runs" / (sorted(inodes(undisturbed))[-1] + ".part-host-1")
    part.mkdir(exist_ok=True)
    (part / "flows.csv").write_text(HEADER + "\n")
    done = good(run("reproduce", experiment, "--out", out), "after the kill")
    check(f"{len(before)} of them there already" in done.stderr, done.stderr)
    after = inodes(out)
    check(len(after) == 6 and all(after[k] == before[k] for k in before), "a finished run again")
    for name in ("metrics.csv", "metrics-by-seed.csv", "score.csv", "index.html"):
        check((out / name).read_bytes() == (undisturbed / name).read_bytes(), f"{name} differs")
    for key in after:
        check((out / "runs" / key / "flows.csv").read_bytes()
              == (undisturbed / "runs" / key / "flows.csv").read_bytes(), f"{key} differs")
    check(not list(out.glob("runs/*.part-*")), "remains of the killed run")

    # Another library: nothing of the old one is used.
    libraries = folder / "lib"
    libraries.mkdir()
    library = libraries / "libns3-roce.so"
    shutil.copy(build / "lib" / library.name, library)
    with open(library, "ab") as stream:
        stream.write(b"\0")
    dry = good(run("reproduce", experiment, "--out", out, "--dry-run",
                   env={"LD_LIBRARY_PATH": str(libraries)}), "another library")
    check(len(dry.stdout.split()) == 6 and "(there)" not in dry.stdout, f"mixed: {dry.stdout}")
    dry = good(run("reproduce", experiment, "--out", out, "--dry-run"), "the library again")
    check(dry.stdout.count("(there)") == 6, f"not found again: {dry.stdout}")
    return undisturbed


def test_interrupt(folder):
    """Ctrl-C: status 130, and the same command goes on."""
    experiment = write_program(folder, experiment=PLAIN)
    program = folder / "program.py"
    program.write_text(PROGRAM.replace('with open("queues', 'import time; time.sleep(1)\nwith open("queues'))
    out = folder / "results"
    process = start(experiment, out)
    end = time.monotonic() + 100
    while not list(out.glob("runs/*/measures.json")):
        check(process.poll() is None and time.monotonic() < end, "ended before the interrupt")
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    try:
        _, stderr = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise SystemExit("FAILED no end after an interrupt") from None
    check(process.returncode == 130 and "goes on from here" in stderr, f"interrupt: {stderr}")
    check(1 <= len(inodes(out)) < 6, "runs after an interrupt")
    good(run("reproduce", experiment, "--out", out), "after the interrupt")


def change_flows(file, change, where=lambda row: True):
    """Change rows of a flows.csv."""
    table = rows(file)
    for row in table:
        if where(row):
            change(row)
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, HEADER.split(","), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def seal(folder):
    """Make a run's manifest and run.json fit its files, as if another version had written them."""
    summary = json.loads((folder / "summary.json").read_text())
    for entry in summary.get("manifest", {}).get("outputs", []):
        data = (folder / entry["name"]).read_bytes()
        entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    (folder / "summary.json").write_text(json.dumps(summary))
    record = json.loads((folder / "run.json").read_text())
    for name, kept in record["outputs"].items():
        data = (folder / name).read_bytes()
        kept[:] = [len(data), hashlib.sha256(data).hexdigest()]
    (folder / "run.json").write_text(json.dumps(record))


def slower(row):
    """An FCT 3 % longer."""
    row["fct_ns"] = f"{1.03 * float(row['fct_ns']):.3f}"
    row["slowdown"] = f"{1.03 * float(row['slowdown']):.6f}"


def test_regress(folder, campaign):
    """3 % more is found and named; the same is the same; bounds count."""
    same = good(run("regress", campaign, campaign), "regress, the same")
    check(" 0 changed" in same.stdout and same.stdout.rstrip().endswith("passed"), same.stdout)

    def changed(name, edit):
        copy = folder / name
        shutil.copytree(campaign, copy)
        chosen = sorted((copy / "runs").glob("*-seed2-*"))[0]
        edit(chosen)
        seal(chosen)
        return copy

    def fails(copy, *words, more=()):
        done = run("regress", campaign, copy, *more)
        check(done.returncode == 1 and all(w in done.stdout for w in words), f"{copy.name}: {done}")

    whole = changed("whole", lambda r: change_flows(r / "flows.csv", slower))
    fails(whole, "cc-Dcqcn-seed2", "all.fct.mean", "+3.000%", "BEYOND", "FAILED", more=("--show", "999"))
    good(run("regress", campaign, whole, "--bound", "3.1%"), "a bound above the change")
    fails(whole, "all.fct.p99", more=("--bound", "3.1%", "--bound", "all.fct.p99=2%"))
    good(run("regress", campaign, whole, "--over-seeds", "--bound", "2.9%"), "over the seeds")
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
    both = run("regress", campaign / "runs", alone / "runs")
    check(both.returncode == 1 and "only in" in both.stdout, f"a run is missing: {both}")
    for arguments in ((campaign, folder / "none"), (campaign, campaign, "--bound", "much")):
        check(run("regress", *arguments).returncode == 2, f"{arguments[1:]}")


def main():
    """All tests."""
    build = Path(sys.argv[1]).resolve()
    chosen = sys.argv[2:]
    with tempfile.TemporaryDirectory(prefix="roce-campaign-") as name:
        root = Path(name)
        for test in (test_bad_input, test_numbers, test_like, test_identity, test_failure, test_interrupt):
            if not chosen or test.__name__ in chosen:
                folder = root / test.__name__
                folder.mkdir()
                test(folder)
                print(f"{test.__name__}: as expected", flush=True)
        if not chosen or "test_examples" in chosen:
            test_examples(build)
            print("test_examples: as expected", flush=True)
        if not chosen or "test_kill" in chosen:
            campaign = test_kill(root, build)
            print("test_kill: as expected", flush=True)
            test_regress(root, campaign)
            print("test_regress: as expected")


if __name__ == "__main__":
    main()
