"""Sorts of keys and of pairs, and argsort."""

from __future__ import annotations

from collections.abc import Iterator
from typing import overload, Any

import numpy as np

from . import _native
from ._arrays import (
    Encoding,
    NanOrder,
    as_ndarray,
    can_be_written_to,
    check_fits,
    check_flag,
    check_out,
    check_total,
    contiguous,
    encoded,
    key_encoding_of,
    moved_back,
    normalize_axis,
)
from ._context import Context, engine_of
from ._device_array import DeviceArray

Array = np.ndarray[Any, Any]

#: Rows of host arrays are processed one by one from this length on. Each is large enough to occupy the device.
_LONG_ROW = 1 << 20


@overload
def sort(
    x: DeviceArray, /, *, axis: int | None = ..., descending: bool = ..., stable: bool = ...,
    nan: NanOrder = ..., context: Context | None = ...
) -> DeviceArray: ...
@overload
def sort(
    x: Any, /, *, axis: int | None = ..., descending: bool = ..., stable: bool = ...,
    out: Array | None = ..., nan: NanOrder = ..., context: Context | None = ...
) -> Array: ...
def sort(
    x: Any,
    /,
    *,
    axis: int | None = -1,
    descending: bool = False,
    stable: bool = True,
    out: Array | None = None,
    nan: NanOrder = "last",
    context: Context | None = None,
) -> Any:
    """Return a sorted copy of an array, along an axis.

    Parameters
    ----------
    x : array_like
        Booleans, integers, floats of up to 64 bits, dates or time differences.
    axis : int or None
        The axis; with None, the array is flattened first.
    descending : bool
        Sort in descending order.
    stable : bool
        Sorts are always stable; the parameter exists for compatibility with the Array API.
    out : ndarray, optional
        Array for the result; it may be ``x`` itself.
    nan : {"last", "total"}
        With "last", floats are sorted as in NumPy: NaN is larger than every number, and both zeros are equal. In
        descending order NaN comes first. With "total", they are in the total order of IEEE 754: -NaN first, -0
        before 0, NaN last.
    context : Context, optional
        The device to use.

    Returns
    -------
    ndarray, or DeviceArray if ``x`` is one

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.sort(np.array([3.0, np.nan, -1.0]))
    array([-1.,  3., nan])
    >>> multisplit.sort(np.array([[3, 1], [0, 2]]), axis=0, descending=True)
    array([[3, 2],
           [0, 1]])
    """
    total, descending = check_total(nan), check_flag(descending, "descending")
    check_flag(stable, "stable")
    engine = engine_of(context, x)
    if isinstance(x, DeviceArray):
        row = _row_on_device(x, axis, out)
        buffer = _native.sort(engine, x._keys(total), row, descending)
        return DeviceArray._of(engine, buffer, x.shape, x.dtype)
    array, axis = along(as_ndarray(x), axis)
    encoding = key_encoding_of(array.dtype)
    if out is not None:
        check_out(out, array.shape, array.dtype)
    keys = _rows_of(array, axis, encoding, engine)
    row = keys.shape[-1]
    direct = encoding.is_plain and axis == array.ndim - 1 and can_be_written_to(out, array, keys)
    result = out if direct and out is not None else np.empty(keys.shape, encoding.dtype)
    flat, flat_result = keys.reshape(-1), result.reshape(-1)
    for part in parts_of(flat.size, row, engine):
        _sort_part(engine, flat[part], flat_result[part], row, descending, total)
    return result if direct else _finished(encoding.decode(result), axis, out)


def _sort_part(
    engine: _native.Engine, keys: Array, out: Array, row: int, descending: bool, total: bool
) -> None:
    buffer = engine.upload(keys, not total)
    altered = buffer.altered
    if row == keys.size:
        _native.sort_in_place(engine, buffer, descending)
    else:
        buffer = _native.sort(engine, buffer, row, descending)
    engine.download(buffer, 0, out)
    if altered:
        _native.restore_bits(keys, out, row)


