# SPDX-License-Identifier: GPL-2.0-only
"""A baseline: runs with their command lines and the completion time of every flow, as one text file; the runs made again and
compared with it, flow by flow, then by metric with bounds; what is said of that for the terminal, as Markdown, as JUnit XML.

    format: 1
    bounds: ['*=1%']
    versions: {compiler: gcc 12.2.0, ns-3: '3.37', ns-3-roce: 0.9.0}
    runs:
      # 33 flows, FCT: mean 178.2us, P50 12.1us, P99 1.204ms, max 1.31ms      for people
      - name: load-0.3-seed1
        program: two-dc-leaf-spine              # of the build, or a path from this file's folder
        options: [--load=0.3, --seed=1]
        status: 0
        starts: true                            # flow starts belong to the workload, they wait for nothing
        arrivals: 6a09...                       # SHA-256 of the flows: hosts, class, tag, size, start
        ideal: bb67...                          # SHA-256 of their ideal completion times
        inputs: {'{here}/topology.txt': 9f86...}    # SHA-256 of the files that it has read
        flows: 33
        fct_ps: 132873600 6512640 ...           # in the order of ids; - is not finished

Sizes and hosts of the flows are not in it: those of the new run are the same, or the check ends there.
"""

import os
import re
import tempfile
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple
from xml.etree import ElementTree

import yaml

import roce_results as rr
from roce_files import write_whole

from . import provenance, regress, yamlread
from .experiment import Experiment
from .plan import readable
from .program import call, data_hash, in_parallel, is_trusted, local, portable, program_path, refusal
from .run import FINISHED

FORMAT = 1
WIDTH = 120
HEAD = "# What scripts/regress check compares with; written by scripts/regress record.\n"
MAX_BYTES = 100_000_000
VERSIONS = ("compiler", "ns-3", "ns-3-roce")  # of a summary's, those that a baseline names
LAST_LINES = 5  # of a program that fails


class Recorded(NamedTuple):
    """A run of a baseline."""

    name: str
    program: str
    options: List[str]
    status: int  # exit status of the program: 0, or 3 if flows are not done
    starts: bool
    arrivals: str
    ideal: str
    fct_ps: List[Optional[int]]  # None: not finished
    inputs: Dict[str, str] = {}  # path -> SHA-256
    versions: Dict[str, str] = {}  # in the file once for all runs


class Baseline(NamedTuple):
    """The file."""

    bounds: List[str]
    runs: List[Recorded]


class Order(NamedTuple):
    """A run to make."""

    name: str
    program: str  # as the baseline has it
    options: List[str]


class Outcome(NamedTuple):
    """A run made again, beside its baseline."""

    name: str
    error: str  # of a program that fails, else empty
    other: str  # how the workload differs, else empty
    flows: int
    changed: List[Tuple[float, int]]  # flows with another completion time: its relative change, and the id
    changes: List[regress.Change]  # of metrics
    ideal: bool  # whether ideal completion times are the same
    inputs: Tuple[str, ...] = ()  # files that were read, and are others than those of the baseline
    versions: Tuple[Tuple[str, str, str], ...] = ()  # what it is of, in the baseline, now

    def beyond(self) -> List[regress.Change]:
        return [c for c in self.changes if c.beyond()]

    def verdict(self, exact: bool) -> str:
        """A word. With other inputs it says nothing of the program that the results are within the bounds."""
        return "ERROR" if self.error else "OTHER FLOWS" if self.other else \
            "BEYOND" if self.beyond() or (exact and self.changed) else "OTHER INPUTS" if self.inputs else "within"


# -------------------------------------------------------------------------------------------- file


def in_order(run: rr.Run) -> List[rr.Flow]:
    """The flows by their ids."""
    return sorted(run.flows, key=lambda f: f.id)


def hashes(run: rr.Run, starts: bool) -> Tuple[str, str]:
    """What a run's workload and its ideal completion times are."""
    return data_hash(regress.arrivals(run.flows, starts)), data_hash([f.ideal_ps for f in in_order(run)])


def in_words(fct_ps: Sequence[Optional[int]]) -> str:
    """The completion times of a run for people who read the file, or its difference from an earlier one."""
    done = sorted(x / 1000 for x in fct_ps if x is not None)
    flows = f"{len(fct_ps)} flows" + f", {len(fct_ps) - len(done)} of them unfinished" * (len(done) < len(fct_ps))
    if not done:
        return flows
    values = {"mean": sum(done) / len(done), "P50": rr.percentile(done, 500_000), "P99": rr.percentile(done, 990_000), "max": done[-1]}
    return f"{flows}, FCT: " + ", ".join(f"{name} {regress.time_text(ns)}" for name, ns in values.items())


