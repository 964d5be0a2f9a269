# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Random networks: good command lines that must run, lazily and watched as eagerly and unwatched, with figures that add up."""

import csv
import io
import json

from roce_fuzz import Case, Fuzzer, remove, snapshot, write_files

EAGER = ["--ns3::roce::Nic::Eager=1", "--ns3::roce::Switch::Eager=1"]

DELAY_LAWS = ["Timely", "Timely[Profile=hpcc-sim]", "Timely[Mode=perSegment]", "Timely[Profile=patched]", "Swift[AddBaseRtt=true]", "Swift",
              "Swift[Profile=reflex]", "Swift[Profile=paper|AddBaseRtt=1]"]
LAWS = DELAY_LAWS + ["Dcqcn", "Dcqcn[Profile=paper]", "DcqcnPlus", "Hpcc", "Hpcc[Profile=hpcc-sim]", "PowerTcp", "PowerTcp[Theta=1]", "Dctcp",
                     "Dctcp[Form=rate]", "UnoCc", "UnoCc[Profile=artifact]", "Gemini", "Gemini[Profile=artifact]", "MpRdma", "Bbr",
                     "Bbr[Profile=artifact]", "none", "LineRate[Window=20000]", "Wrcc", "Wrcc[Profile=literal]"]
RECOVERIES = ["GoBackN", "SelectiveRepeat", "SelectiveRepeat[BdpCap=0|ReorderPackets=32]", "SelectiveRepeat[RtoLow=50us|RtoHigh=200us]"]
SELECTORS = ["FlowHash", "Spray", "Spray[Paths=4]", "Flowlet[Gap=3us]", "Flowlet", "Plb", "Plb[IdleRounds=1|Rounds=2]",
             "Plb[Signal=delay|Rounds=3|SuspendTime=10us]", "UnoLb"]
WATCHING = ["--queues=change", "--queues=20us", "--rates=50us", "--rates=change", "--transport=change", "--transport=50us", "--pauses=20us",
            "--utilisation=20us", "--pfc", "--chromeTrace", "--netanim=0us-5us", "--pcap=nic0,nic1", "--pcap=all", "--hpccFct", "--hpccPfc",
            "--seriesPorts=nic1", "--progress=json"]


def pick_some(rng, items, most):
    """@return up to so many of the items, each option once."""
    chosen = {}
    for item in rng.sample(items, rng.randint(0, most)):
        chosen[item.split("=")[0]] = item
    return list(chosen.values())


