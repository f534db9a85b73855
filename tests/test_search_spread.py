"""Where hits are: over time and hosts, in the order of the corpus; rows of frequencies as filters; wider context."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from gristmill.errors import UsageError
from gristmill.operations.searched import Ordered
from gristmill.search import Concordance, Index, PlainDocument, PlainParagraph, make_index
from gristmill.search.concordance.distribution import distribution
from gristmill.search.concordance.wider import wider_context
from gristmill.search.statistics.spread import spread


def _document(text: str, **attributes: str) -> PlainDocument:
    """Blocks are divided by a slash, and each is a sentence; a word after a + has no space before it."""
    paragraphs = [
        PlainParagraph(
            [
                [
                    (word.lstrip("+"), "NOUN", word.lstrip("+").lower(), "", word.startswith("+"))
                    for word in block.split()
                ]
            ],
            {"number": str(number)},
        )
        for number, block in enumerate(text.split("/"))
    ]
    return PlainDocument(paragraphs, attributes)


DOCUMENTS = [
    _document("mill a Mill b", id="0-0", host="a.org", year="2019", date="2020-02-01T00:00:00Z", published="2019-05"),
    _document("c d / e mill +, f", id="0-1", host="b.org", year="2020", date="2020-02-03T00:00:00Z", published=""),
    _document("g h i j k l", id="0-2", host="b.org", year="2022", date="2022-01-01T00:00:00Z", published="yesterday"),
    _document("mill m", id="0-3", host="c.org", year="", date="", published=""),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return make_index(tmp_path_factory.mktemp("spread") / "index", DOCUMENTS)


def test_years_are_in_their_order_with_those_without_hits(index: Index) -> None:
    found = distribution(Concordance.of(index, "mill"), "year")
    rows = [(row.value, row.hits, row.documents, row.tokens) for row in found.rows]
    assert rows == [("", 1, 1, 2), ("2019", 2, 1, 4), ("2020", 1, 1, 6), ("2022", 0, 0, 6)]
    assert found.rows[1].per_million == 500_000
    assert (found.total, found.distinct, found.with_hits) == (4, 4, 3)
    assert [row.value for row in distribution(Concordance.of(index, "mill"), "year", 2).rows] == ["2020", "2022"]


def test_months_are_those_of_publication_or_else_of_fetching(index: Index) -> None:
    found = distribution(Concordance.of(index, "mill"), "month")
    assert [row.value for row in found.rows] == ["", "2019-05", "2020-02", "2022-01"]
    days = distribution(Concordance.of(index, "mill"), "day")
    assert [row.value for row in days.rows] == ["", "2020-02-01", "2020-02-03", "2022-01-01"], "a month is no day"


def test_hosts_and_documents_with_the_most_hits_come_first(index: Index) -> None:
    hosts = distribution(Concordance.of(index, "mill"), "host")
    assert [(row.value, row.hits, row.tokens) for row in hosts.rows] == [
        ("a.org", 2, 4),
        ("b.org", 1, 12),
        ("c.org", 1, 2),
    ]
    documents = distribution(Concordance.of(index, "mill"), "doc", 2)
    assert [(row.value, row.hits) for row in documents.rows] == [("0-0", 2), ("0-1", 1)]
    assert documents.with_hits == 3
    with pytest.raises(UsageError, match="did you mean"):
        distribution(Concordance.of(index, "mill"), "hots")


def test_what_was_not_searched_does_not_count(index: Index) -> None:
    found = distribution(Concordance.of(index, "mill", 'host="b.org"'), "year")
    assert [(row.value, row.hits, row.tokens) for row in found.rows] == [("2020", 1, 6), ("2022", 0, 6)]


def test_measures_of_dispersion_by_hand(index: Index) -> None:
    found = spread(Concordance.of(index, "mill"), parts=3)
    # 18 tokens in 3 parts of 6; hits are at the positions 0, 2, 7 and 16
    assert found.counts == [2, 1, 1]
    shares, hits = np.array([4, 6, 6, 2]) / 18, np.array([2, 1, 0, 1]) / 4
    assert found.dp == pytest.approx(np.abs(shares - hits).sum() / 2)
    assert found.dp_norm == pytest.approx(np.abs(shares - hits).sum() / 2 / (1 - 2 / 18))
    assert found.juilland_d == pytest.approx(1 - np.std([2, 1, 1]) / (4 / 3) / math.sqrt(2))
    # distances 2, 5, 9 and, over the end, 2, each counted up to the mean 4.5
    assert found.arf == pytest.approx((2 + 4.5 + 4.5 + 2) / 4.5)
    assert (found.documents, found.searched, found.tokens, found.hits) == (3, 4, 18, 4)


def test_a_subcorpus_is_measured_as_if_it_stood_alone(index: Index, tmp_path: Path) -> None:
    alone = make_index(tmp_path / "alone", [DOCUMENTS[0], DOCUMENTS[3]])
    part = spread(Concordance.of(index, "mill", 'host!="b.org"'), parts=4)
    assert part == spread(Concordance.of(alone, "mill"), parts=4)


def test_nothing_has_no_dispersion(index: Index) -> None:
    found = spread(Concordance.of(index, "xyzzy"))
    assert (found.hits, found.dp, found.juilland_d, found.arf) == (0, None, None, None)
    assert sum(found.counts) == 0
    assert len(found.counts) == 18, "a part is at least a token"
    with pytest.raises(UsageError):
        spread(Concordance.of(index, "mill"), parts=0)


def test_each_row_of_a_frequency_stands_for_its_hits(index: Index) -> None:
    found = Concordance.of(index, "[]{1,2}")
    for keys in ("word", "lemma", "word/nocase", "1:word", "-1:lemma", "node.1:word", "host", "year", "p.number"):
        rows = found.frequency(keys).rows
        assert sum(row.count for row in rows) == len(found)
        for row in rows:
            assert len(found.only(keys, row.values[0])) == row.count, (keys, row)
    assert not len(found.only("host", "z.org"))
    assert not len(found.only("word", "xyzzy"))
    with pytest.raises(UsageError, match="several keys"):
        found.only("left", "a")


def test_a_request_filters_by_values_and_names_what_does_not_go_together(index: Index) -> None:
    assert len(Ordered("mill", only=("word=Mill",)).find(index)) == 1
    assert len(Ordered("mill", only=("1:word=,", "host=b.org")).find(index)) == 1
    for wrong in (
        Ordered("mill", only=("word",)),
        Ordered("mill", sort="left", shuffle=True),
        Ordered("mill", window="3"),
        Ordered("mill", seed=3),
    ):
        with pytest.raises(UsageError):
            wrong.find(index)


def test_a_page_of_lines_knows_how_long_hits_are(index: Index) -> None:
    found = Ordered("[]{2}", sort="node").find(index)
    assert found.chosen(4, 4).lengths.tolist() == [2] * 4
    assert not any(line.from_right for line in found.lines(4, 4))


def test_wider_context_is_the_text_in_its_blocks(index: Index) -> None:
    found = wider_context(index, 7, 1, tokens=3)
    assert [(block.number, block.before, block.hit, block.after) for block in found.blocks] == [
        (0, "c d", "", ""),
        (1, "e ", "mill", ", f"),
    ]
    assert (found.doc, found.host, found.more_before, found.more_after) == ("0-1", "b.org", False, False)
    narrow = wider_context(index, 7, 2, tokens=1)
    assert [(block.before, block.hit, block.after) for block in narrow.blocks] == [("e ", "mill,", " f")]
    assert (narrow.more_before, narrow.more_after) == (True, False)


def test_a_hit_over_two_blocks_is_in_both(index: Index) -> None:
    found = wider_context(index, 5, 3, tokens=0)
    assert [(block.number, block.hit) for block in found.blocks] == [(0, "d"), (1, "e mill")]


@pytest.mark.parametrize(("position", "length"), [(-1, 1), (18, 1), (0, 0), (10**12, 1)])
def test_there_is_no_context_of_nothing(index: Index, position: int, length: int) -> None:
    with pytest.raises(UsageError, match="no hit"):
        wider_context(index, position, length)


def test_lines_from_the_right_are_known_by_their_letters(tmp_path: Path) -> None:
    index = make_index(tmp_path / "index", [_document("كان في عام 1954 هناك mill"), _document("in 1954 a mill")])
    directions = {line.doc + line.node + line.left[-3:]: line.from_right for line in Concordance.of(index, "[]")}
    years = [line.from_right for line in Concordance.of(index, "1954")]
    assert years == [True, False], "a number goes by what is around it"
    assert [line.from_right for line in Concordance.of(index, "mill")] == [False, False]
    assert any(directions.values())
