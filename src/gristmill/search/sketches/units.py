"""Units of sketches: lemmas with their tags. The noun bread is one, the verb bread another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Ids
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import Lexicon
from gristmill.search.sketches.extract import Extract
from gristmill.search.statistics.choice import Choice
from gristmill.search.statistics.counted import counted
from gristmill.search.statistics.values import Values
from gristmill.search.subcorpus import Subcorpus

BETWEEN = "\x00"
"""Stands between lemma and tag in the lexicon of units: before all characters, so the order is that of lemmas."""
_MAX_TABLE = 1 << 26
"""Pairs of lemma and tag up to which the number of a unit is looked up in a table; beyond, it is searched for."""


class Units:
    """The units of some documents, numbered in the order of lemmas and then tags, with the frequency of each."""

    def __init__(self, index: Index, part: Subcorpus) -> None:
        """Count the units of a subcorpus."""
        values = Values(index, "lemma+tag")
        found = counted(values, Choice(index, part))
        self._keys = found.keys
        self.frequencies: Ids = found.counts
        self._tags = len(index.attribute("tag").lexicon)
        self._table: npt.NDArray[np.int32] | None = None
        if values.space <= _MAX_TABLE:
            self._table = np.zeros(values.space, np.int32)
            self._table[self._keys] = np.arange(len(self._keys))
        self._index = index

    def __len__(self) -> int:
        return len(self._keys)

    def at(self, extract: Extract, positions: Ids) -> Ids:
        """Numbers of the units of tokens."""
        lemmas, tags = (extract.attributes[name].ids[positions].astype(np.int64) for name in ("lemma", "tag"))
        keys = lemmas * self._tags + tags
        return np.searchsorted(self._keys, keys) if self._table is None else self._table[keys].astype(np.int64)

    def lexicon(self, chosen: Ids) -> Lexicon:
        """Make a lexicon of some units, `lemma NUL tag`."""
        lemmas, tags = np.divmod(self._keys[chosen].astype(np.int64), self._tags)
        parts: list[Any] = [
            self._index.attribute(name).lexicon.array.take(pa.array(ids))
            for name, ids in (("lemma", lemmas), ("tag", tags))
        ]
        return Lexicon.of(pc.binary_join_element_wise(*parts, pa.scalar(BETWEEN, pa.large_string())))
