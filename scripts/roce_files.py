# SPDX-License-Identifier: GPL-2.0-only
"""Files that scripts write into a folder a user names, and that only those are replaced or removed.

A folder lists what is a script's own in .roce-files: a line "+ NAME" before a file is written, "- NAME" after it is removed, so
that a kill at any time leaves a list that covers what is there. A file of the same name that is not in the list is somebody
else's: it is never touched, the script says so and ends.
"""

import contextlib
import fcntl
import itertools
import os
from typing import Iterable, List, Set

from roce_manifest import ResultError

LIST = ".roce-files"
LOCK = ".lock"
PART_FILE = r"\.roce-\d+-\d+\.tmp"  # a file that is being written
HEADER = "# What scripts/ of ns-3 RoCE wrote here, and may replace or remove; no other file.\n"


class OwnFiles:
    """The files of a folder that are the scripts' own."""

    def __init__(self, folder: str):
        self.folder = folder

    def path(self, name: str) -> str:
        """Of a file in the folder."""
        return os.path.join(self.folder, name)

    def listed(self) -> Set[str]:
        names: Set[str] = set()
        with contextlib.suppress(FileNotFoundError), open(self.path(LIST), encoding="utf-8", errors="surrogateescape") as stream:
            for line in stream.read().split("\n")[:-1]:  # without half a line
                if line.startswith("+ "):
                    names.add(line[2:])
                elif line.startswith("- "):
                    names.discard(line[2:])
        return names

    def marked(self) -> bool:
        """True if scripts have written here."""
        return os.path.exists(self.path(LIST))

    def refuse_foreign(self, names: Iterable[str]) -> None:
        """End if one of the names is a file of somebody else; nothing is touched."""
        own = self.listed()
        for name in names:
            if name not in own and os.path.lexists(self.path(name)):
                raise ResultError(f"{self.path(name)} is there and was not written by this script: "
                                     "move it away, or name another folder")

    def claim(self, names: Iterable[str]) -> None:
        """Put names into the list before their files are written."""
        names = list(names)
        self.refuse_foreign(names)
        own = self.listed()
        self._append([f"+ {n}" for n in dict.fromkeys(names) if n not in own])

    def remove(self, names: Iterable[str]) -> None:
        """Remove files that are in the list, and no others."""
        own = self.listed()
        names = [n for n in names if n in own]
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                os.remove(self.path(name))
        self._append([f"- {n}" for n in names])

    def write(self, name: str, content) -> str:
        """Write a file of ours whole. @return its path"""
        self.claim([name])
        write_whole(self.path(name), content)
        return self.path(name)

    def _append(self, lines: List[str]) -> None:
        """Lines of the list, in one write: processes may do so at the same time."""
        new = not self.marked()
        if not lines and not new:
            return
        os.makedirs(self.folder, exist_ok=True)
        text = (HEADER if new else "") + "".join(f"{line}\n" for line in lines)
        with open(self.path(LIST), "a+b", buffering=0) as stream:
            if stream.tell() and os.pread(stream.fileno(), 1, stream.tell() - 1) != b"\n":
                text = "\n" + text  # after half a line: a full disk
            stream.write(text.encode("utf-8", "surrogateescape"))


def write_whole(path: str, content) -> None:
    """Write text or bytes under another name, then rename: a reader never sees half a file."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    part = None
    try:
        folder = os.path.dirname(path) or "."
        os.makedirs(folder, exist_ok=True)
        # Another number where a killed process has left one.
        part = next(p for p in (os.path.join(folder, f".roce-{os.getpid()}-{i}.tmp") for i in itertools.count()) if not os.path.lexists(p))
        with open(part, "xb") as stream:
            stream.write(data)
        os.replace(part, path)
    except OSError as error:
        if part and os.path.exists(part):
            os.remove(part)
        raise ResultError(f"{path}: {error.strerror}") from None


def lock(folder: str, script: str):
    """The folder for this process alone, and for those that inherit the stream.

    The kernel drops the lock when all are gone, however they end: what is left of a killed one keeps nobody out."""
    stream = open(os.path.join(folder, LOCK), "a+", encoding="utf-8")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.seek(0)
        raise ResultError(f"{folder}: another {script} is at work there (process {stream.read().strip() or '?'})") from None
    stream.truncate(0)
    stream.write(f"{os.getpid()}\n")
    stream.flush()
    return stream


def refuse_inputs(folder: str, names: Iterable[str], inputs: Iterable[str]) -> None:
    """End if an input is one of the files, or in one of the folders, that are written.

    @param folder where is written
    @param names files and folders in it
    @param inputs paths that are read"""
    outputs = [os.path.realpath(os.path.join(folder, name)) for name in names]
    for path in inputs:
        real = os.path.realpath(path)
        if any(real == output or real.startswith(output + os.sep) for output in outputs):
            raise ResultError(f"{path} is read, but would be among the results in {folder}: move it, or name another folder")
