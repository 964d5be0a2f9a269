#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Read run folders and print slowdown tables.

A run folder holds flows.csv (one row per flow) and summary.json (configuration, counters); see roce-run-writer.h. Percentiles are
nearest-rank: the ceil(p*n)-th smallest of n values. Flows that start before the warm-up's end are not counted; unfinished flows
are counted apart, never averaged.

Also what the other scripts share: loading, statistics, tables. It needs nothing but Python.
"""

import argparse
import bisect
import csv
import io
import math
import os
import re
import sys
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import roce_python  # noqa: F401  pylint: disable=unused-import
import roce_manifest
from roce_manifest import ResultError, read_summary

# Columns of flows.csv, in order.
FLOW_COLUMNS = ("id src dst class tag scope bytes start_ns fct_ns receiver_fct_ns ideal_fct_ns slowdown "
                "packets retransmitted status").split()

# Inclusive upper edges of the size bins, bytes; one open bin follows (as in roce-fct-stats.h).
SIZE_EDGES = (10_000, 100_000, 1_000_000, 10_000_000)
SIZE_LABELS = ("<=10KB", "10KB-100KB", "100KB-1MB", "1MB-10MB", ">10MB")
SCOPES = ("all", "intra", "inter")
SCOPE_TITLES = {"all": "all flows", "intra": "within a datacenter", "inter": "across datacenters"}
PERCENTILE_NOTE = "Percentiles are nearest-rank: the ceil(p*n)-th smallest of n flows."


class Flow(NamedTuple):
    """A row of flows.csv; times in integer picoseconds, None where the field is empty."""

    id: int
    src: int
    dst: int
    traffic_class: int
    tag: int
    scope: str
    size: int
    start_ps: Optional[int]  # None: waits for others that are not done
    fct_ps: Optional[int]
    receiver_fct_ps: Optional[int]
    ideal_ps: int
    slowdown: Optional[float]
    packets: int
    retransmitted: int
    finished: bool


class Run(NamedTuple):
    """A loaded run folder; flows are the counted ones, after the warm-up."""

    label: str
    folder: str
    flows: List[Flow]
    excluded: int
    summary: dict

    def counter(self, name: str) -> Optional[int]:
        """A counter of summary.json, None if it has none of that name."""
        return self.summary.get("counters", {}).get(name)

    def scope(self, scope: str) -> List[Flow]:
        """Flows of one scope: all, intra or inter."""
        return [f for f in self.flows if scope in ("all", f.scope)]


class Stats(NamedTuple):
    """Slowdown statistics of a group of flows; None where there is no finished flow."""

    flows: int
    finished: int
    unfinished: int
    slowdowns: List[Optional[float]]  # mean, P50, P99


# ---------------------------------------------------------------------------------------- reading


def parse_ps(text: str) -> int:
    """Nanoseconds with up to three decimals, as exact integer picoseconds."""
    whole, _, fraction = text.partition(".")
    if len(fraction) > 3:
        raise ValueError(f"'{text}' has more than three decimals")
    sign = -1 if whole.startswith("-") else 1
    return int(whole) * 1000 + sign * int((fraction + "000")[:3])


def _flow(row: Sequence[str]) -> Flow:
    if row[5] not in ("intra", "inter"):
        raise ValueError(f"scope '{row[5]}', expected intra or inter")
    if row[14] not in ("finished", "unfinished"):
        raise ValueError(f"status '{row[14]}', expected finished or unfinished")
    finished = row[14] == "finished"
    if finished and not (row[8] and row[11]):
        raise ValueError("a finished flow without fct_ns or slowdown")
    return Flow(*(int(x) for x in row[:5]), row[5], int(row[6]), parse_ps(row[7]) if row[7] or finished else None,
                parse_ps(row[8]) if finished else None, parse_ps(row[9]) if row[9] else None, parse_ps(row[10]), float(row[11])
                if finished else None, int(row[12]), int(row[13]), finished)


def flows_file(path: str) -> str:
    """The flows.csv of a run folder, or the path itself if it is a file."""
    if not os.path.exists(path):
        raise ResultError(f"{path}: no such run folder or file")
    if not os.path.isdir(path):
        folder, name = os.path.split(path)
        return roce_manifest.file_of(folder or ".", name) if name == "flows.csv" else path
    file = roce_manifest.file_of(path, "flows.csv")
    unfinished = os.path.exists(os.path.join(path, roce_manifest.LIST))
    if unfinished and not os.path.exists(roce_manifest.place_of(path, roce_manifest.SUMMARY)):
        raise ResultError(f"{path}: the run has not finished (.unfinished is there, summary.json not)")
    if os.path.exists(file):
        if unfinished and not os.path.exists(os.path.join(path, roce_manifest.JOURNAL)):
            roce_manifest.warn(f"{path}: a later run has not finished, this is the result of the one before")
        return file
    raise ResultError(f"{path}: no flows.csv, expected the folder of a finished run")


class Row(Dict[str, str]):
    """The texts of a row by column."""

    place = ""  # file:line

    def number(self, column: str) -> float:
        try:
            value = float(self[column])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ResultError(f"{self.place}: expected a number in {column}")
        return value


def rows_of(file: str, needed: Sequence[str], hint: str = "") -> Iterator[Row]:
    """The rows of a CSV file with at least these columns. No pandas: its start takes as long as a small run.

    @param hint where such a file comes from"""
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            missing = [c for c in needed if c not in (reader.fieldnames or [])]
            if missing:
                raise ResultError(f"{file}:1: missing column(s) {', '.join(missing)}")
            for fields in reader:
                row = Row(fields)
                row.place = f"{file}:{reader.line_num}"
                if None in row or None in row.values():
                    raise ResultError(f"{row.place}: expected {len(reader.fieldnames)} fields")
                yield row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ResultError(f"{file}: {getattr(error, 'strerror', None) or error}{hint}") from None


def read_flows(file: str) -> List[Flow]:
    """Read flows.csv; the columns may come in any order, further ones are ignored."""
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            reader = csv.reader(stream)
            header = next(reader, None)
            if header is None:
                raise ResultError(f"{file}: empty, expected a header line")
            missing = [c for c in FLOW_COLUMNS if c not in header]
            if missing:
                raise ResultError(f"{file}:1: missing column(s) {', '.join(missing)}")
            index = [header.index(c) for c in FLOW_COLUMNS]
            flows = []
            for row in reader:
                try:
                    flows.append(_flow([row[i] for i in index]))
                except (ValueError, IndexError) as error:
                    what = "too few fields" if isinstance(error, IndexError) else error
                    raise ResultError(f"{file}:{reader.line_num}: {what}") from None
            return flows
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ResultError(f"{file}: {getattr(error, 'strerror', None) or error}") from None


def flows_of(path: str) -> List[Flow]:
    """All flows of a run folder, or of a flows.csv; with a summary.json there, as many as it says."""
    file = flows_file(path)
    flows = read_flows(file)
    if os.path.isdir(path) and os.path.exists(roce_manifest.place_of(path, roce_manifest.SUMMARY)):
        counts = read_summary(path).get("flows")
        total = counts.get("total", len(flows)) if isinstance(counts, dict) else len(flows)
        if total != len(flows):
            raise ResultError(f"{file}: {len(flows)} flows, expected {total} (flows.total of summary.json): not what the run "
                              "has written")
    return flows


def load_run(path: str, label: str = "", warmup_ns: Optional[float] = None) -> Run:
    """Load a run folder. The warm-up is the run's own (summary.json) unless given."""
    flows = flows_of(path)
    summary = read_summary(path) if os.path.isdir(path) else {}
    if summary.get("interrupted"):
        roce_manifest.warn(f"{path}: the run was ended by a signal or a time limit, this is what it had by then")
    if warmup_ns is None:
        warmup_ns = summary.get("statistics", {}).get("warmupNs") or 0
    counted = [f for f in flows if f.start_ps is None or f.start_ps >= round(warmup_ns * 1000)]
    return Run(label or path, path, counted, len(flows) - len(counted), summary)


