"""Compares searchsorted and nonzero with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import FLOATS, INTEGERS, KEYS, assert_same, random_array, some

import multisplit
from multisplit import DeviceArray


@pytest.mark.parametrize("dtype", some(KEYS, "i8", "f4"))
def test_searchsorted_matches_numpy(dtype: str) -> None:
    for n, m in [(0, 5), (1, 5), (1000, 300), (5, 0)]:
        x, needles = np.sort(random_array(dtype, n, seed=1)), random_array(dtype, m, seed=2)
        for side in ("left", "right"):
            assert_same(multisplit.searchsorted(x, needles, side=side), np.searchsorted(x, needles, side=side))


def test_searchsorted_shapes_types_and_sorters_match_numpy() -> None:
    x = random_array("i4", 200, seed=3)
    order = np.argsort(x, kind="stable")
    needles = random_array("f8", (5, 4), seed=4)
    expected = np.searchsorted(x, needles, sorter=order)
    assert_same(multisplit.searchsorted(x, needles, sorter=order), expected)
    assert_same(multisplit.searchsorted(x[order].astype(">i4"), needles.T), expected.T.copy())
    found = multisplit.searchsorted(x[order], 7)
    assert isinstance(found, np.int64) and found == np.searchsorted(x[order], 7)
    big = np.array([2**53, 2**53 + 1, 2**62], np.uint64)
    assert_same(multisplit.searchsorted(big, big), np.searchsorted(big, big))
    assert_same(multisplit.searchsorted(big, big.astype("i8")), np.searchsorted(big, big.astype("i8")))
    zeros = np.array([-0.0, 0.0, 1.0, np.nan, -np.nan])
    for side in ("left", "right"):
        assert_same(multisplit.searchsorted(zeros, zeros, side=side), np.searchsorted(zeros, zeros, side=side))


def test_device_arrays_are_searched() -> None:
    x, needles = random_array("f4", 100, seed=5), random_array("f4", (4, 5), seed=6)
    ascending = multisplit.sort(multisplit.DeviceArray(x))
    found = multisplit.searchsorted(ascending, multisplit.DeviceArray(needles), side="right")
    assert_same(np.asarray(found), np.searchsorted(np.sort(x), needles, side="right"))
    with pytest.raises(TypeError, match="both"):
        multisplit.searchsorted(ascending, needles)
    with pytest.raises(ValueError, match="same type"):
        multisplit.searchsorted(ascending, multisplit.DeviceArray(needles.astype("f8")))


def test_invalid_arguments_are_rejected() -> None:
    for arguments, options, error, message in [
        ((np.zeros((2, 2)), 1), {}, ValueError, "axes"),
        ((np.zeros(2), 1), {"side": "middle"}, ValueError, "middle"),
        ((np.zeros(2), 1), {"sorter": [0]}, ValueError, "sorter"),
        ((np.zeros(2), 1), {"sorter": [0.5, 1]}, ValueError, "integers"),
        ((np.zeros(2), "a"), {}, TypeError, "x2"),
    ]:
        with pytest.raises(error, match=message):
            multisplit.searchsorted(*arguments, **options)


def test_dates_and_time_differences_have_no_common_order() -> None:
    dates, differences = np.array([1, 2], "M8[s]"), np.array([1], "m8[s]")
    for x1, x2 in [(dates, differences), (differences, dates)]:
        with pytest.raises(TypeError):
            np.searchsorted(x1, x2)
        with pytest.raises(TypeError, match="no common order"):
            multisplit.searchsorted(x1, x2)


@pytest.mark.parametrize("dtype", some(INTEGERS + FLOATS, "b1", "f4"))
def test_nonzero_matches_numpy(dtype: str) -> None:
    for shape in [(0,), (1000,), (4, 3, 50), (0, 2)]:
        x = random_array(dtype, shape, seed=10)
        if x.dtype.kind == "f" and x.size:
            x.reshape(-1)[7:9] = np.nextafter(x.dtype.type(0), x.dtype.type([1, -1]))
        for given in (x, DeviceArray(x)):
            found, expected = multisplit.nonzero(given), np.nonzero(x)
            assert len(found) == len(expected)
            for place, wanted in zip(found, expected):
                assert_same(np.ascontiguousarray(place), np.ascontiguousarray(wanted))
    with pytest.raises(ValueError, match="atleast_1d"):
        multisplit.nonzero(np.array(3))
    with pytest.raises(TypeError, match="datetime64"):
        multisplit.nonzero(np.zeros(3, "M8[s]"))
