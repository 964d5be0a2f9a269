# SPDX-License-Identifier: GPL-2.0-only
"""Random networks give the same bytes with any number of threads and processes.

The networks are those of test/fuzz/networks.py, also with MLCC, BiCC and tuners, drawn from seed and index. ROCE_NETWORKS is their
number (8), ROCE_THREADS and ROCE_RANKS are the numbers of threads and processes of each (2,3 and 2; without mpirun no processes).
What several threads cannot do must be refused in one line, for a reason given here. A long run:

    ROCE_NETWORKS=200 ROCE_THREADS=2,3,4,8 ROCE_RANKS=2,4 /usr/bin/python3 -m pytest test/cli/parallel-networks.py
"""

import os
import random
import shutil
from collections import Counter

import networks
import pytest

from support import complaints
from support.parallel import differences, result

SEED = 1
SERIES = ["--queues=5us", "--transport=11us", "--pauses=5us", "--utilisation=10us"]
# Reasons to refuse a drawn network, by words of the message.
REASONS = {"ranks: a tuner": "tuners in several processes", "too few for": "fewer parts than processes"}
# Systems that are not among the fuzzer's, in two datacenters and in one.
TWO = [["--cc=Hpcc", "--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide", "--mlcc=13us"], ["--cc=Dcqcn", "--edge=Bicc"]]
ONE = [["--cc=Dcqcn", "--tuner=Paraleon[MonitorInterval=20us]"], ["--cc=Dcqcn", "--tuner=Acc"]]


class Network(networks.Network):
    """With the systems that are not among those of the fuzzer."""

    def transport(self):
        super().transport()
        rng = self.rng
        calm = self.lossless and not any(o.startswith(("--stages", "--edge", "--interCc", "--interLossRecovery", "--interPaths"))
                                         for o in self.options)
        if not calm or rng.random() > 0.4:
            return
        names = ("--cc=", "--paths=", "--lossRecovery=")
        self.options = [o for o in self.options if not o.startswith(names)]
        self.options += rng.choice(TWO if self.two else ONE)


def draw(index):
    """@return program and options of a network."""
    rng = random.Random(f"{SEED}/{index}")
    network = Network(rng)
    # What result() gives, and what all refuse.
    left_out = ("--progress", "--fingerprint", "--out=", "--hostDelay=0us")
    options = [o for o in network.options if not o.startswith(left_out)]
    return network.program, options + networks.pick_some(rng, SERIES, 3)


def shapes():
    """@return (processes, threads) to try."""
    ranks = os.environ.get("ROCE_RANKS", "2") if shutil.which("mpirun") else ""
    return [(1, int(t)) for t in os.environ.get("ROCE_THREADS", "2,3").split(",")] + [(int(r), 1) for r in ranks.split(",") if r]


@pytest.fixture(scope="module")
def outcomes():
    """Of all runs; not too many may be refused."""
    found = Counter()
    yield found
    assert found["same"] * 3 >= sum(found.values()) * 2, f"too many are refused: {found}"


@pytest.mark.parametrize("index", range(int(os.environ.get("ROCE_NETWORKS", "8"))))
def test_network(programs, folder, index, outcomes):
    """One network in all shapes."""
    program, options = draw(index)
    expected = result(programs.bin / program, options, folder / "1")
    assert "flows.csv" in expected, f"{options}: {expected}"
    for n, t in shapes():
        found = result(programs.bin / program, [*options, *([f"--threads={t}"] if t > 1 else [])], folder / f"{n}-{t}", n)
        if found["status"] == 2:
            errors = complaints(found["message"])
            reason = next((reason for words, reason in REASONS.items() if len(errors) == 1 and words in errors[0]), "")
            assert reason, f"{options}: {n} processes of {t} threads: refused: {errors}"
            outcomes["refused: " + reason] += 1
        else:
            differ = differences(expected, found)
            assert not differ, f"{options}: {n} processes of {t} threads: {', '.join(differ)}; {found['message']}"
            outcomes["same"] += 1
