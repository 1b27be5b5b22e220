"""Compares histogram and bincount with NumPy: edges, counts, types and rejected input.

Also tests a GLSL function and the use of memory.
"""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest
from conftest import FLOATS, FULL, INTEGERS, assert_same, random_array, some
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import multisplit


def check(a: np.ndarray, *args: object, **options: object) -> None:
    expected, edges = np.histogram(a, *args, **options)
    found, found_edges = multisplit.histogram(a, *args, **options)
    assert_same(found_edges, edges)
    if expected.dtype.kind in "fc":
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-6 if expected.dtype.itemsize == 4 else 1e-12, atol=1e-9)
    else:
        assert_same(found, expected)


@pytest.mark.parametrize("dtype", some([*INTEGERS[1:], "f2", "f4", "f8"], "u1", "i8", "f4"))
def test_bins_match_numpy(dtype: str) -> None:
    a = random_array(dtype, 1500, seed=1)
    a = a[np.isfinite(a)] if a.dtype.kind == "f" else a
    check(a)
    check(a, bins=1)
    check(a, bins=37)
    check(a, bins=[-2.5, -1, 0, 0.5, 3])
    check(a, bins=[0, 1, 2, 3])
    check(a, bins=[1, 1, 2, 2])
    check(a, bins=7, range=(-3.3, 8.1))
    check(a, bins=4, range=(0, 4))
    check(a, bins=[1e4, 1e5, 1e25])
    check(a, bins=[-np.inf, 0, np.inf])
    check(a, bins=5, range=(2, 2))
    check(a, bins=9, density=True)
    check(a[:0])
    check(a[:0], bins=[1, 2])
    check(a[: a.size // 2 * 2].reshape(2, -1), bins=3)


@pytest.mark.parametrize("dtype", some(["u1", "i4", "f4", "f8"], "f4"))
@pytest.mark.parametrize("weight", some(["u1", "i4", "i8", "f4", "f8", "c16"], "i8", "c16"))
def test_weighted_sums_match_numpy(dtype: str, weight: str) -> None:
    a = random_array(dtype, 900, seed=2)
    a = np.nan_to_num(a, posinf=9, neginf=-9) if a.dtype.kind == "f" else a
    weights = np.random.default_rng(3).integers(0, 100, 900).astype(weight)
    check(a, bins=6, range=(-4, 4), weights=weights)
    check(a, bins=[-1, 0, 2, 2.5], weights=weights)
    if weight != "u1":
        check(a, bins=[-1, 0, 2, 2.5], weights=-weights)
    if weight != "c16":
        check(a, bins=6, range=(-4, 4), weights=weights, density=True)


def test_nan_and_float_edges_match_numpy() -> None:
    a = np.array([np.nan, -np.nan, 0.0, -0.0, 1.0, np.nextafter(1.0, 2), 0.3, np.inf, -np.inf])
    check(a, bins=10, range=(0, 1))
    check(a, bins=[0.0, 0.3, 1.0])
    check(a, bins=[-0.0, 0.3, np.inf])
    check(a.astype("f4"), bins=np.array([0.0, 0.3, 1.0]))  # edges that are not representable in float32
    check(a.astype("f4"), bins=10, range=(np.float64(0.1), np.float64(0.3)))
    check(a, bins=[0.0, 1.0, np.inf], weights=np.arange(9.0))
    with pytest.raises(ValueError, match="not finite"):
        multisplit.histogram(a)


def test_integers_beyond_double_precision_match_numpy() -> None:
    near = 2**53 + np.arange(-20, 21)
    check(near, bins=[2**53 - 3.0, 2.0**53, 2.0**53 + 4, 2.0**53 + 10])
    check(-near, bins=np.sort(-np.array([2**53 - 3.0, 2.0**53, 2.0**53 + 4, 2.0**53 + 10])))
    big = np.array([2**63 - 1, 2**63 - 2, 2**62, -(2**63), 0])
    check(big, bins=[-(2.0**63), 0.0, 2.0**62, 2.0**63])
    check(big, bins=5)
    check(big.astype("u8"), bins=[0, 2**62, 2**63])
    check(big.astype("u8"), bins=3)


@given(
    arrays.arrays(np.float64, st.integers(1, 60), elements=st.floats(-1e3, 1e3)),
    st.integers(1, 40),
)
def test_random_floats_in_equal_bins_match_numpy(a: np.ndarray, bins: int) -> None:
    try:
        np.histogram(a, bins)
    except ValueError as error:  # too many bins for the range
        with pytest.raises(ValueError, match=str(error)[:20]):
            multisplit.histogram(a, bins)
        return
    check(a, bins=bins)


@given(
    arrays.arrays(np.int32, st.integers(1, 60)),
    arrays.arrays(np.float64, st.integers(2, 10), elements=st.floats(-3e9, 3e9)),
)
def test_random_integers_and_edges_match_numpy(a: np.ndarray, edges: np.ndarray) -> None:
    check(a, bins=np.sort(edges))
    check(np.concatenate([a, edges.astype(np.int64).clip(-(2**31), 2**31 - 1).astype(np.int32)]), bins=np.sort(edges))


def test_bin_rules_and_errors_match_numpy() -> None:
    a = np.random.default_rng(4).normal(size=500)
    for rule in ("auto", "sturges", "fd"):
        check(a, bins=rule)
    for options in ({"bins": 0}, {"bins": [3, 1]}, {"range": (2, 1)}, {"bins": "no such rule"}):
        with pytest.raises(ValueError):
            np.histogram(a, **options)
        with pytest.raises(ValueError):
            multisplit.histogram(a, **options)
    with pytest.raises(ValueError, match="one weight for each"):
        multisplit.histogram(a, weights=a[1:])
    with pytest.raises(TypeError, match="complex"):
        multisplit.histogram(a.astype(complex))


def test_bin_count_beyond_the_device_limit_works() -> None:
    a = np.random.default_rng(5).random(2000)
    check(a, bins=(1 << 20) + 1, range=(0, 1))


@pytest.mark.parametrize("dtype", some(["b1", "u1", "i2", "u4", "i8", "u8"], "b1", "i2", "i8"))
def test_bincount_matches_numpy(dtype: str) -> None:
    x = np.random.default_rng(6).integers(0, 2 if dtype == "b1" else 100, 1000).astype(dtype)
    reference = x.astype(np.int64)
    assert_same(multisplit.bincount(x), np.bincount(reference))
    assert_same(multisplit.bincount(x, minlength=300), np.bincount(reference, minlength=300))
    weights = np.random.default_rng(7).normal(size=1000)
    np.testing.assert_allclose(multisplit.bincount(x, weights), np.bincount(reference, weights), rtol=1e-12)
    assert_same(multisplit.bincount(x[:0], minlength=2), np.bincount(reference[:0], minlength=2))


def test_bincount_handles_large_numbers_and_rejects_bad_input() -> None:
    x = np.array([3, 5_000_000, 3])
    assert_same(multisplit.bincount(x), np.bincount(x))
    for bad, error in [(np.array([-1]), ValueError), (np.array([1.5]), TypeError), (np.ones((2, 2), int), ValueError)]:
        with pytest.raises(error):
            multisplit.bincount(bad)
    with pytest.raises(ValueError, match="one weight for each"):
        multisplit.bincount(x, [1.0])


BINS = {
    "even": {"bins": 7, "range": (-3, 8)},
    "edges": {"bins": [-2.5, -1, 0, 0.5, 3, 200]},
    "log": {"bins": np.geomspace(1, 1000, 8)},
    "identity": {"bins": np.arange(101)},
}
LAYOUTS = {
    "packed": lambda a: a,
    "strided": lambda a: a[1::3],
    "interleaved": lambda a: a.reshape(-1, 4)[:, 1:3],
}
WEIGHTS = [None, "u4", "f4"]
PRODUCT = list(itertools.product(INTEGERS[1:] + FLOATS, BINS, LAYOUTS, WEIGHTS))


@pytest.mark.parametrize(("dtype", "bins", "layout", "weight"), PRODUCT if FULL else PRODUCT[::31])
def test_all_combinations_of_types_bins_layouts_and_weights_match_numpy(dtype: str, bins: str, layout: str, weight: str | None) -> None:
    a = random_array(dtype, 1200, seed=8)
    a = a[np.isfinite(a)][:720] if a.dtype.kind == "f" else a
    a = LAYOUTS[layout](a)
    weights = None if weight is None else np.random.default_rng(9).integers(0, 100, a.shape).astype(weight)
    check(a, **BINS[bins], weights=weights)


def test_signed_integers_on_the_device_match_numpy() -> None:
    a = random_array("i8", 1000, seed=10)
    on_device = multisplit.DeviceArray(a)
    for bins in (5, [-(2**62), -1, 0, 3, 2**62]):
        for found, expected in zip(multisplit.histogram(on_device, bins), np.histogram(a, bins), strict=True):
            assert_same(found, expected)


@pytest.mark.parametrize("extreme", [(0, 1e-320), (-1e-310, 1e-310), (-1.0, 1e300), (-1e308, 7e307)])
def test_extreme_ranges_match_numpy(extreme: tuple[float, float]) -> None:
    edges = np.linspace(*extreme, 9)
    check(np.concatenate([edges, np.nextafter(edges, -np.inf), [0.0, 1.0]]), bins=8, range=extreme)


@pytest.mark.skipif(not multisplit.HAS_GLSL, reason="built without GLSL")
def test_glsl_function_accepts_int64() -> None:
    a = random_array("i8", 1000, seed=11)
    negative = multisplit.Glsl(2, "uint bucket_of(int64_t x) { return x < 0 ? 0u : 1u; }")
    for given in (a, multisplit.DeviceArray(a)):
        counts, _ = multisplit.histogram(given, negative)
        assert counts.tolist() == [(a < 0).sum(), (a >= 0).sum()]


def test_bincount_rejects_what_numpy_rejects() -> None:
    for x, weights in [
        (np.array([1j]), None),
        (np.array([], complex), None),
        (np.array(["2026-01-01"], "M8[D]"), None),
        (np.array([1], object), None),
        ([0, 1], np.array([1j, 2])),
        ([0, 1], np.array([1, 2], "M8[s]")),
        ([0, 1], np.array([1, 2], "m8[s]")),
        ([0, 1], np.array([1, 2], object)),
        ([0, 1], np.array(["1", "2"])),
        ([0, 1], np.array([1, 2], np.longdouble)),
    ]:
        with pytest.raises((TypeError, ValueError)):
            np.bincount(x, weights)
        with pytest.raises(TypeError, match="x has the type|weights has the type"):
            multisplit.bincount(x, weights)
    for weights in (np.array([True, False]), np.array([1, 2], np.float16), [1, 2]):
        assert_same(multisplit.bincount([0, 1], weights), np.bincount([0, 1], weights))


def test_boolean_weights_match_numpy() -> None:
    a, weights = np.array([1.0, 2.0, 3.0, 3.0]), np.array([True, False, True, True])
    for found, expected in zip(multisplit.histogram(a, 3, weights=weights), np.histogram(a, 3, weights=weights)):
        assert_same(found, expected)
    for function in (np.histogram, multisplit.histogram):
        with pytest.raises(TypeError):
            function(a, [1, 2, 3], weights=weights)


def test_memory_is_bounded_for_many_bin_counts() -> None:
    """Kernels must not be compiled for each number of bins: each kernel takes 1.6 MB."""
    with multisplit.Context(memory_limit=1 << 29) as context:
        a = multisplit.DeviceArray(np.arange(1000, dtype=np.float32), context=context)
        multisplit.histogram(a, 5)
        before = resident_bytes()
        for bins in range(400, 1000):
            assert multisplit.histogram(a, bins)[0].sum() == 1000
        assert resident_bytes() - before < 100 << 20


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
