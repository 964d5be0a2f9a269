#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The documentation says what is there: roce.rst builds without warnings, its tables of attributes and trace sources are
those of the types, and what it and README.md name (files, programs, options, attributes) exists.

Usage: documentation.py BUILD_DIR. ROCE_UPDATE_DOC=1 writes the tables of roce.rst anew.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULE = ROOT / "contrib" / "roce"
MANUAL = MODULE / "doc" / "roce.rst"
README = ROOT / "README.md"
PREFIX = "ns3::roce::"
TABLES = ("attributes", "trace sources")
# Names in the text that stand for something else, or for files that a user's work will make.
PLACEHOLDERS = re.compile(r"\bCLASS\b|\bNAME\b|roce-aimd|^--ns3::roce::Class::")


def check(condition, what):
    """End with one line if something is wrong."""
    if not condition:
        sys.exit("FAILED " + what)


def run(*command, **options):
    """@return the finished process, with its output."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=300, check=False, **options)


# Tables ---------------------------------------------------------------------------------------------------------------

def in_unit(number, units):
    """@return an integer in the largest unit of which it is at least one, exactly."""
    for size, unit in units:
        if abs(number) >= size or size == 1:
            return f"{Decimal(number) / size:f}{unit}"
    return ""


def default_of(attribute):
    """@return the default as a user would write it, in reStructuredText."""
    text = attribute["default"]
    kind = attribute["value"].replace("ns3::", "")
    if kind == "TimeValue":
        text = in_unit(int(text[:-2]), [(10**12, "s"), (10**9, "ms"), (10**6, "us"), (10**3, "ns"), (1, "ps")])
    if kind == "DataRateValue":
        text = in_unit(int(text[:-3]), [(10**9, "Gbps"), (10**6, "Mbps"), (10**3, "kbps"), (1, "bps")])
    if kind == "QueueSizeValue":
        size = int(text[:-1])
        text = f"{size >> 20}MiB" if size and size % (1 << 20) == 0 else f"{size}B"
    if kind == "PointerValue":
        return "none"
    return f"``{text.replace(PREFIX, '')}``" if text else "(empty)"


def values_of(attribute):
    """@return which values it takes, in words."""
    kind = attribute["value"].replace("ns3::", "")
    words = {"BooleanValue": "true, false", "TimeValue": "time", "DataRateValue": "rate", "QueueSizeValue": "bytes",
             "ObjectFactoryValue": "type name", "PointerValue": "object", "StringValue": "text"}
    if kind in words:
        return words[kind]
    if kind == "roce::ParameterValue":
        return escaped(attribute["range"])
    match = re.fullmatch(r"(\w+) ([^:]+):([^:]+)", attribute["range"])
    check(match, f"type-tables: range '{attribute['range']}' of {attribute['name']}; teach values_of() in "
                 "test/cli/documentation.py what it means")
    kind, low, high = match.groups()
    number = "number" if kind in ("double", "float") else "integer"
    bits = re.search(r"int(\d+)_t", kind)
    unsigned = kind.startswith("u")
    top = 1.7e308 if not bits else 2 ** (int(bits[1]) - (not unsigned)) - 1
    open_high = float(high) >= top if not bits else int(high) == top
    open_low = float(low) <= -top
    if open_high:
        return number if open_low else f"{number} from {low}"
    return f"{low} to {high}"


def escaped(text):
    """@return text as reStructuredText in a quoted CSV field."""
    text = re.sub(r"([\\*`|])", r"\\\1", text)
    text = re.sub(r"_(?!\w)", r"\\_", text)
    return text.replace('"', '""')


def table(header, widths, rows):
    """@return a csv-table directive."""
    lines = [".. csv-table::", "   :header: " + ", ".join(header), "   :widths: " + ", ".join(map(str, widths)), ""]
    lines += ["   " + ", ".join(f'"{field}"' for field in row) for row in rows]
    return "\n".join(lines) + "\n"


def attribute_tables(types):
    """@return a table for each type that has attributes."""
    parts = []
    for entry in types:
        if entry["attributes"]:
            rows = [(f"``{a['name']}``", values_of(a), default_of(a), escaped(a["help"])) for a in entry["attributes"]]
            parent = entry["parent"].replace(PREFIX, "")
            parts.append(f"**{entry['name'].replace(PREFIX, '')}** (parent ``{parent}``)\n\n"
                         + table(("attribute", "values", "default", "meaning"), (22, 15, 15, 48), rows))
    none = [f"``{entry['name'].replace(PREFIX, '')}``" for entry in types if not entry["attributes"]]
    return "\n".join(parts) + "\nWithout attributes of their own: " + ",\n".join(none) + ".\n"


def trace_tables(types):
    """@return the table of all trace sources."""
    rows = [(f"``{entry['name'].replace(PREFIX, '')}/{t['name']}``", f"``{t['callback'].replace(PREFIX, '')}``", escaped(t["help"]))
            for entry in types for t in entry["traces"]]
    return table(("trace source", "signature", "fires when"), (28, 30, 42), rows)


def tables(build):
    """Tables in roce.rst are those of the types."""
    done = run(build / "bin" / "roce-type-tables")
    check(done.returncode == 0, f"roce-type-tables: {done.stderr}")
    types = sorted(json.loads(done.stdout), key=lambda entry: entry["name"])
    check(len(types) > 30, f"types: {len(types)}")
    for entry in types:
        check(entry["group"] == "Roce", f"{entry['name']} has no SetGroupName(\"Roce\"): --PrintGroup=Roce and summary.json leave "
                                        "it out")
        for item in entry["attributes"] + entry["traces"]:
            check(item["help"].strip(), f"{entry['name']}::{item['name']} has no help text")
    text = MANUAL.read_text(encoding="utf-8")
    fresh = text
    for what, made in zip(TABLES, (attribute_tables(types), trace_tables(types))):
        begin = f".. begin of the {what}, made from the types by ROCE_UPDATE_DOC=1 test/cli/documentation.py\n"
        end = f".. end of the {what}\n"
        check(begin in fresh and end in fresh, f"roce.rst has lost the line '{begin.strip()}' or '{end.strip()}'")
        head, rest = fresh.split(begin)
        fresh = head + begin + "\n" + made + "\n" + end + rest.split(end)[1]
    if fresh != text and os.environ.get("ROCE_UPDATE_DOC") == "1":
        MANUAL.write_text(fresh, encoding="utf-8")
        print("roce.rst: tables written anew")
    elif fresh != text:
        old, new = text.splitlines(), fresh.splitlines()
        missing = [line.strip() for line in new if line not in old]
        surplus = [line.strip() for line in old if line not in new]
        sys.exit("FAILED roce.rst: its tables are not those of the types.\n"
                 + "".join(f"  missing: {line}\n" for line in missing) + "".join(f"  surplus: {line}\n" for line in surplus)
                 + f"Run: ROCE_UPDATE_DOC=1 test/cli/documentation.py {build}\nand commit contrib/roce/doc/roce.rst.")
    return types


# Sphinx ---------------------------------------------------------------------------------------------------------------

def sphinx():
    """roce.rst as one page of a manual, as ns-3 makes it: no warning, and all figures are used."""
    program = shutil.which("sphinx-build", path="/usr/bin:" + os.environ.get("PATH", ""))
    check(program, "sphinx-build not found; run scripts/install.sh")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        shutil.copytree(MODULE / "doc", source)
        (source / "conf.py").write_text("project = 'ns-3 RoCE'\n", encoding="utf-8")
        (source / "index.rst").write_text("ns-3 RoCE\n=========\n\n.. toctree::\n\n   roce\n", encoding="utf-8")
        done = run(program, "-q", "-W", "--keep-going", "-n", "-b", "html", source, Path(folder) / "html")
        check(done.returncode == 0 and not done.stderr.strip(), "sphinx-build: " + done.stderr.replace(str(source), "doc"))
        page = (Path(folder) / "html" / "roce.html").read_text(encoding="utf-8")
    used = set(re.findall(r"_images/([^\"]+)\"", page))
    there = {path.name for path in (MODULE / "doc" / "figures").iterdir()}
    check(used == there and used, f"figures: {sorted(there)} in doc/figures, {sorted(used)} in roce.rst")
    order = ["Model Description", "Scope and Limitations", "Usage", "Helpers", "Attributes", "Traces", "Validation", "References"]
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
        check((build / "bin" / name).exists(), f"{file.name} names the program {name}, which build/bin does not have")


def commands(build, file, text):
    """Options in the texts' commands are options of those programs."""
    joined = re.sub(r"\\\n\s*", " ", text)
    count = 0
    for program, rest in re.findall(r"^[ $]*(?:parallel |sbatch.*wrap=')?build/bin/([\w-]+) (.*)$", joined, re.M):
        if program.startswith("roce-"):
            continue
        for option in re.findall(r"(?:^| )--([A-Za-z]\w*)(?==|\s|$)", rest.split(" #")[0].split(":::")[0]):
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
        if kind not in ("Class", "Aimd"):
            check(kind in known and has(known[kind], name), f"{file.name}: there is no attribute ns3::roce::{kind}::{name}")
            count += 1
    for kind, parameters in re.findall(r"\b([A-Z]\w+)\[(\w+=[^\]\s]+)\]", text):
        for name in re.findall(r"(?:^|\|)(\w+)=", parameters):
            check(kind in known and has(known[kind], name), f"{file.name}: {kind}[...] has no attribute {name}")
            count += 1
    for kind, name in re.findall(r"`(?:ns3::roce::)?([A-Z]\w+)::([A-Z]\w+)", text):
        if kind in known:
            check(has(known[kind], name) or re.search(rf"\b{name}\b", headers), f"{file.name}: {kind} has no {name}")
            count += 1
    return count


