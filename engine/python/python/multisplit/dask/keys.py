"""Which arrays can be keys, and as what are they sorted?

A device sorts integers and floats in ascending order. `Order` maps other keys to such ones and back: dates, times and booleans,
and every type in descending order. Most keys are sorted as they are, which costs no pass over them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

KINDS = "biufmM"
"""NumPy's letters of the types that can be keys: booleans, integers, floats, timedelta64 and datetime64."""


def check_dtype(dtype, what: str) -> np.dtype:
    """The dtype as NumPy's, or a `TypeError` that says how to make keys of it."""
    if not isinstance(dtype, np.dtype):
        raise TypeError(f"{what} has the dtype {dtype}, which is not one of NumPy's: convert it, for example with .astype('float64')")
    if dtype.kind == "O":
        raise TypeError(f"{what} is an array of Python objects, which a device cannot sort: convert it with .astype to numbers or dates")
    if dtype.kind not in KINDS or dtype.itemsize > 8:
        raise TypeError(f"{what} has the dtype {dtype}: keys are booleans, integers, floats of at most 64 bits, or dates; convert it with .astype")
    return dtype


@dataclass(frozen=True)
class Order:
    """How keys of a dtype become keys that are sorted in ascending order, NaN and NaT last."""

    dtype: np.dtype
    descending: bool = False

    def encode(self, keys: np.ndarray) -> np.ndarray:
        """Keys of a device, contiguous and in the byte order of the machine. No copy where the keys are such already."""
        if keys.dtype != self.dtype:
            raise TypeError(
                f"a chunk holds {keys.dtype} where the array says {self.dtype}: give all chunks one dtype, for example with .astype('{self.dtype}')"
            )
        keys = np.ascontiguousarray(keys, dtype=self.dtype.newbyteorder("="))
        kind = self.dtype.kind
        if kind == "b":
            keys = keys.view(np.uint8)
        elif kind in "mM":
            # NaT is the smallest integer. One less than each wraps it round to the largest, and keeps the order of all others.
            keys = keys.view(np.int64) - 1
        if not self.descending:
            return keys
        if kind == "f":
            return -keys  # NaN stays last, as pandas has it
        if kind in "mM":
            return np.where(keys == np.iinfo(np.int64).max, keys, ~keys - 1)
        return ~keys

    def decode(self, keys: np.ndarray) -> np.ndarray:
        """The keys that `encode` was given, in the byte order of the machine."""
        kind = self.dtype.kind
        if self.descending:
            if kind == "f":
                keys = -keys
            elif kind in "mM":
                keys = np.where(keys == np.iinfo(np.int64).max, keys, ~(keys + 1))
            else:
                keys = ~keys
        if kind == "b":
            return keys.view(np.bool_)
        if kind in "mM":
            return (keys + 1).view(self.dtype.newbyteorder("="))
        return keys


def successor(keys: np.ndarray) -> np.ndarray:
    """The next larger key of the type, for each. The largest key is its own successor."""
    if keys.dtype.kind == "f":
        with np.errstate(over="ignore"):  # infinity comes after the largest number
            return np.nextafter(keys, np.array(np.inf, keys.dtype))
    return np.where(keys == np.iinfo(keys.dtype).max, keys, keys + keys.dtype.type(1))


def smallest(dtype: np.dtype):
    """The smallest key of the type."""
    return dtype.type(-np.inf) if dtype.kind == "f" else np.iinfo(dtype).min


def missing(keys: np.ndarray) -> np.ndarray | None:
    """Which keys are NaN, as a mask, or `None` where there are none."""
    if keys.dtype.kind != "f":
        return None
    mask = np.isnan(keys)
    return mask if mask.any() else None
