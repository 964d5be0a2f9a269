# SPDX-License-Identifier: GPL-2.0-only
"""Each key of an HPCC simulator's configuration changes a run with each rate law as it does there, or a note says that it does not.

Every key that replay knows is in the table below: two values, and the rate laws whose runs it changes there. Elsewhere a note must
name the key, and the run must be the same, so that no key is read and forgotten.
"""

import concurrent.futures
import os
import re

import pytest

from support import ROOT
from support.replay import run_files

LAWS = {"Dcqcn": 1, "Hpcc": 3, "Timely": 7, "Dctcp": 8}
ALL = tuple(LAWS)
NONE = ()
# Two leaves and two spines. Hosts 4 to 6 send to host 7, and host 7 to host 4, from 2 s on, when LINK_DOWN begins to count.
TOPOLOGY = "9 4 9\n0 1 2 3\n4 0 100Gbps 0.001ms 0\n5 0 100Gbps 0.001ms 0\n6 0 100Gbps 0.001ms 0\n7 1 100Gbps 0.001ms 0\n" \
           "8 1 100Gbps 0.02ms 0\n0 2 100Gbps 0.001ms 0\n0 3 100Gbps 0.001ms 0\n1 2 100Gbps 0.001ms 0\n1 3 100Gbps 0.001ms 0\n"
FLOWS = "4\n4 7 3 100 4000000 2\n5 7 3 100 4000000 2\n6 7 3 100 4000000 2\n7 4 3 100 4000000 2\n"
BASE = {"ENABLE_QCN": "1", "USE_DYNAMIC_PFC_THRESHOLD": "1", "PACKET_PAYLOAD_SIZE": "1000", "SIMULATOR_STOP_TIME": "4.0",
        "ALPHA_RESUME_INTERVAL": "1", "RATE_DECREASE_INTERVAL": "4", "CLAMP_TARGET_RATE": "0", "RP_TIMER": "20",
        "EWMA_GAIN": "0.0625", "FAST_RECOVERY_TIMES": "1", "RATE_AI": "50Mb/s", "RATE_HAI": "100Mb/s", "MIN_RATE": "100Mb/s",
        "DCTCP_RATE_AI": "1000Mb/s", "ERROR_RATE_PER_LINK": "0", "L2_BACK_TO_ZERO": "0", "HAS_WIN": "1", "GLOBAL_T": "1",
        "VAR_WIN": "1", "FAST_REACT": "1", "U_TARGET": "0.95", "MI_THRESH": "0", "INT_MULTI": "1", "MULTI_RATE": "0",
        "SAMPLE_FEEDBACK": "0", "RATE_BOUND": "1", "ACK_HIGH_PRIO": "0", "LINK_DOWN": "0 0 0",
        "KMAX_MAP": "1 100000000000 100", "KMIN_MAP": "1 100000000000 20", "PMAX_MAP": "1 100000000000 0.2", "BUFFER_SIZE": "32"}
