"""Onion by the thesis (Pomikálek 2011, 3.5): Algorithm 3.1, and its smoothing, where duplicates are bad blocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from dedup_corpora import document, found, write

from gristmill import dedup
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


@pytest.mark.parametrize(
    ("pages", "dropped"),
    [
        # A and B have one half in common, and so have B and C, but not A and C (3.5). Of the 19 pairs of words 9 are
        # repeated in A and in C, and 18 in B, so B comes last: all of its 20 words are covered, and A and C stay.
        ([range(20), range(10, 30), range(20, 40)], [False, True, False]),
        # An index page with the beginnings of two articles comes first on the web, and is processed last.
        ([[*range(10), *range(20, 30)], range(20), range(20, 40)], [True, False, False]),
        # Just the half of the second page is covered: Algorithm 3.1 keeps what is below the threshold.
        ([range(20), range(10, 30)], [False, True]),
        ([range(20), range(11, 31)], [False, False]),
    ],
)
def test_algorithm_3_1_by_hand(pages: list[list[int] | range], dropped: list[bool], tmp_path: Path) -> None:
    shards = write(tmp_path, [[document([([f"w{word}" for word in page], True)]) for page in pages]])
    dedup.run("onion:n=2,exclude=none,level=document,rules=thesis", shards, tmp_path / "work")
    assert [row["text_blocks"] == 0 for row in found(shards)] == dropped
