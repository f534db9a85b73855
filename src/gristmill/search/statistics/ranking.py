"""The best of many scores, in a stable order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids


def best(scores: npt.NDArray[Any], limit: int | None = None) -> Ids:
    """Places of the highest scores, the highest first; of equal ones, that which stands first.

    Only the best `limit` are sorted.
    """
    places = np.arange(len(scores))
    if limit is not None and limit < len(scores):
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit] if limit else np.inf
        places = np.flatnonzero(scores >= least)
    return places[np.argsort(-scores[places], kind="stable")][:limit]
