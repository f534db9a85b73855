"""The parser at work: heads and relations of tagged sentences, always a tree with one root each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from gristmill.annotation.parsing.model import Model
from gristmill.annotation.parsing.words import Reading, WordTable
from gristmill.annotation.relations import ROOT, Relations
from gristmill.annotation.tagging import kept
from gristmill.arrays.ragged import starts_of
from gristmill.kernel import Features, KeyTable, find_heads, find_relations
from gristmill.kernel.parse_slots import ATOMS, LABEL_ATOMS

_MAX_TYPES = 1 << 16
"""Different words that are kept between texts."""
_BYTES_PER_TYPE = 400
_WORDS_AT_ONCE = 1 << 15


class Parser:
    """Finds heads and relations of words by a model."""

    max_types = _MAX_TYPES

    def __init__(self, model: Model) -> None:
        self._actions, self._relations = model.actions.rows, model.relations.rows
        self._features = Features(model.actions.templates, ATOMS, KeyTable(model.actions.keys.data))
        self._labels = Features(model.relations.templates, LABEL_ATOMS, KeyTable(model.relations.keys.data))
        self._names = [*model.names, ROOT]
        self._words = WordTable()

    def parse(self, readings: Sequence[Reading], lengths: Iterable[int]) -> Relations:
        """Return the heads and relations of the words of sentences, which have so many words each."""
        heads, deprels, end = list[int](), list[str](), 0
        for some in _batches(lengths):
            start, end = end, end + sum(some)
            found = self._parse(readings[start:end], some)
            heads += found[0]
            deprels += found[1]
        return heads, deprels

    def _parse(self, readings: Sequence[Reading], lengths: Sequence[int]) -> Relations:
        if len(self._words) > self.max_types:
            self.forget()
        types = self._words.types_of(readings)
        starts = starts_of(np.array(lengths, np.int64)).astype(np.int32)
        arrays = (types, starts, self._words.attributes, self._words.tags)
        heads = find_heads(*arrays, self._features, self._actions)
        relations = find_relations(*arrays, heads, self._labels, self._relations)
        kept.use(self)
        return heads.tolist(), list(map(self._names.__getitem__, relations.tolist()))

    def kept_bytes(self) -> int:
        """Estimate how many bytes the words take that are kept."""
        return _BYTES_PER_TYPE * len(self._words)

    def forget(self) -> None:
        """Forget all words; the results never change."""
        self._words = WordTable()


def _batches(lengths: Iterable[int]) -> Iterator[list[int]]:
    """Yield lengths of sentences that have about `_WORDS_AT_ONCE` words together."""
    some: list[int] = []
    words = 0
    for length in lengths:
        some.append(length)
        words += length
        if words >= _WORDS_AT_ONCE:
            yield some
            some, words = [], 0
    if some:
        yield some
