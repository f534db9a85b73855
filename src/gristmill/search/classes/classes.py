"""The classes of a name: what a corpus says that it is, clustered and ranked by frequency, as in RoDEO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gristmill.arrays.dtypes import Ids
from gristmill.engine import Report, silent
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.classes.clustering import Clustering, Clusters
from gristmill.search.classes.finding import Collocations, collocations
from gristmill.search.classes.names import Named
from gristmill.search.classes.nouns import Noun, Nouns, nouns_of
from gristmill.search.classes.pattern import Name, exact
from gristmill.search.classes.pattern_files import ClassPatterns
from gristmill.search.classes.wordnet import WordNet
from gristmill.search.concordance.lines import Context, make_lines
from gristmill.search.concordance.occurrences import Occurrences
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import Subcorpus
from gristmill.table import Column, Part, Table
from gristmill.wording import plural

ENOUGH = 50
"""Classes that a name needs before no further pattern is run: RoDEO's threshold t, of which it gives no value."""
_EXAMPLE_TOKENS = 8


@dataclass(frozen=True, slots=True)
class Searched:
    """Where and how classes are looked for."""

    index: Index
    part: Subcorpus
    """The texts in a language, or those in documents for which a condition holds."""
    lang: str
    within: str
    """What a query stays within to find these texts; empty if all of the index are in this language."""
    patterns: ClassPatterns
    clustering: Clustering
    wordnet: WordNet | None = None
    enough: int | None = ENOUGH


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A class of a name: how often it is said, in how many documents, and which patterns found it."""

    noun: str
    count: int
    documents: int
    share: float
    """Share of all that is said of the name."""
    cluster: int
    """Number of its cluster, from 1: the one with the highest frequency."""
    hypernyms: str
    patterns: str
    example: str
    key: str
    """Its lemma in lower case, by which it is found."""
    found_by: tuple[str, ...]
    """Names of the patterns that found it."""


@dataclass(frozen=True, slots=True)
class PatternRun:
    """A pattern that was run, and how many tokens it found; None if it was not run, as there was enough."""

    name: str
    title: str
    found: int | None


@dataclass(frozen=True, slots=True, repr=False)
class Classes(Table):
    """What a corpus says that a name is; the rows of cluster 1 are the best."""

    name: str
    lang: str
    frequency: int
    """How often the name occurs, as a whole."""
    sentences: int
    left_out: dict[str, int]
    """Sentences with the name that were left out, by the reason."""
    patterns: list[PatternRun]
    clustered_by: str
    clusters: list[str]
    """What the classes of each cluster have in common; empty if that has no name."""
    filtered: dict[str, dict[str, int]]
    """Nouns that can't be classes, by the reason, with their counts."""
    rows: list[ClassRow]
    searched: Searched
    whole: Name

    @property
    def columns(self) -> list[Column]:
        """The class and its figures, how it was found, an example."""
        return [
            Column("noun", "class"),
            Column("count"),
            Column("documents"),
            Column("share"),
            Column("cluster"),
            Column("hypernyms"),
            Column("patterns"),
            Column("example"),
        ]

    @property
    def best(self) -> list[ClassRow]:
        """The classes of the cluster with the highest frequency: as what the name counts."""
        return [row for row in self.rows if row.cluster == 1]

    def facts(self) -> dict[str, Any]:
        """What the result says besides its rows."""
        names = ("name", "lang", "frequency", "sentences", "left_out", "clustered_by", "clusters", "filtered")
        return {**{name: getattr(self, name) for name in names}, "patterns": [asdict(run) for run in self.patterns]}

    def query(self, noun: str | None = None, pattern: str | None = None) -> str:
        """Write the query for the lines in which a class is said of the name; of one pattern, if it is named."""
        rows = {row.noun: row for row in self.rows}
        if noun is not None and noun not in rows:
            raise UsageError(f"{self.name} has no class {noun!r}{did_you_mean(noun, rows)}")
        useful = {run.name for run in self.patterns if run.found} if noun is None else set(rows[noun].found_by)
        chosen = [one for one in self.searched.patterns.patterns if one.name in useful and pattern in {None, one.name}]
        if not chosen:
            what = f"the pattern {pattern!r}{did_you_mean(pattern, useful)}" if pattern else "any pattern"
            raise UsageError(f"nothing was found of {self.name} by {what}")
        queries = [query for one in chosen for query in one.of(self.whole, rows[noun].key if noun is not None else "")]
        return exact(queries, list(self.searched.patterns.left_out.values()), self.searched.within)

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        types = ", ".join(row.noun for row in self.best[:5])
        return f"{self.name}, {plural(self.frequency, 'time')}: {types or 'no class was found'}"

    def notes(self) -> list[str]:
        """Say where the name was found, what was left out, and why."""
        if not self.frequency:
            return ["the name does not occur: it is found as it is written, with its capitals and as a whole"]
        notes = [f"in {plural(self.sentences, 'sentence')}; clustered by {self.clustered_by}"]
        if not self.rows:
            notes.append("nothing is said of it by these patterns")
        if left_out := ", ".join(f"{count:,} {reason}" for reason, count in self.left_out.items() if count):
            notes.append(f"sentences left out: {left_out}")
        for reason, nouns in self.filtered.items():
            notes.append(f"no classes ({reason}): {', '.join(f'{noun} {count:,}' for noun, count in nouns.items())}")
        if not_run := ", ".join(run.name for run in self.patterns if run.found is None):
            notes.append(f"not run, since there was enough: {not_run}; enough=0 runs all")
        return notes

    def parts(self) -> list[Part]:
        """The classes by cluster."""
        first = [column for column in self.columns if column.name == "cluster"]
        columns = first + [column for column in self.columns if column.name not in {"cluster", "share"}]
        return [Part(columns, [[getattr(row, column.name) for column in columns] for row in self.rows])]


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name with its classes: those of the cluster with the highest frequency."""

    name: str
    frequency: int
    found: int
    """How often anything is said that it is."""
    cluster: str
    classes: str


@dataclass(frozen=True, slots=True, repr=False)
class NamesWithClasses(Table):
    """The most frequent names of a corpus with their classes; `names` is the number of all that are frequent enough."""

    lang: str
    names: int
    without: int
    """Names of those looked at of which nothing is said."""
    clustered_by: str
    min_frequency: int
    """How often these names occur at least."""
    rows: list[NameRow]

    @property
    def columns(self) -> list[Column]:
        """The name, its figures, its classes."""
        return [Column("name"), Column("frequency"), Column("found"), Column("cluster"), Column("classes")]

    @property
    def heading(self) -> str:
        """What the rows are, in a line."""
        return f"{plural(len(self.rows), 'name')} with classes, of {plural(self.names, 'name')}"

    def notes(self) -> list[str]:
        """Say how many names were looked at, and which were not."""
        looked_at = len(self.rows) + self.without
        least = f" that {'occurs' if looked_at == 1 else 'occur'} {plural(self.min_frequency, 'time')} or more"
        found = f"{len(self.rows):,} with classes, {self.without:,} without, by {self.clustered_by}"
        rarer = "; a lower min_frequency takes rarer ones" if self.min_frequency > 1 and looked_at == self.names else ""
        return [f"{plural(looked_at, 'name')}{least if self.min_frequency > 1 else ''} ({self.lang}): {found}{rarer}"]


def classes_of(searched: Searched, name: Name, *, min_count: int = 1) -> Classes:
    """Find the classes of a name that are said at least `min_count` times."""
    index = searched.index
    found = collocations(index, searched.part, name, searched.patterns, searched.enough)
    nouns = nouns_of(index, found, searched.patterns, searched.wordnet)
    clusters = searched.clustering.clusters(nouns.kept)
    total = sum(noun.count for noun in nouns.kept)
    rows = [
        _row(index, noun, number, clusters, total)
        for number, members in enumerate(clusters.members, 1)
        for noun in sorted(members, key=lambda noun: (-noun.count, noun.key))
        if noun.count >= min_count
    ]
    return Classes(
        name.text,
        searched.lang,
        found.frequency,
        found.sentences,
        found.left_out,
        _runs(searched.patterns, found),
        searched.clustering.about,
        clusters.names,
        _all_filtered(nouns, clusters),
        rows,
        searched,
        name,
    )


def names_with_classes(
    searched: Searched,
    names: Sequence[Named],
    *,
    limit: int | None = 50,
    first: int = 0,
    min_count: int = 1,
    min_frequency: int = 1,
    report: Report = silent,
) -> NamesWithClasses:
    """Find the classes of `limit` of some names, after the number `first`; `report` is told of each.

    `min_frequency` is how often they occur at least, which the result tells.
    """
    rows, without = [], 0
    for named in names[first:][:limit]:
        found = classes_of(searched, named.name, min_count=min_count)
        report(1)
        if not found.best:
            without += 1
            continue
        said = ", ".join(f"{row.noun} {row.count}" for row in found.best)
        total = sum(row.count for row in found.rows)
        rows.append(NameRow(found.name, named.count, total, found.clusters[0], said))
    return NamesWithClasses(searched.lang, len(names), without, searched.clustering.about, min_frequency, rows)


def _row(index: Index, noun: Noun, number: int, clusters: Clusters, total: int) -> ClassRow:
    documents = len(set(index.structure("doc").number_at(noun.places).tolist()))
    patterns = ", ".join(f"{name} {count}" for name, count in noun.patterns.items())
    hypernyms = clusters.hypernyms.get(noun.key, "")
    example = _example(index, noun.places[:1])
    share, found_by = noun.count / total, tuple(noun.patterns)
    return ClassRow(noun.text, noun.count, documents, share, number, hypernyms, patterns, example, noun.key, found_by)


def _example(index: Index, places: Ids) -> str:
    """The words around a class where it is first said of the name, within the sentence."""
    sentences = index.structure("s")
    number = sentences.number_at(places)
    start = max(int(sentences.bounds[number[0]]), int(places[0]) - _EXAMPLE_TOKENS)
    end = min(int(sentences.bounds[number[0] + 1]), int(places[0]) + _EXAMPLE_TOKENS + 1)
    occurrences = Occurrences(index, Hits(places[:1] * 0 + start, places[:1] * 0 + end))
    return next(iter(make_lines(occurrences, Context(tokens=0)))).node.replace("\n", " ")


def _runs(patterns: ClassPatterns, found: Collocations) -> list[PatternRun]:
    return [
        PatternRun(one.name, one.title, None if one.name in found.not_run else len(found.places.get(one.name, ())))
        for one in patterns.patterns
    ]


def _all_filtered(nouns: Nouns, clusters: Clusters) -> dict[str, dict[str, int]]:
    return {**nouns.left_out, **clusters.filtered}
