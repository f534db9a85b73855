"""Which tokens have an attribute: where a tagger does not know it, nothing can be found or counted by it.

The index says of each paragraph which tagger it got, and a table (`annotation/provided.py`) which attributes that
provides. Whether a paragraph has relations is a matter of parsers, which the index does not know: its first token shows
it, as a sentence has a whole tree or none, and sentences of a paragraph are parsed alike. Rates of what asks for an
attribute are those among the tokens that have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.annotation.provided import made_of, provides
from gristmill.arrays.dtypes import Ids, Mask
from gristmill.arrays.ragged import starts_of
from gristmill.corpus.attributes import DEPREL
from gristmill.search.index.index import Index
from gristmill.search.index.structure import Structure
from gristmill.search.subcorpus import Subcorpus

_TAGGER = "tagger"
_MAX_NAMED_LANGUAGES = 12

RATES = "rates relate to the others"
COUNTED = "only the others are counted"
ALL_COUNTED = "all hits are there, so all tokens are counted"


@dataclass(frozen=True, slots=True)
class MissingAttribute:
    """An attribute that some tokens don't have: how many, and in which languages, the one with the most first."""

    attribute: str
    tokens: int
    langs: tuple[str, ...]

    def said_of(self, searched: int | None) -> str:
        """Say it in words; the first of several says, too, how many tokens were searched."""
        where = _bracketed(self.langs)
        if searched is None:
            return f"{self.attribute} for {self.tokens:,}{where}"
        amount = f"all {searched:,}" if self.tokens == searched else f"{self.tokens:,} of {searched:,}"
        return f"{self.attribute} is missing for {amount} tokens{where}"


@dataclass(frozen=True, slots=True)
class Missing:
    """What is missing of the attributes that a query or a statistic asks for, among the tokens that were searched."""

    searched: int = 0
    attributes: tuple[MissingAttribute, ...] = ()
    tokens: int = 0
    """Tokens that don't have one or more of them."""
    then: str = RATES
    """What follows for the figures if some tokens have all of them."""

    @property
    def is_partial(self) -> bool:
        """Whether some tokens have all attributes, and some have not."""
        return 0 < self.tokens < self.searched

    def lacks_all(self, attribute: str) -> bool:
        """Whether no token that was searched has an attribute."""
        return any(one.attribute == attribute and one.tokens == self.searched > 0 for one in self.attributes)

    def langs_without(self, attribute: str) -> str:
        """Name the languages in which an attribute is missing, in brackets; empty if nothing is known of these."""
        return "".join(_bracketed(one.langs) for one in self.attributes if one.attribute == attribute)

    @property
    def rated(self) -> int:
        """Tokens that rates relate to: those that have all attributes, or all if none has."""
        return self.searched - self.tokens if self.is_partial else self.searched

    def notes(self) -> list[str]:
        """Say it in a line; nothing if nothing is missing."""
        if not self.attributes:
            return []
        first, *others = self.attributes
        said = ", ".join([first.said_of(self.searched), *(other.said_of(None) for other in others)])
        return [f"{said}; {self.then}" if self.is_partial else said]

    def to_json(self) -> dict[str, Any]:
        """Return what is missing and the tokens that rates relate to; nothing if nothing is missing."""
        if not self.attributes:
            return {}
        return {"missing": [asdict(one) for one in self.attributes], "rated_tokens": self.rated}


NOTHING_MISSING = Missing()


