"""First round: the n-grams of each bundle, written to disk by bucket.

A document that is large comes in pieces, each with the last n - 1 tokens of the one before it, so that the n-grams are
the same. Memory: 80 bytes for each of about a million n-grams, and the text of a large document. On disk: 16 bytes an
n-gram.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Array, Hashes, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.onion.plan import Bundle, Plan, Settings
from gristmill.dedup.onion.positions import MAX_BLOCKS, MAX_SPAN, MAX_TOKENS, pack
from gristmill.dedup.onion.same_texts import read_first
from gristmill.dedup.onion.short_blocks import hash_short
from gristmill.dedup.reading import KeptText, read_kept
from gristmill.dedup.tokens import Tokens, shingle, tokenise_joined, without_stop_words
from gristmill.drafts import move, temporary_name
from gristmill.engine import Report
from gristmill.errors import GristmillError

_COLUMNS = dict.fromkeys(
    ("rows", "numbers", "lengths", "sizes", "ngrams", "short_blocks", "first_blocks", "tokens"), np.dtype(np.int64)
) | {"spared": np.dtype(np.bool_), "classes": np.dtype(np.int8), "short_hashes": np.dtype(np.uint64)}
_CHUNK_NGRAMS_PER_BUCKET = 1 << 12  # of a bucket, that stand together on disk, on average
_MAX_CHUNK_NGRAMS = 1 << 21
_MIN_CHUNK_NGRAMS = 1 << 17  # that are sorted into buckets together: few enough for the processor's cache


@dataclass(frozen=True, slots=True)
class Shingling:
    """The n-grams of a bundle."""

    plan: Plan
    bundle: Bundle

    @property
    def name(self) -> str:
        """The shards."""
        return f"n-grams of {self.bundle.name}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return self.bundle.size

    def run(self, report: Report) -> None:
        """Write the n-grams and the outline."""
        path = self.plan.ngrams(self.bundle.number)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_name(path)
        try:
            with temporary.open("wb") as file:
                outline = self._write(file)
            move(temporary, path)
        except OSError as error:
            raise GristmillError(f"can't write n-grams to {path.parent}: {error.strerror or error}") from error
        finally:
            temporary.unlink(missing_ok=True)
        save_arrays(self.plan.outline(self.bundle.number), outline)
        report(self.cost)

    def tokens(self) -> Iterator[Tokens]:
        """The tokens between which there are n-grams, for finders that begin with these."""
        settings = self.plan.settings
        for text in self._read():
            parts = list(_parts(text, settings))
            hashes = np.concatenate([part.blocks.hashes[part.carried :] for part in parts])
            counts = _Counts.of(text, settings)
            for part in parts:
                counts.add(part)
            blocks = Tokens(hashes, starts_of(counts.tokens))
            units = (
                blocks if settings.by_block or settings.whole_documents else Tokens(hashes, blocks.starts[text.starts])
            )
            _, takes_part = _classes(text, settings)
            yield units if takes_part is None else units.only(np.repeat(takes_part, blocks.counts))

    def _read(self) -> Iterator[KeptText]:
        """The text of the shards, without exact copies."""
        begin, end = self.bundle.rows[0], self.bundle.rows[-1]
        copies = read_first(self.plan, begin, end) != np.arange(begin, end)
        for shard, (first, last) in zip(self.bundle.shards, pairwise(self.bundle.rows), strict=True):
            skip = copies[first - begin : last - begin]
            # Not a loop: its variable would hold the text of a large document while the next is read.
            yield from map(_from_row(first - begin), read_kept(shard, skip, labels=self.plan.settings.by_block))

    def _write(self, file: BinaryIO) -> dict[str, Array]:
        settings = self.plan.settings
        buckets = _Buckets(file, self.plan)
        columns: dict[str, list[Array]] = {name: [np.empty(0, kind)] for name, kind in _COLUMNS.items()}
        blocks = tokens = 0
        for text in self._read():
            classes, takes_part = _classes(text, settings)
            counts = _Counts.of(text, settings)
            short: list[tuple[Ints, Hashes]] = []
            for part in _parts(text, settings):
                before, places = blocks + part.first, tokens - part.carried
                _check_size(self.name, blocks + len(counts.tokens), places + len(part.blocks.hashes))
                buckets.add(*_shingles(part, takes_part, settings.n, before, places))
                counts.add(part)
                short.append(part.short(counts.tokens, settings))
                tokens = places + len(part.blocks.hashes)
            found = _columns(text, takes_part, counts, settings) | {
                "classes": classes,
                "short_blocks": np.concatenate([numbers for numbers, _ in short]) + blocks,
                "short_hashes": np.concatenate([hashes for _, hashes in short]),
            }
            for name, values in found.items():
                columns[name].append(values)
            blocks += len(counts.tokens)
            del text  # else the text of a large document would be there while the next is read
        made = {name: np.concatenate(values) for name, values in columns.items()}
        by_text = np.argsort(made["short_hashes"], kind="stable")
        return made | {
            "short_hashes": made["short_hashes"][by_text],
            "short_blocks": made["short_blocks"][by_text],
            "first_blocks": starts_of(made["first_blocks"]),
            "tokens": starts_of(made["tokens"]),
            "offsets": buckets.finish(),
        }


def _from_row(first: int) -> Callable[[KeptText], KeptText]:
    """Number the rows of a shard from its first one in the bundle."""
    return lambda text: replace(text, rows=text.rows + first)


@dataclass(frozen=True, slots=True)
class _Part:
    """The tokens of a piece of a text, after the last n - 1 of the piece before, with which they make n-grams."""

    blocks: Tokens
    """The tokens of each block; or of each document, if documents are compared as wholes."""
    units: Tokens
    """The tokens of each unit that n-grams do not go beyond: a document, or a block."""
    first: int
    """The block that they begin with."""
    carried: int
    """How many tokens are those of the piece before."""
    ends: slice
    """Which of the blocks end here."""

    def short(self, counts: Ints, settings: Settings) -> tuple[Ints, Hashes]:
        """Which blocks end here and are too short for an n-gram, and hashes of their texts.

        `counts` says how many tokens each whole block has.
        """
        if settings.whole_documents:
            return np.empty(0, np.int64), np.empty(0, np.uint64)
        short, hashes = hash_short(self.blocks, settings.n)
        ends = (short >= self.ends.start) & (short < self.ends.stop) & (counts[self.first + short] < settings.n)
        return self.first + short[ends], hashes[ends]


@dataclass(frozen=True, slots=True)
class _Counts:
    """How many tokens each block of a text has (or each document), and how many of them have letters."""

    tokens: Ints
    lettered: Ints

    @classmethod
    def of(cls, text: KeptText, settings: Settings) -> _Counts:
        """Begin to count, with nothing."""
        count = len(text.rows) if settings.whole_documents else len(text.lengths)
        return cls(np.zeros(count, np.int64), np.zeros(count, np.int64))

    def add(self, part: _Part) -> None:
        """Count what is new in a part of the text."""
        edges = np.maximum(part.blocks.starts, part.carried)
        here = slice(part.first, part.first + len(edges) - 1)
        self.tokens[here] += np.diff(edges)
        self.lettered[here] += np.diff(starts_of(part.blocks.lettered.astype(np.int64))[edges])


def _parts(text: KeptText, settings: Settings) -> Iterator[_Part]:
    """The tokens of a text that take part. If they come in several parts, they are of one document."""
    before: _Part | None = None
    for piece in text.pieces():
        first, blocks = (
            piece.first,
            tokenise_joined(piece.text, piece.lengths, punctuation=settings.punctuation, fold=settings.fold),
        )
        edges = text.starts if len(text.rows) != 1 else np.array([0, len(piece.lengths)])
        if not settings.stop_words:
            langs = np.repeat(np.array(text.langs, object), np.diff(edges)).tolist() if text.langs else []
            blocks = without_stop_words(blocks, langs, fold=settings.fold)
        if settings.whole_documents:
            first, blocks, edges = (
                0,
                Tokens(blocks.hashes, blocks.starts[edges], blocks.lettered),
                np.arange(len(edges)),
            )
        carried, new, last = 0, first, first + len(blocks.counts)
        if before is not None:
            first, carried, blocks = _carry(before, first, blocks, settings)
        edges = edges if before is None else np.array([0, len(blocks.counts)])
        units = blocks if settings.by_block else Tokens(blocks.hashes, blocks.starts[edges], blocks.lettered)
        before = _Part(blocks, units, first, carried, slice(new - first, last - first - piece.goes_on))
        yield before


def _carry(before: _Part, first: int, blocks: Tokens, settings: Settings) -> tuple[int, int, Tokens]:
    """Put the last n - 1 tokens of the part before in front of blocks.

    Returns the block that all begins with, how many tokens are carried over, and all tokens. If n-grams end with their
    block, only tokens of the same block are carried over.
    """
    starts, count = before.blocks.starts, len(before.blocks.hashes)
    begin = max(count - settings.n + 1, 0)
    if settings.by_block:
        begin = max(begin, int(starts[min(first - before.first, len(starts) - 1)]))
    block = min(int(np.searchsorted(starts, begin, side="right")) - 1, first - before.first)
    old = np.diff(np.maximum(starts[block:], begin))
    counts = np.zeros(first - before.first - block + len(blocks.counts), np.int64)
    counts[: len(old)] += old
    counts[first - before.first - block :] += blocks.counts
    hashes = np.concatenate([before.blocks.hashes[begin:], blocks.hashes])
    lettered = np.concatenate([before.blocks.lettered[begin:], blocks.lettered])
    return before.first + block, count - begin, Tokens(hashes, starts_of(counts), lettered)


def _classes(text: KeptText, settings: Settings) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_] | None]:
    """The classes of blocks in jusText, and which are compared by n-grams; empty and None if that does not matter."""
    if not settings.by_block:
        return np.empty(0, np.int8), None
    from gristmill.dedup.onion.thesis import classes_of, is_compared  # noqa: PLC0415 (only these rules need jusText)

    classes = classes_of(text.words, text.labels)
    return classes, is_compared(classes)


def _columns(
    text: KeptText, takes_part: npt.NDArray[np.bool_] | None, counts: _Counts, settings: Settings
) -> dict[str, Array]:
    """What the outline has about documents, given the tokens of their blocks."""
    may_repeat = not settings.thesis and not settings.whole_documents
    spared = text.in_lines | (counts.lettered < settings.n) if may_repeat else np.zeros(len(counts.tokens), np.bool_)
    edges = np.arange(len(text.rows) + 1) if settings.whole_documents else text.starts
    if takes_part is None:
        ngrams = np.maximum(np.diff(starts_of(counts.tokens)[edges]) - settings.n + 1, 0)
    else:
        ngrams = np.diff(starts_of(np.where(takes_part, np.maximum(counts.tokens - settings.n + 1, 0), 0))[edges])
    return {
        "rows": text.rows,
        "numbers": text.numbers,
        "lengths": text.lengths,
        "sizes": text.sizes,
        "spared": spared,
        "ngrams": ngrams,
        "first_blocks": np.diff(edges),
        "tokens": counts.tokens,
    }


def _check_size(name: str, blocks: int, tokens: int) -> None:
    if blocks >= MAX_BLOCKS or tokens >= MAX_TOKENS:
        raise GristmillError(
            f"{name}: more than {MAX_TOKENS:,} tokens or {MAX_BLOCKS:,} blocks; build the corpus of smaller files"
        )


def _shingles(
    part: _Part, takes_part: npt.NDArray[np.bool_] | None, n: int, blocks: int, places: int
) -> tuple[Hashes, Hashes]:
    """Hashes and packed positions of all n-grams of blocks that take part.

    `blocks` and `places` are how many blocks and tokens of the bundle come before this part.
    """
    found, counts = shingle(part.units, n), part.blocks.counts
    of_token = np.repeat(np.arange(blocks, blocks + len(counts), dtype=np.uint64), counts)
    if len(of_token) < n:
        return found.hashes, np.empty(0, np.uint64)
    begins, ends = of_token[: len(of_token) - n + 1], of_token[n - 1 :]
    at_tokens = pack(
        begins,
        np.arange(places, places + len(begins), dtype=np.uint64),
        np.minimum(ends - begins, np.uint64(MAX_SPAN)),
    )
    packed = at_tokens[found.places]
    if takes_part is None:
        return found.hashes, packed
    chosen = np.repeat(takes_part[part.first : part.first + len(counts)], counts)[found.places]
    return found.hashes[chosen], packed[chosen]


class _Buckets:
    """Gathers n-grams and writes them to a file in chunks, each in the order of the buckets.

    Of each bucket of a chunk come first all hashes, then all packed positions. With two buckets and two chunks:

        file      h h h p p p | h p | h h p p | h h h p p p
        bucket    0             1     0         1
        offsets   0             3     4         6             9     in n-grams: rows [0, 3, 4] and [4, 6, 9]
    """

    def __init__(self, file: BinaryIO, plan: Plan) -> None:
        self._file = file
        self._plan = plan
        self._found = load_arrays(plan.found)["hashes"] if plan.found else None
        self._waiting: list[tuple[Hashes, Hashes]] = []
        self._count = 0
        self._offsets: list[Ints] = []
        self._end = 0

    def add(self, hashes: Hashes, packed: Hashes) -> None:
        if self._found is not None:
            known = is_among(hashes, self._found)
            hashes, packed = hashes[known], packed[known]
        self._waiting.append((hashes, packed))
        self._count += len(hashes)
        if self._count >= max(_MIN_CHUNK_NGRAMS, min(_CHUNK_NGRAMS_PER_BUCKET * self._plan.buckets, _MAX_CHUNK_NGRAMS)):
            self._flush()

    def finish(self) -> Ints:
        """Where each bucket begins and the last one ends, in n-grams: a row for each chunk."""
        if self._count:
            self._flush()
        return np.array(self._offsets, np.int64).reshape(-1, self._plan.buckets + 1)

    def _flush(self) -> None:
        hashes = np.concatenate([hashes for hashes, _ in self._waiting])
        packed = np.concatenate([packed for _, packed in self._waiting])
        self._waiting, self._count = [], 0
        bucket = _bucket_of(hashes, self._plan.bits)
        order = np.argsort(bucket, kind="stable")
        hashes = hashes[order]
        packed = packed[order]
        edges = starts_of(np.bincount(bucket, minlength=self._plan.buckets))
        for start, end in zip(edges.tolist(), edges[1:].tolist(), strict=False):
            self._file.write(hashes[start:end].data)
            self._file.write(packed[start:end].data)
        self._offsets.append(edges + self._end)
        self._end += len(hashes)


def _bucket_of(hashes: Hashes, bits: int) -> npt.NDArray[np.uint16]:
    """The bucket of each n-gram: the first bits of its hash.

    bits 3, hash 0b101...   ->  bucket 5
    bits 0, any hash        ->  bucket 0
    """
    return (hashes >> np.uint64(1) >> np.uint64(63 - bits)).astype(np.uint16)  # in two steps: a shift by 64 is no shift


def is_among(hashes: Hashes, known: Hashes) -> npt.NDArray[np.bool_]:
    """For each hash whether it is one of some sorted ones."""
    if not len(known):
        return np.zeros(len(hashes), np.bool_)
    places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    found: npt.NDArray[np.bool_] = known[places] == hashes
    return found
