"""Shared helpers of the multisplit.dask tests: seeded keys of several distributions, and comparison with NumPy."""

import os

import numpy as np

SEED = 20_26

FULL = os.environ.get("MULTISPLIT_FULL", "") not in ("", "0")
"""Whether all cases run instead of a sample: `./x test --full`."""


def uniform(n, dtype=np.int64):
    return np.random.default_rng(SEED).integers(-(2**30), 2**30, n).astype(dtype)


def ascending(n, dtype=np.int64):
    return np.arange(n).astype(dtype)


def constant(n, dtype=np.int64):
    return np.full(n, 7, dtype)


def zipf(n, dtype=np.int64):
    """A few very frequent keys and a long tail."""
    return np.minimum(np.random.default_rng(SEED).zipf(1.3, n), 2**30).astype(dtype)


SHAPES = {"uniform": uniform, "sorted": ascending, "constant": constant, "zipf": zipf}


def same(found, expected):
    """Assert equal elements and dtype; NaN and NaT equal themselves."""
    missing = expected.dtype.kind in "fmM"
    assert found.dtype == expected.dtype.newbyteorder("=")
    assert np.array_equal(found, expected, equal_nan=missing)
