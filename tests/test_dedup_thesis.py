"""Onion's smoothing by the thesis (Pomikálek 2011, 3.5.2): what cleaning dropped is bad, and so are duplicates."""

from __future__ import annotations

import numpy as np
import pytest

from gristmill.cleaning.methods.justext import GOOD, NEAR_GOOD, SHORT
from gristmill.dedup.onion.thesis import stubs_by_context

_CLASSES = {"G": GOOD, "N": NEAR_GOOD, "s": SHORT, "D": GOOD}


@pytest.mark.parametrize(
    ("page", "stubs"),
    [
        ("GsD", "1"),  # a short block between a good one and a duplicate, which is bad, with no near-good one between
        ("GsG D", ""),  # between two good ones
        ("Gs.sG D", "13"),  # a block that cleaning dropped is between them: it is bad
        ("GN.NG D", ""),  # near-good ones next to a good one stay
        ("D.N.G", "2"),  # and go between bad ones, one of which cleaning dropped
        ("G N G", ""),  # no duplicate: nothing is looked at again
        ("DsG", "1"),
        ("DNsG", ""),  # towards the bad side a near-good one comes first
        ("D.sG", "2"),
        ("Ds", "1"),  # the end of the page is bad
    ],
)
def test_blocks_that_cleaning_dropped_are_bad(page: str, stubs: str) -> None:
    """Blocks by class: D is a duplicate, a point or space one that cleaning dropped. Stubs by their places."""
    kept = [at for at, sign in enumerate(page) if sign in _CLASSES]
    duplicate = np.array([page[at] == "D" for at in kept])
    classes = np.array([_CLASSES[page[at]] for at in kept], np.int8)
    found = stubs_by_context(duplicate, classes, np.array(kept), np.array([0, len(kept)]))
    assert "".join(str(kept[at]) for at in found.tolist()) == stubs
