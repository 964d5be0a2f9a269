# SPDX-License-Identifier: GPL-2.0-only
"""Captures of live runs, as tshark and a second implementation of the rules read them.

Runs programs with captures of all ports and holds every frame against what is known without the
capture: counters of summary.json and of the ports, flows.csv, pfc.csv, lengths and delays of links,
the rules of go-back-N, of selective repeat, of block codes and of the ICRC.
"""

import binascii
import csv
import re
import shutil
import struct
from collections import Counter, defaultdict
from pathlib import Path
from typing import Callable, NamedTuple

import pytest

from support import ROOT, Programs, rows, run, summary

DOCUMENTATION = ROOT / "contrib" / "roce" / "doc" / "howto" / "captures.rst"

HOSTS = 4      # of each leaf
LEAVES = 2     # of each datacenter
RACK = HOSTS * LEAVES
WAN_DELAY_NS = 20000
GBPS = 10**9
PSN_SPACE = 1 << 24
CNP = 0x81
ACKNOWLEDGE = 0x11
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY = 6, 7, 8, 10
DATA = {WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_ONLY}
FECN = 0x80
BECN = 0x40
CODED, EXTENDED = 0x40, 0x20  # in the byte before the PSN
RETH_BYTES, AETH_BYTES, SACK_BYTES = 16, 4, 16

PROGRAM = ["two-dc-leaf-spine", "--progress=none", "--spines=1", f"--leaves={LEAVES}",
           f"--hostsPerLeaf={HOSTS}", f"--wanDelay={WAN_DELAY_NS}ns", "--pcap=all", "--pfc"]
INCAST = ["--pattern=incast", "--incastSenders=6", "--incastBytes=299997", "--incastReceiver=0",
          "--ns3::roce::EcnMarker::Kmin=20000", "--ns3::roce::EcnMarker::Kmax=60000",
          "--ns3::roce::EcnMarker::Pmax=0.5", "--seed=2"]

# Runs: their options, and what must be found in them, so that none is too easy.
RUNS = {
    "DCQCN, PFC, losses, go-back-N": (["--cc=Dcqcn", "--leafBuffer=1MiB", "--loss=2e-3"],
                                      {"data", "ACK", "NAK", "CNP", "pause", "loss"}),
    "DCQCN+": (["--cc=DcqcnPlus"], {"data", "ACK", "CNP", "DCQCN+"}),
    "HPCC, losses, selective repeat": (["--cc=Hpcc", "--lossless=0", "--loss=5e-3",
                                        "--lossRecovery=SelectiveRepeat"],
                                       {"data", "ACK", "NAK", "INT", "SACK", "loss"}),
    "TIMELY, PFC": (["--cc=Timely", "--leafBuffer=1MiB"], {"data", "ACK", "pause", "time stamp"}),
    "WRCC": (["--cc=Wrcc", "--stages=WrccFairRate", "--leafBuffer=1MiB"],
             {"data", "ACK", "notification", "pause", "WRCC"}),
    "MLCC": (["--cc=Hpcc", "--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide"],
             {"data", "ACK", "notification", "INT", "MLCC"}),
    "TIMELY, Reflex": (["--cc=Timely", "--edge=ReflexNsf[TSrcThreshold=1us],ReflexNdt"],
                       {"data", "ACK", "notification", "time stamp"}),
    "DCQCN, losses, parity": (["--cc=Dcqcn", "--lossless=0", "--loss=5e-3", "--lossRecovery=UnoErasure[Code=all]"],
                              {"data", "ACK", "NAK", "SACK", "loss", "code"}),
    "DCQCN, Bicc": (["--cc=Dcqcn", "--edge=Bicc[Kmin=0B|Kmax=0B]"], {"data", "ACK", "CNP"}),
}

FIELDS = ["frame.time_epoch", "frame.len", "_ws.col.Protocol", "eth.src", "ip.src", "ip.dst",
          "ip.dsfield.ecn", "ip.checksum.status", "infiniband.bth.opcode",
          "infiniband.bth.padcnt", "infiniband.bth.destqp", "infiniband.bth.psn",
          "infiniband.aeth.syndrome.opcode", "infiniband.aeth.syndrome.error_code",
          "infiniband.aeth.msn", "infiniband.reth.dmalen", "infiniband.invariant.crc",
          "macc.opcode", "macc.cbfc.enbv"]
FIELDS += [f"macc.cbfc.pause_time.c{c}" for c in range(8)]
FIELDS += ["_ws.malformed", "_ws.expert.message"]


