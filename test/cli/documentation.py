# SPDX-License-Identifier: GPL-2.0-only
"""The documentation says what is there: the site builds without warnings, all types have help texts, what the chapters and
README.md name (files, programs, options, attributes, tests) exists, and their C++ compiles.

test/cli/chapters.py runs the commands. With Chromium, all pages of the site are opened.
"""

import functools
import importlib.util
import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from chapters import DOC, ROOT, SYSTEMS, blocks, chapters, figures

from support import SCRIPTS, browser, rows, run

MODULE = ROOT / "contrib" / "roce"
README = ROOT / "README.md"
PREFIX = "ns3::roce::"
TUTORIAL = "Aimd"  # the rate law of the tutorial, which is not in the module
WIDTHS = (390, 1300, 1920)  # of windows, px
# How much wider than the window a page is, and elements that are the reason.
TOO_WIDE = """(() => {
  const width = document.documentElement.clientWidth, wide = document.documentElement.scrollWidth - width;
  const boxed = e => { for (let p = e.parentElement; p && p !== document.body; p = p.parentElement)
    if (getComputedStyle(p).overflowX !== 'visible') return true; return false; };
  return wide <= 0 ? '' : wide + ' px: ' + [...document.body.querySelectorAll('*')]
    .filter(e => e.getBoundingClientRect().right > width + 1 && !boxed(e)).slice(-3)
    .map(e => e.tagName + ' ' + e.textContent.trim().slice(0, 40)).join(', ');
})()"""
# Names in the text that stand for something else, or for files that a user's work will make.
PLACEHOLDERS = re.compile(r"\bCLASS\b|\bNAME\b|roce-aimd|aimd-test|^--ns3::roce::Class::")


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
    return bare, {"PATH": f"{tools}:{os.environ['PATH']}"}


def headings(html):
    """Each page of the site has one title, which is in its head as well."""
    pages = sorted(html.rglob("*.html"))
    assert len(pages) > 40, f"{len(pages)} pages"
    for page in pages:
        text = page.read_text(encoding="utf-8")
        found = re.findall(r"<h1(?! class=.logo)[^>]*>(.*?)<", text)
        assert len(found) == 1 and found[0] and "&lt;no title&gt;" not in text, \
            f"{page.relative_to(html)}: headings {found}, expected one: is the line below the title as long as it?"


@pytest.fixture(scope="module")
def site(build, shared_folder):
    """What scripts/build-doc.py makes, without a complaint."""
    bare, environment = after_quick_start(build, shared_folder)
    done = run("/usr/bin/python3", SCRIPTS / "build-doc.py", bare, env=environment)
    assert not done.stderr, f"scripts/build-doc.py after the quick start: {done.stderr}"
    called = (shared_folder / "cmake.log").read_text(encoding="utf-8").split("\n")
    assert len(called) == 2 and called[0].split() == ["--build", str(bare), "--parallel", "--target", "roce-type-tables"], \
        f"cmake: {called}"
    return bare / "doc"


@pytest.fixture(scope="module")
def types(site):
    """The types that build-doc.py has found."""
    return json.loads((site / "types.json").read_text(encoding="utf-8"))


