"""Choice of the splitters that divide the keys of all chunks.

Each chunk is sampled, and splitters are taken from the sorted sample at regular intervals. docs/dask.md has the
formula for the sample size, the proof of the bound, and the derivation of the constants.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from . import keys as _keys

BUCKETS_PER_RESULT = 16
"""Buckets per result chunk. A bucket that crosses the border between two result chunks is sorted for both, so a result
chunk processes about one bucket more than it keeps: 1/16 of its elements."""

MIN_BUCKETS = 128
"""Minimum number of buckets. A split into up to 256 buckets takes only one round."""

MAX_BUCKETS = 30_000
"""Target for the maximum number of buckets. Less than half of the maximum bucket count of a device (65,536), because
each splitter may need two borders. The remainder is for sample sizes that are rounded up: they add at most one sample
per chunk, and 128 samples form a bucket."""

MAX_CHOSEN = 32_767
"""Maximum number of splitters: with two borders each, they define 65,535 buckets, within the limit of a device."""

SAMPLES_PER_BUCKET = 128
"""Samples per bucket. The probability of a bucket of several keys that is larger than 0.15 result chunks is below
10^-15, for 1,000 result chunks."""


@dataclass(frozen=True)
class Sampling:
    """Sample sizes for `count` keys that become `results` chunks."""

    count: int
    results: int

    @property
    def buckets(self) -> int:
        return min(max(MIN_BUCKETS, BUCKETS_PER_RESULT * self.results), MAX_BUCKETS)

    def of_chunk(self, length: int) -> int:
        """Sample size of a chunk, in proportion to its length. Rounded up, so that each sample represents at most
        count / (128 x buckets) keys, or one key."""
        if length == 0:
            return 0
        return min(length, math.ceil(SAMPLES_PER_BUCKET * self.buckets * length / self.count))


def sample(keys: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Choose `count` keys, one at random from each of `count` equal parts of the chunk, and leave out NaN.

    The seed is the chunk's number: a chunk that is sampled again after a worker was lost gives the same sample and
    thus the same splitters. Otherwise, chunks split before and after the loss would not match.
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
    """The borders of buckets: bucket b has the keys with edges[b-1] <= key < edges[b]. An additional bucket, the
    last or the first, holds NaN."""

    edges: np.ndarray
    one_key: np.ndarray
    """For each bucket, including that of NaN: whether all its keys are equal, so that it can be cut anywhere by
    index."""
    missing_first: bool = False

    @property
    def buckets(self) -> int:
        return len(self.one_key)


def choose(samples: list[np.ndarray], sampling: Sampling, missing_first: bool = False) -> Splitters:
    """Choose every a-th key of the sorted sample as a splitter, where a is the result of `_step`.

    A splitter that was sampled more than once gets a bucket of its own, between itself and its successor. A bucket with
    several distinct keys therefore has at most a samples. Frequent keys are in buckets that can be cut by index.
    """
    keys = np.sort(np.concatenate(samples))
    step = _step(len(keys), sampling)
    chosen = np.unique(keys[step::step])
    repeated = np.searchsorted(keys, chosen, "right") - np.searchsorted(keys, chosen, "left") > 1
    edges = np.unique(np.concatenate([chosen, _keys.successor(chosen[repeated])]))
    if edges.dtype.kind == "f":
        # A device orders -0.0 before 0.0, but NumPy does not: both belong above this border.
        edges[edges == 0] = -0.0
    one_key = _one_key(edges)
    return Splitters(edges, np.append(True, one_key) if missing_first else np.append(one_key, True), missing_first)


def _step(samples: int, sampling: Sampling) -> int:
    """The interval between splitters in the sorted sample: `SAMPLES_PER_BUCKET`, less if there are few samples, and
    more if the number of buckets would exceed the device limit."""
    step = min(SAMPLES_PER_BUCKET, math.ceil(samples / sampling.buckets))
    return max(1, step, math.ceil(samples / MAX_CHOSEN))


def _one_key(edges: np.ndarray) -> np.ndarray:
    """For each bucket, except that of NaN, whether all its keys are equal."""
    if len(edges) == 0:
        return np.array([False])
    next_after = _keys.successor(edges)
    return np.concatenate([
        [edges[0] == _keys.successor(np.array([_keys.smallest(edges.dtype)], edges.dtype))[0]],
        edges[1:] == next_after[:-1],
        [edges[-1] == next_after[-1]],
    ])
