"""The pages of the pairs of a bucket, made objects of a few at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from gristmill.annotation.table import Annotated
from gristmill.annotation.table import from_arrow as annotations_from_arrow
from gristmill.document import Document, from_arrow
from gristmill.parallel.buckets import read_bucket
from gristmill.parallel.gathering import PAGES_SCHEMA, documents_in, tokens_in
from gristmill.parallel.plan import Plan
from gristmill.parallel.records import SIDES
from gristmill.parallel.texts import PlacedText, placed_text
from gristmill.shards import read_rows

_PAIRS_AT_ONCE = 256
"""Pairs whose pages become objects, and are aligned, together."""


@dataclass(frozen=True, slots=True)
class PagePairText:
    """A pair of pages as it was found, with both documents and their sentences."""

    found: Mapping[str, Any]
    documents: tuple[Document, Document]
    annotations: tuple[Annotated, Annotated]
    texts: tuple[PlacedText, PlacedText]


@dataclass(frozen=True, slots=True)
class PairedPages:
    """The pairs of a bucket, in the order of their source pages, and the pages of those that count."""

    pairs: list[dict[str, Any]]
    pages: pa.Table

    @classmethod
    def read(cls, plan: Plan, bucket: int, pairs: str, pages: str) -> PairedPages:
        """Read the pairs that one round found, and the pages that another one gathered."""
        rows = sorted(read_rows(plan.path(pairs, bucket)), key=lambda row: (row["source_id"], row["target_id"]))
        return cls(rows, read_bucket(plan.of_shards(pages), bucket, PAGES_SCHEMA))

    @property
    def counting(self) -> list[dict[str, Any]]:
        """The pairs that count."""
        return [pair for pair in self.pairs if not pair["dropped"]]

    @property
    def others(self) -> list[dict[str, Any]]:
        """The candidates that lost."""
        return [pair for pair in self.pairs if pair["dropped"]]

    def rows(self) -> list[int]:
        """Return the rows of `pages` in the order of the pairs that count: source and target in turn."""
        row_of = {name: row for row, name in enumerate(self.pages["id"].to_pylist())}
        return [row_of[pair[f"{side}_id"]] for pair in self.counting for side in SIDES]

    def groups(self) -> Iterator[list[PagePairText]]:
        """Yield the pairs that count, as many at a time as are aligned together."""
        pairs, rows = self.counting, self.rows()
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            some = self.pages.take(pa.array(rows[2 * start : 2 * (start + _PAIRS_AT_ONCE)], pa.int64()))
            documents = from_arrow(_one_batch(documents_in(some)))
            annotated = list(annotations_from_arrow(_one_batch(tokens_in(some))))
            texts = list(map(placed_text, (document.blocks for document in documents), annotated))
            yield list(
                map(
                    PagePairText,
                    pairs[start : start + _PAIRS_AT_ONCE],
                    zip(documents[::2], documents[1::2], strict=True),
                    zip(annotated[::2], annotated[1::2], strict=True),
                    zip(texts[::2], texts[1::2], strict=True),
                )
            )


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    return table.combine_chunks().to_batches()[0]
