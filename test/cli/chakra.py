# SPDX-License-Identifier: GPL-2.0-only
"""--pattern=chakra: ranks do what Chakra execution traces say. The traces are made here, not by the module's own writer."""

import json

import pytest

from support import LEAF_SPINE, rows

COMP, SEND, RECV, COLL = 4, 5, 6, 7
ALL_REDUCE, ALL_TO_ALL = 0, 6
EIGHT = [LEAF_SPINE, "--progress=none", "--datacenters=1", "--leaves=4", "--spines=4", "--hostsPerLeaf=2", "--hostRate=200Gbps",
         "--fabricRate=200Gbps", "--hostDelay=500ns", "--fabricDelay=500ns", "--cc=LineRate", "--pattern=chakra", "--trace=t"]


def varint(number):
    """A number as protobuf writes it."""
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def sized(data):
    """Data after its length."""
    return varint(len(data)) + data


def number(field, value):
    """A field of a number."""
    return varint(field << 3) + varint(value)


def attribute(name, field, value):
    """A field of a node that is an attribute."""
    value = number(field, value) if isinstance(value, int) else varint(field << 3 | 2) + sized(value)
    return varint(10 << 3 | 2) + sized(b"\x0a" + sized(name.encode()) + value)


def node(number_of, kind, after=(), us=0, cpu=False, peer=None, size=None, collective=None, group=None):
    """A node of a trace."""
    out = number(1, number_of) + number(3, kind) + b"".join(number(5, n) for n in after) + number(7, us)
    out += attribute("is_cpu_op", 27, int(cpu))
    if peer is not None:
        out += attribute("comm_dst" if kind == SEND else "comm_src", 7, peer)
    if size is not None:
        out += attribute("comm_size", 9, size)
    if collective is not None:
        out += attribute("comm_type", 9, collective)
    if group:
        out += attribute("pg_name", 29, group.encode())
    return out


def write(folder, ranks):
    """Files t.RANK.et. @param ranks nodes of each"""
    for rank, nodes in enumerate(ranks):
        data = sized(b"\x0a" + sized(b"0.0.4")) + b"".join(sized(one) for one in nodes)
        (folder / f"t.{rank}.et").write_bytes(data)


def run(programs, folder, *more):
    """@return when each rank is done in ns, and flows.csv."""
    programs.run(*EIGHT, *more, "--out=r", cwd=folder)
    return [float(row["end_ns"]) for row in rows(folder / "r" / "ranks.csv")], rows(folder / "r" / "flows.csv")


def test_ring(programs, folder):
    """Eight ranks pass 14 shares on. A receive that waits for the last ACK is later by no more than the way back each time."""
    write(folder, [[node(1, COLL, size=8 << 20, collective=ALL_REDUCE)]] * 8)
    ends, flows = run(programs, folder)
    assert len(flows) == 8 * 14 and {int(f["bytes"]) for f in flows} == {1 << 20}, len(flows)
    assert all((int(f["src"]) + 1) % 8 == int(f["dst"]) for f in flows), "not to the next rank"
    share = (1 << 20) * 8 / 200
    assert 14 * share < max(ends) < 14 * share * 1.1, f"{max(ends)} ns, and 14 shares take {14 * share} ns at line rate"
    late, _ = run(programs, folder, "--receiveAt=lastAck")
    assert max(ends) + 14 * 1000 < max(late) < max(ends) + 14 * 3000, f"{max(late)} ns with ACKs, {max(ends)} without"
    pieces, flows = run(programs, folder, "--tracePieces=4")
    assert len(flows) == 4 * 8 * 14 and max(pieces) < max(ends), f"{max(pieces)} ns in pieces, {max(ends)} in one"


