# SPDX-License-Identifier: GPL-2.0-only
"""Rate laws of some flows, pauses and watchdogs from the command line."""

import json

import pytest

from support import LEAF_SPINE, complaints, rows

SMALL = [LEAF_SPINE, "--progress=none", "--datacenters=1", "--leaves=2", "--spines=2", "--hostsPerLeaf=4", "--stop=20ms"]
LIST = "src,dst,bytes,start_ns,class,srcport,tag,phase,qp,cc\n" \
       "0,4,400000,0,3,0,0,0,0,\n1,4,400000,0,4,0,7,0,0,Hpcc\n2,4,400000,0,3,0,0,0,0,FixedRate[Rate=2Gbps]\n"
LISTED = [*SMALL, "--pattern=list", "--flows=f.csv"]
STORM = [*SMALL, "--pattern=incast", "--incastSenders=3", "--incastReceiver=0", "--incastBytes=500000", "--cc=none"]


def flows(programs, folder, *command):
    """@return flows.csv of a run into r, and its summary."""
    programs.run(*command, "--out=r", cwd=folder)
    return rows(folder / "r" / "flows.csv"), json.loads((folder / "r" / "summary.json").read_text())


def test_list_names_laws(programs, folder):
    """A column of the list is the law, and empty ones are --cc's. The values used are in summary.json."""
    (folder / "f.csv").write_text(LIST)
    table, summary = flows(programs, folder, *LISTED)
    laws = {law["type"] for law in summary["valuesInForce"]["intra.congestionControl"]}
    assert laws == {f"ns3::roce::{name}" for name in ("Dcqcn", "Hpcc", "FixedRate")}, laws
    slow = next(float(f["fct_ns"]) for f in table if f["src"] == "2")
    assert 400000 * 8 / 2 < slow < 1.1 * 400000 * 8 / 2, f"400 kB at 2 Gbit/s take {slow} ns"


def test_option_names_laws(programs, folder):
    """Rules do what a list does; the list goes first; the first rule that fits counts."""
    (folder / "f.csv").write_text(LIST)
    expected, _ = flows(programs, folder, *LISTED)
    (folder / "f.csv").write_text("\n".join(line.rsplit(",", 1)[0] for line in LIST.splitlines()) + "\n")
    plain, _ = flows(programs, folder, *LISTED)
    assert plain != expected, "the column has no effect"
    for rules in ("class4:Hpcc,nic2:FixedRate[Rate=2Gbps]", "tag7:Hpcc,nic1-2:FixedRate[Rate=2Gbps],nic0-2:Dcqcn"):
        ruled, _ = flows(programs, folder, *LISTED, f"--ccOf={rules}")
        assert ruled == expected, f"--ccOf={rules}"
    (folder / "f.csv").write_text(LIST)
    assert flows(programs, folder, *LISTED, "--ccOf=nic1-2:Swift")[0] == expected, "the list does not go first"


def test_slow_host_storm_and_watchdog(programs, folder):
    """What they do to the time of an incast, and which counters tell."""
    def run(*more):
        table, summary = flows(programs, folder, *STORM, *more)
        return max(float(f["fct_ns"]) for f in table), summary["counters"]
    plain, counters = run()
    assert counters["pfcXoffSent"] == 0 and "watchdogStorms" not in counters, counters
    slow, counters = run("--pausePeers=dc0-host0>dc0-leaf0:5Gbps@0us")
    assert 1500000 * 8 / 5 * 0.9 < slow < 1500000 * 8 / 5 * 1.1, f"1.5 MB at 5 Gbit/s take {slow} ns"
    assert slow > 1.5 * plain and counters["framesDropped"] == 0, counters
    storm, counters = run("--pausePeers=dc0-host0>dc0-leaf0@10us-3ms")
    assert 3e6 < storm < 3e6 + plain, f"a storm up to 3 ms: {storm} ns"
    watched, counters = run("--pausePeers=dc0-host0>dc0-leaf0@10us-3ms", "--stages=tor:PfcWatchdog[DetectionTime=100us|Action=forward]")
    assert watched < 1e6 and counters["watchdogStorms"] == 1 and counters["watchdogForwarded"] > 0, (watched, counters)


ERRORS = [
    (["--ccOf=4:Swift"], "--ccOf has '4:Swift', expected SELECTOR:LAW with classN, nicN or tagN, or a range of them, for example class4:Swift or "
                         "nic0-3:FixedRate[Rate=5Gbps]"),
    (["--ccOf=class8:Swift"], "--ccOf has 'class8:Swift', expected class 0 to 7"),
    (["--ccOf=nic3-2:Swift"], "--ccOf has 'nic3-2:Swift', expected nic 0 to 7"),
    (["--ccOf=class3:Swft"], "--ccOf: rate law is 'Swft'"),
    (["--ccOf=class3:Hpcc", "--int=0"], "the rate law, ns3::roce::Hpcc, needs telemetry"),
    (["--pausePeers=dc0-host0/dc0-leaf0@1us"], "--pausePeers has 'dc0-host0/dc0-leaf0@1us', expected NAME>NAME[#INDEX][:RATE]@FROM[-TO]"),
    (["--pausePeers=dc0-leaf0>dc0-host0:5Gbps@1us"], "--pausePeers has 'dc0-leaf0>dc0-host0:5Gbps@1us': link "),
    (["--pausePeers=dc0-host0>dc0-leaf0@1us-9us,dc0-host0>dc0-leaf0:1Gbps@5us"],
     "--pausePeers has 'dc0-host0>dc0-leaf0:1Gbps@5us', but the port pauses its peer at that time by 'dc0-host0>dc0-leaf0@1us-9us'; "
     "expected entries one after the other"),
    (["--pausePeers=dc0-host0>dc0-leaf0@1us", "--lossless=0"], "--pausePeers has 'dc0-host0>dc0-leaf0@1us': link "),
]


@pytest.mark.parametrize("options,message", ERRORS, ids=[" ".join(options) for options, _ in ERRORS])
def test_errors(programs, folder, options, message):
    """One line each, before anything is simulated."""
    done = programs.run(*STORM, *options, "--out=r", cwd=folder, status=2)
    assert complaints(done.stderr) == done.stderr.splitlines() and done.stderr.startswith(f"error: {message}"), done.stderr


def test_list_with_a_bad_law(programs, folder):
    """The line is named."""
    (folder / "f.csv").write_text(LIST + "2,3,1,0,3,0,0,0,0,Swft\n")
    done = programs.run(*LISTED, "--out=r", cwd=folder, status=2)
    assert done.stderr.startswith("error: f.csv:5: cc is 'Swft'"), done.stderr


def test_rule_for_no_flow(programs, folder):
    """That is said."""
    done = programs.run(*STORM, "--ccOf=class5:Swift", "--out=r", cwd=folder)
    assert "warning: --ccOf has 'class5:Swift', which no flow needs" in done.stderr, done.stderr


@pytest.mark.parametrize("law", [["--cc=Swift"], ["--cc=Dcqcn", "--interCc=Swift"], ["--cc=Dcqcn", "--ccOf=nic0-31:Swift"]])
@pytest.mark.parametrize("pattern", [["--load=0.3"], ["--pattern=collective"]])
def test_law_that_starves(programs, folder, law, pattern):
    """A law whose target is shorter than the way between datacenters says so once, whichever flows come first and name it."""
    done = programs.run(LEAF_SPINE, *law, *pattern, "--duration=1ms", "--stop=100us", "--wanDelay=20ms", "--out=r", cwd=folder, status=3)
    assert done.stderr.count("the greatest target delay is 131000 ns, but the empty path takes 40") == 1, done.stderr
