"""Exceptions: one base class for all engine errors, and more specific subclasses."""


class Error(RuntimeError):
    """Any error reported by the engine."""


class DeviceError(Error):
    """Vulkan or the requested device is not available, the context is closed, or the driver failed."""


class OutOfMemoryError(Error, MemoryError):
    """Not enough memory on the device or on the host."""


class ArgumentError(Error, ValueError):
    """An argument that the engine does not support."""


class ForkError(Error):
    """A forked process uses a device that its parent had opened."""


class MissingFeatureError(Error, NotImplementedError):
    """The package was built without the requested feature."""


# Show the public module name in tracebacks.
for _error in (Error, DeviceError, OutOfMemoryError, ArgumentError, ForkError, MissingFeatureError):
    _error.__module__ = "multisplit"
del _error
