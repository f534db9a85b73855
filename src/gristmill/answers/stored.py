"""What an index knows of its sentences: lemmas, tags, features and relations, as its corpus has them.

Passages of a corpus are compared by these, so that nothing is tagged twice, and queries find what answers are made of.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill.annotation import Annotation
from gristmill.answers.passages import Passage
from gristmill.arrays.dtypes import Ids
from gristmill.search.index.index import Index


def stored_annotations(
    index: Index, passages: Sequence[Passage], *, with_relations: bool = False
) -> list[Annotation | None]:
    """Read the annotations of sentences of an index; None for one that has no tags there.

    `with_relations` gives none without relations either: a question that was parsed is compared with parsed passages.
    """
    sentences = index.structure("s")
    starts = np.array([passage.position for passage in passages], np.int64)
    ends = sentences.ends[sentences.number_at(starts)].astype(np.int64) if len(starts) else starts
    pairs = zip(passages, starts.tolist(), ends.tolist(), strict=True)
    found = (_read(index, passage.text, np.arange(start, end)) for passage, start, end in pairs)
    return [one if any(one.deprels if with_relations else one.tags) else None for one in found]


def _read(index: Index, text: str, places: Ids) -> Annotation:
    words = _column(index, "word", places)
    return Annotation(
        words,
        _found_in(text, words),
        [len(words)],
        _column(index, "lemma", places),
        _column(index, "tag", places),
        feats=_column(index, "feats", places),
        heads=[] if index.heads is None else index.heads.offsets(places).tolist(),
        deprels=_column(index, "deprel", places),
    )


def _column(index: Index, name: str, places: Ids) -> list[str]:
    """Look up the values of some tokens; empty ones if the index does not have them."""
    if name not in index.attributes:
        return [""] * len(places)
    attribute = index.attributes[name]
    return list(attribute.lexicon.strings(attribute.ids[places]))


def _found_in(text: str, words: Sequence[str]) -> list[int]:
    """Find where each word begins in a text that is made of these words, with or without spaces."""
    starts, end = [], 0
    for word in words:
        start = text.index(word, end)
        starts.append(start)
        end = start + len(word)
    return starts
