"""The tagger `simplemma`: lemmas of about fifty languages, by the dictionaries and rules of simplemma, without tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from simplemma import Lemmatizer
from simplemma.strategies import DefaultStrategy
from simplemma.strategies.dictionaries import StreamDictionaryFactory
from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

from gristmill.annotation.character_tags import tag_by_characters
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers.forms import TYPES
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean, part

_MAX_WORD_CHARACTERS = 40  # of a word that may be in a dictionary, or a compound of such words


class SimplemmaTagger:
    """Looks up lemmas word by word, without context. Unknown words keep their case, as names should."""

    def __init__(self, dictionary: str) -> None:
        # This factory needs an eighth of the memory of the one that makes dicts.
        strategy = DefaultStrategy(dictionary_factory=StreamDictionaryFactory(cache_max_size=1))
        self._lemmatizer = Lemmatizer(cache_max_size=0, lemmatization_strategy=strategy)
        self._dictionary = dictionary
        self._read = lru_cache(maxsize=TYPES)(self._look_up)
        self.lemma("a")  # raises now if the dictionary is missing or damaged

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas of all words, and those tags that their characters show."""
        read = self._read
        return Tagged.of([read(word) for sentence in sentences for word in sentence])

    def _look_up(self, word: str) -> tuple[str, str, str]:
        tag = tag_by_characters(word)
        return (self.lemma(word) if tag == "X" else word), tag, ""

    def lemma(self, word: str) -> str:
        """Return the lemma of a word."""
        return str(self._lemmatizer.lemmatize(word, self._dictionary)) if len(word) <= _MAX_WORD_CHARACTERS else word


@part("tagger", "simplemma")
@dataclass(frozen=True, slots=True)
class Simplemma:
    """The registered kind of tagger: lemmas by simplemma."""

    dictionary: str = ""
    """The language of the dictionary, if it is not that of the text."""

    def serves(self, lang: str) -> bool:
        """Tell whether there is a dictionary for a language."""
        return (self.dictionary or lang) in SUPPORTED_LANGUAGES

    def load(self, lang: str) -> SimplemmaTagger:
        """Load the tagger for a language; raises `UsageError` if there is no dictionary."""
        dictionary = self.dictionary or lang
        if not self.serves(lang):
            hint = did_you_mean(dictionary, SUPPORTED_LANGUAGES)
            known = ", ".join(sorted(SUPPORTED_LANGUAGES))
            raise UsageError(f"simplemma has no dictionary of {dictionary!r}{hint} (it has: {known})")
        return SimplemmaTagger(dictionary)
