"""The k largest or smallest elements."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, overload, Any, Generic, NamedTuple, TypeVar

import numpy as np

from . import _native
from ._arrays import (
    NanOrder,
    as_ndarray,
    check_fits,
    check_flag,
    check_total,
    encoded,
    index_of,
    key_encoding_of,
    moved_back,
    normalize_axis,
)
from ._context import Context, engine_of
from ._device_array import DeviceArray

Array = np.ndarray[Any, Any]
#: Type of the arrays in a result: NumPy arrays, or arrays on the device.
A = TypeVar("A")


if TYPE_CHECKING:

    class TopKResult(NamedTuple, Generic[A]):
        """Result of :func:`topk`."""

        values: A
        indices: A

else:
    TopKResult = namedtuple("TopKResult", ["values", "indices"], module=__name__)
    TopKResult.__doc__ = "Result of :func:`topk`."



@overload
def topk(
    x: DeviceArray, k: int, /, *, largest: bool = ..., sorted: bool = ..., axis: int = ..., nan: NanOrder = ...,
    context: Context | None = ...
) -> TopKResult[DeviceArray]: ...
@overload
def topk(
    x: Any, k: int, /, *, largest: bool = ..., sorted: bool = ..., axis: int = ..., nan: NanOrder = ...,
    context: Context | None = ...
) -> TopKResult[Array]: ...
def topk(
    x: Any,
    k: int,
    /,
    *,
    largest: bool = True,
    sorted: bool = True,
    axis: int = -1,
    nan: NanOrder = "last",
    context: Context | None = None,
) -> TopKResult[Any]:
    """The ``k`` largest or smallest elements along an axis, and their indices.

    Parameters
    ----------
    x : array_like
        As in :func:`sort`.
    k : int
        Number of elements; at most the length of the axis.
    largest : bool
        Whether to find the largest or the smallest elements.
    sorted : bool
        Whether to return them in order, best first; otherwise in any order, which may be faster.
    axis : int
        The axis to search along.
    nan : {"last", "total"}
        The order of floats, as in :func:`sort`; with "last", NaN is larger than every number.
    context : Context, optional
        The device to use.

    Returns
    -------
    TopKResult
        ``(values, indices)``. Among equal elements, those with lower indices are selected, and come first if
        ``sorted``.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> best = multisplit.topk(np.array([0.5, 0.125, 0.75, 0.5]), 3)
    >>> best.values, best.indices
    (array([0.75, 0.5 , 0.5 ]), array([2, 0, 3]))
    """
    total, largest = check_total(nan), check_flag(largest, "largest")
    sorted = check_flag(sorted, "sorted")
    engine = engine_of(context, x)
    array = x if isinstance(x, DeviceArray) else as_ndarray(x)
    axis = normalize_axis(axis, array.ndim)
    row, wanted = array.shape[axis], index_of(k, "k")
    if not 0 <= wanted <= row:
        raise ValueError(f"k is {wanted}, but it must be from 0 to {row}, the number of elements along the axis")
    if isinstance(array, DeviceArray):
        if axis != array.ndim - 1:
            raise ValueError("topk of a DeviceArray supports only the last axis: copy the array to the host, where any axis is supported")
        found = _native.topk(engine, array._keys(total), row, wanted, largest, sorted)
        shape = (*array.shape[:-1], wanted)
        return TopKResult(
            DeviceArray._of(engine, found[0], shape, array.dtype),
            DeviceArray._of(engine, found[1], shape, np.int64),
        )
    encoding = key_encoding_of(array.dtype)
    check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
    moved = np.moveaxis(array, axis, -1)
    indices = np.empty((*moved.shape[:-1], wanted), np.int64)
    if indices.size:
        keys = encoded(moved, encoding).reshape(-1)
        found = _native.topk(engine, engine.upload(keys, not total), row, wanted, largest, sorted)
        engine.download(found[1], 0, indices.reshape(-1))
    # Gather from the original array, so that zeros and NaNs keep their bits.
    values = np.take_along_axis(moved, indices, -1)
    return TopKResult(moved_back(values, axis), moved_back(indices, axis))
