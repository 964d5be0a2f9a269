#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Malformed input gives one line that says what was expected, status 2, and no result.

    bad-input.py BUILD_DIR

Each case runs two-dc-leaf-spine, those of the fat-tree two-dc-fat-tree. Standard error must be exactly one line that begins with
"error: " and holds the case's words, the exit status 2, and the output folder must be missing or
hold no file with a final name. A few good cases see to it that the table tests what it says.
"""

import os
import subprocess
import sys
import tempfile

LEAF_SPINE = ["two-dc-leaf-spine", "--progress=none", "--duration=20us", "--spines=2", "--leaves=2",
              "--hostsPerLeaf=2"]
FAT_TREE = ["two-dc-fat-tree", "--progress=none", "--duration=20us", "--k=4"]

# Files that cases name: contents by name.
FILES = {
    "empty.txt": "",
    "words.txt": "1000 0.5\nmany 1\n",
    "falls.txt": "1000 50\n2000 40\n3000 100\n",
    "open.txt": "1000 0.1\n2000 0.9\n",
    "negative.txt": "-5 0.5\n2000 1\n",
    "good.txt": "1000 0\n20000 100\n",
    "self.csv": "src,dst,bytes,start_ns\n0,1,100,0\n3,3,100,0\n",
    "unknown.csv": "src,dst,bytes,start_ns\n0,99,100,0\n",
    "minus.csv": "src,dst,bytes,start_ns\n0,1,-100,0\n",
    "short.csv": "src,dst,bytes,start_ns\n0,1,100\n",
    "column.csv": "src,dst,bytes,start_ns,colour\n0,1,100,0,red\n",
    "none.csv": "src,dst,bytes,start_ns\n",
    "good.csv": "src,dst,bytes,start_ns\n0,1,100,0\n4,1,0,500.125\n",
    "phases.csv": "src,dst,bytes,start_ns,class,srcport,tag,phase\n0,1,1,0,3,0,0,1\n0,1,1,0,3,0,0,3\n",
    "nophase.csv": "src,dst,bytes,start_ns,class,srcport,tag,phase\n0,1,1,0,3,0,0,x\n",
    "more.txt": "3\n0 1 3 100 1000 0.000001\n",
    "packets.txt": "1\n0 1 3 60000 2 9.5\n",
    "flow.txt": "1\n0 1 3 100 1000 0.000001\n",
}

# Arguments, and what the line must hold. {d} is the folder of the files.
BAD = [
    # names
    ("--laod=0.5", "unknown option '--laod'", "--load"),
    ("--nonsense=1", "unknown option '--nonsense'", "--help"),
    ("--Printfoo", "unknown option '--Printfoo'", "expected"),
    ("load=0.5", "argument 'load=0.5'", "expected --name=value"),
    ("--load 0.5", "--load has no value", "expected"),
    ("--load", "--load has no value", "a number"),
    ("-", "argument '-'", "expected --name=value"),
    ("--preset=mlc", "--preset is 'mlc'", "expected mlcc, mlcc-testbed, paraleon, paraleon-testbed"),
    ("--through=dc0-spine9", "'dc0-spine9'", "expected names of switches"),
    ("--interLoad=11", "load 11", "at most 10"),
    ("--interLoad=0.1 --loadReference=wan", "--interLoad with --loadReference=wan", "expected one"),
    # numbers
    ("--load=abc", "--load is 'abc'", "a number"),
    ("--load=0.5x", "--load is '0.5x'", "a number"),
    ("--load=nan", "--load is 'nan'", "a number"),
    ("--load=1e999", "--load is '1e999'", "a number"),
    ("--load=", "--load is ''", "a number"),
    ("--load=0", "load 0", "expected above 0"),
    ("--load=-1", "load -1", "expected above 0"),
    ("--leaves=2.5", "--leaves is '2.5'", "whole number"),
    ("--leaves=-1", "--leaves is '-1'", "whole number"),
    ("--leaves=4294967296", "--leaves", "0 to 4294967295"),
    ("--seed=one", "--seed is 'one'", "whole number"),
    ("--seed=99999999999999999999", "--seed", "whole number"),
    ("--pfc=maybe", "--pfc is 'maybe'", "true or false"),
    # units
    ("--hostRate=fast", "--hostRate is 'fast'", "100Gbps"),
    ("--hostRate=100Gb", "--hostRate is '100Gb'", "100Gbps"),
    ("--hostRate=-1Gbps", "--hostRate is '-1Gbps'", "100Gbps"),
    ("--wanDelay=5", "--wanDelay is '5'", "time with unit"),
    ("--wanDelay=5parsec", "--wanDelay", "time with unit"),
    ("--wanDelay=1e30s", "--wanDelay", "106 days"),
    ("--hostDelay=-1us", "hostDelay is negative", "expected 0 or more"),
    ("--leafBuffer=10", "--leafBuffer is '10'", "32MiB"),
    ("--leafBuffer=5000MiB", "--leafBuffer", "below 4 GiB"),
    ("--duration=0ms", "duration 0 ps", "expected more than 0"),
    ("--stop=-1ms", "--stop is negative", "expected 0 or more"),
    ("--queueInterval=-1us", "--queueInterval is negative", "expected 0 or more"),
    # choices
    ("--cc=Foo", "--cc is 'Foo'", "expected one of: "),
    ("--cc=", "--cc is ''", "expected one of: "),
    ("--cc=CongestionControl", "--cc is 'CongestionControl'", "Dcqcn"),
    ("--cc=ns3::roce::EcnMarker", "--cc is 'ns3::roce::EcnMarker'", "Dcqcn"),
    ("--cc=Dcqcn[", "--cc is 'Dcqcn['", "TYPE[ATTRIBUTE=VALUE"),
    ("--cc=Dcqcn[Bar=1]", "--cc has 'Bar=1'", "--PrintAttributes=ns3::roce::Dcqcn"),
    ("--cc=Dcqcn[Profile=foo]", "Profile is 'foo'", "'paper'"),
    ("--cc=Hpcc[Eta=high]", "Eta is 'high'", "a number"),
    ("--cc=Timely[Mode=perByte]", "Mode is 'perByte'", "'perSegment'"),
    ("--cc=Dctcp[Form=both]", "Form is 'both'", "'rate'"),
    ("--cc=UnoCc[EpochMode=inter]", "EpochMode is 'inter'", "'own'"),
    ("--cc=UnoCc[K=-1]", "K is '-1'", "0 <= K"),
    ("--cc=UnoCc[QaTimer=0.5]", "QaTimer is 0.5", "1 period or more"),
    ("--pattern=ring", "--pattern is 'ring'", "permutation"),
    ("--pattern=", "--pattern is ''", "permutation"),
    ("--loadReference=all", "--loadReference is 'all'", "uplink"),
    ("--workload=foo", "--workload is 'foo'", "websearch"),
    ("--workload=" + 300 * "f", "--workload is 'fff", "websearch"),
    ("--interWorkload=" + 300 * "f", "--interWorkload is 'fff", "websearch"),
    ("--progress=loud", "progress is 'loud'", "json"),
    ("--scheduler=foo", "--scheduler is 'foo'", "PriorityQueueScheduler"),
    ("--dciAttach=moon", "dciAttach is 'moon'", "spine or leaf"),
    ("--pcap=foo", "no port 'foo'", "nicN"),
    ("--pcap=nic99", "no NIC 99", "0 to 7"),
    ("--pcap=dc0-leaf0:77", "no port 'dc0-leaf0:77'", "dc0-leaf0:0 to"),
    ("--pcap=nic0,nic0", "named twice", "nic0"),
    ("--pcap=dc0-leaf0:1,all", "named twice", "dc0-leaf0-1"),
    # time series
    ("--queues=often", "--queues (change or a time", "is 'often'"),
    ("--rates=-1us", "--rates is negative", "expected 0 or more"),
    ("--queues=1us --queueInterval=1us", "--queues with --queueInterval", "expected one of them"),
    ("--queues=1us --seriesPorts=foo", "no port 'foo'", "nicN"),
    ("--rates=1us --seriesFlows=a", "--seriesFlows has 'a'", "flow ids and ranges"),
    ("--rates=1us --seriesFlows=99999", "no flow 99999", "expected 0 to"),
    ("--netanim=5us", "--netanim is '5us'", "FROM-TO"),
    ("--chromeTrace --out=", "--chromeTrace with an empty --out", "expected a folder"),
    # attributes
    ("--ns3::roce::Nic::Foo=1", "no attribute 'Foo'", "PathMtu"),
    ("--ns3::roce::Foo::Bar=1", "unknown type 'ns3::roce::Foo'", "--PrintTypeIds"),
    ("--ns3::roce::Nic::PathMtu=abc", "PathMtu is 'abc'", "64:65000"),
    ("--ns3::roce::Nic::PathMtu=12", "PathMtu is '12'", "64:65000"),
    ("--ns3::roce::Nic::RtoMin=soon", "RtoMin is 'soon'", "time with unit"),
    ("--ns3::roce::Nic::Eager=perhaps", "Eager is 'perhaps'", "true or false"),
    ("--ns3::roce::EcnMarker::Pmax=1.5", "Pmax is '1.5'", "0 <= Pmax <= 1"),
    ("--ns3::roce::EcnMarker::Kmin=900000", "Kmin is 900000 B", "at most Kmax"),
    ("--ns3::roce::EcnMarker::ReferenceRate=quick", "ReferenceRate", "100Gbps"),
    ("--ns3::roce::Dcqcn::Profile=foo", "Profile is 'foo'", "'paper'"),
    ("--ns3::roce::Dcqcn::Gain=5", "Gain is '5'", "0 < Gain <= 1"),
    ("--cc=Hpcc --ns3::roce::Hpcc::Eta=7", "Eta is '7'", "expected"),
    ("--ns3::roce::Switch::EgressScheduler=Foo", "EgressScheduler is 'Foo'", "DwrrScheduler"),
    ("--ns3::roce::Switch::EgressScheduler=ns3::roce::Nic", "EgressScheduler", "DwrrScheduler"),
    ("--ns3::roce::Switch::EgressScheduler=DwrrScheduler", "expected the full name", "ns3::roce::"),
    ("--ns3::roce::Nic::CongestionControl=ns3::roce::Hpcc", "no effect here", "--cc"),
    ("--ns3::roce::Port::DataRate=1Gbps", "no effect here", "--hostRate"),
    ("--RngRun=first", "--RngRun is 'first'", "0:18446744073709551615"),
    ("--SchedulerType=ns3::MapScheduler", "no effect here", "--scheduler"),
    ("--RngSeed=0", "--RngSeed is '0'", "1 to 4294944442"),
    ("--RngSeed=00", "--RngSeed is '00'", "1 to 4294944442"),
    ("--RngSeed=4294944443", "--RngSeed is '4294944443'", "1 to 4294944442"),
    ("--SimulatorImplementationType=foo", "is 'foo'", "ns3::DefaultSimulatorImpl"),
    ("--SimulatorImplementationType=ns3::Object", "is 'ns3::Object'", "ns3::DefaultSimulatorImpl"),
    ("--SimulatorImplementationType=ns3::RealtimeSimulatorImpl", "is 'ns3::Real", "neither real time nor MPI"),
    ("--SimulatorImplementationType=ns3::DistributedSimulatorImpl", "is 'ns3::Dist", "neither real time nor MPI"),
    ("--ChecksumEnabled=x", "--ChecksumEnabled is 'x'", "true or false"),
    ("--ns3::roce::Port::LossModel=ns3::roce::RandomLoss", "no effect here", "--lossModel"),
    ("--ns3::roce::Port::LossModel=", "no effect here", "--lossModel"),
    ("--ns3::roce::Port::ReceiveErrorModel=x", "no effect here", "--lossModel"),
    ("--ns3::roce::ErrorModelLoss::ErrorModel=ns3::RateErrorModel", "is 'ns3::RateErrorModel'",
     "an object that only a program can set"),
    ("--ns3::RateErrorModel::RanVar=0", "RanVar is '0'", "an object that only a program can set"),
    ("--lossModel=ErrorModelLoss[ErrorModel=x]", "ErrorModel is 'x'", "an object that only a program can set"),
    ("--PrintAttributes=foo", "unknown type 'foo'", "--PrintTypeIds"),
    # faults
    ("--loss=2", "--loss is 2", "0 to 1"),
    ("--loss=0.1 --lossLinks=some", "--lossLinks is 'some'", "host, fabric, wan or border"),
    ("--lossLinks=some", "--lossLinks is 'some'", "host, fabric, wan or border"),
    ("--loss=0.1 --lossLinks=wan --datacenters=1", "--lossLinks is 'wan'", "no such link"),
    ("--lossModel=Foo", "--lossModel is 'Foo'", "BurstLoss"),
    ("--lossModel=ns3::roce::Nic", "--lossModel is 'ns3::roce::Nic'", "RandomLoss"),
    ("--lossModel=BurstLoss[Foo=1]", "--lossModel has 'Foo=1'", "--PrintAttributes"),
    ("--lossModel=BurstLoss[LossRate=1]", "LossRate is 1", "LossRate < LossBad"),
    ("--lossModel=RandomLoss[Rate=2]", "Rate is '2'", "0:1"),
    ("--loss=0.1 --lossModel=RunLoss", "--lossModel=RunLoss", "expected no --loss"),
    ("--lossModel=RunLoss[Profile=none|BurstSizes=1,1]", "BurstSizes is '1,1'", "sum is 1"),
    ("--lossModel=BurstLoss", "--lossModel=BurstLoss loses nothing", "expected a rate above 0"),
    ("--lossModel=BurstLoss[MeanBurst=5] --lossLinks=wan", "--lossModel=BurstLoss loses nothing", "expected a rate above 0"),
    ("--lossModel=RandomLoss", "--lossModel=RandomLoss loses nothing", "expected a rate above 0"),
    ("--lossModel=RunLoss[Profile=none|StartRate=0]", "--lossModel=RunLoss loses nothing", "expected a rate above 0"),
    ("--lossModel=ChunkLoss[Profile=none|Probabilities=0,0]", "--lossModel=ChunkLoss loses nothing", "expected a rate above 0"),
    ("--lossModel=ns3::RateErrorModel", "--lossModel=ns3::RateErrorModel loses nothing", "expected a rate above 0"),
    ("--lossModel=ns3::BurstErrorModel", "--lossModel=ns3::BurstErrorModel loses nothing", "expected a rate above 0"),
    ("--lossModel=ns3::ReceiveListErrorModel", "loses nothing", "expected a rate above 0"),
    ("--lossModel=ns3::BinaryErrorModel[IsEnabled=false]", "loses nothing", "expected a rate above 0"),
    ("--lossModel=BurstLoss[LossRate=0.1|MeanBurst=5|BadToGood=0.1]", "MeanBurst and BadToGood", "expected one of them"),
    ("--loss=0.1 --lossModel=RandomLoss[Rate=0.2]", "whose Rate is 0.2", "expected one of them"),
    ("--loss=0.1 --lossModel=ns3::RateErrorModel[ErrorRate=0.2]", "whose ErrorRate is 0.2", "expected one of them"),
    ("--seed=1 --RngRun=2", "--seed with --RngRun", "expected one of them"),
    ("--lossModel=ErrorModelLoss", "ErrorModel is null", "expected an ErrorModel"),
    ("--loss=0.1 --lossModel=ns3::BurstErrorModel", "BurstErrorModel", "expected no --loss"),
    ("--failLinks=dc0-leaf0", "--failLinks has 'dc0-leaf0'", "NAME/NAME[#INDEX]@FROM[-TO]"),
    ("--failLinks=dc0-leaf0/dc0-spine0", "dc0-leaf0/dc0-spine0", "@FROM"),
    ("--failLinks=dc0-leaf0/dc0-spine0@soon", "time is 'soon'", "time with unit"),
    ("--failLinks=dc0-leaf0/dc0-spine0@5", "time is '5'", "time with unit"),
    ("--failLinks=dc0-leaf0/dc0-spine0@2us-1us", "2us-1us", "repair after 2us"),
    ("--failLinks=dc0-leaf0/dc0-spine9@1us", "no switch or host 'dc0-spine9'", "nicN"),
    ("--failLinks=nic99/dc0-leaf0@1us", "no switch or host 'nic99'", "nicN"),
    ("--failLinks=dc0-leaf0/dc0-leaf1@1us", "no link joins dc0-leaf0 and dc0-leaf1", ""),
    ("--failLinks=dc0-leaf0/dc0-spine0#1@1us", "link 1 of dc0-leaf0", "expected 0 to 0"),
    (
        "--failLinks=dc0-leaf0/dc0-spine0@1us-5us,dc0-spine0>dc0-leaf0@2us",
        "is down at that time",
        "one after the other",
    ),
    ("--reroute=soon", "--reroute", "time with unit"),
    ("--reroute=-1us", "--reroute is '-1us'", "0 or more"),
    # files
    ("--workload={d}/empty.txt", "empty.txt", "expected"),
    ("--workload={d}/words.txt", "words.txt:2:", "not a number"),
    ("--workload={d}/falls.txt", "falls.txt:2:", "expected"),
    ("--workload={d}/open.txt", "open.txt", "expected"),
    ("--workload={d}/negative.txt", "negative.txt:1:", "expected"),
    ("--workload={d}/good.txt --truncate=10", "good.txt", ""),
    ("--pattern=list", "--pattern=list", "--flows=FILE"),
    ("--flows={d}/good.csv", "--flows is given", "--pattern=list"),
    ("--pattern=list --flows={d}/missing.csv", "missing.csv", "flow list"),
    ("--pattern=list --flows={d}", "expected", ""),
    ("--pattern=list --flows={d}/self.csv", "self.csv:3:", "two different hosts"),
    ("--pattern=list --flows={d}/unknown.csv", "unknown.csv:2:", "expected 0..7"),
    ("--pattern=list --flows={d}/minus.csv", "minus.csv:2:", "expected"),
    ("--pattern=list --flows={d}/short.csv", "short.csv:2:", "expected"),
    ("--pattern=list --flows={d}/column.csv", "column.csv:1:", "colour"),
    ("--pattern=list --flows={d}/none.csv", "none.csv", "expected"),
    ("--pattern=list --flows={d}/more.txt", "more.txt", "3"),
    ("--pattern=list --flows={d}/packets.txt", "packets.txt:1: the list is taken for bobzhuyb", "expected bytes"),
    # topologies
    ("--leaves=0", "leaves is 0", "at least 1"),
    ("--dciLinks=0", "dciLinks is 0", "at least 1"),
    ("--dciLinks=4000000000", "topology", "GB of memory"),
    ("--datacenters=1 --leaves=1 --hostsPerLeaf=1 --pattern=alltoall", "1 NICs", "at least 2"),
    ("--wanRate=0bps", "wanRate is 0", "at least 1"),
    ("--oversubscription=-1", "oversubscription is -1", "expected"),
    ("--wanXonFraction=3", "wanXonFraction is 3", "0 to 1"),
    ("--leafBuffer=100KB", "dc0-leaf0: headroom", "expected a larger buffer"),
    ("--wanPortBuffer=1MB", "wanPortBuffer is 1000000 B", "headroom of the long link"),
    ("--ns3::roce::Switch::Alpha=0", "alpha is 0", "expected more than 0"),
    # combinations
    ("--edge=Foo", "--edge is 'Foo'", "ReflexNsf"),
    ("--edge=ReflexNsf,", "--edge is ''", "expected one of: "),
    ("--cc=Timely --edge=,ReflexNsf", "--edge is ''", "expected one of: "),
    ("--cc=Timely --edge=ReflexNsf[Bar=1]", "--edge has 'Bar=1'", "ATTRIBUTE=VALUE"),
    ("--cc=Timely --edge=ReflexNsf[SilentMode=loud]", "SilentMode is 'loud'", "freeze"),
    ("--cc=Dcqcn --edge=ReflexNsf", "Dcqcn takes no RTT samples", "expected a delay-based"),
    ("--interCc=Hpcc --cc=Timely --edge=ReflexNsf", "Hpcc takes no RTT samples", "delay-based"),
    ("--cc=Timely --edge=ReflexNsf,ReflexNsf", "both steer the senders", "expected one of them"),
    ("--cc=Timely --edge=ReflexNdt,ReflexNdt[NThrottle=2]", "ReflexNdt is there twice", "each once"),
    ("--paths=Plb[Signal=both]", "Signal is 'both'", "expected 'ecn', 'delay'"),
    ("--paths=UnoLb[Move=]", "Move is ''", "'stale', or profile"),
    ("--lossRecovery=UnoErasure[QueueBytes=-1]", "QueueBytes is '-1'", "0 <= QueueBytes"),
    ("--interCc=Timely --cc=Dcqcn[TimeReset=0|ByteReset=0]", "TimeReset is 0 and ByteReset too", "at least one"),
    ("--lossRecovery=UnoErasure[DataPackets=63]", "DataPackets + ParityPackets is 65", "at most 64"),
    ("--cc=Timely --edge=ReflexNsf[ProbeInterval=0ns]", "ProbeInterval is '0ns'", "ProbeInterval > 0"),
    ("--cc=Timely --edge=ReflexNsf,ReflexNdt --paths=Plb[Signal=delay]", "ReflexNdt replaces the time",
     "expected stamps of its own (SeparateTimestamp=true)"),
    ("--cc=Timely --edge=ReflexNdt[SeparateTimestamp=false] --paths=Plb[Signal=delay]",
     "ReflexNdt replaces the time", "ns3::roce::Plb measures by"),
    ("--edge=" + ",".join(["EcnMarker"] * 20), "EcnMarker is there twice", "each once"),
    ("--cc=Timely --edge=ReflexNsf --datacenters=1", "no switch has a link", "expected one"),
    ("--cc=Timely --edge=Bicc", "Bicc steers senders by CNPs, but ns3::roce::Timely", "expected Dcqcn without CnpInAck"),
    ("--cc=Dcqcn --interCc=Hpcc --edge=Bicc", "but ns3::roce::Hpcc between datacenters", "expected Dcqcn"),
    ("--cc=Dcqcn --edge=Bicc --datacenters=1", "Bicc is for switches of role dci, but no switch has a link to another", "expected one"),
    ("--cc=Dcqcn --stages=Bicc", "has no link to another datacenter", "role dci only (--edge)"),
    ("--cc=Dcqcn --edge=ReflexNdt,Bicc", "of class ns3::roce::NdtScheduler", "expected ns3::roce::DwrrScheduler"),
    ("--cc=Dcqcn --edge=Bicc,ReflexNdt", "of class ns3::roce::ShapedScheduler", "expected ns3::roce::DwrrScheduler"),
    ("--cc=Dcqcn --edge=Bicc[Kmin=1MB]", "Kmin is 1000000 B", "at most Kmax, 400000 B"),
    ("--cc=Dcqcn --edge=Bicc[Voqs=0]", "Voqs is '0'", "1 <= Voqs <= 65536"),
    ("--cc=Timely --edge=ReflexNsf --ns3::roce::ReflexSender::SilentMode=freeze", "no effect here",
     "expected --ns3::roce::ReflexNsf::SilentMode"),
    ("--cc=ReflexSender", "--cc is 'ReflexSender'", "Timely"),
    ("--interCc=Foo", "--interCc is 'Foo'", "expected one of: "),
    ("--interCc=Hpcc --int=0", "rate law between datacenters, ns3::roce::Hpcc", "expected an IntStamper (--int=1)"),
    ("--ns3::roce::Nic::InterCongestionControl=ns3::roce::Hpcc", "no effect here", "--interCc"),
    ("--interLossRecovery=Foo", "--interLossRecovery is 'Foo'", "expected one of: "),
    ("--interPaths=Foo", "--interPaths is 'Foo'", "expected one of: "),
    ("--ns3::roce::Nic::InterLossRecovery=ns3::roce::GoBackN", "no effect here", "--interLossRecovery"),
    ("--ns3::roce::Nic::InterPathSelector=ns3::roce::Spray", "no effect here", "--interPaths"),
    ("--cc=Swift --interPaths=Plb --ecn=0", "path selector between datacenters, ns3::roce::Plb", "(--ecn=1)"),
    ("--cc=Hpcc --int=0", "needs telemetry", "expected an IntStamper (--int=1)"),
    ("--cc=Dcqcn --ecn=0", "needs ECN marks", "expected an EcnMarker (--ecn=1) or a stage that marks"),
    ("--cc=Dcqcn --ecn=0 --stages=IntStamper --int=0", "needs ECN marks", "(--ecn=1)"),
    ("--cc=Dcqcn --ecn=0 --edge=PhantomQueue", "the rate law, ns3::roce::Dcqcn, needs ECN", "(--ecn=1)"),
    ("--tuner=Foo", "--tuner is 'Foo'", "Paraleon"),
    ("--tuner=Paraleon[Bar=1]", "--tuner has 'Bar=1'", "ATTRIBUTE=VALUE"),
    ("--tuner=Paraleon[ReportLoss=2]", "ReportLoss is '2'", "0 <= ReportLoss <= 1"),
    ("--tuner=Paraleon[MonitorInterval=1ns]", "MonitorInterval is '1ns'", "MonitorInterval >= 1us"),
    ("--tuner=Paraleon[LostReports=4-2]", "LostReports is '4-2'", "3,7-9"),
    ("--tuner=Paraleon[LostDispatches=0]", "LostDispatches is '0'", "numbers from 1 on"),
    ("--cc=DcqcnPlus --ecn=0", "needs ECN marks", "(--ecn=1)"),
    ("--cc=DcqcnPlus[ScanPeriod=1ps]", "ScanPeriod is '1ps'", "1ns <= ScanPeriod <= 1s"),
    ("--tuner=Acc[Table=/nowhere/t]", "/nowhere/t:1: cannot be read", "expected a table of Acc"),
    ("--tuner=Acc[Start=half]", "Start is 'half'", "expected 'trained', 'scratch'"),
    ("--cc=Timely --ecn=0 --tuner=Acc", "tunes EcnMarker, which switch", "expected one at each switch"),
    ("--cc=Timely --tuner=Paraleon", "tunes Dcqcn.", "but NICs use ns3::roce::Timely"),
    ("--cc=Dcqcn --ecn=0 --tuner=Paraleon", "needs ECN marks", "(--ecn=1)"),
    ("--cc=Swift --tuner=Paraleon[Tuned=Swift.InitialCwnd:number:+:1:1:9:1]", "InitialCwnd", "cannot change while"),
    ("--stages=Foo", "--stages is 'Foo'", "PhantomQueue"),
    ("--stages=PhantomQueue,", "--stages is ''", "expected one of: "),
    ("--stages=leaf:PhantomQueue", "--stages has role 'leaf'", "tor, spine, core or dci"),
    ("--stages=tor:", "--stages is ''", "expected one of: "),
    ("--stages=:PhantomQueue", "--stages has role ''", "tor, spine, core or dci"),
    ("--stages=tor:spine:PhantomQueue", "--stages is 'spine:PhantomQueue'", "expected one of: "),
    ("--stages=core:PhantomQueue", "PhantomQueue is for switches of role core", "expected one"),
    ("--stages=dci:PhantomQueue --edge=PhantomQueue", "PhantomQueue is there twice at dc0-dci0", "each once"),
    ("--stages=PhantomQueue[Bar=1]", "--stages has 'Bar=1'", "ATTRIBUTE=VALUE"),
    ("--stages=PhantomQueue[DrainFactor=2]", "DrainFactor is '2'", "0 < DrainFactor <= 1"),
    ("--stages=PhantomQueue[Profile=code]", "Profile is 'code'", "'artifact'"),
    ("--stages=PhantomQueue[Capacity=0B]", "Capacity is '0B'", "Capacity > 0, or profile"),
    ("--stages=PhantomQueue[Ports=moon]", "Ports is 'moon'", "'noWan'"),
    ("--stages=PhantomQueue[EcnMin=0.9]", "EcnMin is 0.9", "at most EcnMax, 0.75"),
    ("--stages=PhantomQueue,PhantomQueue[Ports=wan]", "PhantomQueue is there twice", "each once"),
    ("--stages=EcnMarker", "EcnMarker is there twice", "each once"),
    ("--stages=PhantomQueue --edge=PhantomQueue", "PhantomQueue is there twice at dc0-dci0", "each once"),
    ("--cc=Timely --stages=ReflexNsf", "ReflexNsf steers the senders", "role dci only (--edge)"),
    ("--cc=Wrcc", "ns3::roce::Wrcc, needs fair rates", "expected --stages=WrccFairRate"),
    ("--cc=Wrcc --edge=WrccFairRate", "ns3::roce::Wrcc, needs fair rates", "expected --stages=WrccFairRate"),
    ("--cc=none --interCc=Wrcc", "between datacenters, ns3::roce::Wrcc, needs", "expected --stages=WrccFairRate"),
    ("--stages=WrccFairRate", "no rate law listens to them", "expected Wrcc (--cc=Wrcc)"),
    ("--cc=Wrcc --stages=WrccFairRate[Period=48us]", "T1 is 24us", "at least Period of WrccFairRate, 48us"),
    ("--cc=Wrcc[IncreaseMode=never] --stages=WrccFairRate", "IncreaseMode is 'never'", "'rttGated'"),
    ("--cc=Wrcc --stages=WrccFairRate[QExtraMode=none]", "QExtraMode is 'none'", "'excess'"),
    ("--cc=Wrcc --stages=WrccFairRate[FMin=200Gbps]", "FMin is 200Gbps", "at most FMax, 100Gbps"),
    ("--cc=Wrcc --stages=WrccFairRate --edge=Bicc", "Bicc steers senders by CNPs, but ns3::roce::Wrcc between", "expected Dcqcn"),
    ("--cc=Wrcc --stages=WrccFairRate,WrccFairRate", "WrccFairRate is there twice", "each once"),
    ("--interCc=Mlcc", "between datacenters, ns3::roce::Mlcc, needs ns3::roce::MlccNearSource",
     "expected --edge=MlccNearSource,MlccReceiverSide"),
    ("--interCc=Mlcc --edge=MlccNearSource", "needs ns3::roce::MlccReceiverSide", "expected --edge=MlccNearSource,MlccReceiverSide"),
    ("--cc=Mlcc --edge=MlccNearSource,MlccReceiverSide", "ns3::roce::Mlcc, is for flows between datacenters", "expected --interCc=Mlcc"),
    ("--interCc=Mlcc[Alpha=0] --edge=MlccNearSource,MlccReceiverSide", "Alpha is '0'", "0 < Alpha <= 1"),
    ("--interCc=Mlcc[InnerCc=Bbr] --edge=MlccNearSource,MlccReceiverSide", "InnerCc is 'Bbr'", "'Hpcc'"),
    ("--interCc=Mlcc --edge=MlccNearSource,MlccReceiverSide --int=0", "needs telemetry", "expected an IntStamper (--int=1)"),
    ("--interCc=Mlcc --edge=MlccNearSource,MlccReceiverSide --mlcc=change", "--mlcc is 'change'", "expected a time"),
    ("--egressBuffer=1MiB", "egress limit of 1048576 B and classes that PFC", "--lossless=0"),
    ("--dciEgressBuffer=1MiB", "dc0-dci0: port 0 has an egress limit", "--lossless=0"),
    ("--lossless=0 --egressBuffer=1000B", "dc0-leaf0: egress limit of port 0 is 1000 B",
     "expected at least the largest frame"),
    ("--lossless=0 --egressBuffer=1MiB --wanPortBuffer=64MiB", "wanPortBuffer and egressBuffer",
     "expected one of them"),
    ("--ns3::roce::Switch::EgressLimit=1MiB", "no effect here", "--egressBuffer"),
    ("--ns3::roce::EcnMarker::KmaxFraction=0.5", "KmaxFraction is 0.5", "port 0 of switch dc0-leaf0"),
    ("--ns3::roce::EcnMarker::KminFraction=0.5", "KminFraction is 0.5", "at most KmaxFraction, 0"),
    ("--loadReference=wan --datacenters=1", "one datacenter", "expected two or more"),
    ("--interFraction=0.5 --datacenters=1", "interFraction 0.5", "second datacenter"),
    ("--interFraction=2", "interFraction 2", "expected 0..1"),
    ("--pattern=incast --incastSenders=99", "99 senders", "expected"),
    ("--pattern=incast --incastReceiver=99", "--incastReceiver is '99'", "0 to 7"),
    ("--pattern=incast --incastFrom=here", "--incastFrom is 'here'", "remote"),
    ("--pattern=incast --incastLoad=0.1 --incastPeriod=1ms", "both given", "one of them"),
    ("--pattern=incast --incastLocalSenders=x", "--incastLocalSenders (-1 or a number) is 'x'", "0 to 16"),
    ("--pattern=incast --incastLocalSenders=-2", "is '-2'", "whole number"),
    ("--pattern=incast --incastSenders=4 --incastLocalSenders=5", "is '5'", "0 to 4"),
    ("--pattern=incast --incastSenders=4 --incastLocalSenders=4", "only 3 hosts", "expected at most"),
    ("--pattern=incast --incastSenders=4 --incastLocalSenders=2 --incastFrom=local", "are both given",
     "expected one of them"),
    ("--pattern=incast --incastSenders=4 --incastJitter=-1us", "jitter -1000000 ps", "0 or more"),
    ("--interWorkload=foo", "--interWorkload is 'foo'", "alibaba-wan"),
    ("--interWorkload={d}/falls.txt", "falls.txt:2:", "expected"),
    ("--loadReference=border", "--loadReference is 'border'", "bottleneck"),
    ("--poissonReceiver=8", "--poissonReceiver is '8'", "0 to 7"),
    ("--poissonReceiver=1 --loadReference=wan", "--loadReference=wan", "host or bottleneck"),
    ("--poissonStart=-1us", "start -1000000 ps", "0 or more"),
    ("--pattern=allreduce --groups=0", "0 groups", "expected 1 to 4"),
    ("--pattern=allreduce --groups=5", "5 groups", "expected 1 to 4"),
    ("--pattern=allreduce --groups=2 --iterations=0", "0 iterations", "at least 1"),
    ("--pattern=allreduce --groups=2 --minBytes=9 --maxBytes=8", "9 to 8 bytes", "the smaller first"),
    ("--pattern=allreduce --groups=2 --computeTime=-1ms", "compute time", "0 or more"),
    ("--pattern=allreduce --groups=2 --datacenters=1", "1 datacenters", "expected two"),
    ("--pattern=collective --collective=ring", "--collective is 'ring'", "expected ring-all-reduce, tree-all-reduce"),
    ("--pattern=collective --collectiveHosts=3-1", "--collectiveHosts has '3-1'", "expected numbers 0 to 7"),
    ("--pattern=collective --collectiveHosts=0-8", "--collectiveHosts has '0-8'", "expected numbers 0 to 7"),
    ("--pattern=collective --collectiveHosts=", "--collectiveHosts has ''", "or all"),
    ("--pattern=collective --collectiveHosts=1", "1 hosts", "expected at least 2"),
    ("--pattern=collective --collectiveHosts=0-2,1", "host 1 twice", "expected it once"),
    ("--pattern=collective --gpusPerHost=0", "--gpusPerHost is 0", "expected 1 to 1000"),
    ("--pattern=collective --collectiveRounds=0", "--collectiveRounds is 0", "at least 1"),
    ("--pattern=collective --collectiveRounds=2 --collectiveCompute=-1ms", "--collectiveCompute is negative", "0 or more"),
    ("--pattern=collective --collectiveBytes=2000000000000000", "--collectiveBytes is 2", "at most 10^15"),
    ("--pattern=collective --gpusPerHost=9 --intraHostRate=1bps --collectiveBytes=100000000000", "between the GPUs of a host", "a higher rate"),
    ("--pattern=collective+allreduce --groups=2", "rows of both", "without allreduce"),
    ("--collective=ring", "--collective is 'ring'", "expected ring-all-reduce"),
    ("--pattern=onoff --workers=9", "9 workers", "expected 2 to 8"),
    ("--pattern=onoff --workers=4 --rounds=0", "0 rounds", "at least 1"),
    ("--pattern=onoff --workers=4 --offTime=-1ms", "--offTime is negative", "0 or more"),
    ("--pattern=onoff --workers=4 --roundMode=open", "--roundMode is 'open'", "closedLoop or fixedPeriod"),
    ("--pattern=onoff --workers=4 --workerPlacement=last", "--workerPlacement is 'last'", "spread or contiguous"),
    ("--pattern=onoff+allreduce --workers=4 --groups=2", "would wait for each other", "fixedPeriod"),
    ("--offTime=-1ms", "--offTime is negative", "0 or more"),
    ("--roundMode=open", "--roundMode is 'open'", "closedLoop or fixedPeriod"),
    ("--pattern=list --flows={d}/phases.csv", "flow 1 has phase 3", "expected phases 1, 2, 3"),
    ("--pattern=list --flows={d}/nophase.csv", "nophase.csv:2:", "phase"),
    ("--lossLinks=core", "--lossLinks is 'core'", "border"),
    ("--workload={d}/good.txt --truncate=1010 --duration=10s", "flows", "expected at most"),
    ("--duration=1ps", "no flow starts", "expected"),
    # options of patterns that are not there, and of series
    ("--incastReceiver=1.2.3", "--incastReceiver is '1.2.3'", "0 to 7"),
    ("--incastFrom=here", "--incastFrom is 'here'", "remote"),
    ("--incastLoad=-1", "--incastLoad is -1", "0 to 10"),
    ("--incastSenders=0", "--incastSenders is 0", "at least 1"),
    ("--incastJitter=-1us", "--incastJitter is negative", "0 or more"),
    ("--incastLocalSenders=x", "--incastLocalSenders (-1 or a number) is 'x'", "0 to 16"),
    ("--messageBytes=18446744073709551615", "--messageBytes is 18446744073709551615", "10^15"),
    ("--iterations=0", "--iterations is 0", "at least 1"),
    ("--minBytes=9 --maxBytes=8", "--minBytes is 9", "at most --maxBytes"),
    ("--computeTime=-1ms", "--computeTime is negative", "0 or more"),
    ("--pattern=permutation --workload=zzz", "--workload is 'zzz'", "websearch"),
    ("--pattern=permutation --load=-1", "--load is -1", "above 0"),
    ("--pattern=permutation --duration=-1ms", "--duration is negative", "0 or more"),
    ("--pattern=permutation --interFraction=3", "--interFraction is 3", "0 to 1"),
    ("--pattern=permutation --poissonReceiver=99", "--poissonReceiver is '99'", "0 to 7"),
    ("--seriesPorts=1e999", "no port '1e999'", "nicN"),
    ("--seriesFlows=99999", "no flow 99999", "expected 0 to"),
    # too much
    ("--pattern=allreduce --groups=1 --iterations=500000000", "1000000000 flows", "GB of memory"),
    ("--stop=60d", "--stop is 5184000", "expected at most 4611686"),
    ("--poissonStart=60d", "flow 0: start is", "53 days"),
    ("--pattern=incast --incastSenders=3 --wanDelay=6d --safetyLimit=0", "delay is 518400 s", "3600 s"),
    ("--ns3::roce::Switch::PauseQuanta=64", "dc0-leaf0: PauseQuanta is 64", "expected at least 136 at port 0"),
    ("--out=/dev/null/x", "/dev/null/x", "cannot create"),
    ("--out= --pfc", "--pfc", "expected a folder"),
]

# The same for two-dc-fat-tree.
BAD_FAT_TREE = [
    ("--k=5", "k is 5", "expected an even number"),
    ("--k=1000000", "k is 1000000", "158"),
    ("--k=-4", "--k is '-4'", "whole number"),
    ("--k=0 --pods=2", "edgesPerPod is 0", "at least 1"),
    ("--k=0 --pods=2 --edgesPerPod=2 --aggsPerPod=2 --cores=3 --hostsPerEdge=2", "cores is 3",
     "multiple of aggsPerPod, 2"),
    ("--coreWiring=ring", "coreWiring is 'ring'", "plane or full"),
    ("--borderAttach=some", "borderAttach is 'some'", "all or split"),
    ("--borders=3 --borderAttach=split", "borders is 3", "divisor of the 4 cores"),
    ("--borders=0", "borders is 0", "at least 1"),
    ("--borderLinks=0", "borderLinks is 0", "at least 1"),
    ("--borderLinks=4000000000", "too many for border0", "32767 ports"),
    ("--hostsPerEdge=100000000", "NICs", "more than 1,000,000"),
    ("--cores=4000000000", "switches", "more than 1,000,000"),
    ("--aggRate=0bps", "aggRate is 0", "at least 1"),
    ("--coreDelay=-1ns", "coreDelay is negative", "expected 0 or more"),
    ("--edgeOversubscription=-2", "edgeOversubscription is -2", "expected 0"),
    ("--aggOversubscription=1e-9", "aggOversubscription is 0.0", "at least 0.001"),
    ("--portBuffer=1KB", "dc0-edge0: port 0", "expected a larger port buffer"),
    ("--coreBuffer=100KB", "dc0-core0: headroom", "expected a larger buffer"),
    ("--wanPortBuffer=1MB", "wanPortBuffer is 1000000 B", "headroom of the long link"),
    ("--lossless=0 --egressBuffer=1MiB --portBuffer=1MiB", "portBuffer and egressBuffer",
     "expected one of them"),
    ("--borderEgressBuffer=1MiB", "dc0-border0: port 0 has an egress limit", "--lossless=0"),
    ("--leaves=2", "unknown option '--leaves'", "--help"),
    ("--ns3::roce::Port::DataRate=1Gbps", "no effect here", "--aggRate"),
    ("--ns3::roce::Switch::BufferSize=1MiB", "no effect here", "--edgeBuffer"),
    ("--pattern=incast --incastReceiver=32", "--incastReceiver is '32'", "0 to 31"),
    ("--cc=Hpcc --int=0", "needs telemetry", "expected an IntStamper (--int=1)"),
]

GOOD = [
    "",
    "-cc=Hpcc --load=.5 --ns3::roce::Hpcc::Eta=0.9",
    "--cc=ns3::roce::Dcqcn[Profile=paper|Gain=0.01]",
    "--workload={d}/good.txt --truncate=15000",
    "--pattern=list --flows={d}/good.csv",
    "--pattern=allreduce --groups=2 --iterations=2 --minBytes=1000 --maxBytes=2000",
    "--pattern=incast+poisson --incastSenders=4 --incastLocalSenders=2 --incastSpread=1 "
    "--incastJitter=1us --incastReceiver=5 --poissonReceiver=5 --interFraction=0 --load=0.05 "
    "--workload=googlerpc",
    "--interWorkload=alibaba-wan --loadReference=bottleneck --truncate=2000000 --duration=1ms",
    "--pattern=list --flows={d}/flow.txt",
    "--cc=none --int=0 --ecn=0 --RngRun=3",
    "--cc=Timely --int=0 --edge=ReflexNsf[TInterval=3us|Profile=literal],IntStamper",
    "--cc=Timely --edge=ReflexNsf,ReflexNdt --paths=Plb",
    "--cc=Timely --edge=ReflexNsf,ReflexNdt[SeparateTimestamp=true] --paths=Plb[Signal=delay]",
    "--cc=Timely --edge=ReflexNdt --paths=Plb[Signal=delay]",
    "--cc=Dcqcn --interCc=Swift[AddBaseRtt=true] --edge=ns3::roce::ReflexNsf",
    "--cc=Dctcp --ecn=0 --stages=PhantomQueue[Profile=artifact|Ports=noWan]",
    "--cc=none --interCc=Dctcp --ecn=0 --edge=PhantomQueue",
    "--cc=Dctcp --ecn=0 --stages=tor:PhantomQueue,spine:ns3::roce::PhantomQueue[Ports=noWan],all:IntStamper --int=0",
    "--cc=Timely --stages=dci:ReflexNsf",
    "--cc=Hpcc --interCc=Dcqcn --edge=Bicc[Voqs=64|VoqChoice=modulo]",
    "--cc=Wrcc[Profile=literal] --stages=WrccFairRate[Profile=literal|FcnpHashBits=16] --ecn=0 --pfr=10us",
    "--cc=Wrcc --stages=WrccFairRate --datacenters=1 --lossless=0 --lossRecovery=SelectiveRepeat --paths=Spray --voqs=10us",
    "--cc=Dcqcn --interCc=Wrcc[RttEstMode=srtt] --stages=dci:WrccFairRate --pfr=change",
    "--cc=Hpcc --interCc=Mlcc[Profile=literal] --edge=MlccNearSource,MlccReceiverSide --mlcc=20us",
    "--interCc=Mlcc[InnerCc=Timely] --edge=MlccNearSource,MlccReceiverSide --int=0 --ns3::roce::Timely::Beta=0.7",
    "--stages=ns3::roce::PhantomQueue --lossless=0 --egressBuffer=1MiB --dciEgressBuffer=2MiB"
    " --ns3::roce::EcnMarker::KminFraction=0.25 --ns3::roce::EcnMarker::KmaxFraction=0.75"
    " --ns3::roce::EcnMarker::MarkAtEnqueue=1 --ns3::roce::EcnMarker::Pmax=1",
    "--loss=1e-3 --lossModel=BurstLoss[MeanBurst=2] --ns3::roce::Nic::RtoMin=500us",
    "--loss=1e-3 --lossModel=ns3::RateErrorModel --ns3::roce::Nic::RtoMin=500us",
    "--lossModel=ChunkLoss --lossLinks=wan --reroute=none",
    "--failLinks=dc0-leaf0/dc0-spine0@5us-30us,dc0-dci0>dc1-dci0#0@0-1ms --reroute=10us"
    " --ns3::roce::Nic::RtoMin=500us",
    "--pcap=nic0,dc0-leaf0:2 --pfc --queueInterval=1us --rates=change --hpccFct=true",
    "--poissonStart=20d", # nothing to simulate before
    "--pattern=allreduce --groups=1 --iterations=3 --computeTime=5d",
    "--failLinks=dc0-leaf0/dc0-spine0@5us-20d --reroute=10us --ns3::roce::Nic::RtoMin=500us",
]

GOOD_FAT_TREE = [
    "",
    "--k=0 --pods=2 --edgesPerPod=3 --aggsPerPod=2 --cores=3 --hostsPerEdge=1 --coreWiring=full",
    "--datacenters=1 --borders=0 --portBuffer=1MiB",
    "--lossless=0 --egressBuffer=175000B --borderEgressBuffer=2240000B",
    "--hostsPerEdge=4 --borderLinks=1 --wanLinks=1 --wanRate=400Gbps --wanDelay=1ms",
]


# A failure without repair: the run ends by itself with status 3, and the link is named.
DEAD = (
    "--failLinks=dc0-dci0>dc1-dci0@10us --ns3::roce::Nic::RtoMin=500us --interFraction=1",
    "link dc0-dci0 - dc1-dci0, direction from dc0-dci0, is down since 0.01 ms",
)


def run(program, arguments, folder, leaks=True):
    """Run the program; False for any crash or hang comes back as a status."""
    out = os.path.join(folder, "out")
    command = program + ["--out=" + out]
    if isinstance(arguments, str):
        arguments = [a.format(d=folder) for a in arguments.split()]
    command += arguments
    # ns-3's ObjectFactory loses an object whose attribute throws; the program ends at once then.
    environment = dict(os.environ)
    if not leaks:
        environment["ASAN_OPTIONS"] = "detect_leaks=0"
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                          env=environment)
    files = os.listdir(out) if os.path.isdir(out) else []
    return done, files


# What is quoted in the line must not break it: one argument each.
ODD = [
    ("--load=a\nb", "--load is 'a\\nb'"),
    ("--load=\x1b[31m", "--load is '\\x1b[31m'"),
    ("--load=\udcff", "--load is '\\xff'"),
    ("--pattern=\u2028", "--pattern is '\\xe2\\x80\\xa8'"),
    ("--cc=Hpcc[Eta=0.9\n]", "Eta is '0.9\\n'"),
    ("--a\nb=1", "unknown option '--a\\nb'"),
    ("--ns3::roce::Nic::a\nb=1", "no attribute 'a\\nb'"),
    ("a\rb", "argument 'a\\rb'"),
    ("--pcap=a\nb", "no port 'a\\nb'"),
    ("--workload=a\nb", "--workload is 'a\\nb'"),
    ("--load=" + "x" * 5000, "--load is '" + "x" * 200 + "...', expected a number"),
    ("--ns3::roce::" + "x" * 5000 + "::y=1", "..."),
    ("--cc=" + "x" * 5000, "--cc is '" + "x" * 200 + "...'"),
    ("--load=" + "'" * 5000, "expected a number"),
]


def check_bad(program, arguments, words, folder):
    """@return what is wrong, or an empty text."""
    done, files = run(program, arguments, folder, leaks=False)
    lines = done.stderr.splitlines()
    if done.returncode != 2:
        return f"status {done.returncode}, expected 2; {done.stderr[:300]!r}"
    if len(lines) != 1 or not lines[0].startswith("error: "):
        return f"expected one line 'error: ...', found {lines[:5]}"
    if len(lines[0]) > 2500:
        return f"a line of {len(lines[0])} characters"
    missing = [w for w in words if w.format(d=folder) not in lines[0]]
    if missing:
        return f"{missing} not in: {lines[0]}"
    final = [name for name in files if not name.endswith(".tmp")]
    return f"left {final}" if final else ""


def main():
    """The table."""
    failures = 0
    cases = []
    for (name, *base), bad, good in ((LEAF_SPINE, BAD, GOOD),
                                     (FAT_TREE, BAD_FAT_TREE, GOOD_FAT_TREE)):
        program = [os.path.join(sys.argv[1], "bin", name)] + base
        cases += [(program, arguments, words) for arguments, *words in bad]
        cases += [(program, arguments, None) for arguments in good]
        cases += [(program, [argument], [word]) for argument, word in ODD]
    for program, arguments, words in cases:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                    file.write(text)
            try:
                if words is not None:
                    wrong = check_bad(program, arguments, words, folder)
                else:
                    done, files = run(program, arguments, folder)
                    good = done.returncode == 0 and {"flows.csv", "summary.json"} <= set(files)
                    wrong = "" if good else f"status {done.returncode}, {files}: {done.stderr}"
            except subprocess.TimeoutExpired:
                wrong = "does not end"
        if wrong:
            failures += 1
            name = os.path.basename(program[0])
            print(f"FAILED {name} {arguments or '(no arguments)'}: {wrong}")
    with tempfile.TemporaryDirectory() as folder:
        program = [os.path.join(sys.argv[1], "bin", LEAF_SPINE[0])] + LEAF_SPINE[1:]
        done, files = run(program, DEAD[0], folder)
        if done.returncode != 3 or DEAD[1] not in done.stderr or "summary.json" not in files:
            failures += 1
            print(f"FAILED {DEAD[0]}: status {done.returncode}, {files}: {done.stderr}")
    print(f"{len(cases) + 1 - failures} of {len(cases) + 1} cases as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
