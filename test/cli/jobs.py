# SPDX-License-Identifier: GPL-2.0-only
"""--pattern=jobs: several jobs share a network. Where their ranks are, how often they begin again, and what the tables say."""

import json

import pytest

from support import LEAF_SPINE, contents, rows, summary

SMALL = [LEAF_SPINE, "--progress=none", "--datacenters=1", "--leaves=2", "--spines=2", "--hostsPerLeaf=4", "--cc=LineRate", "--pattern=jobs",
         "--jobs=jobs.json"]
PAIR = "num_ranks 2\nrank 0 {\nc: calc 1000\ns: send 4096b to 1\ns requires c\n}\nrank 1 {\nr: recv 4096b from 0\nc: calc 500\nc requires r\n}\n"
MODEL = {"tensor": 8, "data": 8, "layers": 2, "hidden": 256, "sequence": 256, "flops": 4e14}


def run(programs, folder, jobs, *more, program=None):
    """@return jobs.csv by name, and flows.csv."""
    (folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    programs.run(*(program or SMALL), *more, "--out=r", cwd=folder)
    return {row["name"]: row for row in rows(folder / "r" / "jobs.csv")}, rows(folder / "r" / "flows.csv")


def reduce(name, ranks=4, size=4000000, **more):
    """A job of an all-reduce as a ring."""
    return {"name": name, "ranks": ranks, "collective": {"kind": "all-reduce", "bytes": size}, **more}


def test_iterations(programs, folder):
    """A pair that computes and sends, three times: each rank begins again when it is done itself."""
    (folder / "in").mkdir()
    (folder / "in" / "pair.goal").write_text(PAIR, encoding="utf-8")
    (folder / "in" / "jobs.json").write_text(json.dumps(
        [{"name": "pair", "goal": "pair.goal", "placement": "5,2", "start": "7us", "repetitions": 3, "pause": "2us"}]), encoding="utf-8")
    programs.run(*SMALL[:-1], "--jobs=in/jobs.json", "--out=r", cwd=folder)
    (job,) = rows(folder / "r" / "jobs.csv")
    flows = rows(folder / "r" / "flows.csv")
    assert {(f["src"], f["dst"]) for f in flows} == {("5", "2")}, flows
    fct, received = float(flows[0]["fct_ns"]), float(flows[0]["receiver_fct_ns"])
    assert [float(f["start_ns"]) for f in flows] == [8000 + i * (fct + 3000) for i in range(3)], "7 us, and 2 us between them"
    assert (job["iterations"], job["ranks"], float(job["start_ns"])) == ("3", "2", 7000), job
    # The receiver posts its receive at 7 us, and again 2 us after it was done.
    ends = [8000 + i * (fct + 3000) + max(fct, received + 500) for i in range(3)]
    assert float(job["end_ns"]) == ends[2], (job, ends)
    assert (job["compute_mean_ns"], job["compute_max_ns"]) == ("750.000", "1000.000"), job
    receiver = (1000 + received + 2 * (fct + 3000 - 2000 - 500)) / 3
    assert abs(float(job["exposed_max_ns"]) - max(fct, receiver)) < 0.01, (job, fct, receiver)
    assert abs(float(job["exposed_mean_ns"]) - (fct + receiver) / 2) < 0.01, (job, fct, receiver)


def test_bus_bandwidth(programs, folder):
    """That of NCCL's tests: 2 (n - 1) / n of the bytes over the time."""
    jobs, flows = run(programs, folder, [reduce("one", repetitions=2, placement="3,2,1,0"), reduce("two", ranks=2, start="1ms")])
    assert (jobs["one"]["iterations"], jobs["two"]["iterations"]) == ("2", "1"), jobs
    table = rows(folder / "r" / "collectives.csv")
    assert [(row["job"], row["name"], row["bytes"], row["count"]) for row in table] == [
        ("0", "all-reduce of all ranks", "4000000", "2"), ("1", "all-reduce of all ranks", "4000000", "1")], table
    for row, factor in zip(table, (1.5, 1)):
        assert abs(float(row["busbw_gbps"]) - factor * 4e6 * 8 / float(row["mean_ns"])) < 0.01, row
        assert 60 < float(row["busbw_gbps"]) < 100, row
    assert jobs["two"]["busbw_gbps"] == table[1]["busbw_gbps"]
    assert float(jobs["two"]["iteration_mean_ns"]) == float(table[1]["mean_ns"]) == float(jobs["two"]["exposed_max_ns"]), jobs
    assert len(flows) == 2 * 4 * 6 + 2 * 2


def test_not_done(programs, folder):
    """Of a job that has not ended the tables say what is known."""
    (folder / "jobs.json").write_text(json.dumps([reduce("a", repetitions=3), reduce("b", ranks=2, start="1s")]), encoding="utf-8")
    programs.run(*SMALL, "--stop=1ms", "--out=r", cwd=folder, status=3)
    one, two = rows(folder / "r" / "jobs.csv")
    assert one["iterations"] == "1" and float(one["iteration_mean_ns"]) < 1e6 and one["end_ns"] == one["behind_ns"] == "", one
    assert two["iterations"] == "0" and two["start_ns"] == two["iteration_mean_ns"] == two["exposed_mean_ns"] == "", two
    one, two = rows(folder / "r" / "collectives.csv")
    assert one["count"] == "1" and (two["count"], two["mean_ns"], two["busbw_gbps"]) == ("0", "", ""), (one, two)


def test_straggler(programs, folder):
    """A rank that computes 499 us more than the others ends so much after the median."""
    (folder / "slow.goal").write_text("num_ranks 4\n" + "".join(
        f"rank {r} {{\nc: calc {500000 if r == 2 else 1000}\ns: send 1b to {r ^ 1}\nr: recv 1b from {r ^ 1}\n}}\n" for r in range(4)),
        encoding="utf-8")
    jobs, _ = run(programs, folder, [{"name": "slow", "goal": "slow.goal"}])
    assert jobs["slow"]["last_rank"] == "2" and jobs["slow"]["behind_ns"] == "499000.000", jobs


def test_jobs_that_share_nics(programs, folder):
    """Each job has queue pairs of its own, so that one does not wait for the other's messages; only lists may share."""
    (folder / "one.goal").write_text("num_ranks 2\nrank 0 {\nsend 4000000b to 1\n}\nrank 1 {\nrecv 4000000b from 0\n}\n", encoding="utf-8")
    both = [{"name": name, "goal": "one.goal", "placement": "0,5"} for name in ("a", "b")]
    _, (alone,) = run(programs, folder, both[:1])
    _, flows = run(programs, folder, both)
    assert all(1.9 * float(alone["fct_ns"]) < float(f["fct_ns"]) < 2.1 * float(alone["fct_ns"]) for f in flows), (alone, flows)
    _, flows = run(programs, folder, [dict(job, placement="linear") for job in both])
    assert [(f["src"], f["dst"]) for f in flows] == [("0", "1"), ("2", "3")], flows


def test_random_placement(programs, folder):
    """Another one with each seed, and the same with the same."""
    def ends(*more):
        return {(f["src"], f["dst"]) for f in run(programs, folder, [reduce("a", placement="random")], *more)[1]}
    assert ends("--seed=1") == ends("--seed=1") != ends("--seed=2")


def test_training_on_rails(programs, folder):
    """The tensor group exchanges over its NVSwitch, the data group over its rail. With Poisson flows beside."""
    step = {"name": "step", "training": MODEL, "placement": "rail"}
    jobs, flows = run(programs, folder, [step], program=[LEAF_SPINE, "--progress=none", "--preset=rail-optimised", "--pattern=jobs",
                                                         "--jobs=jobs.json", "--cc=Dcqcn"])
    inner = [f for f in flows if int(f["src"]) % 2] # a GPU has its NIC and then the one at the NVSwitch
    assert len(inner) == 64 * 2 * 4 * 14 and len(flows) - len(inner) == 64 * 14, len(flows)
    assert all(int(f["src"]) // 16 == int(f["dst"]) // 16 for f in inner), "not within a server"
    assert all(int(f["src"]) % 16 == int(f["dst"]) % 16 for f in flows if f not in inner), "not on one rail"
    assert jobs["step"]["ranks"] == "64" and 0 < float(jobs["step"]["compute_mean_ns"]) < float(jobs["step"]["iteration_mean_ns"])
    table = {row["name"]: row for row in rows(folder / "r" / "collectives.csv")}
    assert table["all-reduce of tensor group 8"]["count"] == "8" and table["all-reduce of data group 8"]["count"] == "1", table
    run(programs, folder, [reduce("a")], "--pattern=jobs+poisson", "--load=0.1", "--duration=100us")


def test_manifest(programs, folder):
    """What a result depends on has what ranks do, from files that the file of jobs names."""
    seen = []
    for us in (1, 2, 1):
        (folder / "pair.goal").write_text(PAIR.replace("calc 500", f"calc {us}"), encoding="utf-8")
        run(programs, folder, [{"name": "pair", "goal": "pair.goal"}])
        seen.append(summary(folder / "r")["manifest"]["digest"])
    assert seen[0] == seen[2] != seen[1], seen


def test_threads(programs, folder):
    """Threads change nothing."""
    jobs = [reduce("a", repetitions=3, placement="random"), reduce("b", start="5us", repetitions=2)]
    seen = []
    for threads in (1, 3):
        run(programs, folder, jobs, f"--threads={threads}")
        seen.append({name: data for name, data in contents(folder / "r").items() if name.endswith(".csv")})
    assert seen[0] == seen[1] and "jobs.csv" in seen[0]


def test_replay(programs, folder):
    """Ranks in place of flows, on a topology of the HPCC simulator."""
    (folder / "t.txt").write_text("5 1 4\n4\n" + "".join(f"{h} 4 100Gbps 0.001ms 0\n" for h in range(4)), encoding="utf-8")
    (folder / "pair.goal").write_text(PAIR, encoding="utf-8")
    jobs, flows = run(programs, folder, [reduce("a", ranks=2), {"name": "b", "goal": "pair.goal"}], "--jobs=jobs.json",
                      program=["replay", "--progress=none", "--topology=t.txt", "--cc=LineRate"])
    assert {(f["src"], f["dst"]) for f in flows} == {("0", "1"), ("1", "0"), ("2", "3")} and set(jobs) == {"a", "b"}, flows
    programs.run("replay", "--progress=none", "--topology=t.txt", "--cc=LineRate", "--goal=pair.goal", "--out=g", cwd=folder)
    assert len(rows(folder / "g" / "ranks.csv")) == 2
    programs.refuse("replay", "--topology=t.txt", "--cc=LineRate", "--goal=pair.goal", "--jobs=jobs.json", cwd=folder,
                    words=["several of --flows, --goal, --trace and --jobs are given, expected one"])


@pytest.mark.parametrize(("jobs", "options", "message"), [
    ([reduce("a")], ["--jobs="], "--pattern=jobs, expected --jobs=FILE with it"),
    ([reduce("a"), reduce("b", ranks=5)], [], "jobs.json: /1: has room for 4 ranks of 1 NICs, expected 5"),
    ([reduce("a", ranks=1)], [], "jobs.json: /0/collective: no rank sends anything, expected a message"),
    ([reduce("a", placement="rail")], [],
     "jobs.json: /0/placement: is rail, expected linear or random: the network has no servers of several NICs"),
    ([dict(reduce("a"), collective={"kind": "all-gather", "bytes": 8, "levels": "2:ring"})], [],
     "jobs.json: /0/collective: collective all-gather: levels of 2 ranks in all, expected 4"),
])
def test_refused(programs, folder, jobs, options, message):
    """In one line, before anything is simulated."""
    (folder / "jobs.json").write_text(json.dumps(jobs), encoding="utf-8")
    assert programs.run(*SMALL, *options, "--out=r", cwd=folder, status=2).stderr == f"error: {message}\n"
    assert not (folder / "r").exists()
