"""The attributes of documents, paragraphs and tokens: one table for vertical text, conditions, and the index."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc

from gristmill.document import Block, Document

_YEAR = re.compile(r"[0-9]{4}(?![0-9])")


class Paragraph(NamedTuple):
    """A block of a selected document, with what the document and de-duplication know of it."""

    block: Block
    share: float
    """How much of its text is repeated elsewhere, from 0 to 1."""
    lang: str
    """The document's language, which the block has if its own could not be told."""


def host_of(url: str) -> str:
    """Find the host in an address, in lower case; in that of a file, the name of the folder. Empty if there is none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:  # an address with a broken IPv6 host
        return ""
    return PurePosixPath(url.removeprefix("file:")).parent.name if not host and url.startswith("file:") else host


def year_of(document: Document) -> str:
    """Find the year in which a document was published, or else fetched; empty if neither is known."""
    found = _YEAR.match(document.published) or _YEAR.match(document.date)
    return found[0] if found else ""


PAGE_ATTRIBUTES = ("query", "round", "rank", "feed", "item", "version")
"""What those who fetched a page may say of it: which query found it, or of which feed it is."""


def _given(name: str) -> Callable[[Document], str]:
    return lambda document: document.attributes.get(name, "")


DOC_ATTRIBUTES: dict[str, Callable[[Document], str]] = {
    "id": lambda document: document.id,
    "url": lambda document: document.url,
    "host": lambda document: host_of(document.url),
    "lang": lambda document: document.lang,
    "date": lambda document: document.date,
    "published": lambda document: document.published,
    "year": year_of,
    "title": lambda document: document.title,
    "author": lambda document: document.author,
    "site_name": lambda document: document.site_name,
    "categories": lambda document: "; ".join(document.categories),
    "licence": lambda document: document.licence,
    "source": lambda document: document.source,
    "encoding": lambda document: document.encoding,
    "words": lambda document: str(document.words),
    "page_kind": lambda document: document.page_kind,
    **{name: _given(name) for name in PAGE_ATTRIBUTES},
    "country": lambda document: document.country,
    "badness": lambda document: f"{document.badness:.2f}" if document.badness >= 0 else "",
}
"""What is known of a document, as text."""

P_ATTRIBUTES: dict[str, Callable[[Paragraph], str]] = {
    "kind": lambda paragraph: paragraph.block.kind,
    "bpc": lambda paragraph: paragraph.block.quantile,
    "dup": lambda paragraph: f"{paragraph.share:.2f}",
    "lang": lambda paragraph: paragraph.block.lang or paragraph.lang,
    "role": lambda paragraph: paragraph.block.role,
}
"""What is known of a paragraph.

`bpc`, for boilerplate class, is what the COW corpora, which were made with texrex, call it.
"""

COLUMNS = ("word", "tag", "lemma", "xpos")
"""What every token has, in the order of the columns of vertical text.

A value that is not known is empty, in the index and in exports.
"""
FEATS = "feats"
"""The attribute of tokens for universal features, `Case=Gen|Number=Sing`, which few taggers give.

An index in which no token has any does not have it.
"""
DEPREL = "deprel"
"""The attribute of tokens for the universal relation to the head, `nsubj`, which parsers give.

An index in which no token has any does not have it, and knows no heads.
"""
TOKEN_ATTRIBUTES = (*COLUMNS, FEATS, DEPREL)
"""All that is stored of a token."""

LOWER_CASED = {"lc": "word", "lemma_lc": "lemma"}
"""Attributes of tokens that are others in lower case, under the names that they have in Sketch Engine."""
LEMPOS = "lempos"
"""The attribute of tokens that is the lemma with a letter for its part of speech: `go-v`, `mill-n`."""
DERIVED_ATTRIBUTES = (*LOWER_CASED, LEMPOS)
"""What is made of the stored attributes of a token when somebody asks for it."""

OTHER_LETTER = "x"
LEMPOS_LETTERS = {
    "NOUN": "n",
    "PROPN": "n",
    "VERB": "v",
    "AUX": "v",
    "ADJ": "j",
    "ADV": "a",
    "PRON": "d",
    "ADP": "i",
    "CCONJ": "c",
    "SCONJ": "c",
    "NUM": "m",
}
"""The letters of universal tags, as Sketch Engine's English corpora have them; all other tags have `OTHER_LETTER`."""


def lempos_letter(tag: str) -> str:
    """Give the letter that stands in `lempos` for a universal tag."""
    return LEMPOS_LETTERS.get(tag, OTHER_LETTER)


def lower_cased(values: pa.Array) -> pa.Array:
    """Put texts into lower case, character by character: `ΟΔΟΣ` becomes `οδοσ`, as in Manatee.

    This one definition is used by the index, by exports, and by all that ignores case when it counts.
    """
    return pc.utf8_lower(values)


def lower_cased_texts(texts: Sequence[str]) -> list[str]:
    """Put texts into lower case, as `lower_cased` does."""
    found: list[str] = lower_cased(pa.array(texts, pa.large_string())).to_pylist()
    return found