class Network:
    """The options of one network, made step by step."""

    def __init__(self, rng):
        self.rng = rng
        self.options = []
        self.lossless = rng.random() < 0.6
        self.two = rng.random() < 0.7
        self.program = rng.choice(["two-dc-leaf-spine"] * 4 + ["two-dc-fat-tree"] * 2)
        self.hosts = 0
        self.topology()
        self.transport()
        self.faults()
        self.workload()
        self.options += ["--progress=none", f"--seed={rng.randint(1, 10**6)}", "--safetyLimit=30ms", "--fingerprint", "--out=out"]

    def add(self, chance, *options):
        """Add one of the options with this chance."""
        if self.rng.random() < chance:
            self.options.append(self.rng.choice(options))

    def topology(self):
        """Sizes, rates and delays."""
        rng = self.rng
        self.options.append(f"--datacenters={1 + self.two}")
        if self.program == "two-dc-leaf-spine":
            leaves, hosts = rng.randint(1, 3), rng.randint(2, 4)
            self.leaves, self.spines = leaves, rng.randint(1, 3)
            self.options += [f"--leaves={leaves}", f"--spines={self.spines}", f"--hostsPerLeaf={hosts}"]
            self.hosts = leaves * hosts * (1 + self.two)
            self.add(0.2, "--fabricRate=40Gbps", "--fabricRate=333Gbps", "--oversubscription=2")
            self.add(0.2, "--fabricDelay=0us", "--fabricDelay=3us")
            if self.two:
                self.add(0.2, "--dciAttach=leaf")
                self.add(0.2, "--dcis=2")
                self.add(0.2, "--dciRate=400Gbps")
                self.add(0.2, "--dciLinks=2")
        else:
            self.options.append("--k=2")
            hosts = rng.randint(2, 4)
            self.options.append(f"--hostsPerEdge={hosts}")
            self.hosts = 2 * hosts * (1 + self.two)
        self.add(0.2, "--nicsPerHost=2")
        if "--nicsPerHost=2" in self.options:
            self.hosts *= 2
        self.add(0.3, "--hostRate=25Gbps", "--hostRate=400Gbps")
        self.add(0.2, "--hostDelay=0us", "--hostDelay=2us")
        if self.two:
            self.options.append(f"--wanDelay={rng.choice(['5us', '20us', '100us'])}")
            self.add(0.3, "--wanLinks=2")
            self.add(0.2, "--wanRate=400Gbps")
        if not self.lossless:
            self.options.append("--lossless=0")
            self.add(0.5, "--egressBuffer=175000B", "--egressBuffer=1MiB")

    def transport(self):
        """Rate law, recovery, paths, stages, edge functions."""
        rng = self.rng
        edge = self.two and self.lossless and rng.random() < 0.25
        law = rng.choice(DELAY_LAWS if edge else LAWS)
        self.options.append("--cc=" + law)
        if self.two:
            self.add(0.15, *["--interCc=" + other for other in (DELAY_LAWS if edge else LAWS)])
        selectors = [s for s in SELECTORS if not (edge and "delay" in s)]
        paths = rng.choice(selectors)
        recovery = rng.choice(RECOVERIES)
        self.options += ["--paths=" + paths, "--lossRecovery=" + recovery]
        if self.two and not edge and rng.random() < 0.25:
            self.options.append("--interLossRecovery=UnoErasure" + rng.choice(["", "[Profile=artifact]"]))
        if self.two:
            self.add(0.1, *["--interPaths=" + other for other in selectors])
        if edge:
            self.options.append("--edge=" + rng.choice(["ReflexNsf", "ReflexNdt", "ReflexNsf,ReflexNdt"]))
        else:
            self.add(0.15, "--stages=PhantomQueue", "--stages=PhantomQueue[Profile=artifact]")
        if any("Cc=Wrcc" in option or "cc=Wrcc" in option for option in self.options):
            stages = [option for option in self.options if option.startswith("--stages=")]
            self.options = [option for option in self.options if option not in stages]
            # Both laws, and the stage, as printed or not; no NIC faster than fair rates may be.
            literal = any("Wrcc[Profile=literal]" in option for option in self.options)
            self.options = [option.split("=Wrcc")[0] + "=Wrcc" + literal * "[Profile=literal]" if "c=Wrcc" in option else option
                            for option in self.options]
            values = literal * ["Profile=literal"] + ("--hostRate=400Gbps" in self.options) * ["FMax=400Gbps"]
            stage = "WrccFairRate" + (f"[{'|'.join(values)}]" if values else "")
            self.options.append(",".join(stages + [stage]) if stages else "--stages=" + stage)
        self.add(0.3, "--ns3::roce::Nic::AckEveryN=4", "--ns3::roce::Nic::AckEveryN=16")
        self.add(0.3, "--ns3::roce::Nic::PathMtu=1000", "--ns3::roce::Nic::PathMtu=1024", "--ns3::roce::Nic::PathMtu=256")
        self.add(0.2, "--ns3::roce::EcnMarker::MarkAtEnqueue=1")
        self.add(0.1, "--scheduler=ns3::MapScheduler", "--scheduler=ns3::HeapScheduler")
        self.options.append(f"--ns3::roce::Nic::RtoMin={rng.choice(['200us', '500us', '2ms'])}")

    def faults(self):
        """Losses and failures."""
        rng = self.rng
        self.lossy = rng.random() < 0.4
        if self.lossy:
            self.options.append(rng.choice(["--loss=1e-3", "--loss=0.01", "--loss=1e-3 --lossModel=BurstLoss[MeanBurst=3]", "--loss=0.2",
                                            "--lossModel=RunLoss[Profile=none|StartRate=3e-3]", "--lossModel=ChunkLoss",
                                            "--loss=0.01 --lossModel=ns3::RateErrorModel"]))
            self.options[-1:] = self.options[-1].split()
            kinds = ["all", "host", "fabric"] + (["wan", "border"] if self.two else [])
            self.options.append("--lossLinks=" + rng.choice(kinds))
        self.failing = rng.random() < 0.3
        if self.failing:
            start = rng.randint(0, 30)
            times = f"@{start}us" + (f"-{start + rng.randint(1, 200)}us" if rng.random() < 0.7 else "")
            links = ["nic0/dc0-leaf0", "dc0-leaf0/dc0-spine0", "dc0-leaf0>dc0-spine0"] if self.program == "two-dc-leaf-spine" else \
                ["nic0/dc0-edge0", "dc0-edge0/dc0-agg0", "dc0-agg0>dc0-edge0"]
            if self.two:
                border = "dci0" if self.program == "two-dc-leaf-spine" else "border0"
                links += [f"dc0-{border}/dc1-{border}", f"dc0-{border}>dc1-{border}"]
            self.options.append("--failLinks=" + rng.choice(links) + times)
            self.add(0.6, "--reroute=0us", "--reroute=10us")

    def workload(self):
        """Who sends what."""
        rng = self.rng
        patterns = rng.sample(["poisson", "incast", "alltoall", "permutation"], rng.choice([1, 1, 2]))
        if patterns == ["poisson"]:
            patterns.append("incast")  # at least one flow starts
        if self.two and rng.random() < 0.2:
            patterns.append("allreduce")
        self.options += ["--pattern=" + "+".join(patterns), f"--duration={rng.choice([5, 20, 50])}us"]
        if "poisson" in patterns:
            self.options += [f"--load={rng.choice([0.3, 0.6, 0.9])}", "--workload=" + rng.choice(["googlerpc", "solar", "alistorage"]),
                             "--truncate=100000"]
        self.options += [f"--incastSenders={min(self.hosts - 1, rng.randint(1, 8))}", f"--incastBytes={rng.choice([1, 5000, 60000])}"]
        self.add(0.3, "--incastPeriod=10us", "--incastJitter=2us", "--incastSpread=1")
        self.options.append(f"--messageBytes={rng.choice([0, 1, 4096, 30000])}")
        self.add(0.3, "--stagger=1us")
        self.options += ["--groups=1", f"--iterations={rng.randint(1, 3)}", "--minBytes=1000", "--maxBytes=20000", "--computeTime=1us"]


