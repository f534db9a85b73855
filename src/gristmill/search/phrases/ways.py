"""Ways to write a tree: where a corpus has sentences that match its subclass, and which tokens these have.

In *He met a golfer that drives a ball.* the tree is from *golfer* to *ball*. What hangs on its first token and stands
before it, here *a*, belongs to the phrase, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.corpus.attributes import DEPREL
from gristmill.search.classes.finding import kept_sentences
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.matching import lists_for
from gristmill.search.cql.special import Lookup
from gristmill.search.cql.trees import TreeMatcher, spans_of
from gristmill.search.hits import distinct
from gristmill.search.index.index import Index
from gristmill.search.phrases.graph import Graph
from gristmill.search.sketches.extract import extracts
from gristmill.search.subcorpus import Subcorpus

NON_CONTENT = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})
"""Parts of speech whose words say little, and make a phrase specific."""
_NO_WORDS = frozenset({"PUNCT", "SYM", "X", ""})
_MAX_WAYS = 100_000
"""Ways that are looked at; if there are more, every second, third ... of them."""
_NOT_BEFORE = frozenset({"case", "cc", "mark"})
"""Relations of words that say how the whole stands in its sentence, as in `with a golfer`, and are no part of it."""
_MAX_BEFORE = 4
"""Tokens before the tree that may belong to the phrase."""
_STRETCH_TOKENS = 1 << 22


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways to match a tree: where each begins and ends, and the position of each of its places."""

    graph: Graph
    starts: Ids
    ends: Ids
    places: Mapping[int, Ids]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, rows: Ids) -> Ways:
        places = {number: of[rows] for number, of in self.places.items()}
        return Ways(self.graph, self.starts[rows], self.ends[rows], places)


@dataclass
class Finder:
    """Finds ways to match trees in documents, and counts what it leaves out."""

    index: Index
    part: Subcorpus
    max_words: int
    left_out: Mapping[str, str]
    """Queries by the reason for which sentences that have them are left out."""
    counts: dict[str, int] = field(default_factory=dict)
    """Sentences that were left out, by the reason."""
    long: int = 0
    """Ways that have more than `max_words` words, or signs between words."""
    found: int = 0
    """All ways."""

    def ways(self, graphs: Sequence[Graph]) -> list[Ways]:
        """Find the ways to match each of some trees that can be written as a phrase."""
        found = [self._some(graph) for graph in graphs]
        sentences = [self.index.structure("s").number_at(ways.starts) for ways in found]
        numbers = distinct(np.sort(np.concatenate(sentences))).astype(np.int64)
        kept = self._are_factual(numbers)
        return [
            ways[np.flatnonzero(kept[np.searchsorted(numbers, own)])]
            for ways, own in zip(found, sentences, strict=True)
        ]

    def _some(self, graph: Graph) -> Ways:
        whole = _joined(graph, [self._chosen(ways) for ways in self._all(graph)])
        if len(whole) <= _MAX_WAYS:
            return whole
        return whole[np.linspace(0, len(whole) - 1, _MAX_WAYS).astype(np.int64)]

    def _all(self, graph: Graph) -> Iterator[Ways]:
        """All ways to match a tree, a stretch of documents at a time."""
        stream = Stream(self.index.size, Bounds(self.index.structures["doc"].bounds))
        tree, order = graph.tree()
        matcher = TreeMatcher(tree, Lookup(self.index, lists_for(self.index, None)), stream)
        for _ in stream.stretches(1 + self.index.size // _STRETCH_TOKENS):
            stream.steps = 0
            places = matcher.rows()
            kept = np.flatnonzero(self.part.holds(places[0]))
            places = {number: of[kept] for number, of in places.items()}
            starts, ends = spans_of(places)
            yield Ways(graph, starts, ends, {order[number]: of for number, of in places.items()})

    def _chosen(self, ways: Ways) -> Ways:
        """Make ways longer by what belongs to their first tokens, and keep those that make a phrase."""
        self.found += len(ways)
        starts = self._before(ways.starts)
        ways = Ways(ways.graph, starts, ways.ends, ways.places)
        kept = np.flatnonzero((ways.ends - starts <= self.max_words) & ~self._has_signs(ways))
        self.long += len(ways) - len(kept)
        return ways[kept]

    def _before(self, first: Ids) -> Ids:
        """Go from the first tokens of ways to the left, to the last non-content word that hangs on them."""
        heads, sentences = self.index.heads, self.index.structure("s")
        if heads is None or not len(first):
            return first
        begin = sentences.bounds[sentences.number_at(first)].astype(np.int64)
        starts, edges, goes_on = first.copy(), first.copy(), np.ones(len(first), np.bool_)
        for _ in range(_MAX_BEFORE):
            next_ones = np.maximum(edges - 1, 0)
            goes_on &= (edges > begin) & (heads.at(next_ones) == first) & ~self._are(next_ones, _NO_WORDS)
            goes_on &= ~self._are(next_ones, _NOT_BEFORE, DEPREL)
            edges = np.where(goes_on, next_ones, edges)
            starts = np.where(goes_on & self._are(edges, NON_CONTENT), edges, starts)
        return starts

    def _has_signs(self, ways: Ways) -> Mask:
        """Whether there are signs, or tokens without a tag, between the words of ways."""
        found = np.zeros(len(ways), np.bool_)
        for shift in range(self.max_words):
            at = np.minimum(ways.starts + shift, ways.ends - 1)
            found |= self._are(at, _NO_WORDS)
        return found

    def _are(self, positions: Ids, values: frozenset[str], name: str = "tag") -> Mask:
        known = self.index.attribute(name)
        numbers = [number for number in map(known.lexicon.find, sorted(values)) if number >= 0]
        return np.isin(known.ids[positions], numbers)

    def _are_factual(self, sentences: Ids) -> Mask:
        """Whether sentences are not left out: RoDEO's section 3.4, for the sentences that are the model."""
        parts = extracts(self.index, sentences, "s")
        kept = [kept_sentences(part, self.left_out, self.counts) for part in parts]
        return np.concatenate([np.empty(0, np.bool_), *kept])


def _joined(graph: Graph, parts: list[Ways]) -> Ways:
    starts, ends = (np.concatenate([getattr(part, name) for part in parts]) for name in ("starts", "ends"))
    places = {number: np.concatenate([part.places[number] for part in parts]) for number in range(len(graph.places))}
    return Ways(graph, starts, ends, places)
