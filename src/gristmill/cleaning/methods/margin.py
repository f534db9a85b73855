"""Margins: how clearly a value passes a threshold, so that methods made of thresholds can give graded scores."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints


def margin(values: Floats | Ints, threshold: float) -> Floats:
    """Map values to margins from -1 (a value of 0) through 0 (the threshold) towards 1 (far above it).

    Values and thresholds are never negative. `np.minimum` of margins is a graded "and", `np.maximum` a graded "or".
    """
    return np.asarray((values - threshold) / (values + threshold))
