"""Is it right, balanced and stable on workers of their own, and when one of them is lost?

Workers are processes of one thread, started afresh, so each opens the device for itself.
"""

import os
import pickle
import signal
import time

import numpy as np
import pytest

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

import dask.array as da  # noqa: E402
import multisplit.dask as msd  # noqa: E402
from dask_cases import FULL, SHAPES, same  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

PATIENCE = 300
"""Seconds after which a test gives up waiting, on a machine that does other things as well."""

LENGTH = 30_011
MAX_IMBALANCE = 1.3


def start(workers, **options):
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "memory_limit": "2GiB", **options}
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
    dd = pytest.importorskip("dask.dataframe")
    pd = pytest.importorskip("pandas")
    keys = SHAPES["zipf"](3_000)
    x = da.from_array(keys, chunks=500)
    order = np.argsort(keys, kind="stable")
    rows = pd.DataFrame({"key": keys, "row": np.arange(len(keys))})
    table = msd.sort_values(dd.from_pandas(rows, npartitions=3), "key")
    found = dask.compute(msd.argsort(x), msd.topk(x, 5, largest=False), msd.histogram(x, 4, (0, 10)), table)
    same(found[0], order)
    same(found[1][0], keys[order[:5]])
    same(found[1][1], order[:5])
    same(found[2][0], np.histogram(keys, 4, (0, 10))[0])
    pd.testing.assert_frame_equal(found[3], rows.iloc[order])


def test_the_graph_can_be_sent(client):
    """To another process, as Dask does it with a scheduler of its own."""
    keys = SHAPES["uniform"](1_000)
    sent = pickle.loads(pickle.dumps(msd.sort(da.from_array(keys, chunks=300))))
    same(sent.compute(), np.sort(keys))


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
    """The last block waits for a file, so that a test decides when work goes on."""
    if block_info[0]["chunk-location"][0] == block_info[0]["num-chunks"][0] - 1:
        wait_for("gate", lambda: os.path.exists(gate))
    return block


def splits_by_worker(dask_scheduler):
    """For each worker, how many chunks that were split it has."""
    return {
        address: sum(key[0].startswith("multisplit-split-") for key in (t.key for t in worker.has_what) if isinstance(key, tuple))
        for address, worker in dask_scheduler.workers.items()
    }


def test_a_worker_is_lost_in_the_middle(tmp_path):
    """All chunks but one are split. Then one of the workers that have them is killed, and its chunks are split again."""
    gate = str(tmp_path / "gate")
    keys, values = SHAPES["zipf"](LENGTH), np.arange(LENGTH)
    x = da.from_array(keys, chunks=LENGTH // 6)
    slow = da.from_array(values, chunks=x.chunks).map_blocks(gated, gate, dtype=values.dtype, meta=values[:0])
    with start(2) as cluster, Client(cluster) as client:
        found = client.compute(list(msd.sort_pairs(x, slow)))
        chunks = x.numblocks[0]
        held = wait_for("split chunks", lambda: (by := client.run_on_scheduler(splits_by_worker)) and sum(by.values()) == chunks - 1 and by)
        processing = client.processing()
        victim = max(held, key=lambda address: (held[address] > 0 and not processing[address], held[address]))
        assert held[victim] > 0
        os.kill(client.run(os.getpid, workers=[victim])[victim], signal.SIGKILL)
        wait_for("loss", lambda: victim not in client.run_on_scheduler(splits_by_worker))
        open(gate, "w").close()
        order = np.argsort(keys, kind="stable")
        for array, expected in zip(client.gather(found), (keys[order], values[order])):
            same(array, expected)


def test_chunks_are_spilled(tmp_path):
    """Memory for about a quarter of what is sorted: Dask writes the rest to disk."""
    keys = SHAPES["uniform"](2**21)
    thresholds = {f"distributed.worker.memory.{name}": False for name in ("spill", "pause", "terminate")}
    with dask.config.set({**thresholds, "distributed.worker.memory.target": 0.02}):
        with start(1, memory_limit="256MiB", local_directory=str(tmp_path), processes=False) as cluster, Client(cluster) as client:
            x = da.from_array(keys, chunks=2**18).map_blocks(np.copy)
            found = client.persist(msd.sort(x))
            same(found.compute(), np.sort(keys))
            spilled = client.run(lambda dask_worker: dask_worker.data.slow is not None and dask_worker.data.spilled_total.disk)
    assert all(count > 0 for count in spilled.values())
