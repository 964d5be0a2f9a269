# SPDX-License-Identifier: GPL-2.0-only
"""Programs of ranks from the command line: ranks.csv, and what is said of programs that are wrong or do not end."""

import json

import pytest

from support import LEAF_SPINE, rows

SMALL = [LEAF_SPINE, "--progress=none", "--datacenters=1", "--leaves=2", "--spines=2", "--hostsPerLeaf=2", "--cc=none", "--pattern=goal",
         "--goal=g"]
PAIR = "num_ranks 2\nrank 0 {\nc: calc 1000\ns: send 4096b to 1\ns requires c\n}\nrank 1 {\nr: recv 4096b from 0\nc: calc 500\nc requires r\n}\n"
DEAD = "num_ranks 2\n" + "".join(f"rank {r} {{\nr: recv 1b from {1 - r}\ns: send 1b to {1 - r}\ns requires r\n}}\n" for r in (0, 1))


def ends(programs, folder, *options):
    """@return rows of ranks.csv, and of flows.csv."""
    (folder / "g").write_text(PAIR)
    programs.run(*SMALL, *options, "--out=r", cwd=folder)
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


def test_ranks_that_wait_for_each_other(programs, folder):
    """The run ends with status 3 and says where the first one is."""
    (folder / "g").write_text(DEAD)
    said = programs.run(*SMALL, "--out=r", cwd=folder, status=3).stderr
    assert "rank 0 is not done: 2 of 2 operations, of which the first is at g:3, receive from rank 1 of tag 0" in said, said
    assert [row["end_ns"] for row in rows(folder / "r" / "ranks.csv")] == ["", ""]
    assert json.loads((folder / "r" / "summary.json").read_text())["end"] == "stalled", "it goes on to --safetyLimit"


@pytest.mark.parametrize(("text", "options", "message"), [
    (PAIR.replace("to 1", "to 7"), [], "g:4: '7', expected rank, 0 to 1"),
    (PAIR.replace("4096b to", "1b to").replace("num_ranks 2", "num_ranks 5") + "".join(f"rank {r} {{\n}}\n" for r in (2, 3, 4)), [],
     "g: 5 ranks of 1 NICs each, and the network has 4 NICs"),
    (PAIR, ["--goal="], "--pattern=goal, expected --goal=FILE with it"),
    (PAIR, ["--logGp=2us"], "LogGP parameters '2us', expected L,g,G such as 2us,5ns,0.04ns with G up to 8ns"),
])
def test_refused(programs, folder, text, options, message):
    """In one line, before anything is simulated."""
    (folder / "g").write_text(text)
    assert programs.run(*SMALL, *options, "--out=r", cwd=folder, status=2).stderr == f"error: {message}\n"
    assert not (folder / "r").exists()
