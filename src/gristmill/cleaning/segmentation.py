"""Segmentation of a page into the blocks that a reader sees, such as paragraphs, headings and list items.

`segment` does it for HTML, `segment_text` for plain text; `cleaner` calls them. Nothing is recursive, and time is
linear in the size of the page, whatever the page is.
"""

from __future__ import annotations

import numpy as np

from gristmill.cleaning.markup import Markup, markup_of
from gristmill.cleaning.segmented import Elements, Segmentation, Segmented
from gristmill.cleaning.uncompiled import blocks as uncompiled
from gristmill.cleaning.uncompiled.blocks import clean_text
from gristmill.columns import KINDS, Coded, Columns, Texts
from gristmill.text.words import count_words


def segment(source: str | bytes, segmentation: Segmentation = "block") -> Segmented:
    """Segment the visible text of an HTML page into blocks, in the order of the page.

    Positions of blocks are in characters of the page with Unix line ends, as `decode` returns it: as text, or as the
    bytes of its UTF-8.
    """
    return segment_markup(*markup_of(source), segmentation)


def segment_markup(markup: Markup, length: int, segmentation: Segmentation = "block") -> Segmented:
    """Segment a page whose markup has been found already, given how many characters it has."""
    return uncompiled.segment_markup(markup, length, segmentation)  # type: ignore[arg-type]


def segment_text(source: str) -> Segmented:
    """Segment plain text into blocks, one for each line that is not empty."""
    texts, starts, ends = [], [], []
    start = 0
    for line in source.split("\n"):
        clean = clean_text(line)
        if clean:
            texts.append(clean)
            starts.append(start)
            ends.append(start + len(line))
        start += len(line) + 1
    folded = Texts.of(texts)
    none = np.zeros(len(texts), np.int32)
    words = np.array(list(map(count_words, texts)), np.int32)
    columns = Columns.of(
        folded,
        folded,
        Coded(KINDS, none),
        Coded.same("", len(texts)),
        [np.array(starts, np.int32), np.array(ends, np.int32), words, none, none, none, none],
    )
    nothing = np.zeros(len(texts), np.int64)
    return Segmented(columns, Elements(end=np.full(1, len(texts))), nothing, nothing, length=len(source))
