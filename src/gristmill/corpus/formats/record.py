"""The fields of a document in JSON lines and Parquet.

`text` and `id` are what Hugging Face's `datasets` and datatrove look for. All other fields are columns for the former,
and metadata for the latter, whose steps know `url`, `date`, `language` and `language_score` by these names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from gristmill.corpus.attributes import DOC_ATTRIBUTES, PAGE_ATTRIBUTES
from gristmill.document import Document

_SPAN = pa.struct({"role": pa.string(), "start": pa.int64(), "end": pa.int64()})
SCHEMA: pa.Schema = pa.schema(
    [
        pa.field("text", pa.large_string()),
        pa.field("id", pa.string()),
        pa.field("url", pa.string()),
        pa.field("host", pa.string()),
        pa.field("date", pa.string()),
        pa.field("language", pa.string()),
        pa.field("language_score", pa.float64()),
        pa.field("title", pa.string()),
        pa.field("headline", pa.string()),
        pa.field("author", pa.string()),
        pa.field("published", pa.string()),
        pa.field("modified", pa.string()),
        pa.field("site_name", pa.string()),
        pa.field("description", pa.string()),
        pa.field("categories", pa.list_(pa.string())),
        pa.field("keywords", pa.list_(pa.string())),
        pa.field("licence", pa.string()),
        pa.field("image", pa.string()),
        pa.field("canonical", pa.string()),
        pa.field("declared_language", pa.string()),
        pa.field("encoding", pa.string()),
        pa.field("source", pa.string()),
        pa.field("offset", pa.int64()),
        pa.field("words", pa.int64()),
        pa.field("page_kind", pa.string()),
        pa.field("page_kind_confidence", pa.float64()),
        pa.field("role_spans", pa.list_(_SPAN)),
        *(pa.field(name, pa.string()) for name in PAGE_ATTRIBUTES),
        pa.field("ip", pa.string()),
        pa.field("country", pa.string()),
        pa.field("badness", pa.float64()),
    ]
)
"""Names and types of the fields."""
_RENAMED = {"language": "lang", "declared_language": "declared_lang"}
"""Fields that documents have under another name."""


def record(document: Document) -> dict[str, Any]:
    """Make a record of what is known of a document, and its text."""
    made: dict[str, Any] = {
        **{name: DOC_ATTRIBUTES[name](document) for name in ("host", *PAGE_ATTRIBUTES)},
        "language_score": round(document.lang_confidence, 4),
        "page_kind_confidence": round(document.page_kind_confidence, 4),
        "role_spans": _role_spans(document),
        "badness": document.badness if document.badness >= 0 else None,
    }
    return {name: made[name] if name in made else getattr(document, _RENAMED.get(name, name)) for name in SCHEMA.names}


def _role_spans(document: Document) -> list[dict[str, Any]]:
    """Say which part of the text has which role, in characters: neighbours with the same role are one part."""
    columns, kept = document.kept_columns()
    ends = np.cumsum(columns.text.lengths()[kept] + 1) - 1  # one character stands between two blocks
    roles = columns.role.take(kept).tolist()
    parts, start = [], 0
    for place, (role, end) in enumerate(zip(roles, ends.tolist(), strict=True), 1):
        if roles[place : place + 1] != [role]:
            parts.append({"role": role, "start": start, "end": end})
            start = end + 1
    return parts
