# SPDX-License-Identifier: GPL-2.0-only
"""What a campaign checks before it runs, what a failing run costs, parts of an experiment, and quick scores.

Most use campaign.py's program, whose mean slowdown is slow + seed + 4.5; with dryRun it refuses a negative
slow. Values are checked with two-dc-leaf-spine, too.
"""

import re
import subprocess

import roce_results as rr
from roce_campaign import experiment as experiments
from roce_campaign import measure, paper_names, score
from roce_campaign.expression import is_relative
from roce_campaign.estimates import Results
from roce_campaign.grades import Rule

from support import SCRIPTS, rows
from support.campaigns import PROGRAM, good, inodes, run

PROGRAM = PROGRAM.replace('"sleep": "0"}', '"sleep": "0", "dryRun": ""}').replace(
    'if options["break"]', '''if options["dryRun"]:
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "asked"), "a") as f:
        print(options["slow"], file=f)
    if float(options["slow"]) < 0:
        sys.exit(f"error: Delay: slow {options['slow']}, expected 0 or more")
    sys.exit(0)
if options["break"]''')

EXPERIMENT = """\
title: Parts
program: ./program.py
options: {hang: false}
grid:
  law:
    old: {slow: 10}
    new: {slow: 4}
    third: {slow: 7}
seeds: 3
metrics:
  average: {of: slowdown, statistic: mean}
  largest: {of: slowdown, statistic: max}
plots: []
claims:
  - {id: gain, text: The new law helps, value: "reduction(average(law=new), average(law=old))", kind: reduction, reported: 36}
  - {id: less, text: The third is better, value: "reduction(average(law=third), average(law=old))", kind: reduction, reported: 20}
  - {id: order, text: What we expect, holds: average(law=new) < average(law=third)}
  - {id: said, text: The paper says so, holds: average(law=new) < average(law=third), own: false}
  - {id: number, value: average, at: {law: third}, reported: 13.5}
quick: {seeds: 2, options: {hang: true}}
"""
# Figures take most of the time.
DRAWN = EXPERIMENT.replace("plots: []\n", """\
plots:
  - {kind: bars, metric: average, x: law, where: {law: [old, third]}, title: The two}
  - {kind: bars, metric: largest, x: law, title: All of them}
""")


def write(folder, text=EXPERIMENT, name="parts.yaml"):
    """The experiment with its program. @return its path"""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.py").write_text(PROGRAM)
    (folder / "program.py").chmod(0o755)
    (folder / name).write_text(text)
    return folder / name


def laws(out):
    """The labels of the runs that are there."""
    return sorted({re.match(r"law-(\w+)-seed", name)[1] for name in inodes(out)})


def scores(out):
    """Claim -> row."""
    return {r["id"]: r for r in rows(out / "score.csv")}


def test_values(folder, build):
    """A value that the program refuses is reported with its line before any run, each set of options asked once."""
    out = folder / "results"
    bad = write(folder, EXPERIMENT.replace("slow: 7", "slow: -7"))
    done = run("reproduce", bad, "--out", out)
    assert (done.returncode == 2 and f"{bad}:8: " in done.stderr and "expected 0 or more" in done.stderr
          and done.stderr.count("\n") == 1 and not out.exists()), f"a bad value: {done}"
    (folder / "asked").unlink()
    good(run("reproduce", write(folder), "--out", out), "good values")
    assert sorted((folder / "asked").read_text().split()) == ["10", "4", "7"], "each set of options once, not each seed"
    good(run("reproduce", folder / "parts.yaml", "--out", out), "again")
    assert len((folder / "asked").read_text().split()) == 3, "asked again although the runs are there"
    text = """\
title: Values
program: two-dc-leaf-spine
options:
  duration: 100us
  workload: websearch
grid:
  load: [0.3, -1]
  cc: [Dcqcn]
metrics: {average: {of: slowdown, statistic: mean}}
"""
    for i, (old, new, line, words) in enumerate((
            ("", "", 7, "--load is '-1'"), ("-1]", "0.5]\n  alpha: {none: {'ns3::roce::Dcqcn::G': many}}", 8, "no attribute 'G'"),
            ("websearch", "no-such", 5, "--workload is 'no-such'"), ("-1]", "x]", 7, "--load is 'x', expected a number"))):
        file = folder / f"values{i}.yaml"
        file.write_text(text.replace(old, new) if old else text)
        done = run("reproduce", file, "--dry-run", "--build", build, "--out", folder / "none")
        assert done.returncode == 2 and f"{file}:{line}: " in done.stderr and words in done.stderr and not (folder / "none").exists(), \
            f"{words}: {done}"
    unchecked = good(run("reproduce", file, "--dry-run", "--unchecked", "--build", build, "--out", folder / "none"), "unchecked")
    assert "load-x" in unchecked.stdout, "without asking the program the bad value is taken"


