"""Finds the cheapest way from corner to corner of a grid whose cells have different costs to enter."""

import numpy as np

import multisplit

SIDE = 24
rng = np.random.default_rng(6)
cost = rng.integers(1, 10, (SIDE, SIDE))
number = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)

# Edges from each cell to its neighbours, weighted with the cost of the cell that is entered.
pairs = [(number[:, :-1], number[:, 1:]), (number[:-1], number[1:])]
edges = np.concatenate([np.stack([a.ravel(), b.ravel()], 1) for p in pairs for a, b in (p, p[::-1])])
found = multisplit.sssp(edges, cost.ravel()[edges[:, 1]], source=0, predecessors=True)

end = int(number[-1, -1])
path = found.path_to(end)
assert path is not None
assert sum(int(cost.ravel()[cell]) for cell in path[1:]) == found.distances[end]
on_path = np.isin(number, path)
for row in range(SIDE):
    print("".join("#" if on_path[row, column] else str(cost[row, column]) for column in range(SIDE)))
print(f"from corner to corner: {found.distances[end]:.0f}, over {len(path)} cells")
