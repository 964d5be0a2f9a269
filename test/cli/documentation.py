#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The documentation says what is there: the site builds without warnings, all types have help texts, what the chapters and
README.md name (files, programs, options, attributes, tests) exists, and their C++ compiles.

    documentation.py BUILD_DIR

test/cli/chapters.py runs the commands.
"""

import csv
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "documentation"))
from chapters import DOC, ROOT, blocks, chapters  # noqa: E402  pylint: disable=wrong-import-position

MODULE = ROOT / "contrib" / "roce"
README = ROOT / "README.md"
PREFIX = "ns3::roce::"
TUTORIAL = "Aimd"  # the rate law of the tutorial, which is not in the module
# Names in the text that stand for something else, or for files that a user's work will make.
PLACEHOLDERS = re.compile(r"\bCLASS\b|\bNAME\b|roce-aimd|aimd-test|^--ns3::roce::Class::")


def check(condition, what):
    """End with one line if something is wrong."""
    if not condition:
        sys.exit("FAILED " + what)


def run(*command, **options):
    """@return the finished process, with its output."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=300, check=False, **options)


# Site -----------------------------------------------------------------------------------------------------------------

def after_quick_start(build, folder):
    """A build without roce-type-tables, which scripts/quickstart.sh leaves out, and a cmake that makes it from one that has it.

    @return the build, and the environment in which build-doc.py is to find that cmake
    """
    bare, tools, log = folder / "build", folder / "tools", folder / "cmake.log"
    (bare / "bin").mkdir(parents=True)
    tools.mkdir()
    (bare / "CMakeCache.txt").write_text("")
    (tools / "cmake").write_text(f'#!/bin/sh\necho "$@" >>{log}\nln -s {build}/bin/roce-type-tables {bare}/bin/\n')
    (tools / "cmake").chmod(0o755)
    return bare, {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}


def headings(html):
    """Each page of the site has one title, which is in its head as well."""
    pages = sorted(p for p in html.rglob("*.html") if p.stem not in ("search", "genindex"))
    check(len(pages) > 40, f"{len(pages)} pages")
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found = re.findall(r"<h1>(.*?)<", text)
        check(len(found) == 1 and found[0] and "&lt;no title&gt;" not in text,
              f"{page.relative_to(html)}: headings {found}, expected one: is the line below the title as long as it?")


def site(build):
    """scripts/build-doc.py has no complaint, all figures are used, the version is shown; @return the types it has found."""
    with tempfile.TemporaryDirectory(prefix="roce-documentation-") as folder:
        bare, environment = after_quick_start(build, Path(folder))
        done = run("/usr/bin/python3", ROOT / "scripts" / "build-doc.py", bare, env=environment)
        check(done.returncode == 0 and not done.stderr, f"scripts/build-doc.py after the quick start: {done.stderr}")
        called = (Path(folder) / "cmake.log").read_text(encoding="utf-8").split("\n")
        check(len(called) == 2 and called[0].split() == ["--build", str(bare), "--parallel", "--target", "roce-type-tables"],
              f"cmake: {called}")
        headings(bare / "doc" / "html")
        return pages_of(build, bare)


