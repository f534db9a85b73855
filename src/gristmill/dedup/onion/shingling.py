"""First round: the n-grams of each shard, written to disk by bucket.

Memory: 80 bytes for each of about a million n-grams. On disk: 16 bytes an n-gram.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from gristmill.arrays import Array, load_arrays, save_arrays
from gristmill.dedup.onion.plan import BLOCK_BITS, PLACE_BITS, SPAN_BITS, Plan, Settings, starts_of
from gristmill.dedup.onion.short_blocks import hash_short
from gristmill.dedup.reading import KeptText, read_kept
from gristmill.dedup.tokens import Hashes, Ints, Tokens, shingle, tokenise_joined, without_stop_words
from gristmill.drafts import move, temporary_name
from gristmill.engine import Report
from gristmill.errors import GristmillError
from gristmill.shards import DOCUMENTS

_COLUMNS = dict.fromkeys(
    ("rows", "numbers", "lengths", "sizes", "ngrams", "short_blocks", "first_blocks", "tokens"), np.dtype(np.int64)
) | {"spared": np.dtype(np.bool_), "classes": np.dtype(np.int8), "short_hashes": np.dtype(np.uint64)}
_LEAST = 1 << 12  # n-grams of a bucket that stand together on disk, on average
_MOST = 1 << 21
_CHUNK = 1 << 17  # n-grams that are sorted into buckets together: few enough for the processor's cache


@dataclass(frozen=True, slots=True)
class Shingling:
    """The n-grams of a shard."""

    plan: Plan
    shard: int
    first_row: int
    rows: int

    @property
    def name(self) -> str:
        """The shard."""
        return f"n-grams of shard {self.plan.shards[self.shard].name}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return (self.plan.shards[self.shard] / DOCUMENTS).stat().st_size

    def run(self, report: Report) -> None:
        """Write the n-grams and the outline."""
        path = self.plan.ngrams(self.shard)
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
        save_arrays(self.plan.outline(self.shard), outline)
        report(self.cost)

    def tokens(self) -> Iterator[Tokens]:
        """The tokens between which there are n-grams, for finders that begin with these."""
        for text in self._read():
            part = _Part.of(text, self.plan.settings)
            takes_part = part.takes_part
            yield part.units if takes_part is None else part.units.only(np.repeat(takes_part, part.blocks.counts))

    def _read(self) -> Iterator[KeptText]:
        """The text of the shard, without exact copies."""
        first = load_arrays(self.plan.copies)["first"][self.first_row : self.first_row + self.rows]
        copies = first != np.arange(self.first_row, self.first_row + self.rows)
        return read_kept(self.plan.shards[self.shard], copies, labels=self.plan.settings.by_block)

    def _write(self, file: BinaryIO) -> dict[str, Array]:
        settings = self.plan.settings
        buckets = _Buckets(file, self.plan)
        columns: dict[str, list[Array]] = {name: [np.empty(0, kind)] for name, kind in _COLUMNS.items()}
        blocks = tokens = 0
        for text in self._read():
            part = _Part.of(text, settings)
            counts = part.units.counts if settings.whole_documents else part.blocks.counts
            _check_size(self.name, blocks + len(counts), tokens + len(part.blocks.hashes))
            buckets.add(*_shingles(part, counts, settings.n, blocks, tokens))
            for name, values in (part.columns(text, settings, blocks) | {"tokens": counts}).items():
                columns[name].append(values)
            blocks += len(counts)
            tokens += len(part.blocks.hashes)
        made = {name: np.concatenate(values) for name, values in columns.items()}
        by_text = np.argsort(made["short_hashes"], kind="stable")
        return made | {
            "short_hashes": made["short_hashes"][by_text],
            "short_blocks": made["short_blocks"][by_text],
            "first_blocks": starts_of(made["first_blocks"]),
            "tokens": starts_of(made["tokens"]),
            "offsets": buckets.finish(),
        }


@dataclass(frozen=True, slots=True)
class _Part:
    """Some documents of a shard, as tokens."""

    blocks: Tokens
    """The tokens of each block."""
    units: Tokens
    """The same tokens, by what n-grams do not go beyond: documents, or blocks."""
    classes: npt.NDArray[np.int8]
    """The classes of blocks in jusText; empty if they don't matter."""
    takes_part: npt.NDArray[np.bool_] | None
    """Whether each block is compared by n-grams; None if all are."""

    @classmethod
    def of(cls, text: KeptText, settings: Settings) -> _Part:
        """The tokens of a text that take part."""
        tokens = tokenise_joined(text.text, text.lengths, punctuation=settings.punctuation)
        if not settings.stop_words:
            langs = np.repeat(np.array(text.langs, object), np.diff(text.starts)).tolist() if text.langs else []
            tokens = without_stop_words(tokens, langs)
        if settings.by_block:
            from gristmill.dedup.onion.thesis import classes_of, is_compared  # noqa: PLC0415 (only these rules need jusText)

            classes = classes_of(text.words, text.labels)
            return cls(tokens, tokens, classes, is_compared(classes))
        return cls(tokens, Tokens(tokens.hashes, tokens.starts[text.starts]), np.empty(0, np.int8), None)

    def columns(self, text: KeptText, settings: Settings, blocks: int) -> dict[str, Array]:
        """What the outline has about these documents; so many blocks have gone before."""
        short, hashes = np.empty(0, np.int64), np.empty(0, np.uint64)
        if not settings.whole_documents:
            short, hashes = hash_short(self.blocks, settings.n)
        in_lines = np.zeros(len(text.rows), np.bool_) if settings.whole_documents else text.in_lines
        ngrams = np.maximum(self.units.counts - settings.n + 1, 0)
        if self.takes_part is not None:
            before = np.append(np.int64(0), np.cumsum(np.where(self.takes_part, ngrams, 0)))
            ngrams = np.diff(before[text.starts])
        return {
            "rows": text.rows,
            "numbers": text.numbers,
            "lengths": text.lengths,
            "sizes": text.sizes,
            "spared": np.zeros(len(in_lines), np.bool_) if settings.thesis else in_lines,
            "classes": self.classes,
            "ngrams": ngrams,
            "short_hashes": hashes,
            "short_blocks": short + blocks,
            "first_blocks": np.ones(len(text.rows), np.int64) if settings.whole_documents else np.diff(text.starts),
        }


