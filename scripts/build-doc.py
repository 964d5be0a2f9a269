#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Make the documentation, a site of HTML pages: contrib/roce/doc, with tables made from the programs and the sources.

    scripts/build-doc.py [BUILD_DIR]

The chapters of systems are in contrib/roce/systems/*/doc. Those of systems that the build does not have are left out.

The pages are in BUILD_DIR/doc/html (default: build). Attributes and trace sources come from BUILD_DIR/bin/roce-type-tables,
which is built if it is not there, as after scripts/quickstart.sh; rooms from test/cli/rooms.py.

Exit status: 0 done, 1 Sphinx has warnings or errors, 2 something is missing.
"""

import csv
import json
import re
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODULE = ROOT / "contrib" / "roce"
PREFIX = "ns3::roce::"
sys.path.insert(0, str(ROOT / "test" / "cli"))
import rooms  # noqa: E402


def fail(status, text):
    """End with one line or more."""
    sys.stderr.write(f"error: {text}\n")
    sys.exit(status)


# Attributes and trace sources -----------------------------------------------------------------------------------------

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
    if not match:
        fail(1, f"range '{attribute['range']}' of {attribute['name']}; teach values_of() in scripts/build-doc.py what it means")
    kind, low, high = match.groups()
    number = "number" if kind in ("double", "float") else "integer"
    bits = re.search(r"int(\d+)_t", kind)
    top = 1.7e308 if not bits else 2 ** (int(bits[1]) - (not kind.startswith("u"))) - 1
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


def title(text, line="="):
    """@return a heading."""
    return f"{text}\n{line * len(text)}\n\n"


def table(header, widths, rows):
    """@return a csv-table directive."""
    lines = [".. csv-table::", "   :header: " + ", ".join(header), "   :widths: " + ", ".join(map(str, widths)), ""]
    lines += ["   " + ", ".join(f'"{field}"' for field in row) for row in rows]
    return "\n".join(lines) + "\n\n"


def profile_page(types):
    """@return the chapter of all profiles, a table for each type that has several: parameters by profiles."""
    page = title("Profiles") + (
        "The values of each parameter in each profile of its type; the first profile is the default. ``*``: the profiles differ. "
        "``--PrintProfile='Dcqcn[Profile=paper]'`` prints the values of one type. :doc:`howto/parameters` says how to see "
        "and change values.\n\n")
    for entry in types:
        names = next((a["range"].split(", ") for a in entry["attributes"] if a["name"] == "Profile" and a["profiles"]), [])
        rows = [(f"``{a['name']}``" + (" \\*" if len(set(a["profiles"])) > 1 else ""),
                 *(f"``{text}``" if text else "(empty)" for text in a["profiles"]))
                for a in entry["attributes"] if len(names) > 1 and len(a["profiles"]) == len(names)]
        if rows:
            page += title(entry["name"].replace(PREFIX, ""), "-")
            page += table(("parameter", *names), (30, *[70 // len(names)] * len(names)), rows)
    return page


def plain(kind):
    """@return a type of C++ without what does not matter for a sink: const, references, std::, spaces."""
    return re.sub(r"\bconst\b|\bstd::|[&\s]", "", kind)


def fields(text):
    """@return the parts of a list that commas separate, those within <> apart."""
    return [field.strip() for field in re.findall(r"(?:[^,<]|<[^>]*>)+", text)]


def trace_arguments(sources):
    """What a sink of each trace source gets. Its names are those of the typedef that AddTraceSource() names, its types must be
    those of the TracedCallback that fires.

    @param sources text of each file of the module
    @return arguments by name of the callback"""
    def search(owner, pattern):
        """@return what a pattern finds in the files that declare a class."""
        texts = [text for text in sources if re.search(rf"^(?:class|struct) (?:alignas\(\w+\) )?{owner}\b[^;]*?\n{{", text, re.M)]
        return next(filter(None, (re.search(pattern, text) for text in texts)), None)

    found = {}
    named = re.findall(r"MakeTraceSourceAccessor\(&(\w+)::(\w+)\),\s*\"([\w:]+)\"", "".join(sources))
    for owner, member, callback in named:
        scope, name = callback.split("::")[-2:]
        typedef = search(scope, rf"typedef void \(\s*\*{name}\)\(([^;]*)\);")
        fires = search(owner, rf"(?:TracedCallback|NoticedTrace|CheckedTrace|StationTrace)<([^;]*)>\s+{member}[;{{]")
        if not fires:  # a class of its own
            declared = search(owner, rf"(\w+) {member}[;{{]")
            fires = declared and search(owner, rf"{declared[1]}\s*: public (?:TracedCallback|CheckedTrace|StationTrace)<([^{{;]*)>")
        if not typedef or not fires:
            fail(1, f"trace source {owner}::{member}: no {'TracedCallback' if typedef else 'typedef ' + callback} in the headers")
        arguments = [re.sub(r"\s+", " ", field) for field in fields(typedef[1])]
        types = [plain(re.sub(r"\s+\w+$", "", argument)) for argument in arguments]
        if types != [plain(field) for field in fields(fires[1])]:
            fail(1, f"trace source {owner}::{member} fires ({fires[1]}), but {callback} says ({', '.join(arguments)})")
        found[callback] = ", ".join(arguments)
    return found


def attribute_page(types):
    """@return the chapter of all attributes, a section for each type that has some."""
    page = title("Attributes") + (
        "Every attribute is an option of every program: ``--ns3::roce::Nic::PathMtu=1024``. A default of several values, "
        "``5 / 0``, is that of each profile, in the order of ``Profile``. The text ``profile`` as a value stands for it.\n\n")
    for entry in types:
        if entry["attributes"]:
            rows = [(f"``{a['name']}``", values_of(a), default_of(a), escaped(a["help"])) for a in entry["attributes"]]
            page += title(entry["name"].replace(PREFIX, ""), "-") + f"A ``{entry['parent'].replace(PREFIX, '')}``.\n\n"
            page += table(("attribute", "values", "default", "meaning"), (22, 15, 15, 48), rows)
    none = [f"``{entry['name'].replace(PREFIX, '')}``" for entry in types if not entry["attributes"]]
    return page + title("Without attributes of their own", "-") + ",\n".join(none) + ".\n"


def trace_page(types):
    """@return the chapter of all trace sources."""
    sources = [path.read_text(encoding="utf-8") for suffix in ("h", "cc") for path in sorted(MODULE.rglob(f"roce-*.{suffix}"))]
    arguments = trace_arguments(sources)
    rows = []
    for entry in types:
        for trace in entry["traces"]:
            if trace["callback"] not in arguments:
                fail(1, f"trace source {entry['name']}/{trace['name']}: no source file names the callback {trace['callback']}")
            rows.append((f"``{entry['name'].replace(PREFIX, '')}/{trace['name']}``", f"``{arguments[trace['callback']]}``",
                         escaped(trace["help"])))
    return title("Trace sources") + (
        "A sink is a function with these arguments that returns nothing. All give the exact time as an argument, while "
        "``Simulator::Now()`` may be later. How to connect to them: :ref:`traces`.\n\n"
        ) + table(("trace source", "arguments of the sink", "fires when"), (25, 37, 38), rows)


# Rooms ----------------------------------------------------------------------------------------------------------------

def write_csv(path, rows):
    """Write rows to a file."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


# Systems --------------------------------------------------------------------------------------------------------------

def built_systems(build):
    """@return the systems that a build has, and those that it does not have: folders of contrib/roce/systems with chapters."""
    there = {path.parent.name for path in (MODULE / "systems").glob("*/doc")}
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    chosen = re.search(r"^ROCE_SYSTEMS:\w+=(.*)$", cache, re.M)
    built = there & set(chosen[1].split(";")) if chosen else there
    return built, there - built