# Another value, and the laws that it matters to.
KEYS = {
    "ENABLE_QCN": ("0", NONE),
    "USE_DYNAMIC_PFC_THRESHOLD": ("0", NONE),
    "PACKET_PAYLOAD_SIZE": ("1400", ALL),
    "SIMULATOR_STOP_TIME": ("2.0001", ALL),
    "ALPHA_RESUME_INTERVAL": ("50", ("Dcqcn",)),
    "RATE_DECREASE_INTERVAL": ("50", ("Dcqcn",)),
    "CLAMP_TARGET_RATE": ("1", ("Dcqcn",)),
    "RP_TIMER": ("60", ("Dcqcn",)),
    "EWMA_GAIN": ("0.5", ("Dcqcn", "Dctcp")),
    "FAST_RECOVERY_TIMES": ("5", ("Dcqcn",)),
    "RATE_AI": ("90Mb/s", ("Dcqcn", "Hpcc", "Timely")),
    "RATE_HAI": ("9000Mb/s", ("Dcqcn", "Timely")),
    "MIN_RATE": ("45000Mb/s", ALL),
    "DCTCP_RATE_AI": ("100Mb/s", ("Dctcp",)),
    "ERROR_RATE_PER_LINK": ("0.01", ALL),
    "L2_BACK_TO_ZERO": ("1", NONE),
    "HAS_WIN": ("0", ("Dcqcn", "Timely", "Dctcp")),
    "GLOBAL_T": ("0", ALL),
    "VAR_WIN": ("0", ALL),
    "FAST_REACT": ("0", ("Hpcc",)),
    "U_TARGET": ("0.5", ("Hpcc",)),
    "MI_THRESH": ("5", ("Hpcc",)),
    "INT_MULTI": ("16", ("Hpcc",)),
    "MULTI_RATE": ("1", ("Hpcc",)),
    "SAMPLE_FEEDBACK": ("1", NONE),
    "RATE_BOUND": ("0", NONE),
    "ACK_HIGH_PRIO": ("1", ALL),
    "LINK_DOWN": ("20 0 2", ALL),
    "KMAX_MAP": ("1 100000000000 20", ("Dcqcn", "Dctcp")),
    "KMIN_MAP": ("1 100000000000 100", ("Dcqcn", "Dctcp")),
    "PMAX_MAP": ("1 100000000000 1", ("Dcqcn", "Dctcp")),
    "BUFFER_SIZE": ("2", ALL),
    # of forks
    "ENABLE_PFC": ("0", ALL),
    "ENABLE_IRN": ("1", ALL),
    "LB_MODE": ("6", ALL),
    "BASE_RTT": ("100000", ("Hpcc",)),
    "FIXED_WIN": ("18000", ALL),
    "MAX_RATE": ("100Gbps", NONE),
    "TIMELY_T_HIGH": ("60000", ("Timely",)),
    "TIMELY_T_LOW": ("20000", ("Timely",)),
    "TIMELY_BETA": ("0.2", ("Timely",)),
    "TIMELY_ALPHA": ("0.5", ("Timely",)),
    "TIMELY_MIN_RTT": ("40000", ("Timely",)),
    "HEADROOM_FACTOR": ("1", ALL),
    "DCI_BUFFER_SIZE": ("64", NONE),
    # LCMP's, which matter where there are DCI switches: replay-formats.py
    "ROUTING_MODE": ("1", NONE),
    **{key: ("2", NONE) for key in ("W_DL", "W_BW", "S_STATIC", "W_QL", "W_TL", "W_DP", "S_CONG", "ALPHA", "BETA", "S_TOTAL")},
}
# What refuses the other value: there, a law that hears of nothing runs at line rate.
REFUSED = {("ENABLE_QCN", "Dcqcn"), ("ENABLE_QCN", "Dctcp")}
# What some keys need to matter: other values of other keys, in both runs.
NEEDS = {
    "ENABLE_IRN": {"ERROR_RATE_PER_LINK": "0.01"},
    "ENABLE_PFC": {"BUFFER_SIZE": "1", "HAS_WIN": "0"},
    "HEADROOM_FACTOR": {"BUFFER_SIZE": "1", "HAS_WIN": "0"},
}
# With FIXED_WIN a file is one of m3's, in which BUFFER_SIZE counts KiB.
GOES_WITH = {"FIXED_WIN": {"BUFFER_SIZE": "32768"}}
# Files are given as options here; of MAX_INFLIGHT_FLOWS only 0, no limit, is taken.
NOT_KEYS_OF_RUNS = {"TOPOLOGY_FILE", "FLOW_FILE", "WORKING_DIR", "CC_MODE", "MAX_INFLIGHT_FLOWS"}
# Values of keys that the source gives a reason to ignore, by their kind.
VALUES = {"TEXT": "x", "NUMBER": "1", "FLAG": "0"}


def keys():
    """All keys with their values and laws: the table's, and those of the source that have a reason to be ignored."""
    source = (ROOT / "contrib/roce/hpcc/roce-hpcc-keys.cc").read_text(encoding="utf-8")
    rows = re.findall(r'^    \{"([A-Z0-9_]+)", Kind::(\w+), (.*)\},$', source, re.MULTILINE)
    followed = {key for key, _, reason in rows if reason == "nullptr"} - NOT_KEYS_OF_RUNS
    assert len(followed) > 40, f"keys found in the source: {sorted(followed)}"
    assert followed == set(KEYS), f"keys that only the source or only this test has: {sorted(followed ^ set(KEYS))}"
    return {**KEYS, **{key: (VALUES[kind], NONE) for key, kind, reason in rows if reason != "nullptr"}}


def run_key(programs, folder, law, key, value):
    """@param key whose needs are met @param value its other one; empty: none"""
    config = {**BASE, "CC_MODE": str(LAWS[law]), **NEEDS.get(key, {})}
    if value:
        config.update({key: value, **GOES_WITH.get(key, {})})
    text = "".join(f"{k} {v}\n" for k, v in config.items())
    return run_files(programs, folder, {"config": text, "topology": TOPOLOGY, "flows": FLOWS}, "--profile=hpcc-sim",
                     status=2 if value and (key, law) in REFUSED else (0, 3) if value else 0)


@pytest.mark.parametrize("law", LAWS)
def test_keys(programs, folder, law):
    """All keys with one rate law."""
    known = keys()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bases = {key: pool.submit(run_key, programs, folder, law, key, "") for key in ["", *NEEDS]}
        others = {key: pool.submit(run_key, programs, folder, law, key, value) for key, (value, _) in known.items()}
    for key, (_, laws) in known.items():
        other = others[key].result()
        if (key, law) in REFUSED:
            assert other.lines[-1].startswith("error: "), f"{key}: {other.lines}"
            continue
        times, base = other.fct(), bases[key if key in NEEDS else ""].result().fct()
        changed = times != base
        noted = any(re.search(rf"\b{key}\b.* no effect: ", line) for line in other.lines if line.startswith("note: "))
        assert changed == (law in laws), f"{key}: changes {base} to {times}, expected {'a change' if law in laws else 'none'}"
        assert noted != changed, f"{key}: {'changed' if changed else 'unchanged'}, but notes are {other.lines}"
