"""`feats`, which only some segments of an index have: empty in the others, in every answer."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from segmented import merged, open_segments, split, write_segments

from gristmill.errors import UsageError
from gristmill.search.completion import complete_query
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.cql.matching import find
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, make_index
from gristmill.search.statistics.wordlist import word_list

FEATS = ["", "Case=Gen", "Case=Gen|Number=Sing", "Case=Nom|Number=Plur"]
QUERIES: dict[str, Callable[[str], bool]] = {
    '[feats="Case=Gen.*"]': lambda feats: feats.startswith("Case=Gen"),
    '[feats=".*Number=Sing.*"]': lambda feats: "Number=Sing" in feats,
    '[feats=""]': lambda feats: feats == "",
    '[feats!=""]': lambda feats: feats != "",
    '[word="a" & feats=""]': lambda feats: feats == "",
}
CORPORA = st.lists(st.lists(st.sampled_from(FEATS), min_size=1, max_size=6), min_size=1, max_size=5)


def documents(corpus: list[list[str]]) -> list[PlainDocument]:
    """A document for each list of features, of tokens that are the same otherwise."""
    return [PlainDocument([PlainParagraph([[("a", "X", "a", "", False, one) for one in some]])]) for some in corpus]


@settings(max_examples=30)
@given(CORPORA, st.lists(st.integers(0, 4), max_size=3))
def test_segments_with_and_without_features(corpus: list[list[str]], cuts: list[int]) -> None:
    values = [one for some in corpus for one in some]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        places = write_segments(folder, split(documents(corpus), cuts))
        indexes = [Index.open(merged(folder, places))]
        if cuts:
            indexes += [open_segments(folder, places, before) for before in range(len(places))]
        for index in indexes:
            check(index, values)


def check(index: Index, values: list[str]) -> None:
    """Every answer is that of the list of the features of all tokens."""
    if not any(values):
        assert "feats" not in index.attributes
        return
    for query, holds in QUERIES.items():
        assert find(index, query).starts.tolist() == [at for at, one in enumerate(values) if holds(one)]
    same = [at for at, (one, other) in enumerate(pairwise(values)) if one == other]
    found = find(index, "1:[] 2:[] & 1.feats = 2.feats").starts.tolist()
    assert set(found) <= set(same)
    rows = {row.value: row.frequency for row in word_list(index, "feats", punctuation=True, limit=None).rows}
    assert rows == {one: values.count(one) for one in set(values)}


def test_features_are_sorted_counted_and_completed(tmp_path: Path) -> None:
    index = make_index(tmp_path, documents([FEATS]))
    found = Concordance.of(index, "[]")
    assert {row.values for row in found.frequency("feats").rows} == {(one,) for one in FEATS}
    assert [line.position for line in found.sort("feats").lines()] == [0, 1, 2, 3]
    assert "Case=Gen" in {one.label for one in complete_query(index, '[feats="Case=G', 14).items}


def test_an_index_without_features_says_so(tmp_path: Path) -> None:
    index = make_index(tmp_path, documents([["", ""]]))
    assert not (tmp_path / "attribute-feats.arrays").exists()
    for query in ('[feats="Case=Gen"]', "[feats=$list]", "1:[] 2:[] & 1.feats = 2.feats", "[f(_.feats) > 1]"):
        with pytest.raises(UsageError, match="no token of this index has feats: annotate the corpus"):
            find(index, query)
    with pytest.raises(UsageError, match="no token of this index has feats"):
        word_list(index, "feats")
