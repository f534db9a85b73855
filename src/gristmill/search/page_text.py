"""Which pages of a corpus have some words in their kept text, by its index."""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.search.documents import document_search
from gristmill.search.index.index import Index
from gristmill.search.terms import Terms


def rows_with(index: Index, terms: Terms) -> dict[str, Ints]:
    """Find the pages that have all terms: the rows of each shard, by the name of that."""
    rows: dict[str, list[int]] = {}
    for identifier in document_search(index).ids(terms):
        shard, _, row = identifier.partition("-")
        rows.setdefault(shard, []).append(int(row))
    return {shard: np.array(found, np.int64) for shard, found in rows.items()}
