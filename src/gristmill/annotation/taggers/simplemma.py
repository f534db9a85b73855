"""Lemmas of about fifty languages, by the dictionaries and rules of simplemma. It has no tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from simplemma import Lemmatizer
from simplemma.strategies import DefaultStrategy
from simplemma.strategies.dictionaries import StreamDictionaryFactory
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from gristmill.annotation.tagger import TAGGERS, Tagged
from gristmill.annotation.taggers.forms import TYPES, tag_by_characters
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

_LONGEST = 40  # letters of a word that may be in a dictionary, or put together of such


class SimplemmaTagger:
    """The lemma of a word is the same wherever it stands. Words that are not known keep their case, as names should."""

    def __init__(self, dictionary: str) -> None:
        strategy = DefaultStrategy(
            dictionary_factory=StreamDictionaryFactory(cache_max_size=1)
        )  # eight times smaller than dicts
        self._lemmatizer = Lemmatizer(cache_max_size=0, lemmatization_strategy=strategy)
        self._dictionary = dictionary
        self._read = lru_cache(maxsize=TYPES)(self._look_up)
        self.lemma("a")  # a wrong or missing dictionary shows now

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Lemmas and tags of all words."""
        read = self._read
        return Tagged.of([read(word) for sentence in sentences for word in sentence])

    def _look_up(self, word: str) -> tuple[str, str, str]:
        tag = tag_by_characters(word)
        return (self.lemma(word) if tag == "X" else word), tag, ""

    def lemma(self, word: str) -> str:
        """The lemma of a word."""
        return str(self._lemmatizer.lemmatize(word, self._dictionary)) if len(word) <= _LONGEST else word


@TAGGERS.register("simplemma")
@dataclass(frozen=True, slots=True)
class Simplemma:
    """Lemmas by simplemma."""

    dictionary: str = ""
    """The language of the dictionary, if it is not that of the text."""

    def serves(self, lang: str) -> bool:
        """Languages that there is a dictionary of."""
        return (self.dictionary or lang) in SUPPORTED_LANGUAGES

    def load(self, lang: str) -> SimplemmaTagger:
        """The tagger of a language; raises if there is no dictionary."""
        dictionary = self.dictionary or lang
        if not self.serves(lang):
            hint = did_you_mean(dictionary, SUPPORTED_LANGUAGES)
            raise UsageError(
                f"simplemma has no dictionary of {dictionary!r}{hint} (it has: {', '.join(sorted(SUPPORTED_LANGUAGES))})"
            )
        return SimplemmaTagger(dictionary)