def test_dry_run(folder, build):
    """--dryRun says that all is valid and leaves nothing; a run with it is refused as one without."""
    program = build / "bin" / "two-dc-leaf-spine"

    def dry(*options):
        return subprocess.run([program, "--dryRun", "--out=out", "--duration=100us", *options], cwd=folder, capture_output=True,
                              text=True, check=False)
    done = dry("--queues=10us", "--pcap=nic0")
    assert (done.returncode == 0 and re.search(r"^valid: \d+ flows$", done.stdout, re.M) and "simulated" not in done.stdout
          and not list(folder.iterdir())), f"a dry run: {done}, {list(folder.iterdir())}"
    for option, words in (("--load=-1", "--load is '-1'"), ("--pcap=none", "none"), ("--seriesPorts=nowhere --queues=1us", "nowhere")):
        done = dry(*option.split())
        assert done.returncode == 2 and done.stderr.startswith("error: ") and words in done.stderr and not list(folder.iterdir()), \
            f"{option}: {done}"


def test_failed_page(folder):
    """The runs that work have their page and score, the failed ones are listed; the status is 1."""
    out = folder / "results"
    broken = write(folder, EXPERIMENT.replace("{slow: 7}", "{slow: 7, break: 2}"))
    done = run("reproduce", broken, "--out", out)
    assert done.returncode == 1 and "written: " in done.stdout, f"a failed run: {done}"
    page = (out / "index.html").read_text()
    assert "1 of 9 runs are missing" in page and "broken on purpose" in page and "law-third-seed2" in page, "the page does not list it"
    got = scores(out)
    assert (got["gain"]["grade"] == "A" and "2 of 3 seeds have all values" in got["less"]["note"]
          and got["gain"]["note"].find("seeds") < 0), f"score: {got}"
    assert any(r["state"] == "missing" for r in rows(out / "runs.csv")), "runs.csv"
    good(run("reproduce", write(folder), "--out", out), "the failed run again")
    assert "broken" not in (out / "index.html").read_text() and "missing" not in (out / "runs.csv").read_text(), "old failures stay"


