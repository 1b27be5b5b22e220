"""Which elements of each chunk go to which result chunk?

`split_chunk` divides a chunk into buckets on the worker's device. `plan` adds up the counts of all chunks, which says exactly where
each result chunk begins and ends. `take` gives the part of a chunk that a result chunk needs: a view, no copy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from dask.sizeof import sizeof

import multisplit

from . import checks
from . import payload as _payload
from .keys import missing
from .splitters import Splitters

IN_ORDER_PROBE = 64
"""Keys at the beginning that are looked at first: by chance they are in order once in 64!."""


@dataclass(frozen=True)
class Bucketed:
    """A chunk in the order of its buckets, and in its own order within each."""

    keys: np.ndarray | None
    """`None` where the payload contains them."""
    payload: object
    counts: np.ndarray

    def __sizeof__(self):
        return _size(self)


@dataclass(frozen=True)
class Cuts:
    """For one chunk: result chunk j takes its elements start[j]:stop[j]. `skip` and `length` are those of the result chunks, which
    sort all that they take, and keep `length` elements after the first `skip`."""

    start: np.ndarray
    stop: np.ndarray
    skip: np.ndarray
    length: np.ndarray


@dataclass(frozen=True)
class Part:
    """What one chunk gives to one result chunk."""

    keys: np.ndarray | None
    payload: object
    skip: int
    length: int

    def __sizeof__(self):
        return _size(self)


def _size(held: Bucketed | Part | Group) -> int:
    """Dask asks for this: it spills by it, and runs a task where the most bytes of what it needs are. Bytes of a view count as well,
    because a view is spilled and moved on its own."""
    return 1024 + sizeof(held.keys) + held.payload.size()


def split_chunk(keys: np.ndarray, payload, splitters: Splitters) -> Bucketed:
    """One stable multisplit. `keys` are those of a device; `payload` is one of `payload.py`."""
    mask = missing(keys)
    if mask is None:
        split_keys, split_payload, counts = _split(keys, payload, splitters.edges)
        return Bucketed(split_keys if payload.carries_keys else None, split_payload, np.append(counts, 0))
    # NaN compares with nothing, so these keys do not go to the device: they are the last bucket.
    present, absent = np.flatnonzero(~mask), np.flatnonzero(mask)
    split_keys, split_payload, counts = _split(keys[present], payload.take(present), splitters.edges)
    joined = np.concatenate([split_keys, keys[absent]]) if payload.carries_keys else None
    return Bucketed(joined, split_payload.join([split_payload, payload.take(absent)]), np.append(counts, len(absent)))


def _split(keys, payload, edges):
    if len(keys) == 0:
        return keys, payload, np.zeros(len(edges) + 1, np.int64)
    if len(edges) == 0:
        return keys, payload, np.array([len(keys)], np.int64)
    if in_order(keys):
        return keys, payload, np.diff(np.searchsorted(keys, edges), prepend=0, append=len(keys))
    with checks.device_memory("a chunk", keys.nbytes):
        done = multisplit.split(keys, edges, values=payload.device_values(len(keys)))
    return np.asarray(done.keys), payload.reordered(done.values), np.diff(np.asarray(done.offsets).astype(np.int64))


def in_order(keys: np.ndarray) -> bool:
    """Whether keys are ascending already, as in sorted arrays and constant ones: then a chunk need not go to the device. The first few
    tell most others apart."""
    return all(bool(np.all(part[:-1] <= part[1:])) for part in (keys[:IN_ORDER_PROBE], keys))


def plan(counts: list[np.ndarray], splitters: Splitters, lengths) -> list[Cuts]:
    """Where each chunk is cut, so that result chunk j holds exactly `lengths[j]` elements of the sorted whole.

    `lengths` is a list, or the count of result chunks, which are then as even as can be.
    """
    counts = np.stack(counts)
    total = int(counts.sum())
    lengths = checks.even_lengths(total, lengths) if isinstance(lengths, (int, np.integer)) else np.asarray(lengths, np.int64)
    ranks = np.concatenate([[0], np.cumsum(lengths)])
    first_of_bucket = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    begins = np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)

    # The bucket that each border of result chunks falls into, and how many of its elements are before the border. A border at the end
    # of everything falls into the last bucket, which ends there.
    bucket = np.minimum(np.searchsorted(first_of_bucket, ranks, "right") - 1, splitters.buckets - 1)
    within = ranks - first_of_bucket[bucket]

    # Equal keys are cut by global index: the elements of the bucket that come first are those of the first chunks.
    before = np.cumsum(counts, axis=0) - counts
    by_index = begins[:, bucket] + np.clip(within - before[:, bucket], 0, counts[:, bucket])
    exact = splitters.one_key[bucket] | (within == 0)
    start = np.where(exact, by_index, begins[:, bucket])
    stop = np.where(exact, by_index, begins[:, bucket + 1])
    skip = np.where(exact, 0, within)
    return [Cuts(start[i, :-1], stop[i, 1:], skip[:-1], lengths) for i in range(len(counts))]


def counts_of(chunk: Bucketed) -> np.ndarray:
    return chunk.counts


def take(chunk: Bucketed, cuts: Cuts, result: int) -> Part:
    """What result chunk `result` needs of this chunk, as a view of it."""
    return _part(chunk, cuts, result, 0)


def _part(chunk, cuts, result, first):
    """`first` is the element of the chunk that `chunk` begins with."""
    start, stop = int(cuts.start[result]) - first, int(cuts.stop[result]) - first
    keys = None if chunk.keys is None else chunk.keys[start:stop]
    return Part(keys, chunk.payload.slice(start, stop), int(cuts.skip[result]), int(cuts.length[result]))


@dataclass(frozen=True)
class Group:
    """What one chunk gives to several neighbouring result chunks: on its way to be divided among them."""

    keys: np.ndarray | None
    payload: object
    first: int
    cuts: Cuts

    def __sizeof__(self):
        return _size(self)


def take_group(chunk: Bucketed, cuts: Cuts, first: int, last: int) -> Group:
    """What the result chunks `first` to `last`, the latter not included, need of this chunk."""
    start, stop = int(cuts.start[first]), int(cuts.stop[last - 1])
    keys = None if chunk.keys is None else chunk.keys[start:stop]
    ours = Cuts(*(field[first:last].copy() for field in (cuts.start, cuts.stop, cuts.skip, cuts.length)))
    return Group(keys, chunk.payload.slice(start, stop), start, ours)


def regroup(groups: list[Group]) -> list[Part]:
    """Of several chunks, what each result chunk of a group needs: the parts of neighbouring chunks become one."""
    return [join_parts([_part(g, g.cuts, j, g.first) for g in groups]) for j in range(len(groups[0].cuts.length))]


def join_parts(parts: list[Part]) -> Part:
    if parts[0].keys is not None:
        # Empty parts are left out: one that is alone, as where the array was in order, need not be copied.
        parts = [part for part in parts if len(part.keys)] or parts[:1]
        if len(parts) == 1:
            return parts[0]
    payload = _payload.join([part.payload for part in parts])
    keys = None if parts[0].keys is None else np.concatenate([part.keys for part in parts])
    return Part(keys, payload, parts[0].skip, parts[0].length)


def merge(parts: list[Part]):
    """The elements of a result chunk in order: (keys, payload). Parts are in the order of their chunks, and the sort is stable, so
    equal keys stay in the order of the whole array."""
    whole = join_parts(parts)
    keys = whole.payload.keys() if whole.keys is None else whole.keys
    keys, payload = (whole.keys, whole.payload) if in_order(keys) else sorted_together(keys, whole.payload)
    stop = whole.skip + whole.length
    return (None if keys is None else keys[whole.skip : stop]), payload.slice(whole.skip, stop)


def sorted_together(keys: np.ndarray, payload):
    """Keys in order, and their payload with them."""
    with checks.device_memory("a result chunk", keys.nbytes):
        return payload.sorted_with(keys)
