"""Quantiles, percentiles and medians."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import as_ndarray, normalize_axis
from ._context import Context
from ._device_array import DeviceArray
from ._sort import sort

Array = np.ndarray[Any, Any]


def quantile(x: Any, q: Any, /, *, axis: int | None = None, context: Context | None = None) -> Any:
    """Quantiles along an axis by linear interpolation, as :func:`numpy.quantile` with its default method.

    Parameters
    ----------
    x : array_like
        Integers or floats of up to 64 bits, at least one along the axis; a :class:`DeviceArray` is sorted on its
        device. If there is a NaN, so is the result.
    q : array_like of floats
        Probabilities from 0 to 1.
    axis : int, optional
        The axis; by default, the array is flattened.
    context : Context, optional
        The device to use.

    Returns
    -------
    ndarray or scalar
        One result per probability, in the first axes; the other axes are those of ``x`` without ``axis``. For integers
        the type is float64.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.quantile(np.array([7.0, 1.0, 2.0, 9.0]), [0.25, 0.5])
    array([1.75, 4.5 ])
    """
    return _quantiles(x, q, 1, axis, context)


def percentile(x: Any, q: Any, /, *, axis: int | None = None, context: Context | None = None) -> Any:
    """Percentiles, as :func:`quantile` but from 0 to 100.

    >>> import numpy as np, multisplit
    >>> print(multisplit.percentile(np.array([7, 1, 2, 9]), 50))
    4.5
    """
    return _quantiles(x, q, 100, axis, context)


def median(x: Any, /, *, axis: int | None = None, context: Context | None = None) -> Any:
    """Medians along an axis, as :func:`numpy.median`; the parameters are those of :func:`quantile`.

    >>> import numpy as np, multisplit
    >>> multisplit.median(np.array([[7, 1, 2], [5, 5, 4]]), axis=1)
    array([2., 5.])
    """
    ordered = _Ordered(x, axis, context)
    places = np.arange((ordered.n - 1) // 2, ordered.n // 2 + 1)
    with np.errstate(over="ignore", invalid="ignore"):
        found: Array = ordered.elements(places).mean(axis=0)
    return ordered.with_nans(found)


class _Ordered:
    """A sorted array, with the axis that was sorted along last."""

    def __init__(self, x: Any, axis: int | None, context: Context | None) -> None:
        array = x if isinstance(x, DeviceArray) else as_ndarray(x)
        if array.dtype.kind not in "uif":
            raise TypeError(f"x has the type {array.dtype}; quantiles support integers and floats of up to 64 bits")
        array = array.reshape(-1) if axis is None else array
        axis = normalize_axis(-1 if axis is None else axis, array.ndim)
        self.n: int = array.shape[axis]
        if self.n == 0:
            raise ValueError(f"x has the shape {array.shape}: quantiles need at least one element along the axis")
        ordered = sort(array, axis=axis, context=context)
        #: Sorted elements; on the device only if there is one axis.
        self.values = ordered if array.ndim == 1 else np.moveaxis(np.asarray(ordered), axis, -1)

    def elements(self, places: Array) -> Array:
        """The elements at these places in the order, along the first axis of the result."""
        if isinstance(self.values, DeviceArray):
            return np.array([self.values[place] for place in places], self.values.dtype)
        return np.moveaxis(self.values[..., places], -1, 0)

    def with_nans(self, found: Array) -> Any:
        """Replace results by NaN where a sorted row ends with NaN."""
        if self.values.dtype.kind == "f":
            is_nan = np.isnan(self.elements(np.array([self.n - 1]))[0])
            found = np.where(is_nan, found.dtype.type(np.nan), found)
        return found[()]


def _quantiles(x: Any, q: Any, scale: int, axis: int | None, context: Context | None) -> Any:
    given = np.asarray(q)
    if given.dtype.kind not in "uif":
        raise TypeError(f"q has the type {given.dtype}, but it must be numbers from 0 to {scale}")
    probabilities = np.true_divide(given, scale)
    if not bool(((probabilities >= 0) & (probabilities <= 1)).all()):
        raise ValueError(f"q must be from 0 to {scale}")
    ordered = _Ordered(x, axis, context)
    positions = probabilities.reshape(-1).astype(np.float64) * (ordered.n - 1)
    below = np.floor(positions).astype(np.int64)
    lower, upper = ordered.elements(below), ordered.elements(np.minimum(below + 1, ordered.n - 1))
    if lower.dtype.kind != "f":
        lower, upper = lower.astype(np.float64), upper.astype(np.float64)
    # As in NumPy, a Python number does not change the type of the result.
    kind = lower.dtype if type(q) in (int, float) else np.result_type(lower.dtype, probabilities.dtype)
    part = (positions - below).reshape(-1, *(1,) * (lower.ndim - 1))
    with np.errstate(over="ignore", invalid="ignore"):
        step = upper - lower
        found = np.where(part < 0.5, lower + step * part.astype(kind), upper - step * (1 - part).astype(kind))
    return ordered.with_nans(found.reshape(given.shape + found.shape[1:]))
