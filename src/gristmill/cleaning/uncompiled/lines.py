"""Line breaks within blocks: at `<br>`, and in elements such as `<pre>` that show white space as it is written.

Used by `segmentation`, which folds all other white space.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from turbohtml import unescape

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.uncompiled.markup import Markup
from gristmill.cleaning.uncompiled.tree import Tree, among, covered, spans
from gristmill.kernel.elements import BLOCKS, CODES, PREFORMATTED, SPACED

BREAK = "\x1e"
"""Stands for a `<br>` while a block is made: `str.split` takes it for white space, and no decoded page has it."""

_A, _BR = CODES["a"], CODES["br"]
_IS_SPACED = among(SPACED | BLOCKS)
_IS_PREFORMATTED = among(PREFORMATTED)
_IS_RAW = among(frozenset({"xmp", "plaintext"}))


def spaces_by_tags(markup: Markup) -> Ints:
    """Tell for the beginning of the page, and for each tag, whether it separates words.

    Item 0 is the beginning of the page, item n + 1 is tag n. The result is 1 or 0, so that it can be added up.
    """
    spaces = np.zeros(len(markup.codes) + 1, np.intp)
    spaces[1:] = _IS_SPACED[markup.codes]
    links = markup.codes == _A
    touching = links[1:] & links[:-1] & markup.closing[:-1] & (markup.ends[:-1] == markup.starts[1:])
    spaces[2:] |= touching  # two links that touch, as in a menu, are two words
    return spaces


def breaks_before(markup: Markup, hidden: Flags, tags: Ints) -> Flags:
    """Tell for each piece of text whether a visible `<br>` stands between it and the piece before.

    Pieces are given by the number of tags before each. With `<br>` as tags 3 and 7, the pieces [2, 5, 6, 9] have
    [0, 1, 1, 2] of them before, so there is one before the second piece and one before the last.
    """
    breaks = np.flatnonzero(markup.codes == _BR)
    breaks = breaks[~hidden[breaks]]
    if not len(breaks):
        return np.zeros(len(tags), np.bool_)
    number = breaks.searchsorted(tags)
    return np.concatenate(([False], number[1:] > number[:-1]))


def holds_references(markup: Markup, tags: Ints) -> list[bool]:
    """Tell for each piece of text, given by the number of tags before it, whether character references are resolved."""
    if not _IS_RAW[markup.codes].any():
        return [True] * len(tags)
    is_raw = np.concatenate(([False], _IS_RAW[markup.codes] & ~markup.closing))
    wanted: list[bool] = (~is_raw[tags]).tolist()
    return wanted


def preformatted(markup: Markup, tree: Tree, hidden: Flags, before: Ints, behind: Ints) -> Iterator[tuple[int, str]]:
    """Yield the blocks in `<pre>` and the like, by number, with their text as written.

    `before` and `behind` are the tags before and behind each block; -1 is the beginning of the page.
    """
    if not _IS_PREFORMATTED[tree.codes].any():
        return
    inside = covered(*spans(tree, _IS_PREFORMATTED), len(markup.codes))
    inside = np.append(inside, [False])  # the last item answers for tag -1
    wanted = np.flatnonzero(inside[before])
    spaces = spaces_by_tags(markup)
    for block, first, last in zip(wanted.tolist(), before[wanted].tolist(), behind[wanted].tolist(), strict=True):
        yield block, _text_as_written(markup, hidden, spaces, first, last)


def _text_as_written(markup: Markup, hidden: Flags, spaces: Ints, before: int, behind: int) -> str:
    """Return the visible text between two tags with all its white space."""
    data, parts = markup.data, []
    begins = markup.ends[before:behind].tolist()
    ends = np.append(markup.starts[before + 1 : behind + 1], len(data)).tolist()
    codes = markup.codes[before:behind].tolist()
    is_hidden = hidden[before:behind].tolist()
    spaced = spaces[before + 1 : behind + 1].tolist()
    resolved = holds_references(markup, np.arange(before + 1, behind + 1))
    spaced[0] = 0  # the tag before the block separates nothing within it
    for at, (begin, end) in enumerate(zip(begins, ends, strict=False)):
        if spaced[at]:
            parts.append(b"\n" if codes[at] == _BR and not is_hidden[at] else b" ")
        if not is_hidden[at]:
            text = data[begin:end]
            parts.append(unescape(text.decode()).encode() if b"&" in text and resolved[at] else text)
    return b"".join(parts).decode()
