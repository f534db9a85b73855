"""Which sentences of an index translate each other: the beads of a parallel corpus, as ranges of sentences.

For each sentence of the index, `first` and `last` say which sentences on the other side it is aligned with: those from
the number `first` to before `last`. Beads number the sentences of a document over all its annotated blocks, and an
index has those of the selected blocks, so each sentence is looked up by its document and number:

    document 7 has the blocks 0, 2 and 3 with 2, 1 and 2 sentences; the index has the blocks 0 and 3 of it
    sentences of the index  40   41   42   43
    numbers                 0    1    3    4       in the document
    keys                    7|0  7|1  7|3  7|4     document | number, ascending
    a bead of the sentences 1 to before 4: from 7|1 to before 7|4 are the keys of the sentences 41 and 42

The result is stored beside the index, and made again when the index or the beads have changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from gristmill.arrays.dtypes import Array, Ids, Ints, Mask
from gristmill.arrays.ragged import concatenated_ranges, starts_of
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.corpus.links import check_links
from gristmill.errors import GristmillError, UsageError
from gristmill.parallel.reader import ParallelCorpus
from gristmill.parallel.records import SIDES, beads_of, pairs_of
from gristmill.search.hits import Hits
from gristmill.search.index.attribute import position_type
from gristmill.search.index.index import Index
from gristmill.shards import Shard, read_columns

_FORMAT = 1
_NUMBER = "number"
"""The attribute of paragraphs that says which block of its document each is."""
_NO_SIDE = -1
_OPEN = 4
_kept: dict[tuple[int, str], Alignment] = {}
"""What was opened last, by the index and the state of the beads."""


@dataclass(frozen=True, eq=False)
class Alignment:
    """Which sentences of an index are aligned, and on which side each document is."""

    index: Index
    languages: tuple[str, str]
    first: Array
    """Of each sentence, the first one on the other side that it is aligned with."""
    last: Array
    """The one after the last; the same as the first if there is none."""
    scores: npt.NDArray[np.float32]
    """The score of the bead that each sentence is in."""
    sides: npt.NDArray[np.int8]
    """Of each document whether it is a source (0), a target (1), or in no pair (-1)."""

    def side_of(self, lang: str) -> int:
        """Return the number of the side of a language; raises if there is none."""
        if lang not in self.languages:
            raise UsageError(
                f"{lang!r} is not a language of these pairs, which are of {' and '.join(self.languages)}: "
                f"give one of the two"
            )
        return self.languages.index(lang)

    def documents(self, side: int) -> Mask:
        """Tell which documents are on a side."""
        found: Mask = self.sides == side
        return found

    @cached_property
    def _filled(self) -> Ids:
        """The numbers of the sentences that are aligned with one at least."""
        return np.flatnonzero(self.last > self.first)

    def ranges(self, hits: Hits) -> tuple[Ids, Ids]:
        """Find the sentences on the other side that hits are aligned with: from the one number to before the other.

        Both are 0 where there are none. A hit over several sentences is aligned with all that these are aligned with.
        """
        first, last = np.zeros(len(hits), np.int64), np.zeros(len(hits), np.int64)
        if not len(hits) or not len(self._filled):
            return first, last
        sentences = self.index.structures["s"]
        begin = np.searchsorted(self._filled, sentences.number_at(hits.starts))
        end = np.searchsorted(self._filled, sentences.number_at(hits.ends - 1), side="right") - 1
        some = np.flatnonzero(begin <= end)
        first[some] = self.first[self._filled[begin[some]]]
        last[some] = self.last[self._filled[end[some]]]
        return first, last

    def token_ranges(self, hits: Hits) -> tuple[Ids, Ids]:
        """Find the tokens on the other side that hits are aligned with: from the one to before the other."""
        first, last = self.ranges(hits)
        bounds = self.index.structures["s"].bounds
        return bounds[first].astype(np.int64), bounds[last].astype(np.int64)

    def have(self, hits: Hits, others: Hits) -> Mask:
        """Tell which hits have one of the others wholly within what they are aligned with.

        others (2, 3), (4, 9), (6, 7): the nearest ends from each on are [3, 7, 7]; a range from 4 to 8 has one, as the
        first that begins from 4 on is the second, and the nearest end from it on is 7.
        """
        first, last = self.token_ranges(hits)
        if not len(others):
            return np.zeros(len(hits), np.bool_)
        ends = np.append(np.minimum.accumulate(others.ends[::-1])[::-1], np.iinfo(np.int64).max)
        found: Mask = ends[np.searchsorted(others.starts, first)] <= last
        return found


def open_alignment(index: Index) -> Alignment:
    """Open which sentences of an index are aligned, or find it out; raises if its corpus is not a parallel one."""
    corpus = ParallelCorpus(index.folder.parent)
    state = _state(index, corpus.shards)
    key = id(index), state
    if key in _kept and _kept[key].index is index:
        return _kept[key]
    path = index.folder / f"aligned-{state}.arrays"
    arrays = _stored(path)
    if arrays is None:
        arrays = _made(index, corpus.shards)
        with suppress(GristmillError, OSError):  # whoever can't write there has them in memory
            check_links(index.folder)
            for old in index.folder.glob("aligned-*.arrays"):
                old.unlink(missing_ok=True)
            save_arrays(path, arrays)
            arrays = load_arrays(path)
    found = Alignment(index, corpus.languages, **arrays)
    while len(_kept) >= _OPEN:
        del _kept[next(iter(_kept))]
    _kept[key] = found
    return found


def _state(index: Index, shards: Sequence[Shard]) -> str:
    """Tell this state of the index and of the beads from others."""
    about = [_FORMAT, index.card.get("corpus", {}), index.card.get("digests", {}), index.size]
    for shard in shards:
        for path in (beads_of(shard), pairs_of(shard)):
            stamp = path.stat()
            about.append([shard.name, stamp.st_size, stamp.st_mtime_ns])
    return xxhash.xxh3_64_hexdigest(json.dumps(about, sort_keys=True, default=str).encode())


def _stored(path: Path) -> dict[str, Array] | None:
    """Open what is stored; None if there is nothing, or nothing whole."""
    if path.is_file():
        with suppress(GristmillError, ValueError):
            return load_arrays(path)
    return None


def _made(index: Index, shards: Sequence[Shard]) -> dict[str, Array]:
    """Look up the sentences of all beads, shard by shard."""
    sentences, documents = index.structures["s"], index.structures["doc"]
    arrays: dict[str, Array] = {
        "first": np.zeros(len(sentences), position_type(len(sentences))),
        "last": np.zeros(len(sentences), position_type(len(sentences))),
        "scores": np.zeros(len(sentences), np.float32),
        "sides": np.full(len(documents), _NO_SIDE, np.int8),
    }
    numbers = _document_numbers(index, shards)
    for shard, own in zip(shards, numbers, strict=True):
        _add_shard(index, shard, own, arrays)
    return arrays


def _document_numbers(index: Index, shards: Sequence[Shard]) -> list[Ints]:
    """Find the numbers that the documents of each shard have in the index; -1 for those that it does not have."""
    identifiers = index.structures["doc"].attribute("id")
    known = identifiers.lexicon.array.take(pa.array(np.asarray(identifiers.ids, np.int64)))
    stored = [read_columns(shard.documents, ["id"]).column("id").cast(known.type) for shard in shards]
    every = pa.chunked_array([chunk for column in stored for chunk in column.chunks], known.type)
    found = pc.fill_null(pc.index_in(every, value_set=known), -1).to_numpy().astype(np.int64)
    return np.split(found, np.cumsum([len(column) for column in stored])[:-1])


def _add_shard(index: Index, shard: Shard, numbers: Ints, arrays: dict[str, Array]) -> None:
    """Add what the beads of one shard say; the numbers are those of its documents in the index."""
    there = np.flatnonzero(numbers >= 0)
    if not len(there):
        return
    pairs = read_columns(pairs_of(shard), ["source", "target", "dropped"])
    own = pc.equal(pairs.column("dropped"), "").to_numpy()
    rows = [pairs.column(side).to_numpy().astype(np.int64) for side in SIDES]
    for number, row in enumerate(rows):
        counting = numbers[row[own]]
        arrays["sides"][counting[counting >= 0]] = number
    places, keys = _sentence_keys(index, shard, numbers, there)
    names = ["pair", "score", *(f"{side}_{name}" for side in SIDES for name in ("first", "count"))]
    table = read_columns(beads_of(shard), names)
    beads = {name: table.column(name).to_numpy() for name in names}
    ranges = []
    for side, row in zip(SIDES, rows, strict=True):
        document = numbers[row[beads["pair"]]]
        begin = (document << 32) + beads[f"{side}_first"]
        low, high = np.searchsorted(keys, begin), np.searchsorted(keys, begin + beads[f"{side}_count"])
        filled = (high > low) & (document >= 0)
        first, last = np.zeros(len(low), np.int64), np.zeros(len(low), np.int64)
        first[filled], last[filled] = places[low[filled]], places[high[filled] - 1] + 1
        ranges.append((first, last))
    for (first, last), (other_first, other_last) in (ranges, ranges[::-1]):
        counts = last - first
        members = concatenated_ranges(first, counts)
        arrays["first"][members] = np.repeat(other_first, counts)
        arrays["last"][members] = np.repeat(other_last, counts)
        arrays["scores"][members] = np.repeat(beads["score"], counts)


def _sentence_keys(index: Index, shard: Shard, numbers: Ints, there: Ints) -> tuple[Ids, Ids]:
    """Find the sentences of the index that are of a shard, with keys of their documents and numbers in these.

    Sentences of blocks that are not stored, as only the selection of the index has them, are left out: no bead has
    them.
    """
    docs, paragraphs, sentences = (index.structures[name] for name in ("doc", "p", "s"))
    rows = np.full(len(docs), -1, np.int64)
    rows[numbers[there]] = there
    low, high = int(docs.bounds[numbers[there].min()]), int(docs.bounds[numbers[there].max() + 1])
    some = np.arange(*paragraphs.bounds.searchsorted(np.array([low, high], paragraphs.bounds.dtype)).tolist())
    owners = docs.number_at(paragraphs.bounds[some])
    number = paragraphs.attribute(_NUMBER)
    blocks = np.array([int(value) for value in number.lexicon.array.to_pylist()], np.int64)[number.ids[some]]
    stored_keys, stored_first, stored_count = _stored_blocks(shard)
    wanted = (rows[owners] << 32) + blocks
    found = np.searchsorted(stored_keys, wanted).clip(max=max(len(stored_keys) - 1, 0))
    edges = sentences.bounds.searchsorted(paragraphs.bounds[np.append(some, some[-1] + 1)]).astype(np.int64)
    counts = np.diff(edges)
    if len(stored_keys):
        right = (rows[owners] >= 0) & (stored_keys[found] == wanted) & (stored_count[found] == counts)
    else:
        right = np.zeros(len(some), np.bool_)
    begins, sizes, chosen = edges[:-1][right], counts[right], found[right]
    places = concatenated_ranges(begins, sizes)
    keys = np.repeat(owners[right] << 32, sizes) + concatenated_ranges(stored_first[chosen], sizes)
    return places, keys


def _stored_blocks(shard: Shard) -> tuple[Ids, Ids, Ids]:
    """Read which blocks of a shard are annotated, as keys of the row and number, with the sentences of each.

    These are the number of its first sentence in the document, and how many it has.
    """
    table = read_columns(shard.tokens, ["blocks", "tokens", "sentences"])
    blocks, tokens, lengths = (table.column(name).combine_chunks() for name in ("blocks", "tokens", "sentences"))
    of_rows = blocks.value_lengths().to_numpy().astype(np.int64)
    keys = (np.repeat(np.arange(len(of_rows)), of_rows) << 32) + blocks.flatten().to_numpy()
    edges = starts_of(tokens.flatten().to_numpy().astype(np.int64))
    begins = starts_of(lengths.flatten().to_numpy().astype(np.int64))[:-1]
    before = np.searchsorted(begins, edges)
    of_documents = np.repeat(before[starts_of(of_rows)[:-1]], of_rows)
    return keys, before[:-1] - of_documents, np.diff(before)
