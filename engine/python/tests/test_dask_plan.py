"""Checks splitters and cuts, and the balance of result chunks. Does not need a device: NumPy computes the buckets."""

import numpy as np
import pytest
from dask_cases import SEED, SHAPES

from multisplit.dask import exchange, splitters
from multisplit.dask.keys import Order, missing

MAX_WORK = 1.3
"""Maximum ratio of the elements that a result chunk receives to those it keeps; see docs/dask.md."""


def buckets_of(keys, chosen):
    """The bucket of each key by definition: the number of edges less than or equal to it; NaN is in the last."""
    found = np.searchsorted(chosen.edges, keys, side="right")
    if missing(keys) is not None:
        found[np.isnan(keys)] = chosen.buckets - 1
    return found


def divide(chunks, results):
    """The cuts of these chunks, each chunk in bucket order (positions in the whole array), the splitters, the counts."""
    total = sum(map(len, chunks))
    sampling = splitters.Sampling(max(total, 1), results)
    samples = [splitters.sample(c, sampling.of_chunk(len(c)), i) for i, c in enumerate(chunks)]
    chosen = splitters.choose(samples, sampling)
    counts, orders, first = [], [], 0
    for chunk in chunks:
        bucket = buckets_of(chunk, chosen)
        counts.append(np.bincount(bucket, minlength=chosen.buckets))
        orders.append(first + np.argsort(bucket, kind="stable"))
        first += len(chunk)
    return exchange.plan(counts, chosen, results), orders, chosen, counts


def check(chunks, results):
    """Check that every result chunk has exactly its elements, in stable order. Return the largest number of elements
    that a result chunk receives, divided by the mean length of result chunks."""
    whole = np.concatenate(chunks)
    expected = np.argsort(whole, kind="stable")
    cuts, orders, _, _ = divide(chunks, results)
    work, first = 0, 0
    for j in range(results):
        taken = np.concatenate([order[c.start[j] : c.stop[j]] for order, c in zip(orders, cuts)])
        skip, length = cuts[0].skip[j], cuts[0].length[j]
        kept = taken[np.argsort(whole[taken], kind="stable")][skip : skip + length]
        assert np.array_equal(kept, expected[first : first + length])
        first += length
        work = max(work, len(taken))
    assert first == len(whole)
    lengths = cuts[0].length
    assert lengths.max() - lengths.min() <= 1
    return work * results / max(len(whole), 1)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("chunks, results", [(1, 5), (7, 1), (7, 7), (16, 16), (5, 40)])
def test_result_chunks_are_balanced(shape, chunks, results):
    keys = SHAPES[shape](400_000)
    work = check(np.array_split(keys, chunks), results)
    assert work <= MAX_WORK


def test_result_chunks_are_balanced_for_every_seed():
    """The bound holds with probability 1 - 10^-15, so it must hold for all of these seeds."""
    for seed in range(10):
        keys = np.random.default_rng(seed).normal(size=100_000)
        assert check(np.array_split(keys, 8), 8) <= MAX_WORK


def test_check_detects_too_few_samples(monkeypatch):
    """Negative control: with two samples per bucket and two buckets per result chunk, the check must detect
    that the bound fails."""
    monkeypatch.setattr(splitters, "SAMPLES_PER_BUCKET", 2)
    monkeypatch.setattr(splitters, "BUCKETS_PER_RESULT", 2)
    monkeypatch.setattr(splitters, "MIN_BUCKETS", 2)
    keys = np.random.default_rng(SEED).normal(size=200_000)
    assert check(np.array_split(keys, 16), 16) > MAX_WORK