class Frame(NamedTuple):
    """One frame of a capture: its bytes, and what tshark says of it."""

    mlcc = False            # whether extensions are MLCC's; of all frames of a run
    coded = False           # whether data carry places in blocks; of all frames of a run

    ns: int                 # time stamp
    raw: bytes              # MAC header to ICRC, padding included
    field: dict[str, str]   # by name; empty if the frame has no such field

    def __repr__(self) -> str:
        known = {name: text for name, text in self.field.items() if text}
        return f"[{self.ns} ns, {len(self.raw)} bytes, {known}, {self.raw[:80].hex()}]"

    def number(self, name: str) -> int:
        """@return a field as a number; -1 if the frame has none."""
        text = self.field[name]
        return int(text, 0) if text else -1

    @property
    def kind(self) -> str:
        """@return data, ACK, NAK, CNP, notification or pause, by tshark's opcodes and FECN."""
        opcode = self.number("infiniband.bth.opcode")
        if opcode in DATA:
            return "data"
        if opcode == ACKNOWLEDGE:
            names = {0: "notification"} if self.raw[46] & FECN else {0: "ACK", 3: "NAK"}
            return names[self.number("infiniband.aeth.syndrome.opcode")]
        if opcode == CNP:
            return "CNP"
        assert self.number("macc.opcode") == 0x0101, f"unknown frame {self}"
        return "pause"

    @property
    def psn(self) -> int:
        """@return packet sequence number, 24 bits."""
        return self.number("infiniband.bth.psn")

    @property
    def pair(self) -> tuple[int, int]:
        """@return sending and receiving NIC."""
        return nic_of(self.field["ip.src"]), nic_of(self.field["ip.dst"])

    @property
    def wire_bytes(self) -> int:
        """@return byte times on the wire: FCS, padding, preamble and gap included."""
        return max(len(self.raw) + 4, 64) + 20

    @property
    def telemetry_bytes(self) -> int:
        """@return length of the telemetry block, as the code behind BECN tells it."""
        code = self.raw[46] & 0x3f
        assert code & 0x1f != 31, f"telemetry of unknown length: {self}"
        blocks = code & 0x1f
        return (8 if code & 0x20 else 0) + (2 + 8 * (blocks - 1) if blocks else 0)

    @property
    def extended_bytes(self) -> int:
        """@return length of RETH or AETH."""
        opcode = self.raw[42]
        return (RETH_BYTES if opcode in (WRITE_FIRST, WRITE_ONLY)
                else AETH_BYTES if opcode == ACKNOWLEDGE else 0)

    @property
    def extension(self) -> bytes:
        """@return a mechanism's own header, of those that RUNS use: WRCC's 12 bytes, MLCC's 6 or 10, DCQCN+'s 8, a code's 4."""
        start = 54 + self.extended_bytes + self.telemetry_bytes
        length = 12 if not Frame.mlcc else 10 if self.raw[42] == ACKNOWLEDGE else 6
        length = 8 if self.raw[42] == CNP else 4 if Frame.coded else length
        return self.raw[start:start + length] if self.raw[50] & EXTENDED else b""

    @property
    def payload_bytes(self) -> int:
        """@return RDMA payload of data, without pad."""
        headers = (20 + 8 + 12 + self.extended_bytes + self.telemetry_bytes +
                   len(self.extension) + 4)
        return (int.from_bytes(self.raw[16:18], "big") - headers -
                self.number("infiniband.bth.padcnt"))

    @property
    def sack(self) -> bytes:
        """@return the SACK block of an ACK or NAK, or nothing."""
        start = 14 + 20 + 8 + 12 + AETH_BYTES + self.telemetry_bytes
        end = 14 + int.from_bytes(self.raw[16:18], "big") - 4
        return self.raw[start:end - len(self.extension)]


Captures = dict[str, list[Frame]]


def nic_of(address: str) -> int:
    """@return NIC with an IPv4 address."""
    a, b, c, d = (int(part) for part in address.split("."))
    assert a == 10, f"address {address}"
    return (b << 16 | c << 8 | d) - 1


def mac_of_switch(node: int) -> str:
    """@return source address of a switch's pause frames."""
    return (0x020000800001 + node).to_bytes(6, "big").hex(":")


def serialisation_ns(frame: Frame, rate_bps: int) -> float:
    """@return time on the wire."""
    return frame.wire_bytes * 8e9 / rate_bps


def read_pcap(path: Path) -> list[tuple[int, bytes]]:
    """@return time stamps in ns and bytes of all frames; the file must be complete."""
    data = path.read_bytes()
    magic, major, minor, _, _, _, link = struct.unpack_from("<IHHiIII", data)
    assert (magic, major, minor, link) == (0xa1b23c4d, 2, 4, 1), f"{path}: {magic:#x} {link}"
    frames = []
    at = 24
    while at < len(data):
        seconds, ns, stored, length = struct.unpack_from("<IIII", data, at)
        at += 16 + stored
        assert stored == length and at <= len(data), f"{path}: a frame is cut off"
        frames.append((seconds * 10**9 + ns, data[at - stored:at]))
    return frames


