"""Sort, split and count NumPy arrays on the GPU, on any Vulkan device.

>>> import numpy as np, multisplit
>>> multisplit.sort(np.array([3, 1, 2]))
array([1, 2, 3])

Functions take NumPy arrays, and all objects in CPU memory that support NumPy's array interface, the buffer
protocol or DLPack. They follow the signatures of the Array API where it has such a function, and NumPy's
otherwise. The device is opened on first use: without Vulkan the package can still be imported, and calls raise an
error that names what is missing.
"""

from ._buckets import Even, Glsl, Identity
from ._context import Context, Device, devices
from ._device_array import DeviceArray
from ._errors import (
    ArgumentError,
    DeviceError,
    Error,
    ForkError,
    MissingFeatureError,
    OutOfMemoryError,
)
from ._histogram import bincount, histogram
from ._native import HAS_GLSL, __version__
from ._partition import argpartition, partition
from ._quantile import median, percentile, quantile
from ._scan import cumulative_sum, scan
from ._search import isin, nonzero, searchsorted
from ._segments import reduce_segments
from ._sort import argsort, lexsort, sort, sort_pairs
from ._split import SplitResult, split
from ._sssp import ShortestPaths, sssp
from ._topk import TopKResult, topk
from ._unique import (
    UniqueAllResult,
    UniqueCountsResult,
    UniqueInverseResult,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)

__all__ = [
    "HAS_GLSL",
    "ArgumentError",
    "Context",
    "Device",
    "DeviceArray",
    "DeviceError",
    "Error",
    "Even",
    "ForkError",
    "Glsl",
    "Identity",
    "MissingFeatureError",
    "OutOfMemoryError",
    "ShortestPaths",
    "SplitResult",
    "TopKResult",
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
    "__version__",
    "argpartition",
    "argsort",
    "bincount",
    "cumulative_sum",
    "devices",
    "histogram",
    "isin",
    "lexsort",
    "median",
    "nonzero",
    "partition",
    "percentile",
    "quantile",
    "reduce_segments",
    "scan",
    "searchsorted",
    "sort",
    "sort_pairs",
    "split",
    "sssp",
    "topk",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]
