"""Compares results of arrays with NumPy, in this process so that each kernel is compiled once;
test_dask_cluster.py tests clusters."""

import pickle

import dask
import dask.array as da
import numpy as np
import pytest
from dask_cases import FULL, SEED, SHAPES, same

import multisplit
import multisplit.dask as msd


@pytest.fixture(autouse=True)
def in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("shape", SHAPES)
def test_sort_matches_numpy(shape):
    keys = SHAPES[shape](5_003)
    x = da.from_array(keys, chunks=1_000)
    found = msd.sort(x)
    assert found.chunks == ((833, 834, 834, 834, 834, 834),)
    same(found.compute(), np.sort(keys))


@pytest.mark.parametrize("shape", SHAPES)
def test_argsort_and_pairs_are_stable(shape):
    keys = SHAPES[shape](5_003)
    order = np.argsort(keys, kind="stable")
    x = da.from_array(keys, chunks=1_000)
    same(msd.argsort(x).compute(), order)
    values = np.arange(len(keys), dtype=np.float64)
    sorted_keys, sorted_values = dask.compute(*msd.sort_pairs(x, da.from_array(values, chunks=700)))
    same(sorted_keys, keys[order])
    same(sorted_values, values[order])


TYPES = ["bool", "int8", "uint16", "int32", "uint32", "uint64", "float16", "float32", "float64", ">i8", "M8[s]", "m8[ns]"]
SAMPLE = ["int8", "float32", "M8[s]"]


@pytest.mark.parametrize("dtype", TYPES)
def test_every_key_type_is_sorted(dtype):
    if dtype not in SAMPLE and not FULL:
        pytest.skip("this type runs only with --full")
    keys = (np.random.default_rng(SEED).integers(0, 200, 2_000) - 100).astype("i8").astype(dtype)
    if keys.dtype.kind == "f":
        keys[::7], keys[1::7], keys[2::7] = np.nan, -0.0, -np.inf
    elif keys.dtype.kind in "mM":
        keys[::7] = np.array("NaT", keys.dtype)
    x = da.from_array(keys, chunks=300)
    order = np.argsort(keys, kind="stable")
    same(msd.argsort(x).compute(), order)
    same(msd.sort(x).compute(), keys[order])


@pytest.mark.parametrize("keys", [np.arange(2_000), np.full(2_000, 3.5), np.repeat([-1.0, -0.0, 0.0, np.inf], 500)])
def test_sorted_keys_skip_the_device(monkeypatch, keys):
    def fail(*_, **__):
        raise AssertionError("sorted keys must not be processed on the device")

    for name in ("sort", "sort_pairs", "argsort", "split"):
        monkeypatch.setattr(f"multisplit.{name}", fail)
    x = da.from_array(keys, chunks=300)
    same(msd.sort(x).compute(), keys)
    same(msd.argsort(x).compute(), np.arange(2_000))
    with pytest.raises(AssertionError, match="on the device"):
        msd.sort(da.from_array(SHAPES["uniform"](2_000), chunks=300)).compute()


def test_sorted_chunks_of_an_unsorted_array_are_merged():
    keys = np.sort(SHAPES["zipf"](2_000).reshape(5, 400), axis=1).ravel()
    order = np.argsort(keys, kind="stable")
    x = da.from_array(keys, chunks=400)
    same(msd.argsort(x).compute(), order)
    for found, expected in zip(dask.compute(*msd.sort_pairs(x, x.astype("c16"))), (keys[order], keys[order].astype("c16"))):
        same(found, expected)


def test_descending_sort_is_stable():
    keys = SHAPES["zipf"](2_000)
    x = da.from_array(keys, chunks=300)
    order = np.argsort(-keys, kind="stable")
    same(msd.argsort(x, descending=True).compute(), order)
    same(msd.sort(x, descending=True).compute(), keys[order])