def load(paths: list[Path], environment: dict[str, str]) -> Captures:
    """Read captures without tshark and with it, all at once; every frame is well-formed for both.

    @return frames by the files' names without .pcap
    """
    stored = {path.stem: read_pcap(path) for path in paths}
    joined = Path(environment["HOME"]) / "joined.pcap"
    joined.write_bytes(paths[0].read_bytes()[:24] + b"".join(p.read_bytes()[24:] for p in paths))
    options = ["-o", "ip.check_checksum:TRUE", "-T", "fields", "-E", "separator=|",
               "-E", "occurrence=f"]
    done = run("tshark", "-r", joined, *options, *(o for f in FIELDS for o in ("-e", f)), env=environment)
    lines = done.stdout.splitlines()
    total = sum(len(frames) for frames in stored.values())
    assert len(lines) == total, f"{total} frames, {len(lines)} for tshark"
    fields = (dict(zip(FIELDS, line.split("|"))) for line in lines)
    captures = {name: [Frame(ns, raw, next(fields)) for ns, raw in frames]
                for name, frames in stored.items()}
    for name, frames in captures.items():
        before = 0
        for frame in frames:
            check_frame(frame)
            assert frame.ns >= before, f"{name}: time goes back: {frame}"
            before = frame.ns
    return captures


def check_frame(frame: Frame) -> None:
    """What must hold for any frame by itself."""
    seconds, _, fraction = frame.field["frame.time_epoch"].partition(".")
    assert int(seconds) * 10**9 + int(fraction) == frame.ns, f"time: {frame}"
    assert frame.number("frame.len") == len(frame.raw), f"length: {frame}"
    assert not frame.field["_ws.malformed"] and not frame.field["_ws.expert.message"], f"tshark: {frame.field}"
    kind = frame.kind
    if kind == "pause":
        check_pause(frame)
        return
    assert frame.field["_ws.col.Protocol"] == "RRoCE", f"protocol: {frame.field}"
    assert frame.number("ip.checksum.status") == 1, f"IP checksum: {frame}"
    assert icrc(frame) == frame.raw[-4:], f"ICRC: {frame}"
    if kind == "CNP":
        assert frame.raw[46] == BECN and frame.psn == 0, f"CNP: {frame}"
        assert frame.raw[54 + len(frame.extension):-4] == bytes(16), f"CNP: reserved bytes: {frame}"
        if frame.extension:
            flows, tau_ns = struct.unpack(">II", frame.extension)
            assert 1 <= flows <= 6 and tau_ns == 1000 * flows, f"N, tau: {frame}"
        return
    if kind == "data" or not (frame.telemetry_bytes or frame.sack or frame.extension):
        # tshark shows no ICRC behind an AETH and bytes that it does not know.
        assert frame.field["infiniband.invariant.crc"] == "0x" + frame.raw[-4:].hex(), f"tshark's ICRC: {frame}"
    if kind == "NAK":
        assert frame.number("infiniband.aeth.syndrome.error_code") == 0, f"NAK: {frame}"
    if kind in ("data", "notification"):
        assert frame.raw[46] & BECN == 0, f"BECN in {kind}: {frame}"
    if kind == "notification":
        mechanism = b"Mlc" if Frame.mlcc else b"Wrc" if frame.extension else b"NSF"
        assert frame.number("infiniband.aeth.msn") == int.from_bytes(mechanism, "big"), f"{frame}"
    if frame.extension:
        (check_place if Frame.coded else check_mlcc if Frame.mlcc else check_wrcc)(frame)


def check_place(frame: Frame) -> None:
    """A packet's place in a block of at most 8 and 2."""
    index, data, total, last = frame.extension
    assert frame.kind == "data" and frame.raw[50] & CODED, f"an extension of what is not coded: {frame}"
    assert index < total == data + 2 <= 10 and last <= 1, f"place {tuple(frame.extension)}: {frame}"


def check_wrcc(frame: Frame) -> None:
    """WRCC's header of data and ACKs, or its FCNP."""
    domain, fbdp, third, last = struct.unpack(">HHII", frame.extension)
    assert domain <= 1 and fbdp <= 3, f"WRCC: {frame}"
    if frame.kind == "notification":
        assert third == frame.psn and 100 <= last < 100000, f"FCNP: {frame}"
    else:
        assert 100 <= third <= 100000 and 4 <= last < 100, f"FairRate, RTT_est: {frame}"


