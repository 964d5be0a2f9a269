# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Processes that mpirun starts together, one of which may have something of its own: then all say so, else the result is that of one
process."""

import json
import shutil

from command_lines import BASES, FILES
from roce_fuzz import Case, Fuzzer, snapshot, write_files

PROGRAM = "two-dc-leaf-spine"
OPTIONS = BASES[PROGRAM] + ["--wanDelay=20us", "--progress=none"]
MPIRUN = ["--allow-run-as-root", "--oversubscribe", "--quiet"]
# What may be different: options of the program, of mpirun, or a file of its own.
OWN = [["--load=0.31"], ["--cc=Hpcc"], ["--ns3::roce::Dcqcn::Gain=0.01"], ["--ns3::roce::Nic::PathMtu=1000"], ["--queues=3us"], ["--seed=5"],
       ["--failLinks=dc0-leaf0/dc0-spine0@3us"], ["--stop=15us"], ["--out=elsewhere"], ["--fabricDelay=1100ns"], ["--RngSeed=3"]]
ENVIRONMENT = ["NS_GLOBAL_VALUE=RngSeed=7", "NS_GLOBAL_VALUE=RngRun=7"]
LIST = "src,dst,bytes,start_ns\n0,5,{},0\n1,6,20000,{}\n"


class Ranks(Fuzzer):
    """Processes that differ, or do not."""

    name = "ranks"
    count = 20

    def __init__(self):
        super().__init__()
        self.mpirun = shutil.which("mpirun")

    def make(self, rng, index):
        n = rng.choice([2, 2, 3])
        odd = rng.randrange(n)
        kind = rng.choice(["same", "option", "option", "environment", "file", "file"])
        options = list(OPTIONS)
        files = dict(FILES)
        if kind == "file" or rng.random() < 0.3:
            options += ["--pattern=list", "--flows=own.csv"]
        own = rng.choice(OWN)
        arguments = list(MPIRUN)
        sizes = [rng.randint(1, 40000), rng.randint(0, 9)]
        other = rng.choice([[sizes[0] + 1, sizes[1]], [sizes[0], sizes[1] + 1]])
        for rank in range(n):
            is_odd = rank == odd and kind != "same"
            where = f"of{rank}"
            files[f"{where}/own.csv"] = LIST.format(*(other if is_odd and kind == "file" else sizes)).encode()
            arguments += ([":"] if rank else []) + ["-np", "1", "--wdir", where]
            arguments += ["-x", rng.choice(ENVIRONMENT)] if is_odd and kind == "environment" else []
            arguments += [str(self.driver.build / "bin" / PROGRAM)] + options + (own if is_odd and kind == "option" else [])
        case = Case(self.mpirun, arguments, files)
        case.options = options
        case.same = kind == "same"
        return case

    def shrink(self, case, wanted, root):
        return case

    def attempt(self, case, folder):
        write_files(folder, case.files)
        for name, contents in case.files.items():
            if "/" not in name and contents is not None:
                for rank in range(3):
                    write_files(folder / f"of{rank}", {name: contents})
        before = snapshot(folder)
        reply = self.driver.run(case, folder)
        after = snapshot(folder)
        findings = self.judge.ending(case, reply)
        if findings:
            return reply, findings
        summary = after.get("of0/out/summary.json")
        if not case.same:
            line = reply.stderr.split(b"\n-----", maxsplit=1)[0].strip()
            if reply.status != 2 or b"not those of process 0 (" not in line or line.count(b"\n") or summary or after.keys() - before.keys():
                findings.append(f"ranks differ: status {reply.status}, {sorted(after.keys() - before.keys())}: {line[-300:]}")
            return reply, findings
        alone = self.driver.run(Case(PROGRAM, case.options), folder / "of1")
        if reply.status != alone.status or not summary:
            return reply, [f"ranks: status {reply.status}, one process {alone.status}: {reply.stderr[-300:]}"]
        one = (folder / "of1" / "out" / "flows.csv").read_bytes()
        findings += [] if after["of0/out/flows.csv"] == one else ["ranks: another flows.csv than that of one process"]
        parts = [json.loads(text)["manifest"]["parts"] for text in (summary, (folder / "of1" / "out" / "summary.json").read_bytes())]
        for part in parts:
            part.pop("build")  # the program is within the driver
        findings += [] if parts[0] == parts[1] else [f"ranks: {[p for p in parts[0] if parts[0][p] != parts[1][p]]} differ from one process"]
        return reply, findings


def main(argv):
    """Run."""
    if not shutil.which("mpirun"):
        print("ranks: skipped: no mpirun")
        return 0
    return Ranks().main(argv)
