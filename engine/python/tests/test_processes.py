"""Threads, processes, pickles, and machines without Vulkan."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from conftest import FULL

import multisplit


def python(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a new process, with a timeout."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_eight_threads_sort_concurrently() -> None:
    arrays = [np.random.default_rng(seed).integers(0, 1000, 500 + seed) for seed in range(8)]

    def work(x: np.ndarray) -> bool:
        expected = np.sort(x)
        return all(np.array_equal(multisplit.sort(x), expected) for _ in range(100))

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, arrays))


def test_other_threads_run_during_a_call() -> None:
    x = np.random.default_rng(1).random(200_000 if FULL else 50_000)
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        call = threads.submit(multisplit.sort, x)
        steps = 0
        while not call.done():
            steps += 1
    assert steps > 1
    assert np.array_equal(call.result(), np.sort(x))


FORKED = """
    import os, sys, numpy as np, multisplit
    array = multisplit.DeviceArray(np.arange(3))
    child = os.fork()
    if child == 0:
        for use in (lambda: multisplit.sort([2, 1]), lambda: np.asarray(array), lambda: multisplit.sort(array),
                    lambda: multisplit.sort([1], context=multisplit.Context("software"))):
            try:
                use()
            except multisplit.ForkError as error:
                assert "spawn" in str(error) and "\\n" not in str(error), error
            else:
                os._exit(1)
        sys.exit(0)  # must not free objects that the parent has opened
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert multisplit.sort([2, 1]).tolist() == [1, 2]
    print("done")
"""


def test_fork_after_use_raises_fork_error() -> None:
    done = python(FORKED)
    assert done.stdout == "done\n", done.stderr


def test_fork_before_use_works() -> None:
    done = python("""
        import os, multisplit
        child = os.fork()
        assert multisplit.sort([2, 1]).tolist() == [1, 2]
        if child == 0:
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        print("done")
    """)
    assert done.stdout == "done\n", done.stderr


def sorted_by_worker(x: object, context: multisplit.Context | None) -> np.ndarray:
    return np.asarray(multisplit.sort(x, context=context))


def test_spawned_workers_can_sort() -> None:
    context = multisplit.Context(memory_limit=1 << 28)
    start = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=start) as pool:
        array = multisplit.DeviceArray(np.array([3, 1, 2]))
        # An array is loaded onto the worker's default device.
        for x, where in ((np.array([3, 1, 2]), context), (array, None)):
            assert pool.submit(sorted_by_worker, x, where).result(120).tolist() == [1, 2, 3]


def test_contexts_compare_hash_and_pickle_by_parameters() -> None:
    context = multisplit.Context("software", memory_limit=1 << 28)
    copy = pickle.loads(pickle.dumps(context))
    assert copy == context and hash(copy) == hash(context) and copy != multisplit.Context()
    assert repr(copy) == "multisplit.Context(device='software', memory_limit=268435456)"
    assert copy._engine is context._engine
    assert copy.kind == "software" and copy.memory > 0
    assert pickle.loads(pickle.dumps(multisplit.Context(0))).name == multisplit.devices()[0].name


def test_missing_driver_is_reported() -> None:
    done = python(
        """
        import multisplit
        for use in (lambda: multisplit.sort([1]), lambda: multisplit.Context().name):
            try:
                use()
            except multisplit.DeviceError as error:
                assert "no Vulkan device was found; install" in str(error), error
            else:
                raise SystemExit(1)
        print("done")
        """,
        VK_ICD_FILENAMES="/nonexistent.json",
        VK_DRIVER_FILES="/nonexistent.json",
    )
    assert done.stdout == "done\n", done.stderr


def test_missing_vulkan_loader_is_reported(tmp_path: Path) -> None:
    # An invalid library file hides the loader.
    (tmp_path / "libvulkan.so.1").write_bytes(b"not a library" * 1000)
    (tmp_path / "libvulkan.so").write_bytes(b"not a library" * 1000)
    done = python(
        """
        import multisplit
        for use in (multisplit.devices, lambda: multisplit.sort([1])):
            try:
                use()
            except multisplit.DeviceError as error:
                assert "no Vulkan loader was found" in str(error) and "install" in str(error), error
            else:
                raise SystemExit(1)
        print("done")
        """,
        LD_LIBRARY_PATH=str(tmp_path),
    )
    assert done.stdout == "done\n", done.stderr


@pytest.mark.filterwarnings("ignore")
def test_no_validation_messages_are_reported() -> None:
    context = multisplit.Context(validation=True)
    x = np.random.default_rng(2).random((3, 300)).astype(np.float32)
    np.testing.assert_array_equal(multisplit.sort(x, context=context), np.sort(x))
    multisplit.sort_pairs(x[0], x[1], context=context)
    multisplit.split(x[0], [0.5], context=context)
    multisplit.histogram(x, range=(0, 1), context=context)
    multisplit.unique_counts(x, context=context)
    assert context.messages() == []
