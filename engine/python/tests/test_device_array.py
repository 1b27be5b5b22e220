"""Arrays on the device: same results as on the host, and conversions to the host."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import KEYS, assert_same, random_array, some

import multisplit
from multisplit import DeviceArray


@pytest.mark.parametrize("dtype", KEYS)
def test_round_trip_keeps_elements(dtype: str) -> None:
    for shape in [(0,), (7,), (3, 4), ()]:
        x = random_array(dtype, shape, seed=1)
        a = DeviceArray(x)
        assert (a.shape, a.dtype, a.ndim, a.size) == (x.shape, x.dtype, x.ndim, x.size)
        found = np.asarray(a)
        if dtype == "f2":
            np.testing.assert_array_equal(found, x)
        else:
            assert_same(found, x)


@pytest.mark.parametrize("dtype", some(KEYS, "u1", "f4"))
def test_sorts_match_the_host(dtype: str) -> None:
    x = random_array(dtype, (4, 100), seed=2)
    a = DeviceArray(x)
    np.testing.assert_array_equal(np.asarray(multisplit.sort(a)), np.sort(x))
    assert_same(np.asarray(multisplit.argsort(a)), np.argsort(x, kind="stable"))
    # The input is unchanged.
    np.testing.assert_array_equal(np.asarray(a), x)
    order = multisplit.argsort(a.reshape(400))
    keys, places = multisplit.sort_pairs(a.reshape(-1), DeviceArray(np.arange(400)))
    np.testing.assert_array_equal(np.asarray(keys), np.sort(x, axis=None))
    assert_same(np.asarray(places), np.asarray(order))
    best = multisplit.topk(a, 5)
    assert_same(np.asarray(best.indices), multisplit.topk(x, 5).indices)
    np.testing.assert_array_equal(np.asarray(best.values), multisplit.topk(x, 5).values)


@pytest.mark.parametrize("dtype", some(["u1", "i4", "i8", "f4", "f8"], "i8", "f4"))
def test_other_functions_match_the_host(dtype: str) -> None:
    x = random_array(dtype, 500, seed=3)
    finite = np.nan_to_num(x, posinf=3, neginf=-3) if x.dtype.kind == "f" else x
    a, b = DeviceArray(x), DeviceArray(finite)
    np.testing.assert_array_equal(np.asarray(multisplit.unique_values(a)), multisplit.unique_values(x))
    np.testing.assert_array_equal(np.asarray(multisplit.unique_counts(a).counts), multisplit.unique_counts(x).counts)
    np.testing.assert_array_equal(
        np.asarray(multisplit.unique_all(a).inverse_indices), multisplit.unique_all(x).inverse_indices
    )
    found, expected = multisplit.split(a, [0, 2], values=b), multisplit.split(x, [0, 2], values=finite)
    np.testing.assert_array_equal(np.asarray(found.keys), expected.keys)
    np.testing.assert_array_equal(np.asarray(found.values), expected.values)
    assert_same(found.offsets, expected.offsets)
    for options in ({"bins": 5}, {"bins": [-1, 0, 2]}, {"bins": 4, "range": (0, 3), "weights": np.arange(500)}):
        counts, edges = multisplit.histogram(b, **options)
        expected_counts, expected_edges = np.histogram(finite, **options)
        assert_same(counts, expected_counts)
        assert_same(edges, expected_edges)
    small = DeviceArray(np.arange(50, dtype=dtype))
    assert_same(multisplit.bincount(DeviceArray(np.arange(9))), np.ones(9, np.int64))
    np.testing.assert_array_equal(np.asarray(multisplit.scan(small)), np.cumsum(np.arange(50)).astype(dtype))


def test_sums_of_floats_are_sorted_by_value() -> None:
    sums = multisplit.scan(DeviceArray(np.array([np.inf, -np.inf, 1.0])))  # inf - inf is a NaN; its sign depends on the device
    assert np.isnan(np.asarray(multisplit.sort(sums))).tolist() == [False, True, True]


@pytest.mark.parametrize("dtype", some(["b1", "i1", "u1", "i2", "u2", "f2"], "i1", "f2"))
def test_sums_wrap_and_round_to_their_type(dtype: str) -> None:
    x = np.array([100, 100, 100, 25, 1]).astype(dtype) if dtype != "f2" else np.array([2048, 1, 1, 3, 5], dtype)
    for exclusive in (False, True):
        sums, expected = multisplit.scan(DeviceArray(x), exclusive=exclusive), multisplit.scan(x, exclusive=exclusive)
        assert_same(np.asarray(sums), expected)
        assert_same(np.asarray(multisplit.sort(sums)), np.sort(expected))
        assert_same(np.asarray(multisplit.topk(sums, 1).values), np.sort(expected)[-1:])
        found, counts = np.unique(expected, return_counts=True)
        assert_same(np.asarray(multisplit.unique_counts(sums).values), found)
        assert_same(np.asarray(multisplit.unique_counts(sums).counts), counts)
        edges = [-128, 0, 1, 127]
        assert_same(multisplit.histogram(sums, edges)[0], np.histogram(expected.astype("f8"), edges)[0])


@pytest.mark.parametrize("dtype", some(KEYS[:-2], "b1", "i8", "f2"))
def test_exclusive_scans_match_the_host(dtype: str) -> None:
    for n in (0, 1, 20):
        x = random_array(dtype, n, seed=7)
        for op in ("min", "max"):
            found = np.asarray(multisplit.scan(DeviceArray(x), op=op, exclusive=True))
            np.testing.assert_array_equal(found, multisplit.scan(x, op=op, exclusive=True))
            assert found.dtype == x.dtype


@pytest.mark.parametrize("dtype", some(KEYS[:-2], "b1", "i8", "f2"))
def test_rows_are_scanned_along_the_last_axis(dtype: str) -> None:
    for shape in [(3, 7), (2, 3, 4), (4, 1), (0, 3), (3, 0)]:
        x = random_array(dtype, shape, seed=12)
        for op in ("sum", "min", "max"):
            for exclusive in (False, True):
                found = np.asarray(multisplit.scan(DeviceArray(x), op=op, exclusive=exclusive))
                np.testing.assert_array_equal(found, multisplit.scan(x, op=op, exclusive=exclusive))
        sums = np.asarray(multisplit.cumulative_sum(DeviceArray(x), axis=-1))
        np.testing.assert_array_equal(sums, multisplit.cumulative_sum(x, axis=-1))
    for axis in (0, -2):
        with pytest.raises(ValueError, match="last axis"):
            multisplit.scan(DeviceArray(np.ones((2, 3))), axis=axis)
    with pytest.raises(ValueError, match="axis="):
        multisplit.cumulative_sum(DeviceArray(np.ones((2, 3))))


def test_cumulative_sums_have_the_default_type() -> None:
    for dtype in ("b1", "i1", "u2", "i4", "u8", "f4"):
        x = np.array([100, 100, 1]).astype(dtype)
        assert_same(np.asarray(multisplit.cumulative_sum(DeviceArray(x))), multisplit.cumulative_sum(x))
        for wanted in ("i1", "f8"):
            found = multisplit.cumulative_sum(DeviceArray(x), dtype=wanted)
            assert_same(np.asarray(found), multisplit.cumulative_sum(x, dtype=wanted))
    with pytest.raises(ValueError, match="zero"):
        multisplit.cumulative_sum(DeviceArray(x), include_initial=True)
    with pytest.raises(TypeError, match="complex"):
        multisplit.cumulative_sum(DeviceArray(x), dtype="c8")
    for axis in (1, -2):
        with pytest.raises(IndexError):
            multisplit.cumulative_sum(DeviceArray(x), axis=axis)
        with pytest.raises(IndexError):
            multisplit.scan(DeviceArray(x), axis=axis)


def test_indices_behave_as_int64() -> None:
    x = np.random.default_rng(8).permutation(100_000)
    order, expected = multisplit.argsort(DeviceArray(x)), np.argsort(x, kind="stable")
    assert_same(np.asarray(multisplit.cumulative_sum(order)), np.cumsum(expected))
    assert_same(np.asarray(multisplit.scan(order, op="min", exclusive=True))[:1], np.array([2**63 - 1]))
    ascending = np.arange(0, 200_000, 2)
    found = multisplit.searchsorted(DeviceArray(ascending), order)
    assert_same(np.asarray(found), np.searchsorted(ascending, expected))
    needles = np.array([-5, 7, 2**40])
    found = multisplit.searchsorted(multisplit.sort(order), DeviceArray(needles))
    assert_same(np.asarray(found), np.searchsorted(np.sort(expected), needles))
    for buckets in (multisplit.Even(0, 100_000, 4), multisplit.Even(-1, 2**40, 3), [-1, 50_000, 2**40]):
        parts, same = multisplit.split(order, buckets, values=order), multisplit.split(expected, buckets)
        assert_same(parts.offsets, same.offsets)
        assert_same(np.asarray(parts.keys), same.keys)
        assert_same(np.asarray(parts.values), same.keys)


def test_dlpack_pickle_and_conversions_work() -> None:
    x = np.arange(6.0).reshape(2, 3)
    a = DeviceArray(x)
    assert_same(np.from_dlpack(a), x)
    assert a.__dlpack_device__() == (1, 0)
    assert_same(np.asarray(a, dtype=np.float32), x.astype(np.float32))
    assert_same(np.asarray(pickle.loads(pickle.dumps(a))), x)
    assert len(a) == 2 and a.nbytes == 48 and "(2, 3)" in repr(a)
    assert_same(np.asarray(a.reshape((3, -1))), x.reshape(3, 2))
    with pytest.raises(ValueError, match="without a copy"):
        a.__array__(copy=False)
    assert_same(a.__array__(copy=True), x)
    with pytest.raises(BufferError, match="without a copy"):
        a.__dlpack__(copy=False)
    assert a.__dlpack__(copy=True) is not None
    with pytest.raises(ValueError, match="reshape"):
        a.reshape(4)


def test_unsupported_arguments_are_rejected() -> None:
    a = DeviceArray(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="last axis"):
        multisplit.sort(a, axis=0)
    with pytest.raises(ValueError, match="reshape"):
        multisplit.sort(a, axis=None)
    with pytest.raises(TypeError, match="out"):
        multisplit.sort(a, out=np.zeros((2, 3)))
    with pytest.raises(TypeError, match="both"):
        multisplit.sort_pairs(a, np.zeros((2, 3)))
    with pytest.raises(TypeError, match="both"):
        multisplit.split(a.reshape(6), [1], values=np.zeros(6))
    with pytest.raises(TypeError, match="object"):
        DeviceArray(np.array([object()]))
    other = DeviceArray(np.zeros((2, 3)), context=multisplit.Context(memory_limit=1 << 28))
    with pytest.raises(multisplit.ArgumentError, match="another context"):
        multisplit.sort_pairs(a, other)


def test_indexing_and_take_match_numpy() -> None:
    for x in (random_array("f4", (6, 3), seed=4), np.arange(6), random_array("M8[s]", 6, seed=4), np.zeros((2, 0, 3))):
        a = DeviceArray(x)
        for rows in (slice(None), slice(1, 4), slice(-2, None), slice(4, 2), slice(5, 99), slice(2, -2)):
            assert_same(np.asarray(a[rows]), x[rows])
            assert isinstance(a[rows], DeviceArray)
        for row in (0, -1, np.int64(1)):
            assert_same(np.asarray(a[row]), np.asarray(x[row]))
        for indices in ([1, 0, 1], np.array([[0, -1]]), DeviceArray(np.array([1])), np.empty(0, int)):
            found = a.take(indices)
            assert isinstance(found, DeviceArray)
            assert_same(np.asarray(found), x.take(np.asarray(indices), axis=0))
        assert_same(np.asarray(a.copy()), x)
    order = multisplit.argsort(DeviceArray(np.array([3, 1, 2])))
    assert_same(np.asarray(order[1:]), np.array([2, 0]))
    assert order[0] == 1
    assert_same(np.asarray(order.take([2])), np.array([0]))


def test_unsupported_indices_and_comparisons_are_rejected() -> None:
    a = DeviceArray(np.arange(6).reshape(3, 2))
    for index in (3, -4):
        with pytest.raises(IndexError, match="out of range for 3 rows"):
            a[index]
    with pytest.raises(IndexError):
        a.take([3])
    with pytest.raises(ValueError, match="step 1"):
        a[::2]
    for index in ((0, 1), [0, 1], np.array([True, False, True]), None, True):
        with pytest.raises(TypeError, match="take"):
            a[index]
    with pytest.raises(ValueError, match="first axis"):
        a.take([0], axis=1)
    with pytest.raises(TypeError, match="integers"):
        a.take([0.5])
    for compare in (lambda: a == a, lambda: a != a, lambda: a == 3):
        with pytest.raises(TypeError, match="compared"):
            compare()
    with pytest.raises(TypeError, match="truth value"):
        bool(a)
    with pytest.raises(TypeError):
        iter(a)
    with pytest.raises(TypeError):
        hash(a)
