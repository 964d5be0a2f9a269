# SPDX-License-Identifier: GPL-2.0-only
"""Flows of ns-3's TCP beside those of RDMA: rate laws of --ccOf and of flow lists, --tcpClass, --flowMonitor."""

import re
from xml.etree import ElementTree

import pytest

from support import LEAF_SPINE, SCRIPTS, contents, rows, summary, write_files

HEADER = "src,dst,bytes,start_ns,class,srcport,tag,phase,qp,cc\n"
# Tag 1 is for TCP. Host 5 gets more than its switch has room for; hosts 8 and 9 share no link with the others.
MIXED = HEADER + "0,5,1000000,1000,3,0,1,0,0,\n1,5,3000000,1000,2,1234,1,0,0,\n2,5,3000000,0,3,0,1,0,0,\n3,5,3000000,0,3,0,1,0,0,\n" \
    "6,5,3000000,0,3,0,0,0,0,\n20,5,500000,0,3,0,1,0,0,\n8,9,1000000,0,3,0,0,0,0,\n"
STORAGE = SCRIPTS / "experiments" / "bench" / "flows" / "storage.csv"
IP_TCP_BYTES = 52  # headers of a packet, with timestamps


@pytest.fixture
def tcp(programs, folder):
    """Runs two-dc-leaf-spine with a flow list."""
    def start(flows, *options, out="out", **more):
        write_files(folder, {"flows.csv": flows})
        done = programs.run(LEAF_SPINE, "--pattern=list", f"--flows={folder / 'flows.csv'}", "--progress=none",
                            f"--out={folder / out}", *options, **more)
        return folder / out, done
    return start


@pytest.fixture
def refuse(programs, folder):
    """What is said instead of a run."""
    def start(*options, flows=MIXED, words=()):
        write_files(folder, {"flows.csv": flows})
        return programs.refuse(LEAF_SPINE, "--pattern=list", f"--flows={folder / 'flows.csv'}", "--out=", *options, words=words)
    return start


def seconds(text):
    """A time of flowmon.xml."""
    return float(re.fullmatch(r"\+(.+)ns", text)[1]) * 1e-9


