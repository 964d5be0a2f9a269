# SPDX-License-Identifier: GPL-2.0-only
"""What is taken but makes a result worth less, or changes nothing, is said, on standard error and in summary.json; so is what
has ended a run. What does not fit into the memory is refused. With --progress=json all that is said is JSON."""

import json
import re
import resource

import pytest

from support import LEAF_SPINE, complaints, summary, write_files

SHORT = ["--duration=20us"]
SMALL = ["--progress=none", "--leaves=2", "--spines=1", "--hostsPerLeaf=2"]
FAT_TREE = ["two-dc-fat-tree", "--progress=none", "--k=4", "--duration=20us"]
REPLAY = ["replay", "--progress=none", "--topology={d}/topology.txt", "--flows={d}/flow.txt", "--cc=Hpcc", "--hpccPfc=0"]
MLCC = ["--duration=100us", "--interFraction=0.5", "--load=0.8", "--cc=Hpcc", "--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide", "--ecn=0"]
INCAST = ["--pattern=incast", "--incastSenders=6", "--incastBytes=300000", "--incastReceiver=0", "--cc=none"]


def rates(rate, buffer="32MiB"):
    """@return options for ports of one rate. @param buffer of leaf and spine switches"""
    return ["--pattern=permutation", "--messageBytes=10000", f"--hostRate={rate}", f"--fabricRate={rate}", f"--dciRate={rate}", f"--leafBuffer={buffer}",
            f"--spineBuffer={buffer}"]


