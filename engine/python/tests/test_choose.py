"""Top-k, unique elements, scans, segments, lexsort and isin against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import FLOATS, INTEGERS, KEYS, assert_same, random_array, some

import multisplit


@pytest.mark.parametrize("dtype", some(KEYS, "f8"))
def test_topk_matches_argsort(dtype: str) -> None:
    for n, k in some([(1, 1), (5, 0), (40, 40), (3000, 7), (3000, 500)], (5, 0), (3000, 7)):
        x = random_array(dtype, n, seed=n)
        for largest in (True, False):
            order = multisplit.argsort(x, descending=largest)[:k]
            found = multisplit.topk(x, k, largest=largest)
            assert_same(found.indices, order)
            assert_same(found.values, x[order])
            unsorted = multisplit.topk(x, k, largest=largest, sorted=False)
            assert_same(np.sort(unsorted.indices), np.sort(order))
            assert_same(unsorted.values, x[unsorted.indices])


def test_topk_works_along_every_axis() -> None:
    x = random_array("f4", (20, 30, 4), seed=1)
    for axis in some([0, 1, -1], 0, -1):
        found = multisplit.topk(x, 3, axis=axis, largest=False)
        order = np.take(np.argsort(x, axis=axis, kind="stable"), range(3), axis)
        np.testing.assert_array_equal(found.indices, order)
        np.testing.assert_array_equal(found.values, np.take_along_axis(x, order, axis))
    assert multisplit.topk(x[:0], 2, axis=1).values.shape == (0, 2, 4)
    with pytest.raises(ValueError, match="from 0 to 4"):
        multisplit.topk(x, 5)
    with pytest.raises(TypeError, match="integer"):
        multisplit.topk(x, 1.5)
    assert multisplit.topk(np.array([1.0, np.nan, 2.0]), 1).indices.tolist() == [1]
    assert multisplit.topk(np.array([1.0, -np.nan, 2.0]), 1, nan="total").indices.tolist() == [2]


@pytest.mark.parametrize("dtype", some(KEYS, "f4", "M8[s]"))
def test_unique_matches_numpy(dtype: str) -> None:
    for shape in [(0,), (1,), (2000,), (12, 10)]:
        x = random_array(dtype, shape, seed=2)
        values, indices, inverse, counts = np.unique(
            x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
        )
        inverse = inverse.reshape(shape)
        np.testing.assert_array_equal(multisplit.unique_values(x), values)
        found = multisplit.unique_counts(x)
        np.testing.assert_array_equal(found.values, values)
        assert_same(found.counts, counts)
        np.testing.assert_array_equal(multisplit.unique_inverse(x).inverse_indices, inverse)
        everything = multisplit.unique_all(x)
        np.testing.assert_array_equal(everything.values, values)
        assert_same(everything.indices, indices)
        assert_same(everything.inverse_indices, inverse)
        assert_same(everything.counts, counts)
        assert everything.values.dtype == x.dtype


@pytest.mark.parametrize("dtype", some(INTEGERS + FLOATS, "b1", "u8", "f4"))
def test_cumulative_sum_matches_numpy(dtype: str) -> None:
    for shape in some([(0,), (1,), (3000,), (20, 30), (3, 4, 5)], (0,), (1,), (300,), (3, 20, 5)):
        x = random_array(dtype, shape, seed=3)
        x = np.clip(np.nan_to_num(x), -50, 50) if x.dtype.kind == "f" else x
        for axis in range(x.ndim):
            for initial in (False, True):
                found = multisplit.cumulative_sum(x, axis=axis, include_initial=initial)
                wide = x.astype(found.dtype if found.itemsize > 2 else "f4")
                expected = np.cumsum(wide, axis=axis, dtype=wide.dtype)
                if initial:
                    expected = np.insert(expected, 0, 0, axis=axis)
                assert found.shape == expected.shape
                if x.dtype.kind == "f":
                    tolerance = {2: 1e-2, 4: 1e-4, 8: 1e-12}[x.itemsize]
                    np.testing.assert_allclose(found.astype(expected.dtype), expected, rtol=tolerance, atol=50 * tolerance)
                else:
                    assert_same(np.ascontiguousarray(found), expected)
    assert multisplit.cumulative_sum(np.ones(3, "u1")).dtype == np.uint64
    assert multisplit.cumulative_sum(np.ones(3, "u1"), dtype="u1").dtype == np.uint8
    assert_same(multisplit.cumulative_sum(np.full(3, 200, "u1"), dtype="u1"), np.array([200, 144, 88], "u1"))
    with pytest.raises(ValueError, match="axis="):
        multisplit.cumulative_sum(np.ones((2, 2)))


@pytest.mark.parametrize("dtype", some(INTEGERS + FLOATS, "i1", "f4"))
def test_scans_match_numpy(dtype: str) -> None:
    x = random_array(dtype, (3, 20), seed=4)
    x = np.nan_to_num(x) if x.dtype.kind == "f" else x
    for op, ufunc in (("min", np.minimum), ("max", np.maximum)):
        for axis in (0, 1):
            expected = ufunc.accumulate(x, axis=axis)
            np.testing.assert_array_equal(multisplit.scan(x, op=op, axis=axis), expected)
            before = np.moveaxis(multisplit.scan(x, op=op, axis=axis, exclusive=True), axis, 0)
            np.testing.assert_array_equal(before[1:], np.moveaxis(expected, axis, 0)[:-1])
            # The first result is the identity element.
            np.testing.assert_array_equal(ufunc(before[0], np.moveaxis(x, axis, 0)[0]), np.moveaxis(x, axis, 0)[0])
    if x.dtype.kind in "ui":
        sums = np.cumsum(x, axis=1, dtype=x.dtype)
        assert_same(multisplit.scan(x), sums)
        assert_same(multisplit.scan(x, exclusive=True), sums - x)
        out = np.empty_like(x)
        assert multisplit.scan(x, out=out) is out
        assert_same(out, sums)


def test_scan_orders_nan_last_and_rejects_bad_arguments() -> None:
    x = np.array([2.0, np.nan, 1.0, -np.nan])
    assert multisplit.scan(x, op="min").tolist() == [2, 2, 1, 1]
    assert np.isnan(multisplit.scan(x, op="max")).tolist() == [False, True, True, True]
    with pytest.raises(ValueError, match="product"):
        multisplit.scan(x, op="product")
    with pytest.raises(TypeError, match="datetime64"):
        multisplit.scan(np.zeros(3, "M8[s]"))


@pytest.mark.parametrize("dtype", some(["f2", "f4", "f8", "i8"], "f4"))
def test_rows_scanned_together_match_separate_scans(dtype: str) -> None:
    """Rows have the same bits as in separate calls, except for the bits of NaN, which are not defined."""
    limit = int(multisplit.Context()._engine.describe()["max_scan_row"])
    for shape in [(300, 16), (7, 1001), (3, 2, 5), (2, limit), (2, limit - 3), (2, limit + 1), (1, 9), (9, 1), (0, 4), (4, 0)]:
        x = random_array(dtype, shape, seed=5)
        for options in ({"op": "sum"}, {"op": "sum", "exclusive": True}, {"op": "max"}, {"op": "min", "exclusive": True}):
            found = multisplit.scan(x, **options)
            rows = x.reshape(-1, shape[-1]) if x.size else x[:0]
            picked = rows if len(rows) < 10 else rows[[0, 1, len(rows) // 2, -1]]
            alone = [multisplit.scan(row, **options) for row in picked]
            together = found.reshape(rows.shape) if len(rows) < 10 else found[[0, 1, len(rows) // 2, -1]]
            for row, expected in zip(together, alone):
                bits, expected_bits = (part.view(f"u{part.dtype.itemsize}") for part in (row, expected))
                assert np.all((bits == expected_bits) | ((row != row) & (expected != expected)))


def test_rows_are_scanned_in_few_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    scan = multisplit._native.scan
    monkeypatch.setattr("multisplit._native.scan", lambda *arguments: calls.append(arguments) or scan(*arguments))
    x = np.random.default_rng(1).random((2000, 15))
    np.testing.assert_allclose(multisplit.cumulative_sum(x, axis=1), np.cumsum(x, axis=1))
    np.testing.assert_array_equal(multisplit.scan(x, op="max"), np.maximum.accumulate(x, axis=1))
    assert len(calls) == 2
    # Only sums of floats depend on the order of the additions.
    long = random_array("i4", (3, int(multisplit.Context()._engine.describe()["max_scan_row"]) + 1), seed=1)
    assert_same(multisplit.scan(long), np.cumsum(long, axis=1, dtype="i4"))
    np.testing.assert_array_equal(multisplit.scan(long.astype("f4"), op="min"), np.minimum.accumulate(long.astype("f4"), axis=1))
    assert len(calls) == 4


@pytest.mark.parametrize("dtype", some(INTEGERS + FLOATS, "b1", "f2", "i8"))
def test_scans_of_segments_match_numpy(dtype: str) -> None:
    x = random_array(dtype, 5000, seed=10)
    x = np.nan_to_num(x, posinf=5, neginf=-5) if x.dtype.kind == "f" else x
    assert_equal = assert_same if x.dtype.kind in "bui" else np.testing.assert_array_equal
    offsets = np.array([0, 0, 1, 7, 7, 900, 4999, 5000, 5000])
    for op, ufunc in (("sum", np.add), ("min", np.minimum), ("max", np.maximum)):
        if op == "sum" and x.dtype.kind not in "ui":
            continue
        expected = np.concatenate([ufunc.accumulate(part, dtype=x.dtype) for part in np.split(x, offsets[1:-1])])
        found = multisplit.scan(x, op=op, offsets=offsets)
        assert_equal(found, expected)
        assert_equal(np.asarray(multisplit.scan(multisplit.DeviceArray(x), op=op, offsets=offsets)), expected)
        before = np.concatenate([x[:1], expected[:-1]])
        before[offsets[offsets < 5000]] = 0 if op == "sum" else multisplit._scan.neutral(x.dtype, op)
        out = np.empty_like(x)
        assert multisplit.scan(x, op=op, exclusive=True, offsets=list(offsets), out=out) is out
        assert_equal(out, before)
        assert_equal(np.asarray(multisplit.scan(multisplit.DeviceArray(x), op=op, exclusive=True, offsets=offsets)), before)


def test_float_sums_of_segments_are_close_to_numpy() -> None:
    x = np.random.default_rng(11).random(100_000)
    offsets = [0, 10, 70_000, 100_000]
    expected = np.concatenate([np.cumsum(part) for part in np.split(x, offsets[1:-1])])
    np.testing.assert_allclose(multisplit.scan(x, offsets=offsets), expected)


def test_invalid_offsets_of_scans_are_rejected() -> None:
    x = np.arange(5)
    for offsets in ([], [1, 0], [-1, 2], [0, 6], [1, 5], [0, 4], [[0, 5]], [0.0, 5.0]):
        with pytest.raises((ValueError, TypeError), match="offsets"):
            multisplit.scan(x, offsets=offsets)
    with pytest.raises(ValueError, match="x has 2 axes"):
        multisplit.scan(x.reshape(1, 5), offsets=[0, 5])
    assert multisplit.scan(x[:0], offsets=[0, 0]).size == 0
    assert multisplit.scan(multisplit.DeviceArray(x[:0]), offsets=[0]).size == 0


@pytest.mark.parametrize("dtype", some(INTEGERS + FLOATS, "i2", "f4"))
def test_reduce_segments_matches_numpy(dtype: str) -> None:
    x = random_array(dtype, 5000, seed=6)
    x = np.nan_to_num(x, posinf=5, neginf=-5) if x.dtype.kind == "f" else x
    offsets = np.array([0, 1, 7, 7, 900, 4999, 4999])
    for op, ufunc in (("sum", np.add), ("min", np.minimum), ("max", np.maximum)):
        found = multisplit.reduce_segments(x, offsets, op=op)
        assert found.dtype == x.dtype
        for begin, end, value in zip(offsets, offsets[1:], found):
            expected = ufunc.reduce(x[begin:end], dtype=x.dtype) if end > begin else multisplit._scan.neutral(x.dtype, op)
            if end == begin and op == "sum":
                expected = x.dtype.type(0)
            np.testing.assert_allclose(value.astype(float), np.asarray(expected, float), rtol=0.02 if dtype == "f2" else 1e-4)
    assert multisplit.reduce_segments(x[:0], [0, 0]).tolist() == [0]
    assert multisplit.reduce_segments(x, [3]).size == 0
    for offsets in ([], [1, 0], [-1, 2], [0, 5001]):
        with pytest.raises((ValueError, TypeError), match="offsets"):
            multisplit.reduce_segments(x, offsets)


@pytest.mark.parametrize("op", ["sum", "min", "max"])
def test_long_and_many_segments_are_reduced_in_parts(op: str) -> None:
    x = random_array("i8", 100, seed=7)
    offsets = np.array([0, 3, 3, 50, 51, *range(52, 80), 100], np.uint32)
    engine = multisplit._context.engine_of(None, x)
    found = multisplit._segments._reduced(engine, x, offsets, op, 7)
    ufunc = {"sum": np.add, "min": np.minimum, "max": np.maximum}[op]
    expected = [ufunc.reduce(x[a:b]) for a, b in zip(offsets, offsets[1:]) if b > a]
    assert found[offsets[1:] > offsets[:-1]].tolist() == expected


def test_lexsort_matches_numpy() -> None:
    a, b, c = (random_array(dtype, 1000, seed=7) for dtype in ("i1", "f4", "M8[s]"))
    for keys in ([a], [a, b], [c, a], [b, a, c], np.array([a, a[::-1]])):
        assert_same(multisplit.lexsort(keys), np.lexsort(keys))
    for keys in ([], [a, b[:5]], [a.reshape(10, 100)]):
        with pytest.raises(ValueError, match="one length"):
            multisplit.lexsort(keys)


@pytest.mark.parametrize("dtype", some(KEYS, "f4", "M8[s]"))
def test_isin_matches_numpy(dtype: str) -> None:
    x, others = random_array(dtype, (20, 30), seed=8), random_array(dtype, 40, seed=9)
    for test in (others, others[:0], others[:1], others.reshape(5, 8)):
        assert_same(multisplit.isin(x, test), np.isin(x, test))
    assert_same(multisplit.isin(np.array(3), [1, 3]), np.isin(np.array(3), [1, 3]))
