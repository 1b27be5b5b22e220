"""Assignment of the elements of each chunk to result chunks.

`split_chunk` splits a chunk into buckets on the worker's device. `plan` sums the counts of all chunks, which
determines exactly where each result chunk begins and ends. `take` returns the part of a chunk that belongs to a
result chunk, as a view.
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
"""Number of leading keys to check first: distinct keys in random order are ascending with a probability of 1 in 64
factorial."""


@dataclass(frozen=True)
class Bucketed:
    """A chunk in bucket order; elements of the same bucket keep their order."""

    keys: np.ndarray | None
    """`None` if the payload contains them."""
    payload: object
    counts: np.ndarray

    def __sizeof__(self):
        return _size(self)


@dataclass(frozen=True)
class Cuts:
    """Division of one chunk among the result chunks. Result chunk j takes the elements start[j]:stop[j] of the chunk.
    It sorts the elements that it takes from all chunks, skips the first skip[j], and keeps the next length[j]."""

    start: np.ndarray
    stop: np.ndarray
    skip: np.ndarray
    length: np.ndarray


@dataclass(frozen=True)
class Part:
    """The elements of one chunk that belong to one result chunk."""

    keys: np.ndarray | None
    payload: object
    skip: int
    length: int

    def __sizeof__(self):
        return _size(self)


def _size(held: Bucketed | Part | Group) -> int:
    """Size in bytes, which Dask uses for spilling and to choose the worker with the most input bytes. Bytes of
    a view count too, because a view is spilled and moved separately."""
    return 1024 + sizeof(held.keys) + held.payload.size()


def split_chunk(keys: np.ndarray, payload, splitters: Splitters) -> Bucketed:
    """Split a chunk into buckets by at most one stable multisplit. `keys` are encoded for the device; `payload` is an
    object of a class in `payload.py`."""
    mask = missing(keys)
    if mask is None:
        split_keys, split_payload, counts = _split(keys, payload, splitters.edges)
        counts = np.insert(counts, 0 if splitters.missing_first else len(counts), 0)
        return Bucketed(split_keys if payload.carries_keys else None, split_payload, counts)
    # NaN compares false with everything, so these keys do not go to the device: they form the last bucket, or the
    # first.
    present, absent = np.flatnonzero(~mask), np.flatnonzero(mask)
    split_keys, split_payload, counts = _split(keys[present], payload.take(present), splitters.edges)
    parts, counts_of_parts = [(split_keys, split_payload), (keys[absent], payload.take(absent))], [counts, [len(absent)]]
    if splitters.missing_first:
        parts, counts_of_parts = parts[::-1], counts_of_parts[::-1]
    joined = np.concatenate([part for part, _ in parts]) if payload.carries_keys else None
    return Bucketed(joined, split_payload.join([part for _, part in parts]), np.concatenate(counts_of_parts))


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
    """Whether keys are already ascending, as in sorted and constant arrays. Such chunks need not go to the device. For
    most other chunks, comparing the first few keys is sufficient."""
    return all(bool(np.all(part[:-1] <= part[1:])) for part in (keys[:IN_ORDER_PROBE], keys))


def plan(counts: list[np.ndarray], splitters: Splitters, lengths) -> list[Cuts]:
    """Compute the cuts of each chunk, so that result chunk j has exactly `lengths[j]` elements of the sorted
    array.

    `lengths` is a list, or the number of result chunks, which then have nearly equal lengths.
    """
    counts = np.stack(counts)
    total = int(counts.sum())
    lengths = checks.even_lengths(total, lengths) if isinstance(lengths, (int, np.integer)) else np.asarray(lengths, np.int64)
    ranks = np.concatenate([[0], np.cumsum(lengths)])
    first_of_bucket = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    begins = np.concatenate([np.zeros((len(counts), 1), np.int64), np.cumsum(counts, axis=1)], axis=1)

    # The bucket that contains each border between result chunks, and the number of its elements before the
    # border. The final border belongs to the last bucket, which ends there.
    bucket = np.minimum(np.searchsorted(first_of_bucket, ranks, "right") - 1, splitters.buckets - 1)
    within = ranks - first_of_bucket[bucket]

    # Equal keys are cut by global index: within a bucket, elements of earlier chunks come first.
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
    """The elements of this chunk that belong to result chunk `result`, as a view."""
    return _part(chunk, cuts, result, 0)


def _part(chunk, cuts, result, first):
    """`chunk` is a `Bucketed` chunk, or a `Group` whose first element has the index `first` in its chunk."""
    start, stop = int(cuts.start[result]) - first, int(cuts.stop[result]) - first
    keys = None if chunk.keys is None else chunk.keys[start:stop]
    return Part(keys, chunk.payload.slice(start, stop), int(cuts.skip[result]), int(cuts.length[result]))


@dataclass(frozen=True)
class Group:
    """The elements of one chunk for several adjacent result chunks, before they are divided among them."""

    keys: np.ndarray | None
    payload: object
    first: int
    cuts: Cuts

    def __sizeof__(self):
        return _size(self)


def take_group(chunk: Bucketed, cuts: Cuts, first: int, last: int) -> Group:
    """The elements of this chunk that belong to the result chunks from `first` up to, but not including,
    `last`."""
    start, stop = int(cuts.start[first]), int(cuts.stop[last - 1])
    keys = None if chunk.keys is None else chunk.keys[start:stop]
    ours = Cuts(*(field[first:last].copy() for field in (cuts.start, cuts.stop, cuts.skip, cuts.length)))
    return Group(keys, chunk.payload.slice(start, stop), start, ours)


def regroup(groups: list[Group]) -> list[Part]:
    """Divide the groups of several chunks among their result chunks; parts of adjacent chunks are joined."""
    return [join_parts([_part(g, g.cuts, j, g.first) for g in groups]) for j in range(len(groups[0].cuts.length))]


def join_parts(parts: list[Part]) -> Part:
    if parts[0].keys is not None:
        # Skip empty parts: a single remaining part, as in arrays that are already sorted, need not be copied.
        parts = [part for part in parts if len(part.keys)] or parts[:1]
        if len(parts) == 1:
            return parts[0]
    payload = _payload.join([part.payload for part in parts])
    keys = None if parts[0].keys is None else np.concatenate([part.keys for part in parts])
    return Part(keys, payload, parts[0].skip, parts[0].length)


def merge(parts: list[Part], missing_first: bool):
    """The sorted elements of a result chunk: (keys, payload). Parts are in chunk order and the sort is stable,
    so equal keys keep the order of the whole array."""
    whole = join_parts(parts)
    keys = whole.payload.keys() if whole.keys is None else whole.keys
    keys, payload = (whole.keys, whole.payload) if in_order(keys) else sorted_together(keys, whole.payload, missing_first)
    stop = whole.skip + whole.length
    return (None if keys is None else keys[whole.skip : stop]), payload.slice(whole.skip, stop)


def sorted_together(keys: np.ndarray, payload, missing_first: bool):
    """Sort keys together with their payload, with NaN last or first."""
    absent = missing(keys) if missing_first else None
    with checks.device_memory("a result chunk", keys.nbytes):
        found, payload = payload.sorted_with(keys)
    if absent is None:
        return found, payload
    present = len(keys) - int(absent.sum())
    payload = payload.join([payload.slice(present, len(keys)), payload.slice(0, present)])
    return None if found is None else np.roll(found, -present), payload
