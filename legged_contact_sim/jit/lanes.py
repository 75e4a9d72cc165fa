"""Lanes: one number of each of several worlds, side by side in a vector register.

Kernels that are written for numbers compile for lanes from the same source: arithmetic, comparisons (whose results are
`choose`d by), ``sqrt``, ``floor``, ``abs``, ``min`` and ``max``; a number meets lanes as the same number in each. Each
lane gets what it would get alone, whatever the others hold. What lanes are read from is in `lane_memory`.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_builtin, lower_cast, models, overload, register_model, type_callable

from .choice import anywhere, choose

WIDTH = 8 if llvm.get_host_cpu_features().get("avx512f") else 4  # worlds side by side: doubles in a register
VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
MASK = ir.VectorType(ir.IntType(1), WIDTH)
ORDER = ir.VectorType(ir.IntType(32), WIDTH)

Emit = Callable[..., Any]  # an LLVM builder and values to a value


class LanesType(types.Type):  # type: ignore[misc]
    """Type of lanes; numbers become lanes where they meet."""

    def __init__(self) -> None:
        """Name it."""
        super().__init__(f"lanes({WIDTH})")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """Let numbers become lanes."""
        return Conversion.safe if isinstance(other, types.Float | types.Integer) else None


class MaskType(types.Type):  # type: ignore[misc]
    """Type of a comparison's result: true or false in each lane."""

    def __init__(self) -> None:
        """Name it."""
        super().__init__(f"mask({WIDTH})")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        """Let one truth become the same one in all lanes."""
        return Conversion.safe if isinstance(other, types.Boolean) else None


LANES, TRUTHS = LanesType(), MaskType()


def model_of(kind: type, llvm_type: Any) -> None:
    """Say which LLVM type holds values of a numba type."""

    class Model(models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, numba_type: Any) -> None:
            super().__init__(manager, numba_type, llvm_type)

    register_model(kind)(Model)


model_of(LanesType, VECTOR)
model_of(MaskType, MASK)


def spread(builder: Any, one: Any, kind: Any = VECTOR) -> Any:
    """Put one double, or one truth, into all lanes."""
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, one, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ORDER, [0] * WIDTH))


def as_lanes(context: Any, builder: Any, value: Any, kind: Any) -> Any:
    """Return lanes as they are, a number in all lanes."""
    if isinstance(kind, LanesType):
        return value
    return spread(builder, context.cast(builder, value, kind, types.float64))


@lower_cast(types.Float, LanesType)
@lower_cast(types.Integer, LanesType)
def _number_to_lanes(context: Any, builder: Any, kind: Any, _: Any, value: Any) -> Any:
    return as_lanes(context, builder, value, kind)


@lower_cast(types.Boolean, MaskType)
def _truth_to_mask(context: Any, builder: Any, kind: Any, _: Any, value: Any) -> Any:
    return spread(builder, value, MASK)


def define(function: Any, result: Any, emit: Emit) -> None:
    """Teach numba a function of two lanes, or of lanes and a number."""

    @type_callable(function)
    def typing(context: Any) -> Any:
        def typer(a, b):  # type: ignore[no-untyped-def]
            fit = all(isinstance(kind, LanesType | types.Number) for kind in (a, b))
            return result if fit and LANES in (a, b) else None

        return typer

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        a, b = (as_lanes(context, builder, value, kind) for value, kind in zip(values, signature.args, strict=True))
        return emit(builder, a, b)

    for kinds in ((LanesType, LanesType), (LanesType, types.Number), (types.Number, LanesType)):
        lower_builtin(function, *kinds)(lower)


def define_of_one(function: Any, emit: Emit) -> None:
    """Teach numba a function of one value with lanes."""

    @type_callable(function)
    def typing(context: Any) -> Any:
        return lambda a: a if a == LANES else None

    lower_builtin(function, LanesType)(lambda context, builder, signature, values: emit(builder, values[0]))


def define_of_masks(function: Any, emit: Emit) -> None:
    """Teach numba a function of two masks, or of a mask and one truth for all lanes."""

    @type_callable(function)
    def typing(context: Any) -> Any:
        def typer(a, b):  # type: ignore[no-untyped-def]
            fit = all(isinstance(kind, MaskType | types.Boolean) for kind in (a, b))
            return TRUTHS if fit and TRUTHS in (a, b) else None

        return typer

    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        masks = (context.cast(builder, value, kind, TRUTHS) for value, kind in zip(values, signature.args, strict=True))
        return emit(builder, *masks)

    for kinds in ((MaskType, MaskType), (MaskType, types.Boolean), (types.Boolean, MaskType)):
        lower_builtin(function, *kinds)(lower)


def _arithmetic(name: str) -> Emit:
    return lambda builder, a, b: getattr(builder, name)(a, b)  # numba adds the flags of the kernel's arithmetic


def _comparison(sign: str) -> Emit:
    # As for numbers: a comparison with NaN is false, but that it differs from everything is true.
    name = "fcmp_unordered" if sign == "!=" else "fcmp_ordered"
    return lambda builder, a, b: getattr(builder, name)(sign, a, b)


def _nearest(sign: str) -> Emit:
    """Emit what numba does for numbers: the second if it is further, so that max(0.0, NaN) is 0.0 in lanes, too."""
    return lambda builder, a, b: builder.select(builder.fcmp_ordered(sign, b, a), b, a)


def _vector_function(name: str) -> Emit:
    def emit(builder: Any, a: Any) -> Any:
        kind = ir.FunctionType(VECTOR, [VECTOR])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{WIDTH}f64"), [a])

    return emit


for _operator, _in_place, _name in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    define(_operator, LANES, _arithmetic(_name))
    define(_in_place, LANES, _arithmetic(_name))
for _operator, _sign in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    define(_operator, TRUTHS, _comparison(_sign))
define(max, LANES, _nearest(">"))
define(min, LANES, _nearest("<"))
define_of_one(operator.neg, lambda builder, a: builder.fneg(a))
define_of_one(math.sqrt, _vector_function("sqrt"))
define_of_one(math.floor, _vector_function("floor"))
define_of_one(abs, _vector_function("fabs"))
define_of_masks(operator.or_, lambda builder, a, b: builder.or_(a, b))
define_of_masks(operator.and_, lambda builder, a, b: builder.and_(a, b))


@intrinsic
def _select(typingctx, condition, a, b):  # type: ignore[no-untyped-def]
    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pair = [as_lanes(context, builder, values[k], signature.args[k]) for k in (1, 2)]
        return builder.select(values[0], *pair)

    return LANES(condition, a, b), emit


@overload(choose)
def _choose_lanes(condition, a, b):  # type: ignore[no-untyped-def]
    """Choose in each lane."""
    if isinstance(condition, MaskType):
        return lambda condition, a, b: _select(condition, a, b)
    return None


@overload(anywhere)
def _anywhere_in_lanes(condition):  # type: ignore[no-untyped-def]
    """Return whether a comparison is true in any lane."""
    if isinstance(condition, MaskType):
        return lambda condition: set_of(condition) != 0
    return None


@intrinsic
def set_of(typingctx, truths):  # type: ignore[no-untyped-def]
    """Return the lanes in which something is true as the bits of an integer."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.zext(builder.bitcast(values[0], ir.IntType(WIDTH)), ir.IntType(64))

    return types.int64(truths), emit


@intrinsic
def truths_of(typingctx, lanes):  # type: ignore[no-untyped-def]
    """Return what `set_of` has turned into an integer."""

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.bitcast(builder.trunc(values[0], ir.IntType(WIDTH)), MASK)

    return TRUTHS(types.int64), emit
