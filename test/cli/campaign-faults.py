# SPDX-License-Identifier: GPL-2.0-only
"""What scripts/ do under faults: foreign files in a results folder, odd experiment files and options.

The program is a small script written here; nothing is simulated.
"""

import os
import re
import shutil
import signal
import subprocess
import time

from support import SCRIPTS
from support.campaigns import HEADER, good, run, run_here

PROGRAM = '''#!/usr/bin/python3
import json, sys, time
if "--help" in sys.argv:
    print("    --load:  x [1]\\n    --mode:  x [1]\\n    --file:  x [1]\\n    --sleep:  x [0]\\n"
          "    --seed:  x [1]\\n    --out:  x [1]")
    sys.exit(0)
options = dict(a[2:].split("=", 1) for a in sys.argv[1:])
time.sleep(float(options.get("sleep", 0)))
with open("flows.csv", "w") as f:
    print("%s", file=f)
    for i in range(4):
        s = 1 + i + int(options["seed"])
        print(f"{i},0,1,3,0,intra,1000,{i * 100}.000,{1000 * s}.000,,1000.000,{s},1,0,finished", file=f)
with open("summary.json", "w") as f:
    json.dump({"counters": {"pauses": 4}, "flows": {"unfinished": 0}, "versions": {}, "x": 1e300,
               "configuration": {}}, f)
''' % HEADER

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
PLAIN = re.sub(r"plots:\n.*\n", "plots: []\n", EXPERIMENT)  # without figures, which take most of the time


def refused(done, words, what):
    """One line with these words, and status 2."""
    assert (done.returncode == 2 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
          and words in done.stderr and not done.stdout), f"{what}: {done}"


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
    for name in ("index.html", "metrics.csv", "plan.json", "runs/mine/data.csv",
                 "figures/mine.png", "logs/campaign.log", ".lock"):
        out = folder / ("out-" + name.replace("/", "-"))
        (out / name).parent.mkdir(parents=True)
        (out / name).write_text("mine")
        before = contents(out)
        refused(run("reproduce", experiment, "--out", out, "--clean"), name.split("/")[0], name)
        assert contents(out) == before, f"{name}: touched"
    beside = folder / "beside"
    (beside / "notes").mkdir(parents=True)
    (beside / "notes" / "a.txt").write_text("mine")
    good(run("reproduce", experiment, "--out", beside), "a folder with other files")
    assert (beside / "notes" / "a.txt").read_text() == "mine", "a file beside the results"
    file = folder / "file"
    file.write_text("mine")
    for out in (file, file / "below"):
        refused(run("reproduce", experiment, "--out", out), str(file), "--out is a file")
    assert file.read_text() == "mine", "--out was a file"


def test_foreign_files(folder):
    """Files that others put into a campaign's folder stay, with --clean as well."""
    experiment = write(folder)
    out = folder / "out"
    good(run("reproduce", experiment, "--out", out), "first")
    mine = ["figures/mine.png", "figures/mine.csv", "runs/mine/data.csv", "runs/x.part-old/a",
            "runs/load-1-seed1-0123abcd/notes", "logs/mine.log", "metrics.csv.tmp"]
    for name in mine:
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text("mine")
    outside = folder / "outside"
    shutil.copytree(next((out / "runs").glob("load-0.3-*")), outside)
    (out / "runs" / outside.name).symlink_to(outside)
    experiment.write_text(EXPERIMENT.replace("[0.3, 0.6]", "[0.3]").replace("Drawn", "Other"))
    kept = good(run("reproduce", experiment, "--out", out), "second")
    assert "1 run(s) of other code or options are kept" in kept.stderr, kept.stderr
    assert not (out / "figures" / "Drawn.png").exists() and (out / "figures" / "Other.png").exists(), "figures of earlier definitions"
    cleaned = good(run("reproduce", experiment, "--out", out, "--clean"), "--clean")
    assert "1 run(s) of other code or options removed" in cleaned.stderr, cleaned.stderr
    for name in mine:
        assert (out / name).read_text() == "mine", f"{name} is gone"
    assert (out / "runs" / outside.name).is_symlink() and (outside / "run.json").exists(), "a link"
    assert len([r for r in (out / "runs").glob("load-*") if (r / "run.json").exists()]) == 1, "stale runs in spite of --clean"

    # A file of the name of a result, put there after the result was removed.
    (out / "index.html").unlink()
    for path in (out, out / "figures"):
        assert path.is_dir(), "folder"
    (out / "figures" / "Third.png").write_text("mine")
    experiment.write_text(EXPERIMENT.replace("[0.3, 0.6]", "[0.3]").replace("Drawn", "Third"))
    before = contents(out)
    refused(run("reproduce", experiment, "--out", out), "Third.png", "a foreign figure")
    refused(run("plot", experiment, "--results", out), "Third.png", "plot, a foreign figure")
    assert contents(out) == before, "a foreign figure: touched"

    # A folder that has the name of a run.
    experiment.write_text(EXPERIMENT)
    key = run("reproduce", experiment, "--out", out, "--dry-run").stdout.split("\n")[1]
    (out / "runs" / key).mkdir()
    (out / "runs" / key / "notes").write_text("mine")
    refused(run("reproduce", experiment, "--out", out), "is no run", "a foreign folder of a run's name")
    assert (out / "runs" / key / "notes").read_text() == "mine", "a foreign folder of a run's name"


