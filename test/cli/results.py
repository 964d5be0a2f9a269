# SPDX-License-Identifier: GPL-2.0-only
"""What is promised of results when something goes wrong, as a user sees it: what a user does, what must be there afterwards.

The earlier result survives bad input, a full disk, kill -9 and a second run in the same folder; files
of others and input files are not touched. contrib/roce/doc/developers/tests.rst names these tests.
"""

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess

from support import LEAF_SPINE, REFERENCE, SCRIPTS, contents, has_bytes, refused, run, summary, wait_for, write_files

SMALL = [LEAF_SPINE, "--progress=none", "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--duration=200us"]
REPLAY = [f"--topology={REFERENCE}/topology.txt", f"--flows={REFERENCE}/flow.txt", "--cc=Hpcc", "--stop=2001ms",
          "--progress=none"]
FLOWS = "src,dst,bytes,start_ns\n0,1,1000,0\n4,1,5000,500\n"


def start_long(programs, folder):
    """A long run into r, once it has written."""
    process = programs.start(*SMALL, "--out=r", "--duration=1s", "--load=0.9", "--queues=10us", cwd=folder)
    assert wait_for(lambda: has_bytes(folder / "r" / "queues.csv.tmp"), process), process.communicate()
    return process


def refuse_with_limit(programs, folder, limit, *options):
    """@return the line of a run that may write only this number of bytes into a file."""
    # ns-3 does not free the event that an exception leaves: no matter at the end of a process, but a leak.
    return programs.refuse(*SMALL, *options, cwd=folder, env={"ASAN_OPTIONS": "detect_leaks=0"},
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))


def read(folder, status):
    """The script that reads results."""
    return run(SCRIPTS / "roce_results.py", folder / "r", status=status)


def test_no_folder_means_no_files(programs, folder):
    """replay asks for fct.txt and pfc.txt by itself, which an empty --out takes back."""
    programs.run("replay", *REPLAY, "--out=", cwd=folder)
    programs.run("replay", *REPLAY, "--out=", "--hpccPfc=0", cwd=folder)
    assert os.listdir(folder) == [], f"files: {os.listdir(folder)}"
    programs.refuse("replay", *REPLAY, "--out=", "--hpccPfc=1", cwd=folder, words=["--hpccPfc with an empty --out"])


def test_bad_input_keeps_the_earlier_result(programs, folder):
    programs.run(*SMALL, "--out=r", "--pcap=nic0", cwd=folder)
    before = contents(folder / "r")
    for bad in ["--pcap=nix", "--queues=1us --seriesPorts=nix", "--rates=1us --seriesFlows=99999",
                "--pcap=nic0,nic0", "--pattern=list --flows=nix", "--netanim=1", "--cc=nix",
                "--hpccFct=1 --queues=change --pcap=dc0-leaf0:99"]:
        programs.refuse(*SMALL, "--out=r", *bad.split(), cwd=folder)
        assert contents(folder / "r") == before, f"{bad} changed the folder to {sorted(contents(folder / 'r'))}"
    programs.refuse(*SMALL, "--out=fresh", "--pcap=nix", cwd=folder)
    assert not (folder / "fresh").exists(), "bad input leaves a new folder"


def test_inputs_and_files_of_others_stay(programs, folder):
    (folder / "flows.csv").write_text(FLOWS)
    listed = [*SMALL, "--pattern=list", "--flows=flows.csv"]
    programs.refuse(*listed, "--out=.", cwd=folder, words=["flows.csv: this run reads it"])
    assert (folder / "flows.csv").read_text() == FLOWS, "the input is gone"
    assert os.listdir(folder) == ["flows.csv"], f"files: {os.listdir(folder)}"
    # A reference that the run does not read.
    write_files(folder, {"ref/fct.txt": "reference"})
    programs.refuse("replay", *REPLAY, "--out=ref", cwd=folder, words=["ref/fct.txt: is not from an earlier run"])
    assert (folder / "ref/fct.txt").read_text() == "reference", "the reference is gone"
    # A file of the earlier run as the input of the next, by another name.
    programs.run(*listed, "--out=r", cwd=folder)
    (folder / "flows.csv").replace(folder / "r" / "flows.csv")
    (folder / "link.csv").symlink_to("r/flows.csv")
    programs.refuse(*SMALL, "--pattern=list", "--flows=link.csv", "--out=r", cwd=folder, words=["r/flows.csv: this run reads it"])
    assert (folder / "r/flows.csv").read_text() == FLOWS, "the input is gone"


