"""What callers give for an array, as NumPy arrays that the native side can read; and how results get back to
the types and shapes that callers expect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ._errors import OutOfMemoryError

#: DLPack's number for memory of the host.
_DLPACK_CPU = 1

#: What the engine works with.
_NUMBERS = tuple(np.dtype(name) for name in ("u4", "i4", "f4", "u8", "i8", "f8"))
#: What it also sorts, splits and searches for the largest.
_NARROW = tuple(np.dtype(name) for name in ("u1", "i1", "u2", "i2", "f2"))


def as_ndarray(x: Any, name: str = "x") -> np.ndarray[Any, Any]:
    """The array that ``x`` is or holds, without a copy where that is possible."""
    if isinstance(x, np.ndarray):
        # Masks and matrices have rules of their own, which are not kept here.
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError(f"{name} is a masked array: fill it first (numpy.ma.filled)")
        return np.asarray(x)
    nulls = getattr(x, "null_count", 0)  # of Arrow's arrays; of Polars' series, a function
    nulls = nulls() if callable(nulls) else nulls
    if nulls:
        raise ValueError(f"{name} has {nulls} nulls, which have no place in an order: fill or drop them first")
    if hasattr(x, "__dlpack_device__"):
        kind = int(x.__dlpack_device__()[0])
        if kind != _DLPACK_CPU:
            raise TypeError(f"{name} is in the memory of another device (DLPack type {kind}): copy it to the CPU first")
        if not hasattr(x, "__array__"):
            return np.from_dlpack(x)
    return np.asarray(x)


class Encoding(NamedTuple):
    """How elements of a type are given to the engine."""

    #: The type that the engine sees.
    dtype: np.dtype[Any]
    #: From the caller's type, in the native order of bytes, to the engine's.
    encode: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]
    #: And back.
    decode: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]
    #: Whether an array of the caller's type, contiguous and native, is one of the engine's as it is.
    is_plain: bool


def encoding_of(dtype: np.dtype[Any], name: str = "x") -> Encoding:
    """How elements of a type are given to the engine, in the same order: as numbers of 4 or 8 bytes, with which it
    does everything."""
    native = dtype.newbyteorder("=")
    if native in _NUMBERS:
        return Encoding(native, _same, _same, True)
    if native.kind in "bui" and native.itemsize < 4:
        return _widened(native, np.dtype("i4" if native.kind == "i" else "u4"))
    if native.kind == "f" and native.itemsize < 4:
        return _widened(native, np.dtype("f4"))
    if native.kind in "mM":
        # "Not a time" is the least number, and comes last: one less makes it the greatest.
        number = np.dtype("i8")
        return Encoding(
            number,
            lambda x: _wrapping(x.view(number), -1),
            lambda x: _wrapping(x, 1).view(native),
            False,
        )
    raise TypeError(f"{name} has the type {dtype}; {_advice(native)}")


def key_encoding_of(dtype: np.dtype[Any], name: str = "x") -> Encoding:
    """The same for what is sorted, split or searched for the largest, which may have 1 or 2 bytes."""
    native = dtype.newbyteorder("=")
    if native in _NARROW:
        return Encoding(native, _same, _same, True)
    if native.kind == "b":
        number = np.dtype("u1")
        return Encoding(number, lambda x: x.view(number), lambda x: x.view(native), False)
    return encoding_of(dtype, name)


def plain_times(dtype: np.dtype[Any]) -> Encoding:
    """Dates and time differences as their counts of units, for functions that do not compare them."""
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
        return f"{allowed}: convert Python objects with astype"
    if dtype.kind in "SUT":
        return f"{allowed}: strings can be numbered first (numpy.unique, pandas.factorize)"
    if dtype.kind == "c":
        return f"{allowed}: complex numbers have no order, sort by abs(x) or x.real"
    return allowed


def contiguous(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same elements in C order, aligned, in the native order of bytes; ``x`` itself where it is so."""
    return np.require(x, dtype=x.dtype.newbyteorder("="), requirements=["C", "A"])


def encoded(x: np.ndarray[Any, Any], encoding: Encoding) -> np.ndarray[Any, Any]:
    """The elements of ``x`` as the engine sees them; ``x`` itself where it is so."""
    return encoding.encode(contiguous(x))


def check_fits(n: int, itemsize: int, memory: int, name: str = "x") -> None:
    """Refuses what no memory of the device could hold, before the host makes a copy of it."""
    if n * itemsize > memory:
        raise OutOfMemoryError(
            f"{name} has {n * itemsize:,} bytes, but the device has {memory:,}: "
            "work on parts of it, or let multisplit.dask do so"
        )


def normalize_axis(axis: Any, ndim: int) -> int:
    """The axis as a number from 0 on."""
    number = index_of(axis, "axis")
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim) if hasattr(np, "exceptions") else IndexError(axis)
    return number % ndim


def index_of(number: Any, name: str) -> int:
    """An integer that was given for a parameter."""
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(f"{name} is an integer, not {type(number).__name__}")
    return int(number.__index__())


def check_out(out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], name: str = "out") -> None:
    """Refuses an output that the result does not fit."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{name} is a NumPy array, not {type(out).__name__}")
    if out.shape != shape:
        raise ValueError(f"{name} has the shape {out.shape}, the result has {shape}")
    if out.dtype.newbyteorder("=") != dtype.newbyteorder("="):
        raise TypeError(f"{name} has the type {out.dtype}, the result has {dtype}")
    if not out.flags.writeable:
        raise ValueError(f"{name} is read-only")


def can_be_written_to(out: np.ndarray[Any, Any] | None, *inputs: np.ndarray[Any, Any]) -> bool:
    """Whether the native side can write a result straight to ``out``."""
    return (
        out is not None
        and out.flags.c_contiguous
        and out.flags.aligned
        and out.dtype.isnative
        and not any(np.may_share_memory(out, x) for x in inputs)
    )


def check_total(nan: Any) -> bool:
    """Whether ``nan`` asks for the total order."""
    if nan not in ("last", "total"):
        raise ValueError(f'nan is "last" or "total", not {nan!r}')
    return bool(nan == "total")
