"""Conversion of array arguments to NumPy arrays that the native part can read, and of results to the types and
shapes that callers expect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from ._errors import OutOfMemoryError

#: Order of NaN and of zeros: NumPy's, or the total order of IEEE 754.
NanOrder = Literal["last", "total"]

#: DLPack's device types for memory that the CPU can access: host memory, also if pinned for CUDA or ROCm.
_DLPACK_CPU = (1, 3, 11)

#: Types supported by all operations of the engine.
_NUMBERS = tuple(np.dtype(name) for name in ("u4", "i4", "f4", "u8", "i8", "f8"))
#: Types also supported by sorts, splits and top-k.
_NARROW = tuple(np.dtype(name) for name in ("u1", "i1", "u2", "i2", "f2"))


def as_ndarray(x: Any, name: str = "x") -> np.ndarray[Any, Any]:
    """Convert ``x`` to an array, without a copy if possible."""
    if isinstance(x, np.ndarray):
        # The semantics of masked arrays and matrices are not supported.
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError(f"{name} is a masked array: fill it first (numpy.ma.filled)")
        return np.asarray(x)
    nulls = _count_nulls(x, name)
    if nulls:
        raise ValueError(f"{name} has {nulls} nulls, which cannot be ordered: fill or drop them first")
    if hasattr(x, "__dlpack_device__"):
        kind = int(x.__dlpack_device__()[0])
        if kind not in _DLPACK_CPU:
            raise TypeError(f"{name} is in the memory of another device (DLPack type {kind}): copy it to the CPU first")
        if not hasattr(x, "__array__"):
            return np.from_dlpack(x)
    array = np.asarray(x)
    if array.ndim == 0 and array.dtype.kind == "O":
        raise TypeError(f"{name} must be an array or a sequence of numbers, not {type(x).__name__}")
    return array


def _count_nulls(x: Any, name: str) -> int:
    """The number of missing elements (nulls). NaN does not count as missing."""
    # pandas converts missing elements of its own types to NaN, and thereby integers to floats.
    if hasattr(x, "isna"):
        columns = x.dtypes if hasattr(x, "columns") else [getattr(x, "dtype", None)]
        if not all(isinstance(dtype, np.dtype) for dtype in columns):
            return int(np.count_nonzero(np.asarray(x.isna())))
    nulls = getattr(x, "null_count", 0)  # an attribute in Arrow, a method in Polars
    nulls = nulls() if callable(nulls) else nulls
    if not isinstance(nulls, (int, np.integer)):
        table = f"{type(x).__module__.partition('.')[0]} {type(x).__name__}"
        raise TypeError(f"{name} is a table ({table}): give one of its columns, or an array ({name}.to_numpy())")
    return int(nulls)


class Encoding(NamedTuple):
    """Conversion of elements between the caller's type and the engine's."""

    #: Element type on the device.
    dtype: np.dtype[Any]
    #: Converts from the caller's type, in native byte order, to the engine's.
    encode: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]
    #: Converts from the engine's type to the caller's.
    decode: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]
    #: Whether contiguous native arrays of the caller's type can be used without conversion.
    is_plain: bool


def encoding_of(dtype: np.dtype[Any], name: str = "x") -> Encoding:
    """The order-preserving encoding of a type as numbers of 4 or 8 bytes, which all operations support."""
    native = _native_order(dtype)
    if native in _NUMBERS:
        return Encoding(native, _same, _same, True)
    if native.kind in "bui" and native.itemsize < 4:
        return _widened(native, np.dtype("i4" if native.kind == "i" else "u4"))
    if native.kind == "f" and native.itemsize < 4:
        return _widened(native, np.dtype("f4"))
    if native.kind in "mM":
        # NaT is the smallest integer but sorts last: subtracting one wraps it to the largest.
        number = np.dtype("i8")
        return Encoding(
            number,
            lambda x: _wrapping(x.view(number), -1),
            lambda x: _wrapping(x, 1).view(native),
            False,
        )
    raise TypeError(f"{name} has the type {dtype}; {_advice(native)}")


def _native_order(dtype: np.dtype[Any]) -> np.dtype[Any]:
    # Types with parameters, such as StringDType, have no byte order.
    return dtype if dtype.kind == "T" else dtype.newbyteorder("=")


def key_encoding_of(dtype: np.dtype[Any], name: str = "x") -> Encoding:
    """The encoding for sorts, splits and top-k, which also support keys of 1 and 2 bytes."""
    native = _native_order(dtype)
    if native in _NARROW:
        return Encoding(native, _same, _same, True)
    if native.kind == "b":
        number = np.dtype("u1")
        return Encoding(number, lambda x: x.view(number), lambda x: x.view(native), False)
    return encoding_of(dtype, name)


def plain_times(dtype: np.dtype[Any]) -> Encoding:
    """Encode dates and time differences as integers, for functions that do not compare them."""
    native, number = dtype.newbyteorder("="), np.dtype("i8")
    return Encoding(number, lambda x: x.view(number), lambda x: x.view(native), False)


def _widened(native: np.dtype[Any], wide: np.dtype[Any]) -> Encoding:
    return Encoding(wide, lambda x: x.astype(wide), lambda x: x.astype(native), False)


def _same(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return x


def _wrapping(x: np.ndarray[Any, Any], by: int) -> np.ndarray[Any, Any]:
    return (x.view("u8") + np.uint64(by % 2**64)).view("i8")


def _advice(dtype: np.dtype[Any]) -> str:
    allowed = "keys are booleans, integers, floats of up to 64 bits, dates or time differences"
    if dtype.kind == "O":
        return (
            f"{allowed}: convert Python objects with astype, for example x.astype(float), "
            'or x.astype("datetime64[us]") for dates; replace strings by integer codes (numpy.unique, pandas.factorize)'
        )
    if dtype.kind in "SUT":
        return f"{allowed}: replace strings by integer codes first (numpy.unique, pandas.factorize)"
    if dtype.kind == "c":
        return f"{allowed}: complex numbers have no order, sort by abs(x) or x.real"
    return allowed


def contiguous(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the elements in C order, aligned, and in native byte order. If ``x`` already is, return ``x`` itself."""
    return np.require(x, dtype=x.dtype.newbyteorder("="), requirements=["C", "A"])


