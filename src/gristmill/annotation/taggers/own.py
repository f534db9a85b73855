"""The tagger `own`: tags, features and lemmas by a model that was trained on treebanks, ours or one of the user's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gristmill.annotation.character_tags import plausible_tag
from gristmill.annotation.tagger import Tagged
from gristmill.annotation.taggers.outside import split_long
from gristmill.annotation.tagging import kept
from gristmill.annotation.tagging.dictionary import dictionary_of
from gristmill.annotation.tagging.model import Model
from gristmill.annotation.tagging.reading import candidates, traits_of
from gristmill.annotation.tagging.shipped import SUFFIX, model_of
from gristmill.annotation.tagging.transliteration import LANGUAGES, is_cyrillic, to_cyrillic, to_latin
from gristmill.annotation.tagging.treebank import TAGS
from gristmill.annotation.tagging.words import MAX_CHARACTERS, Words, lowered
from gristmill.arrays.ragged import starts_of
from gristmill.consent import Named
from gristmill.errors import UsageError
from gristmill.kernel import WeightTable, find_bundles, find_tags, score_words
from gristmill.registry import part

_EDGES = ("\x02", "\x03")
_WORDS_AT_ONCE = 1 << 15
_MAX_TYPES = 1 << 16
"""Different words whose sums of weights are kept; some 0.2 to 0.7 kB each."""
_ROLES, _VALUE_ROLES = 6, 4

_Reading = tuple[str, str, str, str]
"""Lemma, tag, own tag and features."""


class OwnTagger:
    """Tags sentences by sums of weights, which are added up once for each different word."""

    max_types = _MAX_TYPES
    """Different words that are kept at a time, if there is memory for them."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._dictionary = dictionary_of(model.lang)
        self._latin = model.lang in LANGUAGES
        self._tags = WeightTable(model.tags.keys.data, model.tags.rows, _ROLES)
        self._values = WeightTable(model.values.keys.data, model.values.rows, _VALUE_ROLES)
        self._tag_names = [
            TAGS[tag] for tag, number in enumerate(np.diff(model.bundles.starts).tolist()) for _ in range(number)
        ]
        self._clear()

    def _clear(self) -> None:
        """Forget all words; the results never change."""
        self._numbers: dict[str, int] = {}
        self._words: list[str] = []
        self._scores = np.zeros((0, _ROLES, self._model.tags.rows.shape[1]), np.int16)
        self._value_scores = np.zeros((0, _VALUE_ROLES, self._model.values.rows.shape[1]), np.int16)
        self._entries = np.zeros((0, 4), np.int32)
        self._traits = np.zeros(0, np.uint8)
        self._used = np.zeros(0, np.int64)
        self._batch = 0
        self._readings = _Readings(self)
        self._lemmas: dict[tuple[int, str], str] = {}
        self._add(_EDGES)

    def tag(self, sentences: Sequence[Sequence[str]]) -> Tagged:
        """Return lemmas, tags and features of all words."""
        readings = list(chain.from_iterable(map(self._read, _batches(split_long(sentences)))))
        return Tagged.of(readings) if readings else Tagged()

    def _read(self, sentences: Sequence[Sequence[str]]) -> list[_Reading]:
        """Return the readings of the words of some sentences."""
        words = list(chain.from_iterable(sentences))
        new = {word for word in words if word not in self._numbers}
        if len(self._words) + len(new) > self.max_types:
            self.forget()
            new = {word for word in words if word not in self._numbers}
        self._batch += 1
        if new:
            self._add(sorted(new))
        types = np.fromiter(map(self._numbers.__getitem__, words), np.int32, len(words))
        self._used[types] = self._batch
        starts = starts_of(np.fromiter(map(len, sentences), np.int64, len(sentences))).astype(np.int32)
        size = len(self._words)
        traits = self._traits[:size]
        tags, caseless = find_tags(types, starts, traits, self._scores[:size], self._model.steps)
        bundles = self._model.bundles
        found = find_bundles(
            types,
            starts,
            tags,
            caseless,
            traits,
            self._value_scores[:size],
            bundles.starts,
            bundles.value_starts,
            bundles.values,
        )
        keys = types.astype(np.int64) * len(bundles.names) + found
        readings = list(map(self._readings.__getitem__, keys.tolist()))
        kept.use(self)
        return readings

    def _add(self, words: Sequence[str]) -> None:
        """Add up the weights of new words."""
        first = len(self._words)
        scores, value_scores, entries = score_words(
            *Words.of(list(map(self._written, words))).arrays, self._dictionary.lexicon, self._tags, self._values
        )
        for name, rows in (
            ("_scores", scores),
            ("_value_scores", value_scores),
            ("_entries", entries),
            ("_traits", traits_of(words)),
            ("_used", np.full(len(words), self._batch, np.int64)),
        ):
            setattr(self, name, _appended(getattr(self, name), first, rows))
        self._numbers.update(zip(words, range(first, first + len(words)), strict=True))
        self._words.extend(words)

    def kept_bytes(self) -> int:
        """Estimate how many bytes the words take: their scores, and some objects for each word and reading."""
        arrays = (self._scores, self._value_scores, self._entries, self._traits, self._used)
        return sum(array.nbytes for array in arrays) + 250 * len(self._words) + 250 * len(self._readings)

    def forget(self) -> None:
        """Keep that half of the words that was used last."""
        size, bundles = len(self._words), len(self._model.bundles.names)
        latest = np.argsort(-self._used[:size], kind="stable")[: size // 2]
        places = np.unique(np.concatenate([np.arange(len(_EDGES)), latest]))
        new = dict(zip(places.tolist(), range(len(places)), strict=True))
        for name in ("_scores", "_value_scores", "_entries", "_traits", "_used"):
            setattr(self, name, getattr(self, name)[places])
        self._words = [self._words[number] for number in new]
        self._numbers = {word: number for number, word in enumerate(self._words)}
        readings = _Readings(self)
        for key, reading in self._readings.items():
            number, bundle = divmod(key, bundles)
            if number in new:
                readings[new[number] * bundles + bundle] = reading
        self._readings = readings
        self._lemmas = {(new[number], tag): lemma for (number, tag), lemma in self._lemmas.items() if number in new}

    def reading(self, key: int) -> _Reading:
        """Return the reading of a word with a bundle of features, which implies its tag."""
        number, bundle = divmod(key, len(self._model.bundles.names))
        word, tag = self._written(self._words[number]), self._tag_names[bundle]
        shown = plausible_tag(word, tag)
        if shown != tag:
            return self._words[number], shown, "", ""
        xpos = self._model.xpos.get((lowered(word), bundle)) or self._model.xpos.get(("", bundle), "")
        lemma = self._lemmas.get((number, tag)) or self._lemmas.setdefault(
            (number, tag), self._lemma(word, number, tag)
        )
        if word is not self._words[number]:
            lemma = to_cyrillic(lemma)
        return lemma, tag, xpos, self._model.bundles.names[bundle]

    def _written(self, word: str) -> str:
        """Return a word as the model knows it: Serbian in Cyrillic letters with Latin ones."""
        return to_latin(word) if self._latin and is_cyrillic(word) else word

    def _lemma(self, word: str, number: int, tag: str) -> str:
        """Return the lemma of a word with a tag; of a model without lemmas the word in lower case."""
        lemmas = self._model.lemmas
        if len(word) > MAX_CHARACTERS:
            return word
        if lemmas is None:
            return word.lower()
        found = candidates(word, self._entries[number].tolist(), self._dictionary)
        return lemmas.lemma(word, tag, found, self._is_lemma) or word

    def _is_lemma(self, word: str) -> bool:
        return self._dictionary.find(word) == word


class _Readings(dict[int, _Reading]):
    """The readings of words with bundles, each made when it is first asked for."""

    def __init__(self, tagger: OwnTagger) -> None:
        super().__init__()
        self._tagger = tagger

    def __missing__(self, key: int) -> _Reading:
        reading = self[key] = self._tagger.reading(key)
        return reading


def _appended(array: NDArray[np.generic], used: int, rows: NDArray[np.generic]) -> NDArray[np.generic]:
    """Write rows behind those that are used; the array is doubled if there is no room."""
    if used + len(rows) > len(array):
        larger = np.zeros((max(2 * len(array), used + len(rows)), *array.shape[1:]), array.dtype)
        larger[:used] = array[:used]
        array = larger
    array[used : used + len(rows)] = rows
    return array


def _batches(sentences: Iterator[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Yield sentences in batches of about `_WORDS_AT_ONCE` words."""
    batch: list[Sequence[str]] = []
    size = 0
    for sentence in sentences:
        batch.append(sentence)
        size += len(sentence)
        if size >= _WORDS_AT_ONCE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


@part("tagger", "own")
@dataclass(frozen=True, slots=True)
class Own:
    """The registered kind of tagger: a model that comes with gristmill, or a file of the user's."""

    model: str = ""
    """The file of a model, if it is not ours."""

    def serves(self, lang: str) -> bool:
        """Tell whether there is a model for a language."""
        return bool(self.model) or model_of(lang) is not None

    def load(self, lang: str) -> OwnTagger:
        """Load the tagger; raises `UsageError` if there is no model, or the file is none."""
        path = Path(self.model) if self.model else model_of(lang)
        if path is None:
            raise UsageError(
                f"gristmill has no tagger of {lang!r}: train one with `gristmill train tagger TREEBANK.conllu --lang "
                f"{lang} -o {lang}{SUFFIX}`, and name it as {lang}=own:{lang}{SUFFIX}"
            )
        return OwnTagger(Model.read(path))

    def names(self) -> list[Named]:
        """List the model."""
        return [Named.at("model", path) for path in self.paths().values()]

    def paths(self) -> dict[str, str]:
        """Return the model, if it is a file of the user's."""
        return {"model": self.model} if self.model else {}
