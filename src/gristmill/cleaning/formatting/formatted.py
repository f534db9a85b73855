"""`markdown` and `structure`: the text of a page with its form, for users."""

from __future__ import annotations

from typing import Any

from gristmill.arguments import wrong_type
from gristmill.cleaning.cleaner import clean, decode_page
from gristmill.cleaning.formatting.described import describe
from gristmill.cleaning.formatting.outline import Node
from gristmill.cleaning.formatting.reading import read
from gristmill.cleaning.formatting.stored import outline_of
from gristmill.cleaning.formatting.writer import write
from gristmill.cleaning.given import Given, content_of
from gristmill.cleaning.languages import Languages
from gristmill.decoding import labels
from gristmill.decoding.normalisation import tidy_text
from gristmill.document import Document, Page
from gristmill.language import Models


def markdown(html: Given, document: Document | None = None, *, url: str | None = None, links: bool = True) -> str:
    """Return the clean text of a page as Markdown: headings, lists, quotations, tables, code, emphasis and links.

    The page is what `clean` takes. `document` is what `clean` made of the same page, with any method and threshold;
    without it, the page is cleaned as `clean` does by default. Links are relative to `url`, to the address of the
    document, or to what the page names as its base. With `links=False` they are left out, and their text stays.
    """
    return write(outline(html, document, url), links=links)


def structure(html: Given, document: Document | None = None, *, url: str | None = None) -> list[dict[str, Any]]:
    """Return the clean text of a page as JSON has it: headings, paragraphs, lists, quotations, tables and code.

    Takes what `markdown` takes. Each part has a `type`, and `blocks`: the numbers of its blocks in the document.
    """
    return describe(outline(html, document, url))


def outline(html: Given, document: Document | None, url: str | None) -> list[Node]:
    """Return the outline of a page, which is cleaned if there is no document of it yet."""
    if document is None:
        document = clean(html, url)
    elif not isinstance(document, Document):
        raise wrong_type("document", "a gristmill.Document that clean has made of the page", document)
    content = content_of(html, url or "")
    base = url or document.url
    if isinstance(content, str):
        return read(tidy_text(content), document, _kept(document), base)
    if content.is_text:
        return outline_of_document(document)
    return read(_source(content, document), document, _kept(document), base or content.url)


def outline_of_document(document: Document) -> list[Node]:
    """Return the outline of a document without its page: no marks, no links."""
    blocks = document.blocks
    return outline_of((number, blocks[number]) for number in _kept(document))


def _kept(document: Document) -> list[int]:
    found: list[int] = document.kept_columns()[1].tolist()
    return found


def _source(page: Page, document: Document) -> bytes:
    """Decode a page as it was decoded for its document, whatever language or models were given then."""
    decoded = decode_page(page, Languages(Models.load(), ""))
    if decoded.encoding == document.encoding or not document.encoding:
        return decoded.utf8
    return tidy_text(labels.decode(document.encoding, page.body))
