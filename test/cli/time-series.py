#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Time series, time line and animation of a run agree with each other and with its flows.

    time-series.py BUILD_DIR

Runs two-dc-leaf-spine with everything recorded on change, at intervals, with eager stations and with
another event scheduler, and draws the series.
"""

import bisect
import csv
import itertools
import json
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from decimal import Decimal
from pathlib import Path

PLOT = Path(__file__).resolve().parents[2] / "scripts" / "plot_series.py"
RUN = ["--progress=none", "--wanDelay=50us", "--pattern=poisson+incast", "--load=0.6",
       "--duration=200us", "--truncate=600000", "--incastSenders=6", "--incastBytes=300000",
       "--incastReceiver=1", "--seed=7", "--spines=2", "--leaves=2", "--hostsPerLeaf=4",
       "--leafBuffer=2MiB", "--cc=Hpcc"]
CHANGE = ["--queues=change", "--rates=change", "--transport=change", "--pauses=change",
          "--utilisation=change", "--pfc", "--chromeTrace", "--netanim=10us-60us"]
SAMPLED = ["--queues=3us", "--rates=7us", "--transport=7us", "--pauses=5us", "--utilisation=5us"]
EAGER = ["--ns3::roce::Nic::Eager=true", "--ns3::roce::Switch::Eager=true"]
TABLES = ["queues.csv", "rates.csv", "transport.csv", "pauses.csv", "utilisation.csv", "pfc.csv"]

Series = dict  # key -> list of (time in ns, value)


def check(condition, what):
    """End with one line if something is wrong."""
    if not condition:
        sys.exit("FAILED " + what)


def simulate(build, folder, *options, status=0):
    """Run the program into a folder."""
    command = [str(build / "bin" / "two-dc-leaf-spine"), f"--out={folder}", *RUN, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    check(done.returncode == status, f"status {done.returncode}: {done.stderr}")
    check(not list(folder.glob("*.tmp")), "temporary files are left over")
    return folder


def rows(folder, name):
    """A table; times must not go backwards."""
    with open(folder / name, newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    times = [Decimal(row["time_ns"]) for row in table if "time_ns" in row]
    check(times == sorted(times), f"{name}: time goes backwards")
    return table


def series(folder, name, key, value):
    """The rows of a table by key, as numbers."""
    result = defaultdict(list)
    for row in rows(folder, name):
        result[tuple(row[k] for k in key)].append((Decimal(row["time_ns"]), Decimal(row[value])))
    return result


def value_at(points, time, before=Decimal(0)):
    """Last value up to and including a time."""
    index = bisect.bisect_right(points, (time, Decimal("Infinity")))
    return points[index - 1][1] if index else before


def check_sampled(change, sampled):
    """What is sampled is what the last change has left."""
    compared = 0
    for name, key, value, interval in [
            ("queues.csv", ("node", "port", "class"), "queue_bytes", 3000),
            ("pauses.csv", ("node", "port", "class"), "paused", 5000),
            ("rates.csv", ("flow",), "acked_bytes", 7000),
            ("rates.csv", ("flow",), "rate_bps", 7000),
            ("transport.csv", ("flow", "variable"), "value", 7000)]:
        exact = series(change, name, key, value)
        samples = series(sampled, name, key, value)
        for which, points in samples.items():
            for time, found in points:
                if name in ("rates.csv", "transport.csv") and time < exact[which][0][0]:
                    continue  # posted, but nothing is sent yet
                expected = value_at(exact[which], time)
                check(found == expected, f"{name} {which} {value} at {time}: {found}, {expected}")
                compared += 1
        # And the other way round: what lasts is seen at each interval.
        for which, points in exact.items():
            times = {time for time, _ in samples[which]}
            for begin, end in intervals(points, points[-1][0]):
                due = {Decimal(t) for t in range(int(begin) // interval * interval + interval,
                                                 int(end), interval)}
                check(due <= times, f"{name} {which} {value}: not sampled at {sorted(due - times)[:3]}")
    check(compared > 5000, f"too few samples: {compared}")
    # A queue is sampled until it has been seen empty.
    for which, points in series(sampled, "queues.csv", ("node", "port", "class"),
                                "queue_bytes").items():
        for (time, found), (following, _) in zip(points, points[1:]):
            check(not found or following - time <= 3000, f"queues.csv {which}: a gap after {time}")
        check(points[-1][1] == 0, f"queues.csv {which} ends with {points[-1]}")
    # On change means that something has changed.
    for which, points in series(change, "transport.csv", ("flow", "variable"), "value").items():
        check(all(a[1] != b[1] for a, b in zip(points, points[1:])), f"transport.csv {which} repeats")


def check_rates(folder, flows):
    """Progress ends with the flow."""
    sent = series(folder, "rates.csv", ("flow",), "sent_bytes")
    acked = series(folder, "rates.csv", ("flow",), "acked_bytes")
    for flow in flows:
        points = acked[(flow["id"],)]
        check(points[-1] == (Decimal(flow["start_ns"]) + Decimal(flow["fct_ns"]),
                             Decimal(flow["bytes"])), f"rates.csv ends with {points[-1]}: {flow}")
        check(all(s[1] >= a[1] for s, a in zip(sent[(flow["id"],)], points)), "more acked than sent")
        check([v for _, v in points] == sorted(v for _, v in points), "acked_bytes falls")
        check(sent[(flow["id"],)][-1][1] == Decimal(flow["bytes"]), f"sent_bytes: {flow}")


def intervals(points, end):
    """(from, to) of the stretches in which a series is not 0."""
    result = []
    for value, group in itertools.groupby(points, key=lambda p: p[1] > 0):
        if value:
            result.append([next(group)[0], end])
        elif result:
            result[-1][1] = next(group)[0]
    return [tuple(i) for i in result]


def check_pauses(change, sampled, counters):
    """Paused times add up, and each begins a link's delay after a pause frame."""
    end = Decimal(counters["simulatedNs"])
    paused = series(change, "pauses.csv", ("node", "port", "class"), "paused")
    total = series(sampled, "pauses.csv", ("node", "port", "class"), "paused_ns")
    check(set(paused) == set(total) and paused, "pauses.csv: different ports")
    for which, points in total.items():
        stretches = intervals(paused[which], end)
        for time, found in points:
            expected = sum(min(b, time) - a for a, b in stretches if a < time)
            check(found == expected, f"pauses.csv {which} paused_ns at {time}: {found}, {expected}")
    whole = sum(points[-1][1] for points in total.values())
    check(abs(whole - counters["pausedNs"]) <= 1, f"pausedNs: {whole}")
    events = rows(change, "pfc.csv")
    for event in ("xoff", "xon"):
        count = sum(row["event"] == event for row in events)
        name = "pfcXoffSent" if event == "xoff" else "pfcXonSent"
        check(count == counters[name] > 0, f"pfc.csv: {count} {event}")
    starts = sum(len(intervals(points, end)) for points in paused.values())
    check(starts == counters["pfcXoffSent"], f"pauses.csv: {starts} pauses")
    sent = sorted(Decimal(r["time_ns"]) for r in events if r["event"] == "xoff")
    begun = sorted(a for points in paused.values() for a, _ in intervals(points, end))
    check(all(Decimal(1000) < b - a < Decimal(1500) or b - a > 50000 for a, b in zip(sent, begun)),
          "pauses do not begin a microsecond (or a WAN delay) after XOFF")


