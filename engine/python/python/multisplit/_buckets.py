"""Bucket functions that are more than an array of splitters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from ._errors import MissingFeatureError


@dataclass(frozen=True)
class Even:
    """``buckets`` equal parts of the range from ``low`` to ``high``. Keys below belong to the first, keys above
    and NaN to the last.

    Part k of integers begins at ``low + k * (high - low) / buckets``, exactly. Part k of floats begins at
    ``k * ((high - low) / buckets) + low``, with every operation rounded to the type of the keys (to float32 for
    float16), as in :func:`numpy.linspace`. The ends may be numbers that the type of the keys does not have; nothing
    is rounded then.

    >>> import numpy as np, multisplit
    >>> multisplit.split(np.array([0.9, 0.1, 0.6, 0.2]), multisplit.Even(0.0, 1.0, 2)).keys
    array([0.1, 0.2, 0.9, 0.6])
    """

    low: Any
    high: Any
    buckets: int


@dataclass(frozen=True)
class Identity:
    """The key, which is not negative, is the number of its bucket.

    >>> import numpy as np, multisplit
    >>> multisplit.split(np.array([2, 0, 1, 2]), multisplit.Identity(3)).offsets
    array([0, 1, 2, 4])
    """

    buckets: int


@dataclass(frozen=True)
class Glsl:
    """A function in GLSL, ``uint bucket_of(K key)``, in a build with the feature ``glsl`` (``HAS_GLSL``).

    K is ``uint``, ``int``, ``float``, ``uint64_t``, ``int64_t`` or ``double`` after the type of the keys; narrow
    keys come as 32-bit ones. The function may read three words, ``push.parameter_0`` to ``_2``, and an array of
    words, ``table.at[]``.

    Parameters
    ----------
    buckets : int
        How many buckets, or bins of a histogram.
    source : str
        The function.
    parameters : sequence of up to three integers
        Words that it reads.
    table : array_like of integers, optional
        Words that it reads.
    """

    buckets: int
    source: str
    parameters: Sequence[int] = ()
    table: Any = None

    def _function(self) -> tuple[Any, ...]:
        if not _native.HAS_GLSL:
            raise MissingFeatureError(
                "this build of multisplit has no GLSL compiler: build it with `./x wheel --glsl`, "
                "or use an array of splitters, Even or Identity"
            )
        if len(self.parameters) > 3:
            raise ValueError(f"a function in GLSL has up to 3 parameters, not {len(self.parameters)}")
        words = [int(word) for word in self.parameters] + [0] * (3 - len(self.parameters))
        table = None if self.table is None else np.require(self.table, "u4", ["C", "A"]).reshape(-1)
        return ("glsl", self.buckets, self.source, words, table)
