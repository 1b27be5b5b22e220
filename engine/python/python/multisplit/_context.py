"""Device selection: contexts, the default context, and the list of devices."""

from __future__ import annotations

import atexit
import os
import threading
from dataclasses import dataclass
from typing import Any

from . import _native
from ._arrays import check_flag, index_of
from ._errors import ArgumentError, ForkError


@dataclass(frozen=True)
class Device:
    """A device listed by Vulkan.

    Attributes
    ----------
    index : int
        Index in Vulkan's list; ``Context(device=index)`` opens the device.
    name, kind, driver : str
        Properties reported by the driver; devices of ``kind`` ``"software"`` run on the CPU.
    memory : int
        Size of the largest device-local heap in bytes.
    missing : tuple of str
        Missing requirements; empty if the device can be used.
    """

    index: int
    name: str
    kind: str
    driver: str
    memory: int
    missing: tuple[str, ...]

    @property
    def usable(self) -> bool:
        """Whether a context can be opened on this device."""
        return not self.missing


def devices() -> list[Device]:
    """List the Vulkan devices, usable or not.

    Raises :class:`DeviceError` if there is no Vulkan loader; the message names the package to install.

    >>> import multisplit
    >>> all(device.name for device in multisplit.devices())
    True
    """
    return [
        Device(
            index=device["index"],
            name=device["name"],
            kind=device["kind"],
            driver=device["driver"],
            memory=device["memory"],
            missing=tuple(device["missing"]),
        )
        for device in _native.devices()
    ]


class Context:
    """A device to run operations on. It is opened on first use.

    Parameters
    ----------
    device : int or str, optional
        The index of a device (see :func:`devices`), a part of its name, or ``"software"``. The default is the
        environment variable ``MULTISPLIT_DEVICE`` if set, otherwise the best device.
    memory_limit : int, optional
        Maximum size in bytes of all buffers of the context, including scratch and staging memory.
    validation : bool
        Enable Vulkan's validation layer; :meth:`messages` returns its messages.
    cache : str, optional
        Folder for storing compiled kernels between runs; by default the user's cache folder.

    Contexts with equal parameters share a device within a process. A context is pickled as its parameters, and
    opened again where it is used. A device stays open until the process ends, or until :meth:`close`; as a context
    manager, a context is closed at the end of the block.

    >>> import numpy as np, multisplit
    >>> context = multisplit.Context()
    >>> multisplit.sort(np.array([3, 1, 2]), context=context)
    array([1, 2, 3])
    """

    def __init__(
        self,
        device: int | str | None = None,
        *,
        memory_limit: int | None = None,
        validation: bool = False,
        cache: str | os.PathLike[str] | None = None,
    ) -> None:
        if isinstance(device, bool) or not isinstance(device, (int, str, type(None))):
            raise TypeError(f"device must be an index or a part of a name, not {type(device).__name__}")
        if memory_limit is not None and not 0 < index_of(memory_limit, "memory_limit") < 2**64:
            raise ValueError(f"memory_limit must be a number of bytes, not {memory_limit}")
        self._description = (
            None if device is None else str(device),
            memory_limit,
            check_flag(validation, "validation"),
            None if cache is None else os.fspath(cache),
        )

    @property
    def _engine(self) -> _native.Engine:
        """The device, opened if necessary."""
        return _open(self._description)

    @property
    def name(self) -> str:
        """The name of the device."""
        return str(self._engine.describe()["name"])

    @property
    def kind(self) -> str:
        """``"discrete"``, ``"integrated"``, ``"virtual"``, ``"software"`` or ``"other"``."""
        return str(self._engine.describe()["kind"])

    @property
    def memory(self) -> int:
        """Size in bytes of the largest device-local heap."""
        return int(self._engine.describe()["memory"])

    def messages(self) -> list[str]:
        """Messages of the validation layer since the last call."""
        return self._engine.messages()

    def close(self) -> None:
        """Close the device and free its memory and compiled kernels, for all contexts with the same parameters.

        Calls that are already running in other threads still finish. Arrays on the device can no longer be used, not
        even copied to the host, and keep the device open until they are deleted. Another call with the context opens
        the device again.
        """
        _close(self._description)

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self._description == other._description

    def __hash__(self) -> int:
        return hash(self._description)

    def __reduce__(self) -> tuple[Any, ...]:
        return _described, self._description

    def __repr__(self) -> str:
        device, memory_limit, validation, cache = self._description
        named = {
            "device": device,
            "memory_limit": memory_limit,
            "validation": validation or None,
            "cache": cache,
        }
        given = ", ".join(f"{name}={value!r}" for name, value in named.items() if value is not None)
        return f"multisplit.Context({given})"


def _described(
    device: str | None, memory_limit: int | None, validation: bool, cache: str | None
) -> Context:
    return Context(device, memory_limit=memory_limit, validation=validation, cache=cache)


# Devices opened by this process, by parameters. They stay open, because opening one takes up to a second.
_opened: dict[tuple[Any, ...], _native.Engine] = {}
_lock = threading.Lock()
_process = os.getpid()


def _open(description: tuple[Any, ...]) -> _native.Engine:
    _refuse_after_fork()
    with _lock:
        engine = _opened.get(description)
        if engine is None:
            engine = _opened[description] = _native.Engine(*description)
        return engine


def _close(description: tuple[Any, ...]) -> None:
    _refuse_after_fork()
    with _lock:
        engine = _opened.pop(description, None)
    if engine is not None:
        engine.close()


def _refuse_after_fork() -> None:
    """Raise an error if the parent process had opened a device: drivers do not survive a fork."""
    if os.getpid() != _process and _opened:
        raise ForkError(
            f"process {os.getpid()} was forked from process {_process} after multisplit had opened a device, and "
            'devices do not survive a fork: start workers with the method "spawn" or "forkserver" '
            "(multiprocessing.set_start_method), or fork before multisplit is first used"
        )


def _after_fork() -> None:
    # A thread of the parent that does not exist in this process may have held the lock, so replace it.
    global _lock, _process
    _lock = threading.Lock()
    if not _opened:
        _process = os.getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(_opened.clear)

_default = Context()


def engine_of(context: Context | None, *arrays: Any) -> _native.Engine:
    """Return the device of the first array in device memory, and raise an error if this is not the device of
    ``context``. Without such arrays, return the device of ``context`` or, if it is None, the default device."""
    if not isinstance(context, (Context, type(None))):
        raise TypeError(f"context must be a multisplit.Context, not {type(context).__name__}")
    for array in arrays:
        engine = getattr(array, "_engine", None)
        if isinstance(engine, _native.Engine):
            if context is not None and context._engine is not engine:
                raise ArgumentError(
                    f"the array is on the device of another context than {context!r}, or this context was closed after "
                    "the array was made: omit context, or copy the array to the host before (numpy.asarray)"
                )
            return engine
    return (_default if context is None else context)._engine