def check_utilisation(change, sampled):
    """Busy times and the shares of intervals agree."""
    busy = series(change, "utilisation.csv", ("node", "port"), "utilisation")
    shares = series(sampled, "utilisation.csv", ("node", "port"), "utilisation")
    check(set(busy) == set(shares), "utilisation.csv: different ports")
    compared = 0
    for which, points in shares.items():
        stretches = intervals(busy[which], points[-1][0])
        for time, share in points:
            begin = (time - 1) // 5000 * 5000
            seconds = sum(min(b, time) - max(a, begin) for a, b in stretches if a < time and b > begin)
            expected = seconds / (time - begin)
            check(abs(share - expected) < Decimal("2e-6"),
                  f"utilisation.csv {which} at {time}: {share}, {expected}")
            compared += 1
    check(compared > 300, f"too few samples: {compared}")
    sent = series(change, "utilisation.csv", ("node", "port"), "tx_bytes")
    last = series(sampled, "utilisation.csv", ("node", "port"), "tx_bytes")
    check(all(sent[w][-1][1] == last[w][-1][1] for w in sent), "tx_bytes differ at the end")


def check_time_line(folder, flows, end):
    """trace.json has the flows, the values of the tables, and the pauses."""
    with open(folder / "trace.json", encoding="utf-8") as file:
        trace = json.load(file, parse_float=Decimal)
    check(trace["displayTimeUnit"] == "ns", "displayTimeUnit")
    names = {}
    slices = defaultdict(list)
    counters = defaultdict(list)
    for event in trace["traceEvents"]:
        kind, process = event["ph"], event["pid"]
        if kind == "M":
            key = (process, event["tid"] if event["name"] == "thread_name" else None)
            check(key not in names, f"named twice: {event}")
            names[key] = event["args"]["name"]
            continue
        check((process, None) in names, f"process without name: {event}")
        time = Decimal(event["ts"]) * 1000
        if kind == "C":
            (value,) = event["args"].values()
            counters[(process - 1, event["name"])].append((time, Decimal(value)))
        else:
            check(kind == "X", f"kind of event: {event}")
            track = names[(process, event["tid"])]
            slices[(process - 1, track)].append((time, time + Decimal(event["dur"]) * 1000, event))
    for track, stretches in slices.items():
        ends = sorted((a, b) for a, b, _ in stretches)
        check(all(a[1] <= b[0] for a, b in zip(ends, ends[1:])), f"slices overlap: {track}")
    # Flows.
    drawn = {}
    for (_, track), stretches in slices.items():
        for begin, finish, event in stretches:
            if "flows" in track:
                check(track.startswith(f"nic{event['args']['src']} "), f"track {track}: {event}")
                drawn[str(event["args"]["flow"])] = (begin, finish - begin, event["args"])
    check(set(drawn) == {f["id"] for f in flows}, "flows of the time line")
    for flow in flows:
        begin, length, details = drawn[flow["id"]]
        check(begin == Decimal(flow["start_ns"]) and length == Decimal(flow["fct_ns"]),
              f"time line: {begin} {length}, {flow}")
        check(details["bytes"] == int(flow["bytes"]) and
              abs(Decimal(details["slowdown"]) - Decimal(flow["slowdown"])) < Decimal("1e-6"),
              f"time line: {details}, {flow}")
    # Counters.
    found = 0
    for (node, port, cls), points in series(folder, "queues.csv", ("node", "port", "class"),
                                            "queue_bytes").items():
        check(counters[(int(node), f"port {port} class {cls} queue")] == points,
              f"time line: queue {node} {port}")
        found += 1
    rates = {name.split()[1]: p for (_, name), p in counters.items() if name.endswith(" rate")}
    for (flow,), points in series(folder, "rates.csv", ("flow",), "rate_bps").items():
        check(rates[flow] == points, f"time line: rate of flow {flow}")
        found += 1
    check(found > 100, f"too few counters: {found}")
    # Pauses, received and sent.
    for what, value, table in [
            ("paused", None, series(folder, "pauses.csv", ("node", "port", "class"), "paused")),
            ("XOFF sent", "event", None)]:
        if value:
            table = defaultdict(list)
            for row in rows(folder, "pfc.csv"):
                table[(row["node"], row["port"], row["class"])].append(
                    (Decimal(row["time_ns"]), Decimal(row["event"] != "xon")))
        expected = sorted((int(k[0]), a, b) for k, p in table.items() for a, b in intervals(p, end))
        drawn = sorted((node, a, b) for (node, track), s in slices.items()
                       if track.endswith(what) for a, b, _ in s)
        check(drawn == expected and drawn, f"time line: {what}: {len(drawn)}, {len(expected)}")