def check_mlcc(frame: Frame) -> None:
    """MLCC's header of data and ACKs."""
    if frame.kind == "data":
        epoch, queue = struct.unpack(">HI", frame.extension)
        assert epoch < 1000 and queue < 10_000_000, f"C_D, Q_c: {frame}"
    else:
        epoch, credit, told = struct.unpack(">HII", frame.extension)
        assert 1 <= epoch < 1000 and 100 <= credit <= 100000 and 100 <= told <= 100000, f"C_R, rates: {frame}"
        assert frame.raw[46] & 0x1f == 0, f"telemetry in an ACK: {frame}"


def check_pause(frame: Frame) -> None:
    """802.1Qbb: exactly one class, its time and no other."""
    assert frame.field["_ws.col.Protocol"] == "MAC CTRL" and len(frame.raw) == 60, f"pause: {frame}"
    assert frame.raw[:6].hex() == "0180c2000001", f"pause: destination: {frame}"
    vector = frame.number("macc.cbfc.enbv")
    assert vector and vector & (vector - 1) == 0, f"pause: classes: {frame}"
    for c in range(8):
        quanta = frame.number(f"macc.cbfc.pause_time.c{c}")
        assert quanta >= 0 and (vector >> c & 1 or quanta == 0), f"pause: quanta of {c}: {frame}"


def icrc(frame: Frame) -> bytes:
    """@return the ICRC that these bytes should have, by annex A17; telemetry is not covered."""
    telemetry = frame.telemetry_bytes
    ip_bytes = int.from_bytes(frame.raw[16:18], "big")
    head = bytearray(frame.raw[14:54])
    for offset in (1, 8, 10, 11, 26, 27, 32):  # ToS, TTL, checksums, FECN/BECN
        head[offset] = 0xff
    head[2:4] = (ip_bytes - telemetry).to_bytes(2, "big")
    head[24:26] = (ip_bytes - 20 - telemetry).to_bytes(2, "big")
    rest = frame.raw[54:14 + ip_bytes - 4]
    extended = frame.extended_bytes
    covered = bytes([0xff] * 8) + head + rest[:extended] + rest[extended + telemetry:]
    return binascii.crc32(covered).to_bytes(4, "little")


class Direction(NamedTuple):
    """A link one way: the captures at both ends, and how to tell what was sent on it."""

    source: str
    sink: str
    rate_bps: int
    delay_ns: int
    nics: range            # whose frames enter the link here
    inverse: bool          # the other NICs' frames instead
    mac: str               # of the switch whose pause frames enter the link here

    def carries(self, frame: Frame) -> bool:
        """@return whether a frame captured at an end goes in this direction."""
        if frame.kind == "pause":
            return frame.field["eth.src"] == self.mac
        return (frame.pair[0] in self.nics) != self.inverse


def both_ways(ends: tuple[str, str], rate_bps: int, delay_ns: int, nics: range,
              nodes: dict[str, int]) -> list[Direction]:
    """@return both directions of a link; nics are those on the side of the first end."""
    macs = [mac_of_switch(nodes[switch]) if switch in nodes else ""
            for switch in (end.rpartition("-")[0] for end in ends)]
    return [Direction(ends[0], ends[1], rate_bps, delay_ns, nics, False, macs[0]),
            Direction(ends[1], ends[0], rate_bps, delay_ns, nics, True, macs[1])]


def directions_of(nodes: dict[str, int]) -> list[Direction]:
    """@return all directions of all links of the network in PROGRAM; port names are file names."""
    found = []
    fast = 100 * GBPS
    for dc in range(2):
        for leaf in range(LEAVES):
            name = f"dc{dc}-leaf{leaf}"
            first = dc * RACK + leaf * HOSTS
            for i in range(HOSTS):
                found += both_ways((f"nic{first + i}", f"{name}-{i}"), fast, 1000,
                                   range(first + i, first + i + 1), nodes)
            found += both_ways((f"{name}-{HOSTS}", f"dc{dc}-spine0-{leaf}"), fast, 1000,
                               range(first, first + HOSTS), nodes)
        found += both_ways((f"dc{dc}-spine0-{LEAVES}", f"dc{dc}-dci0-0"), fast, 1000,
                           range(dc * RACK, (dc + 1) * RACK), nodes)
    found += both_ways(("dc0-dci0-1", "dc1-dci0-1"), 1600 * GBPS, WAN_DELAY_NS, range(RACK), nodes)
    return found


def check_direction(way: Direction, captures: Captures, end_ns: float) -> tuple[int, int]:
    """What one end sends the other receives, in order, unless lost, a known time later.

    @return frames lost, and frames sent right behind another
    """
    sent = [f for f in captures[way.source] if way.carries(f)]
    received = [f for f in captures[way.sink] if way.carries(f)]
    close = 0
    for frame, after in zip(sent, sent[1:]):
        gap = after.ns - frame.ns - serialisation_ns(frame, way.rate_bps)
        assert gap > -1, f"{way.source}: {after} begins {-gap} ns too early"
        close += gap < 1
    lost = i = 0
    for frame in sent:
        arrival = frame.ns + serialisation_ns(frame, way.rate_bps) + way.delay_ns
        if i < len(received) and received[i].raw == frame.raw and \
                abs(received[i].ns - arrival) < 1.001:
            i += 1
        else:
            lost += arrival < end_ns
    assert i == len(received), f"{way.sink}: never sent: {received[i:i + 1]}"
    return lost, close