@pytest.mark.parametrize("seed", range(500 if FULL else 40))
def test_random_arrays_match_multisplit_without_dask(seed):
    """The same elements in the same order as `multisplit.sort`, NaN and NaT included."""
    random = np.random.default_rng(seed)
    dtype = TYPES[seed % len(TYPES)] if FULL else SAMPLE[seed % len(SAMPLE)]
    keys = random.integers(-5, 6, random.integers(0, 400)).astype("i8").astype(dtype)
    if keys.dtype.kind in "fmM":
        keys[random.random(len(keys)) < random.choice([0, 0.1, 0.9, 1])] = "NaT" if keys.dtype.kind in "mM" else np.nan
    if keys.dtype.kind == "f":
        keys[random.random(len(keys)) < 0.2] = -0.0
    descending, values = bool(random.integers(2)), random.random(len(keys))
    x, v = (da.from_array(part, chunks=int(random.integers(1, 150))) for part in (keys, values))
    chunks = None if random.integers(2) else int(random.integers(1, 150))
    same(msd.sort(x, descending=descending, chunks=chunks).compute(), multisplit.sort(keys, descending=descending))
    same(msd.argsort(x, descending=descending, chunks=chunks).compute(), multisplit.argsort(keys, descending=descending))
    lazy = msd.sort_pairs(x, v, descending=descending, chunks=chunks)
    for found, expected in zip(dask.compute(*lazy), multisplit.sort_pairs(keys, values, descending=descending)):
        same(found, expected)


@pytest.mark.parametrize("dtype", ["S5", "c16", "i2", "M8[s]", ">i4"])
def test_values_of_any_size_are_moved(dtype):
    keys = SHAPES["zipf"](2_000)
    values = np.arange(2_000).astype("i8").astype(dtype)
    order = np.argsort(keys, kind="stable")
    _, found = dask.compute(*msd.sort_pairs(da.from_array(keys, chunks=300), da.from_array(values, chunks=300)))
    assert found.dtype == values.dtype.newbyteorder("=")
    assert np.array_equal(found, values[order])


@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_short_arrays_are_sorted(length):
    keys = SHAPES["uniform"](length)
    for chunks in (1, 2, 5):
        x = da.from_array(keys, chunks=chunks)
        same(msd.sort(x).compute(), np.sort(keys))
        same(msd.argsort(x).compute(), np.argsort(keys, kind="stable"))


def test_uneven_and_empty_chunks_are_sorted_into_given_chunks():
    keys = SHAPES["uniform"](1_000)
    x = da.from_array(keys, chunks=((0, 900, 1, 0, 99),))
    for chunks, expected in [(None, (200,) * 5), (300, (300, 300, 300, 100)), (250, (250,) * 4), ((1, 998, 1), (1, 998, 1)), ((1_000,), (1_000,))]:
        found = msd.sort(x, chunks=chunks)
        assert found.chunks == (expected,)
        same(found.compute(), np.sort(keys))


def test_calls_are_lazy():
    def fail(block):
        raise AssertionError("a call must not compute blocks")

    x = da.from_array(np.arange(10), chunks=5).map_blocks(fail, dtype=np.int64, meta=np.empty(0, np.int64))
    msd.sort(x), msd.argsort(x), msd.topk(x, 2), msd.histogram(x), msd.sort_pairs(x, x)


def test_graphs_survive_pickling():
    """Dask pickles graphs to send them to workers."""
    keys = SHAPES["uniform"](1_000)
    x = da.from_array(keys, chunks=300)
    made = [msd.sort(x), msd.argsort(x), *msd.sort_pairs(x, x), *msd.topk(x, 3), msd.histogram(x, 3)[0]]
    for found, again in zip(dask.compute(*made), dask.compute(*pickle.loads(pickle.dumps(made)))):
        same(again, found)


def test_several_threads_sort_correctly():
    keys = SHAPES["zipf"](5_003)
    found = msd.argsort(da.from_array(keys, chunks=500)).compute(scheduler="threads", num_workers=4)
    same(found, np.argsort(keys, kind="stable"))


def test_results_support_dask_operations():
    keys = SHAPES["uniform"](1_000)
    found = msd.sort(da.from_array(keys, chunks=300))
    same(found[10:20].compute(), np.sort(keys)[10:20])
    assert (found.sum() + found[::-1][0]).compute() == keys.sum() + keys.max()


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [0, 1, 20, 1_000])
def test_topk_matches_argsort(k, largest):
    keys = SHAPES["zipf"](1_000)
    order = np.argsort(-keys if largest else keys, kind="stable")[:k]
    values, indices = dask.compute(*msd.topk(da.from_array(keys, chunks=37), k, largest=largest))
    same(values, keys[order])
    same(indices, order)