def test_both_in_all_tables(tcp):
    """TCP flows are rows of flows.csv and count in summary.json; what shares no link with them is as without them."""
    out, _ = tcp(MIXED, "--ccOf=tag1:TcpCubic")
    flows = rows(out / "flows.csv")
    assert [row["status"] for row in flows] == ["finished"] * 7
    assert summary(out)["flows"]["finished"] == 7
    for row in flows:
        assert row["class"] == ("0" if row["tag"] == "1" else "3"), f"class of {row}"
        assert float(row["fct_ns"]) >= float(row["receiver_fct_ns"]) or row["tag"] == "1", f"the ACK comes last: {row}"
        if row["tag"] == "1":
            assert int(row["packets"]) == -(-int(row["bytes"]) // 1448), f"segments of 1448 B: {row}"
    alone, _ = tcp(MIXED, out="alone")
    ideal = {row["id"]: row["ideal_fct_ns"] for row in rows(alone / "flows.csv")}
    assert {row["id"]: row["ideal_fct_ns"] for row in flows} == ideal, "one yardstick for all flows"
    lone = [next(row for row in rows(path / "flows.csv") if row["src"] == "8") for path in (out, alone)]
    assert lone[0] == lone[1], "hosts 8 and 9 share no link with TCP"


def test_the_same_bytes(tcp):
    """Twice the same, watched by FlowMonitor or not."""
    options = ("--ccOf=tag1:TcpDctcp", "--leafBuffer=700KB")
    first, again, watched = (tcp(MIXED, *options, *more, out=out)[0]
                             for out, more in (("a", ()), ("b", ()), ("c", ("--flowMonitor",))))
    assert contents(first)["flows.csv"] == contents(again)["flows.csv"]
    assert contents(first)["flows.csv"] == contents(watched)["flows.csv"], "FlowMonitor only watches"


def test_laws(tcp, refuse):
    """Every variant that the message for an unknown one names carries flows, with attributes; a flow list may name it, too."""
    known = refuse("--ccOf=tag1:TcpNone", words=["--ccOf: rate law is 'TcpNone'"]).split("expected one of: ")[1].split(", ")
    assert {"ns3::TcpNewReno", "ns3::TcpLinuxReno", "ns3::TcpCubic", "ns3::TcpDctcp", "ns3::TcpBbr"} <= set(known), known
    names = [name.replace("ns3::", "") for name in known]
    listed = HEADER + "".join(f"{i % 8},{8 + i % 8},20000,{i * 1000},3,0,0,0,0,{name}\n" for i, name in enumerate(names))
    out, done = tcp(listed)
    assert [row["status"] for row in rows(out / "flows.csv")] == ["finished"] * len(known) and done.stderr == ""
    packets = {}
    for law in ("TcpDctcp", "TcpDctcp[UseEct0=false]", "TcpCubic", "TcpCubic[Beta=0.3]"):
        out, _ = tcp(MIXED, f"--ccOf=tag1:{law}", "--leafBuffer=700KB", out=law)
        packets[law] = (out / "flows.csv").read_text(encoding="utf-8")
    assert packets["TcpCubic"] != packets["TcpCubic[Beta=0.3]"], "Beta has no effect"
    assert packets["TcpCubic"] != packets["TcpDctcp"], "the law has no effect"
    refuse("--ccOf=tag1:TcpCubic[Beta=2|Speed=3]", words=["'Speed=3'", "--PrintAttributes=ns3::TcpCubic"])
    refuse("--cc=TcpCubic", words=["--cc is 'TcpCubic'", "Dcqcn"])


def test_classes(tcp, refuse):
    """One class for all, or their own; a lossless one loses nothing."""
    dropped, classes = {}, {}
    for tcp_class in ("0", "3", "flow"):
        out, done = tcp(MIXED, "--ccOf=tag1:TcpNewReno", "--leafBuffer=700KB", "--ns3::roce::EcnMarker::DropNotEct=0",
                        f"--tcpClass={tcp_class}", out=tcp_class)
        dropped[tcp_class] = summary(out)["counters"]["framesDropped"]
        classes[tcp_class] = [row["class"] for row in rows(out / "flows.csv") if row["tag"] == "1"]
        assert "PFC does not protect" not in done.stderr, "TCP bears losses"
    assert dropped["0"] > 0 and dropped["3"] == 0, dropped
    assert classes["0"] == ["0"] * 5 and classes["3"] == ["3"] * 5 and sorted(classes["flow"]) == ["2", "3", "3", "3", "3"], classes
    refuse("--ccOf=tag1:TcpCubic", "--tcpClass=8", words=["--tcpClass", "'8'"])
    refuse("--ccOf=tag1:TcpCubic", "--ns3::roce::RoceNetDevice::Classes=3", words=["--tcpClass"])
    _, done = tcp(MIXED, "--tcpClass=3", "--flowMonitor")
    assert "warning: --tcpClass, --flowMonitor: without effect without TCP flows" in done.stderr.splitlines(), done.stderr


def test_unfinished(tcp):
    """A flow that cannot end is named, and what of it has arrived; the run ends by itself."""
    out, done = tcp(MIXED, "--ccOf=tag1:TcpCubic", "--failLinks=dc0-leaf1/nic5@300us", "--safetyLimit=0s", status=3)
    flows = {row["src"]: row for row in rows(out / "flows.csv")}
    assert summary(out)["end"] == "stalled"
    assert [src for src, row in sorted(flows.items()) if row["status"] == "finished"] == ["8"], flows
    assert re.search(r"^  flow \d: TCP from NIC 2 to NIC 5, [1-9]\d* of 3000000 B delivered, [1-9]\d* segments sent again; its "
                     r"connection is given up$", done.stderr, re.MULTILINE), done.stderr
    assert int(flows["2"]["retransmitted"]) > 0 and int(flows["20"]["packets"]) == 0, flows
    out, _ = tcp(MIXED, "--ccOf=tag1:TcpCubic", "--stop=400us", status=3)
    assert summary(out)["end"] == "stop"


def test_full_windows(programs, folder):
    """Losses while buffers are full (with receive buffers that are no larger, ns-3's TCP crashes here)."""
    out = folder / "out"
    programs.run(LEAF_SPINE, "--leaves=2", "--spines=2", "--hostRate=25Gbps", "--fabricRate=25Gbps", "--dciRate=25Gbps",
                 "--wanRate=100Gbps", "--leafBuffer=4MB", "--spineBuffer=4MB", "--pattern=poisson+list", "--load=0.3",
                 "--duration=10ms", "--truncate=5000000", "--cc=Hpcc", "--ccOf=tag1:TcpNewReno", f"--flows={STORAGE}",
                 "--ns3::roce::RoceNetDevice::Mtu=9000", "--ns3::TcpSocketBase::MinRto=10ms", "--ns3::TcpSocket::DelAckCount=1",
                 f"--out={out}")
    assert summary(out)["flows"]["unfinished"] == 0 and sum(int(row["retransmitted"]) for row in rows(out / "flows.csv")) > 100


def test_refusals(programs, refuse):
    """What TCP flows do not go with, before anything is simulated, in one line."""
    law = "--ccOf=tag0-1:TcpCubic"
    for threads in ("2", "auto"):
        refuse(law, f"--threads={threads}", words=["--threads", "one thread"])
    refuse(law, "--balance=2", words=["--balance", "one thread"])
    refuse(law, "--connections=pair", words=["flow 0", "a connection of its own"])
    refuse(law, "--through=dc0-spine0", words=["--through", "TCP"])
    refuse(law, flows=HEADER + "0,5,1000,0,3,0,0,0,1,\n", words=["flow 0", "a connection of its own"])
    for line in ("0,5,1000,0,3,0,0,1,0,\n1,5,1000,0,3,0,0,2,0,\n", "0,5,1000,0,3,0,0,1,0,TcpCubic\n1,5,1000,0,3,0,0,2,0,\n"):
        refuse(law, flows=HEADER + line, words=["flow ", "waits for others or is waited for"])
    programs.refuse(LEAF_SPINE, "--pattern=collective", "--out=", "--ccOf=nic0-31:TcpCubic", words=["flow 0", "waits for others"])
    refuse(law, "--flowMonitor", words=["--flowMonitor", "empty --out"])


def test_flow_monitor_agrees(tcp):
    """flowmon.xml has the bytes, losses and times of flows.csv, and all that switches have dropped."""
    out, _ = tcp(MIXED, "--ccOf=tag1:TcpCubic", "--flowMonitor", "--leafBuffer=700KB")
    root = ElementTree.parse(out / "flowmon.xml").getroot()
    stats = {flow.get("flowId"): flow for flow in root.find("FlowStats")}
    ways = {(flow.get("sourceAddress"), flow.get("destinationAddress")): stats[flow.get("flowId")]
            for flow in root.find("Ipv4FlowClassifier")}
    assert sum(int(way.get("lostPackets")) for way in ways.values()) == summary(out)["counters"]["framesDropped"] > 0
    for row in rows(out / "flows.csv"):
        if row["tag"] != "1":
            continue
        there, back = (f"10.0.0.{int(row[end]) + 1}" for end in ("src", "dst"))
        way = ways.pop((there, back))
        received, sent, lost = (int(way.get(name)) for name in ("rxPackets", "txPackets", "lostPackets"))
        assert lost == int(row["retransmitted"]), f"each loss is made up for once: {row}, {lost} lost"
        assert sent - int(row["packets"]) - lost <= 4, f"a handshake's packets and the last ACK beside segments: {row}, {sent} sent"
        payload = int(way.get("rxBytes")) - IP_TCP_BYTES * received
        assert 0 <= payload - int(row["bytes"]) <= 8, f"payload, and options of the SYN: {row}, {payload} B"
        assert seconds(way.get("timeFirstTxPacket")) == pytest.approx(float(row["start_ns"]) * 1e-9, abs=10e-6)
        first, last = (seconds(ways[(back, there)].get(name)) for name in ("timeFirstRxPacket", "timeLastRxPacket"))
        done = (float(row["start_ns"]) + float(row["fct_ns"])) * 1e-9
        assert first < done <= last * 1.00001, f"the last ACK comes back at {done}, before a FIN at {last}"
        assert sent - lost - received in (0, 1), f"nothing else is missing but an ACK under way at the end of the run: {row}"
