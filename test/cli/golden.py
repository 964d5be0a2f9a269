# SPDX-License-Identifier: GPL-2.0-only
"""Golden flow completion times: small runs must give exactly the recorded flows.csv.

When a change of behaviour is meant, run it with ROCE_UPDATE_GOLDEN=1 and commit the files with the reason; scripts/fct_diff.py OLD NEW
shows what has changed, flow by flow.
"""

import os
import shutil

import pytest

from support import LEAF_SPINE, ROOT, SCRIPTS, run

GOLDEN = ROOT / "test" / "golden"
COMMON = ["--duration=1ms", "--seed=7", "--progress=none"]
FAT_TREE = "two-dc-fat-tree"
UNO = [FAT_TREE, "--k=4", "--duration=200us", "--load=0.3", "--truncate=1000000", "--interFraction=0.5",
       "--wanDelay=100us", "--lossless=0", "--wanLinks=4", "--wanRate=100Gbps"]
UNO_RC = ["--lossRecovery=UnoErasure", "--paths=UnoLb"]
REFLEX = [LEAF_SPINE, "--load=0.7", "--interFraction=0.5", "--wanDelay=50us", "--truncate=3000000",
          "--leafBuffer=4MiB", "--leaves=2", "--spines=2", "--hostsPerLeaf=3", "--ecn=0"]