def test_only(folder):
    """Only the runs that a claim or figure needs, only its score; the rest is there later."""
    experiment, out = write(folder, DRAWN), folder / "results"
    for words, runs, claims, figures in (
            (["--only", "gain"], ["new", "old"], ["gain"], 0),
            (["--only", "the tw?"], ["old", "third"], ["less", "number"], 1)):
        place = folder / f"only{words[1][:3].strip('*')}{len(words)}"
        done = good(run("reproduce", experiment, "--out", place, *words), f"{words}")
        assert laws(place) == runs, f"{words}: {laws(place)}"
        assert list(scores(place)) == claims, f"{words}: {list(scores(place))}"
        drawn = sorted(f.name for f in place.glob("figures/*.png"))
        assert len(drawn) == figures, f"{words}: figures {drawn}"
        assert "(--only)" in (place / "index.html").read_text(), "the page does not say that it is a part"
    good(run("score", experiment, "--results", place), "score of a part")
    assert list(scores(place)) == claims, "score of a part"
    good(run("reproduce", experiment, "--out", place), "the whole")
    done = good(run("reproduce", experiment, "--out", place, "--only", "gain"), "a part of what is there")
    assert laws(place) == ["new", "old", "third"] and "6 runs, 6 of them there already" in done.stderr, f"kept: {done.stderr}"
    assert "other code or options" not in done.stderr, f"runs that --only leaves out: {done.stderr}"
    experiment.write_text(DRAWN.replace("slow: 4", "slow: 5"))
    done = good(run("reproduce", experiment, "--out", place, "--only", "less"), "another part, other options of what it leaves out")
    assert "3 run(s) of other code or options are kept" in done.stderr, f"runs of other options: {done.stderr}"
    experiment.write_text(DRAWN)
    for words, said in ((["--only", "none"], "no such claim or figure, expected one of gain, less, order"),
                        (["--only", "gain", "--clean"], "--clean with --only")):
        done = run("reproduce", experiment, "--out", out, *words)
        assert done.returncode == 2 and said in done.stderr and not out.exists(), f"{words}: {done}"


TARGETS = """\
id,paper,figure,kind,reported,band_low,band_high,rule
gain,mine,Fig7a,reduction,36,,,
less,mine,Table 2,reduction,20,,,
"""


def test_paper_figures(folder):
    """A figure of the paper has one name, however it is written: what is drawn of it, and its claims. --list has them all."""
    text = (DRAWN.replace("title: The two", 'title: "Figures 7b, 9 and 11: the two"').replace("metrics:", "minutes: 18\nmetrics:", 1)
            .replace("claims:", "targets: {file: targets.csv, where: {paper: mine}}\nclaims:", 1).replace(", kind: reduction, reported: 36", "").replace(", kind: reduction, reported: 20", ""))
    experiment = write(folder, text)
    (folder / "targets.csv").write_text(TARGETS)
    for number, (name, runs, claims, figures) in enumerate((
            ("fig9", ["old", "third"], ["less", "number"], 1), ("Figure 7b", ["old", "third"], ["less", "number"], 1),
            ("fig. 7A", ["new", "old"], ["gain"], 0), ("Figure 7", ["new", "old", "third"], None, 1), ("table2", None, ["less"], 0))):
        place = folder / f"paper{number}"
        good(run("reproduce", experiment, "--out", place, "--only", name), name)
        assert runs in (None, laws(place)), f"{name}: {laws(place)}"
        assert claims is None or set(claims) <= set(scores(place)), f"{name}: {list(scores(place))}"
        assert len(list(place.glob("figures/*.png"))) == figures, f"{name}: {list(place.glob('figures/*'))}"
    done = run("reproduce", experiment, "--out", folder / "none", "--only", "Figure 8")
    assert done.returncode == 2 and "expected one of Figure 7, Figure 9, Figure 11, Table 2; " in done.stderr, f"Figure 8: {done}"
    done = good(run("reproduce", experiment, "--list", "--allow-program"), "contents")
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith(("Figure", "Table", "all"))]
    assert [r[:2] for r in rows[:-1]] == [["Figure", "7"], ["Figure", "9"], ["Figure", "11"], ["Table", "2"]], f"contents: {done.stdout}"
    assert rows[0][-4:] == ["9", "runs", "18", "min"] and rows[1][-4:] == ["6", "runs", "12", "min"], f"minutes: {done.stdout}"
    drawn = write(folder, DRAWN, "drawn.yaml")
    names = re.findall(r"^(\S+) +1 figure", good(run("reproduce", drawn, "--list"), "no names").stdout, re.MULTILINE)
    assert names and f'--only "{names[0]}"' in run("reproduce", drawn, "--list").stdout, f"files: {names}"


