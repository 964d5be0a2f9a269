# SPDX-License-Identifier: GPL-2.0-only
"""Rows of CSV files; what is wrong with one is reported with its line. No pandas: its start takes as long as a small run."""

import csv
import math
from typing import Dict, Iterator, Sequence

import roce_results as rr


class Row(Dict[str, str]):
    """The texts of a row by column."""

    place = ""  # file:line

    def number(self, column: str) -> float:
        """A finite number."""
        try:
            value = float(self[column])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise rr.ResultError(f"{self.place}: expected a number in {column}")
        return value


def rows(file: str, needed: Sequence[str], hint: str = "") -> Iterator[Row]:
    """The rows of a file with at least these columns. @param hint where such a file comes from"""
    try:
        with open(file, newline="", encoding="utf-8") as stream:
            reader = csv.DictReader(stream)
            missing = [c for c in needed if c not in (reader.fieldnames or [])]
            if missing:
                raise rr.ResultError(f"{file}:1: missing column(s) {', '.join(missing)}")
            for fields in reader:
                row = Row(fields)
                row.place = f"{file}:{reader.line_num}"
                if None in row or None in row.values():
                    raise rr.ResultError(f"{row.place}: expected {len(reader.fieldnames)} fields")
                yield row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise rr.ResultError(f"{file}: {getattr(error, 'strerror', None) or error}{hint}") from None