def check_totals(captures: Captures, ways: list[Direction], counters: dict[str, int]) -> int:
    """Frames by kind, and those lost, equal the simulator's counters. @return frames lost."""
    nics = Counter()
    ports = Counter()
    notified = lost = 0
    for way in ways:
        sent = Counter(f.kind for f in captures[way.source] if way.carries(f))
        ports += sent
        if way.source.startswith("nic"):
            nics += sent
        elif way.sink.startswith("nic"):
            notified += sent["notification"]
        lost += check_direction(way, captures, counters["simulatedNs"] - 1)[0]
    for kind, name in (("data", "dataSent"), ("ACK", "acksSent"), ("NAK", "naksSent"),
                       ("CNP", "cnpsSent")):
        assert nics[kind] == counters[name], f"{kind}: {nics[kind]} frames, {counters[name]} counted"
    emitted = counters.get("reflexNsfPseudoAcks", 0) + counters.get("wrccFcnps", 0) + counters.get("mlccSwitchInts", 0)
    assert notified == emitted, f"notifications: {notified} frames, {emitted} counted"
    pauses = counters["pfcXoffSent"] + counters["pfcXonSent"] + counters["pfcXoffRefreshed"]
    assert ports["pause"] == pauses, f"pause: {ports['pause']} frames, {pauses} counted"
    hops = sum(ports.values()) - ports["pause"]
    assert hops == counters["packetHops"], f"{hops} packet-hops, {counters['packetHops']} counted"
    assert lost == counters["framesLostOnLinks"], f"lost: {lost} frames, {counters['framesLostOnLinks']} counted"
    return lost


def check_pauses(captures: Captures, table: list[dict[str, str]], names: dict[str, str]) -> None:
    """Each port's pause frames are the rows of pfc.csv, at most the rest of a frame later."""
    expected = defaultdict(list)
    for row in table:
        expected[f"{names[row['node']]}-{row['port']}"].append(row)
    for port, frames in captures.items():
        node = next((n for n, name in names.items() if name == port.rpartition("-")[0]), None)
        mac = mac_of_switch(int(node)) if node else None
        pauses = [f for f in frames if f.kind == "pause" and f.field["eth.src"] == mac]
        assert len(pauses) == len(expected[port]), f"{port}: {len(pauses)} pause frames, {len(expected[port])} in pfc.csv"
        for frame, row in zip(pauses, expected[port]):
            c = int(row["class"])
            assert frame.number("macc.cbfc.enbv") == 1 << c, f"{port}: {frame}, {row}"
            quanta = frame.number(f"macc.cbfc.pause_time.c{c}")
            assert (quanta == 0) == (row["event"] == "xon"), f"{port}: {frame}, {row}"
            delay = frame.ns - float(row["time_ns"])
            assert -1 < delay < 4300 * 0.08, f"{port}: {delay} ns late: {frame}, {row}"


def check_sender(frames: list[Frame], flow: dict[str, str], in_order: bool, timeouts: int) -> None:
    """PSNs count up from 0; what is sent again is what flows.csv says and a NAK asks for."""
    pair = int(flow["src"]), int(flow["dst"])
    packets = int(flow["packets"])
    asked = set()
    following = highest = repeats = payload = 0  # highest: first PSN never sent
    for frame in frames:
        if frame.kind == "NAK" and frame.pair == pair[::-1]:
            asked.add(frame.psn)
        if frame.kind != "data" or frame.pair != pair:
            continue
        psn = frame.psn
        if psn == highest % PSN_SPACE:
            highest += 1
            payload += frame.payload_bytes
        else:
            assert psn < highest, f"flow {flow['id']}: PSN {psn} before {highest}"
            repeats += 1
        if in_order and psn != following % PSN_SPACE:
            assert psn in asked or timeouts, f"flow {flow['id']}: goes back to {psn}, asked {asked}"
        following = psn + 1
        first, last = psn == 0, psn == packets - 1
        opcode = {(True, True): WRITE_ONLY, (True, False): WRITE_FIRST,
                  (False, True): WRITE_LAST, (False, False): WRITE_MIDDLE}[first, last]
        assert frame.number("infiniband.bth.opcode") == opcode, f"opcode: {frame}"
        assert frame.number("infiniband.reth.dmalen") == (int(flow["bytes"]) if first else -1), f"DMA length: {frame}"
    assert highest == packets, f"flow {flow['id']}: {highest} PSNs, {packets} packets"
    assert payload == int(flow["bytes"]), f"flow {flow['id']}: {payload} bytes of payload"
    assert repeats == int(flow["retransmitted"]), f"flow {flow['id']}: {repeats} repeats, {flow['retransmitted']} in flows.csv"