# Options, and the beginnings of the warnings expected, in order.
CASES = [
    (SHORT, []),
    (INCAST, []),
    (INCAST + ["--ns3::roce::Switch::HeadroomFactor=0.001", "--leafBuffer=200KB", "--ecn=0"], ["{losslessDrops} frames of lossless classes"]),
    (SHORT + ["--warmup=1h"], ["a warm-up of 3.6e+06 ms leaves no flow for statistics: the last one starts at "]),
    (SHORT + ["--warmup=1us"], []),
    (SHORT + ["--incastSenders=3", "--groups=2", "--messageBytes=5"],
     ["--incastSenders, --messageBytes, --groups: without effect with --pattern=poisson"]),
    (INCAST + ["--load=0.3"], ["--load: without effect with --pattern=incast"]),
    (SHORT + ["--pattern=poisson+incast", "--incastSenders=3", "--load=0.3"], []),
    (SHORT + ["--seriesPorts=nic0", "--rates=1us"], ["--seriesPorts: without effect without a time series of ports"]),
    (SHORT + ["--seriesPorts=nic0", "--queues=1us"], []),
    (SHORT + ["--seriesFlows=0", "--queues=1us"], ["--seriesFlows: without effect without a time series of flows"]),
    (SHORT + ["--seriesFlows=0", "--seriesPorts=nic0", "--chromeTrace"], []),
    (INCAST + ["--duration=20us", "--loadReference=host"], ["--duration, --loadReference: without effect with a single incast"]),
    (INCAST + ["--duration=20us", "--incastPeriod=10us"], []),
    (["--pattern=permutation", "--duration=20us"], ["--duration: without effect with --pattern=permutation"]),
    (["--pattern=allreduce", "--groups=1", "--iterations=1", "--minBytes=9", "--maxBytes=9", "--computeTime=1us"],
     ["--computeTime: without effect with --iterations=1"]),
    (["--pattern=collective", "--collectiveBytes=9000", "--collectiveCompute=1us", "--intraHostRate=1Gbps"],
     ["--intraHostRate: without effect with --gpusPerHost=1", "--collectiveCompute: without effect with --collectiveRounds=1"]),
    (["--pattern=collective", "--collectiveBytes=9000", "--collectiveRounds=2", "--collectiveCompute=1us", "--gpusPerHost=2",
      "--intraHostRate=1Gbps"], []),
    (["--pattern=onoff", "--workers=2", "--rounds=1", "--workerBytes=9", "--offTime=1us"], ["--offTime: without effect with --rounds=1"]),
    (["--pattern=onoff", "--workers=2", "--rounds=2", "--workerBytes=9", "--offTime=1us", "--roundMode=fixedPeriod"], []),
    (SHORT + ["--workers=2", "--rounds=3"], ["--workers, --rounds: without effect with --pattern=poisson"]),
    (SHORT + ["--interFraction=0", "--interWorkload=fbhadoop", "--interCc=Hpcc", "--interPaths=Spray",
              "--interLossRecovery=SelectiveRepeat"],
     ["--interCc, --interLossRecovery, --interPaths: without effect without flows between datacenters",
      "--interWorkload: without effect since no Poisson flow goes to another datacenter"]),
    (SHORT + ["--interFraction=1", "--interWorkload=fbhadoop", "--workload=websearch", "--interCc=Hpcc", "--cc=Dcqcn",
              "--ns3::roce::Dcqcn::Gain=0.1", "--ns3::roce::Hpcc::Eta=0.9"],
     ["--cc: without effect with --interCc and without flows within a datacenter",
      "--workload: without effect with --interWorkload and --interFraction=1",
      "--ns3::roce::Dcqcn::Gain: without effect since there is no Dcqcn"]),
    # ECN thresholds grow with the rate of ports: the warning names values that are enough, as does howto/parameters.rst
    (rates("25Gbps"), []),
    (rates("100Gbps"), []),
    (rates("400Gbps"), ["ECN Kmax is 6400000 B at dc0-leaf0 port 0, but PFC pauses a single sender at "]),
    (rates("400Gbps", "64MiB"), []),
    (rates("800Gbps"), ["ECN Kmax is 12800000 B at dc0-leaf0 port 0, but PFC pauses a single sender at "]),
    (rates("800Gbps", "160MiB"), []),
    # attributes of what is not there, and of what is: in front of a rate law, within a base class, on a link
    (SHORT + ["--ns3::roce::ReflexNsf::TInterval=3us", "--ns3::roce::PhantomQueue::EcnMin=0.1", "--ns3::roce::BurstLoss::LossRate=0.1",
              "--ns3::roce::EcnMarker::Pmax=0.5", "--ns3::roce::EcnCnpFeedback::CnpInterval=10us"],
     ["--ns3::roce::BurstLoss::LossRate: without effect since there is no BurstLoss",
      "--ns3::roce::PhantomQueue::EcnMin: without effect since there is no PhantomQueue",
      "--ns3::roce::ReflexNsf::TInterval: without effect since there is no ReflexNsf"]),
    (SHORT + ["--cc=Timely", "--interFraction=1", "--edge=ReflexNsf", "--ns3::roce::ReflexNsf::TInterval=3us", "--ns3::roce::Timely::Beta=0.7",
              "--ns3::roce::LossModel::AffectsPfc=0", "--loss=1e-9", "--ns3::roce::DwrrScheduler::StrictClasses=64"], []),
    (SHORT + ["--cc=none", "--ecn=0", "--ns3::roce::EcnMarker::Pmax=0.5"], ["--ns3::roce::EcnMarker::Pmax: without effect since there is no EcnMarker"]),
    (SHORT + ["--cc=Timely", "--interFraction=0", "--edge=ReflexNsf"], ["--edge: without effect without flows between datacenters"]),
    (SHORT + ["--interFraction=0", "--edge=PhantomQueue", "--dciAttach=leaf"], []),
    # loss recovery: what reorders and what bears it, timeouts and whose they are
    (SHORT + ["--paths=Spray"], ["Spray sends packets on several paths, and GoBackN repeats each that another one overtakes; "]),
    (SHORT + ["--paths=Spray", "--lossRecovery=SelectiveRepeat"], ["Spray sends packets on several paths, and SelectiveRepeat repeats each"]),
    (SHORT + ["--interFraction=1", "--interPaths=UnoLb"], ["UnoLb between datacenters sends packets on several paths, and GoBackN repeats each"]),
    (SHORT + ["--paths=Spray", "--lossRecovery=SelectiveRepeat[ReorderPackets=64]"], []),
    (SHORT + ["--paths=Spray", "--lossRecovery=PacketTimers"], []),
    (SHORT + ["--pathPolicy=Drill"], ["Drill sends packets on several paths, and GoBackN repeats each"]),
    (SHORT + ["--pathPolicy=Conga"], []),
    (SHORT + ["--paths=Flowlet"], []),
    (SHORT + ["--lossRecovery=SelectiveRepeat", "--ns3::roce::Nic::RtoMin=1ms"],
     ["--ns3::roce::Nic::RtoMin: without effect with the timeouts of SelectiveRepeat"]),
    (SHORT + ["--lossRecovery=PacketTimers", "--ns3::roce::Nic::RtoFactor=2"],
     ["--ns3::roce::Nic::RtoFactor: without effect with the timeouts of PacketTimers"]),
    (["--duration=300us", "--interFraction=0.5", "--interLossRecovery=SelectiveRepeat", "--ns3::roce::Nic::RtoMin=20ms",
              "--ns3::roce::Nic::RtoFactor=4"], []),
    (SHORT + ["--ns3::roce::Nic::RtoMin=100us"],
     ["GoBackN: flows fail after 8 timeouts of 0.1 ms, but a full buffer between NIC "]),
    (SHORT + ["--ns3::roce::Nic::RtoMin=100us", "--ns3::roce::Nic::RetryLimit=0"], []),
    (SHORT + ["--ns3::roce::Nic::RtoMin=100us", "--lossless=0"], []),
    (SHORT + ["--lossRecovery=SelectiveRepeat[RtoHigh=200us]"], ["SelectiveRepeat: flows fail after 8 timeouts of 0.2 ms, but a full buffer"]),
    (SHORT + ["--lossRecovery=SelectiveRepeat"], []),
    # losses and failures
    (SHORT + ["--lossLinks=wan"], ["--lossLinks: without effect without --loss or --lossModel"]),
    (SHORT + ["--lossLinks=wan", "--loss=1e-9"], []),
    (SHORT + ["--reroute=10us"], ["--reroute: without effect without --failLinks"]),
    (SHORT + ["--reroute=10us", "--failLinks=dc0-dci0/dc1-dci0@1h"], []),
    # MLCC: half of the ACKs return through another switch; packets that wait are no losses
    (MLCC, []),
    (MLCC + ["--dcis=2"], ["ns3::roce::MlccReceiverSide: there are 2 external switches in a datacenter, and ACKs"]),
    (MLCC + ["--interLossRecovery=UnoErasure", "--ns3::roce::Nic::RetryLimit=0"],
     ["ns3::roce::MlccReceiverSide: packets wait for milliseconds in the queues of flows, and ns3::roce::UnoErasure repeats them"]),
    (MLCC + ["--interLossRecovery=UnoErasure", "--ns3::roce::UnoErasure::QueueBytes=40000000"], []),
    (MLCC + ["--interLossRecovery=SelectiveRepeat"], []),
    (SHORT + ["--interFraction=1", "--edge=PhantomQueue", "--dcis=2"], []),
    # topologies
    (SHORT + ["--datacenters=1", "--dciAlpha=1"], ["--dciAlpha: without effect with --datacenters=1"]),
    (SHORT + ["--dciAlpha=1"], []),
    (SHORT + ["--lossless=0", "--dciEgressBuffer=1MiB", "--dciAlpha=1"], ["--dciAlpha: without effect with --dciEgressBuffer"]),
    (SHORT + ["--datacenters=1", "--wanDelay=1us", "--dcis=2", "--dciAttach=leaf"],
     ["--wanDelay, --dcis, --dciAttach: without effect with --datacenters=1"]),
    (SHORT + ["--oversubscription=2", "--fabricRate=10Gbps"], ["--fabricRate: without effect with --oversubscription"]),
    (SHORT + ["--lossless=0", "--egressBuffer=1MiB", "--leafBuffer=1MiB", "--ns3::roce::Switch::Alpha=2"],
     ["--leafBuffer, --ns3::roce::Switch::Alpha: without effect with --egressBuffer"]),
    (SHORT + ["--lossless=0", "--dciEgressBuffer=1MiB", "--dciBuffer=1MiB", "--leafBuffer=1MiB", "--ns3::roce::Switch::PauseQuanta=9"],
     ["--dciBuffer: without effect with --dciEgressBuffer", "--ns3::roce::Switch::PauseQuanta: without effect with --lossless=0"]),
    (FAT_TREE + ["--datacenters=1", "--borders=1", "--wanLinks=2"], ["--wanLinks, --borders: without effect with --datacenters=1"]),
    (FAT_TREE + ["--pods=2", "--edgesPerPod=2", "--aggsPerPod=2", "--cores=4", "--hostsPerEdge=1"], ["--k: without effect with all counts"]),
    (FAT_TREE + ["--edgeOversubscription=2", "--aggOversubscription=2", "--aggRate=1Gbps", "--coreRate=1Gbps"],
     ["--aggRate: without effect with --edgeOversubscription", "--coreRate: without effect with --aggOversubscription"]),
    (FAT_TREE + ["--portBuffer=8MiB", "--coreBuffer=1MiB"], ["--coreBuffer: without effect with --portBuffer"]),
    # the end of the run
    (SHORT + ["--stop=1s", "--safetyLimit=1s"], ["--safetyLimit: without effect with --stop"]),
    # replay: one datacenter, its own failures
    (REPLAY, []),
    (REPLAY + ["--interCc=Dcqcn", "--reroute=1us", "--lossLinks=host"],
     ["--interCc: without effect without flows between datacenters", "--lossLinks: without effect without --loss or --lossModel",
      "--reroute: without effect without --failLinks"]),
    (REPLAY + ["--pathFile={d}/paths.csv"], []),
    (REPLAY + ["--pathFile={d}/paths.csv", "--paths=Spray", "--lossRecovery=SelectiveRepeat[ReorderPackets=9]"],
     ["--pathFile: without effect with --paths=Spray"]),
    (REPLAY + ["--paths=Spray"], ["Spray sends packets on several paths, and GoBackN repeats each"]),
    (REPLAY + ["--set=LINK_DOWN=5000000 0 2", "--reroute=1us"], []),
]

