"""Conversion of bucket edges to the type of the keys. Comparisons on the device then have the same results as NumPy's
comparisons or, if requested, as exact comparisons."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ._errors import ArgumentError

Array = np.ndarray[Any, Any]

#: Up to this bound, every integer is exactly representable as a double.
_EXACT = 2**53


class Thresholds(NamedTuple):
    """Thresholds in the type of the keys: a key is at or above an edge if it is at or above its threshold."""

    #: Thresholds of the reachable edges, which come first.
    values: Array
    #: Number of edges above all values of the type.
    unreachable: int


def check_edges(edges: Array, name: str) -> None:
    """Check that edges are a one-dimensional ascending array of numbers."""
    if edges.ndim != 1:
        raise ValueError(f"{name} has {edges.ndim} axes, but edges must have one")
    if edges.dtype.kind not in "buif":
        raise TypeError(f"{name} has the type {edges.dtype}, but edges must be numbers")
    if edges.dtype.kind == "f" and np.isnan(edges).any():
        raise ValueError(f"{name} contains NaN, which cannot be an edge: remove it")
    if edges.size > 1 and bool((edges[1:] < edges[:-1]).any()):
        raise ValueError(f"{name} is not in ascending order: sort it first")


def thresholds(edges: Array, dtype: np.dtype[Any], *, exact: bool = False) -> Thresholds:
    """For each ascending edge, the smallest value of ``dtype`` at or above it. Signed and unsigned 64-bit integers
    are compared as doubles, like in NumPy, unless ``exact`` is set."""
    if not exact or "f" in (edges.dtype.kind, dtype.kind):
        edges = edges.astype(np.result_type(edges.dtype, dtype))
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            rounded = edges.astype(dtype)
            values = np.where(rounded < edges, np.nextafter(rounded, dtype.type(np.inf)), rounded)
        # Both zeros are equal in NumPy, but the device orders -0 before 0.
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
    """The thresholds between equal parts of a range; the edges are not rounded before they are compared."""
    # All edges have this common denominator, so the rest is integer arithmetic.
    denominator = math.lcm(low.denominator, high.denominator) * buckets
    begin, step = int(low * denominator), int((high - low) * denominator) // buckets
    numerators = [begin + part * step for part in range(1, buckets)]
    if dtype.kind == "f":
        edges = [_least_double(numerator, denominator) for numerator in numerators]
        return thresholds(np.array(edges, np.float64), dtype)
    return _of_integers([-(-numerator // denominator) for numerator in numerators], np.iinfo(dtype), dtype)


def exact_number(number: Any, name: str) -> Fraction:
    """Convert a finite number of any type without rounding."""
    number = number.item() if isinstance(number, (np.generic, np.ndarray)) else number
    if not hasattr(number, "as_integer_ratio"):
        raise TypeError(f"{name} must be a number, not {type(number).__name__}")
    if not -sys.float_info.max <= number <= sys.float_info.max:
        raise ArgumentError(f"{name} is {number}: give a number that is finite as a double")
    return Fraction(*number.as_integer_ratio())


def holds(dtype: np.dtype[Any], number: Fraction) -> bool:
    """Whether a type can represent this number exactly."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            rounded = float(dtype.type(float(number)))
        return math.isfinite(rounded) and Fraction(rounded) == number
    limits = np.iinfo(np.uint8 if dtype.kind == "b" else dtype)
    return number.denominator == 1 and int(limits.min) <= number <= (1 if dtype.kind == "b" else int(limits.max))


def greatest_at_or_below(edge: Any, edges_dtype: np.dtype[Any], dtype: np.dtype[Any]) -> Array:
    """The greatest value of ``dtype`` at or below an edge: an array of one element, or empty if there is none."""
    edge = np.asarray([edge], edges_dtype).astype(np.result_type(edges_dtype, dtype))
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            rounded = edge.astype(dtype)
            below = np.where(rounded > edge, np.nextafter(rounded, dtype.type(-np.inf)), rounded)
        return np.asarray(below, dtype)
    limits = np.iinfo(dtype)
    if edge.dtype.kind == "f":
        number = float(edge[0])
        # One less than the smallest integer above the edge.
        greatest = limits.max if number == np.inf else _least_integer(float(np.nextafter(number, np.inf))) - 1
    else:
        greatest = int(edge[0])
    greatest = min(greatest, limits.max)
    return np.array([greatest] if greatest >= limits.min else [], dtype)


def _least_integer(edge: float) -> int:
    """The smallest integer that, rounded to a double as in NumPy's comparisons, is at or above an edge."""
    if edge in (np.inf, -np.inf):
        return 2**64 if edge > 0 else -(2**64)
    if abs(edge) < _EXACT:
        return int(np.ceil(edge))
    middle = (int(np.nextafter(edge, -np.inf)) + int(edge)) // 2
    return middle if float(middle) >= edge else middle + 1


def _least_double(numerator: int, denominator: int) -> float:
    """The smallest double at or above a fraction."""
    nearest = numerator / denominator
    above, below = nearest.as_integer_ratio()
    return nearest if above * denominator >= numerator * below else float(np.nextafter(nearest, np.inf))


def _of_integers(numbers: list[int], limits: Any, dtype: np.dtype[Any]) -> Thresholds:
    reached = [max(number, int(limits.min)) for number in numbers if number <= limits.max]
    return Thresholds(np.array(reached, dtype), len(numbers) - len(reached))
