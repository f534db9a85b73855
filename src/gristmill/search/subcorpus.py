"""Subcorpora: the documents of an index whose metadata meets a condition, to which searches can be restricted.

A part of an index may also be of paragraphs, those in a language: it is a subcorpus of another `kind` of structure.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ids, Mask
from gristmill.condition import AllOf, AnyOf, Comparison, Condition, Negation, matching
from gristmill.errors import UsageError
from gristmill.search.hits import Hits
from gristmill.search.index.index import Index
from gristmill.search.index.structure import Structure
from gristmill.search.subcorpora import expanded


class Subcorpus:
    """Some documents of an index, such as those for which `host=".*\\.uk" & year>=2005 & lang="en"` holds."""

    def __init__(self, index: Index, condition: str, *, chosen: Mask | None = None, kind: str = "doc") -> None:
        """Choose documents by a condition, unless they, or structures of another kind, are `chosen` already.

        `@name` in it is a subcorpus that was saved in the corpus of the index.
        """
        self.index = index
        self.condition = condition
        """The condition as it was given."""
        self.kind = kind
        """What it is of: documents, or paragraphs."""
        self._whole = index.structure(kind)
        self.chosen = _meeting(expanded(condition, index.folder.parent), self._whole) if chosen is None else chosen
        """Whether each document, or structure of its kind, is in the subcorpus."""

    @property
    def rest(self) -> Subcorpus:
        """All other documents."""
        return Subcorpus(self.index, f"!({self.condition})", chosen=~self.chosen, kind=self.kind)

    @cached_property
    def numbers(self) -> Ids:
        """The numbers of its documents, or structures of its kind, ascending."""
        return np.flatnonzero(self.chosen)

    @property
    def documents(self) -> int:
        """How many documents it has tokens of."""
        if self.kind == "doc":
            return len(self.numbers)
        return len(np.unique(self.index.structure("doc").number_at(self._whole.starts[self.numbers])))

    @cached_property
    def size(self) -> int:
        """How many tokens it has."""
        return int((self.ranges[1] - self.ranges[0]).sum())

    @cached_property
    def ranges(self) -> tuple[Ids, Ids]:
        """Where it begins and ends in the token stream; documents in a row are one range.

        Of four documents that begin at 0, 10, 20 and 30 and end at 40, the second and third are chosen, and the last is
        not: edges of what is chosen are at the documents 1 and 3, so there is one range from 10 to 30.
        """
        edges = np.flatnonzero(np.diff(self.chosen.astype(np.int8), prepend=0, append=0))
        bounds = self._whole.bounds[edges].astype(np.int64)
        return bounds[::2], bounds[1::2]

    def holds(self, positions: npt.NDArray[Any]) -> Mask:
        """Tell which of these positions are in it."""
        return self.chosen[self._whole.number_at(positions)]

    def mask(self, start: int, stop: int) -> Mask:
        """Tell which positions from `start` to before `stop` are in it, faster than `holds` could.

        Documents that begin at 0, 10 and 20, of which the second is chosen, are clipped to 8, 10 and 12 for positions
        from 8 to before 12: two are not in it, two are.
        """
        first, last = self._whole.number_at(np.array([start, stop - 1])).tolist()
        bounds = self._whole.bounds[first : last + 2].astype(np.int64).clip(start, stop)
        return np.repeat(self.chosen[first : last + 1], np.diff(bounds))

    def restrict(self, hits: Hits) -> Hits:
        """Take the hits that are in it."""
        return hits[self.holds(hits.starts)]

    def check(self) -> Subcorpus:
        """Return this subcorpus; raise if there is nothing in it."""
        if not self.size:
            raise UsageError(f"no document of the corpus meets the condition {self.condition}".rstrip())
        return self


def _meeting(text: str, docs: Structure) -> Mask:
    """Tell which documents meet a condition; raises if it is wrong."""
    condition = Condition.parse(text)
    condition.check(docs.attributes, "<doc>")
    return holds_of(condition, docs)


def holds_of(condition: Condition, structure: Structure) -> Mask:
    """Tell for each structure of a kind whether a condition holds of its attributes.

    A comparison is made once for each distinct value, and then looked up by the id of each structure's value.
    """
    if isinstance(condition, Comparison):
        attribute = structure.attributes[condition.name]
        values = matching(
            attribute.lexicon.array, condition.sign, condition.value, condition.ignore_case, condition.ignore_diacritics
        )
        meeting: Mask = values[attribute.ids]
        return meeting
    if isinstance(condition, Negation):
        return ~holds_of(condition.part, structure)
    found = np.full(len(structure), not isinstance(condition, AnyOf))
    if isinstance(condition, AllOf | AnyOf):
        for part in condition.parts:
            other = holds_of(part, structure)
            found = found & other if isinstance(condition, AllOf) else found | other
    return found
