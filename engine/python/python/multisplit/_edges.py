"""Where edges of one type cut the values of another: the comparisons that NumPy makes, or exact ones, put into the
type of the keys, in which the device makes them."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ._errors import ArgumentError

Array = np.ndarray[Any, Any]

#: Up to here, every integer is a double.
_EXACT = 2**53


class Thresholds(NamedTuple):
    """A key is at or above an edge if it is at or above the edge's threshold."""

    #: In the type of the keys; those that some key can reach, which are the first ones.
    values: Array
    #: How many edges no key can reach.
    unreachable: int


def check_edges(edges: Array, name: str) -> None:
    """Refuses edges that are not one ascending row of numbers."""
    if edges.ndim != 1:
        raise ValueError(f"{name} has {edges.ndim} axes, edges have one")
    if edges.dtype.kind not in "buif":
        raise TypeError(f"{name} has the type {edges.dtype}, edges are numbers")
    if edges.dtype.kind == "f" and np.isnan(edges).any():
        raise ValueError(f"{name} has NaN, which is no edge")
    if edges.size > 1 and bool((edges[1:] < edges[:-1]).any()):
        raise ValueError(f"{name} does not ascend: sort it first")


def thresholds(edges: Array, dtype: np.dtype[Any], *, exact: bool = False) -> Thresholds:
    """For each of some ascending edges, the least value of ``dtype`` at or above it. Integers with a sign and
    without one are compared as doubles, as NumPy does, unless they shall be compared exactly."""
    if not exact or "f" in (edges.dtype.kind, dtype.kind):
        edges = edges.astype(np.result_type(edges.dtype, dtype))
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            rounded = edges.astype(dtype)
            values = np.where(rounded < edges, np.nextafter(rounded, dtype.type(np.inf)), rounded)
        # Both zeros are equal, and -0 is the lower one to the device.
        return Thresholds(values.astype(dtype) + dtype.type(0), 0)
    limits = np.iinfo(dtype)
    if edges.dtype.kind == "f" and edges.size and bool((np.abs(edges) >= _EXACT).any()):
        return _of_integers([_least_integer(float(edge)) for edge in edges], limits, dtype)
    if edges.dtype.kind == "f":
        edges = np.ceil(edges).astype(np.int64)
    if edges.dtype.kind in "bu":
        reached = edges <= np.uint64(limits.max)
        return Thresholds(edges[reached].astype(dtype), int(edges.size - reached.sum()))
    reached = edges <= np.int64(min(limits.max, np.iinfo(np.int64).max))
    return Thresholds(
        np.maximum(edges[reached], np.int64(limits.min)).astype(dtype), int(edges.size - reached.sum())
    )


def even_thresholds(low: Fraction, high: Fraction, buckets: int, dtype: np.dtype[Any]) -> Thresholds:
    """The same for the edges between equal parts of a range, none of which is rounded before it is compared."""
    # All edges have this denominator: what is left are integers.
    denominator = math.lcm(low.denominator, high.denominator) * buckets
    begin, step = int(low * denominator), int((high - low) * denominator) // buckets
    numerators = [begin + part * step for part in range(1, buckets)]
    if dtype.kind == "f":
        edges = [_least_double(numerator, denominator) for numerator in numerators]
        return thresholds(np.array(edges, np.float64), dtype)
    return _of_integers([-(-numerator // denominator) for numerator in numerators], np.iinfo(dtype), dtype)


def exact_number(number: Any, name: str) -> Fraction:
    """A finite number as it was given, whatever type could hold it."""
    number = number.item() if isinstance(number, (np.generic, np.ndarray)) else number
    if not hasattr(number, "as_integer_ratio"):
        raise TypeError(f"{name} is a number, not {type(number).__name__}")
    if not -sys.float_info.max <= number <= sys.float_info.max:
        raise ArgumentError(f"{name} is {number}: give a number that is finite as a double")
    return Fraction(*number.as_integer_ratio())


def holds(dtype: np.dtype[Any], number: Fraction) -> bool:
    """Whether a type has this number."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            rounded = float(dtype.type(float(number)))
        return math.isfinite(rounded) and Fraction(rounded) == number
    limits = np.iinfo(np.uint8 if dtype.kind == "b" else dtype)
    return number.denominator == 1 and int(limits.min) <= number <= (1 if dtype.kind == "b" else int(limits.max))


def greatest_at_or_below(edge: Any, edges_dtype: np.dtype[Any], dtype: np.dtype[Any]) -> Array:
    """The greatest value of ``dtype`` at or below an edge, as an array of one, or of none."""
    edge = np.asarray([edge], edges_dtype).astype(np.result_type(edges_dtype, dtype))
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            rounded = edge.astype(dtype)
            below = np.where(rounded > edge, np.nextafter(rounded, dtype.type(-np.inf)), rounded)
        return np.asarray(below, dtype)
    limits = np.iinfo(dtype)
    if edge.dtype.kind == "f":
        number = float(edge[0])
        # One less than the least integer that is above.
        greatest = limits.max if number == np.inf else _least_integer(float(np.nextafter(number, np.inf))) - 1
    else:
        greatest = int(edge[0])
    greatest = min(greatest, limits.max)
    return np.array([greatest] if greatest >= limits.min else [], dtype)


def _least_integer(edge: float) -> int:
    """The least integer that is at or above an edge once it is rounded to a double, as NumPy compares them."""
    if edge in (np.inf, -np.inf):
        return 2**64 if edge > 0 else -(2**64)
    if abs(edge) < _EXACT:
        return int(np.ceil(edge))
    middle = (int(np.nextafter(edge, -np.inf)) + int(edge)) // 2
    return middle if float(middle) >= edge else middle + 1


def _least_double(numerator: int, denominator: int) -> float:
    """The least double at or above a fraction."""
    nearest = numerator / denominator
    above, below = nearest.as_integer_ratio()
    return nearest if above * denominator >= numerator * below else float(np.nextafter(nearest, np.inf))


def _of_integers(numbers: list[int], limits: Any, dtype: np.dtype[Any]) -> Thresholds:
    reached = [max(number, int(limits.min)) for number in numbers if number <= limits.max]
    return Thresholds(np.array(reached, dtype), len(numbers) - len(reached))