def check_receiver(frames: list[Frame], flow: dict[str, str], in_order: bool) -> None:
    """ACKs, NAKs and CNPs are those that the arrivals call for, by the rules of each recovery."""
    pair = int(flow["src"]), int(flow["dst"])
    last = int(flow["packets"]) - 1
    expected = 0
    ahead: set[int] = set()
    marked = naked = False
    replies: list[tuple[str, int, int, frozenset[int]]] = []
    answered = 0
    queue_pairs = set()
    for frame in frames:
        if frame.kind == "pause" or frame.pair not in (pair, pair[::-1]):
            continue
        if frame.kind == "data":
            marked |= frame.number("ip.dsfield.ecn") == 3
            psn = frame.psn
            kind = "ACK"
            if psn == expected:
                expected += 1
                naked = False
                while expected in ahead:
                    ahead.remove(expected)
                    expected += 1
            elif psn > expected and psn not in ahead:
                kind = "NAK"
                if not in_order:
                    ahead.add(psn)
                elif naked:
                    continue
                naked = True
            reply = (expected if kind == "NAK" else expected - 1) % PSN_SPACE
            replies.append((kind, reply, int(expected > last), frozenset(ahead)))
            continue
        queue_pairs.add(frame.field["infiniband.bth.destqp"])
        if frame.kind == "CNP":
            assert marked, f"a CNP without a mark: {frame}"
            continue
        assert answered < len(replies), f"flow {flow['id']}: answers what has not come: {frame}"
        kind, psn, msn, arrived = replies[answered]
        answered += 1
        found = (frame.kind, frame.psn, frame.number("infiniband.aeth.msn"))
        assert found == (kind, psn, msn), f"flow {flow['id']}: {found}, expected {kind} {psn} {msn}"
        check_sack(frame, arrived)
    assert answered == len(replies), f"flow {flow['id']}: {answered} of {len(replies)} answers"
    assert len(queue_pairs) == 1, f"flow {flow['id']}: answers to queue pairs {queue_pairs}"


def check_coded_sender(frames: list[Frame], flow: dict[str, str]) -> None:
    """Blocks in order, data before parity, which is as long as its block's longest packet."""
    pair = int(flow["src"]), int(flow["dst"])
    highest = repeats = payload = longest = enough = 0  # highest: first PSN never sent
    for frame in (f for f in frames if f.kind == "data" and f.pair == pair):
        index, data, total, last = frame.extension
        assert bool(last) == (frame.psn - index + total == int(flow["packets"])), f"last block: {frame}"
        if frame.psn < highest:
            repeats += 1
            continue
        # Parity of a block that has been rebuilt already is not sent.
        assert frame.psn == highest or (index == 0 and highest >= enough), f"PSN {frame.psn}, expected {highest}"
        highest = frame.psn + 1
        enough = frame.psn - index + data
        longest = max(longest, frame.payload_bytes) if index else frame.payload_bytes
        assert index < data or frame.payload_bytes == longest, f"parity of {longest} bytes: {frame}"
        payload += frame.payload_bytes if index < data else 0
    assert payload == int(flow["bytes"]), f"flow {flow['id']}: {payload} bytes"
    assert repeats == int(flow["retransmitted"]), f"flow {flow['id']}: {repeats} repeats"


def check_coded_receiver(frames: list[Frame], flow: dict[str, str]) -> None:
    """Each packet has an ACK, which names it and says whether its block can be rebuilt; a NACK is of one that cannot."""
    pair = int(flow["src"]), int(flow["dst"])
    arrived: dict[int, set[int]] = defaultdict(set)
    needed = {}
    open_replies: list[tuple[int, bool]] = []
    for frame in frames:
        if frame.kind == "data" and frame.pair == pair:
            first = frame.psn - frame.extension[0]
            arrived[first].add(frame.psn)
            needed[first] = frame.extension[1]
            open_replies.append((frame.psn, len(arrived[first]) >= needed[first]))
        elif frame.pair == pair[::-1] and frame.kind in ("ACK", "NAK"):
            first, bits = struct.unpack(">QQ", frame.sack)
            if frame.kind == "NAK":
                told = {first + i for i in range(64) if bits >> i & 1}
                assert frame.raw[50] & CODED and told <= arrived[first] and len(told) < needed[first], f"NACK: {frame}"
                continue
            psn, rebuilt = open_replies.pop(0)
            found = first + bits.bit_length() - 1, bool(frame.raw[50] & CODED)
            assert found == (psn, rebuilt), f"flow {flow['id']}: ACK of {found}, expected {psn}, {rebuilt}"
    assert not open_replies, f"flow {flow['id']}: no ACK of {open_replies}"


