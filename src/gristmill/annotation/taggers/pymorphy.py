"""The tagger `pymorphy`: Russian and Ukrainian by the dictionaries of pymorphy3 (Korobov 2015), word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from pymorphy3 import MorphAnalyzer

from gristmill.annotation.tagger import TAGGERS, Tagged
from gristmill.annotation.taggers.forms import TYPES, tag_by_characters
from gristmill.annotation.taggers.simplemma import SimplemmaTagger
from gristmill.annotation.universal import SLAVIC_LEMMAS, open_corpora
from gristmill.errors import UsageError

_LANGUAGES = ("ru", "uk")
_MAX_WORD_CHARACTERS = 40  # what is longer is not a word
_SMILE = re.compile(r"\){2,}|\({2,}")  # as Russians write it
_CLOSED = frozenset(("ADVB", "CONJ", "NPRO", "PRCL", "PREP"))
_WORD = re.compile(r"(?=.*[\u0400-\u052f])[\u0400-\u052fA-Za-z0-9'’ʼ.\-/]+")  # pymorphy3 raises on some others
_OWN_LEMMAS = frozenset(("ADV", "AUX", "CCONJ", "PART", "PROPN", "SCONJ", "VERB"))
_FOREIGN = frozenset(("LATN", "UNKN", "ROMN"))


class PymorphyTagger:
    """Looks up words without context: of the readings that pymorphy3 finds, the first that has the lemma of simplemma.

    pymorphy3 sorts the readings of Russian words by their frequency, those of Ukrainian words not at all. Lemmas are
    those of pymorphy3 for verbs, names and particles, and those of simplemma for others, as each is right more often.
    """

    def __init__(self, lang: str) -> None:
        self._analyzer = MorphAnalyzer(lang=lang)
        self._simplemma = SimplemmaTagger(lang)
        self._read = lru_cache(maxsize=TYPES)(self._look_up)

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas and tags of all words."""
        read = self._read
        return Tagged.of([read(word) for sentence in sentences for word in sentence])

    def _look_up(self, word: str) -> tuple[str, str, str]:
        """Return lemma, tag and the tagger's own tag of a word."""
        certain = "SYM" if _SMILE.fullmatch(word) else tag_by_characters(word)
        if certain != "X" or word.startswith("#"):
            return word, certain, ""
        lemma = self._simplemma.lemma(word)
        if len(word) > _MAX_WORD_CHARACTERS or not _WORD.fullmatch(word):
            return lemma, "X", ""
        parses = self._analyzer.parse(word)
        parse = parses[0]
        if not parse.tag.grammemes & _CLOSED:
            parse = next((parse for parse in parses if _same(parse.normal_form, lemma)), parse)
        grammemes = frozenset(parse.tag.grammemes)
        if grammemes & _FOREIGN:
            return lemma, _abbreviation(word), str(parse.tag)
        tag = open_corpora(grammemes, word, parse.normal_form)
        if word.lower() in SLAVIC_LEMMAS:
            lemma = word.lower()
        elif tag in _OWN_LEMMAS and not _same(parse.normal_form, lemma):
            lemma = parse.normal_form
        return _cased(word, lemma, tag), tag, str(parse.tag)


def _same(one: str, other: str) -> bool:
    """Tell whether lemmas are the same but for case and the dots of ё."""
    return one.replace("ё", "е") == other.lower().replace("ё", "е")


def _abbreviation(word: str) -> str:
    """Return the tag of a word that pymorphy3 does not know: initials are names, other abbreviations mostly nouns."""
    if not word.endswith(".") or word.isascii():
        return "X"
    return "PROPN" if len(word) == 2 and word[0].isupper() else "NOUN"


def _cased(word: str, lemma: str, tag: str) -> str:
    """Return a lemma, with a capital if it is a name that is written with one."""
    return lemma[:1].upper() + lemma[1:] if tag == "PROPN" and word[:1].isupper() else lemma


@TAGGERS.register("pymorphy")
@dataclass(frozen=True, slots=True)
class Pymorphy:
    """The registered kind of tagger: tags and lemmas by pymorphy3."""

    def serves(self, lang: str) -> bool:
        """Tell whether a language is Russian or Ukrainian."""
        return lang in _LANGUAGES

    def load(self, lang: str) -> PymorphyTagger:
        """Load the tagger for a language; raises `UsageError` if it is another."""
        if not self.serves(lang):
            raise UsageError(f"pymorphy knows {' and '.join(_LANGUAGES)}, not {lang}")
        return PymorphyTagger(lang)
