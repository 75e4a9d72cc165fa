"""How kernels are compiled and cached; the only place that reaches into numba."""

from .choice import choose
from .compilation import (
    bind,
    compiled,
    compiled_long,
    inlined,
    inlined_always,
    inlined_as_written,
    shared,
    together_with,
)
from .helpers import Call

__all__ = [
    "Call",
    "bind",
    "choose",
    "compiled",
    "compiled_long",
    "inlined",
    "inlined_always",
    "inlined_as_written",
    "shared",
    "together_with",
]
