"""A choice between two numbers that compiled code makes without a branch."""

from typing import Any

from numba import types
from numba.extending import overload


def choose(condition: Any, a: Any, b: Any) -> Any:
    """Return ``a`` where the condition holds, else ``b``; both have been computed."""
    return a if condition else b


@overload(choose)
def _choose_number(condition, a, b):  # type: ignore[no-untyped-def]
    """Choose for plain numbers; what has lanes has an overload of its own."""
    if isinstance(condition, types.Boolean | types.Integer):
        return lambda condition, a, b: a if condition else b
    return None
