"""Comparable documents: those on the same topic in two languages, over a whole corpus, ranked.

A document becomes a vector of weighted words (Salton and Buckley 1988: the logarithm of the frequency, times how rare
the word is), and that of the source is brought to the words of the target by the dictionary (query translation, as in
cross-language retrieval). Numbers and names, which need no dictionary, are dimensions as well. The rank is the cosine.

An inverted index finds documents that have anything in common. Of each document the dimensions with most weight are
looked up, and those that too many documents have are left out, so that the work is linear in the number of documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.parallel.outline import Outline
from gristmill.parallel.pages import Translations

MAX_DIMENSIONS = 80
"""Dimensions of a document that are looked up, those with most weight."""
MAX_POSTINGS = 500
"""Documents with a dimension up to which it is looked up; it counts in the norm of documents all the same."""
_MAX_TRANSLATIONS = 4
_MIN_PROBABILITY = 0.02
_NUMBER_WEIGHT, _NAME_WEIGHT = 0.7, 0.7
"""How much numbers, and names and beginnings of words, count beside words."""
_CHUNK_DOCUMENTS = 512
"""Documents that are looked up at once: so many times the first two numbers above are in memory, in 24 bytes each."""


@dataclass(frozen=True, slots=True)
class Comparable:
    """A document of the target language that is like one of the source."""

    source: str
    target: str
    """The ids of the documents."""
    rank: int
    """1 for the one that is most alike."""
    similarity: float
    """The cosine of the two, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class _Vectors:
    """Sparse vectors, as rows of a ragged array: numbers of dimensions, and weights; of length 1."""

    dimensions: Ints
    weights: Floats
    starts: Ints


def comparable(
    source: Sequence[Outline],
    target: Sequence[Outline],
    dictionary: Translations | None = None,
    n: int = 10,
    *,
    counts: Counter[str] | None = None,
) -> list[list[Comparable]]:
    """Rank for each document of the source the `n` documents of the target that are most like it.

    The lists are in the order of the source. `counts` gets the number of comparisons. Ties are in the order of ids.
    """
    order = sorted(range(len(target)), key=lambda number: (target[number].id, number))
    others = [target[number] for number in order]
    theirs, numbers, rarity = _target_vectors(others)
    ours = _source_vectors(source, dictionary, numbers, rarity)
    found: list[list[Comparable]] = []
    postings = _Postings.of(theirs, len(rarity))
    for first in range(0, len(source), _CHUNK_DOCUMENTS):
        last = min(first + _CHUNK_DOCUMENTS, len(source))
        rows, columns, cosines, looked_at = postings.similar(ours, first, last, len(others), n)
        if counts is not None:
            counts["comparisons"] += looked_at
        lists: list[list[Comparable]] = [[] for _ in range(first, last)]
        for row, column, cosine in zip(rows.tolist(), columns.tolist(), cosines.tolist(), strict=True):
            some = lists[row]
            similarity = round(min(cosine, 1.0), 6)
            some.append(Comparable(source[first + row].id, others[column].id, len(some) + 1, similarity))
        found.extend(lists)
    return found


@dataclass(frozen=True, slots=True)
class _Postings:
    """An inverted index: for each dimension the documents that have it, and its weight in each."""

    documents: Ints
    weights: Floats
    starts: Ints

    @classmethod
    def of(cls, vectors: _Vectors, size: int) -> _Postings:
        """Index vectors of so many dimensions."""
        order = np.argsort(vectors.dimensions, kind="stable")
        documents = np.repeat(np.arange(len(vectors.starts) - 1), np.diff(vectors.starts))[order]
        counts = np.bincount(vectors.dimensions, minlength=size)
        return cls(documents, vectors.weights[order], starts_of(counts))

    def similar(self, vectors: _Vectors, first: int, last: int, size: int, most: int) -> tuple[Ints, Ints, Floats, int]:
        """Find the documents that are most like some vectors: rows, documents, cosines, and how many were looked at."""
        part = slice(vectors.starts[first], vectors.starts[last])
        dimensions, weights = vectors.dimensions[part], vectors.weights[part]
        rows = np.repeat(np.arange(last - first), np.diff(vectors.starts[first : last + 1]))
        counts = self.starts[dimensions + 1] - self.starts[dimensions]
        usable = np.flatnonzero((counts > 0) & (counts <= MAX_POSTINGS))
        usable = usable[_first_of_each(rows[usable], -weights[usable], MAX_DIMENSIONS)]
        places = concatenated_ranges(self.starts[dimensions[usable]], counts[usable])
        products = np.repeat(weights[usable], counts[usable]) * self.weights[places]
        pairs = np.repeat(rows[usable], counts[usable]) * np.int64(max(size, 1)) + self.documents[places]
        different, inverse = np.unique(pairs, return_inverse=True)
        sums = np.bincount(inverse, products, len(different)).astype(np.float64)
        cosines: Floats = sums.round(9)
        found, documents = np.divmod(different, max(size, 1))
        best = _first_of_each(found, -cosines, most)
        best = best[np.lexsort((documents[best], -cosines[best], found[best]))]
        return found[best], documents[best], cosines[best], len(places)


