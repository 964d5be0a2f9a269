# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Calls of the public API in random order, some by sinks or events: each sequence ends well or with one line."""

from roce_fuzz import Case, Fuzzer

# Calls of api-calls.cc, and what their numbers may be.
SMALL = [0, 0, 1, 1, 2, 3, 7, -1]
TIMES = [0, 1, 500, 5000, 20000, -5]
LARGE = [0, 1, 64, 1000, 100000, 2**31, 2**63 - 1, -1, -5]
CALLS = {
    "network": [], "drop": [], "destroy": [], "stop": [], "audit": [], "counters": [], "fingerprint": [],
    "host": [SMALL], "switch": [SMALL], "nic": [SMALL, SMALL], "link": [SMALL, SMALL], "long": [SMALL, SMALL], "build": [[0, 1, 2]],
    "flow": [SMALL, SMALL, LARGE, TIMES, [3, 3, 0, 7, 8]], "run": [TIMES + [200000]], "threads": [[0, 1, 2, 4]], "balance": [[0, 1, 2, 4]],
    "streams": [SMALL], "path": [SMALL, SMALL, SMALL], "trace": [SMALL, SMALL, SMALL], "ideal": [SMALL, SMALL, LARGE], "rack": [SMALL],
    "role": [SMALL], "names": [SMALL, SMALL], "port": [SMALL, SMALL], "queue": [SMALL, SMALL], "fail": [SMALL, SMALL],
    "repair": [SMALL, SMALL], "change": [TIMES, SMALL, [0, 1]], "reroute": [TIMES], "retune": [[0, 1, 2, 3], [0, 1]],
    "attribute": [[0, 1, 2, 3, 4, 5, 6], SMALL], "open": [SMALL, SMALL, [2, 3, 99], [3, 6, 8]], "law": [], "behave": [list(range(14)), LARGE],
}
# What may change a sequence that is on its way.
MIDWAY = ["fail", "repair", "retune", "attribute", "flow", "stop", "drop", "destroy", "threads", "audit", "counters", "change", "open", "behave",
          "path", "streams", "balance"]


def call(rng, names):
    """@return one of the calls with random numbers."""
    name = rng.choice(names)
    numbers = [str(rng.choice(values)) for values in CALLS[name]]
    return ":".join([name] + numbers[:rng.choice([len(numbers)] * 4 + [0])])


class Api(Fuzzer):
    """Calls of the API."""

    name = "api"

    def make(self, rng, index):
        """A good sequence with some calls more, fewer, or elsewhere."""
        hosts = rng.randint(2, 4)
        switches = rng.randint(1, 2)
        calls = (["law"] if rng.random() < 0.3 else []) + [f"switch:{i}" if rng.random() < 0.3 else "switch" for i in range(switches)]
        calls += ["host"] * hosts + [f"nic:{i}:{i % switches}" for i in range(hosts)]
        calls += ["link:0:1" if rng.random() < 0.7 else "long:0:1"] * (switches - 1)
        calls += [rng.choice(["build", "build", "build:1", "build:2"]), "streams"]
        calls += [f"flow:{i}:{(i + 1) % hosts}:{rng.choice([1, 5000, 200000])}:{rng.choice([0, 0, 3000])}" for i in range(hosts)]
        calls += [f"run:{rng.choice([5000, 50000, 300000])}"]
        for _ in range(rng.choice([0, 1, 1, 2, 3, 6])):
            kind = rng.random()
            at = rng.randrange(len(calls) + 1)
            if kind < 0.3:
                calls.insert(at, call(rng, list(CALLS)))
            elif kind < 0.6:
                when = rng.choice(["sink:", "at:7000:", "at:0:"])
                # ns-3 itself must not be destroyed by an event.
                midway = [name for name in MIDWAY if name != "destroy" or when == "sink:"]
                calls.insert(rng.randrange(max(0, len(calls) - 3), len(calls)), when + call(rng, midway))
            elif kind < 0.75 and calls:
                calls.pop(min(at, len(calls) - 1))
            elif kind < 0.9 and calls:
                calls.insert(at, calls.pop(rng.randrange(len(calls))))
            else:
                calls += [call(rng, list(CALLS)), "run:50000"]
        return Case("roce-api-calls", calls)


def main(argv):
    """Run."""
    return Api().main(argv)
