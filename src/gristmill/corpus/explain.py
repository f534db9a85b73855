"""What became of one page, stage by stage: what each found, and what decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.corpus.copies import TracedDocument, trace
from gristmill.corpus.corpus import Corpus
from gristmill.corpus.lookup import find_document, read_by_id
from gristmill.document import BLOCK_TYPE, DOCUMENT_SCHEMA, Block, Document
from gristmill.errors import UsageError
from gristmill.filter import Verdict, make_chain
from gristmill.shards import DOCUMENTS, SKIPPED, read_rows

_COLUMNS = [name for name in DOCUMENT_SCHEMA.names if name != "blocks"]
_BLOCK_COLUMNS = [f"blocks.{item.name}" for item in BLOCK_TYPE]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record of an archive that gave no page."""

    reason: str
    source: str
    offset: int
    url: str
    detail: str


@dataclass(frozen=True, slots=True)
class Explained:
    """A page of a corpus, what every filter finds in it, and what de-duplication found."""

    document: Document
    verdicts: list[Verdict]
    """In the order in which filters are asked; those for text only if the page was cleaned."""
    repeated: TracedDocument

    @property
    def reason(self) -> str:
        """What dropped it; empty if it is kept."""
        if self.document.dropped:
            return self.document.dropped
        return "" if self.repeated.blocks_left else "duplicate"

    @property
    def detail(self) -> str:
        """What was found that dropped it."""
        if self.reason != "duplicate":
            return self.document.detail
        return f"copy of {self.repeated.copy_of}" if self.repeated.copy_of else "block by block"


def explain(corpus: Corpus, name: str, against: Sequence[Corpus] = ()) -> Explained | Skipped:
    """Look up a page by id or address, or a part of it, and ask all filters again.

    Or a record that was skipped, by its address or `FILE:OFFSET`. Raises `UsageError`, with what comes closest, if there is no such page.
    """
    try:
        identifier = find_document(corpus, name)
    except UsageError:
        skipped = _find_skipped(corpus, name)
        if skipped is None:
            raise
        return skipped
    document = read_document(corpus, identifier)
    verdicts = list(make_chain(corpus.config.filter).verdicts(document))
    return Explained(document, verdicts, trace(corpus, identifier, against))


def read_document(corpus: Corpus, identifier: str) -> Document:
    """One document with all its blocks."""
    for _, row in read_by_id(corpus, DOCUMENTS, [identifier], [*_COLUMNS, *_BLOCK_COLUMNS]):
        blocks: list[dict[str, Any]] = row.pop("blocks") or []
        return Document(**row, blocks=[Block(**block) for block in blocks])
    raise UsageError(f"there is no document {identifier} in {corpus.folder}")


def _find_skipped(corpus: Corpus, name: str) -> Skipped | None:
    for shard in corpus.shards:
        for row in read_rows(shard / SKIPPED):
            if name in {row["url"], f"{row['source']}:{row['offset']}"}:
                return Skipped(**row)
    return None
