#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Several threads must give the bytes of one: flows.csv, sampled series, tuning.csv, fingerprint, counters.

Usage: threads.py BUILD_DIR [NAME ...]. Runs the small runs of golden.py and some more. With ROCE_THREADS=2,3,4,8
those numbers of threads are tried in place of 2 and 3. What several threads cannot do must be refused in one line.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from golden import COMMON, LEAF_SPINE, RUNS

SMALL = [LEAF_SPINE, "--leaves=2", "--spines=2", "--hostsPerLeaf=4"]
MORE = {
    # Flows wait for each other's completions, in racks of their own.
    "phases": SMALL + ["--pattern=allreduce+incast+poisson", "--load=0.3", "--groups=2", "--iterations=4", "--incastSenders=6",
                       "--minBytes=20000", "--maxBytes=90000", "--computeTime=0ns", "--duration=200us"],
    # Ranks wait for messages of others, in the other datacenter, too.
    "collectives": SMALL + ["--pattern=collective+poisson", "--collectiveBytes=100000", "--gpusPerHost=2", "--collectiveRounds=2",
                            "--load=0.3", "--duration=100us"],
    # Flows wait for single others, whose ends are in the same rack, in another one and in the other datacenter.
    "graph": SMALL + ["--pattern=list+poisson", "--flows={graph}", "--load=0.3", "--duration=100us"],
    # Flows start, links change and samples are taken at the same times.
    "ties": SMALL + ["--pattern=alltoall", "--messageBytes=30000", "--stagger=5us", "--reroute=5us",
                     "--failLinks=dc0-leaf0/dc0-spine1@10us-50us", "--queues=5us", "--utilisation=5us",
                     "--transport=5us", "--pauses=5us", "--paths=UnoLb"],
    "tuner": SMALL + ["--datacenters=1", "--load=0.6", "--tuner=Paraleon[MonitorInterval=50us]"],
    # Parameters come into force later, and not everywhere; reports are lost; links between partitions are reported, too.
    "tuner-lossy": SMALL + ["--load=0.6", "--interFraction=0.5", "--wanDelay=20us", "--duration=300us",
                            "--tuner=Paraleon[MonitorInterval=30us|ControlDelay=7us|ReportLoss=0.2|DispatchLoss=0.2|"
                            "LostReports=3,20-25|LostDispatches=2-4]"],
    "acc": SMALL + ["--datacenters=1", "--load=0.6", "--tuner=Acc"],
    "lossy": SMALL + ["--cc=UnoCc", "--lossless=0", "--stages=PhantomQueue", "--loss=1e-3",
                      "--interLossRecovery=UnoErasure", "--load=0.4", "--duration=200us"],
    "error-model": SMALL + ["--load=0.6", "--loss=0.01", "--lossModel=ns3::RateErrorModel", "--lossless=0",
                            "--lossRecovery=SelectiveRepeat", "--duration=100us"],
    "stop": SMALL + ["--load=0.9", "--stop=333us"],
    "stalled": SMALL + ["--load=0.4", "--duration=100us", "--failLinks=dc0-leaf0/dc0-spine0@20us",
                        "--ns3::roce::Nic::RtoMin=200us", "--ns3::roce::Nic::RetryLimit=2"],
    "delays": SMALL + ["--hostDelay=300ns", "--fabricDelay=700ns", "--wanDelay=20us", "--load=0.4",
                       "--interFraction=0.5", "--duration=300us", "--cc=Hpcc"],
}
# Each flow waits for two before it: of its own source, to its source, or of others.
GRAPH = "src,dst,bytes,start_ns,name,after\n" + "".join(
    f"{7 * i % 16},{(7 * i + 3 + i % 5) % 16},{3000 * (i % 9)},{i % 4 * 250},f{i},{f'f{i // 2} f{i - 1}' if i > 2 else ''}\n"
    for i in range(120))
# Options that are refused, by a word of the message.
REFUSED = {"--queues=change": "queues", "--rates=5us": "rates", "--pcap=nic1": "pcap", "--netanim=0us-5us": "netanim", "--hpccPfc": "hpccPfc",
           "--chromeTrace": "chromeTrace", "--hostDelay=0us": "delay", "--ns3::roce::Nic::Eager=1": "Eager",
           "--threads=0": "threads", "--threads=two": "threads", "--balance=2": "balance"}


def run(program, options, out, launcher=()):
    """@return status, and by name what must not depend on threads."""
    done = subprocess.run([*launcher, program, *COMMON, *options, "--fingerprint", f"--out={out}"], capture_output=True,
                          text=True, timeout=600, check=False)
    if done.returncode not in (0, 3):
        return {"status": done.returncode, "message": done.stderr}
    summary = json.loads((out / "summary.json").read_text())
    summary["counters"].pop("events")
    found = {"status": done.returncode, "message": done.stderr, "fingerprint": summary["fingerprint"],
             "counters": summary["counters"], "statistics": summary["statistics"], "digest": summary["manifest"]["digest"]}
    found.update({file.name: file.read_bytes() for file in sorted(out.glob("*.csv"))})
    return found


def differences(expected, found):
    """@return names of what is not the same in two results of run()."""
    return [what for what in {**expected, **found} if expected.get(what) != found.get(what)]


def write_graph(folder):
    """@return the file that {graph} in an option stands for."""
    file = folder / "graph.csv"
    file.write_text(GRAPH)
    return str(file)


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: threads.py BUILD_DIR [NAME ...]")
    programs = Path(sys.argv[1]) / "bin"
    numbers = os.environ.get("ROCE_THREADS", "2,3").split(",")
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        graph = write_graph(Path(scratch))
        for name, (program, *options) in {**RUNS, **MORE}.items():
            if sys.argv[2:] and name not in sys.argv[2:]:
                continue
            options = [option.replace("{graph}", graph) for option in options]
            expected = run(programs / program, options, Path(scratch) / name)
            if "flows.csv" not in expected:
                sys.exit(f"{name}: status {expected['status']}: {expected['message']}")
            for n in numbers:
                found = run(programs / program, [*options, f"--threads={n}"], Path(scratch) / f"{name}-{n}")
                differ = differences(expected, found)
                if "flows.csv" not in found:
                    differ.append(found["message"].strip())
                failed += [name] if differ else []
                print(f"{name}, {n} threads: {'differs: ' + ', '.join(differ) if differ else 'same'}", flush=True)
        for option, word in REFUSED.items() if not sys.argv[2:] else ():
            threads = [] if "threads" in option else ["--threads=2"]
            reply = run(programs / LEAF_SPINE, [*threads, option], Path(scratch) / "refused")
            if reply["status"] != 2 or reply["message"].count("\n") != 1 or word not in reply["message"]:
                failed.append(option)
                print(f"{option} with threads: status {reply['status']}, '{reply['message'].strip()}'")
    if failed:
        sys.exit("results depend on the number of threads, or are not refused: " + ", ".join(failed))


if __name__ == "__main__":
    main()
