"""The loop that one would write without Gristmill: warcio reads, trafilatura extracts, pages become lines of JSON.

Usage: plain_loop.py OUTPUT ARCHIVE...
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import trafilatura
from warcio.archiveiterator import ArchiveIterator


def read_pages(archives: Sequence[str]) -> Iterator[dict[str, str | None]]:
    """Address, date and text of every response."""
    for archive in archives:
        with Path(archive).open("rb") as stream:
            for record in ArchiveIterator(stream):
                if record.rec_type == "response":
                    yield {
                        "url": record.rec_headers.get_header("WARC-Target-URI"),
                        "date": record.rec_headers.get_header("WARC-Date"),
                        "text": trafilatura.extract(record.content_stream().read(), include_comments=False),
                    }


def main() -> None:
    """Write the pages of the archives to a file."""
    output, *archives = sys.argv[1:]
    logging.disable(logging.CRITICAL)
    with Path(output).open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(page, ensure_ascii=False) + "\n" for page in read_pages(archives))


if __name__ == "__main__":
    main()
