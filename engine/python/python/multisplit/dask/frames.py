"""Sorts of dask dataframes: like sorts of arrays, with whole rows as payload."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from .._arrays import check_flag, index_of
from . import checks, exchange, payload, routes, splitters
from .keys import Order, check_dtype
from .sort import cuts_of

if TYPE_CHECKING:
    import dask.dataframe as dd


def sort_values(
    df: dd.DataFrame,
    by: str | Sequence[str],
    *,
    ascending: bool | Sequence[bool] = True,
    npartitions: int | None = None,
    ignore_index: bool = False,
) -> dd.DataFrame:
    """Sort the rows of a dask dataframe by one or more columns. Returns a lazy dask dataframe whose
    partitions have equal numbers of rows, or differ by one row.

    The sort is stable, and missing keys come last in both directions, as in pandas. With several columns, the table
    is sorted once per column, starting with the last. The call itself computes nothing, so the divisions of the
    result are unknown; `set_index(by, sorted=True)` finds them.
    """
    import dask.dataframe as dd

    if not isinstance(df, dd.DataFrame):
        raise TypeError(f"df is a {type(df).__name__}, not a dask dataframe: use dask.dataframe.from_pandas, or the table's own sort_values")
    columns = list(by) if isinstance(by, (list, tuple)) else [by]
    directions = list(ascending) if isinstance(ascending, (list, tuple)) else [ascending] * len(columns)
    directions = [check_flag(direction, "ascending") for direction in directions]
    check_flag(ignore_index, "ignore_index")
    if not columns or len(directions) != len(columns):
        raise ValueError(
            f"by has {len(columns)} columns and ascending has {len(directions)} values: "
            "give at least one column, and one direction for each column or for all"
        )
    for column in columns:
        if list(df.columns).count(column) != 1:
            raise KeyError(f"by contains {column!r}, which must be the name of exactly one column: the columns are {', '.join(map(str, df.columns))}")
        check_dtype(df.dtypes[column], f"column {column!r}")
    results = df.npartitions if npartitions is None else index_of(npartitions, "npartitions")
    if results < 1:
        raise ValueError(f"npartitions is {results}: give at least 1")
    for column, direction in reversed(list(zip(columns, directions))):
        df = _sorted_by(df, column, Order(df.dtypes[column], not direction), results)
    return df.reset_index(drop=True) if ignore_index else df


def _sorted_by(df, by, order, results):
    import dask.dataframe as dd
    from dask.delayed import Delayed

    partitions = df.to_delayed()
    token = tokenize(df, by, order, results)
    parts = ("length", "sampling", "sample", "splitters", "split", "counts", "plan", "cuts", "rows")
    names = {part: f"multisplit-{part}-{token}" for part in parts}
    every = range(len(partitions))
    graph = {
        names["sampling"]: (sampling_of, [(names["length"], i) for i in every], results),
        names["splitters"]: (splitters.choose, [(names["sample"], i) for i in every], names["sampling"]),
        names["plan"]: (exchange.plan, [(names["counts"], i) for i in every], names["splitters"], results),
    }
    for i, partition in enumerate(partitions):
        graph[names["length"], i] = (length_of, partition.key)
        graph[names["sample"], i] = (sample_rows, partition.key, by_name(by), order, names["sampling"], i)
        graph[names["split"], i] = (split_rows, partition.key, by_name(by), order, names["splitters"])
        graph[names["counts"], i] = (exchange.counts_of, (names["split"], i))
        graph[names["cuts"], i] = (cuts_of, names["plan"], i)
    for j, key in enumerate(routes.tasks(graph, token, names["split"], names["cuts"], len(partitions), results, False)):
        graph[f"{names['rows']}-{j}"] = (rows_of, key)
    layers = HighLevelGraph.from_collections(names["rows"], graph, dependencies=partitions)
    rows = [Delayed(f"{names['rows']}-{j}", layers, layer=names["rows"]) for j in range(results)]
    return dd.from_delayed(rows, meta=df._meta, divisions=None, verify_meta=False, prefix="multisplit-sorted")


class by_name:
    """A column name as a task argument. A plain string or tuple could be mistaken for the key of another task."""

    def __init__(self, name):
        self.name = name


def length_of(table):
    checks.frame_memory(int(table.memory_usage(index=True, deep=False).sum()))
    return len(table)


def sampling_of(lengths, results):
    return splitters.Sampling(max(sum(lengths), 1), results)


def sample_rows(table, by, order, sampling, seed):
    column = table[by.name].to_numpy()
    return order.encode(splitters.sample(column, sampling.of_chunk(len(column)), seed))


def split_rows(table, by, order, chosen):
    rows = payload.Rows(table, by.name, order)
    return exchange.split_chunk(rows.keys(), rows, chosen)


def rows_of(result):
    return result[1].table