def encoded(x: np.ndarray[Any, Any], encoding: Encoding) -> np.ndarray[Any, Any]:
    """The elements of ``x`` in the engine's encoding; ``x`` itself if no conversion is needed."""
    return encoding.encode(contiguous(x))


def check_fits(n: int, itemsize: int, memory: int, name: str = "x") -> None:
    """Raise an error for arrays larger than the device memory, before the host copies them."""
    if n * itemsize > memory:
        raise OutOfMemoryError(
            f"{name} has {n * itemsize:,} bytes, but the device has {memory:,}: "
            "process it in parts, or use multisplit.dask"
        )


def normalize_axis(axis: Any, ndim: int) -> int:
    """Convert an axis to a non-negative number."""
    number = index_of(axis, "axis")
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim) if hasattr(np, "exceptions") else IndexError(axis)
    return number % ndim


def moved_back(rows: np.ndarray[Any, Any], axis: int) -> np.ndarray[Any, Any]:
    """Move the last axis, along which rows were processed, back to its place; the result is in C order."""
    return np.ascontiguousarray(np.moveaxis(rows, -1, axis))


def index_of(number: Any, name: str) -> int:
    """Convert a parameter to an integer. Rejects booleans and floats."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"{name} must be an integer, not {type(number).__name__}")
    return int(number.__index__())


def offsets_of(offsets: Any, ndim: int, n: int) -> np.ndarray[Any, Any]:
    """Check the offsets of segments of an array with one axis and ``n`` elements, and convert them for the engine."""
    bounds = as_ndarray(offsets, "offsets")
    if ndim != 1 or bounds.ndim != 1:
        raise ValueError(f"x has {ndim} axes and offsets has {bounds.ndim}, but both must have one")
    if bounds.dtype.kind not in "ui":
        raise TypeError(f"offsets has the type {bounds.dtype}, but offsets must be integers")
    if bounds.size == 0 or int(bounds[0]) < 0 or int(bounds[-1]) > n or bool((bounds[1:] < bounds[:-1]).any()):
        raise ValueError(f"offsets must contain at least one number; the numbers must be ascending, from 0 to {n}")
    if n >= 1 << 32:
        raise ValueError(f"x has {n:,} elements, but at most 2^32 - 1 are supported: process x in parts")
    return np.ascontiguousarray(bounds, np.uint32)


def check_flag(value: Any, name: str) -> bool:
    """Check that an option is a boolean. Otherwise a string such as "false" would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def check_out(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], name: str = "out") -> None:
    """Check that an output has the shape and type of the result."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, not {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"{name} has the shape {out.shape}, but the result has {shape}")
    if out.dtype.newbyteorder("=") != dtype.newbyteorder("="):
        raise TypeError(f"{name} has the type {out.dtype}, but the result has {dtype}")
    if not out.flags.writeable:
        raise ValueError(f"{name} is read-only")


def can_be_written_to(out: np.ndarray[Any, Any] | None, *inputs: np.ndarray[Any, Any]) -> bool:
    """Whether the native part can write a result directly to ``out``."""
    return (
        out is not None
        and out.flags.c_contiguous
        and out.flags.aligned
        and out.dtype.isnative
        and not any(np.may_share_memory(out, x) for x in inputs)
    )


def check_total(nan: Any) -> bool:
    """Whether ``nan`` selects the total order."""
    if nan not in ("last", "total"):
        raise ValueError(f'nan must be "last" or "total", not {nan!r}')
    return bool(nan == "total")
