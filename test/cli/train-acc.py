# SPDX-License-Identifier: GPL-2.0-only
"""PARALEON's train_acc: two short trainings give the same bytes, another seed others, and the programs read what comes out."""

from support import LEAF_SPINE, ROOT, refused, rows, run

SCRIPT = ROOT / "contrib" / "roce" / "systems" / "paraleon" / "train_acc"


def test_train_acc(programs, folder):
    """All of it."""
    def train(file, *options):
        run(SCRIPT, folder / file, f"--build={programs.build}", "--episodes=2", *options)
        return (folder / file).read_text(encoding="utf-8")

    first = train("a.txt")
    assert first.startswith("acc-table 1\nintervals 3\naction 40000 160000 0.2\n"), f"head of a table: {first[:80]}"
    assert first.count("\naction ") == 12 and first.count("\nvalue ") > 100, "12 curves and what was learned of them"
    assert train("b.txt") == first, "the same training twice gives different bytes"
    assert train("c.txt", "--seed=2") != first, "another seed gives the same table"
    assert train("d.txt", f"--start={folder / 'a.txt'}").count("\nvalue ") >= first.count("\nvalue "), "--start forgets what the table knows"
    compiled = train("e.inc")
    assert compiled.startswith('R"acc(#') and compiled.endswith(')acc"\n') and first in compiled, "a table to be compiled in"

    out = folder / "run"
    network = [LEAF_SPINE, "--datacenters=1", "--leaves=2", "--spines=1", "--hostsPerLeaf=4", "--cc=Dcqcn", "--pattern=incast",
               "--incastSenders=6", f"--out={out}"]
    programs.run(*network, f"--tuner=Acc[Table={folder / 'a.txt'}|MonitorInterval=50us|TracePorts=true]")
    table = rows(out / "tuning.csv")
    ports = [column for column in table[0] if ":" in column]
    assert len(ports) == 2 * 5 + 2, f"a column for each port: {ports}"
    assert sum(float(row["retuned"]) for row in table) > 0 and len({row["kmax_kb"] for row in table}) > 1, "tuning.csv shows no choice"
    assert not (out / "learned.txt").exists(), "learned.txt without SharedTable"
    (folder / "bad.txt").write_text("acc-table 1\nintervals 3\naction 1 2 3\n", encoding="utf-8")
    programs.refuse(*network, f"--tuner=Acc[Table={folder / 'bad.txt'}]", words=["bad.txt:3: Pmax is '3', expected a number from 0 to 1"])
    for more, words in ((["--build", programs.build, f"--start={folder / 'bad.txt'}"], "Pmax is '3'"),
                        ([f"--build={folder}"], "expected a build folder")):
        refused(run(SCRIPT, folder / "f.txt", *more, status=2), words)
