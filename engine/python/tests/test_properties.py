"""Random arrays: what holds of every sort, split, selection and sum. Cases come from hypothesis."""

from __future__ import annotations

import numpy as np
from conftest import assert_same
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import multisplit

DTYPES = st.sampled_from(["b1", "i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]).map(np.dtype)
SHAPES = arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=30)
ANY = arrays.arrays(DTYPES, SHAPES)
ROWS = arrays.arrays(DTYPES, st.integers(0, 300))


@st.composite
def arrays_and_axes(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    x = draw(ANY)
    return x, draw(st.integers(-x.ndim, x.ndim - 1))


@given(arrays_and_axes(), st.booleans())
def test_sort_and_argsort(case: tuple[np.ndarray, int], descending: bool) -> None:
    x, axis = case
    order = multisplit.argsort(x, axis=axis, descending=descending)
    found = multisplit.sort(x, axis=axis, descending=descending)
    assert_same(np.ascontiguousarray(found), np.ascontiguousarray(np.take_along_axis(x, order, axis)))
    if not descending:
        assert_same(np.ascontiguousarray(order), np.argsort(x, axis=axis, kind="stable"))


@given(ROWS, st.data())
def test_split(x: np.ndarray, data: st.DataObject) -> None:
    edges = data.draw(arrays.arrays(x.dtype, st.integers(0, 9)))
    edges = np.sort(edges[edges == edges])
    buckets = np.searchsorted(edges, x, side="right")
    order = np.argsort(buckets, kind="stable")
    found = multisplit.split(x, edges, values=np.arange(x.size))
    assert_same(found.keys, x[order])
    assert_same(found.values, order)
    assert_same(found.counts, np.bincount(buckets, minlength=edges.size + 1))


@given(ANY)
def test_unique(x: np.ndarray) -> None:
    found = multisplit.unique_all(x)
    assert found.counts.sum() == x.size
    np.testing.assert_array_equal(found.values[found.inverse_indices], x)
    np.testing.assert_array_equal(x.reshape(-1)[found.indices], found.values)
    np.testing.assert_array_equal(multisplit.unique_counts(x).values, found.values)


@given(ROWS, st.integers(0, 300), st.booleans())
def test_topk(x: np.ndarray, k: int, largest: bool) -> None:
    k = min(k, x.size)
    found = multisplit.topk(x, k, largest=largest)
    assert_same(found.indices, multisplit.argsort(x, descending=largest)[:k])
    assert_same(found.values, x[found.indices])


@given(arrays.arrays(st.sampled_from(["i1", "u2", "i4", "u8", "i8"]).map(np.dtype), SHAPES), st.data())
def test_sums(x: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    found = multisplit.cumulative_sum(x, axis=axis)
    assert_same(np.ascontiguousarray(found), np.cumsum(x, axis=axis, dtype=found.dtype))
