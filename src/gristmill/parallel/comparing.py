"""Comparable documents of a corpus: for each document of one language those of another that are on the same subject."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from gristmill.alignment import Dictionary, read_dictionary
from gristmill.arguments import as_paths
from gristmill.corpus.reader import CorpusReader
from gristmill.parallel.comparable import comparable
from gristmill.parallel.outline import Outline, read_outlines
from gristmill.parallel.reader import check_languages
from gristmill.parallel.records import DICTIONARY, FOLDER
from gristmill.table import Column, Table
from gristmill.wording import plural

_NO_DICTIONARY = (
    "without a dictionary only numbers, names and words that are written alike count: "
    "`gristmill parallel CORPUS {} {}` learns one, or give one"
)


@dataclass(frozen=True, slots=True)
class ComparableDocuments:
    """Two documents on the same subject, by how much they have in common."""

    similarity: float
    """The cosine of their weighted words, 0 to 1."""
    rank: int
    """1 for the document that is most like the source."""
    source: str
    target: str
    """The ids of the documents."""
    source_url: str
    target_url: str


@dataclass(frozen=True, slots=True, repr=False)
class ComparablePairs(Table):
    """Pairs of documents on the same subject, the best first."""

    source: str
    target: str
    """The languages."""
    total: int
    """How many pairs there are, shown or not."""
    has_dictionary: bool
    rows: list[ComparableDocuments]

    @property
    def columns(self) -> Sequence[Column]:
        """How much the documents are alike, and which they are."""
        shares = (Column("similarity", "", "{:.3f}".format, 3), Column("rank"))
        return (*shares, *map(Column, ("source", "target")), *self._addresses)

    @property
    def _addresses(self) -> tuple[Column, Column]:
        return Column("source_url", self.source), Column("target_url", self.target)

    @property
    def heading(self) -> str:
        """How many there are."""
        return f"{plural(self.total, 'pair')} of documents in {self.source} and {self.target}"

    @property
    def all_rows(self) -> int:
        """How many pairs there are."""
        return self.total

    def notes(self) -> list[str]:
        """Say if there is no dictionary."""
        return [] if self.has_dictionary else [_NO_DICTIONARY.format(self.source, self.target)]


def find_comparable(
    corpus: CorpusReader,
    source: str,
    target: str,
    *,
    n: int = 3,
    dictionaries: Sequence[str | os.PathLike[str]] = (),
    limit: int | None = None,
) -> ComparablePairs:
    """Find for each document of a language the `n` documents of another that are most like it, the best pairs first.

    Words are compared through `dictionaries`, or the dictionary of the parallel corpus that was made of this one (in
    its folder `parallel/en-de`); without any, only numbers, names and words that are written alike count. Outlines of
    all documents of both languages are in memory, some 10 kB each.
    """
    check_languages(corpus, (source, target))
    dictionary = _dictionary(corpus, (source, target), dictionaries)
    outlines: dict[str, list[Outline]] = {source: [], target: []}
    for outline in chain.from_iterable(read_outlines(shard, (source, target)) for shard in corpus.shards):
        outlines[outline.lang].append(outline)
    urls = {outline.id: outline.url for some in outlines.values() for outline in some}
    lists = comparable(outlines[source], outlines[target], dictionary, n)
    found = [
        ComparableDocuments(one.similarity, one.rank, one.source, one.target, urls[one.source], urls[one.target])
        for one in chain.from_iterable(lists)
    ]
    best = sorted(found, key=lambda one: (-one.similarity, one.source, one.target))
    return ComparablePairs(source, target, len(best), dictionary is not None, best[:limit])


def learned_dictionary(corpus: CorpusReader, languages: tuple[str, str]) -> tuple[Path, bool] | None:
    """Find the dictionary of a parallel corpus in the folder of a corpus; and whether it is of the other direction."""
    for turned in (False, True):
        source, target = languages[::-1] if turned else languages
        path = corpus.folder / FOLDER / f"{source}-{target}" / DICTIONARY
        if path.is_file():
            return path, turned
    return None


def _dictionary(
    corpus: CorpusReader, languages: tuple[str, str], given: Sequence[str | os.PathLike[str]]
) -> Dictionary | None:
    if given:
        return Dictionary.joined(*(read_dictionary(Path(path)) for path in as_paths(given, "dictionary")))
    learned = learned_dictionary(corpus, languages)
    if learned is None:
        return None
    found = read_dictionary(learned[0])
    return found.reversed() if learned[1] else found
