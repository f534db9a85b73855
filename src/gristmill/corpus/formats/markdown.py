"""Markdown: headings, lists, quotations, tables and code, as far as the stored blocks tell.

A corpus has no pages, so there is neither emphasis nor a link. A comment before each document names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gristmill.cleaning.formatting.stored import outline_of
from gristmill.cleaning.formatting.writer import write
from gristmill.corpus.selecting import SelectedDocument
from gristmill.registry import part

_ENDS_COMMENT = re.compile(r"[\s<>]|--|-$")


@part("export format", "markdown", suffixes=(".md", ".markdown"))
def markdown(chosen: SelectedDocument) -> Iterator[str]:
    """Write a document, with a comment before it and an empty line behind it."""
    document = chosen.document
    yield f"<!-- {document.id} {_ENDS_COMMENT.sub('_', document.url)} -->\n\n"
    yield write(outline_of(enumerate(document.blocks)))
    yield "\n"
