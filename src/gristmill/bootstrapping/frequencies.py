"""How frequent words are in a language, in a corpus or in a list; and the words of some ranges of frequency."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gristmill.bootstrapping.words import lines_of, tidy_word
from gristmill.errors import UsageError
from gristmill.filter.words import count_words
from gristmill.language.stoplist import frequent_words, function_words, stop_list, word_frequencies
from gristmill.search.index.index import Index
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import counted
from gristmill.search.statistics.values import Values
from gristmill.search.subcorpus import Subcorpus
from gristmill.text.scripts import has_unspaced_script
from gristmill.text.words import word_pattern

Range = tuple[int, int]
"""The first and the last rank of some words, from 1."""

MID_FREQUENCY: Range = (1_001, 6_000)
"""Ranks of words that are neither of a topic nor too common to be searched for (Corpus Factory)."""
BASIC: Range = (101, 1_000)
"""Ranks of basic vocabulary, which leads to personal pages more than to public ones (ukWaC, 2.1)."""
MIN_CHARACTERS = 5
"""Of a word that is likely to be of this language alone (Corpus Factory)."""
_MIN_DENSE_CHARACTERS = 2  # of a word in a script whose characters are syllables or more
_MIN_WORDS = 20  # with fewer, all tuples look alike
# The most frequent words are nothing to search for: those that make up this share of running text, but not more than so
# many of them, since the words of some languages have hundreds of forms.
_FUNCTION_WORDS_SHARE = 0.4
_MAX_FUNCTION_WORDS = 150
_LANGUAGE_SIZE = 100_000_000  # words that frequencies of a language count as: more changes no ranking
_UNSPACED = ("ja", "ko", "zh")  # wordfreq has them in pieces: of use as words of queries, if not for stop lists


@dataclass(frozen=True)
class Frequencies:
    """The share of each word in running text, in lower case."""

    shares: Mapping[str, float]
    size: int
    """Words of the running text."""
    source: str = ""
    """Where they come from, as messages say it."""

    @classmethod
    def of_language(cls, lang: str) -> Frequencies:
        """Look up the frequencies of a language; none if they are not known."""
        shares = word_frequencies(lang) or _unspaced_frequencies(lang)
        return cls(shares, _LANGUAGE_SIZE, f"words of {lang}")

    @classmethod
    def of_counts(cls, counts: Mapping[str, int], source: str = "", size: int = 0) -> Frequencies:
        """Turn counts into shares of `size` words, or of all that are counted."""
        size = size or sum(counts.values())
        return cls({word: count / size for word, count in counts.items()}, size, source)

    @classmethod
    def of_texts(cls, texts: Iterable[str], lang: str, source: str = "") -> Frequencies:
        """Count the words of texts."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(count_words(text, lang))
        is_word = word_pattern().fullmatch
        return cls.of_counts({word: count for word, count in counts.items() if is_word(word)}, source)

    @classmethod
    def of_index(cls, index: Index, subcorpus: Subcorpus | None = None) -> Frequencies:
        """Count the words of a corpus, or of a part of it, by its index."""
        found = counted(Values(index, "word", ignore_case=True), Choice(index, subcorpus)).words()
        is_word = word_pattern().fullmatch
        pairs = zip(found.values.strings(found.keys).to_pylist(), found.counts.tolist(), strict=True)
        counts = {word: count for word, count in pairs if is_word(word)}
        return cls.of_counts(counts, f"words of {index.folder.parent}", int(found.counts.sum()))

    @classmethod
    def of_file(cls, path: str | os.PathLike[str]) -> Frequencies:
        """Read a list with a word, a tab and its count on each line, as `gristmill wordlist --csv` and others have it.

        The separator may be a comma or a space, and the count may come first. A line that has none is a heading if it
        is the first, and else an error.
        """
        counts: Counter[str] = Counter()
        for at, (number, line) in enumerate(lines_of(path)):
            entry = _entry(line)
            if entry is not None:
                counts[entry[0]] += entry[1]
            elif at:
                raise UsageError(
                    f"{path}, line {number:,}: a word and its count are expected, not {tidy_word(line)[:60]!r}"
                )
        known = +counts  # without those that are counted 0 times
        if not known:
            raise UsageError(
                f"there are no words with counts in {path}: write a word, a tab and its count on each line"
            )
        return cls.of_counts(known, f"words of {path}")

    @cached_property
    def ranked(self) -> list[str]:
        """All words, the most frequent first, and those of the same frequency by their letters."""
        return [word for word, _ in sorted(self.shares.items(), key=lambda item: (-item[1], item[0]))]

    def by_lemma(self, lemma: Callable[[str], str]) -> Frequencies:
        """Add up the frequencies of all forms of a word."""
        shares: dict[str, float] = {}
        for word, share in self.shares.items():
            base = lemma(word)
            shares[base] = shares.get(base, 0.0) + share
        return Frequencies(shares, self.size, self.source)

    def content_words(
        self, lang: str = "", ranks: Range = MID_FREQUENCY, min_characters: int = MIN_CHARACTERS
    ) -> list[str]:
        """Choose the words of some ranks that are long enough to be of this language alone, and no function words.

        In scripts whose characters are syllables or more, two are long enough. Of a list that ends before the last
        rank, the same part is taken as of one that just reaches it.
        """
        first, last = ranks
        if not 1 <= first <= last:
            raise UsageError(f"ranks go from 1 up, and the first is not above the last: {first}-{last}")
        if len(self.ranked) < last:
            first, last = first * len(self.ranked) // last, len(self.ranked)
        common = self.function_words(lang)
        words = [
            word
            for word in self.ranked[max(first - 1, 0) : last]
            if len(word) >= _enough_characters(word, min_characters) and word not in common
        ]
        if len(words) < _MIN_WORDS:
            raise UsageError(
                f"too few {self.source or 'words'} have ranks {ranks[0]:,}-{ranks[1]:,} and {min_characters} characters"
                f" ({len(words)} of {len(self.shares):,}): give seed words, or a longer list of frequencies"
            )
        return words

    def function_words(self, lang: str = "") -> frozenset[str]:
        """Return the words that are nothing to search for: function words, and the most frequent words of all."""
        frequent = frequent_words(
            {word: self.shares[word] for word in self.ranked[:_MAX_FUNCTION_WORDS]}, _FUNCTION_WORDS_SHARE
        )
        return frozenset(function_words(lang) | frequent)


