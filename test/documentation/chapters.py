# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The chapters of the documentation and what is in them, for test/cli/documentation.py and test/cli/chapters.py."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOC = ROOT / "contrib" / "roce" / "doc"
SYSTEMS = ROOT / "contrib" / "roce" / "systems"


@dataclass
class Block:
    """A code-block with its text."""
    argument: str
    options: dict = field(default_factory=dict)
    lines: list = field(default_factory=list)
    reason: str = ""  # of a comment `.. not run: REASON` before it

    def text(self):
        """@return the lines without their indentation."""
        indent = min((len(line) - len(line.lstrip()) for line in self.lines if line.strip()), default=0)
        return "\n".join(line[indent:] for line in self.lines).strip("\n") + "\n"

    def commands(self):
        """@return each command of a block of the language console, and the lines that it must print."""
        found = []
        for line in re.sub(r"\\\n\s*", " ", self.text()).splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.strip():
                found[-1][1].append(line)
        return found


def chapters():
    """@return all files of the site that people write."""
    return sorted([*DOC.rglob("*.rst"), *SYSTEMS.glob("*/doc/*.rst")])


def page_of(path):
    """@return the name of a chapter's page, such as howto/one-run, papers/uno."""
    name = path.with_suffix("")
    return name.relative_to(DOC).as_posix() if name.is_relative_to(DOC) else f"papers/{name.name}"


def figures():
    """@return all pictures of the site."""
    return sorted([*(DOC / "figures").iterdir(), *SYSTEMS.glob("*/doc/*.png")])


def readme_blocks(long):
    """@return a block for each command of README.md. @param long beginnings of those that are not run"""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = [line for part in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S) for line in part.splitlines()]
    return [Block("console", lines=["   $ " + line.split(" #")[0]], reason="long" if line.startswith(long) else "")
            for line in lines]


def blocks(path):
    """@return the code-block directives of a chapter, in their order."""
    found, current, reason = [], None, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        begin = re.match(r"\.\. code-block:: *(.*)", line)
        if begin:
            current = Block(begin[1], reason=reason)
            found.append(current)
            reason = ""
        elif line.startswith(".. not run: "):
            reason = line[len(".. not run: "):]
        elif line.strip() and not line.startswith(" "):
            current, reason = None, ""
        elif current:
            option = re.match(r" +:([\w-]+): *(.*)", line)
            if option and not any(text.strip() for text in current.lines):
                current.options[option[1]] = option[2]
            else:
                current.lines.append(line)
    return found
