"""Compares sorted tables with a stable sort by pandas."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask_cases import SEED, SHAPES

import multisplit.dask as msd


@pytest.fixture(autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


def table(keys):
    rows = np.arange(len(keys))
    return pd.DataFrame({"key": keys, "row": rows, "half": rows / 2, "name": [f"row {i % 9}" for i in rows]})


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("shape", SHAPES)
def test_sort_values_matches_pandas(shape, ascending):
    rows = table(SHAPES[shape](2_003))
    df = dd.from_pandas(rows, npartitions=5)
    found = msd.sort_values(df, "key", ascending=ascending)
    lengths = found.map_partitions(len).compute()
    assert found.npartitions == 5 and lengths.max() - lengths.min() <= 1
    expected = rows.sort_values("key", ascending=ascending, kind="stable")
    pd.testing.assert_frame_equal(found.compute(), expected, check_dtype=False)


def test_missing_keys_are_last():
    random = np.random.default_rng(SEED)
    floats = np.where(random.random(500) < 0.3, np.nan, random.integers(0, 9, 500))
    dates = np.where(np.isnan(floats), np.datetime64("NaT", "ns"), random.integers(0, 9, 500).astype("M8[ns]"))
    for keys in (floats, dates):
        rows = table(keys)
        df = dd.from_pandas(rows, npartitions=3)
        for ascending in (True, False):
            expected = rows.sort_values("key", ascending=ascending, kind="stable")
            found = msd.sort_values(df, "key", ascending=ascending).compute()
            pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_several_columns_are_sorted_into_given_partitions():
    rows = table(SHAPES["zipf"](1_000) % 5)
    rows["row"] %= 7
    df = dd.from_pandas(rows, npartitions=4)
    expected = rows.sort_values(["key", "row"], ascending=[False, True], kind="stable")
    for npartitions in (3, np.int64(3)):
        found = msd.sort_values(df, ["key", "row"], ascending=[False, True], npartitions=npartitions)
        assert found.npartitions == 3
        pd.testing.assert_frame_equal(found.compute(), expected, check_dtype=False)


def test_empty_partitions_and_tables_are_sorted():
    rows = table(SHAPES["uniform"](200))
    df = dd.from_pandas(rows, npartitions=4)
    few = df[df["row"] > 150]
    expected = rows[rows["row"] > 150].sort_values("key", kind="stable")
    pd.testing.assert_frame_equal(msd.sort_values(few, "key").compute(), expected, check_dtype=False)
    assert len(msd.sort_values(df[df["row"] > 1_000], "key").compute()) == 0


def test_ignore_index_creates_a_new_index():
    rows = table(SHAPES["uniform"](100))
    found = msd.sort_values(dd.from_pandas(rows, npartitions=1), "key", ignore_index=True).compute()
    pd.testing.assert_frame_equal(found, rows.sort_values("key", ignore_index=True), check_dtype=False)


def test_sorted_table_supports_dask_operations():
    rows = table(SHAPES["zipf"](1_000))
    found = msd.sort_values(dd.from_pandas(rows, npartitions=4), "key")
    assert found["half"].sum().compute() == rows["half"].sum()
    assert found[found["key"] > 3]["row"].count().compute() == (rows["key"] > 3).sum()


def test_exchange_in_two_rounds_matches_pandas(monkeypatch):
    monkeypatch.setattr("multisplit.dask.routes.MAX_DIRECT_PARTS", 0)
    rows = table(SHAPES["zipf"](1_000))
    found = msd.sort_values(dd.from_pandas(rows, npartitions=7), "key").compute()
    pd.testing.assert_frame_equal(found, rows.sort_values("key", kind="stable"), check_dtype=False)
