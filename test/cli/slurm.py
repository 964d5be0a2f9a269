# SPDX-License-Identifier: GPL-2.0-only
"""A campaign on a Slurm cluster of one node, which this test starts and ends.

Needs root (CI runs as root) and Debian's slurm-wlm and munge; without root the test is skipped. Everything is in a temporary
folder: key, sockets, state. Nothing outlives the test.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest

from support import LEAF_SPINE, SCRIPTS, run

START_SECONDS = 60
CAMPAIGN_SECONDS = 240

CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmdPort={slurmd_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=100000
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=10 State=UP
"""

EXPERIMENT = """\
title: Two jobs
program: {program}
options: {{duration: 50us, wanDelay: 20us, load: 0.5}}
grid:
  cc: [Dcqcn, Hpcc]
metrics:
  all_mean: {{of: slowdown, statistic: mean}}
claims:
  - {{id: above-one, holds: all_mean >= 1, each: cc}}
slurm: {{partition: test, time: "0:05:00"}}
"""


def free_port():
    """A port nobody listens on."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """munged, slurmctld and slurmd in a folder of their own."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        for name in ("SLURM_JOB_ID", "SBATCH_PARTITION"):
            self.environment.pop(name, None)

    def start(self):
        """Start all, wait until the node takes jobs."""
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        host = socket.gethostname().split(".")[0]
        (self.folder / "slurm.conf").write_text(CONF.format(
            host=host, folder=self.folder, cpus=len(os.sched_getaffinity(0)),
            ctld_port=free_port(), slurmd_port=free_port()))
        # Nothing is limited by cgroups; of the two plugins this one starts where there are none, too.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}",
                    f"--socket={self.folder}/munge.socket", f"--pid-file={self.folder}/munge.pid",
                    f"--log-file={self.folder}/munge.log", f"--seed-file={self.folder}/munge.seed")
        self.wait(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.daemon("slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self.wait(lambda: self.ask("scontrol", "ping").returncode == 0, "slurmctld")
        self.daemon("slurmd", "-D", "-f", self.folder / "slurm.conf", "-N", host)
        self.wait(lambda: self.ask("sinfo", "--noheader", "--format=%T").stdout.strip() == "idle",
                  "slurmd")

    def daemon(self, name, *arguments):
        """A process in a session of its own."""
        path = shutil.which(name, path="/usr/sbin:/usr/bin:/sbin:/bin")
        assert path, f"{name} is not installed, see scripts/install.sh"
        with open(self.folder / f"{name}.out", "wb") as log:
            self.processes.append(subprocess.Popen(
                [path] + [str(a) for a in arguments], stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, env=self.environment, start_new_session=True))

    def ask(self, *command, seconds=20):
        """A client's answer."""
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=seconds,
                                  check=False, env=self.environment)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 1, "", "no answer")

    def wait(self, ready, name):
        """Until something is true, or its logs and the end."""
        end = time.monotonic() + START_SECONDS
        while not ready():
            if time.monotonic() > end or self.processes[-1].poll() is not None:
                pytest.fail(f"{name} does not start:\n" + self.logs())
            time.sleep(0.2)

    def logs(self):
        """The last lines of all logs."""
        texts = []
        for file in sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*.out")):
            lines = file.read_text(errors="replace").splitlines()[-15:]
            texts.append(f"--- {file.name}\n" + "\n".join(lines))
        return "\n".join(texts)

    def stop(self):
        """End jobs and processes, in the reverse order."""
        self.ask("scancel", "--user=root", seconds=10)
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(timeout=15)
                except subprocess.TimeoutExpired:
                    pass
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


