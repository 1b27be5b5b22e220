"""Sorts an array that is distributed over workers, and shows that the lengths of the result chunks differ by at most
one, for any keys.

    python dask_sort.py                          # two workers on this machine
    python dask_sort.py --scheduler tcp://host:8786 --length 1000000000 --chunks 64
"""

import argparse

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster, progress

import multisplit.dask as msd


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scheduler", help="address of a running cluster; by default, workers are started on this machine")
    parser.add_argument("--workers", type=int, default=2, help="number of workers to start on this machine (default: 2)")
    parser.add_argument("--length", type=int, default=100_000, help="number of keys (default: 100000)")
    parser.add_argument("--chunks", type=int, default=8, help="number of chunks of the array (default: 8)")
    parser.add_argument("--keys", choices=["uniform", "zipf", "constant"], default="zipf", help="distribution of the keys (default: zipf)")
    return parser.parse_args()


def keys_of(kind, length, chunks):
    """Create the keys on the workers, chunk by chunk, so that the whole array never exists in one place."""
    random = da.random.default_rng(7)
    chunk = -(-length // chunks)
    if kind == "uniform":
        return random.integers(-(2**62), 2**62, size=length, chunks=chunk)
    if kind == "zipf":
        return da.minimum(random.zipf(1.3, size=length, chunks=chunk), 2**40).astype(np.int64)
    return da.full(length, 42, chunks=chunk, dtype=np.int64)


def main():
    options = arguments()
    where = options.scheduler or LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=":0")
    with Client(where) as client:
        keys = keys_of(options.keys, options.length, options.chunks).persist()
        order = msd.argsort(keys)
        ordered = msd.sort(keys)
        print(f"{options.length:,} keys in {keys.numblocks[0]} chunks; the result has chunks of {sorted(set(ordered.chunks[0]))}")

        ordered, order = client.persist([ordered, order])
        progress([ordered, order], notebook=False)
        print()

        rises = (ordered[:-1] <= ordered[1:]).all()
        print("in order:", bool(rises.compute()), "| sums agree:", int(ordered.sum()) == int(keys.sum()))
        print("smallest:", ordered[:3].compute(), "found at", order[:3].compute())
        counts, edges = msd.histogram(keys, bins=4)
        print("histogram:", counts.compute())
        values, indices = msd.topk(keys, 3)
        print("largest:", values.compute(), "found at", indices.compute())
    if options.scheduler is None:
        where.close()


if __name__ == "__main__":
    main()
