"""What lanes are read from and written to: arrays whose last axis runs over the lanes, and records of such arrays.

`lane_array` makes the arrays. A kernel looks at them through `lanes_of`, as a vector or matrix of lanes, or through
what `records_of` returns, as records whose fields are lanes. `one_lane` shows such records as one world has them.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable

from .lanes import LANES, VECTOR, WIDTH, LanesType, as_lanes, model_of

DOUBLE, INTEGER = ir.DoubleType(), ir.IntType(64)
POINTER = DOUBLE.as_pointer()
LINE = 8  # doubles in a line of the cache, on which arrays begin


def lane_array(*shape: int) -> np.ndarray:
    """Return zeros, (..., WIDTH)."""
    count = int(np.prod(shape)) * WIDTH
    room = np.zeros(count + LINE)
    first = -room.ctypes.data // 8 % LINE
    return room[first : first + count].reshape((*shape, WIDTH))


def numbers_in(record: np.dtype) -> int:
    """Return how many numbers a record has."""
    return sum(count for _, count, _ in _places(record).values())


def places_in(record: np.dtype) -> dict[str, slice]:
    """Return where each field of a record stands among its numbers."""
    return {name: slice(first, first + count) for name, (first, count, _) in _places(record).items()}


def _places(record: np.dtype) -> dict[str, tuple[int, int, bool]]:
    """Return for each field where it begins, how many numbers it has, and whether it is an array."""
    found, first = {}, 0
    for name in record.names or ():
        shape = record[name].shape
        found[name] = first, int(np.prod(shape, dtype=int)), bool(shape)
        first += found[name][1]
    return found


class LaneArray(types.Type):  # type: ignore[misc]
    """Type of a vector or matrix of lanes."""

    def __init__(self, ndim: int) -> None:
        """Name it."""
        self.ndim = ndim
        super().__init__(f"lane_array({ndim})")


class LaneRecords(types.Type):  # type: ignore[misc]
    """Type of an array of records; ``alone``: as one world has them."""

    def __init__(self, record: np.dtype, alone: bool) -> None:
        """Name it."""
        self.record, self.alone = record, alone
        super().__init__(f"lane_records({record}, {alone})")


class LaneRecord(types.Type):  # type: ignore[misc]
    """Type of one of them."""

    def __init__(self, record: np.dtype, alone: bool) -> None:
        """Name it."""
        self.places, self.record, self.alone = _places(record), record, alone
        super().__init__(f"lane_record({record}, {alone})")


class LaneField(types.Type):  # type: ignore[misc]
    """Type of a record's field that is an array."""

    def __init__(self, alone: bool) -> None:
        """Name it."""
        self.alone = alone
        super().__init__(f"lane_field({alone})")


class _ArrayModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        shape = types.UniTuple(types.int64, getattr(kind, "ndim", 1))
        super().__init__(manager, kind, [("data", types.CPointer(types.float64)), ("shape", shape)])


register_model(LaneArray)(_ArrayModel)
register_model(LaneRecords)(_ArrayModel)
model_of(LaneRecord, POINTER)
model_of(LaneField, POINTER)


def _number(k: int) -> Any:
    return ir.Constant(INTEGER, k)


def _view(context: Any, builder: Any, kind: Any, data: Any, *shape: Any) -> Any:
    """Return a view of lanes from ``data`` on."""
    view = cgutils.create_struct_proxy(kind)(context, builder)
    view.data, view.shape = data, cgutils.pack_array(builder, shape)
    return view._getvalue()


def _parts(context: Any, builder: Any, kind: Any, value: Any) -> tuple[Any, list[Any]]:
    """Return where a view begins, and its shape."""
    view = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    return view.data, cgutils.unpack_tuple(builder, view.shape)


def _index(context: Any, builder: Any, value: Any, kind: Any) -> Any:
    return context.cast(builder, value, kind, types.int64)


def _at(builder: Any, data: Any, k: Any) -> Any:
    """Return where the lanes of number ``k`` are."""
    return builder.gep(data, [builder.mul(k, _number(WIDTH))])


def _load(builder: Any, place: Any, alone: bool = False) -> Any:
    found = builder.load(place if alone else builder.bitcast(place, VECTOR.as_pointer()))
    found.align = 8
    return found


def _store(context: Any, builder: Any, value: Any, kind: Any, place: Any, alone: bool = False) -> Any:
    if alone:
        done = builder.store(context.cast(builder, value, kind, types.float64), place)
    else:
        done = builder.store(as_lanes(context, builder, value, kind), builder.bitcast(place, VECTOR.as_pointer()))
    done.align = 8
    return context.get_dummy_value()


# views of numpy's arrays


@intrinsic
def lanes_of(typingctx, array):  # type: ignore[no-untyped-def]
    """Look at an array (n, WIDTH) or (m, n, WIDTH) as a vector or matrix of lanes."""
    kind = LaneArray(array.ndim - 1)

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        found = context.make_array(array)(context, builder, values[0])
        return _view(context, builder, kind, found.data, *cgutils.unpack_tuple(builder, found.shape)[:-1])

    return kind(array), emit


def records_of(record: np.dtype) -> Callable[..., Any]:
    """Return the kernel's function that looks at an array (n, numbers_in(record), WIDTH) as records, n of them."""
    kind = LaneRecords(record, alone=False)

    @intrinsic
    def look(typingctx, array):  # type: ignore[no-untyped-def]
        def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            found = context.make_array(array)(context, builder, values[0])
            return _view(context, builder, kind, found.data, cgutils.unpack_tuple(builder, found.shape)[0])

        return kind(array), emit

    return look  # type: ignore[no-any-return]


