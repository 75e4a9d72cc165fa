"""What an experiment found, on disk: one CSV file per table and one JSON file with the numbers, which is written last.

A JSON file of the same sources and the same version (quick or full) means that the experiment need not be run again.
"""

import csv
import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ...simulation.documents import LIBRARIES, plain, write_atomically
from .declaration import Result

SOURCES = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Outcome:
    """An experiment that was done: its result, the CPU time that it took, s, or the error that ended it."""

    result: Result
    cpu: float
    error: str = ""


@cache
def fingerprint(quick: bool) -> str:
    """Return a hash of everything that a result depends on: our sources, the libraries, quick or full."""
    digest = hashlib.sha256(f"quick={quick} {[version(name) for name in LIBRARIES]}".encode())
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(path.relative_to(SOURCES).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def save(folder: Path, name: str, outcome: Outcome, quick: bool) -> None:
    """Write an experiment's tables, then its numbers."""
    for table, columns in outcome.result.tables.items():
        write_table(folder / f"{name}_{table}.csv", columns)
    content = {
        "fingerprint": fingerprint(quick),
        "numbers": outcome.result.numbers,
        "tables": list(outcome.result.tables),
        "cpu": outcome.cpu,
        "error": outcome.error,
    }
    write_atomically(folder / f"{name}.json", json.dumps(content, indent=2, default=plain) + "\n")


def write_table(path: Path, columns: Any) -> None:
    """Write columns of one length as CSV with a header."""
    rows = np.column_stack([np.asarray(column, dtype=float) for column in columns.values()])
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with part.open("w", newline="") as file:
        csv.writer(file).writerow(columns)
        np.savetxt(file, rows, fmt="%.9g", delimiter=",")
    part.replace(path)


def read_table(path: Path) -> dict[str, np.ndarray]:
    """Read what `write_table` has written."""
    with path.open(newline="") as file:
        names = next(csv.reader(file))
        rows = np.loadtxt(file, delimiter=",", ndmin=2)
    return {name: rows[:, k] for k, name in enumerate(names)}


def load(folder: Path, name: str, quick: bool) -> Outcome | None:
    """Return an outcome that is on disk; None: there is none of these sources."""
    try:
        content = json.loads((folder / f"{name}.json").read_text())
        if content["fingerprint"] != fingerprint(quick):
            return None
        tables = {table: read_table(folder / f"{name}_{table}.csv") for table in content["tables"]}
        return Outcome(Result(content["numbers"], tables), content["cpu"], content["error"])
    except (OSError, ValueError, KeyError, StopIteration):
        return None
