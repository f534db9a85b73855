"""First round: the n-grams of each shard, written to disk by bucket.

Memory: 80 bytes for each of about a million n-grams. On disk: 16 bytes an n-gram.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from gristmill.arrays import load_arrays, save_arrays
from gristmill.dedup.onion.plan import BLOCK_BITS, PLACE_BITS, SPAN_BITS, Plan, starts_of
from gristmill.dedup.reading import KeptText, read_kept
from gristmill.dedup.tokens import Hashes, Ints, Tokens, shingle, tokenise_joined, without_stop_words
from gristmill.drafts import move, temporary_name
from gristmill.engine import Report
from gristmill.errors import GristmillError
from gristmill.shards import DOCUMENTS

_COLUMNS = ("rows", "numbers", "words", "lengths", "sizes")
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
        """The tokens of the shard's documents, for finders that begin with these."""
        return (self._tokens(text)[0] for text in self._read())

    def _read(self) -> Iterator[KeptText]:
        """The text of the shard, without exact copies."""
        first = load_arrays(self.plan.copies)["first"][self.first_row : self.first_row + self.rows]
        return read_kept(self.plan.shards[self.shard], first != np.arange(self.first_row, self.first_row + self.rows))

    def _write(self, file: BinaryIO) -> dict[str, Ints]:
        whole = self.plan.settings.whole_documents
        buckets = _Buckets(file, self.plan)
        columns: dict[str, list[Ints]] = {name: [np.empty(0, np.int64)] for name in (*_COLUMNS, "blocks", "tokens")}
        blocks = tokens = 0
        for text in self._read():
            found, counts = self._tokens(text)
            _check_size(self.name, blocks + len(counts), tokens + len(found.hashes))
            buckets.add(*_shingles(found, counts, self.plan.settings.n, blocks, tokens))
            blocks += len(counts)
            tokens += len(found.hashes)
            for name in _COLUMNS:
                columns[name].append(getattr(text, name))
            columns["blocks"].append(np.ones(len(text.rows), np.int64) if whole else np.diff(text.starts))
            columns["tokens"].append(counts)
        made = {name: np.concatenate(values) for name, values in columns.items()}
        return {
            **{name: made[name] for name in _COLUMNS},
            "first_blocks": starts_of(made["blocks"]),
            "tokens": starts_of(made["tokens"]),
            "offsets": buckets.finish(),
        }

    def _tokens(self, text: KeptText) -> tuple[Tokens, Ints]:
        """The tokens of each document, and how many each block has (or each document, if documents are compared as wholes)."""
        settings = self.plan.settings
        of_block = tokenise_joined(text.text, text.lengths, punctuation=settings.punctuation)
        if not settings.stop_words:
            langs = np.repeat(np.array(text.langs, object), np.diff(text.starts)).tolist() if text.langs else []
            of_block = without_stop_words(of_block, langs)
        tokens = Tokens(of_block.hashes, of_block.starts[text.starts])
        return tokens, tokens.counts if settings.whole_documents else of_block.counts


def _check_size(name: str, blocks: int, tokens: int) -> None:
    if blocks >> BLOCK_BITS or tokens >> PLACE_BITS:
        raise GristmillError(
            f"{name}: more than {1 << PLACE_BITS:,} tokens or {1 << BLOCK_BITS:,} blocks; build the corpus of smaller files"
        )


def _shingles(tokens: Tokens, counts: Ints, n: int, blocks: int, places: int) -> tuple[Hashes, Hashes]:
    """Hashes and whereabouts of all n-grams; `blocks` and `places` have gone before."""
    found = shingle(tokens, n)
    of_token = np.repeat(np.arange(blocks, blocks + len(counts), dtype=np.uint64), counts)
    if len(of_token) < n:
        return found.hashes, np.empty(0, np.uint64)
    wheres = np.minimum(of_token[n - 1 :] - of_token[: len(of_token) - n + 1], np.uint64((1 << SPAN_BITS) - 1))
    wheres |= of_token[: len(wheres)] << np.uint64(PLACE_BITS + SPAN_BITS)
    wheres |= np.arange(places, places + len(wheres), dtype=np.uint64) << np.uint64(SPAN_BITS)
    return found.hashes, wheres[found.places]


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
