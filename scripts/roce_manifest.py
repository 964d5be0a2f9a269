# SPDX-License-Identifier: GPL-2.0-only
"""A run folder's files, checked against what the run says that it wrote.

summary.json has a manifest: name, bytes, SHA-256 and, of tables, data rows of each file. file_of() gives
the path of a file that is as the manifest has it; anything else is an error of one line. Results without a
manifest, of earlier versions or of a user's program, are read with what else can be checked.

A run puts its files in place all at once: from the moment that .commit is there, which names them, the new
result counts. Where that was broken off, the next reader ends it, or reads NAME.tmp if it may not write there.
"""

import fcntl
import functools
import hashlib
import json
import os
import stat
import sys
import time
from typing import Dict, List, NamedTuple, Optional

FORMAT = 1  # of summary.json
SUMMARY = "summary.json"
JOURNAL = ".commit"  # {"files": [...], "remove": [...]}: what a commit puts in place, and what goes
LIST = ".unfinished"  # names of a run's files, each up to a tab; locked while the run writes
WAIT_SECONDS = 10.0  # for a run that is about to end its commit
BLOCK = 1 << 20


class ResultError(Exception):
    """A result cannot be used; the message is one line with the file and what was expected."""


class Measures(NamedTuple):
    """What a file is."""

    size: int
    sha256: str
    rows: int  # of a table, without its header


class Entry(NamedTuple):
    """What a file should be."""

    size: int
    sha256: str
    rows: Optional[int]


# ---------------------------------------------------------------------------------------- commits


def is_plain(name: object) -> bool:
    """True for the name of a file directly in the folder."""
    return isinstance(name, str) and name not in ("", ".", "..") and "/" not in name and name.isprintable()


def settle(folder: str) -> Dict[str, str]:
    """End a commit that was broken off.

    @return path by name of files that are not in their places since this process may not put them there
    """
    journal = os.path.join(folder, JOURNAL)
    until = time.monotonic() + WAIT_SECONDS
    while os.path.lexists(journal):
        try:
            own = os.lstat(journal).st_uid == os.geteuid()
            lock = locked(folder) if own else None
        except FileNotFoundError:  # ended meanwhile
            continue
        except OSError:
            own = False
        if not own:
            return pending(folder)
        if lock is not None:
            try:
                return roll_forward(folder)
            finally:
                os.close(lock)
        if time.monotonic() > until:
            raise ResultError(f"{folder}: another run is putting its files in place, try again")
        time.sleep(0.02)
    return {}


def locked(folder: str) -> Optional[int]:
    """The lock of the run that writes here; None if one holds it. OSError where this process may not write."""
    path = os.path.join(folder, LIST)
    stream = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The run that has just ended may have removed the file between the two calls.
        if os.path.samestat(os.fstat(stream), os.lstat(path)):
            return stream
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        os.close(stream)
        raise
    os.close(stream)
    return None


def read_journal(folder: str) -> Optional[Dict[str, List[str]]]:
    """The files that a commit puts in place, and those that go; None if there is no commit any more."""
    path = os.path.join(folder, JOURNAL)
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), encoding="utf-8") as stream:
            found = json.load(stream)
        names = {key: found.get(key, []) for key in ("files", "remove")}
        if not all(isinstance(n, list) and all(map(is_plain, n)) for n in names.values()) or names["files"][-1:] != [SUMMARY]:
            raise ValueError
        return names
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ResultError(f"{path}: expected the names of the files of a run") from None


def is_file(path: str) -> bool:
    """True for a regular file, False if nothing is there; a link or folder is an error."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise ResultError(f"{path}: is no regular file, expected one of the run")
    return True


def pending(folder: str) -> Dict[str, str]:
    """Where the files are while the commit is not ended. summary.json is the last to get its place."""
    names = read_journal(folder)
    if names is None or not is_file(os.path.join(folder, SUMMARY + ".tmp")):
        return {}
    paths = {name: os.path.join(folder, name + ".tmp") for name in names["files"]}
    return {name: path for name, path in paths.items() if is_file(path)}


def roll_forward(folder: str) -> Dict[str, str]:
    """The commit's steps that are still to do, with the folder locked; as RunFolder of the module has them."""
    names = read_journal(folder)
    if names is None:
        return {}
    paths = pending(folder)
    gone = [os.path.join(folder, n) for n in names["remove"]] if paths else []
    if paths:
        check_journal(folder, paths, gone)
    moves = [(path, os.path.join(folder, name)) for name, path in paths.items() if name != SUMMARY]
    try:
        for path, target in moves:
            os.rename(path, target)
        for path in gone:
            if is_file(path):
                os.remove(path)
        if paths:  # as long as the old one is there, it says what may be removed
            os.rename(paths[SUMMARY], os.path.join(folder, SUMMARY))
        os.remove(os.path.join(folder, JOURNAL))
        remove_list(folder)
    except PermissionError:
        return pending(folder)
    except OSError as error:
        if os.access(folder, os.W_OK):
            raise ResultError(f"{error.filename}: cannot end the run's commit: {error.strerror}") from None
        return pending(folder)  # a file system that is read-only
    return {}