def test_random_arrays_are_cut_correctly():
    random = np.random.default_rng(SEED)
    for _ in range(150):
        n = int(random.integers(0, 400))
        distinct = int(random.choice([1, 2, 5, 1000]))
        keys = random.integers(-distinct, distinct, n)
        if random.random() < 0.4:
            special = random.choice([np.nan, np.inf, -np.inf, -0.0, 5e-324, -5e-324], n)
            keys = np.where(random.random(n) < 0.5, special, keys.astype(float))
        borders = np.sort(random.integers(0, n + 1, int(random.integers(0, 6))))
        check(np.split(keys, borders), int(random.integers(1, 9)))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float16", "float32", "float64"])
def test_extreme_keys_get_their_own_buckets(dtype):
    info = np.finfo(dtype) if np.dtype(dtype).kind == "f" else np.iinfo(dtype)
    extremes = [-np.inf, info.min, 0.0, info.max, np.inf] if np.dtype(dtype).kind == "f" else [info.min, 0, info.max]
    keys = np.repeat(np.array(extremes, dtype), 1000)
    np.random.default_rng(SEED).shuffle(keys)
    _, _, chosen, counts = divide(np.array_split(keys, 3), 4)
    held = np.sum(counts, axis=0)
    assert np.all(chosen.one_key[held > 0])
    assert check(np.array_split(keys, 3), 4) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("distinct, chunks", [(89_700, 1_876), (29_999, 1_876), (45_001, 4_000), (200, 2_000_000), (3, 2), (1, 1)])
def test_edge_count_is_within_device_limits(distinct, chunks):
    """Each key occurs twice, so each splitter has two edges."""
    sampling = splitters.Sampling(2 * distinct, chunks)
    keys = np.repeat(np.arange(distinct) * 2, 2)
    edges = splitters.choose([keys], sampling).edges
    assert min(distinct, sampling.buckets) // 2 <= len(edges) < 65_536


def test_edge_count_of_many_chunks_is_within_device_limits():
    """Sample sizes are rounded up. With very many chunks, there are therefore more samples than planned, as here."""
    sampling = splitters.Sampling(2**40, 2_000)
    keys = np.repeat(np.arange(128 * 40_000, dtype=np.int32) * 2, 2)
    assert 60_000 < len(splitters.choose([keys], sampling).edges) < 65_536


def test_sample_depends_only_on_the_seed():
    keys = SHAPES["uniform"](10_000)
    assert np.array_equal(splitters.sample(keys, 100, 3), splitters.sample(keys, 100, 3))
    assert not np.array_equal(splitters.sample(keys, 100, 3), splitters.sample(keys, 100, 4))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "uint64", ">i4", "float32", "float64", "M8[s]", "m8[ns]"])
def test_encoding_preserves_the_order_of_keys(dtype, descending):
    random = np.random.default_rng(SEED)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        keys = np.concatenate([random.normal(size=100), [np.inf, -np.inf, 0, np.nan]]).astype(dtype)
    elif dtype.kind in "mM":
        low = np.iinfo(np.int64).min
        keys = np.concatenate([random.integers(-1000, 1000, 100), [low, low + 1, np.iinfo(np.int64).max]]).view(dtype)
    else:
        info = np.iinfo(np.uint8 if dtype.kind == "b" else dtype)
        keys = random.integers(info.min, info.max, 100, dtype=info.dtype.newbyteorder("="), endpoint=True).astype(dtype)
    order = Order(dtype, descending)
    encoded = order.encode(keys)
    assert np.array_equal(order.decode(encoded), keys, equal_nan=dtype.kind in "fmM")
    found = np.argsort(encoded, kind="stable")
    absent = np.isnan(keys) if dtype.kind == "f" else np.isnat(keys) if dtype.kind in "mM" else np.zeros(len(keys), bool)
    values = [(bool(a), k) for a, k in zip(absent, keys.tolist() if dtype.kind not in "mM" else keys.view(np.int64).tolist())]
    present = [i for i, (a, _) in enumerate(values) if not a]
    expected = sorted(present, key=lambda i: values[i][1], reverse=descending)  # Python's sort is stable in both directions
    assert found.tolist() == expected + [i for i, (a, _) in enumerate(values) if a]
