"""Shortest paths from one vertex of a network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from ._arrays import as_ndarray, check_flag, contiguous, index_of
from ._context import Context, engine_of

Array = np.ndarray[Any, Any]

#: The device's distance of unreachable vertices.
_UNREACHED = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class ShortestPaths:
    """Result of :func:`sssp`.

    Attributes
    ----------
    source : int
        Start vertex of the paths.
    distances : ndarray
        The distance of each vertex, ``inf`` if it is unreachable: float64 for integer weights, which is exact, and
        float32 for float weights.
    predecessors : ndarray of int64 or None
        The predecessor of each vertex on a shortest path; -1 for the source and for unreachable vertices.
    """

    source: int
    distances: Array
    predecessors: Array | None

    def path_to(self, vertex: int) -> list[int] | None:
        """A shortest path from the source to a vertex, including both; None if there is none. Raises IndexError
        if the vertex is not in the network."""
        if self.predecessors is None:
            raise ValueError("paths need predecessors: call sssp(..., predecessors=True)")
        last = index_of(vertex, "vertex")
        if not 0 <= last < len(self.distances):
            raise IndexError(f"vertex is {last}, but vertices are numbered from 0 to {len(self.distances) - 1}")
        if np.isinf(self.distances[last]):
            return None
        path = [last]
        while path[-1] != self.source:
            path.append(int(self.predecessors[path[-1]]))
        return path[::-1]


def sssp(
    edges: Any,
    weights: Any = None,
    /,
    *,
    source: int = 0,
    vertices: int | None = None,
    directed: bool = True,
    predecessors: bool = False,
    context: Context | None = None,
) -> ShortestPaths:
    """Shortest paths from one vertex to all others.

    Parameters
    ----------
    edges : array_like or sparse matrix
        An array of m rows with the two ends of each edge, or a SciPy matrix whose entries are the weights.
    weights : array_like, optional
        Weight of each edge: integers from 0 to 2^32 - 1, or floats, which are rounded to 32 bits. By default 1.
    source : int
        Start vertex of the paths.
    vertices : int, optional
        Number of vertices; by default one more than the largest vertex number in ``edges``, or the larger dimension
        of the matrix.
    directed : bool
        Whether edges can be followed only from their first end to the second.
    predecessors : bool
        Whether to compute paths in addition to their lengths.
    context : Context, optional
        The device to use.

    Examples
    --------
    >>> import numpy as np, multisplit
    >>> found = multisplit.sssp(np.array([[0, 1], [1, 2], [0, 2]]), [7, 1, 9], vertices=4, predecessors=True)
    >>> found.distances
    array([ 0.,  7.,  8., inf])
    >>> found.path_to(2)
    [0, 1, 2]
    """
    directed, predecessors = check_flag(directed, "directed"), check_flag(predecessors, "predecessors")
    if hasattr(edges, "tocoo"):
        if weights is not None:
            raise ValueError("the entries of a sparse matrix are its weights: omit weights")
        matrix = edges.tocoo()
        vertices = max(matrix.shape) if vertices is None else vertices
        ends, weights = np.stack([matrix.row, matrix.col], axis=-1), matrix.data
    else:
        ends = as_ndarray(edges, "edges")
        if ends.size == 0:
            ends = np.empty((0, 2), np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "ui":
        raise ValueError(f"edges has the shape {ends.shape} and the type {ends.dtype}; give integers of shape (m, 2)")
    count = _count_vertices(ends, vertices)
    begin = index_of(source, "source")
    if not 0 <= begin < count:
        raise ValueError(f"source is {begin}, but vertices are numbered from 0 to {count - 1}")
    costs = None if weights is None else _costs(as_ndarray(weights, "weights"), len(ends))
    distances = np.empty(count, np.uint32)
    before = np.empty(count, np.uint32) if predecessors else None
    both = contiguous(ends.T.astype(np.uint32))
    _native.sssp(engine_of(context), both, costs, directed, begin, distances, before)
    reached = distances != _UNREACHED
    if costs is not None and costs.dtype.kind == "f":
        lengths: Array = np.where(reached, distances.view(np.float32), np.float32(np.inf))
    else:
        lengths = np.where(reached, distances.astype(np.float64), np.inf)
    if before is not None:
        before = np.where(before == _UNREACHED, -1, before.astype(np.int64))
    return ShortestPaths(begin, lengths, before)


def _count_vertices(ends: Array, vertices: int | None) -> int:
    low, high = (int(ends.min()), int(ends.max())) if ends.size else (0, -1)
    count = high + 1 if vertices is None else index_of(vertices, "vertices")
    if low < 0 or high >= count:
        raise ValueError(f"edges has vertices from {low} to {high}, but they are numbered from 0 to {count - 1}")
    if count == 0:
        raise ValueError("the network has no vertices: give their number (vertices=)")
    return count


def _costs(weights: Array, edges: int) -> Array:
    if weights.shape != (edges,):
        raise ValueError(f"weights has shape {weights.shape}, but there are {edges} edges: give one weight for each edge")
    if weights.dtype.kind == "f":
        return contiguous(weights.astype(np.float32))
    if weights.dtype.kind not in "bui":
        raise TypeError(f"weights has the type {weights.dtype}, but weights must be integers or floats")
    if weights.size and (int(weights.min()) < 0 or int(weights.max()) > 0xFFFFFFFF):
        raise ValueError("integer weights must be from 0 to 2^32 - 1: use floats for larger weights")
    return contiguous(weights.astype(np.uint32))
