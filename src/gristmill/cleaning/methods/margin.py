"""How clearly a value passes a threshold, so that methods made of thresholds can give graded scores."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints


def margin(values: Floats | Ints, threshold: float) -> Floats:
    """From -1 (nothing at all) by 0 (the threshold) towards 1 (far above it), for values and thresholds that are never negative.

    `np.minimum` of such margins is a graded "and", `np.maximum` a graded "or".
    """
    return np.asarray((values - threshold) / (values + threshold))
