"""Word sketches of a corpus whose documents have paragraphs in several languages: each language by its paragraphs."""

from __future__ import annotations

from pathlib import Path

import pytest

from gristmill.errors import UsageError
from gristmill.search import Index, PlainDocument, PlainParagraph, find, make_index
from gristmill.search.classes.opening import open_classes
from gristmill.search.index.plain import Token
from gristmill.search.sketches.sketch import sketch
from gristmill.search.sketches.store import open_sketches
from gristmill.search.text_languages import TextLanguages

GERMAN: list[Token] = [
    ("Das", "DET", "das", "", False),
    ("neue", "ADJ", "neu", "", False),
    ("Paket", "NOUN", "Paket", "", False),
    ("kommt", "VERB", "kommen", "", False),
    (".", "PUNCT", ".", "", True),
]
ENGLISH: list[Token] = [
    ("The", "DET", "the", "", False, "", 2, "det"),
    ("small", "ADJ", "small", "", False, "", 1, "amod"),
    ("Paket", "NOUN", "Paket", "", False, "", 1, "nsubj"),
    ("arrives", "VERB", "arrive", "", False, "", 0, "root"),
    (".", "PUNCT", ".", "", True, "", -1, "punct"),
]
POLISH: list[Token] = [(word, "X", word, "", False) for word in ("Nowa", "paczka", "przyszła", "wczoraj", "rano")]


def paragraph(sentence: list[Token], lang: str, times: int = 10) -> PlainParagraph:
    return PlainParagraph([sentence] * times, {"kind": "p", "lang": lang})


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """Pages in German and Polish that quote English, which is tagged and parsed; German is tagged, Polish is not."""
    pages = {
        "de": [paragraph(ENGLISH, "en", 3), paragraph(GERMAN, "de", 20)],
        "pl": [paragraph(ENGLISH, "en", 8), paragraph(POLISH, "pl", 8)],
        "en": [paragraph(ENGLISH, "en"), paragraph(ENGLISH, "pl", 1), paragraph(ENGLISH, "cs", 1)],
    }  # short paragraphs that seem to be in another language are annotated in that of their page
    made = [PlainDocument(paragraphs, {"lang": lang}) for lang, paragraphs in pages.items()]
    return make_index(tmp_path / "index", made)


def test_languages_are_those_of_paragraphs_that_have_tags(index: Index) -> None:
    texts = TextLanguages(index)
    assert texts.tagged() == {"en": 105, "de": 100}
    assert [lang for lang in ("en", "de", "pl", "cs") if texts.have_relations(lang)] == ["en"]


def test_the_source_is_what_the_paragraphs_of_the_language_have(index: Index, tmp_path: Path) -> None:
    german, english = (open_sketches(index, tmp_path, lang=lang) for lang in ("de", "en"))
    assert (german.source, english.source) == ("tags", "dependencies")
    assert (german.base.size, english.base.size) == (100, 105)
    assert german.base.about["documents"] == 1
    found = sketch(german, "Paket", "NOUN")
    assert {(row.relation, row.collocate): row.count for row in found.rows}["modifier", "neu"] == found.frequency == 20
    assert "small" not in {row.collocate for row in found.rows}
    for one in (found, sketch(english, "Paket", "NOUN")):
        for row in one.rows:
            assert len(find(index, one.query(row.relation, row.collocate, row.tag))) == row.count, row


def test_what_is_refused_is_true(index: Index, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the texts in the language pl have no tags"):
        open_sketches(index, tmp_path, lang="pl")
    with pytest.raises(UsageError, match="no token in the language de has a relation"):
        open_sketches(index, tmp_path, lang="de", source="dependencies")
    with pytest.raises(UsageError, match=r"as VERB in 100 tokens \(de, by tags\), but as NOUN"):
        sketch(open_sketches(index, tmp_path, lang="de"), "Paket", "VERB")


def test_queries_on_sketches_and_classes_go_by_paragraph(index: Index, tmp_path: Path) -> None:
    assert len(find(index, '[ws("Paket-n", "modifier", "neu-j")]')) == 20
    assert len(find(index, '[ws("Paket-n", "modifier", "small-j")]')) == 21
    searched = open_classes(index, lambda lang: open_sketches(index, tmp_path, lang=lang), lang="de")
    assert (searched.part.size, searched.within) == (100, '<p lang=="de"/>')


def test_a_language_of_quotations_alone(tmp_path: Path) -> None:
    pages = [PlainDocument([paragraph(POLISH, "pl"), paragraph(GERMAN, "de")], {"lang": "pl"})]
    texts = TextLanguages(make_index(tmp_path / "index", pages))
    assert texts.tagged() == {"de": 50}
    assert texts.part("de", 'lang="pl"').size == 50