def test_names_of_figures():
    """Lists, ranges and letters of figures; other numbers are none."""
    for text, found in (("Figures 11, 12 and 15: mean of 24 runs", "Figure 11, Figure 12, Figure 15"), ("Figure 13 A and B", "Figure 13a, Figure 13b"),
                        ("Fig7c-d", "Figure 7c, Figure 7d"), ("Fig13a/14a", "Figure 13a, Figure 14a"), ("Figures 11 to 13", "Figure 11, Figure 12, Figure 13"),
                        ("Table 3, flows within; figure 2", "Figure 2, Table 3"), ("Figure 9: permutation of 1 MB, and of 8 MiB", "Figure 9"), ("load 60", "")):
        assert ", ".join(map(str, sorted(paper_names.find(text)))) == found, f"{text}: {paper_names.find(text)}"
    for text, wanted, is_named in (("Fig9a", "figure 9", True), ("Figure 9", "fig9b", True), ("Fig9a", "Fig9b", False), ("Figure 13", "Figure 1", False),
                                   ("Figure 9: rates", "Figure 9: rates", False)):
        assert paper_names.is_named(text, wanted) == is_named, f"{text}, {wanted}"


def test_needs(folder):
    """A claim without what it needs is not applicable, nor is a case, which then does not count."""
    out = folder / "results"
    lines = {"has": 'holds: average(law=new) < average(law=old), needs: "largest(law=new) > 1"',
             "without": 'holds: average(law=new) > average(law=old), needs: "largest(law=new) > 1e6"',
             "value": 'value: "reduction(average(law=new), average(law=old))", kind: reduction, reported: 36, needs: average(law=old) < 1',
             "cases": 'holds: "average(law={l}) > average(law=new)", each: {l: [old, new, third]}, needs: "average(law={l}) > average(law=new)"',
             "fails": 'holds: "average(law={l}) < 12", each: {l: [old, new, third]}, at_least: 2, needs: "average(law={l}) > average(law=new)"'}
    text = EXPERIMENT.split("  - {id: gain")[0] + "".join(f"  - {{id: {name}, {line}}}\n" for name, line in lines.items())
    experiment = write(folder, text)
    good(run("reproduce", experiment, "--out", out), "needs")
    found = scores(out)
    assert ([(name, found[name]["grade"], found[name]["ours"]) for name in lines]
          == [("has", "A", "1/1"), ("without", "N", ""), ("value", "N", ""), ("cases", "A", "2/2"), ("fails", "F", "0/2")]), \
        f"grades: {found}"
    for name in ("without", "value"):
        assert found[name]["note"].startswith("not applicable: needs ") and "does not hold: " in found[name]["note"], \
            f"{name}: {found[name]}"
    assert "1 of 3 cases not applicable" in found["cases"]["note"], f"{found['cases']}"
    place = folder / "part"
    good(run("reproduce", write(folder, text.replace("needs: average(law=old) < 1", "needs: average(law=third) < 1")), "--out", place,
             "--only", "value"), "what a condition needs is run")
    assert laws(place) == ["new", "old", "third"], f"runs of a condition: {laws(place)}"
    for bad, said in (("largest", "expected a comparison"), ("nothing > 1", "unknown metric"), ("average > 1", "at which law?")):
        done = run("reproduce", write(folder, text.replace('"largest(law=new) > 1"', f'"{bad}"'), "bad.yaml"), "--out", folder / "bad")
        assert (done.returncode == 2 and done.stderr.startswith("error: ") and said in done.stderr and "bad.yaml:" in done.stderr
              and done.stderr.count("\n") == 1), f"needs: {bad}: {done.stderr}"


def test_paper_and_own(folder):
    """The paper's claims apart from own checks in the csv, the totals, the page and the terminal, with their texts."""
    out = folder / "results"
    done = good(run("reproduce", write(folder), "--out", out), "sources")
    sources = {name: r["source"] for name, r in scores(out).items()}
    assert sources == {"gain": "paper", "less": "paper", "order": "own", "said": "paper", "number": "paper"}, f"{sources}"
    for text in (done.stdout, (out / "index.html").read_text()):
        assert "4 claims of the paper: 4 A (reproduced)" in text.replace("Score, ", "") and "1 own checks: 1 " in text, \
            f"totals: {text[-3000:]}"
        assert "The new law helps" in text and text.index("The paper says so") < text.rindex("Own checks") < text.rindex("What we expect"), \
            "texts, the paper's first"
    good(run("score", folder / "parts.yaml", "--results", out, "--publish", folder / "published.csv"), "publish")
    assert [r["source"] for r in rows(folder / "published.csv")] == list(sources.values()), "published"


