"""Partitions and quantiles against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import FLOATS, KEYS, assert_same, random_array, some

import multisplit
from multisplit import DeviceArray


@pytest.mark.parametrize("dtype", some(KEYS, "i2", "f8"))
def test_partitions_have_ranks_in_place(dtype: str) -> None:
    x = random_array(dtype, 3000, seed=1)
    for kth in (6, -7, [2, 6]):
        check(x, kth, -1)
    check(x.reshape(30, 100), 6, None)


def test_rows_are_partitioned_along_every_axis() -> None:
    x = random_array("f4", (20, 30, 4), seed=1)
    for axis, kth in ((0, 2), (1, [0, 2]), (-1, [1, 2])):
        check(x, kth, axis)


def check(x: np.ndarray, kth: int | list[int], axis: int | None) -> None:
    """Compare partitions with sorts: elements of the ranks, elements below them, and all elements."""
    found, order = multisplit.partition(x, kth, axis=axis), multisplit.argpartition(x, kth, axis=axis)
    x, axis = (x.reshape(-1), 0) if axis is None else (x, axis)
    assert order.dtype == np.int64
    assert_same(np.take_along_axis(x, order, axis), found)
    rows, expected = np.moveaxis(found, axis, -1), np.moveaxis(np.sort(x, axis=axis), axis, -1)
    np.testing.assert_array_equal(np.sort(rows), expected)
    for k in np.atleast_1d(kth):
        np.testing.assert_array_equal(rows[..., k], expected[..., k])
        np.testing.assert_array_equal(np.sort(rows[..., :k]), expected[..., :k])


def test_partitions_of_device_arrays_are_sorted() -> None:
    x = random_array("f4", 1000, seed=2)
    np.testing.assert_array_equal(np.asarray(multisplit.partition(DeviceArray(x), 500)), np.sort(x))
    assert_same(np.asarray(multisplit.argpartition(DeviceArray(x), [0, -1])), np.argsort(x, kind="stable"))


def test_invalid_ranks_are_rejected() -> None:
    for x in (np.arange(3), DeviceArray(np.arange(3))):
        for function in (multisplit.partition, multisplit.argpartition):
            for kth in (3, -4, [0, 5]):
                with pytest.raises(ValueError, match="kth is .* from -3 to 2"):
                    function(x, kth)
            for kth in (1.0, True, [0.5]):
                with pytest.raises(TypeError, match="kth must be an integer"):
                    function(x, kth)
    assert multisplit.partition(np.empty(0), 0).size == 0
    assert multisplit.partition(np.array([3, 1]), []).tolist() == [3, 1]
    assert_same(multisplit.argpartition(np.array(3), 0), np.array([0]))


@pytest.mark.parametrize("dtype", some(["i1", "u1", "i4", "u8", *FLOATS], "u1", "f4"))
def test_quantiles_match_numpy(dtype: str) -> None:
    rng = np.random.default_rng(3)
    x = (rng.random((4, 25)) * 100).astype(dtype)
    with_nan = np.where(rng.random(x.shape) < 0.02, np.nan, x).astype(dtype) if x.dtype.kind == "f" else x
    for given in (x, with_nan):
        # NumPy subtracts integers in their own type, which overflows.
        exact = given.astype("f8") if given.dtype.kind in "ui" else given
        for axis in (None, 0, -1):
            assert_equal(multisplit.median(given, axis=axis), np.median(given, axis=axis))
            for q in (0.3, 0.0, [0.1, 0.5, 1.0], np.array([[0.25, 0.75]])):
                assert_equal(multisplit.quantile(given, q, axis=axis), np.quantile(exact, q, axis=axis))
                percent = q * 100 if isinstance(q, float) else np.multiply(q, 100)
                assert_equal(multisplit.percentile(given, percent, axis=axis), np.percentile(exact, percent, axis=axis))
    for a in (DeviceArray(x), DeviceArray(x.reshape(-1))):
        assert_equal(multisplit.quantile(a, [0.1, 0.9], axis=-1), multisplit.quantile(np.asarray(a), [0.1, 0.9], axis=-1))
        assert_equal(multisplit.median(a), np.median(x))


def assert_equal(actual: object, expected: object) -> None:
    """Assert the same kind of object, type, shape and values."""
    assert type(actual) is type(expected)
    assert np.asarray(actual).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(actual, expected)


def test_quantiles_reject_bad_arguments() -> None:
    x = np.array([3.0, 1.0])
    for q in (-0.1, 1.5, np.nan, [0.5, 2]):
        with pytest.raises(ValueError, match="q must be from 0 to 1"):
            multisplit.quantile(x, q)
    with pytest.raises(ValueError, match="q must be from 0 to 100"):
        multisplit.percentile(x, 101)
    for q in (True, "0.5"):
        with pytest.raises(TypeError, match="numbers from 0 to 1"):
            multisplit.quantile(x, q)
    for bad in (x > 2, np.zeros(3, "M8[s]")):
        with pytest.raises(TypeError, match="integers and floats"):
            multisplit.median(bad)
    for axis, shape in ((None, 0), (0, (0, 3))):
        with pytest.raises(ValueError, match="at least one element"):
            multisplit.median(np.empty(shape), axis=axis)
    assert multisplit.median(np.empty((0, 3)), axis=1).shape == (0,)
    assert multisplit.quantile(x, []).shape == (0,)