def check_sack(frame: Frame, arrived: frozenset[int]) -> None:
    """The bitmap behind the telemetry tells exactly which PSNs have arrived ahead."""
    assert len(frame.sack) == (SACK_BYTES if arrived else 0), f"SACK: {frame}"
    if arrived:
        first, bits = struct.unpack(">QQ", frame.sack)
        window = set(range(first, first + 64))
        told = {first + i for i in range(64) if bits >> i & 1}
        assert told == arrived & window, f"SACK: {told}, expected {arrived & window}"


def check_filters(captures: Captures, environment: dict[str, str]) -> set[str]:
    """The filters of the documentation choose the frames that they are said to.

    @return those that chose none
    """
    def selects(predicate: Callable[[Frame], object]) -> int:
        return sum(bool(predicate(f)) for frames in captures.values() for f in frames)

    def pause_of_class_3(frame: Frame, on: bool) -> bool:
        return frame.kind == "pause" and frame.raw[17] & 8 and (frame.raw[24:26] != b"\0\0") == on

    expected = {
        "data": selects(lambda f: f.kind == "data"),
        "first packets of messages":
            selects(lambda f: f.kind == "data" and f.raw[42] == WRITE_FIRST),
        "ACK": selects(lambda f: f.kind == "ACK"),
        "NAK": selects(lambda f: f.kind == "NAK"),
        "CNP": selects(lambda f: f.kind == "CNP"),
        "notifications": selects(lambda f: f.kind == "notification"),
        "pause frames": selects(lambda f: f.kind == "pause"),
        "XOFF of class 3": selects(lambda f: pause_of_class_3(f, True)),
        "XON of class 3": selects(lambda f: pause_of_class_3(f, False)),
        "data marked by a switch": selects(lambda f: f.kind == "data" and f.raw[15] & 3 == 3),
        "sent by NIC 0": selects(lambda f: f.kind != "pause" and f.raw[26:30] == b"\n\0\0\1"),
        "pause frames of the switch with node id 0":
            selects(lambda f: f.raw[6:12] == b"\2\0\0\x80\0\1"),
        "to a queue pair": selects(lambda f: f.kind != "pause" and f.raw[47:50] == b"\0\0\2"),
        "between two PSNs":
            selects(lambda f: f.kind != "pause" and 10 <= int.from_bytes(f.raw[51:54], "big") < 20),
    }
    section = DOCUMENTATION.read_text(encoding="utf-8").partition("Filters\n---")[2]
    told = dict(re.findall(r"^(\w.*?) {2,}``(.*)``$", section, re.MULTILINE))
    assert set(told) == set(expected), f"filters: {set(told) ^ set(expected)}"
    chosen = set()
    for what, text in told.items():
        joined = Path(environment["HOME"]) / "joined.pcap"
        done = run("tshark", "-r", joined, "-Y", text, env=environment)
        found = len(done.stdout.splitlines())
        assert found == expected[what], f"{what}, {text}: {found} frames, {expected[what]}"
        chosen |= {what} if found else set()
    return set(told) - chosen


def features(captures: Captures) -> set[str]:
    """@return kinds of frames and of blocks in them."""
    found = set()
    for frames in captures.values():
        for frame in frames:
            found.add(frame.kind)
            if frame.kind in ("data", "ACK", "NAK", "notification"):
                found |= {"time stamp"} if frame.raw[46] & 0x20 else set()
                found |= {"INT"} if frame.raw[46] & 0x1f else set()
            if frame.kind in ("data", "ACK") and frame.extension:
                found.add("code" if Frame.coded else "MLCC" if Frame.mlcc else "WRCC")
            if frame.kind == "CNP" and frame.extension:
                found.add("DCQCN+")
            if frame.kind in ("ACK", "NAK") and frame.sack:
                found.add("SACK")
    return found


@pytest.fixture
def environment(folder):
    """Nobody's preferences."""
    assert shutil.which("tshark"), "tshark is not installed; scripts/install.sh installs it"
    return {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "WIRESHARK_CONFIG_DIR": str(folder)}


def simulate(programs: Programs, options: list[str], out: Path) -> None:
    """Run PROGRAM."""
    programs.run(*PROGRAM, *options, f"--out={out}")


