"""Accepted and rejected inputs, and error messages."""

from __future__ import annotations

import array

import numpy as np
import pytest
from conftest import assert_same

import multisplit


def test_buffers_and_lists_are_accepted() -> None:
    for x in [[3, 1, 2], (3, 1, 2), array.array("q", [3, 1, 2]), memoryview(np.array([3, 1, 2]))]:
        assert_same(multisplit.sort(x), np.array([1, 2, 3]))
    assert_same(multisplit.sort(bytearray(b"cab")), np.frombuffer(b"abc", np.uint8))


def test_arrow_arrays_are_accepted_and_nulls_rejected() -> None:
    arrow = pytest.importorskip("pyarrow")
    assert_same(multisplit.sort(arrow.array([3, 1, 2])), np.array([1, 2, 3]))
    with pytest.raises(ValueError, match="1 nulls"):
        multisplit.sort(arrow.array([3, None, 2]))


class Series:
    """A series with nulls and a null_count method, as in Polars."""

    def __init__(self, nulls: int) -> None:
        self.nulls = nulls

    def null_count(self) -> int:
        return self.nulls

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.array([3, 1, 2])


def test_polars_nulls_are_rejected() -> None:
    assert_same(multisplit.sort(Series(0)), np.array([1, 2, 3]))
    with pytest.raises(ValueError, match="2 nulls"):
        multisplit.sort(Series(2))


class OnDevice:
    """An object with DLPack's interface, on a device of the given type."""

    def __init__(self, x: np.ndarray, kind: int = 1) -> None:
        self.x, self.kind = x, kind

    def __dlpack__(self, **options: object) -> object:
        return self.x.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self.kind, 0)


def test_dlpack_objects_are_accepted_from_the_cpu_only() -> None:
    x = np.array([3.0, 1.0, 2.0])
    for kind in (1, 3, 11):  # host memory, and host memory pinned for CUDA or ROCm
        assert_same(multisplit.sort(OnDevice(x, kind)), np.sort(x))
        assert_same(np.asarray(multisplit.DeviceArray(OnDevice(x, kind))), x)
    with pytest.raises(TypeError, match="copy it to the CPU"):
        multisplit.sort(OnDevice(x, kind=2))


class OldExporter(OnDevice):
    """An object whose `__dlpack__` has the parameter of the first versions of DLPack only."""

    def __dlpack__(self, stream: None = None) -> object:
        return self.x.__dlpack__()


def test_dlpack_exporters_of_first_versions_are_accepted() -> None:
    x = np.array([[3, 1], [2, 0]], np.int32)
    assert_same(multisplit.sort(OldExporter(x)), np.sort(x))
    assert_same(multisplit.sort(OldExporter(x.T)), np.sort(x.T))


def test_results_are_exported_by_dlpack_without_a_copy() -> None:
    x = np.array([3.0, 1.0, 2.0])
    parts = multisplit.split(x, [2.0], values=x)
    for found in (multisplit.sort(x), multisplit.topk(x, 2).values, parts.keys, parts.values, multisplit.unique_values(x)):
        assert found.__dlpack_device__() == (1, 0)
        assert np.shares_memory(np.from_dlpack(found), found)
        assert_same(multisplit.sort(np.from_dlpack(found)), np.sort(found))


def test_compatible_inputs_are_not_copied() -> None:
    from multisplit._arrays import as_ndarray, encoded, encoding_of

    x = np.arange(5.0)
    for given in (x, memoryview(x), OnDevice(x)):
        seen = encoded(as_ndarray(given), encoding_of(x.dtype))
        assert np.shares_memory(seen, x)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        (np.array([object()]), "astype"),
        (np.array(["b", "a"]), "numpy.unique"),
        (np.array([1j]), "abs"),
        (np.array([1.0], np.longdouble), "64 bits"),
        (np.ma.array([1, 2], mask=[0, 1]), "filled"),
        (np.zeros(2, [("a", "i4")]), "keys are"),
    ],
)
def test_unsupported_types_are_rejected(x: np.ndarray, message: str) -> None:
    for function in (multisplit.sort, multisplit.argsort, multisplit.unique_values, multisplit.DeviceArray):
        with pytest.raises(TypeError, match=message) as error:
            function(x)
        assert "\n" not in str(error.value)
    with pytest.raises(TypeError):
        multisplit.histogram(x, range=(0, 1))


