# SPDX-License-Identifier: GPL-2.0-only
"""A run folder's files, checked against what the run says that it wrote.

summary.json has a manifest: name, bytes, SHA-256 and, of tables, data rows of each file. file_of() gives the path of a file that
is as the manifest has it; anything else is an error of one line. Results without a manifest, of earlier versions or of a user's
program, are read with what else can be checked.

A run puts its files in place all at once: from the moment that .commit is there, which names them, the new result counts. Where
that was broken off, NAME.tmp is read for NAME; the next run in the folder ends it. Readers change nothing.
"""

import fcntl
import functools
import hashlib
import json
import os
import stat
import sys
import time
from typing import Dict, NamedTuple, Optional

FORMAT = 1  # of summary.json
SUMMARY = "summary.json"
JOURNAL = ".commit"  # {"files": [...]}: what a commit puts in place
LIST = ".unfinished"  # locked while the run writes
WAIT_SECONDS = 10.0  # for a run that is about to end its commit
BLOCK = 1 << 20


class ResultError(Exception):
    """A result cannot be used; the message is one line with the file and what was expected."""


class Entry(NamedTuple):
    """What a file is, or should be."""

    size: int
    sha256: str
    rows: Optional[int]  # of a table, without its header


# ---------------------------------------------------------------------------------------- commits


def is_plain(name: object) -> bool:
    """True for the name of a file directly in the folder."""
    return isinstance(name, str) and name not in ("", ".", "..") and "/" not in name and name.isprintable()


def is_writing(folder: str) -> bool:
    """True while a run writes into a folder."""
    try:
        with open(os.open(os.path.join(folder, LIST), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no such file, or none for this process
        pass
    return False


def pending(folder: str) -> Dict[str, str]:
    """Where files are that a commit has not put in place, by name; summary.json is the last to get its place."""
    journal = os.path.join(folder, JOURNAL)
    until = time.monotonic() + WAIT_SECONDS
    while os.path.lexists(journal) and is_writing(folder):
        if time.monotonic() > until:
            raise ResultError(f"{folder}: another run is putting its files in place, try again")
        time.sleep(0.02)
    try:
        with open(os.open(journal, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), encoding="utf-8") as stream:
            names = json.load(stream)["files"]
        if not isinstance(names, list) or not all(map(is_plain, names)) or names[-1:] != [SUMMARY]:
            raise ValueError
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise ResultError(f"{journal}: expected the names of the files of a run") from None
    paths = {name: os.path.join(folder, name + ".tmp") for name in names}
    found = {name: path for name, path in paths.items() if os.path.lexists(path)}
    for path in found.values():
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise ResultError(f"{path}: is no regular file, expected one of the run")
    return found if SUMMARY in found else {}


# --------------------------------------------------------------------------------------- manifest


def place_of(folder: str, name: str) -> str:
    """Where a file of a run folder is, or would be."""
    return pending(folder).get(name, os.path.join(folder, name))


def read_summary(folder: str) -> dict:
    """summary.json of a run folder."""
    file = place_of(folder, SUMMARY)
    try:
        with open(file, encoding="utf-8") as stream:
            summary = json.load(stream)
    except (OSError, ValueError, RecursionError) as error:
        raise ResultError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(summary, dict):
        raise ResultError(f"{file}: expected an object")
    if summary.get("format", FORMAT) != FORMAT:
        raise ResultError(f"{file}: format is {json.dumps(summary['format'])[:40]}, expected {FORMAT}: written by another version, "
                          "which has the scripts for it")
    return summary


def entries_of(summary: dict, file: str) -> Dict[str, Entry]:
    """What the manifest says of the files, by name; nothing without one."""
    if summary.get("manifest") is None:
        return {}
    try:
        found = {e["name"]: Entry(e["bytes"], e["sha256"], e.get("rows")) for e in summary["manifest"]["outputs"]}
        if not all(isinstance(e.size, int) and isinstance(e.sha256, str) and isinstance(e.rows, (int, type(None)))
                   and is_plain(n) for n, e in found.items()):
            raise ValueError
        return found
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ResultError(f"{file}: manifest: expected outputs with name, bytes and sha256") from None


def measures(path: str) -> Entry:
    """Size, SHA-256 and rows of a file; read again only if it has changed."""
    try:
        found = os.stat(path)
        return _measures(path, found.st_size, found.st_mtime_ns, found.st_ino)
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}") from None


@functools.lru_cache(maxsize=100_000)
def _measures(path: str, _size: int, _time: int, _inode: int) -> Entry:
    digest = hashlib.sha256()
    size = lines = 0
    quoted = False
    with open(path, "rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
            size += len(block)
            # Quotation marks divide what ends rows from what does not, as the module's FileDigest has it.
            parts = block.split(b'"')
            lines += sum(part.count(b"\n") for part in parts[quoted::2])
            quoted ^= len(parts) % 2 == 0
    return Entry(size, digest.hexdigest(), max(0, lines - 1))


def difference(path: str, expected: Entry) -> str:
    """How a file differs from what it should be; nothing if it does not."""
    if not os.path.lexists(path):
        return f"is not there, expected {expected.size} bytes"
    found = measures(path)
    if found.size != expected.size or expected.rows not in (None, found.rows):
        rows = ("", "") if expected.rows is None else (f" and {found.rows} rows", f" and {expected.rows}")
        return f"{found.size} bytes{rows[0]}, expected {expected.size}{rows[1]}"
    return "" if found.sha256 == expected.sha256 else f"SHA-256 {found.sha256[:12]}..., expected {expected.sha256[:12]}..."


def file_of(folder: str, name: str) -> str:
    """The path of a file of a run folder that is as the run has written it, or of none at all.

    A file that the manifest does not list is read with a warning."""
    path, summary = place_of(folder, name), place_of(folder, SUMMARY)
    if not os.path.exists(summary):
        return path
    found = read_summary(folder)
    entries = entries_of(found, summary)
    if name in entries:
        problem = difference(path, entries[name])
        if problem:
            raise ResultError(f"{path}: {problem} ({SUMMARY}): not what the run has written")
    elif found.get("manifest") is not None and os.path.exists(path):
        warn(f"{path}: {SUMMARY} does not list it, read without checks")
    return path


@functools.lru_cache(maxsize=None)
def warn(text: str) -> None:
    """A line on standard error, once."""
    print(f"warning: {text}", file=sys.stderr)
