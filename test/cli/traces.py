# SPDX-License-Identifier: GPL-2.0-only
"""Programs of ranks from the command line: ranks.csv, operations.csv, the time line, and what is said of programs that are wrong or do not end."""

import json
from decimal import Decimal

import pytest

from chakra import ALL_REDUCE, ALL_TO_ALL, COLL, COMP, EIGHT, RECV, SEND, node, write
from support import LEAF_SPINE, rows
from support.parallel import goal

SMALL = [LEAF_SPINE, "--progress=none", "--datacenters=1", "--leaves=2", "--spines=2", "--hostsPerLeaf=2", "--cc=none", "--pattern=goal",
         "--goal=g"]
PAIR = "num_ranks 2\nrank 0 {\nc: calc 1000\ns: send 4096b to 1\ns requires c\n}\nrank 1 {\nr: recv 4096b from 0\nc: calc 500\nc requires r\n}\n"
DEAD = "num_ranks 2\n" + "".join(f"rank {r} {{\nr: recv 1b from {1 - r}\ns: send 1b to {1 - r}\ns requires r\n}}\n" for r in (0, 1))


def ends(programs, folder, *options):
    """@return rows of ranks.csv, and of flows.csv."""
    (folder / "g").write_text(PAIR)
    programs.run(*SMALL, *options, "--operations", "--out=r", cwd=folder)
    return rows(folder / "r" / "ranks.csv"), rows(folder / "r" / "flows.csv")


def test_ends(programs, folder):
    """A rank is done when its last operation is: the send with its ACK, the calculation after the last byte."""
    (sender, receiver), (flow,) = ends(programs, folder)
    assert float(flow["start_ns"]) == 1000, flow
    assert float(sender["end_ns"]) == 1000 + float(flow["fct_ns"]), (sender, flow)
    assert float(receiver["end_ns"]) == 1000 + float(flow["receiver_fct_ns"]) + 500, (receiver, flow)
    assert sender["ideal_ns"] == receiver["ideal_ns"] == "", "an ideal network that was not asked for"
    (sender, receiver), _ = ends(programs, folder, "--receiveAt=lastAck")
    assert float(receiver["end_ns"]) == float(sender["end_ns"]) + 500, (sender, receiver)
    (sender, receiver), _ = ends(programs, folder, "--rankOverhead=200ns", "--eagerBytes=4096", "--logGp=2us,0,1ns")
    assert (sender["end_ns"], sender["ideal_ns"]) == ("1200.000", "1200.000"), sender
    assert float(receiver["end_ns"]) == 1200 + float(flow["receiver_fct_ns"]) + 200 + 500, (receiver, flow)
    assert receiver["ideal_ns"] == f"{1200 + 2000 + 200 + 4095 + 500}.000", receiver


def operations(folder):
    """@return rows of operations.csv as lists of texts."""
    return [list(row.values()) for row in rows(folder / "r" / "operations.csv")]


def test_operations(programs, folder):
    """operations.csv has the times of each: of a send until its ACK, of a receive from its post to the last byte."""
    (sender, receiver), (flow,) = ends(programs, folder)
    got = f"{1000 + float(flow['receiver_fct_ns']):.3f}"
    assert operations(folder) == [
        ["0", "0", "1", "calc", "0", "", "", "", "", "", "0.000", "1000.000"],
        ["0", "0", "2", "send", "0", "1", "4096", "", "", "", "1000.000", sender["end_ns"]],
        ["0", "1", "1", "recv", "0", "0", "4096", "", "", "1000.000", "0.000", got],
        ["0", "1", "2", "calc", "0", "", "", "", "", "", got, receiver["end_ns"]]]
    ends(programs, folder, "--rankOverhead=200ns", "--eagerBytes=4096")
    assert operations(folder)[1][-2:] == ["1000.000", "1200.000"], "a short send takes its CPU alone"


