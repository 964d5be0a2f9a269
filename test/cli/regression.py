# SPDX-License-Identifier: GPL-2.0-only
"""scripts/regress and fct_diff.py: facts, bounds, workloads; baselines recorded and checked; the files for a CI, run in an empty
folder.

The program by hand has ten flows whose completion times one can work out; others use two-dc-leaf-spine.
"""

import http.server
import json
import os
import re
import shutil
import subprocess
import threading
import urllib.parse
from xml.etree import ElementTree

import pytest
import yaml
from support.campaigns import HEADER, change_flows, slower

from support import ROOT, SCRIPTS, refused, run

PROGRAM = '''#!/usr/bin/python3
import json, sys
options = dict(a[2:].split("=", 1) for a in sys.argv[1:])
slow = float(options.get("slow", "0"))
with open("flows.csv", "w") as f:
    print("%s", file=f)
    for i in range(int(options.get("flows", "10"))):
        fct = 1000 * (i + 1 + (slow if i == 9 else 0))
        print(f"{i},0,{1 + int(options.get('to', 0))},3,0,{'inter' if i %% 2 else 'intra'},{(i + 1) * 1000},{i * 100}.000,{fct:.3f},"
              f"{fct:.3f},1000.000,{fct / 1000:.6f},1,0,finished", file=f)
if "fail" in options:
    sys.exit("error: failed on purpose")
json.dump({"configuration": {k: v for k, v in options.items() if k != "out"}, "versions": {"ns-3": "3.37"}}, open("summary.json", "w"))
''' % HEADER


def regress(*arguments, status=0, words=(), cwd=None, program=SCRIPTS / "regress"):
    """scripts/regress with this status and these words. @return its output"""
    done = run(program, *arguments, status=status, cwd=cwd)
    text = done.stdout + (refused(done) if status == 2 else done.stderr)
    for word in words:
        assert word in text, f"{arguments}: no '{word}' in {text}"
    return text


def mutants(_, *arguments, **options):
    """The same of test/mutants/parameters."""
    return regress(*arguments, program=ROOT / "test" / "mutants" / "parameters", **options)


def write_program(folder):
    """The program by hand. @return its path"""
    folder.mkdir(exist_ok=True)
    program = folder / "program.py"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return program


def make(program, folder, *options):
    """A run of it. @return its folder"""
    folder.mkdir(parents=True)
    run(program, *options, cwd=folder)
    return folder


def test_facts(folder):
    """One row for each fact, by metric, the largest first; options that differ; bounds without a metric; other workloads."""
    program = write_program(folder)
    base, new = folder / "base", folder / "new"
    for seed in "12":
        make(program, base / f"seed{seed}", "--slow=0")
        make(program, new / f"seed{seed}", f"--slow={seed}")
    text = regress(base, new, status=1, words=["differs: --slow: 0 -> 1 (seed1)", "differs: --slow: 0 -> 2 (seed2)"])
    rows = [line.split() for line in text.splitlines() if " BEYOND " in line]
    # Flow 9 has 10 us instead of 11 and 12: the maximum and P95 to P99.9 of all, inter and inter.<=10KB are this one fact.
    assert rows[0] == ["all.fct.max", "10us", "12us", "+20.000%", "1%", "BEYOND", "seed2", "2", "of", "2"], f"the largest fact: {rows[0]}"
    names = [r[0] for r in rows]
    assert (len(names) == len(set(names)) == 6 and not any(".p9" in n for n in names)
          and [r for r in rows if r[0] == "all.fct.mean"][0][1:4] == ["5.5us", "5.7us", "+3.636%"]), f"facts: {rows}"
    assert [float(r[3][:-1]) for r in rows] == sorted((float(r[3][:-1]) for r in rows), reverse=True), f"order: {rows}"
    assert len([x for x in regress(base, new, "--each", status=1).splitlines() if " BEYOND " in x]) == 12, "--each: a row for each run"
    regress(base, new, "--bound", "25%", words=["passed"])
    # Of times, a time bounds the change; slowdowns keep their share.
    regress(base, new, "--bound", "25%", "--bound", "*.fct.*=2000ns", words=["2000ns", "passed"])
    regress(base, new, "--bound", "25 %", "--bound", "1.9us", status=1, words=["all.fct.max", "1900ns", "BEYOND"])
    regress(base, new, "--bound", "25%", "--bound", "*.slowdown.*=1us", status=2, words=["fits no metric"])
    regress(base, new, "--bound", "25%", "--bound", "nothing.*=1%", status=2, words=["--bound nothing.*: fits no metric", "'"])
    other = folder / "other"
    for seed in "12":
        make(program, other / f"seed{seed}", "--slow=0", "--to=1")
    regress(base, other, status=2, words=["2 of 2 runs have different workloads", "10 of 10 flows have other hosts", "--to: (none) -> 1",
                                          "--force"])
    regress(base, other, "--force", words=["passed"])


