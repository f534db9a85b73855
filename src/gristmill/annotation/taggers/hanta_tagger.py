"""German by the model of HanTa, the Hanover Tagger, with faster code than its own; the tagger `hanta` loads it.

`hanta_morphology` finds the tags that a word may have, `trigrams` the best tags of a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from HanTa.HanoverTagger import EMPTY, END, START, UNKNOWN

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers.hanta_morphology import Morphology
from gristmill.annotation.taggers.outside import split_long
from gristmill.annotation.taggers.simplemma import SimplemmaTagger
from gristmill.annotation.taggers.trigrams import Candidates, Trigrams
from gristmill.annotation.universal import stts

_MAX_CACHED_WORDS = 1 << 16  # with their tags and lemmas, in some 105 MB
_MAX_ANALYSED_CHARACTERS = 40  # of a word; the time of an analysis grows with their square
_MAX_LOG_ODDS = 5  # of an unknown word's best tag against another; the other tags are left out, as in HanTa
_PLAIN = str.maketrans(
    {
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "–": "-",
        "—": "-",
        "…": "...",
        "\u00ad": None,
    }
)


class _Language(NamedTuple):
    """What HanTa's model of a language needs besides."""

    file: str
    universal: Callable[[str, str, str], str]
    """A function from a tag, a word and a lemma to the universal part of speech."""
    certain: dict[str, str]
    """The model's tags for those that `tag_by_characters` returns; for X, that of words that are not analysed."""
    own_lemmas: tuple[str, ...]
    """How those tags begin for which HanTa has better lemmas than simplemma, which knows more words but not the tag."""


_LANGUAGES = {
    "de": _Language(
        "morphmodel_ger.pgz",
        stts,
        {"PUNCT": "$(", "SYM": "XY", "NUM": "CARD", "PROPN": "NE", "X": "FM"},
        ("ADJ", "CARD", "VA", "VM", "VV"),
    ),
}


class _Reading(NamedTuple):
    """The lemma, part of speech and model's tag of a word."""

    lemma: str
    tag: str
    xpos: str


class _Word:
    """An entry of the cache of words; each part is filled in when it is first needed."""

    __slots__ = ("first", "other", "readings")

    def __init__(self) -> None:
        self.first: Candidates | None = None  # its tags at the start of a sentence, where its case says nothing
        self.other: Candidates | None = None  # its tags elsewhere
        self.readings: dict[int, _Reading] = {}  # by tag


def _new_word(text: str) -> _Word:  # noqa: ARG001 (the key of the cache)
    return _Word()


class HantaTagger:
    """Gives the tags that HanTa gives. A word is looked up and analysed once, as long as it is in the cache."""

    def __init__(self, lang: str) -> None:
        self._language = _LANGUAGES[lang]
        self._model = Morphology(self._language.file)
        self._classes = [tag for tag in self._model.LP_wtag if tag != END]
        self._trigrams = Trigrams(self._model.LP_trans_word, self._classes, (EMPTY, START), END)
        del self._model.LP_trans_word  # the dict is several times as large as the array that was made of it
        self._simplemma = SimplemmaTagger(lang)
        self._word = lru_cache(maxsize=_MAX_CACHED_WORDS)(_new_word)

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas and tags of all words."""
        pieces = list(split_long(sentences))
        words = [list(map(self._word, piece)) for piece in pieces]
        tags = self._trigrams.decode(
            [self._all_candidates(piece, found) for piece, found in zip(pieces, words, strict=True)]
        )
        return Tagged.of(list(chain.from_iterable(map(self._readings, pieces, words, tags))))

    def _readings(self, sentence: Sequence[str], words: Sequence[_Word], tags: Sequence[int]) -> list[_Reading]:
        """Return the readings of the words of a sentence, given their tags."""
        return [
            word.readings.get(tag) or self._read(text, word, tag)
            for text, word, tag in zip(sentence, words, tags, strict=True)
        ]

    def _all_candidates(self, sentence: Sequence[str], words: Sequence[_Word]) -> list[Candidates]:
        """Return the candidates of all words; the case of the first says nothing."""
        found = [word.other or self._find(text, word) for text, word in zip(sentence[1:], words[1:], strict=True)]
        first = words[0]
        if first.first is None:
            first.first = self._candidates(sentence[0], False)
        return [first.first, *found]

    def _find(self, text: str, word: _Word) -> Candidates:
        """Find the candidates of a word that is not the first, and cache them."""
        word.other = self._candidates(text, True)
        return word.other

    def _candidates(self, text: str, cased: bool) -> Candidates:
        """Find the tags that a word may have; all tags if the model finds none.

        They are in the order of the model, so that of equally good ones the same wins as in HanTa.
        """
        plain, numbers = _plain(text), self._trigrams.numbers
        certain = tag_by_characters(text)
        if self._model.normalize(plain) not in self._model.cache and (certain != "X" or not _is_analysable(plain)):
            return Candidates.of([(numbers[self._model.tag2int[self._language.certain[certain]]], 0.0)])
        found = self._model._tag_word(plain, _MAX_LOG_ODDS, cased, conditional=True)  # noqa: SLF001 (HanTa has no other way)
        known = sorted((numbers[tag], float(score)) for tag, score in found if tag != UNKNOWN)
        return Candidates.of(known or [(tag, 0.0) for tag in numbers.values()])

    def _read(self, text: str, word: _Word, tag: int) -> _Reading:
        """Find the reading of a word with a tag, and cache it."""
        xpos = self._model.int2tag[self._classes[tag]]
        certain = tag_by_characters(text)
        universal = self._language.universal
        if certain != "X":
            ordinal = certain == "NUM" and universal(xpos, text, text) == "ADJ"
            reading = _Reading(text, "ADJ" if ordinal else certain, xpos)
        elif not _is_analysable(text):
            reading = _Reading(text, "X", xpos)
        else:
            lemma = self._own_lemma(text, tag) if xpos.startswith(self._language.own_lemmas) else ""
            upos = universal(xpos, text.lower(), lemma)
            if not lemma or upos != universal(xpos, "", lemma):
                lemma = self._simplemma.lemma(text)
            reading = _Reading(_cased(text, lemma, upos), upos, xpos)
        word.readings[tag] = reading
        return reading

    def _own_lemma(self, text: str, tag: int) -> str:
        """Return HanTa's lemma of a word with a tag."""
        lemma: str
        lemma, _ = self._model._analyze(_plain(text), self._classes[tag])  # noqa: SLF001
        return lemma


def _plain(text: str) -> str:
    """Replace quotation marks, dashes and apostrophes by those that are in the training data of the models."""
    return text.translate(_PLAIN) or text


def _is_analysable(text: str) -> bool:
    """Tell whether a word may be analysed by its morphemes: not if it is very long, or a hashtag."""
    return len(text) <= _MAX_ANALYSED_CHARACTERS and not text.startswith("#")


def _cased(word: str, lemma: str, tag: str) -> str:
    """Return a lemma, in the case of the word if it is a name."""
    if tag != "PROPN" or not word[:1].isupper():
        return lemma
    return word if lemma.lower() == word.lower() else lemma[:1].upper() + lemma[1:]
