"""The best of many scores, in a stable order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids

_SAMPLED = 16
"""One score in so many is looked at for a guess."""


def best(scores: npt.NDArray[Any], limit: int | None = None) -> Ids:
    """Places of the highest scores, the highest first; of equal ones, that which stands first.

    Only the best `limit` are sorted.
    """
    if limit is None or limit >= len(scores):
        everything: Ids = np.argsort(-scores, kind="stable")[:limit]
        return everything
    if not limit:
        return np.empty(0, np.int64)
    places = _candidates(scores, limit)
    some = scores[places]
    places = places[some >= np.partition(some, len(some) - limit)[len(some) - limit]]
    found: Ids = places[np.argsort(-scores[places], kind="stable")][:limit]
    return found


def _candidates(scores: npt.NDArray[Any], limit: int) -> Ids:
    """Places of some scores, ascending, among which are the highest; they are mostly few.

    Of every sixteenth score, that which comes after twice as many as should come before it is a guess at how high a
    score must be. If there are enough above the guess, no others are needed.
    """
    sample = scores[::_SAMPLED]
    place = len(sample) - (2 * limit // _SAMPLED + _SAMPLED)
    if place > 0:
        found = np.flatnonzero(scores >= np.partition(sample, place)[place])
        if len(found) >= limit:
            return found
    return np.arange(len(scores))
