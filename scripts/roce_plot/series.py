# SPDX-License-Identifier: GPL-2.0-only
"""Tables of runs as data frames."""

from typing import Dict, Iterator, Sequence, Tuple

import pandas as pd
import roce_manifest
from roce_manifest import ResultError


def table(folder: str, name: str, keys: Sequence[str], numbers: Sequence[str], written_by: str, without: Sequence[str] = (),
          gaps: Sequence[str] = ()) -> Tuple[str, pd.DataFrame]:
    """A table of a run folder, keys as text and numbers, and its file.

    @param numbers columns; with the first alone: all others, too
    @param without columns that are left out then
    @param gaps numbers whose fields may be empty: they are not a number"""
    file = roce_manifest.file_of(folder, name)
    wanted = (*numbers[:1], *keys, *numbers[1:])
    try:
        data = pd.read_csv(file, usecols=lambda c: c in wanted if len(numbers) > 1 else c not in without, index_col=False,
                           low_memory=False, dtype=dict.fromkeys(keys, "category"), keep_default_na=False, na_values=[""])
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
    needed = [column for column in wanted if column not in gaps]
    refuse(file, data, data[needed].isna().any(axis=1), f"expected {', '.join(wanted)}")
    return file, data


def read(folder: str, name: str, keys: Sequence[str], numbers: Sequence[str], written_by: str = "a program's --out",
         without: Sequence[str] = (), gaps: bool = False) -> pd.DataFrame:
    """A table over time of a run folder: time_us, keys as text, and numbers.

    @param numbers columns, or none: all
    @param without columns that are left out
    @param gaps whether fields of numbers may be empty: they are not a number"""
    file, data = table(folder, name, keys, ("time_ns", *numbers), written_by, without, numbers if gaps else ())
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

    @param names of nodes"""
    keys = [key for key in ("node", "port", "class") if key in data]
    classes = len(keys) > 2 and data["class"].nunique() > 1
    for key, part in data.groupby(keys, sort=False, observed=True):
        node = names.get(key[0], f"node {key[0]}")
        yield f"{node} port {key[1]}" + (f" class {key[2]}" if classes else ""), node, key[1], part
