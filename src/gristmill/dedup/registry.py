"""What a de-duplication method is, where methods are filed, and what they write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from gristmill.registry import Registry

DUPLICATES_SCHEMA: pa.Schema = pa.schema(
    [
        pa.field("share", pa.float64(), nullable=False),  # of the document's text that stands in an earlier document
        pa.field("copy_of", pa.string(), nullable=False),  # the id of that document, empty if there is none
    ],
)


class Method(Protocol):
    """Writes `duplicates.parquet`, row-aligned with the documents, into every shard, and returns the number of duplicates."""

    def __call__(self, shards: Sequence[Path]) -> int:
        """De-duplicate a corpus; shards are in source order."""


METHODS: Registry[Method] = Registry("de-duplication method")
