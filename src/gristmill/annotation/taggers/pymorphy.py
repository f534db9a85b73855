"""Tags and lemmas of Russian and Ukrainian by the dictionaries of pymorphy3 (Korobov 2015), word by word."""

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
_LONGEST = 40  # letters; longer words are none
_SMILE = re.compile(r"\){2,}|\({2,}")  # as Russians write it
_CLOSED = frozenset(("ADVB", "CONJ", "NPRO", "PRCL", "PREP"))
_WORD = re.compile(
    r"(?=.*[\u0400-\u052f])[\u0400-\u052fA-Za-z0-9'’ʼ.\-/]+"
)  # pymorphy3 raises on some other characters
_OWN_LEMMAS = frozenset(("ADV", "AUX", "CCONJ", "PART", "PROPN", "SCONJ", "VERB"))
_FOREIGN = frozenset(("LATN", "UNKN", "ROMN"))


class PymorphyTagger:
    """Words are read by themselves, wherever they stand: of the readings that pymorphy3 finds, the first that has the lemma of simplemma.

    pymorphy3 sorts the readings of Russian words by their frequency, those of Ukrainian not at all. Lemmas are
    pymorphy3's for verbs, names and particles, and simplemma's for others, as each is right more often.
    """

    def __init__(self, lang: str) -> None:
        self._analyzer = MorphAnalyzer(lang=lang)
        self._simplemma = SimplemmaTagger(lang)
        self._read = lru_cache(maxsize=TYPES)(self._look_up)

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Lemmas and tags of all words."""
        read = self._read
        return Tagged.of([read(word) for sentence in sentences for word in sentence])

    def _look_up(self, word: str) -> tuple[str, str, str]:
        certain = "SYM" if _SMILE.fullmatch(word) else tag_by_characters(word)
        if certain != "X" or word.startswith("#"):
            return word, certain, ""
        lemma = self._simplemma.lemma(word)
        if len(word) > _LONGEST or not _WORD.fullmatch(word):
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
    """Whether lemmas are the same but for case and dots."""
    return one.replace("ё", "е") == other.lower().replace("ё", "е")


def _abbreviation(word: str) -> str:
    """Initials are names, other abbreviations mostly nouns; nothing is known of words in other letters."""
    if not word.endswith(".") or word.isascii():
        return "X"
    return "PROPN" if len(word) == 2 and word[0].isupper() else "NOUN"


def _cased(word: str, lemma: str, tag: str) -> str:
    """A lemma, with a capital if it is a name that was written so."""
    return lemma[:1].upper() + lemma[1:] if tag == "PROPN" and word[:1].isupper() else lemma


@TAGGERS.register("pymorphy")
@dataclass(frozen=True, slots=True)
class Pymorphy:
    """Tags and lemmas by pymorphy3."""

    def serves(self, lang: str) -> bool:
        """Russian and Ukrainian."""
        return lang in _LANGUAGES

    def load(self, lang: str) -> PymorphyTagger:
        """The tagger of a language."""
        if not self.serves(lang):
            raise UsageError(f"pymorphy knows {' and '.join(_LANGUAGES)}, not {lang}")
        return PymorphyTagger(lang)
