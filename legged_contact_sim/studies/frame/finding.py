"""Studies are found by their place: each module or package in `studies`, but for this frame, is one."""

from importlib import import_module
from pathlib import Path

from ...errors import ParameterError
from .declaration import Study

FOLDER = Path(__file__).resolve().parent.parent
PACKAGE = __package__.rpartition(".")[0]


def studies() -> list[str]:
    """Return the names of the studies in alphabetical order."""
    files = [path.stem for path in FOLDER.glob("*.py")]
    folders = [path.parent.name for path in FOLDER.glob("*/__init__.py")]
    return sorted({*files, *folders} - {"__init__", "frame"})


def find_study(key: str) -> Study:
    """Return a study by name.

    Raises:
        ParameterError: there is none of that name.
    """
    if key not in studies():
        raise ParameterError(f"study: expected one of {', '.join(studies())} or all, found {key!r}")
    study: Study = import_module(f"{PACKAGE}.{key}").STUDY
    return study
