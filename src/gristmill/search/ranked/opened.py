"""An index of units that was opened: what a search asks of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Floats, Ids
from gristmill.errors import GristmillError
from gristmill.search.bm25 import BM25
from gristmill.search.index.lexicon import from_arrays
from gristmill.search.ranked.cells import LEVELS, levels_of
from gristmill.search.ranked.dimensions import Key
from gristmill.search.ranked.postings import block_units
from gristmill.search.ranked.units import Unit


class RankedUnits:
    """Units of an index. Each has a number, in the order of the text, and a rank, by its cell."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        """Take the arrays that `build_units` made."""
        try:
            self.about: dict[str, Any] = json.loads(arrays["about"].tobytes())
            self.unit = Unit.parse(self.about["unit"])
            self.dimensions: list[str] = self.about["dimensions"]
            self.arrays = dict(arrays)
            self.lexicon = from_arrays(arrays, "lexicon.")
            self.order, self.bounds, self.documents = arrays["order"], arrays["bounds"], arrays["documents"]
            self.first, self.cells, self.cell_starts = arrays["first"], arrays["cells"], arrays["cell_starts"]
            self._frequent, self._ceilings = arrays["frequent"], arrays["ceilings"]
        except (KeyError, ValueError, TypeError) as error:
            raise GristmillError(f"the ranked units on disk are damaged ({error}): delete the folder ranked") from error
        self.block = block_units(len(self))
        self._norms: tuple[BM25, Floats] | None = None
        self._groups: dict[tuple[Key, ...], tuple[Ids, Ids]] = {}

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def lengths(self) -> npt.NDArray[Any]:
        """Tokens of each unit, by its rank."""
        found: npt.NDArray[Any] = np.diff(self.bounds)[self.order]
        return found

    def norms(self, bm25: BM25) -> Floats:
        """What BM25 adds to how often a term is in each unit, by its rank; that of the last parameters is kept."""
        if self._norms is None or self._norms[0] != bm25:
            self._norms = bm25, bm25.norms(self.lengths, self.mean_length)
        return self._norms[1]

    @cached_property
    def ranks(self) -> npt.NDArray[np.uint32]:
        """The rank of each unit, by its number."""
        ranks = np.empty(len(self), np.uint32)
        ranks[self.order] = np.arange(len(self), dtype=np.uint32)
        return ranks

    @property
    def mean_length(self) -> float:
        """Tokens of a unit, in the mean."""
        return float(self.about["tokens"] / max(len(self), 1))

    def ceilings(self, number: int) -> npt.NDArray[np.uint8] | None:
        """The highest weights of a value in each block; None if it is not frequent enough to have them stored."""
        row = int(np.searchsorted(self._frequent, number))
        found = row < len(self._frequent) and self._frequent[row] == number
        return self._ceilings[row] if found else None

    def values(self, name: str, units: Ids) -> Floats:
        """The values of units, by their numbers, in a dimension; those that are not known are NaN."""
        if name == "length":
            return (self.bounds[units + 1] - self.bounds[units]).astype(np.float64)
        stored: Floats = self.arrays[f"value.{name}"]
        return stored[units] if name in self.about["of_units"] else stored[self.documents[units]]

    def groups(self, keys: Sequence[Key]) -> tuple[Ids, Ids]:
        """The cells in the order of some keys, the best first, and for each cell a number: equal if its levels are."""
        asked = tuple(keys)
        if asked not in self._groups:
            levels = levels_of(self.cells, len(self.dimensions))
            number = np.zeros(len(self.cells), np.int64)
            for key in asked:
                own = levels[self.dimensions.index(key.name)].astype(np.int64)
                number = number * LEVELS + (np.where(own > 0, LEVELS - own, 0) if key.reverse else own)
            self._groups[asked] = np.argsort(-number, kind="stable"), number
        return self._groups[asked]

    def cell_numbers(self, ranks: Ids) -> Ids:
        """The cell that the unit of each rank is in."""
        found: Ids = np.searchsorted(self.cell_starts, ranks, side="right") - 1
        return found
