# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Command lines: a small good one with one to four other options, attributes and values, some odd, some no options at all."""

from grammar import Grammar
from input_files import CDF, CHAKRA, CONFIG, FLOWS, FLOW_TXT, GOAL, JOBS, TOPOLOGY
from roce_fuzz import Case, Fuzzer

# Small runs.
BASES = {
    "two-dc-leaf-spine": ["--duration=20us", "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--wanDelay=5us", "--truncate=100000",
                          "--safetyLimit=2ms", "--out=out"],
    "two-dc-fat-tree": ["--duration=10us", "--k=2", "--hostsPerEdge=2", "--wanDelay=5us", "--truncate=100000", "--safetyLimit=2ms",
                        "--out=out"],
    "replay": ["--topology=topology.txt", "--flows=flow.txt", "--cc=Hpcc", "--safetyLimit=2ms", "--out=out"],
    "first-flow": ["--bytes=10000"],
    "incast-pfc": ["--senders=3", "--bytes=10000"],
    "own-stage": [],
    "own-topology": [],
    "own-transport": [],
    "own-tuner": [],
    "wireshark-capture": ["--duration=5us", "--prefix=cap"],
}
SHARES = ["two-dc-leaf-spine"] * 10 + ["two-dc-fat-tree"] * 5 + ["replay"] * 6
EXAMPLES = ["first-flow", "incast-pfc", "own-stage", "own-topology", "own-transport", "own-tuner", "wireshark-capture"]

FILES = {"cdf.txt": CDF, "flows.csv": FLOWS, "flow.txt": FLOW_TXT, "topology.txt": TOPOLOGY, "config.txt": CONFIG, "ranks.goal": GOAL,
         "jobs.json": JOBS, "t.0.et": CHAKRA, "t.1.et": CHAKRA}


class CommandLines(Fuzzer):
    """Random command lines of the programs and the examples."""

    name = "command-lines"

    def __init__(self):
        super().__init__()
        self.grammar = None
        self.previous = {}

    def prepare(self, folder):
        (folder / "ask").mkdir()
        self.grammar = Grammar(self.driver, folder / "ask")
        self.grammar.read(list(BASES))
        # A result that is there before.
        reply, _ = self.attempt(Case("two-dc-leaf-spine", BASES["two-dc-leaf-spine"] + ["--pcap=nic0"]), folder / "ask")
        if reply.status != 0:
            raise SystemExit(f"error: the base run ends with status {reply.status}: {reply.stderr[:500]!r}")
        for path in (folder / "ask" / "out").iterdir():
            self.previous["out/" + path.name] = path.read_bytes()

    def make(self, rng, index):
        program = rng.choice(EXAMPLES) if rng.random() < 0.05 else rng.choice(SHARES)
        arguments = list(BASES[program])
        big = False
        for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
            argument, odd = self.grammar.argument(rng, program)
            big |= odd
            arguments.insert(rng.choice([len(arguments), len(arguments), rng.randint(0, len(arguments))]), argument)
        if rng.random() < 0.1 and arguments:
            del arguments[rng.randrange(len(arguments))]
            big = True
        files = dict(FILES)
        if rng.random() < 0.25:
            files.update(self.previous)
            files["out/foreign.txt"] = b"mine\n"
        encoded = [a.encode("latin-1" if rng.random() < 0.5 and a.isascii() is False and max(map(ord, a)) < 256 else "utf-8")
                   for a in arguments]
        return Case(program, encoded, files, big)


def main(argv):
    """Run."""
    return CommandLines().main(argv)