RUNS = {
    "two-dc-dcqcn": [LEAF_SPINE, "--cc=Dcqcn", "--load=0.4", "--interFraction=0.2"],
    "two-dc-dcqcn-paper": [LEAF_SPINE, "--cc=Dcqcn", "--load=0.4",
                           "--ns3::roce::Dcqcn::Profile=paper"],
    "one-dc-dcqcn-plus": [LEAF_SPINE, "--cc=DcqcnPlus", "--datacenters=1", "--pattern=poisson+incast",
                          "--load=0.4", "--incastSenders=12"],
    # Equal senders in step, and queues that lose frames: ties are what this is about.
    "one-dc-drop-tail": [LEAF_SPINE, "--cc=Dcqcn", "--datacenters=1", "--pattern=alltoall", "--messageBytes=100000",
                         "--lossless=0", "--egressBuffer=100kB", "--lossRecovery=SelectiveRepeat"],
    "two-dc-hpcc": [LEAF_SPINE, "--cc=Hpcc", "--load=0.4", "--interFraction=0.2"],
    "two-dc-mlcc": [LEAF_SPINE, "--cc=Hpcc", "--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide",
                    "--hostRate=25Gbps", "--load=0.5", "--interFraction=0.5"],
    # Both halves: 37 CNPs at the near source, 59 cuts of VOQs.
    "two-dc-bicc": [LEAF_SPINE, "--cc=Dcqcn", "--edge=Bicc", "--hostRate=25Gbps", "--load=0.4", "--interFraction=0.3",
                    "--wanRate=100Gbps", "--wanDelay=50us", "--duration=300us", "--truncate=3000000",
                    "--pattern=poisson+incast", "--incastFrom=remote", "--incastSenders=8", "--incastBytes=500000"],
    "two-dc-hpcc-mtu1000": [LEAF_SPINE, "--cc=Hpcc", "--load=0.3",
                            "--ns3::roce::Nic::PathMtu=1000"],
    "one-dc-none-pfc": [LEAF_SPINE, "--cc=none", "--datacenters=1", "--load=0.5",
                        "--leafBuffer=2MiB", "--spineBuffer=2MiB"],
    "fat-tree-hpcc": [FAT_TREE, "--cc=Hpcc", "--k=4", "--load=0.4", "--duration=200us",
                      "--truncate=3000000", "--pattern=poisson+incast", "--incastSenders=12",
                      "--edgeBuffer=2MiB", "--edgeOversubscription=2"],
    "fat-tree-swift-uno": UNO + UNO_RC + ["--cc=Swift[AddBaseRtt=true]", "--lossLinks=wan",
                                          "--lossModel=RunLoss[Profile=none|StartRate=0.06|"
                                          "BurstSizes=0.74,0.21,0.05]"],
    "fat-tree-dctcp-uno-dead-link": UNO + UNO_RC + ["--cc=Dctcp", "--failLinks="
                                                    "dc0-border0/dc1-border0#2@0ms"],
    "fat-tree-dctcp-uno-artifact": UNO + ["--cc=Dctcp", "--lossRecovery=UnoErasure[Profile=artifact]",
                                          "--paths=UnoLb[Profile=artifact]", "--loss=0.02",
                                          "--lossLinks=wan",
                                          "--failLinks=dc0-border0>dc1-border0#1@300us"],
    "fat-tree-wrcc": [FAT_TREE, "--k=4", "--hostsPerEdge=4", "--borderLinks=1", "--wanLinks=1",
                      "--wanRate=400Gbps", "--wanDelay=1ms", "--cc=Wrcc", "--stages=WrccFairRate",
                      "--ecn=0", "--load=0.5", "--interFraction=0.17", "--duration=200us",
                      "--truncate=3000000"],
    "one-dc-timely": [LEAF_SPINE, "--cc=Timely", "--datacenters=1", "--load=0.5"],
    "two-dc-timely-segments": [LEAF_SPINE,
                               "--cc=Timely[Mode=perSegment|ThresholdsFromBaseRtt=true]",
                               "--load=0.4", "--interFraction=0.2"],
    "one-dc-swift-lossy": [LEAF_SPINE, "--cc=Swift", "--datacenters=1", "--load=0.5",
                           "--lossless=0", "--leafBuffer=1MiB", "--loss=1e-3",
                           "--lossRecovery=SelectiveRepeat[ReorderPackets=50]", "--paths=Spray"],
    "two-dc-power-tcp-failures": [LEAF_SPINE, "--cc=PowerTcp", "--load=0.4", "--reroute=200us",
                                  "--failLinks=dc0-leaf0/dc0-spine1@200us-700us,"
                                  "dc0-spine2>dc0-dci0@300us", "--paths=Plb",
                                  "--lossModel=BurstLoss[LossRate=1e-3|MeanBurst=8]",
                                  "--lossLinks=wan", "--ns3::roce::Nic::RtoMin=1ms"],
    "two-dc-timely": REFLEX + ["--cc=Timely[Profile=hpcc-sim]"],
    "two-dc-timely-nsf": REFLEX + ["--cc=Timely[Profile=hpcc-sim]", "--edge=ReflexNsf"],
    "two-dc-timely-ndt": REFLEX + ["--cc=Timely[Profile=hpcc-sim]", "--edge=ReflexNdt"],
    "two-dc-timely-reflex": REFLEX + ["--cc=Timely[Profile=hpcc-sim]",
                                      "--edge=ReflexNsf,ReflexNdt"],
    "two-dc-swift-reflex": REFLEX + ["--cc=Swift[Profile=reflex]",
                                     "--edge=ReflexNsf[TInterval=3us|SilentMode=probe],"
                                     "ReflexNdt[PauseScope=port|PauseNumerator=state]"],
    "one-dc-dctcp": [LEAF_SPINE, "--cc=Dctcp", "--datacenters=1", "--load=0.5",
                     "--ns3::roce::EcnMarker::Kmin=30000", "--ns3::roce::EcnMarker::Kmax=30000",
                     "--ns3::roce::EcnMarker::Pmax=1",
                     "--ns3::roce::EcnMarker::ReferenceRate=10Gbps"],
}


@pytest.mark.parametrize("name", RUNS)
def test_golden(programs, folder, name):
    """The bytes of flows.csv."""
    program, *options = RUNS[name]
    programs.run(program, *COMMON, *options, f"--out={folder}")
    golden = GOLDEN / f"{name}.flows.csv"
    if os.environ.get("ROCE_UPDATE_GOLDEN") == "1":
        shutil.copyfile(folder / "flows.csv", golden)
    same = (folder / "flows.csv").read_bytes() == golden.read_bytes()
    assert same, f"{name}: flows.csv differs from {golden.relative_to(ROOT)}:\n" + run(
        SCRIPTS / "fct_diff.py", golden, folder / "flows.csv", status=None).stdout
