"""Sorts and counts of dask arrays of many chunks and of dask dataframes, each chunk on the device of the worker that has it.

>>> import dask.array as da
>>> import multisplit.dask as msd
>>> x = da.random.default_rng(1).integers(0, 100, size=1000, chunks=250)
>>> msd.sort(x).chunks
((250, 250, 250, 250),)

Everything is lazy: a call makes a graph of plain Dask tasks, so it runs on whatever scheduler is there, results are spilled by Dask, a
lost worker costs its tasks again, and Dask's dashboard and progress bars show it. docs/dask.md says how it works.
"""

try:
    import dask as _dask  # noqa: F401
except ImportError as missing:  # said here, because the packages of the sort are not needed for arrays that fit memory
    raise ImportError("multisplit.dask needs dask: pip install 'dask[array,distributed]', and dask[dataframe] for sort_values") from missing

from .counts import histogram
from .frames import sort_values
from .select import topk
from .sort import argsort, sort, sort_pairs

__all__ = ["argsort", "histogram", "sort", "sort_pairs", "sort_values", "topk"]
