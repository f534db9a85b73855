"""The sketch base of some documents: all triples of head, relation and collocate, sorted, as arrays on disk.

    units       lemmas with their tags, sorted (`Lexicon`), and how often each is in the documents
    groups      a head with a relation: packed numbers, where its triples begin, and how many pairs it has
    triples     by group and then by collocate: collocate, count, where its commonest wording stands first and how long
                that is, and the score of the same pair seen from the collocate

A relation and its dual are both there, so that what stands with a collocate is found as fast as what stands with a
head.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Floats, Ids
from gristmill.engine import Report, silent
from gristmill.errors import GristmillError
from gristmill.search.index.attribute import position_type
from gristmill.search.index.index import Index
from gristmill.search.index.lexicon import buffers_of, from_arrays
from gristmill.search.sketches.counting import RELATION_BITS, commonest, count_pairs, mirrored, unit_bits, unpacked
from gristmill.search.sketches.extract import extracts
from gristmill.search.sketches.pairs import Slot, Source
from gristmill.search.sketches.units import BETWEEN, Units
from gristmill.search.statistics.measures import log_dice
from gristmill.search.statistics.tally import first_of_each
from gristmill.search.subcorpus import Subcorpus

MIN_SHARED = 2
"""Pairs that a triple needs to count for the thesaurus: what was met once is chance more often than not."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A relation seen from one side: its name, its title, its place in the grammar, and from which side."""

    name: str
    title: str
    relation: int
    dual: bool
    symmetric: bool
    word: str = ""
    """The lemma that names it, if it is by name."""


@dataclass(frozen=True, slots=True)
class Group:
    """The collocates of a head in a relation."""

    number: int
    """Number of the relation."""
    total: int
    """Pairs of the head in the relation."""
    places: slice
    """Where its triples are."""


