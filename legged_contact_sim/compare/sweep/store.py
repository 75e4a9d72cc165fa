"""Results of a sweep on disk: a journal while it runs, which any interruption leaves whole, and Parquet at the end."""

import fcntl
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from ...errors import ParameterError
from ...simulation.documents import plain

PICTURE = ".png"  # suffix of the picture beside the table
PLAN = b"legged_contact_sim_sweep"  # key of the plan in the Parquet file's metadata


class Journal:
    """One line for the plan, then one for each run that is done; a line that was cut short does not count.

    Attributes:
        done: results by number of the run.
        complete: whether the Parquet file of this plan is there already.
    """

    def __init__(self, out: Path, plan: dict[str, Any]) -> None:
        """Open the journal beside the Parquet file ``out``; go on with what is in it.

        Raises:
            ParameterError: the file holds another sweep, or another process writes it now.
        """
        if out.is_dir() or out.suffix == PICTURE:
            raise ParameterError(f"out: expected a file for the table, found {str(out)!r}")
        self.path = out.with_name(out.name + ".journal")
        self.plan = plan_name(plan)
        self.done: dict[int, dict[str, Any]] = {}
        self.complete = out.is_file() and self._same(out, plan_of(out))
        if self.complete:
            return
        out.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free = os.fstat(self._file.fileno()).st_nlink > 0  # else its writer has just removed it
        except OSError:
            free = False
        if not free:
            raise ParameterError(f"{self.path}: another sweep is writing it") from None
        self._read()

    def _same(self, path: Path, found: Any) -> bool:
        if found != self.plan:
            raise ParameterError(f"{path}: holds another sweep, or none; choose another --out, or remove it")
        return True

    def _read(self) -> None:
        self._file.seek(0)
        content = self._file.read()
        whole = content[: content.rfind(b"\n") + 1]
        first, *others = whole.splitlines() or [b""]
        if whole or not line_of({"plan": self.plan}).startswith(content):
            self._same(self.path, read_line(first).get("plan"))
        self._file.truncate(len(whole))
        if not whole:
            self._append({"plan": self.plan})
        for result in map(read_line, others):  # a line that cannot be read is a run that is not done
            if isinstance(result.get("run"), int):
                self.done[result["run"]] = result

    def _append(self, content: dict[str, Any]) -> None:
        self._file.write(line_of(content))
        self._file.flush()
        os.fsync(self._file.fileno())

    def add(self, result: dict[str, Any]) -> None:
        """Keep a result; it survives whatever happens next."""
        self._append(result)
        self.done[result["run"]] = result

    def close(self) -> None:
        """Let go of the journal; one without a result is removed."""
        if self.complete:
            return
        if not self.done:
            self.path.unlink(missing_ok=True)
        self._file.close()


def line_of(content: dict[str, Any]) -> bytes:
    """Return a line of a journal."""
    return json.dumps(content, default=plain).encode() + b"\n"


def read_line(line: bytes) -> dict[str, Any]:
    """Return what a line of a journal holds; nothing, if it cannot be read."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def plan_name(plan: dict[str, Any]) -> str:
    """Return a name that two sweeps share only if they make the same runs."""
    return hashlib.sha256(json.dumps(plan, sort_keys=True, default=str).encode()).hexdigest()[:16]


def plan_of(path: Path) -> str:
    """Return the plan that a Parquet file was made by; empty: none of ours."""
    import pyarrow.parquet as parquet

    try:
        return (parquet.read_schema(path).metadata or {}).get(PLAN, b"").decode()
    except (OSError, ValueError):
        return ""


def write_table(path: Path, points: list[dict[str, Any]], journal: Journal) -> None:
    """Write the Parquet file, as a whole or not at all, in the order of the runs; then the journal goes."""
    import pyarrow
    import pyarrow.parquet as parquet

    names = list(dict.fromkeys(name for k in range(len(points)) for name in journal.done[k]))
    columns: dict[str, list[Any]] = {"run": list(range(len(points)))}
    columns |= {name: [as_cell(point[name]) for point in points] for name in points[0]}
    for name in names:
        if name != "run":
            label = name if name not in columns else f"measured_{name}"
            columns[label] = [journal.done[k].get(name) for k in range(len(points))]
    table = pyarrow.table({name: column(pyarrow, values) for name, values in columns.items()})
    part = path.with_name(f".{path.name}.{os.getpid()}")
    parquet.write_table(table.replace_schema_metadata({PLAN: journal.plan.encode()}), part)
    part.replace(path)
    journal.path.unlink()


def as_cell(value: Any) -> Any:
    """Return a parameter as a table can hold it: numbers, switches and words as they are, the rest as JSON."""
    return value if isinstance(value, bool | int | float | str) else json.dumps(value, default=str)


def column(pyarrow: Any, values: list[Any]) -> Any:
    """Return values as a column; whole numbers beside others become numbers, mixed kinds become words."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return pyarrow.array([None if value is None else float(value) for value in values])
    if len(kinds) > 1:
        return pyarrow.array([None if value is None else str(value) for value in values])
    return pyarrow.array(values)
