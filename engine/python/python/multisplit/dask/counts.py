"""Histograms of chunked arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

import multisplit

from .._arrays import check_flag
from . import checks
from .tree import combine

if TYPE_CHECKING:
    import dask.array as da


def histogram(
    a: da.Array,
    bins: int | Sequence[float] | np.ndarray[Any, Any] = 10,
    range: tuple[Any, Any] | None = None,
    weights: da.Array | None = None,
    density: bool | None = False,
) -> tuple[da.Array, Any]:
    """Counts and edges of a dask array of any shape, like `numpy.histogram`.

    The counts are a dask array. The edges are a NumPy array if `bins` or `range` determine them; otherwise they
    depend on the smallest and largest element, and are a dask array too.
    """
    import dask.array as da

    checks.array(a, "a", one_dimension=False, known=False)
    bins = _bins(bins)
    density = density is not None and check_flag(density, "density")
    if weights is not None:
        checks.array(weights, "weights", one_dimension=False, known=False, keys=False)
        if weights.shape != a.shape and not any(np.isnan(n) for n in (*weights.shape, *a.shape)):
            raise ValueError(f"weights have the shape {weights.shape} and a has {a.shape}: give one weight per element")
        if weights.dtype.kind == "b" and not isinstance(bins, int):
            raise TypeError("weights are booleans, which are not supported with bins given as edges: convert them to integers")
        weights = weights if weights.chunks == a.chunks else weights.rechunk(a.chunks)
    token = tokenize(a, bins, range, weights, density)
    names = {part: f"multisplit-histogram-{part}-{token}" for part in ("extent", "extents", "range", "chunk", "sum", "tasks", "edges")}

    keys = _flat(a.__dask_keys__())
    weight_keys = _flat(weights.__dask_keys__()) if weights is not None else [None] * len(keys)
    graph = {}
    known = not isinstance(bins, int) or range is not None
    if known:
        limits = [None, None] if range is None else [_limit(limit) for limit in range]
        edges = edges_of(bins, limits, a.dtype)
    else:
        graph = {(names["extent"], i): (extent_of_chunk, key) for i, key in enumerate(keys)}
        extent = combine(graph, names["extents"], list(graph), extent_of_extents)
        graph[names["range"]] = (range_of_extent, extent)
        limits = names["range"]
    for i, key in enumerate(keys):
        graph[names["chunk"], i] = (histogram_of_chunk, key, weight_keys[i], bins, limits)
    total = combine(graph, names["sum"], [(names["chunk"], i) for i, _ in enumerate(keys)], add_counts)

    dependencies = [a] if weights is None else [a, weights]
    base = HighLevelGraph.from_collections(names["tasks"], graph, dependencies=dependencies)
    count = bins if isinstance(bins, int) else len(bins) - 1
    counted = np.dtype(np.int64) if weights is None else weights.dtype.newbyteorder("=")
    dtype = np.dtype(float) if density else counted

    def collection(name, task, length, dtype):
        graph = HighLevelGraph({**base.layers, name: {(name, 0): task}}, {**base.dependencies, name: {names["tasks"]}})
        return da.Array(graph, name, chunks=((length,),), dtype=dtype, meta=np.empty(0, dtype))

    name = f"multisplit-histogram-{token}"
    counts = collection(name, (finish, total, bins, limits, a.dtype, bool(density)), count, dtype)
    if not known:
        edges = collection(names["edges"], (edges_of, bins, limits, a.dtype), count + 1, edges_of(bins, None, a.dtype).dtype)
    return counts, edges


def _bins(bins):
    if isinstance(bins, str):
        raise TypeError(f"bins is {bins!r}, but rules that need all elements first are not supported: give a count or edges")
    if isinstance(bins, (int, np.integer)):
        if bins < 1:
            raise ValueError(f"bins is {bins}: give at least 1, or edges")
        return int(bins)
    edges = np.asarray(bins)
    if edges.ndim != 1 or len(edges) < 2 or edges.dtype.kind not in "iuf" or np.any(edges[1:] < edges[:-1]):
        raise ValueError("bins must be a count, or at least two edges in ascending order: sort them and give them as an array of numbers")
    return edges


def _limit(limit):
    # NumPy scalars keep their type, which becomes the type of the edges if it is wider than that of the
    # elements.
    return limit if isinstance(limit, (int, float, np.number)) else float(limit)


def _flat(keys):
    return [leaf for key in keys for leaf in _flat(key)] if isinstance(keys, list) else [keys]


def extent_of_chunk(a):
    a = np.asarray(a)
    return (a.min(), a.max()) if a.size else None


def extent_of_extents(extents):
    extents = [extent for extent in extents if extent is not None]
    # NumPy's functions propagate NaN from any position; Python's `min` and `max` do not.
    return (np.min([low for low, _ in extents]), np.max([high for _, high in extents])) if extents else None


def range_of_extent(extent):
    """Reject a computed range that is not finite, with NumPy's message for such ranges. Without this check, NumPy would
    report the range as one that the user has given, because the tasks of chunks pass it explicitly."""
    if extent is not None and not np.all(np.isfinite(extent)):
        raise ValueError(f"autodetected range of [{extent[0]}, {extent[1]}] is not finite")
    return extent


def _range(limits):
    """NumPy uses the range 0 to 1 for empty arrays."""
    return (0.0, 1.0) if limits is None else None if limits[0] is None else tuple(limits)


def histogram_of_chunk(a, weights, bins, limits):
    a = np.asarray(a)
    weights = None if weights is None else np.ascontiguousarray(weights).reshape(-1)
    flat = np.ascontiguousarray(a).reshape(-1)
    with checks.device_memory("a chunk", flat.nbytes):
        return np.asarray(multisplit.histogram(flat, bins, _range(limits), weights=weights)[0])


def add_counts(counts):
    """Add counts in their own type, like NumPy; plain sums of small integers would have a wider type."""
    return np.sum(counts, axis=0, dtype=counts[0].dtype)


def edges_of(bins, limits, dtype):
    """NumPy's edges; for floats they have the type of the elements, or of the limits if that is wider."""
    seen = np.empty(0, np.uint8 if dtype.kind == "b" else dtype)
    return np.histogram_bin_edges(seen, bins, _range(limits))


def finish(counts, bins, limits, dtype, density):
    if not density:
        return counts
    return counts / np.diff(edges_of(bins, limits, dtype)).astype(float) / counts.sum()
