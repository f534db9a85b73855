"""From a page to a document: decode, cut into blocks, find the language, score the blocks."""

from __future__ import annotations

from collections.abc import Sequence

from gristmill.clean.features import Features
from gristmill.clean.methods import METHODS, Scores
from gristmill.clean.segment import Segmented, segment, segment_text
from gristmill.clean.tree import Segmentation
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
    segmented = segment(tidy(html), METHODS[method].segmentation)
    _describe(document, segmented, lang)
    return _score(document, segmented, method, 0.5)


def clean_page(page: Page, lang: str | None = None, method: str = DEFAULT_METHOD, max_boilerplate: float = 0.5) -> Document:
    """Clean a page from an archive."""
    document, segmented = prepare(page, lang, METHODS[method].segmentation)
    return _score(document, segmented, method, max_boilerplate)


def prepare(page: Page, lang: str | None = None, segmentation: Segmentation = "block") -> tuple[Document, Segmented]:
    """The first step, for which no method is needed: a document with its metadata and language, and the blocks of the page."""
    document = Document.of(page)
    decoded = decode(page.body, lang, _charset(page.headers.get("content-type", "")))
    document.encoding, document.encoding_from = decoded.encoding, decoded.decided_by
    segmented = segment_text(decoded.text) if page.is_text else segment(decoded.text, segmentation)
    _describe(document, segmented, lang)
    return document, segmented


def finish(document: Document, scores: Scores, method: str, max_boilerplate: float = 0.5) -> Document:
    """The last step: blocks get the scores that a method has found, and the document what follows from them."""
    document.method = method
    for block, value, label in zip(document.blocks, scores.values.tolist(), scores.labels, strict=True):
        block.score, block.label = value, label
    document.measure(max_boilerplate)
    return document


def _describe(document: Document, segmented: Segmented, lang: str | None) -> None:
    found = segmented.metadata
    document.title, document.canonical, document.declared_lang = found.title, found.canonical, found.lang
    document.author, document.published = found.author, found.date
    document.blocks = segmented.blocks
    document.lang, document.lang_confidence = (lang, 1.0) if lang else identify(_running_text(document.blocks))


def _score(document: Document, segmented: Segmented, method: str, max_boilerplate: float) -> Document:
    scores = METHODS[method].score(Features(segmented), document.lang)
    return finish(document, scores, method, max_boilerplate)


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
