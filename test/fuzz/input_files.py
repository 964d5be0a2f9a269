# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Input files: good ones of each format with random contents, then with fields, lines and bytes changed."""

import json
import os

from roce_fuzz import Case, Fuzzer, files_of

# Four hosts (0 to 3) at two switches (4 and 5).
TOPOLOGY = b"""6 2 2 5
4 5
0 4 100000000000bps 1000ns 0
1 4 100000000000bps 1000ns 0
2 5 100000000000bps 1000ns 0
3 5 100000000000bps 1000ns 0
4 5 100000000000bps 1000ns 0
"""
FLOW_TXT = b"3\n0 2 3 100 20000 0.000001\n1 2 3 200 5000 0.0000015\n3 0 3 100 1 0.000002\n"
FLOWS = b"src,dst,bytes,start_ns\n0,1,1000,0\n2,3,20000,500.125\n"
PHASES = b"# a comment\nsrc,dst,bytes,start_ns,class,srcport,tag,phase\n0,2,3000,0,3,50000,0,1\n1,3,3000,100,3,0,1,2\n2,0,1,0,3,0,0,1\n"
CDF = b"# sizes\n1000 0\n5000 50\n20000 100\n"
GOAL = b"num_ranks 3\nrank 0 {\nl1: calc 500 cpu 1\nl2: send 9000b to 1 tag 2 // on\nl2 requires l1\nrecv 5b from -1 tag -1\n}\nrank 1 {\n" \
       b"l1: recv 9000b from 0 tag 2\nl2: send 5b to 0\nl2 irequires l1\n}\nrank 2 { /* none */\n}\n"
JOBS = b"""[
{"name": "a", "placement": "random", "stream": 3, "start": "1us", "repetitions": 2, "pause": "1us",
"training": {"tensor": 1, "pipeline": 1, "data": 2, "expert": 1,
"layers": 2, "microBatches": 2, "hidden": 8,
"sequence": 16, "flops": 1e12,
"zero": true, "overlap": true, "bucketBytes": 100, "dataLevels": "2:ring"}},
{"name": "b", "ranks": 2, "placement": "0,1",
"collective": {"kind": "all-reduce", "bytes": 9000, "pieces": 2}}
]
"""
CHAKRA = b'\x07\n\x050.0.4\x19\x08\x01\x12\x01a\x18\x048\x03R\x0e\n\tis_cpu_op\xd8\x01\x01' \
         b'<\x08\x02\x18\x07*\x01\x01R\r\n\tcomm_typeH\x00R\x0e\n\tcomm_sizeH\xe8\x07R\x14\n\x0cinvolved_dim\xe2\x01\x03\n\x01\x01' \
         b'.\x08\x03\x18\x01 \x02B&\n$[\'[{"pg_name": "1", "ranks": [0]}]\']'
PATHS = b"id,path_node_ids,ack_path_node_ids\n0,0-4-5-2,2-5-4-0\n1,1-4-5-2,2-5-4-1\n"
CONFIG = b"""ENABLE_QCN 1
USE_DYNAMIC_PFC_THRESHOLD 1
PACKET_PAYLOAD_SIZE 1000
SIMULATOR_STOP_TIME 2.001
CC_MODE 3
ALPHA_RESUME_INTERVAL 1
RATE_DECREASE_INTERVAL 4
CLAMP_TARGET_RATE 0
RP_TIMER 300
EWMA_GAIN 0.00390625
FAST_RECOVERY_TIMES 1
RATE_AI 50Mb/s
RATE_HAI 100Mb/s
MIN_RATE 100Mb/s
DCTCP_RATE_AI 1000Mb/s
ERROR_RATE_PER_LINK 0.0
L2_CHUNK_SIZE 4000
L2_ACK_INTERVAL 1
L2_BACK_TO_ZERO 0
HAS_WIN 1
GLOBAL_T 1
VAR_WIN 1
FAST_REACT 1
U_TARGET 0.95
MI_THRESH 0
INT_MULTI 1
MULTI_RATE 0
SAMPLE_FEEDBACK 0
PINT_LOG_BASE 1.05
PINT_PROB 1.0
RATE_BOUND 1
ACK_HIGH_PRIO 0
LINK_DOWN 0 0 0
ENABLE_TRACE 0
KMAX_MAP 2 100000000000 400 400000000000 1600
KMIN_MAP 2 100000000000 100 400000000000 400
PMAX_MAP 2 100000000000 0.2 400000000000 0.2
BUFFER_SIZE 32
TOPOLOGY_FILE topology.txt
FLOW_FILE flow.txt
TRACE_FILE trace.txt
"""
SUMMARY = json.dumps({"format": 1, "configuration": {"a": "b"}, "files": ["flows.csv", "queues.csv", "nic0.pcap", "summary.json"]},
                     indent=2).encode() + b"\n"

