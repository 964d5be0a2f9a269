# SPDX-License-Identifier: GPL-2.0-only
"""replay reads files as simulators made from the HPCC simulator lay them out, or says whose they are.

Each case is a folder of small files, written here, with the command's options and what must come of it: the flows in
flows.csv, notes and warnings, or an error with its file, line and key.
"""

import pytest

from support import HPCC_PATHS, LEAF_SPINE, rows, run, summary, write_files

# Hosts 1 to 3 at switch 0.
STAR = "4 1 3\n0\n" + "".join(f"0 {h} 100Gbps 0.001ms 0\n" for h in (1, 2, 3))
FLOWS = "2\n2 1 3 100 1000000 2\n3 1 3 100 1000000 2.0001\n"
EXPLANATION = ("\nFirst line: total node #, switch node #, link #\nSecond line: switch node IDs...\n"
               "src0 dst0 rate delay error_rate\n...\n\nSorted by start, please!\n")
MAPS = ("KMAX_MAP 2 40000000000 400 100000000000 1600\nKMIN_MAP 2 40000000000 100 100000000000 400\n"
        "PMAX_MAP 2 40000000000 0.2 100000000000 0.2\n")
CONFIG = ("CC_MODE 1\nTOPOLOGY_FILE mix/topology.txt\nFLOW_FILE mix/flow.txt\nTRACE_FILE mix/trace.txt\n"
          "HAS_WIN 0\nRATE_AI 50Mb/s\nRATE_HAI 100Mb/s\nBUFFER_SIZE 32\n" + MAPS)
# Keys of ConWeave's configurations, by the places where they stand there.
CONWEAVE = ("TOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nFLOW_INPUT_FILE out/in.txt\nCNP_OUTPUT_FILE out/cnp.txt\n"
            "VOQ_MON_FILE out/voq.txt\nSW_MONITORING_INTERVAL 10000\nFLOWGEN_START_TIME 2.0\nFLOWGEN_STOP_TIME 2.1\n"
            "BUFFER_SIZE 9\nCC_MODE 1\nLB_MODE {lb}\nENABLE_PFC {pfc}\nENABLE_IRN {irn}\nCONWEAVE_TX_EXPIRY_TIME 1000\n"
            "HAS_WIN 0\nRATE_AI 40.0Mb/s\nLOAD 40\nRANDOM_SEED 1\n" + MAPS)
# 10 ms between two switches of two hosts each.
TEN_MS = "6 2 5\n4 5\n" + "".join(f"{h} {4 + h // 2} 400Gbps 0.0005ms 0\n" for h in range(4)) + "4 5 400Gbps 10ms 0\n"


class Case:
    """A folder with files, in which replay runs."""

    def __init__(self, programs, folder, files):
        self.programs, self.program = programs, "replay"
        self.folder = write_files(folder, files)
        self.runs = 0

    def run(self, options, status=0):
        """Run it with an output folder of its own."""
        self.runs += 1
        return self.programs.run(self.program, *options, f"--out=out{self.runs}", "--progress=none", cwd=self.folder, status=status)

    def paths(self, status=0):
        """What hpcc_paths.py says of the files."""
        return run(HPCC_PATHS, "topology.txt", "flow.txt", cwd=self.folder, status=status)

    def good(self, options, flows=None, said=(), silent=False):
        """It runs. @return rows of flows.csv. flows: (src, dst, bytes, start in ns); said: what stands in its messages"""
        done = self.run(options)
        for text in said:
            assert text in done.stderr, f"{options}: '{text}' is not in {done.stderr!r}"
        assert not silent or not done.stderr, f"{options}: says {done.stderr!r}"
        table = rows(self.folder / f"out{self.runs}" / "flows.csv")
        found = [(int(r["src"]), int(r["dst"]), int(r["bytes"]), float(r["start_ns"])) for r in table]
        assert flows is None or found == flows, f"{options}: flows {found}, expected {flows}"
        return table

    def bad(self, options, *parts):
        """It is refused before anything is simulated, in one line with all these parts."""
        done = self.run(options, 2)
        errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
        assert len(errors) == 1 and not (self.folder / f"out{self.runs}").exists(), f"{options}: {done.stderr!r}"
        for part in parts:
            assert part in errors[0], f"{options}: '{part}' is not in {errors}"

    def attributes(self):
        """Of the last run."""
        return summary(self.folder / f"out{self.runs}")["configuration"]


