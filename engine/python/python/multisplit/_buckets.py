"""Bucket functions other than arrays of splitters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from ._errors import MissingFeatureError


@dataclass(frozen=True)
class Even:
    """``buckets`` equal parts of the range from ``low`` to ``high``. Keys below the range belong to the first bucket;
    keys at or above ``high``, and NaN, belong to the last.

    Part k of integers begins at ``low + k * (high - low) / buckets``, exactly. Part k of floats begins at
    ``k * ((high - low) / buckets) + low``, with every operation rounded to the type of the keys (to float32 for
    float16), as in :func:`numpy.linspace`. If an end cannot be represented in the type of the keys, all parts begin
    exactly at ``low + k * (high - low) / buckets``, without rounding.

    >>> import numpy as np, multisplit
    >>> multisplit.split(np.array([0.9, 0.1, 0.6, 0.2]), multisplit.Even(0.0, 1.0, 2)).keys
    array([0.1, 0.2, 0.9, 0.6])
    """

    low: Any
    high: Any
    buckets: int


@dataclass(frozen=True)
class Identity:
    """Each key is its own bucket number, which must be from 0 to ``buckets - 1``.

    >>> import numpy as np, multisplit
    >>> multisplit.split(np.array([2, 0, 1, 2]), multisplit.Identity(3)).offsets
    array([0, 1, 2, 4])
    """

    buckets: int


@dataclass(frozen=True)
class Glsl:
    """A GLSL function, ``uint bucket_of(K key)``; requires a build with the feature ``glsl`` (``HAS_GLSL``).

    K is ``uint``, ``int``, ``float``, ``uint64_t``, ``int64_t`` or ``double``, depending on the type of the keys;
    keys of 8 and 16 bits are widened to 32. The function may read three words, ``push.parameter_0`` to ``_2``, and
    an array of words, ``table.at[]``.

    Parameters
    ----------
    buckets : int
        Number of buckets, or of bins of a histogram.
    source : str
        GLSL source of the function.
    parameters : sequence of up to three integers
        Values of ``push.parameter_0`` to ``_2``.
    table : array_like of integers, optional
        Contents of ``table.at[]``.
    """

    buckets: int
    source: str
    parameters: Sequence[int] = ()
    table: Any = None

    def _function(self) -> tuple[Any, ...]:
        if not _native.HAS_GLSL:
            raise MissingFeatureError(
                "this build of multisplit has no GLSL compiler: build it with `./x wheel --glsl`, "
                "or use buckets or bins without GLSL"
            )
        if len(self.parameters) > 3:
            raise ValueError(f"parameters has {len(self.parameters)} numbers, but a GLSL function has at most 3")
        words = [int(word) for word in self.parameters] + [0] * (3 - len(self.parameters))
        table = None if self.table is None else np.require(self.table, "u4", ["C", "A"]).reshape(-1)
        return ("glsl", self.buckets, self.source, words, table)
