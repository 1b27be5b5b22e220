"""Reductions of segments."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from . import _native
from ._arrays import as_ndarray, check_fits, encoded, encoding_of, offsets_of
from ._context import Context, engine_of
from ._scan import check_operator, neutral

Array = np.ndarray[Any, Any]


def reduce_segments(
    x: Any, offsets: Any, /, *, op: Literal["sum", "min", "max"] = "sum", context: Context | None = None
) -> Array:
    """Sums, minima or maxima of segments of an array, in the type of the array.

    Parameters
    ----------
    x : array_like
        Booleans, integers or floats of up to 64 bits, in one dimension.
    offsets : array_like of integers
        The start of each segment, followed by the end of the last one, in ascending order. A segment may be empty:
        its sum is 0, its minimum or maximum the largest or smallest value of the type.
    op : {"sum", "min", "max"}
        As in :func:`scan`.
    context : Context, optional
        The device to use.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> multisplit.reduce_segments(np.array([3, 1, 4, 1]), [0, 3, 3, 4])
    array([8, 0, 1])
    """
    engine = engine_of(context, x)
    array = as_ndarray(x)
    check_operator(op, array.dtype)
    bounds = offsets_of(offsets, array.ndim, array.size)
    encoding = encoding_of(array.dtype)
    check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
    most = int(engine.describe()["max_storage_range"]) // 8
    reduced = _reduced(engine, encoded(array, encoding), bounds, op, most)
    found = encoding.decode(reduced)
    if op != "sum":
        found[bounds[1:] == bounds[:-1]] = neutral(found.dtype, op)
    return found


def _reduced(engine: Any, x: Array, bounds: Array, op: str, most: int) -> Array:
    """Reduce segments with at most ``most`` elements and offsets per call, so that each array fits in one binding."""
    reduced = np.zeros(bounds.size - 1, x.dtype)
    begin = 0
    while x.size and begin < reduced.size:
        start = int(bounds[begin])
        end = int(np.searchsorted(bounds, start + most, side="right")) - 1
        end = min(max(end, begin + 1), begin + most - 1)
        stop = int(bounds[end])
        if stop - start > most:
            # A long segment: reduce its parts, and then their results.
            cuts = np.append(np.arange(0, stop - start, most), stop - start).astype(np.uint32)
            parts = _reduced(engine, x[start:stop], cuts, op, most)
            reduced[begin:end] = _reduced(engine, parts, np.array([0, parts.size], np.uint32), op, most)
        elif stop > start:
            elements = engine.upload(x[start:stop], op != "sum")
            segments = engine.upload(bounds[begin : end + 1] - bounds[begin], False)
            engine.download(_native.reduce_segments(engine, elements, segments, op), 0, reduced[begin:end])
        begin = end
    return reduced
