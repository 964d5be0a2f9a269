# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Options and attributes of the programs as they themselves list them, and good and odd values for each."""

import re

from roce_fuzz import Case

# Odd values by kind, beside those of a smaller or larger range than expected.
ODD = {
    "unsigned": ["0", "1", "2", "3", "7", "65535", "65536", "2147483648", "4294967295", "4294967296", "18446744073709551615",
                 "18446744073709551616", "9" * 40, "-1", "-0", "+1", "1.0", "1e3", "0x10", "007", "1 ", " 1", "", "1,2", "a"],
    "number": ["0", "-0", "1", "-1", ".5", "5.", "1e-300", "1e-9", "1e9", "1e300", "1e308", "1e309", "-1e308", "5e-324", "nan",
               "inf", "-inf", "0x1p3", "1e", "e1", "1e+", "--1", "1,5", "", "0.1.2", "9" * 400, "0." + "0" * 400 + "1"],
    "time": ["0", "0us", "-0us", "1fs", "0.4ps", "1ps", "1ns", "-1ns", "-1d", "1us", "1min", "1h", "1d", "106d", "107d", "9.1e6s",
             "9199999s", "1e-30s", "1e30s", "1", "us", "1 us", "1US", "+1us", "1e3ns", ".1us", "1.us", "", "1us1us", "nan us", "1e-400s"],
    "rate": ["0bps", "1bps", "7bps", "1kbps", "1Gbps", "1Tbps", "99999Tbps", "1e3bps", "100Gb/s", "100GiB/s", "0.1bps", "1e18bps", "9" * 17,
             "9" * 18, "-1Gbps", "Gbps", "", "100", "100gbps", "100 Gbps", "12.5GBps", "1.5bps"],
    "size": ["0B", "1B", "63B", "64B", "4096B", "4095MiB", "4096MiB", "4294967295B", "1KB", "1kB", "0.5B", "1e3B", "-1B", "1p", "B", "",
             "10", "1GiB", "4GiB", "8GB", "0.001TiB", "15TiB", "16TiB", "1e3GB", "1PB", "1 KB", "100000KB"],
    "boolean": ["0", "1", "true", "false", "t", "f", "", "2", "yes", "TRUE", "-1"],
    "text": ["", " ", "a", "-", "--", "=", ",", ",,", "+", "a+", "+a", "[", "]", "[]", "a[b", "a[b=", "a[b=c]", "x" * 1200, "x" * 100000,
             "a\nb", "\t", "\x7f", "\x1b[31m", "\u00e9", "'", '"', "`", "$HOME", "%n%s", "{}", "{0}", "..", "../..", "/", ".", "nul\\0", "0",
             "-1", "1", "all", "none", "99999999999999999999", "a:b", "a::b", "::", "#", "a#b", "\\", "a/b@c-d", "\u202e"],
}

