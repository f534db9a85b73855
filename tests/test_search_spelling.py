"""Words of scripts without spaces that no token is: found by their characters in a row, and said so."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

import pytest
from command import run
from hypothesis import given
from hypothesis import strategies as st
from segmented import open_segments, write_segments

import gristmill
from gristmill.annotation import segmenters, tokeniser
from gristmill.engine import InlineEngine
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.hints import why_nothing
from gristmill.search.cql.matching import find, find_labels
from gristmill.search.cql.parsing import parse
from gristmill.search.cql.spelling import characters_of, spelt_out
from gristmill.search.index.index import Index
from gristmill.search.index.plain import PlainDocument, PlainParagraph, Token, make_index

SAID = "健康 is no word of this corpus; its characters in a row are shown"


def sentence(words: str) -> list[Token]:
    return [(word, "X", word, "", False) for word in words.split()]


def document(*sentences: str) -> PlainDocument:
    return PlainDocument([PlainParagraph([sentence(one) for one in sentences])], {"id": "1", "lang": "zh"})


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """Text in characters, but for 医院, which is a word; 健 and 康 stand side by side in two sentences, too."""
    return make_index(tmp_path / "index", [document("他 很 健 康 。", "我 健", "康 复 了 医院 。", "ก่ า")])


@pytest.mark.parametrize(
    ("query", "spans"),
    [
        ('[word="健康"]', [(2, 4)]),
        ('[word=="健康"]', [(2, 4)]),
        ('"健康"', [(2, 4)]),
        ('[lc="健康"]', [(2, 4)]),
        ("健康", [(2, 4)]),
        ("很 健康", [(1, 4)]),
        ('"很" "健康" "。"', [(1, 5)]),
        ('"他" []? "健康"', [(0, 4)]),
        ('"健康"{1,2}', [(2, 4)]),
        ('("我" | "健康") []', [(2, 5), (5, 7)]),
        ('[word="健康" | word="医院"]', [(2, 4), (10, 11)]),
        ('[word="健康" | word="复了"]', [(2, 4), (8, 10)]),
        ('<s/> containing "健康"', [(0, 5)]),
        ('[] within (<s/> containing "健康")', [(at, at + 1) for at in range(5)]),
        ('(meet "他" "健康" 0 5)', [(0, 1)]),
        ('"ก่า"', [(12, 14)]),
        ('"很" !containing "健康"', [(1, 2)]),
    ],
)
def test_characters_in_a_row(index: Index, query: str, spans: list[tuple[int, int]]) -> None:
    assert find(index, query).spans() == spans
    assert Concordance.of(index, query).notes()


@pytest.mark.parametrize(
    "query", ['"医院"', "医院", '[word!="健康"]', '"健康.*"', '"健.*"', '[tag="健康"]', '"健"', "康复", '"hotel"', "[]"]
)
def test_other_queries_stay_as_they_are(index: Index, query: str) -> None:
    if query != "康复":
        assert spelt_out(parse(query), index) == parse(query)
    found = Concordance.of(index, query)
    assert found.spelt == (("康复",) if query == "康复" else ())


def test_it_is_said(index: Index) -> None:
    found = Concordance.of(index, '"健康"')
    assert (found.notes(), found.spelt) == ([SAID], ("健康",))
    assert found.counts().spelt == ("健康",)
    both = Concordance.of(index, '"健康" | "复了"')
    assert both.notes() == ["健康, 复了 are no words of this corpus; their characters in a row are shown"]


def test_a_word_that_occurs_is_a_word(tmp_path: Path) -> None:
    """Where it is a token once, only that is found; so it is if it stands in another segment."""
    index = make_index(tmp_path / "one", [document("健 康", "健康")])
    assert find(index, '"健康"').spans() == find(index, "[word=='健康']").spans() == [(2, 3)]
    places = write_segments(tmp_path / "two", [[document("健 康")], [document("健康")]])
    assert find(open_segments(tmp_path / "two", places), '"健康"').spans() == [(2, 3)]


def test_labels_are_on_the_first_character(index: Index) -> None:
    hits = find(index, '1:"健康" 2:[]')
    assert hits.spans() == [(2, 5)]
    assert {label: at.tolist() for label, at in find_labels(index, '1:"健康" 2:[]', hits).items()} == {
        "1": [2],
        "2": [4],
    }
    line = next(Concordance.of(index, '1:"健康" 2:[]').lines())
    assert {name: label.word for name, label in line.labels.items()} == {"1": "健", "2": "。"}


def test_why_nothing_is_found(index: Index) -> None:
    found = Concordance.of(index, '"康健"')
    assert not found.notes()
    assert why_nothing(found)[0] == (
        'No token has the word "康健", nor do its characters stand in a row in a sentence.'
    )
    assert "健康" not in why_nothing(Concordance.of(index, '"健康" "hotel"'))[0]


def test_characters_have_their_marks() -> None:
    assert characters_of("ที่นี่") == ["ที่", "นี่"]
    assert characters_of("か\u3099く") == ["か\u3099", "く"]
    assert characters_of("AI健康") == characters_of("健康.*") == characters_of("") == []


@given(st.lists(st.lists(st.sampled_from(["健", "康", "的", "健康", "康的"]), max_size=6), max_size=4), st.data())
def test_as_a_scan_finds_it(texts: list[list[str]], data: st.DataObject) -> None:
    word = data.draw(st.sampled_from(["健康", "康的", "健康的", "康健"]))
    words = [one for text in texts for one in text]
    expected, first = [], 0
    for text in texts:
        size = 1 if word in words else len(word)
        wanted = [word] if word in words else list(word)
        expected += [(first + at, first + at + size) for at in range(len(text)) if text[at : at + size] == wanted]
        first += len(text)
    with tempfile.TemporaryDirectory() as folder:
        index = make_index(folder, [document(*(" ".join(text) for text in texts))])
        assert find(index, f'"{word}"').spans() == expected


def _forget() -> None:
    """Forget which segmenters were chosen, and what they found."""
    segmenters.segmenter_for.cache_clear()
    segmenters.chosen_segmenter.cache_clear()
    tokeniser.forget()


def test_the_commands_say_it(corpus: gristmill.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus that was annotated without a segmenter: each character of its Chinese text is a token."""
    folder = tmp_path / "corpus"
    shutil.copytree(corpus.folder, folder)
    monkeypatch.setattr(segmenters, "_CHOICES", {})
    _forget()
    gristmill.annotate(folder, ["forms"], engine=InlineEngine())
    monkeypatch.undo()
    _forget()
    said = "招牌 is no word of this corpus; its characters in a row are shown"
    for query in ('[word="招牌"]', "招牌"):
        ran = run("search", folder, query)
        assert ran.stderr.decode().count(said) == 1
        found = json.loads(run("search", folder, query, "--json").stdout)
        assert found["total"] > 1
        assert found["notes"] == [said]
        assert {line["node"] for line in found["lines"]} == {"招牌"}
    near = json.loads(run("collocations", folder, "招牌", "--json").stdout)
    assert (near["spelt"], near["hits"], near["notes"][0]) == (["招牌"], found["total"], said)