def write(baseline: Baseline, file: str) -> None:
    """The file, in an order that makes differences small."""
    runs = [{**{k: v for k, v in r._asdict().items() if k not in ("fct_ps", "versions") and (k != "inputs" or v)},
             "flows": len(r.fct_ps), "fct_ps": " ".join("-" if x is None else str(x) for x in r.fct_ps)} for r in baseline.runs]
    versions = {v: " and ".join(sorted({r.versions[v] for r in baseline.runs if v in r.versions})) for v in VERSIONS}
    text = yaml.safe_dump({"format": FORMAT, "bounds": baseline.bounds, "versions": {k: v for k, v in versions.items() if v}, "runs": runs},
                          width=WIDTH, sort_keys=False, default_flow_style=None, allow_unicode=True)
    words = (in_words(r.fct_ps) for r in baseline.runs)
    write_whole(file, HEAD + re.sub("^- name:", lambda found: f"# {next(words)}\n{found[0]}", text, flags=re.M))


def read(file: str) -> Baseline:
    document = yamlread.check(yamlread.read(file, MAX_BYTES), "baseline", "the baseline")
    if document["format"] != str(FORMAT):
        yamlread.fail(document["format"], f"format is '{document['format']}', expected {FORMAT}: record it again")
    for bound in document["bounds"]:
        yamlread.parsed(bound, regress.Bound.parse, "bounds")
    names = [run["name"] for run in document["runs"]]
    runs = []
    for run in document["runs"]:
        if names.count(run["name"]) > 1:
            yamlread.fail(run, f"run '{run['name']}' is there twice")
        fct = yamlread.parsed(run["fct_ps"], lambda text: [None if x == "-" else picoseconds(x) for x in text.split()], "fct_ps")
        if len(fct) != int(run["flows"]):
            yamlread.fail(run["flows"], f"flows is {run['flows']}, but fct_ps has {len(fct)} of them")
        runs.append(Recorded(str(run["name"]), str(run["program"]), [str(o) for o in run["options"]], int(run["status"]),
                             run["starts"] == "true", str(run["arrivals"]), str(run["ideal"]), fct,
                             {str(path): str(digest) for path, digest in run.get("inputs", {}).items()},
                             {str(what): str(version) for what, version in document.get("versions", {}).items()}))
    return Baseline([str(bound) for bound in document["bounds"]], runs)


def picoseconds(text: str) -> int:
    """A completion time; ValueError."""
    if not text.isdecimal():
        raise ValueError(f"'{text[:40]}', expected picoseconds or -")
    return int(text)


# -------------------------------------------------------------------------------------------- runs


def orders_of(experiment: Experiment, program: str, folder: str) -> List[Order]:
    """Every run of an experiment. @param folder of the baseline"""
    orders = {}
    for point in experiment.points:
        options = [f"--{o}={portable(v, folder) if os.path.isabs(v) and os.path.exists(v) else v}" for o, v in point.options.items()]
        for seed in point.seeds:
            words = (*options, f"--{experiment.seed_option}={seed}")
            orders.setdefault(words, Order(f"{readable(point)}-seed{seed}", program, list(words)))
    return list(orders.values())


def order_of_command(words: Sequence[str], folder: str) -> Order:
    """The user's own command line; files that it names count from where it is given."""
    options = []
    for word in words[1:]:
        name, sign, value = word.partition("=")
        options.append(name + sign + (portable(os.path.abspath(value), folder) if value and os.path.exists(value) else value))
    return Order("run", portable(os.path.abspath(words[0]), folder) if os.sep in words[0] else words[0], options)


def program_of(name: str, folder: str, build: Optional[str]) -> str:
    """The path of a baseline's program. @param folder of the baseline"""
    return os.path.abspath(program_path(local(name, folder), folder, build))


def refuse_foreign(found: Baseline, file: str, build: Optional[str]) -> None:
    """End if a baseline names a program that is not one of the build. @param file of the baseline"""
    for run in found.runs:
        path = program_of(run.program, os.path.dirname(os.path.abspath(file)), build)
        if not is_trusted(path, build):
            raise rr.ResultError(rr.one_line(f"{file}: run '{run.name}': program {refusal(path)}"))