def test_invalid_axes_are_rejected() -> None:
    for function, numpys in ((multisplit.sort, np.sort), (multisplit.argsort, np.argsort)):
        for x, axis in [(np.array(3), -1 if function is multisplit.sort else 1), (np.zeros(3), 1), (np.zeros((2, 2)), -3)]:
            with pytest.raises(np.exceptions.AxisError if hasattr(np, "exceptions") else IndexError):
                numpys(x, axis=axis)
            with pytest.raises(IndexError):
                function(x, axis=axis)
        with pytest.raises(TypeError, match="integer"):
            function(np.zeros(3), axis=0.5)
    assert multisplit.sort(np.array(3), axis=None).tolist() == [3]


def test_huge_arrays_are_rejected_before_they_are_copied() -> None:
    huge = np.broadcast_to(np.float32(1), (1 << 40,))
    for function in (multisplit.sort, multisplit.argsort, multisplit.DeviceArray, multisplit.unique_values):
        with pytest.raises(multisplit.OutOfMemoryError, match="multisplit.dask"):
            function(huge)
    with pytest.raises(MemoryError):
        multisplit.split(huge, [1])
    with pytest.raises(MemoryError):
        multisplit.topk(huge, 1)


def test_invalid_options_are_rejected() -> None:
    with pytest.raises(ValueError, match='"last" or "total"'):
        multisplit.sort([1.0], nan="first")
    with pytest.raises(TypeError, match="multisplit.Context"):
        multisplit.sort([1], context="gpu")
    with pytest.raises(ValueError, match="number of bytes"):
        multisplit.Context(memory_limit=-1)
    with pytest.raises(TypeError, match="part of a name"):
        multisplit.Context(device=1.5)


def test_errors_have_common_and_builtin_base_classes() -> None:
    for error, base in [
        (multisplit.DeviceError, RuntimeError),
        (multisplit.OutOfMemoryError, MemoryError),
        (multisplit.ArgumentError, ValueError),
        (multisplit.MissingFeatureError, NotImplementedError),
        (multisplit.ForkError, RuntimeError),
    ]:
        assert issubclass(error, multisplit.Error) and issubclass(error, base)
    with pytest.raises(multisplit.DeviceError, match="no such device") as error:
        multisplit.sort([1], context=multisplit.Context("no such device"))
    assert "llvmpipe" in str(error.value) or "found:" in str(error.value)


def test_insufficient_memory_is_reported() -> None:
    small = multisplit.Context(memory_limit=1 << 20)
    with pytest.raises(multisplit.OutOfMemoryError):
        multisplit.sort(np.zeros(1 << 20), context=small)
    assert_same(multisplit.sort(np.array([2, 1]), context=small), np.array([1, 2]))


def test_missing_elements_of_pandas_are_rejected() -> None:
    pandas = pytest.importorskip("pandas")
    for kind in ("Int64", "boolean", "Float32", "int64[pyarrow]"):
        assert_same(np.unique(multisplit.sort(pandas.Series([1, 0, 1], dtype=kind))).astype(int), np.array([0, 1]))
        with pytest.raises(ValueError, match="1 nulls.*fill or drop"):
            multisplit.sort(pandas.Series([1, None, 0], dtype=kind))
        with pytest.raises(ValueError, match="1 nulls"):
            multisplit.sort(pandas.DataFrame({"a": pandas.Series([1, None], dtype=kind), "b": [1, 0]}))
    # NaN of plain floats is a key, not a missing element.
    assert np.isnan(multisplit.sort(pandas.Series([1.0, None, 0.0]))).tolist() == [False, False, True]


