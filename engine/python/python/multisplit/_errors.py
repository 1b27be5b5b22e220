"""What can go wrong: one class for everything that the engine says, and more precise ones below it."""


class Error(RuntimeError):
    """Whatever the engine reports. Its text says what was given, what is allowed and what to do."""


class DeviceError(Error):
    """There is no Vulkan, no device, none of that name, or the driver has failed."""


class OutOfMemoryError(Error, MemoryError):
    """The memory of the device, or of the host, does not suffice."""


class ArgumentError(Error, ValueError):
    """An argument that the engine cannot work with."""


class ForkError(Error):
    """A process uses what its parent had opened before it was forked."""


class MissingFeatureError(Error, NotImplementedError):
    """The package was built without what was asked for."""


# In messages, by the name under which they are used.
for _error in (Error, DeviceError, OutOfMemoryError, ArgumentError, ForkError, MissingFeatureError):
    _error.__module__ = "multisplit"
del _error
