"""Arrays that stay on the device: the same results, and what they look like from the host."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import KEYS, assert_same, random_array, some

import multisplit
from multisplit import DeviceArray


@pytest.mark.parametrize("dtype", KEYS)
def test_round_trip_keeps_every_bit(dtype: str) -> None:
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
def test_sorts(dtype: str) -> None:
    x = random_array(dtype, (4, 100), seed=2)
    a = DeviceArray(x)
    np.testing.assert_array_equal(np.asarray(multisplit.sort(a)), np.sort(x))
    assert_same(np.asarray(multisplit.argsort(a)), np.argsort(x, kind="stable"))
    # Nothing has changed it.
    np.testing.assert_array_equal(np.asarray(a), x)
    order = multisplit.argsort(a.reshape(400))
    keys, places = multisplit.sort_pairs(a.reshape(-1), DeviceArray(np.arange(400)))
    np.testing.assert_array_equal(np.asarray(keys), np.sort(x, axis=None))
    assert_same(np.asarray(places), np.asarray(order))
    best = multisplit.topk(a, 5)
    assert_same(np.asarray(best.indices), multisplit.topk(x, 5).indices)
    np.testing.assert_array_equal(np.asarray(best.values), multisplit.topk(x, 5).values)


@pytest.mark.parametrize("dtype", some(["u1", "i4", "i8", "f4", "f8"], "i8", "f4"))
def test_the_other_functions(dtype: str) -> None:
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
    sums = multisplit.scan(DeviceArray(np.array([np.inf, -np.inf, 1.0])))  # a NaN, of whatever sign
    assert np.isnan(np.asarray(multisplit.sort(sums))).tolist() == [False, True, True]


def test_for_other_libraries() -> None:
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
    with pytest.raises(ValueError, match="reshape"):
        a.reshape(4)


def test_what_is_refused() -> None:
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
