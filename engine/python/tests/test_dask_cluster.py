"""Checks correctness, balance and stability on separate workers, and after the loss of a worker.

Workers of `client` are new processes with one thread, so each opens its own device.
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
"""Warnings do not fail these tests: on a busy machine, Dask warns of slow workers, large graphs and ports in use."""

PATIENCE = 300
"""Timeout in seconds, for a machine under other load."""

LENGTH = 30_011
MAX_IMBALANCE = 1.3


def start(workers, **options):
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "memory_limit": "2GiB", **options}
    return LocalCluster(n_workers=workers, **options)


@pytest.fixture(scope="module", params=[1, 2, 4])
def client(request):
    """Clusters with 1, 2 and 4 workers; quick runs use only 2."""
    if request.param != 2 and not FULL:
        pytest.skip("this cluster size runs only with --full")
    with start(request.param) as cluster, Client(cluster) as client:
        yield client


def lengths_of(*arrays):
    """Actual lengths of the result chunks, determined on the workers."""
    return [np.array(dask.compute(*[dask.delayed(len)(part) for part in array.to_delayed()])) for array in arrays]


def balanced(lengths):
    return lengths.max() <= MAX_IMBALANCE * lengths.mean()


@pytest.mark.parametrize("shape", SHAPES)
def test_sort_is_correct_and_balanced(client, shape):
    keys = SHAPES[shape](LENGTH)
    x = da.from_array(keys, chunks=LENGTH // 6)
    found = client.persist(msd.sort(x))
    assert balanced(lengths_of(found)[0])
    same(found.compute(), np.sort(keys))


@pytest.mark.parametrize("shape", SHAPES)
def test_sort_pairs_is_correct_and_balanced(client, shape):
    keys = SHAPES[shape](LENGTH)
    values = np.arange(LENGTH)
    x = da.from_array(keys, chunks=LENGTH // 6)
    found = client.persist(msd.sort_pairs(x, da.from_array(values, chunks=x.chunks)))
    assert all(balanced(lengths) for lengths in lengths_of(*found))
    order = np.argsort(keys, kind="stable")
    for array, expected in zip(dask.compute(*found), (keys[order], values[order])):
        same(array, expected)


def test_other_functions_are_correct_on_a_cluster(client):
    keys = SHAPES["zipf"](3_000)
    order = np.argsort(keys, kind="stable")
    rows = pd.DataFrame({"key": keys, "row": np.arange(len(keys))})
    found = msd.sort_values(dd.from_pandas(rows, npartitions=3), "key").compute()
    pd.testing.assert_frame_equal(found, rows.iloc[order])
    if not FULL:
        return  # other files test the rest in one process, which compiles fewer kernels
    x = da.from_array(keys, chunks=500)
    found = dask.compute(msd.argsort(x), *msd.topk(x, 5, largest=False), msd.histogram(x, 4, (0, 10))[0])
    for array, expected in zip(found, (order, keys[order[:5]], order[:5], np.histogram(keys, 4, (0, 10))[0])):
        same(array, expected)


def test_chunk_larger_than_worker_memory_is_rejected():
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
    """Return the block. The task of the last block first waits until the file `gate` exists, so that the test controls
    when work continues. Its worker runs other tasks meanwhile."""
    if block_info[0]["chunk-location"][0] == block_info[0]["num-chunks"][0] - 1:
        distributed.secede()
        wait_for("gate", lambda: os.path.exists(gate))
    return block


def splits_by_worker(dask_scheduler):
    """Number of split chunks that each worker holds."""
    return {
        address: sum(key[0].startswith("multisplit-split-") for key in (t.key for t in worker.has_what) if isinstance(key, tuple))
        for address, worker in dask_scheduler.workers.items()
    }


def test_sort_survives_the_loss_of_a_worker(client, tmp_path):
    """After all chunks but one are split, kill a worker that holds some of them; its chunks must be split
    again."""
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
    """Create a block of keys on its worker."""
    return np.random.default_rng(block_info[None]["chunk-location"][0]).integers(0, 2**40, length)


def test_sort_succeeds_while_chunks_are_spilled(tmp_path):
    """With memory for about a quarter of the data, Dask spills the rest to disk."""
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