def test_pages(programs, site, types):
    """All figures are used, the version is shown, and all types are on their pages."""
    html = site / "html"
    headings(html)
    used = {path.name for path in (html / "_images").iterdir()}
    there = {path.name for path in figures()}
    assert used == there and used, f"figures: {sorted(there)} in the sources, {sorted(used)} in the chapters"
    version = programs.run("first-flow", "--version").stdout.split()[-1]
    assert f"about version {version};" in (html / "index.html").read_text(encoding="utf-8"), f"index.html: no version {version}"
    assert len(types) > 30, f"types: {len(types)}"
    for entry in types:
        assert entry["group"] == "Roce", \
            (f"{entry['name']} has no SetGroupName(\"Roce\"): --PrintGroup=Roce and summary.json leave " "it out")
        for item in entry["attributes"] + entry["traces"]:
            assert item["help"].strip(), f"{entry['name']}::{item['name']} has no help text"
    page = re.sub("<[^>]+>", "", (html / "traces.html").read_text(encoding="utf-8"))
    for arguments in ("const MessageRecord&amp; record", "uint16_t port, uint8_t trafficClass, uint64_t bytes, Time at"):
        assert arguments in page, f"traces.html: no sink with the arguments ({arguments})"
    assert not re.search(r"\w+Callback", page), "traces.html names a typedef, expected the arguments of the sinks"
    page = (html / "attributes.html").read_text(encoding="utf-8")
    assert all(f">{entry['name'].replace(PREFIX, '')}<" in page for entry in types), "attributes.html: a type is missing"
    page = (html / "profiles.html").read_text(encoding="utf-8")
    for entry in types:
        tables = {a["name"]: a for a in entry["attributes"] if a["profiles"]}
        for profile in tables["Profile"]["range"].split(", ") if "Profile" in tables else []:
            section = page[page.index(f"<h2>{entry['name'].replace(PREFIX, '')}<"):].split("</section>")[0]
            missing = [name for name in tables if name != "Profile" and f">{name}<" not in section]
            assert f"<p>{profile}</p>" in section and not missing, f"profiles.html: {entry['name']} lacks {profile} or {missing}"


def test_reference(site):
    """Classes that design.rst names as doors are on a page of the reference, each with its functions."""
    text = (DOC / "design.rst").read_text(encoding="utf-8")
    rows_of_doors = re.findall(r"^   \* - (.*)\n     - (.*)\n", text[text.index(".. _doors:"):], re.M)
    doors = {name for _, classes in rows_of_doors for name in re.findall(r"``(\w+)``", classes)}
    assert len(doors) > 12 and "SwitchStage" in doors, f"doors: {sorted(doors)}"
    pages = {path.stem: path.read_text(encoding="utf-8") for path in (site / "html" / "api").iterdir()}
    if not shutil.which("doxygen") or not importlib.util.find_spec("breathe"):
        assert list(pages) == ["index"] and "roce-switch-stage.h" in pages["index"], f"pages without doxygen: {sorted(pages)}"
        pytest.skip("doxygen and Breathe make the pages of classes")
    missing = [name for name in sorted(doors) if not any(f"ns3::roce::{name}" in text or f"{name}</span>" in text for text in pages.values())]
    assert not missing, f"contrib/roce/doc/api.py shows no {missing}, which design.rst names as doors"
    for page, function in (("rate-laws", "OnAck"), ("switch-stages", "OnArrival"), ("tuners", "GetCounters"), ("programs", "RunScenario")):
        assert f">{function}<" in pages[page], f"api/{page}.html: no {function}()"


def test_publish(site, folder):
    """A folder for static hosting: all pages, nothing that needs a server, and no folder of others is replaced."""
    sys.path.insert(0, str(DOC))
    spec = importlib.util.spec_from_file_location("build_doc", SCRIPTS / "build-doc.py")
    build_doc = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build_doc)
    place = folder / "pages"
    build_doc.publish(site / "html", place)
    (place / "old.html").write_text("old")
    (place / ".git").write_text("of a worktree")
    build_doc.publish(site / "html", place)
    pages = {path.relative_to(site / "html") for path in (site / "html").rglob("*.html")}
    assert {path.relative_to(place) for path in place.rglob("*.html")} == pages, "pages of the copy are others"
    assert (place / ".nojekyll").exists() and (place / ".git").exists() and not (place / ".doctrees").exists(), sorted(place.iterdir())
    for page in place.rglob("*.html"):
        loads = re.findall(r"<(?:script|img|link)[^>]+(?:src|href)=\"(?:[a-z]+:|/)[^\"]*", page.read_text(encoding="utf-8"))
        assert not loads, f"{page.relative_to(place)}: {loads}"
    (folder / "mine").mkdir()
    (folder / "mine" / "file").write_text("mine")
    with pytest.raises(SystemExit):
        build_doc.publish(site / "html", folder / "mine")
    assert [path.name for path in (folder / "mine").iterdir()] == ["file"], "a folder of others was changed"


