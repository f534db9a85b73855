"""An attribute of tokens, such as their words or lemmas: the value of each token, and where each value stands.

The tokens `the cat saw the dog`, with ids by the sorted lexicon `cat dog saw the`:

    ids        3 0 2 3 1          the id of the value of each token
    first      0 1 2 3 5          where the positions of each id begin in the inverted lists
    inverted   1 4 2 0 3          the positions of `cat`, `dog`, `saw` and `the`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Array, Ids, Mask
from gristmill.arrays.ragged import concatenated_ranges
from gristmill.search.index.lexicon import buffers_of, from_arrays

Positions = npt.NDArray[Any]
"""Numbers of tokens: of 32 bits in a segment, and in an index of several segments as long as these are enough."""

WIDE_TOKENS = 1 << 32
"""From so many tokens on, positions have 64 bits."""
_MIN_TOKENS_PER_HIT_TO_SORT = 4
"""Looking at all tokens is faster than sorting positions if more than one token in so many is wanted."""
_BLOCK_TOKENS = 1 << 20
"""Tokens that are looked at together."""
_LETTER_OR_DIGIT = r"[\pL\pN]"
_REMEMBERED_EXPRESSIONS = 8
"""Regular expressions for values whose matches are remembered, the last ones; a byte for each value."""


class Attribute:
    """One attribute of the token stream, mapped from disk."""

    def __init__(self, name: str, arrays: dict[str, Array]) -> None:
        self.name = name
        self.lexicon = from_arrays(arrays)
        self.ids: npt.NDArray[Any] = arrays["ids"]
        """The id of each token's value; the smallest unsigned type that holds the lexicon."""
        self.first: Ids = arrays["first"]
        """Where the positions of each id begin in `inverted`, and at the end how many there are."""
        self.inverted: Positions = arrays["positions"]
        """The positions of all tokens, by id and then ascending."""

    joined = False
    """Whether its tokens are those of several segments, each with ids of its own."""

    @cached_property
    def counts(self) -> Ids:
        """How often each value occurs."""
        return np.diff(self.first)

    def parts(self) -> Iterator[tuple[Attribute, npt.NDArray[Any] | None]]:
        """Yield the attribute in each segment, with a table from its ids there to those here; None if it needs none."""
        yield self, None

    def by_value(self) -> tuple[Positions, Ids]:
        """Give the positions of all tokens by the ids of their values, and where those of each id begin."""
        return self.inverted, self.first

    @cached_property
    def words(self) -> Mask:
        """Whether each value has a letter or a digit; what has neither is punctuation, a symbol or an emoji."""
        found: Mask = pc.match_substring_regex(self.lexicon.array, _LETTER_OR_DIGIT).to_numpy(zero_copy_only=False)
        return found

    @cached_property
    def matching(self) -> Callable[[str], Mask]:
        """Tell of each value whether a regular expression matches it as a whole; the last answers are remembered.

        Lists are often made again with the same expression, as that for values with a letter.
        """
        return lru_cache(maxsize=_REMEMBERED_EXPRESSIONS)(self._matching)

    def _matching(self, regex: str) -> Mask:
        found = np.zeros(len(self.lexicon), np.bool_)
        found[self.lexicon.matching(regex)] = True
        return found

    def count(self, ids: npt.NDArray[Any]) -> int:
        """Count the tokens that have one of these values; ids are distinct."""
        return int((self.first[ids + 1] - self.first[ids]).sum())

    def positions(self, number: int) -> Positions:
        """Give the positions of the value with that id, ascending; nothing is copied."""
        return self.inverted[self.first[number] : self.first[number + 1]]

    def positions_of(self, ids: npt.NDArray[Any]) -> Positions:
        """Give the positions of the values with these ids, ascending. Ids are distinct and may be in any order."""
        ids = np.asarray(ids, np.int64)
        if len(ids) == 1:
            return self.positions(int(ids[0]))
        if self.count(ids) * _MIN_TOKENS_PER_HIT_TO_SORT > len(self.ids):
            return self._scan(ids)
        starts, counts = self.first[ids], self.first[ids + 1] - self.first[ids]
        found = self.inverted[concatenated_ranges(starts, counts)]
        found.sort()
        return found

    def own_ids(self, number: int, ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Translate ids to those of a segment. This is the one segment, so they stay as they are."""
        del number
        return ids

    def own_values(self, number: int, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Choose, of an array with an entry for each value, the entries for the values of a segment, by its own ids.

        This is the one segment, so these are all.
        """
        del number
        return values

    def apply(
        self, function: Callable[[int, npt.NDArray[Any]], npt.NDArray[Any]], positions: npt.NDArray[Any], dtype: Any
    ) -> npt.NDArray[Any]:
        """Apply a function to the tokens at some positions: it gets a segment's number and the segment's own ids.

        A position outside of the stream is taken for the nearest one inside.
        """
        del dtype
        return function(0, self.ids.take(positions, mode="clip"))

    def apply_between(
        self, function: Callable[[int, npt.NDArray[Any]], npt.NDArray[Any]], start: int, stop: int, dtype: Any
    ) -> npt.NDArray[Any]:
        """Apply a function to the tokens from `start` to before `stop`: it gets a segment's number and its own ids."""
        del dtype
        return function(0, self.ids[start:stop])

    def _scan(self, ids: Ids) -> Positions:
        """Find the positions of many values by looking at all tokens, block by block."""
        wanted = np.zeros(len(self.lexicon), np.bool_)
        wanted[ids] = True
        starts = range(0, len(self.ids), _BLOCK_TOKENS)
        found = [
            (np.flatnonzero(wanted[self.ids[start : start + _BLOCK_TOKENS]]) + start).astype(np.uint32)
            for start in starts
        ]
        return np.concatenate([np.empty(0, np.uint32), *found])


class _Everywhere:
    """The positions of all tokens, ascending, used like an array; what is asked for is made."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __getitem__(self, where: slice | npt.NDArray[Any]) -> Positions:
        return np.arange(*where.indices(self._size), dtype=np.uint32) if isinstance(where, slice) else where


def empty_arrays(size: int) -> dict[str, Array]:
    """Make the arrays of an attribute that a segment of so many tokens was written without: all values are empty."""
    return {
        **buffers_of(pa.array([""][:size], pa.large_string())),
        "ids": np.zeros(size, np.uint8),  # pages of zeros, which take no memory until they are written
        "first": np.array([0, size][: 1 + bool(size)], np.int64),
        "positions": cast("Array", _Everywhere(size)),
    }


def id_type(values: int) -> np.dtype[Any]:
    """Choose the smallest type that holds the ids of so many values."""
    return np.min_scalar_type(max(values - 1, 0))


def position_type(tokens: int) -> np.dtype[Any]:
    """Choose the type of positions among so many tokens, and of the number of tokens itself."""
    return np.dtype(np.uint32 if tokens < WIDE_TOKENS else np.int64)
