"""Invalid input raises a one-line error with advice, if possible before anything is computed."""

from functools import partial

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import multisplit
import multisplit.dask as msd

X = da.from_array(np.arange(10), chunks=4)


def refused(error, hint, call):
    with pytest.raises(error) as caught:
        call()
    message = caught.value.args[0]
    assert hint in message and "\n" not in message


@pytest.mark.parametrize("sort", [msd.sort, msd.argsort, lambda x: msd.topk(x, 1), lambda x: msd.sort_pairs(x, X)])
def test_unsupported_arrays_are_rejected(sort):
    refused(TypeError, "dask.array.from_array", lambda: sort(np.arange(10)))
    refused(TypeError, ".astype", lambda: sort(X.astype(object)))
    refused(TypeError, ".astype", lambda: sort(X.astype("S3")))
    refused(TypeError, ".astype", lambda: sort(X.astype(complex)))
    refused(ValueError, ".ravel()", lambda: sort(X.reshape(5, 2)))
    refused(ValueError, ".compute_chunk_sizes()", lambda: sort(X[X > 3]))


def test_invalid_arguments_are_rejected():
    refused(TypeError, "descending must be True or False", lambda: msd.sort(X, descending="no"))
    refused(TypeError, "booleans", lambda: msd.histogram(X, [0, 5, 9], weights=X > 3))
    refused(ValueError, "axis 0", lambda: msd.sort(X, axis=1))
    refused(ValueError, "at least 1", lambda: msd.sort(X, chunks=0))
    refused(ValueError, "10 elements", lambda: msd.sort(X, chunks=(3, 3)))
    refused(ValueError, "from 0 to 10", lambda: msd.topk(X, 11))
    refused(ValueError, "one value per key", lambda: msd.sort_pairs(X, X[:5]))
    refused(TypeError, "row numbers", lambda: msd.sort_pairs(X, X.astype(object)))
    refused(ValueError, "from 0 to 1", lambda: msd.quantile(X, 1.5))
    refused(ValueError, "at least one element", lambda: msd.quantile(X[:0], 0.5))
    refused(TypeError, "integers and floats", lambda: msd.quantile(X > 3, 0.5))
    refused(TypeError, "count or edges", lambda: msd.histogram(X, "auto"))
    refused(ValueError, "at least 1", lambda: msd.histogram(X, 0))
    refused(ValueError, "ascending order", lambda: msd.histogram(X, [3, 1]))
    refused(ValueError, "one weight per element", lambda: msd.histogram(X, weights=X[:5]))


def test_chunks_of_different_dtypes_are_rejected():
    mixed = da.from_array(np.arange(10), chunks=5).map_blocks(
        lambda block: block.astype(float) if block[0] else block, dtype=np.int64, meta=np.empty(0, np.int64)
    )
    with dask.config.set(scheduler="synchronous"):
        refused(TypeError, "same dtype", lambda: msd.sort(mixed).compute())


def test_unsupported_tables_are_rejected():
    rows = pd.DataFrame({"a": [1, 2], "s": ["x", "y"], "n": pd.array([1, None], "Int64")})
    df = dd.from_pandas(rows, npartitions=1)
    refused(TypeError, "dask.dataframe.from_pandas", lambda: msd.sort_values(rows, "a"))
    refused(KeyError, "the columns are a, s, n", lambda: msd.sort_values(df, "b"))
    refused(TypeError, ".astype", lambda: msd.sort_values(df, "s"))
    refused(TypeError, "missing: fill or drop missing ones, then convert it with .astype('int64')", lambda: msd.sort_values(df, "n"))
    refused(TypeError, "cannot sort strings", lambda: msd.sort_values(df.astype({"s": "string"}), "s"))
    refused(TypeError, "ascending must be True or False", lambda: msd.sort_values(df, "a", ascending="no"))
    refused(ValueError, "at least one column", lambda: msd.sort_values(df, []))
    refused(ValueError, "one direction", lambda: msd.sort_values(df, ["a", "n"], ascending=[True]))
    refused(ValueError, "at least 1", lambda: msd.sort_values(df, "a", npartitions=0))
    refused(TypeError, "an integer", lambda: msd.sort_values(df, "a", npartitions=2.5))


def test_chunk_larger_than_device_memory_is_reported(monkeypatch):
    small = multisplit.Context(memory_limit=4096)
    for name in ("sort", "sort_pairs", "argsort", "split", "topk", "histogram"):
        monkeypatch.setattr(multisplit, name, partial(getattr(multisplit, name), context=small))
    x = da.from_array(np.arange(100_000)[::-1], chunks=30_000)
    with dask.config.set(scheduler="synchronous"):
        for lazy in (msd.sort(x), msd.argsort(x, chunks=(100_000,)), msd.topk(x, 3)[0]):
            refused(multisplit.OutOfMemoryError, "use smaller chunks", lazy.compute)
