"""Insertion positions in a sorted array, membership, and indices of nonzero elements."""

from __future__ import annotations

from typing import overload, Any, Literal

import numpy as np

from . import _native
from ._arrays import as_ndarray, check_fits, encoded, encoding_of, key_encoding_of
from ._context import Context, engine_of
from ._device_array import DeviceArray
from ._sort import sort

Array = np.ndarray[Any, Any]


@overload
def searchsorted(
    x1: DeviceArray, x2: DeviceArray, /, *, side: Literal["left", "right"] = ..., context: Context | None = ...
) -> DeviceArray: ...
@overload
def searchsorted(
    x1: Any, x2: Any, /, *, side: Literal["left", "right"] = ..., sorter: Any = ...,
    context: Context | None = ...
) -> Array: ...
def searchsorted(
    x1: Any,
    x2: Any,
    /,
    *,
    side: Literal["left", "right"] = "left",
    sorter: Any = None,
    context: Context | None = None,
) -> Any:
    """For each element of ``x2``, the index at which it can be inserted into ``x1`` to keep it sorted.

    Parameters
    ----------
    x1 : array_like
        One-dimensional and in ascending order, as returned by :func:`sort`: NaN is last.
    x2 : array_like
        Values to search for, of any shape. Both arrays are converted to a common type, as in NumPy.
    side : {"left", "right"}
        Before or after elements that are equal.
    sorter : array_like of integers, optional
        Indices that sort ``x1``, if it is not sorted.
    context : Context, optional
        The device to use.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.searchsorted(np.array([1, 3, 3, 7]), np.array([0, 3, 9]))
    array([0, 1, 4])
    >>> multisplit.searchsorted(np.array([1, 3, 3, 7]), np.array([0, 3, 9]), side="right")
    array([0, 3, 4])
    """
    if side not in ("left", "right"):
        raise ValueError(f'side must be "left" or "right", not {side!r}')
    engine = engine_of(context, x1, x2)
    if isinstance(x1, DeviceArray) or isinstance(x2, DeviceArray):
        return _search_on_device(x1, x2, side, sorter)
    keys, needles = as_ndarray(x1, "x1"), as_ndarray(x2, "x2")
    if keys.ndim != 1:
        raise ValueError(f"x1 has {keys.ndim} axes, but it must have one")
    if sorter is not None:
        keys = _in_order(keys, as_ndarray(sorter, "sorter"))
    for array, name in ((keys, "x1"), (needles, "x2")):
        encoding_of(array.dtype, name)
    if {keys.dtype.kind, needles.dtype.kind} == {"m", "M"}:
        raise TypeError(
            f"x1 has the type {keys.dtype} and x2 {needles.dtype}: dates and time differences have no common order"
        )
    common = np.result_type(keys.dtype, needles.dtype)
    encoding = encoding_of(common)
    memory = int(engine.describe()["memory"])
    check_fits(keys.size, encoding.dtype.itemsize, memory, "x1")
    check_fits(needles.size, encoding.dtype.itemsize, memory, "x2")
    uploaded = [
        engine.upload(encoded(array.astype(common, copy=False), encoding).reshape(-1), True)
        for array in (keys, needles)
    ]
    found = np.empty(needles.shape, np.int64)
    engine.download(_native.search(engine, uploaded[0], uploaded[1], side == "right"), 0, found.reshape(-1))
    return found[()]


def isin(x: Any, test_elements: Any, /, *, context: Context | None = None) -> Array:
    """For each element of ``x``, whether it equals one of ``test_elements``, as :func:`numpy.isin`. NaN equals
    nothing.

    >>> import numpy as np, multisplit
    >>> multisplit.isin(np.array([[1, 2], [3, 4]]), [4, 1])
    array([[ True, False],
           [False,  True]])
    """
    array, others = as_ndarray(x), as_ndarray(test_elements, "test_elements").reshape(-1)
    if others.size == 0:
        return np.zeros(array.shape, bool)
    ordered = sort(others, context=context)
    places = searchsorted(ordered, array, context=context)
    found: Array = np.asarray(ordered[np.minimum(places, others.size - 1)] == array)
    return found


def nonzero(x: Any, /, *, context: Context | None = None) -> tuple[Array, ...]:
    """The indices of elements that are not zero, one array for each axis, as :func:`numpy.nonzero`.

    The device splits the indices by the sign of their elements.

    >>> import numpy as np, multisplit
    >>> multisplit.nonzero(np.array([[0, 3], [7, 0]]))
    (array([0, 1]), array([1, 0]))
    """
    engine = engine_of(context, x)
    array = x if isinstance(x, DeviceArray) else as_ndarray(x)
    if array.dtype.kind not in "buif":
        raise TypeError(f"x has the type {array.dtype}; nonzero supports booleans, integers and floats of up to 64 bits")
    if array.ndim == 0:
        raise ValueError("x has no axes: use numpy.atleast_1d(x)")
    if array.size >= 1 << 32:
        raise ValueError(f"x has {array.size:,} elements, but at most 2^32 - 1 are supported: process x in parts")
    if isinstance(array, DeviceArray):
        keys = array._keys(False)
    else:
        encoding = key_encoding_of(array.dtype)
        check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
        keys = engine.upload(encoded(array, encoding).reshape(-1), True)
    kind = np.dtype(keys.kind)
    zero = kind.type(0)
    above = np.nextafter(zero, kind.type(1)) if kind.kind == "f" else kind.type(1)
    indices = engine.upload(np.arange(array.size, dtype=np.uint32), False)
    _, places, offsets = _native.split(engine, keys, indices, ("range", np.array([zero, above], kind)))
    bounds = np.empty(len(offsets), np.int64)
    engine.download(offsets, 0, bounds)
    negative, positive = int(bounds[1]), int(bounds[2])
    found = np.empty(negative + array.size - positive, np.int64)
    if places is not None:
        engine.download(places, 0, found[:negative])
        engine.download(places, positive, found[negative:])
    # Indices of negative and of positive elements are two ascending runs.
    found.sort(kind="stable")
    return np.unravel_index(found, array.shape)


def _in_order(keys: Array, sorter: Array) -> Array:
    if sorter.shape != keys.shape or sorter.dtype.kind not in "ui":
        raise ValueError(
            f"sorter has the shape {sorter.shape} and the type {sorter.dtype}; give {keys.size} integers, one for each "
            "element of x1"
        )
    return keys[sorter]


def _search_on_device(x1: Any, x2: Any, side: str, sorter: Any) -> DeviceArray:
    if not (isinstance(x1, DeviceArray) and isinstance(x2, DeviceArray)) or sorter is not None:
        raise TypeError("x1 and x2 must be both on the host, or both on the device without a sorter")
    if x1.ndim != 1 or x1.dtype != x2.dtype:
        raise ValueError(
            f"x1 has {x1.ndim} axes and the type {x1.dtype}, and x2 the type {x2.dtype}: on the device, x1 must have "
            "one axis, and both arrays the same type"
        )
    if x1._buffer.kind != x2._buffer.kind:
        x1, x2 = x1._widened(), x2._widened()
    found = _native.search(x1._engine, x1._keys(False), x2._keys(False), side == "right")
    return DeviceArray._of(x1._engine, found, x2.shape, np.int64)
