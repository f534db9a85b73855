"""Tags and lemmas of German, English and Dutch by the models of HanTa, the Hanover Tagger, with faster code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from HanTa.HanoverTagger import EMPTY, END, START, UNKNOWN

from gristmill.annotation.tagger import TAGGERS, Tagged
from gristmill.annotation.taggers import english
from gristmill.annotation.taggers.forms import tag_by_characters
from gristmill.annotation.taggers.hanta_morphology import Morphology
from gristmill.annotation.taggers.outside import Cut
from gristmill.annotation.taggers.simplemma import SimplemmaTagger
from gristmill.annotation.taggers.trigrams import Candidates, Trigrams
from gristmill.annotation.universal import c5, dutch, stts
from gristmill.errors import UsageError

_TYPES = 1 << 16  # words that are remembered with their tags and lemmas, in some 105 MB
_LONGEST = 40  # letters of a word that is worth analysing, which takes time by their square
_CUTOFF = 5  # tags of unknown words that are so much less probable than the best are not looked at, as in HanTa
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


Corrections = Callable[[Sequence[str], Sequence[str]], list[tuple[int, str]]]


class _Language(NamedTuple):
    """What is to be known of HanTa's model of a language."""

    file: str
    universal: Callable[[str, str, str], str]
    """The part of speech of a tag, a word and a lemma."""
    certain: dict[str, str]
    """The model's tags of what characters tell: PUNCT, SYM, NUM, PROPN; and, for X, of what is not worth analysing."""
    own_lemmas: tuple[str, ...]
    """How the tags start whose lemmas HanTa, which knows the tag, has right more often than simplemma, which knows more words."""
    corrections: Corrections | None = None
    """Parts of speech that depend on the words beside."""


_LANGUAGES = {
    "de": _Language(
        "morphmodel_ger.pgz",
        stts,
        {"PUNCT": "$(", "SYM": "XY", "NUM": "CARD", "PROPN": "NE", "X": "FM"},
        ("ADJ", "CARD", "VA", "VM", "VV"),
    ),
    "en": _Language(
        "morphmodel_en.pgz",
        c5,
        {"PUNCT": "PUN", "SYM": "UNC", "NUM": "CRD", "PROPN": "NP0", "X": "UNC"},
        ("AT", "VB", "VD", "VH", "VV"),
        english.corrections,
    ),
    "nl": _Language(
        "morphmodel_dutch.pgz",
        dutch,
        {
            "PUNCT": "LET()",
            "SYM": "SPEC(symb)",
            "NUM": "TW(hoofd,vrij)",
            "PROPN": "N(eigen,ev,basis,zijd,stan)",
            "X": "SPEC(vreemd)",
        },
        ("ADJ", "TW", "WW"),
    ),
}


class _Reading(NamedTuple):
    lemma: str
    tag: str
    xpos: str


class _Word:
    """What is known of a word: its tags at the start of a sentence, where its case tells nothing, and elsewhere; a reading for each tag."""

    __slots__ = ("first", "other", "readings")

    def __init__(self) -> None:
        self.first: Candidates | None = None
        self.other: Candidates | None = None
        self.readings: dict[int, _Reading] = {}


def _new_word(text: str) -> _Word:  # noqa: ARG001 (the cache is asked by it)
    return _Word()


