"""Occurrences: hits with their index, and the documents that they are in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.search.cql.labels import Labelling
from gristmill.search.cql.marking import Places
from gristmill.search.hits import Hits, distinct
from gristmill.search.index.index import Index


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Hits in an index, and what a concordance asks of them."""

    index: Index
    hits: Hits
    labelling: Labelling | None = None
    """Knows where the labelled tokens of the query are; None if it has none."""

    def __len__(self) -> int:
        return len(self.hits)

    def take(self, which: slice | Mask | Ids) -> Occurrences:
        """Take some of them, by a slice, a mask, or numbers; these in any order, where text order is not needed."""
        return Occurrences(self.index, self.hits[which], self.labelling)

    @property
    def starts(self) -> Ids:
        """The first token of each."""
        return self.hits.starts

    @property
    def ends(self) -> Ids:
        """The token after the last of each."""
        return self.hits.ends

    @property
    def labels(self) -> list[str]:
        """Labels of the query, in its order."""
        return [] if self.labelling is None else self.labelling.labels

    @cached_property
    def places(self) -> Places:
        """Where the token with each label is, for each of them; -1 where there is none."""
        return {} if self.labelling is None else self.labelling.places(self.hits)

    @cached_property
    def lengths(self) -> Ids:
        """Number of tokens of each."""
        return self.ends - self.starts

    @cached_property
    def documents(self) -> Ids:
        """Number of the document that each is in."""
        return self.index.structures["doc"].number_at(self.starts)

    @cached_property
    def first(self) -> Ids:
        """Where the document of each begins: contexts go no further."""
        return self.index.structures["doc"].starts[self.documents].astype(np.int64)

    @cached_property
    def last(self) -> Ids:
        """Where the document of each ends."""
        return self.index.structures["doc"].ends[self.documents].astype(np.int64)

    def count_documents(self) -> int:
        """Number of documents that have one; spans must be in text order."""
        return self._documents_with_one

    @cached_property
    def _documents_with_one(self) -> int:
        """If there are more spans than documents, documents are looked up among spans and not the other way round."""
        starts = self.index.structures["doc"].starts
        if len(self) <= len(starts):
            return len(distinct(self.documents))
        stored = self.hits.stored_starts
        places = np.searchsorted(stored, starts.astype(stored.dtype))
        return int(np.count_nonzero(np.diff(places, append=len(self))))
