# SPDX-License-Identifier: GPL-2.0-only
"""The same run gives the same bytes: again, in every build, and whatever else is watched.

Runs two-dc-leaf-spine and two-dc-fat-tree with every rate law, with PFC and with losses, in the build folder and in each folder of
the environment's ROCE_BUILD_VARIANTS (separated by colons; other compilers and optimisation levels), and compares flows.csv, the
counters and the fingerprint of all departures. In other builds two-dc-fat-tree runs some cases only. Captures of two runs are
compared byte by byte.
"""

import os
from pathlib import Path

import pytest

from support import LEAF_SPINE, Programs, contents, summary

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
WATCHING = ["--queues=3us", "--rates=7us", "--pfc", "--hpccFct", "--progress=json",
            "--transport=change", "--pauses=5us", "--utilisation=change", "--pfr=5us", "--pfq=change",
            "--voqs=change", "--notifications", "--chromeTrace", "--netanim=0us-20us"]
EAGER = ["--ns3::roce::Nic::Eager=true", "--ns3::roce::Switch::Eager=true"]


def run(programs, name, arguments, out):
    """@return flows.csv, fingerprint and counters of a run."""
    programs.run(name, f"--out={out}", *RUN, *TOPOLOGIES[name][0], *arguments)
    told = summary(out)
    told["counters"].pop("events")  # samplers and eager stations have events of their own
    return {"flows.csv": (out / "flows.csv").read_bytes(), "fingerprint": told["fingerprint"], "counters": told["counters"]}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("program", TOPOLOGIES)
def test_same_bytes(programs, folder, program, case):
    """A case in all variants."""
    law, counter = CASES[case]
    capture = [f"--pcap=nic1,{TOPOLOGIES[program][1]}"]
    variants = {"watched": law + WATCHING + capture, "eager": law + EAGER}
    if program == LEAF_SPINE:  # what does not depend on the network
        variants.update({"again": law, "ECMP hashes by seed": law + ["--ecmpSeed=0"],
                         "map scheduler": law + ["--scheduler=ns3::MapScheduler"]})
    runs = {name: (programs, arguments) for name, arguments in variants.items()}
    if program == LEAF_SPINE or case in REPEATED:
        others = {Path(b).resolve() for b in os.environ.get("ROCE_BUILD_VARIANTS", "").split(":") if b} - {programs.build}
        runs.update({f"build {build}": (Programs(build), law) for build in sorted(others)})
    expected = run(programs, program, law, folder / "expected")
    assert expected["flows.csv"].count(b"finished") >= 50 and expected["counters"][counter], "the run is too easy to show anything"
    for i, (name, (which, arguments)) in enumerate(runs.items()):
        found = run(which, program, arguments, folder / str(i))
        differ = [what for what in expected if expected[what] != found[what]]
        assert not differ, f"{name}: {', '.join(differ)} differ"
    other = run(programs, program, law + ["--seed=8"], folder / "other")
    assert other["flows.csv"] != expected["flows.csv"] and other["fingerprint"] != expected["fingerprint"], "another seed gives the same run"


def test_captures(programs, folder):
    """Captured bytes must not depend on anything but the run."""
    found = []
    for i, more in enumerate(([], EAGER + ["--queues=1us"])):
        run(programs, LEAF_SPINE, CASES["Uno, lossy"][0] + more + ["--pcap=nic1,dc0-dci0"], folder / str(i))
        found.append({name: data for name, data in contents(folder / str(i)).items() if name.endswith(".pcap")})
    assert found[0] == found[1], f"captures differ: {[name for name in found[0] if found[0][name] != found[1].get(name)]}"
    assert len(found[0]) >= 2 and min(map(len, found[0].values())) >= 10000, "captures are too small"