class Networks(Fuzzer):
    """Random networks that must run."""

    name = "networks"
    network = Network
    leaks = True

    def make(self, rng, index):
        network = self.network(rng)
        case = Case(network.program, network.options, cpu=60)  # the sanitizers are slow, the networks not all small
        case.watch = pick_some(rng, WATCHING, 4)
        case.one_path = not any("aths=Spray" in o or "aths=UnoLb" in o for o in network.options)
        # A tuner's message may be lost on its way to some NICs.
        case.alike = not any("DispatchLoss=" in o and "DispatchLoss=0|" not in o for o in network.options)
        case.parity = any("UnoErasure" in o for o in network.options)
        case.lossless = network.lossless
        case.calm = not network.lossy and not network.failing
        return case

    def shrink(self, case, wanted, root):
        return case

    def attempt(self, case, folder):
        watched = case.with_arguments(case.arguments + [w.encode() for w in case.watch])
        write_files(folder, case.files)
        before = snapshot(folder)
        reply = self.driver.run(watched, folder)
        after = snapshot(folder)
        findings = self.judge.judge(watched, reply, before, after)
        if reply.status == 2:
            findings.append("refused: " + reply.stderr.decode("utf-8", "replace").strip()[-300:])
        if findings or reply.status not in (0, 3):
            return reply, findings
        findings += sense(reply, after, case)
        remove(folder)
        folder.mkdir()
        eager = case.with_arguments(case.arguments + [e.encode() for e in EAGER])
        other = self.driver.run(eager, folder)
        found = snapshot(folder)
        findings += ["eager: " + f for f in self.judge.judge(eager, other, {}, found)]
        if not findings:
            findings += compare(reply, after, other, found)
        return reply, findings


