"""Partitions and quantiles against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import KEYS, assert_same, random_array, some

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
