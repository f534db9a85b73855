"""What tags do, as tables by the codes of their names: whether they end a block, hold other elements, hide text.

There is a table for each way of segmentation, an array with a row for each property and a column for each code:

    rules = RULES["block"]
    rules[WHAT, CODES["li"]] & ENDS_BLOCK        not 0: `<li>` ends the block before it
    rules[IMPLIES, CODES["li"]]                  the group of `li`, whose end tags may be left out
    rules[CLOSED_BY, CODES["li"]]                the same group: `<li>` closes an open `li`
    rules[BARRIERS, CODES["ul"]]                 the same group: but not one outside the `ul` that it stands in
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from gristmill.kernel.elements import (
    BLOCKS,
    CELLS,
    CODES,
    CONTAINERS,
    HEADINGS,
    HIDDEN,
    HTML4_BREAKS,
    IMPLIED_ENDS,
    INLINE,
    LIST_ITEMS,
    NAMES,
    PREFORMATTED,
    RAW_TEXT,
    SPACED,
    TABLE_PARTS,
    VOID,
)
from gristmill.kernel.rows import (
    BARRIERS,
    CLOSED_BY,
    ENDS_BLOCK,
    ENDS_BLOCK_TWICE,
    HEADING,
    HIDES_ALWAYS,
    HIDES_OFTEN,
    HOLDS,
    HOLDS_RAW,
    IMPLIES,
    INHERITED,
    IS_BLOCK,
    IS_CELL,
    IS_DATA_CELL,
    IS_HEADING,
    IS_LINE_BREAK,
    IS_LINK,
    IS_PARAGRAPH,
    IS_PREFORMATTED,
    IS_ROW,
    IS_SPACED,
    IS_TABLE_PART,
    KIND,
    LIST_ITEM,
    PARAGRAPH,
    RULE_ROWS,
    STAYS_SHOWN,
    WHAT,
)

Table = npt.NDArray[np.int32]
"""The rules of one way of segmentation: an array of `RULE_ROWS` rows."""

_EDGES = frozenset({"html", "body", "head"})  # every page has them, with or without tags: the tags do nothing
_HIDDEN_WITH_MARKUP = HIDDEN - RAW_TEXT  # raw text is no text for the tokenizer
_EVERYTHING = frozenset(NAMES)
_ENDS = {
    "block": BLOCKS,
    "text-node": _EVERYTHING,
    "non-inline": _EVERYTHING - INLINE,
    "all-but-links": _EVERYTHING - {"a"},
    "container": CONTAINERS,
    "html4": HTML4_BREAKS,
}
_NOT_HOLDING = VOID | _EDGES | RAW_TEXT | {"title"}


def _codes(names: Iterable[str]) -> list[int]:
    return [CODES[name] if name else 0 for name in names]


def _what() -> dict[int, Iterable[str]]:
    """Map bits to the elements that have them, as far as that is the same in all ways of segmentation."""
    return {
        IS_BLOCK: BLOCKS,
        IS_HEADING: HEADINGS,
        IS_CELL: CELLS,
        IS_TABLE_PART: TABLE_PARTS,
        HIDES_ALWAYS: _HIDDEN_WITH_MARKUP - {"noscript"},
        HIDES_OFTEN: ["noscript"],
        STAYS_SHOWN: _NOT_HOLDING,
        IS_SPACED: SPACED | BLOCKS,
        IS_PREFORMATTED: PREFORMATTED,
        HOLDS_RAW: ["xmp", "plaintext"],
        IS_LINE_BREAK: ["br"],
        IS_LINK: ["a"],
        IS_PARAGRAPH: ["p"],
        IS_ROW: ["tr"],
        IS_DATA_CELL: ["td", "th"],
    }


def _rules(ends: frozenset[str]) -> Table:
    """Make the rules by which the tags of these elements end blocks; all block elements are followed, anyway.

    Only where line breaks are not taken for markup of the block, two of them end one.
    """
    table = np.zeros((RULE_ROWS, len(NAMES)), np.int32)
    holding = (ends | BLOCKS | _HIDDEN_WITH_MARKUP) - _NOT_HOLDING
    breaks = [] if ends == CONTAINERS else ["br"]
    for bit, names in {**_what(), ENDS_BLOCK: ends - HIDDEN, ENDS_BLOCK_TWICE: breaks, HOLDS: holding}.items():
        table[WHAT, _codes(names)] |= bit
    groups = list(dict.fromkeys(IMPLIED_ENDS.values()))
    for name, group in IMPLIED_ENDS.items():
        table[IMPLIES, CODES[name]] = 1 << groups.index(group)
    for number, (closed, barrier) in enumerate(groups):
        table[CLOSED_BY, _codes(closed)] |= 1 << number
        table[BARRIERS, _codes(barrier)] |= 1 << number
    table[KIND] = INHERITED
    table[KIND, _codes(BLOCKS - {"div"})] = PARAGRAPH
    table[KIND, _codes(HEADINGS)] = HEADING
    table[KIND, _codes(LIST_ITEMS)] = LIST_ITEM
    return table


RULES = {name: _rules(ends) for name, ends in _ENDS.items()}
"""The rules of each way of segmentation."""
