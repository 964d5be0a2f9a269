# SPDX-License-Identifier: GPL-2.0-only
"""The module's folders are rooms above each other: includes go down or stay, never in a circle. No other room names a system."""

import re
from pathlib import Path

MODULE = Path(__file__).resolve().parents[2] / "contrib" / "roce"

# From the bottom to the top. Rooms in one row do not know each other.
FLOORS = [
    ["base"],  # errors, files, text, time, memory
    ["params"],  # parameters: tables, checks, defaults
    ["frame"],  # what is sent, and its bytes on the wire
    ["loss"],  # what links lose
    ["engine"],  # ports, links, stations, clocks, queues at egress
    ["parallel"],  # threads, and what processes exchange
    ["switch"],  # buffers, routing, pauses, marks, telemetry, stages
    ["host"],  # NICs, queue pairs, loss recovery, and the doors of both
    ["laws"],  # rate laws and path selectors
    ["tuning"],  # what changes parameters of a running network
    ["network"],  # networks, topologies, routes, faults, flows that wait
    ["ip", "workload"],  # ns-3's TCP/IP at NICs; flows
    ["program"],  # what ranks do: traces, collectives
    ["mpi"],  # runs in several processes
    ["run"],  # programs: options, results, time series, observers
    ["hpcc"],  # files of the HPCC simulator
    ["astra-sim"],  # ranks of other simulators
    ["systems/common"],  # what several systems share
    sorted(f"systems/{path.name}" for path in (MODULE / "systems").iterdir() if path.name != "common"),
]
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# Of systems, which the rooms below them never name: comments may, as sources of a value.
SYSTEM = re.compile(r"(?i:reflex|wrcc|mlcc|bicc|paraleon|\buno\b)|Uno[A-Z]|\bAcc\b|Ndt|Nsf|SketchMonitor")
INCLUDE = re.compile(r'^#include "(?:ns3/)?(roce-[^"/]+\.h)"', re.MULTILINE)


def read_files():
    """@return room and included names by file name, and what is in no room."""
    files, homeless = {}, []
    for path in sorted(MODULE.rglob("roce-*")):
        room = path.parent.relative_to(MODULE).as_posix()
        if path.suffix not in (".h", ".cc") or room in ("examples", "test", "doc/tutorial"):
            continue
        if room not in FLOOR_OF:
            homeless.append(f"{room}/{path.name}: not in a room of test/cli/rooms.py")
            continue
        files[path.name] = (room, INCLUDE.findall(path.read_text(encoding="utf-8")), path)
    return files, homeless


def upwards(files):
    """@return a line for each include of a room that is not below."""
    found = []
    for name, (room, includes, _) in files.items():
        for included in includes:
            other = files[included][0] if included in files else room
            if other != room and FLOOR_OF[other] >= FLOOR_OF[room]:
                found.append(f"{room}/{name} includes {other}/{included}, which is not below it")
    return found


def circles(files):
    """@return a line for each circle of headers."""
    uses = {name: [i for i in includes if i in files] for name, (_, includes, _) in files.items() if name.endswith(".h")}
    found, state = [], {}

    def visit(stem, way):
        state[stem] = "open"
        for other in sorted(uses[stem]):
            if state.get(other) == "open":
                found.append("circle: " + " -> ".join(way[way.index(other):] + [other]))
            elif other not in state:
                visit(other, way + [other])
        state[stem] = "done"

    for stem in sorted(uses):
        if stem not in state:
            visit(stem, [stem])
    return found


def names(files):
    """@return a line for each name of a system in the code of another room."""
    found = []
    for name, (room, _, path) in files.items():
        if room.startswith("systems/"):
            continue
        text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for number, line in enumerate(text.split("\n"), 1):
            match = SYSTEM.search(re.sub(r"//.*", "", line))
            if match:
                found.append(f"{room}/{name}, line {number}: names {match[0]}, which is for systems/ to do")
    return found


def table(files):
    """@return name, number of files and of lines, and rooms used, of each room, for here and for scripts/build-doc.py."""
    rows = []
    for room in FLOOR_OF:
        own = [entry for entry in files.values() if entry[0] == room]
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for _, _, path in own)
        below = {files[i][0] for _, includes, _ in own for i in includes if i in files} - {room}
        rows.append((room, len(own), lines, sorted(below)))
    return rows


def test_rooms():
    """Prints the rooms (pytest -s), then says what is wrong with them."""
    files, wrong = read_files()
    for room, count, lines, below in table(files):
        print(f"{room:25} {count:3} files {lines:6} lines  uses " + (", ".join(below) or "none"))
        assert count, f"{room}: no such room"
    wrong += upwards(files) + circles(files) + names(files)
    assert not wrong, "\n".join(wrong)