@pytest.mark.skipif(not browser.PROGRAM, reason="Chromium opens the pages")
def test_browser(site):
    """Each page from its file: no complaint on the console, nothing from the network, not wider than the window; the search finds."""
    html = site / "html"
    wrong = []
    with browser.Browser() as chromium:
        chromium.call("Emulation.setScrollbarsHidden", hidden=True)
        for page in sorted(html.rglob("*.html")):
            chromium.errors = []
            chromium.open(page, WIDTHS[0])
            for width in WIDTHS:
                chromium.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
                wide = chromium.run(TOO_WIDE)
                wrong += [f"{page.relative_to(html)} at {width} px is wider than the window by {wide}"] if wide else []
            wrong += [f"{page.relative_to(html)}: {error}" for error in chromium.errors]
        assert not wrong, "\n".join(wrong)
        chromium.open(html / "search.html", WIDTHS[1])
        found = chromium.run("""new Promise(done => {
          Search.performSearch('headroom');
          const look = () => /Search finished/.test(document.body.innerText)
            ? done([...document.querySelectorAll('#search-results a')].map(a => a.innerText)) : setTimeout(look, 50);
          look();
        })""")
        assert "Long links: buffers and thresholds" in found and not chromium.errors, f"search for headroom: {found}, {chromium.errors}"


# Pages that show whole files, so that they can be read on GitHub, too, and those files.
SHOWN = {"tutorial.rst": sorted((DOC / "tutorial").iterdir()),
         "howto/own-project.rst": sorted((DOC / "own-project").iterdir()),
         "howto/regression.rst": [ROOT / "scripts" / "examples" / f"{host}-baseline.yml" for host in ("github", "gitlab")],
         "howto/sockets.rst": [DOC / "howto" / "tcp-bulk-send.diff"]}


@pytest.mark.parametrize("page", SHOWN)
def test_shown_files(page):
    """What a page shows of files, which are built and tested, is all that they have behind licence and comment."""
    for file in SHOWN[page]:
        pieces = [block.text().strip("\n") for block in blocks(DOC / page)
                  if Path(block.options.get("caption", "").split(",")[0]).name == file.name]
        text = re.sub(" +$", "", file.read_text(encoding="utf-8"), flags=re.M).rstrip("\n") + "\n"
        head, found, rest = text.partition("\n\n".join(pieces) + "\n")
        assert pieces and found and not rest and all(line.startswith(("//", "#", " *", "/*")) for line in head.splitlines() if line), \
            f"{page} shows another text than {file.name}"


def test_pages_show_code():
    """On GitHub, literalinclude shows nothing."""
    assert not [page.name for page in chapters() if "literalinclude::" in page.read_text(encoding="utf-8")]