def make(order: Order, folder: str, build: Optional[str], use: Callable[[rr.Run, int, Dict[str, str]], object],
         more: Iterable[str] = ()) -> Tuple[object, str]:
    """Run a program in a folder that is removed after its result was used.

    @param folder of the baseline
    @param more further options
    @return what `use` makes of the result, the exit status and the files that were read, with their SHA-256; the error if there is none
    """
    path = program_of(order.program, folder, build)
    if not os.access(path, os.X_OK):
        raise rr.ResultError(f"program '{path}' is not there or not executable; build it, or name the build with --build")
    options = [local(o, folder) for o in [*order.options, *more]]
    with tempfile.TemporaryDirectory(prefix="roce-regress-") as place:
        done = call([path, *options, "--out=."], cwd=place)
        if done.returncode not in FINISHED:
            last = " / ".join([x for x in done.stderr.splitlines() if x.strip()][-LAST_LINES:])
            return None, rr.one_line(f"exit status {done.returncode}: {last or 'nothing on standard error'}")
        try:
            run = rr.load_run(place)
            if run.summary.get("interrupted"):
                return None, "ended by a signal or a time limit, with a part of its result"
            values = [local(o, folder).partition("=")[2] for o in order.options]
            inputs = {name: sha256 for name, (_, sha256) in provenance.inputs(place, values, folder).items()}
            return use(run, done.returncode, inputs), ""
        except rr.ResultError as error:
            return None, f"no result: {error}"


def versions_of(run: rr.Run) -> Dict[str, str]:
    """What a run's program was made of."""
    return {v: str(run.summary["versions"][v]) for v in VERSIONS if v in run.summary.get("versions", {})}


def record(orders: List[Order], folder: str, build: Optional[str], jobs: int, bounds: Sequence[regress.Bound]) -> List[Recorded]:
    """Make all runs for a baseline; each of the bounds must be for something."""
    def one(order: Order) -> Tuple[Recorded, List[str]]:
        def recorded(run: rr.Run, status: int, inputs: Dict[str, str]) -> Tuple[Recorded, List[str]]:
            starts = not regress.has_phases(run)
            return Recorded(*order, status, starts, *hashes(run, starts), [f.fct_ps for f in in_order(run)], inputs, versions_of(run)), \
                list(regress.of_flows(run.flows))

        found, error = make(order, folder, build, recorded)
        if error:
            raise rr.ResultError(f"{order.name}: {error}")
        return found

    found = in_parallel(one, orders, jobs)
    regress.check_bounds(bounds, [m for _, metrics in found for m in metrics])
    return [run for run, _ in found]


def other_inputs(old: Recorded, new: Dict[str, str]) -> Tuple[str, ...]:
    """Files that are not those of the baseline; of an earlier version's baseline none is known. A file may be at another place."""
    if not old.inputs:
        return ()

    def moved(path: str) -> bool:
        return (new[path] in old.inputs.values() if path in new else old.inputs[path] in new.values()) \
            and not (path in new and path in old.inputs)
    return tuple(p for p in sorted(old.inputs.keys() | new.keys()) if old.inputs.get(p) != new.get(p) and not moved(p))


def compare(old: Recorded, new: rr.Run, bounds: Sequence[regress.Bound]) -> Outcome:
    """A new run with its baseline."""
    arrivals, ideal = hashes(new, old.starts)
    other = f"{len(old.fct_ps)} and {len(new.flows)} flows" if len(new.flows) != len(old.fct_ps) else \
        "flows have other hosts, sizes or starts" if arrivals != old.arrivals else ""
    if other:
        return Outcome(old.name, "", other, len(new.flows), [], [], True)
    # The flows of the new run with both completion times, and the slowdowns that follow.
    before, after = ([f._replace(fct_ps=fct, finished=fct is not None, slowdown=None if fct is None else fct / max(1, f.ideal_ps))
                      for f, fct in zip(in_order(new), times)] for times in (old.fct_ps, [f.fct_ps for f in in_order(new)]))
    return Outcome(old.name, "", "", len(after), regress.fct_changes(before, after),
                   regress.compare(old.name, regress.of_flows(before), regress.of_flows(after), bounds), ideal == old.ideal)


def check(found: Baseline, folder: str, build: Optional[str], jobs: int, bounds: Sequence[regress.Bound],
          more: Sequence[str] = ()) -> List[Outcome]:
    """Make all runs of a baseline again. @param more options for each run"""
    def one(old: Recorded) -> Outcome:
        outcome, error = make(Order(*old[:3]), folder, build, lambda run, _, inputs: compare(old, run, bounds)._replace(
            inputs=other_inputs(old, inputs),
            versions=tuple((v, old.versions.get(v, ""), now) for v, now in versions_of(run).items())), more)
        return outcome or Outcome(old.name, error, "", 0, [], [], True)

    outcomes = in_parallel(one, found.runs, jobs)
    metrics = [c.metric for o in outcomes for c in o.changes]
    if metrics:
        regress.check_bounds(bounds, metrics)
    return outcomes


# ------------------------------------------------------------------------------------------ report


