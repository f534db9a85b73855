"""Postings: which units have each value, and how often; units are numbered by their ranks, so the best come first.

Three units with the ranks 1, 0, 2 and the tokens `a b a`, `b`, `a`:

    value   units   counts          a is in the units of ranks 1 and 2, twice and once
    a       1 2     2 1
    b       0 1     1 1

For values that many units have, the highest weight (BM25) in each block of ranks is stored as well, rounded up to one
byte. A search adds these up, begins with the most promising blocks, and stops when none can have a better unit: the
block-max index of Ding and Suel (2011), with blocks of ranks, not of postings, as in the interval-based pruning of
Chakrabarti, Chaudhuri and Ganti (2011).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Ids
from gristmill.arrays.ragged import chunks, is_new, starts_of
from gristmill.engine import Report
from gristmill.search.bm25 import BM25
from gristmill.search.index.attribute import Attribute

_SORTED_TOKENS = 1 << 23
"""Tokens that are sorted together."""
_SCANNED_TOKENS = 1 << 20
MANY = 255
"""What is stored if a value is in a unit so often or oftener; then the count stands in a list of its own."""
_MAX_BLOCKS = 8192
_MIN_BLOCK_UNITS = 64


def block_units(units: int) -> int:
    """Choose how many units a block has: a power of two, so that there are not too many blocks."""
    size = _MIN_BLOCK_UNITS
    while size * _MAX_BLOCKS < units:
        size *= 2
    return size


def build_postings(attribute: Attribute, rank_at: npt.NDArray[np.uint32], report: Report) -> dict[str, Array]:
    """Make the postings of all values of an attribute; `rank_at` is, for each token, the rank of its unit.

    Values are done in groups, each of which is sorted in memory.
    """
    units: list[Array] = [np.empty(0, np.uint32)]
    counts: list[Array] = [np.empty(0, np.uint8)]
    many: list[Array] = [np.empty((2, 0), np.int64)]
    having = np.zeros(len(attribute.lexicon), np.int64)
    size = 0
    for group in chunks(np.diff(attribute.first), _SORTED_TOKENS):
        keys = _sorted_keys(attribute, rank_at, group)
        firsts = np.flatnonzero(is_new(keys))
        times = np.diff(np.append(firsts, len(keys)))
        own = keys[firsts]
        having += np.bincount((own >> np.uint64(32)).astype(np.int64), minlength=len(having))
        units.append((own & np.uint64(0xFFFFFFFF)).astype(np.uint32))
        counts.append(np.minimum(times, MANY).astype(np.uint8))
        over = np.flatnonzero(times >= MANY)
        many.append(np.stack([over + size, times[over]]))
        size += len(own)
        report(len(keys))
    places, times = np.concatenate(many, axis=1)
    return {
        "first": starts_of(having),
        "units": np.concatenate(units),
        "counts": np.concatenate(counts),
        "many.places": places,
        "many.counts": times,
    }


def _sorted_keys(attribute: Attribute, rank_at: npt.NDArray[np.uint32], group: slice) -> npt.NDArray[np.uint64]:
    """Pack value and rank of each token whose value is in a group into one number, and sort these."""
    found = [np.empty(0, np.uint64)]
    for start in range(0, len(rank_at), _SCANNED_TOKENS):
        ids = np.asarray(attribute.ids[start : start + _SCANNED_TOKENS]).astype(np.int64)
        ranks = rank_at[start : start + _SCANNED_TOKENS]
        if group.start > 0 or group.stop < len(attribute.lexicon):
            inside = (ids >= group.start) & (ids < group.stop)
            ids, ranks = ids[inside], ranks[inside]
        found.append(ids.astype(np.uint64) << np.uint64(32) | ranks)
    keys = np.concatenate(found)
    keys.sort()
    return keys


def counts_at(arrays: dict[str, Array], places: slice | Ids) -> Ids:
    """Look up how often values are in units, by the places of their postings."""
    stored = arrays["counts"][places]
    over = np.flatnonzero(stored == MANY)
    found: Ids = stored.astype(np.int64)
    if len(over):
        own = over + places.start if isinstance(places, slice) else places[over]
        found[over] = arrays["many.counts"][np.searchsorted(arrays["many.places"], own)]
    return found


def build_ceilings(arrays: dict[str, Array], lengths: npt.NDArray[Any], mean: float) -> dict[str, Array]:
    """Find the highest weights of values in blocks; `lengths` are those of units, by their ranks."""
    block = block_units(len(lengths))
    blocks = -(-len(lengths) // block)
    first = arrays["first"]
    frequent = np.flatnonzero(np.diff(first) >= max(blocks, 1))
    table = np.zeros((len(frequent), blocks), np.uint8)
    for row, number in enumerate(frequent.tolist()):
        places = slice(int(first[number]), int(first[number + 1]))
        units = arrays["units"][places]
        weights = BM25().weights(counts_at(arrays, places), lengths[units].astype(np.int64), mean)
        there, highest = highest_by_block(units, weights, block)
        table[row, there] = np.ceil(highest * (MANY / _highest())).clip(1, MANY)
    return {"frequent": frequent, "ceilings": table}


def highest_by_block(units: npt.NDArray[Any], weights: npt.NDArray[np.float64], block: int) -> tuple[Ids, Any]:
    """Find the blocks in which units are, ascending, and the highest weight in each."""
    blocks = units // block
    firsts = np.flatnonzero(is_new(blocks.astype(np.int64)))
    if not len(firsts):
        return firsts, np.empty(0)
    return blocks[firsts].astype(np.int64), np.maximum.reduceat(weights, firsts)


def ceiling_weights(ceilings: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """Convert stored ceilings to weights, none of which is below what was stored."""
    return ceilings.astype(np.float64) * (_highest() / MANY)


def _highest() -> float:
    """The weight that no unit reaches."""
    return BM25().k1 + 1
