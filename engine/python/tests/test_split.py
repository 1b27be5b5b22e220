"""Splits against NumPy's searchsorted and a stable sort by bucket."""

from __future__ import annotations

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


@pytest.mark.parametrize("dtype", some(INTEGERS + FLOATS, "b1", "i1", "u4", "i8", "f4", "f8"))
def test_splitters(dtype: str) -> None:
    for n in SIZES:
        x = random_array(dtype, n, seed=n)
        check(x, [])
        check(x, [1])
        check(x, [-2.5, 0.0, 0.0, 1.5, 90.0], values=np.arange(n))
        check(x, [-1e30, 0.5, 1e30, np.inf], values=np.arange(n).astype("u1"))
        own = np.sort(random_array(dtype, 20, seed=n + 1))
        check(x, own[~np.isnan(own)] if own.dtype.kind == "f" else own)


def test_many_splitters() -> None:
    x = random_array("i8", 3000, seed=1)
    check(x, np.unique(random_array("i8", 999, seed=2)), values=np.arange(3000).astype("c16"))


def test_zeros_are_one_and_nan_is_last() -> None:
    x = np.array([0.0, -0.0, np.nan, -np.nan, 1.0, -1.0])
    for zero in (0.0, -0.0):
        check(x, [zero, 0.5], values=np.arange(6))


def test_dates() -> None:
    days = np.array(["2020-01-05", "2019-01-01", "NaT", "2021-06-01"], "M8[D]")
    found = multisplit.split(days, np.array(["2020-01-01", "2021-01-01"], "M8[D]"))
    assert found.offsets.tolist() == [0, 1, 2, 4]
    assert found.keys.tolist()[:2] == days[[1, 0]].tolist()
    with pytest.raises(TypeError, match="without loss"):
        multisplit.split(days, np.array(["2020-01-01T00:00"], "M8[m]"))


def test_bucket_functions() -> None:
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


def test_glsl() -> None:
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


def test_bad_buckets() -> None:
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
    with pytest.raises(TypeError, match="numbers of buckets"):
        multisplit.split(x.astype(float), multisplit.Identity(3))
    with pytest.raises(multisplit.ArgumentError, match="limit"):
        multisplit.split(x, np.arange(100_000))