def forget(source, system):
    """Turn links to the chapter of a system that is not built into plain text."""
    for path in source.rglob("*.rst"):
        text = path.read_text(encoding="utf-8")
        text = re.sub(rf"^ +papers/{system}\n", "", text, flags=re.M)  # in a table of contents
        path.write_text(re.sub(rf":doc:`[./]*(?:papers/)?({system}(?:-appendix)?)`", r"*\1*", text), encoding="utf-8")


# Site -----------------------------------------------------------------------------------------------------------------

def run_json(*command):
    """@return what a program prints, parsed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(1, f"{command[0]}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def main():
    """Copy the chapters, add the tables, let Sphinx make pages."""
    if len(sys.argv) > 2 or any(word.startswith("-") for word in sys.argv[1:]):
        sys.stdout.write(__doc__)
        sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
    build = Path(sys.argv[1] if len(sys.argv) == 2 else ROOT / "build").resolve()
    program = build / "bin" / "roce-type-tables"
    sphinx = shutil.which("sphinx-build", path="/usr/bin:/usr/local/bin")
    if not sphinx:
        fail(2, "sphinx-build not found, expected it from scripts/install.sh")
    if not program.exists():
        if not (build / "CMakeCache.txt").exists():
            fail(2, f"{build} is no build, expected one by scripts/build.sh or scripts/quickstart.sh")
        made = subprocess.run(["cmake", "--build", build, "--parallel", "--target", program.name], capture_output=True, text=True,
                              check=False)
        if made.returncode or not program.exists():
            fail(2, f"{program} cannot be built:\n{(made.stdout + made.stderr).strip()}")
    types = sorted(run_json(program), key=lambda entry: entry["name"])

    # In folders as in the checkout: chapters include files of scripts by their relative paths.
    tree, html = build / "doc" / "source", build / "doc" / "html"
    source = tree / (MODULE / "doc").relative_to(ROOT)
    for folder in (tree, html):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(MODULE / "doc", source)
    built, others = built_systems(build)
    for system in built:
        shutil.copytree(MODULE / "systems" / system / "doc", source / "papers", dirs_exist_ok=True)
    for system in others:
        forget(source, system)
    (tree / "scripts").symlink_to(ROOT / "scripts")
    (build / "doc" / "types.json").write_text(json.dumps(types), encoding="utf-8")
    (source / "attributes.rst").write_text(attribute_page(types), encoding="utf-8")
    (source / "profiles.rst").write_text(profile_page(types), encoding="utf-8")
    (source / "traces.rst").write_text(trace_page(types), encoding="utf-8")
    write_csv(source / "series.csv", [(f"``--{table['option']}``", escaped(table["help"]), f"``{', '.join(table['columns'])}``")
                                      for table in run_json(program, "--series")])
    write_csv(source / "rooms.csv", [(f"``{room}``", count, lines, ", ".join(below)) for room, count, lines, below
                                     in rooms.table(rooms.read_files()[0])])
    header = (MODULE / "base" / "roce-version.h").read_text(encoding="utf-8")
    version = re.search(r'MODULE_VERSION = "([^"]+)"', header)[1]
    done = subprocess.run([sphinx, "-q", "-W", "--keep-going", "-n", "-D", f"version={version}", "-D", f"release={version}",
                           "-b", "html", source, html], capture_output=True, text=True, check=False)
    if done.returncode or done.stderr.strip():
        fail(1, "sphinx-build:\n" + done.stderr.replace(str(source), "contrib/roce/doc").strip())
    print(html / "index.html")


if __name__ == "__main__":
    main()