class Coverage:
    """The tokens of an index, or of a subcorpus, that have some attributes, and those that have not."""

    def __init__(self, index: Index, names: Iterable[str], part: Subcorpus | None = None, then: str = RATES) -> None:
        """Take the names of attributes of tokens, derived ones, too."""
        self.index, self.part = index, part
        self._searched = index.size if part is None else part.size
        self._then = then
        stored = dict.fromkeys(base for name in sorted(names) for base in made_of(name))
        self._tables = {name: table for name in stored if (table := self._tables_of(name)).any()}
        self._lacking = [*self._tables, *(name for name in stored if name == DEPREL and self._no_relation >= 0)]

    @cached_property
    def missing(self) -> Missing:
        """What is missing, in numbers."""
        if not self._lacking:
            return Missing(self._searched, then=self._then)
        found = list(map(self._missing, self._lacking))
        some = tuple(sorted((one for one in found if one.tokens), key=lambda one: -one.tokens))
        tokens = int(self._lengths[self._without].sum()) if some else 0
        return Missing(self._searched, some, tokens, self._then)

    @property
    def is_partial(self) -> bool:
        """Whether some of the tokens have all attributes, and some have not: only then the rest is of use."""
        return bool(self._lacking) and self.missing.is_partial

    @cached_property
    def ranges(self) -> tuple[Ids, Ids]:
        """From where to where in the token stream tokens have the attributes; paragraphs in a row are one range."""
        edges = np.flatnonzero(np.diff((self._searched_in & ~self._without).astype(np.int8), prepend=0, append=0))
        bounds = self.index.structures["p"].bounds[edges].astype(np.int64)
        return bounds[::2], bounds[1::2]

    def before(self, positions: npt.NDArray[Any]) -> Ids:
        """Count the tokens with the attributes before each of these positions.

        With ranges from 10 to 20 and from 30 to 40, there are 15 before the position 35: 10 of the first range, and 5
        of the second.
        """
        starts, ends = self.ranges
        given = np.asarray(positions, np.int64)
        sums = starts_of(ends - starts)
        number = np.searchsorted(starts, given, side="right")
        inside = np.minimum(given, np.append(0, ends)[number]) - np.append(0, starts)[number]
        found: Ids = sums[np.maximum(number - 1, 0)] + np.where(number > 0, inside, 0)
        return found

    def holds(self, positions: npt.NDArray[Any]) -> Mask:
        """Tell of positions whether the token there has the attributes."""
        starts, ends = self.ranges
        number = np.searchsorted(starts, np.asarray(positions, np.int64), side="right")
        return np.asarray(positions) < np.append(0, ends)[number]

    def mask(self, start: int, stop: int) -> Mask:
        """Tell of the tokens of a stretch whether they have the attributes."""
        starts, ends = self.ranges
        some = slice(int(np.searchsorted(ends, start, side="right")), int(np.searchsorted(starts, stop)))
        changes = np.zeros(stop - start + 1, np.int8)
        changes[starts[some].clip(start) - start] = 1
        changes[ends[some].clip(max=stop) - start] = -1
        return np.cumsum(changes[:-1], dtype=np.int8).astype(np.bool_)

    def count(self, starts: npt.NDArray[Any]) -> int:
        """Count the hits that begin at a token with the attributes, given where hits begin, in order."""
        begins, ends = (np.searchsorted(starts, edges.astype(starts.dtype)) for edges in self.ranges)
        return int((ends - begins).sum())

    def lengths(self, structure: Structure) -> Ids:
        """Count the tokens of each structure of a kind that were searched, and that have the attributes."""
        bounds = self.before(structure.bounds) if self.is_partial else structure.bounds.astype(np.int64)
        lengths: Ids = bounds[1:] - bounds[:-1]
        if self.part is None or self.is_partial:
            return lengths
        return lengths * self.part.holds(structure.starts)

    def cut(self, bounds: npt.NDArray[Any]) -> tuple[Ids, Ids]:
        """Give the stretches between bounds as far as their tokens have the attributes.

        Between the bounds 0, 10 and 20, of which the tokens from 5 to 12 have them, these are 5 to 10 and 10 to 12.
        """
        inner = np.asarray(bounds, np.int64)
        edges = np.unique(np.concatenate([inner, *self.ranges]))
        edges = edges[(edges >= inner[0]) & (edges <= inner[-1])]
        having = self.holds(edges[:-1])
        return edges[:-1][having], edges[1:][having]

    @cached_property
    def _no_relation(self) -> int:
        """The number of the empty relation, which tokens have that were not parsed; -1 if there are none."""
        relations = self.index.attributes.get(DEPREL)
        return -1 if relations is None else relations.lexicon.find("")

    def _tables_of(self, attribute: str) -> Mask:
        """Tell of each tagger, and of each language, whether it does not provide an attribute; of relations nothing."""
        if attribute == DEPREL:
            return np.zeros((0, 0), np.bool_)
        paragraphs = self.index.structures["p"].attributes
        taggers = paragraphs[_TAGGER].lexicon.array.to_pylist() if _TAGGER in paragraphs else []
        langs = paragraphs["lang"].lexicon.array.to_pylist() if "lang" in paragraphs else [""]
        flags = [[not provides(tagger, attribute, lang) for lang in langs] for tagger in taggers]
        return np.array(flags, np.bool_).reshape(len(taggers), len(langs))

    def _of_paragraphs(self, attribute: str) -> Mask:
        """Tell of each paragraph that was searched whether it lacks an attribute."""
        if attribute == DEPREL:
            first = self.index.attributes[DEPREL].ids[self.index.structures["p"].starts]
            bare: Mask = (first == self._no_relation) & self._searched_in
            return bare
        paragraphs, table = self.index.structures["p"].attributes, self._tables[attribute]
        langs = paragraphs["lang"].ids if "lang" in paragraphs else 0
        found: Mask = table[paragraphs[_TAGGER].ids, langs] & self._searched_in
        return found

    @cached_property
    def _without(self) -> Mask:
        """Whether each paragraph lacks one of the attributes."""
        found: Mask = np.logical_or.reduce(list(map(self._of_paragraphs, self._lacking)))
        return found

    @cached_property
    def _documents(self) -> Ids:
        """The document that each paragraph is in."""
        return self.index.structures["doc"].number_at(self.index.structures["p"].starts)

    @cached_property
    def _searched_in(self) -> Mask:
        """Whether each paragraph was searched."""
        everywhere = np.ones(len(self.index.structures["p"]), np.bool_)
        return everywhere if self.part is None else self.part.holds(self.index.structures["p"].starts)

    @cached_property
    def _lengths(self) -> Ids:
        """Tokens of each paragraph."""
        bounds: Ids = self.index.structures["p"].bounds.astype(np.int64)
        return bounds[1:] - bounds[:-1]

    def _missing(self, attribute: str) -> MissingAttribute:
        without = self._of_paragraphs(attribute)
        tokens: dict[str, int] = {}
        for lang, count in self._languages(without):
            tokens[lang] = tokens.get(lang, 0) + count
        langs = sorted(filter(tokens.get, tokens), key=lambda lang: (-tokens[lang], lang))
        return MissingAttribute(attribute, sum(tokens.values()), tuple(langs))

    def _languages(self, without: Mask) -> list[tuple[str, int]]:
        """Count the tokens of some paragraphs by the language in which they were annotated.

        A short paragraph is annotated in the language of its document, whatever language it seems to be in. So one
        that seems to be in another is counted for its document, if other paragraphs in that language lack the
        attribute, too.
        """
        own, of_document = (self.index.structures[kind].attributes.get("lang") for kind in ("p", "doc"))
        lengths = self._lengths[without]
        if own is None or of_document is None:
            return [("", int(lengths.sum()))]
        names = [*own.lexicon.array.to_pylist(), *of_document.lexicon.array.to_pylist()]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        own_numbers, doc_numbers = (
            np.array([numbers[name] for name in one.lexicon.array.to_pylist()], np.int64)[one.ids]
            for one in (own, of_document)
        )
        mine, theirs = own_numbers[without], doc_numbers[self._documents[without]]
        established = np.bincount(mine[mine == theirs], minlength=len(numbers)) > 0
        counts = np.bincount(np.where(established[theirs], theirs, mine), lengths, len(numbers))
        return [(name, int(counts[number])) for name, number in numbers.items() if counts[number]]


