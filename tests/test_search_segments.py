"""Segments are searched together as if they were one: every answer is that of a scan, and that of the merged index."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scanning import CORPORA, PATTERNS, Pattern, PlainCorpus, scan, to_doc, to_documents
from segmented import merged, open_segments, split, write_segments
from test_search_matching import answer

from gristmill.search.concordance.concordance import Concordance
from gristmill.search.cql import bounds, elements, selecting
from gristmill.search.cql.matching import find
from gristmill.search.index import attribute as attribute_module
from gristmill.search.index import joined
from gristmill.search.index.index import Index
from gristmill.search.statistics.collocations import collocations
from gristmill.search.statistics.compare import compare
from gristmill.search.statistics.keywords import keywords
from gristmill.search.statistics.ngrams import ngrams
from gristmill.search.statistics.wordlist import word_list
from gristmill.search.subcorpus import Subcorpus

CUTS = st.lists(st.integers(0, 4), min_size=1, max_size=4)
WIDE = st.sampled_from([1, 1 << 32])
"""From how many tokens on positions have 64 bits."""


@pytest.fixture(autouse=True, scope="module")
def _no_waiting() -> Iterator[None]:
    """Nobody pulls the plug of these tests, so they need not wait for the disk."""
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(os, "fsync", lambda _: None)
        yield


@settings(max_examples=60)
@given(
    CORPORA,
    CUTS,
    st.lists(PATTERNS, min_size=3, max_size=8),
    st.sampled_from([0.0, 10.0, 1e9]),
    st.sampled_from([2, 1 << 17]),
    st.sampled_from([0, 4]),
    st.sampled_from([0, 16]),
    WIDE,
)
def test_every_answer_is_that_of_a_scan(
    corpus: PlainCorpus,
    cuts: list[int],
    patterns: list[Pattern],
    listed: float,
    block: int,
    worth: int,
    looked_up: int,
    wide: int,
) -> None:
    docs = [to_doc(document) for document in corpus]
    with (
        tempfile.TemporaryDirectory() as name,
        patch.object(selecting, "LISTED", listed),
        patch.object(selecting, "SORTED", listed),
        patch.object(elements, "LISTED", listed),
        patch.object(selecting, "BLOCK", block),
        patch.object(bounds, "_WORTH", worth),
        patch.object(joined, "_LOOKED_UP_IDS", looked_up),
        patch.object(attribute_module, "WIDE_TOKENS", wide),
    ):
        folder = Path(name)
        index = open_segments(folder, write_segments(folder, split(to_documents(corpus), cuts)))
        assert len(index.segments) == len(cuts) + 1
        for pattern in patterns:
            found = answer(index, pattern.text)
            assert found in (scan(pattern, docs), None), pattern.text


QUERIES = [
    "a b",
    '[word="a.*"]',
    '[tag="a"] [tag="b"]',
    '[tag="a"] []{0,2} [lemma="b"] within <s/>',
    "<p/>",
    "1:[] []{0,2} 2:[] & 1.word = 2.lemma",
]
CONDITIONS = ['host="a"', "year>=7"]
KEYS = ["word", "left", "-1:lemma,host", "p.kind,node.2:tag", "year/descending"]


def everything(index: Index) -> Iterator[Any]:
    """All that can be asked of an index, in many forms."""
    for query in QUERIES:
        found = Concordance.of(index, query)
        yield query, found.total, found.documents, found.per_million
        yield [list(form.lines()) for form in (found, found.sample(3, seed=1), found.shuffle(2), found.first_in("s"))]
        yield [list(found.sort(key).lines()) for key in KEYS]
        yield [found.frequency(key).rows for key in KEYS[:1] + KEYS[2:]]
        yield [list(found.having('[tag="b"]', window).lines()) for window in (1, "s", "2,0")]
        yield list(Concordance.of(index, query, CONDITIONS[0]).lines())
        yield found.page(2, 2)
        for ignore_case in (False, True):
            options: dict[str, Any] = {"min_frequency": 1, "min_together": 1, "ignore_case": ignore_case}
            yield collocations(index, find(index, query), "word", **options).rows
        yield collocations(index, find(index, query), "lemma+tag", window="s", min_frequency=1, min_together=1).rows
    yield word_list(index, dispersion=True).rows
    yield word_list(index, "lemma+tag", ignore_case=True, tag="a").rows
    yield [ngrams(index, n, min_frequency=1, within=within).rows for n in (2, 3) for within in ("s", "doc")]
    for condition in CONDITIONS:
        part = Subcorpus(index, condition)
        yield part.documents, part.size, word_list(index, subcorpus=part).rows
        yield ngrams(index, 2, subcorpus=part, min_frequency=1).rows
        if 0 < part.size < index.size:
            yield keywords(index, subcorpus=part, matching=None).rows
            yield compare(index, subcorpus=part, other_subcorpus=part.rest, tags=("a",)).typical
    yield from stored(index)


def stored(index: Index) -> Iterator[Any]:
    """All that an index has, as lists."""
    for name, attribute in index.attributes.items():
        values = attribute.lexicon.array.to_pylist()
        yield name, values, attribute.ids.tolist(), attribute.first.tolist(), attribute.counts.tolist()
        yield [attribute.positions(number).tolist() for number in range(len(values))]
        yield attribute.positions_of(np.arange(len(values))[::-2]).tolist()
    for name, structure in index.structures.items():
        yield name, structure.bounds.tolist(), structure.number_at(np.arange(index.size)).tolist()
        yield {key: found.values(range(len(structure))) for key, found in structure.attributes.items()}
    yield index.is_glued(np.arange(index.size)).tolist(), index.size, index.documents


@settings(max_examples=40, deadline=None)
@given(CORPORA, CUTS, st.data(), WIDE)
def test_every_answer_is_that_of_the_merged_index(
    corpus: PlainCorpus, cuts: list[int], data: st.DataObject, wide: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        places = write_segments(folder, split(to_documents(corpus), cuts))
        expected = list(everything(Index.open(merged(folder, places))))
        with patch.object(attribute_module, "WIDE_TOKENS", wide):
            before = data.draw(st.integers(0, len(places) - 1).filter(lambda count: count != 1))
            index = open_segments(folder, places, before)
            assert all(found == wanted for found, wanted in zip(everything(index), expected, strict=True))
            first = data.draw(st.integers(0, len(places) - 2))
            last = data.draw(st.integers(first + 1, len(places)))
            compacted = [*places[:first], merged(folder, places[first:last]), *places[last:]]
            if len(compacted) > 1:
                again = open_segments(folder, compacted)
                assert all(found == wanted for found, wanted in zip(everything(again), expected, strict=True))
