"""What kernels say instead of a branch where worlds side by side may differ.

    if anywhere(fast):
        effort = choose(fast, slowed(effort), effort)

With plain numbers, that is the branch ``if fast: effort = slowed(effort)`` and costs what it does. Worlds side by side
(`lanes`) skip what none of them needs, and where some do, each takes its own.
"""

from typing import Any

from numba import types
from numba.extending import overload


def choose(condition: Any, a: Any, b: Any) -> Any:
    """Return ``a`` where the condition holds, else ``b``; both have been computed."""
    return a if condition else b


def anywhere(condition: Any) -> Any:
    """Return whether a condition holds: of worlds side by side, in any of them."""
    return condition


@overload(anywhere)
def _anywhere_alone(condition):  # type: ignore[no-untyped-def]
    """Return the truth of plain numbers; what has lanes has an overload of its own."""
    if isinstance(condition, types.Boolean | types.Integer):
        return lambda condition: condition
    return None


@overload(choose)
def _choose_number(condition, a, b):  # type: ignore[no-untyped-def]
    """Choose for plain numbers; what has lanes has an overload of its own."""
    if isinstance(condition, types.Boolean | types.Integer):
        return lambda condition, a, b: a if condition else b
    return None