# What the texts of an option are made of.
WORDS = {
    "cc": ["Bbr", "Dcqcn", "DcqcnPlus", "Dctcp", "Gemini", "Hpcc", "MpRdma", "PowerTcp", "Swift", "Timely", "UnoCc", "Wrcc", "Mlcc", "none", "LineRate",
           "FixedRate[Rate=2Gbps]", "ns3::roce::Hpcc", "PowerTcp[Theta=1]", "Dcqcn[Profile=paper]"],
    "lossRecovery": ["GoBackN", "SelectiveRepeat", "PacketTimers", "UnoErasure", "UnoErasure[Repeater=SelectiveRepeat]", "SelectiveRepeat[BdpCap=0]"],
    "paths": ["FlowHash", "Spray", "Flowlet", "Plb", "UnoLb", "Spray[Paths=4]", "Plb[Signal=delay]"],
    "stages": ["PhantomQueue", "WrccFairRate", "EcnMarker", "IntStamper", "PhantomQueue[Profile=artifact]"],
    "edge": ["ReflexNsf", "ReflexNdt", "ReflexNsf,ReflexNdt", "PhantomQueue", "IntStamper", "ReflexNdt[NThrottle=2]", "Bicc",
             "Bicc[Voqs=1]", "Bicc,ReflexNdt", "MlccNearSource,MlccReceiverSide", "MlccNearSource"],
    "pattern": ["poisson", "incast", "alltoall", "permutation", "allreduce", "collective", "onoff", "list", "poisson+incast", "onoff+poisson",
                "incast+incast", "collective+poisson", "goal", "goal+incast", "chakra", "chakra+goal", "jobs", "jobs+incast"],
    "jobs": ["jobs.json", "jobs.json", "flows.csv", "missing", "."],
    "goal": ["ranks.goal", "ranks.goal", "flows.csv", "missing", "."],
    "trace": ["t", "t", "missing", "."],
    "traceGroups": ["flows.csv", "missing"],
    "traceLevels": ["1:ring", "1:tree,1:direct", "2:ring", "0:ring", "1:halving-doubling", "ring"],
    "logGp": ["1us,0,1ns", "2us,5ns,0.04ns", "1us", "0,0,0", "1d,1d,8ns", "1us,0,9ns"],
    "collective": ["ring-all-reduce", "tree-all-reduce", "all-gather", "reduce-scatter", "all-to-all"],
    "collectiveHosts": ["all", "0-3", "3,1,0", "2-1", "0,0", "99"],
    "workerPlacement": ["spread", "contiguous"],
    "roundMode": ["closedLoop", "fixedPeriod"],
    "loadReference": ["host", "uplink", "wan", "bottleneck"],
    "workload": ["websearch", "fbhadoop", "googlerpc", "alistorage", "datamining", "solar", "cdf.txt", "flows.csv", "missing"],
    "interWorkload": ["websearch", "alibaba-wan", "cdf.txt"],
    "flows": ["flows.csv", "flow.txt", "missing", ".", "cdf.txt"],
    "incastFrom": ["all", "local", "remote"],
    "progress": ["none", "text", "json"],
    "queues": ["change", "1us", "10us"],
    "seriesPorts": ["nic0", "nic0,nic1", "dc0-leaf0", "dc0-leaf0:1", "dc0-edge0:1", "host0", "switch4", "nic99", "nic0,nic0"],
    "seriesFlows": ["0", "0,1", "0-1", "1-0", "0-99999", "18446744073709551615", "0-18446744073709551615"],
    "netanim": ["0us-5us", "5us-0us", "1us-1us", "0us-1d"],
    "pcap": ["all", "nic0", "dc0-leaf0", "dc0-leaf0:0", "nic0,all", "nic99", "switch4:0"],
    "lossModel": ["RandomLoss", "BurstLoss", "RunLoss", "ChunkLoss", "ErrorModelLoss", "ns3::RateErrorModel", "ns3::BurstErrorModel",
                  "ns3::ListErrorModel", "ns3::ReceiveListErrorModel", "BurstLoss[MeanBurst=2]", "RandomLoss[Rate=0.01]",
                  "ns3::RateErrorModel[ErrorRate=0.01]", "RunLoss[Profile=none|BurstSizes=1,1]"],
    "lossLinks": ["all", "host", "fabric", "wan", "border"],
    "failLinks": ["dc0-leaf0/dc0-spine0@5us-9us", "nic0/dc0-leaf0@5us", "dc0-dci0>dc1-dci0@1us-9us", "nic0/dc0-edge0@1us",
                  "dc0-leaf0/dc0-spine0#1@5us", "host0/switch4@2us-3us", "dc0-leaf0/dc0-spine0@0us-0us"],
    "pausePeers": ["dc0-leaf0>dc0-spine0@5us-9us", "nic0>dc0-leaf0:1Gbps@5us-20us", "nic0>dc0-leaf0@5us", "dc0-leaf0>nic0:1Gbps@1us", "x>y@1us"],
    "ccOf": ["class3:Hpcc", "nic0-1:FixedRate[Rate=2Gbps],class3:Swift", "tag1:none", "nic9:Swft", "class8:Swift", "3:Hpcc"],
    "reroute": ["none", "0us", "5us", "1d"],
    "scheduler": ["ns3::MapScheduler", "ns3::HeapScheduler", "ns3::ListScheduler", "ns3::CalendarScheduler", "ns3::PriorityQueueScheduler"],
    "out": ["out", "out/", "a/b/c", "", ".", "./out", "flows.csv", "cdf.txt/x", "/dev/null", "/dev/null/x", "/dev/full", "/proc/x", "out/../o2",
            "x" * 300, "o ut", "o\nut", "out/summary.json", "\u00f6ut"],
    "draw": ["network.html", "", "none/network.html", ".", "/dev/full"],
    "writeGoal": ["written.goal", "", "none/written.goal", ".", "/dev/full"],
    "writeTrace": ["written", "", "none/written", "/dev/full"],
    "prefix": ["cap", "a/b", "", "flows.csv", "/dev/null/x", "cap\n"],
    "topology": ["topology.txt", "flow.txt", "missing", "."],
    "config": ["config.txt", "flow.txt", "missing", "."],
    "set": ["HAS_WIN=0", "CC_MODE=1", "RP_TIMER=300,HAS_WIN=1", "CC_MODE=99", "KMAX_MAP=1 100000000000 400", "LINK_DOWN=2000001 0 4", "A=B",
            "PACKET_PAYLOAD_SIZE=1e9", "BUFFER_SIZE=1e300", "SIMULATOR_STOP_TIME=1e-9", "ERROR_RATE_PER_LINK=0.5", "U_TARGET=0",
            "VAR_WIN=0,GLOBAL_T=0", "CC_MODE=8,HAS_WIN=1,VAR_WIN=0", "ACK_HIGH_PRIO=1"],
    "profile": ["hpcc-sim"],
    "incastReceiver": ["0", "1", "99"],
    "poissonReceiver": ["0", "1", "99"],
    "poissonFrom": ["0", "1", "99"],
    "poissonTo": ["0", "1", "99"],
    "incastLocalSenders": ["-1", "0", "1", "2"],
    "truncate": ["2000", "100000", "1000000"],
    "dciAttach": ["spine", "leaf"],
    "coreWiring": ["plane", "full"],
    "borderAttach": ["all", "split"],
    "only": ["Swift", "HPCC", "zzz"],
    "marker": ["ns3::roce::UtilisationMarker", "PhantomQueue", "UtilisationMarker"],
}
WORDS.update(interCc=WORDS["cc"], interLossRecovery=WORDS["lossRecovery"], interPaths=WORDS["paths"],
             rates=WORDS["queues"], transport=WORDS["queues"], pauses=WORDS["queues"], utilisation=WORDS["queues"])