def check_animation(folder):
    """netanim.xml has each frame of its window once, between neighbours, at the right times."""
    root = ElementTree.parse(folder / "netanim.xml").getroot()
    check(root.tag == "anim" and root.get("filetype") == "animation", "netanim.xml: root")
    nodes = {n.get("id") for n in root.iter("node")}
    check(len(nodes) == 16 + 2 * 5, f"netanim.xml: {len(nodes)} nodes")
    links = {frozenset((link.get("fromId"), link.get("toId"))) for link in root.iter("link")}
    check(len(links) == 16 + 2 * (4 + 2) + 1, f"netanim.xml: {len(links)} links")
    place = {n.get("id"): (float(n.get("locX")), float(n.get("locY"))) for n in root.iter("node")}
    check(len(set(place.values())) == len(nodes), "netanim.xml: nodes on top of each other")
    sent = defaultdict(list)
    packets = 0
    for packet in root.iter("p"):
        first, last, arrives, arrived = (
            Decimal(packet.get(a)) * 10**9 for a in ("fbTx", "lbTx", "fbRx", "lbRx"))
        pair = (packet.get("fId"), packet.get("tId"))
        check(frozenset(pair) in links, f"netanim.xml: a frame from {pair[0]} to {pair[1]}")
        check(10000 <= first <= 60000, f"netanim.xml: {first} ns is not in the window")
        check(arrives - first == arrived - last and arrives - first in (1000, 50000),
              f"netanim.xml: delay {arrives - first}")
        sent[pair[0]].append((first, last))
        packets += 1
    check(packets > 1000, f"netanim.xml: {packets} packets")
    # A host has one port: its frames are its busy time. Frames under way at the edges are left out.
    busy = series(folder, "utilisation.csv", ("node", "port"), "utilisation")
    hosts = 0
    for (node, _), points in busy.items():
        if place[node][1] < max(y for _, y in place.values()):
            continue
        hosts += 1
        frames = sorted(sent[node])
        check(all(a[1] <= b[0] for a, b in zip(frames, frames[1:])), "netanim.xml: frames overlap")
        for begin, end in intervals(points, Decimal(10**9)):
            if 10000 <= begin and end <= 60000:
                inside = [(a, b) for a, b in frames if begin <= a < end]
                check(inside and inside[0][0] == begin and inside[-1][1] == end and
                      sum(b - a for a, b in inside) == end - begin,
                      f"netanim.xml: node {node} from {begin} to {end}")
    check(hosts == 16, f"netanim.xml: {hosts} hosts")


