"""One page of HTML for an article that is spread over several, or that its feed has.

The blocks of further pages are put into the first page behind the last of its own text, in elements that say what they
are. What several pages have (headline, boxes, footers) is there once. So cleaning finds one article, with all its text
in order, in the place where the first page has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from gristmill.cleaning.cleaner import clean_page, decode_page
from gristmill.cleaning.hints import HEADLINE, SUMMARY, words
from gristmill.cleaning.languages import Languages
from gristmill.document import Block, Document, Page
from gristmill.language import Models

_ELEMENTS = {"p": "p", "h": "h3", "l": "li"}
_REPEATED = 0.8  # of the text of a page that was there before: it is a view of the same page, such as one of comments
_LIKE_TITLE = 0.5  # of the words of a title that the pages of an article share


@dataclass(slots=True)
class Cleaned:
    """A page that was cleaned by the hints of its item, with its source as decoded, where its blocks have places."""

    page: Page
    source: str
    document: Document

    @classmethod
    def of(cls, page: Page, headline: str, summary: str, models: Models) -> Cleaned:
        """Clean a page."""
        hinted = Page(page.url, page.body, page.date, page.status, page.headers)
        hinted.attributes = {HEADLINE: headline, SUMMARY: summary}
        return cls(page, decode_page(page, Languages(models)).text, clean_page(hinted, models=models))

    @property
    def bag(self) -> Counter[str]:
        """The words of its text, in no order."""
        return Counter(words(self.document.text))


def share(wanted: Counter[str], there: Counter[str]) -> float:
    """Tell which share of some words is among others; 1 if none are wanted."""
    return (wanted & there).total() / wanted.total() if wanted else 1.0


def continues(first: Cleaned, part: Cleaned) -> bool:
    """Tell whether a page can be a further page of an article: it has a similar title, and other text."""
    own, title = Counter(words(first.document.title)), Counter(words(part.document.title))
    if own and title and max(share(own, title), share(title, own)) < _LIKE_TITLE:
        return False
    known = {_key(block) for block in first.document.kept()}
    kept = part.document.kept()
    repeated = sum(block.words for block in kept if _key(block) in known)
    return bool(kept) and repeated < _REPEATED * min(part.document.words, first.document.words)


def join(pages: Sequence[Cleaned]) -> str:
    """Make one page of the pages of an article, of which the first comes first."""
    first, *others = pages
    pages_with = Counter(key for page in pages for key in {_key(block) for block in page.document.blocks})
    own = [block for block in first.document.kept() if pages_with[_key(block)] == 1]
    ends = [block.end for block in own or first.document.kept() or first.document.blocks]
    place = ends[-1] if ends else len(first.source)
    pieces = [piece for page in others for piece in _pieces(page, pages_with)]
    return f"{first.source[:place]}\n{''.join(pieces)}{first.source[place:]}"


def _pieces(page: Cleaned, pages_with: Counter[str]) -> list[str]:
    """Return what is between the first and the last text of a page, but for what other pages have, too."""
    blocks = page.document.blocks
    kept = {id(block) for block in page.document.kept()}
    own = [at for at, block in enumerate(blocks) if id(block) in kept and pages_with[_key(block)] == 1]
    if not own:
        return []
    chosen = [block for block in blocks[own[0] : own[-1] + 1] if pages_with[_key(block)] == 1]
    return [
        f"<{_ELEMENTS[block.kind]}>{page.source[block.start : block.end]}</{_ELEMENTS[block.kind]}>\n"
        for block in chosen
    ]


def _key(block: Block) -> str:
    return " ".join(block.text.casefold().split())


def as_page(title: str, content: str, lang: str = "") -> str:
    """Make a page of the content of an item of a feed, which is HTML, and of its title."""
    named = f' lang="{escape(lang)}"' if lang else ""
    return (
        f'<!DOCTYPE html>\n<html{named}><head><meta charset="utf-8"><title>{escape(title)}</title></head>\n'
        f"<body><article>\n<h1>{escape(title)}</h1>\n<div>{content}</div>\n</article></body></html>\n"
    )
