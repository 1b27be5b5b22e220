"""Task routes from chunks to result chunks.

With direct routes, each chunk has one part, and one task, per result chunk. A scheduler needs about a millisecond
per task, so with many chunks the parts move in two rounds, via groups of about sqrt(results) result chunks and
ranges of about sqrt(chunks) chunks:

    chunk i -> (i, group g) -> joined for (range r, group g) -> (r, g, j) -> result j

which moves every element twice and, with as many results as chunks, needs about 2 x chunks x sqrt(results) tasks.
"""

from __future__ import annotations

import math

from . import exchange

MAX_DIRECT_PARTS = 2048
"""Maximum number of parts for which one round is about as fast as two. Measured with 2 workers on 2 busy cores and
2^23 int64 keys: 32 x 32 parts take 1.1 s of the scheduler's time in one round and 0.9 s in two, 64 x 64 take
3.4 s and 1.6 s."""


def tasks(graph, token, split, cuts, chunks, results, missing_first):
    """Add the tasks that lead from (split, i) and (cuts, i) to the sorted result chunks. Return the keys of the result
    chunks."""
    name, sort = f"multisplit-part-{token}", f"multisplit-sort-{token}"
    if chunks * results <= MAX_DIRECT_PARTS:
        for j in range(results):
            for i in range(chunks):
                graph[name, i, j] = (exchange.take, (split, i), (cuts, i), j)
            graph[sort, j] = (exchange.merge, [(name, i, j) for i in range(chunks)], missing_first)
        return [(sort, j) for j in range(results)]

    group, joined = f"multisplit-group-{token}", f"multisplit-regroup-{token}"
    ranges = _even_ranges(chunks)
    for g, (first, last) in enumerate(_even_ranges(results)):
        for i in range(chunks):
            graph[group, i, g] = (exchange.take_group, (split, i), (cuts, i), first, last)
        for r, (start, stop) in enumerate(ranges):
            graph[joined, r, g] = (exchange.regroup, [(group, i, g) for i in range(start, stop)])
            for j in range(first, last):
                graph[name, r, j] = (part_of, (joined, r, g), j - first)
        for j in range(first, last):
            graph[sort, j] = (exchange.merge, [(name, r, j) for r in range(len(ranges))], missing_first)
    return [(sort, j) for j in range(results)]


def _even_ranges(count: int) -> list[tuple[int, int]]:
    """About sqrt(count) ranges of about sqrt(count) elements each."""
    pieces = math.isqrt(count - 1) + 1
    borders = [place * count // pieces for place in range(pieces + 1)]
    return list(zip(borders, borders[1:]))


def part_of(parts, place):
    return parts[place]