def test_lists(types):
    """What the chapters list is complete: programs, rate laws and tuners, papers; numbers of statements are those of the tables."""
    for example in sorted((MODULE / "examples").glob("*.cc")):
        for chapter, name in (("start.rst", f"``{example.stem}``"), ("roce.rst", f"``{example.name}``")):
            assert name in (DOC / chapter).read_text(encoding="utf-8"), f"{chapter}: example {example.stem} is missing"
    text = re.sub("[^a-z]", "", (MODULE / "README.md").read_text(encoding="utf-8").lower().replace("+", "plus"))
    bases = {entry["parent"] for entry in types}
    for entry in types:
        if entry["parent"] in (PREFIX + "CongestionControl", PREFIX + "Tuner") and entry["name"] not in bases:
            name = entry["name"].replace(PREFIX, "")
            assert name.lower() in text, f"contrib/roce/README.md: {name} is missing"
    campaigns = (DOC / "howto" / "campaigns.rst").read_text(encoding="utf-8")
    for table in sorted((ROOT / "scripts" / "experiments").glob("*/*targets.csv")):
        paper = table.parent.name
        assert f":doc:`/papers/{paper}`" in campaigns, f"campaigns.rst: paper {paper}, of which {table.name} has statements, is missing"
        statements = sum(row["paper"] == paper for row in rows(table))
        if table.name != "targets.csv":
            continue  # another reading of the same paper
        own = SYSTEMS / paper / "doc" / f"{paper}.rst"
        chapter = (own if own.exists() else DOC / "papers" / f"{paper}.rst").read_text(encoding="utf-8")
        numbers = re.findall(r"[Oo]f (?:the (?:paper's|same) )?(\d+) statements", chapter)
        assert numbers, f"{paper}.rst: no 'Of the paper's N statements', expected the number of those in {table.name}"
        for number in numbers:
            assert int(number) == statements, f"{paper}.rst: {number} statements, {table.name} has {statements}"


def test_without_systems(build, folder):
    """A build with one system has the chapter of this one, and links to no other."""
    (folder / "bin").symlink_to(build / "bin")
    (folder / "CMakeCache.txt").write_text("ROCE_SYSTEMS:STRING=reflex\n", encoding="utf-8")
    done = run("/usr/bin/python3", SCRIPTS / "build-doc.py", folder, status=None)
    assert not done.returncode and not done.stderr, f"scripts/build-doc.py with one system: {done.stderr}"
    papers = {path.stem for path in (folder / "doc" / "html" / "papers").iterdir()}
    for system in sorted(path.parent.name for path in SYSTEMS.glob("*/doc")):
        assert (system in papers) == (system == "reflex"), f"built is reflex; pages of papers: {sorted(papers)}"


def test_module_chapter(folder):
    """roce.rst alone, as a page of ns-3's manual: no warning, and the sections that ns-3 asks for in their order."""
    source = folder / "source"
    source.mkdir()
    shutil.copy(DOC / "roce.rst", source)
    (source / "conf.py").write_text("project = 'ns-3'\n", encoding="utf-8")
    (source / "index.rst").write_text("ns-3\n====\n\n.. toctree::\n\n   roce\n", encoding="utf-8")
    done = run("sphinx-build", "-q", "-W", "--keep-going", "-n", "-b", "html", source, folder / "html")
    assert not done.stderr.strip(), "roce.rst: " + done.stderr.replace(str(source), "doc")
    page = (folder / "html" / "roce.html").read_text(encoding="utf-8")
    order = ["Model Description", "Scope and Limitations", "Design", "References", "Usage", "Helpers", "Attributes", "Output",
             "Advanced Usage", "Examples", "Troubleshooting", "Validation"]
    found = [title for title in re.findall(r"<h[2-4]>([^<]+)<", page) if title in order]
    assert found == order, f"roce.rst: sections {found}, expected {order}"


# What the texts name ---------------------------------------------------------------------------------------------------

@functools.lru_cache
def options_of(programs, program):
    """@return the names of a program's options."""
    return set(re.findall(r"^ +--([A-Za-z0-9]+)", programs.run(program, "--help").stdout, re.M)) | {"help"}


def folders(build):
    """@return the build folders that share the tests among them (scripts/test.sh)."""
    others = filter(None, os.environ.get("ROCE_BUILD_VARIANTS", "").split(":"))
    return [build, *(folder for folder in map(Path, others) if folder != build)]


def ctest_names(build):
    """@return all tests as CTest names them without sanitizers."""
    found = set()
    for folder in folders(build):
        for line in run("ctest", "--test-dir", folder, "-N", status=None).stdout.splitlines():
            found.update(re.findall(r"Test +#\d+: (\S+)$", line))
        for kind in ("unit", "system", "release"):
            program = folder / "bin" / f"roce-{kind}-tests"
            if program.exists():
                listed = run(program, "--gtest_list_tests", status=None).stdout
                found.update(f"{kind}.{suite}" for suite in re.findall(r"^(\S+?)\.", listed, re.M))
    return found


