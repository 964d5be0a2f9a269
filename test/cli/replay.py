# SPDX-License-Identifier: GPL-2.0-only
"""replay on another simulator's inputs gives that simulator's results, as far as is documented.

Runs test/reference/leafspine128 with DCQCN, HPCC and TIMELY. Bounds are those of the documentation,
with room for what equal-time events and random numbers do.
"""

import pytest

from support import HPCC_PATHS, REFERENCE, rows, run

INPUTS = {"topology": REFERENCE / "topology.txt", "flows": REFERENCE / "flow.txt", "config": REFERENCE / "config.txt"}
# Per transport: options, least number of flows equal to the nanosecond, least number within 1 %.
CASES = {"dcqcn": (["--cc=Dcqcn", "--set=HAS_WIN=0"], 150, 500),
         "hpcc": (["--cc=Hpcc"], 40, 550),
         "timely": (["--cc=Timely", "--set=HAS_WIN=0"], 330, 780)}


def table(path):
    """Rows by id."""
    return {int(row["id"]): row for row in rows(path)}


def inputs(*others):
    """Options for the reference's files, but for some."""
    return [f"--{name}={path}" for name, path in INPUTS.items() if name not in others] + ["--progress=none"]


def compare(name, out, exact_least, near_least):
    """A run folder with the reference's results."""
    theirs, ours = table(REFERENCE / f"fct.{name}.csv"), table(out / "flows.csv")
    assert theirs.keys() == ours.keys(), f"{name}: same flows"
    ratios = []
    exact = 0
    for number, flow in theirs.items():
        own = ours[number]
        assert (flow["src"], flow["dst"], flow["size_bytes"]) == (own["src"], own["dst"], own["bytes"]), f"flow {number} is the same"
        assert abs(float(own["ideal_fct_ns"]) - float(flow["ideal_fct_ns"])) < 0.5, \
            f"ideal FCT of flow {number}: {own['ideal_fct_ns']}, expected {flow['ideal_fct_ns']}"
        ratios.append(float(own["fct_ns"]) / float(flow["fct_ns"]))
        exact += abs(float(own["fct_ns"]) - float(flow["fct_ns"])) < 1.5
    near = sum(abs(r - 1) < 0.01 for r in ratios)
    median = sorted(ratios)[len(ratios) // 2]
    mean = [sum(float(r["fct_ns"]) / float(theirs[i]["ideal_fct_ns"]) for i, r in found.items()) / len(found) for found in (theirs, ours)]
    assert exact >= exact_least, f"{exact} flows equal, expected {exact_least}"
    assert near >= near_least, f"{near} flows within 1 %, expected {near_least}"
    assert abs(median - 1) < 0.001, f"median ratio {median}"
    assert abs(mean[1] / mean[0] - 1) < 0.05, f"mean slowdown {mean}"


def check_fct(out):
    """fct.txt says what flows.csv says, by completion time."""
    expected = sorted(
        (f"{(11 << 24) + 1 + (int(f['src']) << 8):08x} {(11 << 24) + 1 + (int(f['dst']) << 8):08x}",
         f["bytes"], round(float(f["start_ns"])), round(float(f["fct_ns"])),
         round(float(f["ideal_fct_ns"]))) for f in table(out / "flows.csv").values())
    lines = [line.split() for line in (out / "fct.txt").read_text().splitlines()]
    ends = [int(line[5]) + int(line[6]) for line in lines]
    assert ends == sorted(ends), "fct.txt in order of completion"
    assert sorted((f"{a} {b}", size, int(start), int(fct), int(ideal)) for a, b, _, _, size, start, fct, ideal in lines) == expected
    assert {line[2] for line in lines} >= {"10000", "10001"}, "source ports count from 10000"
    assert (out / "pfc.txt").exists()


def test_paths():
    """The reference's list of paths is what hpcc_paths.py makes."""
    made = run(HPCC_PATHS, INPUTS["topology"], INPUTS["flows"], "--next-hops=descending").stdout
    assert made == (REFERENCE / "paths.csv").read_text()


def test_paths_of_lcmp(folder):
    """UCMP at DCI switches: the widest links; senders 0 to 3 have one flow number there, so they share a way."""
    links = [f"{host} {5 if host < 4 else 9} 100Gbps 1us 0" for host in range(5)]
    links += [f"{a} {b} {rate} 1ms 0" for b, rate in ((6, "200Gbps"), (7, "200Gbps"), (8, "100Gbps")) for a in (5, 9)]
    (folder / "topology.txt").write_text("\n".join(["10 0 5 11", "5 6 7 8 9", *links, ""]))
    (folder / "flow.txt").write_text("4\n" + "".join(f"{host} 4 3 100 1000 2\n" for host in range(4)))
    ways = {}
    for options in ((), ("--ucmp",)):
        lines = run(HPCC_PATHS, "topology.txt", "flow.txt", *options, cwd=folder).stdout.splitlines()[1:]
        ways[options] = [[way.split("-")[2] for way in line.split(",")[1:]] for line in lines]
    assert len({data for data, _ in ways[()]}) > 1, f"by hash: {ways}"
    assert {data for data, _ in ways["--ucmp",]} in ({"6"}, {"7"}), f"one of the widest for all: {ways}"
    assert {ack for _, ack in ways["--ucmp",]} <= {"6", "7"}, f"ACKs, too: {ways}"
    done = run(HPCC_PATHS, INPUTS["topology"], INPUTS["flows"], "--ucmp", status=2)
    assert done.stderr.endswith("no DCI switches, expected LCMP's format for --ucmp\n"), done.stderr


@pytest.mark.parametrize("name", CASES)
def test_reference(programs, folder, name):
    """A transport."""
    options, exact, near = CASES[name]
    done = programs.run("replay", *inputs(), *options, "--profile=hpcc-sim", f"--pathFile={REFERENCE}/paths.csv", f"--out={folder}/out")
    assert "937 of them with given paths" in done.stdout, done.stdout
    compare(name, folder / "out", exact, near)
    check_fct(folder / "out")


@pytest.mark.parametrize("option", ["topology", "flows", "config", "pathFile"])
@pytest.mark.parametrize("text", [None, "a b c\n", "4 1 2\n3\n0 3 1Gbps\n"])
def test_bad_file(programs, folder, option, text):
    """A file that is not there, or has something else in it."""
    path = folder / "bad.txt"
    if text:
        path.write_text(text)
    line = programs.refuse("replay", *inputs(option), "--cc=Hpcc", f"--{option}={path}", f"--out={folder}/none")
    assert line.startswith(f"error: {path}:") and not (folder / "none").exists(), line