def pages_of(build, made):
    """What the pages have. @param made the build that they are in @return the types that build-doc.py has found"""
    html = made / "doc" / "html"
    used = {path.name for path in (html / "_images").iterdir()}
    there = {path.name for path in (DOC / "figures").iterdir()}
    check(used == there and used, f"figures: {sorted(there)} in doc/figures, {sorted(used)} in the chapters")
    version = run(build / "bin" / "first-flow", "--version").stdout.split()[-1]
    check(f"about version {version};" in (html / "index.html").read_text(encoding="utf-8"), f"index.html: no version {version}")
    types = json.loads((made / "doc" / "types.json").read_text(encoding="utf-8"))
    check(len(types) > 30, f"types: {len(types)}")
    for entry in types:
        check(entry["group"] == "Roce", f"{entry['name']} has no SetGroupName(\"Roce\"): --PrintGroup=Roce and summary.json leave "
                                        "it out")
        for item in entry["attributes"] + entry["traces"]:
            check(item["help"].strip(), f"{entry['name']}::{item['name']} has no help text")
    page = re.sub("<[^>]+>", "", (html / "traces.html").read_text(encoding="utf-8"))
    for arguments in ("const MessageRecord&amp; record", "uint16_t port, uint8_t trafficClass, uint64_t bytes, Time at"):
        check(arguments in page, f"traces.html: no sink with the arguments ({arguments})")
    check(not re.search(r"\w+Callback", page), "traces.html names a typedef, expected the arguments of the sinks")
    page = (html / "attributes.html").read_text(encoding="utf-8")
    check(all(f">{entry['name'].replace(PREFIX, '')}<" in page for entry in types), "attributes.html: a type is missing")
    page = (html / "profiles.html").read_text(encoding="utf-8")
    for entry in types:
        tables = {a["name"]: a for a in entry["attributes"] if a["profiles"]}
        for profile in tables["Profile"]["range"].split(", ") if "Profile" in tables else []:
            section = page[page.index(f"<h2>{entry['name'].replace(PREFIX, '')}<"):].split("</section>")[0]
            missing = [name for name in tables if name != "Profile" and f">{name}<" not in section]
            check(f"<p>{profile}</p>" in section and not missing, f"profiles.html: {entry['name']} lacks {profile} or {missing}")
    return types


def lists(types):
    """What the chapters list is complete: programs, rate laws and tuners, papers; numbers of statements are those of the tables."""
    for example in sorted((MODULE / "examples").glob("*.cc")):
        for chapter, name in (("start.rst", f"``{example.stem}``"), ("roce.rst", f"``{example.name}``")):
            check(name in (DOC / chapter).read_text(encoding="utf-8"), f"{chapter}: example {example.stem} is missing")
    text = re.sub("[^a-z]", "", (MODULE / "README.md").read_text(encoding="utf-8").lower().replace("+", "plus"))
    bases = {entry["parent"] for entry in types}
    for entry in types:
        if entry["parent"] in (PREFIX + "CongestionControl", PREFIX + "Tuner") and entry["name"] not in bases:
            name = entry["name"].replace(PREFIX, "")
            check(name.lower() in text, f"contrib/roce/README.md: {name} is missing")
    campaigns = (DOC / "howto" / "campaigns.rst").read_text(encoding="utf-8")
    for table in sorted((ROOT / "scripts" / "experiments").glob("*/*targets.csv")):
        paper = table.parent.name
        check(f":doc:`/papers/{paper}`" in campaigns, f"campaigns.rst: paper {paper}, of which {table.name} has statements, is missing")
        with open(table, newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["paper"] == paper]
        if table.name != "targets.csv":
            continue  # another reading of the same paper
        chapter = (DOC / "papers" / f"{paper}.rst").read_text(encoding="utf-8")
        numbers = re.findall(r"[Oo]f (?:the (?:paper's|same) )?(\d+) statements", chapter)
        check(numbers, f"{paper}.rst: no 'Of the paper's N statements', expected the number of those in {table.name}")
        for number in numbers:
            check(int(number) == len(rows), f"{paper}.rst: {number} statements, {table.name} has {len(rows)}")