def check_fair_rates(build, root):
    """pfr.csv: at intervals what on change tells, of switch ports only; empty without the stage."""
    wrcc = ["--cc=Wrcc", "--stages=WrccFairRate[PhaseJitter=false]"]
    change = simulate(build, root / "pfr-change", *wrcc, "--pfr=change")
    sampled = simulate(build, root / "pfr-sampled", *wrcc, "--pfr=24us")
    key, value = ("node", "port"), "fair_rate_bps"
    told = series(change, "pfr.csv", key, value)
    seen = series(sampled, "pfr.csv", key, value)
    check(len(seen) > 10 and set(seen) <= set(told), f"{len(seen)} ports with fair rates")
    rates = [rate for points in told.values() for _, rate in points]
    check(min(rates) < 10 ** 11 / 2 and max(rates) == 10 ** 11, f"{min(rates)} to {max(rates)}")
    branches = {row["branch"] for row in rows(change, "pfr.csv")}
    check({"ai", "md"} <= branches <= {"ai", "md", "hold"}, f"branches {branches}")
    compared = 0
    for port, points in seen.items():
        for time, rate in points:
            # A period that ends at a sample is told when the next frame comes, at most one later.
            after = [r for t, r in told[port] if time <= t < time + 24000]
            if after:
                check(rate in after[:1], f"{port} at {time} ns: {rate}, told {after}")
                compared += 1
    check(compared > 100, f"{compared} samples compared")
    # What the rate comes from: a queue beyond half of its limit is in excess, an XOFF makes SD 2 at least.
    for row in rows(change, "pfr.csv"):
        queue, limit = int(row["queue_bytes"]), int(row["threshold_bytes"])
        excess = round(queue - limit / 2) if 0 < limit <= 2 * queue else 0
        check(abs(int(row["extra_bytes"]) - excess) <= 1, f"pfr.csv: {row}")
        check(row["pauses"] == "0" or float(row["slow_down"]) >= 2, f"pfr.csv: {row}")
    paused = simulate(build, root / "pfr-paused", *wrcc, "--pfr=change", "--leafBuffer=1MiB", "--ns3::roce::Switch::HeadroomFactor=1", "--pfc")
    check(any(row["pauses"] != "0" for row in rows(paused, "pfr.csv")), "no pauses in pfr.csv")
    check(any(int(row["queue_bytes"]) > int(row["threshold_bytes"]) / 2 > 0 for row in rows(paused, "pfr.csv")), "no queue beyond half of Q_max")
    none = simulate(build, root / "pfr-none", "--pfr=24us")
    check(not rows(none, "pfr.csv"), "fair rates without WrccFairRate")


