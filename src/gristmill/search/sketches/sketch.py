"""The word sketch: the collocates of a word by grammatical relation (Kilgarriff et al. 2004)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill.arrays.dtypes import Ids
from gristmill.errors import UsageError
from gristmill.notebook import Value
from gristmill.registry import did_you_mean
from gristmill.search.concordance.lines import Context, make_lines
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.sketches.base import Base, Group
from gristmill.search.sketches.queries import query_of
from gristmill.search.sketches.store import Sketches
from gristmill.search.sketches.words import Word, find_word
from gristmill.search.statistics.ranking import best
from gristmill.table import Column, Part, Table
from gristmill.wording import plural

ORDERS = ("score", "count")
"""What collocates can be sorted by."""
_RARE = 500
"""Words that occur less often than this show what stands with them once; others what does so twice or more."""


@dataclass(frozen=True, slots=True)
class Collocate:
    """A collocate in a relation: how often it stands there, logDice, and the commonest wording of the two."""

    relation: str
    collocate: str
    tag: str
    count: int
    score: float
    example: str


@dataclass(frozen=True, slots=True)
class RelationFigures:
    """A relation of a word: how many pairs and different collocates it has, and how many of these are often enough."""

    name: str
    title: str
    pairs: int
    collocates: int
    enough: int


@dataclass(frozen=True, slots=True, repr=False)
class Sketch(Table):
    """The collocates of a word by grammatical relation, relations in the order of the grammar."""

    word: str
    tag: str
    lang: str
    frequency: int
    size: int
    """Tokens of the documents that it is of."""
    min_together: int
    relations: list[RelationFigures]
    tags: dict[str, int]
    """The parts of speech that the lemma has, and how often."""
    rows: list[Collocate]
    sketches: Sketches

    @property
    def columns(self) -> list[Column]:
        """The relation, the collocate, its figures, an example."""
        return [
            Column("relation"),
            Column("collocate"),
            Column("tag"),
            Column("count"),
            Column("score", "logDice"),
            Column("example"),
        ]

    def facts(self) -> dict[str, Any]:
        """What the sketch says besides its rows."""
        names = ("word", "tag", "lang", "frequency", "size", "min_together", "tags")
        facts = {name: getattr(self, name) for name in names}
        return {**facts, "source": self.sketches.source, "relations": [asdict(relation) for relation in self.relations]}

    def query(self, relation: str, collocate: str | None = None, tag: str | None = None) -> str:
        """Write the query in CQL that finds the pairs of a relation, or those with one collocate of it."""
        other = None if collocate is None else (collocate, tag or "")
        return query_of(self.sketches, relation, (self.word, self.tag), other)

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        often = f"{plural(self.frequency, 'time')} in {plural(self.size, 'token')}"
        return f"{self.word} ({self.tag}), {often}; {plural(len(self.relations), 'grammatical relation')}"

    def notes(self) -> list[str]:
        """Say how many relations have nothing that is often enough."""
        hidden = sum(not relation.enough for relation in self.relations)
        nothing = f"in which nothing stands {plural(self.min_together, 'time')}: take a lower min_together"
        return [f"{plural(hidden, 'relation')} more, {nothing}"] if hidden else []

    def parts(self) -> list[Part]:
        """A table of each relation."""
        columns = [column for column in self.columns if column.name != "relation"]
        return by_relation(self.rows, columns, {one.name: (one.title, f"{one.pairs:,}") for one in self.relations})


def by_relation(rows: Iterable[Any], columns: Sequence[Column], titles: Mapping[str, tuple[str, str]]) -> list[Part]:
    """Divide the rows of a sketch by relation; `titles` has the title of each, and how many pairs it has."""
    cells: dict[str, list[list[Value]]] = {}
    for row in rows:
        cells.setdefault(row.relation, []).append([getattr(row, column.name) for column in columns])
    return [Part(columns, some, f"{titles[name][0]}  [{name}]  {titles[name][1]}") for name, some in cells.items()]


def sketch(
    sketches: Sketches,
    lemma: str,
    tag: str | None = None,
    *,
    relation: str | None = None,
    min_together: int | None = None,
    order: str = "score",
    limit: int | None = 15,
    first: int = 0,
) -> Sketch:
    """Make the sketch of a lemma; without a tag, of the part of speech with the most grammatical relations.

    Each relation has the collocates from the number `first` on, `limit` of them or all, by logDice or by count: those
    that stand there at least `min_together` times, which is twice, or once for a word that occurs less than 500 times.
    """
    if order not in ORDERS:
        raise UsageError(f"there is no order {order!r}{did_you_mean(order, ORDERS)} (there are: {', '.join(ORDERS)})")
    word = find_word(sketches, lemma, tag)
    base = sketches.base
    least = enough_for(word) if min_together is None else min_together
    groups = ordered_groups(base, word)
    names = [base.kinds[group.number].name for group in groups]
    if relation is not None and relation not in names:
        raise UsageError(
            f"{word.lemma} ({word.tag}) has no relation {relation!r}{did_you_mean(relation, names)} "
            f"(it has: {', '.join(names)})"
        )
    figures, rows, spans = [], [], []
    for group, name in zip(groups, names, strict=True):
        counts = base.counts[group.places].astype(np.int64)
        enough = np.flatnonzero(counts >= least)
        title = base.kinds[group.number].title.replace("{}", word.lemma)
        figures.append(RelationFigures(name, title, group.total, len(counts), len(enough)))
        if relation in {None, name}:
            scores = base.scores(group)
            found = enough[best((scores if order == "score" else counts)[enough])][first:][:limit]
            rows += list(_rows(base, group, name, found, counts, scores))
            spans.append(group.places.start + found)
    places = np.concatenate([np.empty(0, np.int64), *spans])
    examples = _examples(sketches.index, base, places)
    made = [Collocate(*row, example) for row, example in zip(rows, examples, strict=True)]
    tags = base.tags_of(word.lemma)
    return Sketch(word.lemma, word.tag, sketches.lang, word.frequency, base.size, least, figures, tags, made, sketches)


def enough_for(word: Word) -> int:
    """How often collocates stand with a word at least if nobody says."""
    return 1 if word.frequency < _RARE else 2


def ordered_groups(base: Base, word: Word) -> list[Group]:
    """The relations of a word: in the order of the grammar, those by name by their frequency."""

    def place(group: Group) -> tuple[int, bool, int]:
        kind = base.kinds[group.number]
        return kind.relation, kind.dual and not kind.word, -group.total if kind.word else 0

    return sorted(base.groups(word.unit), key=place)


def _rows(
    base: Base, group: Group, name: str, found: Ids, counts: Ids, scores: Any
) -> Iterator[tuple[str, str, str, int, float]]:
    words = base.words(base.collocates[group.places][found])
    for (lemma, tag), count, score in zip(words, counts[found].tolist(), scores[found].tolist(), strict=True):
        yield name, lemma, tag, count, score


def _examples(index: Index, base: Base, places: Ids) -> list[str]:
    """The commonest wording of triples, as it stands in the text."""
    starts = base.starts[places].astype(np.int64)
    hits = Hits(starts, starts + base.lengths[places])
    return [line.node.replace("\n", " ") for line in make_lines(Occurrences(index, hits), Context(tokens=0))]
