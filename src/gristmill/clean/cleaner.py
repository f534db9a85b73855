"""From a page to a document: decode, cut into blocks, find the language, score the blocks."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.clean.methods import METHODS
from gristmill.clean.segment import Segmented, segment, segment_text
from gristmill.config import CleanConfig
from gristmill.decode import decode, tidy
from gristmill.document import Block, Document, Page
from gristmill.language import identify

DEFAULT_METHOD = CleanConfig().method
_ENOUGH_TO_IDENTIFY = 4000  # characters


def clean(html: bytes | str, url: str | None = None, lang: str | None = None, method: str = DEFAULT_METHOD) -> Document:
    """Clean one page: every block of it, scored; `.text` is what is not boilerplate.

    Never raises on content. `lang` is identified if it is not given.
    """
    if isinstance(html, bytes):
        return clean_page(Page(url or "", html), lang, method)
    document = Document(url=url or "", size=len(html.encode("utf-8", "replace")))
    return _finish(document, segment(tidy(html)), lang, method)


def clean_page(page: Page, lang: str | None = None, method: str = DEFAULT_METHOD, max_boilerplate: float = 0.5) -> Document:
    """Clean a page from an archive."""
    document = Document.of(page)
    decoded = decode(page.body, lang, _charset(page.headers.get("content-type", "")))
    document.encoding, document.encoding_from = decoded.encoding, decoded.decided_by
    segmented = segment_text(decoded.text) if page.is_text else segment(decoded.text)
    return _finish(document, segmented, lang, method, max_boilerplate)


def _finish(document: Document, segmented: Segmented, lang: str | None, method: str, max_boilerplate: float = 0.5) -> Document:
    document.title, document.blocks, document.method = segmented.title, segmented.blocks, method
    document.lang, document.lang_confidence = (lang, 1.0) if lang else identify(_running_text(document.blocks))
    METHODS[method](document.blocks, document.lang)
    document.measure(max_boilerplate)
    return document


def _charset(content_type: str) -> str | None:
    """The charset parameter of a Content-Type header."""
    _, found, value = content_type.lower().partition("charset=")
    return value.partition(";")[0].strip(" \"'") if found else None


def _running_text(blocks: Sequence[Block]) -> str:
    """The part of a page by which its language is told: longer blocks without many links if there are any, else all of it."""
    text: list[str] = []
    length = 0
    for block in blocks:
        if block.words >= 10 and block.link_density < 0.3:
            text.append(block.text)
            length += len(block.text)
            if length > _ENOUGH_TO_IDENTIFY:
                break
    return "\n".join(text or [block.text for block in blocks])
