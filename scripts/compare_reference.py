#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Lay replay's results beside those of another simulator, and test what could explain differences.

    compare_reference.py [--build DIR] [--reference DIR] [--out DIR] [--repeats N] [--jobs N]

For each transport: slowdowns (that simulator's ideal FCT) by size, median and P99, theirs and ours;
how many single flows agree; how far the same figures move in N runs in which nothing changes but
that every flow starts 0 to 20 ns later and the marking has other random numbers; and what each
known difference between the simulators does, switched on one at a time. A difference above 5 % that
is outside what those runs show is marked (!). Prints Markdown, writes reference.md, reference.csv
and reference.png.
"""

import argparse
import csv
import os
import random
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Dict, List, NamedTuple, Sequence, Tuple

import roce_results as rr
from roce_files import OwnFiles
from roce_jobs import positive
from roce_plot import look

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Short name in file names, --cc, further options.
TRANSPORTS = (("dcqcn", "Dcqcn", ["--set=HAS_WIN=0"]), ("hpcc", "Hpcc", []),
              ("timely", "Timely", ["--set=HAS_WIN=0"]))
# What differs if it is not made equal: name, transports it concerns, options; {paths} is paths.csv
# without the ACKs' column.
SWITCHES = (
    ("ACKs hashed as this module does", "all", ["--paths={data}"]),
    ("data and ACKs hashed as this module does", "all", ["--paths="]),
    ("telemetry exact", "hpcc", ["--ns3::roce::IntStamper::TxUnit=1",
                                 "--ns3::roce::IntStamper::QueueUnit=1"]),
    ("window counts wire bytes", "hpcc", ["--ns3::roce::Nic::PayloadWindow=0"]),
    ("rate changes stretch what is left of a gap", "all", ["--ns3::roce::Nic::Repacing=stretch"]),
    ("exact serialisation", "all", ["--ns3::roce::Port::SerialisationTick=0ns"]),
    ("ACKs in the control class", "all", ["--ns3::roce::Nic::ControlClass=0"]),
    ("marking at enqueue", "dcqcn", ["--ns3::roce::EcnMarker::MarkAtEnqueue=1"]),
    ("CNPs as frames, one per 4 us", "dcqcn", ["--ns3::roce::Dcqcn::CnpInAck=false",
                                               "--ns3::roce::Dcqcn::MinTimeBetweenCnps=4us"]),
    ("other random numbers for marking", "dcqcn", ["--seed=2"]),
)
LIMIT = 0.05  # differences above this want an explanation


class Flow(NamedTuple):
    """One flow of a result: identity, FCT in ns, ideal FCT in ns."""

    key: Tuple[str, str, str]
    size: int
    fct: float
    ideal: float


def read(path: str, size_column: str) -> List[Flow]:
    """Flows of a file, by id."""
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            rows = sorted(csv.DictReader(stream), key=lambda row: int(row["id"]))
            return [Flow((row["src"], row["dst"], row[size_column]), int(row[size_column]),
                         float(row["fct_ns"]), float(row["ideal_fct_ns"])) for row in rows]
    except OSError as error:
        raise rr.ResultError(f"{path}: {error.strerror}") from None
    except (KeyError, ValueError) as error:
        raise rr.ResultError(f"{path}: {error}, expected finished flows with id, src, dst, "
                             f"{size_column}, fct_ns and ideal_fct_ns") from None


class Panel(NamedTuple):
    """What is drawn of one transport: median and P99 by size bin."""

    cc: str
    theirs: Dict[int, Tuple[float, float]]
    ours: Dict[int, Tuple[float, float]]
    shifted: List[Dict[int, Tuple[float, float]]]


class Runner:
    """Runs replay on the reference's inputs."""

    def __init__(self, args: argparse.Namespace, folder: str) -> None:
        """
        @param folder for flow lists and runs, which nobody needs afterwards
        """
        self.folder = folder
        self.repeats = args.repeats
        self.inputs = args.reference
        self.program = os.path.join(args.build, "bin", "replay")
        self.data_paths = os.path.join(folder, "data-paths.csv")
        with open(os.path.join(self.inputs, "paths.csv"), encoding="utf-8") as stream:
            lines = [",".join(line.strip().split(",")[:2]) for line in stream]
        with open(self.data_paths, "w", encoding="utf-8") as stream:
            stream.write("\n".join(lines) + "\n")

    def shifted_flows(self, seed: int) -> str:
        """The flow list with each flow a little later."""
        path = os.path.join(self.folder, f"flow-{seed}.txt")
        chance = random.Random(seed)
        with open(os.path.join(self.inputs, "flow.txt"), encoding="utf-8") as stream:
            lines = stream.read().splitlines()
        for i, line in enumerate(lines[1:], start=1):
            fields = line.split()
            if fields:
                fields[5] = f"{float(fields[5]) + chance.randrange(21) * 1e-9:.9f}"
                lines[i] = " ".join(fields)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("\n".join(lines) + "\n")
        return path

    def run(self, name: str, cc: str, options: Sequence[str], flows: str = "") -> List[Flow]:
        """Flows of one run."""
        out = os.path.join(self.folder, name)
        given = {option.split("=")[0] for option in options}
        defaults = [f"--topology={self.inputs}/topology.txt", f"--config={self.inputs}/config.txt",
                    f"--flows={flows or self.inputs + '/flow.txt'}",
                    f"--paths={self.inputs}/paths.csv"]
        command = [self.program, f"--cc={cc}", "--profile=hpcc-sim", f"--out={out}",
                   "--progress=none"]
        command += [option for option in defaults if option.split("=")[0] not in given]
        command += [option.format(data=self.data_paths) for option in options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise rr.ResultError(f"{' '.join(command)}: status {done.returncode}: "
                                 f"{done.stderr.strip().splitlines()[-1:]}")
        flows_of_run = read(os.path.join(out, "flows.csv"), "bytes")
        shutil.rmtree(out)
        return flows_of_run


def in_order(flows: Sequence[Flow], reference: Sequence[Flow]) -> List[Flow]:
    """The flows in the reference's order: shifted ones may have changed places, and so their ids."""
    by_key: Dict[Tuple[str, str, str], List[Flow]] = {}
    for flow in reversed(flows):
        by_key.setdefault(flow.key, []).append(flow)
    try:
        return [by_key[ref.key].pop() for ref in reference]
    except (KeyError, IndexError):
        raise rr.ResultError("the flows are not those of the reference") from None


def slowdowns(flows: Sequence[Flow], reference: Sequence[Flow], size_bin: int) -> List[float]:
    """Slowdowns by the reference's ideal FCT, of one size bin or (-1) of all."""
    return sorted(flow.fct / ref.ideal for flow, ref in zip(flows, reference)
                  if size_bin in (-1, rr.size_bin(ref.size)))


def figures(flows: Sequence[Flow], reference: Sequence[Flow]) -> Dict[int, Tuple[float, float]]:
    """Median and P99 by size bin; -1 stands for all."""
    values = {}
    for size_bin in [*range(len(rr.SIZE_LABELS)), -1]:
        chosen = slowdowns(flows, reference, size_bin)
        if chosen:
            values[size_bin] = (rr.percentile(chosen, 500_000), rr.percentile(chosen, 990_000))
    return values


def percent(ours: float, theirs: float) -> str:
    """Difference in percent."""
    return f"{100 * (ours / theirs - 1):+.1f}"


def compare(runner: Runner, pool: ThreadPoolExecutor, short: str, cc: str,
            options: List[str]) -> Tuple[List[str], List[List[str]], Panel]:
    """Markdown, table rows and figures of one transport."""
    reference = read(os.path.join(runner.inputs, f"fct.{short}.csv"), "size_bytes")
    ours_job = pool.submit(runner.run, short, cc, options)
    shift_jobs = [pool.submit(runner.run, f"{short}-{i}", cc, options + [f"--seed={i}"],
                              runner.shifted_flows(i))
                  for i in range(2, runner.repeats + 2)]
    switches = [s for s in SWITCHES if s[1] in ("all", short)]
    switch_jobs = [pool.submit(runner.run, f"{short}-switch-{i}", cc, options + list(switch[2]))
                   for i, switch in enumerate(switches)]
    ours = in_order(ours_job.result(), reference)
    theirs, mine = figures(reference, reference), figures(ours, reference)
    shifted = [figures(in_order(job.result(), reference), reference) for job in shift_jobs]
    exact = sum(abs(a.fct - b.fct) < 1.5 for a, b in zip(ours, reference))
    near = sum(abs(a.fct / b.fct - 1) < 0.01 for a, b in zip(ours, reference))
    ratios = sorted(a.fct / b.fct for a, b in zip(ours, reference))

    def mean(flows: Sequence[Flow]) -> float:
        chosen = slowdowns(flows, reference, -1)
        return sum(chosen) / len(chosen)

    text = [f"### {cc}", "",
            f"Single flows: {exact} of {len(ours)} have the same FCT to the nanosecond, {near} within 1 %; "
            f"median ratio {rr.percentile(ratios, 500_000):.4f}, P5 {rr.percentile(ratios, 50_000):.3f}, "
            f"P95 {rr.percentile(ratios, 950_000):.3f}. Mean slowdown {mean(reference):.3f}, "
            f"ours {mean(ours):.3f}.", "",
            "| size | flows | median | ours | diff % | shifted % | P99 | ours | diff % | shifted % |",
            "|---|---|---|---|---|---|---|---|---|---|"]
    rows = []
    for size_bin, values in theirs.items():
        label = "all" if size_bin < 0 else rr.SIZE_LABELS[size_bin]
        cells = [label, str(len(slowdowns(reference, reference, size_bin)))]
        for i, theirs_value in enumerate(values):
            value = mine[size_bin][i]
            spread = [s[size_bin][i] for s in shifted]
            inside = min(spread, default=value) <= theirs_value <= max(spread, default=value)
            mark = " (!)" if abs(value / theirs_value - 1) > LIMIT and not inside else ""
            cells += [f"{theirs_value:.3f}", f"{value:.3f}", percent(value, theirs_value) + mark,
                      f"{percent(min(spread), theirs_value)} .. {percent(max(spread), theirs_value)}"
                      if spread else ""]
        text.append("| " + " | ".join(cells) + " |")
        rows.append([cc, *cells])
    text += ["", "| switched on | flows equal to 1 ns | within 1 % | mean slowdown | median | P99 |",
             "|---|---|---|---|---|---|"]
    for (name, _, _), job in zip((("nothing", "", []), *switches), [ours_job, *switch_jobs]):
        flows = in_order(job.result(), reference)
        median, p99 = figures(flows, reference)[-1]
        text.append(f"| {name} | {sum(abs(a.fct - b.fct) < 1.5 for a, b in zip(flows, reference))} | "
                    f"{sum(abs(a.fct / b.fct - 1) < 0.01 for a, b in zip(flows, reference))} | "
                    f"{mean(flows):.3f} | {median:.3f} | {p99:.3f} |")
    return text + [""], rows, Panel(cc, theirs, mine, shifted)


def draw(panels: Sequence[Panel], path: str) -> None:
    """Medians and P99 by size; the bars span the runs with shifted starts."""
    figure, axes = look.pyplot().subplots(1, len(panels), figsize=(3.6 * len(panels), 3.4), sharey=True)
    for axis, panel in zip(axes, panels):
        bins = [b for b in panel.theirs if b >= 0]
        for statistic, name in enumerate(("median", "P99")):
            colour = look.COLOURS[statistic]
            for size_bin in bins:
                spread = [s[size_bin][statistic] for s in panel.shifted]
                if spread:
                    axis.plot([size_bin + 0.12] * 2, [min(spread), max(spread)], color=colour,
                              linewidth=4, alpha=0.3, solid_capstyle="butt")
            axis.plot([b - 0.12 for b in bins], [panel.theirs[b][statistic] for b in bins], "o",
                      color=colour, markerfacecolor="none", label=f"{name}, other simulator")
            axis.plot([b + 0.12 for b in bins], [panel.ours[b][statistic] for b in bins], "o",
                      color=colour, label=f"{name}, replay")
        axis.set_title(panel.cc)
        axis.set_yscale("log")
        axis.set_yticks([1, 2, 5, 10, 20], ["1", "2", "5", "10", "20"])
        axis.set_xticks(bins, [rr.SIZE_LABELS[b] for b in bins], rotation=30, ha="right")
    axes[0].set_ylabel("slowdown")
    axes[len(panels) // 2].legend(fontsize=7, loc="upper right")
    figure.tight_layout()
    figure.savefig(path, dpi=150)


def main() -> int:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--reference",
                        default=os.path.join(ROOT, "test", "reference", "leafspine128"))
    parser.add_argument("--out", default=os.path.join("results", "reference"))
    parser.add_argument("--repeats", type=int, default=20, help="runs with shifted starts")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count() or 1)
    args = parser.parse_args()
    own = OwnFiles(args.out)
    own.claim(["reference.md", "reference.csv", "reference.png"])
    text: List[str] = []
    rows: List[List[str]] = []
    panels: List[Panel] = []
    with tempfile.TemporaryDirectory(prefix="roce-runs-", dir=args.out) as folder, \
            ThreadPoolExecutor(args.jobs) as pool:
        runner = Runner(args, folder)
        for short, cc, options in TRANSPORTS:
            part, part_rows, panel = compare(runner, pool, short, cc, options)
            panels.append(panel)
            print("\n".join(part), flush=True)
            text += part
            rows += part_rows
    own.write("reference.md", "\n".join(text))
    own.write("reference.csv", rr.csv_text((
        ["transport", "size", "flows", "p50", "p50_ours", "p50_diff", "p50_shifted", "p99",
         "p99_ours", "p99_diff", "p99_shifted"], rows)))
    draw(panels, own.path("reference.png"))
    return 0


if __name__ == "__main__":
    rr.run_main(main)
