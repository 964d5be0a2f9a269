# SPDX-License-Identifier: GPL-2.0-only
"""Campaigns of a small program whose flows have numbers that one can work out by hand."""

import contextlib
import csv
import hashlib
import importlib.machinery
import io
import json
import os
import subprocess
import sys
import types

from . import SCRIPTS, rows

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
    module = types.ModuleType(name)
    importlib.machinery.SourceFileLoader(name, str(SCRIPTS / name)).exec_module(module)
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
    assert done.returncode == 0, f"{what}: status {done.returncode}: {done.stdout}{done.stderr}"
    return done


def near(text, expected):
    """Equal to five digits; None is the empty field."""
    return text == "" if expected is None else \
        text != "" and abs(float(text) - expected) <= 2e-5 * max(1, abs(expected))


def inodes(folder):
    """Run folder -> inode and time of its flows: unchanged if it was not run again."""
    return {f.parent.name: (f.stat().st_ino, f.stat().st_mtime_ns)
            for f in sorted(folder.glob("runs/*/flows.csv")) if ".part-" not in f.parent.name}


def write_program(folder, text=PROGRAM, experiment=EXPERIMENT):
    """The program by hand, with its experiment and targets."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "program.py"
    program.write_text(text)
    program.chmod(0o755)
    (folder / "targets.csv").write_text(TARGETS)
    (folder / "hand.yaml").write_text(experiment)
    return folder / "hand.yaml"


def check_bad_input(folder, experiment, cases):
    """One line with the place, status 2."""
    for i, (old, new, line, words) in enumerate(cases):
        assert experiment.count(old) == 1, f"bad input {i}: '{old}' is not once in the experiment"
        file = folder / f"bad{i}.yaml"
        file.write_text(experiment.replace(old, new))
        done = run_here("reproduce", file, "--out", folder / "none", "--dry-run")
        where = f"{file}:{line}: " if line else "error: "
        assert (done.returncode == 2 and done.stderr.count("\n") == 1 and where in done.stderr
              and words in done.stderr and not done.stdout), f"{new}: {done}"


def start(experiment, out):
    """scripts/reproduce in a process group of its own."""
    return subprocess.Popen([str(SCRIPTS / "reproduce"), str(experiment), "--allow-program", "--out", str(out),
                             "--jobs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            text=True, start_new_session=True)


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
