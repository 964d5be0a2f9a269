# SPDX-License-Identifier: GPL-2.0-only
"""Processes on two machines give the bytes of one: two network namespaces with names of their own, joined by a link.

Open MPI starts its daemon on the second machine by a remote shell, here a script that enters its namespace, and all that the
processes exchange goes over the link. Needs root (CI runs as root) and Debian's iproute2; without them the test is skipped.
"""

import os
import shutil

import pytest
from threads import SMALL

from support import run
from support.parallel import MPIRUN, NO_LEAKS, differences, result

if not shutil.which("mpirun"):
    pytest.skip("no mpirun; scripts/install.sh installs one", allow_module_level=True)

# Flows over the datacenters' link, with and without others that wait for them.
RUNS = {
    "poisson": SMALL + ["--load=0.5", "--interFraction=0.5", "--duration=50us", "--wanDelay=20us", "--queues=7us"],
    "collective": SMALL + ["--pattern=collective", "--collectiveBytes=100000", "--wanDelay=20us"],
}


class Machines:
    """Two namespaces of a network, near and far, and a way to start processes in both."""

    def __init__(self, folder):
        names = [f"roce-{name}-{os.getpid()}" for name in ("near", "far")]
        self.near, self.far = names
        self.devices = [f"n{os.getpid()}", f"f{os.getpid()}"]
        self.agent = folder / "remote-shell"
        self.agent.write_text(f'#!/bin/sh\nshift\nexec ip netns exec {self.far} unshare --uts sh -c "hostname far; $*"\n')
        self.agent.chmod(0o755)

    def start(self):
        """Make the namespaces, with a link between them. @return whether that is possible here"""
        for name in (self.near, self.far):
            if run("ip", "netns", "add", name, status=None).returncode:
                return False
        run("ip", "link", "add", self.devices[0], "netns", self.near, "type", "veth", "peer", "name", self.devices[1],
            "netns", self.far)
        for i, (name, device) in enumerate(zip((self.near, self.far), self.devices)):
            run("ip", "-n", name, "addr", "add", f"10.77.0.{1 + i}/24", "dev", device)
            for up in ("lo", device):
                run("ip", "-n", name, "link", "set", up, "up")
        return True

    def command(self):
        """@return what starts one process on each machine"""
        return ["ip", "netns", "exec", self.near, "unshare", "--uts", "sh", "-c", 'hostname near; exec "$@"', "sh", *MPIRUN,
                "--mca", "plm_rsh_agent", self.agent, "--host", "near:1,far:1", "-np", "2"]

    def sent_bytes(self):
        """@return what has gone over the link to the far one"""
        statistics = run("ip", "netns", "exec", self.near, "cat", f"/sys/class/net/{self.devices[0]}/statistics/tx_bytes").stdout
        return int(statistics)

    def stop(self):
        """Remove what start() has made."""
        for name in (self.near, self.far):
            run("ip", "netns", "del", name, status=None)


@pytest.fixture(scope="module")
def machines(shared_folder):
    """Both."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        pytest.skip("two machines are network namespaces: needs root and iproute2")
    found = Machines(shared_folder)
    try:
        if not found.start():
            pytest.skip("no network namespaces here")
        yield found
    finally:
        found.stop()


@pytest.mark.parametrize("name", RUNS)
def test_same_bytes(programs, machines, folder, name):
    """One process on each of two machines."""
    if "libmpi" not in run("ldd", programs.build / "lib" / "libns3-roce.so").stdout:
        pytest.skip("a build without MPI")
    program, *options = RUNS[name]
    where = run(*machines.command(), "hostname", env=NO_LEAKS).stdout.split()
    assert sorted(where) == ["far", "near"], f"processes on {where}"
    before = machines.sent_bytes()
    one = result(programs.bin / program, options, folder / "one")
    two = result(programs.bin / program, options, folder / "two", launcher=machines.command())
    assert "flows.csv" in one, f"one process: {one}"
    differ = differences(one, two)
    assert not differ, f"two machines: {', '.join(differ)}"
    assert machines.sent_bytes() > before + 10_000, "nothing has gone over the link"
