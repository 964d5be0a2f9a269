# SPDX-License-Identifier: GPL-2.0-only
"""A simulator's process: its log, its progress, its last words."""

import argparse
import collections
import json
import signal
import subprocess
import threading
import time
from typing import Any, Dict, List, Optional

import roce_results as rr

LAST_LINES = 15  # of a failing run's stderr that are shown


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


class Job:
    """One run: its command, its process, and what it last said about its progress."""

    def __init__(self, name: str, log: str, command: List[str], cwd: str, env: Dict[str, str]):
        """@param log file that gets the program's output"""
        self.name, self.log, self.command, self.cwd, self.env = name, log, command, cwd, env
        self.process: Optional[subprocess.Popen] = None
        self.progress: Dict[str, float] = {}
        self.tail: collections.deque = collections.deque(maxlen=LAST_LINES)
        self.seconds = 0.0
        self._started = 0.0
        self._reader: Optional[threading.Thread] = None

    def start(self) -> None:
        """Start the program; its progress is kept here."""
        try:
            with open(self.log, "wb") as log:
                self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.PIPE,
                                                cwd=self.cwd, env=self.env)
        except OSError as error:
            what = error.filename or self.command[0]
            raise rr.ResultError(f"{what}: cannot start: {error.strerror}") from None
        self._started = time.monotonic()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with open(self.log, "ab") as log:
            for raw in self.process.stderr:
                message = read_message(raw.decode("utf-8", "replace").rstrip())
                progress = message.pop("progress", None)
                if progress is not None:
                    self.progress = progress
                for line in text_lines(message):
                    self.tail.append(line)
                    log.write(line.encode("utf-8", "replace") + b"\n")

    def poll(self) -> Optional[int]:
        """Exit status once the process has ended and all its output is read, else None."""
        if self.process.poll() is None:
            return None
        # Not for ever: a grandchild may hold the pipe open.
        self._reader.join(timeout=5)
        self.seconds = time.monotonic() - self._started
        return self.process.returncode

    def stop(self) -> None:
        """End the process if it runs."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def failure(self, status: int) -> List[str]:
        """How the process ended, and what it said last."""
        how = f"exit status {status}"
        if status < 0:
            try:
                how = f"signal {signal.Signals(-status).name}"
            except ValueError:
                how = f"signal {-status}"
        lines = [f"error: {self.name} failed with {how}: {' '.join(self.command)}"]
        lines += ["    " + line for line in self.tail]
        if not self.tail:
            lines.append(f"    (nothing on its standard error; see {self.log})")
        return lines


def duration_text(seconds: float) -> str:
    """12 s, 3 min 05 s, 1 h 02 min."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def positive(text: str) -> int:
    """A whole number from 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}', expected a whole number from 1")
    return value
