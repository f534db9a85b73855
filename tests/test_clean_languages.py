"""The language of pages: identified once, by the text that is kept, or given."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.cleaning.cleaner import clean_alone
from gristmill.cleaning.languages import Languages
from gristmill.config import CleanConfig, FilterConfig
from gristmill.document import Block, Document, Page
from gristmill.filter import chain_of, forget_blocks
from gristmill.language import Identified, Models

GERMAN = "Der Müller mahlt das Korn und verkauft am Morgen das Mehl an den Bäcker im Dorf."
ENGLISH = "The miller grinds the corn and sells the flour to the baker in the village every morning."


class Counting:
    """The identifier that is shipped, which counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.real = Models().identifier
        self.languages = self.real.languages

    def identify_all(self, texts: Sequence[str], *, guess: bool = True) -> list[Identified]:
        self.asked += texts
        return self.real.identify_all(texts, guess=guess)


def block(text: str, lang: str = "") -> Block:
    return Block(text, "p", "", 0, len(text), len(text.split()), 0, 0, 0, lang=lang)


def page(*texts: str) -> Page:
    return Page("", "".join(f"<p>{text}</p>" for text in texts).encode())


def test_a_page_is_in_the_language_of_most_of_its_text() -> None:
    blocks = [block("x" * 400, "de"), block("Contact"), block("y" * 100, "en")]
    document = Document(blocks=blocks)
    languages = Languages(Models.load())
    languages.label_page(document)
    assert (document.lang, document.lang_confidence) == ("de", 0.8)
    blocks[0].score = 1.0
    languages.label_kept(document)
    assert (document.lang, document.lang_confidence) == ("en", 1.0)
    for one in blocks:
        one.score = 1.0
    languages.label_kept(document)
    assert document.lang == "en"  # nothing is kept that would tell something else


def test_what_blocks_tell_needs_no_second_look() -> None:
    counting = Counting()
    languages = Languages(Models(counting))
    document = clean_alone(page(GERMAN, ENGLISH, GERMAN), languages, CleanConfig("all"))
    assert document.lang == "de"
    chain_of(FilterConfig(("length",))).apply(document, languages)
    assert sorted(counting.asked) == sorted([GERMAN, ENGLISH])  # of equal blocks once


def test_the_same_text_is_identified_once() -> None:
    counting = Counting()
    languages = Languages(Models(counting))
    short = ["Das Mehl", "Die Mühle", "Der Bach"]
    document = clean_alone(page(*short), languages, CleanConfig("all"))
    forget_blocks(document, languages)
    assert document.lang == Models.load().identify("\n".join(short)).lang
    assert counting.asked.count("\n".join(short)) == 1


def test_a_language_that_is_given_stays() -> None:
    languages = Languages(Models.load(), "cs")
    document = clean_alone(page(GERMAN, ENGLISH), languages, CleanConfig("all"))
    assert [one.lang for one in document.blocks] == ["de", "en"]
    languages.label_kept(document)
    assert (document.lang, document.lang_confidence) == ("cs", 1.0)
    forget_blocks(document, languages, 0.0)
    assert (document.lang, document.lang_confidence) == ("cs", 1.0)