def test_levels_and_groups(programs, folder):
    """An all-to-all in pairs and then across, and the same among groups that a file names."""
    write(folder, [[node(1, COLL, size=8000, collective=ALL_TO_ALL)]] * 8)
    _, flows = run(programs, folder)
    assert len(flows) == 8 * 7
    _, flows = run(programs, folder, "--traceLevels=2:direct,4:direct")
    bytes_of = sorted((int(f["dst"]), int(f["bytes"])) for f in flows if f["src"] == "2")
    assert bytes_of == [(0, 2000), (3, 4000), (4, 2000), (6, 2000)], bytes_of
    write(folder, [[node(1, COLL, size=8000, collective=ALL_TO_ALL, group=str(rank % 2))] for rank in range(8)])
    (folder / "g.json").write_text(json.dumps({"0": [0, 2, 4, 6], "1": [1, 3, 5, 7]}), encoding="utf-8")
    _, flows = run(programs, folder, "--traceGroups=g.json")
    assert len(flows) == 8 * 3 and all((int(f["src"]) - int(f["dst"])) % 2 == 0 for f in flows), flows


def test_turns(programs, folder):
    """One GPU operation at a time, of those that are ready that of the smallest id; the CPU's go on beside."""
    write(folder, [[node(9, COMP, us=4), node(7, COMP, us=10), node(8, COMP, us=13, cpu=True), node(10, SEND, [9], peer=1, size=1),
                    node(11, SEND, [8], peer=2, size=1)], [node(1, RECV, peer=0, size=1)], [node(1, RECV, peer=0, size=1)]])
    taking, flows = run(programs, folder, "--eagerBytes=1000") # else a send keeps the other one waiting until it is acknowledged
    assert [float(f["start_ns"]) for f in sorted(flows, key=lambda f: f["dst"])] == [14000, 13000], flows
    freely, flows = run(programs, folder, "--eagerBytes=1000", "--traceTurns=false")
    assert [float(f["start_ns"]) for f in sorted(flows, key=lambda f: f["dst"])] == [4000, 13000], flows
    assert taking[1] == freely[1] + 10000, "GPU operations one after the other"


def test_one_communication(programs, folder):
    """Sends of a rank take turns by their ids; a receive does not keep them waiting."""
    write(folder, [[node(5, SEND, peer=1, size=1 << 20), node(3, SEND, peer=2, size=1 << 20), node(1, RECV, peer=1, size=1)],
                   [node(1, RECV, peer=0, size=1 << 20), node(2, SEND, [1], peer=0, size=1)], [node(1, RECV, peer=0, size=1 << 20)]])
    _, flows = run(programs, folder)
    start = {(f["src"], f["dst"]): float(f["start_ns"]) for f in flows}
    assert start["0", "2"] == 0 and start["0", "1"] > (1 << 20) * 8 / 200, start
    _, flows = run(programs, folder, "--traceTurns=false")
    assert all(float(f["start_ns"]) == 0 for f in flows if f["src"] == "0"), flows


@pytest.mark.parametrize("ranks, more, words", [
    ([[node(1, COLL, size=8, collective=ALL_REDUCE)], []], [], ["t.0.et: byte 9: node 1 is a collective with rank 1", "t.1.et"]),
    ([[node(1, SEND, peer=1, size=8)], []], [], ["rank 0"]),
    ([[b"\x08"]], [], ["t.0.et: byte 10: the end, expected id of a node"]),
    ([[]] * 2, ["--traceLevels=2:rings"], ["--traceLevels has '2:rings', expected SIZE:ALGORITHM"]),
    ([[]] * 2, ["--traceLevels=3:ring"], ["levels of 3 ranks", "expected 2 ranks"]),
    ([[]] * 2, ["--trace="], ["--pattern=chakra, expected --trace=PREFIX with it"]),
    ([[]] * 2, ["--trace=no"], ["no.0.et:1: cannot be read"]),
    ([[]] * 2, ["--traceGroups=."], [".:1: cannot be read", 'expected {"NAME": [RANK, ...], ...}']),
    ([[]] * 2, ["--traceGroups=t.0.et"], ["t.0.et:1: cannot be read", 'expected {"NAME": [RANK, ...], ...}']),
])
def test_refuses(programs, folder, ranks, more, words):
    """One line says what is wrong with traces or options."""
    write(folder, ranks)
    programs.refuse(*EIGHT, *more, "--out=r", words=words, cwd=folder)
