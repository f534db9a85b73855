"""JSON lines: a document a line, with the field names that today's tools read (`id`, `text`)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gristmill.corpus.formats.registry import FORMATS
from gristmill.document import Document

_FIELDS = (
    "id",
    "url",
    "canonical",
    "date",
    "published",
    "lang",
    "lang_confidence",
    "declared_lang",
    "title",
    "author",
    "encoding",
    "source",
    "offset",
    "words",
)


@FORMATS.register("jsonl")
def jsonl(document: Document) -> Iterator[str]:
    """Metadata and text."""
    record = {name: getattr(document, name) for name in _FIELDS}
    record["lang_confidence"] = round(document.lang_confidence, 4)
    record["text"] = "\n".join(block.text for block in document.blocks)
    yield json.dumps(record, ensure_ascii=False) + "\n"
