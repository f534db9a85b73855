"""Vertical text, as corpus managers read it: a token a line, structures as tags, characters of markup escaped."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from gristmill.corpus.formats.registry import FORMATS
from gristmill.document import Document

_ATTRIBUTES = ("id", "url", "canonical", "date", "published", "lang", "declared_lang", "title", "author", "source")


@FORMATS.register("vertical")
def vertical(document: Document) -> Iterator[str]:
    """`<doc>` with metadata, `<p>` with kind and quantised boilerplate score, and tokens as white space divides them.

    `bpc`, for boilerplate class, is what the COW corpora, which were made with texrex, call it.
    """
    attributes = " ".join(f"{name}={_quoted(getattr(document, name))}" for name in _ATTRIBUTES)
    yield f"<doc {attributes}>\n"
    for block in document.blocks:
        yield f'<p kind="{block.kind}" bpc="{block.quantile}">\n'
        yield escape("\n".join(block.text.split()))
        yield "\n</p>\n"
    yield "</doc>\n"


def _quoted(value: str) -> str:
    """An attribute value in double quotes."""
    return '"' + quoteattr(value, {'"': "&quot;"})[1:-1] + '"'
