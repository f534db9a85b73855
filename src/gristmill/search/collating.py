"""By which language what is found is sorted: one that is asked for, or that of most of the text that was searched."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from gristmill.search.index.index import Index
from gristmill.search.subcorpus import Subcorpus
from gristmill.text.alphabets import EVERY_LANGUAGE
from gristmill.text.collation import CODE_POINTS, Collator, collation_name, collator_of


def language_searched(index: Index, part: Subcorpus | None = None) -> str:
    """Give the language of more than half of the tokens of a corpus or subcorpus; `und` if there is none."""
    docs = index.structure("doc")
    lang = docs.attributes.get("lang")
    if lang is None or not len(docs):
        return EVERY_LANGUAGE
    lengths = np.diff(docs.bounds.astype(np.int64)) * (1 if part is None else part.chosen)
    tokens = np.bincount(lang.ids.astype(np.int64), weights=lengths)
    most = int(tokens.argmax())
    return lang.lexicon[most] if tokens[most] * 2 > tokens.sum() else EVERY_LANGUAGE


def collator_for(index: Index, part: Subcorpus | None = None, collation: str | None = None) -> Collator | None:
    """Give the collator of a language that is asked for, or of the text that is searched; None for code points."""
    if collation:
        return None if collation_name(collation) == CODE_POINTS else collator_of(collation)
    language = language_searched(index, part)
    return collator_of(language if language.isascii() and language.replace("-", "").isalnum() else EVERY_LANGUAGE)


def sorted_places(values: Sequence[str], collator: Collator) -> list[int]:
    """Places of different values in the order of a language; those that differ in case only by that.

    Keys with case take longer to make, so they are made for values only that are alike without it.
    """
    keys = list(map(collator.key, values))
    order = sorted(range(len(values)), key=keys.__getitem__)
    found: list[int] = []
    for _, alike in groupby(order, keys.__getitem__):
        places = list(alike)
        if len(places) > 1:
            places.sort(key=lambda place: collator.key_with_case(values[place]))
        found += places
    return found