def module_chapter():
    """roce.rst alone, as a page of ns-3's manual: no warning, and the sections that ns-3 asks for in their order."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        source.mkdir()
        shutil.copy(DOC / "roce.rst", source)
        (source / "conf.py").write_text("project = 'ns-3'\n", encoding="utf-8")
        (source / "index.rst").write_text("ns-3\n====\n\n.. toctree::\n\n   roce\n", encoding="utf-8")
        done = run("sphinx-build", "-q", "-W", "--keep-going", "-n", "-b", "html", source, Path(folder) / "html")
        check(done.returncode == 0 and not done.stderr.strip(), "roce.rst: " + done.stderr.replace(str(source), "doc"))
        page = (Path(folder) / "html" / "roce.html").read_text(encoding="utf-8")
    order = ["Model Description", "Scope and Limitations", "Design", "References", "Usage", "Helpers", "Attributes", "Output",
             "Advanced Usage", "Examples", "Troubleshooting", "Validation"]
    found = [title for title in re.findall(r"<h[2-4]>([^<]+)<", page) if title in order]
    check(found == order, f"roce.rst: sections {found}, expected {order}")


# What the texts name ---------------------------------------------------------------------------------------------------

def options_of(build, program, cache={}):
    """@return the names of a program's options."""
    if program not in cache:
        done = run(build / "bin" / program, "--help")
        check(done.returncode == 0, f"{program} --help: status {done.returncode}")
        cache[program] = set(re.findall(r"^ +--([A-Za-z0-9]+)", done.stdout, re.M)) | {"help"}
    return cache[program]


def folders(build):
    """@return the build folders that share the tests among them (scripts/test.sh)."""
    others = filter(None, os.environ.get("ROCE_BUILD_VARIANTS", "").split(":"))
    return [build, *(folder for folder in map(Path, others) if folder != build)]


def tests_of(build):
    """@return all tests as CTest names them without sanitizers."""
    found = set()
    for folder in folders(build):
        for line in run("ctest", "--test-dir", folder, "-N").stdout.splitlines():
            found.update(re.findall(r"Test +#\d+: (\S+)$", line))
        for kind in ("unit", "system", "release"):
            program = folder / "bin" / f"roce-{kind}-tests"
            if program.exists():
                listed = run(program, "--gtest_list_tests").stdout
                found.update(f"{kind}.{suite}" for suite in re.findall(r"^(\S+?)\.", listed, re.M))
    return found


def paths(build, file, text):
    """Files and programs named in a text exist."""
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        check("://" in target or (file.parent / target).exists(), f"{file.name}: no file for the link {target}")
    for name in re.findall(r"(?<![\w/.-])(?:(?:scripts|examples|scratch|test|contrib|\.ci)/[\w./*{},-]*\w)", text):
        if "{" in name or "*" in name or PLACEHOLDERS.search(name):
            continue
        name = name.split(",")[0]
        check((ROOT / name).exists(), f"{file.name} names {name}, which does not exist")
    for name in re.findall(r"build/bin/([\w-]+)", text):
        check(any((folder / "bin" / name).exists() for folder in folders(build)),
              f"{file.name} names the program {name}, which build/bin does not have")


def commands(build, file, text):
    """Options in the texts' commands are options of those programs."""
    joined = re.sub(r"\\\n\s*", " ", text)
    count = 0
    for program, rest in re.findall(r"^[ $]*build/bin/([\w-]+) (.*)$", joined, re.M):
        if program.startswith("roce-"):
            continue
        for option in re.findall(r"(?:^| )--([A-Za-z]\w*)(?==|\s|$)", rest.split(" #")[0]):
            if option.startswith("Print"):
                continue
            check(option in options_of(build, program), f"{file.name}: {program} has no option --{option}")
            count += 1
    for script, rest in re.findall(r"^[ $]*(scripts/[\w./-]+\.py) (.*)$", joined, re.M):
        known = run("/usr/bin/python3", ROOT / script, "--help").stdout
        for option in re.findall(r"(?:^| )(--[\w-]+)", rest.split(" #")[0].split(" -- ")[0]):
            check(option in known, f"{file.name}: {script} has no option {option}")
            count += 1
    return count


