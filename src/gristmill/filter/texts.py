"""Texts of a sample that users give: a folder of text files, a corpus, or one file."""

from __future__ import annotations

import re
from pathlib import Path

from gristmill.errors import UsageError
from gristmill.shards import read_documents

_MANIFEST = "corpus.toml"


def read_texts(path: str) -> list[str]:
    """The documents of a sample, those that are empty left out.

    In a folder each `.txt` file is a document; of a corpus its kept documents are taken; in a single file, as `gristmill export` writes
    it, an empty line stands between documents.
    """
    place = Path(path)
    try:
        if (place / _MANIFEST).is_file():
            texts = [
                document.folded for shard in sorted(place.glob("shards/*")) for document in read_documents(shard) if not document.dropped
            ]
        elif place.is_dir():
            texts = [file.read_text("utf-8-sig", "replace") for file in sorted(place.rglob("*.txt"))]
        else:
            texts = re.split(r"\n\s*\n", place.read_text("utf-8-sig", "replace"))
    except OSError as error:
        raise UsageError(f"can't read the texts in {path}: {error.strerror or error}") from error
    texts = [text for text in texts if text.strip()]
    if not texts:
        raise UsageError(f"there are no texts in {path}: give a folder of .txt files, a corpus, or a file")
    return texts
