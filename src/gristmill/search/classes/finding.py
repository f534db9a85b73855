"""Find the nouns that patterns say of a name: pairs of a class and the name, each with the pattern that found it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.search.classes.pattern import CLASS, ClassPattern, Name
from gristmill.search.classes.pattern_files import ClassPatterns
from gristmill.search.cql.matching import find, find_labels
from gristmill.search.cql.parsing import parse
from gristmill.search.hits import Hits, distinct
from gristmill.search.index.index import Index
from gristmill.search.sketches.extract import Extract, extracts
from gristmill.search.subcorpus import Subcorpus


@dataclass(frozen=True, slots=True)
class Collocations:
    """Where the classes of a name stand: positions in the index, ascending, of each pattern that was run."""

    frequency: int
    """How often the name stands in the texts."""
    sentences: int
    """Sentences that have the name."""
    left_out: dict[str, int]
    """Sentences of these that were left out, by the reason; each counts once, for the first reason."""
    places: dict[str, Ids] = field(default_factory=dict)
    """Tokens of classes by pattern. A token that several patterns find counts for each of them."""
    not_run: list[str] = field(default_factory=list)
    """Patterns that were not run, since those before them had found enough."""

    @property
    def total(self) -> int:
        """How many there are, each token once."""
        return len(self.all())

    def all(self) -> Ids:
        """All tokens of classes, each once, ascending."""
        return distinct(np.concatenate([np.empty(0, np.int64), *self.places.values()]))


def collocations(
    index: Index, part: Subcorpus, name: Name, patterns: ClassPatterns, enough: int | None
) -> Collocations:
    """Run one pattern after the other on the sentences that have a name, until enough classes are found.

    That is section 4.2 of RoDEO; sentences that ask, deny or are conditional are left out as in its section 3.4.
    """
    hits = find(index, name.query, part)
    frequency = len(hits)
    sentences = distinct(index.structure("s").number_at(hits.ends - 1)) if len(hits) else np.empty(0, np.int64)
    found = Collocations(frequency, len(sentences), {})
    if not len(sentences):
        return found
    parts = extracts(index, sentences, "s")
    kept = [(extract, kept_sentences(extract, patterns.left_out, found.left_out)) for extract in parts]
    for pattern in patterns.patterns:
        if enough is not None and found.total >= enough:
            found.not_run.append(pattern.name)
            continue
        places = [extract.places[_places(extract, pattern, name, mask)] for extract, mask in kept]
        found.places[pattern.name] = distinct(np.concatenate(places))
    return found


def kept_sentences(extract: Extract, left_out: Mapping[str, str], counts: dict[str, int]) -> Mask:
    """Which sentences of an extract are not left out; how many are for which reason is added to counts."""
    sentences = extract.structure("s")
    kept = np.ones(len(sentences), np.bool_)
    for reason, query in left_out.items():
        has = np.zeros(len(sentences), np.bool_)
        has[sentences.number_at(find(extract, query).starts)] = True
        counts[reason] = counts.get(reason, 0) + int(np.count_nonzero(has & kept))
        kept &= ~has
    return kept


def _places(extract: Extract, pattern: ClassPattern, name: Name, kept: Mask) -> Ids:
    """Where the classes are that a pattern finds in the sentences of an extract that are kept."""
    found = [np.empty(0, np.int64)]
    for text in pattern.of(name):
        query = parse(text)
        hits = find(extract, query)
        if len(hits):
            hits = hits[np.flatnonzero(kept[extract.structure("s").number_at(hits.ends - 1)])]
        if len(hits):
            found.append(_labelled(extract, text, hits))
    return distinct(np.concatenate(found))


def _labelled(extract: Extract, text: str, hits: Hits) -> Ids:
    places = find_labels(extract, text, hits)[CLASS]
    return places[places >= 0]
