"""What a model needs to know of a solver of contact problems."""

from collections.abc import Callable
from typing import Any, NamedTuple


def no_work(rows: int) -> None:
    """Return the work of a solver that needs none."""


class Solver(NamedTuple):
    """A solver of contact problems: a shared kernel and its work.

    ``solve(system, contacts, rows, h, settings)`` returns iterations, residual and whether it is solved;
    ``work(rows)`` returns what it works on, for at most so many rows, as `System.work`.
    """

    solve: Callable[..., Any]
    work: Callable[[int], Any] = no_work
