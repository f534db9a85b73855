"""The filter `topic`: documents that share their content words with a sample of documents on a topic.

The paper's vectors have the lemmas of nouns, proper nouns, adjectives and verbs. Annotation comes later than filters,
so the filter asks the tagger of the language itself. Where there is none that knows lemmas and tags, or if the user
asks for that (`words="forms"`), the vectors have word forms without stop words.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Floats
from gristmill.document import Document
from gristmill.errors import UsageError
from gristmill.filter.content_words import WORDS, by_lemma, count_all_words, count_content_words
from gristmill.filter.registry import DocumentFilter, Finding, check_shares
from gristmill.filter.texts import read_texts
from gristmill.language import identify
from gristmill.language.stoplist import word_frequencies
from gristmill.registry import part

_MIN_WORD_FREQUENCY = 1e-4  # share of running text; chosen on web pages of known subjects (gold standard wcxb-a)
_MAX_IDENTIFIED_CHARACTERS = 20_000  # of a sample, from which its language is identified


@part("filter", "topic")
@dataclass(frozen=True)
class Topic(DocumentFilter):
    """Keeps documents like those of a sample, by the cosine of their weighted words (Basque collector, 7.1).

    The weight of a word is the ratio of its relative rank in the document to that in general language (`rrr`), or of
    its relative frequency (`rfr`). Words are lemmas of nouns, proper nouns, adjectives and verbs where the language has
    a tagger that knows them, or else (and with `words=forms`) forms without stop words. A document is compared with the
    nearest document of the sample, or with the sample as a whole.
    """

    sample: str = ""
    min: float = 0.19
    weights: str = "rrr"
    compare: str = "nearest"
    lang: str = ""
    general: str = ""
    words: str = "lemmas"

    paths: ClassVar[tuple[str, ...]] = ("sample", "general")
    needed: ClassVar[tuple[str, ...]] = ("sample",)

    def check(self) -> None:
        """Check that the sample is there, and that word frequencies are known for its language."""
        check_shares("topic", min=self.min)
        for name, value, known in (
            ("weights", self.weights, ("rrr", "rfr")),
            ("compare", self.compare, ("nearest", "whole")),
            ("words", self.words, WORDS),
        ):
            if value not in known:
                raise UsageError(f"topic: {name} must be {' or '.join(known)}, not {value!r}")
        if not self.sample:
            raise UsageError(
                "the filter 'topic' needs texts on the topic: topic:sample=FOLDER, with a text file a document"
            )
        if not self.index.postings:
            raise UsageError(f"there are no words in the texts of {self.sample}")

    def judge(self, document: Document) -> Finding:
        """Find how near the document is to the sample."""
        cosine = self.index.nearest(document.folded)
        against = "the nearest text of the sample" if self.compare == "nearest" else "the sample"
        if cosine < self.min:
            return Finding(False, f"{cosine:.3f} like {against}, less than {self.min}")
        return Finding(True, f"{cosine:.3f} like {against}")

    @functools.cached_property
    def index(self) -> Index:
        """The words of the sample."""
        texts = read_texts(self.sample)
        characters = _MAX_IDENTIFIED_CHARACTERS // len(texts) + 100
        lang = self.lang or identify("\n".join(text[:characters] for text in texts)).lang
        compared = ["\n".join(texts)] if self.compare == "whole" else texts
        return Index.of(compared, general_language(lang, self.general, self.words), self.weights)


@dataclass(frozen=True)
class General:
    """The frequencies of words in general language, as shares of running text, the most frequent first.

    Smoothing: words that are not known, or rarer than the rarest here, count as if they were as frequent as that one.
    Otherwise rare and misspelt words would have the largest weights. (The paper says so of unknown words; measurements
    show the same of all rare ones.)
    """

    lang: str
    frequencies: Mapping[str, float]
    ranks: Mapping[str, int]
    words: str = "forms"
    """What is counted: one of `WORDS`."""

    @classmethod
    def of(cls, lang: str, frequencies: Mapping[str, float], words: str = "forms") -> General:
        """Choose the words that are frequent enough for their frequency to be reliable."""
        order = sorted(frequencies.items(), key=lambda item: (-item[1], item[0]))
        frequent = [word for word, frequency in order if frequency >= _MIN_WORD_FREQUENCY] or [
            word for word, _ in order
        ]
        return cls(
            lang,
            {word: frequencies[word] for word in frequent},
            {word: rank for rank, word in enumerate(frequent, 1)},
            words,
        )

    def vector(self, text: str, weights: str) -> dict[str, float]:
        """Return the content words of a text with their weights."""
        counts = count_content_words(text, self.lang, self.words)
        if not counts:
            return {}
        words = list(counts)
        numbers = np.array(list(counts.values()), np.float64)
        values = self.rfr(words, numbers) if weights == "rfr" else self._rrr(words, numbers)
        return dict(zip(words, values.tolist(), strict=True))

    def rfr(self, words: Sequence[str], numbers: Floats) -> Floats:
        """Compute relative frequency ratios: frequency in the text to frequency in general language (Damerau 1993)."""
        rarest = min(self.frequencies.values(), default=_MIN_WORD_FREQUENCY)
        general: Floats = np.array([self.frequencies.get(word, rarest) for word in words])
        ratios: Floats = numbers / numbers.sum() / general
        return ratios

    def _rrr(self, words: Sequence[str], numbers: Floats) -> Floats:
        """Compute relative rank ratios: rank in general language to rank in the text, each divided by the last rank.

        The formula is missing in the available file of the paper. Words of the same frequency share their middle rank:
        with the counts [5, 2, 2], the ranks are [1, 2.5, 2.5].
        """
        _, place, many = np.unique(-numbers, return_inverse=True, return_counts=True)
        ranks = (np.cumsum(many) - (many - 1) / 2)[place]
        last = len(self.ranks)
        general = np.array([self.ranks.get(word, last) for word in words], np.float64)
        return (general / last) / (ranks / len(words))


@dataclass(frozen=True)
class Index:
    """An inverted index of the documents of a sample."""

    general: General
    weights: str
    postings: Mapping[str, tuple[npt.NDArray[np.intp], Floats]]
    """For each word the documents that have it, and its weights there; the vector of a document has length 1."""
    size: int
    """Documents."""

    @classmethod
    def of(cls, texts: Sequence[str], general: General, weights: str) -> Index:
        """Index the documents of a sample."""
        found: dict[str, tuple[list[int], list[float]]] = {}
        for number, text in enumerate(texts):
            vector = general.vector(text, weights)
            norm = float(np.linalg.norm(list(vector.values()))) or 1.0
            for word, weight in vector.items():
                places, values = found.setdefault(word, ([], []))
                places.append(number)
                values.append(weight / norm)
        return cls(
            general,
            weights,
            {word: (np.array(places), np.array(values)) for word, (places, values) in found.items()},
            len(texts),
        )

    def nearest(self, text: str) -> float:
        """Return the cosine of a text and the document that is nearest to it."""
        vector = self.general.vector(text, self.weights)
        cosines = np.zeros(self.size)
        for word, weight in vector.items():
            if word in self.postings:
                places, values = self.postings[word]
                cosines[places] += weight * values
        return float(cosines.max() / (np.linalg.norm(list(vector.values())) or 1.0)) if vector else 0.0


def general_language(lang: str, path: str, words: str) -> General:
    """Return the word frequencies of general language: of a user's texts if there are any, or those of the language."""
    if path:
        counts: Counter[str] = Counter()
        for text in read_texts(path):
            counts.update(count_all_words(text, lang, words))
        return General.of(lang, {word: count / counts.total() for word, count in counts.items()}, words)
    known = word_frequencies(lang)
    if not known:
        raise UsageError(
            f"topic: it is not known how frequent words are in {lang!r}: give texts in it, topic:general=FOLDER,..."
        )
    return General.of(lang, by_lemma(known, lang, words), words)
