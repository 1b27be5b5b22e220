"""Payloads that move with the keys: nothing, values, positions, or rows of a table.

A payload is reordered when its chunk is split, sliced into parts, joined in a result chunk and sorted there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from dask.sizeof import sizeof

import multisplit

from .keys import Order

DEVICE_SIZES = (4, 8)
"""Sizes of values in bytes that a device moves with their keys. The host moves others, according to the
device's permutation."""


def join(payloads: list):
    return payloads[0].join(payloads)


def of_values(values: np.ndarray):
    """The payload for values of any dtype of fixed size, in native byte order."""
    values = np.ascontiguousarray(values, values.dtype.newbyteorder("="))
    if values.dtype.itemsize in DEVICE_SIZES and values.dtype.kind != "V":
        return Values(values)
    return HostValues(values)


@dataclass(frozen=True)
class Nothing:
    """Keys without payload. Equal keys are indistinguishable."""

    carries_keys = True

    def size(self):
        return 0

    def take(self, positions):
        return self

    def device_values(self, count):
        return None

    def reordered(self, values):
        return self

    def slice(self, start, stop):
        return self

    def join(self, payloads):
        return self

    def sorted_with(self, keys):
        return multisplit.sort(keys), self


@dataclass(frozen=True)
class Values:
    """Values that the device moves with their keys."""

    values: np.ndarray
    carries_keys = True

    def size(self):
        return sizeof(self.values)

    def take(self, positions):
        return Values(self.values[positions])

    def device_values(self, count):
        return _plain(self.values)

    def reordered(self, values):
        return Values(np.asarray(values).view(self.values.dtype))

    def slice(self, start, stop):
        return Values(self.values[start:stop])

    def join(self, payloads):
        return Values(np.concatenate([p.values for p in payloads]))

    def sorted_with(self, keys):
        if len(keys) == 0:
            return keys, self
        keys, values = multisplit.sort_pairs(keys, _plain(self.values))
        return np.asarray(keys), self.reordered(values)


@dataclass(frozen=True)
class Positions:
    """The position of each key in the whole array. Within a chunk of up to 2^32 keys 32 bits are enough, which halves
    the bytes to split and move."""

    first: int
    """The position of the chunk's first key in the whole array."""
    positions: np.ndarray
    carries_keys = True

    @staticmethod
    def of_chunk(first: int, length: int):
        return Positions(first, np.arange(length, dtype=np.uint32 if length <= 2**32 else np.int64))

    def size(self):
        return sizeof(self.positions)

    def take(self, positions):
        return Positions(self.first, self.positions[positions])

    def device_values(self, count):
        return self.positions

    def reordered(self, values):
        return Positions(self.first, np.asarray(values))

    def slice(self, start, stop):
        return Positions(self.first, self.positions[start:stop])

    def join(self, payloads):
        if all(isinstance(p, Positions) and p.first == self.first for p in payloads):
            return Positions(self.first, np.concatenate([p.positions for p in payloads]))
        return Values(np.concatenate([p.values for p in payloads]))

    @property
    def values(self) -> np.ndarray:
        return np.add(self.positions, self.first, dtype=np.int64)

    def sorted_with(self, keys):
        return Values(self.values).sorted_with(keys)


@dataclass(frozen=True)
class HostValues:
    """Values that the host moves."""

    values: np.ndarray
    carries_keys = True

    def size(self):
        return sizeof(self.values)

    def take(self, positions):
        return HostValues(self.values[positions])

    def device_values(self, count):
        return np.arange(count, dtype=np.uint32 if count <= 2**32 else np.int64)

    def reordered(self, values):
        return self.take(np.asarray(values))

    def slice(self, start, stop):
        return HostValues(self.values[start:stop])

    def join(self, payloads):
        return HostValues(np.concatenate([p.values for p in payloads]))

    def sorted_with(self, keys):
        if len(keys) == 0:
            return keys, self
        order = np.asarray(multisplit.argsort(keys))
        return keys[order], self.take(order)


@dataclass(frozen=True)
class Rows:
    """Rows of a pandas table. They contain their keys, which are read again in the result chunk instead of
    being moved separately."""

    table: object
    by: object
    order: Order
    carries_keys = False

    def keys(self) -> np.ndarray:
        return self.order.encode(self.table[self.by].to_numpy())

    def size(self):
        return sizeof(self.table)

    def take(self, positions):
        return Rows(self.table.take(positions), self.by, self.order)

    def device_values(self, count):
        return np.arange(count, dtype=np.uint32 if count <= 2**32 else np.int64)

    def reordered(self, values):
        return self.take(np.asarray(values).astype(np.int64))

    def slice(self, start, stop):
        return Rows(self.table.iloc[start:stop], self.by, self.order)

    def join(self, payloads):
        import pandas

        # Skip empty parts: their dtypes and categories would affect the result of pandas.concat.
        filled = [p.table for p in payloads if len(p.table)] or [self.table]
        return Rows(filled[0] if len(filled) == 1 else pandas.concat(filled), self.by, self.order)

    def sorted_with(self, keys):
        if len(keys) == 0:
            return None, self
        return None, self.take(np.asarray(multisplit.argsort(keys)))


def _plain(values: np.ndarray) -> np.ndarray:
    """The values; if they are not numbers, as integers of the same size: the device only moves bits."""
    return values if values.dtype.kind in "iuf" else values.view(f"u{values.dtype.itemsize}")