def names(types, file, text):
    """Attributes and members named in the texts exist."""
    known = {}
    for entry in types:
        known[entry["name"].replace(PREFIX, "")] = entry
    headers = "".join(path.read_text(encoding="utf-8") for path in sorted(MODULE.rglob("*.h")))

    def has(entry, name):
        while entry:
            if any(item["name"] == name for item in entry["attributes"] + entry["traces"]):
                return True
            entry = known.get(entry["parent"].replace(PREFIX, ""))
        return False

    count = 0
    for kind, name in re.findall(r"--ns3::roce::(\w+)::(\w+)=", text):
        if kind not in ("Class", TUTORIAL):
            check(kind in known and has(known[kind], name), f"{file.name}: there is no attribute ns3::roce::{kind}::{name}")
            count += 1
    for kind, parameters in re.findall(rf"\b(?!{TUTORIAL})([A-Z]\w+)\[(\w+=[^\]\s]+)\]", text):
        for name in re.findall(r"(?:^|\|)(\w+)=", parameters):
            check(kind in known and has(known[kind], name), f"{file.name}: {kind}[...] has no attribute {name}")
            count += 1
    for kind, name in re.findall(r"`(?:ns3::roce::)?([A-Z]\w+)::([A-Z]\w+)", text):
        if kind in known:
            check(has(known[kind], name) or re.search(rf"\b{name}\b", headers), f"{file.name}: {kind} has no {name}")
            count += 1
    return count


def snippets(build):
    """The pieces of C++ in the chapters compile, each as the body of a function that has a network; @return their number."""
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        entry = next(e for e in json.load(file) if e["file"].endswith("/own-transport.cc"))
    words = shlex.split(entry["command"])
    flags = [w for i, w in enumerate(words) if w.startswith(("-I", "-D", "-std", "-f", "-isystem"))
             or (i and words[i - 1] == "-isystem")]
    compiler = next(w for w in words if re.search(r"(\+\+|cc|clang)[\d.-]*$", Path(w).name) and "ccache" not in w)
    pieces = [block.text() for path in chapters() for block in blocks(path)
              if block.name == "code-block" and block.argument == "cpp"]
    functions = [f"void Piece{i}([[maybe_unused]] Network& network)\n{{\n{{\n{piece}}}\n}}\n" for i, piece in enumerate(pieces)]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pieces.cc"
        source.write_text('#include "ns3/core-module.h"\n#include "ns3/network-module.h"\n#include "ns3/roce-module.h"\n'
                          "using namespace ns3;\nusing namespace ns3::roce;\n" + "\n".join(functions), encoding="utf-8")
        done = run(compiler, *flags, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", source)
        check(done.returncode == 0, f"C++ in the chapters: {done.stderr}")
    return len(pieces)


def promised_tests(build):
    """Each promise about results names tests that there are."""
    promises = DOC / "howto" / "results.rst"
    text = promises.read_text(encoding="utf-8")
    tests = tests_of(build)
    named = set(re.findall(r"``((?:unit|system|cli|fuzz)\.[\w-]+)``", text))
    check(len(named) > 8, f"tests named in {promises.name}: {sorted(named)}")
    for name in sorted(named):
        check(any(test == name or test.startswith(name + ".") for test in tests), f"{promises.name}: no test {name}")
    script = (ROOT / "test" / "cli" / "results.py").read_text(encoding="utf-8")
    for group in re.findall(r"``cli.results`` \(([^)]*)\)", text):
        for part in group.split(","):
            check(f"def test_{part.strip()}(" in script, f"{promises.name}: test/cli/results.py has no {part.strip()}")


def main():
    """All of it."""
    if len(sys.argv) != 2:
        sys.exit("usage: documentation.py BUILD_DIR")
    build = Path(sys.argv[1]).resolve()
    types = site(build)
    lists(types)
    module_chapter()
    options = attributes = 0
    for file in (README, MODULE / "README.md", *chapters()):
        text = file.read_text(encoding="utf-8")
        paths(build, file, text if file != MODULE / "README.md" else "")
        options += commands(build, file, text)
        attributes += names(types, file, text)
    check(options > 20 and attributes > 20, f"options: {options}, attributes: {attributes} found in the texts")
    lines = README.read_text(encoding="utf-8").count("\n")
    check(lines <= 130, f"README.md has {lines} lines, expected two screens; longer things belong into contrib/roce/doc")
    pieces = snippets(build)
    check(pieces > 1, f"pieces of C++: {pieces}")
    promised_tests(build)
    print(f"documentation: {len(types)} types; {options} options, {attributes} names and {pieces} pieces of C++ checked")


if __name__ == "__main__":
    main()
