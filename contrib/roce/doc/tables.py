# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Chapters and tables that are made from the programs and the sources: attributes, profiles, trace sources, series, rooms."""

import csv
import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

MODULE = Path(__file__).resolve().parents[1]
PREFIX = "ns3::roce::"
sys.path.insert(0, str(MODULE.parents[1] / "test" / "cli"))
import rooms  # noqa: E402


def fail(status, text):
    """End with one line or more."""
    sys.stderr.write(f"error: {text}\n")
    sys.exit(status)


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
        fail(1, f"range '{attribute['range']}' of {attribute['name']}; teach values_of() in contrib/roce/doc/tables.py what it means")
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


# Of ns-3's own headers.
NS3_CALLBACKS = "class Packet\n{\n    typedef void (*TracedCallback)(Ptr<const Packet> packet);\n};\n"


def trace_arguments(sources):
    """What a sink of each trace source gets. Its names are those of the typedef that AddTraceSource() names, its types must be
    those of the TracedCallback that fires.

    @param sources text of each file of the module
    @return arguments by name of the callback"""
    def search(owner, pattern):
        """@return what a pattern finds in the files that declare a class."""
        texts = [text for text in (*sources, NS3_CALLBACKS) if re.search(rf"^ *(?:class|struct) (?:alignas\(\w+\) )?{owner}\b[^;]*?\n *{{", text, re.M)]
        return next(filter(None, (re.search(pattern, text) for text in texts)), None)

    found = {}
    named = re.findall(r"(?:MakeTraceSourceAccessor|SeldomTrace<[^>]*>::Make)\(&(\w+)::(\w+)\),\s*\"([\w:]+)\"", "".join(sources))
    for owner, member, callback in named:
        scope, name = callback.split("::")[-2:]
        typedef = search(scope, rf"typedef void \(\s*\*{name}\)\(([^;]*)\);")
        fires = search(owner, rf"(?:TracedCallback|NoticedTrace|CheckedTrace|StationTrace|ReportTrace)<([^;]*)>\s+{member}[;{{]")
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


# Site -----------------------------------------------------------------------------------------------------------------

def run_json(*command):
    """@return what a program prints, parsed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(1, f"{command[0]}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def write(program, folder):
    """Write all of them into a folder of chapters. @param program roce-type-tables of the build @return the types"""
    types = sorted(run_json(program), key=lambda entry: entry["name"])
    for name, page in (("attributes", attribute_page), ("profiles", profile_page), ("traces", trace_page)):
        (folder / f"{name}.rst").write_text(page(types), encoding="utf-8")
    lists = {"series": [(f"``--{entry['option']}``", escaped(entry["help"]), f"``{', '.join(entry['columns'])}``")
                        for entry in run_json(program, "--series")],
             "rooms": [(f"``{room}``", count, lines, ", ".join(below)) for room, count, lines, below in rooms.table(rooms.read_files()[0])]}
    for name, rows in lists.items():
        with open(folder / f"{name}.csv", "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    return types
