"""Pages of a corpus as annotators see them: all blocks in order, and what the method of the corpus says of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import xxhash

from gristmill.arrays.dtypes import Flags
from gristmill.corpus import CorpusReader
from gristmill.corpus.lookup import find_document, read_by_id
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.document import Block, Document, columns_of
from gristmill.errors import GristmillError
from gristmill.judgements.blocks.store import BlockStore, Outline
from gristmill.shards import DOCUMENTS

MAX_BLOCKS = 5_000
"""Blocks that a page may have to be judged."""
_FIELDS = ("url", "title", "lang", "source", "offset", "method", "max_boilerplate", "roles", "dropped", "page_kind")
_BLOCK_FIELDS = (
    "text", "kind", "path", "start", "end", "words", "link_words", "links", "tags", "score", "label", "lang", "dropped",
    "row", "role",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """A page with all its blocks, to be judged."""

    document: Document
    outline: Outline

    @classmethod
    def of(cls, document: Document) -> JudgedPage:
        """Prepare a document to be judged."""
        columns = document.as_columns()
        return cls(document, Outline.of(document.url, columns.text.tolist(), columns.words))

    def suggested(self) -> Flags:
        """Tell which blocks the method of the corpus takes for text, whatever filters say of them."""
        return self.document.as_columns().are_text(self.document.max_boilerplate, self.document.roles)


def read_page(corpus: CorpusReader, name: str) -> JudgedPage:
    """Read a page by its id or address; raises if there is none, or if it has too many blocks to be judged."""
    identifier = find_document(corpus, name)
    page = next(read_pages(corpus, [identifier]))
    number = page.document.block_count
    if not number:
        raise GristmillError(f"the page {identifier} has no blocks to be judged")
    if number > MAX_BLOCKS:
        raise GristmillError(f"the page {identifier} has {number:,} blocks, and at most {MAX_BLOCKS:,} can be judged")
    return page


def read_pages(corpus: CorpusReader, identifiers: Iterable[str]) -> Iterator[JudgedPage]:
    """Read some pages by their ids, in the order of the corpus; those that are not there are passed over."""
    columns = [*_FIELDS, *(f"blocks.{name}" for name in _BLOCK_FIELDS)]
    for identifier, row in read_by_id(corpus, DOCUMENTS, identifiers, columns):
        yield JudgedPage.of(_document(identifier, row))


def _document(identifier: str, row: dict[str, Any]) -> Document:
    blocks = [Block(**block) for block in row.pop("blocks")]
    document = Document(id=identifier, **row)
    document.columns = columns_of(blocks)
    return document


def refresh(corpus: CorpusReader, store: BlockStore) -> None:
    """Look at the judged pages again if the corpus is another one than when that was last done.

    Then judgements of texts that are gone, or at other places, are known.
    """
    state = xxhash.xxh3_64_hexdigest((corpus.folder / MANIFEST).read_bytes())
    if store.seen_state() == state:
        return
    known = set(store.judged_pages()) | set(store.outlines())
    found = {page.document.id: page.outline for page in read_pages(corpus, known)}
    nothing = Outline("", (), np.zeros(0, np.int32))
    for identifier in known:
        store.register(identifier, found.get(identifier, nothing))
    store.note_state(state)