def test_basis(folder):
    """Beside the total of the paper's claims stands that without fitted and repeated ones; own checks have one total."""
    out = folder / "results"
    text = EXPERIMENT.replace("reported: 13.5}", "reported: 13.5, basis: fitted}").replace("reported: 20}", "reported: 20, basis: repeated}")
    done = good(run("reproduce", write(folder, text), "--out", out), "basis")
    for found in (done.stdout, (out / "index.html").read_text().replace("<p>Score, ", "\n")):
        for line in ("4 claims of the paper: 4 A (reproduced)", "without 1 fitted and 1 repeated ones 2 claims of the paper: 2 A (reproduced)"):
            assert f"\n{line}" in found, f"{line}: {found[-2000:]}"
        assert found.count(" own checks: ") == 1, f"{found[-2000:]}"
    bad = run("reproduce", write(folder, text.replace("basis: fitted", "basis: guessed"), "bad.yaml"), "--out", folder / "bad")
    assert bad.returncode == 2 and "'guessed'" in bad.stderr and "fitted" in bad.stderr, bad.stderr


def test_receiver_slowdown():
    """The time to the last byte over the same ideal time."""
    flow = rr.Flow(**dict.fromkeys(rr.Flow._fields, 0))._replace(fct_ps=30, receiver_fct_ps=20, ideal_ps=8, slowdown=3.75)
    assert measure.FLOW_VALUE["receiver_slowdown"](flow) == 2.5
    assert measure.FLOW_VALUE["receiver_slowdown"](flow._replace(receiver_fct_ps=None)) is None


def test_quick(folder, build):
    """Two seeds do not tell the sign of an effect; what the quick size has less of is said."""
    out = folder / "results"
    # hang: the last flow does not finish; that changes no sign here.
    done = good(run("reproduce", write(folder, DRAWN), "--quick", "--out", out), "quick")
    assert "--quick: hang true instead of false." in (out / "figures" / "The-two.svg").read_text(), "a figure does not say so"
    got = scores(out)
    assert {n: r["grade"] for n, r in got.items()} == {"gain": "U", "less": "U", "order": "U", "said": "U", "number": "A"}, f"{got}"
    assert "needs 3 seeds, --quick has 2" in got["gain"]["note"] and "needs 3 seeds" in got["order"]["note"], f"notes: {got}"
    for text in (done.stdout, (out / "index.html").read_text()):
        assert "2 seeds instead of 3; hang true instead of false" in text, "what is less"
    good(run("reproduce", write(folder, EXPERIMENT.replace("quick: {seeds: 2", "quick: {seeds: 3")), "--quick", "--out", out), "3 seeds")
    assert scores(out)["gain"]["grade"] == "A", "three seeds are enough"
    one = EXPERIMENT.replace("seeds: 3", "seeds: 1").replace("quick: {seeds: 2", "quick: {seeds: 1")
    good(run("reproduce", write(folder, one), "--quick", "--out", out), "one seed")
    assert scores(out)["gain"]["grade"] == "A", "nothing is drawn: one seed is all there is in the full size, too"
    leaf = """\
title: Shorter
program: two-dc-leaf-spine
grid: {load: [0.3, 0.5]}
options: {duration: 1ms}
metrics: {average: {of: slowdown, statistic: mean}}
quick:
  grid: {load: [0.3]}
  options: {duration: 2us}
"""
    for more, words in (("", "tend to look better"), ("  flatters: HPCC needs more time\n", "HPCC needs more time")):
        (folder / "shorter.yaml").write_text(leaf + more)
        found = experiments.load(str(folder / "shorter.yaml"), "quick", build=str(build))
        assert "without load 0.5" in found.reduced and "duration 2us instead of 1ms" in found.reduced and words in found.reduced[-1], \
            f"{found.reduced}"


