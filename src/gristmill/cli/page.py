"""Output formats of `gristmill clean`, by name."""

from __future__ import annotations

import json
from typing import Protocol

from gristmill.cleaning.cleaneval import marked
from gristmill.cleaning.formatting import markdown, outline_of_document, structure, write
from gristmill.document import Document, Page
from gristmill.registry import Registry, part, parts_of


class PageFormat(Protocol):
    """Shows a document; what needs the markup of its page gets the page, too."""

    def __call__(self, document: Document, page: Page | None = None, *, links: bool = True) -> str:
        """Return the document as text in this format; `links` tells whether addresses of links are wanted."""


PAGE_FORMATS: Registry[PageFormat] = parts_of("output format")


@part("output format", "text")
def text(document: Document, page: Page | None = None, *, links: bool = True) -> str:
    """Show the clean text."""
    del page, links
    return document.text + "\n" if document.text else ""


@part("output format", "markdown")
def as_markdown(document: Document, page: Page | None = None, *, links: bool = True) -> str:
    """Show the clean text as Markdown; without the page, there is neither emphasis nor a link."""
    if page is None:
        return write(outline_of_document(document))
    return markdown(page, document, links=links)


@part("output format", "markup")
def markup(document: Document, page: Page | None = None, *, links: bool = True) -> str:
    """Show CleanEval's markup: `<h>`, `<p>` or `<l>` before each block."""
    del page, links
    return marked(document.kept())


@part("output format", "json")
def as_json(document: Document, page: Page | None = None, *, links: bool = True) -> str:
    """Show everything that is known of the page and its blocks, and how the kept ones are put together."""
    del links
    found = document.to_json(derived=True)
    if page is not None:
        found["structure"] = structure(page, document)
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


@part("output format", "html")
def html(document: Document, page: Page | None = None, *, links: bool = True) -> str:
    """Show every block, coloured by its score, as a page for people."""
    from gristmill.html.judged import judged_page

    del page, links
    return judged_page(document)