# What stands behind the counted lines.
TRAILERS = [[""], [""], ["", "First line: # of flows", "src0 dst0 3 dst_port0 size0 start_time0", "..."], ["", "1 2 3", ""],
            ["0 1 3 100 5 2", ""], ["0 4 100Gbps 1us 0", ""], ["# a comment"], ["\x00"]]
FORK_KEYS = [b"ENABLE_PFC 0\n", b"ENABLE_PFC 1.0\n", b"ENABLE_IRN 1\n", b"LB_MODE 6\n", b"LB_MODE 9\n", b"BASE_RTT 14400\n", b"FIXED_WIN 18000\n",
             b"MAX_RATE 100000Mb/s\n", b"MAX_RATE 1Gb/s\n", b"TIMELY_T_LOW 10000\n", b"TIMELY_T_HIGH 5000\n", b"TIMELY_BETA 0.8\n",
             b"TIMELY_ALPHA 2\n", b"TIMELY_MIN_RTT 20000\n", b"HEADROOM_FACTOR 1.5\n", b"DCI_BUFFER_SIZE 128\n", b"CC_MODE 3 {HPCC}\n",
             b"WORKING_DIR ./\n", b"TRACE_FILE ${WORKING_DIR}trace.txt\n", b"HAS_WIN 0\n", b"PMAX_MAP 1 100000000000 0.2 400000000000 0.2\n",
             b"CONWEAVE_TX_EXPIRY_TIME 300\n", b"ROUTING_MODE 2\n", b"ENABLE_TRACE 0\n"]
UNKNOWN_KEYS = [b"TCP_FLOW_FILE a.txt\n", b"SEND_IN_CHUNKS 0\n", b"COLOUR 1 2 3\n", b"\\\n"]

SPINE = ["--duration=5us", "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--hostRate=10Gbps", "--wanDelay=5us", "--safetyLimit=500us",
         "--out=out", "--progress=none"]
REPLAY = ["--topology=topology.txt", "--safetyLimit=500us", "--out=out", "--progress=none"]

