#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Random networks give the same bytes with any number of threads and processes.

    parallel-networks.py BUILD_DIR [INDEX ...]

The networks are those of test/fuzz/networks.py, with MLCC, BiCC and tuners besides, drawn from seed and index. ROCE_NETWORKS is their
number (8), ROCE_THREADS and ROCE_RANKS are the numbers of threads and processes of each (2,3 and 2; without mpirun no processes).
What several threads cannot do must be refused in one line, for a reason given here. A long run:

    ROCE_NETWORKS=200 ROCE_THREADS=2,3,4,8 ROCE_RANKS=2,4 test/cli/parallel-networks.py build
"""

import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

import mpi
import threads

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "fuzz"))
import networks  # noqa: E402

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
    # What threads.run gives, and what all refuse.
    left_out = ("--progress", "--fingerprint", "--out=", "--hostDelay=0us")
    options = [o for o in network.options if not o.startswith(left_out)]
    return network.program, options + networks.pick_some(rng, SERIES, 3)


def shapes():
    """@return (processes, threads) to try."""
    ranks = os.environ.get("ROCE_RANKS", "2") if shutil.which("mpirun") else ""
    return [(1, int(t)) for t in os.environ.get("ROCE_THREADS", "2,3").split(",")] + [(int(r), 1) for r in ranks.split(",") if r]


def judge(expected, found):
    """@return outcome of a run beside that with one thread, and what is wrong with it, if anything."""
    if found["status"] == 2:
        errors = [line for line in found["message"].splitlines() if not line.startswith("warning: ")]
        for words, reason in REASONS.items():
            if len(errors) == 1 and words in errors[0]:
                return "refused: " + reason, ""
        return "refused", f"refused: {errors}"
    differ = threads.differences(expected, found)
    return ("differ", f"differs: {', '.join(differ)} {found['message'].strip()[:300]}") if differ else ("same", "")


def try_one(programs, index, scratch, outcomes):
    """Run one network in all shapes. @return what is wrong"""
    program, options = draw(index)
    expected = threads.run(programs / program, options, scratch / "1")
    if "flows.csv" not in expected:
        return [f"status {expected['status']} with one thread: {expected['message'].strip()}"]
    wrong = []
    for n, t in shapes():
        more = [*options, *([f"--threads={t}"] if t > 1 else [])]
        out = scratch / f"{n}-{t}"
        found = threads.run(programs / program, more, out) if n == 1 else mpi.mpirun(programs / program, more, out, n)
        outcome, why = judge(expected, found)
        outcomes[outcome] += 1
        wrong += [f"{n} processes of {t} threads: {why}"] if why else []
    return wrong


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: parallel-networks.py BUILD_DIR [INDEX ...]")
    programs = Path(sys.argv[1]) / "bin"
    indices = [int(i) for i in sys.argv[2:]] or range(int(os.environ.get("ROCE_NETWORKS", "8")))
    outcomes, failed = Counter(), []
    for index in indices:
        with tempfile.TemporaryDirectory(prefix="roce-parallel-") as scratch:
            wrong = try_one(programs, index, Path(scratch), outcomes)
        if wrong:
            failed.append(str(index))
            print(f"network {index}: {' '.join(draw(index)[1])}\n  " + "\n  ".join(wrong), flush=True)
    print(f"{len(indices)} networks: " + ", ".join(f"{n} {what}" for what, n in sorted(outcomes.items())))
    if failed or outcomes["same"] * 3 < sum(outcomes.values()) * 2:
        sys.exit("results depend on threads or processes, or too many are refused: networks " + " ".join(failed))


if __name__ == "__main__":
    main()
