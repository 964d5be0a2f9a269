# SPDX-License-Identifier: GPL-2.0-only
"""Clusters of hosts with several links on the command line: presets, rules that choose NICs, and what is refused."""

from support import LEAF_SPINE, rows

QUIET = [LEAF_SPINE, "--progress=none"]
RAILS = [*QUIET, "--preset=rail-optimised", "--pattern=collective", "--cc=Dcqcn"]
PAIRS = [*QUIET, "--preset=dual-tor", "--leaves=2", "--hostsPerLeaf=4", "--spines=1"]


def table(programs, folder, *command, name="iterations"):
    """@return a table of a run into r."""
    programs.run(*command, "--out=r", cwd=folder)
    return rows(folder / "r" / f"{name}.csv")


def test_collectives_of_64_gpus_on_8_rails(programs, folder):
    """A ring for each rail has the bus bandwidth of eight NICs, a single one that of a NIC; in neither GPUs wait for ever."""
    ring = ["--collective=ring-all-reduce", "--collectiveBytes=16000000"]
    for channels, least, most in (1, 50, 400), (8, 1600, 3200):
        row, = table(programs, folder, *RAILS, *ring, f"--collectiveChannels={channels}")
        assert row["status"] == "finished" and int(row["flows"]) == 64 * 126 * channels
        bandwidth = float(row["busbw_gbps"])
        assert least < bandwidth < most, f"{channels} channels: {bandwidth} Gbit/s"
        # 2 (N - 1) / N times the buffer over the duration, as NCCL's tests have it.
        expected = 2 * 63 / 64 * 16e6 * 8 / float(row["duration_ns"])
        assert abs(bandwidth / expected - 1) < 1e-5, f"{bandwidth} Gbit/s, expected {expected}"
    apart, together = (table(programs, folder, *RAILS, "--collective=all-to-all", "--collectiveBytes=16000000",
                             f"--collectiveChannels={channels}")[0] for channels in (1, 63))
    assert int(apart["flows"]) == int(together["flows"]) == 64 * 63
    assert float(together["busbw_gbps"]) > 2 * float(apart["busbw_gbps"]), f"{apart}, {together}"
    assert float(together["busbw_gbps"]) < 400 * 63 / 56


def test_rules_choose_nics(programs, folder):
    """Host h has NICs 2 h and 2 h + 1, at the two leaves of its pair."""
    (folder / "f.csv").write_text("src,dst,bytes,start_ns\n" + "".join(f"0,1,4096,{start}\n" for start in range(0, 40000, 1000)))
    found = {rule: {(int(f["src"]), int(f["dst"])) for f in table(programs, folder, *PAIRS, "--pattern=list", "--flows=f.csv",
                                                                  f"--nicChoice={rule}", name="flows")}
             for rule in ("auto", "nearest", "rail", "hash", "named")}
    assert found["named"] == {(0, 1)}
    assert found["rail"] == found["nearest"] == found["auto"] == {(0, 2), (1, 3)}
    assert found["hash"] == {(0, 2), (0, 3), (1, 2), (1, 3)}


def test_what_is_refused(programs, folder):
    """One line with the option."""
    (folder / "f.csv").write_text("src,dst,bytes,start_ns\n0,3,4096,0\n")
    servers = [*QUIET, "--datacenters=1", "--leaves=2", "--hostsPerLeaf=2", "--gpusPerServer=2"]
    for options, *words in (
            (["--gpusPerServer=3"], "4 hosts of a rack", "gpusPerServer"),
            (["--rails", "--gpusPerServer=3"], "4 leaves", "--rails", "3"),
            (["--gpusPerServer=2", "--nicChoice=named"], "--nicChoice is named", "--pattern=list"),
            (["--nicChoice=best"], "--nicChoice is 'best'", "nearest"),
            (["--gpusPerServer=1000", "--rails", "--hostsPerLeaf=4000000000"], "more than 1,000,000 NICs")):
        programs.refuse(*QUIET, *options, "--out=r", cwd=folder, words=words)
    programs.refuse(*servers, "--pattern=list", "--flows=f.csv", "--nicChoice=named", "--out=r", cwd=folder,
                    words=["flow 0: no link leads from NIC 0 (dc0-host0 at dc0-leaf0) to NIC 3 (dc0-host1 at dc0-nvswitch0)"])