@pytest.fixture
def make(programs, folder):
    """Writes a case's files."""
    return lambda name, files: Case(programs, folder / name.replace("/", "-"), files)


TWO = [(1, 0, 1000000, 2e9), (2, 0, 1000000, 2.0001e9)]
USUAL = ["--topology=topology.txt", "--flows=flow.txt", "--cc=Dcqcn"]


def test_trailing_text(make):
    """As many lines are read as the counts say; a file is looked for beside the configuration, then here."""
    case = make("trailing text", {"mix/config.txt": CONFIG, "mix/topology.txt": STAR + EXPLANATION,
                                  "mix/flow.txt": FLOWS + EXPLANATION})
    case.good(["--config=mix/config.txt", "--profile=hpcc-sim"], TWO)
    case.good(["--topology=mix/topology.txt", "--flows=mix/flow.txt", "--cc=Dcqcn"], TWO, silent=True)
    case.bad(["--config=mix/config.txt", "--set=TOPOLOGY_FILE=other.txt"], "--set: TOPOLOGY_FILE: no file 'mix/other.txt'",
             "nor 'other.txt'")
    beside = make("beside", {"mix/config.txt": CONFIG.replace("mix/", ""), "mix/topology.txt": STAR, "mix/flow.txt": FLOWS})
    beside.good(["--config=mix/config.txt"], TWO)
    more = make("more lines than the counts", {"topology.txt": STAR + "0 4 100Gbps 0.001ms 0\n",
                                               "flow.txt": FLOWS + "1 3 3 100 5 2.1\n"})
    more.good(USUAL, TWO, ["flow.txt: line 4 has one more flow, but the first line says 2",
                           "topology.txt: line 6 has one more link, but the first line says 3"])
    fewer = make("fewer lines than the counts", {"topology.txt": STAR + EXPLANATION, "flow.txt": "3" + FLOWS[1:] + EXPLANATION})
    fewer.bad(USUAL, "flow.txt:5: found 4 fields, expected 6")


def test_flow_columns(make):
    """Lists with other columns."""
    lists = {"conweave": ("2\n2 1 3 1000000 2\n3 1 3 1000000 2.0001\n", "ConWeave's"),
             "hawkeye": ("2\n2 1 3 100 1000000 2 2.1\n3 1 3 100 1000000 2.0001 2.2\n", "Hawkeye's"),
             "m3": ("2\n0 2 1 3 100 1000000 2\n1 3 1 3 100 1000000 2.0001\n", "m3's"),
             "m3 from 1": ("2\n1 2 1 3 100 1000000 2\n2 3 1 3 100 1000000 2.0001\n", "m3's"),
             "unsorted": ("2\n3 1 3 100 1000000 2.0001\n2 1 3 100 1000000 2\n", "start before one that is listed earlier")}
    lists["hawkeye with small ports"] = (lists["hawkeye"][0].replace(" 100 ", " 4 "), "Hawkeye's")
    for name, (text, said) in lists.items():
        case = make(name, {"topology.txt": STAR, "flow.txt": text})
        case.good(USUAL, TWO, [said])
        if "m3" in name or "hawkeye" in name:
            done = case.paths()
            assert done.stdout.splitlines()[1:] == ["0,2-0-1,1-0-2", "1,3-0-1,1-0-3"], f"{name}: hpcc_paths.py has {done}"
    few = make("few flows", {"topology.txt": STAR, "flow.txt": "3" + FLOWS[1:]}).paths(2)
    assert few.stderr == "error: flow.txt: 2 flows, expected 3, the number in its first line\n", f"{few}"
    packets = {"packets": "2\n2 1 3 10000000 2.0 9.5\n3 1 3 10000000 2.0 9.5\n",
               "few packets": "2\n2 1 3 60000 2 9.5\n3 1 3 60000 2 9.5\n",
               "many packets": "1\n2 1 3 10000000 2 9.5\n"}
    for name, text in packets.items():
        make(name, {"topology.txt": STAR, "flow.txt": text + EXPLANATION}).bad(
            USUAL, "flow.txt:", "bobzhuyb/ns3-rdma's", "packets")
    # A list of tiny messages is no list of packets.
    make("tiny", {"topology.txt": STAR, "flow.txt": "1\n2 1 3 100 1 2\n"}).good(USUAL, [(1, 0, 1, 2e9)], silent=True)