def _check_size(name: str, blocks: int, tokens: int) -> None:
    if blocks >> BLOCK_BITS or tokens >> PLACE_BITS:
        raise GristmillError(
            f"{name}: more than {1 << PLACE_BITS:,} tokens or {1 << BLOCK_BITS:,} blocks; build the corpus of smaller files"
        )


def _shingles(part: _Part, counts: Ints, n: int, blocks: int, places: int) -> tuple[Hashes, Hashes]:
    """Hashes and whereabouts of all n-grams; `blocks` and `places` have gone before."""
    found = shingle(part.units, n)
    of_token = np.repeat(np.arange(blocks, blocks + len(counts), dtype=np.uint64), counts)
    if len(of_token) < n:
        return found.hashes, np.empty(0, np.uint64)
    wheres = np.minimum(of_token[n - 1 :] - of_token[: len(of_token) - n + 1], np.uint64((1 << SPAN_BITS) - 1))
    wheres |= of_token[: len(wheres)] << np.uint64(PLACE_BITS + SPAN_BITS)
    wheres |= np.arange(places, places + len(wheres), dtype=np.uint64) << np.uint64(SPAN_BITS)
    wheres = wheres[found.places]
    if part.takes_part is None:
        return found.hashes, wheres
    chosen = np.repeat(part.takes_part, counts)[found.places]
    return found.hashes[chosen], wheres[chosen]


class _Buckets:
    """Gathers n-grams and writes them in chunks, each in the order of the buckets; of a bucket first all hashes, then all whereabouts."""

    def __init__(self, file: BinaryIO, plan: Plan) -> None:
        self._file = file
        self._plan = plan
        self._found = load_arrays(plan.found)["hashes"] if plan.found else None
        self._waiting: list[tuple[Hashes, Hashes]] = []
        self._count = 0
        self._offsets: list[Ints] = []
        self._end = 0

    def add(self, hashes: Hashes, wheres: Hashes) -> None:
        if self._found is not None:
            known = is_among(hashes, self._found)
            hashes, wheres = hashes[known], wheres[known]
        self._waiting.append((hashes, wheres))
        self._count += len(hashes)
        if self._count >= max(_CHUNK, min(_LEAST * self._plan.buckets, _MOST)):
            self._flush()

    def finish(self) -> Ints:
        """Where each bucket begins and the last one ends, in n-grams: a row for each chunk."""
        if self._count:
            self._flush()
        return np.array(self._offsets, np.int64).reshape(-1, self._plan.buckets + 1)

    def _flush(self) -> None:
        hashes = np.concatenate([hashes for hashes, _ in self._waiting])
        wheres = np.concatenate([wheres for _, wheres in self._waiting])
        bucket = _bucket_of(hashes, self._plan.bits)
        order = np.argsort(bucket, kind="stable")
        hashes, wheres = hashes[order], wheres[order]
        edges = np.append(np.int64(0), np.cumsum(np.bincount(bucket, minlength=self._plan.buckets)))
        for start, end in zip(edges.tolist(), edges[1:].tolist(), strict=False):
            self._file.write(hashes[start:end].data)
            self._file.write(wheres[start:end].data)
        self._offsets.append(edges + self._end)
        self._end += len(hashes)
        self._waiting, self._count = [], 0


def _bucket_of(hashes: Hashes, bits: int) -> npt.NDArray[np.uint16]:
    return (hashes >> np.uint64(1) >> np.uint64(63 - bits)).astype(np.uint16)  # in two steps: a shift by 64 is no shift


def is_among(hashes: Hashes, known: Hashes) -> npt.NDArray[np.bool_]:
    """For each hash whether it is one of some sorted ones."""
    if not len(known):
        return np.zeros(len(hashes), np.bool_)
    places = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    found: npt.NDArray[np.bool_] = known[places] == hashes
    return found