def check_micro_loops(build, root):
    """mlcc.csv: both ends of flows between datacenters, the same however late stations run; empty without Mlcc."""
    mlcc = ["--cc=Hpcc", "--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide", "--mlcc=20us"]
    folder = simulate(build, root / "mlcc", *mlcc)
    found = {row["variable"] for row in rows(folder, "mlcc.csv")}
    check(found == {"r_ns_bps", "rbar_sender_bps", "matches", "r_credit_bps", "q_c_bytes", "d_pre_ns", "r_dqm_bps", "dw", "token",
                    "rbar_bps"}, f"mlcc.csv: {found}")
    for row in rows(folder, "mlcc.csv"):
        value = float(row["value"])
        check(not row["variable"].endswith("_bps") or 0 <= value <= 10 ** 11, f"mlcc.csv: {row}")
        check(row["variable"] != "token" or 0 <= value < 1, f"mlcc.csv: {row}")
    other = simulate(build, root / "mlcc-eager", *mlcc, *EAGER)
    check((other / "mlcc.csv").read_bytes() == (folder / "mlcc.csv").read_bytes(), "mlcc.csv differs when eager")
    check(not rows(simulate(build, root / "mlcc-none", "--mlcc=20us"), "mlcc.csv"), "mlcc.csv without Mlcc")


def check_pfqs(build, root):
    """pfq.csv: at intervals what on change tells; queues that have emptied; empty without the stage."""
    mlcc = ["--cc=Hpcc", "--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide", "--interFraction=0.5",
            "--hostRate=25Gbps"]
    change = simulate(build, root / "pfq-change", *mlcc, "--pfq=change")
    sampled = simulate(build, root / "pfq-sampled", *mlcc, "--pfq=500ns")
    key, value = ("node", "src", "qp"), "queue_bytes"
    told = series(change, "pfq.csv", key, value)
    seen = series(sampled, "pfq.csv", key, value)
    check(len(seen) > 10 and set(seen) <= set(told), f"{len(seen)} queues seen, {len(told)} told of")
    compared = emptied = 0
    for queue, points in seen.items():
        for time, length in points:
            before = [told_length for t, told_length in told[queue] if t <= time]
            check(before and before[-1] == length, f"{queue} at {time} ns: {length}, told {before[-1:]}")
            compared += 1
            emptied += length == 0
    check(compared > 50 and emptied > 5, f"{compared} samples compared, {emptied} of empty queues")
    check(all(points[-1][1] == 0 for points in told.values()), "a queue that never empties")
    rates = {int(row["rate_bps"]) for row in rows(change, "pfq.csv")}
    check(25 * 10 ** 9 in rates and len(rates) > 10, f"rates {sorted(rates)[:5]}")
    check(any(row["epoch"] != "0" for row in rows(change, "pfq.csv")), "no C_D")
    flows = {row["id"]: row for row in rows(change, "flows.csv")}
    for row in rows(change, "pfq.csv"):
        flow = flows[row["flow"]]
        check(flow["src"] == row["src"] and flow["scope"] == "inter", f"pfq.csv: {row} is not of {flow}")
    none = simulate(build, root / "pfq-none", "--pfq=24us")
    check(not rows(none, "pfq.csv"), "queues without MlccReceiverSide")


