"""Ask a corpus: what the `Corpus` of users does with a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from gristmill.search.cql.matching import find
from gristmill.search.cql.parsing import parse
from gristmill.search.index.index import Index
from gristmill.search.statistics.queries import quoted

_MAX_FORMS = 2_000
"""Occurrences of a verb whose forms are counted: enough to know the commonest."""


def languages_of(index: Index) -> dict[str, int]:
    """Count the documents of each language in an index."""
    attribute = index.structure("doc").attributes.get("lang")
    if attribute is None:
        return {}
    counts = attribute.counts.tolist()
    return {lang: count for lang, count in zip(attribute.lexicon.strings(np.arange(len(counts))), counts, strict=True) if lang}


class Forms:
    """The forms of verbs that a corpus has, with their features."""

    def __init__(self, index: Index, lang: str) -> None:
        self._index = index
        self._lang = lang

    def __call__(self, lemma: str) -> Mapping[tuple[str, str], int]:
        """Count the forms of a verb by their features; none if the index has no features."""
        attributes = self._index.attributes
        if not {"lemma", "tag", "feats"} <= set(attributes):
            return {}
        query = f'[lemma=={quoted(lemma)} & tag="VERB|AUX"] within <doc lang=={quoted(self._lang)}/>'
        places = find(self._index, parse(query)).starts[:_MAX_FORMS]
        columns = [attributes[name].lexicon.strings(attributes[name].ids[places]) for name in ("word", "feats")]
        return Counter(zip(*columns, strict=True))