def run_labels(paths: Sequence[str], labels: Optional[str]) -> List[str]:
    """Names of the runs: the comma-separated ones, else the shortest ends of the paths that tell them apart."""
    if labels:
        names = labels.split(",")
        if len(names) != len(paths):
            raise ResultError(f"--labels: {len(names)} label(s) for {len(paths)} run(s)")
        return names
    parts = [os.path.abspath(p).split(os.sep) for p in paths]
    choices = (["/".join(p[-depth:]) for p in parts] for depth in range(1, max(map(len, parts), default=1) + 1))
    return next((names for names in choices if len(set(names)) == len(names)), [f"{p} ({i + 1})" for i, p in enumerate(paths)])


def load_runs(args: argparse.Namespace) -> List[Run]:
    return [load_run(p, name, args.warmup_ns) for p, name in zip(args.runs, run_labels(args.runs, args.labels))]


# ------------------------------------------------------------------------------------- statistics


def nearest_rank(count: int, per_million: int) -> int:
    """ceil(p*count), at least 1, in integers; 990000 per million is the 99th percentile."""
    return max(1, -(-count * per_million // 1_000_000))


def percentile(ascending: Sequence[float], per_million: int) -> Optional[float]:
    """Nearest-rank percentile of sorted values; None of none."""
    if not ascending:
        return None
    return ascending[nearest_rank(len(ascending), per_million) - 1]


def slowdown_stats(flows: Iterable[Flow]) -> Stats:
    flows = list(flows)
    values = sorted(f.slowdown for f in flows if f.finished)
    mean = math.fsum(values) / len(values) if values else None
    return Stats(len(flows), len(values), len(flows) - len(values), [mean, percentile(values, 500_000), percentile(values, 990_000)])


def size_bin(size: int) -> int:
    """Index of a size's bin in SIZE_LABELS."""
    return bisect.bisect_left(SIZE_EDGES, size)


def by_size(flows: Iterable[Flow]) -> List[List[Flow]]:
    """Flows by fixed size bin."""
    bins: List[List[Flow]] = [[] for _ in SIZE_LABELS]
    for flow in flows:
        bins[size_bin(flow.size)].append(flow)
    return bins


def equal_count_bins(flows: Iterable[Flow], bins: int) -> List[List[Flow]]:
    """Bins of about equal count by ascending size; flows of one size stay together."""
    ordered = sorted(flows, key=lambda f: (f.size, f.id))
    result: List[List[Flow]] = []
    begin = 0
    while begin < len(ordered):
        want = (len(ordered) - begin) / max(1, bins - len(result))
        end = min(len(ordered), begin + max(1, round(want)))
        while end < len(ordered) and ordered[end].size == ordered[end - 1].size:
            end += 1
        result.append(ordered[begin:end])
        begin = end
    return result


# ----------------------------------------------------------------------------------------- tables

Table = Tuple[List[str], List[List[str]]]  # header, rows

# Columns of words, which are aligned to the left.
TEXT_COLUMNS = ("run", "size", "scope", "scenario", "transport", "id", "note", "metric", "verdict")


def _slowdowns(groups: Iterable[Iterable[Flow]]) -> List[str]:
    return ["-" if x is None else f"{x:.2f}" for stats in map(slowdown_stats, groups) for x in stats.slowdowns]


def _counters(run: Run, missing: str) -> List[str]:
    return [missing if c is None else str(c) for c in (run.counter("pfcXoffSent"), run.counter("framesDropped"))]


SLOWDOWN_HEADER = [f"{scope} {what}" for scope in SCOPES for what in ("mean", "P50", "P99")]


def scope_table(runs: Sequence[Run]) -> Table:
    """One row per run: slowdowns by scope, flow counts, PFC pauses, drops."""
    rows = []
    for run in runs:
        stats = slowdown_stats(run.flows)
        rows.append([run.label, *_slowdowns(map(run.scope, SCOPES)), str(stats.finished), str(stats.unfinished), *_counters(run, "-")])
    return ["run"] + SLOWDOWN_HEADER + ["finished", "unfinished", "PFC pauses", "drops"], rows


def size_table(runs: Sequence[Run]) -> Table:
    """One row per size bin and run that has flows of that size: slowdowns by scope."""
    binned = [[by_size(run.scope(scope)) for scope in SCOPES] for run in runs]
    rows = []
    for b, label in enumerate(SIZE_LABELS):
        for run, scopes in zip(runs, binned):
            total = slowdown_stats(scopes[0][b])
            if total.flows:
                rows.append([label, run.label, str(total.finished), str(total.unfinished), *_slowdowns(bins[b] for bins in scopes)])
    return ["size", "run", "finished", "unfinished"] + SLOWDOWN_HEADER, rows


def tidy_table(runs: Sequence[Run]) -> Table:
    """One row per run, scope and size bin ("all" and each): for other programs."""
    header = ["run", "scope", "size", "flows", "finished", "unfinished"]
    header += ["slowdown_mean", "slowdown_p50", "slowdown_p99", "pfc_pauses", "frames_dropped"]
    rows = []
    for run in runs:
        for scope in SCOPES:
            flows = run.scope(scope)
            for size, group in [("all", flows), *zip(SIZE_LABELS, by_size(flows))]:
                s = slowdown_stats(group)
                numbers = ["" if v is None else f"{v:.6f}" for v in s.slowdowns]
                # Counters belong to the whole run.
                extra = _counters(run, "") if scope == size == "all" else ["", ""]
                rows.append([run.label, scope, size, str(s.flows), str(s.finished), str(s.unfinished), *numbers, *extra])
    return header, rows


def notes(runs: Sequence[Run]) -> List[str]:
    """What a reader of the tables must know."""
    lines = ["Slowdown = FCT / ideal FCT on an empty network. " + PERCENTILE_NOTE]
    excluded = sum(run.excluded for run in runs)
    if excluded:
        lines.append(f"Not counted: {excluded} flow(s) that start in the warm-up.")
    if any(not f.finished for run in runs for f in run.flows):
        lines.append("Unfinished flows are not in the slowdowns, which are therefore too low.")
    return lines


def format_aligned(table: Table) -> str:
    header, rows = table
    widths = [max(len(r[c]) for r in [header] + rows) for c in range(len(header))]
    lines = [[v.ljust(w) if name in TEXT_COLUMNS else v.rjust(w) for v, w, name in zip(row, widths, header)] for row in [header] + rows]
    return "\n".join("  ".join(line).rstrip() for line in [lines[0], ["-" * w for w in widths], *lines[1:]])


def format_markdown(table: Table) -> str:
    header, rows = table
    lines = [[v.replace("|", "\\|") for v in row] for row in [header] + rows]
    lines.insert(1, ["---" if name in TEXT_COLUMNS else "--:" for name in header])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def report(runs: Sequence[Run], markdown: bool = False) -> str:
    """Both tables with the notes."""
    form = format_markdown if markdown else format_aligned
    parts = [form(scope_table(runs)), form(size_table(runs)), "\n".join(notes(runs))]
    return "\n\n".join(parts) + "\n"


def write_file(path: str, text: str) -> None:
    """Write a text file, making its folder."""
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}") from None


def csv_text(table: Table) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table[0]] + table[1])
    return text.getvalue()


