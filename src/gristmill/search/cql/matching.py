"""Matching: find the spans that a query matches in an index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.cql.binding import Binder
from gristmill.search.cql.bounds import Bounds, Stream
from gristmill.search.cql.elements import Element, Run
from gristmill.search.cql.labels import Labelling
from gristmill.search.cql.marking import Places
from gristmill.search.cql.parsing import parsed
from gristmill.search.cql.query import Expansion, Query
from gristmill.search.cql.scanned import Scanned
from gristmill.search.cql.special import Lookup
from gristmill.search.cql.strategies import ALL, STRATEGIES, chosen_by
from gristmill.search.hits import Hits, check_size
from gristmill.search.index.index import Index
from gristmill.search.subcorpus import Subcorpus
from gristmill.search.wordlists import FOLDER, Lists, WordLists

_STRETCH_SPANS = 1 << 20
"""Spans that matching begins with at a time, about."""
_MIN_STRETCH_TOKENS = 1 << 18
"""Tokens that a stretch of the corpus has at least, about."""


def parse_with(query: str | Query, strategy: str | None) -> Query:
    """Parse a query of which only the matches of a strategy count; a query can also say so itself, `(?longest) ...`."""
    query = parsed(query)
    if not strategy or strategy == query.strategy:
        return query
    if strategy not in STRATEGIES:
        known = f"{did_you_mean(strategy, STRATEGIES)} (there are: {', '.join(STRATEGIES)})"
        raise UsageError(f"there is no matching strategy {strategy!r}{known}")
    if query.strategy != ALL:
        raise UsageError(f"the query itself asks for the {query.strategy} matches: leave out (?{query.strategy}) there")
    return replace(query, strategy=strategy)


def find(
    index: Index,
    query: str | Query,
    within: Subcorpus | None = None,
    *,
    lists: Lists | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Hits:
    """Find all distinct spans that a query matches, each in one document; those of a subcorpus, if one is given.

    `lists` are lists of words that the query names, besides those that are saved in the corpus; or a `WordLists`
    instead of these. `cancelled` is asked again and again whether the search should be given up; then `CancelledError`
    is raised.
    """
    query = resolved(query, index)
    binder = _binder(index, lists, cancelled)
    hits = _all_hits(binder.spans_of(query.node), binder.stream)
    if within is not None:
        hits = within.restrict(hits)
    if query.aligned:
        hits = _aligned(hits, query, index, binder)
    hits = chosen_by(query.strategy, hits)
    if query.cut is not None:
        hits = hits[: query.cut]
    return hits if query.expansion is None else _expanded(hits, query.expansion, binder)


def resolved(query: str | Query, index: Index) -> Query:
    """Parse a query, if it is not, and spell out words of scripts without spaces that are no words of an index."""
    query = parsed(query)
    if query.text.isascii():
        return query
    from gristmill.search.cql.spelling import spelt_out  # noqa: PLC0415 (most queries need none)

    return spelt_out(query, index)


def find_labels(index: Index, query: str | Query, hits: Hits, *, lists: Lists | None = None) -> Places:
    """Find where the labelled tokens of some hits of a query are: for each label their positions, hit by hit.

    A label that a hit does not have is at -1. A query without labels has none, nor has one whose hits are expanded.
    """
    return Labelling(index, resolved(query, index), lists_for(index, lists)).places(hits)


def lists_for(index: Index, lists: Lists | None) -> WordLists:
    """Take the lists of words that are given with a query, and those that are saved in the corpus of an index."""
    return lists if isinstance(lists, WordLists) else WordLists(lists or {}, index.folder.parent / FOLDER)


def _binder(index: Index, lists: Lists | None, cancelled: Callable[[], bool] | None) -> Binder:
    stream = Stream(index.size, Bounds(index.structures["doc"].bounds))
    if cancelled is not None:
        stream.cancelled = cancelled
    return Binder(Lookup(index, lists_for(index, lists), step=lambda: stream.count(0)), stream)


def _all_hits(element: Element, stream: Stream) -> Hits:
    """All spans of an element, a stretch of the corpus at a time if it has many."""
    if not stream.size:
        return Hits.none()
    if isinstance(element, Scanned):
        walked = element.walk()
        if walked is not None:
            return walked
        element = element.exact
    stretches = min(element.estimate // _STRETCH_SPANS, stream.size // _MIN_STRETCH_TOKENS)
    if stretches <= 1 or (isinstance(element, Run) and element.most == 1):
        hits = element.hits()
        check_size(len(hits))
        return hits
    found, total = [], 0
    for _ in stream.stretches(stretches):
        found.append(element.hits())
        total += len(found[-1])
        check_size(total)
    return Hits.chained(found)


def _aligned(hits: Hits, query: Query, index: Index, binder: Binder) -> Hits:
    """Keep the hits whose aligned sentences have what the query says of them, or have it not."""
    from gristmill.search.aligned import open_alignment  # noqa: PLC0415 (most queries need none)

    alignment = open_alignment(index)
    for other in query.aligned:
        side = alignment.side_of(other.lang)
        hits = hits[np.flatnonzero(alignment.documents(1 - side)[index.structures["doc"].number_at(hits.starts)])]
        found = _all_hits(binder.spans_of(resolved(other.query, index).node), binder.stream)
        hits = hits[np.flatnonzero(alignment.have(hits, found) != other.negated)]
    return hits


def _expanded(hits: Hits, expansion: Expansion, binder: Binder) -> Hits:
    """Make hits longer, to the bounds of structures or by tokens; they stay in their documents."""
    if not len(hits):
        return hits
    first, last = binder.stream.documents_of(hits.starts)
    if expansion.structure is None:
        starts, ends = hits.starts - expansion.count, hits.ends + expansion.count
    else:
        bounds = binder.covering(expansion.structure)
        more = max(0, expansion.count - 1)
        begin = bounds.numbers(hits.starts) - more
        end = bounds.place(hits.ends) + more
        edges = bounds.bounds.astype(np.int64)
        starts, ends = edges[np.maximum(begin, 0)], edges[np.minimum(end, len(edges) - 1)]
    starts = np.maximum(starts, first) if expansion.left else hits.starts
    ends = np.minimum(ends, last) if expansion.right else hits.ends
    return Hits.of(starts, ends)
