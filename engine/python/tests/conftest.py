"""Shared test helpers: types, generators, comparisons and settings."""

from __future__ import annotations

import os

import hypothesis
import numpy as np
import pytest

#: Whether all cases run instead of a sample: `./x test --full`.
FULL = os.environ.get("MULTISPLIT_FULL", "") not in ("", "0")

# Arrays of 1 GiB take a software driver minutes.
collect_ignore = [] if FULL else ["test_large.py"]

# The first use of a kernel compiles it, which can take a software driver almost a second.
hypothesis.settings.register_profile(
    "sample",
    deadline=None,
    max_examples=200 if FULL else 8,
    derandomize=not FULL,
    print_blob=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
hypothesis.settings.load_profile("sample")

INTEGERS = ["b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
FLOATS = ["f2", "f4", "f8"]
TIMES = ["M8[s]", "m8[ns]"]
KEYS = INTEGERS + FLOATS + TIMES

#: Array sizes; in full runs also sizes of several workgroups.
SIZES = [0, 1, 2, 3, 255, 1000, 5000, 65_537, 300_000] if FULL else [0, 1, 1000]


def some(every: list, *sample: object) -> list:
    """All cases, or a sample: a software driver takes seconds to compile kernels."""
    return every if FULL else list(sample)


def random_array(dtype: str, shape: int | tuple[int, ...], seed: int) -> np.ndarray:
    """Keys of a type with many duplicates, including all special values that affect the order."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    size = int(np.prod(shape))
    if kind.kind == "b":
        return rng.integers(0, 2, size).astype(kind).reshape(shape)
    if kind.kind == "f":
        values = rng.normal(size=size) * 10.0 ** rng.integers(-3, 4, size)
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1.0])
        take = rng.random(size) < 0.3
        values[take] = special[rng.integers(0, special.size, int(take.sum()))]
        return values.astype(kind).reshape(shape)
    if kind.kind in "mM":
        values = rng.integers(-1000, 1000, size)
        values[rng.random(size) < 0.1] = np.iinfo(np.int64).min
        return values.view(kind).reshape(shape)
    limits = np.iinfo(kind)
    values = rng.integers(limits.min, limits.max, size, dtype=kind, endpoint=True)
    near = rng.random(size) < 0.5
    values[near] = rng.integers(max(limits.min, -3), 4, int(near.sum())).astype(kind)
    return values.reshape(shape)


def assert_same(actual: np.ndarray, expected: np.ndarray) -> None:
    """Assert the same type, shape and bits."""
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert actual.tobytes() == expected.tobytes(), f"{actual!r} is not {expected!r}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line in cargo's format, which `./x test` sums up."""
    count = {name: len(terminalreporter.getreports(name)) for name in ("passed", "failed", "error", "skipped")}
    bad = count["failed"] + count["error"]
    terminalreporter.write_line(
        f"test result: {'FAILED' if bad else 'ok'}. {count['passed']} passed; {bad} failed; {count['skipped']} ignored;"
    )
