"""Checks of arguments before any work is done, and of the available memory."""

from __future__ import annotations

import math
from contextlib import contextmanager

import numpy as np

import multisplit

from .keys import check_dtype

WORKING_SET = 3
"""Number of chunks that a task holds at the same time: its input, the copy it makes, and the result."""


def array(x, what: str, *, one_dimension: bool = True, known: bool = True, keys: bool = True):
    """Check that `x` is a dask array with a supported shape and type."""
    import dask.array as da

    if not isinstance(x, da.Array):
        raise TypeError(
            f"{what} is a {type(x).__name__}, not a dask array: use dask.array.from_array, or multisplit's own functions if it fits in memory"
        )
    if one_dimension and x.ndim != 1:
        raise ValueError(
            f"{what} has {x.ndim} dimensions, but only arrays with one dimension are supported: "
            "use .ravel(), or map_blocks to call multisplit along an axis with a single chunk"
        )
    if known and any(math.isnan(n) for sizes in x.chunks for n in sizes):
        raise ValueError(f"{what} has chunks of unknown size: call .compute_chunk_sizes() on it first")
    if keys:
        check_dtype(x.dtype, what)
    elif x.dtype.kind == "O":
        instead = ", or give row numbers instead" if what == "values" else ""
        raise TypeError(f"{what} is an array of Python objects: convert it with .astype{instead}")
    return x


def axis(axis: int) -> None:
    if axis not in (-1, 0):
        raise ValueError(f"axis is {axis}, but an array of one dimension has only axis 0 (or -1)")


def result_chunks(chunks, total: int, default: int) -> tuple[int, ...]:
    """The lengths of the result chunks: as given, or at most `default` lengths that differ by at most one."""
    if chunks is None:
        count = default
    elif isinstance(chunks, (int, np.integer)):
        if chunks < 1:
            raise ValueError(f"chunks is {chunks}: give a length of at least 1, or all lengths as a tuple")
        whole, rest = divmod(total, int(chunks))
        return (int(chunks),) * whole + ((rest,) if rest or not whole else ())
    else:
        lengths = tuple(int(n) for n in chunks)
        if sum(lengths) != total or any(n < 0 for n in lengths):
            raise ValueError(f"chunks add up to {sum(lengths)}, and the array has {total} elements: give lengths of at least 0 that add up to this number")
        return lengths
    return tuple(int(n) for n in even_lengths(total, max(1, min(count, total))))


def even_lengths(total: int, results: int) -> np.ndarray:
    """`results` lengths that differ by at most one."""
    borders = np.arange(results + 1, dtype=np.int64) * total // results
    return np.diff(borders)


def memory(largest: int):
    """Check that the workers of the current client, if any, have memory to process a chunk of `largest` bytes."""
    try:
        from distributed import get_client

        client = get_client()
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
    except (ImportError, ValueError):
        return
    limits = [w["memory_limit"] for w in workers if w.get("memory_limit")]
    if limits and WORKING_SET * largest > min(limits):
        raise MemoryError(
            f"a chunk has {_bytes(largest)} and a worker may use {_bytes(min(limits))}, which is less than {WORKING_SET} chunks: "
            f"rechunk to {_bytes(min(limits) // WORKING_SET)} at most, or give workers more memory"
        )


def frame_memory(size: int):
    """Check that the current worker has memory to process a partition of `size` bytes. Unlike `memory`, this runs on
    the worker, because the size of a partition of a table is known only there."""
    try:
        from distributed import get_worker

        limit = get_worker().memory_manager.memory_limit
    except (ImportError, ValueError):
        return
    if limit and WORKING_SET * size > limit:
        raise MemoryError(
            f"a partition has {_bytes(size)} and its worker may use {_bytes(limit)}, which is less than {WORKING_SET} partitions: "
            f"repartition to {_bytes(limit // WORKING_SET)} at most, or give workers more memory"
        )


@contextmanager
def device_memory(what: str, size: int):
    """Add advice to errors that are raised if `what`, of `size` bytes, does not fit in device memory."""
    try:
        yield
    except multisplit.OutOfMemoryError as error:
        raise multisplit.OutOfMemoryError(
            f"{what} of {_bytes(size)} does not fit in the device memory of its worker: use smaller chunks ({str(error).splitlines()[0]})"
        ) from None


def _bytes(count: int) -> str:
    from dask.utils import format_bytes

    return format_bytes(int(count))