def check_notified_messages(build, root):
    """A CNP is about the message of its queue pair that has begun last."""
    (root / "two.csv").write_text("src,dst,bytes,start_ns,class,srcport,tag,phase,qp\n" + "".join(f"{src},0,2000000,0,3,0,0,0,1\n" for src in (1, 2, 3) for _ in "12"))
    folder = simulate(build, root / "told-two", "--cc=Dcqcn", "--pattern=list", f"--flows={root / 'two.csv'}", "--notifications")
    ends = {row["id"]: Decimal(row["start_ns"]) + Decimal(row["fct_ns"]) for row in rows(folder, "flows.csv")}
    found = rows(folder, "notifications.csv")
    check({row["flow"] for row in found} == set(ends), "no CNPs of some messages")
    for row in found:
        check(Decimal(row["time_ns"]) < ends[row["flow"]], f"a CNP of a message that is over: {row}")


def check_notifications(build, root):
    """notifications.csv: as many of each kind as were sent, to the sender of the flow's data, and what they say."""
    mlcc = ["--interCc=Mlcc", "--edge=MlccNearSource,MlccReceiverSide", "--interFraction=0.5", "--hostRate=25Gbps"]
    cases = (("cnp", "cnpsSent", ["--cc=Dcqcn"]), ("cnp", "biccNearCnps", ["--cc=Dcqcn", "--edge=Bicc", "--interFraction=0.8", "--wanRate=10Gbps"]),
             ("fcnp", "wrccFcnps", ["--cc=Wrcc", "--stages=WrccFairRate"]), ("switch-int", "mlccSwitchInts", mlcc),
             ("pseudo-ack", "reflexNsfPseudoAcks", ["--cc=Timely", "--edge=ReflexNsf", "--interFraction=0.5"]))
    for i, (kind, counter, options) in enumerate(cases):
        folder = simulate(build, root / f"told-{i}", *options, "--notifications", "--pfr=change")
        with open(folder / "summary.json", encoding="utf-8") as file:
            summary = json.load(file)
        names = set(summary["nodeNames"].values())
        flows = {row["id"]: row for row in rows(folder, "flows.csv")}
        found = [row for row in rows(folder, "notifications.csv") if row["kind"] == kind and (row["from"] in names) == (counter != "cnpsSent")]
        # What is made at the end of the run may still wait.
        check(0 < len(found) <= summary["counters"][counter] <= len(found) + 3, f"{len(found)} {kind}, {counter} {summary['counters'][counter]}")
        for row in found:
            flow, time = flows[row["flow"]], Decimal(row["time_ns"])
            check(row["to"] == f"nic{flow['src']}" and Decimal(flow["start_ns"]) < time, f"{kind}: {row} is not of {flow}")
            check((row["from"] == f"nic{flow['dst']}") == (counter == "cnpsSent"), f"{kind}: {row} of {flow}")
            check((row["rate_bps"] != "") == (kind == "fcnp"), f"{kind}: {row}")
            check((row["hops"] != "0") == (kind == "switch-int"), f"{kind}: {row}")
        check({row["marked"] for row in found} == {"0"}, f"{kind}: the queues are too short for marks")
        if kind == "fcnp":  # they name a rate that a port of the switch has had
            rates = {int(row["fair_rate_bps"]) // 10 ** 6 for row in rows(folder, "pfr.csv")}
            check({int(row["rate_bps"]) // 10 ** 6 for row in found} <= rates, "FCNPs name other rates than ports have")
        some = simulate(build, root / f"told-some-{i}", *options, "--notifications", "--seriesFlows=3-9")
        check(rows(some, "notifications.csv") == [row for row in rows(folder, "notifications.csv") if 3 <= int(row["flow"]) <= 9], "chosen flows")


def check_voqs(build, root):
    """voqs.csv: at intervals what on change tells; rates that CNPs have cut; chosen ports; empty without Bicc."""
    bicc = ["--cc=Dcqcn", "--edge=Bicc[MaxRate=20Gbps]", "--interFraction=0.5", "--hostRate=25Gbps"]
    change = simulate(build, root / "voqs-change", *bicc, "--voqs=change")
    sampled = simulate(build, root / "voqs-sampled", *bicc, "--voqs=500ns")
    key = ("node", "port", "voq")
    for value in ("queue_bytes", "rate_bps"):
        told = series(change, "voqs.csv", key, value)
        seen = series(sampled, "voqs.csv", key, value)
        check(len(seen) > 10 and set(seen) <= set(told), f"{len(seen)} VOQs seen, {len(told)} told of")
        compared = 0
        for queue, points in seen.items():
            for time, number in points:
                before = [n for t, n in told[queue] if t <= time]
                # A rate rises by steps between frames, of which nobody tells.
                agrees = before and (before[-1] == number or value == "rate_bps" and before[-1] < number)
                check(agrees, f"{queue} at {time} ns: {value} {number}, told {before[-1:]}")
                compared += 1
        check(compared > 50, f"{compared} samples compared")
    lengths = series(change, "voqs.csv", key, "queue_bytes")
    check(all(points[-1][1] == 0 for points in lengths.values()), "a VOQ that never empties")
    rates = {int(row["rate_bps"]) for row in rows(change, "voqs.csv")}
    check(max(rates) == 20 * 10 ** 9 and 10 * 10 ** 9 in rates, f"rates {sorted(rates)[:5]}: no cut by half")
    node, port, _ = next(iter(lengths))
    with open(change / "summary.json", encoding="utf-8") as file:
        name = json.load(file)["nodeNames"][node]
    one = rows(simulate(build, root / "voqs-one", *bicc, "--voqs=change", f"--seriesPorts={name}:{port}"), "voqs.csv")
    check(one == [row for row in rows(change, "voqs.csv") if (row["node"], row["port"]) == (node, port)],
          "VOQs of a chosen port")
    none = simulate(build, root / "voqs-none", "--voqs=24us")
    check(not rows(none, "voqs.csv"), "VOQs without Bicc")


def main():
    """All of it."""
    build = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        change = simulate(build, root / "change", *CHANGE)
        sampled = simulate(build, root / "sampled", *SAMPLED)
        flows = rows(change, "flows.csv")
        check(len(flows) > 50, f"{len(flows)} flows")
        with open(change / "summary.json", encoding="utf-8") as file:
            summary = json.load(file)
        counters = summary["counters"]
        check((change / "flows.csv").read_bytes() == (sampled / "flows.csv").read_bytes(),
              "watching has changed the flows")
        check({row["node"] for row in rows(change, "utilisation.csv")} <= set(summary["nodeNames"]),
              "nodes without name")
        check_sampled(change, sampled)
        check_rates(change, flows)
        check_rates(sampled, flows)
        check_pauses(change, sampled, counters)
        check_utilisation(change, sampled)
        check_time_line(change, flows, Decimal(counters["simulatedNs"]))
        check_animation(change)

        # The same bytes, whatever the order in which stations tell.
        for options in (EAGER, ["--scheduler=ns3::MapScheduler"]):
            other = simulate(build, root / "other", *CHANGE, *options)
            for name in TABLES + ["trace.json", "netanim.xml"]:
                check((other / name).read_bytes() == (change / name).read_bytes(),
                      f"{name} differs with {options[0]}")

        # A choice of ports and flows.
        some = simulate(build, root / "some", *CHANGE, "--seriesPorts=dc0-leaf0:1,nic3",
                        "--seriesFlows=0,3-5")
        ports = {(summary["nodeNames"][r["node"]], r["port"]) for r in rows(some, "utilisation.csv")}
        check(ports == {("dc0-leaf0", "1"), ("dc0-host3", "0")}, f"ports: {ports}")
        check({r["port"] for r in rows(some, "queues.csv")} == {"1"}, "queues of chosen ports")
        for name in ("rates.csv", "transport.csv"):
            check({r["flow"] for r in rows(some, name)} == set("0345"), f"flows of {name}")

        # The time line alone brings queues and rates with it, and unfinished flows and pauses end.
        line = simulate(build, root / "line", "--chromeTrace")
        check_time_line_alone(line)

        # Each table of hosts names them.
        for option, name in (("--pauses=5us", "pauses.csv"), ("--utilisation=5us", "utilisation.csv")):
            check_names(simulate(build, root / "names", option), name)

        check_fair_rates(build, root)
        check_micro_loops(build, root)
        check_pfqs(build, root)
        check_voqs(build, root)
        check_notifications(build, root)
        check_notified_messages(build, root)

        # The run ends within a pause.
        begin = min(Decimal(r["time_ns"]) for r in rows(change, "pauses.csv") if r["paused"] == "1")
        cut = simulate(build, root / "cut", "--chromeTrace", f"--stop={int(begin) + 100}ns", status=3)
        check_cut(cut)

        # Short pauses are refreshed, or run out, which no event tells.
        short = "--ns3::roce::Switch::PauseQuanta=300"
        check_refreshes(simulate(build, root / "refreshed", *CHANGE, short))
        short = [*CHANGE, short, "--ns3::roce::Switch::RefreshPause=false"]
        lazy, eager = (simulate(build, root / name, *short, *options)
                       for name, options in (("lazy", []), ("eager", EAGER)))
        check((lazy / "pauses.csv").read_bytes() == (eager / "pauses.csv").read_bytes(),
              "pauses.csv: pauses that run out")

        done = subprocess.run(["/usr/bin/python3", PLOT, sampled, "--out", root],
                              capture_output=True, text=True, timeout=300, check=False)
        check(done.returncode == 0, f"plot_series.py: {done.stderr}")
        check((root / "series.png").stat().st_size > 20000, "series.png is too small")
    print("time series, time line and animation agree")


def check_time_line_alone(folder):
    """--chromeTrace without other options."""
    times = {Decimal(row["time_ns"]) for row in rows(folder, "queues.csv")}
    check(Decimal(10000) in times and all(t % 10000 == 0 for t in sorted(times)[:-1]),
          "queues.csv every 10 us")
    check(rows(folder, "rates.csv"), "rates.csv")
    check(not (folder / "pauses.csv").exists(), "pauses.csv was not asked for")
    with open(folder / "trace.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check(any(e["ph"] == "X" and e["name"] == "paused" for e in events), "no pauses")


def check_names(folder, name):
    """summary.json has a name for each node of a table, of hosts, too."""
    with open(folder / "summary.json", encoding="utf-8") as file:
        names = json.load(file)["nodeNames"]
    nodes = {row["node"] for row in rows(folder, name)}
    check(nodes <= set(names), f"{name}: nodes without name")
    check(any("host" in names[node] for node in nodes), f"{name}: no hosts")


def check_refreshes(folder):
    """pfc.csv tells refreshes from new pauses."""
    with open(folder / "summary.json", encoding="utf-8") as file:
        counters = json.load(file)["counters"]
    for event, name in (("xoff", "pfcXoffSent"), ("refresh", "pfcXoffRefreshed")):
        count = sum(row["event"] == event for row in rows(folder, "pfc.csv"))
        check(count == counters[name] > 0, f"pfc.csv: {count} {event}, {counters[name]}")


def check_cut(folder):
    """What lasts at the end of the run is drawn up to there."""
    with open(folder / "trace.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    open_slices = {e["name"] for e in events if e.get("args", {}).get("status") == "unfinished"}
    check({"paused", "XOFF sent"} < open_slices, f"unfinished slices: {open_slices}")
    check(any(name.startswith("flow ") for name in open_slices), "no unfinished flows")


if __name__ == "__main__":
    main()
