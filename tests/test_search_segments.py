"""Segments are searched together as if they were one: every answer is that of a scan, and that of the merged index."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scanning import PlainCorpus, to_docs, to_documents
from scanning_queries import Query, check_answer, corpora, limits, queries
from segmented import merged, open_segments, split, write_segments

from gristmill.arrays.storing import load_arrays
from gristmill.engine import InlineEngine
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.cql.matching import find
from gristmill.search.index import attribute as attribute_module
from gristmill.search.index import joined
from gristmill.search.index.compaction import MERGE_FACTOR, all_merged, tiers_merged
from gristmill.search.index.index import Index
from gristmill.search.index.joining import write_joined
from gristmill.search.index.lexicon import Lexicon
from gristmill.search.index.plain import PlainDocument, PlainParagraph
from gristmill.search.index.segment import Segment, load_structures, read_card
from gristmill.search.statistics.collocations import collocations
from gristmill.search.statistics.compare import compare
from gristmill.search.statistics.keywords import keywords
from gristmill.search.statistics.ngrams import ngrams
from gristmill.search.statistics.wordlist import word_list
from gristmill.search.subcorpus import Subcorpus

CUTS = st.lists(st.integers(0, 4), min_size=1, max_size=4)
WIDE = st.sampled_from([1, 1 << 32])
"""From how many tokens on positions have 64 bits."""


@settings(max_examples=20)
@given(corpora(), CUTS, st.lists(queries(), min_size=3, max_size=8), limits(), st.sampled_from([0, 16]), WIDE)
def test_every_answer_is_that_of_a_scan(
    corpus: PlainCorpus,
    cuts: list[int],
    asked: list[Query],
    limited: AbstractContextManager[None],
    looked_up: int,
    wide: int,
) -> None:
    docs = to_docs(corpus)
    with (
        tempfile.TemporaryDirectory() as name,
        limited,
        patch.object(joined, "_MIN_VALUES_PER_ID_TO_SEARCH", looked_up),
        patch.object(attribute_module, "WIDE_TOKENS", wide),
    ):
        folder = Path(name)
        index = open_segments(folder, write_segments(folder, split(to_documents(corpus), cuts)))
        assert len(index.segments) == len(cuts) + 1
        for query in asked:
            check_answer(index, docs, query)


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


@settings(max_examples=15, deadline=None)
@given(corpora(), CUTS, st.data(), WIDE)
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


SIZE = (1 << 32) + 10
"""Tokens of a segment that would be too large for positions of 32 bits."""


@pytest.fixture
def far(tmp_path: Path) -> Index:
    """An index whose second segment begins beyond 2^32: the first repeats one word, without taking memory."""
    filler = [("filler", "X", "filler", "", False)]
    text = [(word, "N", word.lower(), "", False) for word in "The mill by the river . The old mill turns .".split()]
    documents = [
        PlainDocument([PlainParagraph([sentence], {"kind": "p"})], {"host": host})
        for sentence, host in ((filler, "far.example"), (text[:6], "near.example"), (text[6:], "near.example"))
    ]
    places = write_segments(tmp_path, [documents[:1], documents[1:]])
    write_joined(tmp_path / "far", places, InlineEngine())
    segments = [Segment(place, read_card(place)) for place in places]
    segments[0].size = SIZE
    zeros = np.zeros(SIZE, np.uint8)  # takes no memory as long as nobody looks at it
    segments[0].glue = zeros
    for attribute in segments[0].attributes.values():
        attribute.ids = zeros
    bases = joined.Bases([segment.size for segment in segments])
    attributes: dict[str, Any] = {}
    structures = load_structures(tmp_path / "far", read_card(places[0])["structures"])
    for name in segments[0].attributes:
        arrays = dict(load_arrays(tmp_path / "far" / joined.lexicon_file(name)))
        word = Lexicon(arrays["offsets"], arrays["text"]).find(segments[0].attributes[name].lexicon[0])
        arrays["first"] = arrays["first"].copy()
        arrays["first"][word + 1 :] += SIZE - 1
        own = [segment.attributes[name] for segment in segments]
        attributes[name] = joined.JoinedAttribute(name, bases, own, arrays)
    for structure in structures.values():
        bounds_of = structure.bounds.astype(np.int64)
        bounds_of[1:] += SIZE - 1
        structure.bounds = bounds_of
    return Index(tmp_path, {}, segments, attributes, structures)


def test_positions_beyond_32_bits(far: Index) -> None:
    assert far.size == SIZE + 11
    mill = Concordance.of(far, '"mill"')
    assert [line.position for line in mill] == [SIZE + 1, SIZE + 8]
    assert [f"{line.left}[{line.node}]{line.right}" for line in mill.sort("-1:word").lines()] == [
        "The old [mill] turns .",
        "The [mill] by the river .",
    ]
    assert find(far, '"the"%c []{0,2} "mill"').spans() == [(SIZE, SIZE + 2), (SIZE + 6, SIZE + 9)]
    assert find(far, '("the"%c | "old")+ within <s/>').spans() == [
        (SIZE, SIZE + 1),
        (SIZE + 3, SIZE + 4),
        (SIZE + 6, SIZE + 7),
        (SIZE + 6, SIZE + 8),
        (SIZE + 7, SIZE + 8),
    ]
    assert find(far, '<s> "The" []* "." </s>').spans() == [(SIZE, SIZE + 6), (SIZE + 6, SIZE + 11)]
    assert find(far, '"mill" within <doc host="near.*"/>').starts.tolist() == [SIZE + 1, SIZE + 8]
    assert find(far, '1:"the"%c []{2} 2:[] & 1.lemma = 2.lemma', Subcorpus(far, 'host="near.*"')).spans() == [
        (SIZE, SIZE + 4)
    ]
    assert [row.count for row in mill.frequency("host").rows] == [2]
    assert [line.position for line in mill.sample(1, seed=1)] == [SIZE + 8]
    near = Subcorpus(far, 'host="near.*"')
    assert (near.size, near.holds(np.array([SIZE - 1, SIZE])).tolist()) == (11, [False, True])
    found = collocations(far, find(far, '"mill"'), "word", min_frequency=1, min_together=2)
    assert [(row.value, row.together) for row in found.rows] == [("The", 2)]


def test_ten_neighbours_of_a_size_become_one() -> None:
    assert tiers_merged([]) == []
    assert tiers_merged([1000] * (MERGE_FACTOR - 1)) == [range(number, number + 1) for number in range(9)]
    assert tiers_merged([1000] * MERGE_FACTOR) == [range(10)]
    assert tiers_merged([10**6, *[10**5] * 10, 7]) == [range(1), range(1, 11), range(11, 12)]
    assert tiers_merged([7, *[10**5] * 10]) == [range(10), range(10, 11)]  # a small one before goes with them
    assert tiers_merged([1 << 30] * 12) == [range(number, number + 1) for number in range(12)]
    assert all_merged([1 << 30] * 5) == [range(2), range(2, 4), range(4, 5)]


@given(st.lists(st.integers(0, 10**7), max_size=300))
def test_an_index_that_grows_has_few_segments_and_writes_no_token_often(additions: list[int]) -> None:
    segments: list[tuple[int, int]] = []  # tokens, and how often the most rewritten of them was written
    for size in additions:
        segments.append((size, 1))
        groups = tiers_merged([tokens for tokens, _ in segments])
        assert [number for group in groups for number in group] == list(range(len(segments)))
        merging = [[segments[number] for number in group] for group in groups]
        segments = [
            (sum(tokens for tokens, _ in group), max(times for _, times in group) + (len(group) > 1))
            for group in merging
        ]
    assert sum(tokens for tokens, _ in segments) == sum(additions)
    assert len(segments) < 10 * MERGE_FACTOR
    assert max((times for _, times in segments), default=0) <= 10
