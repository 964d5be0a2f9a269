#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lay replay's results beside those of another simulator, and test what could explain differences.

    compare_reference.py [--build DIR] [--reference DIR] [--out DIR] [--repeats N] [--jobs N]

For each transport: slowdowns (that simulator's ideal FCT) by size, median and P99, theirs and ours; how many single flows agree;
how far the same figures move in N runs in which nothing changes but that every flow starts 0 to 20 ns later and the marking has
other random numbers; and what each known difference between the simulators does, switched on one at a time. A difference above 5
% that is outside what those runs show is marked (!). Prints Markdown, writes reference.md, reference.csv and reference.png.
"""

import argparse
import os
import random
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import List, NamedTuple, Sequence, Tuple

import roce_results as rr
from roce_campaign.regress import Bound
from roce_files import OwnFiles
from roce_jobs import positive
from roce_plot import look
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
# Short name in file names, --cc, further options.
TRANSPORTS = (("dcqcn", "Dcqcn", ["--set=HAS_WIN=0"]), ("hpcc", "Hpcc", []), ("timely", "Timely", ["--set=HAS_WIN=0"]))
# What differs if it is not made equal: name, transports it concerns, options; {paths} is paths.csv
# without the ACKs' column.
SWITCHES = (("ACKs hashed as this module does", "all", ["--pathFile={data}"]),
            ("data and ACKs hashed as this module does", "all", ["--pathFile="]),
            ("telemetry exact", "hpcc", ["--ns3::roce::IntStamper::TxUnit=1", "--ns3::roce::IntStamper::QueueUnit=1"]),
            ("window counts wire bytes", "hpcc", ["--ns3::roce::Nic::PayloadWindow=0"]),
            ("rate changes stretch what is left of a gap", "all", ["--ns3::roce::Nic::Repacing=stretch"]),
            ("exact serialisation", "all", ["--ns3::roce::Port::SerialisationTick=0ns"]),
            ("ACKs in the control class", "all", ["--ns3::roce::Nic::ControlClass=0"]),
            ("marking at enqueue", "dcqcn", ["--ns3::roce::EcnMarker::MarkAtEnqueue=1"]),
            ("CNPs as frames, one per 4 us", "dcqcn", ["--ns3::roce::Dcqcn::CnpInAck=false",
                                                       "--ns3::roce::Dcqcn::MinTimeBetweenCnps=4us"]),
            ("other random numbers for marking", "dcqcn", ["--seed=2"]))
UNEXPLAINED = Bound.parse("5%")  # differences above this want an explanation
EQUAL, NEAR = Bound.parse("1.499ns"), Bound.parse("1%")  # of a single flow: the same to the nanosecond, and similar
PERCENTILES = {"median": 500_000, "P99": 990_000}


def read(path: Path, size_column: str) -> pd.DataFrame:
    """Finished flows: src, dst, size, fct and ideal in ns, in the order of ids."""
    names = {"id": "id", "src": "src", "dst": "dst", size_column: "size", "fct_ns": "fct", "ideal_fct_ns": "ideal"}
    try:
        flows = pd.read_csv(path, usecols=list(names)).rename(columns=names).sort_values("id")
    except OSError as error:
        raise rr.ResultError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise rr.ResultError(f"{path}: {error}, expected flows with {', '.join(names)}") from None
    if flows.isna().any(axis=None) or flows.dtypes.eq(object).any():
        raise rr.ResultError(f"{path}: expected numbers in {', '.join(names)} of finished flows")
    # Shifted flows may have changed places, and so their ids: those of one size between two hosts are in order.
    return flows.assign(copy=flows.groupby(["src", "dst", "size"]).cumcount())


class Comparison:
    """A run beside the reference."""

    def __init__(self, flows: pd.DataFrame, reference: pd.DataFrame):
        both = reference.merge(flows, on=["src", "dst", "size", "copy"], suffixes=("_ref", ""))
        if not len(both) == len(flows) == len(reference):
            raise rr.ResultError("the flows are not those of the reference")
        self.equal = int(EQUAL.allows(both.fct_ref, both.fct).sum())
        self.near = int(NEAR.allows(both.fct_ref, both.fct).sum())
        self.ratios = sorted(both.fct / both.fct_ref)
        slowdown = both.fct / both.ideal_ref
        self.mean = slowdown.mean()
        groups = slowdown.groupby(both["size"].map(rr.size_bin))
        self.slowdowns = {rr.SIZE_LABELS[size]: sorted(values) for size, values in groups}
        self.slowdowns["all"] = sorted(slowdown)
        self.figures = {size: [rr.percentile(values, p) for p in PERCENTILES.values()] for size, values in self.slowdowns.items()}


class Runner:
    """Runs replay on the reference's inputs."""

    def __init__(self, build: str, inputs: Path, folder: Path) -> None:
        """@param folder for flow lists and runs, which nobody needs afterwards"""
        self.inputs, self.folder = inputs, folder
        self.program = os.path.join(build, "bin", "replay")
        self.data_paths = folder / "data-paths.csv"
        pd.read_csv(inputs / "paths.csv").iloc[:, :2].to_csv(self.data_paths, index=False)

    def shifted_flows(self, seed: int) -> Path:
        """The flow list with each flow a little later."""
        chance = random.Random(seed)
        first, *lines = (self.inputs / "flow.txt").read_text(encoding="utf-8").splitlines()
        rows = [line.split() for line in lines if line.strip()]
        for row in rows:
            row[5] = f"{float(row[5]) + chance.randrange(21) * 1e-9:.9f}"
        path = self.folder / f"flow-{seed}.txt"
        path.write_text("\n".join([first, *map(" ".join, rows)]) + "\n", encoding="utf-8")
        return path

    def run(self, name: str, cc: str, options: Sequence[str], reference: pd.DataFrame) -> Comparison:
        out = self.folder / name
        options = [option.format(data=self.data_paths) for option in options]
        given = {option.split("=")[0] for option in options}
        inputs = {"--topology": "topology.txt", "--config": "config.txt", "--flows": "flow.txt", "--pathFile": "paths.csv"}
        command = [self.program, f"--cc={cc}", "--profile=hpcc-sim", f"--out={out}", "--progress=none",
                   *(f"{option}={self.inputs / file}" for option, file in inputs.items() if option not in given), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise rr.ResultError(f"{' '.join(command)}: status {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
        flows = read(out / "flows.csv", "bytes")
        shutil.rmtree(out)
        return Comparison(flows, reference)


class Transport(NamedTuple):
    """What was found of one transport."""

    cc: str
    theirs: Comparison
    ours: Comparison
    shifted: List[Comparison]
    switched: List[Tuple[str, Comparison]]

    def spread(self, size: str, i: int) -> List[float]:
        """The smallest and the largest of the runs with shifted starts; nothing without such."""
        values = [s.figures[size][i] for s in self.shifted]
        return [min(values), max(values)] if values else []

    def sizes(self) -> rr.Table:
        """Median and P99 by size."""
        header = ["size", "flows"] + [h for name in PERCENTILES for h in (name, "ours", "diff %", "shifted %")]
        rows = []
        for size, values in self.theirs.figures.items():
            row = [size, str(len(self.theirs.slowdowns[size]))]
            for i, theirs in enumerate(values):
                ours, spread = self.ours.figures[size][i], self.spread(size, i)
                inside = spread and spread[0] <= theirs <= spread[1]
                mark = "" if inside or UNEXPLAINED.allows(theirs, ours) else " (!)"
                row += [f"{theirs:.3f}", f"{ours:.3f}", percent(ours, theirs) + mark, " .. ".join(percent(x, theirs) for x in spread)]
            rows.append(row)
        return header, rows

    def switches(self) -> rr.Table:
        """What each known difference does."""
        return ["switched on", "flows equal to 1 ns", "within 1 %", "mean slowdown", "median", "P99"], [
            [name, str(c.equal), str(c.near), *(f"{x:.3f}" for x in (c.mean, *c.figures["all"]))]
            for name, c in (("nothing", self.ours), *self.switched)]

    def text(self) -> str:
        p5, median, p95 = (rr.percentile(self.ours.ratios, p) for p in (50_000, 500_000, 950_000))
        return "\n\n".join([
            f"### {self.cc}",
            f"Single flows: {self.ours.equal} of {len(self.ours.ratios)} have the same FCT to the nanosecond, {self.ours.near} within "
            f"1 %; median ratio {median:.4f}, P5 {p5:.3f}, P95 {p95:.3f}. Mean slowdown {self.theirs.mean:.3f}, ours {self.ours.mean:.3f}.",
            rr.format_markdown(self.sizes()), rr.format_markdown(self.switches()), ""])


def percent(ours: float, theirs: float) -> str:
    return f"{100 * (ours / theirs - 1):+.1f}"


def compare(runner: Runner, pool: ThreadPoolExecutor, repeats: int, short: str, cc: str, options: List[str]) -> Transport:
    """All runs of one transport."""
    reference = read(runner.inputs / f"fct.{short}.csv", "size_bytes")
    ours = pool.submit(runner.run, short, cc, options, reference)
    shifted = [pool.submit(runner.run, f"{short}-{i}", cc, [*options, f"--seed={i}", f"--flows={runner.shifted_flows(i)}"], reference)
               for i in range(2, repeats + 2)]
    switched = [(name, pool.submit(runner.run, f"{short}-switch-{i}", cc, [*options, *more], reference))
                for i, (name, concerned, more) in enumerate(SWITCHES) if concerned in ("all", short)]
    return Transport(cc, Comparison(reference, reference), ours.result(), [s.result() for s in shifted],
                     [(name, s.result()) for name, s in switched])


def draw(transports: Sequence[Transport], path: str) -> None:
    """Medians and P99 by size; the bars span the runs with shifted starts."""
    figure, axes = look.pyplot().subplots(1, len(transports), figsize=(3.6 * len(transports), 3.4), sharey=True)
    for axis, found in zip(axes, transports):
        sizes = [size for size in found.theirs.figures if size != "all"]
        for i, (name, colour) in enumerate(zip(PERCENTILES, look.COLOURS)):
            for x, size in enumerate(sizes):
                axis.plot([x + 0.12] * len(found.spread(size, i)), found.spread(size, i), color=colour, linewidth=4, alpha=0.3,
                          solid_capstyle="butt")
            for shift, whose, comparison in ((-0.12, "other simulator", found.theirs), (0.12, "replay", found.ours)):
                axis.plot([x + shift for x in range(len(sizes))], [comparison.figures[size][i] for size in sizes], "o", color=colour,
                          markerfacecolor="none" if comparison is found.theirs else colour, label=f"{name}, {whose}")
        axis.set_title(found.cc)
        axis.set_yscale("log")
        axis.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
        axis.set_xticks(range(len(sizes)), sizes, rotation=30, ha="right")
    axes[0].set_ylabel("slowdown")
    axes[len(transports) // 2].legend(fontsize=7, loc="upper right")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--reference", type=Path, default=ROOT / "test" / "reference" / "leafspine128")
    parser.add_argument("--out", default=os.path.join("results", "reference"))
    parser.add_argument("--repeats", type=int, default=20, help="runs with shifted starts")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count() or 1)
    args = parser.parse_args()
    own = OwnFiles(args.out)
    own.claim(["reference.md", "reference.csv", "reference.png"])
    found: List[Transport] = []
    with tempfile.TemporaryDirectory(prefix="roce-runs-", dir=args.out) as folder, ThreadPoolExecutor(args.jobs) as pool:
        runner = Runner(args.build, args.reference.resolve(), Path(folder).resolve())
        for transport in TRANSPORTS:
            found.append(compare(runner, pool, args.repeats, *transport))
            print(found[-1].text(), flush=True)
    own.write("reference.md", "\n".join(t.text() for t in found))
    own.write("reference.csv", rr.csv_text((
        ["transport", "size", "flows", "p50", "p50_ours", "p50_diff", "p50_shifted", "p99",
         "p99_ours", "p99_diff", "p99_shifted"], [[t.cc, *row] for t in found for row in t.sizes()[1]])))
    draw(found, own.path("reference.png"))
    return 0


if __name__ == "__main__":
    rr.run_main(main)
