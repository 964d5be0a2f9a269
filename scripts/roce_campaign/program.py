# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The program of an experiment, and its options."""

import os
import re
import subprocess
from typing import Dict, List, Optional, Tuple

from . import identity
from .yamlread import Value

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

MAX_VALUE = 4000  # characters of an option's value
ABSENT = "{input}"  # the value of an option whose input was not given
OWN_OPTIONS = ("out", "progress", "dryRun")  # given to the program by the workflow


def portable(text: str, folder: str) -> str:
    """A path of this checkout as {root}/..., another one from the baseline's folder."""
    inside = os.path.relpath(text, ROOT)
    if not inside.startswith(".."):
        return "{root}/" + inside
    return "{here}/" + os.path.relpath(text, folder)


def local(text: str, folder: str) -> str:
    """The text with such paths as they are here."""
    return text.replace("{root}", ROOT).replace("{here}", os.path.abspath(folder))


class Placed(str):
    """An option's value that knows where the experiment's file has it."""

    place = ""  # file:line

    @staticmethod
    def at(text: str, value: Value) -> "Placed":
        """The text of a value."""
        placed = Placed(text)
        placed.place = f"{value.file}:{value.line}"
        return placed


def is_trusted(program: str, build: Optional[str]) -> bool:
    """True for a program of the build folder. @param build the folder, None for that of this checkout"""
    folder = os.path.realpath(os.path.join(build or os.path.join(ROOT, "build"), "bin"))
    return folder in (os.path.realpath(os.path.dirname(os.path.abspath(program))), os.path.dirname(os.path.realpath(program)))


def refusal(program: str) -> str:
    """What is said of a program that is not started."""
    return (f"'{program}' is no program of the build: look at it and its options, then start it with --allow-program, "
            "or name its build with --build")


def program_options(program: str, where: Value) -> List[str]:
    """The names of a program's options, from its --help."""
    if not os.path.isfile(program) or not os.access(program, os.X_OK):
        where.fail(f"program '{program}' is not there or not executable; build the project "
                   "(scripts/build.sh) or give a path")
    try:
        done = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60,
                              errors="replace", check=False, stdin=subprocess.DEVNULL,
                              env=identity.clean_environment())
        names = re.findall(r"^\s+--([A-Za-z][\w:-]*?):?(?:\s|$)", done.stdout, re.MULTILINE)
    except (OSError, subprocess.TimeoutExpired) as error:
        where.fail(f"program '{program}': --help does not work: {error}")
    if done.returncode != 0 or "out" not in names:
        where.fail(f"program '{program}': expected an option --out in its --help")
    return names


class Options:
    """Checks names of options against the program's."""

    def __init__(self, names: List[str], seed_option: str, folder: str,
                 inputs: Optional[Dict[str, Optional[str]]] = None):
        """@param inputs by name, the paths of those that were given and None for others"""
        self.inputs = inputs or {}
        self.names = names
        self.own = OWN_OPTIONS + (seed_option,)
        self.folder = folder

    def read(self, key: Value, value: Value) -> Tuple[str, str]:
        """A name and its value."""
        name = key.short("option")
        if name in self.own:
            key.fail(f"option '{name}' is set by the workflow, expected others")
        if name not in self.names and not re.fullmatch(r"\S*::[^\s=]+", name):
            key.fail(f"the program has no option --{name}")
        if value.is_scalar() and value.node.value == "":
            return name, Placed.at("", value)
        text = value.short(f"option {name}", MAX_VALUE)
        wanted = re.fullmatch(r"\{input:(.*)\}", text)
        if wanted:
            if wanted[1] not in self.inputs:
                value.fail(f"option {name}: no input '{wanted[1]}', expected one of "
                           f"{', '.join(self.inputs) or '(none)'}")
            return name, Placed.at(self.inputs[wanted[1]] or ABSENT, value)
        # The run's folder is another one, here and on each node.
        for mark, folder in (("./", self.folder), ("{root}/", ROOT)):
            if text.startswith(mark):
                text = os.path.join(folder, text[len(mark):])
                if not os.path.exists(text):
                    value.fail(f"option {name}: {text} does not exist")
        return name, Placed.at(text, value)
