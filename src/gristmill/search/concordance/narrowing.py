"""Hits that have one value of a key: what stands behind a row of a table of frequencies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Mask
from gristmill.errors import UsageError
from gristmill.search.concordance.frequency import codes_of, groups_of, labels_of
from gristmill.search.concordance.keys import Key
from gristmill.search.concordance.occurrences import Occurrences


def have_value(spans: Occurrences, keys: Sequence[Key], value: str) -> Mask:
    """Tell which spans have this value of a key, as a table of frequencies writes it; no value is an empty text."""
    if len(keys) != 1:
        raise UsageError("left and right stand for several keys: give one key, such as 1:word, and its value")
    key = keys[0]
    if not (key.whole or "nocase" in key.flags):
        ids, wanted = key.ids(spans), key.lexicon(spans.index).find(value)
        having: Mask = (ids == wanted) & (wanted >= 0)
        return having if value else having | (ids < 0)
    codes, top = codes_of(spans, keys)
    groups, first, _ = groups_of(codes, top)
    matching = np.array([label == value for label in labels_of(spans.take(first), key)], np.bool_)
    return np.isin(codes, groups[matching])
