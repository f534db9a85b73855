"""Keywords of a sample of texts: the words by which more texts like it are searched for (Basque collector, 3)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gristmill.arrays.dtypes import Floats
from gristmill.bootstrapping.config import KEYWORDS, MEASURES
from gristmill.bootstrapping.forms import Forms, is_unknown, lemmatiser, stems
from gristmill.bootstrapping.frequencies import Frequencies, stop_words
from gristmill.bootstrapping.words import MAX_WORD_CHARACTERS
from gristmill.errors import UsageError
from gristmill.filter.topic import General
from gristmill.search.statistics.measures import keyness_log_likelihood, log_dice
from gristmill.text.words import word_pattern

_MIN_CHARACTERS = 3
_MIN_CHARACTERS_ALONE = 4  # where nothing is known of the language, as short words are function words
_MIN_SCORES = {"rfr": 2.0, "ll": 15.13}  # of a keyword, by both: the second is p < 0.0001
_MIN_LOG_DICE = 8.0  # of the words of a term
_TEXTS_PER_MIN_DOCUMENT = 5  # a keyword is in two texts of five, and in three of ten and more
_MAX_MIN_DOCUMENTS = 3
_MAX_MIN_SHARE = 50  # of many texts it is in one of so many at least

_Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word or term, how typical it is of the texts, how often it stands in them, and in how many of them."""

    word: str
    score: float
    frequency: int
    documents: int
    forms: tuple[str, ...] = ()
    """Its forms in the texts, the most frequent first."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """What is counted of lemmas, or of terms, which are pairs of lemmas."""

    frequencies: Counter[_Gram]
    documents: Counter[_Gram]
    forms: dict[_Gram, Counter[str]]


def keywords(
    texts: Sequence[str],
    lang: str,
    reference: Frequencies | None = None,
    *,
    measure: str = "rfr",
    count: int = KEYWORDS,
    terms: bool = True,
    min_documents: int | None = None,
) -> list[Keyword]:
    """Find the words that are most typical of texts, compared with general language; the most typical first.

    Forms of a word are counted together where lemmas are known, and stop words are left out. With `terms`, pairs of
    content words that often stand together are keywords, too, even if one of them is frequent in general; a pair counts
    as a word that general language does not have. Whatever the measure, a keyword is twice as frequent as in general
    language, and not by chance (p < 0.0001). It is in `min_documents` texts at least: by default one, and up to three
    of ten and more. `reference` is by default what is known of the language; if that is nothing, frequent words are
    chosen. Of keywords that look like forms of one word, the first is taken.
    """
    if measure not in MEASURES:
        raise UsageError(f"keywords are found by {' or '.join(MEASURES)}, not {measure!r}")
    known = reference or Frequencies.of_language(lang)
    lemma = _lemmas(texts, lang)
    words, pairs = _count(texts, known.function_words(lang), lemma, bare=not known.shares)
    if min_documents is None:
        usual = min(1 + len(texts) // _TEXTS_PER_MIN_DOCUMENT, _MAX_MIN_DOCUMENTS)
        min_documents = max(usual, len(texts) // _MAX_MIN_SHARE)
    general = known.by_lemma(lemma)
    size = words.frequencies.total()
    scores = {name: _scored(words, general, lang, name, size) for name in MEASURES}
    found = scores[measure]
    typical = {gram for gram in found if all(scores[name][gram] >= _MIN_SCORES[name] for name in MEASURES)}
    excluded = stop_words(lang)
    rows = [_keyword(gram, found[gram], words, general) for gram in typical if not excluded & _names(gram, words)]
    if terms:
        joint = _terms(pairs, words, typical)
        joint_scores = _scored(joint, Frequencies({}, general.size), lang, measure, size)
        rows += [_keyword(gram, score, joint, general) for gram, score in joint_scores.items()]
    min_frequency = max(2, min_documents)
    wanted = [row for row in rows if row.documents >= min_documents and row.frequency >= min_frequency]
    return _apart(sorted(wanted, key=lambda row: (-row.score, row.word)))[:count]


def forms_of_keywords(found: Iterable[Keyword]) -> Forms:
    """Take the forms that keywords have in their texts; for languages without a dictionary these are all there are."""
    return Forms.of_entries({keyword.word: keyword.forms for keyword in found})


def _apart(rows: Sequence[Keyword]) -> list[Keyword]:
    """Keep of words that look like forms of each other the first, which gets the forms of the others, too."""
    base = stems(row.word for row in rows if " " not in row.word)
    groups: dict[str, list[Keyword]] = {}
    for row in rows:
        groups.setdefault(base.get(row.word, row.word), []).append(row)
    return [replace(same[0], forms=tuple(form for row in same for form in row.forms)) for same in groups.values()]


def _lemmas(texts: Sequence[str], lang: str) -> Callable[[str], str]:
    """Return what gives the lemma of a word; words that no dictionary has go by how they begin."""
    look_up = lemmatiser(lang) or str.lower
    words = {word for text in texts for word in word_pattern().findall(text.lower())}
    unknown = stems(word for word in words if is_unknown(word, lang))
    return lambda word: unknown.get(word) or look_up(word)


def _count(
    texts: Sequence[str], excluded: Collection[str], lemma: Callable[[str], str], *, bare: bool
) -> tuple[_Counts, _Counts]:
    """Count the lemmas of the content words of texts, and the pairs of them that stand side by side."""
    shortest = _MIN_CHARACTERS_ALONE if bare else _MIN_CHARACTERS
    counted = tuple(_Counts(Counter(), Counter(), defaultdict(Counter)) for _ in range(2))
    for text in texts:
        seen: tuple[set[_Gram], set[_Gram]] = (set(), set())
        for word, before in _words(text.lower()):
            if word in excluded or not shortest <= len(word) <= MAX_WORD_CHARACTERS or lemma(word) in excluded:
                continue
            grams: list[tuple[str, ...]] = [(word,)]
            if len(before) >= shortest and before not in excluded and lemma(before) not in excluded:
                grams.append((before, word))
            for forms, counts, found in zip(grams, counted, seen, strict=False):
                gram = tuple(map(lemma, forms))
                counts.frequencies[gram] += 1
                counts.forms[gram][" ".join(forms)] += 1
                found.add(gram)
        for counts, found in zip(counted, seen, strict=True):
            counts.documents.update(found)
    return counted[0], counted[1]


def _words(text: str) -> Iterator[tuple[str, str]]:
    """Yield words, and with each that which stands before it with a single space between; empty if none does."""
    for line in text.split("\n"):
        matches = list(word_pattern().finditer(line))
        if matches:
            yield matches[0][0], ""
        for one, two in pairwise(matches):
            yield two[0], one[0] if line[one.end() : two.start()] == " " else ""


def _scored(counts: _Counts, general: Frequencies, lang: str, measure: str, size: int) -> dict[_Gram, float]:
    """Compute how typical lemmas or terms are of `size` content words."""
    grams = list(counts.frequencies)
    numbers: Floats = np.array([counts.frequencies[gram] for gram in grams], np.float64)
    names = [" ".join(gram) for gram in grams]
    if measure == "ll":
        expected = np.array([general.shares.get(name, 0.0) * general.size for name in names])
        scores = keyness_log_likelihood(numbers, size, expected, general.size)
    else:
        # The numbers of all words are needed for their sum: that of the terms is not what they are a share of.
        scores = General.of(lang, general.shares).rfr(names, numbers) * (numbers.sum() / max(size, 1))
    return dict(zip(grams, scores.tolist(), strict=True))


def _terms(pairs: _Counts, words: _Counts, typical: set[_Gram]) -> _Counts:
    """Keep the pairs of two typical words that stand together much more often than by chance."""
    kept: Counter[_Gram] = Counter()
    for (one, two), number in pairs.frequencies.items():
        if number > 1 and (one,) in typical and (two,) in typical and one != two:
            sides = words.frequencies[one,], words.frequencies[two,]
            if log_dice(np.array([number]), sides[0], np.array([sides[1]]), 0.0)[0] >= _MIN_LOG_DICE:
                kept[one, two] = number
    return _Counts(kept, pairs.documents, pairs.forms)


def _names(gram: _Gram, counts: _Counts) -> set[str]:
    """Return a lemma and its most frequent form."""
    return {*gram, counts.forms[gram].most_common(1)[0][0]}


def _keyword(gram: _Gram, score: float, counts: _Counts, general: Frequencies) -> Keyword:
    """Make a keyword, shown as its lemma if that is a word that is used, or else as its most frequent form."""
    forms = counts.forms[gram]
    by_frequency = tuple(sorted(forms, key=lambda form: (-forms[form], form)))
    base = " ".join(gram)
    word = base if base in forms or base in general.shares else by_frequency[0]
    return Keyword(word, score, counts.frequencies[gram], counts.documents[gram], by_frequency)
