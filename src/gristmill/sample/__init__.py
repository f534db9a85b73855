"""The bundled sample: a small web written for this project, with the truth of every block (made by `python -m sample`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WARC = Path(__file__).parent / "web.warc.gz"
TRUTH = Path(__file__).parent / "truth.jsonl"


def truth() -> dict[str, dict[str, Any]]:
    """What is true of each page, by its address: type, language, encoding, and its blocks with text, kind, role and what they repeat."""
    pages = (json.loads(line) for line in TRUTH.read_text("utf-8").splitlines())
    return {page["url"]: page for page in pages}