def test_record(folder):
    """A program of one's own: recorded, checked, and what a check says when flows, metrics, workload or program change."""
    program = write_program(folder)
    file, junit, markdown = folder / "base.yaml", folder / "junit.xml", folder / "report.md"
    regress("record", file, "--bound", "*.p50=2%", "--", "./program.py", "--slow=0", cwd=folder, words=["1 run(s), 10 flows"])
    assert ("bounds: ['*=1%', '*.p50=2%']" in file.read_text() and "program: '{here}/program.py'" in file.read_text().replace(
        f"{{root}}/{os.path.relpath(program, ROOT)}", "{here}/program.py")), file.read_text()
    moved = folder / "moved"
    moved.mkdir()
    for path in (program, file):
        path.rename(moved / path.name)
    file, junit, markdown = (moved / f.name for f in (file, junit, markdown))
    regress("check", "--allow-program", file, "--exact", "--junit", junit, "--markdown", markdown, words=["0 of 10", "1 run(s), 0 not within", "passed"])
    # A baseline from elsewhere may name any program: it is not started by itself.
    witness = moved / "started"
    (moved / "evil.yaml").write_text(re.sub(r"options: .*", f"options: ['-c', 'touch {witness}']", re.sub(
        r"program: .*", "program: '/bin/sh'", file.read_text())))
    for command in (regress, mutants):
        command("check", moved / "evil.yaml", status=2, words=["evil.yaml: run 'run': program '/bin/sh' is no program of the build",
                                                               "--allow-program"])
        command("check", file, status=2, words=["program.py' is no program of the build"])
    assert not witness.exists(), "a program that is not of the build was started"
    suite = ElementTree.parse(junit).getroot().find("testsuite")
    assert suite.attrib == {"name": "base.yaml", "tests": "1", "failures": "0", "errors": "0"} and len(suite) == 1 and not len(suite[0]), \
        "JUnit of a pass"
    assert "passed" in markdown.read_text() and "No metric changed." in markdown.read_text(), markdown.read_text()
    # Another version is said, and is no failure; of a program's versions the file has those that results may depend on.
    text = file.read_text()
    assert "\nversions: {ns-3: '3.37'}\n" in text and "\n# 10 flows, FCT: mean 5.5us, P50 5us, P99 10us, max 10us\n- name: run\n" in text, text
    (moved / "older.yaml").write_text(text.replace("ns-3: '3.37'", "ns-3: '3.36'"))
    differ = "version of ns-3: 3.36 in the baseline, 3.37 now"
    regress("check", "--allow-program", moved / "older.yaml", "--markdown", moved / "older.md", words=[differ, "Made with ns-3 3.37.", "passed"])
    assert f"* {differ}\n" in (moved / "older.md").read_text() and differ not in markdown.read_text(), "versions in the comment"
    (moved / "oldest.yaml").write_text(text.replace("versions: {ns-3: '3.37'}\n", ""))
    assert "version of" not in regress("check", "--allow-program", moved / "oldest.yaml", words=["passed"]), "a baseline without versions"
    regress("check", "--allow-program", file, "--with", "slow=1", "--junit", junit, "--markdown", markdown, status=1,
            words=["1 of 10", "+10.000% (flow 9)", "all.fct.max", "BEYOND", "FAILED"])
    failure = ElementTree.parse(junit).getroot().find("testsuite/testcase/failure")
    assert failure is not None and failure.get("message") == "all.fct.max +10.000%, bound 1%", f"JUnit: {junit.read_text()}"
    assert re.search(r"\| all\.fct\.max \| 10us \| 11us \| \+10\.000% \| 1% \| BEYOND \|", markdown.read_text()), markdown.read_text()
    regress("check", "--allow-program", file, "--with", "slow=0.05", words=["1 of 10", "within", "passed"])
    regress("check", "--allow-program", file, "--with", "slow=0.05", "--exact", status=1, words=["BEYOND", "FAILED"])
    regress("check", "--allow-program", file, "--with", "to=1", status=1, words=["OTHER FLOWS", "not the workload of the baseline"])
    regress("check", "--allow-program", file, "--with", "flows=9", status=1, words=["10 and 9 flows"])
    regress("check", "--allow-program", file, "--with", "fail=1", "--junit", junit, status=3, words=["ERROR", "failed on purpose"])
    assert ElementTree.parse(junit).getroot().get("errors") == "1", "JUnit of an error"
    text = file.read_text()
    for i, (old, new, words) in enumerate((("format: 1", "format: 2", ":2: format is '2'"), ("flows: 10", "flows: 9", "fct_ps has 10"),
                                           ("'*=1%'", "'much'", ":3: bounds"), ("1000000 ", "x ", "expected picoseconds"))):
        (moved / f"bad{i}.yaml").write_text(text.replace(old, new, 1))
        regress("check", "--allow-program", moved / f"bad{i}.yaml", status=2, words=[words])
    regress("check", "--allow-program", file, "--bound", "no.such=1%", status=2, words=["fits no metric"])
    (moved / "mine.txt").write_text("mine\n")
    regress("record", moved / "mine.txt", "--", moved / "program.py", status=2)
    assert (moved / "mine.txt").read_text() == "mine\n", "a file of others was replaced"


