"""The distinct elements of an array, as in the Array API."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, overload, Any, Generic, NamedTuple, TypeVar

import numpy as np

from . import _native
from ._arrays import as_ndarray, check_fits, encoded, encoding_of
from ._context import Context, engine_of
from ._device_array import DeviceArray
from ._sort import order_rows

Array = np.ndarray[Any, Any]
#: Type of the arrays in a result: NumPy arrays, or arrays on the device.
A = TypeVar("A")


if TYPE_CHECKING:

    class UniqueCountsResult(NamedTuple, Generic[A]):
        """Result of :func:`unique_counts`."""

        values: A
        counts: A

else:
    UniqueCountsResult = namedtuple("UniqueCountsResult", ["values", "counts"], module=__name__)
    UniqueCountsResult.__doc__ = "Result of :func:`unique_counts`."



if TYPE_CHECKING:

    class UniqueInverseResult(NamedTuple, Generic[A]):
        """Result of :func:`unique_inverse`."""

        values: A
        inverse_indices: A

else:
    UniqueInverseResult = namedtuple("UniqueInverseResult", ["values", "inverse_indices"], module=__name__)
    UniqueInverseResult.__doc__ = "Result of :func:`unique_inverse`."



if TYPE_CHECKING:

    class UniqueAllResult(NamedTuple, Generic[A]):
        """Result of :func:`unique_all`."""

        values: A
        indices: A
        inverse_indices: A
        counts: A

else:
    UniqueAllResult = namedtuple("UniqueAllResult", ["values", "indices", "inverse_indices", "counts"], module=__name__)
    UniqueAllResult.__doc__ = "Result of :func:`unique_all`."



@overload
def unique_values(
    x: DeviceArray, /, *, context: Context | None = ...
) -> DeviceArray: ...
@overload
def unique_values(
    x: Any, /, *, context: Context | None = ...
) -> Array: ...
def unique_values(x: Any, /, *, context: Context | None = None) -> Any:
    """The distinct elements of an array, in ascending order.

    As specified by the Array API, both zeros are one element, and every NaN is distinct.

    >>> import numpy as np, multisplit
    >>> multisplit.unique_values(np.array([3, 1, 3]))
    array([1, 3])
    """
    return unique_counts(x, context=context).values


@overload
def unique_counts(
    x: DeviceArray, /, *, context: Context | None = ...
) -> UniqueCountsResult[DeviceArray]: ...
@overload
def unique_counts(
    x: Any, /, *, context: Context | None = ...
) -> UniqueCountsResult[Array]: ...
def unique_counts(x: Any, /, *, context: Context | None = None) -> UniqueCountsResult[Any]:
    """The distinct elements of an array, in ascending order, and the number of occurrences of each.

    >>> import numpy as np, multisplit
    >>> multisplit.unique_counts(np.array([3.0, 1.0, 3.0, np.nan, np.nan]))
    UniqueCountsResult(values=array([ 1.,  3., nan, nan]), counts=array([1, 2, 1, 1]))
    """
    engine = engine_of(context, x)
    if isinstance(x, DeviceArray):
        dtype = x.dtype
        sorted_keys = _native.sort(engine, x._keys(False), x.size, False)
    else:
        array = as_ndarray(x)
        encoding = encoding_of(array.dtype)
        dtype = array.dtype.newbyteorder("=")
        check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
        sorted_keys = engine.upload(encoded(array, encoding).reshape(-1), True)
        _native.sort_in_place(engine, sorted_keys, False)
    found, lengths = _native.run_lengths(engine, sorted_keys)
    if isinstance(x, DeviceArray) and dtype.kind not in "fmM":
        shape = (len(found),)
        return UniqueCountsResult(
            DeviceArray._of(engine, found, shape, dtype), DeviceArray._of(engine, lengths, shape, np.int64)
        )
    values, counts = np.empty(len(found), found.kind), np.empty(len(found), np.int64)
    engine.download(found, 0, values)
    engine.download(lengths, 0, counts)
    values, counts = _each_nan_apart(encoding_of(dtype).decode(values), counts)
    if isinstance(x, DeviceArray):
        return UniqueCountsResult(*(DeviceArray._uploaded(engine, part) for part in (values, counts)))
    return UniqueCountsResult(values, counts)


@overload
def unique_inverse(
    x: DeviceArray, /, *, context: Context | None = ...
) -> UniqueInverseResult[DeviceArray]: ...
@overload
def unique_inverse(
    x: Any, /, *, context: Context | None = ...
) -> UniqueInverseResult[Array]: ...
def unique_inverse(x: Any, /, *, context: Context | None = None) -> UniqueInverseResult[Any]:
    """The distinct elements of an array, in ascending order, and the index of each input element among them.

    >>> import numpy as np, multisplit
    >>> multisplit.unique_inverse(np.array([3, 1, 3]))
    UniqueInverseResult(values=array([1, 3]), inverse_indices=array([1, 0, 1]))
    """
    found = unique_all(x, context=context)
    return UniqueInverseResult(found.values, found.inverse_indices)


@overload
def unique_all(
    x: DeviceArray, /, *, context: Context | None = ...
) -> UniqueAllResult[DeviceArray]: ...
@overload
def unique_all(
    x: Any, /, *, context: Context | None = ...
) -> UniqueAllResult[Array]: ...
def unique_all(x: Any, /, *, context: Context | None = None) -> UniqueAllResult[Any]:
    """The distinct elements of an array, in ascending order; the index of the first occurrence of each in the
    flattened array; the index of each input element among them; and the number of occurrences of each.

    >>> import numpy as np, multisplit
    >>> found = multisplit.unique_all(np.array([[3, 1], [3, 3]]))
    >>> found.indices, found.counts
    (array([1, 0]), array([1, 3]))
    >>> found.inverse_indices
    array([[1, 0],
           [1, 1]])
    """
    on_device, engine = isinstance(x, DeviceArray), engine_of(context, x)
    array = as_ndarray(x._download() if isinstance(x, DeviceArray) else x)
    encoding = encoding_of(array.dtype)
    check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
    flat = array.reshape(-1)
    order = np.empty(flat.size, np.int64)
    order_rows(engine, encoded(flat, encoding), order, False, False)
    ascending = flat[order]
    # NaN differs from NaN, and -0 equals 0.
    begins = np.ones(flat.size, bool)
    np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
    first = np.flatnonzero(begins)
    inverse = np.empty(flat.size, np.int64)
    inverse[order] = np.cumsum(begins) - 1
    found = UniqueAllResult(
        ascending[first].astype(flat.dtype.newbyteorder("="), copy=False),
        order[first],
        inverse.reshape(array.shape),
        np.diff(first, append=flat.size),
    )
    return UniqueAllResult(*(DeviceArray._uploaded(engine, part) for part in found)) if on_device else found


def _each_nan_apart(values: Array, counts: Array) -> tuple[Array, Array]:
    if values.size == 0 or values.dtype.kind not in "fmM" or not np.isnan(values[-1]):
        return values, counts
    times = np.ones_like(counts)
    times[-1] = counts[-1]
    apart = counts.copy()
    apart[-1] = 1
    return np.repeat(values, times), np.repeat(apart, times)