class Report(NamedTuple):
    """All that scripts/regress check found."""

    title: str  # the baseline
    outcomes: List[Outcome]
    exact: bool  # whether every flow must be as it was

    def failed(self) -> List[Outcome]:
        """Runs that are not within their bounds, or were made of other inputs."""
        return [o for o in self.outcomes if o.verdict(self.exact) != "within"]

    def status(self) -> int:
        """Of the script: 0 within, 1 beyond, other flows or inputs, 3 a run failed."""
        return 3 if any(o.error for o in self.outcomes) else 1 if self.failed() else 0

    def verdict(self) -> str:
        others = sum(bool(o.inputs) for o in self.outcomes)
        return (f"{len(self.outcomes)} run(s), {len(self.failed())} not within their bounds"
                + (f" or not of the baseline's inputs ({others})" if others else "") + ": " + ("FAILED" if self.failed() else "passed"))

    def rows(self) -> List[List[str]]:
        """Changes of metrics, a row for each fact."""
        return regress.table([c for o in self.outcomes for c in o.changes], len(self.outcomes))

    def runs(self) -> rr.Table:
        """A row for each run."""
        rows = []
        for o in self.outcomes:
            largest = f"{regress.percent(o.changed[0][0], 'done or not')} (flow {o.changed[0][1]})" if o.changed else "-"
            rows.append([o.name, o.verdict(self.exact), f"{len(o.changed)} of {o.flows}", largest, str(len(regress.different(o.beyond())))])
        return ["run", "verdict", "flows with another FCT", "largest", "metrics beyond"], rows

    def remarks(self) -> List[str]:
        """Lines on runs that were not compared, or not with the same inputs or ideal times."""
        lines = [f"{o.name}: {o.error}" for o in self.outcomes if o.error]
        lines += [f"{o.name}: not the workload of the baseline: {o.other}" for o in self.outcomes if o.other]
        for path in dict.fromkeys(p for o in self.outcomes for p in o.inputs):
            names = [o.name for o in self.outcomes if path in o.inputs]
            lines.append(f"input {path} is not that of the baseline in {len(names)} run(s), first {names[0]}: restore it, or record "
                         "the baseline again")
        versions = dict.fromkeys(v for o in self.outcomes for v in o.versions)
        lines += [f"version of {what}: {then} in the baseline, {now} now" for what, then, now in versions if then not in ("", now)]
        ideal = sum(not o.ideal for o in self.outcomes)
        if ideal:
            lines.append(f"ideal completion times are others than in the baseline in {ideal} run(s): slowdowns of both are "
                         "over the new ones")
        return lines

    def made_with(self) -> str:
        """Versions of the runs that were made now, one line."""
        found = dict.fromkeys(f"{what} {now}" for o in self.outcomes for what, _, now in o.versions)
        return f"Made with {', '.join(found)}." if found else ""

    def text(self, show: int) -> str:
        return "\n".join([rr.format_aligned(self.runs()), "", *self.remarks(), *filter(None, [self.made_with()]),
                          regress.text(self.rows(), show) + self.verdict()]) + "\n"

    def markdown(self, show: int) -> str:
        """For a comment in a pull request."""
        rows = self.rows()
        parts = [f"## Flow completion times against `{self.title}`: {'FAILED' if self.failed() else 'passed'}",
                 self.verdict() + ".", rr.format_markdown(self.runs())]
        parts += ["\n".join(f"* {line}" for line in self.remarks())] if self.remarks() else []
        if rows:
            parts += ["Metrics that changed, the largest first" + (f" ({show} of {len(rows)})" if len(rows) > show else "") + ":",
                      rr.format_markdown((regress.HEADER, rows[:show]))]
        else:
            parts.append("No metric changed.")
        parts += filter(None, [self.made_with()])
        return "\n\n".join(parts) + "\n"

    def junit(self, show: int) -> str:
        """JUnit XML: a test case for each run. No times: the same results give the same file."""
        errors = sum(bool(o.error) for o in self.outcomes)
        counts = {"tests": str(len(self.outcomes)), "failures": str(len(self.failed()) - errors), "errors": str(errors)}
        root = ElementTree.Element("testsuites", counts)
        suite = ElementTree.SubElement(root, "testsuite", {"name": self.title, **counts})
        for o in self.outcomes:
            case = ElementTree.SubElement(suite, "testcase", {"classname": "regress", "name": o.name})
            if o.error:
                ElementTree.SubElement(case, "error", {"message": o.error})
            elif o in self.failed():
                facts = regress.table(o.beyond(), 1, True)
                message = o.other or (f"other inputs: {', '.join(o.inputs)}" if o.inputs else
                                      f"{facts[0][0]} {facts[0][3]}, bound {facts[0][4]}" if facts
                                      else f"{len(o.changed)} of {o.flows} flows have another FCT")
                ElementTree.SubElement(case, "failure", {"message": message}).text = regress.text(facts, show)
        ElementTree.indent(root)
        return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