def snippets(build, text):
    """The rate law in README.md compiles, and is as short as it says."""
    blocks = re.findall(r"```cpp\n(.*?)```", text, re.S)
    check(len(blocks) == 1 and blocks[0].count("\n") <= 60, "README.md: one block of C++ with at most 60 lines is expected")
    with open(build / "compile_commands.json", encoding="utf-8") as file:
        entry = next(e for e in json.load(file) if e["file"].endswith("/own-transport.cc"))
    words = shlex.split(entry["command"])
    flags = [w for i, w in enumerate(words) if w.startswith(("-I", "-D", "-std", "-f", "-isystem"))
             or (i and words[i - 1] == "-isystem")]
    compiler = next(w for w in words if re.search(r"(\+\+|cc|clang)[\d.-]*$", Path(w).name) and "ccache" not in w)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "readme.cc"
        source.write_text(blocks[0], encoding="utf-8")
        done = run(compiler, *flags, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", source)
        check(done.returncode == 0, f"the C++ in README.md: {done.stderr}")


def promised_tests(build):
    """Each promise about results names tests that there are."""
    listed = run("ctest", "--test-dir", build, "-N").stdout
    tests = re.findall(r"Test +#\d+: (\S+)", listed)
    named = set(re.findall(r"``((?:unit|system|cli|fuzz)\.[\w-]+)``", MANUAL.read_text(encoding="utf-8")))
    check(len(named) > 8, f"tests named in the manual: {sorted(named)}")
    for name in sorted(named):
        check(any(test == name or test.startswith(name + ".") for test in tests), f"{MANUAL}: no test {name}")
    script = (ROOT / "test" / "cli" / "results.py").read_text(encoding="utf-8")
    for group in re.findall(r"``cli.results`` \(([^)]*)\)", MANUAL.read_text(encoding="utf-8")):
        for part in group.split(","):
            check(f"def test_{part.strip()}(" in script, f"{MANUAL}: test/cli/results.py has no {part.strip()}")


def main():
    """All of it."""
    if len(sys.argv) != 2:
        sys.exit("usage: documentation.py BUILD_DIR")
    build = Path(sys.argv[1]).resolve()
    types = tables(build)
    sphinx()
    options = attributes = 0
    for file in (README, MANUAL, MODULE / "README.md", MODULE / "CHANGES.md"):
        text = file.read_text(encoding="utf-8")
        paths(build, file, text if file != MODULE / "README.md" else "")
        options += commands(build, file, text)
        attributes += names(types, file, text)
    check(options > 20 and attributes > 20, f"options: {options}, attributes: {attributes} found in the texts")
    snippets(build, README.read_text(encoding="utf-8"))
    promised_tests(build)
    print(f"documentation: {len(types)} types; {options} options and {attributes} names checked")


if __name__ == "__main__":
    main()