def _bracketed(langs: Sequence[str]) -> str:
    """Write languages in brackets, the first of them if they are many; nothing if there are none."""
    shown, more = langs[:_MAX_NAMED_LANGUAGES], len(langs) - _MAX_NAMED_LANGUAGES
    named = ", ".join([*shown, *([f"{more} more"] if more > 0 else [])])
    return f" ({named})" if named else ""


def with_missing(facts: dict[str, Any], other: str = "") -> dict[str, Any]:
    """Write what is missing into the facts of a result, instead of the fields that have it.

    `other` is what the second side of a comparison is called, if there is one: `reference` for the field
    `reference_missing`. `notes` say in lines what is missing; they are there only if something is.
    """
    missing: Missing = facts.pop("missing")
    if not other:
        notes, found = missing.notes(), missing.to_json()
    else:
        there: Missing = facts.pop(f"{other}_missing")
        notes = notes_of_two(missing, there, other)
        found = missing.to_json() | {f"{other}_{name}": value for name, value in there.to_json().items()}
    return {**({"notes": notes} if notes else {}), **facts, **found}


def notes_of_two(missing: Missing, there: Missing, other: str) -> list[str]:
    """Say what is missing on two sides that are compared; lines on the other side begin with its name."""
    return [*missing.notes(), *(f"{other}: {note}" for note in there.notes())]