# Format: file, contents, programs with arguments.
FORMATS = {
    "cdf": ("cdf.txt", CDF, [("two-dc-leaf-spine", SPINE + ["--workload=cdf.txt", "--load=0.2"]),
                             ("two-dc-leaf-spine", SPINE + ["--workload=cdf.txt", "--load=0.2", "--truncate=3000"]),
                             ("two-dc-leaf-spine", SPINE + ["--interWorkload=cdf.txt", "--load=0.2", "--truncate=20000"])]),
    "flows": ("flows.csv", FLOWS, [("two-dc-leaf-spine", SPINE + ["--pattern=list", "--flows=flows.csv"]),
                                   ("replay", REPLAY + ["--cc=Dcqcn", "--flows=flows.csv"])]),
    "phases": ("flows.csv", PHASES, [("two-dc-leaf-spine", SPINE + ["--pattern=list", "--flows=flows.csv"]),
                                     ("replay", REPLAY + ["--cc=Swift", "--flows=flows.csv"])]),
    "flow.txt": ("flow.txt", FLOW_TXT, [("two-dc-leaf-spine", SPINE + ["--pattern=list+incast", "--flows=flow.txt", "--incastBytes=9"]),
                                        ("replay", REPLAY + ["--cc=Hpcc", "--flows=flow.txt"])]),
    "topology": ("topology.txt", TOPOLOGY, [("replay", REPLAY + ["--cc=Hpcc", "--flows=flow.txt"]),
                                            ("replay", REPLAY + ["--cc=Timely", "--flows=flow.txt", "--profile=hpcc-sim"])]),
    "config": ("config.txt", CONFIG, [("replay", ["--config=config.txt", "--safetyLimit=500us", "--out=out"]),
                                      ("replay", ["--config=config.txt", "--safetyLimit=500us", "--out=out", "--profile=hpcc-sim"])]),
    "pathFile": ("paths.csv", PATHS, [("replay", REPLAY + ["--cc=Dcqcn", "--flows=flow.txt", "--pathFile=paths.csv"])]),
    "goal": ("ranks.goal", GOAL, [("two-dc-leaf-spine", SPINE + ["--pattern=goal", "--goal=ranks.goal"]),
                                  ("two-dc-leaf-spine", SPINE + ["--pattern=goal+incast", "--goal=ranks.goal", "--logGp=1us,0,1ns",
                                                                 "--incastBytes=9"])]),
    "jobs": ("jobs.json", JOBS, [("two-dc-leaf-spine", SPINE + ["--pattern=jobs", "--jobs=jobs.json"]),
                                 ("replay", REPLAY + ["--cc=Dcqcn", "--jobs=jobs.json"])]),
    "chakra": ("t.0.et", CHAKRA, [("two-dc-leaf-spine", SPINE + ["--pattern=chakra", "--trace=t"])]),
    "summary": ("out/summary.json", SUMMARY, [("two-dc-leaf-spine", SPINE + ["--truncate=3000"])]),
}

ODD_FIELDS = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "-1", "-0", "+1", "1.5", "1e3", "1e-3", "1e300", "1e309", "nan", "inf", "0x10", "00",
              "255", "256", "65535", "65536", "4294967295", "4294967296", "9007199254740993", "9223372036854775807",
              "9223372036854775808", "18446744073709551615", "18446744073709551616", "1" * 60, "0." + "3" * 60, "1e-400", "", " ", "#", "a", "\"1\"",
              "1000ns", "1us", "0bps", "1bps", "100Gbps", "99999Tbps", "0-4-2", "0-2", "4", "0-4-5-4-5-2", "4-0", "\u00e9", "\t", "x" * 5000,
              "../" * 50, "/dev/null", ".", "[]", "{}", "null", "true"]


def change_field(rng, data):
    """@return the text with a field replaced, left out, repeated or swapped with another."""
    lines = data.decode("latin-1").split("\n")
    at = rng.randrange(len(lines))
    for separator in (",", " "):
        if separator in lines[at]:
            fields = lines[at].split(separator)
            field = rng.randrange(len(fields))
            what = rng.random()
            if what < 0.75:
                fields[field] = rng.choice(ODD_FIELDS).encode().decode("latin-1")
            elif what < 0.85:
                del fields[field]
            elif what < 0.95:
                fields.insert(field, fields[field])
            else:
                fields[field], fields[0] = fields[0], fields[field]
            lines[at] = separator.join(fields)
            break
    else:
        lines[at] = rng.choice(ODD_FIELDS).encode().decode("latin-1")
    return "\n".join(lines).encode("latin-1")