# What ends a run before all flows are done: options, words of the line that says so, and summary.json's.
ENDS = [
    (SHORT, "", "flowsDone"),
    (SHORT + ["--stop=15us"], "the run was ended by --stop", "stop"),
    (SHORT + ["--safetyLimit=1us"], "the run was ended by --safetyLimit, 0.001 ms after the last start of a flow", "safetyLimit"),
    (INCAST + ["--lossModel=ns3::BinaryErrorModel", "--ns3::roce::Nic::RtoMin=100us"], "the run was ended since nothing made progress any longer",
     "stalled"),
    (REPLAY + ["--set=SIMULATOR_STOP_TIME=2.000002"], "the run was ended by SIMULATOR_STOP_TIME", "safetyLimit"),
]

# With --progress=json, whatever is said: options, status, and the kinds of the lines.
JSON = [
    (SHORT + ["--lossLinks=wan"], 0, {"warning", "progress"}),
    (SHORT + ["--safetyLimit=1us"], 3, {"progress", "unfinished"}),
    (SHORT + ["--cc=none\n"], 2, {"error"}),
    (["--foo=\xff"], 2, {"error"}),
    (REPLAY[:-2] + ["--cc=Hpcc", "--set=CC_MODE=1"], 0, {"note", "progress"}),
]

