"""Splits of keys into contiguous buckets."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, overload, Any, Generic, NamedTuple, TypeVar

import numpy as np

from . import _native
from ._arrays import as_ndarray, check_fits, encoded, encoding_of, index_of, key_encoding_of, plain_times
from ._buckets import Even, Glsl, Identity
from ._context import Context, engine_of
from ._device_array import DeviceArray
from ._edges import check_edges, even_thresholds, exact_number, holds, thresholds
from ._errors import ArgumentError
from ._sort import check_pairs, movable

Array = np.ndarray[Any, Any]
#: Type of the arrays in a result: NumPy arrays, or arrays on the device.
A = TypeVar("A")


if TYPE_CHECKING:

    class _Parts(NamedTuple, Generic[A]):
        #: The keys in bucket order; keys of the same bucket keep their order.
        keys: A
        #: The values in the order of the keys; None if no values were given.
        values: A
        #: The start of each bucket, followed by the number of keys: one more than there are buckets.
        offsets: Array

else:

    class _Parts(namedtuple("SplitResult", ["keys", "values", "offsets"], module=__name__)):
        __class_getitem__ = classmethod(lambda cls, _: cls)


class SplitResult(_Parts[A]):
    """Result of :func:`split`."""

    @property
    def counts(self) -> Array:
        """Number of keys per bucket."""
        return np.diff(self.offsets)

    def bucket(self, i: int) -> A:
        """The keys of bucket ``i``; a negative number counts from the last bucket."""
        buckets, number = len(self.offsets) - 1, index_of(i, "i")
        if not -buckets <= number < buckets:
            raise IndexError(f"bucket {number} does not exist: there are {buckets} buckets")
        begin = number % buckets
        keys: Any = self.keys
        found: A = keys[int(self.offsets[begin]) : int(self.offsets[begin + 1])]
        return found


@overload
def split(
    keys: DeviceArray, /, buckets: Any, *, values: DeviceArray | None = ..., context: Context | None = ...
) -> SplitResult[DeviceArray]: ...
@overload
def split(
    keys: Any, /, buckets: Any, *, values: Any = ..., context: Context | None = ...
) -> SplitResult[Array]: ...
def split(
    keys: Any,
    /,
    buckets: Any,
    *,
    values: Any = None,
    context: Context | None = None,
) -> SplitResult[Any]:
    """Split keys into contiguous buckets. Keys keep their order within a bucket.

    Parameters
    ----------
    keys : array_like
        One-dimensional; types as in :func:`sort`.
    buckets : array_like, Even, Identity or Glsl
        m - 1 ascending edges for m buckets: bucket i has the keys with ``edges[i-1] <= key < edges[i]``, and NaN
        is in the last one. Integers are compared exactly, and with floats as in NumPy. Alternatively a bucket
        function.
    values : array_like, optional
        One value of any type per key, along the first axis; moved with the keys.
    context : Context, optional
        The device to use.

    Returns
    -------
    SplitResult
        With ``keys``, ``values`` and ``offsets``.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> parts = multisplit.split(np.array([5, 200, 30, 7]), [10, 100], values=np.array([1., 2., 3., 4.]))
    >>> parts.keys, parts.values
    (array([  5,   7,  30, 200]), array([1., 4., 3., 2.]))
    >>> parts.offsets
    array([0, 2, 3, 4])
    """
    engine = engine_of(context, keys, values)
    if isinstance(keys, DeviceArray) or isinstance(values, DeviceArray):
        return _split_on_device(keys, buckets, values)
    array = as_ndarray(keys, "keys")
    if array.ndim != 1:
        raise ValueError(f"keys has {array.ndim} axes, but it must have one")
    # A bucket id consists of the bits of a key. The bits of a narrow negative key could be a valid id, so narrow
    # signed keys are widened to 32 bits.
    signed_ids = isinstance(buckets, Identity) and array.dtype.kind == "i"
    encoding = (encoding_of if signed_ids else key_encoding_of)(array.dtype, "keys")
    if isinstance(buckets, Glsl) and array.dtype.kind in "mM":
        encoding = plain_times(array.dtype)
    function = _Function(buckets, array.dtype, encoding.dtype)
    value_array = None if values is None else as_ndarray(values, "values")
    if value_array is not None:
        check_pairs(array.shape, value_array.shape)
    check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]), "keys")
    flat = encoded(array, encoding)
    keys_out, values_out, offsets = _split_arrays(engine, flat, value_array, function)
    return SplitResult(encoding.decode(keys_out), values_out, function.all_offsets(offsets))


class _Function:
    """A bucket function in the form that the native part takes."""

    def __init__(self, buckets: Any, dtype: np.dtype[Any], encoded_dtype: np.dtype[Any]) -> None:
        self.unreachable = 0
        #: Whether the function compares keys, so that both zeros must be equal and NaN must be last.
        self.compares = not isinstance(buckets, (Glsl, Identity))
        if isinstance(buckets, Glsl):
            self.native = buckets._function()
        elif isinstance(buckets, Identity):
            if dtype.kind not in "bui":
                raise TypeError(f"keys of type {dtype} cannot be bucket numbers, as Identity requires: use integers")
            self.native = ("identity", index_of(buckets.buckets, "buckets"))
        elif isinstance(buckets, Even):
            self.native = self._even(buckets, dtype, encoded_dtype)
        elif callable(buckets):
            raise TypeError(
                "buckets is a Python function, which a device cannot run: give splitters, Even, Identity, or the "
                "function in GLSL (multisplit.Glsl)"
            )
        elif isinstance(buckets, (bool, int, np.integer)):
            raise TypeError(
                "buckets is a number, but must be an array of splitters, Even(low, high, buckets), Identity(buckets), or a "
                "function in GLSL (multisplit.Glsl)"
            )
        else:
            self.native = ("range", self._splitters(buckets, dtype, encoded_dtype))

    def _even(self, even: Even, dtype: np.dtype[Any], encoded_dtype: np.dtype[Any]) -> tuple[Any, ...]:
        count = index_of(even.buckets, "buckets")
        if not 1 <= count <= _native.MAX_BUCKETS:
            raise ArgumentError(f"Even has {count} buckets: give from 1 to {_native.MAX_BUCKETS}, the limit of a split")
        if dtype.kind in "mM":
            ends = _dates(even, dtype)
        else:
            low, high = exact_number(even.low, "low"), exact_number(even.high, "high")
            if low >= high:
                raise ArgumentError(f"Even has the range {even.low} to {even.high}: low must be less than high")
            if not (holds(dtype, low) and holds(dtype, high)):
                # Rounded or wrapped ends would define different buckets.
                reached, self.unreachable = even_thresholds(low, high, count, encoded_dtype)
                return ("range", reached)
            number = float if dtype.kind == "f" else int
            ends = np.array([number(low), number(high)], dtype)
        narrow = key_encoding_of(dtype)
        ends = encoded(ends, narrow if narrow.dtype == encoded_dtype else encoding_of(dtype))
        return ("even", ends, count)

    def _splitters(self, buckets: Any, dtype: np.dtype[Any], encoded_dtype: np.dtype[Any]) -> Array:
        edges = as_ndarray(buckets, "buckets")
        if edges.size == 0:
            return np.empty(0, encoded_dtype)
        if dtype.kind in "mM":
            if not np.can_cast(edges.dtype, dtype):
                raise TypeError(f"splitters of type {edges.dtype} cannot be converted to {dtype} without loss")
            encoding = encoding_of(dtype)
            edges = encoded(edges.astype(dtype), encoding)
        check_edges(edges, "buckets")
        reached, self.unreachable = thresholds(edges, encoded_dtype, exact=True)
        return reached

    def all_offsets(self, offsets: Array) -> Array:
        """The offsets of all buckets; the unreachable ones are at the end."""
        return np.concatenate([offsets, np.full(self.unreachable, offsets[-1])]) if self.unreachable else offsets


def _dates(even: Even, dtype: np.dtype[Any]) -> Array:
    ends = np.asarray([even.low, even.high])
    found = ends.astype(dtype)
    if ends.dtype.kind in "mM" and bool((found != ends).any()):
        raise TypeError(f"low and high of type {ends.dtype} cannot be converted to {dtype} without loss")
    return found


def _split_arrays(
    engine: _native.Engine, keys: Array, values: Array | None, function: _Function
) -> tuple[Array, Array | None, Array]:
    buffer = engine.upload(keys, function.compares)
    carried = None if values is None else movable(values, keys.size)
    if buffer.altered or (values is not None and carried is None):
        return _split_by_permutation(engine, buffer, keys, values, function)
    along = None if carried is None else engine.upload(carried, False)
    found = _native.split(engine, buffer, along, function.native)
    keys_out = np.empty_like(keys)
    engine.download(found[0], 0, keys_out)
    values_out = None
    if values is not None and carried is not None and found[1] is not None:
        moved = np.empty_like(carried)
        engine.download(found[1], 0, moved)
        values_out = moved.view(np.uint8).view(values.dtype.newbyteorder("=")).reshape(values.shape)
    return keys_out, values_out, _numbers(engine, found[2])


def _split_by_permutation(
    engine: _native.Engine, buffer: _native.Buffer, keys: Array, values: Array | None, function: _Function
) -> tuple[Array, Array | None, Array]:
    """Compute the permutation on the device, and move keys and values on the host. Used if the upload has changed bits
    of the keys, or if the device cannot move the values."""
    places, offsets = _native.split_permutation(engine, buffer, function.native)
    to = _numbers(engine, places)
    keys_out = np.empty_like(keys)
    keys_out[to] = keys
    values_out = None
    if values is not None:
        values_out = np.empty_like(values)
        values_out[to] = values
    return keys_out, values_out, _numbers(engine, offsets)


def _split_on_device(keys: Any, buckets: Any, values: Any) -> SplitResult[Any]:
    if not isinstance(keys, DeviceArray) or not (values is None or isinstance(values, DeviceArray)):
        raise TypeError("keys and values must be both on the host, or both on the device (multisplit.DeviceArray)")
    if keys.ndim != 1:
        raise ValueError(f"keys has {keys.ndim} axes, but it must have one")
    if values is not None:
        check_pairs(keys.shape, values.shape)
    if isinstance(buckets, Glsl) and keys.dtype.kind in "mM":
        raise TypeError(f"keys of type {keys.dtype} must be on the host for a GLSL function: use numpy.asarray(keys)")
    if isinstance(buckets, (Even, Glsl)):
        # The ends of Even, and GLSL functions, refer to the type that the keys have on the host.
        keys = keys._widened()
    engine = keys._engine
    function = _Function(buckets, keys.dtype, np.dtype(keys._buffer.kind))
    along = None if values is None else values._buffer
    found = _native.split(engine, keys._keys(not function.compares), along, function.native)
    moved = None
    if values is not None and found[1] is not None:
        moved = DeviceArray._of(engine, found[1], values.shape, values.dtype)
    offsets = function.all_offsets(_numbers(engine, found[2]))
    return SplitResult(DeviceArray._of(engine, found[0], keys.shape, keys.dtype), moved, offsets)


def _numbers(engine: _native.Engine, buffer: _native.Buffer) -> Array:
    out = np.empty(len(buffer), np.int64)
    engine.download(buffer, 0, out)
    return out
