"""Supported key types and their encoding.

A device sorts integers and floats in ascending order. `Order` maps other keys to these types and back: dates,
times and booleans, and all types in descending order. Most keys need no conversion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

KINDS = "biufmM"
"""NumPy's kind letters of key types: booleans, integers, floats, timedelta64 and datetime64."""


def check_dtype(dtype, what: str) -> np.dtype:
    """Return the NumPy dtype, or raise a `TypeError` that explains how to convert the keys."""
    if not isinstance(dtype, np.dtype):
        raise TypeError(f"{what} has the dtype {dtype}, {_advice(dtype)}")
    if dtype.kind == "O":
        raise TypeError(f"{what} is an array of Python objects, which a device cannot sort: convert it with .astype to numbers or dates")
    if dtype.kind not in KINDS or dtype.itemsize > 8:
        raise TypeError(f"{what} has the dtype {dtype}: keys are booleans, integers, floats of at most 64 bits, or dates; convert it with .astype")
    return dtype


def _advice(dtype) -> str:
    """How to convert keys of a dtype of pandas, without changing their order."""
    number = getattr(dtype, "numpy_dtype", None)
    if isinstance(number, np.dtype) and number.kind in KINDS:
        return f"whose elements may be missing: fill or drop missing ones, then convert it with .astype('{number}')"
    if "str" in str(dtype).lower():
        return "but a device cannot sort strings: number them, for example with .astype('category').cat.codes"
    if getattr(dtype, "tz", None) is not None:
        return "but dates must not have a time zone: convert it with .dt.tz_convert('UTC').dt.tz_localize(None)"
    if hasattr(dtype, "categories"):
        return "but a device cannot sort categories: sort by their numbers, .cat.codes"
    return "but keys are booleans, integers, floats of at most 64 bits, or dates: convert it with .astype"


@dataclass(frozen=True)
class Order:
    """Encodes keys of a dtype so that the device can sort them in ascending order. NaN is last in this order, even if
    it comes first in the result."""

    dtype: np.dtype
    descending: bool = False
    missing_first: bool = False
    """Whether NaN and NaT come first in the result, instead of last."""

    def encode(self, keys: np.ndarray) -> np.ndarray:
        """Encode keys for a device, contiguous and in native byte order."""
        if keys.dtype != self.dtype:
            raise TypeError(
                f"a chunk has the dtype {keys.dtype}, but the array has {self.dtype}: give all chunks the same dtype, for example with .astype('{self.dtype}')"
            )
        keys = np.ascontiguousarray(keys, dtype=self.dtype.newbyteorder("="))
        kind = self.dtype.kind
        if kind == "b":
            keys = keys.view(np.uint8)
        elif kind in "mM":
            # NaT is the smallest integer. Subtracting one wraps it to the largest and keeps the order of all
            # others.
            keys = keys.view(np.int64) - 1
        if not self.descending:
            return keys
        if kind == "f":
            return -keys  # NaN stays NaN
        if kind in "mM" and not self.missing_first:
            return np.where(keys == np.iinfo(np.int64).max, keys, ~keys - 1)
        return ~keys

    def decode(self, keys: np.ndarray) -> np.ndarray:
        """The original keys, in native byte order."""
        kind = self.dtype.kind
        if self.descending:
            if kind == "f":
                keys = -keys
            elif kind in "mM" and not self.missing_first:
                keys = np.where(keys == np.iinfo(np.int64).max, keys, ~(keys + 1))
            else:
                keys = ~keys
        if kind == "b":
            return keys.view(np.bool_)
        if kind in "mM":
            return (keys + 1).view(self.dtype.newbyteorder("="))
        return keys


def successor(keys: np.ndarray) -> np.ndarray:
    """The next larger value of the type for each key. The largest value is its own successor."""
    if keys.dtype.kind == "f":
        with np.errstate(over="ignore"):  # infinity follows the largest finite number
            return np.nextafter(keys, np.array(np.inf, keys.dtype))
    return np.where(keys == np.iinfo(keys.dtype).max, keys, keys + keys.dtype.type(1))


def smallest(dtype: np.dtype):
    """The smallest value of the type."""
    return dtype.type(-np.inf) if dtype.kind == "f" else np.iinfo(dtype).min


def missing(keys: np.ndarray) -> np.ndarray | None:
    """Mask of the keys that are NaN, or `None` if there are none."""
    if keys.dtype.kind != "f":
        return None
    mask = np.isnan(keys)
    return mask if mask.any() else None
