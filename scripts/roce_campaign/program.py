# SPDX-License-Identifier: GPL-2.0-only
"""The program of an experiment: its options, and what it is, as hashes, so that results of different code or options never mix.

Code is the program's file and every ns-3 library that the loader gives it, this module's among them, by content, but for the
commit that is written into it. System libraries (C, C++) are not in it.
"""

import hashlib
import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, Dict, List, Optional, Sequence

import roce_results as rr

from .yamlread import Map, Text, fail

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

ABSENT = "{input}"  # the value of an option whose input was not given
OWN_OPTIONS = ("out", "progress", "dryRun")  # given to the program by the workflow
COMMIT = re.compile(rb"ns-3-roce-commit:.{47}", re.DOTALL)  # contrib/roce/commit.cmake
BUILD_ID = re.compile(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0.{20}", re.DOTALL)


def portable(text: str, folder: str) -> str:
    """A path of this checkout as {root}/..., another one from the baseline's folder."""
    inside = os.path.relpath(text, ROOT)
    return "{here}/" + os.path.relpath(text, folder) if inside.startswith("..") else "{root}/" + inside


def local(text: str, folder: str) -> str:
    """The text with such paths as they are here."""
    return text.replace("{root}", ROOT).replace("{here}", os.path.abspath(folder))


def program_path(name: str, folder: str, build: Optional[str]) -> str:
    """A program of the build, or a path from the experiment's folder."""
    if os.sep in name:
        return os.path.join(folder, name)
    return os.path.join(build or os.path.join(ROOT, "build"), "bin", name)


def is_trusted(program: str, build: Optional[str]) -> bool:
    """True for a program of the build folder. @param build the folder, None for that of this checkout"""
    folder = os.path.realpath(os.path.join(build or os.path.join(ROOT, "build"), "bin"))
    return folder in (os.path.realpath(os.path.dirname(os.path.abspath(program))), os.path.dirname(os.path.realpath(program)))


def refusal(program: str) -> str:
    """What is said of a program that is not started."""
    return (f"'{program}' is no program of the build: look at it and its options, then start it with --allow-program, "
            "or name its build with --build")


# -------------------------------------------------------------------------------------------- code


def data_hash(data) -> str:
    """SHA-256 of what JSON can express."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def clean_environment() -> Dict[str, str]:
    """The environment without what changes ns-3's defaults (NS_GLOBAL_VALUE and the like)."""
    return {k: v for k, v in os.environ.items() if not k.startswith("NS_")}


def in_parallel(work: Callable, items: Sequence, jobs: int) -> list:
    """All results in order; the first error ends it."""
    pool = ThreadPoolExecutor(jobs)
    try:
        return list(pool.map(work, items))
    finally:
        pool.shutdown(cancel_futures=True)


def call(command: Sequence[str], **more) -> subprocess.CompletedProcess:
    """A program that has ended, with what it printed. @param more arguments of subprocess.run()"""
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
                          env=clean_environment(), **more)


def code(program: str) -> Dict[str, str]:
    """File name -> SHA-256 of the program and its ns-3 libraries (none for a script), without the commit and the linker's hash of
    it (build id), on which no result depends."""
    done = call(["ldd", program])
    files = []
    for name, path in re.findall(r"^\s*(\S*ns3\S*) => (.+?)(?: \(0x[0-9a-f]+\))?$", done.stdout if done.returncode == 0 else "", re.M):
        if path == "not found":
            raise rr.ResultError(f"{program}: library {name} not found, build the project")
        files.append(os.path.realpath(path))
    hashes = {}
    for path in [program] + sorted(files):
        with open(path, "rb") as stream:
            hashes[os.path.basename(path)] = hashlib.sha256(BUILD_ID.sub(b"", COMMIT.sub(b"", stream.read()))).hexdigest()
    return hashes


# ----------------------------------------------------------------------------------------- options


def program_options(program: str, where: Text) -> List[str]:
    """The names of a program's options, from its --help."""
    if not os.path.isfile(program) or not os.access(program, os.X_OK):
        fail(where, f"program '{program}' is not there or not executable; build the project (scripts/build.sh) or give a path")
    try:
        done = call([program, "--help"], timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        fail(where, f"program '{program}': --help does not work: {error}")
    names = re.findall(r"^\s+--([A-Za-z][\w:-]*?):?(?:\s|$)", done.stdout, re.MULTILINE)
    if done.returncode != 0 or "out" not in names:
        fail(where, f"program '{program}': expected an option --out in its --help")
    return names


class Options:
    """Checks names of options against the program's."""

    def __init__(self, names: List[str], seed_option: str, folder: str, inputs: Optional[Dict[str, Optional[str]]] = None):
        """@param inputs by name, the paths of those that were given and None for others"""
        self.inputs = inputs or {}
        self.names = names
        self.own = OWN_OPTIONS + (seed_option,)
        self.folder = folder

    def read(self, settings: Map) -> Dict[str, Text]:
        """Names and values, checked; a value knows its place in the file."""
        return {str(name): self._value(name, text) for name, text in settings.items()}

    def _value(self, name: Text, text: Text) -> Text:
        if name in self.own:
            fail(name, f"option '{name}' is set by the workflow, expected others")
        if name not in self.names and not re.fullmatch(r"\S*::[^\s=]+", name):
            fail(name, f"the program has no option --{name}")
        value = text
        wanted = re.fullmatch(r"\{input:(.*)\}", text)
        if wanted:
            if wanted[1] not in self.inputs:
                fail(text, f"option {name}: no input '{wanted[1]}', expected one of {', '.join(self.inputs) or '(none)'}")
            value = self.inputs[wanted[1]] or ABSENT
        # The run's folder is another one, here and on each node.
        for mark, folder in (("./", self.folder), ("{root}/", ROOT)):
            if text.startswith(mark):
                value = os.path.join(folder, text[len(mark):])
                if not os.path.exists(value):
                    fail(text, f"option {name}: {value} does not exist")
        placed = Text(value)
        placed.place = text.place
        return placed
