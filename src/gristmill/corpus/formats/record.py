"""The fields of a document in formats of a record a document, JSON lines and Parquet.

`text` and `id` are what Hugging Face's `datasets` and datatrove look for. All other fields are columns for the former, and metadata for the
latter, whose steps know `url`, `date`, `language` and `language_score` by these names.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from gristmill.document import Document

SCHEMA: pa.Schema = pa.schema(
    [
        pa.field("text", pa.large_string()),
        pa.field("id", pa.string()),
        pa.field("url", pa.string()),
        pa.field("date", pa.string()),
        pa.field("language", pa.string()),
        pa.field("language_score", pa.float64()),
        pa.field("title", pa.string()),
        pa.field("author", pa.string()),
        pa.field("published", pa.string()),
        pa.field("canonical", pa.string()),
        pa.field("declared_language", pa.string()),
        pa.field("encoding", pa.string()),
        pa.field("source", pa.string()),
        pa.field("offset", pa.int64()),
        pa.field("words", pa.int64()),
    ]
)
_RENAMED = {"language": "lang", "declared_language": "declared_lang"}


def record(document: Document) -> dict[str, Any]:
    """What is known of a document, and its text, a block a line."""
    made: dict[str, Any] = {"text": "\n".join([block.text for block in document.blocks])}
    made |= {name: getattr(document, _RENAMED.get(name, name)) for name in SCHEMA.names if name not in {"text", "language_score"}}
    made["language_score"] = round(document.lang_confidence, 4)
    return {name: made[name] for name in SCHEMA.names}
