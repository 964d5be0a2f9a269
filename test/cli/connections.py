# SPDX-License-Identifier: GPL-2.0-only
"""--connections, and what the tables have of messages that share a queue pair."""

from support import LEAF_SPINE, rows

SMALL = [LEAF_SPINE, "--progress=none", "--leaves=2", "--spines=2", "--hostsPerLeaf=2", "--load=0.6", "--duration=300us"]
RING = [*SMALL, "--pattern=collective", "--collectiveBytes=400000", "--collectiveRounds=2", "--cc=LineRate", "--hostRate=25Gbps"]


def flows(programs, folder, *command):
    """@return flows.csv of a run into r."""
    programs.run(*command, "--out=r", cwd=folder)
    return rows(folder / "r" / "flows.csv")


def test_which_flows_share_a_queue_pair(programs, folder):
    """By default those of a collective, no others."""
    plain, flow, pair = (flows(programs, folder, *SMALL, *more) for more in ([], ["--connections=flow"], ["--connections=pair"]))
    assert plain == flow, "Poisson flows share queue pairs by default"
    assert [(f["src"], f["dst"], f["bytes"], f["start_ns"]) for f in pair] == \
        [(f["src"], f["dst"], f["bytes"], f["start_ns"]) for f in plain], "other flows"
    assert pair != plain, "--connections=pair has no effect"
    # All messages of a host at once, so that those on a connection wait for each other.
    (folder / "f.csv").write_text("src,dst,bytes,start_ns\n" + "0,1,400000,0\n" * 4)
    listed = [*SMALL, "--pattern=list", "--flows=f.csv", "--cc=LineRate"]
    together, one_by_one = ([float(f["fct_ns"]) for f in flows(programs, folder, *listed, f"--connections={connections}")]
                            for connections in ("flow", "pair"))
    assert max(together) < 1.2 * min(together), f"messages of queue pairs of their own: {together}"
    assert max(one_by_one) > 3 * min(one_by_one), f"messages of one connection: {one_by_one}"
    auto, pair, flow = (flows(programs, folder, *RING, *more) for more in ([], ["--connections=pair"], ["--connections=flow"]))
    assert len(auto) == len(pair) == len(flow) == 2 * 2 * 7 * 8, f"{len(auto)} flows"
    assert auto == pair, "the messages of a ring do not share queue pairs by default"


def test_series_have_each_message(programs, folder):
    """rates.csv ends with all of each message acknowledged, whichever queue pair has sent it."""
    for mode in ("change", "7us"):
        table = {f["id"]: f for f in flows(programs, folder, *SMALL, "--connections=pair", f"--rates={mode}")}
        last = {row["flow"]: row for row in rows(folder / "r" / "rates.csv")}
        assert sorted(last) == sorted(table), f"--rates={mode}: flows {sorted(last)}, expected {sorted(table)}"
        for flow, row in last.items():
            assert row["acked_bytes"] == table[flow]["bytes"] and row["rate_bps"] == "0", f"--rates={mode}: {row}"
            assert int(row["sent_bytes"]) >= int(row["acked_bytes"]), f"--rates={mode}: {row}"
