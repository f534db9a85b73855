"""The n-grams of a corpus's kept text, stored with it, so that another corpus can be de-duplicated against it without reading its text.

On disk: 12 bytes for each different n-gram of kept text, 12 a block and 24 a document. It is read through a memory map,
in the order of the hashes that are looked for.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from gristmill.arrays.dtypes import Array, Hashes, Ints
from gristmill.arrays.storing import load_arrays, save_arrays
from gristmill.dedup.exact import Catalogue
from gristmill.dedup.job import INDEX, INDEX_CARD
from gristmill.dedup.onion.buckets import Bucket, over_span, sort
from gristmill.dedup.onion.plan import Outline, Plan, Settings, Starts
from gristmill.dedup.onion.step import Step, mark_done
from gristmill.dedup.result import NOBODY, Ids
from gristmill.errors import GristmillError, UsageError
from gristmill.shards import write_atomically

_FORMAT = 2


class Index:
    """The n-gram index of the corpus in a folder."""

    def __init__(self, corpus: Path) -> None:
        self.folder = corpus / INDEX
        try:
            self.card: dict[str, Any] = json.loads((self.folder / INDEX_CARD).read_text("utf-8"))
        except FileNotFoundError:
            raise UsageError(f"there is no n-gram index of {corpus}: make it with `gristmill dedup {corpus}`") from None
        except (OSError, ValueError) as error:
            raise GristmillError(f"can't read {self.folder / INDEX_CARD}: {error}") from error
        if self.card.get("format") != _FORMAT:
            raise UsageError(
                f"the n-gram index of {corpus} is of another version: make it anew with `gristmill dedup {corpus}`"
            )

    def check(self, settings: Settings) -> None:
        """Raise if its n-grams were made in another way than with these settings."""
        for name, value in _recipe(settings).items():
            if self.card[name] != value:
                raise UsageError(
                    f"{self.folder.parent} was de-duplicated with {name} = {self.card[name]}, not {value}: use the same for both"
                )

    def find(self, hashes: Hashes, corpus: int) -> Ints:
        """For each of some sorted hashes the block where the n-gram stands, as a negative number of that corpus; 0 if it does not."""
        found = np.zeros(len(hashes), np.int64)
        if not len(hashes):
            return found
        shift = 64 - self.card["bits"]
        buckets = range(int(hashes[0]) >> shift, (int(hashes[-1]) >> shift) + 1)
        edges = [np.searchsorted(hashes, np.uint64(bucket << shift)) for bucket in buckets] + [len(hashes)]
        for bucket, start, end in zip(buckets, edges, edges[1:], strict=False):
            arrays = load_arrays(self.folder / f"{bucket:05d}")
            if not len(arrays["hashes"]) or start == end:
                continue
            places = np.minimum(np.searchsorted(arrays["hashes"], hashes[start:end]), len(arrays["hashes"]) - 1)
            blocks = Ids.elsewhere(corpus, arrays["blocks"][places].astype(np.int64))
            found[start:end] = np.where(arrays["hashes"][places] == hashes[start:end], blocks, 0)
        return found

    def copies(self, digests: Hashes, corpus: int) -> Ints:
        """For each of some digests the document with the same text, as a negative number of that corpus; `NOBODY` if there is none."""
        there = load_arrays(self.folder / "documents")
        known = there["digests"]
        if not len(known):
            return np.full(len(digests), NOBODY)
        places = np.minimum(np.searchsorted(known[:, 0], digests[:, 0]), len(known) - 1)
        same = (known[places] == digests).all(axis=1)
        return np.where(same, Ids.elsewhere(corpus, there["rows"][places]), NOBODY)

    @functools.cached_property
    def blocks(self) -> dict[str, Array]:
        """The document and the number in it of each block."""
        return load_arrays(self.folder / "blocks")

    @property
    def ids(self) -> Ids:
        """The names of its documents, with that of the corpus."""
        return Ids(self.card["shards"], self.card["rows"], folder=self.folder.parent.resolve().name)


@dataclass(frozen=True)
class StoreBucket(Step):
    """The n-grams of a bucket whose blocks are all kept, and the short blocks that are: the first occurrence of each."""

    folder: Path = Path(INDEX)

    what: ClassVar[str] = "index of bucket"

    def work(self) -> None:
        """Write it."""
        plan = self.plan
        states, starts = load_arrays(plan.final)["states"], Starts.read(plan.starts)
        bucket = Bucket.read(plan, self.number)
        stand = bucket.stand(starts)
        kept = over_span(stand.blocks, stand.spans, states) == 0
        short_hashes, short_blocks = _short_blocks(plan, self.number, starts)
        short_kept = states[short_blocks] == 0
        hashes = np.concatenate([bucket.hashes[kept], short_hashes[short_kept]])
        blocks = np.concatenate([stand.blocks[kept], short_blocks[short_kept].astype(np.uint32)])
        found = sort(hashes, plan.bits)
        first = found.order[np.append(True, ~found.equal)[: len(hashes)]]
        save_arrays(
            self.folder / f"{self.number:05d}", {"hashes": hashes[first], "blocks": blocks[first]}, durable=True
        )
        mark_done(plan.stored(self.number))


def _short_blocks(plan: Plan, bucket: int, starts: Starts) -> tuple[Hashes, Ints]:
    """The short blocks of all shards whose hashes belong into a bucket, in the order of the corpus."""
    hashes, blocks = [np.empty(0, np.uint64)], [np.empty(0, np.int64)]
    for shard in range(len(plan.shards)):
        outline = Outline.read(plan.outline(shard))
        low, high = bucket << (64 - plan.bits), (bucket + 1) << (64 - plan.bits)
        start = np.searchsorted(outline.short_hashes, np.uint64(low))
        end = np.searchsorted(outline.short_hashes, np.uint64(high - 1), side="right")
        hashes.append(outline.short_hashes[start:end])
        blocks.append(outline.short_blocks[start:end] + starts.blocks[shard])
    return np.concatenate(hashes), np.concatenate(blocks)


def store_card(plan: Plan, folder: Path, catalogue: Catalogue) -> None:
    """Complete an index, of which all buckets are written: with documents and blocks, and last its card."""
    rows = np.flatnonzero(catalogue.kept & (load_arrays(plan.copies)["first"] == np.arange(len(catalogue.kept))))
    digests = catalogue.digests[rows]
    order = np.argsort(digests[:, 0], kind="stable")
    save_arrays(folder / "documents", {"digests": digests[order], "rows": rows[order]}, durable=True)
    save_arrays(folder / "blocks", load_arrays(plan.blocks), durable=True)
    starts = Starts.read(plan.starts)
    card = {
        "format": _FORMAT,
        "bits": plan.bits,
        "shards": [shard.name for shard in plan.shards],
        "rows": starts.rows.tolist(),
    }
    write_atomically(folder / INDEX_CARD, json.dumps(_recipe(plan.settings) | card).encode())


def check_indexes(corpora: Sequence[Path], settings: Settings) -> list[Index]:
    """The indexes of corpora, if they were made with the same settings."""
    indexes = [Index(corpus) for corpus in corpora]
    for index in indexes:
        index.check(settings)
    return indexes


def _recipe(settings: Settings) -> dict[str, Any]:
    names = ("n", "punctuation", "stop_words", "fold", "by_block")
    return {name: getattr(settings, name) for name in names}
