"""Top-k and quantiles of chunked arrays."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

import multisplit

from .._arrays import check_flag, index_of
from .._quantile import Ordered, check_numbers, interpolated, is_number, neighbours, probabilities_of, result_type
from . import checks
from .keys import Order
from .sort import sort
from .tree import combine

if TYPE_CHECKING:
    import dask.array as da


def topk(
    x: da.Array, k: int, *, largest: bool = True, sorted: bool = True
) -> tuple[da.Array, da.Array]:
    """The k largest or smallest elements of `x` and their indices (int64): two dask arrays of one chunk.

    Among equal elements, those with lower indices are chosen. NaN and NaT count as the largest. Each chunk
    contributes at most k elements, so little data is moved; if k is close to the length of `x`, use `sort`. The
    result is always in order, even with `sorted=False`.
    """
    import dask.array as da

    checks.array(x, "x")
    k, largest = index_of(k, "k"), check_flag(largest, "largest")
    check_flag(sorted, "sorted")
    if not 0 <= k <= x.shape[0]:
        raise ValueError(f"k is {k}, but it must be from 0 to {x.shape[0]}, the number of elements of x")
    order = Order(x.dtype)
    token = tokenize(x, k, largest)
    starts = [0, *accumulate(x.chunks[0])]
    chunk = f"multisplit-topk-chunk-{token}"
    graph = {(chunk, i): (topk_of_chunk, key, starts[i], k, largest, order) for i, key in enumerate(x.__dask_keys__())}
    last = combine(graph, f"multisplit-topk-combine-{token}", list(graph), topk_of_candidates, k, largest)

    inner = f"multisplit-topk-{token}"
    base = HighLevelGraph.from_collections(inner, graph, dependencies=[x])
    arrays = []
    for kind, function, dtype in (("values", values_of, x.dtype.newbyteorder("=")), ("indices", indices_of, np.dtype(np.int64))):
        name = f"multisplit-topk-{kind}-{token}"
        layers = HighLevelGraph({**base.layers, name: {(name, 0): (function, last, order)}}, {**base.dependencies, name: {inner}})
        arrays.append(da.Array(layers, name, chunks=((k,),), dtype=dtype, meta=np.empty(0, dtype)))
    return tuple(arrays)


def topk_of_chunk(x, start, k, largest, order):
    keys = order.encode(np.asarray(x))
    values, places = _topk(keys, k, largest)
    return values, places + start


def topk_of_candidates(candidates, k, largest):
    """Select from the candidates of several chunks. Equal candidates are in index order: chunks are in order, and so
    are equal candidates of a chunk. The lower index is therefore selected."""
    keys = np.concatenate([values for values, _ in candidates])
    indices = np.concatenate([indices for _, indices in candidates])
    values, places = _topk(keys, k, largest)
    return values, indices[places]


def _topk(keys, k, largest):
    k = min(k, len(keys))
    if k == 0:
        return keys[:0], np.empty(0, np.int64)
    with checks.device_memory("a chunk", keys.nbytes):
        values, places = multisplit.topk(keys, k, largest=largest, sorted=True)
    return np.asarray(values), np.asarray(places).astype(np.int64)


def values_of(result, order):
    return order.decode(result[0])


def indices_of(result, order):
    return result[1]


def quantile(x: da.Array, q: Any) -> da.Array:
    """Quantiles of `x` by linear interpolation, as `multisplit.quantile`: a dask array of one chunk, with the shape of
    `q`.

    They are exact. All chunks are split, but only the result chunks of :func:`sort` that contain neighbours of the
    quantiles, and the last one, which has NaN if there is one, are sorted.
    """
    checks.array(x, "x")
    check_numbers(x.dtype, x.shape[0])
    probabilities, is_weak, n = probabilities_of(q), is_number(q), x.shape[0]
    below, above, _ = neighbours(probabilities, n)
    places = np.unique([*below, *above, n - 1])
    return sort(x)[places].rechunk(-1).map_blocks(
        quantiles_of_places,
        n=n,
        places=places,
        probabilities=probabilities,
        is_weak=is_weak,
        drop_axis=0,
        new_axis=list(range(probabilities.ndim)),
        chunks=probabilities.shape,
        dtype=result_type(x.dtype, probabilities, is_weak),
        meta=np.empty((0,) * probabilities.ndim, result_type(x.dtype, probabilities, is_weak)),
    )


def quantiles_of_places(values, n, places, probabilities, is_weak):
    return np.asarray(interpolated(Ordered(n, places, values), probabilities, is_weak))