@pytest.mark.parametrize("q", [0.3, [0.0, 0.5, 1.0], [[0.25, 0.75]]])
def test_quantile_matches_numpy(q):
    keys = SHAPES["zipf"](1_000)
    with_nan = np.where(keys == 7, np.nan, keys)
    for given in (keys, keys.astype(np.float32), with_nan):
        found = msd.quantile(da.from_array(given, chunks=300), q)
        expected = np.asarray(np.quantile(given, q))
        assert found.shape == expected.shape and found.dtype == expected.dtype
        same(np.asarray(found.compute()), expected)


@pytest.mark.parametrize("bins", [10, [-1.0, 0.0, 0.5, 3.0]])
@pytest.mark.parametrize("limits", [None, (-1, 1)])
@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_histogram_matches_numpy(bins, limits, density, weighted):
    random = np.random.default_rng(SEED)
    a, weights = random.normal(size=(100, 30)), random.integers(0, 9, (100, 30)).astype(float)
    expected = np.histogram(a, bins, limits, weights=weights if weighted else None, density=density)
    x = da.from_array(a, chunks=(30, 10))
    w = da.from_array(weights, chunks=(50, 30)) if weighted else None
    counts, edges = dask.compute(*msd.histogram(x, bins, limits, weights=w, density=density))
    assert counts.dtype == expected[0].dtype
    np.testing.assert_allclose(counts, expected[0], rtol=1e-12)
    np.testing.assert_array_equal(edges, expected[1])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", ">i4", "uint64", "float32", "float64"])
def test_histogram_sums_have_the_type_of_the_weights(dtype):
    random = np.random.default_rng(SEED)
    a, weights = random.normal(size=300), random.integers(0, 2, 300).astype(dtype)
    lazy, _ = msd.histogram(da.from_array(a, chunks=70), 5, (-2, 2), weights=da.from_array(weights, chunks=300))
    expected = np.histogram(a, 5, (-2, 2), weights=weights.astype(weights.dtype.newbyteorder("=")))[0]
    counts = lazy.compute()
    assert lazy.dtype == counts.dtype == expected.dtype
    np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32"])
@pytest.mark.parametrize("limits", [None, (0.1, 1.7), (np.float64(0.1), np.float64(1.7)), (0, 3)])
def test_histogram_edges_match_numpy(dtype, limits):
    a = np.random.default_rng(SEED).random(500)
    a = (a * 9).astype(dtype) if np.dtype(dtype).kind in "iu" else (a > 0.3 if dtype == "bool" else a.astype(dtype))
    for density in (False, True):
        seen = a.astype(np.uint8) if dtype == "bool" else a
        expected = np.histogram(seen, 7, limits, density=density)
        lazy = msd.histogram(da.from_array(a, chunks=90), 7, limits, density=density)
        counts, edges = dask.compute(*lazy)
        same(counts, expected[0])
        same(edges, expected[1])
        assert lazy[1].dtype == edges.dtype


@pytest.mark.parametrize("place", [0, 5, 9])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_histogram_rejects_non_finite_ranges_like_numpy(place, number):
    a = np.arange(10.0)
    a[place] = number
    with pytest.raises(ValueError) as numpys:
        np.histogram(a, 3)
    for lazy in msd.histogram(da.from_array(a, chunks=2), 3):
        with pytest.raises(ValueError) as ours:
            lazy.compute()
        assert str(ours.value) == str(numpys.value)
    counts, _ = msd.histogram(da.from_array(a, chunks=2), 3, (0, 9))
    same(counts.compute(), np.histogram(a, 3, (0, 9))[0])


@pytest.mark.parametrize("chunks, results", [(1, 1), (1, 9), (9, 1), (3, 3), (10, 10), (7, 12)])
def test_exchange_in_two_rounds_matches_numpy(monkeypatch, chunks, results):
    """Arrays with many chunks exchange elements in two rounds. The test forces this for small arrays."""
    monkeypatch.setattr("multisplit.dask.routes.MAX_DIRECT_PARTS", 0)
    keys = SHAPES["zipf"](1_000).astype(float)
    keys[::9] = np.nan
    x = da.from_array(keys, chunks=-(-1_000 // chunks))
    order = np.argsort(keys, kind="stable")
    same(msd.argsort(x, chunks=-(-1_000 // results)).compute(), order)
    same(msd.sort(x, chunks=-(-1_000 // results)).compute(), keys[order])
