"""Tree reduction of the results of many chunks, so that one worker does not receive all of them at once."""

from __future__ import annotations

FAN_IN = 16
"""Number of results combined by one task: few enough to fit in memory besides a chunk; 1,000 chunks need three
levels."""


def combine(graph: dict, name: str, keys: list, function, *arguments):
    """Add tasks `function(list, *arguments)` to the graph, level by level, and return the key of the last.
    Every list keeps the order of `keys`."""
    level = 0
    while len(keys) > 1 or level == 0:
        groups = [keys[i : i + FAN_IN] for i in range(0, len(keys), FAN_IN)]
        for place, group in enumerate(groups):
            graph[name, level, place] = (function, group, *arguments)
        keys = [(name, level, place) for place in range(len(groups))]
        level += 1
    return keys[0]
