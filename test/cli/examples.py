# SPDX-License-Identifier: GPL-2.0-only
"""Every example as a user runs it: what it prints against figures computed here, twice the same, bad options refused.
"""

import re

import pytest

from support import ROOT, refused, rows

EXAMPLES = ROOT / "contrib" / "roce" / "examples"

# The network of the examples: 100 Gbit/s, 1 us per link, one switch.
PS_PER_BYTE = 80
DELAY_PS = 1_000_000
PATH_MTU = 4096
# Preamble and gap 20, Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4; RETH 16 in the first packet; AETH 4.
FRAME_BYTES = 20 + 14 + 20 + 8 + 12 + 4 + 4
RETH_BYTES = 16
ACK_BYTES = FRAME_BYTES + 4


def close(value, expected, tolerance):
    """@return whether value is expected, give or take."""
    return abs(value - expected) <= tolerance


def packets_of(message, mtu=PATH_MTU):
    """@return the packets of a message, bytes with all headers and framing."""
    payloads = [mtu] * (message // mtu) + ([message % mtu] if message % mtu else [])
    frames = [FRAME_BYTES + payload for payload in payloads]
    frames[0] += RETH_BYTES
    return frames


def empty_network_fct_us(message, mtu=PATH_MTU):
    """@return FCT over NIC, switch and NIC, each packet forwarded when it is there completely and the one before has left."""
    sent = forwarded = 0
    for frame in packets_of(message, mtu):
        sent += frame * PS_PER_BYTE
        forwarded = max(sent + DELAY_PS, forwarded) + frame * PS_PER_BYTE
    return (forwarded + DELAY_PS + 2 * (ACK_BYTES * PS_PER_BYTE + DELAY_PS)) / 1e6


class Runner:
    """Runs the programs in a folder of their own."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder

    def output(self, program, *options):
        """@return what a successful run prints; a second run must print the same but for the speed."""
        texts = [re.sub(r" in [0-9.]+ s: [0-9.]+ M packet-hops/s", "", self.programs.run(program, *options, cwd=self.folder).stdout)
                 for _ in range(2)]
        assert texts[0] == texts[1], f"{program} {options}: two runs differ"
        return texts[0]

    def refuse(self, program, option, *words):
        """A bad option: status 2 and one line that says what was expected."""
        done = self.programs.run(program, option, status=2, cwd=self.folder)
        refused(done, *words)
        assert done.stdout == "" and done.stderr.count("\n") == 1, f"{program} {option} ran: {done}"


@pytest.fixture
def runner(programs, folder):
    """In an empty folder."""
    return Runner(programs, folder)


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.cc")))
def test_each(programs, name):
    """Each example has a test, here or elsewhere, and explains itself."""
    assert f"test_{name.replace('-', '_')}" in globals(), f"no test of {name}"
    usage = programs.run(name, "--help").stdout
    assert usage.startswith(f"{name} ["), f"{name} --help: {usage}"


def test_first_flow(runner):
    """One flow alone takes the time of an empty network; HPCC's telemetry adds bytes."""
    pattern = re.compile(r"(\d+) bytes in (\d+) packets: ([\d.]+) us, ideal ([\d.]+) us, slowdown ([\d.]+)\n")

    def run(message, *options, mtu=PATH_MTU):
        match = pattern.fullmatch(runner.output("first-flow", *options))
        assert match, f"first-flow {options}: unexpected text"
        assert int(match[1]) == message and int(match[2]) == len(packets_of(message, mtu)), f"first-flow {options}: {match[0]}"
        return [float(match[i]) for i in (3, 4, 5)]

    for message, mtu in [(1000000, 4096), (4, 4096), (4096, 4096), (123456, 1024)]:
        fct, ideal, slowdown = run(message, f"--bytes={message}", f"--ns3::roce::Nic::PathMtu={mtu}",
                                   mtu=mtu)
        expected = empty_network_fct_us(message, mtu)
        assert close(fct, expected, 0.0006) and close(ideal, expected, 0.0006) and slowdown == 1, \
            f"first-flow of {message}: {fct}, ideal {ideal}, expected {expected}"
    fct, ideal, slowdown = run(1000000)
    assert fct == ideal and slowdown == 1, "first-flow: defaults"
    # The packet carries 2 bytes of telemetry over the first link and 2 + 256 over the second, its ACK what it echoes.
    fct, ideal, _ = run(4096, "--cc=Hpcc", "--bytes=4096", "--ns3::roce::IntStamper::BytesPerHop=256")
    assert close(fct - ideal, (2 + 3 * 258) * PS_PER_BYTE / 1e6, 0.0011), f"first-flow with telemetry: {fct}, {ideal}"
    for program in ("first-flow", "incast-pfc"):
        runner.refuse(program, "--bytes=18446744073709551615", "size is 18446744073709551615 B", "at most 10")
        runner.refuse(program, "--SimulatorImplementationType=foo", "is 'foo'", "ns3::DefaultSimulatorImpl")
        runner.refuse(program, "--RngSeed=0", "--RngSeed is '0'", "1 to 4294944442")
    for scheduler in ("foo", "ns3::Scheduler", "ns3::Object"):
        runner.refuse("first-flow", f"--SchedulerType={scheduler}", f"is '{scheduler}'", "expected")
    for program in ("incast-pfc", "wireshark-capture"):
        runner.refuse(program, "--senders=4294967295", "--senders is '4294967295'", "0 to 32766")
    runner.refuse("wireshark-capture", "--duration=0ms", "--duration is not above 0")
    runner.refuse("wireshark-capture", "--prefix=", "--prefix is empty", "beginning of file names")
    done = runner.programs.run("first-flow", "--ns3::roce::Nic::RtoMin=1ns", "--ns3::roce::Nic::RtoFactor=0", status=3)
    assert "retry limit exceeded" in done.stderr, f"first-flow that gives up: {done}"
    runner.refuse("first-flow", "--bytes=1x", "--bytes is '1x'", "expected bytes")
    runner.refuse("first-flow", "--cc=Vegas", "--cc", "Vegas", "expected")


def test_incast_pfc(runner):
    """The receiver's link is never idle, nothing is lost, and the counts agree with each other and the files."""
    text = runner.output("incast-pfc")
    out = runner.folder / "results" / "incast-pfc"
    senders, message = 16, 1000000
    match = re.search(r"^all +(\d+) +(\d+) +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)$", text, re.M)
    assert match and match.group(1, 2, 3) == ("16", "16", "0"), f"incast-pfc: {text}"
    # From the first packet's arrival at the switch on, all packets pass the receiver's link without a gap.
    frames = packets_of(message)
    last_ps = (frames[0] + senders * sum(frames) + 2 * ACK_BYTES) * PS_PER_BYTE + 4 * DELAY_PS
    expected = last_ps / 1e6 / empty_network_fct_us(message)
    assert close(float(match[6]), expected, 0.001), f"incast-pfc: last slowdown {match[6]}, expected {expected}"
    fcts = [float(row["fct_ns"]) for row in rows(out / "flows.csv")]
    assert close(max(fcts) * 1000, last_ps, 1), f"incast-pfc: last flow {max(fcts)} ns, expected {last_ps} ps"

    match = re.search(r"^PFC: (\d+) XOFF, ([\d.]+) ms paused .*; dropped frames: (\d+); retransmitted: (\d+);", text, re.M)
    assert match and match.group(3, 4) == ("0", "0"), f"incast-pfc: {text}"
    nics = re.findall(r"^NIC (\d+): (\d+) pause frames, paused for ([\d.]+) us$", text, re.M)
    assert [int(nic[0]) for nic in nics] == list(range(senders)), f"incast-pfc: {nics}"
    assert all(int(nic[1]) > 0 for nic in nics) and sum(int(nic[1]) for nic in nics) == int(match[1]), \
        f"incast-pfc: pause frames {nics}, {match[1]}"
    paused_us = sum(float(nic[2]) for nic in nics)
    assert close(paused_us, 1000 * float(match[2]), 1.5), f"incast-pfc: paused {paused_us}, {match[2]}"
    # Who is not paused sends: 1,020,106 bytes take 81.6 us.
    idle_us = max(fcts) / 1000 - sum(frames) * PS_PER_BYTE / 1e6
    assert all(float(nic[2]) < idle_us for nic in nics), f"incast-pfc: paused longer than {idle_us}"
    events = [row["event"] for row in rows(out / "pfc.csv")]
    assert sum(event != "xon" for event in events) == int(match[1]), "incast-pfc: pfc.csv"
    queue = max(int(row["queue_bytes"]) for row in rows(out / "queues.csv"))
    assert 1 << 20 < queue < 4 << 20, f"incast-pfc: greatest queue {queue}"
    # Two senders fill the buffer more slowly than sixteen, and one alone not at all.
    alone = runner.output("incast-pfc", "--senders=1", "--out=alone")
    assert "PFC: 0 XOFF, 0.000 ms" in alone and "NIC 0: 0 pause frames, paused for 0.0 us" in alone, f"incast-pfc --senders=1: {alone}"
    runner.refuse("incast-pfc", "--buffer=4", "--buffer is '4'", "32MiB")
    runner.refuse("incast-pfc", "--sender=4", "unknown option '--sender'", "--senders")


def test_own_tuner(runner):
    """Where the RTT is above the target, step and thresholds shrink to 80 %; otherwise they grow by 10 %, up to their bounds."""
    pattern = re.compile(r" *(\d+) us  RTT +([\d.]+) us  step +([\d.]+) Mbit/s  Kmax +([\d.]+) kB")
    for options, target in ([], 30), (["--ns3::roce::RttTuner::Target=60us"], 60):
        rows = [[float(x) for x in pattern.fullmatch(line).groups()]
                for line in runner.output("own-tuner", *options).splitlines()]
        assert [row[0] for row in rows] == [1000.0 * i for i in range(1, 16)], f"own-tuner: times {rows}"
        step, kmax = 40.0, 400.0
        for _, rtt, new_step, new_kmax in rows:
            factor = 0.8 if rtt > target else 1.1
            step, kmax = max(1, min(500, step * factor)), max(20, min(400, kmax * factor))
            assert close(new_step, step, 0.01) and close(new_kmax, kmax, 0.01), f"own-tuner {options}: {rows}"
            step, kmax = new_step, new_kmax
    runner.refuse("own-tuner", "--ns3::roce::Tuner::ReportLoss=2", "ReportLoss", "0 <= ReportLoss <= 1")


def test_own_stage(runner):
    """The own stage keeps the link a little below its target and the queue short; what marks by the queue needs one."""
    pattern = re.compile(r" *(\d+) ms +([\d.]+) Gbit/s  queue +([\d.]+) kB")

    def run(*options):
        rows = [[float(x) for x in pattern.fullmatch(line).groups()] for line in runner.output("own-stage", *options).splitlines()]
        assert [row[0] for row in rows] == list(range(1, 11)), f"own-stage {options}: times {rows}"
        steady = rows[4:]
        return [sum(row[i] for row in steady) / len(steady) for i in (1, 2)]

    rate, queue = run()
    low_rate, low_queue = run("--ns3::roce::UtilisationMarker::Target=0.5")
    other_rate, other_queue = run("--marker=ns3::roce::EcnMarker")
    assert 75 < rate < 96, f"own-stage: {rate} Gbit/s, expected a little below the target of 95"
    assert 35 < low_rate < 60, f"own-stage with a target of 50 %: {low_rate} Gbit/s"
    assert queue < 10 and low_queue < 10, f"own-stage: queues of {queue} and {low_queue} kB, expected nearly none"
    assert other_rate > 95 and other_queue > 100, f"own-stage with EcnMarker: {other_rate} Gbit/s, queue {other_queue} kB"
    runner.refuse("own-stage", "--ns3::roce::UtilisationMarker::Target=2", "UtilisationMarker::Target")
    runner.refuse("own-stage", "--marker=ns3::roce::Switch", "--marker", "UtilisationMarker")


def test_own_topology(runner):
    """All flows take at least their ideal time, of 20 ms if they go east; frames of the lossy class alone are dropped."""
    text = runner.output("own-topology")
    flows = {match[1]: match for match in
             re.finditer(r"^(\w+ to \w+), class (\d): ([\d.]+) ms, slowdown ([\d.]+)$", text, re.M)}
    assert set(flows) == {"alice to dave", "bob to dave", "carol to dave", "dave to carol", "alice to bob"}, f"own-topology: {text}"
    for name, match in flows.items():
        # At least both ways of propagation, and the payload at the slowest link.
        least = (20.004 if "dave" in name else 0.004) + 20e6 * 8 / (25e9 if "carol" in name else 100e9) * 1e3
        assert float(match[3]) > least and float(match[4]) >= 1, f"own-topology: {match[0]}, expected more than {least} ms"
    drops = re.findall(r"^(\w+): (\d+) frames of class (\d) dropped$", text, re.M)
    assert drops and {(where, number) for where, _, number in drops} == {("middle", "1")}, \
        f"own-topology: drops {drops}, expected those of class 1 where the long link begins"
    assert re.search(r"^east: \d+ pause frames sent$", text, re.M), f"own-topology: dave, faster than the long link, is not paused: {text}"
    assert text.endswith("5 of 5 flows done\n"), f"own-topology: {text}"
    runner.refuse("own-topology", "--bytes=2000000000", "--bytes", "1000000000")
    runner.refuse("own-topology", "--cc=Nope", "--cc", "Nope")


def test_own_transport(runner):
    """The rates follow from the law: line rate alone, and powers of the factor while nothing is added."""
    pattern = re.compile(r" *([\d.]+) us +([\d.]+) \+ +([\d.]+) Gbit/s  fairness ([\d.]+)")

    def run(*options):
        rows = [[float(x) for x in pattern.fullmatch(line).groups()]
                for line in runner.output("own-transport", *options).splitlines()]
        assert [row[0] for row in rows] == [200.0 * i for i in range(1, 21)], f"own-transport: times {rows}"
        for time, first, second, fairness in rows:
            jain = (first + second) ** 2 / (2 * (first ** 2 + second ** 2))
            assert close(fairness, jain, 0.001), f"own-transport {options} at {time}: Jain {fairness}, {jain}"
        assert rows[0][1:3] == [100, 0], f"own-transport {options}: the first flow alone: {rows[0]}"
        return rows

    rows = run()
    rates = [first + second for time, first, second, _ in rows if time > 1500]
    assert 60 < sum(rates) / len(rates) < 120, f"own-transport: rates {rates}"
    assert min(row[3] for row in rows[1:]) > 0.8, f"own-transport: fairness {rows}"
    # Nothing is added: each rate is a power of the factor, and never rises.
    last = [100.0, 100.0]
    for row in run("--ns3::roce::Aimd::Step=0bps")[2:]:
        for i in range(2):
            powers = [100 * 0.8 ** k for k in range(40)]
            assert min(abs(row[1 + i] - power) for power in powers) < 0.006 and row[1 + i] <= last[i], f"own-transport without steps: {row}"
            last[i] = row[1 + i]
    assert last[0] < 60 and last[1] < 60, f"own-transport without steps: {last}"
    # Nothing is taken away: both stay at line rate.
    assert all(row[1:3] == [100, 100] for row in run("--ns3::roce::Aimd::Factor=1")[2:]), "own-transport with Factor=1"
    runner.refuse("own-transport", "--ns3::roce::Aimd::Factor=2", "Factor", "expected")
    runner.refuse("own-transport", "--bytes=4", "unknown option '--bytes'")


def test_tcp_beside_rdma(runner):
    """Both kinds share a link of 25 Gbit/s by class, and a class as their rate laws do; tcp-capture.py looks into the files."""
    def run(*options):
        text = runner.output("tcp-beside-rdma", "--bytes=5000000", *options)
        found = dict(re.findall(r"^(\w+): [\d.]+ ms, ([\d.]+) Gbit/s$", text, re.M))
        assert len(found) == 2, f"tcp-beside-rdma {options}: {text}"
        return {name: float(gbps) for name, gbps in found.items()}

    apart = run("--cc=LineRate", "--ns3::roce::DwrrScheduler::Weights=3:2,0:1")
    assert apart["TcpCubic"] < apart["RDMA"] < 25, f"tcp-beside-rdma: {apart}"
    assert apart["RDMA"] > 24 * 2 / 3 - 1, f"tcp-beside-rdma: RDMA has two thirds of the link while TCP sends: {apart}"
    swapped = run("--cc=LineRate", "--ns3::roce::DwrrScheduler::Weights=3:1,0:2")
    assert swapped["RDMA"] < apart["RDMA"], f"tcp-beside-rdma: weights do nothing: {apart}, {swapped}"
    assert set(run("--tcp=TcpNewReno", "--class=3")) == {"RDMA", "TcpNewReno"}
    runner.refuse("tcp-beside-rdma", "--cc=Vegas", "--cc", "Vegas", "expected")


def test_wireshark_capture(runner):
    """The captured port is busy all the time and the receiver never paused; wireshark.py looks into the files."""
    lines = runner.output("wireshark-capture", "--prefix=busy").splitlines()
    assert lines[0] == "file,packets_sent,wire_bytes_sent,pauses_received" and len(lines) == 4, f"wireshark-capture: {lines}"
    (port, data, data_bytes, _), (receiver, acks, ack_bytes, _), (sender, _, _, pauses) = \
        (line.split(",") for line in lines[1:])
    link_bytes = 12_500_000  # 100 Gbit/s for 1 ms
    assert 0.98 * link_bytes < int(data_bytes) <= link_bytes + 4500, f"wireshark-capture: busy port {data_bytes}"
    frame = (FRAME_BYTES + PATH_MTU)
    assert int(data) * frame <= int(data_bytes) <= int(data) * frame + 8 * RETH_BYTES, \
        f"wireshark-capture: {data} packets of {data_bytes} bytes"
    # Data in flight at the end is not acknowledged; marked data is answered by CNPs as well.
    assert int(acks) > int(data) - 10 and int(pauses) > 0, f"wireshark-capture: {lines}"
    for name in (port, receiver, sender):
        assert (runner.folder / name).stat().st_size > 10000, f"wireshark-capture: {name}"
    runner.refuse("wireshark-capture", "--cc=Vegas", "--cc", "Vegas", "expected")
    runner.refuse("wireshark-capture", "--sender=4", "unknown option '--sender'", "--senders")