def test_two_runs_in_one_folder(programs, folder):
    first = start_long(programs, folder)
    programs.refuse(*SMALL, "--out=r", cwd=folder, words=["r: another run is writing there"])
    assert not (folder / "r/summary.json").exists(), "the second run has left a result"
    refused(read(folder, 2), f"{folder}/r: the run has not finished (.unfinished is there, summary.json not)")
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert sorted(os.listdir(folder / "r")) == [".unfinished", "queues.csv.tmp"], f"after kill -9: {os.listdir(folder / 'r')}"
    programs.run(*SMALL, "--out=r", cwd=folder)
    assert sorted(os.listdir(folder / "r")) == ["flows.csv", "summary.json"], f"after the next run: {os.listdir(folder / 'r')}"


def test_many_runs_at_once(programs, folder):
    """Of runs that start together, each ends with a whole result or says that it may not."""
    for _ in range(5):
        runs = [programs.start(*SMALL, "--out=r", f"--seed={seed}", "--queues=1us", "--fingerprint", cwd=folder, stdout=subprocess.PIPE)
                for seed in (1, 2, 3)]
        ends = [(run.communicate(), run.returncode) for run in runs]
        whole = [out.rsplit("fingerprint ", 1)[1].strip() for (out, _), status in ends if status == 0]
        assert whole, "none has a result"
        assert all(status == 0 or (status == 2 and "another run is writing" in error) for (_, error), status in ends), f"ends: {ends}"
        found = summary(folder / "r")
        assert found["fingerprint"] in whole, "the result is none of the runs'"
        assert sorted(os.listdir(folder / "r")) == sorted(found["files"]), f"files: {os.listdir(folder / 'r')}"


def test_kill_keeps_the_earlier_result(programs, folder):
    programs.run(*SMALL, "--out=r", cwd=folder)
    before = contents(folder / "r")
    run = start_long(programs, folder)
    run.send_signal(signal.SIGKILL)
    run.wait()
    after = contents(folder / "r")
    assert {name: after.get(name) for name in before} == before, f"killed: {sorted(after)}"
    done = read(folder, 0)
    assert done.stderr == f"warning: {folder}/r: a later run has not finished, this is the result of the one before\n", f"{done}"


def test_files_that_look_temporary(programs, folder):
    """A file of somebody else is one, whatever it is called; nothing is written through a link."""
    (folder / "precious").write_text("precious")
    for name in ("flows.csv.tmp", "queues.csv.tmp", "nic0.pcap.tmp", "summary.json.tmp", ".unfinished", ".commit", ".commit.tmp"):
        for link in (False, True):
            file = folder / "r" / name
            file.parent.mkdir()
            if link:
                file.symlink_to(folder / "precious")
            else:
                file.write_text("mine")
            error = programs.refuse(*SMALL, "--queues=10us", "--pcap=nic0", "--out=r", cwd=folder)
            assert f"r/{name}: " in error and "expected" in error, f"{name}, link {link}: {error}"
            assert file.read_text() == ("precious" if link else "mine"), f"{name}, link {link}: overwritten"
            assert (folder / "precious").read_text() == "precious", f"{name}: written through a link"
            left = set(os.listdir(folder / "r")) - {name}
            assert not left, f"{name}, link {link}: left {left}"
            shutil.rmtree(folder / "r")


def test_crafted_summary(programs, folder):
    """To be listed is not enough to be removed, nor to be replaced by something else."""
    programs.run(*SMALL, "--queues=10us", "--out=r", cwd=folder)
    found = summary(folder / "r")
    (folder / "r/thesis.tex").write_text("mine")
    found["files"].append("thesis.tex")
    for entry in ([], [{"name": "thesis.tex", "bytes": 4, "sha256": "0" * 64}]):
        found["manifest"]["outputs"] += entry
        (folder / "r/summary.json").write_text(json.dumps(found))
        programs.run(*SMALL, "--queues=10us", "--out=r", cwd=folder)
        assert (folder / "r/thesis.tex").read_text() == "mine", "it is gone"
    (folder / "r/queues.csv").write_text("mine, too")
    programs.refuse(*SMALL, "--queues=10us", "--out=r", cwd=folder, words=["r/queues.csv: is not as the earlier run has left it"])
    programs.run(*SMALL, "--out=r", cwd=folder)
    assert (folder / "r/queues.csv").read_text() == "mine, too", "a changed table is gone"