@pytest.mark.parametrize("name", RUNS)
def test_run(programs: Programs, name: str, environment: dict[str, str], folder: Path) -> None:
    """One of RUNS."""
    options, wanted = RUNS[name]
    folder = folder / "out"
    Frame.mlcc = name == "MLCC"
    Frame.coded = "parity" in name
    simulate(programs, INCAST + options, folder)
    told = summary(folder)
    counters = told["counters"]
    nodes = {name: int(node) for node, name in told["nodeNames"].items()}
    captures = load(sorted(folder.glob("*.pcap")), environment)
    ways = directions_of(nodes)
    assert {way.source for way in ways} == set(captures), f"files: {sorted(captures)}"
    lost = check_totals(captures, ways, counters)
    check_pauses(captures, rows(folder / "pfc.csv"), told["nodeNames"])
    in_order = "SelectiveRepeat" not in " ".join(options)
    for flow in rows(folder / "flows.csv"):
        if Frame.coded:
            check_coded_sender(captures["nic" + flow["src"]], flow)
            check_coded_receiver(captures["nic" + flow["dst"]], flow)
            continue
        check_sender(captures["nic" + flow["src"]], flow, in_order, counters["timeouts"])
        check_receiver(captures["nic" + flow["dst"]], flow, in_order)
    found = features(captures) | ({"loss"} if lost else set())
    assert wanted <= found, f"{name}: too easy, no {wanted - found}"
    if {"pause", "CNP"} <= wanted or "notification" in wanted:
        none = check_filters(captures, environment)
        assert "notifications" not in none if "notification" in wanted else none == {"notifications"}, \
            f"{name}: filters that choose nothing: {none}"


def test_one_packet(programs: Programs, environment: dict[str, str], folder: Path) -> None:
    """One packet and its ACK on the empty network: every time stamp is known."""
    start = 1234.567
    flows = folder / "flow.csv"
    flows.write_text(f"src,dst,bytes,start_ns\n0,1,4096,{start}\n", encoding="utf-8")
    out = folder / "out"
    simulate(programs, ["--cc=none", "--pattern=list", f"--flows={flows}"], out)
    data, ack, hop = 4194 * 0.08, 86 * 0.08, 1000
    turn = start + 2 * (data + hop)
    expected = {"nic0": [start, turn + 2 * (ack + hop)],
                "dc0-leaf0-0": [start + data + hop, turn + ack + hop],
                "dc0-leaf0-1": [start + data + hop, turn + ack + hop],
                "nic1": [turn, turn]}
    captures = load([out / f"{port}.pcap" for port in expected], environment)
    for port, times in expected.items():
        frames = captures[port]
        assert [f.kind for f in frames] == ["data", "ACK"], f"one packet at {port}: {frames}"
        assert [f.ns for f in frames] == [int(t + 1e-6) for t in times], f"one packet at {port}: {[f.ns for f in frames]}, expected {times}"
        assert frames[0].number("infiniband.bth.opcode") == WRITE_ONLY, f"opcode: {frames[0]}"


def test_busy_port(programs: Programs, environment: dict[str, str], folder: Path) -> None:
    """A busy millisecond: as many frames in the file, for tshark and in the port's counters."""
    done = programs.run("wireshark-capture", f"--prefix={folder}/busy")
    ports = list(csv.DictReader(done.stdout.splitlines()))
    captures = {}
    for row in ports:  # one by one, as a user does
        captures |= load([Path(row["file"])], environment)
    receiver = 8
    port, nic, sender = captures
    rate = 100 * GBPS
    out = Direction(port, nic, rate, 1000, range(receiver, receiver + 1), True, mac_of_switch(0))
    back = Direction(nic, port, rate, 1000, range(receiver, receiver + 1), False, "")
    up = Direction(sender, "", rate, 1000, range(0, 1), False, "")
    for row, way in zip(ports, (out, back, up)):
        frames = captures[way.source]
        sent = [f for f in frames if way.carries(f)]
        packets = sum(f.kind != "pause" for f in sent)
        pauses = sum(f.kind == "pause" for f in frames if not way.carries(f))
        assert packets == int(row["packets_sent"]), f"{packets} frames sent: {row}"
        assert sum(f.wire_bytes for f in sent) == int(row["wire_bytes_sent"]), f"bytes: {row}"
        assert pauses == int(row["pauses_received"]), f"{pauses} pauses received: {row}"
    lost, close = check_direction(out, captures, 1e6 - 1)
    assert lost == 0 and check_direction(back, captures, 1e6 - 1)[0] == 0, "frames are missing"
    busy_ns = sum(serialisation_ns(f, rate) for f in captures[port] if out.carries(f))
    assert 0.98e6 < busy_ns < 1e6 + 336 and close > 2500, f"busy for {busy_ns} ns, {close} close"
    kinds = {f.kind for frames in captures.values() for f in frames}
    assert kinds == {"data", "ACK", "CNP", "pause"}, f"kinds: {kinds}"