def test_operations_of_any_source(programs, folder):
    """The peer of a receive from any rank is the sender; rows are in order of their starts."""
    (folder / "g").write_text("num_ranks 3\nrank 0 {\na: recv 9b from -1 tag 2\nb: recv 9b from -1 tag -1\nc: calc 5000\nd: calc 1 cpu 4\n"
                              "c requires d\n}\n" +
                              "".join(f"rank {r} {{\nc: calc {4000 * r}\ns: send 9b to 0 tag {r}\ns requires c\n}}\n" for r in (1, 2)))
    programs.run(*SMALL, "--operations", "--out=r", cwd=folder)
    assert [(row[2], row[3], row[4], row[5]) for row in operations(folder)[:4]] == [
        ("1", "recv", "0", "2"), ("2", "recv", "0", "1"), ("4", "calc", "4", ""), ("3", "calc", "0", "")]


def test_time_line(programs, folder):
    """trace.json has a process for each rank with all of its operations that take time; slices of one track do not overlap."""
    (folder / "g").write_text(goal())
    programs.run(*SMALL[:2], "--leaves=2", "--spines=2", "--hostsPerLeaf=4", "--wanDelay=10us", "--pattern=goal", "--goal=g", "--operations",
                 "--chromeTrace", "--rankOverhead=300ns", "--eagerBytes=4000", "--out=r", cwd=folder)
    names, slices = {}, {}
    for event in json.loads((folder / "r" / "trace.json").read_text(encoding="utf-8"), parse_float=Decimal)["traceEvents"]:
        if event["ph"] == "M":
            key = (event["pid"], event["tid"])
            assert key not in names, f"named twice: {event}"
            names[key] = event["args"]["name"]
        elif names[event["pid"], 0].startswith("rank "):
            assert event["ph"] == "X", event
            track = names[event["pid"], 0], names[event["pid"], event["tid"]]
            slices.setdefault(track, []).append((1000 * event["ts"], 1000 * (event["ts"] + event["dur"]), event["args"]))
    for track, stretches in slices.items():
        ends = sorted(stretch[:2] for stretch in stretches)
        assert all(a[1] <= b[0] for a, b in zip(ends, ends[1:])), f"slices of {track} overlap"
    assert any(track.endswith(" 1") for _, track in slices), "nothing overlaps, so this test shows nothing"
    drawn = sorted((process, args["operation"], args.get("peer"), begin, end) for (process, _), stretches in slices.items()
                   for begin, end, args in stretches)
    expected = []
    for row in rows(folder / "r" / "operations.csv"):
        begin, end = max(Decimal(row["start_ns"]), Decimal(row["sent_ns"] or 0)), Decimal(row["end_ns"])
        if begin < end:
            expected.append((f"rank {row['rank']}", int(row["operation"]), int(row["peer"]) if row["peer"] else None, begin, end))
    assert drawn == sorted(expected) and len(drawn) > 300, f"{len(drawn)} slices, {len(expected)} operations"


WRITTEN = ["--writeGoal=w.goal", "--writeTrace=w", "--dryRun"]
READ = {"goal": ["--pattern=goal", "--goal=w.goal"], "chakra": ["--pattern=chakra", "--trace=w", "--traceTurns=false"]}


@pytest.mark.parametrize("turns", ["true", "false"])
def test_written(programs, folder, turns):
    """Programs of traces give the same as GOAL and as traces that --writeGoal and --writeTrace write: a collective after the other."""
    write(folder, [[node(1, COMP, us=5), node(2, COLL, [1], size=800000, collective=ALL_REDUCE), node(3, COMP, [2], us=50),
                    node(5, COLL, [2], size=40000, collective=ALL_TO_ALL)]] * 8)
    own = ["--pattern=chakra", "--trace=t", f"--traceTurns={turns}"]
    said = programs.run(*EIGHT[:-2], *own, *WRITTEN, "--out=", cwd=folder)
    assert "valid" in said.stdout and not said.stderr, said
    found = {}
    for name, options in (*READ.items(), ("own", own)):
        programs.run(*EIGHT[:-2], *options, "--out=r", cwd=folder)
        found[name] = rows(folder / "r" / "ranks.csv"), [(f["src"], f["dst"], f["bytes"], f["start_ns"]) for f in rows(folder / "r" / "flows.csv")]
    assert found["goal"][0] == found["own"][0], "GOAL"
    assert found["chakra"][0] == found["own"][0], "Chakra"
    assert all(sorted(flows) == sorted(found["own"][1]) for _, flows in found.values()), "messages"


