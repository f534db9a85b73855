"""JSON lines: a document a line."""

from __future__ import annotations

import json
from collections.abc import Iterator

from gristmill.corpus.cut import Cut
from gristmill.corpus.formats.record import record
from gristmill.corpus.formats.registry import text_format


@text_format("jsonl", ".jsonl")
def jsonl(cut: Cut) -> Iterator[str]:
    """Write text and metadata of a document."""
    yield json.dumps(record(cut.document), ensure_ascii=False) + "\n"
