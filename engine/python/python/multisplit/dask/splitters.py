"""Where are the keys of all chunks divided?

Each chunk is sampled, and every so many keys of the sorted sample is a splitter. docs/dask.md has the formula of the sample's size
and the proof of the bound. The constants are those of that page.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from . import keys as _keys

BUCKETS_PER_RESULT = 16
"""Buckets per result chunk. A bucket that lies across a border of result chunks is sorted on both sides of it, so a result chunk
costs one bucket more than it holds: 1/16."""

MIN_BUCKETS = 128
"""Where there are few result chunks, more buckets cost nothing: up to 256, splitters are searched in shared memory."""

MAX_BUCKETS = 30_000
"""Below half of what a device splits into at once (65,536), because each splitter may need two borders. The rest is for samples that
are rounded up: one per chunk at most, of which 128 make a bucket."""

MAX_CHOSEN = 32_767
"""Splitters whose borders, two for each, are those of 65,535 buckets: no device takes more."""

SAMPLES_PER_BUCKET = 128
"""Makes a bucket of more than 0.15 result chunks a matter of chance below 10^-15, for 1,000 result chunks."""


@dataclass(frozen=True)
class Sampling:
    """How many keys are sampled, for n keys that become `results` chunks."""

    count: int
    results: int

    @property
    def buckets(self) -> int:
        return min(max(MIN_BUCKETS, BUCKETS_PER_RESULT * self.results), MAX_BUCKETS)

    def of_chunk(self, length: int) -> int:
        """The samples of a chunk: its share, rounded up, so that one sample stands for at most count / (128 x buckets) keys."""
        if length == 0:
            return 0
        return min(length, math.ceil(SAMPLES_PER_BUCKET * self.buckets * length / self.count))


def sample(keys: np.ndarray, count: int, seed: int) -> np.ndarray:
    """`count` keys, one at random of each of `count` equal parts of the chunk.

    The seed is the chunk's number: a chunk that is sampled again because a worker was lost gives the same sample, and with it the same
    splitters. Were it not so, chunks split before and after the loss would not fit each other.
    """
    if count == 0:
        return keys[:0]
    borders = np.arange(count + 1, dtype=np.int64) * len(keys) // count
    random = np.random.default_rng(seed).random(count)
    positions = borders[:-1] + (random * np.diff(borders)).astype(np.int64)
    taken = keys[positions]
    return taken[~np.isnan(taken)] if taken.dtype.kind == "f" else taken


@dataclass(frozen=True)
class Splitters:
    """The borders of buckets: bucket b holds edges[b-1] <= key < edges[b]. A last bucket, after all of these, holds NaN."""

    edges: np.ndarray
    one_key: np.ndarray
    """For each bucket, that of NaN included: whether all its keys are equal, so that it can be cut anywhere by the index alone."""

    @property
    def buckets(self) -> int:
        return len(self.one_key)


def choose(samples: list[np.ndarray], sampling: Sampling) -> Splitters:
    """Splitters at every a-th key of the sorted sample.

    A key that was sampled more than once gets a bucket of its own, between itself and its successor. So a bucket of several keys has
    at most a of the samples, and duplicates, however many, are in buckets that can be cut by the index.
    """
    keys = np.sort(np.concatenate(samples))
    step = _step(len(keys), sampling)
    chosen = np.unique(keys[step::step])
    repeated = np.searchsorted(keys, chosen, "right") - np.searchsorted(keys, chosen, "left") > 1
    edges = np.unique(np.concatenate([chosen, _keys.successor(chosen[repeated])]))
    if edges.dtype.kind == "f":
        # A device tells -0.0 from 0.0, and NumPy's order does not: both belong above this border.
        edges[edges == 0] = -0.0
    return Splitters(edges, _one_key(edges))


def _step(samples: int, sampling: Sampling) -> int:
    """Every how many-th sample is a splitter: a, unless there are few samples, or so many chunks that a device would not take the
    buckets."""
    step = min(SAMPLES_PER_BUCKET, math.ceil(samples / sampling.buckets))
    return max(1, step, math.ceil(samples / MAX_CHOSEN))


def _one_key(edges: np.ndarray) -> np.ndarray:
    if len(edges) == 0:
        return np.array([False, True])
    next_after = _keys.successor(edges)
    return np.concatenate([
        [edges[0] == _keys.successor(np.array([_keys.smallest(edges.dtype)], edges.dtype))[0]],
        edges[1:] == next_after[:-1],
        [edges[-1] == next_after[-1], True],
    ])
