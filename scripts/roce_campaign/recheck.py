# SPDX-License-Identifier: GPL-2.0-only
"""Runs made again and compared with a baseline: flow by flow, then by metric with bounds."""

import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

import roce_results as rr

from . import baseline, identity, provenance, regress
from .baseline import Recorded
from .experiment import Experiment, program_path
from .plan import readable
from .program import is_trusted, local, portable, refusal
from .run import FINISHED

LAST_LINES = 5  # of a program that fails


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

    def beyond(self) -> List[regress.Change]:
        """Metrics beyond their bounds."""
        return [c for c in self.changes if c.beyond()]

    def verdict(self, exact: bool) -> str:
        """A word. With other inputs it says nothing of the program that the results are within the bounds."""
        return "ERROR" if self.error else "OTHER FLOWS" if self.other else \
            "BEYOND" if self.beyond() or (exact and self.changed) else "OTHER INPUTS" if self.inputs else "within"


def orders_of(experiment: Experiment, program: str, folder: str) -> List[Order]:
    """Every run of an experiment. @param folder of the baseline"""
    orders = {}
    for point in experiment.points:
        for seed in point.seeds:
            options = [f"--{o}={portable(v, folder) if os.path.isabs(v) and os.path.exists(v) else v}"
                       for o, v in point.options.items()] + [f"--{experiment.seed_option}={seed}"]
            orders.setdefault((*options,), Order(f"{readable(point)}-seed{seed}", program, options))
    return list(orders.values())


def order_of_command(words: Sequence[str], folder: str) -> Order:
    """The user's own command line; files that it names count from where it is given."""
    program, options = words[0], []
    if os.sep in program:
        program = portable(os.path.abspath(program), folder)
    for word in words[1:]:
        name, sign, value = word.partition("=")
        if value and os.path.exists(value):
            value = portable(os.path.abspath(value), folder)
        options.append(name + sign + value)
    return Order("run", program, options)


def program_of(name: str, folder: str, build: Optional[str]) -> str:
    """The path of a baseline's program. @param folder of the baseline"""
    return os.path.abspath(program_path(local(name, folder), folder, build))


def refuse_foreign(found: baseline.Baseline, file: str, build: Optional[str]) -> None:
    """End if a baseline names a program that is not one of the build. @param file of the baseline"""
    for run in found.runs:
        path = program_of(run.program, os.path.dirname(os.path.abspath(file)), build)
        if not is_trusted(path, build):
            raise rr.ResultError(rr.one_line(f"{file}: run '{run.name}': program {refusal(path)}"))


def make(order: Order, folder: str, build: Optional[str], use: Callable[[rr.Run, int], object],
         more: Iterable[str] = ()) -> Tuple[object, str]:
    """Run a program in a folder that is removed after its result was used.

    @param folder of the baseline
    @param more further options
    @return what `use` makes of the result and exit status, and the error if there is none
    """
    path = program_of(order.program, folder, build)
    if not os.access(path, os.X_OK):
        raise rr.ResultError(f"program '{path}' is not there or not executable; build it, or name the build with --build")
    options = [local(o, folder) for o in [*order.options, *more]]
    with tempfile.TemporaryDirectory(prefix="roce-regress-") as place:
        done = subprocess.run([path, *options, "--out=."], cwd=place, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False, env=identity.clean_environment())
        if done.returncode not in FINISHED:
            last = " / ".join([x for x in done.stderr.splitlines() if x.strip()][-LAST_LINES:])
            return None, rr.one_line(f"exit status {done.returncode}: {last or 'nothing on standard error'}")
        try:
            run = rr.load_run(place)
            if run.summary.get("interrupted"):
                return None, "ended by a signal or a time limit, with a part of its result"
            return use(run, done.returncode), ""
        except rr.ResultError as error:
            return None, f"no result: {error}"


def record(orders: List[Order], folder: str, build: Optional[str], jobs: int,
           bounds: Sequence[regress.Bound]) -> List[Recorded]:
    """Make all runs for a baseline; each of the bounds must be for something."""
    def one(order: Order) -> Tuple[Recorded, List[str]]:
        found, error = make(order, folder, build, lambda run, status: (baseline.recorded(
            order.name, order.program, order.options, status, run, inputs_of(run, order, folder)), list(regress.of_flows(run.flows))))
        if error:
            raise rr.ResultError(f"{order.name}: {error}")
        return found
    found = in_parallel(one, orders, jobs)
    regress.check_bounds(bounds, [m for _, metrics in found for m in metrics])
    return [run for run, _ in found]


def inputs_of(run: rr.Run, order, folder: str) -> Dict[str, str]:
    """The files that a run has read, with their SHA-256. @param order or record of it @param folder of the baseline"""
    values = [local(o, folder).partition("=")[2] for o in order.options]
    return {path: sha256 for path, (_, sha256) in provenance.inputs(run.folder, values, folder).items()}


def other_inputs(old: Recorded, new: Dict[str, str]) -> Tuple[str, ...]:
    """Files that are not those of the baseline; of an earlier version's baseline none is known. A file may be at another place."""
    if not old.inputs:
        return ()

    def moved(path: str) -> bool:
        return (new[path] in old.inputs.values() if path in new else old.inputs[path] in new.values()) \
            and not (path in new and path in old.inputs)
    return tuple(p for p in sorted(old.inputs.keys() | new.keys()) if old.inputs.get(p) != new.get(p) and not moved(p))


def in_parallel(work: Callable, items: Sequence, jobs: int) -> list:
    """All results in order; the first error ends it."""
    pool = ThreadPoolExecutor(jobs)
    try:
        return list(pool.map(work, items))
    finally:
        pool.shutdown(cancel_futures=True)


def compare(old: Recorded, new: rr.Run, bounds: Sequence[regress.Bound]) -> Outcome:
    """A new run with its baseline."""
    arrivals, ideal = baseline.hashes(new, old.starts)
    if len(new.flows) != len(old.fct_ps):
        return Outcome(old.name, "", f"{len(old.fct_ps)} and {len(new.flows)} flows", len(new.flows), [], [], True)
    if arrivals != old.arrivals:
        return Outcome(old.name, "", "flows have other hosts, sizes or starts", len(new.flows), [], [], True)
    before, after = (baseline.flows_with(fct, new) for fct in (old.fct_ps, [f.fct_ps for f in baseline.in_order(new)]))
    return Outcome(old.name, "", "", len(after), regress.fct_changes(before, after),
                   regress.compare(old.name, *map(regress.of_flows, (before, after)), bounds), ideal == old.ideal)


def check(found: baseline.Baseline, folder: str, build: Optional[str], jobs: int, bounds: Sequence[regress.Bound],
          more: Sequence[str] = ()) -> List[Outcome]:
    """Make all runs of a baseline again. @param more options for each run"""
    def one(old: Recorded) -> Outcome:
        outcome, error = make(Order(old.name, old.program, old.options), folder, build,
                              lambda run, _: compare(old, run, bounds)._replace(inputs=other_inputs(
                                  old, inputs_of(run, old, folder))), more)
        return outcome or Outcome(old.name, error, "", 0, [], [], True)
    outcomes = in_parallel(one, found.runs, jobs)
    metrics = [c.metric for o in outcomes for c in o.changes]
    if metrics:
        regress.check_bounds(bounds, metrics)
    return outcomes
