"""Apply a selection to the documents of a shard, many at a time: which blocks are left of each, and where they were.

`CorpusReader.select` uses it, and so exports and the index.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import numpy as np
import pyarrow as pa

from gristmill.annotation import Annotation
from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.languages import Languages
from gristmill.condition import Condition
from gristmill.corpus.attributes import DOC_ATTRIBUTES, Paragraph
from gristmill.dedup.result import are_left
from gristmill.document import Document, from_arrow
from gristmill.errors import GristmillError
from gristmill.filter import Chain, forget_blocks
from gristmill.kept import block_columns, kept_flags
from gristmill.shards import Shard, read_batches

_JUDGED = ("blocks.list.element.verdict", "blocks.list.element.share")
_METADATA = (
    "id",
    "url",
    "date",
    "source",
    "encoding",
    "lang",
    "title",
    "author",
    "published",
    "site_name",
    "categories",
    "licence",
    "page_kind",
    "country",
    "badness",
    "max_boilerplate",
    "roles",
    "dropped",
    "attributes",
)
_OF_BLOCKS = ("kind", "words", "score", "lang", "dropped", "role")
_WITHOUT_TEXT = (*_METADATA, *(f"blocks.list.element.{name}" for name in _OF_BLOCKS))


@dataclass(slots=True)
class SelectedDocument:
    """A document with the blocks that a selection keeps of it, and where these are in the stored document."""

    document: Document
    row: int
    """Where the document stands in its shard."""
    numbers: list[int]
    """Which block of the stored document each block is."""
    shares: list[float]
    """How much of each block is repeated elsewhere."""
    annotations: list[Annotation] = field(default_factory=list)
    """The tokens of each block; empty if they were not asked for."""

    def paragraphs(self) -> list[Paragraph]:
        """Return the blocks with what `P_ATTRIBUTES` are computed from."""
        lang = self.document.lang
        return [Paragraph(block, share, lang) for block, share in zip(self.document.blocks, self.shares, strict=True)]

    def measure(self) -> None:
        """Count the text anew, after a change."""
        _measure(self.document, has_text=True)


def _judged_batches(shard: Shard, columns: Sequence[str] | None) -> Iterator[tuple[pa.RecordBatch, pa.RecordBatch]]:
    """Yield documents beside what de-duplication found in them; raise if the two files don't fit."""
    for batch, found in zip_longest(read_batches(shard.documents, columns), read_batches(shard.duplicates, _JUDGED)):
        if batch is None or found is None or batch.num_rows != found.num_rows or "blocks" not in found.schema.names:
            raise GristmillError(
                f"{shard.documents} and {shard.duplicates.name} beside it don't have the same documents, so one of "
                "them is damaged: delete it and run the command that made it again"
            )
        yield batch, found


