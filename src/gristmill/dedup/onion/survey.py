"""Before the first round: what the shards have, so that the work can be divided, and the digests of their documents.

Memory: about 100 bytes for each document of the shards that are looked at together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pyarrow as pa

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import ArrayFile, save_arrays
from gristmill.dedup.onion.plan import Bundle, Plan
from gristmill.dedup.onion.step import Step
from gristmill.dedup.onion.stored import read_copied
from gristmill.dedup.reading import largest_row_group
from gristmill.kept import replaced_flags
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, read_columns

pc = LazyModule("pyarrow.compute")

SHARDS_TOGETHER, BYTES_TOGETHER = 64, 1_000_000_000
"""How many shards one task looks at, and how many bytes of documents these have, at most."""
COST_BYTES = 100_000
"""What looking at a shard costs, in the unit of other tasks."""
BUNDLES = 64
"""Shards are put together to no fewer bundles than this, so that many workers have something to do."""
MIN_BUNDLE_NGRAMS, MAX_BUNDLE_NGRAMS = 1 << 18, 15_000_000
"""N-grams of a bundle, if it is made of several shards: as many as the memory is for that any task has, at most."""

# Fewest characters a token, with punctuation and spaces: pseudo-words of scripts without spaces are short.
_MIN_CHARACTERS_PER_TOKEN = dict.fromkeys("zh ja".split(), 1.3) | dict.fromkeys("th lo my km bo dz".split(), 3.0)
_COLUMNS = ["digest", "dropped", "text_blocks", "lang", "length"]


@dataclass(frozen=True, kw_only=True)
class Survey(Step):
    """Rows, bytes and n-grams of some shards, and the digests of their documents, in rising order."""

    shards: tuple[Shard, ...]
    stored: bool
    """Whether what an earlier run has found is to be kept: which documents are copies."""

    what: ClassVar[str] = "survey of"

    @property
    def unit(self) -> str:
        """How messages call the shards."""
        return f"shards {self.shards[0].name} to {self.shards[-1].name}"

    def work(self) -> None:
        """Look at them, one by one."""
        counts: dict[str, list[int]] = {name: [] for name in ("rows", "ngrams", "largest", "bytes")}
        digests, kept, copied = [np.empty((0, 2), np.uint64)], [np.empty(0, np.bool_)], [np.empty(0, np.bool_)]
        for shard in self.shards:
            table = read_columns(shard.documents, _COLUMNS)
            digests.append(np.frombuffer(b"".join(table["digest"].to_pylist()), np.uint64).reshape(-1, 2))
            kept.append(_kept(shard, table))
            copied.append(read_copied(shard, table.num_rows) if self.stored else np.zeros(table.num_rows, np.bool_))
            counts["rows"].append(table.num_rows)
            counts["ngrams"].append(estimate(table))
            counts["largest"].append(largest_row_group(shard))
            counts["bytes"].append(shard.documents.stat().st_size)
        rows = np.flatnonzero(np.concatenate(kept))
        found = np.concatenate(digests)[rows]
        order = np.argsort(found[:, 0], kind="stable")
        arrays = {name: np.array(values, np.int64) for name, values in counts.items()}
        documents = {
            "high": np.ascontiguousarray(found[order, 0]),
            "low": np.ascontiguousarray(found[order, 1]),
            "places": rows[order],
            "copied": np.concatenate(copied)[rows[order]],
        }
        save_arrays(self.plan.survey(self.number), arrays | documents)


def _kept(shard: Shard, table: pa.Table) -> Flags:
    """Whether the filters kept each document, no later version replaces it, and there is text in it."""
    kept: Flags = pc.and_(pc.equal(table["dropped"], ""), pc.greater(table["text_blocks"], 0)).to_numpy().copy()
    replaced = replaced_flags(shard)
    if replaced is not None:
        kept &= ~replaced
    return kept


def estimate(table: pa.Table) -> int:
    """About how many n-grams the documents of a shard have: rather too many."""
    table = table.filter(pc.equal(table["dropped"], ""))
    lengths = table["length"].to_numpy()
    per_token = np.array([_MIN_CHARACTERS_PER_TOKEN.get(lang, 5.0) for lang in table["lang"].to_pylist()], np.float64)
    return int((lengths / per_token).sum())


def batches(shards: Sequence[Shard]) -> Iterator[tuple[Shard, ...]]:
    """The shards that are looked at together."""
    batch: list[Shard] = []
    size = 0
    for shard in shards:
        more = shard.documents.stat().st_size
        if batch and (len(batch) == SHARDS_TOGETHER or size + more > BYTES_TOGETHER):
            yield tuple(batch)
            batch, size = [], 0
        batch.append(shard)
        size += more
    if batch:
        yield tuple(batch)


@dataclass(frozen=True, slots=True)
class Sizes:
    """What surveys say of each shard."""

    rows: Ints
    ngrams: Ints
    largest: Ints
    bytes: Ints

    @classmethod
    def read(cls, plan: Plan) -> Sizes:
        """Read all surveys, but not what they say of documents."""
        found: dict[str, list[Ints]] = {name: [np.empty(0, np.int64)] for name in cls.__slots__}
        for number in range(plan.surveys):
            with ArrayFile(plan.survey(number)) as file:
                for name, values in found.items():
                    values.append(file.read(name, 0, file.shape(name)[0]))
        return cls(**{name: np.concatenate(values) for name, values in found.items()})

    def bundles(self, shards: Sequence[Shard]) -> list[Bundle]:
        """Put small shards that follow on each other together."""
        most = min(max(int(self.ngrams.sum()) // BUNDLES, MIN_BUNDLE_NGRAMS), MAX_BUNDLE_NGRAMS)
        edges, size = [0], 0
        for number, ngrams in enumerate(self.ngrams.tolist()):
            if number > edges[-1] and size + ngrams > most:
                edges.append(number)
                size = 0
            size += ngrams
        rows = starts_of(self.rows).tolist()
        made = []
        for number, (start, end) in enumerate(pairwise([*edges, len(shards)] if shards else [])):
            size = int(self.bytes[start:end].sum())
            made.append(Bundle(number, tuple(shards[start:end]), tuple(rows[start : end + 1]), size))
        return made
