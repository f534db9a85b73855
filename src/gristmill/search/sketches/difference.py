"""The sketch difference: two words side by side, what stands with the one, with the other, with both."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill.errors import UsageError
from gristmill.search.sketches.base import Base, Group
from gristmill.search.sketches.queries import query_of
from gristmill.search.sketches.sketch import by_relation, enough_for, ordered_groups
from gristmill.search.sketches.store import Sketches
from gristmill.search.sketches.words import Word, find_word
from gristmill.table import Column, Part, Table
from gristmill.wording import plural


@dataclass(frozen=True, slots=True)
class Difference:
    """A collocate in a relation with both words: counts, scores, and on which side it is.

    `side` goes from -1, with the first word alone, to 1, with the second alone; 0 is with both alike.
    """

    relation: str
    collocate: str
    tag: str
    count: int
    other_count: int
    score: float
    other_score: float
    side: float


@dataclass(frozen=True, slots=True)
class DifferenceFigures:
    """A relation that at least one of the words has: pairs of both, and different collocates."""

    name: str
    title: str
    pairs: int
    other_pairs: int
    collocates: int


@dataclass(frozen=True, slots=True, repr=False)
class SketchDifference(Table):
    """Two words compared; in each relation the collocates of the first alone come first, those of the second last."""

    word: str
    other: str
    tag: str
    lang: str
    frequency: int
    other_frequency: int
    size: int
    other_size: int
    min_together: int
    relations: list[DifferenceFigures]
    rows: list[Difference]
    sketches: tuple[Sketches, Sketches]

    @property
    def columns(self) -> list[Column]:
        """The relation, the collocate, both counts and scores."""
        names = ("relation", "collocate", "tag", "count", "other_count", "score", "other_score", "side")
        return [Column(name) for name in names]

    def facts(self) -> dict[str, Any]:
        """What it says besides its rows."""
        names = (
            "word",
            "other",
            "tag",
            "lang",
            "frequency",
            "other_frequency",
            "size",
            "other_size",
            "min_together",
        )
        facts = {name: getattr(self, name) for name in names}
        return {**facts, "relations": [asdict(relation) for relation in self.relations]}

    def queries(self, relation: str, collocate: str, tag: str) -> tuple[str, str]:
        """Write the queries in CQL that find the pairs of both words with a collocate."""
        pair = zip(self.sketches, (self.word, self.other), strict=True)
        one, two = (query_of(sketches, relation, (word, self.tag), (collocate, tag)) for sketches, word in pair)
        return one, two

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        sizes = dict.fromkeys((plural(self.size, "token"), plural(self.other_size, "token")))
        words = f"{self.word} ({self.frequency:,}) and {self.other} ({self.other_frequency:,}), {self.tag}"
        return f"{words}, in {' and '.join(sizes)}"

    def notes(self) -> list[str]:
        """Say if nothing is often enough."""
        return [] if self.rows else [f"no collocate stands {plural(self.min_together, 'time')} with either"]

    def parts(self) -> list[Part]:
        """A table of each relation."""
        one, two = (self.word, self.other) if self.word != self.other else ("here", "there")
        columns = [
            Column("collocate"),
            Column("tag"),
            Column("count", one),
            Column("other_count", two),
            Column("score", f"{one} logDice"),
            Column("other_score", f"{two} logDice"),
            Column("side"),
        ]
        titles = {one.name: (one.title, f"{one.pairs:,} and {one.other_pairs:,}") for one in self.relations}
        return by_relation(self.rows, columns, titles)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the words: its sketches, and its relations by name."""

    base: Base
    word: Word
    groups: dict[str, Group]

    @classmethod
    def of(cls, sketches: Sketches, word: Word) -> _Side:
        base = sketches.base
        return cls(base, word, {base.kinds[one.number].name: one for one in ordered_groups(base, word)})

    def collocates(self, relation: str) -> dict[tuple[str, str], tuple[int, float]]:
        """Count and score of each collocate."""
        group = self.groups.get(relation)
        if group is None:
            return {}
        counts, scores = self.base.counts[group.places].tolist(), self.base.scores(group).tolist()
        words = self.base.words(self.base.collocates[group.places])
        return dict(zip(words, zip(counts, scores, strict=True), strict=True))

    def total(self, relation: str) -> int:
        return self.groups[relation].total if relation in self.groups else 0


def sketch_difference(
    sketches: Sketches,
    lemma: str,
    other: str | None = None,
    tag: str | None = None,
    *,
    other_sketches: Sketches | None = None,
    relation: str | None = None,
    min_together: int | None = None,
    limit: int | None = 20,
    first: int = 0,
) -> SketchDifference:
    """Compare two lemmas of the same part of speech; or one lemma in two sets of documents.

    Without a tag, it is that of the first word. Each relation has `limit` collocates with the highest score with
    either word, after the number `first`, sorted from those of the first word alone to those of the second alone. A
    collocate stands at least `min_together` times with one of them: twice, or once if both words are rare.
    """
    there = other_sketches or sketches
    if other is None and other_sketches is None:
        raise UsageError("a difference is of two words, or of one in two parts of the corpus: name the other one")
    word = find_word(sketches, lemma, tag)
    second = find_word(there, other or word.lemma, word.tag)
    if there is sketches and second.unit == word.unit:
        raise UsageError(f"these are the same word: {word.lemma} ({word.tag})")
    least = max(map(enough_for, (word, second))) if min_together is None else min_together
    one, two = _Side.of(sketches, word), _Side.of(there, second)
    figures, rows = [], []
    names = word.lemma if word.lemma == second.lemma else f"{word.lemma}/{second.lemma}"
    for name in dict.fromkeys([*one.groups, *two.groups]):
        found = _rows(name, one, two, least)
        if not found or relation not in {None, name}:
            continue
        side = one if name in one.groups else two
        title = side.base.kinds[side.groups[name].number].title.replace("{}", names)
        figures.append(DifferenceFigures(name, title, one.total(name), two.total(name), len(found)))
        strongest = sorted(found, key=lambda row: (-max(row.score, row.other_score), row.collocate, row.tag))[first:][
            :limit
        ]
        rows += sorted(strongest, key=lambda row: (row.side, row.collocate, row.tag))
    return SketchDifference(
        word.lemma,
        second.lemma,
        word.tag,
        sketches.lang,
        word.frequency,
        second.frequency,
        sketches.base.size,
        there.base.size,
        least,
        figures,
        rows,
        (sketches, there),
    )


def _rows(relation: str, one: _Side, two: _Side, min_together: int) -> list[Difference]:
    """All collocates of a relation with either word."""
    first, second = one.collocates(relation), two.collocates(relation)
    rows = []
    for word in dict.fromkeys([*first, *second]):
        count, score = first.get(word, (0, 0.0))
        other_count, other_score = second.get(word, (0, 0.0))
        if max(count, other_count) >= min_together:
            side = _side(count, score, other_count, other_score)
            rows.append(Difference(relation, *word, count, other_count, score, other_score, side))
    return rows


def _side(count: int, score: float, other_count: int, other_score: float) -> float:
    """On which side a collocate is: by the difference of its scores, of which 4 (a factor of 16) is all."""
    if not count or not other_count:
        return 1.0 if not count else -1.0
    return round(float(np.clip((other_score - score) / 4, -0.99, 0.99)), 3)