def paths(build, file, text):
    """Files and programs named in a text exist."""
    for target in re.findall(r"\]\(([^)#]+)\)", text) if file.suffix == ".md" else []:
        assert "://" in target or (file.parent / target).exists(), f"{file.name}: no file for the link {target}"
    text = re.sub(r"^ *(?:---|\+\+\+) .*$", "", text, flags=re.M)  # a patch names files of ns-3
    for name in re.findall(r"(?<![\w/.-])(?:(?:scripts|examples|scratch|test|contrib|\.ci)/[\w./*{},-]*\w)", text):
        if "{" in name or "*" in name or PLACEHOLDERS.search(name):
            continue
        name = name.split(",")[0]
        assert (ROOT / name).exists(), f"{file.name} names {name}, which does not exist"
    for name in re.findall(r"build/bin/([\w-]+)", text):
        needs_others = (MODULE / "astra-sim" / f"{name}.cc").exists()  # built with -DASTRA_SIM_DIR only
        assert needs_others or any((folder / "bin" / name).exists() for folder in folders(build)), \
            f"{file.name} names the program {name}, which build/bin does not have"


def commands(programs, file, text):
    """Options in the texts' commands are options of those programs."""
    joined = re.sub(r"\\\n\s*", " ", text)
    count = 0
    for program, rest in re.findall(r"^[ $]*build/bin/([\w-]+) (.*)$", joined, re.M):
        if program.startswith("roce-"):
            continue
        for option in re.findall(r"(?:^| )--([A-Za-z]\w*)(?==|\s|$)", rest.split(" #")[0]):
            if option.startswith("Print"):
                continue
            assert option in options_of(programs, program), f"{file.name}: {program} has no option --{option}"
            count += 1
    for script, rest in re.findall(r"^[ $]*(scripts/[\w./-]+\.py) (.*)$", joined, re.M):
        known = run("/usr/bin/python3", ROOT / script, "--help", status=None).stdout
        for option in re.findall(r"(?:^| )(--[\w-]+)", rest.split(" #")[0].split(" -- ")[0]):
            assert option in known, f"{file.name}: {script} has no option {option}"
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
            assert kind in known and has(known[kind], name), f"{file.name}: there is no attribute ns3::roce::{kind}::{name}"
            count += 1
    for kind, parameters in re.findall(rf"\b(?!{TUTORIAL}|Tcp)([A-Z]\w+)\[(\w+=[^\]\s]+)\]", text):  # TcpX are ns-3's
        for name in re.findall(r"(?:^|\|)(\w+)=", parameters):
            assert kind in known and has(known[kind], name), f"{file.name}: {kind}[...] has no attribute {name}"
            count += 1
    for kind, name in re.findall(r"`(?:ns3::roce::)?([A-Z]\w+)::([A-Z]\w+)", text):
        if kind in known:
            assert has(known[kind], name) or re.search(rf"\b{name}\b", headers), f"{file.name}: {kind} has no {name}"
            count += 1
    return count