# A number of us, of bytes or of events at points that --quick makes smaller, and numbers that are the same in every size.
SIZES = """\
  - {id: limit, holds: time < 20, at: {law: old}}
  - {id: number, value: time, at: {law: old}, reported: 9}
  - {id: hidden, holds: "ratio(time(law=old), 7) < 2"}
  - {id: sum, holds: "time(law=old) - time(law=new) + 3 > 0"}
  - {id: events, value: many, at: {law: old}, kind: count, reported: 6}
  - {id: one-case, holds: time < 20, each: law, at_least: 1}
  - {id: stated, holds: time < 20, at: {law: old}, any_size: true}
  - {id: relative, holds: time(law=old) < 1.5 * time(law=new) + 0 and average(law=old) < 30}
  - {id: zero, holds: time > 0, at: {law: old}}
"""
LEFT_OUT = {"uno": {"U-F3D", "U-F4Q"}, "uno-simulator": {"U-F3D"}}  # of the shipped experiments


def test_words():
    """Names of shares and indices are known by whole words: a duration is no ratio."""
    names = {"bottleneck_utilisation": True, "ratio": True, "fairShare": True, "slowdown_p99": True, "duration_ns": False,
             "shared_bytes": False, "iterations": False, "refractions": False}
    found = {name: is_relative(name) for name in names}
    assert found == names, f"relative: {found}"


def test_sizes(folder, build):
    """Absolute numbers are for the size of the runs: with --quick they scale or are left out, in every shipped experiment."""
    text = EXPERIMENT[:EXPERIMENT.index("claims:")].replace("plots: []", "plots: []\nclaims:\n" + SIZES.rstrip()).replace(
        "  average:", "  time: {of: fct, statistic: max}\n  many: {of: size, statistic: count}\n  average:")
    for quick in ("{seeds: 2, grid: {law: {old: {slow: 1}, new: {slow: 4}, third: {slow: 7}}}}", "{seeds: 2}"):
        file = write(folder, text + f"quick: {quick}\n")
        found = experiments.load(str(file), "quick", allow=True)
        measured = {(i, seed): {n: {"value": 8.0, "flows": 9, "unfinished": 0} for n in found.metrics}
                    for i, p in enumerate(found.points) for seed in p.seeds}
        got = {s.id: s for s in score.Scorer(Results(found, found.points, measured)).all()}
        out = {n for n, s in got.items() if s.grade == "N"}
        assert out == ({"limit", "number", "hidden", "sum", "events"} if "grid" in quick else set()), f"{quick}: left out {out}"
        assert "grid" not in quick or "its number is for the full size, --quick has slow 1 instead of 10" in got["limit"].note, \
            f"{got['limit']}"
        assert got["one-case"].ours == ("2/2" if "grid" in quick else "3/3"), f"one-case: {got['one-case']}"
    for file in sorted((SCRIPTS / "experiments").glob("*/*.yaml")):
        sections = file.read_text() + "".join((file.parent / n).read_text()
                                              for n in re.findall(r"^like: (\S+)", file.read_text(), re.M))
        if not re.search(r"^quick:", sections, re.M):
            continue
        found = experiments.load(file.stem, "quick", build=str(build))
        out = {c.id for c in found.claims if any(k.other_size for k in c.cases)}
        assert out == LEFT_OUT.get(file.stem, set()), f"{file.name}: --quick leaves out {out}: scale the number by a metric, or list it"
        assert not any(c.any_size for c in found.claims), f"{file.name}: any_size without a reason here"
    # "Near ideal" of Uno's incasts: of 1 GiB and of a quarter the same factor fails.
    for size, total in (("full", 8 << 30), ("quick", 8 << 28)):
        found = experiments.load("uno", size, build=str(build))
        case = [c for c in found.claims if c.id == "U-F8i"][0].cases[0]
        ideal = total * 8 / 100e3  # us
        for factor, holds in ((1.3, True), (1.4, False)):
            values = {"all_bytes": total * found.metrics["all_bytes"].fields["scale"], "all_mean": factor * ideal}
            assert case.expression.evaluate(lambda r, values=values: values[r.metric]) == holds, f"U-F8i, {size}: {factor} of the ideal"


