# SPDX-License-Identifier: GPL-2.0-only
"""What a result depends on, as hashes, so that results of different code or options never mix.

Code is the program's file and every ns-3 library that the loader gives it, this module's among
them, by content, but for the commit that is written into it. System libraries (C, C++) are not in it.
"""

import hashlib
import json
import os
import re
import subprocess
from typing import Dict, List

import roce_results as rr

COMMIT = re.compile(rb"ns-3-roce-commit:.{47}", re.DOTALL)  # contrib/roce/commit.cmake
BUILD_ID = re.compile(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0.{20}", re.DOTALL)


def code_hash(path: str) -> str:
    """SHA-256 of a program or library without the commit and the linker's hash of it (build id), on which no result depends."""
    try:
        with open(path, "rb") as stream:
            content = stream.read()
    except OSError as error:
        raise rr.ResultError(f"{path}: {error.strerror}") from None
    for aside in (COMMIT, BUILD_ID):
        content = aside.sub(b"", content)
    return hashlib.sha256(content).hexdigest()


def data_hash(data) -> str:
    """SHA-256 of what JSON can express."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def clean_environment() -> Dict[str, str]:
    """The environment without what changes ns-3's defaults (NS_GLOBAL_VALUE and the like)."""
    return {k: v for k, v in os.environ.items() if not k.startswith("NS_")}


def libraries(program: str) -> List[str]:
    """The ns-3 libraries the loader gives a program; none for a script."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False, env=clean_environment())
    if done.returncode != 0:
        return []  # not a dynamic executable
    found = []
    for line in done.stdout.splitlines():
        match = re.match(r"\s*(\S*ns3\S*) => (.+?)(?: \(0x[0-9a-f]+\))?$", line)
        if match and match[2] == "not found":
            raise rr.ResultError(f"{program}: library {match[1]} not found, build the project")
        if match:
            found.append(os.path.realpath(match[2]))
    return sorted(found)


def code(program: str) -> Dict[str, str]:
    """File name -> hash of the program and its ns-3 libraries."""
    return {os.path.basename(f): code_hash(f) for f in [program] + libraries(program)}
