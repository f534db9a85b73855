"""Cut a page into blocks: collect the pieces of text between tags, and put those together that no tag separates.

The page `<p>a <b>b</b><i>c</i><br>d<p>e` has five pieces of visible text, and two blocks of them:

    PIECE_START    3, 8, 16, 25, 29     the space behind `a` is part of that piece
    SEPARATOR      NOTHING, NOTHING, NOTHING, LINE_END, BLOCK_END
    FIRST_PIECE    0, 4
    TAGS           5, 0                 `<b>`, `</b>`, `<i>`, `</i>`, `<br>`

What is hidden is left out. A single `<br>` ends a line; a second one with no text between them ends the block.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes
from gristmill.kernel.rows import (
    BLOCK_END,
    BLOCK_ROWS,
    CLOSING,
    CODE,
    ENDS_BLOCK,
    ENDS_BLOCK_TWICE,
    FIRST_PIECE,
    FROM,
    GAP,
    HOLDER,
    HOLDS_RAW,
    IN_LINK,
    IS_LINE_BREAK,
    IS_LINK,
    IS_PREFORMATTED,
    IS_RAW,
    IS_SPACED,
    LINE_END,
    LINKS,
    NAME,
    NOTHING,
    PARENT,
    PIECE_END,
    PIECE_ROWS,
    PIECE_START,
    PREFORMATTED_BLOCK,
    SEPARATOR,
    SPACE,
    START,
    TAG_BEFORE,
    TAG_BEHIND,
    TAGS,
    TAGS_BEFORE,
    TAGS_BEFORE_BLOCK,
    TEXT,
    UP_TO,
    WHAT,
)

_Int32 = npt.NDArray[np.int32]

_TAB = ord("\t")
_CARRIAGE_RETURN = ord("\r")
_SPACE = ord(" ")
ONES = 0x0101010101010101
"""Each byte is 1."""


def find_pieces(data: bytes, tags: _Int32, rules: _Int32, hidden: Bytes) -> _Int32:
    """Find the pieces of visible text that are more than white space."""
    starts, texts, codes, closing = tags[START], tags[TEXT], tags[CODE], tags[CLOSING]
    what = rules[WHAT]
    number, length = codes.shape[0], len(data)
    found = np.empty((PIECE_ROWS, number + 1), np.int32)
    pieces = found
    count = begin = flags = was_link_end = in_link = 0
    separator = NOTHING
    for tag in range(number + 1):
        end = starts[tag] if tag < number else length
        if end > begin and (tag == 0 or not hidden[tag - 1]):
            if _skip_space(data, begin, end) == end:
                separator = max(separator, SPACE)
            else:
                pieces[PIECE_START, count], pieces[PIECE_END, count] = begin, end
                pieces[SEPARATOR, count] = separator if count else NOTHING
                pieces[IN_LINK, count] = in_link
                pieces[IS_RAW, count] = 1 if flags & HOLDS_RAW else 0
                pieces[TAGS_BEFORE, count] = tag
                count += 1
                separator = NOTHING
        if tag == number:
            break
        flags = what[codes[tag]] if codes[tag] >= 0 else 0
        if flags & IS_LINE_BREAK and not hidden[tag]:
            separator = LINE_END
        elif flags & IS_SPACED or (was_link_end and flags & IS_LINK and begin == end):
            separator = max(separator, SPACE)  # two links that touch, as in a menu, are two words
        was_link_end = flags & IS_LINK and closing[tag]
        if flags & IS_LINK:
            in_link = not closing[tag]
        flags = 0 if closing[tag] else flags
        begin = texts[tag]
    return found[:, :count].copy()


def _skip_space(data: bytes, begin: int, end: int) -> int:
    """Return where the first character stands that is no ASCII white space; the end if there is none."""
    while begin < end and (data[begin] == _SPACE or _TAB <= data[begin] <= _CARRIAGE_RETURN):
        begin += 1
    return begin


def cut(data: bytes, tags: _Int32, rules: _Int32, elements: _Int32, tops: _Int32, pieces: _Int32) -> _Int32:
    """Make blocks of the pieces between the tags that end blocks, and fill in the separators before them."""
    codes, closing, what, tags_before = tags[CODE], tags[CLOSING], rules[WHAT], pieces[TAGS_BEFORE]
    number, last = codes.shape[0], tags_before.shape[0]
    found = np.empty((BLOCK_ROWS, last), np.int32)
    blocks = found
    ends = _find_ends(codes, what, tags_before)
    block = before = -1  # the number of the last block; the tag before it
    piece = count = links = count_before = links_before = count_behind = is_open = 0
    for tag in range(number + 1):
        if piece < last and tags_before[piece] == tag:
            if not is_open:
                block += 1
                is_open = 1
                blocks[FIRST_PIECE, block], blocks[TAG_BEFORE, block] = piece, before
                blocks[GAP, block] = count_before - count_behind
            piece += 1
        if ends[tag] and is_open:
            blocks[TAG_BEHIND, block], blocks[TAGS, block] = tag, count - count_before
            blocks[LINKS, block] = links - links_before
            is_open, count_behind = 0, count
        if tag < number and codes[tag] >= 0:
            count += 1
            if what[codes[tag]] & IS_LINK and not closing[tag]:
                links += 1
        if ends[tag]:
            before, count_before, links_before = tag, count, links
    return _described(data, tags, rules, elements, tops, pieces, found[:, : block + 1].copy())


def _find_ends(codes: _Int32, what: _Int32, tags_before: _Int32) -> Bytes:
    """Tell for each tag whether it ends a block, and for the end of the page, which does."""
    number, last = codes.shape[0], tags_before.shape[0]
    ends = np.zeros(number + 1, np.uint8)
    ends[number] = 1
    piece = after_break = 0
    for tag in range(number):
        if piece < last and tags_before[piece] == tag:
            piece += 1
            after_break = 0
        flags = what[codes[tag]] if codes[tag] >= 0 else 0
        if flags & ENDS_BLOCK:
            ends[tag] = 1
            after_break = 0
        elif flags & ENDS_BLOCK_TWICE:
            ends[tag] = after_break
            after_break = 1
    return ends


def _described(
    data: bytes, tags: _Int32, rules: _Int32, elements: _Int32, tops: _Int32, pieces: _Int32, found: _Int32
) -> _Int32:
    """Fill in what follows from the tags around each block: its place in the page, and the element that holds it."""
    blocks, starts = found, tags[START]
    is_written = _find_preformatted(elements, rules[WHAT])
    number = starts.shape[0]
    for block in range(blocks.shape[1]):
        piece, before, behind = blocks[FIRST_PIECE, block], blocks[TAG_BEFORE, block], blocks[TAG_BEHIND, block]
        pieces[SEPARATOR, piece] = BLOCK_END if piece else NOTHING
        blocks[FROM, block] = _skip_space(data, pieces[PIECE_START, piece], pieces[PIECE_END, piece])
        blocks[UP_TO, block] = starts[behind] if behind < number else len(data)
        at = pieces[TAGS_BEFORE, piece]
        blocks[TAGS_BEFORE_BLOCK, block] = at
        blocks[HOLDER, block] = tops[at - 1] if at else 0
        blocks[PREFORMATTED_BLOCK, block] = is_written[tops[before]] if before >= 0 else 0
    return found


def _find_preformatted(elements: _Int32, what: _Int32) -> Bytes:
    """Tell for each element whether white space in it is shown as it is written."""
    names, parents = elements[NAME], elements[PARENT]
    found = np.zeros(names.shape[0], np.uint8)
    for element in range(1, names.shape[0]):
        found[element] = 1 if what[names[element]] & IS_PREFORMATTED else found[parents[element]]
    return found


def to_characters(data: bytes, blocks: _Int32) -> None:
    """Change the places of blocks from bytes to characters.

    In UTF-8 the bytes 128 to 191 continue a character, so there are as many characters as there are other bytes.
    """
    words = memoryview(data)[: len(data) & ~7].cast("Q")  # as numbers of eight bytes
    place = continued = 0
    for block in range(blocks.shape[1]):
        for row in range(FROM, UP_TO + 1):
            end = blocks[row, block]
            continued += _count_continued(data, words, place, end)
            place = end
            blocks[row, block] = end - continued


def _count_continued(data: bytes, words: memoryview, begin: int, end: int) -> int:
    """Count the bytes that continue a character: their highest bit is set, and the one below is not.

    In the middle eight bytes are looked at together. Bits of the kind wanted are brought to the lowest place in each
    byte; the product with `ONES` has their sum in its highest byte.
    """
    count = 0
    while begin < end and begin & 7:
        if data[begin] & 0xC0 == 0x80:
            count += 1
        begin += 1
    while begin + 8 <= end:
        word = words[begin >> 3]
        count += (((word >> 7) & ~(word >> 6) & ONES) * ONES >> 56) & 0xFF
        begin += 8
    while begin < end:
        if data[begin] & 0xC0 == 0x80:
            count += 1
        begin += 1
    return count
