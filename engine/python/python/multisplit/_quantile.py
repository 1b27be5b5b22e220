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
        device. If one of them is NaN, so is the result.
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
    return interpolated(_Sorted(x, axis, context), probabilities_of(q), is_number(q))


def percentile(x: Any, q: Any, /, *, axis: int | None = None, context: Context | None = None) -> Any:
    """Percentiles, as :func:`quantile` with ``q`` from 0 to 100.

    >>> import numpy as np, multisplit
    >>> print(multisplit.percentile(np.array([7, 1, 2, 9]), 50))
    4.5
    """
    return interpolated(_Sorted(x, axis, context), probabilities_of(q, 100), is_number(q))


def median(x: Any, /, *, axis: int | None = None, context: Context | None = None) -> Any:
    """Medians along an axis, as :func:`numpy.median`; the parameters are those of :func:`quantile`.

    >>> import numpy as np, multisplit
    >>> multisplit.median(np.array([[7, 1, 2], [5, 5, 4]]), axis=1)
    array([2., 5.])
    """
    ordered = _Sorted(x, axis, context)
    places = np.arange((ordered.n - 1) // 2, ordered.n // 2 + 1)
    with np.errstate(over="ignore", invalid="ignore"):
        found: Array = ordered.elements(places).mean(axis=0)
    return ordered.with_nans(found)


class Ordered:
    """Elements of a sorted array, some of which may be missing."""

    def __init__(self, n: int, places: Array, values: Array) -> None:
        #: Number of elements of the sorted array.
        self.n = n
        self._places, self._values = places, values

    def elements(self, places: Array) -> Array:
        """The elements at these places in the order, along the first axis of the result."""
        return self._values[np.searchsorted(self._places, places)]

    def with_nans(self, found: Array) -> Any:
        """Replace results by NaN where the last element is NaN."""
        last = self.elements(np.array([self.n - 1]))[0]
        if last.dtype.kind == "f":
            found = np.where(np.isnan(last), found.dtype.type(np.nan), found)
        return found[()]


class _Sorted(Ordered):
    """All elements, sorted by the device along an axis."""

    def __init__(self, x: Any, axis: int | None, context: Context | None) -> None:
        array = x if isinstance(x, DeviceArray) else as_ndarray(x)
        array = array.reshape(-1) if axis is None else array
        axis = normalize_axis(-1 if axis is None else axis, array.ndim)
        self.n = array.shape[axis]
        check_numbers(array.dtype, self.n)
        ordered = sort(array, axis=axis, context=context)
        #: On the device only if there is one axis; otherwise the sorted axis is first.
        self._sorted = ordered if array.ndim == 1 else np.moveaxis(np.asarray(ordered), axis, 0)

    def elements(self, places: Array) -> Array:
        if isinstance(self._sorted, DeviceArray):
            return np.array([self._sorted[place] for place in places], self._sorted.dtype)
        return self._sorted[places]


def check_numbers(dtype: np.dtype[Any], n: int) -> None:
    """Check that ``n`` elements of a type have quantiles."""
    if dtype.kind not in "uif":
        raise TypeError(f"x has the type {dtype}; quantiles support integers and floats of up to 64 bits")
    if n == 0:
        raise ValueError("x has no elements along the axis: quantiles need at least one element")


def probabilities_of(q: Any, scale: int = 1) -> Array:
    """Convert numbers from 0 to ``scale`` to probabilities."""
    given = np.asarray(q)
    if given.dtype.kind not in "uif":
        raise TypeError(f"q has the type {given.dtype}, but it must be numbers from 0 to {scale}")
    found: Array = np.true_divide(given, scale)
    if not bool(((found >= 0) & (found <= 1)).all()):
        raise ValueError(f"q must be from 0 to {scale}")
    return np.asarray(found)


def neighbours(probabilities: Array, n: int) -> tuple[Array, Array, Array]:
    """The ranks between which the quantiles are, and their distances from the lower ones."""
    positions = probabilities.reshape(-1).astype(np.float64) * (n - 1)
    below = np.floor(positions).astype(np.int64)
    return below, np.minimum(below + 1, n - 1), positions - below


def result_type(dtype: np.dtype[Any], probabilities: Array, is_weak: bool) -> np.dtype[Any]:
    """The type of quantiles. As in NumPy, a Python number (``is_weak``) does not change the type of floats."""
    kind = dtype if dtype.kind == "f" else np.dtype(np.float64)
    return kind if is_weak else np.result_type(kind, probabilities.dtype)


def interpolated(ordered: Ordered, probabilities: Array, is_weak: bool) -> Any:
    """The quantiles of sorted elements."""
    below, above, part = neighbours(probabilities, ordered.n)
    lower, upper = ordered.elements(below), ordered.elements(above)
    kind = result_type(lower.dtype, probabilities, is_weak)
    if lower.dtype.kind != "f":
        lower, upper = lower.astype(np.float64), upper.astype(np.float64)
    part = part.reshape(-1, *(1,) * (lower.ndim - 1))
    with np.errstate(over="ignore", invalid="ignore"):
        step = upper - lower
        found = np.where(part < 0.5, lower + step * part.astype(kind), upper - step * (1 - part).astype(kind))
    return ordered.with_nans(found.reshape(probabilities.shape + found.shape[1:]))


def is_number(q: Any) -> bool:
    """Whether ``q`` is a Python number, and not a NumPy scalar or an array."""
    return type(q) in (int, float)