def _first_of_each(groups: Ints, values: Floats, most: int) -> Ints:
    """Return the places of the lowest values of each group, at most so many; ties in the order of places."""
    order = np.lexsort((np.arange(len(groups)), values, groups))
    ordered = groups[order]
    begins = np.searchsorted(ordered, ordered, "left")
    return np.sort(order[np.arange(len(order)) - begins < most])


def _target_vectors(outlines: Sequence[Outline]) -> tuple[_Vectors, dict[int, int], Floats]:
    """Make the vectors of documents in their own words; also the numbers of dimensions, and how rare each is."""
    weighted = [_own_dimensions(outline) for outline in outlines]
    numbers: dict[int, int] = {}
    for dimensions in weighted:
        for key in dimensions:
            numbers.setdefault(key, len(numbers))
    frequencies = np.zeros(len(numbers))
    for dimensions in weighted:
        frequencies[[numbers[key] for key in dimensions]] += 1
    rarity = np.log((len(outlines) + 1) / np.maximum(frequencies, 1))
    return _vectors(weighted, numbers, rarity), numbers, rarity


def _own_dimensions(outline: Outline) -> dict[int, float]:
    """Return the words, numbers and names of a document as keys, with weights that do not depend on others."""
    words = zip(map(_word_key, outline.words), outline.counts, strict=True)
    return {**{key: 1 + float(np.log(count)) for key, count in words}, **_same_everywhere(outline)}


def _same_everywhere(outline: Outline) -> dict[int, float]:
    """Return what needs no dictionary."""
    numbers = {f"number {key}": _NUMBER_WEIGHT for key in outline.numbers.tolist()}
    names = {f"name {key}": _NAME_WEIGHT for key in outline.names.tolist()}
    return {_key(text): weight for text, weight in (numbers | names).items()}


def _source_vectors(
    outlines: Sequence[Outline], dictionary: Translations | None, numbers: dict[int, int], rarity: Floats
) -> _Vectors:
    """Make the vectors of documents in the words of the other language; what that has not is left out."""
    known: dict[str, list[tuple[int, float]]] = {}
    weighted = []
    for outline in outlines:
        dimensions = _same_everywhere(outline)
        for word, count in zip(outline.words, outline.counts, strict=True):
            if word not in known:
                known[word] = _translations(word, dictionary, numbers)
            for key, probability in known[word]:
                weight = probability * (1 + float(np.log(count)))
                dimensions[key] = max(dimensions.get(key, 0.0), weight)
        weighted.append(dimensions)
    return _vectors(weighted, numbers, rarity)


def _translations(word: str, dictionary: Translations | None, numbers: dict[int, int]) -> list[tuple[int, float]]:
    """Return the most likely translations of a word among the words of the target, with their probabilities."""
    if dictionary is None:
        return []
    likely = ((_word_key(other), share) for other, share in dictionary.translations(word) if share >= _MIN_PROBABILITY)
    return [(key, share) for key, share in likely if key in numbers][:_MAX_TRANSLATIONS]


def _vectors(weighted: Sequence[dict[int, float]], numbers: dict[int, int], rarity: Floats) -> _Vectors:
    """Make vectors of length 1 of weights of dimensions, times how rare these are; unknown dimensions are left out."""
    rows = [{numbers[key]: weight for key, weight in some.items() if key in numbers} for some in weighted]
    starts = starts_of(np.fromiter(map(len, rows), np.int64, len(rows)))
    dimensions = np.fromiter((number for row in rows for number in row), np.int64, int(starts[-1]))
    weights = np.fromiter((weight for row in rows for weight in row.values()), np.float64, int(starts[-1]))
    weights *= rarity[dimensions]
    squares = np.concatenate(([0.0], np.cumsum(weights**2)))
    lengths = np.sqrt(np.maximum(squares[starts[1:]] - squares[starts[:-1]], 0.0))
    weights /= np.maximum(np.repeat(lengths, np.diff(starts)), 1e-12)
    return _Vectors(dimensions, weights, starts)


def _word_key(word: str) -> int:
    return _key(f"word {word}")


def _key(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "replace"))
