#!/usr/bin/python3
# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The fuzzers find what they are for: programs that do each wrong thing are found out, good ones are not.

    judge-test.py BUILD_DIR
"""

import errno
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from roce_fuzz import Case, Driver, Judge, remove, snapshot, write_files  # noqa: E402 pylint: disable=wrong-import-position

WHOLE = json.dumps({"files": ["flows.csv", "summary.json"]})
PREVIOUS = {"out/summary.json": WHOLE.encode(), "out/flows.csv": b"old\n", "out/foreign.txt": b"mine\n", "in.csv": b"input\n"}
WRITE = f"mkdir -p out; echo new > out/flows.csv; echo '{WHOLE}' > out/summary.json; "

DIGEST = hashlib.sha256(b"new\n").hexdigest()
MANIFEST = WRITE.replace(WHOLE, json.dumps({"files": ["flows.csv", "summary.json"],
                                            "manifest": {"outputs": [{"name": "flows.csv", "bytes": 4, "sha256": DIGEST}]}}))

# A program (shell), the beginning of the finding it must give ("" for none), files that are there before, limits.
FAKES = [
    # good
    (WRITE, "", {}, {}),
    (WRITE, "", PREVIOUS, {}),
    (WRITE + "echo 'unfinished: 1 of 2 flows' >&2; exit 3", "", {}, {}),
    ("echo 'error: --load is 9, expected less' >&2; exit 2", "", PREVIOUS, {}),
    ("echo 'warning: small' >&2; echo 'error: no' >&2; exit 2", "", {}, {}),
    ("mkdir out; touch out/flows.csv.tmp; echo 'error: no' >&2; exit 2", "", {}, {}),
    # endings
    ("kill -SEGV $$", "signal: 11", {}, {}),
    ("kill -ABRT $$", "signal: 6", {}, {}),
    ("kill -TERM $$", "signal: 15", {}, {}),
    ("exit 4", "status: 4", {}, {}),
    ("exit 134", "status: 134", {}, {}),
    ("echo 'error: disk' >&2; exit 1", "status: 1 without a fault", {}, {}),
    ("echo 'error: disk' >&2; exit 1", "", {}, {"fault": "1:28"}),
    ("echo 'error: out of memory' >&2; exit 1", "status: 1 without a fault", {}, {}),
    ("echo 'error: out of memory' >&2; exit 1", "", {}, {"as": 4000000000}),
    ("while :; do :; done", "time: stopped", {}, {"cpu": 1}),
    ("sleep 10", "time: stopped", {}, {"wall": 300}),
    ("sleep 10", "", {}, {"kill": "15:100000"}),
    ("python3 -c 'x = bytearray(2600000000); x[::4096] = b\"1\" * len(x[::4096])'", "memory: ", {}, {"as": 4000000000}),
    ("echo '==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1' >&2; exit 1", "sanitizer: ", {}, {}),
    ("echo 'a.h:1:2: runtime error: signed integer overflow' >&2; kill -ABRT $$", "sanitizer: ", {}, {}),
    ("echo '==1==ERROR: LeakSanitizer: detected memory leaks' >&2; exit 23", "sanitizer: ", {}, {}),
    # error lines
    ("exit 2", "error line: 0 lines", {}, {}),
    ("echo 'bad input' >&2; exit 2", "error line: 0 lines", {}, {}),
    ("echo 'error: a' >&2; echo 'error: b' >&2; exit 2", "error line: 2 lines", {}, {}),
    ("echo 'error: a' >&2; echo 'b expected' >&2; exit 2", "error line: more on standard error", {}, {}),
    ("echo '{\"progress\":{\"wallSeconds\":1}}' >&2; echo '{\"warning\":\"b\"}' >&2; echo '{\"error\":\"a\"}' >&2; exit 2", "", {}, {}),
    ("echo '{\"usage\":\"b\"}' >&2; echo '{\"error\":\"a\"}' >&2; exit 2", "error line: more on standard error", {}, {}),
    ("echo '{\"error\":\"a\"}' >&2; echo '{\"error\":\"b\"}' >&2; exit 2", "error line: 2 lines", {}, {}),
    ("echo 'usage: program' >&2; echo 'error: a' >&2; exit 2", "error line: more on standard error", {}, {}),
    ("printf 'error: %0700d\\n' 1 >&2; exit 2", "error line: 707 characters", {}, {}),
    ("printf 'error: a\\033[31m\\n' >&2; exit 2", "error line: control character", {}, {}),
    ("printf 'error: a\\tb\\n' >&2; exit 2", "error line: control character", {}, {}),
    ("echo 'error: ' >&2; exit 2", "error line: it says nothing", {}, {}),
    # what a refused run leaves
    ("echo 'error: a' >&2; mkdir out; touch out/flows.csv; exit 2", "left: out/flows.csv", {}, {}),
    ("echo 'error: a' >&2; rm out/summary.json; exit 2", "lost: out/summary.json was removed", PREVIOUS, {}),
    ("echo 'error: a' >&2; : > in.csv; exit 2", "lost: in.csv was changed", PREVIOUS, {}),
    # what a good run leaves
    ("exit 0", "no result: ", {}, {}),
    ("exit 0", "no result: ", PREVIOUS, {}),
    ("mkdir out; echo '{\"files\": [' > out/summary.json", "half result: out/summary.json does not parse", {}, {}),
    ("mkdir out; echo '{}' > out/summary.json", "half result: out/summary.json does not name", {}, {}),
    (WRITE + "rm out/flows.csv", "half result: out/summary.json names flows.csv", {}, {}),
    (MANIFEST, "", {}, {}),
    (MANIFEST + "echo more >> out/flows.csv", "half result: flows.csv is not what the manifest says", {}, {}),
    (WRITE + "printf 'a,b\\n1,' > out/flows.csv", "half result: flows.csv ends within a line", {}, {}),
    (WRITE + "echo '{\"files\": [\"flows.csv\", \"summary.json\"], \"a\": 1}' > out/summary.json; rm in.csv", "lost: in.csv", PREVIOUS, {}),
    (WRITE + "echo ' ' >> out/summary.json; rm out/foreign.txt", "lost: out/foreign.txt", PREVIOUS, {}),
    (WRITE + "touch out/queues.csv.tmp", "left: out/queues.csv.tmp", {}, {}),
    (WRITE + "exit 3", "silent: ", {}, {}),
    (WRITE + "echo 'error: disk' >&2; exit 1", "half result: status 1", {}, {"fault": "1:28"}),
]

SMALL = ["--duration=20us", "--spines=2", "--leaves=2", "--hostsPerLeaf=2", "--wanDelay=5us", "--truncate=100000", "--out=out",
         "--progress=none"]


class Table:
    """Runs cases, counts failures."""

    def __init__(self, driver):
        self.driver = driver
        self.failures = 0

    def run(self, case, program=None):
        """@return reply and findings. program: judged as this one."""
        folder = Path(tempfile.mkdtemp(prefix="roce-judge-"))
        try:
            write_files(folder, case.files)
            before = snapshot(folder)
            reply = self.driver.run(case, folder)
            case.program = program or case.program
            return reply, Judge().judge(case, reply, before, snapshot(folder))
        finally:
            remove(folder)

    def check(self, what, good, found):
        """Count and print."""
        if not good:
            self.failures += 1
            print(f"FAILED {what}: {found}")


def main():
    """The tables."""
    driver = Driver(sys.argv[1])
    table = Table(driver)
    for text, expected, files, limits in FAKES:
        # As replay: a program that must leave a result.
        reply, findings = table.run(Case("/bin/sh", ["-c", text], files, **limits), "replay")
        good = any(f.startswith(expected) for f in findings) if expected else not findings
        table.check(repr(text), good, f"expected {expected!r}, found {findings}; {reply[:7]}, {reply.stderr[:200]}")
    # The driver and the program itself do the same.
    for arguments, status in ((SMALL, 0), (["--load=x"], 2), (["--help"], 0), (SMALL + ["--failLinks=nic0/dc0-leaf0@1us"], 3)):
        case = Case("two-dc-leaf-spine", arguments)
        replies = []
        for direct in (False, True):
            folder = Path(tempfile.mkdtemp(prefix="roce-judge-"))
            replies.append((driver.run(case, folder, direct), {p: d for p, d in snapshot(folder).items() if "summary" not in p}))
            remove(folder)
        (inside, files), (outside, others) = replies
        table.check(arguments, inside.status == outside.status == status and inside.stderr == outside.stderr and files == others,
                    replies)
    # Faults of files happen, and where they are asked for.
    for limits, status, word in (({"fsize": 1000}, 2, b"File too large"), ({"closed": "12"}, 0, b"")):
        reply, _ = table.run(Case("two-dc-leaf-spine", SMALL, **limits))
        table.check(limits, (reply.status, reply.signal) == (status, 0) and word in reply.stderr, reply)
    reply, findings = table.run(Case("two-dc-leaf-spine", SMALL))
    table.check("operations on files", reply.operations > 5 and not findings, f"{reply.operations}, {findings}")
    for fault, status, signal, word in ((f"1:{errno.ENOSPC}", 2, 0, b"No space left"), ("1:kill", -1, 9, b""),
                                        ("1000000:kill", 0, 0, b"")):
        found, _ = table.run(Case("two-dc-leaf-spine", SMALL, fault=fault))
        table.check("fault " + fault, (found.status, found.signal) == (status, signal) and word in found.stderr, found)
    ends = [table.run(Case("two-dc-leaf-spine", SMALL, fault=f"{n}:{errno.EIO}"))[0] for n in range(1, reply.operations + 1)]
    told = sum(end.status == 2 and b"error: " in end.stderr for end in ends)
    table.check("an error at each operation", told > len(ends) // 3, [(end.status, end.stderr) for end in ends])
    driver.close()
    print(f"{len(FAKES)} programs judged, {table.failures} failures")
    return 1 if table.failures else 0


if __name__ == "__main__":
    sys.exit(main())
