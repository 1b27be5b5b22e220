"""Compares splits with NumPy's searchsorted and a stable sort by bucket."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from conftest import FLOATS, INTEGERS, SIZES, assert_same, random_array, some

import multisplit


def check(x: np.ndarray, edges: object, values: np.ndarray | None = None) -> None:
    edges_array = np.asarray(edges)
    buckets = np.searchsorted(edges_array, x, side="right") if edges_array.size else np.zeros(x.size, int)
    order = np.argsort(buckets, kind="stable")
    found = multisplit.split(x, edges, values=values)
    counts = np.bincount(buckets, minlength=edges_array.size + 1)
    assert_same(found.keys, x[order].astype(x.dtype.newbyteorder("=")))
    assert_same(found.offsets, np.concatenate([[0], np.cumsum(counts)]))
    assert_same(found.counts, counts)
    if values is None:
        assert found.values is None
    else:
        np.testing.assert_array_equal(found.values, values[order])


@pytest.mark.parametrize("dtype", some(INTEGERS + FLOATS, "b1", "i8", "f4"))
def test_splitters_of_all_types_match_numpy(dtype: str) -> None:
    for n in SIZES:
        x = random_array(dtype, n, seed=n)
        check(x, [])
        check(x, [1])
        check(x, [-2.5, 0.0, 0.0, 1.5, 90.0], values=np.arange(n))
        check(x, [-1e30, 0.5, 1e30, np.inf], values=np.arange(n).astype("u1"))
        own = np.sort(random_array(dtype, 20, seed=n + 1))
        check(x, own[~np.isnan(own)] if own.dtype.kind == "f" else own)


def test_many_splitters_match_numpy() -> None:
    x = random_array("i8", 3000, seed=1)
    check(x, np.unique(random_array("i8", 999, seed=2)), values=np.arange(3000).astype("c16"))


def test_both_zeros_are_equal_and_nan_is_last() -> None:
    x = np.array([0.0, -0.0, np.nan, -np.nan, 1.0, -1.0])
    for zero in (0.0, -0.0):
        check(x, [zero, 0.5], values=np.arange(6))


def test_dates_are_split() -> None:
    days = np.array(["2020-01-05", "2019-01-01", "NaT", "2021-06-01"], "M8[D]")
    found = multisplit.split(days, np.array(["2020-01-01", "2021-01-01"], "M8[D]"))
    assert found.offsets.tolist() == [0, 1, 2, 4]
    assert found.keys.tolist()[:2] == days[[1, 0]].tolist()
    with pytest.raises(TypeError, match="without loss"):
        multisplit.split(days, np.array(["2020-01-01T00:00"], "M8[m]"))


def test_identity_and_even_buckets_match_numpy() -> None:
    x = random_array("u4", 1000, seed=4) % 8
    found = multisplit.split(x, multisplit.Identity(8), values=np.arange(1000))
    order = np.argsort(x, kind="stable")
    assert_same(found.keys, x[order])
    np.testing.assert_array_equal(found.values, order)
    assert found.bucket(3).tolist() == [3] * int((x == 3).sum())
    y = np.random.default_rng(5).random(1000)
    found = multisplit.split(y, multisplit.Even(0.0, 1.0, 4))
    np.testing.assert_array_equal(found.keys, y[np.argsort((y * 4).astype(int), kind="stable")])
    with pytest.raises(multisplit.ArgumentError, match="id of 7 or more"):
        multisplit.split(np.arange(8), multisplit.Identity(7))


EVEN = [
    ("u1", 0, 300, 3),
    ("u1", 0, 256, 4),
    ("i1", -1000, 100.5, 7),
    ("b1", 0, 2, 2),
    ("i8", 0.5, 3.5, 3),
    ("i8", -3, np.float32(2.5), 5),
    ("i8", -(2**63), 2**63, 6),
    ("u4", 0, 2**32, 4),
    ("u8", -(2.0**70), 2**64, 9),
    ("f2", 0, 100_000, 4),
    ("f4", 0.1, 0.7, 6),
    ("f4", -1e39, 2**24 + 1, 3),
    ("f8", -1, 2**53 + 1, 3),
    ("f8", -1.0, 1.0, 1),
]


@pytest.mark.parametrize(("dtype", "low", "high", "buckets"), some(EVEN, *EVEN[:3], *EVEN[8:10]))
def test_even_edges_are_exact_for_unrepresentable_range_ends(dtype: str, low: float, high: float, buckets: int) -> None:
    first, width = Fraction(float(low)), Fraction(high if isinstance(high, int) else float(high)) - Fraction(float(low))
    edges = [first + part * width / buckets for part in range(1, buckets)]
    keys = random_array(dtype, 300, seed=6)
    # Add keys at or next to each edge: the nearest float, or the integers around it. An edge need not be a valid key.
    with np.errstate(over="ignore"):
        near = [float(edge) if keys.dtype.kind == "f" else int(edge) + by for edge in edges for by in (-1, 0, 1)]
        limits = None if keys.dtype.kind in "fb" else np.iinfo(keys.dtype)
        near = [key for key in near if limits is None or limits.min <= key <= limits.max]
        keys = np.concatenate([keys, np.array(near).astype(keys.dtype)])
    places = [sum(key >= edge for edge in edges) if not math.isnan(key) else buckets - 1 for key in keys.tolist()]
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places, minlength=buckets)
    for given in (keys, multisplit.DeviceArray(keys)):
        found = multisplit.split(given, multisplit.Even(low, high, buckets))
        assert_same(found.offsets, np.concatenate([[0], np.cumsum(counts)]))
        np.testing.assert_array_equal(np.asarray(found.keys), keys[order])


def test_even_parts_of_dates_are_split() -> None:
    days = np.array(["2020-01-05", "2019-01-01", "2021-06-01"], "M8[D]")
    first, last = np.datetime64("2019-01-01"), np.datetime64("2021-01-01T00:00")
    assert multisplit.split(days, multisplit.Even(first, last, 2)).offsets.tolist() == [0, 1, 3]
    with pytest.raises(TypeError, match="without loss"):
        multisplit.split(days, multisplit.Even(first, last + 1, 2))


def test_integers_are_compared_exactly() -> None:
    big = [2**62 - 1, 5, 2**62, 2**62 + 1, 2**63 - 1]
    for keys, edges in [
        (np.array([*big, 2**63, 2**64 - 1], "u8"), [2**62]),
        (np.array([*big, 2**63, 2**64 - 1], "u8"), [-1, 6, 2**62 + 1, 2**63 - 1]),
        (np.array([*big, -1, -(2**63)], "i8"), np.array([5, 2**62, 2**63 - 1, 2**63, 2**64 - 1], "u8")),
    ]:
        places = [sum(key >= edge for edge in np.asarray(edges).tolist()) for key in keys.tolist()]
        counts = np.bincount(places, minlength=len(edges) + 1)
        for given in (keys, multisplit.DeviceArray(keys)):
            found = multisplit.split(given, edges)
            assert_same(found.offsets, np.concatenate([[0], np.cumsum(counts)]))
            assert_same(np.asarray(found.keys), keys[np.argsort(places, kind="stable")])


def test_glsl_function_selects_buckets() -> None:
    odd_last = multisplit.Glsl(2, "uint bucket_of(uint key) { return (key >> push.parameter_0) & 1u; }", [1])
    x = np.arange(8, dtype="u4")
    if not multisplit.HAS_GLSL:
        with pytest.raises(multisplit.MissingFeatureError, match="./x wheel --glsl"):
            multisplit.split(x, odd_last)
        return
    assert multisplit.split(x, odd_last).keys.tolist() == [0, 1, 4, 5, 2, 3, 6, 7]
    table = multisplit.Glsl(2, "uint bucket_of(uint key) { return table.at[key & 3u]; }", table=[1, 0, 0, 1])
    assert multisplit.split(x, table).keys.tolist() == [1, 2, 5, 6, 0, 3, 4, 7]
    counts, edges = multisplit.histogram(x, table)
    assert counts.tolist() == [4, 4] and edges.tolist() == [0, 1, 2]
    counts, _ = multisplit.histogram(x, table, weights=x)
    assert counts.tolist() == [14, 14]
    with pytest.raises(TypeError, match="int64"):
        multisplit.histogram(np.arange(3), table)
    with pytest.raises(ValueError, match="weights"):
        multisplit.histogram(x, table, weights=x * 0.5)
    with pytest.raises(multisplit.ArgumentError):
        multisplit.split(x, multisplit.Glsl(2, "uint bucket_of(uint key) { return nothing; }"))


def test_invalid_buckets_are_rejected() -> None:
    x = np.arange(4)
    with pytest.raises(ValueError, match="ascend"):
        multisplit.split(x, [3, 1])
    with pytest.raises(ValueError, match="NaN"):
        multisplit.split(x, [1.0, np.nan])
    with pytest.raises(TypeError, match="splitters"):
        multisplit.split(x, 4)
    with pytest.raises(ValueError, match="axes"):
        multisplit.split(x.reshape(2, 2), [1])
    with pytest.raises(ValueError, match="one value for each key"):
        multisplit.split(x, [1], values=np.arange(3))
    with pytest.raises(TypeError, match="bucket numbers"):
        multisplit.split(x.astype(float), multisplit.Identity(3))
    with pytest.raises(multisplit.ArgumentError, match="at most"):
        multisplit.split(x, np.arange(100_000))
    for even, error, message in [
        ((0, 4, 0), ValueError, "from 1"),
        ((0, 4.5, 100_000), ValueError, "limit"),
        ((3, 3, 2), ValueError, "less than"),
        ((0, np.nan, 2), ValueError, "finite"),
        ((-np.inf, 0, 2), ValueError, "finite"),
        (("0", 4, 2), TypeError, "number"),
    ]:
        with pytest.raises(error, match=message):
            multisplit.split(x, multisplit.Even(*even))


def test_buckets_are_numbered_as_in_numpy() -> None:
    x = np.array([5, 200, 30, 7])
    for keys in (x, multisplit.DeviceArray(x)):
        parts = multisplit.split(keys, [10, 100])
        for number, expected in [(0, [5, 7]), (2, [200]), (-1, [200]), (-3, [5, 7])]:
            assert np.asarray(parts.bucket(number)).tolist() == expected
        for number in (3, -4):
            with pytest.raises(IndexError, match="there are 3"):
                parts.bucket(number)
        with pytest.raises(TypeError, match="integer"):
            parts.bucket(0.5)
