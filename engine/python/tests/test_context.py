"""Tests closing of contexts, and delivery of signals during transfers."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import NoReturn

import numpy as np
import pytest
from conftest import assert_same

import multisplit


def test_contexts_can_be_closed() -> None:
    with multisplit.Context(memory_limit=1 << 27) as context:
        a = multisplit.DeviceArray(np.array([3, 1, 2]), context=context)
        assert_same(np.asarray(multisplit.sort(a)), np.array([1, 2, 3]))
    for call in (lambda: multisplit.sort(a), lambda: np.asarray(a), lambda: a[0]):
        with pytest.raises(multisplit.DeviceError, match="is closed"):
            call()
    context.close()
    # Another call opens the device again.
    assert_same(multisplit.sort(np.array([2, 1]), context=context), np.array([1, 2]))
    context.close()
    with pytest.raises(KeyError), multisplit.Context(memory_limit=1 << 27) as context:
        assert context.name
        raise KeyError
    assert context._description not in multisplit._context._opened


def test_calls_in_other_threads_finish_or_report_a_closed_context() -> None:
    context = multisplit.Context(memory_limit=(1 << 28) + 1)
    x = np.random.default_rng(1).random(300_000)
    results: list[np.ndarray] = []

    def work() -> None:
        for _ in range(3):
            try:
                results.append(multisplit.sort(x, context=context))
            except multisplit.DeviceError as error:
                assert "is closed" in str(error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(5):
        time.sleep(0.05)
        context.close()
    for thread in threads:
        thread.join()
    for found in results:
        assert_same(found, np.sort(x))
    context.close()


def test_closed_contexts_free_their_memory() -> None:
    def use(i: int) -> None:
        with multisplit.Context(memory_limit=(1 << 28) + i) as context:
            multisplit.sort(np.arange(1000)[::-1], context=context)

    use(0)
    use(1)
    before = resident_bytes()
    for i in range(2, 12):
        use(i)
    assert resident_bytes() - before < 40 << 20


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Interrupted(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_exception_of_signal_handler_ends_transfer() -> None:
    """The handler runs between two chunks, so the rest of the output is not written."""

    def interrupt(*_: object) -> NoReturn:
        raise Interrupted

    n = 1 << 25
    a = multisplit.DeviceArray(np.ones(n, np.uint64))
    out = np.zeros(n, np.uint64)
    begin = time.perf_counter()
    a._engine.download(a._buffer, 0, out)
    whole = time.perf_counter() - begin
    assert out.all()
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for part in (0.5, 0.25, 0.1, 0.05, 0.02):
            out[:] = 0
            signal.setitimer(signal.ITIMER_REAL, whole * part)
            try:
                a._engine.download(a._buffer, 0, out)
                time.sleep(2 * whole)
            except Interrupted:
                if not out.all():
                    break
        else:
            pytest.fail("all transfers ended before the signal was delivered")
        with pytest.raises(Interrupted):
            signal.setitimer(signal.ITIMER_REAL, whole * part)
            for _ in range(100):
                multisplit.DeviceArray(out)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    # The device still works.
    assert_same(multisplit.sort(np.array([2, 1])), np.array([1, 2]))
