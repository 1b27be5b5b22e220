"""Measures wall times and processor times of sorts of chunked arrays on a local cluster of processes, and prints tables.

    python dask_table.py --sizes 2^20,2^22 --workers 2
    python dask_table.py --sizes 2^24,2^26 --workers 16 --chunks 16 --keys uniform,zipf --json times.json

All methods sort the same int64 keys. Keys and results are in the workers' memory, or for numpy.sort in that of this
process. Each method runs once to open devices and compile kernels, and then `--repeats` times; the table
shows the median. Results of the first run are compared with NumPy's, element by element.
"""

import argparse
import gc
import json
import os
import statistics
import sys
import time

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import psutil
from dask.distributed import Client, LocalCluster, wait

import multisplit
import multisplit.dask as msd

KEYS = {
    "uniform": lambda random, n, chunk: random.integers(-(2**62), 2**62, size=n, chunks=chunk),
    "sorted": lambda random, n, chunk: da.arange(n, chunks=chunk, dtype=np.int64),
    "constant": lambda random, n, chunk: da.full(n, 7, chunks=chunk, dtype=np.int64),
    "zipf": lambda random, n, chunk: da.minimum(random.zipf(1.3, size=n, chunks=chunk), 2**40).astype(np.int64),
}

METHODS = {
    "numpy.sort": "`numpy.sort`, one process",
    "dask.dataframe": "`dask.dataframe.sort_values`",
    "sort": "`multisplit.dask.sort`",
    "sort_pairs": "`multisplit.dask.sort_pairs`",
    "argsort": "`multisplit.dask.argsort`",
    "sort_values": "`multisplit.dask.sort_values`",
}


def size(text):
    base, _, power = text.partition("^")
    return int(base) ** int(power or 1)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="2^20,2^22", help="comma-separated counts of keys (default: 2^20,2^22)")
    parser.add_argument("--keys", default="uniform", help=f"comma-separated key distributions: {', '.join(KEYS)} (default: uniform)")
    parser.add_argument("--methods", default=",".join(METHODS), help=f"comma-separated methods to time: {', '.join(METHODS)} (default: all)")
    parser.add_argument("--workers", type=int, default=2, help="number of worker processes, with one thread each (default: 2)")
    parser.add_argument("--chunks", type=int, help="number of chunks of the array (default: twice the number of workers)")
    parser.add_argument("--repeats", type=int, default=3, help="number of timed runs after the first run (default: 3)")
    parser.add_argument("--memory", default="auto", help="memory limit per worker, in Dask's format (default: auto)")
    parser.add_argument("--json", help="JSON file to write all times to")
    options = parser.parse_args()
    options.sizes = [size(text) for text in options.sizes.split(",")]
    options.keys, options.methods = options.keys.split(","), options.methods.split(",")
    options.chunks = options.chunks or 2 * options.workers
    unknown = [*set(options.keys) - set(KEYS), *set(options.methods) - set(METHODS)]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; distributions are {', '.join(KEYS)}, and methods are {', '.join(METHODS)}")
    return options


def main():
    options = arguments()
    with LocalCluster(
        n_workers=options.workers, threads_per_worker=1, memory_limit=options.memory, dashboard_address=":0", silence_logs="ERROR"
    ) as cluster, Client(cluster) as client:
        about = describe(client, options)
        print(f"{about['workers']} workers of one thread, {about['chunks']} chunks, device: {about['device']}; ", end="")
        print(f"NumPy {about['numpy']}, Dask {about['dask']}\n")
        rows = []
        for n, kind in [(n, kind) for n in options.sizes for kind in options.keys]:
            for row in measure(client, options, n, kind):
                rows.append(row)
                print(f"{n:,} {kind} {row['method']}: {row['times']}", file=sys.stderr, flush=True)
    print("Wall time:\n")
    print(table(rows, options, "times"))
    print("\nProcessor time of all processes (less affected by other work on the machine):\n")
    print(table(rows, options, "work"))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"about": about, "rows": rows}, file, indent=1)
    wrong = [row for row in rows if not row["right"]]
    if wrong:
        sys.exit(f"wrong results: {', '.join(row['method'] for row in wrong)}")


def device_name():
    """Name of the device of the calling process, a worker."""
    context = multisplit.Context()
    return context.name + (", a software driver: this is the CPU" if context.kind == "software" else "")


def describe(client, options):
    names = sorted(set(client.run(device_name).values()))
    return {
        "device": ", ".join(names),
        "workers": options.workers,
        "chunks": options.chunks,
        "numpy": np.__version__,
        "dask": dask.__version__,
    }


