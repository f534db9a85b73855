"""The bundled sample: a small web written for this project, with the truth of every block.

`python -m sample` makes its files from the folder `sample/` of the repository. The command line reads it by the name
`sample`; tests and benchmarks use its truth.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WARC = Path(__file__).parent / "web.warc.gz"
TRUTH = Path(__file__).parent / "truth.jsonl"


def truth() -> dict[str, dict[str, Any]]:
    """The truth of each page, by its address: type, language, encoding, and blocks.

    A block has a text, a kind, a role, and `copy_of` if it repeats another one.
    """
    pages = (json.loads(line) for line in TRUTH.read_text("utf-8").splitlines())
    return {page["url"]: page for page in pages}
