"""Compares sorts with NumPy's stable sort, bit by bit, for many types, shapes, axes and layouts."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import FLOATS, KEYS, SIZES, assert_same, random_array, some

import multisplit
from multisplit._arrays import key_encoding_of


def descending_order(x: np.ndarray, axis: int) -> np.ndarray:
    """Indices of a stable descending sort."""
    flipped = np.flip(np.argsort(np.flip(x, axis), axis=axis, kind="stable"), axis)
    return x.shape[axis] - 1 - flipped


@pytest.mark.parametrize("dtype", KEYS)
def test_sorts_match_numpy(dtype: str) -> None:
    for n in SIZES:
        x = random_array(dtype, n, seed=n)
        before = x.copy()
        assert_same(multisplit.sort(x), np.sort(x, kind="stable"))
        assert_same(multisplit.argsort(x), np.argsort(x, kind="stable"))
        order = descending_order(x, 0)
        assert_same(multisplit.argsort(x, descending=True), order)
        assert_same(multisplit.sort(x, descending=True), x[order])
        assert_same(x, before)


@pytest.mark.parametrize("dtype", some(["u1", "i4", "f4", "f8", "i8"], "u1", "f4"))
@pytest.mark.parametrize("shape", [(3, 5), (0, 4), (4, 0), (7, 1), (2, 3, 4), (300, 40)])
def test_sorts_along_axes_match_numpy(dtype: str, shape: tuple[int, ...]) -> None:
    x = random_array(dtype, shape, seed=1)
    for axis in [*range(-len(shape), len(shape)), None]:
        assert_same(np.ascontiguousarray(multisplit.sort(x, axis=axis)), np.sort(x, axis=axis, kind="stable"))
        order = multisplit.argsort(x, axis=axis)
        assert_same(np.ascontiguousarray(order), np.argsort(x, axis=axis, kind="stable"))
    if 0 not in shape:
        order = descending_order(x, 0)
        assert_same(np.ascontiguousarray(multisplit.argsort(x, axis=0, descending=True)), order)


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i2", "f2"])
def test_narrow_keys_are_sorted_without_widening(dtype: str) -> None:
    assert key_encoding_of(np.dtype(dtype)).dtype == np.dtype(dtype)
    for n in [1, 3, 4099]:
        x = random_array(dtype, n, seed=n)
        assert_same(multisplit.sort(x), np.sort(x, kind="stable"))
        keys, values = multisplit.sort_pairs(x, np.arange(n, dtype="u4"))
        order = np.argsort(x, kind="stable")
        assert_same(keys, x[order])
        assert_same(values, order.astype("u4"))
    with pytest.raises(multisplit.ArgumentError, match="id of 300 or more"):
        multisplit.split(np.array([-1, 3], "i1"), multisplit.Identity(300))


@pytest.mark.parametrize("dtype", some(KEYS, "i4", "f8"))
def test_arrays_larger_than_a_workgroup_are_sorted(dtype: str) -> None:
    x = random_array(dtype, 20_000, seed=2)
    assert_same(multisplit.sort(x), np.sort(x, kind="stable"))
    assert_same(multisplit.argsort(x), np.argsort(x, kind="stable"))


def test_rows_larger_than_a_workgroup_are_sorted() -> None:
    x = random_array("f4", (3, 20_000), seed=2)
    assert_same(multisplit.sort(x), np.sort(x, kind="stable"))
    assert_same(multisplit.argsort(x), np.argsort(x, kind="stable"))


def test_rows_are_sorted_in_several_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from multisplit import _sort

    monkeypatch.setattr(_sort, "_LONG_ROW", 50)
    x = random_array("f8", (5, 60), seed=3)
    assert_same(multisplit.sort(x), np.sort(x, kind="stable"))
    assert_same(multisplit.argsort(x), np.argsort(x, kind="stable"))
    keys, values = multisplit.sort_pairs(x, np.arange(300).reshape(5, 60))
    assert_same(keys, np.sort(x, kind="stable"))
    assert_same(values, np.argsort(x, kind="stable") + np.arange(0, 300, 60)[:, None])


@pytest.mark.parametrize("dtype", ["i4", "f8", "u2"])
def test_all_memory_layouts_are_sorted(dtype: str) -> None:
    base = random_array(dtype, (40, 60), seed=4)
    unaligned = np.frombuffer(b"\0" + base.tobytes(), np.uint8)[1:].view(dtype)
    read_only = base.copy()
    read_only.flags.writeable = False
    for x in [
        base[::2, ::-3],
        np.asfortranarray(base),
        base.T,
        base.astype(np.dtype(dtype).newbyteorder(">")),
        np.broadcast_to(base[0], (5, 60)),
        read_only,
        unaligned,
    ]:
        native = x.astype(x.dtype.newbyteorder("="))
        assert_same(multisplit.sort(x), np.ascontiguousarray(np.sort(native, kind="stable")))
        assert_same(multisplit.argsort(x), np.ascontiguousarray(np.argsort(native, kind="stable")))


@pytest.mark.parametrize("dtype", FLOATS)
def test_total_order_sorts_by_bits(dtype: str) -> None:
    x = random_array(dtype, 2000, seed=5)
    signed = np.dtype(f"i{x.itemsize}")
    bits = x.view(signed)
    # The order of negative floats is the reverse of the order of their bits.
    number = np.where(bits < 0, ~(bits & np.iinfo(signed).max), bits)
    assert_same(multisplit.argsort(x, nan="total"), np.argsort(number, kind="stable"))
    if x.itemsize >= 4:
        assert_same(multisplit.sort(x, nan="total"), x[np.argsort(number, kind="stable")])


def test_zeros_and_nans_keep_their_bits_and_order() -> None:
    x = np.array([0.0, -0.0, np.nan, -np.nan, 1.0, -0.0, 0.0, np.nan])
    x.view(np.uint64)[2] |= 5  # another NaN
    assert_same(multisplit.sort(x), np.sort(x, kind="stable"))
    keys, places = multisplit.sort_pairs(x, np.arange(8, dtype=np.uint32))
    assert_same(keys, np.sort(x, kind="stable"))
    assert_same(places.astype(np.int64), np.argsort(x, kind="stable"))
    assert_same(multisplit.sort(x, descending=True), x[[2, 3, 7, 4, 0, 1, 5, 6]])


def test_out_receives_the_result() -> None:
    x = random_array("f4", (30, 40), seed=6)
    expected = np.sort(x, kind="stable")
    for out in [
        np.empty_like(x),
        np.empty((30, 40), ">f4"),
        np.empty((40, 30), "f4").T,
        np.empty((30, 80), "f4")[:, ::2],
    ]:
        assert multisplit.sort(x, out=out) is out
        np.testing.assert_array_equal(out, expected)
    order = np.empty((30, 40), np.int64)
    assert multisplit.argsort(x, axis=0, out=order) is order
    assert_same(order, np.argsort(x, axis=0, kind="stable"))
    assert multisplit.sort(x, out=x) is x
    assert_same(x, expected)
    narrow = random_array("u1", 50, seed=7)
    assert_same(multisplit.sort(narrow, out=narrow), np.sort(narrow))
    with pytest.raises(ValueError, match="read-only"):
        multisplit.sort(x, out=np.broadcast_to(np.float32(0), x.shape))
    with pytest.raises(ValueError, match="shape"):
        multisplit.sort(x, out=np.empty(3, "f4"))
    with pytest.raises(TypeError, match="float64"):
        multisplit.sort(x, out=np.empty(x.shape, "f8"))
    with pytest.raises(TypeError, match="NumPy array"):
        multisplit.sort(x, out=[1, 2])


@pytest.mark.parametrize("dtype", some(KEYS, "f4", "i8"))
@pytest.mark.parametrize("value", ["u4", "f8", "c16", "i1", "U3", "O", "M8[s]", "row", "wide row"])
def test_sort_pairs_moves_values_of_any_type(dtype: str, value: str) -> None:
    x = random_array(dtype, 700, seed=8)
    numbers = np.arange(700)
    values = {
        "row": np.stack([numbers, -numbers], axis=1),
        "wide row": np.stack([numbers] * 5, axis=1).astype(np.float32),
    }.get(value)
    if values is None:
        values = numbers.astype("i8").astype(value) if value != "O" else np.array([{i} for i in numbers])
    keys, found = multisplit.sort_pairs(x, values)
    order = np.argsort(x, kind="stable")
    assert_same(keys, np.sort(x, kind="stable"))
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, values[order])
    keys, found = multisplit.sort_pairs(x, values, descending=True)
    np.testing.assert_array_equal(found, values[descending_order(x, 0)])


def test_sort_pairs_works_along_axes() -> None:
    x, values = random_array("f8", (20, 30), seed=9), random_array("i2", (20, 30), seed=10)
    for axis in (0, 1):
        order = np.argsort(x, axis=axis, kind="stable")
        keys, found = multisplit.sort_pairs(x, values, axis=axis)
        np.testing.assert_array_equal(keys, np.take_along_axis(x, order, axis))
        np.testing.assert_array_equal(found, np.take_along_axis(values, order, axis))
    with pytest.raises(ValueError, match="one value for each key"):
        multisplit.sort_pairs(x, values[:-1])
    with pytest.raises(ValueError, match="one value for each key"):
        multisplit.sort_pairs(x[0], values)
    keys, found = multisplit.sort_pairs(np.empty(0), np.empty((0, 3)))
    assert keys.shape == (0,) and found.shape == (0, 3)


def test_argsort_of_a_0d_array_has_one_index() -> None:
    for options in ({}, {"axis": 0}, {"axis": None}, {"descending": True}):
        assert_same(multisplit.argsort(np.array(3), **options), np.array([0]))


def test_results_along_any_axis_are_contiguous() -> None:
    x = random_array("f4", (5, 6, 7), seed=9)
    for axis in range(3):
        results = [multisplit.sort(x, axis=axis), multisplit.argsort(x, axis=axis), multisplit.scan(x, axis=axis)]
        results += [*multisplit.sort_pairs(x, x, axis=axis), *multisplit.topk(x, 2, axis=axis)]
        for found in results:
            assert found.flags.c_contiguous and found.shape[axis] in (2, x.shape[axis])
