"""The k largest or smallest elements."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _native
from ._arrays import as_ndarray, check_fits, check_total, encoded, index_of, key_encoding_of, normalize_axis
from ._context import Context, engine_of
from ._device_array import DeviceArray


class TopKResult(NamedTuple):
    """Result of :func:`topk`."""

    values: Any
    indices: Any


def topk(
    x: Any,
    k: int,
    /,
    *,
    largest: bool = True,
    sorted: bool = True,
    axis: int = -1,
    nan: str = "last",
    context: Context | None = None,
) -> TopKResult:
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
        The order of floats, as in :func:`sort`: NaN is larger than every number.
    context : Context, optional
        The device to use.

    Returns
    -------
    TopKResult
        ``(values, indices)``. Equal elements are ordered by index.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> best = multisplit.topk(np.array([0.5, 0.125, 0.75, 0.5]), 3)
    >>> best.values, best.indices
    (array([0.75, 0.5 , 0.5 ]), array([2, 0, 3]))
    """
    total = check_total(nan)
    array = x if isinstance(x, DeviceArray) else as_ndarray(x)
    axis = normalize_axis(axis, array.ndim)
    row, wanted = array.shape[axis], index_of(k, "k")
    if not 0 <= wanted <= row:
        raise ValueError(f"k is {wanted}, but it must be from 0 to {row}, the number of elements along the axis")
    if isinstance(array, DeviceArray):
        if axis != array.ndim - 1:
            raise ValueError("on the device, topk works along the last axis only: move the axis on the host first")
        found = _native.topk(array._engine, array._keys(total), row, wanted, bool(largest), bool(sorted))
        shape = (*array.shape[:-1], wanted)
        return TopKResult(
            DeviceArray._of(array._engine, found[0], shape, array.dtype),
            DeviceArray._of(array._engine, found[1], shape, np.int64),
        )
    encoding = key_encoding_of(array.dtype)
    engine = engine_of(context)
    check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
    moved = np.moveaxis(array, axis, -1)
    indices = np.empty((*moved.shape[:-1], wanted), np.int64)
    if indices.size:
        keys = encoded(moved, encoding).reshape(-1)
        found = _native.topk(engine, engine.upload(keys, not total), row, wanted, bool(largest), bool(sorted))
        engine.download(found[1], indices.reshape(-1))
    # Gather from the original array, so that zeros and NaNs keep their bits.
    values = np.take_along_axis(moved, indices, -1)
    return TopKResult(np.moveaxis(values, -1, axis), np.moveaxis(indices, -1, axis))