def test_topologies(make):
    """First lines of several projects."""
    def links(hosts, switch):
        return "".join(f"{h} {switch} 100Gbps 1000ns 0.000000\n" for h in range(hosts))

    flow = "1\n0 1 3 100 1000000 0\n"
    one = [(0, 1, 1000000, 0)]
    layouts = {
        "original": "3 1 2\n2\n" + links(2, 2),
        "inet-tub": "3 1 1 2\n2\n" + links(2, 2),
        "inet-tub with rates": "3 1 1 2 25000000000 25000000000\n2 \n0 2 25000000000 2us 0\n1 2 25000000000 2us 0\n",
        "LCMP": "# a comment\n\n5 2 1 4\n2 3\n4\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n3 4 100Gbps 1us 0\n"
                "# another\n",
        "LCMP in one line": "5 2 1 4\n2 3 4\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n3 4 100Gbps 1us 0\n",
        "SimAI": "4 1 0 2 3 A100\n2 3 \n0 2 100Gbps 0.0005ms 0\n1 3 100Gbps 0.0005ms 0\n2 3 100Gbps 0.0005ms 0\n",
        "SimAI with 7": "3 2 1 0 2 H100 8\n2\n0 2 200Gbps 0.000025ms 0\n1 2 200Gbps 0.000025ms 0\n"}
    for name, text in layouts.items():
        make("topology " + name, {"topology.txt": text, "flow.txt": flow}).good(USUAL, one, silent=True)
    gpus = make("GPUs with two links", {
        "topology.txt": "4 2 1 1 4 A100\n2 3\n0 2 2880Gbps 25ns 0\n1 2 2880Gbps 25ns 0\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0\n",
        "flow.txt": flow})
    gpus.good(USUAL, one)  # NICs at the NVSwitch: those of the first two links
    rails = make("rails", {"topology.txt": "4 2 4\n2 3\n0 2 1Gbps 1us 0\n1 2 1Gbps 1us 0\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n",
                           "flow.txt": flow})
    assert [(int(row["src"]), int(row["dst"])) for row in rails.good(USUAL, silent=True)] in ([(0, 1)], [(2, 3)])
    ring = make("no switch", {"topology.txt": "3 0 3\n\n0 1 25Gbps 5us 0\n1 2 25Gbps 5us 0\n2 0 25Gbps 5us 0\n", "flow.txt": flow})
    ring.bad(USUAL, "topology.txt:1: 3 nodes with 0 switches", "forward nothing")
    old = make("links of four fields", {"topology.txt": "3 1 2\n2\n0 2 40Gbps 0.0001ms\n1 2 40Gbps 0.0001ms\n", "flow.txt": flow})
    old.bad(USUAL, "topology.txt:3: found 4 fields", "bobzhuyb/ns3-rdma")
    five = make("five numbers", {"topology.txt": "3 1 1 2 5\n2\n" + links(2, 2), "flow.txt": flow})
    five.bad(USUAL, "topology.txt:1: found 5 fields", "SimAI", "LCMP")


