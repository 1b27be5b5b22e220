"""How are the results of many chunks combined without sending all of them to one worker at once?"""

from __future__ import annotations

FAN_IN = 16
"""Results that one task combines: few enough to fit beside a chunk, and 1,000 chunks take three levels."""


def combine(graph: dict, name: str, keys: list, function, *arguments):
    """Adds tasks `function(list, *arguments)` to the graph, level after level, and returns the key of the last. The order of
    `keys` is kept in every list."""
    level = 0
    while len(keys) > 1 or level == 0:
        groups = [keys[i : i + FAN_IN] for i in range(0, len(keys), FAN_IN)]
        for place, group in enumerate(groups):
            graph[name, level, place] = (function, group, *arguments)
        keys = [(name, level, place) for place in range(len(groups))]
        level += 1
    return keys[0]
