# SPDX-License-Identifier: GPL-2.0-only
"""Captures with TCP of ns-3 and RoCE in them, as tshark reads them."""

import shutil
from pathlib import Path

import pytest

from support import Programs, run

BYTES = 2_000_000
SEGMENT = 1448
# What tshark says of a stream: something is missing, or is not as TCP has it.
FLAWS = ["tcp.analysis.lost_segment", "tcp.analysis.ack_lost_segment", "tcp.analysis.out_of_order",
         "tcp.analysis.retransmission", "tcp.analysis.zero_window", "_ws.malformed"]
CHECKED = ["-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE"]


@pytest.fixture
def captures(programs: Programs, folder: Path) -> tuple[Path, Path, dict[str, str]]:
    """@return captures of the TCP receiver and of the link between the leaves; tshark's environment."""
    assert shutil.which("tshark"), "tshark is not installed; scripts/install.sh installs it"
    programs.run("tcp-beside-rdma", f"--bytes={BYTES}", "--cc=Timely", f"--pcap={folder}/out")
    (port,) = folder.glob("out-port-*.pcap")
    (receiver,) = set(folder.glob("out-*.pcap")) - {port}
    return receiver, port, {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}


def tshark(capture: Path, environment: dict[str, str], condition: str, *fields: str) -> list[list[str]]:
    """@return fields of the frames for which a condition holds."""
    done = run("tshark", "-r", capture, *CHECKED, "-Y", condition, "-T", "fields", "-E", "separator=|",
               *(o for f in fields or ("frame.number",) for o in ("-e", f)), env=environment)
    return [line.split("|") for line in done.stdout.splitlines()]


def test_tcp_is_whole_at_both(captures) -> None:
    """Every segment once, with good checksums, and nothing that tshark misses."""
    for capture in captures[:2]:
        frames = tshark(capture, captures[2], "tcp", "ip.checksum.status", "tcp.checksum.status",
                        "tcp.srcport", "tcp.len", "ip.ttl")
        assert {tuple(f[:2]) for f in frames} == {("1", "1")}, f"{capture.name}: checksums"
        data = [int(f[3]) for f in frames if f[2] != "80"]
        assert sum(data) == BYTES and max(data) == SEGMENT, f"{capture.name}: {sum(data)} bytes of TCP"
        flaws = tshark(capture, captures[2], " || ".join(FLAWS), "frame.number", "_ws.expert.message")
        assert not flaws, f"{capture.name}: {flaws[:5]}"
    sent, seen = ({f[0] for f in tshark(c, captures[2], "tcp.len > 0", "ip.ttl")} for c in captures[1::-1])
    assert (sent, seen) == ({"63"}, {"62"}), f"TTL {sent} between the switches, {seen} at the receiver"


def test_port_has_both_kinds(captures) -> None:
    """RoCE is beside TCP on the link, and not at TCP's receiver."""
    receiver, port, environment = captures
    data = tshark(port, environment, "infiniband.bth.opcode in {6..8, 10}")
    assert len(data) >= BYTES / 4096, f"{len(data)} frames of RDMA data"
    assert not tshark(receiver, environment, "infiniband"), "RDMA at the receiver of TCP"
    others = tshark(port, environment, "!infiniband && !tcp && macc.opcode != 0x0101")
    assert not others, f"unknown frames {others[:5]}"
    # They share the link while both have something to send.
    both = tshark(port, environment, "infiniband.bth.opcode == 7 || tcp.len > 0", "ip.proto")
    changes = sum(a != b for a, b in zip(both, both[1:]))
    assert changes > 100, f"{changes} changes between TCP and RDMA"