def simai(leaves_of, spines_of):
    """
    A topology as SimAI's generator lays it out: 2 servers of 4 GPUs, an NVSwitch each.
    leaves_of: indices of a GPU's leaves, by its number; spines_of: those of a leaf's spines, by its index
    """
    gpus, servers = 8, 2
    leaves = 1 + max(leaf for gpu in range(gpus) for leaf in leaves_of(gpu))
    spines = 1 + max(spine for leaf in range(leaves) for spine in spines_of(leaf))
    first_leaf = gpus + servers
    first_spine = first_leaf + leaves
    links = []
    for gpu in range(gpus):
        links.append(f"{gpu} {gpus + gpu // 4} 2880Gbps 0.000025ms 0")
        links += [f"{gpu} {first_leaf + leaf} 400Gbps 0.0005ms 0" for leaf in leaves_of(gpu)]
    links += [f"{first_leaf + leaf} {first_spine + spine} 400Gbps 0.0005ms 0" for leaf in range(leaves) for spine in spines_of(leaf)]
    nodes = first_spine + spines
    ids = " ".join(str(node) for node in range(gpus, nodes))
    return f"{nodes} 4 {servers} {leaves + spines} {len(links)} H100\n{ids} \n" + "\n".join(links) + "\n"


def test_simai_templates(make):
    """Lone flows over an NVSwitch, over one leaf and over a spine take what arithmetic says."""
    # A packet of 4096 bytes takes a link for 4194 bytes, its ACK for 86: 11650 and 239 ps at 2880 Gbit/s, 83880 and 1720 ps at
    # 400 Gbit/s. Delays are 25 and 500 ns.
    nvswitch, leaf, spine = 2 * (11.650 + 0.239) + 4 * 25, 2 * (83.880 + 1.720) + 4 * 500, 4 * (83.880 + 1.720) + 8 * 500
    both = [0, 1]
    kinds = {
        "Spectrum-X": (simai(lambda gpu: [gpu % 4], lambda _: both), leaf),
        "AlibabaHPN": (simai(lambda gpu: [gpu % 4, 4 + gpu % 4], lambda _: both), leaf),
        "AlibabaHPN of two planes": (simai(lambda gpu: [gpu % 4, 4 + gpu % 4], lambda asw: [asw // 4]), leaf),
        "DCN+": (simai(lambda gpu: [gpu // 4], lambda _: both), spine),
        "DCN+ of two ToRs": (simai(lambda gpu: [gpu // 4, 2 + gpu // 4], lambda _: both), spine)}
    flows = "4\n0 1 3 100 4096 0\n0 4 3 100 4096 0.001\n0 5 3 100 4096 0.002\n7 4 3 100 4096 0.003\n"
    for name, (topology, same_rail) in kinds.items():
        table = make(name, {"topology.txt": topology, "flow.txt": flows}).good(USUAL)
        found = [float(row["fct_ns"]) for row in table]
        assert found == pytest.approx([nvswitch, same_rail, spine, nvswitch], abs=1e-6), f"{name}: {found}"


def test_unknown_keys(make):
    """All unknown keys at once, with their lines."""
    text = "CC_MODE 1\nFOO 1\nHAS_WIN 0\nBAR 2 3\n\n\\\n"
    case = make("unknown keys", {"topology.txt": STAR, "flow.txt": FLOWS, "config.txt": text})
    options = ["--topology=topology.txt", "--flows=flow.txt", "--config=config.txt"]
    case.bad(options, "config.txt:2: unknown keys 'FOO' (line 2), 'BAR' (line 4), '\\' (line 6)", "--ignoreUnknown")
    case.good(options + ["--ignoreUnknown"], TWO, ["warning: config.txt: unknown keys 'FOO' (line 2), 'BAR' (line 4)"])
    case.bad(["--topology=topology.txt", "--flows=flow.txt", "--config=config.txt", "--ignoreUnknown", "--set=FOO=1"],
             "--set: unknown key 'FOO'")
    bobs = make("keys of bobzhuyb", {"topology.txt": STAR, "flow.txt": FLOWS,
                                     "config.txt": "CC_MODE 1\nPACKET_LEVEL_ECMP 0\nSEND_IN_CHUNKS 0\nCNP_INTERVAL 50\n"})
    bobs.bad(options, "'CNP_INTERVAL' (line 4)", "bobzhuyb/ns3-rdma's", "packets")
    doc = make("explained keys", {"topology.txt": STAR, "flow.txt": FLOWS,
                                  "config.txt": "CC_MODE 1 {1: DCQCN, 3: HPCC}\nHAS_WIN 0 {0: no window}\nENABLE_TRACE 1\n"
                                                "ENABLE_TRACE 1\n"})
    doc.good(options, TWO)
    twice = make("two values", {"topology.txt": STAR, "flow.txt": FLOWS, "config.txt": "CC_MODE 1\nHAS_WIN 0\nHAS_WIN 1\n"})
    twice.bad(options, "config.txt:3: key HAS_WIN is in line 2 with another value already")


def test_fork_keys(make):
    """Keys of forks with a counterpart, and those without."""
    def conweave(lb, pfc, irn):
        return {"topology.txt": STAR, "flow.txt": "2\n2 1 3 1000000 2\n3 1 3 1000000 2.0001\n",
                "config.txt": CONWEAVE.format(lb=lb, pfc=pfc, irn=irn)}

    case = make("ConWeave lossless", conweave(0, "1", "0"))
    case.good(["--config=config.txt"], TWO, ["CONWEAVE_TX_EXPIRY_TIME has no effect", "CNP_OUTPUT_FILE, FLOW_INPUT_FILE, VOQ_MON_FILE have no effect"])
    assert "ns3::roce::Switch::LosslessClasses" not in case.attributes(), "ConWeave lossless: PFC is on"
    case = make("ConWeave IRN", conweave(6, "0.0", "1.0"))
    case.good(["--config=config.txt"], TWO)
    attributes = case.attributes()
    for name, value in {"Switch::LosslessClasses": "0", "Nic::LossRecovery": "ns3::roce::SelectiveRepeat",
                        "Nic::PathSelector": "ns3::roce::Flowlet"}.items():
        found = attributes.get("ns3::roce::" + name, "")
        assert found.startswith(value), f"ConWeave IRN: {name} is {found!r}, expected {value}"
    case.good(["--config=config.txt", "--paths=FlowHash"], TWO, ["instead of LB_MODE 6 (LetFlow)"])
    make("ConWeave itself", conweave(9, "1", "0")).bad(["--config=config.txt"], "config.txt:11: LB_MODE: mode 9 (ConWeave)")
    options = ["--topology=topology.txt", "--flows=flow.txt", "--config=config.txt"]

    def keys(name, text):
        return make(name, {"topology.txt": STAR, "flow.txt": FLOWS, "config.txt": text})

    case = keys("TIMELY", "CC_MODE 7\nHAS_WIN 0\nTIMELY_T_HIGH 50000\nTIMELY_T_LOW 10000\nTIMELY_BETA 0.5\n")
    case.good(options, TWO)
    attributes = case.attributes()
    for name, value in {"THigh": "50us", "TLow": "10us", "Beta": "0.5"}.items():
        found = attributes.get("ns3::roce::Timely::" + name)
        assert found in (value, value.replace("us", "000ns")), f"TIMELY: {name} is {found}, expected {value}"
    keys("TIMELY upside down", "CC_MODE 7\nTIMELY_T_LOW 900000\n").bad(options, "TLow", "(config.txt:2: TIMELY_T_LOW)")
    case = keys("headroom factor", "CC_MODE 1\nHAS_WIN 0\nHEADROOM_FACTOR 2.5\n")
    case.good(options, TWO)
    assert case.attributes().get("ns3::roce::Switch::HeadroomFactor") == "2.5", "HEADROOM_FACTOR is not followed"
    case = keys("base RTT", "CC_MODE 3\nHAS_WIN 1\nBASE_RTT 14400\n")
    case.good(options, TWO)
    assert case.attributes().get("ns3::roce::Hpcc::BaseRtt") in ("14400000ps", "14400ns", "14.4us"), f"BASE_RTT: {case.attributes()}"
    keys("high max rate", "CC_MODE 1\nHAS_WIN 0\nMAX_RATE 100000Mb/s\n").good(options, TWO, ["MAX_RATE has no effect"])
    keys("low max rate", "CC_MODE 1\nHAS_WIN 0\nMAX_RATE 10000Mb/s\n").bad(options, "config.txt:3: MAX_RATE: '10000Mb/s'")
    # All that m3's have, numbers as its script writes them; BUFFER_SIZE is in KiB there.
    case = keys("m3", "ENABLE_QCN 1\nENABLE_PFC 1.0\nCC_MODE 1\nHAS_WIN 0\nMAX_RATE 100000Mb/s\nTIMELY_T_HIGH 50000\nBUFFER_SIZE 3000.0\n"
                      "FIXED_WIN 18000.0\nBASE_RTT 14400\nMAX_INFLIGHT_FLOWS 0\nN_CLIENTS_PER_RACK_FOR_CLOSED_LOOP 1\n")
    case.good(options, TWO)
    assert case.attributes().get("ns3::roce::Switch::BufferSize") == "3072000B", f"m3: {case.attributes()}"
    case.good(options + ["--set=HAS_WIN=1"], TWO)
    assert case.attributes().get("ns3::roce::Nic::FlowWindowBytes") == "18000", f"FIXED_WIN: {case.attributes()}"
    case.bad(options + ["--set=FIXED_WIN=0"], "--set: FIXED_WIN: 0, expected more than 0")
    case.bad(options + ["--set=MAX_INFLIGHT_FLOWS=5"], "--set: MAX_INFLIGHT_FLOWS: 5")
    lcmp = make("LCMP", {
        "topology.txt": "5 2 1 4\n2 3\n4\n0 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n2 4 100Gbps 1us 0\n3 4 100Gbps 1us 0\n",
        "flow.txt": "1\n0 1 3 100 1000000 0\n",
        "config.txt": "CC_MODE 1\nHAS_WIN 0\nWORKING_DIR ./\nTOPOLOGY_FILE ${WORKING_DIR}topology.txt\n"
                      "FLOW_FILE ${WORKING_DIR}flow.txt\nFCT_OUTPUT_FILE ${OUTPUT_DIR}fct_${CC_NAME}.txt\nBUFFER_SIZE 32\n"
                      "DCI_BUFFER_SIZE 128\nROUTING_MODE 2\nW_DL 5\n"})
    lcmp.good(["--config=config.txt"], [(0, 1, 1000000, 0)])
    assert lcmp.attributes().get("ns3::roce::Lcmp::DelayWeight") == "5", f"LCMP: {lcmp.attributes()}"
    lcmp.good(["--config=config.txt", "--set=ROUTING_MODE=1"], [(0, 1, 1000000, 0)], ["W_DL has no effect: it matters with ROUTING_MODE 2"])
    lcmp.bad(["--config=config.txt", "--set=ROUTING_MODE=3"], "--set: ROUTING_MODE: mode 3, expected 0 (ECMP), 1 (UCMP) or 2 (LCMP)")
    lcmp.bad(["--config=config.txt", "--set=W_DL=5000"], "--set: W_DL: 5000, expected")
    lcmp.bad(["--config=config.txt", "--set=DCI_BUFFER_SIZE=4096"], "DCI_BUFFER_SIZE: 4096 MiB")
    lcmp.bad(["--config=config.txt", "--set=FLOW_FILE=${NOBODY}flow.txt"], "FLOW_FILE: '${NOBODY}flow.txt'")


def test_values_of_keys(make):
    """Errors name the key, and no attribute of a law that is not in use."""
    options = ["--topology=topology.txt", "--flows=flow.txt", "--config=config.txt"]
    files = {"topology.txt": STAR, "flow.txt": FLOWS, "config.txt": "CC_MODE 1\nHAS_WIN 0\nRATE_AI 500Mb/s\nRATE_HAI 200Mb/s\n"}
    case = make("HAI below AI", files)
    case.good(options + ["--profile=hpcc-sim"], TWO)
    case.bad(options + ["--set=CC_MODE=7"], "config.txt:4: RATE_HAI: 200Mb/s, expected at least RATE_AI, which is 500Mb/s")
    case.bad(options + ["--set=CC_MODE=3,U_TARGET=2"], "--set: U_TARGET: 2, expected")
    case.good(options + ["--set=U_TARGET=2"], TWO)
    maps = make("maps", dict(files, **{"config.txt": "CC_MODE 1\nHAS_WIN 0\n" + MAPS}))
    maps.good(options, TWO)
    maps.bad(options + ["--set=PMAX_MAP=1 40000000000 0.2"], "PMAX_MAP: no value for 100000000000 bit/s, the rate of topology.txt:3")
    maps.bad(options + ["--set=KMIN_MAP=2 40000000000 500 100000000000 1"], "KMIN_MAP: rate 40000000000 has 500")
    maps.good(options + ["--set=PMAX_MAP=1 100000000000 0.2 40000000000 0.2"], TWO,
              ["PMAX_MAP has 5 words, and 3 are read"])
    maps.bad(options + ["--set=PMAX_MAP=2 100000000000 0.2 100000000000 0.3"], "rate 100000000000 has two values")


def test_long_links(make):
    """A link that no shared buffer can serve."""
    case = make("ten ms", {"topology.txt": TEN_MS, "flow.txt": "2\n0 2 3 100 10000000 0\n1 3 3 100 10000000 0\n"})
    case.bad(USUAL, "switch4: headroom and reserves need", "--longLink=10ms")
    flows = [(0, 2, 10000000, 0), (1, 3, 10000000, 0)]
    rows = case.good(USUAL + ["--longLink=10ms"], flows)
    alone = make("ten ms alone", {"topology.txt": TEN_MS, "flow.txt": "1\n0 2 3 100 10000000 0\n"})
    assert [r["fct_ns"] for r in alone.good(USUAL + ["--longLink=1ms"])] == ["20206178.120"], "ten ms alone: not as worked out by hand"
    # 10 MB at 400 Gbit/s take 0.2 ms and 1.6 % for headers; the two flows share the long link.
    for row in rows:
        assert 20.2e6 < float(row["fct_ns"]) < 20.8e6, f"ten ms: {row['fct_ns']} ns"
    idle = case.good(USUAL + ["--longLink=1ms", "--longLinkBuffer=8GB", "--profile=hpcc-sim"], flows)
    assert idle, "ten ms with 8 GB"
    case.bad(USUAL + ["--longLink=1ms", "--longLinkBuffer=1GB"], "port 2 needs", "its own buffer is 1000000000 B")
    case.bad(USUAL + ["--longLink=-1ms"], "--longLink")
    case.bad(USUAL + ["--longLink=20ms"], "--longLink=10ms")
    case.bad(USUAL + ["--longLink=1ms", "--longLinkBuffer=8"], "expected a size below 16 TiB with unit", "GiB")
    star = make("short links", {"topology.txt": STAR, "flow.txt": FLOWS})
    star.good(USUAL + ["--longLink=1ms"], TWO, ["--longLink: without effect without a link of that delay"])
    star.good(USUAL + ["--longLinkBuffer=1GiB"], TWO, ["--longLinkBuffer: without effect without --longLink"])


def test_sizes(make):
    """GB, GiB, TB and TiB are units; buffers of ports may be larger than ns-3's sizes."""
    spine = make("sizes", {"topology.txt": STAR, "flow.txt": FLOWS})
    spine.good(USUAL + ["--ns3::roce::Switch::BufferSize=1GiB"], TWO)
    assert spine.attributes().get("ns3::roce::Switch::BufferSize") in ("1GiB", "1024MiB", "1073741824B"), \
        f"BufferSize: {spine.attributes().get('ns3::roce::Switch::BufferSize')}"
    spine.bad(USUAL + ["--ns3::roce::Switch::BufferSize=4GiB"], "expected a size below 4 GiB", "TiB")
    spine.program = LEAF_SPINE
    for options in (["--leafBuffer=1GiB"], ["--wanPortBuffer=8000MB"], ["--wanPortBuffer=8GB"], ["--wanPortBuffer=0.01TiB"],
                    ["--ns3::roce::Switch::ControlPoolSize=0.5GB"]):
        spine.run(options + ["--dryRun"])
    spine.bad(["--leafBuffer=5GB", "--dryRun"], "--leafBuffer is '5GB', expected a size below 4 GiB")
    spine.bad(["--wanPortBuffer=16TiB", "--dryRun"], "--wanPortBuffer is '16TiB', expected a size below 16 TiB")
