"""Is it right, balanced and stable on workers of their own, and when one of them is lost?

Workers are processes of one thread, started afresh, so each opens the device for itself.
"""

import os
import signal
import time

import dask
import dask.array as da
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd
import pytest
from dask_cases import FULL, SHAPES, same
from distributed import Client, LocalCluster

import multisplit.dask as msd

pytestmark = pytest.mark.filterwarnings("default")
"""Dask warns of a busy machine: of slow workers, large graphs and ports in use. Such warnings are no failures here."""

PATIENCE = 300
"""Seconds after which a test gives up waiting, on a machine that does other things as well."""

LENGTH = 30_011
MAX_IMBALANCE = 1.3


def start(workers, **options):
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "memory_limit": "2GiB", **options}
    return LocalCluster(n_workers=workers, **options)


@pytest.fixture(scope="module", params=[1, 2, 4])
def client(request):
    """A plain run takes two workers."""
    if request.param != 2 and not FULL:
        pytest.skip("one of the sizes that --full runs")
    with start(request.param) as cluster, Client(cluster) as client:
        yield client


def lengths_of(*arrays):
    """What each result chunk really holds, as its worker sees it."""
    return [np.array(dask.compute(*[dask.delayed(len)(part) for part in array.to_delayed()])) for array in arrays]


def balanced(lengths):
    return lengths.max() <= MAX_IMBALANCE * lengths.mean()


@pytest.mark.parametrize("shape", SHAPES)
def test_right_and_balanced(client, shape):
    keys = SHAPES[shape](LENGTH)
    x = da.from_array(keys, chunks=LENGTH // 6)
    found = client.persist(msd.sort(x))
    assert balanced(lengths_of(found)[0])
    same(found.compute(), np.sort(keys))


@pytest.mark.parametrize("shape", SHAPES)
def test_right_and_balanced_with_values(client, shape):
    keys = SHAPES[shape](LENGTH)
    values = np.arange(LENGTH)
    x = da.from_array(keys, chunks=LENGTH // 6)
    found = client.persist(msd.sort_pairs(x, da.from_array(values, chunks=x.chunks)))
    assert all(balanced(lengths) for lengths in lengths_of(*found))
    order = np.argsort(keys, kind="stable")
    for array, expected in zip(dask.compute(*found), (keys[order], values[order])):
        same(array, expected)


def test_the_rest_of_the_interface(client):
    keys = SHAPES["zipf"](3_000)
    order = np.argsort(keys, kind="stable")
    rows = pd.DataFrame({"key": keys, "row": np.arange(len(keys))})
    found = msd.sort_values(dd.from_pandas(rows, npartitions=3), "key").compute()
    pd.testing.assert_frame_equal(found, rows.iloc[order])
    if not FULL:
        return  # other files have the rest in one process, which compiles fewer kernels
    x = da.from_array(keys, chunks=500)
    found = dask.compute(msd.argsort(x), *msd.topk(x, 5, largest=False), msd.histogram(x, 4, (0, 10))[0])
    for array, expected in zip(found, (order, keys[order[:5]], order[:5], np.histogram(keys, 4, (0, 10))[0])):
        same(array, expected)


def test_a_chunk_larger_than_memory():
    with start(1, processes=False, memory_limit="64MiB") as cluster, Client(cluster):
        x = da.zeros(2**23, chunks=2**22)
        with pytest.raises(MemoryError, match="rechunk to 21.33 MiB at most"):
            msd.sort(x)


def wait_for(what, condition):
    limit = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < limit, f"no {what} after {PATIENCE} s"
        time.sleep(0.05)
    return found


def gated(block, gate, block_info=None):
    """The last block waits for a file, so that a test decides when work goes on. Its worker does other tasks meanwhile."""
    if block_info[0]["chunk-location"][0] == block_info[0]["num-chunks"][0] - 1:
        distributed.secede()
        wait_for("gate", lambda: os.path.exists(gate))
    return block


def splits_by_worker(dask_scheduler):
    """For each worker, how many chunks that were split it has."""
    return {
        address: sum(key[0].startswith("multisplit-split-") for key in (t.key for t in worker.has_what) if isinstance(key, tuple))
        for address, worker in dask_scheduler.workers.items()
    }


def test_a_worker_is_lost_in_the_middle(client, tmp_path):
    """All chunks but one are split. Then a worker that has some of them is killed, and its chunks are split again."""
    gate = str(tmp_path / "gate")
    keys, values = SHAPES["zipf"](LENGTH), np.arange(LENGTH)
    x = da.from_array(keys, chunks=LENGTH // 6)
    slow = da.from_array(values, chunks=x.chunks).map_blocks(gated, gate, dtype=values.dtype, meta=values[:0])
    found = client.compute(list(msd.sort_pairs(x, slow)))
    chunks = x.numblocks[0]
    held = wait_for("split chunks", lambda: (by := client.run_on_scheduler(splits_by_worker)) and sum(by.values()) == chunks - 1 and by)
    victim = max(held, key=held.get)
    os.kill(client.run(os.getpid, workers=[victim])[victim], signal.SIGKILL)
    wait_for("loss", lambda: victim not in client.run_on_scheduler(splits_by_worker))
    open(gate, "w").close()
    order = np.argsort(keys, kind="stable")
    for array, expected in zip(client.gather(found), (keys[order], values[order])):
        same(array, expected)


def made(length, block_info=None):
    """A block of keys that its worker makes."""
    return np.random.default_rng(block_info[None]["chunk-location"][0]).integers(0, 2**40, length)


def test_chunks_are_spilled(tmp_path):
    """Memory for about a quarter of what is sorted: Dask writes the rest to disk."""
    chunks, length = 8, 2**15
    memory = chunks * length * 8 // 4
    options = {f"distributed.worker.memory.{name}": False for name in ("spill", "pause", "terminate")}
    with dask.config.set({**options, "distributed.worker.memory.target": 0.01}):
        with start(1, memory_limit=100 * memory, local_directory=str(tmp_path), processes=False) as cluster, Client(cluster) as client:
            x = da.map_blocks(made, length, chunks=((length,) * chunks,), dtype=np.int64, meta=np.empty(0, np.int64))
            found = client.persist(msd.sort(x))
            same(found.compute(), np.sort(np.concatenate([made(length, {None: {"chunk-location": (i,)}}) for i in range(chunks)])))
            spilled = client.run(lambda dask_worker: dask_worker.data.spilled_total.disk)
    assert all(count > 0 for count in spilled.values())
