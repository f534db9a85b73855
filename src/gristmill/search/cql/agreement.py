"""Agreement of two labelled tokens of a hit, as in `1:[] "and" 2:[] & 1.lemma = 2.lemma`."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf

import numpy as np
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Mask
from gristmill.registry import did_you_mean
from gristmill.search.cql.query import Agreement, Alternatives, Boundary, Node, Query, Relation, Repeat, Sequence, Token
from gristmill.search.hits import Edges, Hits
from gristmill.search.index.attribute import Attribute
from gristmill.search.index.index import Index


def agreeing(index: Index, query: Query, hits: Hits) -> Hits:
    """Keep the hits whose labelled tokens agree as the query wants it."""
    for agreement in query.agreements:
        hits = hits[np.flatnonzero(_agree(index, query, agreement, hits))]
    return hits


def _agree(index: Index, query: Query, agreement: Agreement, hits: Hits) -> Mask:
    """Whether the two tokens of each hit agree as one condition wants it."""
    one, other = (_attribute(index, name, agreement) for name in agreement.attributes)
    first, second = (_positions(query, label, agreement, hits) for label in agreement.labels)
    found: Mask = _translated(one, other)[one.ids[first]] == other.ids[second]
    return ~found if agreement.negated else found


def _attribute(index: Index, name: str, agreement: Agreement) -> Attribute:
    if name not in index.attributes:
        known = ", ".join(index.attributes)
        raise agreement.place.error(
            f"a token has no attribute {name!r}{did_you_mean(name, index.attributes)} (there are: {known}):"
        )
    return index.attributes[name]


def _translated(one: Attribute, other: Attribute) -> Edges:
    """For each value of one attribute its id in the other, or -1."""
    if one is other:
        return np.arange(len(one.lexicon))
    found = pc.fill_null(pc.index_in(one.lexicon.array, value_set=other.lexicon.array), -1)
    ids: Edges = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return ids


def _positions(query: Query, label: int, agreement: Agreement, hits: Hits) -> Edges:
    """Position of the labelled token in each hit: at a fixed distance from its start or from its end."""
    node = query.node
    while isinstance(node, Relation):
        node = node.part
    parts = node.parts if isinstance(node, Sequence) else (node,)
    place = next((number for number, part in enumerate(parts) if isinstance(part, Token) and part.label == label), None)
    before = None if place is None else _width(parts[:place])
    after = None if place is None else _width(parts[place:])
    if before is not None:
        return hits.starts + before
    if after is not None:
        return hits.ends - after
    raise agreement.place.error(
        f"the token {label} must stand at a fixed distance from the start or the end of the query, "
        "outside of groups and repetitions:"
    )


def _width(parts: SequenceOf[Node]) -> int | None:
    """Number of tokens that parts have together, if that is always the same; otherwise None."""
    widths = [_one_width(part) for part in parts]
    known = [width for width in widths if width is not None]
    return sum(known) if len(known) == len(widths) else None


def _one_width(node: Node) -> int | None:
    """Number of tokens of a part, if that is always the same; otherwise None."""
    match node:
        case Token():
            return 1
        case Boundary():
            return 0
        case Sequence():
            return _width(node.parts)
        case Alternatives():
            widths = {_one_width(part) for part in node.parts}
            return widths.pop() if len(widths) == 1 else None
        case Repeat():
            width = _one_width(node.part)
            return None if width is None or node.least != node.most else width * node.least
        case _:
            return None