def mid_frequency_words(lang: str, frequencies: Frequencies | None = None) -> list[str]:
    """Choose the mid-frequency words of a language, as seeds of a general corpus (Corpus Factory)."""
    return _known(lang, frequencies).content_words(lang)


def words_of_ranges(
    lang: str, frequencies: Frequencies | None = None, ranges: Sequence[Range] = (BASIC, MID_FREQUENCY)
) -> list[list[str]]:
    """Choose the content words of several ranges of frequency, of which pairs are made (ukWaC, 2.1)."""
    known = _known(lang, frequencies)
    return [known.content_words(lang, ranks, MIN_CHARACTERS - 1) for ranks in ranges]


def stop_words(lang: str) -> frozenset[str]:
    """Return the stop list of a language, or its function words if it has none."""
    return stop_list(lang) or frozenset(function_words(lang))


def _known(lang: str, frequencies: Frequencies | None) -> Frequencies:
    found = frequencies or Frequencies.of_language(lang)
    if not found.shares:
        raise UsageError(
            f"it is not known how frequent words are in {lang!r}: give seed words, or a list of its words with counts, "
            "or texts in it"
        )
    return found


def _unspaced_frequencies(lang: str) -> dict[str, float]:
    """Return the frequencies of a language that wordfreq has in pieces; of these, what has letters of its script."""
    if lang not in _UNSPACED:
        return {}
    from wordfreq import get_frequency_dict  # noqa: PLC0415 (half of a short command's time, and not always needed)

    found: dict[str, float] = get_frequency_dict(lang, wordlist="small")
    return {word: share for word, share in found.items() if is_dense(word)}


def _enough_characters(word: str, usual: int) -> int:
    return min(usual, _MIN_DENSE_CHARACTERS) if is_dense(word) else usual


def is_dense(word: str) -> bool:
    """Tell whether the characters of a word are syllables or more: Han, kana, Hangul, Thai and the like."""
    return has_unspaced_script(word) or any("가" <= sign <= "힣" for sign in word)


def _entry(line: str) -> tuple[str, int] | None:
    """Read a word and its count, in whatever order; further columns are of no interest. None if there is no count."""
    separator = next((sign for sign in "\t,;" if sign in line), None)
    columns = [column.strip().strip('"') for column in line.split(separator)]
    places = [at for at, column in enumerate(columns[:2]) if column.isascii() and column.isdecimal()]
    if len(columns) < 2 or not places:
        return None
    place = places[-1]
    word = tidy_word(columns[1 - place]).lower()
    return (word, min(int(columns[place][:18]), 10**15)) if word else None