class Base:
    """A sketch base that was built or opened."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        """Take the arrays that `build_base` made."""
        try:
            self.about: dict[str, Any] = json.loads(arrays["about"].tobytes())
            self.units = from_arrays(arrays, "units.")
            self.kinds = {int(number): Kind(**kind) for number, kind in self.about["kinds"].items()}
            self.frequencies, self.totals, self.weights, self.tags, self._groups, self._first, self._group_totals = (
                arrays[name] for name in ("frequencies", "totals", "weights", "tags", "groups", "first", "group_totals")
            )
            self.collocates, self.counts, self.starts, self.lengths, self.backs = (
                arrays[name] for name in ("collocates", "counts", "starts", "lengths", "backs")
            )
        except (KeyError, ValueError, TypeError) as error:
            raise GristmillError(f"the sketches on disk are damaged ({error}): delete the folder sketches") from error

    @property
    def size(self) -> int:
        """Tokens of the documents."""
        return int(self.about["tokens"])

    @cached_property
    def tag_names(self) -> list[str]:
        """The tags that units have, by their numbers."""
        return list(self.about["tags"])

    def find(self, lemma: str, tag: str) -> int:
        """Find the number of a unit; -1 if it is not there."""
        return self.units.find(f"{lemma}{BETWEEN}{tag}")

    def tags_of(self, lemma: str) -> dict[str, int]:
        """The tags that a lemma has, with the frequency of each, the most frequent first."""
        numbers = {tag: self.find(lemma, tag) for tag in self.tag_names}
        found = {tag: int(self.frequencies[number]) for tag, number in numbers.items() if number >= 0}
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def beginning_with(self, start: str, most: int = 2_000) -> list[str]:
        """Lemmas that begin with some letters, each once, as far as the first `most` units go."""
        first = bisect_left(range(len(self.units)), start, key=lambda number: self.units[number])
        found = self.units.strings(np.arange(first, min(first + most, len(self.units))))
        return list(dict.fromkeys(text.partition(BETWEEN)[0] for text in found if text.startswith(start)))

    def words(self, numbers: npt.ArrayLike) -> list[tuple[str, str]]:
        """The lemmas and tags of units."""
        return [(lemma, tag) for lemma, _, tag in (text.partition(BETWEEN) for text in self.units.strings(numbers))]

    def groups(self, unit: int) -> list[Group]:
        """All relations of a unit, in the order of the grammar."""
        first, last = np.searchsorted(self._groups, [unit << RELATION_BITS, (unit + 1) << RELATION_BITS]).tolist()
        numbers = (self._groups[first:last] & ((1 << RELATION_BITS) - 1)).tolist()
        bounds = self._first[first : last + 1].tolist()
        totals = self._group_totals[first:last].tolist()
        return [Group(numbers[at], totals[at], slice(bounds[at], bounds[at + 1])) for at in range(last - first)]

    def bounds_of(self, units: Ids, relations: Ids) -> tuple[Ids, Ids]:
        """Where the triples of units in relations begin and end; those that have none are empty."""
        keys = units << RELATION_BITS | relations
        places = np.minimum(np.searchsorted(self._groups, keys), max(len(self._groups) - 1, 0))
        there = self._groups[places] == keys if len(self._groups) else np.zeros(len(keys), np.bool_)
        starts = np.where(there, self._first[places], 0).astype(np.int64)
        return starts, np.where(there, self._first[places + there], 0).astype(np.int64)

    def scores(self, group: Group) -> Floats:
        """LogDice of each collocate of a group."""
        return log_dice(
            self.counts[group.places], group.total, self.totals[self.collocates[group.places].astype(np.int64)], 0
        )

    def dual(self, number: int) -> int:
        """The number of the relation seen from the other side."""
        return number if self.kinds[number].symmetric else number ^ 1


def build_base(
    index: Index, part: Subcorpus, source: Source, about: Mapping[str, Any], report: Report = silent
) -> dict[str, Array]:
    """Count all pairs of some documents; the arrays of a `Base`."""
    units = Units(index, part)
    bits = unit_bits(len(units))
    found = commonest(count_pairs(source, units, extracts(index, part.numbers, part.kind), report))
    symmetric = np.array([2 * at for at, slot in enumerate(source.slots) if slot.relation.symmetric], np.int64)
    places, duals = mirrored(found.triples, symmetric, bits)
    triples = np.concatenate([found.triples, duals])
    of_primary = np.concatenate([np.arange(len(found)), places])
    order = np.argsort(triples, kind="stable")
    triples, of_primary = triples[order], of_primary[order]
    heads, _, collocates = unpacked(triples, bits)
    counts = found.counts[of_primary]
    chosen = np.flatnonzero(np.bincount(heads, minlength=len(units)))  # units without a pair are left out
    renumbered = np.zeros(len(units), np.int64)
    renumbered[chosen] = np.arange(len(chosen))
    keys = (renumbered[heads] << RELATION_BITS) | ((triples >> bits) & ((1 << RELATION_BITS) - 1))
    return {
        **_units(index, units, chosen),
        **_groups(keys, counts),
        **_scored(keys, renumbered[collocates], counts, len(chosen), _partners(order, places, len(found))),
        "starts": found.starts[of_primary].astype(position_type(index.size)),
        "lengths": found.lengths[of_primary],
        "about": _about(index, part, source, about),
    }


def _units(index: Index, units: Units, chosen: Ids) -> dict[str, Array]:
    lexicon = units.lexicon(chosen)
    tags = index.attribute("tag").lexicon.array.to_pylist()
    ends = [text.rpartition(BETWEEN)[2] for text in lexicon.array.to_pylist()]
    numbers = {tag: number for number, tag in enumerate(tags)}
    return {
        **{f"units.{name}": array for name, array in buffers_of(lexicon.array).items()},
        "tags": np.array([numbers[tag] for tag in ends], np.uint8 if len(tags) < 256 else np.int32),
        "frequencies": units.frequencies[chosen],
    }


def _groups(keys: Ids, counts: Ids) -> dict[str, Array]:
    firsts = first_of_each(keys)
    totals = np.add.reduceat(counts, firsts) if len(firsts) else np.empty(0, np.int64)
    return {"groups": keys[firsts], "first": np.append(firsts, len(keys)), "group_totals": totals}


def _partners(order: Ids, places: Ids, primaries: int) -> Ids:
    """For each triple in its order, the place of the same pair seen from the other side; its own if it has none."""
    where = np.empty(len(order), np.int64)
    where[order] = np.arange(len(order))
    partners = np.arange(len(order))
    partners[where[places]] = where[primaries:]
    partners[where[primaries:]] = where[places]
    return partners


def _scored(keys: Ids, collocates: Ids, counts: Ids, units: int, partners: Ids) -> dict[str, Array]:
    firsts = first_of_each(keys)
    group_totals = np.add.reduceat(counts, firsts) if len(firsts) else np.empty(0, np.int64)
    totals = np.bincount(collocates, counts, units).astype(np.int64)
    node = np.repeat(group_totals, np.diff(firsts, append=len(keys)))
    share = 2.0 * counts / np.maximum(node + totals[collocates], 1)
    scores = np.maximum(14 + np.log2(np.maximum(share, 1e-9)), 0.0)
    weights = np.bincount(keys >> RELATION_BITS, np.where(counts >= MIN_SHARED, scores, 0.0), units)
    return {
        "totals": totals,
        "weights": weights,
        "collocates": collocates.astype(np.uint32),
        "counts": counts.astype(np.uint32),
        "backs": scores[partners].astype(np.float16),
    }


def _about(index: Index, part: Subcorpus, source: Source, about: Mapping[str, Any]) -> Array:
    kinds = {str(number): kind for at, slot in enumerate(source.slots) for number, kind in _kinds(at, slot, source)}
    tags = index.attribute("tag").lexicon.array.to_pylist()
    card = {**about, "tokens": part.size, "documents": part.documents, "kinds": kinds, "tags": tags}
    return np.frombuffer(json.dumps(card, ensure_ascii=False).encode("utf-8", "replace"), np.uint8)


def _kinds(at: int, slot: Slot, source: Source) -> list[tuple[int, dict[str, Any]]]:
    """A relation from both sides."""
    number = source.relations.index(slot.relation)
    found = []
    for dual, (name, title) in enumerate(zip(slot.names(), slot.titles(), strict=True)):
        if not (dual and slot.relation.symmetric):
            kind = Kind(name, title, number, bool(dual), slot.relation.symmetric, slot.name)
            found.append((2 * at + dual, {key: getattr(kind, key) for key in Kind.__slots__}))
    return found
