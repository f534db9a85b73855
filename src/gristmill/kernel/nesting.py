"""Follow elements from start tag to end tag, and find which text is hidden.

The tags of `<div><p>a<p hidden>b</div>` have the numbers 0 to 3. The elements are the page, `div`, `p`, `p`:

    PARENT    0, 0, 1, 1        the page is its own parent
    OPENED   -1, 0, 1, 2
    CLOSED    4, 3, 2, 3        the second `<p>` closes the first, `</div>` the second
    tops      1, 2, 3, 0        the innermost open element behind each tag
    hidden    0, 0, 1, 0        the text behind the second `<p>` is

Elements are kept on a stack, as a parser does. End tags that are left out, or stand in the wrong place, are handled as
browsers do in the common cases. Time is linear in the number of tags, whatever they are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes
from gristmill.kernel.rows import (
    BARRIERS,
    CLOSED,
    CLOSED_BY,
    CLOSING,
    CODE,
    ELEMENT_ROWS,
    HIDES,
    HIDES_ALWAYS,
    HIDES_OFTEN,
    HOLDS,
    IMPLIES,
    IS_BLOCK,
    IS_CELL,
    IS_HEADING,
    IS_PARAGRAPH,
    IS_TABLE_PART,
    NAME,
    OPENED,
    PARENT,
    START,
    STAYS_SHOWN,
    TEXT,
    WHAT,
)

_Int32 = npt.NDArray[np.int32]

MAX_LOOK_BACK = 256
"""How many open elements an end tag looks for its start tag in; without limit, time would be quadratic."""
MIN_TEXT = 20
"""Bytes between two tags; less is white space or single words."""
BLANK = 32
"""The code of the space: all bytes up to it are white space or control characters."""


def follow(tags: _Int32, rules: _Int32) -> tuple[_Int32, _Int32]:
    """Follow the elements that hold blocks; return them, and the innermost open element behind each tag."""
    codes, closing, what, implies = tags[CODE], tags[CLOSING], rules[WHAT], rules[IMPLIES]
    number = codes.shape[0]
    elements = np.empty((ELEMENT_ROWS, _count_elements(codes, closing, what)), np.int32)
    behind = np.empty(number, np.int32)
    rows, tops = elements, behind
    names, parents, opened, closed = rows[NAME], rows[PARENT], rows[OPENED], rows[CLOSED]
    stack = np.empty(names.shape[0], np.int32)
    names[0] = parents[0] = stack[0] = element = 0
    opened[0], closed[0] = -1, number
    depth = 1  # of the stack
    for tag in range(number):
        code = codes[tag]
        if code >= 0 and what[code] & HOLDS:
            open_code = names[stack[depth - 1]]
            kept = depth
            if closing[tag]:
                kept = depth - 1 if code == open_code and depth > 1 else _close(stack, names, rules, depth, code)
            else:
                if what[open_code] & IS_PARAGRAPH and what[code] & IS_BLOCK:
                    kept -= 1  # paragraphs hold no blocks
                if implies[code]:
                    kept = _close_implied(stack, names, rules, kept, code)
            while depth > kept:
                depth -= 1
                closed[stack[depth]] = tag
            if not closing[tag]:
                element += 1
                names[element], parents[element] = code, stack[depth - 1]
                opened[element], closed[element] = tag, number
                stack[depth] = element
                depth += 1
        tops[tag] = stack[depth - 1]
    return elements, behind


def _count_elements(codes: _Int32, closing: _Int32, what: _Int32) -> int:
    """Count the elements that hold blocks, the page among them."""
    count = 1
    for tag in range(codes.shape[0]):
        if codes[tag] >= 0 and not closing[tag] and what[codes[tag]] & HOLDS:
            count += 1
    return count


def _close_implied(stack: _Int32, names: _Int32, rules: _Int32, depth: int, code: int) -> int:
    """Return how deep the stack is without the element whose end tag a start tag implies: `<li>` ends the last one."""
    closed_by, barriers, group = rules[CLOSED_BY], rules[BARRIERS], rules[IMPLIES, code]
    last = max(0, depth - MAX_LOOK_BACK)
    for at in range(depth - 1, last, -1):
        open_code = names[stack[at]]
        if barriers[open_code] & group:
            break
        if closed_by[open_code] & group:
            return at
    return depth


def _close(stack: _Int32, names: _Int32, rules: _Int32, depth: int, code: int) -> int:
    """Return how deep the stack is without the element that an end tag closes, and what is open inside it.

    Only tags of a table close something outside the cell they stand in. The end tag of an inline element does not
    close a block. The end tag of a heading closes a heading of any rank.
    """
    what = rules[WHAT]
    flags = what[code]
    beyond = 0  # what the end tag does not look beyond
    if not flags & IS_TABLE_PART:
        beyond |= IS_CELL
    if not flags & (IS_BLOCK | HIDES_ALWAYS | HIDES_OFTEN):
        beyond |= IS_BLOCK
    last = max(0, depth - MAX_LOOK_BACK)
    for at in range(depth - 1, last, -1):
        open_code = names[stack[at]]
        if open_code == code or what[open_code] & flags & IS_HEADING:
            return at
        if what[open_code] & beyond:
            break
    return depth


def hide(data: bytes, tags: _Int32, rules: _Int32, elements: _Int32, tops: _Int32) -> Bytes:
    """Tell for each tag whether the text behind it is hidden: 1 or 0.

    Text in `noscript`, or marked as hidden by an attribute, counts as shown if it is more than all other text, or all
    that there is: then a script would show it.
    """
    number = tops.shape[0]
    hidden = np.zeros(number, np.uint8)
    kinds = np.zeros(elements.shape[1], np.uint8)
    marked = np.zeros(number + 1, np.int32)
    if not _hide_elements(tags, rules, elements, kinds) | _hide_inline(tags, rules, marked):
        return hidden
    flags, depth = hidden, 0
    for tag in range(number):
        depth += marked[tag]
        kind = kinds[tops[tag]]
        flags[tag] = 1 if kind == 0 and depth > 0 else kind
    least = 2 if _is_most(tags, flags) or _is_all(data, tags, flags) else 1
    for tag in range(number):
        flags[tag] = flags[tag] >= least
    return hidden


def _hide_elements(tags: _Int32, rules: _Int32, elements: _Int32, kinds: Bytes) -> int:
    """Fill in for each element whether its text is never shown (2), hidden while it is little (1), or shown (0)."""
    what, hides = rules[WHAT], tags[HIDES]
    names, parents, opened = elements[NAME], elements[PARENT], elements[OPENED]
    found = 0
    for element in range(1, names.shape[0]):
        flags = what[names[element]]
        kind = kinds[parents[element]]
        if flags & HIDES_ALWAYS:
            kind = 2
        elif kind == 0 and (flags & HIDES_OFTEN or hides[opened[element]]):
            kind = 1
        kinds[element] = kind
        found |= kind
    return found


def _hide_inline(tags: _Int32, rules: _Int32, marked: _Int32) -> int:
    """Mark where hidden elements begin that are not followed (with 1), and where they end (with -1).

    They end at their end tag, or else at the next tag of a block. `below` links the open tags of each name.
    """
    codes, closing, hides, what = tags[CODE], tags[CLOSING], tags[HIDES], rules[WHAT]
    number = codes.shape[0]
    if not _hides_inline(codes, closing, hides, what):
        return 0
    below, last = np.empty(number, np.int32), np.full(what.shape[0], -1, np.int32)
    for tag in range(number):
        code = codes[tag]
        if code >= 0 and not closing[tag]:
            below[tag], last[code] = last[code], tag
        elif code >= 0 and last[code] >= 0:
            start = last[code]
            last[code] = below[start]
            below[start] = -2
            _mark(codes, hides, what, marked, start, tag)
    end = number
    for tag in range(number - 1, -1, -1):
        if codes[tag] >= 0 and what[codes[tag]] & IS_BLOCK:
            end = tag
        if codes[tag] >= 0 and not closing[tag] and below[tag] != -2:
            _mark(codes, hides, what, marked, tag, end)
    return 1


def _hides_inline(codes: _Int32, closing: _Int32, hides: _Int32, what: _Int32) -> bool:
    """Tell whether an attribute hides an element that is not followed."""
    for tag in range(codes.shape[0]):
        if hides[tag] and codes[tag] >= 0 and not closing[tag] and not what[codes[tag]] & (HOLDS | STAYS_SHOWN):
            return True
    return False


def _mark(codes: _Int32, hides: _Int32, what: _Int32, marked: _Int32, start: int, end: int) -> None:
    """Mark where an element begins and ends, if it is hidden and not followed."""
    if hides[start] and not what[codes[start]] & (HOLDS | STAYS_SHOWN):
        marked[start] += 1
        marked[end] -= 1


def _is_most(tags: _Int32, flags: Bytes) -> bool:
    """Tell whether the text with the flag 1 is more than that with 0; text behind the last tag is not counted."""
    starts, texts = tags[START], tags[TEXT]
    shown = hidden = 0
    for tag in range(flags.shape[0] - 1):
        length = starts[tag + 1] - texts[tag]
        if length >= MIN_TEXT and flags[tag] == 0:
            shown += length
        elif length >= MIN_TEXT and flags[tag] == 1:
            hidden += length
    return hidden > shown


def _is_all(data: bytes, tags: _Int32, flags: Bytes) -> bool:
    """Tell whether there is text with the flag 1, be it ever so short, and none with 0."""
    starts, texts, number = tags[START], tags[TEXT], flags.shape[0]
    found = False
    for place in range(number + 1):  # before the first tag, and behind each
        at = texts[place - 1] if place else 0
        end = starts[place] if place < number else len(data)
        flag = flags[place - 1] if place else 0
        while at < end and data[at] <= BLANK:
            at += 1
        if at < end and flag == 0:
            return False
        if at < end and flag == 1:
            found = True
    return found