class HantaTagger:
    """Gives the tags that HanTa gives. Each word is looked up and analysed once, as long as it is remembered."""

    def __init__(self, lang: str) -> None:
        self._language = _LANGUAGES[lang]
        self._model = Morphology(self._language.file)
        self._classes = [tag for tag in self._model.LP_wtag if tag != END]
        self._trigrams = Trigrams(self._model.LP_trans_word, self._classes, (EMPTY, START), END)
        del self._model.LP_trans_word  # which is several times as large as its array
        self._simplemma = SimplemmaTagger(lang)
        self._word = lru_cache(maxsize=_TYPES)(_new_word)

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Lemmas and tags of all words."""
        pieces = list(Cut(sentences))
        words = [list(map(self._word, piece)) for piece in pieces]
        tags = self._trigrams.decode(
            [self._all_candidates(piece, found) for piece, found in zip(pieces, words, strict=True)]
        )
        return Tagged.of(list(chain.from_iterable(map(self._readings, pieces, words, tags))))

    def _readings(self, sentence: Sequence[str], words: Sequence[_Word], tags: Sequence[int]) -> list[_Reading]:
        readings = [
            word.readings.get(tag) or self._read(text, word, tag)
            for text, word, tag in zip(sentence, words, tags, strict=True)
        ]
        if self._language.corrections:
            for at, tag in self._language.corrections(sentence, [reading.xpos for reading in readings]):
                reading = readings[at]
                readings[at] = _Reading(_cased(sentence[at], reading.lemma, tag), tag, reading.xpos)
        return readings

    def _all_candidates(self, sentence: Sequence[str], words: Sequence[_Word]) -> list[Candidates]:
        """The candidates of all words; the case of the first tells nothing."""
        found = [word.other or self._find(text, word) for text, word in zip(sentence[1:], words[1:], strict=True)]
        first = words[0]
        if first.first is None:
            first.first = self._candidates(sentence[0], False)
        return [first.first, *found]

    def _find(self, text: str, word: _Word) -> Candidates:
        word.other = self._candidates(text, True)
        return word.other

    def _candidates(self, text: str, cased: bool) -> Candidates:
        """The tags of a word in the order of the model, so that of equals the same is best as in HanTa; any tag if it has none."""
        plain, numbers = _plain(text), self._trigrams.numbers
        certain = tag_by_characters(text)
        if self._model.normalize(plain) not in self._model.cache and (certain != "X" or _is_hopeless(plain)):
            return Candidates.of([(numbers[self._model.tag2int[self._language.certain[certain]]], 0.0)])
        found = self._model._tag_word(plain, _CUTOFF, cased, conditional=True)  # noqa: SLF001 (HanTa has no other way)
        known = sorted((numbers[tag], float(score)) for tag, score in found if tag != UNKNOWN)
        return Candidates.of(known or [(tag, 0.0) for tag in numbers.values()])

    def _read(self, text: str, word: _Word, tag: int) -> _Reading:
        """The reading of a word with a tag, which is remembered."""
        xpos = self._model.int2tag[self._classes[tag]]
        certain = tag_by_characters(text)
        universal = self._language.universal
        if certain != "X":
            ordinal = certain == "NUM" and universal(xpos, text, text) == "ADJ"
            reading = _Reading(text, "ADJ" if ordinal else certain, xpos)
        elif _is_hopeless(text):
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
        lemma: str
        lemma, _ = self._model._analyze(_plain(text), self._classes[tag])  # noqa: SLF001
        return lemma


def _plain(text: str) -> str:
    """A word with the quotation marks, dashes and apostrophes that the models have seen."""
    return text.translate(_PLAIN) or text


def _is_hopeless(text: str) -> bool:
    """Whether a word is not worth analysing by its morphemes."""
    return len(text) > _LONGEST or text.startswith("#")


def _cased(word: str, lemma: str, tag: str) -> str:
    """A lemma, in the case of the word if it is a name."""
    if tag != "PROPN" or not word[:1].isupper():
        return lemma
    return word if lemma.lower() == word.lower() else lemma[:1].upper() + lemma[1:]


@TAGGERS.register("hanta")
@dataclass(frozen=True, slots=True)
class Hanta:
    """Tags by HanTa, lemmas by HanTa and simplemma."""

    def serves(self, lang: str) -> bool:
        """German, English and Dutch."""
        return lang in _LANGUAGES

    def load(self, lang: str) -> HantaTagger:
        """The tagger of a language."""
        if not self.serves(lang):
            raise UsageError(f"hanta knows {', '.join(_LANGUAGES)}, not {lang}")
        return HantaTagger(lang)
