"""Arrays of 1 GiB through every function. Minutes on a software driver, so only `./x test --full` runs them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import multisplit
from multisplit import DeviceArray

Array = np.ndarray

#: Number of 64-bit integers in 1 GiB.
N = 1 << 27
HALF = N // 2


@pytest.fixture(scope="module")
def x() -> Array:
    """The integers from 0 to N - 1 in another order, so that results are known."""
    numbers = np.arange(N)
    numbers *= 48_271
    numbers %= N
    return numbers


def ascends(found: object) -> bool:
    """Whether an array has the integers from 0 to N - 1 in ascending order."""
    return np.array_equal(np.asarray(found), np.arange(N))


def is_split(found: Array, x: Array) -> bool:
    """Whether elements below HALF come first, and both parts have the order of the input."""
    return np.array_equal(found[:HALF], x[x < HALF]) and np.array_equal(found[HALF:], x[x >= HALF])


def is_partition(found: Array) -> bool:
    """Whether each of the first 100 ranks is in place, and the other elements are larger."""
    return np.array_equal(found[:100], np.arange(100)) and int(found[100:].min()) == 100


def shortest_paths(x: Array) -> bool:
    """Whether paths over N / 2 edges, from one vertex to all others, have the right lengths, or are refused by devices
    whose largest binding is smaller than the network."""
    edges = np.zeros((HALF, 2), np.int64)
    edges[:, 1] = np.arange(1, HALF + 1)
    weights = x[:HALF].astype(np.uint32)
    try:
        found = multisplit.sssp(edges, weights, source=0).distances
    except multisplit.ArgumentError as error:
        return "are supported" in str(error)
    return np.array_equal(found[1:], weights)


CASES: dict[str, Callable[[Array], object]] = {
    "DeviceArray": lambda x: np.array_equal(np.asarray(DeviceArray(x)), x),
    "sort": lambda x: ascends(multisplit.sort(x)) and ascends(multisplit.sort(DeviceArray(x))),
    "argsort": lambda x: ascends(x[multisplit.argsort(x)]),
    "sort_pairs": lambda x: all(ascends(part) for part in multisplit.sort_pairs(x, x)),
    "lexsort": lambda x: ascends(x[multisplit.lexsort([x, x >> 10])]),
    "split": lambda x: is_split(multisplit.split(x, [HALF]).keys, x),
    "topk": lambda x: multisplit.topk(x, 3).values.tolist() == [N - 1, N - 2, N - 3],
    "partition": lambda x: is_partition(multisplit.partition(x, range(100))),
    "argpartition": lambda x: is_partition(x[multisplit.argpartition(x, range(100))]),
    "quantile": lambda x: multisplit.quantile(x, [0, 1]).tolist() == [0, N - 1],
    "percentile": lambda x: multisplit.percentile(x, 50) == (N - 1) / 2,
    "median": lambda x: multisplit.median(x) == (N - 1) / 2,
    "unique_values": lambda x: ascends(multisplit.unique_values(x)),
    "unique_counts": lambda x: bool((multisplit.unique_counts(x).counts == 1).all()),
    "unique_inverse": lambda x: np.array_equal(multisplit.unique_inverse(x).inverse_indices, x),
    "unique_all": lambda x: ascends(x[multisplit.unique_all(x).indices]),
    "searchsorted": lambda x: np.array_equal(multisplit.searchsorted(np.arange(N), x), x),
    "isin": lambda x: np.flatnonzero(multisplit.isin(x, [x[7], x[-1], N])).tolist() == [7, N - 1],
    "nonzero": lambda x: np.array_equal(multisplit.nonzero(x)[0], np.flatnonzero(x)),
    "histogram": lambda x: multisplit.histogram(x, 8, range=(0, N))[0].tolist() == [N // 8] * 8,
    "bincount": lambda x: multisplit.bincount(x & 7).tolist() == [N // 8] * 8,
    "scan": lambda x: np.array_equal(multisplit.scan(x, op="max"), np.maximum.accumulate(x)),
    "cumulative_sum": lambda x: np.array_equal(multisplit.cumulative_sum(x), np.cumsum(x)),
    "reduce_segments": lambda x: multisplit.reduce_segments(x, [0, 5, N]).tolist() == [x[:5].sum(), x[5:].sum()],
    "sssp": shortest_paths,
}


def test_every_function_has_a_case() -> None:
    functions = {name for name in multisplit.__all__ if name.islower() and not name.startswith("__")}
    assert functions - {"devices"} == set(CASES) - {"DeviceArray"}


@pytest.mark.parametrize("name", CASES)
def test_arrays_of_one_gibibyte_are_processed(name: str, x: Array) -> None:
    assert x.nbytes == 1 << 30
    assert CASES[name](x)
