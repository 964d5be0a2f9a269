# Copyright (c) 2026 The ns-3 RoCE authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Tables over time as data frames."""

import bisect
import os
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

import pandas as pd

import roce_manifest
from roce_manifest import ResultError

Key = Tuple[str, ...]


def read(folder: str, name: str, keys: Sequence[str], numbers: Sequence[str], written_by: str = "a program's --out",
         without: Sequence[str] = (), gaps: bool = False) -> pd.DataFrame:
    """A table of a run folder: time_us, keys as text, and numbers.

    @param numbers columns, or none: all
    @param without columns that are left out
    @param gaps whether fields of numbers may be empty: they are not a number
    """
    file = roce_manifest.file_of(folder, name)
    wanted = ("time_ns", *keys, *numbers)
    try:
        # Texts of numbers make the same numbers as in Python.
        data = pd.read_csv(file, usecols=lambda c: c in wanted if numbers else c not in without, dtype=dict.fromkeys(keys, "category"),
                           keep_default_na=False, na_values=[""], index_col=False, low_memory=False, float_precision="round_trip")
    except pd.errors.EmptyDataError:
        data = pd.DataFrame()
    except OSError as error:
        raise ResultError(f"{file}: {error.strerror}, expected a folder written by {written_by}") from None
    except ValueError as error:  # no CSV, no UTF-8
        raise ResultError(f"{file}: {str(error).strip().splitlines()[-1]}") from None
    missing = [column for column in wanted if column not in data]
    if missing:
        raise ResultError(f"{file}:1: missing column(s) {', '.join(missing)}")
    for column in data.columns.difference(list(keys)):
        data[column], texts = pd.to_numeric(data[column], errors="coerce"), data[column]
        refuse(file, data, data[column].isna() & texts.notna(), f"{column}: expected numbers")
    refuse(file, data, data[["time_ns", *keys, *([] if gaps else numbers)]].isna().any(axis=1), f"expected {', '.join(wanted)}")
    times = data.groupby(list(keys), observed=True)["time_ns"] if keys else data["time_ns"]
    refuse(file, data, times.diff() < 0, "time goes backwards")
    data.insert(0, "time_us", data.pop("time_ns") / 1000)
    return data


def refuse(file: str, data: pd.DataFrame, bad: pd.Series, what: str) -> None:
    """One line on the first bad row, if there is one."""
    if bad.any():
        raise ResultError(f"{file}:{data.index[bad][0] + 2}: {what}")


def by_port(data: pd.DataFrame, names: Dict[str, str]) -> Iterator[Tuple[str, str, str, pd.DataFrame]]:
    """The parts of a table of ports: what each is called (with its class if the table has several), node, port and rows.

    @param names of nodes
    """
    keys = [key for key in ("node", "port", "class") if key in data]
    classes = len(keys) > 2 and data["class"].nunique() > 1
    for key, part in data.groupby(keys, sort=False, observed=True):
        node = names.get(key[0], f"node {key[0]}")
        yield f"{node} port {key[1]}" + (f" class {key[2]}" if classes else ""), node, key[1], part


class Series(NamedTuple):
    """One quantity of one queue, flow or port; a value holds until the next."""

    times_us: List[float]
    values: List[float]

    def between(self, time_us: float) -> float:
        """The value of a count that grows evenly from one row to the next; 0 before the first."""
        index = bisect.bisect_right(self.times_us, time_us)
        if index == 0 or index == len(self.times_us):
            return self.values[index - 1] if index else 0.0
        t0, t1 = self.times_us[index - 1], self.times_us[index]
        v0, v1 = self.values[index - 1], self.values[index]
        return v0 + (v1 - v0) * (time_us - t0) / (t1 - t0)


def read_series(folder: str, name: str, keys: Key, value: str) -> Dict[Key, Series]:
    """A column of a table by the key columns, 0 where it is empty; nothing if there is no such file."""
    if not os.path.exists(roce_manifest.file_of(folder, name)):
        return {}
    data = read(folder, name, keys, [value], gaps=True).fillna({value: 0.0})
    found = data.groupby(list(keys) if len(keys) > 1 else keys[0], sort=False, observed=True)
    return {key if len(keys) > 1 else (key,): Series(part["time_us"].tolist(), part[value].tolist()) for key, part in found}
