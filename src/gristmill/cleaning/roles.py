"""Find the role of each block of a page: see `gristmill.roles`.

The loops of `kernel.roles` do it for a page at once; here are the words that they know, made ready, and what is
remembered of names from page to page.
"""

from __future__ import annotations

import functools
import re
from itertools import pairwise

import numpy as np

from gristmill import kernel
from gristmill.cleaning.features import Features
from gristmill.cleaning.role_words import NAMES, PAIRS, STEMS, TEXTS, VOID
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
    SAYS_BYLINE,
    SAYS_COMMENT,
    SAYS_NOTICE,
    SAYS_TEASER,
)
from gristmill.roles import ROLES

_MAX_KNOWN_NAMES = 1 << 16  # that are remembered, so that memory is bounded
_MAX_TITLE = 1000  # characters; longer titles are no headlines
_MIN_STEM = 6  # letters of a word that another one may begin with and mean the same
_AD = re.compile(r"(?<![A-Za-z])ads?\d?(?![A-Za-z\d])|Ads?(?![a-z])")  # not the end of `LRPad`, nor `ad45`
_WITHOUT_COMMENTS = frozenset({"forum"})  # kinds of pages on which what readers wrote is the text
_WITH_OFFERS = frozenset({"listing"})  # kinds of pages whose links to other pages are the text


def roles_of(page: Features, kind: str = "") -> Coded:
    """Return the role of each block, given the kind of the page (see `Document.page_kind`) if it is known."""
    has_comments, has_offers = kind not in _WITHOUT_COMMENTS, kind in _WITH_OFFERS
    found = kernel.find_roles(*numbers_of(page), kernel.read_texts(*texts_of(page)), has_comments, has_offers)
    return Coded(list(ROLES), found)


def numbers_of(page: Features) -> tuple[Int32, Int32, Int32]:
    """Return what the kernel needs to know of blocks, of elements, and of each of the texts of their names."""
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
    return blocks, numbers, np.array(list(map(_NAMES.__getitem__, elements.names.values)), np.int32)


def texts_of(page: Features) -> tuple[bytes, Int32, bytes, Int32, Int32]:
    """Return what the kernel needs to read the texts of blocks: these, the title of the page, and known words."""
    folded, title = page.columns.folded, page.page.metadata.title[:_MAX_TITLE]
    return folded.data, folded.offsets, title.encode("utf-8", "replace"), *_known_words()


class _KnownNames(dict[str, int]):
    """What each text of class and id says, as bits; the pages of a site have the same, so they are remembered."""

    def __missing__(self, names: str) -> int:
        says = 0
        for name in names.split():
            says |= _say(name)
        if len(self) >= _MAX_KNOWN_NAMES:
            self.clear()
        self[names] = says
        return says


@functools.lru_cache(_MAX_KNOWN_NAMES)
def _say(name: str) -> int:
    """Tell what the words of one name say; most names are in many texts of classes."""
    words = kernel.words_of_name(name)
    if not _AD.search(name):
        words = [word for word in words if word not in {"ad", "ads"}]
    if not VOID.isdisjoint(words):
        return 0
    says = 0
    for word in words:
        says |= _WORDS[word] if word in _WORDS else _say_stem(word)
    for first, second in pairwise(words):
        says |= PAIRS.get(f"{first} {second}", 0)
    if says & SAYS_TEASER:
        says &= ~SAYS_COMMENT  # `recent-comments`, of other pages
    return says & ~SAYS_NOTICE if says & SAYS_BYLINE else says  # `byline-social`


@functools.lru_cache(_MAX_KNOWN_NAMES)
def _say_stem(word: str) -> int:
    """Tell what a word says that is not known by what it ends or begins with."""
    if not _ANY_STEM.search(word):  # as is so for nearly all
        return 0
    for stem, says in STEMS.items():
        if word.endswith(stem) or (len(stem) >= _MIN_STEM and word.startswith(stem)):
            return says
    return 0


_ANY_STEM = re.compile("|".join(STEMS))
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
