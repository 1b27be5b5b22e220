"""Runs several operations on one array that is uploaded once, on a device given by name or the default one."""

import sys

import numpy as np

import multisplit

context = multisplit.Context(sys.argv[1] if len(sys.argv) > 1 else None)
print(f"on {context.name} ({context.kind})")

prices = np.random.default_rng(2).integers(1, 500, 20_000).astype(np.uint32)
on_device = multisplit.DeviceArray(prices, context=context)

ascending = multisplit.sort(on_device)
distinct = multisplit.unique_counts(on_device)
running = multisplit.scan(ascending)  # sums of the cheapest 1, 2, 3 ...
print(ascending, distinct.values, running, sep="\n")

# Only the requested results are downloaded.
totals = np.asarray(running)
budget = 100_000
print(f"{int((totals <= budget).sum())} items can be bought for {budget} in total")
assert (totals == np.cumsum(np.sort(prices))).all()
