"""Checks functions of the Array API against the rules of the standard. The standard's own test suite is not available
as an installable package."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from conftest import assert_same, random_array, some

import multisplit

NUMERIC = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
SAMPLE = some(NUMERIC, "u1", "f8")


@pytest.mark.parametrize(
    ("name", "signature"),
    [
        ("sort", "x, /, *, axis=-1, descending=False, stable=True"),
        ("argsort", "x, /, *, axis=-1, descending=False, stable=True"),
        ("unique_all", "x, /"),
        ("unique_counts", "x, /"),
        ("unique_inverse", "x, /"),
        ("unique_values", "x, /"),
        ("searchsorted", "x1, x2, /, *, side='left', sorter=None"),
        ("cumulative_sum", "x, /, *, axis=None, dtype=None, include_initial=False"),
    ],
)
def test_signatures_match_the_standard(name: str, signature: str) -> None:
    """Parameters of the standard have the same names, kinds, defaults and order. Additional parameters are
    keyword-only."""
    standard = eval(f"lambda {signature}: None")  # noqa: S307
    expected = list(inspect.signature(standard).parameters.values())
    found = list(inspect.signature(getattr(multisplit, name)).parameters.values())
    plain = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in found]
    assert plain[: len(expected)] == expected
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in plain[len(expected) :])
    assert all(parameter.default is not inspect.Parameter.empty for parameter in plain[len(expected) :])


@pytest.mark.parametrize("dtype", SAMPLE)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_and_argsort_match_python(dtype: str, descending: bool) -> None:
    for shape in [(17,), (3, 9), (2, 0, 3)]:
        x = np.nan_to_num(random_array(dtype, shape, seed=1))
        for axis in range(-x.ndim, x.ndim):
            out = multisplit.sort(x, axis=axis, descending=descending)
            order = multisplit.argsort(x, axis=axis, descending=descending)
            assert out.dtype == x.dtype and out.shape == x.shape
            assert order.dtype == np.int64 and order.shape == x.shape
            for place in np.ndindex(*[1 if i == axis % x.ndim else n for i, n in enumerate(x.shape)]):
                at = tuple(slice(None) if i == axis % x.ndim else n for i, n in enumerate(place))
                row, found, indices = x[at].tolist(), out[at].tolist(), order[at].tolist()
                # Python's sort is stable in both directions.
                assert found == sorted(row, reverse=descending)
                assert indices == sorted(range(len(row)), key=row.__getitem__, reverse=descending)


@pytest.mark.parametrize("dtype", ["b1", *SAMPLE])
def test_unique_functions_follow_the_standard(dtype: str) -> None:
    for shape in [(0,), (40,), (5, 6)]:
        x = random_array(dtype, shape, seed=2)
        out = multisplit.unique_all(x)
        assert type(out)._fields == ("values", "indices", "inverse_indices", "counts")
        assert out.values.dtype == x.dtype
        assert out.indices.dtype == out.inverse_indices.dtype == out.counts.dtype == np.int64
        assert out.inverse_indices.shape == x.shape
        assert out.indices.shape == out.values.shape == out.counts.shape
        flat = x.reshape(-1).tolist()
        for value, index, count in zip(out.values.tolist(), out.indices.tolist(), out.counts.tolist()):
            if value != value:
                assert count == 1 and flat[index] != flat[index]  # each NaN is distinct
            else:
                assert flat[index] == value and flat.index(value) == index and flat.count(value) == count
        for element, place in zip(flat, out.inverse_indices.reshape(-1).tolist()):
            value = out.values[place]
            assert element == value or (element != element and value != value)
        real = [value for value in out.values.tolist() if value == value]
        assert len(set(real)) == len(real)
        counts = multisplit.unique_counts(x)
        assert type(counts)._fields == ("values", "counts")
        np.testing.assert_array_equal(counts.values, out.values)
        assert_same(counts.counts, out.counts)
        inverse = multisplit.unique_inverse(x)
        assert type(inverse)._fields == ("values", "inverse_indices")
        assert_same(inverse.inverse_indices, out.inverse_indices)
        np.testing.assert_array_equal(multisplit.unique_values(x), out.values)


@pytest.mark.parametrize("dtype", SAMPLE)
def test_searchsorted_finds_insertion_positions(dtype: str) -> None:
    x1 = np.nan_to_num(random_array(dtype, 30, seed=4))
    x2 = np.concatenate([x1[:10], np.nan_to_num(random_array(dtype, 10, seed=5))]).reshape(4, 5)
    sorter = np.argsort(x1, kind="stable")
    for side in ("left", "right"):
        out = multisplit.searchsorted(x1, x2, side=side, sorter=sorter)
        assert out.dtype == np.int64 and out.shape == x2.shape
        assert_same(out, multisplit.searchsorted(x1[sorter], x2, side=side))
        row = x1[sorter].tolist()
        for value, index in zip(x2.reshape(-1).tolist(), out.reshape(-1).tolist()):
            before, after = row[:index], row[index:]
            if side == "left":
                assert all(key < value for key in before) and all(key >= value for key in after)
            else:
                assert all(key <= value for key in before) and all(key > value for key in after)


@pytest.mark.parametrize("dtype", SAMPLE)
def test_cumulative_sum_follows_the_standard(dtype: str) -> None:
    x = (random_array(dtype, (4, 6), seed=3) if dtype[0] != "f" else np.arange(24.0).reshape(4, 6)).astype(dtype)
    for axis in range(-2, 2):
        for initial in (False, True):
            out = multisplit.cumulative_sum(x, axis=axis, include_initial=initial)
            size = list(x.shape)
            size[axis] += initial
            assert out.shape == tuple(size)
            assert out.dtype == {"i": np.int64, "u": np.uint64}.get(x.dtype.kind, x.dtype)
            for n in range(size[axis]):
                terms = np.take(x.astype(out.dtype), range(n + (not initial)), axis)
                np.testing.assert_array_equal(np.take(out, n, axis), terms.sum(axis=axis, dtype=out.dtype))
    assert multisplit.cumulative_sum(x, axis=0, dtype="f8").dtype == np.float64
    with pytest.raises(ValueError):
        multisplit.cumulative_sum(x)
