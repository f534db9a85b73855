"""Languages are told, of texts, blocks and documents."""

from __future__ import annotations

import functools
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.config import DEFAULT_IDENTIFIER
from gristmill.document import Document
from gristmill.language import IDENTIFIERS, Identifier, Models, check_languages, identify_all
from gristmill.language.codes import check_code
from gristmill.language.training import train

needs_cld2 = pytest.mark.skipif(DEFAULT_IDENTIFIER != "cld2", reason="CLD2 is not installed")
CZECH = "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím."
ENGLISH = "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience."
# Characters that libraries written in C refuse or choke on.
HOSTILE = st.text(
    st.one_of(
        st.characters(codec=None), st.sampled_from("\x00\ud800\udfff\ufdd0\ufffe\uffff\U0001ffff\U0010ffff\u0301-<&")
    )
)


def test_the_sample(sample_documents: dict[str, Document], truth: dict[str, dict[str, object]]) -> None:
    documents = sample_documents
    wrong = [url for url, document in documents.items() if document.lang != truth[url]["lang"]]
    assert set(wrong) <= {
        "https://nisi.example/politismos/mylos-vivliothiki.html"
    }  # if it is decoded wrongly, see test_decode
    long = [
        (block.lang, truth[url]["lang"])
        for url in documents
        for block in documents[url].blocks
        if len(block.text) >= 100
    ]
    assert sum(found == lang for found, lang in long) / len(long) > 0.98


@pytest.mark.parametrize(
    "text", ["", " ", "12345 67", "\ud800", "\ufdd0\U0001ffff", "\x00", "!?", "Home", "OK 2", "de la"]
)
def test_nothing_to_go_by(text: str) -> None:
    assert gristmill.identify(text) == ("und", 0.0)


@needs_cld2  # py3langid takes short texts for others
def test_how_sure_it_is() -> None:
    assert gristmill.identify(ENGLISH) == pytest.approx(("en", 1.0), abs=0.02)
    assert gristmill.identify(f"{ENGLISH} {CZECH[:50]}").confidence < 0.9  # a part of it is in another language
    short = gristmill.identify("Privacy policy")
    assert short.lang == "en"
    assert 0 < short.confidence < 0.5
    assert gristmill.identify("Wrtlbrmft Xyzzy Qwghlm " * 10).lang == "und"  # a longer text that is in none


@needs_cld2
def test_many_at_once_are_as_one_by_one() -> None:
    texts = [ENGLISH, CZECH, "", "Privacy policy", "\ud800" + CZECH, ENGLISH + "\x00"]
    assert identify_all(texts) == [gristmill.identify(text) for text in texts]
    assert [answer.lang for answer in identify_all(texts)] == ["en", "cs", "und", "en", "cs", "en"]
    assert [answer.lang for answer in Models().identify_all(texts, guess=False)] == [
        "en",
        "cs",
        "und",
        "en",
        "cs",
        "en",
    ]
    assert identify_all([]) == []


def test_a_text_that_begins_like_a_tag() -> None:
    assert gristmill.identify("<< Съешь же ещё этих мягких французских булок да выпей чаю").lang == "ru"


def test_codes_that_can_be_asked_for() -> None:
    check_languages(["en", "zh", "he", "und"])
    with pytest.raises(gristmill.UsageError, match="did you mean 'cs'"):
        check_languages(["czech"])
    with pytest.raises(gristmill.UsageError, match="did you mean 'en'"):
        check_languages(["eng"])
    with pytest.raises(gristmill.UsageError, match="'xx' is not the code"):
        check_languages(["xx"])


@pytest.mark.parametrize(
    ("code", "right"),
    [("nb", "no"), ("fil", "tl"), ("en-GB", "en"), ("zh-Hant", "zh"), ("sr-latn", "sr"), ("zh_TW", "zh")],
)
def test_other_codes_of_a_language_that_can_be_told(code: str, right: str) -> None:
    for models in (None, Models()):
        with pytest.raises(gristmill.UsageError, match=f"did you mean '{right}'"):
            check_languages([code], models)