FILES = {"topology.txt": "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
         "paths.csv": "id,path_node_ids,ack_path_node_ids\n0,0-2-1,1-2-0\n",
         "flow.txt": "1\n0 1 3 100 100000 2.000001\n"}

# Options, limit of the address space, status, and what the error line holds.
LIMITS = [
    (["--pattern=alltoall", "--hostsPerLeaf=1000", "--leafBuffer=4000MB"], 1 << 30, 2, ["15996000 flows", "GB of memory"]),
    (["--pattern=permutation", "--hostsPerLeaf=200000"], 1 << 30, 2, ["800000 NICs", "GB of memory"]),
    (["--pattern=permutation", "--leaves=20000", "--hostsPerLeaf=1"], 1 << 30, 2, ["routes", "GB of memory"]),
    # More than the estimate, which is on the low side.
    (["--pattern=alltoall", "--hostsPerLeaf=70", "--leafBuffer=1000MB"], 200 << 20, 1, ["out of memory"]),
]


def run(programs, folder, options, status, **more):
    """@return the finished process."""
    write_files(folder, FILES)
    program, *rest = options if options[0][0] != "-" else [LEAF_SPINE, *SMALL, *options]
    return programs.run(program, *(o.replace("{d}", str(folder)) for o in rest), f"--out={folder}/out", status=status, timeout=120, **more)