def test_written_of_several_jobs(programs, folder):
    """Each has a file. What Chakra's calculations lose is said, and so is what it has no form for."""
    (folder / "g").write_text(PAIR.replace("500", "500\nd: calc 700"))
    write(folder, [[node(1, SEND, peer=1, size=7)], [node(1, RECV, peer=0, size=7)]])
    said = programs.run(*SMALL, "--pattern=goal+chakra", "--trace=t", *WRITTEN, "--out=", cwd=folder).stderr
    assert said.splitlines() == ["warning: --writeTrace rounds 2 calculations to whole microseconds",
                                 "warning: --writeTrace has no streams: g:10 may run beside another operation of stream 0 of rank 1"], said
    assert "send 7b to 1" in (folder / "w.goal.1").read_text() and "calc 700" in (folder / "w.goal.0").read_text()
    assert (folder / "w.0.1.et").stat().st_size > (folder / "w.1.1.et").stat().st_size
    (folder / "g").write_text(PAIR.replace("from 0", "from -1"))
    for options, words in ((["--writeTrace=w"], "g: rank 1, operation 0 receives from any rank, which Chakra has no form for"),
                           (["--writeGoal=none/w"], "none/w"), (["--writeTrace=w", "--pattern=poisson", "--goal="], "no rank sends anything")):
        said = programs.run(*SMALL, *options, "--out=r", cwd=folder, status=2).stderr
        assert words in said and said.count("\n") == 1 and not (folder / "r").exists(), said


def test_ranks_that_wait_for_each_other(programs, folder):
    """The run ends with status 3 and says where the first one is."""
    (folder / "g").write_text(DEAD)
    said = programs.run(*SMALL, "--operations", "--out=r", cwd=folder, status=3).stderr
    assert "rank 0 is not done: 2 of 2 operations, of which the first is at g:3, receive from rank 1 of tag 0" in said, said
    assert [row["end_ns"] for row in rows(folder / "r" / "ranks.csv")] == ["", ""]
    assert [row[-2:] for row in operations(folder)] == [["0.000", ""], ["", ""]] * 2, "receives are posted, sends have not begun"
    assert json.loads((folder / "r" / "summary.json").read_text())["end"] == "stalled", "it goes on to --safetyLimit"


@pytest.mark.parametrize(("text", "options", "message"), [
    (PAIR.replace("to 1", "to 7"), [], "g:4: '7', expected rank, 0 to 1"),
    (PAIR.replace("4096b to", "1b to").replace("num_ranks 2", "num_ranks 5") + "".join(f"rank {r} {{\n}}\n" for r in (2, 3, 4)), [],
     "g: 5 ranks of 1 NICs each, and the network has 4 NICs"),
    (PAIR, ["--goal="], "--pattern=goal, expected --goal=FILE with it"),
    (PAIR, ["--pattern=poisson", "--goal=", "--operations"],
     "--operations, and no rank sends anything; expected --pattern=goal, chakra, jobs or collective with it"),
    (PAIR, ["--logGp=2us"], "LogGP parameters '2us', expected L,g,G such as 2us,5ns,0.04ns with G up to 8ns"),
])
def test_refused(programs, folder, text, options, message):
    """In one line, before anything is simulated."""
    (folder / "g").write_text(text)
    assert programs.run(*SMALL, *options, "--out=r", cwd=folder, status=2).stderr == f"error: {message}\n"
    assert not (folder / "r").exists()