@dataclass(frozen=True, slots=True)
class Selector:
    """Selects documents and blocks by thresholds, filters and a condition, as a `Selection` of the user says it."""

    max_boilerplate: float
    max_duplicate: float | None
    filters: Chain | None
    """Filters that decide anew; None if what they decided when the corpus was built stands."""
    languages: Languages | None
    """How the languages of documents are identified, if filters decide anew."""
    where: Condition | None
    roles: Callable[[str], str]
    """Which roles are text in a document if filters decide anew, given those that it stores."""
    min_left: int = 0
    """Characters that must be left of a document, when duplicates are gone."""

    def select(
        self, shard: Shard, replaced: Collection[int] = (), *, with_text: bool = True
    ) -> Iterator[SelectedDocument]:
        """Yield what is left of the documents of a shard, without those of which nothing is left, or in replaced rows.

        Without text only what `DOC_ATTRIBUTES` and `P_ATTRIBUTES` tell is read, if filters need no more.
        """
        columns = None if with_text or self.filters else _WITHOUT_TEXT
        row, rows = 0, np.array(list(replaced), np.int64)
        for batch, found in _judged_batches(shard, columns):
            skip = np.isin(np.arange(row, row + batch.num_rows), rows)
            select = self._filtered if self.filters else self._as_built
            for chosen in select(batch, found, skip):
                chosen.row += row
                if chosen.document.length >= self.min_left and self._holds(chosen.document):
                    yield chosen
            row += batch.num_rows

    def _holds(self, document: Document) -> bool:
        return self.where is None or self.where.holds(lambda name: DOC_ATTRIBUTES[name](document))

    def _as_built(self, batch: pa.RecordBatch, found: pa.RecordBatch, skip: Flags) -> Iterator[SelectedDocument]:
        """Select by what filters decided before; only the blocks that are left become Python objects.

        Most blocks of the web are boilerplate, so that is several times faster. Blocks of all documents are one array:

            offsets  0, 3, 3, 7     three documents of 3, 0 and 4 blocks
            left     1, 4, 6        the blocks that are left
            rows     0, 2           the documents that these are in, each once
            starts   0, 1           where the blocks of each begin in `left`
        """
        columns = block_columns(batch, skip)
        left = self._left(columns.kept, found)
        rows, starts = np.unique(np.searchsorted(columns.offsets, left, side="right") - 1, return_index=True)
        lists = pa.ListArray.from_arrays(
            pa.array(np.append(starts, len(left)), pa.int32()), columns.fields.take(pa.array(left))
        )
        names = [name for name in batch.schema.names if name != "blocks"]
        taken = [batch.column(name).take(pa.array(rows)) for name in names]
        documents = from_arrow(pa.RecordBatch.from_arrays([*taken, lists], [*names, "blocks"]))
        has_text = any(item.name == "text" for item in columns.fields.type)
        return _selected(
            dict(zip(rows.tolist(), documents, strict=True)), left, columns.offsets, found, has_text=has_text
        )

    def _filtered(self, batch: pa.RecordBatch, found: pa.RecordBatch, skip: Flags) -> Iterator[SelectedDocument]:
        """Select with all filters deciding anew, for which all blocks are needed."""
        documents = from_arrow(batch)
        for document in documents:
            self._decide_anew(document)
        offsets = np.cumsum([0, *(document.block_count for document in documents)])
        flags = np.concatenate([np.zeros(0, np.bool_), *map(kept_flags, documents)])
        left = self._left(np.flatnonzero(flags & ~np.repeat(skip, np.diff(offsets))), found)
        rows, starts = np.unique(np.searchsorted(offsets, left, side="right") - 1, return_index=True)
        for row, start, end in zip(rows.tolist(), starts, np.append(starts, len(left))[1:], strict=True):
            documents[row].columns = documents[row].as_columns().take(left[start:end] - offsets[row])
        return _selected({row: documents[row] for row in rows.tolist()}, left, offsets, found, has_text=True)

    def _decide_anew(self, document: Document) -> None:
        if self.filters and self.languages and document.method:
            forget_blocks(document, self.languages, self.max_boilerplate, self.roles(document.roles))
            document.dropped, document.detail = self.filters.fault_of_page(document) or ("", "")
            if not document.dropped:
                self.filters.apply(document, self.languages)

    def _left(self, kept: Ints, found: pa.RecordBatch) -> Ints:
        """Return those of the kept blocks that de-duplication leaves."""
        return kept[are_left(found.column("blocks").flatten().take(pa.array(kept)), self.max_duplicate)]


def _selected(
    documents: dict[int, Document], left: Ints, offsets: Ints, found: pa.RecordBatch, *, has_text: bool
) -> Iterator[SelectedDocument]:
    """Put documents, given by their rows with only the blocks that are left, together with where these blocks were."""
    shares = found.column("blocks").flatten().field("share").to_numpy()[left].tolist()
    places, end = left.tolist(), 0
    for row, document in documents.items():
        start, end = end, end + document.block_count
        first = int(offsets[row])
        _measure(document, has_text=has_text)
        yield SelectedDocument(document, row, [place - first for place in places[start:end]], shares[start:end])


def _measure(document: Document, *, has_text: bool) -> None:
    """Count the text that is left of a document; the counts of what was left out before stay."""
    boilerplate_words, filtered_words = document.boilerplate_words, document.filtered_words
    if has_text:
        document.measure(document.max_boilerplate)
    else:
        document.words, document.text_blocks = int(document.as_columns().words.sum()), document.block_count
    document.boilerplate_words, document.filtered_words = boilerplate_words, filtered_words