@overload
def argsort(
    x: DeviceArray, /, *, axis: int | None = ..., descending: bool = ..., stable: bool = ...,
    nan: NanOrder = ..., context: Context | None = ...
) -> DeviceArray: ...
@overload
def argsort(
    x: Any, /, *, axis: int | None = ..., descending: bool = ..., stable: bool = ...,
    out: Array | None = ..., nan: NanOrder = ..., context: Context | None = ...
) -> Array: ...
def argsort(
    x: Any,
    /,
    *,
    axis: int | None = -1,
    descending: bool = False,
    stable: bool = True,
    out: Array | None = None,
    nan: NanOrder = "last",
    context: Context | None = None,
) -> Any:
    """Return the indices that sort an array along an axis.

    Equal elements keep their order, in both directions. The parameters are those of :func:`sort`; the result has
    the type int64.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.argsort(np.array([0.5, 2.0, 0.5]), descending=True)
    array([1, 0, 2])
    """
    total, descending = check_total(nan), check_flag(descending, "descending")
    check_flag(stable, "stable")
    engine = engine_of(context, x)
    if isinstance(x, DeviceArray):
        row = _row_on_device(x, axis, out)
        buffer = _native.argsort(engine, x._keys(total), row, descending)
        return DeviceArray._of(engine, buffer, x.shape, np.int64)
    array = as_ndarray(x)
    # As in NumPy, an array without axes has one index.
    array, axis = along(array.reshape(1) if array.ndim == 0 else array, axis)
    encoding = key_encoding_of(array.dtype)
    if out is not None:
        check_out(out, array.shape, np.dtype(np.int64))
    keys = _rows_of(array, axis, encoding, engine)
    direct = axis == array.ndim - 1 and can_be_written_to(out, array, keys)
    result = out if direct and out is not None else np.empty(keys.shape, np.int64)
    order_rows(engine, keys, result, descending, total)
    return result if direct else _finished(result, axis, out)


def lexsort(keys: Any, /, *, context: Context | None = None) -> Array:
    """Return the indices that sort by several keys, the last of which is the most significant, as
    :func:`numpy.lexsort`.

    >>> import numpy as np, multisplit
    >>> multisplit.lexsort([np.array([2, 1, 3]), np.array([1, 1, 0])])
    array([2, 1, 0])
    """
    columns = [as_ndarray(key, "keys") for key in keys]
    if not columns or any(key.ndim != 1 or key.shape != columns[0].shape for key in columns):
        shapes = [key.shape for key in columns]
        raise ValueError(f"keys have the shapes {shapes}: give at least one array, and arrays with one axis and one length")
    order = argsort(columns[0], context=context)
    for key in columns[1:]:
        order = order[argsort(key[order], context=context)]
    return order


def order_rows(engine: _native.Engine, keys: Array, out: Array, descending: bool, total: bool) -> None:
    """Write the indices that sort each row of ``keys``, which are encoded, to ``out``."""
    row = keys.shape[-1]
    flat, flat_out = keys.reshape(-1), out.reshape(-1)
    for part in parts_of(flat.size, row, engine):
        order = _native.argsort(engine, engine.upload(flat[part], not total), row, descending)
        engine.download(order, 0, flat_out[part])


@overload
def sort_pairs(
    keys: DeviceArray, values: DeviceArray, /, *, axis: int = ..., descending: bool = ..., stable: bool = ...,
    nan: NanOrder = ..., context: Context | None = ...
) -> tuple[DeviceArray, DeviceArray]: ...
@overload
def sort_pairs(
    keys: Any, values: Any, /, *, axis: int = ..., descending: bool = ..., stable: bool = ..., nan: NanOrder = ...,
    context: Context | None = ...
) -> tuple[Array, Array]: ...
def sort_pairs(
    keys: Any,
    values: Any,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    nan: NanOrder = "last",
    context: Context | None = None,
) -> tuple[Any, Any]:
    """Return sorted copies of ``keys``, and ``values`` in the order of their keys. Equal keys keep their order.

    Parameters
    ----------
    keys : array_like
        As in :func:`sort`.
    values : array_like
        Values of any type: one per key along the first axis, or of the same shape if the keys have several axes.
        Values of 4, 8 or 16 bytes are moved on the device, others on the host.
    axis, descending, stable, nan, context
        As in :func:`sort`.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> keys, names = multisplit.sort_pairs(np.array([2, 1, 2]), np.array(["b", "a", "c"]))
    >>> keys, names
    (array([1, 2, 2]), array(['a', 'b', 'c'], dtype='<U1'))
    """
    total, descending = check_total(nan), check_flag(descending, "descending")
    check_flag(stable, "stable")
    engine = engine_of(context, keys, values)
    if isinstance(keys, DeviceArray) or isinstance(values, DeviceArray):
        return _sort_pairs_on_device(keys, values, axis, descending, total)
    key_array, value_array = as_ndarray(keys, "keys"), as_ndarray(values, "values")
    axis = normalize_axis(axis, key_array.ndim)
    check_pairs(key_array.shape, value_array.shape)
    encoding = key_encoding_of(key_array.dtype, "keys")
    rows = _rows_of(key_array, axis, encoding, engine)
    if key_array.ndim > 1:
        value_array = np.moveaxis(value_array, axis, -1)
    sorted_keys, sorted_values = sort_rows_of_pairs(engine, rows, value_array, descending, total)
    sorted_keys = moved_back(encoding.decode(sorted_keys), axis)
    return sorted_keys, moved_back(sorted_values, axis) if key_array.ndim > 1 else sorted_values


