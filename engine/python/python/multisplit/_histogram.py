"""Histograms with the same results as NumPy, and counts of small integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._arrays import as_ndarray, check_fits, check_flag, contiguous, encoded, encoding_of, index_of
from ._buckets import Glsl
from ._context import Context, engine_of
from ._device_array import DeviceArray
from ._edges import greatest_at_or_below, thresholds
from ._sort import sort_rows_of_pairs

Array = np.ndarray[Any, Any]


def histogram(
    a: Any,
    bins: Any = 10,
    range: tuple[Any, Any] | None = None,
    weights: Any = None,
    density: bool | None = None,
    *,
    context: Context | None = None,
) -> tuple[Array, Array]:
    """Histogram of an array, with the same counts and edges as :func:`numpy.histogram`.

    Parameters
    ----------
    a : array_like
        Samples; the array is flattened.
    bins : int, sequence of edges, str or Glsl
        As in NumPy: a number of equal bins, ascending edges, or the name of a rule for the bin width.
        Alternatively a GLSL function, whose bins have the edges 0, 1, 2 and so on.
    range : (low, high), optional
        Range of equal bins; by default from the smallest to the largest sample. The last bin includes its upper
        edge. Samples outside the range, and NaN, are not counted.
    weights : array_like, optional
        Weight of each sample, in the shape of ``a``.
    density : bool, optional
        Whether to return a density, whose integral is 1.
    context : Context, optional
        The device to use.

    Returns
    -------
    hist, bin_edges : ndarray
        Counts as int64, sums in the type of the weights, or densities; and the edges, one more than there are bins.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.histogram(np.array([1, 2, 1, 4]), bins=[0, 1, 2, 4])
    (array([0, 2, 2]), array([0, 1, 2, 4]))
    """
    engine = engine_of(context, a, weights)
    if density is not None:
        density = check_flag(density, "density")
    samples, weight_array = _inputs(a, weights)
    if isinstance(bins, Glsl):
        _check_glsl(weight_array)
        if isinstance(samples, DeviceArray):
            samples = samples._widened()
        counts = _count(engine, samples, weight_array, bins._function())
        edges: Array = np.arange(bins.buckets + 1, dtype=np.float64)
    else:
        if callable(bins):
            raise TypeError("bins is a Python function, which a device cannot run: give edges, or the function in GLSL")
        if weight_array is not None and weight_array.dtype.kind == "b" and np.ndim(bins) > 0:
            # NumPy rejects this combination as well.
            raise TypeError("weights are booleans, which are not supported with bins given as edges: convert them to integers")
        edges = _edges(engine, samples, bins, range, weight_array)
        counts = _between(engine, samples, weight_array, edges)
    if density:
        widths = np.array(np.diff(edges), float)
        return counts / widths / counts.sum(), edges
    return counts, edges


def _inputs(a: Any, weights: Any) -> tuple[Any, Array | None]:
    samples = a if isinstance(a, DeviceArray) else as_ndarray(a, "a")
    if weights is not None:
        weights = as_ndarray(weights._download() if isinstance(weights, DeviceArray) else weights, "weights")
        if weights.shape != samples.shape:
            raise ValueError(f"weights has shape {weights.shape}, but a has {samples.shape}: give one weight for each sample")
        if weights.dtype.kind not in "buifc":
            raise TypeError(f"weights has the type {weights.dtype}, but weights must be numbers")
        weights = weights.reshape(-1)
    if samples.dtype.kind not in "buif":
        raise TypeError(f"a has the type {samples.dtype}, but samples must be booleans, integers or floats")
    encoding_of(samples.dtype, "a")
    if isinstance(samples, DeviceArray):
        return (samples.reshape(samples.size) if weights is None else samples._download().reshape(-1)), weights
    return samples.reshape(-1), weights


def _check_glsl(weights: Array | None) -> None:
    if weights is not None and not _are_words(weights):
        raise ValueError("with bins in GLSL, weights must be integers from 0 to 2^32 - 1")


def _edges(engine: _native.Engine, samples: Any, bins: Any, range: Any, weights: Array | None) -> Array:
    """Compute the same edges as NumPy. For samples on the device, NumPy needs only the smallest and the largest
    sample, unless ``bins`` is the name of a rule."""
    seen = samples
    if isinstance(samples, DeviceArray):
        if isinstance(bins, str):
            seen = samples._download()
        else:
            ends = [_native.reduce(engine, samples._buffer, name) for name in ("min", "max")] if samples.size else []
            seen = np.array(ends, samples._buffer.kind).astype(samples.dtype)
    if seen.dtype == np.bool_:
        seen = seen.astype(np.uint8)
    return np.asarray(np.histogram_bin_edges(seen, bins, range, weights if isinstance(bins, str) else None))


def _between(engine: _native.Engine, samples: Any, weights: Array | None, edges: Array) -> Array:
    """Count samples, or sum their weights, from each edge up to the next; the last bin includes its upper edge."""
    dtype = np.dtype(samples._buffer.kind) if isinstance(samples, DeviceArray) else encoding_of(samples.dtype).dtype
    bins = edges.size - 1
    if edges.dtype.kind not in "buif":
        raise TypeError(f"bins has the type {edges.dtype}, but edges must be numbers")
    lower = thresholds(edges[:-1], dtype).values
    last = greatest_at_or_below(edges[-1], edges.dtype, dtype)
    # Bins above all values of the type are at the end, and stay empty.
    reached = int(np.searchsorted(lower, last[0], side="right")) if last.size else 0
    result = np.zeros(bins, np.int64 if weights is None else weights.dtype.newbyteorder("="))
    if reached == 0 or samples.size == 0:
        return result
    is_closed = reached == bins
    cuts = np.concatenate([lower[:reached], last]) if is_closed else lower[: reached + 1]
    if cuts.size == reached:
        # No value of the type is above the last reachable bin.
        cuts, is_closed = np.concatenate([cuts, last]), True
    if reached > _native.MAX_BINS or (weights is not None and not _are_words(weights)):
        # Sums are converted to the type of the weights, as in NumPy.
        result[:reached] = _by_sorting(engine, samples, weights, cuts, is_closed).astype(result.dtype)
    else:
        result[:reached] = _count(engine, samples, weights, ("range", cuts, is_closed))
    return result


def _are_words(weights: Array) -> bool:
    """Whether weights can be summed exactly on the device."""
    if weights.dtype.kind not in "bui":
        return False
    limits = np.iinfo(np.uint32)
    return bool(weights.size == 0 or (weights.min() >= 0 and weights.max() <= limits.max))


def _count(engine: _native.Engine, samples: Any, weights: Array | None, function: tuple[Any, ...]) -> Array:
    if isinstance(samples, DeviceArray):
        buffer = samples._buffer
    else:
        encoding = encoding_of(samples.dtype)
        check_fits(samples.size, encoding.dtype.itemsize, int(engine.describe()["memory"]), "a")
        buffer = engine.upload(encoded(samples, encoding), False)
    words = None if weights is None else engine.upload(contiguous(weights.astype(np.uint32)), False)
    found = _native.histogram(engine, buffer, words, function)
    counts = np.empty(len(found), np.uint64)
    engine.download(found, 0, counts)
    return counts.view(np.int64) if weights is None else counts.astype(weights.dtype.newbyteorder("="))


def _by_sorting(
    engine: _native.Engine, samples: Any, weights: Array | None, cuts: Array, is_closed: bool
) -> Array:
    """Count by sorting, for more bins than the device supports, or for weights that are not 32-bit unsigned integers.
    Sorts the samples with their weights on the device. Sums the weights on the host in the order of the samples, as
    (complex) doubles or 64-bit integers."""
    if isinstance(samples, DeviceArray):
        samples = samples._download()
    encoding = encoding_of(samples.dtype)
    check_fits(samples.size, encoding.dtype.itemsize, int(engine.describe()["memory"]), "a")
    keys = encoded(samples, encoding)
    ones = np.empty(keys.size, np.uint32) if weights is None else weights
    ascending, along = sort_rows_of_pairs(engine, keys, ones, False, False)
    places = np.searchsorted(ascending, cuts, side="left")
    if is_closed:
        places[-1] = np.searchsorted(ascending, cuts[-1], side="right")
    counts = np.diff(places)
    if weights is None:
        return counts
    kind = {"f": np.float64, "c": np.complex128}.get(weights.dtype.kind, np.int64)
    sums: Array = np.zeros(counts.size, kind)
    filled = counts > 0
    if filled.any():
        within = along[: places[-1]]
        sums[filled] = np.add.reduceat(within, places[:-1][filled], dtype=kind)
    return sums


def _doubles(weights: Any) -> Array:
    array = as_ndarray(weights, "weights")
    if not np.can_cast(array.dtype, np.float64):
        raise TypeError(f"weights has the type {array.dtype}, which cannot be converted to float64 without loss")
    return array.astype(np.float64)


def bincount(
    x: Any, /, weights: Any = None, minlength: int = 0, *, context: Context | None = None
) -> Array:
    """Count the occurrences of 0, 1, 2 and so on, like :func:`numpy.bincount`.

    Parameters
    ----------
    x : array_like
        Non-negative integers in one dimension.
    weights : array_like, optional
        Weight of each element; the result then has the type float64.
    minlength : int
        Minimum length of the result.
    context : Context, optional
        The device to use.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.bincount(np.array([0, 1, 1, 3]))
    array([1, 2, 0, 1])
    """
    engine = engine_of(context, x, weights)
    array = as_ndarray(x._download() if isinstance(x, DeviceArray) else x)
    shortest = index_of(minlength, "minlength")
    if shortest < 0:
        raise ValueError(f"minlength is {shortest}, but it must not be negative")
    if array.ndim != 1:
        raise ValueError(f"x has {array.ndim} axes, but bincount needs one")
    if array.dtype.kind not in ("bui" if array.size else "buif"):
        raise TypeError(f"x has the type {array.dtype}, but bincount needs integers")
    weight_array = None if weights is None else _doubles(weights)
    if weight_array is not None and weight_array.shape != array.shape:
        raise ValueError(f"weights has shape {weight_array.shape}, but x has {array.shape}: give one weight for each element")
    dtype = np.int64 if weight_array is None else np.float64
    if array.size == 0:
        return np.zeros(shortest, dtype)
    if array.dtype.kind == "i" and array.min() < 0:
        raise ValueError("x has negative elements, but bincount counts only 0, 1, 2 and so on")
    bins = int(array.max()) + 1
    keys = encoded(array, encoding_of(array.dtype))
    result = np.zeros(max(bins, shortest), dtype)
    if weight_array is None and bins <= _native.MAX_BINS:
        result[:bins] = _count(engine, keys, None, ("identity", bins))
    else:
        result[:bins] = _by_sorting(engine, keys, weight_array, np.arange(bins + 1), False)
    return result
