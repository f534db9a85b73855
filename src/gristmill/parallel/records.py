"""The files of a parallel corpus: pairs of pages, and beads, which are sentences that translate each other.

A parallel corpus is a corpus of the pages that have a translation, both languages in one. The two documents of a pair
are in the same shard, and beside its other files a shard has `pairs.parquet` and `beads.parquet`.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from gristmill.shards import Shard

FOLDER = "parallel"
"""The folder of a corpus in which parallel corpora of it are, if no other is given."""
PAIRS = "pairs.parquet"
"""The file of a shard with a row for each pair of pages."""
BEADS = "beads.parquet"
"""The file of a shard with a row for each bead."""
UNPAIRED = "unpaired.parquet"
"""The file of a parallel corpus that lists the documents without a translation."""
DICTIONARY = "dictionary.parquet"
"""The file of a parallel corpus with the word translations that were learned from it."""
DESCRIPTION = "parallel.toml"
"""The file of a parallel corpus that says which languages it has, of which corpus it is, and what was counted."""
FORMAT = 1
"""Changes when what is in the files of a parallel corpus does."""
ORIGIN = "origin"
"""The attribute of documents that has their id in the corpus that a parallel corpus is of."""
SIDES = ("source", "target")


def _schema(columns: dict[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns.items()])


PAIRS_SCHEMA = _schema(
    {
        "source": pa.int32(),
        "target": pa.int32(),
        "source_id": pa.string(),
        "target_id": pa.string(),
        "score": pa.float32(),
        "features": pa.map_(pa.string(), pa.float32()),
        "reasons": pa.string(),
        "dropped": pa.string(),
        "beads": pa.int32(),
    }
)
"""A pair of pages: rows of `documents.parquet`, ids in the origin, score, why, and how many beads it has.

`dropped` is empty for a pair that counts; a candidate that lost says why, and has no beads.
"""
BEADS_SCHEMA = _schema(
    {
        "pair": pa.int32(),
        "source_first": pa.int32(),
        "source_count": pa.int32(),
        "target_first": pa.int32(),
        "target_count": pa.int32(),
        "score": pa.float32(),
        "source_text": pa.string(),
        "target_text": pa.string(),
        "source_block": pa.int32(),
        "source_start": pa.int32(),
        "source_end_block": pa.int32(),
        "source_end": pa.int32(),
        "target_block": pa.int32(),
        "target_start": pa.int32(),
        "target_end_block": pa.int32(),
        "target_end": pa.int32(),
        "length_ratio": pa.float32(),
        "source_lang": pa.string(),
        "target_lang": pa.string(),
        "copied": pa.float32(),
        "numbers": pa.float32(),
        "boilerplate": pa.float32(),
        "repeats": pa.int32(),
    }
)
"""A bead: which sentences of the two documents, their texts and places, and what speaks against the bead."""
UNPAIRED_SCHEMA = _schema(dict.fromkeys(("id", "url", "lang", "reason"), pa.string()))


def pairs_of(shard: Shard) -> Path:
    """Return the file of the pairs of pages of a shard."""
    return shard.folder / PAIRS


def beads_of(shard: Shard) -> Path:
    """Return the file of the beads of a shard."""
    return shard.folder / BEADS