def check_pairs(keys: tuple[int, ...], values: tuple[int, ...]) -> None:
    """Check that there is one value per key."""
    if values[:1] != keys[:1] if len(keys) == 1 else values != keys:
        raise ValueError(f"values has the shape {values}, but keys has {keys}: give one value for each key")


def movable(values: Array, n: int) -> Array | None:
    """The values as elements of 4, 8 or 16 bytes that the device can move; None if there are no such values."""
    size = values.nbytes // max(n, 1)
    if values.dtype.hasobject or size not in (4, 8, 16) or n == 0:
        return None
    kind = {4: "u4", 8: "u8", 16: "V16"}[size]
    flat = contiguous(values)
    return flat.reshape(-1).view(np.uint8).view(kind)


def sort_rows_of_pairs(
    engine: _native.Engine, keys: Array, values: Array, descending: bool, total: bool
) -> tuple[Array, Array]:
    """Sort the rows of ``keys``, which are encoded, together with their values."""
    row = keys.shape[-1]
    flat = keys.reshape(-1)
    carried = movable(values, flat.size)
    if carried is None:
        order = np.empty(keys.shape, np.int64)
        order_rows(engine, keys, order, descending, total)
        if keys.ndim == 1:
            return keys[order], values[order]
        return np.take_along_axis(keys, order, -1), np.take_along_axis(values, order, -1)
    keys_out, values_out = np.empty_like(keys), np.empty_like(carried)
    flat_out = keys_out.reshape(-1)
    for part in parts_of(flat.size, row, engine):
        buffer = engine.upload(flat[part], not total)
        altered = buffer.altered
        found = _native.sort_pairs(engine, buffer, engine.upload(carried[part], False), row, descending)
        engine.download(found[0], 0, flat_out[part])
        engine.download(found[1], 0, values_out[part])
        if altered:
            _native.restore_bits(flat[part], flat_out[part], row)
    native = values.dtype.newbyteorder("=")
    return keys_out, values_out.view(np.uint8).view(native).reshape(values.shape)


def _sort_pairs_on_device(
    keys: Any, values: Any, axis: int, descending: bool, total: bool
) -> tuple[DeviceArray, DeviceArray]:
    if not (isinstance(keys, DeviceArray) and isinstance(values, DeviceArray)):
        raise TypeError("keys and values must be both on the host, or both on the device (multisplit.DeviceArray)")
    row = _row_on_device(keys, axis, None)
    if keys.shape != values.shape:
        raise ValueError(f"values has the shape {values.shape}, but keys has {keys.shape}: give one value for each key")
    found = _native.sort_pairs(keys._engine, keys._keys(total), values._buffer, row, descending)
    return (
        DeviceArray._of(keys._engine, found[0], keys.shape, keys.dtype),
        DeviceArray._of(keys._engine, found[1], values.shape, values.dtype),
    )


def along(array: Array, axis: int | None) -> tuple[Array, int]:
    """The array and its axis; without an axis, the flattened array."""
    if axis is None:
        return array.reshape(-1), 0
    return array, normalize_axis(axis, array.ndim)


def _rows_of(array: Array, axis: int, encoding: Encoding, engine: _native.Engine) -> Array:
    """The encoded keys, with the axis moved to the end so that rows are contiguous."""
    check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
    return encoded(np.moveaxis(array, axis, -1), encoding)


def _row_on_device(x: DeviceArray, axis: int | None, out: Any) -> int:
    if out is not None:
        raise TypeError("out needs arrays on the host; results of arrays on the device are new arrays")
    if axis is not None and normalize_axis(axis, x.ndim) != x.ndim - 1:
        raise ValueError("sorts of a DeviceArray support only the last axis: copy the array to the host, where any axis is supported")
    if axis is None and x.ndim != 1:
        raise ValueError("axis is None, but arrays on the device are not flattened: reshape it to one axis first")
    return x.shape[-1]


def parts_of(n: int, row: int, engine: _native.Engine) -> Iterator[slice]:
    """Split the rows into parts, each for one call of the engine: several rows, or one long row."""
    if n == 0 or row == 0:
        return
    # Rows processed together have 30-bit indices, and arrays of up to 16 bytes per element that fit one storage binding.
    max_part = min(int(engine.describe()["max_storage_range"]) // 16, 1 << 29)
    rows = 1 if row >= _LONG_ROW else max(1, max_part // row)
    step = rows * row
    for begin in range(0, n, step):
        yield slice(begin, min(begin + step, n))


def _finished(result: Array, axis: int, out: Array | None) -> Array:
    """Move the axis back to its place, and copy the result to ``out`` if given."""
    if out is None:
        return moved_back(result, axis)
    out[...] = np.moveaxis(result, -1, axis)
    return out
