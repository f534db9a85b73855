"""Find the role of each block of a page: see `gristmill.roles`.

The loops of `kernel.roles` do it for a page at once; here are the words that they know, made ready, and what is
remembered of names from page to page.
"""

from __future__ import annotations

import functools

import numpy as np

from gristmill import kernel
from gristmill.cleaning.features import Features
from gristmill.cleaning.role_words import NAMES, PAIRS, TEXTS, VOID
from gristmill.columns import Coded, Int32
from gristmill.kernel.role_rows import (
    BLOCK_HOLDER,
    BLOCK_KIND,
    BLOCK_LINK_WORDS,
    BLOCK_LINKS,
    BLOCK_PATH,
    BLOCK_ROW,
    BLOCK_ROWS,
    BLOCK_WORDS,
    ELEMENT_CODE,
    ELEMENT_END,
    ELEMENT_FIRST,
    ELEMENT_NAMES,
    ELEMENT_PARENT,
    ELEMENT_ROWS,
)
from gristmill.roles import ROLES

_MAX_KNOWN_NAMES = 1 << 16  # that are remembered, so that memory is bounded
_MAX_TITLE = 1000  # characters; longer titles are no headlines


def roles_of(page: Features, kind: str = "") -> Coded:
    """Return the role of each block, given the kind of the page (see `Document.page_kind`) if it is known."""
    del kind
    columns, elements = page.columns, page.page.elements
    blocks = np.empty((BLOCK_ROWS, len(page)), np.int32)
    blocks[BLOCK_WORDS] = columns.words
    blocks[BLOCK_LINK_WORDS] = columns.link_words
    blocks[BLOCK_LINKS] = columns.links
    blocks[BLOCK_KIND] = columns.kind.codes
    blocks[BLOCK_PATH] = columns.path.codes
    blocks[BLOCK_ROW] = columns.row
    blocks[BLOCK_HOLDER] = page.page.holders
    numbers = np.empty((ELEMENT_ROWS, len(elements.codes)), np.int32)
    numbers[ELEMENT_CODE] = elements.codes
    numbers[ELEMENT_PARENT] = elements.parents
    numbers[ELEMENT_FIRST] = elements.first
    numbers[ELEMENT_END] = elements.end
    numbers[ELEMENT_NAMES] = elements.names.codes
    title = page.page.metadata.title[:_MAX_TITLE].encode("utf-8", "replace")
    names = np.array(list(map(_NAMES.__getitem__, elements.names.values)), np.int32)
    folded = columns.folded
    found = kernel.find_roles(blocks, numbers, names, folded.data, folded.offsets, title, *_known_words())
    return Coded(list(ROLES), found)


class _KnownNames(dict[str, int]):
    """What each text of class and id says, as bits; the pages of a site have the same, so they are remembered."""

    def __missing__(self, names: str) -> int:
        says = 0
        for name in names.split():
            says |= _say(kernel.words_of_name(name))
        if len(self) >= _MAX_KNOWN_NAMES:
            self.clear()
        self[names] = says
        return says


def _say(words: list[str]) -> int:
    """Tell what the words of one name say."""
    if not VOID.isdisjoint(words):
        return 0
    says = 0
    for word in words:
        says |= _WORDS.get(word, 0)
    for pair in zip(words, words[1:], strict=False):
        says |= PAIRS.get(pair, 0)
    return says


_WORDS = {word: says for says, words in NAMES.items() for word in words.split()}
_NAMES = _KnownNames()


@functools.cache
def _known_words() -> tuple[Int32, Int32]:
    """Make the table of the words of texts: as they are in the list, with a capital, and in capitals."""
    words: dict[bytes, int] = {}
    for about, listed in TEXTS.items():
        for word in listed.split():
            for form in {word, word.capitalize(), word.upper()}:
                written = form.encode().lower()
                words[written] = words.get(written, 0) | about
    return kernel.word_table(words)
