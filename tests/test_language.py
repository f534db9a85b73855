"""Languages are told, and stop lists are there for many of them."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.clean import clean_page
from gristmill.document import Page
from gristmill.language import check_languages, stop_list, stop_list_languages


def test_the_sample(sample_pages: dict[str, Page], truth: dict[str, dict[str, object]]) -> None:
    wrong = [url for url, page in sample_pages.items() if clean_page(page).lang != truth[url]["lang"]]
    assert wrong == ["https://nisi.example/politismos/mylos-vivliothiki.html"]  # decoded wrongly, see test_decode


def test_nothing_to_go_by() -> None:
    for text in ("", " ", "12345 67", "\ud800", "\ufdd0\U0001ffff", "\x00"):
        assert gristmill.identify(text) == ("und", 0.0)


def test_a_text_that_begins_like_a_tag() -> None:
    assert gristmill.identify("<< Съешь же ещё этих мягких французских булок да выпей чаю").lang == "ru"


def test_codes_that_can_be_asked_for() -> None:
    check_languages(["en", "zh", "he", "und"])
    with pytest.raises(gristmill.UsageError, match="did you mean 'cs'"):
        check_languages(["czech"])
    with pytest.raises(gristmill.UsageError, match="'xx' is not the code"):
        check_languages(["xx"])


def test_old_codes_are_not_used() -> None:
    assert gristmill.identify("כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם").lang == "he"
    assert gristmill.identify("Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama").lang in {"id", "ms"}


@given(st.text(max_size=300))
def test_any_text_has_an_answer(text: str) -> None:
    lang, confidence = gristmill.identify(text)
    assert lang
    assert 0 <= confidence <= 1


def test_stop_lists() -> None:
    assert len(stop_list_languages()) >= 40
    for lang in ("en", "cs", "de", "fr", "ru", "el", "pl", "es"):
        assert len(stop_list(lang)) > 100
    assert {"the", "The"} <= stop_list("en")
    assert "THE" not in stop_list("en")
    assert stop_list("zh") == stop_list("und") == frozenset()


def test_gold_paragraphs(gold: Path) -> None:
    """A floor, on the languages that the gold pages are in."""
    table = pq.read_table(gold / "language-udhr.parquet").to_pylist()
    codes = {"eng": "en", "ces": "cs", "deu_1996": "de", "ell_monotonic": "el", "rus": "ru", "pol": "pl", "fra": "fr", "jpn": "ja"}
    texts = [(codes[row["lang"]], line) for row in table if row["lang"] in codes for line in row["text"].splitlines() if len(line) > 100]
    assert len(texts) > 100
    right = sum(gristmill.identify(text).lang == lang for lang, text in texts)
    assert right / len(texts) > 0.97