# -------------------------------------------------------------------------------------- scripts


def one_line(text: str, longest: int = 1000) -> str:
    """A message as one line: breaks and the like as escapes, of a long one the begin and the end."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} ... {text[-half:]}"


def run_main(main) -> None:
    """Call a script's main() and turn errors into one line and exit status 2."""
    for stream in (sys.stdout, sys.stderr):  # a name may have letters that the terminal has not
        stream.reconfigure(errors="backslashreplace")
    try:
        status = main()
        sys.stdout.flush()
        sys.exit(status)
    except ResultError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # for example "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"error: {where}{error.strerror or error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def positive(text: str) -> int:
    """A whole number from 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}', expected a whole number from 1")
    return value


def time_us(text: str) -> float:
    """0, 500us or 2ms, in us."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?)(ns|us|ms|s)", text) or re.fullmatch(r"(0)()", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}', expected a time with unit, for example 500us")
    return float(match[1]) * {"": 0, "ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[match[2]]


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments that all scripts on run folders share."""
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder (or a flows.csv)")
    parser.add_argument("--labels", help="comma-separated names of the runs (default: folders)")
    parser.add_argument("--warmup-ns", type=float, metavar="NS",
                        help="count only flows that start at or after this time (default: the run's own warm-up)")


def main() -> int:
    parser = argparse.ArgumentParser(description="Slowdown tables of run folders.")
    add_run_arguments(parser)
    parser.add_argument("--md", metavar="FILE", help="also write the tables as Markdown")
    parser.add_argument("--csv", metavar="FILE", help="also write a tidy CSV")
    args = parser.parse_args()
    runs = load_runs(args)
    print(report(runs), end="")
    if args.md:
        write_file(args.md, report(runs, markdown=True))
    if args.csv:
        write_file(args.csv, csv_text(tidy_table(runs)))
    return 0


if __name__ == "__main__":
    run_main(main)
