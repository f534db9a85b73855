"""Count pairs: triples of head, relation and collocate, each with its frequency and its commonest wording.

A triple is packed into a number of 63 bits: the head, the relation (`2 n`, or `2 n + 1` for the dual of relation n),
and the collocate. So sorted triples are by head, then by relation, then by collocate:

    bread as object of bake, with 3 bits for units, bread = 5, bake = 4, relation 7
    from bake:      4 << 16 | 14 << 3 | 5
    from bread:     5 << 16 | 15 << 3 | 4
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Ids, Ints
from gristmill.engine import Report, silent
from gristmill.errors import UsageError
from gristmill.search.sketches.extract import Extract
from gristmill.search.sketches.pairs import Pairs, Source
from gristmill.search.sketches.pattern import MAX_TOKENS
from gristmill.search.sketches.units import Units
from gristmill.search.statistics.tally import first_of_each

RELATION_BITS = 13
"""Bits of a relation in a packed triple: 4,096 of them, and their duals."""
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Counts:
    """Distinct triples with a wording each, sorted by a hash of both; `starts` is where each stands first.

    A wording is the tokens from head to collocate, told by a hash.
    """

    triples: npt.NDArray[np.int64]
    wordings: npt.NDArray[np.uint32]
    counts: Ids
    starts: Ids
    lengths: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.triples)

    def take(self, places: Ids) -> Counts:
        """Choose rows."""
        return Counts(*(getattr(self, name)[places] for name in self.__dataclass_fields__))


def count_pairs(source: Source, units: Units, extracts: Iterable[Extract], report: Report = silent) -> Counts:
    """Count all pairs that a source finds; `report` is told how many tokens more are done.

    Memory is some 30 bytes for each distinct triple and wording, and twice that while two lists are merged.
    """
    bits = unit_bits(len(units))
    runs: list[Counts] = []
    for extract in extracts:
        found = [_packed(pairs, units, extract, bits) for pairs in source.pairs(extract)]
        runs.append(_reduced(_concatenated(found)))
        while len(runs) > 1 and len(runs[-2]) < 2 * len(runs[-1]):  # each row is merged a few times only
            last = runs.pop()
            runs.append(_reduced(_concatenated([runs.pop(), last])))
        report(extract.size)
    return _reduced(_concatenated(runs))


def unit_bits(units: int) -> int:
    """Bits of the number of a unit; raises if two of them don't fit into a triple."""
    bits = max(units - 1, 1).bit_length()
    if 2 * bits + RELATION_BITS > 63:
        raise UsageError(f"the documents have {units:,} lemmas with their tags, more than sketches can be made of")
    return bits


def commonest(found: Counts) -> Counts:
    """Each triple once: with its frequency, and where the commonest of its wordings stands first."""
    order = np.lexsort((found.starts, -found.counts, found.triples))
    firsts = first_of_each(found.triples[order])
    best = found.take(order[firsts])
    totals = np.add.reduceat(found.counts[order], firsts) if len(firsts) else best.counts
    return Counts(best.triples, best.wordings, totals, best.starts, best.lengths)


def mirrored(triples: npt.NDArray[np.int64], symmetric: Ids, bits: int) -> tuple[Ids, npt.NDArray[np.int64]]:
    """The same triples seen from their collocates: places of the triples that have a dual, and the duals.

    Relations whose numbers are among `symmetric` are their own duals, and what stands with itself has none.
    """
    heads, relations, collocates = unpacked(triples, bits)
    same = np.isin(relations, symmetric)
    places = np.flatnonzero(~same | (heads != collocates))
    duals = np.where(same, relations, relations ^ 1)
    return places, packed(collocates[places], duals[places], heads[places], bits)


def packed(heads: Ids, relations: Ids, collocates: Ids, bits: int) -> npt.NDArray[np.int64]:
    """Pack triples into numbers."""
    return ((heads << RELATION_BITS | relations) << bits) | collocates


def unpacked(triples: npt.NDArray[np.int64], bits: int) -> tuple[Ids, Ids, Ids]:
    """Unpack numbers into heads, relations and collocates."""
    groups, collocates = triples >> bits, triples & ((1 << bits) - 1)
    return groups >> RELATION_BITS, groups & ((1 << RELATION_BITS) - 1), collocates


def _packed(pairs: Pairs, units: Units, extract: Extract, bits: int) -> Counts:
    """The pairs of a relation as triples; a match that is found by several patterns counts once, as in a query."""
    heads, collocates = units.at(extract, pairs.heads), units.at(extract, pairs.collocates)
    if pairs.symmetric:
        heads, collocates = np.minimum(heads, collocates), np.maximum(heads, collocates)
    triples = packed(heads, 2 * pairs.slots, collocates, bits)
    spans = pairs.starts * (MAX_TOKENS + 1) + (pairs.ends - pairs.starts)
    order = np.lexsort((triples, spans))
    new = np.ones(len(order), np.bool_)
    new[1:] = (np.diff(spans[order]) != 0) | (np.diff(triples[order]) != 0)
    kept = order[new]
    first, last = (function(pairs.heads[kept], pairs.collocates[kept]) for function in (np.minimum, np.maximum))
    lengths = (last - first + 1).astype(np.uint8)
    wordings = _wordings(extract.attributes["word"].ids, first, lengths)
    return Counts(triples[kept], wordings, np.ones(len(kept), np.int64), extract.places[first], lengths)


def _wordings(words: Array, starts: Ids, lengths: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Hash the words of spans."""
    found = lengths.astype(np.uint64)
    for place in range(int(lengths.max(initial=0))):
        within = np.flatnonzero(lengths > place)
        found[within] = (found[within] ^ words[starts[within] + place].astype(np.uint64)) * _MULTIPLIER
        found[within] ^= found[within] >> np.uint64(29)
    return (found >> np.uint64(32)).astype(np.uint32)


def _concatenated(parts: list[Counts]) -> Counts:
    empty = np.empty(0, np.int64)
    nothing = Counts(empty, empty.astype(np.uint32), empty, empty, empty.astype(np.uint8))
    return Counts(
        *(np.concatenate([getattr(part, name) for part in [nothing, *parts]]) for name in Counts.__dataclass_fields__)
    )


def _reduced(found: Counts) -> Counts:
    """Add up the rows of the same triple and wording; of their places the first stays.

    Rows are sorted by a hash of both, and those of lists that are merged are so already: then a stable sort only goes
    through them once.
    """
    keys = _hashed(found.triples, found.wordings)
    order: Ints = np.argsort(keys, kind="stable")
    keys, triples, wordings = keys[order], found.triples[order], found.wordings[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (keys[1:] != keys[:-1]) | (triples[1:] != triples[:-1]) | (wordings[1:] != wordings[:-1])
    firsts = np.flatnonzero(new)
    if not len(firsts):
        return found
    counts = np.add.reduceat(found.counts[order], firsts)
    starts = np.minimum.reduceat(found.starts[order], firsts)
    return Counts(triples[firsts], wordings[firsts], counts, starts, found.lengths[order[firsts]])


def _hashed(triples: npt.NDArray[np.int64], wordings: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """Hash triples with their wordings."""
    found = (triples.view(np.uint64) ^ (wordings.astype(np.uint64) * _MULTIPLIER)) * _MULTIPLIER
    return found ^ (found >> np.uint64(29))
