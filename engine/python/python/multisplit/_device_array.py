"""Arrays that stay on the device between calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _native
from ._arrays import as_ndarray, check_fits, contiguous, encoded, encoding_of, index_of, normalize_axis
from ._context import Context, engine_of


class DeviceArray:
    """An array in device memory. Most functions that take one return such arrays, and most calls need no transfers.

    Parameters
    ----------
    x : array_like
        Data to copy to the device.
    context : Context, optional
        The device to use.

    Sorts and top-k of floats in the default order (``nan="last"``) return zeros without a sign and NaNs with a
    single bit pattern; with ``nan="total"`` they keep all bits.

    ``numpy.asarray(a)`` copies the array to the CPU, as does ``__dlpack__`` for other libraries. It is pickled via
    the host, and unpickled on the default device of the loading process.

    It is a handle for the functions of this package and not a full array: it has no arithmetic, cannot be compared
    or changed, and is indexed by whole rows only. ``a[i:j]`` and ``a.take(indices)`` copy the elements via the host.

    >>> import numpy as np, multisplit
    >>> a = multisplit.DeviceArray(np.array([3.0, 1.0, 2.0]))
    >>> order = multisplit.argsort(a)
    >>> order
    multisplit.DeviceArray(shape=(3,), dtype=int64)
    >>> np.asarray(order)
    array([1, 2, 0])
    """

    def __init__(self, x: Any, *, context: Context | None = None) -> None:
        array = as_ndarray(x)
        encoding = encoding_of(array.dtype)
        engine = engine_of(context)
        check_fits(array.size, encoding.dtype.itemsize, int(engine.describe()["memory"]))
        flat = encoded(array, encoding).reshape(-1)
        self._set(engine, engine.upload(flat, False), array.shape, array.dtype.newbyteorder("="))

    def _set(
        self,
        engine: _native.Engine,
        buffer: _native.Buffer,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> None:
        self._engine = engine
        self._buffer = buffer
        self._shape = shape
        self._dtype = dtype

    @classmethod
    def _of(
        cls,
        engine: _native.Engine,
        buffer: _native.Buffer,
        shape: tuple[int, ...],
        dtype: Any,
    ) -> DeviceArray:
        """Wrap the result of a call."""
        array = cls.__new__(cls)
        array._set(engine, buffer, shape, np.dtype(dtype))
        return array

    @classmethod
    def _uploaded(cls, engine: _native.Engine, array: np.ndarray[Any, Any]) -> DeviceArray:
        """Upload a result that was computed on the host."""
        flat = encoded(array, encoding_of(array.dtype)).reshape(-1)
        return cls._of(engine, engine.upload(flat, False), array.shape, array.dtype)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Element type on the host."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return len(self._buffer)

    @property
    def nbytes(self) -> int:
        """Size in device memory in bytes."""
        return self.size * np.dtype(self._buffer.kind).itemsize

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of an array without axes")
        return self._shape[0]

    def __getitem__(self, index: Any) -> Any:
        """Rows of the array, as a new array: ``a[i:j]`` or ``a[i]``. With one axis, ``a[i]`` is a scalar."""
        rows = len(self)
        if isinstance(index, slice):
            begin, end, step = index.indices(rows)
            if step != 1:
                raise ValueError(f"slices of arrays on the device must have the step 1, not {step}: use take")
            return self._rows(begin, max(begin, end), (max(0, end - begin), *self._shape[1:]))
        if isinstance(index, (bool, np.ndarray)) or not hasattr(index, "__index__"):
            raise TypeError(
                "arrays on the device are indexed by an integer or a slice of rows: use take for several indices, or "
                "numpy.asarray(a)[...]"
            )
        row = index_of(index, "an index")
        if not -rows <= row < rows:
            raise IndexError(f"index {row} is out of range for {rows} rows")
        found = self._rows(row % rows, row % rows + 1, self._shape[1:])
        return found._download()[()] if self.ndim == 1 else found

    # Not iterable: iteration would copy one row at a time.
    __iter__ = None

    def _rows(self, begin: int, end: int, shape: tuple[int, ...]) -> DeviceArray:
        length = int(np.prod(self._shape[1:], dtype=object))
        flat = np.empty((end - begin) * length, self._buffer.kind)
        self._engine.download(self._buffer, begin * length, flat)
        return DeviceArray._of(self._engine, self._engine.upload(flat, False), shape, self._dtype)

    def take(self, indices: Any, /, *, axis: int = 0) -> DeviceArray:
        """The elements at these indices, or the rows if there are several axes, copied via the host."""
        if normalize_axis(axis, self.ndim) != 0:
            raise ValueError("take on arrays on the device supports only the first axis (axis=0)")
        wanted = as_ndarray(indices, "indices")
        if wanted.dtype.kind not in "ui":
            raise TypeError(f"indices has the type {wanted.dtype}, but indices must be integers")
        flat = np.empty(self.size, self._buffer.kind)
        self._engine.download(self._buffer, 0, flat)
        found = contiguous(flat.reshape(self._shape).take(wanted, axis=0))
        buffer = self._engine.upload(found.reshape(-1), False)
        return DeviceArray._of(self._engine, buffer, found.shape, self._dtype)

    def copy(self) -> DeviceArray:
        """The same array; arrays on the device never change, so both share their memory."""
        return DeviceArray._of(self._engine, self._buffer, self._shape, self._dtype)

    def __eq__(self, other: object) -> bool:
        raise TypeError("arrays on the device cannot be compared: copy them to the host first (numpy.asarray)")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise TypeError("an array on the device has no truth value: use its size, or copy it to the host first")

    def reshape(self, *shape: Any) -> DeviceArray:
        """The same elements with another shape, without a copy."""
        if len(shape) == 1 and not hasattr(shape[0], "__index__"):
            shape = tuple(shape[0])
        sizes = [index_of(size, "a size") for size in shape]
        if sizes.count(-1) == 1:
            known = int(np.prod([size for size in sizes if size != -1], dtype=object))
            if known > 0 and self.size % known == 0:
                sizes[sizes.index(-1)] = self.size // known
        if any(size < 0 for size in sizes) or int(np.prod(sizes, dtype=object)) != self.size:
            raise ValueError(f"cannot reshape an array of {self.size} elements to {shape}")
        return DeviceArray._of(self._engine, self._buffer, tuple(sizes), self._dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("the host cannot access an array on the device without a copy")
        array = self._download()
        return array if dtype is None else array.astype(dtype, copy=False)

    def _download(self) -> np.ndarray[Any, Any]:
        if self._has_indices:
            out = np.empty(self._shape, np.int64)
            self._engine.download(self._buffer, 0, out.reshape(-1))
            return out
        flat = np.empty(self.size, self._buffer.kind)
        self._engine.download(self._buffer, 0, flat)
        return encoding_of(self._dtype).decode(flat).reshape(self._shape)

    def __dlpack__(self, *, copy: bool | None = None, **options: Any) -> Any:
        if copy is False:
            raise BufferError("the host cannot access an array on the device without a copy")
        # The download is already a copy.
        return self._download().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return DeviceArray, (self._download(),)

    def __repr__(self) -> str:
        return f"multisplit.DeviceArray(shape={self._shape}, dtype={self._dtype})"

    @property
    def _has_indices(self) -> bool:
        """Whether the elements are indices or counts returned by a call, which have 32 bits on the device."""
        return self._dtype == np.int64 and self._buffer.kind == "u4"

    def _widened(self) -> DeviceArray:
        """The same elements with the size of their host type. Indices have 32 bits on the device, which is not enough
        for sums of indices and comparisons with other integers, so they are converted on the host."""
        return DeviceArray._uploaded(self._engine, self._download()) if self._has_indices else self

    def _keys(self, total: bool) -> _native.Buffer:
        """The elements as keys for the engine. Unless ``total`` is set, floats whose zeros or NaNs may not have
        canonical bits are converted via the host."""
        if total or self._buffer.canonical:
            return self._buffer
        out = np.empty(self.size, self._buffer.kind)
        self._engine.download(self._buffer, 0, out)
        return self._engine.upload(contiguous(out), True)
