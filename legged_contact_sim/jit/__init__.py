"""How kernels are compiled and cached; the only place that reaches into numba."""

from .choice import anywhere, choose
from .compilation import (
    bind,
    compiled,
    compiled_long,
    inlined,
    inlined_always,
    inlined_as_written,
    shared,
    shared_always,
    together_with,
)
from .helpers import Call

__all__ = [
    "Call",
    "anywhere",
    "bind",
    "choose",
    "compiled",
    "compiled_long",
    "inlined",
    "inlined_always",
    "inlined_as_written",
    "shared",
    "shared_always",
    "together_with",
]
