# SPDX-License-Identifier: GPL-2.0-only
"""scripts/advise: its numbers are those of the switches, its smallest buffer is one, bad input is refused in a line."""

import re
import shlex

import pytest

from support import LEAF_SPINE, SCRIPTS, refused, rows, run, summary

SMALL = ("--wanRate=100Gbps", "--wanDelay=10km", "--senders=4", "--bytes=4MB", "--fabricBuffer=2MB")
FRAME = 4304  # 4096 B of payload with all that may be in front and behind


@pytest.fixture
def advise(build, folder):
    """Calls it with results in a folder."""
    return lambda *options, **more: run("/usr/bin/python3", SCRIPTS / "advise", f"--build={build}", f"--out={folder}/out", *options,
                                        **{"cwd": folder, **more})


def pauses(programs, folder, words, port_buffer):
    """How often a link between the datacenters is paused in the run that was shown, with another buffer."""
    options = [w for w in words if not re.match("--(wanPortBuffer|out)=", w)]
    programs.run(LEAF_SPINE, *options, f"--wanPortBuffer={port_buffer}B", f"--out={folder}/again")
    others = summary(folder / "again")["neighbours"]
    return sum(row["event"] == "xoff" and "-dci" in row["node_name"] and "-dci" in others[row["port_name"]]
               for row in rows(folder / "again" / "pfc.csv"))


def test_headroom(advise):
    """By hand: 2 x 400 us x 100 Gbit/s, three frames, a pause. A byte less and a byte more than it takes."""
    need = 10_000_000 + 3 * FRAME + 64
    text = advise("--wanRate=100Gbps", "--wanDelay=80km", "--wanPortBuffer=10.1MB", "--senders=2", "--bytes=4MB").stdout
    assert f"{need:,} B = 10,000,000 B on the fibre (2 x 400 us x 100 Gbit/s / 8) + 3 frames of {FRAME:,} B" in text, text
    assert "yours has 10.1 MB: enough" in text, text
    text = advise("--wanRate=100Gbps", "--wanDelay=80km", f"--wanPortBuffer={need}B", "--senders=2", "--bytes=4MB").stdout
    assert "NOT enough" in text, text
    text = advise("--wanRate=100Gbps", "--wanDelay=400us", f"--wanPortBuffer={need + 1}B", "--senders=2", "--bytes=4MB").stdout
    assert "for 80 km at 100 Gbit/s" in text and "yours has 10 MB: enough" in text, text


def test_smallest_buffer(advise, programs, folder):
    """A full port pauses its link, one with room for all data never. Of the two ends of the search one pauses, the other does not."""
    done = advise(*SMALL, "--wanPortBuffer=1.3MB")
    times = int(re.search(r"PFC: pauses the links between the datacenters (\d+) times", done.stdout)[1])
    shown = shlex.split(re.search(r"^ +(\S+two-dc-leaf-spine .*)$", done.stdout, re.M)[1])[1:]
    assert pauses(programs, folder, shown, 1_300_000) == times > 0, f"other pauses than in the run that is shown, {times}"
    tried = [(int(size), said) for size, said in re.findall(r"^  (\d+) B for each DCI port: (\w+)", done.stderr, re.M)]
    high, low = min(size for size, said in tried if said == "no"), max(size for size, said in tried if said == "paused")
    assert low < high <= 1.05 * low + 1 and f"{high / 1e6:.3g} MB  is not paused" in done.stdout, f"{tried}: {done.stdout}"
    assert pauses(programs, folder, shown, high) == 0 < pauses(programs, folder, shown, low), f"{low} and {high} B"
    text = advise(*SMALL, "--wanPortBuffer=40MB").stdout
    assert "PFC: does not pause the links between the datacenters with 40 MB for each DCI port; 0 frames are dropped" in text, text
    assert f"{1_262_977 / 1e6:.3g} MB  loses nothing" in text, text
    assert (folder / "out" / "advise.png").stat().st_size > 20000, "no picture"


def test_buffers_and_thresholds(advise):
    """Parts of a switch's buffer, thresholds by rate, and no limit of time for what is there already."""
    done = advise(*SMALL, "--wanLinks=2", "--switchBuffer=16MB", "--fabricRate=400Gbps", "--hostRate=25Gbps", "--limit=0s")
    assert "yours has 6 MB" in done.stdout and "75%" in done.stdout and "time was over" in done.stdout, done.stdout
    for rate, kmin, kmax in (("25", "100 KB", "400 KB"), ("100", "400 KB", "1.6 MB"), ("400", "1.6 MB", "6.4 MB")):
        assert re.search(rf" {rate} Gbit/s +\S+ km +{kmin} +{kmax} ", done.stdout), done.stdout
    assert "--dciBuffer=4000000B" in done.stdout and "--leafBuffer=2000000B" in done.stdout, done.stdout


def test_nic(advise, folder):
    """A file of the NIC's settings is what the runs have."""
    (folder / "nic.txt").write_text("rpg_ai_rate=50\nrpg_byte_reset=0\n")
    text = advise(*SMALL, f"--nvidia={folder}/nic.txt", "--limit=0s").stdout
    assert "rpg_ai_rate=50Mbps" in text and "rpg_byte_reset=0," in text and "nic.txt" in text, text
    assert summary(folder / "out" / "run")["valuesInForce"]["inter.congestionControl"][0]["values"]["AiRate"] == "50Mbps"
    (folder / "nic.txt").write_text("rpg_ai_rat=50\n")
    refused(advise(*SMALL, f"--nvidia={folder}/nic.txt", status=2), "nic.txt:1: ", "rpg_ai_rat")


@pytest.mark.parametrize("option, words", [
    ("--wanRate=400", "'400', expected a rate such as"), ("--wanRate=0Gbps", "expected a rate"), ("--wanDelay=80", "--wanDelay is '80'"),
    ("--wanDelay=-1km", "--wanDelay"), ("--wanPortBuffer=64", "'64', expected a size with unit"), ("--wanLinks=0", "whole number from 1"),
    ("--switchBuffer=64M", "'64M', expected a size"), ("--bytes=64", "'64', expected a size with unit"), ("--limit=5", "'5', expected a time"),
    ("--cc=Dcqn", "expected one of: Bbr"), ("--wanPortBuffer=0B", "expected a size above 0"), ("--km=80", "unrecognized arguments: --km=80")])
def test_refused(advise, option, words):
    """One line that names what is wrong."""
    lines = advise(*SMALL, option, status=2).stderr.strip().splitlines()
    assert words in lines[-1] and "Traceback" not in "".join(lines) and "error: " in lines[-1], lines


def test_switch_smaller_than_its_ports(advise):
    """The two buffers do not go together."""
    refused(advise(*SMALL, "--wanLinks=4", "--wanPortBuffer=4MB", "--switchBuffer=16MB", status=2), "is not more than 4 times")
    refused(advise(*SMALL, "--", "--lossless=0", status=2), "PFC is off")
