"""Structures: documents, paragraphs and sentences. Each kind covers the token stream without gaps or overlaps.

Three sentences of 4, 2 and 3 tokens are stored by their bounds, and found by binary search among these:

    bounds      0 4 6 9
    starts      0 4 6            ends  4 6 9
    number_at([3, 4, 8])         0 1 2
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Ids
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean
from gristmill.search.index.attribute import Positions
from gristmill.search.index.lexicon import Lexicon, from_arrays


class StructureAttribute:
    """One attribute of the structures of a kind, such as the host of each document."""

    def __init__(self, name: str, lexicon: Lexicon, ids: npt.NDArray[Any]) -> None:
        self.name = name
        self.lexicon = lexicon
        self.ids = ids
        """The id of each structure's value."""

    @cached_property
    def counts(self) -> Ids:
        """How many structures have each value."""
        return np.bincount(self.ids, minlength=len(self.lexicon))

    def values(self, numbers: npt.ArrayLike) -> list[str]:
        """Look up the values of these structures."""
        return self.lexicon.strings(self.ids[np.asarray(numbers, np.int64)])


class Structure:
    """All structures of one kind (`doc`, `p`, `s`), in the order of the stream; none is empty."""

    def __init__(self, name: str, arrays: dict[str, Array], attributes: tuple[str, ...]) -> None:
        self.name = name
        self.bounds: Positions = arrays["bounds"]
        """Where each structure begins, and at the end the number of tokens."""
        self.attributes = {
            attribute: StructureAttribute(attribute, from_arrays(arrays, f"{attribute}."), arrays[f"{attribute}.ids"])
            for attribute in attributes
        }

    @property
    def starts(self) -> Positions:
        """The first token of each structure."""
        return self.bounds[:-1]

    @property
    def ends(self) -> Positions:
        """The token after the last of each structure."""
        return self.bounds[1:]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def number_at(self, positions: npt.NDArray[Any]) -> Ids:
        """Find the structure that each of these positions is in.

        If there are more positions than structures, and they ascend, bounds are looked up among positions instead:
        the bounds 0 4 6 9 stand at 0, 1, 1 and 3 of the positions 3 7 8, so structure 0 has one of them, 2 has two.
        """
        # A search among numbers of another type would first copy all bounds into that type.
        given = np.asarray(positions).astype(self.bounds.dtype, copy=False)
        if given.ndim == 1 and len(given) > len(self.bounds) and np.all(given[1:] >= given[:-1]):
            places = np.searchsorted(given, self.bounds)
            return np.repeat(np.arange(len(self.bounds)), np.diff(places, append=len(given)))
        found: Ids = np.searchsorted(self.bounds, given, side="right")
        return found - 1

    def attribute(self, name: str) -> StructureAttribute:
        """Return an attribute by its name; the error for a wrong one lists the right ones."""
        if name in self.attributes:
            return self.attributes[name]
        known = ", ".join(self.attributes) or "none"
        raise UsageError(
            f"<{self.name}> has no attribute {name!r}{did_you_mean(name, self.attributes)} (it has: {known})"
        )
