"""The least number of features that makes up a least share."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Ints

_SLACK = 1e-9  # 0.7 of 10 is 7, though 0.7 * 10 may be a little more


def needed(counts: Ints, share: float) -> Ints:
    """How many of so many are at least that share of them."""
    number: Ints = np.ceil(counts * share - _SLACK).astype(np.int64)
    return number