@pytest.mark.parametrize("options, expected", CASES)
def test_warnings(programs, folder, options, expected):
    """Exactly those expected, in both places."""
    done = run(programs, folder, options, 0)
    told = summary(folder / "out")
    said = [line[9:] for line in done.stderr.splitlines() if line.startswith("warning: ")]
    expected = [text.format(**told["counters"]) for text in expected]
    assert said == told["warnings"] and len(said) == len(done.stderr.splitlines()), f"{done.stderr!r}, summary {told['warnings']}"
    assert len(said) == len(expected) and all(map(str.startswith, said, expected)), f"said {said}, expected {expected}"
    assert bool(told["counters"]["losslessDrops"]) == ("frames" in str(said)), f"dropped frames: {said}"


def test_advice(programs, folder):
    """Each of the values that the warning of late ECN names is that of the port's rate, is enough, and nearly too little."""
    def said(*options):
        return run(programs, folder, rates("400Gbps") + list(options), 0).stderr

    text = said()
    values = [re.search(pattern, text) for pattern in (r"--\S*ReferenceRate=(\d+)Gbps", r"--\S*Kmin=(\d+)", r"--\S*Kmax=(\d+)",
                                                      r"buffers of (\d+) MiB", r"single sender at (\d+) B")]
    assert all(values), f"not all values in {text!r}"
    rate, kmin, kmax, buffer, xoff = values
    assert int(rate[1]) == 400 and kmax[1] == xoff[1] and int(kmin[1]) == int(xoff[1]) // 4, f"not those of the port's rate: {text!r}"
    for more, silent in ((0, True), (200, False)):
        more_kmax = f"{kmax[0].split('=')[0]}={int(kmax[1]) + more}"
        assert (said(rate[0], kmin[0], more_kmax) == "") == silent, f"{kmax[0]} and {more} more: silent is not {silent}"
    flat = said("--ns3::roce::EcnMarker::ReferenceRate=0", "--ns3::roce::EcnMarker::Kmin=1000000", "--ns3::roce::EcnMarker::Kmax=8000000")
    assert "ReferenceRate" not in flat and f"Kmin={int(xoff[1]) // 8} " in flat and f"Kmax={xoff[1]}," in flat, f"the same at all rates: {flat!r}"
    for less, silent in ((0, True), (2, False)):
        size = int(buffer[1]) - less
        assert (said(f"--leafBuffer={size}MiB", f"--spineBuffer={size}MiB") == "") == silent, f"{size} MiB: silent is not {silent}"


@pytest.mark.parametrize("options, words, end", ENDS)
def test_end(programs, folder, options, words, end):
    """What has ended a run, in one line and in summary.json."""
    done = run(programs, folder, options, 3 if words else 0)
    unfinished = [line for line in done.stderr.splitlines() if line.startswith("unfinished: ")]
    assert len(unfinished) == bool(words) and all(words in line for line in unfinished), done.stderr
    assert summary(folder / "out")["end"] == end


@pytest.mark.parametrize("options, status, kinds", JSON)
def test_json(programs, folder, options, status, kinds):
    """Every line is JSON."""
    done = run(programs, folder, options + ["--progress=json"], status)
    assert {next(iter(json.loads(line))) for line in done.stderr.splitlines()} == kinds, done.stderr


@pytest.mark.parametrize("options, limit, status, words", LIMITS)
def test_limit(programs, folder, options, limit, status, words):
    """What does not fit into the memory."""
    if programs.sanitized():
        pytest.skip("the sanitizer reserves terabytes")
    done = run(programs, folder, options, status, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    lines = complaints(done.stderr)
    assert len(lines) == 1 and lines[0].startswith("error: ") and all(word in lines[0] for word in words), done.stderr
