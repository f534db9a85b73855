"""Samples of texts that users give: a folder of text files or pages, a corpus, or one file.

Used by the filter `topic`, by the training of the filter `quality`, and where keywords are found.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

from gristmill.cleaning import clean
from gristmill.errors import UsageError
from gristmill.kept import replaced_by
from gristmill.shards import Shard

_MANIFEST = "corpus.toml"
_JSON_LINES = (".jsonl", ".jsonl.gz")
_PAGES = (".html", ".htm", ".xhtml")
_FIELDS = ("text", "content")


def read_texts(path: str) -> list[str]:
    """Read the documents of a sample that are not empty.

    In a folder, each `.txt` file, each page in HTML, of which the clean text is taken, and each line of a `.jsonl` file
    is a document. In a corpus, these are the documents that are kept. In a single text file, as `gristmill export`
    writes it, an empty line separates documents.
    """
    place = Path(path)
    try:
        if (place / _MANIFEST).is_file():
            texts = [
                document.folded
                for shard in Shard.all_in(place)
                for replaced in [replaced_by(shard)]
                for row, document in enumerate(shard.read_documents())
                if not document.dropped and row not in replaced
            ]
        elif place.is_dir():
            texts = [text for file in sorted(place.rglob("*")) for text in _texts_in(file)]
        elif place.name.endswith((*_JSON_LINES, *_PAGES)):
            texts = list(_texts_in(place))
        else:
            texts = re.split(r"\n\s*\n", place.read_text("utf-8-sig", "replace"))
    except OSError as error:
        raise UsageError(f"can't read the texts in {path}: {error.strerror or error}") from error
    texts = [text for text in texts if text.strip()]
    if not texts:
        raise UsageError(
            f"there are no texts in {path}: give a folder of .txt, .html or .jsonl files, a corpus, or a file"
        )
    return texts


def _texts_in(file: Path) -> Iterator[str]:
    """Yield the texts of a file in a folder; none if it is not a text file."""
    if file.name.endswith(_JSON_LINES):
        yield from _json_lines(file)
    elif file.suffix.lower() in _PAGES:
        yield clean(file).folded
    elif file.suffix == ".txt":
        yield file.read_text("utf-8-sig", "replace")


def _json_lines(file: Path) -> Iterator[str]:
    """Yield the texts of a file with a JSON object a line, as exports and data sets have them."""
    with gzip.open(file, "rb") if file.suffix == ".gz" else file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _field(line, f"{file}, line {number:,}")


def _field(line: bytes, where: str) -> str:
    """Return the text of a line of JSON; `where` is for the error."""
    try:
        record = json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where} is not JSON") from error
    for key in _FIELDS if isinstance(record, dict) else ():
        if isinstance(text := record.get(key), str):
            return text
    raise UsageError(f"{where} has no text: it must be an object with a field {' or '.join(_FIELDS)}")
