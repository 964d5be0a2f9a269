# SPDX-License-Identifier: GPL-2.0-only
"""Traffic classes: which are lossless, which go first, how they share, and what is said of data in classes that are not for it."""

import pytest

from support import LEAF_SPINE
from support.replay import run_files

# Hosts 1 to 9 at switch 0.
HOSTS = range(1, 10)
TOPOLOGY = "10 1 9\n0\n" + "".join(f"{host} 0 100Gbps 0.001ms 0\n" for host in HOSTS)


@pytest.fixture
def replay(programs, folder):
    """Runs these lines of a flow file."""
    def start(flows, *options, status=0):
        text = f"{len(flows)}\n" + "\n".join(flows) + "\n"
        return run_files(programs, folder, {"topology": TOPOLOGY, "flows": text}, *options, status=status)
    return start


@pytest.fixture
def two(replay):
    """Runs two flows of these classes into one port."""
    def start(first, second, size, *options, status=0):
        return replay([f"1 3 {first} 100 {size} 0", f"2 3 {second} 100 {size} 0"], *options, status=status)
    return start


def test_lossless(two):
    """PFC protects all classes of the file, with the profile and without."""
    for options in ([], ["--profile=hpcc-sim"]):
        for pair in ((3, 1), (0, 5) if not options else (2, 5), (7, 6)):
            run = two(*pair, 20000000, "--cc=LineRate", *options)
            assert run.drops() == 0 and run.counters()["pfcXoffSent"] > 0, f"classes {pair} {options}: {run.counters()}"
    run = two(3, 1, 20000000, "--cc=LineRate")
    assert all(3.2e6 < fct < 3.5e6 for fct in run.fct()), f"classes 3 and 1: {run.fct()}, expected 3.3 ms"
    assert not run.lines, f"classes 3 and 1: {run.lines}"
    run = two(3, 1, 20000000, "--cc=LineRate", "--ns3::roce::Switch::LosslessClasses=8")
    assert run.drops() > 0, "LosslessClasses on the command line comes first"


def test_queues_of_that_simulator(replay, two):
    """Queues 1 to 7 take turns there, and queue 0 goes before them."""
    for pair in ((6, 7), (7, 1), (3, 4), (5, 5)):
        run = two(*pair, 2000000, "--cc=LineRate", "--profile=hpcc-sim")
        assert all(330e3 < fct < 342e3 for fct in run.fct()), f"queues {pair}: {run.fct()}, expected 336 us"
        assert not run.lines, f"queues {pair}: {run.lines}"
        run = two(*pair, 2000000, "--cc=Dcqcn", "--profile=hpcc-sim")
        assert max(run.fct()) < 1.06 * min(run.fct()), f"queues {pair}, DCQCN: {run.fct()}"
    run = two(0, 3, 2000000, "--cc=LineRate", "--profile=hpcc-sim")
    assert run.fct()[0] < 175e3 and 330e3 < run.fct()[1] < 342e3, f"queues 0 and 3: {run.fct()}, expected 170 and 336 us"
    assert run.lines == ["warning: 1 flow is in class 0, which switches serve before all others (DwrrScheduler::StrictClasses)"], \
        f"queues 0 and 3: {run.lines}"
    # Queue 0 knows neither PFC nor marks nor a limit: 16 MB wait at one port of a 1 MB buffer.
    run = replay([f"{host} 9 0 100 2000000 0" for host in HOSTS if host != 9], "--cc=Dcqcn", "--profile=hpcc-sim", "--set=BUFFER_SIZE=1")
    assert run.drops() == run.counters()["pfcXoffSent"] == run.counters()["ecnMarked"] == 0, f"queue 0: {run.counters()}"


def test_weights(two):
    """Shares are an attribute."""
    run = two(3, 4, 20000000, "--cc=LineRate", "--ns3::roce::DwrrScheduler::Weights=3:3")
    assert 2.1e6 < run.fct()[0] < 2.4e6 and 3.2e6 < run.fct()[1] < 3.5e6, f"weights 3 and 1: {run.fct()}"
    run = two(3, 4, 1000, "--cc=LineRate", "--ns3::roce::DwrrScheduler::Weights=3:0", status=2)
    assert (run.lines == ["error: ns3::roce::DwrrScheduler::Weights is '3:0', expected CLASS:WEIGHT,... with classes 0 to 7, "
                                            "each once, and weights 1 to 1000000"]), f"bad weights: {run.lines}"


def test_warnings(programs, folder):
    """All programs say when data is in a class that is not meant for it."""
    base = ["--datacenters=1", "--leaves=1", "--spines=1", "--hostsPerLeaf=9", "--pattern=list", "--cc=LineRate"]
    pool = ", whose frames use the switches' control pool (Switch::DataClasses, Switch::ControlPoolSize): without PFC, dropped when it is " \
           "full, and before all other classes"
    cases = [("3", [], []),
             ("6", [], [f"8 flows are in class 6{pool}"]),
             ("7", [], [f"8 flows are in class 7{pool}"]),
             ("67", [], [f"8 flows are in classes 6, 7{pool}"]),
             ("34", [], ["4 flows are in class 4, which PFC does not protect (Switch::LosslessClasses)"]),
             ("34", ["--lossless=0"], []),
             ("34", ["--ns3::roce::Switch::LosslessClasses=8"], []),
             ("34", ["--ns3::roce::Switch::LosslessClasses=24"], []),
             ("36", ["--ns3::roce::Switch::DataClasses=127", "--ns3::roce::Switch::LosslessClasses=72"],
              ["4 flows are in class 6, which switches serve before all others (DwrrScheduler::StrictClasses)"])]
    for classes, options, expected in cases:
        flows = "src,dst,bytes,start_ns,class\n" + "".join(f"{i},8,2000,0,{classes[i % len(classes)]}\n" for i in range(8))
        run = run_files(programs, folder, {"flows": flows}, *base, *options, program=LEAF_SPINE)
        found = [line[len("warning: "):] for line in run.lines if line.startswith("warning: ")]
        assert found == expected, f"classes {classes} {options}: {run.lines}, expected {expected}"