def change_lines(rng, data):
    """@return the text with a line left out, repeated, put elsewhere or ended otherwise."""
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    what = rng.randrange(7)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines[at:at] = [lines[at]] * rng.choice([1, 2, 300])
    elif what == 2:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif what == 3:
        return rng.choice([b"\r\n", b"\r", b"\n\n", b" \n\t"]).join(lines)
    elif what == 4:
        return b"\xef\xbb\xbf" * rng.choice([1, 2]) + data
    elif what == 5:
        lines[at] += rng.choice([b" # comment", b"#", b",", b" ", b",,", b"\\", b" 1"])
    else:
        lines.insert(at, rng.choice([b"# comment", b"", b" ", b"\xff\xfe", b"," * 100, b"x" * 100000, b"1 " * 600000, b"x" * 2000000, b"\x00"]))
    return b"\n".join(lines)


def change_bytes(rng, data):
    """@return the text cut off, or with bytes changed, left out or put in."""
    if not data:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(50)))
    if rng.random() < 0.3:
        return data[:rng.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(len(changed)) if changed else 0
        what = rng.random()
        if what < 0.4 and changed:
            changed[at] ^= 1 << rng.randrange(8)
        elif what < 0.7:
            changed.insert(at, rng.choice([0, 9, 10, 13, 35, 44, 45, 46, 127, 128, 255, rng.randrange(256)]))
        elif changed:
            del changed[at:at + rng.choice([1, 2, 10])]
    return bytes(changed)


def random_text(rng, name):
    """@return a good file of a format with contents of its own."""
    if name in ("flows", "phases"):
        rows, phase = [], 0
        for _ in range(rng.randint(1, 8)):
            src, dst = rng.sample(range(4), 2)
            row = [src, dst, rng.choice([0, 1, 1000, rng.randint(1, 30000)]), rng.choice([0, 5, rng.randint(0, 9999), "0.125"])]
            if name == "phases":
                phase = rng.choice([phase, phase, phase + 1]) or 1
                row += [3, rng.choice([0, 49152, 65535]), rng.randint(0, 3), rng.choice([0, phase])]
            rows.append(",".join(map(str, row)))
        header = "src,dst,bytes,start_ns" + (",class,srcport,tag,phase" if name == "phases" else "")
        return "\n".join([header] + rows + [""]).encode()
    if name == "cdf":
        n = rng.randint(1, 6)
        sizes = sorted(rng.randint(0, 40000) for _ in range(n))
        shares = sorted(rng.choice([0, 100, rng.randint(0, 100), rng.random() * 100]) for _ in range(n))
        shares[-1] = 100
        return "".join(f"{s} {c}\n" for s, c in zip(sizes, shares)).encode()
    if name == "flow.txt":
        columns = rng.choice(["usual", "usual", "conweave", "hawkeye", "m3", "packets"])
        rows = []
        for i in range(rng.randint(1, 6)):
            src, dst = rng.sample(range(4), 2)
            port, size, start = rng.choice([100, 200]), rng.randint(0, 30000), f"{rng.choice([0, i * 1e-6]):.9f}"
            rows.append({"usual": f"{src} {dst} 3 {port} {size} {start}", "conweave": f"{src} {dst} 3 {size} {start}",
                         "hawkeye": f"{src} {dst} 3 {port} {size} {start} 0.1", "m3": f"{i} {src} {dst} 3 {port} {size} {start}",
                         "packets": f"{src} {dst} 3 {size} {rng.choice([0, 1, 2])}{rng.choice(['', '.0'])} 9.5"}[columns])
        return "\n".join([str(len(rows))] + rows + rng.choice(TRAILERS)).encode()
    if name == "topology":
        hosts, switches = rng.randint(2, 5), rng.randint(1, 3)
        links = [f"{h} {hosts + rng.randrange(switches)}" for h in range(hosts)]
        links += [f"{hosts + rng.randrange(s)} {hosts + s}" for s in range(1, switches)]
        links += [f"{hosts} {hosts + s}" for s in range(1, switches) if rng.random() < 0.3]
        ends = [f" {rng.choice(['10', '100', '400'])}Gbps {rng.choice(['0', '1', '0.5', '10'])}us {rng.choice(['0', '0', '0.01'])}"
                for _ in links]
        ids = [str(hosts + s) for s in range(switches)]
        others = rng.randint(0, switches)  # ToRs, DCI switches or NVSwitches
        first, id_lines = rng.choice([
            ([hosts + switches, switches, len(links)], [" ".join(ids)]),
            ([hosts + switches, switches, len(links)], ids),
            ([hosts + switches, switches, others, len(links)], [" ".join(ids)]),
            ([hosts + switches, switches, others, len(links), 10**11, 10**11], [" ".join(ids)]),
            ([hosts + switches, switches - others, others, len(links)],
             [" ".join(ids[:switches - others]), " ".join(ids[switches - others:])]),
            ([hosts + switches, 8, others, switches - others, len(links), "A100"] + rng.choice([[], [8]]), [" ".join(ids)])])
        return "\n".join([" ".join(map(str, first))] + id_lines + [a + b for a, b in zip(links, ends)] +
                         rng.choice(TRAILERS)).encode()
    if name == "config":
        lines = CONFIG.splitlines(keepends=True)
        lines = [line for line in lines if rng.random() < 0.8 or b"_FILE" in line]
        for key in rng.sample(FORK_KEYS, rng.choice([0, 0, 1, 3])) + rng.choice([[], [], UNKNOWN_KEYS]):
            lines.insert(rng.randint(0, len(lines)), key)
        return b"".join(lines)
    return FORMATS[name][1]


class InputFiles(Fuzzer):
    """Random input files of every format that the programs read."""

    name = "input-files"

    def make(self, rng, index):
        kind = rng.choice(sorted(FORMATS))
        name, usual, programs = FORMATS[kind]
        program, arguments = rng.choice(programs)
        files = {"topology.txt": TOPOLOGY, "flow.txt": FLOW_TXT, "t.1.et": CHAKRA}
        data = usual if rng.random() < 0.5 else random_text(rng, kind)
        for _ in range(rng.choice([0, 1, 1, 1, 2, 3]) if kind != "summary" else rng.choice([1, 2])):
            data = rng.choice([change_field, change_field, change_lines, change_bytes])(rng, data)
        files[name] = data
        if kind == "config":
            arguments = arguments + rng.choice([[], ["--ignoreUnknown"], ["--longLink=1us"], ["--longLink=1us", "--longLinkBuffer=1GiB"]])
            if rng.random() < 0.3:  # in a folder, whose files it names as seen from itself or from here
                arguments = [a.replace("--config=", "--config=mix/") for a in arguments]
                files["mix/config.txt"] = files.pop(name)
                if rng.random() < 0.5:
                    files["mix/topology.txt"] = files.pop("topology.txt")
        if kind == "summary":
            # What a broken or foreign list of files names is not lost.
            files.update({"out/mine.txt": b"1", "out/flows.csv": b"2", "keep.txt": b"3"})
            if rng.random() < 0.3:
                names = rng.sample(["../keep.txt", "/etc/hosts", "mine.txt/", ".", "..", "", "a/b", "flows.csv", "summary.json", "x" * 300,
                                    "nic0.pcap", "\u0000", "\ud800"], 5)
                files[name] = json.dumps({"files": names}).encode()
            elif rng.random() < 0.2:
                files[name] = b'{"files":' + b"[" * rng.choice([10, 100000])
        elif name in files and rng.random() < 0.02:
            files[name] = None  # a folder
        elif name in files and rng.random() < 0.02:
            files.pop(name)
        return Case(program, arguments, files)

    def attempt(self, case, folder):
        reply, findings = super().attempt(case, folder)
        if "out/summary.json" in case.files:
            findings = [f for f in findings if not (f.startswith("lost: out/flows.csv") and reply.status in (0, 3))]
            named = files_of(case.files["out/summary.json"] or b"")
            if "mine.txt" in named:
                findings = [f for f in findings if not f.startswith("lost: out/mine.txt")]
            if not os.path.exists(folder / "keep.txt"):
                findings.append("lost: keep.txt, outside of the results")
        return reply, findings


def main(argv):
    """Run."""
    return InputFiles().main(argv)
