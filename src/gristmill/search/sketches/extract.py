"""Some texts or sentences of an index as an index of their own, in memory: so queries are matched bit by bit.

Documents that begin at 0, 10 and 20 and end at 30, of which the first and the last are taken: the token 20 of the index
is the token 10 of the extract.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids
from gristmill.arrays.ragged import chunks, concatenated_ranges, starts_of
from gristmill.search.index.attribute import Attribute, Positions, id_type
from gristmill.search.index.derived import TokenAttributes
from gristmill.search.index.heads import Heads
from gristmill.search.index.index import Index
from gristmill.search.index.joined import Bases
from gristmill.search.index.lexicon import Lexicon
from gristmill.search.index.structure import Structure

BLOCK_TOKENS = 1 << 20
"""Tokens of an extract, unless one document has more."""


class RememberingLexicon(Lexicon):
    """A lexicon that looks up a regular expression once: extract after extract asks for the same."""

    def matching(
        self, regex: str, ignore_case: bool = False, ignore_diacritics: bool = False, *, is_literal: bool = False
    ) -> Ids:
        """Find the ids of the values that a regular expression matches as a whole."""
        key = regex, ignore_case, ignore_diacritics, is_literal
        if key not in self._known:
            self._known[key] = super().matching(regex, ignore_case, ignore_diacritics, is_literal=is_literal)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[str, bool, bool, bool], Ids]:
        return {}


class ExtractAttribute(Attribute):
    """An attribute of some tokens; there are no inverted lists, so these tokens are scanned."""

    def __init__(self, name: str, lexicon: Lexicon, ids: npt.NDArray[Any]) -> None:
        """Take the ids of the tokens' values in the lexicon of the whole index."""
        self.name = name
        self.lexicon = lexicon
        self.ids = ids

    @cached_property
    def counts(self) -> Ids:
        """How often each value occurs."""
        return np.bincount(self.ids, minlength=len(self.lexicon))

    def count(self, ids: npt.NDArray[Any]) -> int:
        """Count the tokens that have one of these values."""
        return int(self.counts[ids].sum())

    def by_value(self) -> tuple[Positions, Ids]:
        """Give the positions of all tokens by the ids of their values, and where those of each id begin."""
        return np.argsort(self.ids, kind="stable"), starts_of(self.counts)

    def positions(self, number: int) -> Positions:
        """Give the positions of a value, ascending."""
        return np.flatnonzero(self.ids == number)

    def positions_of(self, ids: npt.NDArray[Any]) -> Positions:
        """Give the positions of some values, ascending."""
        return self._scan(np.asarray(ids, np.int64))


class Extract(Index):
    """The tokens of some documents, numbered from 0."""

    def __init__(self, index: Index, lexicons: dict[str, Lexicon], numbers: Ids, kind: str = "doc") -> None:
        """Take documents by their numbers, which ascend; `lexicons` are those of the attributes of the index.

        Or take sentences, `s`, or paragraphs, `p`: each is then a document of its own, as what is looked for in them
        stays within sentences.
        """
        self.folder, self.card, self.segments = index.folder, index.card, index.segments
        taken = index.structure(kind)
        starts, ends = (taken.bounds[numbers + add].astype(np.int64) for add in (0, 1))
        self.places = concatenated_ranges(starts, ends - starts)
        """The position of each token in the whole index."""
        self.size = len(self.places)
        row = slice(int(starts[0]), int(ends[-1])) if len(numbers) and self._in_a_row(starts, ends) else None
        self.attributes = TokenAttributes(
            {
                name: ExtractAttribute(name, lexicons[name], _ids(attribute, self.places if row is None else row))
                for name, attribute in index.attributes.stored.items()
            }
        )
        heads = index.heads
        self.heads = None
        if heads is not None:
            offsets = heads.offsets(self.places) if row is None else heads.between(row.start, row.stop)
            self.heads = Heads(Bases([self.size]), [offsets])
        self.structures = {
            name: self._structure(index.structure(of), starts, ends) for name, of in (("doc", kind), ("s", "s"))
        }

    @staticmethod
    def _in_a_row(starts: Ids, ends: Ids) -> bool:
        return bool((starts[1:] == ends[:-1]).all())

    def _structure(self, whole: Structure, starts: Ids, ends: Ids) -> Structure:
        """Move the bounds of the structures in these documents to where they are in the extract."""
        first, last = whole.number_at(starts), whole.number_at(ends - 1) + 1
        numbers = concatenated_ranges(first, last - first)
        moved = starts - starts_of(ends - starts)[:-1]
        bounds = whole.bounds[numbers].astype(np.int64) - np.repeat(moved, last - first)
        return Structure(whole.name, {"bounds": np.append(bounds, self.size)}, ())


def extracts(index: Index, numbers: Ids, kind: str = "doc") -> Iterator[Extract]:
    """Divide documents, paragraphs or sentences, given by their numbers, into extracts of about a million tokens."""
    bounds = index.structure(kind).bounds
    lengths = (bounds[numbers + 1] - bounds[numbers]).astype(np.int64)
    lexicons: dict[str, Lexicon] = {
        name: RememberingLexicon.of(attribute.lexicon.array) for name, attribute in index.attributes.stored.items()
    }
    for some in chunks(lengths, BLOCK_TOKENS):
        yield Extract(index, lexicons, numbers[some], kind)


def _ids(attribute: Attribute, where: slice | Ids) -> npt.NDArray[Any]:
    """Ids of tokens in the smallest type that holds them: small ones are compared faster."""
    return np.asarray(attribute.ids[where]).astype(id_type(len(attribute.lexicon)), copy=False)