def test_inputs(folder):
    """A baseline knows the files that its runs have read, also behind those of options, and says which is another."""
    write_program(folder)
    (folder / "config.txt").write_text("TOPOLOGY_FILE sub/topology.txt\n")
    (folder / "sub").mkdir()
    (folder / "sub" / "topology.txt").write_text("1\n")
    file = folder / "base.yaml"
    regress("record", file, "--", "./program.py", "--config=config.txt", cwd=folder)
    text = regress("check", "--allow-program", file, "--exact", words=["0 not within"])
    assert "is not that of the baseline" not in text, text
    (folder / "sub" / "topology.txt").write_text("2\n")
    # The results are the same, but they say nothing of the program any more: that is no pass.
    text = regress("check", "--allow-program", file, "--junit", folder / "junit.xml", status=1, words=[
        "sub/topology.txt is not that of the baseline in 1 run(s), first run", "OTHER INPUTS", "0 of 10", "not of the baseline's inputs (1): FAILED"])
    assert "config.txt is not" not in text, text
    failure = ElementTree.parse(folder / "junit.xml").getroot().find("testsuite/testcase/failure")
    assert failure is not None and "sub/topology.txt" in failure.get("message"), "JUnit of other inputs"
    # The same content elsewhere is no other input.
    (folder / "sub" / "topology.txt").write_text("1\n")
    (folder / "sub").rename(folder / "below")
    (folder / "config.txt").write_text("TOPOLOGY_FILE below/topology.txt\n")
    text = regress("check", "--allow-program", file, status=1, words=["config.txt is not that of the baseline"])
    assert "topology.txt is not" not in text, text
    earlier = yaml.safe_load(file.read_text())  # of a version without inputs, and with times as a block
    del earlier["runs"][0]["inputs"]
    times = earlier["runs"][0].pop("fct_ps")
    file.write_text(yaml.safe_dump(earlier, sort_keys=False) + f"  fct_ps: |\n    {times[:8]}\n    {times[8:]}\n")
    text = regress("check", "--allow-program", file)
    assert "is not that of the baseline" not in text, text


