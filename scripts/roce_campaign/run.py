# SPDX-License-Identifier: GPL-2.0-only
"""One run of a campaign, as a process of its own: python3 -m roce_campaign.run FOLDER RUN

The program runs in a new folder, which gets the run's name when all is done. So a run's folder is complete or not there, and two
processes at the same run do not mix. Before and after, the program, its libraries and inputs must be those of the plan.
"""

import collections
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import Any, Dict, List

import roce_results as rr
from roce_files import write_whole

from . import measure, provenance, workspace
from .plan import Plan, PlannedRun, run_hash
from .program import clean_environment, code

PROGRESS_SECONDS = 1.0  # between two writings of the progress file
PIPE_SECONDS = 5.0  # for the rest of what a program says; not for ever: a grandchild may hold the pipe open
LAST_LINES = 15  # of a failing run's standard error that are shown
FINISHED = (0, 3)  # exit statuses with a result: 3 if some flows are not done


def check(plan: Plan, run: PlannedRun, when: str) -> None:
    """The program, and the files that options name, are the plan's, or one line."""
    found = code(plan.data["program"])
    changed = sorted(n for n in found.keys() | plan.data["code"].keys() if found.get(n) != plan.data["code"].get(n))
    if changed:
        raise rr.ResultError(f"{', '.join(changed)} changed {when} this run: results of different code are not mixed; "
                             "start scripts/reproduce again")
    if run_hash(run.options, run.seed, plan.data["seedOption"], plan.data["codeHash"]) != run.hash:
        raise rr.ResultError(f"{run.key}: a file that an option names is not what it was when the campaign was started")


def read_message(line: str) -> Dict[str, Any]:
    """A line of a program's standard error under --progress=json: {kind: text}, {"progress": {name: number}}. What is no message
    is {"": line}."""
    try:
        message = json.loads(line) if line.startswith("{") else None
        if isinstance(message, dict) and "progress" in message:
            return {"progress": {k: float(v) for k, v in message["progress"].items()}}
    except (ValueError, TypeError, AttributeError):
        message = None
    return message if isinstance(message, dict) and message else {"": line}


def text_lines(message: Dict[str, Any]) -> List[str]:
    """The same for people: "warning: ...", and details below."""
    lines = []
    for kind, text in message.items():
        if kind == "details" and isinstance(text, list):
            lines += [f"  {detail}" for detail in text]
        else:
            lines.append(f"{kind}: {text}" if kind else text)
    return lines


def execute(plan: Plan, run: PlannedRun, part: str) -> dict:
    """Run the program in the folder `part`; an error if it leaves no result. @return command, exitStatus and elapsedSeconds"""
    command = [plan.data["program"], *(f"--{o}={v}" for o, v in run.options.items()), f"--{plan.data['seedOption']}={run.seed}", "--out=."]
    command += ["--progress=json"] if plan.data["progress"] else []
    shown, tail = os.path.join(part, "progress.json"), collections.deque(maxlen=LAST_LINES)
    started = time.monotonic()
    with open(os.path.join(part, "run.log"), "wb", buffering=0) as log:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.PIPE, cwd=part,
                                       env=clean_environment())
        except OSError as error:
            raise rr.ResultError(f"{error.filename or command[0]}: cannot start: {error.strerror}") from None

        def listen() -> None:
            written = 0.0
            for raw in process.stderr:
                message = read_message(raw.decode("utf-8", "replace").rstrip())
                progress = message.pop("progress", {})
                if progress.get("wallSeconds", 0) >= written + PROGRESS_SECONDS and process.poll() is None:
                    written = progress["wallSeconds"]
                    with contextlib.suppress(rr.ResultError):
                        write_whole(shown, json.dumps(progress))
                for line in text_lines(message):
                    tail.append(line)
                    with contextlib.suppress(ValueError):  # closed: a grandchild speaks on
                        log.write(line.encode("utf-8", "replace") + b"\n")

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            status = process.wait()
        finally:
            end(process)
            listener.join(timeout=PIPE_SECONDS)
    if status not in FINISHED:
        how = f"exit status {status}" if status >= 0 else f"signal {signal_name(-status)}"
        last = list(tail) or [f"(nothing on its standard error; see {log.name})"]
        raise rr.ResultError("\n    ".join([f"{run.key} failed with {how}: {' '.join(command)}", *last]))
    if not os.path.exists(os.path.join(part, "summary.json")):  # which comes last
        raise rr.ResultError(f"{run.key}: the program left no summary.json")
    if rr.read_summary(part).get("interrupted"):
        raise rr.ResultError(f"{run.key}: the program was ended by a signal or a time limit, and has written a part of its result")
    with contextlib.suppress(FileNotFoundError):
        os.remove(shown)
    return {"command": command, "exitStatus": status, "elapsedSeconds": round(time.monotonic() - started, 3)}


def end(process: subprocess.Popen) -> None:
    """End a process if it runs."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def do(plan: Plan, run: PlannedRun) -> None:
    """Make the run's folder, unless it is there."""
    final = plan.run_folder(run)
    if plan.record(run) is None:
        part = f"{final}.part-{socket.gethostname()}-{os.getpid()}"
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        try:
            check(plan, run, "before")
            before = provenance.described(provenance.named_files(run.options.values(), part), part, plan.folder)
            done = execute(plan, run, part)
            check(plan, run, "during")
            problem = provenance.fault(part, before, plan.folder)
            if problem:
                raise rr.ResultError(f"{run.key}: {problem} during this run")
            # Files that options name are in the run's hash: where they are does not matter.
            direct = provenance.described((v for v in run.options.values() if os.path.isfile(v)), part, plan.folder)
            inputs = provenance.inputs(part, run.options.values(), plan.folder)
            record = {"key": run.key, "hash": run.hash, "point": run.point, "seed": run.seed, "options": run.options,
                      **done, "code": plan.data["code"], "commit": plan.data["commit"],
                      "slurmJob": os.environ.get("SLURM_JOB_ID"), "outputs": provenance.outputs(part),
                      "inputs": {p: m for p, m in inputs.items() if p not in direct}}
            write_whole(os.path.join(part, "run.json"), json.dumps(record, indent=1) + "\n")
            if plan.record(run) is None:
                if workspace.is_result(final):
                    shutil.rmtree(final)
                os.rename(part, final)
        except OSError as error:
            raise rr.ResultError(f"{error.filename or run.key}: {error.strerror}") from None
        finally:
            shutil.rmtree(part, ignore_errors=True)
    # Here and not at the end: on a cluster, the nodes do the reading.
    measure.of_run(plan, run, plan.data["metrics"], plan.data["warmupNs"])


def interrupt(_number, _frame) -> None:
    """End in order; from the terminal and from scripts/reproduce a second signal may come meanwhile."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def main() -> int:
    folder, key = sys.argv[1:]
    plan = Plan.read(folder)
    if key not in plan.by_key:
        raise rr.ResultError(f"{key}: not in the plan of {folder} any more")
    signal.signal(signal.SIGINT, interrupt)
    do(plan, plan.by_key[key])
    return 0


if __name__ == "__main__":
    rr.run_main(main)
