"""Compares shortest paths with Dijkstra's algorithm."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from conftest import some

import multisplit


def dijkstra(vertices: int, edges: np.ndarray, weights: np.ndarray, source: int, directed: bool) -> np.ndarray:
    arcs: list[list[tuple[int, float]]] = [[] for _ in range(vertices)]
    for (a, b), weight in zip(edges.tolist(), weights.tolist()):
        arcs[a].append((b, weight))
        if not directed:
            arcs[b].append((a, weight))
    distances = np.full(vertices, np.inf)
    distances[source] = 0
    queue = [(0.0, source)]
    while queue:
        distance, at = heapq.heappop(queue)
        if distance > distances[at]:
            continue
        for to, weight in arcs[at]:
            if distance + weight < distances[to]:
                distances[to] = distance + weight
                heapq.heappush(queue, (distances[to], to))
    return distances


CASES = [(kind, directed) for kind in ("i8", "f4", "ones") for directed in (True, False)]


@pytest.mark.parametrize(("kind", "directed"), some(CASES, ("i8", True), ("f4", False)))
def test_distances_and_paths_match_dijkstra(kind: str, directed: bool) -> None:
    rng = np.random.default_rng(1)
    vertices, count = 300, 700
    edges = rng.integers(0, vertices, (count, 2))
    # The sums of these floats are exact.
    weights = None if kind == "ones" else (rng.integers(0, 1000, count) / (8 if kind == "f4" else 1)).astype(kind)
    costs = np.ones(count) if weights is None else weights
    found = multisplit.sssp(edges, weights, source=5, vertices=vertices, directed=directed, predecessors=True)
    expected = dijkstra(vertices, edges, costs, 5, directed)
    np.testing.assert_array_equal(found.distances, expected)
    assert found.distances.dtype == (np.float32 if kind == "f4" else np.float64)
    cheapest: dict[tuple[int, int], float] = {}
    for (a, b), cost in zip(edges.tolist(), costs.tolist()):
        for pair in [(a, b)] if directed else [(a, b), (b, a)]:
            cheapest[pair] = min(cost, cheapest.get(pair, np.inf))
    for vertex in range(0, vertices, 17):
        path = found.path_to(vertex)
        if path is None:
            assert np.isinf(expected[vertex])
        else:
            assert path[0] == 5 and path[-1] == vertex
            assert sum(cheapest[pair] for pair in zip(path, path[1:])) == expected[vertex]


def test_sparse_matrix_is_accepted() -> None:
    class Matrix:  # mimics a SciPy matrix
        shape = (3, 3)
        row, col, data = np.array([0, 1]), np.array([1, 2]), np.array([4, 5])

        def tocoo(self) -> Matrix:
            return self

    assert multisplit.sssp(Matrix()).distances.tolist() == [0, 4, 9]


def test_invalid_arguments_are_rejected() -> None:
    edges = np.array([[0, 1], [1, 2]])
    for arguments, options, message in [
        ((edges, [1, -1]), {}, "2\\^32"),
        ((edges, [1.0, -1.0]), {}, "not negative"),
        ((edges, [1]), {}, "one weight for each"),
        ((edges,), {"source": 9}, "from 0 to 2"),
        ((edges,), {"vertices": 2}, "from 0 to 1"),
        ((edges.astype(float),), {}, "integers"),
        (([],), {}, "vertices="),
    ]:
        with pytest.raises(ValueError, match=message):
            multisplit.sssp(*arguments, **options)
    paths = multisplit.sssp(edges, predecessors=True)
    assert paths.path_to(np.int64(2)) == [0, 1, 2]
    for vertex in (-1, 3):
        with pytest.raises(IndexError, match="from 0 to 2"):
            paths.path_to(vertex)
    with pytest.raises(ValueError, match="predecessors=True"):
        multisplit.sssp(edges).path_to(1)
