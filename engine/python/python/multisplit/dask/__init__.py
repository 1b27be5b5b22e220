"""Sorts, top-k, quantiles and histograms of chunked dask arrays, and sorts of dask dataframes, on workers' devices.

>>> import dask.array as da
>>> import multisplit.dask as msd
>>> x = da.random.default_rng(1).integers(0, 100, size=1000, chunks=250)
>>> msd.sort(x).chunks
((250, 250, 250, 250),)

All functions are lazy: a call creates a graph of plain Dask tasks, which runs on any scheduler. As for all graphs, Dask
spills results, reruns the tasks of a lost worker, and shows the progress in its dashboard. See docs/dask.md for the
design.
"""

try:
    import dask as _dask  # noqa: F401
except ImportError as missing:  # raised here, because the package does not depend on dask
    raise ImportError("multisplit.dask needs dask: pip install 'dask[array,distributed]', and dask[dataframe] for sort_values") from missing

from .counts import histogram
from .frames import sort_values
from .select import quantile, topk
from .sort import argsort, sort, sort_pairs

__all__ = ["argsort", "histogram", "quantile", "sort", "sort_pairs", "sort_values", "topk"]
