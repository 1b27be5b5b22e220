"""Reductions of segments."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from . import _native
from ._arrays import as_ndarray, check_fits, encoded, encoding_of
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
    array, bounds = as_ndarray(x), as_ndarray(offsets, "offsets")
    check_operator(op, array.dtype)
    if array.ndim != 1 or bounds.ndim != 1:
        raise ValueError(f"x has {array.ndim} axes and offsets has {bounds.ndim}, but both must have one")
    if bounds.dtype.kind not in "ui":
        raise TypeError(f"offsets has the type {bounds.dtype}, but offsets must be integers")
    if bounds.size == 0 or int(bounds[0]) < 0 or int(bounds[-1]) > array.size or bool((bounds[1:] < bounds[:-1]).any()):
        raise ValueError(f"offsets must contain at least one number; the numbers must be ascending, from 0 to {array.size}")
    encoding = encoding_of(array.dtype)
    check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
    if array.size >= 1 << 32:
        raise ValueError(f"x has {array.size:,} elements, but at most 2^32 - 1 are supported: reduce x in parts")
    reduced = np.zeros(bounds.size - 1, encoding.dtype)
    if reduced.size and array.size:
        elements = engine.upload(encoded(array, encoding), op != "sum")
        segments = engine.upload(np.ascontiguousarray(bounds, np.uint32), False)
        engine.download(_native.reduce_segments(engine, elements, segments, op), 0, reduced)
    found = encoding.decode(reduced)
    if op != "sum":
        found[bounds[1:] == bounds[:-1]] = neutral(found.dtype, op)
    return found
