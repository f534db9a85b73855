"""JSON lines: a document a line."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gristmill.corpus.formats.record import record
from gristmill.corpus.selecting import SelectedDocument
from gristmill.registry import part


@part("export format", "jsonl", suffixes=(".jsonl",))
def jsonl(chosen: SelectedDocument) -> Iterator[str]:
    """Write text and metadata of a document."""
    yield json.dumps(record(chosen.document), ensure_ascii=False) + "\n"
