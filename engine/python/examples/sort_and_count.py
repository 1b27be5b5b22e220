"""Sorts, splits and counts a table of measurements, and compares the histogram and a sort with NumPy's."""

import numpy as np

import multisplit

rng = np.random.default_rng(1)
temperatures = rng.normal(15.0, 8.0, 50_000).astype(np.float32)
temperatures[::1000] = np.nan  # a sensor that sometimes fails
stations = rng.integers(0, 40, temperatures.size)

# Warmest first, together with their stations. NaN is larger than every number.
keys, where = multisplit.sort_pairs(temperatures, stations, descending=True)
known = int(np.isnan(keys).sum())
print(f"{known} failures; the warmest was {keys[known]:.1f} degrees at station {where[known]}")

# Split into cold, mild and warm in one operation.
parts = multisplit.split(temperatures, [5.0, 25.0], values=stations)
print("cold, mild, warm or unknown:", parts.counts)

counts, edges = multisplit.histogram(temperatures, bins=12, range=(-20, 50))
expected, _ = np.histogram(temperatures, bins=12, range=(-20, 50))
assert (counts == expected).all()
for low, high, count in zip(edges, edges[1:], counts):
    print(f"{low:6.1f} to {high:5.1f}: {'#' * int(60 * count / counts.max())} {count}")

per_station = multisplit.bincount(stations)
busiest = multisplit.topk(per_station, 3)
print("stations with the most measurements:", dict(zip(busiest.indices.tolist(), busiest.values.tolist())))
assert (np.asarray(multisplit.sort(temperatures)) == np.sort(temperatures))[: -known].all()
