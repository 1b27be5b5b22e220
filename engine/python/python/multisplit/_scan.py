"""Scans: prefix sums, minima and maxima."""

from __future__ import annotations

from collections.abc import Iterator
from typing import overload, Any, Literal

import numpy as np

from . import _native
from ._arrays import (
    as_ndarray,
    check_fits,
    check_flag,
    check_out,
    encoded,
    encoding_of,
    moved_back,
    normalize_axis,
    offsets_of,
)
from ._context import Context, engine_of
from ._device_array import DeviceArray
from ._sort import parts_of

Array = np.ndarray[Any, Any]

_OPERATORS = ("sum", "min", "max")


@overload
def scan(
    x: DeviceArray, /, *, op: Literal["sum", "min", "max"] = ..., exclusive: bool = ..., axis: int = ...,
    offsets: Any = ..., context: Context | None = ...
) -> DeviceArray: ...
@overload
def scan(
    x: Any, /, *, op: Literal["sum", "min", "max"] = ..., exclusive: bool = ..., axis: int = ...,
    offsets: Any = ..., out: Array | None = ..., context: Context | None = ...
) -> Array: ...
def scan(
    x: Any,
    /,
    *,
    op: Literal["sum", "min", "max"] = "sum",
    exclusive: bool = False,
    axis: int = -1,
    offsets: Any = None,
    out: Array | None = None,
    context: Context | None = None,
) -> Any:
    """Prefix sums, minima or maxima along an axis, in the type of the array.

    Parameters
    ----------
    x : array_like
        Booleans, integers or floats of up to 64 bits.
    op : {"sum", "min", "max"}
        Operator that combines elements. Sums of integers wrap around; floats are added in a different order than
        on the host. "min" and "max" use the order of :func:`sort`, in which NaN is larger than every number.
    exclusive : bool
        Exclude the element itself: the first result is then 0, or the largest or smallest value of the type.
    axis : int
        The axis to scan along. A row has the same result as if it were scanned alone, except that sums of floats in
        long rows of a :class:`DeviceArray` may be rounded differently.
    offsets : array_like of integers, optional
        Scan each segment of an array with one axis on its own: the start of each segment, followed by the end of the
        last one, in ascending order, from 0 to the number of elements. A segment may be empty.
    out : ndarray, optional
        Array for the result.
    context : Context, optional
        The device to use.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.scan(np.array([3, 1, 4]))
    array([3, 4, 8])
    >>> multisplit.scan(np.array([3, 1, 4]), op="max", exclusive=True)[1:]
    array([3, 3])
    >>> multisplit.scan(np.array([3, 1, 4, 1]), offsets=[0, 2, 2, 4])
    array([3, 4, 4, 5])
    """
    exclusive = check_flag(exclusive, "exclusive")
    engine = engine_of(context, x)
    if isinstance(x, DeviceArray):
        check_operator(op, x.dtype)
        if out is not None or normalize_axis(axis, x.ndim) != x.ndim - 1:
            raise ValueError("scan of a DeviceArray supports only the last axis, and not out: copy the array to the host (numpy.asarray) to use another axis or out")
        bounds = None if offsets is None else _segments_of(offsets, x.ndim, x.size)
        return _scan_on_device(x._widened(), op, exclusive, bounds)
    array = as_ndarray(x)
    check_operator(op, array.dtype)
    encoding = encoding_of(array.dtype)
    axis = normalize_axis(axis, array.ndim)
    if out is not None:
        check_out(out, array.shape, array.dtype)
    check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
    bounds = None if offsets is None else _segments_of(offsets, array.ndim, array.size)
    rows = encoded(np.moveaxis(array, axis, -1), encoding)
    result = np.empty(rows.shape, encoding.dtype)
    if bounds is not None:
        buffer = _scanned(engine, engine.upload(rows, op != "sum"), rows.size, bounds, op, exclusive)
        engine.download(buffer, 0, result)
    else:
        _scan_rows(engine, rows, result, op, exclusive)
    found = encoding.decode(result)
    if exclusive and op != "sum":
        _set_first(found, op, bounds)
    if out is None:
        return moved_back(found, axis)
    out[...] = np.moveaxis(found, -1, axis)
    return out


def _segments_of(offsets: Any, ndim: int, n: int) -> Array:
    bounds = offsets_of(offsets, ndim, n)
    if bounds[0] != 0 or bounds[-1] != n:
        raise ValueError(f"offsets are from {bounds[0]} to {bounds[-1]}, but those of a scan must be from 0 to {n}")
    return bounds


def _scanned(
    engine: _native.Engine, elements: _native.Buffer, row: int, bounds: Array | None, op: str, exclusive: bool
) -> _native.Buffer:
    """Scan each row of ``row`` elements, or each segment between ``bounds``."""
    if bounds is None:
        return _native.scan(engine, elements, row, op, not exclusive)
    return _native.scan_segments(engine, elements, engine.upload(bounds, False), op, not exclusive)


def _set_first(found: Array, op: str, bounds: Array | None) -> None:
    """Set the first result of each row, or of each segment between ``bounds``, to :func:`neutral`."""
    if bounds is None:
        found[..., :1] = neutral(found.dtype, op)
    else:
        found[bounds[:-1][bounds[:-1] < bounds[1:]]] = neutral(found.dtype, op)