def compare(reply, after, other, found):
    """@return where two runs of the same network differ."""
    findings = []
    if reply.status != other.status:
        findings.append(f"differs: status {reply.status} lazily, {other.status} eagerly")
    for name in ("flows.csv", "tuning.csv"):
        if after.get("out/" + name) != found.get("out/" + name):
            findings.append(f"differs: {name}, lazily from eagerly")
    one, two = json.loads(after["out/summary.json"]), json.loads(found["out/summary.json"])
    if one["fingerprint"] != two["fingerprint"]:
        findings.append("differs: fingerprint, lazily from eagerly")
    for name, value in one["counters"].items():
        if name != "events" and two["counters"].get(name) != value:
            findings.append(f"differs: counter {name}, {value} lazily, {two['counters'].get(name)} eagerly")
    if one["statistics"] != two["statistics"]:
        findings.append("differs: statistics, lazily from eagerly")
    return findings


def sense(reply, after, case):
    """@return what does not add up in a result."""
    summary = json.loads(after["out/summary.json"])
    rows = list(csv.DictReader(io.StringIO(after["out/flows.csv"].decode())))
    flows, counters = summary["flows"], summary["counters"]
    done = [row for row in rows if row["status"] == "finished"]
    every = summary["statistics"]["all"]
    checks = {
        "flows.csv has a row for each flow": len(rows) == flows["total"] == flows["counted"] + flows["excludedWarmup"],
        "finished and unfinished flows are all": flows["finished"] + flows["unfinished"] == flows["counted"],
        "finished rows are as many as said": len(done) == flows["finished"],
        "status 0 when all is finished, 3 otherwise": reply.status == (3 if flows["unfinished"] else 0),
        "delivered bytes are those of the flows":
            sum(int(r["bytes"]) for r in done) <= every["deliveredBytes"] <= sum(int(r["bytes"]) for r in rows),
        "a receiver is done before its sender": all(float(r["receiver_fct_ns"]) <= float(r["fct_ns"]) for r in done),
        # The ideal is that of the best path, one flow may have several at once.
        "no flow is faster than possible": not case.one_path or all(float(r["slowdown"]) >= 0.999 for r in done),
        "every flow sends packets": all(int(r["packets"]) >= 1 for r in done),
        # A block that is there early spares its last parity packets.
        "data sent: packets and repetitions": case.parity or counters["dataSent"] >= sum(int(r["packets"]) for r in done),
        "repetitions are data": counters["retransmitted"] <= counters["dataSent"],
        "frames make hops": counters["packetHops"] >= 2 * counters["dataSent"] * (not counters["framesLostOnLinks"]) or not done or
            reply.status == 3,
        "dropped frames: the sum of the reasons": counters["framesDropped"] == counters["framesDroppedBuffer"] +
            counters["framesDroppedNoRoute"] + counters["framesDroppedTtl"],
        "queue pairs of all NICs are made of the same values":
            not case.alike or all(len(entries) == 1 for role, entries in summary["valuesInForce"].items()
                                  if role.startswith(("intra.", "inter."))),
        "no XON without XOFF": counters["pfcXonSent"] <= counters["pfcXoffSent"],
        "link losses are not less than those of failed links": counters["framesLostLinkDown"] <= counters["framesLostOnLinks"],
        "no loss without losses": not case.calm or counters["framesLostOnLinks"] == 0,
        "lossless is lossless": not case.lossless or counters["losslessDrops"] == 0,
        "no PFC without lossless classes": case.lossless or counters["pfcXoffSent"] == 0,
        "nothing is repeated when nothing is lost or reordered": not case.calm or counters["framesDropped"] or counters["reordered"] or
            counters["timeouts"] or counters["retransmitted"] == 0,
        # Swift and TIMELY as published starve beyond their thresholds, and the program says so.
        "a calm lossless network finishes": not (case.calm and case.lossless) or counters["failedQps"] or reply.status == 0 or
            b"falls to" in reply.stderr,
    }
    return ["figures: not true that " + what for what, holds in checks.items() if not holds]


def main(argv):
    """Run."""
    return Networks().main(argv)