def test_a_variety_could_be_trained_too() -> None:
    check_languages(["arb"])
    with pytest.raises(gristmill.UsageError, match="did you mean 'ar'"):
        check_languages(["arb"], Models())


def test_a_language_that_could_be_trained() -> None:
    check_languages(["hsb"])  # of a corpus whose models are not known here
    with pytest.raises(gristmill.UsageError, match="gristmill train language --lang hsb"):
        check_languages(["hsb"], Models())
    check_code("hsb")
    for wrong, right in (
        ("eng", "'en'"),
        ("Czech", "'cs'"),
        ("x", "hsb"),
        ("xyz", "hsb"),
        ("čs", "hsb"),
        ("../en", "hsb"),
        ("en-GB", "'en'"),
    ):
        with pytest.raises(gristmill.UsageError, match=right):
            check_code(wrong)


def test_old_codes_are_not_used() -> None:
    assert gristmill.identify("כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם").lang == "he"
    assert gristmill.identify("Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama").lang in {
        "id",
        "ms",
    }


@given(HOSTILE)
def test_any_text_has_an_answer(text: str) -> None:
    for identifier in _identifiers():
        for guess in (True, False):
            (found,) = identifier.identify_all([text], guess=guess)
            assert found.lang in {*identifier.languages, "und"}
            assert 0 <= found.confidence <= 1
            assert (found.lang == "und") == (found.confidence == 0)


@functools.cache
def _identifiers() -> list[Identifier]:
    names = [name for name in IDENTIFIERS if name != "cld2" or DEFAULT_IDENTIFIER == "cld2"]
    return [Models().identifier, *(IDENTIFIERS[name]([train("cs", CZECH * 20)]) for name in names)]


def test_each_block_has_its_language() -> None:
    document = gristmill.clean(f"<p>{ENGLISH} {ENGLISH}<p>{CZECH}<p>Home<p>1234567890123456789012345")
    assert [block.lang for block in document.blocks] == ["en", "cs", "", ""]


def test_the_language_of_a_document_is_that_of_its_kept_text() -> None:
    menu = "".join(f"<li><a href=/{number}>Nejčtenější články z domova a ze světa {number}</a>" for number in range(40))
    document = gristmill.clean(f"<nav><ul>{menu}</ul></nav><p>{ENGLISH * 3}")
    assert {block.lang for block in document.blocks} == {"en", "cs"}
    assert document.text == ENGLISH * 3
    assert (document.lang, document.lang_confidence) == ("en", 1.0)
    mixed = gristmill.clean(f"<p>{ENGLISH * 3}<p>{CZECH * 2}")
    assert mixed.lang == "en"
    assert mixed.lang_confidence == pytest.approx(len(ENGLISH * 3) / len(ENGLISH * 3 + CZECH * 2))


def test_the_language_of_a_document_that_has_only_short_blocks() -> None:
    lines = "".join(
        f"<p>{word}" for word in "the mill that is by the river and the one that is on the hill of the town".split()
    )
    assert gristmill.clean(lines, method="all").lang == "en"
    assert gristmill.clean("<p>1<p>2<p>3").lang == "und"


def test_a_language_that_is_given_is_not_told_anew() -> None:
    document = gristmill.clean(f"<p>{ENGLISH}", lang="cs")
    assert (document.lang, document.lang_confidence) == ("cs", 1.0)
    assert document.blocks[0].lang == "en"


def test_gold_paragraphs(gold: Path) -> None:
    """A floor, on the languages that the gold pages are in."""
    table = pq.read_table(gold / "language-udhr.parquet").to_pylist()
    codes = {
        "eng": "en",
        "ces": "cs",
        "deu_1996": "de",
        "ell_monotonic": "el",
        "rus": "ru",
        "pol": "pl",
        "fra": "fr",
        "jpn": "ja",
    }
    texts = [
        (codes[row["lang"]], line)
        for row in table
        if row["lang"] in codes
        for line in row["text"].splitlines()
        if len(line) > 100
    ]
    assert len(texts) > 100
    right = sum(
        found.lang == lang for found, (lang, _) in zip(identify_all([text for _, text in texts]), texts, strict=True)
    )
    assert right / len(texts) > 0.97