def _scan_on_device(x: DeviceArray, op: str, exclusive: bool, bounds: Array | None) -> DeviceArray:
    elements = x._buffer if op == "sum" else x._keys(False)
    buffer = _scanned(x._engine, elements, x.shape[-1], bounds, op, exclusive)
    found = DeviceArray._of(x._engine, buffer, x.shape, x.dtype)
    is_own_type = np.dtype(buffer.kind) == x.dtype
    if op == "sum":
        is_right = is_own_type
    else:
        # The first result of an exclusive scan on the device is the last or first value in the total order,
        # which for floats is a NaN instead of an infinity.
        is_right = not exclusive or (is_own_type and x.dtype.kind != "f")
    if is_right:
        return found
    # Narrow types have 32 bits on the device, so sums may exceed their range: wrap and round them on the
    # host.
    array = found._download()
    if op != "sum":
        _set_first(array, op, bounds)
    return DeviceArray._uploaded(x._engine, array)


def check_operator(op: str, dtype: np.dtype[Any]) -> None:
    """Check that elements of a type can be combined with an operator."""
    if op not in _OPERATORS:
        raise ValueError(f'op must be "sum", "min" or "max", not {op!r}')
    if dtype.kind not in "buif":
        raise TypeError(f"x has the type {dtype}; scans support booleans, integers and floats of up to 64 bits")


def _scan_rows(engine: _native.Engine, rows: Array, out: Array, op: str, exclusive: bool) -> None:
    """Scan as many rows at a time as possible. Sums of floats in long rows would be rounded differently than in a scan
    of the row alone, so these rows are scanned one at a time."""
    row, flat, flat_out = rows.shape[-1], rows.reshape(-1), out.reshape(-1)
    is_alone = op == "sum" and rows.dtype.kind == "f" and row > int(engine.describe()["max_scan_row"])
    for part in _each_row(flat.size, row) if is_alone else parts_of(flat.size, row, engine):
        buffer = engine.upload(flat[part], op != "sum")
        engine.download(_native.scan(engine, buffer, row, op, not exclusive), 0, flat_out[part])


def _each_row(n: int, row: int) -> Iterator[slice]:
    return (slice(begin, begin + row) for begin in range(0, n, row))


def neutral(dtype: np.dtype[Any], op: str) -> Any:
    """The largest value of a type for "min", and the smallest for "max"; infinities for floats."""
    if dtype.kind == "b":
        return op == "min"
    if dtype.kind == "f":
        return np.inf if op == "min" else -np.inf
    limits = np.iinfo(dtype)
    return limits.max if op == "min" else limits.min


@overload
def cumulative_sum(
    x: DeviceArray, /, *, axis: int | None = ..., dtype: Any = ..., context: Context | None = ...
) -> DeviceArray: ...
@overload
def cumulative_sum(
    x: Any, /, *, axis: int | None = ..., dtype: Any = ..., include_initial: bool = ...,
    context: Context | None = ...
) -> Array: ...
def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    context: Context | None = None,
) -> Any:
    """Cumulative sums along an axis, as in the Array API.

    Parameters
    ----------
    x : array_like
        Numbers.
    axis : int, optional
        The axis; required for arrays with several axes.
    dtype : dtype, optional
        Type of the result and of the additions. The default is the type of ``x``, or NumPy's default integer of
        the same kind if that has more bits.
    include_initial : bool
        Whether the result starts with a zero, and has one more element.
    context : Context, optional
        The device to use.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.cumulative_sum(np.array([1, 2, 3]), include_initial=True)
    array([0, 1, 3, 6])
    """
    include_initial = check_flag(include_initial, "include_initial")
    engine_of(context, x)
    if isinstance(x, DeviceArray):
        if include_initial:
            raise ValueError("include_initial, which puts a zero first, is not supported for arrays on the device")
        axis, result = _sum_axis(axis, x.ndim), _sum_type(x.dtype, dtype)
        converted = x if x.dtype == result else DeviceArray._uploaded(x._engine, x._download().astype(result))
        return scan(converted, axis=axis)
    array = as_ndarray(x)
    axis = _sum_axis(axis, array.ndim)
    result = _sum_type(array.dtype, dtype)
    sums = scan(array.astype(result, copy=False), axis=axis, context=context)
    if not include_initial:
        return sums
    shape = list(sums.shape)
    shape[axis] = 1
    return np.concatenate([np.zeros(shape, result), sums], axis=axis)


def _sum_axis(axis: int | None, ndim: int) -> int:
    if axis is None and ndim != 1:
        raise ValueError(f"x has {ndim} axes, but axis= can be omitted only if x has one axis")
    return normalize_axis(0 if axis is None else axis, ndim)


def _sum_type(dtype: np.dtype[Any], wanted: Any) -> np.dtype[Any]:
    """The type for sums of elements of ``dtype``, or ``wanted`` if given."""
    result: np.dtype[Any] = dtype.newbyteorder("=")
    if wanted is not None:
        result = np.dtype(wanted)
    elif dtype.kind in "bui":
        result = np.promote_types(dtype, np.uint64 if dtype.kind == "u" else np.int64)
    if result.kind not in "buif":
        raise TypeError(f"cannot sum elements of type {result}: use booleans, integers or floats of up to 64 bits")
    return result