def test_manifest_of_inputs(programs, folder):
    (folder / "flows.csv").write_text(FLOWS)
    programs.run(*SMALL, "--pattern=list", "--flows=flows.csv", "--out=a", cwd=folder)
    (folder / "flows.csv").rename(folder / "other.csv")
    programs.run(*SMALL, "--pattern=list", "--flows=other.csv", "--out=b", "--queues=5us", "--threads=2", cwd=folder)
    (folder / "other.csv").write_text(FLOWS.replace("5000", "5001"))
    programs.run(*SMALL, "--pattern=list", "--flows=other.csv", "--out=c", cwd=folder)
    programs.run(*SMALL, "--pattern=list", "--flows=other.csv", "--out=e", "--ns3::roce::Nic::Eager=true", cwd=folder)
    a, b, c, e = [summary(folder / name)["manifest"] for name in "abce"]
    assert a["inputs"] == [{"path": "flows.csv", "bytes": len(FLOWS), "sha256": hashlib.sha256(FLOWS.encode()).hexdigest()}], \
        f"inputs {a['inputs']}"
    assert a["digest"] == b["digest"], f"the same run has another digest: {a['parts']}, {b['parts']}"
    assert a["digest"] != c["digest"] and a["parts"]["flows"] != c["parts"]["flows"], "another flow list has the same digest"
    differ = [part for part in c["parts"] if c["parts"][part] != e["parts"][part]]
    assert differ == ["attributes"], f"another attribute changes {differ}"
    # What files name is an input, too.
    (folder / "config.txt").write_text(f"TOPOLOGY_FILE {REFERENCE}/topology.txt\nFLOW_FILE {REFERENCE}/flow.txt\n")
    programs.run("replay", "--config=config.txt", "--cc=Hpcc", "--stop=2001ms", "--progress=none", "--out=f", cwd=folder)
    inputs = {entry["path"] for entry in summary(folder / "f")["manifest"]["inputs"]}
    assert inputs >= {"config.txt", f"{REFERENCE}/topology.txt", f"{REFERENCE}/flow.txt"}, f"inputs {inputs}"


def test_full_disk(programs, folder):
    """A limit on the size of files stands for the full disk."""
    programs.run(*SMALL, "--out=r", cwd=folder)
    before = contents(folder / "r")
    for options in (["--queues=1us", "--duration=600us"], ["--pcap=all", "--duration=600us"],
                    ["--rates=change", "--chromeTrace", "--duration=600us"],
                    ["--netanim=0us-600us", "--duration=600us"],
                    ["--queues=change", "--pcap=all", "--chromeTrace", "--duration=600us"]):
        error = refuse_with_limit(programs, folder, 50000, "--out=r", *options)
        assert ": cannot write: File too large" in error, error
        after = contents(folder / "r")
        assert {name: after.get(name) for name in before} == before, f"{options}: {sorted(after)}"
    error = refuse_with_limit(programs, folder, 0, "--out=new")
    assert "cannot write" in error, error
    assert not any(name in os.listdir(folder / "new") for name in before), f"files: {os.listdir(folder / 'new')}"


def test_captures_are_part_of_the_result(programs, folder):
    programs.run(*SMALL, "--out=r", "--pcap=nic0,dc0-leaf0:1", cwd=folder)
    found = summary(folder / "r")
    assert found["files"] == ["nic0.pcap", "dc0-leaf0-1.pcap", "flows.csv", "summary.json"], f"files: {found['files']}"
    programs.run(*SMALL, "--out=r", "--seed=2", cwd=folder)
    assert sorted(os.listdir(folder / "r")) == ["flows.csv", "summary.json"], f"beside the new result: {os.listdir(folder / 'r')}"


def test_folders_in_the_way(programs, folder):
    (folder / "r" / "summary.json").mkdir(parents=True)
    programs.refuse(*SMALL, "--out=r", cwd=folder, words=["r/summary.json: is a folder"])
    (folder / "file").touch()
    programs.refuse(*SMALL, "--out=file", cwd=folder)