@intrinsic
def one_lane(typingctx, records, lane):  # type: ignore[no-untyped-def]
    """Look at records as the world in a lane has them: fields are numbers."""
    kind = LaneRecords(records.record, alone=True)

    def emit(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        data, shape = _parts(context, builder, records, values[0])
        return _view(context, builder, kind, builder.gep(data, [_index(context, builder, values[1], lane)]), *shape)

    return kind(records, lane), emit


# items


@type_callable(operator.getitem)
def _type_of_item(context: Any) -> Any:
    def typer(a, k):  # type: ignore[no-untyped-def]
        whole, cut = isinstance(k, types.Integer), isinstance(k, types.SliceType)
        if isinstance(a, LaneRecords) and whole:
            return LaneRecord(a.record, a.alone)
        if isinstance(a, LaneField) and whole:
            return types.float64 if a.alone else LANES
        if isinstance(a, LaneArray) and a.ndim == 1:
            return LANES if whole else a if cut else None
        if isinstance(a, LaneArray):
            return LaneArray(1) if whole else LANES if isinstance(k, types.BaseTuple) else None
        return None

    return typer


@type_callable(operator.setitem)
def _type_of_setting(context: Any) -> Any:
    def typer(a, k, x):  # type: ignore[no-untyped-def]
        fits = isinstance(a, LaneField | LaneArray) and isinstance(x, LanesType | types.Number)
        return types.none if fits else None

    return typer


@lower_builtin(operator.getitem, LaneRecords, types.Integer)
def _record(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    kind = signature.args[0]
    data, (length,) = _parts(context, builder, kind, values[0])
    k = _index(context, builder, values[1], signature.args[1])
    k = builder.select(builder.icmp_signed("<", k, _number(0)), builder.add(k, length), k)
    return _at(builder, data, builder.mul(k, _number(numbers_in(kind.record))))


@lower_builtin(operator.getitem, LaneField, types.Integer)
def _number_of_field(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    k = _index(context, builder, values[1], signature.args[1])
    return _load(builder, _at(builder, values[0], k), signature.args[0].alone)


@lower_builtin(operator.setitem, LaneField, types.Integer, types.Any)
def _set_number_of_field(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    field, index, kind = signature.args
    place = _at(builder, values[0], _index(context, builder, values[1], index))
    return _store(context, builder, values[2], kind, place, field.alone)


def _place_in_array(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    data, shape = _parts(context, builder, signature.args[0], values[0])
    if isinstance(signature.args[1], types.Integer):
        return _at(builder, data, _index(context, builder, values[1], signature.args[1]))
    indices = zip(cgutils.unpack_tuple(builder, values[1]), signature.args[1], strict=True)
    row, column = (_index(context, builder, value, kind) for value, kind in indices)
    return _at(builder, data, builder.add(builder.mul(row, shape[1]), column))


@lower_builtin(operator.getitem, LaneArray, types.Integer)
@lower_builtin(operator.getitem, LaneArray, types.BaseTuple)
def _item_of_array(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    if signature.return_type == LANES:
        return _load(builder, _place_in_array(context, builder, signature, values))
    data, (_, length) = _parts(context, builder, signature.args[0], values[0])
    first = builder.mul(_index(context, builder, values[1], signature.args[1]), length)
    return _view(context, builder, signature.return_type, _at(builder, data, first), length)


@lower_builtin(operator.setitem, LaneArray, types.Integer, types.Any)
@lower_builtin(operator.setitem, LaneArray, types.BaseTuple, types.Any)
def _set_item_of_array(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    place = _place_in_array(context, builder, signature, values)
    return _store(context, builder, values[2], signature.args[2], place)


@lower_builtin(operator.getitem, LaneArray, types.SliceType)
def _cut_array(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    data, (length,) = _parts(context, builder, signature.args[0], values[0])
    cut = context.make_helper(builder, signature.args[1], value=values[1])
    stop = builder.select(builder.icmp_signed("<", cut.stop, length), cut.stop, length)
    return _view(
        context, builder, signature.args[0], _at(builder, data, cut.start), builder.sub(stop, cut.start)
    )  # as kernels cut: from one index, which is not negative, to another


@type_callable(len)
def _type_of_length(context: Any) -> Any:
    return lambda a: types.int64 if isinstance(a, LaneArray) else None


@lower_builtin(len, LaneArray)
def _length(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return _parts(context, builder, signature.args[0], values[0])[1][0]


# attributes


@infer_getattr
class _ArrayAttributes(AttributeTemplate):  # type: ignore[misc]
    key = LaneArray

    def resolve_shape(self, array: Any) -> Any:
        return types.UniTuple(types.int64, array.ndim)


@lower_getattr_generic(LaneArray)
def _shape(context: Any, builder: Any, kind: Any, value: Any, attribute: str) -> Any:
    return cgutils.create_struct_proxy(kind)(context, builder, value=value).shape


@infer_getattr
class _RecordAttributes(AttributeTemplate):  # type: ignore[misc]
    key = LaneRecord

    def generic_resolve(self, record: Any, attribute: str) -> Any:
        if attribute not in record.places:
            return None
        one = types.float64 if record.alone else LANES
        return LaneField(record.alone) if record.places[attribute][2] else one


@lower_getattr_generic(LaneRecord)
def _field(context: Any, builder: Any, kind: Any, value: Any, attribute: str) -> Any:
    first, _, is_array = kind.places[attribute]
    place = _at(builder, value, _number(first))
    return place if is_array else _load(builder, place, kind.alone)


@lower_setattr_generic(LaneRecord)
def _set_field(context: Any, builder: Any, signature: Any, values: Any, attribute: str) -> None:
    record, kind = signature.args
    place = _at(builder, values[0], _number(record.places[attribute][0]))
    _store(context, builder, values[1], kind, place, record.alone)