def check_journal(folder: str, paths: Dict[str, str], gone: List[str]) -> None:
    """End unless all that is to be moved is as the new manifest has it, and all that goes as the old one has it."""
    journal, summary = os.path.join(folder, JOURNAL), os.path.join(folder, SUMMARY)
    new = entries_of(read_json(paths[SUMMARY]), paths[SUMMARY])
    old = entries_of(read_json(summary), summary) if is_file(summary) else {}
    for name, path in paths.items():
        is_file(os.path.join(folder, name))
        if name != SUMMARY and (name not in new or difference(path, new[name])):
            raise ResultError(f"{path}: is not what the new {SUMMARY} says, expected a file of the run that {JOURNAL} is of")
    for path in gone:
        name = os.path.basename(path)
        if is_file(path) and (name not in old or difference(path, old[name])):
            raise ResultError(f"{journal}: {name} is to be removed, but is not as an earlier run has left it")


def remove_list(folder: str) -> None:
    """Remove the list of a run's files, unless a killed run has left some of them: the next run needs it."""
    path = os.path.join(folder, LIST)
    with open(path, encoding="utf-8", errors="surrogateescape") as stream:
        names = [line.split("\t")[0] for line in stream.read().split("\n")]
    if not any(is_plain(n) and os.path.lexists(os.path.join(folder, n + ".tmp")) for n in names):
        os.remove(path)


# --------------------------------------------------------------------------------------- manifest


def place_of(folder: str, name: str) -> str:
    """Where a file of a run folder is, or would be."""
    return settle(folder).get(name, os.path.join(folder, name))


def read_summary(folder: str) -> dict:
    """summary.json of a run folder."""
    file = place_of(folder, SUMMARY)
    summary = read_json(file)
    if summary.get("format", FORMAT) != FORMAT:
        raise ResultError(f"{file}: format is {json.dumps(summary['format'])[:40]}, expected {FORMAT}: written by another "
                          "version, which has the scripts for it")
    return summary


def read_json(file: str) -> dict:
    """An object in a file of JSON."""
    try:
        with open(file, encoding="utf-8") as stream:
            found = json.load(stream)
    except (OSError, ValueError, RecursionError) as error:
        raise ResultError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(found, dict):
        raise ResultError(f"{file}: expected an object")
    return found


def entries_of(summary: dict, file: str) -> Dict[str, Entry]:
    """What the manifest says of the files, by name; nothing without one."""
    manifest = summary.get("manifest")
    if manifest is None:
        return {}
    try:
        found = {e["name"]: Entry(e["bytes"], e["sha256"], e.get("rows")) for e in manifest["outputs"]}
        if not all(isinstance(e.size, int) and isinstance(e.sha256, str) and isinstance(e.rows, (int, type(None)))
                   and is_plain(n) for n, e in found.items()):
            raise ValueError
        return found
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ResultError(f"{file}: manifest: expected outputs with name, bytes and sha256") from None


def measures(path: str) -> Measures:
    """Size, SHA-256 and rows of a file; read again only if it has changed."""
    try:
        found = os.stat(path)
        return _measures(path, found.st_size, found.st_mtime_ns, found.st_ino)
    except OSError as error:
        raise ResultError(f"{path}: {error.strerror}") from None


@functools.lru_cache(maxsize=100_000)
def _measures(path: str, _size: int, _time: int, _inode: int) -> Measures:
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
    return Measures(size, digest.hexdigest(), max(0, lines - 1))


def difference(path: str, expected: Entry) -> str:
    """How a file differs from what it should be; nothing if it does not."""
    if not os.path.lexists(path):
        return f"is not there, expected {expected.size} bytes"
    found = measures(path)
    wanted = expected.rows is not None
    if found.size != expected.size or (wanted and found.rows != expected.rows):
        return (f"{found.size} bytes{f' and {found.rows} rows' if wanted else ''}, expected {expected.size}"
                f"{f' and {expected.rows}' if wanted else ''}")
    if found.sha256 != expected.sha256:
        return f"SHA-256 {found.sha256[:12]}..., expected {expected.sha256[:12]}..."
    return ""


def file_of(folder: str, name: str) -> str:
    """The path of a file of a run folder that is as the run has written it, or of none at all.

    The manifest's word is taken where there is one. A file that it does not list is read with a warning.
    """
    path = place_of(folder, name)
    summary = place_of(folder, SUMMARY)
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
