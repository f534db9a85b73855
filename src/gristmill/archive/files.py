"""Pages from single HTML files."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

from gristmill.archive.kind import GZIP_MAGIC, looks_like_html
from gristmill.archive.skip import Skip
from gristmill.document import Page


def read_from(path: Path, name: str, limit: int) -> Iterator[Page | Skip]:
    """The one page of a file, its type told by its content."""
    try:
        with path.open("rb") as file:
            body = file.read(limit + 1)
        if body.startswith(GZIP_MAGIC):
            with gzip.open(path) as file:
                body = file.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        yield Skip("broken", name, 0, detail=str(error))
        return
    if not body:
        yield Skip("broken", name, 0, detail="the file is empty")
        return
    content_type = "text/html" if looks_like_html(body) else "application/octet-stream"
    yield Page(f"file:{name}", body, headers={"content-type": content_type}, source=name)
