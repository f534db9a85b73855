"""Titles and paragraphs of the main region, told apart by their words (BOEMIE, section 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints

MAX_TITLE_WORDS = 5
"""(a) A text of up to so many words is a title."""
MAX_SHORT_WORDS = 20
"""(b) One of more than so many is a paragraph; (c) one in between, if it ends with a dot."""
_DOTS = (".", "。", "．", "।")  # the paper has Latin script only


def are_titles(texts: Sequence[str], words: Ints) -> Flags:
    """Tell which leaves are titles; the others are paragraphs.

    Of 3 words, of 12 words without a dot, of 12 with a dot, and of 30: title, title, paragraph, paragraph.
    """
    ends = np.fromiter((text.rstrip().endswith(_DOTS) for text in texts), np.bool_, len(texts))
    found: Flags = (words <= MAX_TITLE_WORDS) | ((words <= MAX_SHORT_WORDS) & ~ends)
    return found
