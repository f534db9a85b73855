"""The bytes of judged pages: from the archive that the corpus was built from, or put together from the blocks.

An archive may be gone, or hold something else by now. So what is read must give the very blocks that were judged; else
a page is made of these, with the elements that they stood in and as many words in links.
"""

from __future__ import annotations

from html import escape
from itertools import takewhile

from gristmill.cleaning.cleaner import prepare
from gristmill.corpus import CorpusReader
from gristmill.corpus.originals import NoOriginalError, read_original
from gristmill.document import Block, Document, Page
from gristmill.errors import GristmillError


def page_bytes(corpus: CorpusReader, document: Document) -> tuple[bytes, bool]:
    """Return the bytes of a page, and whether they are those that were fetched."""
    try:
        page = read_original(corpus, document)
    except NoOriginalError:
        return rebuilt_page(document), False
    return (page.body, True) if _gives(page, document, corpus) else (rebuilt_page(document), False)


def _gives(page: Page, document: Document, corpus: CorpusReader) -> bool:
    """Tell whether a page has the blocks of a document."""
    if page.is_text:  # plain text: as HTML it would have other blocks
        return False
    try:
        cleaned, _ = prepare(page, corpus.languages)
    except GristmillError:  # the models of languages of the corpus are gone, or may not be used
        return False
    return cleaned.as_columns().text.tolist() == document.as_columns().text.tolist()


def rebuilt_page(document: Document) -> bytes:
    """Make a page of the blocks of a document: each in the elements of its path, with as many words in links."""
    parts = [f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{escape(document.title)}</title>\n']
    opened: list[str] = []
    for block in document.blocks:
        path = [name for name in block.path.split("/") if name.isalnum() and name.isascii()] or ["p"]
        same = sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(opened, path[:-1], strict=False)))
        parts += [f"</{name}>" for name in reversed(opened[same:])]
        parts += [f"<{name}>" for name in path[same:]]
        parts.append(f"{_with_links(block)}\n")
        opened = path
    parts += [f"</{name}>" for name in reversed(opened)]
    return "".join(parts).encode("utf-8", "replace")


def _with_links(block: Block) -> str:
    words = block.text.split()
    linked, rest = words[: block.link_words], words[block.link_words :]
    texts = [f'<a href="#">{escape(" ".join(linked))}</a>'] if linked else []
    return " ".join([*texts, *([escape(" ".join(rest))] if rest else [])])
