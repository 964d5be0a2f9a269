#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The same run gives the same bytes: again, in every build, and whatever else is watched.

    determinism.py BUILD_DIR

Runs two-dc-leaf-spine and two-dc-fat-tree with every rate law, with PFC and with losses, in
BUILD_DIR and in each folder of the environment's ROCE_BUILD_VARIANTS (separated by colons; other
compilers and optimisation levels), and compares flows.csv, the counters and the fingerprint of all
departures. In other builds two-dc-fat-tree runs some cases only. Captures of two runs are
compared byte by byte.
"""

import json
import os
import subprocess
import sys
import tempfile

RUN = ["--progress=none", "--wanDelay=50us", "--pattern=poisson+incast", "--load=0.6",
       "--duration=300us", "--truncate=1000000", "--incastSenders=6", "--incastBytes=300000",
       "--incastReceiver=1", "--seed=7", "--ecmpSeed=7", "--fingerprint"]

# Programs: their topology, and a switch to capture.
TOPOLOGIES = {
    "two-dc-leaf-spine": (["--spines=2", "--leaves=2", "--hostsPerLeaf=4", "--leafBuffer=2MiB"],
                          "dc0-leaf0"),
    "two-dc-fat-tree": (["--k=4", "--edgeBuffer=1500KB", "--edgeOversubscription=2"], "dc0-edge0"),
}

# Options of each case, and a counter that shows that the run is not too easy.
CASES = {
    "Dcqcn": (["--cc=Dcqcn"], "pfcXoffSent"),
    "Hpcc": (["--cc=Hpcc"], "pfcXoffSent"),
    "Dctcp": (["--cc=Dctcp", "--ns3::roce::EcnMarker::Kmin=30000",
               "--ns3::roce::EcnMarker::Kmax=30000", "--ns3::roce::EcnMarker::Pmax=1",
               "--ns3::roce::EcnMarker::ReferenceRate=10Gbps"], "ecnMarked"),
    "Swift, sprayed, lossy": (["--cc=Swift", "--lossless=0", "--loss=1e-3", "--paths=Spray",
                               "--lossRecovery=SelectiveRepeat[ReorderPackets=50]"], "reordered"),
    "Timely, PLB, bursts of losses": (["--cc=Timely[Mode=perSegment]", "--paths=Plb[IdleRounds=1]",
                                       "--lossModel=BurstLoss[LossRate=1e-3|MeanBurst=8]",
                                       "--ns3::roce::Nic::RtoMin=500us"], "timeouts"),
    "Timely, Reflex": (["--cc=Timely[Profile=hpcc-sim]", "--edge=ReflexNsf,ReflexNdt"],
                       "reflexNdtControlled"),
    "Swift, Reflex, suspensions": (["--cc=Swift[Profile=reflex]",
                                    "--edge=ReflexNdt[PauseScope=port|PauseAlpha=0.3],"
                                    "ReflexNsf[TInterval=3us|SilentMode=probe]"],
                                   "reflexNdtPauses"),
    "DcqcnPlus": (["--cc=DcqcnPlus"], "cnpsSent"),
    "Dcqcn, Bicc": (["--cc=Dcqcn", "--edge=Bicc[PassCnpsAbove=1MB]"], "biccCnpsConsumed"),
    "MpRdma and Bbr, sprayed, lossy": (["--cc=MpRdma", "--interCc=Bbr", "--lossless=0",
                                        "--loss=1e-3", "--paths=Spray",
                                        "--lossRecovery=SelectiveRepeat[ReorderPackets=50|"
                                        "BdpCap=0]"], "reordered"),
    "Uno, lossy": (["--cc=UnoCc", "--lossless=0", "--stages=PhantomQueue[Capacity=200kB]",
                    "--lossModel=RunLoss[Profile=none|StartRate=3e-3]", "--lossLinks=wan",
                    "--lossRecovery=UnoErasure", "--paths=UnoLb"], "framesLostOnLinks"),
    "Wrcc": (["--cc=Wrcc", "--stages=WrccFairRate", "--ecn=0"], "wrccFcnps"),
    "Hpcc, Mlcc": (["--cc=Hpcc", "--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide",
                    "--interFraction=0.5"], "mlccCredits"),
    "Gemini": (["--cc=Gemini[Profile=artifact]"], "ecnMarked"),
    "Dcqcn, iterations": (["--cc=Dcqcn", "--pattern=allreduce+incast+poisson", "--groups=4",
                           "--iterations=6", "--minBytes=100000", "--maxBytes=900000",
                           "--computeTime=0ns"], "ecnMarked"),
    "Dcqcn, collective": (["--cc=Dcqcn", "--pattern=collective+incast+poisson", "--gpusPerHost=2",
                           "--collectiveBytes=3000000", "--collectiveRounds=2"], "ecnMarked"),
    "PowerTcp, flowlets": (["--cc=PowerTcp", "--paths=Flowlet[Gap=2us]"], "pathMoves"),
}

# Cases that two-dc-fat-tree runs in other builds, too. With sanitizers all of them would take minutes.
REPEATED = {"Dcqcn", "Hpcc", "Swift, Reflex, suspensions", "Uno, lossy", "Wrcc", "Hpcc, Mlcc"}

# What must not change flows.csv or the fingerprint.
WATCHING = ["--queueInterval=3us", "--rateInterval=7us", "--pfc", "--hpccFct", "--progress=json",
            "--transport=change", "--pauses=5us", "--utilisation=change", "--pfr=5us", "--pfq=change",
            "--voqs=change", "--chromeTrace", "--netanim=0us-20us"]
EAGER = ["--ns3::roce::Nic::Eager=true", "--ns3::roce::Switch::Eager=true"]


def run(name, build, arguments, folder):
    """@return flows.csv, fingerprint and counters of a run."""
    program = os.path.join(build, "bin", name)
    done = subprocess.run([program, "--out=" + folder] + RUN + TOPOLOGIES[name][0] + arguments,
                          capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        raise SystemExit(f"FAILED {program} {' '.join(arguments)}: status {done.returncode}: "
                         f"{done.stderr}")
    with open(os.path.join(folder, "flows.csv"), "rb") as file:
        flows = file.read()
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    counters = summary["counters"]
    counters.pop("events")  # samplers and eager stations have events of their own
    return flows, summary["fingerprint"], counters


def compare(program, case, builds, root):
    """@return number of failures."""
    own = builds[0]
    title = f"{program} {case}"
    law, counter = CASES[case]
    capture = ["--pcap=nic1," + TOPOLOGIES[program][1]]
    variants = [("watched", own, law + WATCHING + capture), ("eager", own, law + EAGER)]
    if program == "two-dc-leaf-spine":  # what does not depend on the network
        variants += [("again", own, law),
                     ("ECMP hashes by seed", own, law + ["--ecmpSeed=0"]),
                     ("map scheduler", own, law + ["--scheduler=ns3::MapScheduler"])]
    if program == "two-dc-leaf-spine" or case in REPEATED:
        variants += [("build " + build, build, law) for build in builds[1:]]
    expected = run(program, own, law, os.path.join(root, "expected"))
    if expected[0].count(b"finished") < 50 or not expected[2][counter]:
        raise SystemExit(f"FAILED {title}: the run is too easy to show anything")
    failures = 0
    for i, (name, build, arguments) in enumerate(variants):
        found = run(program, build, arguments, os.path.join(root, str(i)))
        differ = [what for what, a, b in
                  zip(("flows.csv", "fingerprint", "counters"), expected, found) if a != b]
        if differ:
            failures += 1
        print(f"{title} {name}: {'differs: ' + ', '.join(differ) if differ else 'same'}")
    other = run(program, own, law + ["--seed=8"], os.path.join(root, "other"))
    if other[0] == expected[0] or other[1] == expected[1]:
        failures += 1
        print(f"{title}: another seed gives the same run")
    return failures


def captures(build, root):
    """@return number of failures: captured bytes must not depend on anything but the run."""
    law = CASES["Uno, lossy"][0]
    found = []
    for i, more in enumerate(([], EAGER + ["--queues=1us"])):
        folder = os.path.join(root, str(i))
        run("two-dc-leaf-spine", build, law + more + ["--pcap=nic1,dc0-dci0"], folder)
        found.append({})
        for file in sorted(os.listdir(folder)):
            if file.endswith(".pcap"):
                with open(os.path.join(folder, file), "rb") as stream:
                    found[-1][file] = stream.read()
    differ = [file for file in found[0] if found[0][file] != found[1].get(file)]
    few = len(found[0]) < 2 or min(map(len, found[0].values())) < 10000
    print(f"captures: {'differ: ' + ', '.join(differ) if differ else 'same'}{', too small' if few else ''}")
    return bool(differ) or few


def main():
    """Compare."""
    own = os.path.abspath(sys.argv[1])
    builds = [own] + [os.path.abspath(b) for b in
                      os.environ.get("ROCE_BUILD_VARIANTS", "").split(":") if b]
    builds = list(dict.fromkeys(builds))
    with tempfile.TemporaryDirectory() as root:
        failures = captures(own, root)
    for program in TOPOLOGIES:
        for case in CASES:
            with tempfile.TemporaryDirectory() as root:
                failures += compare(program, case, builds, root)
    print(f"{len(builds)} builds compared")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
