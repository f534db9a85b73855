"""JSON lines: a document a line."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gristmill.corpus.formats.record import record
from gristmill.corpus.formats.registry import text_format
from gristmill.corpus.selecting import SelectedDocument


@text_format("jsonl", ".jsonl")
def jsonl(chosen: SelectedDocument) -> Iterator[str]:
    """Write text and metadata of a document."""
    yield json.dumps(record(chosen.document), ensure_ascii=False) + "\n"
