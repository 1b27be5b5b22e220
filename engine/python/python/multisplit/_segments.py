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
    reduced = np.zeros(bounds.size - 1, encoding.dtype)
    if reduced.size and array.size:
        elements = engine.upload(encoded(array, encoding), op != "sum")
        segments = engine.upload(bounds, False)
        engine.download(_native.reduce_segments(engine, elements, segments, op), 0, reduced)
    found = encoding.decode(reduced)
    if op != "sum":
        found[bounds[1:] == bounds[:-1]] = neutral(found.dtype, op)
    return found