def measure(client, options, n, kind):
    """Measure all methods: one row per method."""
    chunk = -(-n // options.chunks)
    keys = KEYS[kind](da.random.default_rng(1), n, chunk).persist()
    wait(keys)
    local = keys.compute()
    expected = np.sort(local)
    order = np.argsort(local, kind="stable") if {"argsort", "sort_pairs", "sort_values"} & set(options.methods) else None
    positions = da.arange(n, chunks=keys.chunks, dtype=np.int64).persist()
    frame = dd.from_dask_array(keys, columns="key").to_frame().persist()
    wait([positions, frame])
    runs = {
        "numpy.sort": (lambda: np.sort(local), lambda found: np.array_equal(found, expected)),
        "dask.dataframe": (lambda: frame.sort_values("key"), lambda found: same_rows(found, expected, None)),
        "sort": (lambda: msd.sort(keys), lambda found: same_chunks(found, expected)),
        "sort_pairs": (
            lambda: msd.sort_pairs(keys, positions),
            lambda found: same_chunks(found[0], expected) and same_chunks(found[1], order),
        ),
        "argsort": (lambda: msd.argsort(keys), lambda found: same_chunks(found, order)),
        "sort_values": (lambda: msd.sort_values(frame, "key"), lambda found: same_rows(found, expected, order)),
    }
    inputs = client.run_on_scheduler(count_tasks)
    processes = [psutil.Process(), *map(psutil.Process, client.run(os.getpid).values())]
    for method in options.methods:
        run, check = runs[method]
        times, work, right = [], [], None
        for _ in range(options.repeats + 1):
            forget_results(client, inputs)
            started, used = time.perf_counter(), processor_time(processes)
            found = run()
            if method != "numpy.sort":
                found = client.persist(found)
                wait(found)
            times.append(time.perf_counter() - started)
            work.append(processor_time(processes) - used)
            right = check(found) if right is None else right
            del found
        yield {"n": n, "keys": kind, "method": method, "right": bool(right), "first": times[0], "times": times[1:], "work": work[1:]}


def processor_time(processes):
    """CPU time in seconds of all threads of the workers and of this process, which runs the scheduler."""
    return sum(sum(process.cpu_times()[:2]) for process in processes)


def count_tasks(dask_scheduler):
    return len(dask_scheduler.tasks)


def forget_results(client, inputs):
    """Wait until the scheduler holds only the inputs. Otherwise Dask would reuse results of an earlier run."""
    limit = time.monotonic() + 120
    while client.run_on_scheduler(count_tasks) > inputs:
        gc.collect()
        if time.monotonic() > limit:
            sys.exit("results of an earlier run are still in memory after 120 s, so the next times would be wrong")
        time.sleep(0.05)


def same_chunks(found, expected):
    """Compare chunk by chunk, so that this process does not hold a copy of the whole result."""
    end, right = 0, True
    for part in found.to_delayed():
        part = part.compute()
        start, end = end, end + len(part)
        right = right and np.array_equal(part, expected[start:end])
    return right and end == len(expected)


def same_rows(found, expected, order):
    """Compare the keys and, for stable sorts, the original row index."""
    end, right = 0, True
    for part in found.to_delayed():
        part = part.compute()
        start, end = end, end + len(part)
        right = right and np.array_equal(part["key"].to_numpy(), expected[start:end])
        right = right and (order is None or np.array_equal(part.index.to_numpy(), order[start:end]))
    return right and end == len(expected)


def table(rows, options, figure):
    """Markdown table with one line per size and distribution and one column per method. A cell contains the median in
    seconds and, for methods of multisplit, the speedup over dask.dataframe."""
    lines = ["| keys | n | " + " | ".join(METHODS[m] for m in options.methods) + " |", "|---|---|" + "---|" * len(options.methods)]
    for kind in options.keys:
        for n in options.sizes:
            cells = {row["method"]: row for row in rows if row["n"] == n and row["keys"] == kind}
            base = statistics.median(cells["dask.dataframe"][figure]) if "dask.dataframe" in cells else None
            lines.append(f"| {kind} | {n:,} | " + " | ".join(cell(cells[m], figure, base) for m in options.methods) + " |")
    return "\n".join(lines)


def cell(row, figure, base):
    if not row["right"]:
        return "wrong"
    median = statistics.median(row[figure])
    ours = row["method"] not in ("numpy.sort", "dask.dataframe")
    return f"{median:.2f} s" + (f" ({base / median:.1f}x)" if base and ours else "")


if __name__ == "__main__":
    main()