def test_without_list(folder):
    """Results without the list of files, as earlier versions left them, are not taken for the campaign's own."""
    experiment = write(folder)
    out = folder / "out"
    good(run("reproduce", experiment, "--out", out), "first")
    (out / ".roce-files").unlink()
    before = contents(out)
    for command in (("reproduce", experiment, "--out", out), ("score", experiment, "--results", out), ("plot", experiment, "--results", out)):
        refused(run(*command), "is there and was not written by this script", command[0])
    assert contents(out) == before, "files of others: touched"


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
        assert contents(out) == before, f"targets in {name}: touched"
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
    experiment = write(folder / "fine", PLAIN)
    good(run("reproduce", experiment, "--out", folder / "fine"), "the experiment beside results")
    refused(run("score", experiment, "--results", folder / "fine", "--publish", experiment),
            "is read", "--publish onto the experiment")
    assert experiment.read_text() == PLAIN, "the experiment is overwritten"


def test_two_at_once(folder):
    """The second campaign in a folder ends with one line and status 2, and the first is whole."""
    experiment = write(folder, EXPERIMENT + "options: {sleep: 1}\n")
    out = folder / "out"
    first = subprocess.Popen([SCRIPTS / "reproduce", experiment, "--allow-program", "--out", out],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + 60
        while not (out / "plan.json").exists():
            assert first.poll() is None and time.monotonic() < end, "the first does not start"
            time.sleep(0.02)
        first.send_signal(signal.SIGSTOP)  # it is not done before the second has been refused
        refused(run("reproduce", experiment, "--out", out), "another scripts/reproduce", "the second")
    finally:
        first.send_signal(signal.SIGCONT)
        _, stderr = first.communicate(timeout=100)
    assert first.returncode == 0, f"the first: {stderr}"


def test_compare_reference(folder):
    """test/reference/compare, too, replaces its own files only."""
    (folder / "reference.md").write_text("mine")
    refused(run("../test/reference/compare", "--out", folder), "reference.md", "compare")
    assert contents(folder) == {"reference.md": b"mine"}, "compare: touched"


# ------------------------------------------------------------------------- odd experiment files

DEEP = "[" * 100 + "]" * 100
ALIASES = "a0: &a0 [1, 2]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 20))

BAD_FILES = [  # what is replaced in EXPERIMENT, by what, line, words
    ("title: Faults", 'title: "a\\ud800b"', 1, "U+D800"),
    ("title: Faults", 'title: "a\\0b"', 1, "U+0000"),
    ("title: Faults", 'title: "a\\e[31mb"', 1, "U+001B"),
    ("title: Faults", 'title: "a\\nb"', 1, "single line"),
    ("title: Faults", "title: " + "x" * 1001, 1, "1001 characters"),
    ("title: Faults", 'title: "\\UFFFFFFFF"', 1, ""),
    ("title: Faults", "title: a\x07b", 1, "U+0007"),
    ("title: Faults", "title: a\ntitle: b", 2, "twice"),
    ("title: Faults", "title: !!python/object:os.system a", 1, "tag"),
    ("title: Faults", "title: !x a", 1, "tag"),
    ("title: Faults", f"title: a\nseeds: {DEEP}", 2, "nested deeper than 30"),
    ("title: Faults", "title: a\nseeds: &a [*a]", 2, "contains itself"),
    ("title: Faults", "title: a\noptions: &a {<<: *a}", 2, "contains itself"),
    ("title: Faults", "title: a\n" + ALIASES, 7, "more than 100000 values"),
    ("title: Faults", "title: a\n---\nb: c", 2, "another document"),
    ("title: Faults", "title: a\nscale: 2", 2, "the experiment: unknown key 'scale', expected one of title, "),
    ("title: Faults", "title: a\nquick: {seeds: none}", 2, "quick: seeds 'none', expected a count from 1"),
    ("title: Faults", "%YAML 9.9\n---\ntitle: a", 1, "version"),
    ("[0.3, 0.6]", '["a\\tb"]', 4, "single line"),
    ("[0.3, 0.6]", '["a\\nb"]', 4, "single line"),
    ("[0.3, 0.6]", f"[{'x' * 201}]", 4, "201 characters"),
    ("[0.3, 0.6]", "[0.3, 0.30]", 4, "'0.30' is there twice"),
    ("[0.3, 0.6]", "{0.3: {load: 1}, 0.30: {load: 2}}", 4, "'0.30' is there twice"),
    ("[0.3, 0.6]", str(list(range(1001))), 4, "1001 values"),
    ("load: [0.3, 0.6]", f"load: {list(range(59))}\n  mode: {list(range(59))}\n"
     + "".join(f"  {n}: {{{', '.join(f'{i}: {{}}' for i in range(59))}}}\n" for n in "abc"), 1,
     "714924299 points"),
    ("[0.3, 0.6]", "[0.3, 0.6]\nseeds: 1-99999", 1, "199998 runs"),
    ("[0.3, 0.6]", "[0.3, 0.6]\noptions: {mode: \"a\\0b\"}", 5, "U+0000"),
    ("[0.3, 0.6]", "[0.3, 0.6]\noptions: {mode: \"a\\nb\"}", 5, "single line"),
    ("[0.3, 0.6]", "[0.3, 0.6]\noptions: {\"a::b c\": 1}", 5, "no option"),
    ("[0.3, 0.6]", "[0.3, 0.6]\nslurm: {options: \"--x='\"}", 5, "no closing quotation"),
    ("[0.3, 0.6]", f"[0.3, 0.6]\nwarmup: {'9' * 400}s", 5, "expected a time"),
    ("statistic: mean}", f"statistic: mean, size: <={'9' * 400}GB}}", 6, "expected a size"),
    ("statistic: mean}", "statistic: mean, scale: 1e300}", 6, "expected a number"),
    ("statistic: mean}", "statistic: mean}\n  two: {expression: average * " + "9" * 400 + "}", 7, "1e+100"),
    ("statistic: mean}", "statistic: mean}\n  two: {expression: " + "-" * 3000 + "1}", 7, "operations"),
    ("statistic: mean}", "statistic: mean}\n  two: {expression: " + "+".join("1" * 500) + "}", 7,
     "operations"),
    ("statistic: mean}", "statistic: mean}\n  two: {expression: " + "1" * 20_000 + "}", 7, "characters"),
    ("statistic: mean}", "statistic: mean}\n  two: {expression: 1if average else 2}", 7, "cannot parse"),
    ("statistic: mean}", "statistic: mean}\n  two: {file: .., column: a, statistic: mean}", 7, "name of a file"),
    ("reported: 3}", "reported: 3, rule: factor 0}", 10, "factor from 1"),
    ("reported: 3}", "reported: " + "9" * 150 + "}", 10, "expected a number"),
    ("reported: 3}", "reported: 3, band: [nan, 1]}", 10, "expected a number"),
    ("title: Drawn", "title: \"a\\nb\"", 8, "single line"),
    ("title: Drawn", "fair: " + "9" * 400 + "Gbps", 8, "unknown key"),
]


def refused_file(folder, text, line, words):
    """An experiment file that is refused, with one line that names the place."""
    file = write(folder, name="bad.yaml")
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    started = time.monotonic()
    done = run_here("reproduce", file, "--dry-run", "--out", folder / "none")
    refused(done, words, text[:300])
    assert f"{file}:{line}: " in done.stderr and len(done.stderr) < 1300 + len(str(file)), f"{text[:300]}: {done.stderr}"
    assert time.monotonic() - started < 20, f"{text[:300]}: slow"


def test_bad_files(folder):
    """Files that no campaign can be made of."""
    for old, new, line, words in BAD_FILES:
        assert EXPERIMENT.count(old) == 1, f"'{old}' is not once in the experiment"
        refused_file(folder, EXPERIMENT.replace(old, new), line, words)
    for data, line, words in ((b"", 1, "empty"), (b"# nothing\n", 1, "empty"),
                              (b"title: a\nb: \xff\n", 2, "not UTF-8"),
                              (EXPERIMENT.encode("utf-16"), 1, "not UTF-8"),
                              (b"title: " + b"x" * 1_000_000, 1, "more than 1000000 bytes")):
        refused_file(folder, data, line, words)
    many = list(range(45))
    grid = f"load: {many}\n  mode: {many}\n  file: {many}"
    each = EXPERIMENT.replace("load: [0.3, 0.6]", grid).replace("title: Drawn", "each: [mode, file]")
    refused_file(folder, each.replace("at: {load: 0.3}", "at: {load: 1, mode: 1, file: 1}"), 1,
                 "2025 figures")
    refused_file(folder, each[:each.index("plots:")], 1, "4095 figures")
    sizes = EXPERIMENT + "quick: {seeds: 1}\nfull: {grid: {mode: [a]}}\n"
    file = write(folder, sizes.replace("title: Drawn", "each: mode"), "bad.yaml")
    good(run("reproduce", file, "--dry-run"), "an axis of the full size")
    refused(run("reproduce", file, "--dry-run", "--quick"), "bad.yaml:8: plot: each 'mode'",
            "an axis of another size")
    write(folder, EXPERIMENT + "targets: t.csv\n", "bad.yaml")
    (folder / "t.csv").write_text("id,kind,reported,band_low,band_high,rule\none,value,3,nan,inf,\n")
    refused(run("reproduce", folder / "bad.yaml", "--dry-run"), "bad.yaml:10: claim one: band 'nan'", "a band in the targets")


def test_odd_but_good(folder):
    """What looks odd and works to the page: signs of TeX, of formats and of other scripts."""
    text = EXPERIMENT.replace("[0.3, 0.6]", '["$x^{", "a$b$c", "{load}", "%s \\\\", "日本", "Ab", "aB"]')
    text = text.replace("load: 0.3}", "load: '$x^{'}").replace("x: load, title: Drawn",
                                                               "x: load, title: '日本 $'")
    text = text.replace("title: Faults", 'title: "Costs $5, or $6_{x}"').replace(
        "statistic: mean}", "statistic: mean, label: '$\\frac{1$', unit: '$/s'}\n"
        "  large: {expression: average * 1e99 * 1e99 * 1e99 * 1e99}\n"
        "  wide: {expression: average * 1e99 * 1e99}")
    text += "  - {id: two, value: large, at: {load: aB}, reported: 0, kind: count, rule: A factor 2}\n"
    text += "  - {id: three, value: wide, at: {load: aB}, reported: 0, rule: not scored}\n"
    text += "  - {id: four, value: average, at: {load: aB}, reported: 0, band: [-1, 1]}\n"
    text = text.replace("claims:", "  - {kind: bars, metric: [average, large, wide], x: load}\n"
                        "  - {kind: claims}\n  - {kind: fct-cdf}\n  - {kind: box, metric: average, x: load}\n"
                        "  - {kind: effects, value: {$a_: average - 1}, rows: load}\nclaims:") + "seeds: 2\n"
    experiment = write(folder / "a {b} {{c}} 'd' \"e\" é $f %s", "\ufeff" + text)
    out = experiment.parent / "out {x}"
    good(run("reproduce", experiment, "--out", out, env={"PYTHONIOENCODING": "ascii"}), "odd labels")
    page = (out / "index.html").read_text()
    assert "No figure" not in page and page.count("data:image/png") == 6, "figures of odd labels"
    assert "Costs $5, or $6_{x}" in page, "the title"
    names = sorted(f.name for f in (out / "figures").glob("*"))
    assert names[0][0] != "." and len(names) == 24, f"names of figures: {names}"


def test_options(folder):
    """Options of reproduce that no campaign can be made of."""
    experiment = write(folder, PLAIN)
    refused(run("reproduce", experiment, "--slurm", "--sbatch=--x='", "--out", folder / "out"),
            "--sbatch: '--x='': no closing quotation", "--sbatch")
    good(run("reproduce", experiment, "--jobs", "9" * 30, "--out", folder / "many"), "--jobs")
    for jobs in ("0", "-1", "x", "1.5"):
        done = run("reproduce", experiment, "--jobs", jobs)
        assert done.returncode == 2 and "expected a whole number from 1" in done.stderr, f"--jobs {jobs}"
    closed = folder / "closed"
    closed.mkdir(mode=0o500)
    if os.geteuid() != 0:  # root may write anywhere
        refused(run("reproduce", experiment, "--out", closed / "out"), "closed", "an unwritable folder")
    refused(run("reproduce", experiment, "--out", "/proc/none"), "/proc/none", "an unwritable folder")
    (folder / "program.py").write_text("#!/bin/sh\nprintf '    --out: \\377\\n    --seed:\\n    --load:\\n'\n")
    good(run("reproduce", experiment, "--dry-run"), "--help that is not UTF-8")


def test_help(folder):
    """Each script of scripts/ explains itself."""
    for script in sorted(SCRIPTS.iterdir()):
        if script.is_file() and os.access(script, os.X_OK):
            done = run(script.name, "--help", cwd=folder, seconds=30)
            assert done.returncode == 0 and not done.stderr and len(done.stdout.splitlines()) > 1, f"{script.name} --help: {done}"
    assert not list(folder.iterdir()), "--help writes files"