class Table:
    """A table whose count of nulls is another table, as in Polars."""

    def null_count(self) -> Table:
        return self

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.zeros((2, 2))


def test_error_messages_name_the_invalid_argument() -> None:
    import datetime

    strings = np.array(["b"], np.dtypes.StringDType()) if hasattr(np.dtypes, "StringDType") else np.array(["b"])
    for x, message in [
        (Table(), "x is a table .*Table.*one of its columns"),
        (strings, "numpy.unique"),
        (len, "not builtin_function_or_method"),
        ({1, 2}, "not set"),
        ([datetime.date(2026, 1, 1)], r'astype\("datetime64\[us\]"\)'),
    ]:
        for function in (multisplit.sort, multisplit.unique_values, multisplit.DeviceArray):
            with pytest.raises(TypeError, match=message) as error:
                function(x)
            assert "\n" not in str(error.value)
    with pytest.raises(TypeError, match="buckets is a Python function"):
        multisplit.split([1], lambda key: key)
    with pytest.raises(TypeError, match="bins is a Python function"):
        multisplit.histogram([1], len)


def test_options_that_are_not_booleans_are_rejected() -> None:
    x = [3, 1, 2]
    for call in (
        lambda: multisplit.sort(x, descending="no"),
        lambda: multisplit.argsort(x, descending=1),
        lambda: multisplit.sort_pairs(x, x, stable="no"),
        lambda: multisplit.topk(x, 1, largest="no"),
        lambda: multisplit.topk(x, 1, sorted=None),
        lambda: multisplit.scan(x, exclusive="no"),
        lambda: multisplit.cumulative_sum(x, include_initial="no"),
        lambda: multisplit.histogram(x, density="no"),
        lambda: multisplit.sssp([[0, 1]], directed="no"),
        lambda: multisplit.Context(validation="no"),
    ):
        with pytest.raises(TypeError, match="must be True or False, not"):
            call()
    assert_same(multisplit.sort(x, descending=np.True_), np.array([3, 2, 1]))


def test_context_must_be_that_of_the_device_array() -> None:
    a = multisplit.DeviceArray(np.array([3, 1, 2]))
    assert len(multisplit.sort(a, context=multisplit.Context())) == 3
    other = multisplit.Context(memory_limit=1 << 28)
    for call in (
        lambda: multisplit.sort(a, context=other),
        lambda: multisplit.argsort(a, context=other),
        lambda: multisplit.sort_pairs(a, a, context=other),
        lambda: multisplit.topk(a, 1, context=other),
        lambda: multisplit.partition(a, 1, context=other),
        lambda: multisplit.argpartition(a, 1, context=other),
        lambda: multisplit.median(a, context=other),
        lambda: multisplit.nonzero(a, context=other),
        lambda: multisplit.unique_counts(a, context=other),
        lambda: multisplit.unique_all(a, context=other),
        lambda: multisplit.searchsorted(a, a, context=other),
        lambda: multisplit.scan(a, context=other),
        lambda: multisplit.cumulative_sum(a, context=other),
        lambda: multisplit.split(a, [2], context=other),
        lambda: multisplit.histogram(a, 2, context=other),
        lambda: multisplit.bincount(a, context=other),
    ):
        with pytest.raises(multisplit.ArgumentError, match="another context"):
            call()
    with pytest.raises(TypeError, match="multisplit.Context"):
        multisplit.sort(a, context="gpu")


def test_big_endian_arrays_give_native_results() -> None:
    for dtype in (">i4", ">f8", ">M8[s]"):
        x = np.array([3, 1, 2]).astype("i8").astype(dtype)
        found = multisplit.sort(x)
        assert found.dtype.isnative
        np.testing.assert_array_equal(found, np.sort(x))
