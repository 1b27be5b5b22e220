"""Partitions around the elements of given ranks."""

from __future__ import annotations

from typing import overload, Any

import numpy as np

from ._arrays import as_ndarray, index_of, moved_back
from ._context import Context
from ._device_array import DeviceArray
from ._sort import along, argsort, sort
from ._topk import topk

Array = np.ndarray[Any, Any]


@overload
def partition(x: DeviceArray, kth: Any, /, *, axis: int | None = ..., context: Context | None = ...) -> DeviceArray: ...
@overload
def partition(x: Any, kth: Any, /, *, axis: int | None = ..., context: Context | None = ...) -> Array: ...
def partition(x: Any, kth: Any, /, *, axis: int | None = -1, context: Context | None = None) -> Any:
    """Return a copy of an array in which the element of rank ``kth`` is where a sort would put it, after all smaller
    elements and before all larger ones, as :func:`numpy.partition`.

    Parameters
    ----------
    x : array_like
        As in :func:`sort`; NaN is larger than every number. A :class:`DeviceArray` is sorted, which is a partition
        too.
    kth : int or sequence of int
        Ranks; negative ones count from the end.
    axis : int or None
        The axis; with None, the array is flattened first.
    context : Context, optional
        The device to use.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.partition(np.array([7, 1, 9, 2, 5]), 2)
    array([1, 2, 5, 7, 9])
    """
    if isinstance(x, DeviceArray):
        _ranks(kth, x.size if axis is None else x.shape[axis])
        return sort(x, axis=axis, context=context)
    array, axis = along(as_ndarray(x), axis)
    return np.take_along_axis(array, argpartition(array, kth, axis=axis, context=context), axis)


@overload
def argpartition(
    x: DeviceArray, kth: Any, /, *, axis: int | None = ..., context: Context | None = ...
) -> DeviceArray: ...
@overload
def argpartition(x: Any, kth: Any, /, *, axis: int | None = ..., context: Context | None = ...) -> Array: ...
def argpartition(x: Any, kth: Any, /, *, axis: int | None = -1, context: Context | None = None) -> Any:
    """Return the indices that partition an array, as :func:`numpy.argpartition`. The parameters are those of
    :func:`partition`; the result has the type int64.

    >>> import numpy as np, multisplit
    >>> multisplit.argpartition(np.array([7, 1, 9, 2, 5]), 1)
    array([1, 3, 0, 2, 4])
    """
    if isinstance(x, DeviceArray):
        _ranks(kth, x.size if axis is None else x.shape[axis])
        return argsort(x, axis=axis, context=context)
    array = as_ndarray(x)
    array, axis = along(array.reshape(1) if array.ndim == 0 else array, axis)
    n = array.shape[axis]
    ranks = _ranks(kth, n)
    # Sort the elements up to the largest rank, or those from the smallest rank on, whichever are fewer. The other
    # elements keep their order.
    before, after = max(ranks, default=-1) + 1, n - min(ranks, default=n)
    largest = after < before
    found = topk(array, min(before, after), largest=largest, axis=axis, context=context).indices
    chosen = np.moveaxis(found, axis, -1)
    rest = np.ones((*chosen.shape[:-1], n), bool)
    np.put_along_axis(rest, chosen, False, -1)
    others = np.broadcast_to(np.arange(n), rest.shape)[rest].reshape((*chosen.shape[:-1], n - chosen.shape[-1]))
    parts = (others, chosen[..., ::-1]) if largest else (chosen, others)
    return moved_back(np.concatenate(parts, axis=-1), axis)


def _ranks(kth: Any, n: int) -> list[int]:
    """The ranks, as numbers that are not negative."""
    ranks = [index_of(rank, "kth") for rank in (kth if np.ndim(kth) else [kth])]
    for rank in ranks:
        if n and not -n <= rank < n:
            raise ValueError(f"kth is {rank}, but it must be from {-n} to {n - 1}: the axis has {n} elements")
    return [rank % n for rank in ranks] if n else []
