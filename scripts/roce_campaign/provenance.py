# SPDX-License-Identifier: GPL-2.0-only
"""What a run's files were, and the files that it has read: kept in its run.json, compared before it is used again.

The hash in a run's name is over what is known before it: code, options, the files that options name. What these files name in
turn is known after it, from the manifest of summary.json. Of a program without one, text files are searched for names of files,
beside them and absolute.
"""

import functools
import os
import re
from typing import Dict, Iterable, Iterator, List, Set

import roce_manifest
import roce_results as rr

from .program import local, portable

OWN = ("run.json", "run.log", "measures.json", "progress.json")  # not the program's
MAX_TEXT = 1 << 20  # bytes of a file in which names are looked for
MAX_NAME = 255
MAX_FILES = 1000  # of a folder that an option names
SYSTEM = ("/proc/", "/sys/", "/dev/")

Files = Dict[str, List]  # name or path -> bytes, SHA-256


def outputs(folder: str) -> Files:
    """The files that a program has left in its folder, and folders in it."""
    found = {os.path.relpath(path, folder): path for path in files_below(folder)}
    return {name: list(roce_manifest.measures(path)[:2]) for name, path in found.items() if name not in OWN}


def damage(folder: str, record: dict) -> str:
    """How a run's files differ from what they were; nothing if they do not. @param record its run.json"""
    try:
        for name, (size, sha256) in record["outputs"].items():
            problem = roce_manifest.difference(os.path.join(folder, name), roce_manifest.Entry(size, sha256, None))
            if problem:
                return f"{name}: {problem}"
    except rr.ResultError as error:
        return str(error)
    except (KeyError, TypeError, ValueError, AttributeError):
        return "run.json: outputs: expected bytes and SHA-256 of each file"
    return ""


def inputs(folder: str, values: Iterable[str], place: str) -> Files:
    """The files that a run has read.

    @param folder of the run, in which the program was started
    @param values of its options
    @param place paths are kept relative to this folder, or to the checkout"""
    summary = rr.read_summary(folder)
    return described(manifest_inputs(folder, summary) if "manifest" in summary else named_files(values, folder), folder, place)


def described(paths: Iterable[str], folder: str, place: str) -> Files:
    """Files with their sizes and hashes, without those of the run itself."""
    inside = os.path.realpath(folder) + os.sep
    return {portable(path, place): list(roce_manifest.measures(path)[:2]) for path in sorted({os.path.realpath(p) for p in paths})
            if os.path.isfile(path) and not path.startswith((inside, *SYSTEM))}


def changed_input(kept: Files, results: str) -> str:
    """The first file that a run has read and that is another now; nothing if there is none."""
    for path, measures in (kept or {}).items():
        path = local(path, results)
        if not os.path.isfile(path):
            return f"{os.path.relpath(path)}, which it has read, is not there any more"
        if list(roce_manifest.measures(path)[:2]) != measures:
            return f"{os.path.relpath(path)}, which it has read, has changed"
    return ""


def fault(folder: str, before: Files, results: str) -> str:
    """What is wrong with a new result: not as its manifest has it, or a file that it was made of has changed meanwhile.

    @param before the files that the run's options name, and that these name, as they were before it"""
    summary = rr.read_summary(folder)
    for name, entry in roce_manifest.entries_of(summary, os.path.join(folder, roce_manifest.SUMMARY)).items():
        problem = roce_manifest.difference(os.path.join(folder, name), entry)
        if problem:
            return f"{name}: {problem} ({roce_manifest.SUMMARY})"
    if "manifest" not in summary:
        return changed_input(before, results)
    changed = (p for p, sha256 in manifest_inputs(folder, summary).items()
               if os.path.isfile(p) and roce_manifest.measures(p).sha256 != sha256)
    return next((f"{os.path.relpath(p)}, which it has read, has changed" for p in changed), "")


def manifest_inputs(folder: str, summary: dict) -> Dict[str, str]:
    """The files that a manifest says were read, by path, with their SHA-256; no pipes, and no files of the system's own."""
    try:
        found = {os.path.join(folder, e["path"]): e["sha256"] for e in summary["manifest"]["inputs"]}
        return {p: h for p, h in found.items() if h is not None and not os.path.realpath(p).startswith(SYSTEM)}
    except (TypeError, KeyError):
        raise rr.ResultError(f"{folder}/{roce_manifest.SUMMARY}: manifest: expected inputs with path, bytes and sha256") from None


# ---------------------------------------------------------------------------- names in text files


def named_files(values: Iterable[str], folder: str) -> Set[str]:
    """The files that options name, that these name, and so on.

    @param folder in which names count as well as beside the file that has them"""
    found: Set[str] = set()
    waiting: List[str] = []
    for value in values:
        if os.path.isdir(value) and os.path.isabs(value):
            waiting += list(files_below(value))[:MAX_FILES]
        waiting += names_in(value, "")
    while waiting:
        path = os.path.realpath(waiting.pop())
        if path not in found:
            found.add(path)
            measures = roce_manifest.measures(path)
            waiting += names_in_file(path, folder, measures.sha256) if measures.size <= MAX_TEXT else []
    return found


def files_below(folder: str) -> Iterator[str]:
    """Regular files in a folder and below, in order."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        paths = (os.path.join(place, name) for name in sorted(names))
        yield from (path for path in paths if os.path.isfile(path) and not os.path.islink(path))


@functools.lru_cache(maxsize=1000)
def names_in_file(path: str, folder: str, _sha256: str) -> List[str]:
    """Files that a text file names."""
    with open(path, "rb") as stream:
        content = stream.read(MAX_TEXT + 1)
    text = "" if b"\0" in content else content.decode("utf-8", "replace")
    return [f for place in (os.path.dirname(path), folder) for f in names_in(text, place)]


def names_in(text: str, folder: str) -> List[str]:
    """Files that a text names. @param folder of names that are not absolute; without it only absolute ones count"""
    words = dict.fromkeys(re.split(r"[\s,;=|\[\](){}\"'<>]+", text))
    paths = (os.path.join(folder or "/", word) for word in words
             if 0 < len(word) <= MAX_NAME and re.search(r"[A-Za-z]", word) and (folder or os.path.isabs(word)))
    return [path for path in dict.fromkeys(paths) if "\0" not in path and os.path.isfile(path)]