class Claim:
    """What Rule.of() reads."""

    def __init__(self, reported, band):
        self.kind, self.rule, self.reported, self.band = "reduction", "", reported, band


def test_significance():
    """Neither A nor F for an effect that is not significant; a band around no effect is met by an interval in it."""
    effect, nothing = Rule.of(Claim("10", (5, 15))), Rule.of(Claim("1", (-5, 5)))
    for rule, interval, grade in ((effect, (10, 1, 19), "A"), (effect, (10, -1, 21), "U"), (effect, (10, None, None), "A"),
                                  (nothing, (1, -3, 4), "A"), (nothing, (1, -20, 22), "U"), (nothing, (4, 2, 6), "A"),
                                  (effect, (-9, -20, 2), "U"), (effect, (-9, -20, -1), "F"),
                                  (effect, (-9, None, None), "F")):
        assert rule.mark(*interval) == grade, f"{interval}: {rule.mark(*interval)}, not {grade}"
    assert score.SOURCES.keys() == {"paper", "own"}, "sources"


def test_wan_thresholds():
    """WRCC's experiments pause the WAN at 150 MB: its buffer less a headroom of HeadroomFactor BDPs of 50 MB."""
    for name in ("wrcc", "wrcc-default", "wrcc-readings", "wrcc-search", "wrcc-contradictions"):
        found = experiments.load(name, "full")
        lossless = [p.options for p in found.points if p.options.get("wanDelay", found.options.get("wanDelay")) == "1ms"]
        assert lossless, f"{name}: no point with the WAN"
        for options in ({**found.options, **o} for o in lossless):
            buffer = float(options.get("wanPortBuffer", "204.2MB").replace("MB", ""))
            assert buffer - 50 * float(options["ns3::roce::Switch::HeadroomFactor"]) == 150, f"{name}: wanPortBuffer {buffer} MB"


def test_paraleon(build):
    """PARALEON's experiments have enough seeds for a sign, one metric for schemes that are compared, and all bytes of the testbed."""
    for file in sorted((SCRIPTS / "experiments" / "paraleon").glob("*.yaml")):
        for size in ("quick", "full"):
            for point in experiments.load(file.stem, size, build=str(build)).points:
                scenario = point.coordinates["scenario"]
                least = 10 if scenario.startswith("LLM") else 5
                assert len(point.seeds) >= least, f"{file.name}, {size}: {len(point.seeds)} seeds of {scenario}"
                tuner = point.options.get("tuner", "")
                assert file.stem != "paraleon-a1" or "artifact-a1" in tuner, f"{file.name}: {tuner} has another metric"
                text = re.fullmatch(r"alltoall (\d+) (MB|GB)", scenario)
                if text:
                    message = int(text[1]) * 1e6 if text[2] == "MB" else 1e9 * int(text[1])
                    sent = int(point.options["workers"]) * int(point.options["workerBytes"])
                    assert sent == message, f"{file.name}: {scenario} has {sent} B"


def test_texts():
    """No shipped experiment refers to a document that its reader has not."""
    for file in sorted((SCRIPTS / "experiments").glob("*/*.*")):
        for i, line in enumerate(file.read_text().splitlines() if file.is_file() else []):
            found = re.search(r"\[[A-Z]\d+(, [A-Z]\d+)*\]|\([AE]\d+\)|specification|[Aa]s T-[A-Z]", line)
            assert not found, f"{file.name}:{i + 1}: '{found and found[0]}' without its text"
