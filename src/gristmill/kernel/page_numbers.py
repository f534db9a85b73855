"""Measure a page as a whole, for its kind: how its words lie in blocks, and what its elements repeat.

    <ul><li><h3>Mills</h3><p>They all grind.<li><h3>Wind</h3><p>It blows on them.<li>...

has one group of items: elements of the same name that follow each other in the same element, each with some blocks.
Posts of a forum are such items, and so are the offers of a shop; the paragraphs of an article are not, as each of them
is one block. Two groups are described: that with most words, of which no item counts with more than a few, and that
with most items. `kind_columns` names what is measured, and `cleaning.page_kind` uses it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Matrix
from gristmill.kernel.kind_columns import (
    BLOCK_ROWS,
    BLOCKS_OF_PAGE,
    CELLS,
    CODE,
    COUNTED,
    DIGITS,
    ELEMENT_ROWS,
    END,
    FIRST,
    GROUP,
    GROUP_ROWS,
    HEADING,
    HEADING_SHARE,
    HEADINGS,
    ITEM_BLOCKS,
    ITEM_LINKS,
    ITEM_LONG,
    ITEM_WORDS,
    ITEMS,
    KIND,
    LARGEST,
    LINK_BLOCKS,
    LINK_DENSITY,
    LINK_PATH_BLOCKS,
    LINK_PATH_SHARE,
    LINK_WORDS,
    LIST_ITEM,
    LIST_ITEMS,
    LONG_BLOCKS,
    LONG_PATH_BLOCKS,
    LONG_PATH_SHARE,
    LONG_SHARE,
    LONG_WORDS,
    LONGEST,
    MAX_GAP,
    MAX_ITEM_WORDS,
    MAX_PRICE_WORDS,
    MAX_SHORT_WORDS,
    MAX_WORD_BYTES,
    MIN_DIGITS,
    MIN_ITEM_BLOCKS,
    MIN_ITEM_WORDS,
    MIN_ITEMS,
    MIN_LONG_WORDS,
    MIN_TEASER_WORDS,
    NAME,
    PARENT,
    PATH,
    PATHS,
    PRICES,
    ROW,
    RUN_BEFORE,
    RUN_LONG_BLOCKS,
    RUN_SHARE,
    SENTENCES,
    SHORT_BLOCKS,
    SIZE,
    SUM_LINKS,
    SUM_LONG,
    SUM_ROWS,
    SUM_WORDS,
    TEASERS,
    WORDS,
    WORDS_OF_PAGE,
)

_Int32 = npt.NDArray[np.int32]

_ZERO = ord("0")
_NINE = ord("9")
_DOLLAR = ord("$")
_STOP = ord(".")
_EXCLAMATION = ord("!")
_QUESTION = ord("?")
# In UTF-8, £ is C2 A3 and ¥ is C2 A5; the currency signs from U+20A0 on begin with E2 82; 。 is E3 80 82.
_LATIN = 0xC2
_POUND = 0xA3
_YEN = 0xA5
_SYMBOLS = 0xE2
_CURRENCIES = 0x82
_FIRST_CURRENCY = 0xA0
_IDEOGRAPHIC = 0xE3
_IDEOGRAPHIC_STOP = 0x82
_HAS_SIGN = 0x100000


def measure_page(numbers: Matrix, data: bytes, offsets: _Int32, blocks: _Int32, elements: _Int32) -> None:
    """Write the numbers that `kind_columns` names; text n is `data[offsets[n]:offsets[n + 1]]`."""
    size = blocks.shape[1]
    if (
        numbers.shape[0] < SIZE
        or blocks.shape[0] != BLOCK_ROWS
        or elements.shape[0] != ELEMENT_ROWS
        or offsets.shape[0] != size + 1
        or not elements.shape[1]
    ):
        raise ValueError("the numbers of blocks and elements do not fit together")
    sums = np.zeros((SUM_ROWS, size + 1), np.int32)
    measure_blocks(data, offsets, blocks, numbers, sums)
    measure_runs(blocks, numbers, sums)
    measure_paths(blocks, numbers, sums)
    measure_groups(elements, numbers, sums)


def count_names(numbers: Matrix, codes: _Int32, places: list[tuple[int, ...]]) -> None:
    """Add 1 for each element, at all places of its name: those of name n are `places[n]`."""
    size = len(places)
    counts = np.zeros(size, np.int32)
    for element in range(codes.shape[0]):
        counts[codes[element]] += 1
    for name in range(size):
        for place in places[name]:
            numbers[place] += counts[name]


def measure_blocks(data: bytes, offsets: _Int32, blocks: _Int32, numbers: Matrix, sums: _Int32) -> None:
    """Measure the blocks one by one, and add up words, words in links, and long blocks."""
    size = blocks.shape[1]
    words = links = longest = long_words = long_blocks = headings = items = cells = link_blocks = teasers = short = 0
    sentences = prices = digits = 0
    for at in range(size):
        own = blocks[WORDS, at]
        begin, end = offsets[at], offsets[at + 1]
        words += own
        links += blocks[LINK_WORDS, at]
        if is_long(own, blocks[LINK_WORDS, at]):
            long_blocks += 1
            long_words += own
            longest = max(longest, own)
        elif blocks[LINK_WORDS, at] * 2 > own:
            link_blocks += 1
            teasers += own >= MIN_TEASER_WORDS
        if own <= MAX_PRICE_WORDS:
            short += own <= MAX_SHORT_WORDS
            seen = look_for_price(data, begin, min(end, begin + (own + 1) * MAX_WORD_BYTES))
            prices += seen > _HAS_SIGN
            digits += seen % _HAS_SIGN >= MIN_DIGITS
        headings += blocks[KIND, at] == HEADING
        items += blocks[KIND, at] == LIST_ITEM
        cells += blocks[ROW, at] > 0
        sentences += end > begin and ends_sentence(data, end - 1)
        sums[SUM_WORDS, at + 1] = words
        sums[SUM_LINKS, at + 1] = links
        sums[SUM_LONG, at + 1] = long_blocks
    numbers[WORDS_OF_PAGE] = words
    numbers[BLOCKS_OF_PAGE] = size
    numbers[LINK_DENSITY] = share(links, words)
    numbers[LONG_BLOCKS] = long_blocks
    numbers[LONG_SHARE] = share(long_words, words)
    numbers[LONGEST] = longest
    numbers[LONG_WORDS] = share(long_words, long_blocks)
    numbers[HEADING_SHARE] = share(headings, size)
    numbers[HEADINGS] = headings
    numbers[LIST_ITEMS] = share(items, size)
    numbers[CELLS] = share(cells, size)
    numbers[LINK_BLOCKS] = share(link_blocks, size)
    numbers[TEASERS] = teasers
    numbers[SHORT_BLOCKS] = share(short, size)
    numbers[SENTENCES] = share(sentences, size)
    numbers[PRICES] = prices
    numbers[DIGITS] = share(digits, size)


def is_long(words: int, links: int) -> bool:
    """Tell whether a block is probably running text."""
    return words >= MIN_LONG_WORDS and links * 10 < words * 3


def share(part: float, whole: float) -> float:
    """Return which share of the whole a part is; 0 if there is no whole."""
    return part / whole if whole else 0.0


def look_for_price(data: bytes, begin: int, end: int) -> int:
    """Count the digits of a text, and add `_HAS_SIGN` if it has the sign of a currency."""
    digits = sign = 0
    for at in range(begin, end):
        byte = data[at]
        if _ZERO <= byte <= _NINE:
            digits += 1
        elif byte == _DOLLAR:
            sign = _HAS_SIGN
        elif byte == _LATIN and at + 1 < end:
            if data[at + 1] in (_POUND, _YEN):
                sign = _HAS_SIGN
        elif byte == _SYMBOLS and at + 2 < end and data[at + 1] == _CURRENCIES and data[at + 2] >= _FIRST_CURRENCY:
            sign = _HAS_SIGN
    return digits + sign


def ends_sentence(data: bytes, last: int) -> bool:
    """Tell whether a sentence ends with this byte."""
    byte = data[last]
    if byte in (_STOP, _EXCLAMATION, _QUESTION):
        return True
    return byte == _IDEOGRAPHIC_STOP and last > 1 and data[last - 2] == _IDEOGRAPHIC


def measure_runs(blocks: _Int32, numbers: Matrix, sums: _Int32) -> None:
    """Find the run of long blocks with most words; a few other blocks may stand between two of them."""
    size = blocks.shape[1]
    start = last = -1
    best = best_start = best_end = 0
    for at in range(size):
        if is_long(blocks[WORDS, at], blocks[LINK_WORDS, at]):
            if start < 0 or at - last > MAX_GAP + 1:
                start = at
            last = at
            words = sums[SUM_WORDS, at + 1] - sums[SUM_WORDS, start]
            if words > best:
                best, best_start, best_end = words, start, at + 1
    numbers[RUN_SHARE] = share(best, sums[SUM_WORDS, size])
    numbers[RUN_LONG_BLOCKS] = sums[SUM_LONG, best_end] - sums[SUM_LONG, best_start]
    numbers[RUN_BEFORE] = share(best_start, size)


def measure_paths(blocks: _Int32, numbers: Matrix, sums: _Int32) -> None:
    """Find the path under which most words of long blocks stand, and that under which most words of links do."""
    size = blocks.shape[1]
    paths = 0
    for at in range(size):
        paths = max(paths, blocks[PATH, at] + 1)
    totals = np.zeros((4, paths), np.int32)
    for at in range(size):
        path = blocks[PATH, at]
        if is_long(blocks[WORDS, at], blocks[LINK_WORDS, at]):
            totals[0, path] += blocks[WORDS, at]
            totals[1, path] += 1
        totals[2, path] += blocks[LINK_WORDS, at]
        totals[3, path] += blocks[LINK_WORDS, at] > 0
    text = links = long_words = 0
    for path in range(paths):
        long_words += totals[0, path]
        if totals[0, path] > totals[0, text]:
            text = path
        if totals[2, path] > totals[2, links]:
            links = path
    numbers[PATHS] = paths
    if paths:
        numbers[LONG_PATH_SHARE] = share(totals[0, text], long_words)
        numbers[LONG_PATH_BLOCKS] = totals[1, text]
        numbers[LINK_PATH_SHARE] = share(totals[2, links], sums[SUM_LINKS, size])
        numbers[LINK_PATH_BLOCKS] = totals[3, links]


def measure_groups(elements: _Int32, numbers: Matrix, sums: _Int32) -> None:
    """Find the groups of items. Elements come in the order of the page, so the items of an element do, too."""
    number = elements.shape[1]
    size = sums.shape[1] - 1
    groups = np.zeros((GROUP_ROWS, number), np.int32)
    best = np.zeros((2, GROUP_ROWS), np.int32)
    for element in range(1, number):
        first, end, parent = elements[FIRST, element], elements[END, element], elements[PARENT, element]
        if end - first < MIN_ITEM_BLOCKS or end > size:
            continue
        words = sums[SUM_WORDS, end] - sums[SUM_WORDS, first]
        if words < MIN_ITEM_WORDS:
            continue
        if groups[NAME, parent] != elements[CODE, element]:
            keep_better(groups, parent, best)
            for row in range(GROUP_ROWS):
                groups[row, parent] = 0
            groups[NAME, parent] = elements[CODE, element]
        groups[ITEMS, parent] += 1
        groups[COUNTED, parent] += min(words, MAX_ITEM_WORDS)
        groups[ITEM_WORDS, parent] += words
        groups[ITEM_LINKS, parent] += sums[SUM_LINKS, end] - sums[SUM_LINKS, first]
        groups[ITEM_LONG, parent] += sums[SUM_LONG, end] - sums[SUM_LONG, first]
        groups[ITEM_BLOCKS, parent] += end - first
    for element in range(number):
        keep_better(groups, element, best)
    describe_group(best, 0, numbers, GROUP, sums[SUM_WORDS, size])
    describe_group(best, 1, numbers, LARGEST, sums[SUM_WORDS, size])


def keep_better(groups: _Int32, element: int, best: _Int32) -> None:
    """Take the group of an element for the best one, if it has more words, or more items."""
    if groups[ITEMS, element] < MIN_ITEMS:
        return
    if groups[COUNTED, element] > best[0, COUNTED]:
        for row in range(GROUP_ROWS):
            best[0, row] = groups[row, element]
    if groups[ITEMS, element] > best[1, ITEMS]:
        for row in range(GROUP_ROWS):
            best[1, row] = groups[row, element]


def describe_group(best: _Int32, which: int, numbers: Matrix, place: int, words: int) -> None:
    """Write the numbers of a group: items, share of the words, and means of its items."""
    items = best[which, ITEMS]
    numbers[place] = items
    numbers[place + 1] = share(best[which, ITEM_WORDS], words)
    numbers[place + 2] = share(best[which, ITEM_WORDS], items)
    numbers[place + 3] = share(best[which, ITEM_LINKS], best[which, ITEM_WORDS])
    numbers[place + 4] = share(best[which, ITEM_LONG], items)
    numbers[place + 5] = share(best[which, ITEM_BLOCKS], items)
