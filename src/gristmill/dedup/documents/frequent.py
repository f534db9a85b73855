"""CEDAR's shingle frequency filter (Gibson, Wellner and Lubar 2008, section 6.2), which leaves out frequent shingles.

What stands in most documents is boilerplate more often than copied text.
"""

from __future__ import annotations

import numpy as np

from gristmill.dedup.documents.sketches import Sketches


def drop_frequent(sketches: Sketches, share: float) -> Sketches:
    """Leave out a share of the distinct features: those that are in most documents.

    Features that are as frequent as the last of them go or stay together.
    """
    if not share:
        return sketches
    distinct, inverse, frequencies = np.unique(sketches.features, return_inverse=True, return_counts=True)
    dropped = int(share * len(distinct))
    if not dropped:
        return sketches
    limit = (
        np.partition(frequencies, len(distinct) - dropped - 1)[len(distinct) - dropped - 1]
        if dropped < len(distinct)
        else 0
    )
    return sketches.only((frequencies <= limit)[inverse])
