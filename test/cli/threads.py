# SPDX-License-Identifier: GPL-2.0-only
"""Several threads must give the bytes of one: all files, fingerprint, counters.

The runs are the small ones of golden.py and some more. With ROCE_THREADS=2,3,4,8 those numbers of threads are tried in place of 2 and
3. What several threads cannot do must be refused in one line.
"""

import os

import pytest
from golden import RUNS

from support import LEAF_SPINE
from support.parallel import check_same, result

SMALL = [LEAF_SPINE, "--leaves=2", "--spines=2", "--hostsPerLeaf=4"]
MORE = {
    # Flows wait for each other's completions, in racks of their own.
    "phases": SMALL + ["--pattern=allreduce+incast+poisson", "--load=0.3", "--groups=2", "--iterations=4", "--incastSenders=6",
                       "--minBytes=20000", "--maxBytes=90000", "--computeTime=0ns", "--duration=200us"],
    # Ranks wait for messages of others, in the other datacenter, too.
    "collectives": SMALL + ["--pattern=collective+poisson", "--collectiveBytes=100000", "--gpusPerHost=2", "--collectiveRounds=2",
                            "--load=0.3", "--duration=100us"],
    # Messages of one queue pair, which wait for their turn and start again after a while.
    "connections": SMALL + ["--pattern=collective+poisson", "--collectiveBytes=200000", "--collectiveRounds=2", "--connections=pair",
                            "--load=0.5", "--interFraction=0.3", "--wanDelay=20us", "--duration=200us", "--loss=1e-3",
                            "--lossRecovery=SelectiveRepeat", "--ns3::roce::Nic::QueueDepth=2", "--ns3::roce::Nic::IdleRestart=10us",
                            "--queues=20us", "--transport=20us"],
    # Hosts and NICs take time for each message.
    "message-costs": SMALL + ["--pattern=collective+incast+poisson", "--collectiveBytes=200000", "--incastSenders=6", "--incastBytes=200000",
                              "--load=0.5", "--duration=200us", "--queues=20us",
                              *(f"--ns3::roce::Nic::{cost}" for cost in ("PostLatency=700ns", "CompletionLatency=1100ns", "MessageGap=250ns",
                                                                        "MessageRate=1e6", "DeliveryLatency=500ns", "CnpLatency=5us",
                                                                        "QueueDepth=4"))],
    # NICs lose and mark what comes too fast; losses slow DCQCN down.
    "ingress-limit": SMALL + ["--pattern=incast+poisson", "--incastSenders=6", "--incastBytes=200000", "--load=0.5", "--duration=200us",
                              "--cc=Dcqcn[CutOnLoss=true]", "--lossless=0", "--ecn=0", "--transport=20us",
                              "--ns3::roce::Nic::IngressRate=60Gbps", "--ns3::roce::Nic::IngressMark=32KiB",
                              "--ns3::roce::Nic::IngressBuffer=64KiB", "--ns3::roce::Nic::RtoMin=1ms"],
    # Ranks wait for what comes over NVLinks, which are much shorter than the time between two meetings, and over rails.
    "rails": [LEAF_SPINE, "--datacenters=1", "--leaves=4", "--rails", "--gpusPerServer=4", "--hostsPerLeaf=2", "--spines=2",
              "--pattern=collective+poisson", "--collectiveChannels=4", "--collectiveBytes=400000", "--collectiveRounds=2",
              "--load=0.3", "--duration=100us"],
    # Laws beside each other, classes at NICs, slow hosts, storms of pauses, and a watchdog that ends before them.
    "mixed-hosts": SMALL + ["--load=0.6", "--interFraction=0.4", "--wanDelay=20us", "--duration=200us", "--queues=20us",
                            "--ccOf=nic0-2:Hpcc,nic3:FixedRate[Rate=5Gbps],nic4:Swift", "--ns3::roce::Nic::ClassWeights=3:2,4:5",
                            "--pausePeers=nic1>dc0-leaf0:2Gbps@10us-150us,dc0-spine0>dc0-leaf1@20us-170us,dc0-dci0>dc1-dci0@30us-150us",
                            "--stages=PfcWatchdog[DetectionTime=30us|RestorationTime=40us]", "--lossRecovery=SelectiveRepeat"],
    # Flows wait for single others, whose ends are in the same rack, in another one and in the other datacenter.
    "graph": SMALL + ["--pattern=list+poisson", "--flows={graph}", "--load=0.3", "--duration=100us"],
    # Ranks with programs, in both datacenters: which receive gets which message depends on the order in which they come.
    "ranks": SMALL + ["--pattern=goal+poisson", "--goal={goal}", "--rankOverhead=300ns", "--eagerBytes=4000", "--wanDelay=20us",
                      "--load=0.3", "--duration=100us", "--operations"],
    "ranks-last-ack": SMALL + ["--pattern=goal", "--goal={goal}", "--receiveAt=lastAck", "--connections=flow", "--wanDelay=20us",
                               "--logGp=2us,5ns,0.08ns"],
    "ranks-nics": SMALL + ["--pattern=goal+collective", "--goal={nics}", "--collectiveBytes=100000", "--rankOverhead=200ns",
                           "--wanDelay=20us", "--operations"],
    # Jobs that share NICs, in both datacenters, and what their tables say.
    "jobs": SMALL + ["--pattern=jobs+poisson", "--jobs={jobs}", "--wanDelay=20us", "--load=0.3", "--duration=100us"],
    # Switches choose among unlike ways, which are gone for a while.
    **{f"wan-graph-{policy}": [LEAF_SPINE, "--leaves=2", "--spines=1", "--hostsPerLeaf=2", "--datacenters=4", "--wanGraph={wan}", "--load=0.6",
                               "--interFraction=0.9", "--duration=200us", f"--edgePathPolicy={policy}", "--detours=1", "--reroute=20us",
                               "--failLinks=dc0-dci0/dc1-dci0@100us-150us", "--queues=20us"]
       for policy in ("Lcmp", "Ucmp")},
    # All switches choose, by queues, by random numbers and by what others tell them.
    **{f"fabric-{policy}": SMALL + [f"--pathPolicy={policy}", "--load=0.6", "--interFraction=0.4", "--wanDelay=20us", "--duration=200us",
                                    "--lossRecovery=SelectiveRepeat[ReorderPackets=64]", "--reroute=20us",
                                    "--failLinks=dc0-leaf0/dc0-spine1@50us-100us", "--queues=20us"]
       for policy in ("Conga[Gap=5us]", "Drill[Memory=2]")},
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
CHANGES = [f"--{series}=change" for series in ("queues", "rates", "transport", "pauses", "utilisation")]
MORE.update({
    # Every change and every frame, in one order.
    "changes": SMALL + ["--load=0.6", "--interFraction=0.4", "--wanDelay=20us", "--duration=100us", *CHANGES, "--pfc", "--notifications", "--chromeTrace",
                        "--pcap=all", "--hpccPfc", "--netanim=0us-40us"],
    # Changes and samples of the same time; what ranks do is on the time line.
    "changes-samples": SMALL + ["--pattern=goal+incast", "--goal={goal}", "--incastSenders=6", "--incastBytes=200000", "--wanDelay=20us",
                                "--duration=100us", "--cc=Hpcc", "--queues=change", "--rates=3us", "--transport=change", "--pauses=3us",
                                "--utilisation=1us", "--pfc", "--chromeTrace", "--operations"],
    "changes-wrcc": SMALL + ["--cc=Wrcc", "--stages=WrccFairRate", "--ecn=0", "--load=0.5", "--duration=100us", "--pfr=change", "--notifications",
                             "--rates=change", "--seriesPorts=dc0-leaf0,dc1-spine1:0,nic3", "--pcap=nic3,dc0-leaf0:2"],
    "changes-mlcc": SMALL + ["--cc=Hpcc", "--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide", "--hostRate=25Gbps", "--load=0.5",
                             "--interFraction=0.6", "--wanDelay=20us", "--duration=300us", "--pfq=change", "--transport=change",
                             "--notifications"],
    "changes-bicc": SMALL + ["--edge=Bicc", "--load=0.6", "--interFraction=0.6", "--wanDelay=20us", "--duration=100us", "--voqs=change"],
})
# Options that are refused, by a word of the message.
REFUSED = {"--hostDelay=0us": "delay", "--ns3::roce::Nic::Eager=1": "Eager", "--threads=0": "threads", "--threads=two": "threads",
           "--balance=2": "balance"}


@pytest.mark.parametrize("name", {**RUNS, **MORE})
def test_same_bytes(programs, folder, name):
    """With each number of threads."""
    program, *options = {**RUNS, **MORE}[name]
    check_same(programs.bin / program, options, folder, [(1, int(n)) for n in os.environ.get("ROCE_THREADS", "2,3").split(",")])


@pytest.mark.parametrize("option", REFUSED)
def test_refused(programs, folder, option):
    """In one line."""
    reply = result(programs.bin / LEAF_SPINE, [*([] if "threads" in option else ["--threads=2"]), option], folder / "refused")
    assert reply["status"] == 2 and reply["message"].count("\n") == 1 and REFUSED[option] in reply["message"], f"{option}: {reply}"
