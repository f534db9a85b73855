"""The lines of blocks where a page shows them: at `<br>`, and in text whose white space is shown as it is written, such as `<pre>`."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from turbohtml import unescape

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.cleaning.elements import CODES, PREFORMATTED, SPACED
from gristmill.cleaning.markup import Markup
from gristmill.cleaning.tree import Tree, among, covered, spans
from gristmill.text.composition import compose

BREAK = "\x1e"
"""Stands for a `<br>` while a block is made: white space to `str.split`, and `decode` leaves none in a page."""

_A, _BR = CODES["a"], CODES["br"]
_IS_SPACED = among(SPACED)
_IS_PREFORMATTED = among(PREFORMATTED)
_OTHER_SPACE = re.compile(r"[^\S\t\n ]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\ufeff]")
_BLANK_LINES = re.compile(r"(?:[\t ]*+\n)*+")


def spaces_by_tags(markup: Markup) -> Ints:
    """For each place behind a tag, and for the beginning of the page, whether text there does not touch the text before the tag."""
    spaces = np.zeros(len(markup.codes) + 1, np.intp)
    spaces[1:] = _IS_SPACED[markup.codes]
    links = markup.codes == _A
    touching = links[1:] & links[:-1] & markup.closing[:-1] & (markup.ends[:-1] == markup.starts[1:])
    spaces[2:] |= touching  # two links that touch are two things
    return spaces


def breaks_before(markup: Markup, hidden: Flags, tags: Ints) -> Flags:
    """For each piece of text, given by the number of tags before it, whether a `<br>` stands between it and the piece before."""
    breaks = np.flatnonzero(markup.codes == _BR)
    breaks = breaks[~hidden[breaks]]
    if not len(breaks):
        return np.zeros(len(tags), np.bool_)
    number = breaks.searchsorted(tags)
    return np.concatenate(([False], number[1:] > number[:-1]))


def preformatted(markup: Markup, tree: Tree, hidden: Flags, before: Ints, behind: Ints) -> Iterator[tuple[int, str]]:
    """The blocks whose white space is shown as it is written, and their text so, given the tags before and behind each block."""
    if not _IS_PREFORMATTED[tree.codes].any():
        return
    inside = np.append(
        covered(*spans(tree, _IS_PREFORMATTED), len(markup.codes)), [False]
    )  # the last is that of the tag -1
    wanted = np.flatnonzero(inside[before])
    spaces = spaces_by_tags(markup)
    for block, first, last in zip(wanted.tolist(), before[wanted].tolist(), behind[wanted].tolist(), strict=True):
        yield block, _between(markup, hidden, spaces, first, last)


def _between(markup: Markup, hidden: Flags, spaces: Ints, before: int, behind: int) -> str:
    """The text between two tags with all its white space."""
    data, parts = markup.data, []
    begins, ends = (
        markup.ends[before:behind].tolist(),
        np.append(markup.starts[before + 1 : behind + 1], len(data)).tolist(),
    )
    codes, unseen, spaced = (
        markup.codes[before:behind].tolist(),
        hidden[before:behind].tolist(),
        spaces[before + 1 : behind + 1].tolist(),
    )
    spaced[0] = 0  # the tag before the block
    for at, (begin, end) in enumerate(zip(begins, ends, strict=False)):
        if spaced[at]:
            parts.append(b"\n" if codes[at] == _BR and not unseen[at] else b" ")
        if not unseen[at]:
            parts.append(data[begin:end])
    text = b"".join(parts).decode()
    return unescape(text) if "&" in text else text


def as_written(text: str, *, unusual: bool) -> str:
    """Text with its lines and their indents, without blank lines around it: any white space but tabs and line ends is a space.

    In an unusual page character references may have brought in control characters and decomposed letters.
    """
    text = _OTHER_SPACE.sub(" ", text)
    if unusual:
        text = compose(_CONTROLS.sub("", text))
    blank = _BLANK_LINES.match(text)
    text = text[blank.end() if blank else 0 :].rstrip()
    return text if "\n" in text else text.lstrip()
