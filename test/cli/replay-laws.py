# SPDX-License-Identifier: GPL-2.0-only
"""replay gives all rate laws the windows and base RTTs that the HPCC simulator gives them, and all NICs the same.

There, HAS_WIN bounds what a flow has in flight for every CC_MODE; GLOBAL_T makes the bound the largest
bandwidth-delay product of all pairs of hosts, and HPCC's T the longest RTT; VAR_WIN scales it with the rate.
"""

import pytest

from support import summary
from support.replay import run_files

# Two leaves 100 us apart; hosts 2, 3, 4 at the first, 5 at the second: T is 204.24 us, within a leaf it is 4.16 us.
TOPOLOGY = "6 2 5\n0 1\n2 0 100Gbps 0.001ms 0\n3 0 100Gbps 0.001ms 0\n4 0 100Gbps 0.001ms 0\n5 1 100Gbps 0.001ms 0\n" \
           "0 1 100Gbps 0.1ms 0\n"
# As above, but hosts 2 to 4 have 25 Gbit/s, and host 6 at the second leaf has 100 Gbit/s as host 5 has.
UNEQUAL = "7 2 6\n0 1\n2 0 25Gbps 0.001ms 0\n3 0 25Gbps 0.001ms 0\n4 0 25Gbps 0.001ms 0\n5 1 100Gbps 0.05ms 0\n" \
          "6 1 100Gbps 0.05ms 0\n0 1 100Gbps 0.1ms 0\n"
CONFIG = "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nCC_MODE 1\nALPHA_RESUME_INTERVAL 1\nRATE_DECREASE_INTERVAL 4\nRP_TIMER 900\n" \
         "EWMA_GAIN 0.00390625\nFAST_RECOVERY_TIMES 1\nRATE_AI 50Mb/s\nRATE_HAI 100Mb/s\nMIN_RATE 100Mb/s\nHAS_WIN 1\nVAR_WIN 1\n" \
         "GLOBAL_T 1\nKMAX_MAP 2 100000000000 1600 25000000000 400\nKMIN_MAP 2 100000000000 400 25000000000 100\n" \
         "PMAX_MAP 2 100000000000 0.2 25000000000 0.2\nBUFFER_SIZE 32\nDCTCP_RATE_AI 1000Mb/s\n"
PAIR = "2\n2 4 3 100 2000000 2\n3 4 3 100 2000000 2\n"
LONE = "4\n2 4 3 100 1000000 2\n3 4 3 101 1000000 2.001\n4 3 3 100 1000000 2.002\n2 4 3 102 1000000 2.003\n"
MODES = {"Dcqcn": "1", "Hpcc": "3", "Timely": "7", "Dctcp": "8"}
T_BYTES = 2553000  # 204.24 us at 100 Gbit/s
OWN_BYTES = 52000  # 4.16 us at 100 Gbit/s, and a little more for headers


@pytest.fixture
def replay(programs, folder):
    """Runs replay on these files."""
    def start(flows, *options, topology=TOPOLOGY):
        return run_files(programs, folder, {"topology": topology, "flows": flows, "config": CONFIG}, "--rates=change", *options)
    return start


def windows(run):
    """Rate and window whenever they changed."""
    return [{"rate": float(row["rate_bps"]), "window": float(row["window_bytes"] or "inf")}
            for row in run.table("rates.csv") if float(row["rate_bps"]) > 0]  # 0: it is done


def profile(law, **keys):
    """Options for a rate law and replaced keys."""
    pairs = [f"{key}={value}" for key, value in keys.items()]
    pairs += [f"CC_MODE={MODES[law]}"] if law in MODES else []
    return ["--profile=hpcc-sim", "--set=" + ",".join(pairs)] + ([] if law in MODES else [f"--cc={law}"])


def test_equal_nics(replay):
    """Lone flows of one size on paths of one kind take one time, from every NIC."""
    for law in [*MODES, "PowerTcp", "Swift"]:
        run = replay(LONE, *profile(law))
        fct = run.fct()
        # Telemetry counts in units, so that what has been sent before shifts it by some ns.
        assert max(fct) - min(fct) < 2e-4 * min(fct), f"{law}: lone equal flows take {fct} ns"
        laws = summary(run.out)["valuesInForce"]["intra.congestionControl"]
        assert [entry["count"] for entry in laws] == [4], \
            f"{law}: all NICs have the same values, found groups of {[entry['count'] for entry in laws]}"


def first_window(run):
    """The window before anything has been marked."""
    rows = [row for row in windows(run) if row["rate"] >= 99.9e9]
    return rows[0]["window"] if rows else None