def test_simulator(programs, folder):
    """An experiment: unchanged it gives no alarm, also with another event scheduler or two threads; parameters moved by some percent do."""
    (folder / "mine.yaml").write_text("title: Mine\nprogram: two-dc-leaf-spine\noptions: {duration: 300us, load: 0.6}\n"
                                      "grid: {cc: [Dcqcn, Hpcc]}\nmetrics: {average: {of: slowdown, statistic: mean}}\n")
    file = folder / "base.yaml"
    regress("record", file, folder / "mine.yaml", "--build", programs.build, words=["2 run(s)"])
    regress("check", file, "--build", programs.build, "--exact", words=["0 not within"])
    for more in ("scheduler=ns3::MapScheduler", "threads=2"):
        regress("check", file, "--build", programs.build, "--exact", "--with", more, words=["0 not within"])
    text = mutants("", file, "--build", programs.build, "--count", "6", words=["6 mutants: "])
    assert mutants("", file, "--build", programs.build, "--count", "6") == text, "mutants of a seed are the same"
    # Of another program mutants would say nothing: an unchanged run must be the baseline first.
    other = folder / "other.yaml"
    other.write_text(re.sub(r"(fct_ps: )(\d+)", r"\g<1>1\2", file.read_text(), count=1))
    mutants("", other, "--build", programs.build, "--count", "1", status=2,
            words=["the program without a mutant does not give the baseline (1 of", "record it again"])
    large = re.search(r"bound 1%: (\d+) of (\d+) caught, (\d+) of (\d+) of the large; 0 alarms", text)
    assert large and large[3] == large[4] and int(large[2]) > 0, f"what moves a P99 by 1 % is caught: {text}"