def reproduce(cluster, experiment, out, *more):
    """@return the finished scripts/reproduce, which is killed if it takes too long."""
    command = [SCRIPTS / "reproduce", experiment, "--slurm", "--allow-program", "--out", out, *more]
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=cluster.environment,
                               start_new_session=True)
    try:
        output = process.communicate(timeout=CAMPAIGN_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output = process.communicate()
        pytest.fail(f"no end after {CAMPAIGN_SECONDS} s: {output}\n" + cluster.logs())
    return process.returncode, *output


@pytest.fixture(scope="module")
def cluster(shared_folder):
    """A cluster that runs."""
    if os.geteuid() != 0:
        pytest.skip("starting Slurm's daemons needs root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # CTest's time limit: clean up, too
    shared_folder.chmod(0o755)
    folder = shared_folder / "slurm"
    folder.mkdir()
    found = Cluster(folder)
    try:
        found.start()
        yield found
    finally:
        found.stop()


@pytest.fixture
def experiment(programs, folder):
    """The experiment's file."""
    folder.chmod(0o755)
    (folder / "two-jobs.yaml").write_text(EXPERIMENT.format(program=programs.bin / LEAF_SPINE))
    return folder / "two-jobs.yaml"


def test_jobs(cluster, experiment, folder):
    """Two jobs, both run by Slurm."""
    out = folder / "results"
    status, stdout, stderr = reproduce(cluster, experiment, out)
    assert status == 0, f"status {status}: {stdout}{stderr}\n{cluster.logs()}"
    records = [json.loads(f.read_text()) for f in sorted(out.glob("runs/*/run.json"))]
    jobs = [r["slurmJob"] for r in records]
    assert len(jobs) == 2 and None not in jobs and len(set(jobs)) == 2, f"Slurm jobs: {jobs}"
    for job in jobs:
        shown = cluster.ask("scontrol", "--oneliner", "show", "job", job).stdout
        assert "JobState=COMPLETED" in shown and "TimeLimit=00:05:00" in shown, f"job {job}: {shown}"
        assert (out / "logs" / f"slurm-{job}.log").exists(), f"no log of job {job}"
    assert (out / "index.html").stat().st_size > 10_000, "no page"
    assert (out / "score.csv").read_text().splitlines()[1].split(",")[5] == "A", "score"


def test_failing_jobs(cluster, experiment, folder):
    """The workload is wrong only for the program itself: the job fails, and its words arrive here."""
    experiment.write_text(experiment.read_text().replace("load: 0.5", "load: 0.5, workload: no-such-workload"))
    status, stdout, stderr = reproduce(cluster, experiment, folder / "results", "--unchecked")
    assert status == 1, f"status {status} for failing jobs: {stdout}{stderr}"
    assert "no-such-workload" in stderr and "2 of 2 runs are missing" in stderr, f"words of failing jobs: {stderr}"


def test_processes(cluster, programs, folder):
    """Two tasks of a job simulate one network, with the results of one."""
    program = [programs.bin / LEAF_SPINE, "--duration=50us", "--load=0.5"]
    if "libmpi" not in run("ldd", programs.build / "lib" / "libns3-roce.so").stdout:
        pytest.skip("no MPI in this build: no job of two processes")
    one = cluster.ask(*program, f"--out={folder}/one", seconds=60)
    two = cluster.ask("srun", "--mpi=pmix", "--ntasks=2", "--overcommit", *program, f"--out={folder}/two", seconds=60)
    assert one.returncode == two.returncode == 0, f"two processes: {two.stdout}{two.stderr}\n{cluster.logs()}"
    flows = [(folder / name / "flows.csv").read_bytes() for name in ("one", "two")]
    assert flows[0] == flows[1], "two processes under Slurm give other results"
    assert two.stdout.count("simulated") == 1, f"two processes speak: {two.stdout}"
    # Open MPI learns from Slurm how many tasks a batch script has, and where.
    mpirun = "mpirun --allow-run-as-root --oversubscribe"
    script = f"{mpirun} echo a task; {mpirun} {' '.join(map(str, program))} --progress=none --out={folder}/three"
    batch = cluster.ask("sbatch", "--wait", "--ntasks=2", "--overcommit", f"--output={folder}/batch.log", f"--wrap={script}", seconds=60)
    log = (folder / "batch.log").read_text()
    assert batch.returncode == 0, f"mpirun in a batch script: {batch.stdout}{batch.stderr}{log}\n{cluster.logs()}"
    assert log.count("a task") == 2 and log.count("simulated") == 1, f"processes of a batch script: {log}"
    assert (folder / "three" / "flows.csv").read_bytes() == flows[0], "mpirun in a batch script gives other results"


def test_kills(cluster, experiment, folder):
    """A campaign that is ended, killed, or killed with all its processes leaves no job behind, at the latest when it is
    started again; another's jobs are left alone."""
    experiment.write_text(experiment.read_text().replace("50us", "500ms"))
    out = folder / "killed"
    other = cluster.ask("sbatch", "--parsable", "--hold", f"--chdir={cluster.folder}", "--job-name=roce-two-jobs",
                        "--wrap=sleep 100").stdout.strip()

    def jobs():
        listed = cluster.ask("squeue", "--noheader", "--format=%i", "--states=PENDING,RUNNING").stdout.split()
        return set(listed) - {other}

    def begin():
        command = [SCRIPTS / "reproduce", experiment, "--slurm", "--allow-program", "--out", out]
        return subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=cluster.environment, start_new_session=True)

    left = set()
    for how, kill, leaves in (("SIGTERM", lambda p: p.terminate(), False), ("SIGKILL", lambda p: p.kill(), False),
                              ("SIGKILL to all", lambda p: os.killpg(p.pid, signal.SIGKILL), True),
                              ("SIGHUP", lambda p: p.send_signal(signal.SIGHUP), False)):
        process = begin()
        cluster.wait(lambda: jobs() - left, f"a campaign's job before {how}")
        started = jobs()
        assert not started & left, f"{how}: {started & left} live on from the campaign killed before"
        kill(process)
        process.wait(timeout=60)
        if leaves:
            left = jobs()
            assert left, "no job outlives a campaign whose processes are all killed"
        else:
            cluster.wait(lambda: not jobs(), f"the end of all jobs after {how}")
    held = cluster.ask("squeue", "--noheader", "--format=%i").stdout.split()
    assert other in held, f"another's job was cancelled: {held}"
    cluster.ask("scancel", other)
