"""Pairs of tokens that stand in a grammatical relation: what a sketch is counted from.

`Source` is what gives them: an extract in, pairs out. `GrammarPairs` is one by the patterns of a grammar: over tags, or
trees where an index knows relations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.errors import UsageError
from gristmill.search.cql.query import Node
from gristmill.search.hits import Hits
from gristmill.search.sketches.extract import Extract
from gristmill.search.sketches.grammar import BY_NAME, Grammar, Relation
from gristmill.search.sketches.pattern import Found

MAX_SLOTS = 1 << 12
"""Relations of a corpus, those by name counted each."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A relation as it is found in a corpus: of those by name, one for each name."""

    relation: Relation
    name: str = ""
    """The lemma that names it, if it is by name."""

    def names(self) -> tuple[str, str]:
        """Its name, and that of its dual."""
        return self.relation.name.replace(BY_NAME, self.name), self.relation.dual.replace(BY_NAME, self.name)

    def titles(self) -> tuple[str, str]:
        """Its title, and that of its dual; `{}` stands for the word."""
        return self.relation.title.replace(BY_NAME, self.name), self.relation.dual_title.replace(BY_NAME, self.name)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs in an extract, as positions in it: the head and the collocate of each, and the span of the whole match.

    `slots` has for each the number of its relation.
    """

    slots: Ids
    heads: Ids
    collocates: Ids
    starts: Ids
    ends: Ids
    symmetric: bool


class Source(Protocol):
    """Finds pairs; it numbers the relations that it meets in `slots`."""

    slots: list[Slot]

    @property
    def relations(self) -> Sequence[Relation]:
        """All relations that it knows, in the order in which they are shown."""

    def pairs(self, extract: Extract) -> Iterator[Pairs]:
        """Find all pairs in an extract, those of a relation together."""


@dataclass
class GrammarPairs:
    """Finds pairs by the patterns of a grammar."""

    grammar: Grammar
    slots: list[Slot] = field(default_factory=list)
    _numbers: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def relations(self) -> Sequence[Relation]:
        """The relations of the grammar."""
        return self.grammar.relations

    def pairs(self, extract: Extract) -> Iterator[Pairs]:
        """Find all pairs in an extract, those of a relation together."""
        known: dict[Node, Hits] = {}
        for relation in self.grammar.relations:
            parts = [pattern.find(extract, known) for pattern in relation.patterns]
            heads, collocates, starts, ends = (
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("heads", "collocates", "starts", "ends")
            )
            slots = np.concatenate([self._slots(relation, part, extract) for part in parts])
            yield Pairs(slots, heads, collocates, starts, ends, relation.symmetric)

    def _slots(self, relation: Relation, found: Found, extract: Extract) -> Ids:
        """Number of the relation of each match."""
        if not relation.by_name or found.names is None:
            return np.full(len(found.starts), self._number(relation, -1, ""))
        lemmas = extract.attributes["lemma"]
        ids, where = np.unique(lemmas.ids[found.names], return_inverse=True)
        names = lemmas.lexicon.strings(ids)
        numbers = [self._number(relation, number, name) for number, name in zip(ids.tolist(), names, strict=True)]
        return np.array(numbers, np.int64)[where] if numbers else np.empty(0, np.int64)

    def _number(self, relation: Relation, lemma: int, name: str) -> int:
        key = relation.name, lemma
        if key not in self._numbers:
            if len(self.slots) == MAX_SLOTS:
                raise UsageError(f"there are more than {MAX_SLOTS:,} relations: {relation.name} is by too many words")
            self._numbers[key] = len(self.slots)
            self.slots.append(Slot(relation, name))
        return self._numbers[key]