class Comments(http.server.BaseHTTPRequestHandler):
    """Takes comments as GitHub and GitLab do, and keeps them."""

    def do_POST(self):  # pylint: disable=invalid-name
        """A comment."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.found.append((self.path, self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN"), body))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        """Not on standard error."""


@pytest.fixture
def comments():
    """A server of comments. @return its address, and what it got"""
    server = http.server.HTTPServer(("127.0.0.1", 0), Comments)
    server.found = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", server.found
    server.shutdown()


def of_github(document):
    """@return the commands of a workflow for GitHub: before the check, the check, after it"""
    steps = [step["run"] for step in document["jobs"]["baseline"]["steps"] if "run" in step]
    check = next(i for i, step in enumerate(steps) if "regress check" in step)
    return steps[:check], steps[check], steps[check + 1:]


def of_gitlab(document):
    """The same of one for GitLab."""
    job = document["fct-baseline"]
    return job["before_script"] + job["script"][:-1], job["script"][-1], job["after_script"]


@pytest.mark.parametrize("name, parts", (("github", of_github), ("gitlab", of_gitlab)))
def test_workflow(programs, folder, comments, name, parts):
    """The commands of the files for a CI, in a project outside the repository; packages and build of the module are there."""
    if programs.sanitized():
        pytest.skip("programs of other projects would have to be sanitized, too")
    address, found = comments
    before, check, after = parts(yaml.safe_load((SCRIPTS / "examples" / f"{name}-baseline.yml").read_text()))
    shutil.copytree(SCRIPTS, folder / "ns-3-roce" / "scripts", ignore=shutil.ignore_patterns("__pycache__", "experiments"))
    (folder / "ns-3-roce" / "build").symlink_to(programs.build)
    for path in (ROOT / "contrib" / "roce" / "doc" / "own-project").iterdir():
        shutil.copy(path, folder)
    environment = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "TMPDIR")}
    environment.update({"GITHUB_STEP_SUMMARY": "summary.md", "TOKEN": "secret", "COMMENTS": f"{address}/comments", "COMMENT_TOKEN": "secret",
                        "CI_API_V4_URL": address, "CI_PROJECT_ID": "7", "CI_MERGE_REQUEST_IID": "8"})

    def shell(command, status=0):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                              env=environment)
        assert done.returncode == status, f"{command}: {done}"

    here = [command for command in before if "install.sh" not in command and "apt-get" not in command and "scripts/build.sh" not in command]
    assert len(before) - len(here) == 3 and here, f"commands: {before}"
    for command in here:
        shell(command)
    shell("ns-3-roce/scripts/regress record fct-baseline.yaml --seeds 2 -- build/mine --duration=100us")
    shell(check)
    shell(check + " --with ns3::roce::EcnMarker::Kmin=20000 --with ns3::roce::EcnMarker::Kmax=30000 --with load=0.9", 1)
    assert ElementTree.parse(folder / "regress.xml").getroot().get("failures") == "2", "JUnit file"
    for command in after:
        shell(command)
    (path, token, body), report = found[0], (folder / "report.md").read_text()
    assert len(found) == 1 and path in ("/comments", "/projects/7/merge_requests/8/notes") and "secret" in token, found
    text = json.loads(body)["body"] if name == "github" else urllib.parse.parse_qs(body)["body"][0]
    assert text == report and "FAILED" in text, f"comment: {text}"


def test_copies(folder):
    """change_flows() of campaign.py and regress agree on what 3 % are."""
    program = write_program(folder)
    base, new = make(program, folder / "a"), make(program, folder / "b")
    change_flows(new / "flows.csv", slower)
    regress(base, new, "--bound", "3.1%")
    regress(base, new, "--bound", "2.9%", status=1, words=["+3.000%"])
    regress(base, base, words=["passed"])


def diff(*arguments, status, words=()):
    """scripts/fct_diff.py, in the same way."""
    return regress(*arguments, status=status, words=words, program=SCRIPTS / "fct_diff.py")


def test_flow_by_flow(folder):
    """scripts/fct_diff.py: what differs of which flow, within a share or a time, and what is never within one."""
    program = write_program(folder)
    base, new = make(program, folder / "a", "--slow=0"), make(program, folder / "b", "--slow=1")
    diff(base, base, status=0, words=["10 flows compared: 0 differ: same"])
    text = diff(base, new, status=1, words=["10 flows compared: 1 differ: DIFFERENT"])
    assert re.search(r"^ +9 +10000 +10000\.000 +11000\.000 +\+10\.0000% +fct_ns receiver_fct_ns slowdown +-$", text, re.M), text
    assert re.search(r"^<=10KB +10 +1 +1 +\+1\.0000% +\+10\.0000% +5\.5\d+ +5\.6\d+ +10\.0+ +11\.0+$", text, re.M), text
    diff(base, new, "--tolerance", "10%", status=0, words=["1 differ, 0 beyond the tolerance: same within the tolerance"])
    diff(base, new, "--tolerance", "9.99%", status=1, words=["1 beyond the tolerance: DIFFERENT"])
    diff(base, new, "--tolerance", "1us", status=0)
    diff(base, new, "--tolerance", "999.999ns", status=1, words=["fct_ns receiver_fct_ns"])
    change_flows(new / "flows.csv", lambda row: row.update(packets="7"), lambda row: row["id"] == "3")
    diff(base, new, status=1, words=["packets"])
    diff(base, new, "--tolerance", "10%", status=0, words=["2 differ, 0 beyond"])
    change_flows(new / "flows.csv", lambda row: row.update(dst="5"), lambda row: row["id"] == "3")
    diff(base, new, "--tolerance", "1000%", status=1, words=["dst", "1 beyond"])
    change_flows(new / "flows.csv", lambda row: row.update(fct_ns="", receiver_fct_ns="", slowdown="", status="unfinished"),
                 lambda row: row["id"] == "3")
    diff(base, new, "--tolerance", "1000%", status=1, words=["status"])
    (new / "flows.csv").write_text("".join((new / "flows.csv").read_text().splitlines(True)[:-1]))
    diff(base, new, status=1, words=[f"only in {base}: 1 flow(s): 9"])
    assert "expected for example" in run(SCRIPTS / "fct_diff.py", base, new, "--tolerance", "all=1%", status=2).stderr, \
        "a tolerance with a pattern"