# Small values of numbers; those of sizes keep a run small.
TAME = {
    "unsigned": ["0", "1", "2", "3", "4"],
    "number": ["0", "0.1", "0.5", "1", "2"],
    "time": ["0us", "1us", "5us", "20us", "100ns"],
    "rate": ["1Gbps", "25Gbps", "100Gbps", "400Gbps"],
    "size": ["0B", "100kB", "1MiB", "32MiB"],
    "boolean": ["true", "false", "1", "0"],
}
# Odd values of these may make a run large by right; of other options they may not.
SIZES = {"duration", "stop", "safetyLimit", "incastPeriod", "poissonStart", "computeTime", "stagger",
         "load", "incastLoad", "workload", "interWorkload", "bytes", "netanim", "queues", "rates", "transport", "pauses", "utilisation",
         "set", "config", "truncate", "messageBytes", "only", "flows", "collectiveBytes", "collectiveRounds", "collectiveCompute",
          "gpusPerHost", "intraHostRate", "goal", "jobs", "trace"}
NEVER = {"out", "draw", "prefix", "writeGoal", "writeTrace"}  # only values from the list: these make files anywhere

GLOBALS = ["RngSeed", "RngRun", "SchedulerType", "SimulatorImplementationType", "ChecksumEnabled"]

# Kinds by what a value looks like.
KINDS = (("boolean", r"true|false"), ("time", r"[+-]?[\d.e+-]+([fpnum]?s|min|h|d)"), ("rate", r"[\d.]+[kKMGT]?(bps|b/s)"), ("size", r"\d+([KM]i)?B"),
         ("unsigned", r"\d+"), ("number", r"-?[\d.]+(e[+-]?\d+)?"))


def kind_of(value):
    """@return the kind of an option or attribute, told from its default."""
    return next((kind for kind, form in KINDS if re.fullmatch(form, value)), "text")


