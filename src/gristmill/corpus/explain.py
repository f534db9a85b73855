"""What became of one page, stage by stage: what each found, and what decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gristmill.corpus.copies import TracedDocument, trace
from gristmill.corpus.corpus import Corpus
from gristmill.corpus.lookup import find_at, find_document, read_by_id, which_one
from gristmill.corpus.named import admit
from gristmill.document import BLOCK_TYPE, DOCUMENT_SCHEMA, Block, Document
from gristmill.errors import UsageError
from gristmill.filter import Verdict, unchecked_chain
from gristmill.shards import DOCUMENTS

_COLUMNS = [name for name in DOCUMENT_SCHEMA.names if name != "blocks"]
_NOR = ", and it is no FILE:OFFSET of a record, as `gristmill stats --dropped` lists them"
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
    limit: int
    """How many bytes of a page were read at most, but for one that shows that there are more."""

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

    Or a record that was skipped, by its address or `FILE:OFFSET`. Raises `UsageError` with all of them if there are
    several, and with what comes closest if there is none.
    """
    found = find_at(corpus, name)
    if len(found) > 1:
        raise UsageError(which_one(found, name))
    if found and found[0].skipped:
        return Skipped(**found[0].skipped)
    identifier = found[0].name if found else find_document(corpus, name, _NOR)
    document = read_document(corpus, identifier)
    admit(corpus.config, "filter")
    filters = unchecked_chain(corpus.config.filter)
    return Explained(
        document, list(filters.verdicts(document, corpus.languages)), trace(corpus, identifier, against), filters.limit
    )


def read_document(corpus: Corpus, identifier: str) -> Document:
    """One document with all its blocks."""
    for _, row in read_by_id(corpus, DOCUMENTS, [identifier], [*_COLUMNS, *_BLOCK_COLUMNS]):
        blocks: list[dict[str, Any]] = row.pop("blocks") or []
        return Document(**row, blocks=[Block(**block) for block in blocks])
    raise UsageError(f"there is no document {identifier} in {corpus.folder}")