def test_snippets(build, folder):
    """The pieces of C++ in the chapters compile, each as the body of a function that has a network."""
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        entry = next(e for e in json.load(file) if e["file"].endswith("/own-transport.cc"))
    words = shlex.split(entry["command"])
    flags = [w for i, w in enumerate(words) if w.startswith(("-I", "-D", "-std", "-f", "-isystem"))
             or (i and words[i - 1] == "-isystem")]
    compiler = next(w for w in words if re.search(r"(\+\+|cc|clang)[\d.-]*$", Path(w).name) and "ccache" not in w)
    pieces = [block.text() for path in chapters() for block in blocks(path)
              if block.argument == "cpp" and "caption" not in block.options]  # whole files
    functions = [f"void Piece{i}([[maybe_unused]] Network& network)\n{{\n{{\n{piece}}}\n}}\n" for i, piece in enumerate(pieces)]
    assert len(pieces) > 1, f"pieces of C++: {len(pieces)}"
    source = folder / "pieces.cc"
    source.write_text('#include "ns3/core-module.h"\n#include "ns3/internet-module.h"\n#include "ns3/network-module.h"\n#include "ns3/roce-module.h"\n'
                      "using namespace ns3;\nusing namespace ns3::roce;\n" + "\n".join(functions), encoding="utf-8")
    run(compiler, *flags, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", source)


def test_promised_tests(build):
    """Each promise about results names tests that there are."""
    promises = DOC / "developers" / "tests.rst"
    text = promises.read_text(encoding="utf-8")
    tests = ctest_names(build)
    named = set(re.findall(r"``((?:unit|system|cli|fuzz)\.[\w-]+)``", text))
    assert len(named) > 8, f"tests named in {promises.name}: {sorted(named)}"
    for name in sorted(named):
        assert any(test == name or test.startswith(name + ".") for test in tests), f"{promises.name}: no test {name}"
    script = (ROOT / "test" / "cli" / "results.py").read_text(encoding="utf-8")
    for group in re.findall(r"``cli.results`` \(([^)]*)\)", text):
        for part in group.split(","):
            assert f"def test_{part.strip()}(" in script, f"{promises.name}: test/cli/results.py has no {part.strip()}"


def test_names(programs, types):
    """Files, programs, options, attributes and members that the texts name."""
    options = attributes = 0
    for file in (README, MODULE / "README.md", *chapters()):
        text = file.read_text(encoding="utf-8")
        paths(programs.build, file, text if file != MODULE / "README.md" else "")
        options += commands(programs, file, text)
        attributes += names(types, file, text)
    assert options > 20 and attributes > 20, f"options: {options}, attributes: {attributes} found in the texts"


def test_ways():
    """Files, functions and options of design.rst's four ways through the code: each function is defined in the file before it, or in
    one that its way has named."""
    text = (DOC / "design.rst").read_text(encoding="utf-8")
    section = text[text.index(".. _ways:"):].split("\nA frame's way\n", maxsplit=1)[0]
    ways = re.split(r"^\*(?=[A-Z])", section, flags=re.M)[1:]
    assert len(ways) == 4, f"design.rst: {len(ways)} ways, expected four"
    for way in ways:
        name, files = way.split("*")[0], ""
        for word in re.findall(r"``([^`]+)``", way):
            if word.startswith("--"):
                word = word[2:]
            if "/" in word:
                assert (MODULE / word).is_file(), f"design.rst, {name}: no file {word}"
                files += (MODULE / word).read_text(encoding="utf-8")
            elif word.endswith("()"):
                assert re.search(rf"^{word[:-2]}\(", files, re.M), f"design.rst, {name}: the files do not define {word}"
            elif files:
                assert re.search(rf"\b{word}\b", files), f"design.rst, {name}: the files have no {word}"
        assert files, f"design.rst, {name}: no files"


def test_systems():
    """The chapter of a system is one page that leads to its appendix."""
    found = sorted(SYSTEMS.glob("*/doc"))
    assert len(found) > 4, f"systems with chapters: {found}"
    for folder in found:
        name = folder.parent.name
        text = (folder / f"{name}.rst").read_text(encoding="utf-8")
        assert text.count("\n") <= 95, f"{name}.rst has {text.count(chr(10))} lines, expected a page; the rest belongs into the appendix"
        assert f":doc:`{name}-appendix`" in text and (folder / f"{name}-appendix.rst").exists(), f"{name}.rst: no appendix"


def test_length():
    """README.md is two screens."""
    lines = README.read_text(encoding="utf-8").count("\n")
    assert lines <= 130, f"README.md has {lines} lines, expected two screens; longer things belong into contrib/roce/doc"