def test_windows(replay):
    """Which window each law has, and what comes of it."""
    for law in MODES:
        run = replay(PAIR, *profile(law))
        free = replay(PAIR, *profile(law, HAS_WIN=0))
        own = replay(PAIR, *profile(law, GLOBAL_T=0))
        fixed = replay(PAIR, *profile(law, VAR_WIN=0))
        if law != "Hpcc":  # whose rate has changed by the first row
            assert first_window(run) == T_BYTES, f"{law}: window is {first_window(run)}, expected {T_BYTES}"
            assert first_window(own) is not None and OWN_BYTES <= first_window(own) < OWN_BYTES * 1.1, \
                f"{law}, GLOBAL_T 0: window is {first_window(own)}, expected that of the own path, about {OWN_BYTES}"
            assert first_window(free) == float("inf"), f"{law}, HAS_WIN 0: window is {first_window(free)}, expected none"
            # Flows smaller than the window: it changes nothing while the rate is that of the line.
            assert run.fct()[0] > own.fct()[0] * 1.05 or law in ("Timely", "Dctcp") and run.fct() != own.fct(), \
                f"{law}: {run.fct()} with the window of T, {own.fct()} with that of the path"
            if law in ("Dcqcn", "Dctcp"):
                assert run.counters()["ecnMarked"] > 0, f"{law}: nothing has been marked"
        else:
            assert "HAS_WIN has no effect: HPCC always has a window" in free.done.stderr, f"Hpcc, HAS_WIN 0: {free.done.stderr}"
            assert run.fct() == free.fct(), f"Hpcc: HAS_WIN 0 changes {run.fct()} to {free.fct()}"
            assert run.fct() != own.fct(), f"Hpcc: GLOBAL_T changes nothing, {run.fct()}"
        wrong = [row for row in windows(run) if abs(row["window"] - max(T_BYTES * row["rate"] / 100e9, 1048)) >= 2]
        assert not wrong, f"{law}: windows are not {T_BYTES} bytes times the rate's share of the line rate: {wrong[:2]}"
        assert {row["window"] for row in windows(fixed)} == {T_BYTES}, \
            f"{law}, VAR_WIN 0: windows are {sorted({row['window'] for row in windows(fixed)})[:4]}, expected {T_BYTES}"
        assert len({row["rate"] for row in windows(fixed)}) > 2, f"{law}, VAR_WIN 0: the rate does not change"
    # Other laws: LineRate has no window of its own, PowerTCP has.
    run = replay(PAIR, *profile("LineRate"))
    assert first_window(run) == T_BYTES, f"LineRate: window is {first_window(run)}, expected {T_BYTES}"
    run = replay(PAIR, *profile("PowerTcp"))
    assert "HAS_WIN, VAR_WIN have no effect: its window is that of PowerTcp" in run.done.stderr, f"PowerTcp: {run.done.stderr}"


def test_unequal(replay):
    """With links of several rates all flows have the largest product, be their NIC slow or fast."""
    bytes_ = round((200_000 + 2 * 80) * 100 / 8)  # hosts 5 and 6
    for law in MODES:
        run = replay("2\n2 4 3 100 500000 2\n5 6 3 100 500000 2\n", *profile(law, VAR_WIN=0), topology=UNEQUAL)
        found = {row["window"] for row in windows(run)}
        assert found == {bytes_}, f"{law}: windows of links of several rates are {found}, expected {bytes_}"
        if law == "Hpcc":
            continue  # has T times the line rate
        # From a fast host to a slow one, 302 us: the lowest rate on the path counts.
        run = replay("1\n5 2 3 100 500000 2\n", *profile(law, VAR_WIN=0, GLOBAL_T=0), topology=UNEQUAL)
        found = {row["window"] for row in windows(run)}
        assert len(found) == 1 and 302e3 / 8 * 25 < min(found) < 304e3 / 8 * 25, \
            f"{law}, GLOBAL_T 0: window from a fast host to a slow one is {found}, expected about {303e3 / 8 * 25}"


def test_notes(replay):
    """Keys without effect are reported, those with the same reason in one line."""
    run = replay(PAIR, *profile("Timely", HAS_WIN=0))
    expected = ["note: ALPHA_RESUME_INTERVAL, DCTCP_RATE_AI, EWMA_GAIN, FAST_RECOVERY_TIMES, RATE_DECREASE_INTERVAL, RP_TIMER have no "
                "effect: not a parameter of Timely",
                "note: ENABLE_QCN, KMAX_MAP, KMIN_MAP, PMAX_MAP have no effect: Timely does not look at marks",
                "note: GLOBAL_T, VAR_WIN have no effect: there is no window without HAS_WIN 1"]
    assert run.done.stderr.splitlines() == expected, f"Timely: notes are\n{run.done.stderr}"
    run = replay(PAIR, "--cc=Hpcc", "--set=INT_MULTI=4")
    assert "note: INT_MULTI has no effect: telemetry is exact without --profile=hpcc-sim" in run.done.stderr, \
        f"INT_MULTI without profile: {run.done.stderr}"