class Grammar:
    """Options of a program by kind, attributes of all types of the module."""

    def __init__(self, driver, folder):
        self.driver = driver
        self.folder = folder
        self.options = {}  # program: {option: kind}
        self.attributes = {}  # full name: kind
        self.words = {}  # what texts of attributes may be
        self.types = []

    def ask(self, program, *arguments):
        """@return what a program prints for arguments, or says of them."""
        reply = self.driver.run(Case(program, arguments), self.folder)
        return reply.stdout.decode("utf-8", "replace"), reply.stderr.decode("utf-8", "replace")

    def read(self, programs):
        """Ask the programs."""
        for program in programs:
            text = self.ask(program, "--help")[0].split("Program Options:")[-1].split("General Arguments:")[0]
            kinds = {}
            for name, value in re.findall(r"^ +--(\w+):.*?(?: \[([^][]*)\])?$", text, re.MULTILINE):
                kinds[name] = kind_of(value)
                if kinds[name] == "unsigned":
                    said = self.ask(program, f"--{name}=.5", "--no-such-option")[1]
                    kinds[name] = "unsigned" if "whole number" in said else "number" if "no-such-option" in said else "boolean"
            if not kinds and program == programs[0]:
                raise SystemExit(f"error: {program} --help lists no option")
            self.options[program] = kinds
        self.types = re.findall(r"ns3::roce::\w+", self.ask(programs[0], "--PrintGroup=Roce")[0])
        for name in self.types + ["ns3::RateErrorModel", "ns3::BurstErrorModel", "ns3::Node", "ns3::UniformRandomVariable"]:
            text = self.ask(programs[0], "--PrintAttributes=" + name)[0]
            for attribute, value in re.findall(r"^ +--(ns3::\S+)=\[(.*)\]$", text, re.MULTILINE):
                self.attributes[attribute] = kind_of(value)
                if self.attributes[attribute] == "text":
                    # Some say what they expect only when they are used, and that in a small run.
                    short = name.rsplit(":", maxsplit=1)[-1]
                    use = [f"--{option}={short}" for option in ("cc", "paths", "stages", "edge", "lossModel") if short in WORDS[option]]
                    said = self.ask(programs[0], f"--{attribute}=?", "--out=", "--hostsPerLeaf=1", "--duration=1us", *use[:1])[1]
                    self.words[attribute] = re.findall(r"'([^']+)'", said.partition("expected")[2])

    def value(self, rng, name, kind):
        """@return a value for an option or attribute, and whether it is odd."""
        roll = rng.random()
        words = WORDS.get(name) or self.words.get(name)
        if name in NEVER:
            return rng.choice(words), True
        if words and roll < 0.6:
            value = rng.choice(words)
            if rng.random() < 0.15 and value.isalpha() and value[0].isupper():
                value += self.brackets(rng, "ns3::roce::" + value)
            return value, False
        if kind in TAME and roll < 0.45:
            return rng.choice(TAME[kind]), False
        if roll < 0.9:
            return rng.choice(ODD[kind]), True
        if roll < 0.95:
            return rng.choice(ODD[rng.choice(sorted(ODD))]), True
        return mangle(rng, rng.choice(words or ODD[kind])), True

    def brackets(self, rng, type_name):
        """@return attributes of a type in brackets, rightly or wrongly written."""
        own = [a for a in self.attributes if a.rsplit("::", 1)[0] == type_name] or sorted(self.attributes)[:5]
        items = []
        for _ in range(rng.randint(1, 3)):
            attribute = rng.choice(sorted(own))
            items.append(attribute.rsplit("::", 1)[1] + "=" + self.value(rng, attribute, self.attributes[attribute])[0][:2000])
        return "[" + rng.choice(["|", "|", "|", ",", ""]).join(items) + rng.choice(["]", "]", "]", "", "]]"])

    def attribute(self, rng):
        """@return an argument that sets an attribute, and whether it is odd."""
        name = rng.choice(sorted(self.attributes))
        value, odd = self.value(rng, name, self.attributes[name])
        if self.attributes[name] == "text" and not self.words[name] and rng.random() < 0.5:
            value = rng.choice(self.types) + (self.brackets(rng, rng.choice(self.types)) if rng.random() < 0.3 else "")
        return f"--{name}={value}", odd

    def argument(self, rng, program):
        """@return an argument (text), and whether the run may be large because of it."""
        roll = rng.random()
        options = self.options[program]
        if roll < 0.68 and options:
            name = rng.choice(sorted(options))
            value, odd = self.value(rng, name, options[name])
            text = f"--{name}={value}"
            return text, odd and (name in SIZES or options[name] == "unsigned")
        if roll < 0.92 or not options:
            return self.attribute(rng)
        if roll < 0.95:
            return f"--{rng.choice(GLOBALS)}={rng.choice(ODD[rng.choice(['unsigned', 'text', 'boolean'])] + self.types)}", True
        if roll < 0.97:
            return rng.choice(["--PrintAttributes=", "--PrintGroup=", "--PrintTypeIds", "--PrintGlobals", "--help", "--version",
                               "--PrintAttributes=ns3::roce::Nic", "--PrintGroups", "--help=1"]), True
        name = rng.choice(sorted(options))
        return rng.choice([f"--{name}", f"-{name}=1", f"---{name}=1", name, f"--{name.upper()}=1", f"--{name[1:]}=1", "", "-", "--",
                           "--=1", f"--{name}==1", "--ns3::=1", "--::=", f"--ns3::roce::{name}=1", "--ns3::roce::Nic::=1",
                           mangle(rng, f"--{name}=1") if name not in NEVER else "-="]), True


def mangle(rng, text):
    """@return the text with a few bytes changed, left out, repeated or put in (no zero: that ends an argument)."""
    letters = list(text)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(letters) + 1)
        what = rng.random()
        if what < 0.3 and letters:
            del letters[at % len(letters)]
        elif what < 0.6:
            letters.insert(at, chr(rng.choice([rng.randint(1, 255), rng.randint(32, 126)])))
        elif what < 0.8 and letters:
            letters[at % len(letters)] = chr(rng.randint(1, 255))
        else:
            letters[at:at] = letters[max(0, at - 5):at] * rng.choice([1, 2, 50])
    return "".join(letters)
