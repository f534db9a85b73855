"""A document for each item of a page, and one for the rest of it: every block of the page is in exactly one of them."""

from __future__ import annotations

import copy
from collections import Counter

import numpy as np

from gristmill.cleaning.items.splitting import Items
from gristmill.cleaning.languages import Languages
from gristmill.document import Document

REASON = "items"
"""The reason for which the rest of a page is dropped."""
NUMBER, TOTAL = "page_item", "page_items"
"""Attributes of the documents of items: which item of its page it is, from 1, and how many there are."""


def cut(document: Document, items: Items, languages: Languages) -> list[Document]:
    """Make a document of each item, and one of the rest of the page, which is dropped with the reason `items`.

    The address of an item is that of the page with a fragment, `#item-2`. An item has its own title, language and
    counts; what else is known of the page is known of its items. The rest comes first, with the address of the page.
    """
    made = [_rest(document, items)]
    for number, item in enumerate(items.items, 1):
        own = _part(document, item.places)
        own.url = f"{document.url.partition('#')[0]}#item-{number}"
        own.title = own.headline = item.title
        own.attributes = {**document.attributes, NUMBER: str(number), TOTAL: str(len(items.items))}
        own.links, own.alternates = [], []  # which item has which is not known; the rest has those of the page
        own.measure(document.max_boilerplate)
        languages.label_kept(own)
        made.append(own)
    return made


def _rest(document: Document, items: Items) -> Document:
    rest = _part(document, items.rest)
    counts = ", ".join(f"{count:,} {reason}" for reason, count in sorted(Counter(items.reasons).items()))
    rest.dropped = REASON
    rest.detail = f"cut into {len(items.items):,} items; blocks in none of them: {counts or 'none'}"
    rest.measure(document.max_boilerplate)
    return rest


def _part(document: Document, places: tuple[int, ...]) -> Document:
    """Copy a document with some of its blocks."""
    part = copy.copy(document)
    part.columns = document.as_columns().take(np.array(places, np.int64))
    part.metadata_from = dict(document.metadata_from)
    return part
