"""Sorts of chunked arrays, as a graph of plain tasks.

    chunk i -> sample i -.                       counts i -.
                          '-> splitters -> split i          '-> plan -> cuts i -> part (i, j) -> result j

Creating the graph does not compute anything; the sizes of the result chunks are already known.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from .._arrays import check_flag
from . import checks, exchange, payload, routes, splitters
from .keys import Order

if TYPE_CHECKING:
    import dask.array as da


def sort(
    x: da.Array,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    chunks: int | Sequence[int] | None = None,
) -> da.Array:
    """Return the sorted elements of `x` as a dask array.

    `chunks` is a length or a tuple of lengths of result chunks; by default there are as many chunks as in `x`, or as
    elements if these are fewer, and their lengths differ by at most one. The sort is always stable. As in
    `multisplit.sort`, NaN and NaT come last, or first in descending order.

    >>> import dask.array as da
    >>> from multisplit.dask import sort
    >>> sort(da.from_array([3, 1, 2], chunks=2)).compute()
    array([1, 2, 3])
    """
    checks.axis(axis)
    check_flag(stable, "stable")
    return _sorted(x, None, "keys", descending, chunks)


def argsort(
    x: da.Array,
    /,
    *,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    chunks: int | Sequence[int] | None = None,
) -> da.Array:
    """Return the indices (int64) that sort `x`. Equal elements keep their order."""
    checks.axis(axis)
    check_flag(stable, "stable")
    return _sorted(x, None, "positions", descending, chunks)


def sort_pairs(
    keys: da.Array,
    values: da.Array,
    *,
    descending: bool = False,
    chunks: int | Sequence[int] | None = None,
) -> tuple[da.Array, da.Array]:
    """Sort `keys`, and put `values` in the order of their keys. Returns two dask arrays with the same chunks.

    Compute both together (`dask.compute(keys, values)`), or keep them with `dask.persist(keys, values)`, so that
    they share the work.
    """
    checks.array(keys, "keys")
    checks.array(values, "values", keys=False)
    if keys.shape != values.shape:
        raise ValueError(f"there are {keys.shape[0]} keys and {values.shape[0]} values: give one value per key")
    return _sorted(keys, values, "pairs", descending, chunks)


def _sorted(x, values, what, descending, chunks):
    import dask.array as da

    checks.array(x, "keys" if what == "pairs" else "x")
    if values is not None and values.chunks != x.chunks:
        values = values.rechunk(x.chunks)
    lengths = checks.result_chunks(chunks, x.shape[0], x.numblocks[0])
    descending = check_flag(descending, "descending")
    order = Order(x.dtype, descending, missing_first=descending)
    _check_memory(x, values, lengths)

    token = tokenize(x, values, what, order, lengths)
    inputs = list(_chunks(x, values, what))
    graph, results = exchange_graph(token, inputs, order, x.shape[0], lengths)
    dependencies = [x] if values is None else [x, values]
    native = x.dtype.newbyteorder("=")

    def collection(kind, extract, dtype):
        name = f"multisplit-{kind}-{token}"
        tasks = {(name, j): (extract, key, order) for j, key in enumerate(results)}
        return name, tasks, dtype

    if what == "keys":
        outputs = [collection("sorted", sorted_keys, native)]
    elif what == "positions":
        outputs = [collection("argsorted", sorted_values, np.dtype(np.int64))]
    else:
        outputs = [collection("sorted", sorted_keys, native), collection("sorted-values", sorted_values, values.dtype.newbyteorder("="))]
    inner = f"multisplit-exchange-{token}"
    arrays = []
    for name, tasks, dtype in outputs:
        base = HighLevelGraph.from_collections(inner, graph, dependencies=dependencies)
        layers = {**base.layers, name: tasks}
        links = {**base.dependencies, name: {inner}}
        arrays.append(da.Array(HighLevelGraph(layers, links), name, chunks=(lengths,), dtype=dtype, meta=np.empty(0, dtype)))
    return arrays[0] if len(arrays) == 1 else tuple(arrays)


def _chunks(x, values, what):
    """For each chunk: its length, the graph key of its keys, and the task for its payload."""
    starts = [0, *accumulate(x.chunks[0])]
    for i, key in enumerate(x.__dask_keys__()):
        length = x.chunks[0][i]
        if what == "keys":
            yield length, key, (no_payload,)
        elif what == "positions":
            yield length, key, (payload.Positions.of_chunk, starts[i], length)
        else:
            yield length, key, (payload.of_values, (values.name, i))


def exchange_graph(token, inputs, order, total, lengths):
    """Return the tasks that lead from chunks to sorted result chunks, and the keys of the result chunks. Each of
    `inputs` is (length, key, payload task)."""
    names = {part: f"multisplit-{part}-{token}" for part in ("sample", "splitters", "split", "counts", "plan", "cuts", "sort")}
    chunks, results = len(inputs), len(lengths)
    if chunks == 1 and results == 1:
        _, key, extra = inputs[0]
        return {(names["sort"], 0): (sort_whole, key, extra, order)}, [(names["sort"], 0)]

    sampling = splitters.Sampling(max(total, 1), results)
    graph = {
        names["splitters"]: (splitters.choose, [(names["sample"], i) for i in range(chunks)], sampling, order.missing_first),
        names["plan"]: (exchange.plan, [(names["counts"], i) for i in range(chunks)], names["splitters"], list(lengths)),
    }
    for i, (length, key, extra) in enumerate(inputs):
        graph[names["sample"], i] = (sample_keys, key, order, sampling.of_chunk(length), i)
        graph[names["split"], i] = (split_keys, key, extra, order, names["splitters"])
        graph[names["counts"], i] = (exchange.counts_of, (names["split"], i))
        graph[names["cuts"], i] = (cuts_of, names["plan"], i)
    return graph, routes.tasks(graph, token, names["split"], names["cuts"], chunks, results, order.missing_first)


def sample_keys(keys, order, count, seed):
    return order.encode(splitters.sample(np.asarray(keys), count, seed))


def split_keys(keys, extra, order, chosen):
    return exchange.split_chunk(order.encode(np.asarray(keys)), extra, chosen)


def sort_whole(keys, extra, order):
    return exchange.sorted_together(order.encode(np.asarray(keys)), extra, order.missing_first)


def cuts_of(plan, chunk):
    return plan[chunk]


def no_payload():
    return payload.Nothing()


def sorted_keys(result, order):
    return order.decode(result[0])


def sorted_values(result, order):
    return result[1].values


def _check_memory(x, values, lengths):
    per_element = x.dtype.itemsize + (0 if values is None else values.dtype.itemsize)
    checks.memory(per_element * max([*x.chunks[0], *lengths], default=0))
