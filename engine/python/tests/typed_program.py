"""A program that uses every function. test_documentation.py checks it with `mypy --strict`, and runs it."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
from numpy.typing import NDArray

import multisplit
import multisplit.dask as msd
from multisplit import Context, DeviceArray, Even, Glsl, Identity

Array = NDArray[Any]


def on_the_host(x: NDArray[np.float32]) -> int:
    """Every function except sssp and devices, with arrays on the host."""
    ordered: Array = multisplit.sort(x, descending=True, nan="total")
    order: Array = multisplit.argsort(x, axis=0)
    keys, values = multisplit.sort_pairs(x, order)
    best = multisplit.topk(x, 2, largest=False)
    found: Array = best.indices
    middle: Array = multisplit.partition(x, 3)
    halves: Array = multisplit.argpartition(x, [1, -2], axis=None)
    quartiles: Array = multisplit.quantile(x, [0.25, 0.75])
    rank: Array = multisplit.percentile(x.reshape(2, -1), 90, axis=1)
    average = float(multisplit.median(x))
    distinct: Array = multisplit.unique_values(x)
    counted: Array = multisplit.unique_counts(x).counts
    inverse: Array = multisplit.unique_inverse(x).inverse_indices
    first: Array = multisplit.unique_all(x).indices
    places: Array = multisplit.searchsorted(distinct, x, side="right")
    sums: Array = multisplit.cumulative_sum(x, include_initial=True)
    largest: Array = multisplit.scan(x, op="max", exclusive=True, offsets=[0, x.size])
    counts, edges = multisplit.histogram(x, bins=4, range=(0, 1), density=False)
    frequencies: Array = multisplit.bincount(inverse, minlength=3)
    parts = multisplit.split(x, Even(0.0, 1.0, 2), values=order)
    bucket: Array = parts.bucket(-1)
    moved: Array = parts.values
    numbered = multisplit.split(inverse, Identity(8))
    if multisplit.HAS_GLSL:
        multisplit.split(inverse, Glsl(2, "uint bucket_of(int64_t key) { return uint(key) & 1u; }"))
    lexical: Array = multisplit.lexsort([x, values])
    member: Array = multisplit.isin(x, [0.5])
    segments: Array = multisplit.reduce_segments(x, [0, 2, x.size], op="max")
    present: Array = multisplit.nonzero(x)[0]
    assert lexical.size == member.size == present.size and quartiles.size == rank.size and 0 < average < 1 and segments.size == 2
    everything = (ordered, keys, values, found, middle, halves, counted, first, places, sums, largest, counts, edges, frequencies, bucket, moved)
    return sum(part.size for part in everything) + int(numbered.counts.sum())


def on_the_device(x: NDArray[np.float32], context: Context) -> int:
    """The functions whose result types depend on whether arrays are on the device, nonzero, and histogram."""
    a = DeviceArray(x, context=context)
    ordered: DeviceArray = multisplit.sort(a)
    order: DeviceArray = multisplit.argsort(a, descending=True)
    keys, values = multisplit.sort_pairs(a, order)
    best: DeviceArray = multisplit.topk(a, 2).values
    middle: DeviceArray = multisplit.partition(a, 3)
    halves: DeviceArray = multisplit.argpartition(a, 3)
    present: tuple[Array, ...] = multisplit.nonzero(a)
    distinct: DeviceArray = multisplit.unique_values(a)
    inverse: DeviceArray = multisplit.unique_inverse(a).inverse_indices
    counts: DeviceArray = multisplit.unique_counts(a).counts
    first: DeviceArray = multisplit.unique_all(a).indices
    places: DeviceArray = multisplit.searchsorted(ordered, a)
    sums: DeviceArray = multisplit.cumulative_sum(a)
    smallest: DeviceArray = multisplit.scan(a, op="min", offsets=[0, a.size])
    parts = multisplit.split(a, [0.5], values=order)
    bucket: DeviceArray = parts.bucket(0)
    rows: DeviceArray = a.reshape(2, -1).take([1, 0]).copy()
    histogram: Array = multisplit.histogram(a, 3)[0]
    everything = (keys, values, best, middle, halves, distinct, inverse, counts, first, places, sums, smallest, bucket, rows)
    host: Array = np.asarray(rows)
    return sum(part.size for part in everything) + len(a) + a.nbytes + int(histogram.sum()) + host.size + present[0].size


def in_chunks(x: NDArray[np.float32]) -> float:
    """Every function of multisplit.dask that takes arrays."""
    chunked: da.Array = da.from_array(x, chunks=3)  # type: ignore[no-untyped-call]
    ordered = msd.sort(chunked, descending=False, chunks=4)
    order = msd.argsort(chunked)
    keys, values = msd.sort_pairs(chunked, order)
    best, indices = msd.topk(chunked, 2)
    counts, _ = msd.histogram(chunked, bins=2, range=(0, 1))
    middle: da.Array = msd.quantile(chunked, [0.5])
    everything = (ordered, order, keys, values, best, indices, counts, middle)
    return float(len(everything))


def shortest_path() -> list[int] | None:
    edges = np.array([[0, 1], [1, 2], [0, 2]])
    paths = multisplit.sssp(edges, [7, 1, 9], source=0, predecessors=True)
    distances: Array = paths.distances
    return paths.path_to(2) if distances.size == 3 else None


def main() -> None:
    x = np.array([0.5, 0.25, 0.75, 0.125, 0.5, 1.0], np.float32)
    names = [device.name for device in multisplit.devices() if device.usable]
    try:
        multisplit.sort(x, axis=1)
    except (multisplit.Error, IndexError) as error:
        message = str(error)
    with Context() as context:
        print(names, context.kind, message, on_the_device(x, context))
    print(multisplit.__version__, on_the_host(x), in_chunks(x), shortest_path())


if __name__ == "__main__":
    main()
