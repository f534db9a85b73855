"""Fill the table of features of the method `mill`: a row for each name in `mill_columns`, a column for each block.

`<h1>Mills</h1><p>They grind.<p>Slowly.` has three blocks, in the elements body, h1, p, p. From these numbers

    blocks      WORDS [1, 2, 1], HOLDER [1, 2, 3], PATH [0, 1, 1] ...
    elements    PARENT [0, 0, 0, 0], FIRST [0, 0, 1, 2], END [3, 1, 2, 3] ...

come rows such as `own.log_words` [0.69, 1.10, 0.69] and `path.log_words` [0.69, 1.39, 1.39], that of both paragraphs.

What an element holds is a difference of two sums from the beginning of the page: of the words, these are [0, 1, 3, 4],
so the first paragraph has 3 - 1. Elements come before those inside them, so that one pass carries down what is above.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Matrix
from gristmill.kernel.elements import CODES
from gristmill.kernel.mill_columns import (
    AROUND,
    AROUND_FLAGS,
    AROUND_NUMBER,
    CODE,
    END,
    FIRST,
    HEADING,
    HOLDER,
    HOLDER_FLAGS,
    HOLDER_NUMBER,
    HOLDERS,
    IS_BY_NAME,
    IS_IN_TITLE,
    IS_INSIDE,
    IS_LINKS,
    IS_PLAIN,
    IS_REPEATED,
    IS_TEXT,
    KIND,
    LAST5_ENDS_SENTENCE,
    LAST5_IS_LONG,
    LAST5_LINK_DENSITY,
    LAST5_LOG_WORDS,
    LEVEL_LINK_DENSITY,
    LEVEL_LOG_BLOCKS,
    LEVEL_LOG_MEAN_WORDS,
    LEVEL_LOG_STOPS,
    LEVEL_LOG_WORDS,
    LEVEL_LONG_DENSITY,
    LEVEL_NAMES,
    LEVEL_SCORE,
    LEVEL_SHARE_OF_LONG,
    LEVEL_SHARE_OF_WORDS,
    LEVEL_STEP,
    LEVELS,
    LINK_WORDS,
    LINKS,
    LIST_ITEM,
    MAIN_LINK_DENSITY,
    MAIN_LOG_BLOCKS_BEFORE,
    MAIN_LOG_BLOCKS_BEHIND,
    MAIN_SHARE_OF_WORDS,
    MAX_LONG_LINK_DENSITY,
    MIN_LONG_WORDS,
    MIN_TITLE_CHARACTERS,
    NAMED_LOG_MEAN_WORDS,
    NAMED_STEP,
    NAMES,
    NAMES_LEAST,
    NAMES_MOST,
    NAMES_SUM,
    NEAR_LEVELS,
    NEIGHBOUR_ENDS_SENTENCE,
    NEIGHBOUR_EXISTS,
    NEIGHBOUR_IS_HEADING,
    NEIGHBOUR_LINK_DENSITY,
    NEIGHBOUR_LOG_WORDS,
    NEIGHBOUR_MEAN_WORDS,
    NEIGHBOUR_STEP,
    NEIGHBOURS_PER_SIDE,
    NEXT_STEP,
    NO_SUCH_BLOCK,
    OWN_BEGINS_WITH_CAPITAL,
    OWN_BEGINS_WITH_DIGIT,
    OWN_CAPITALS,
    OWN_COMMAS,
    OWN_DIGITS,
    OWN_ENDS_SENTENCE,
    OWN_ENDS_WITH_COLON,
    OWN_HAS_AT,
    OWN_HAS_COPYRIGHT,
    OWN_IS_HEADING,
    OWN_IS_IN_TITLE,
    OWN_IS_LIST_ITEM,
    OWN_IS_REPEATED,
    OWN_LINK_DENSITY,
    OWN_LINKS_PER_WORD,
    OWN_LOG_CHARACTERS,
    OWN_LOG_COMMAS,
    OWN_LOG_DIGITS,
    OWN_LOG_LINKS,
    OWN_LOG_STOPS,
    OWN_LOG_TAGS,
    OWN_LOG_TAGS_BEFORE,
    OWN_LOG_WORDS,
    OWN_OTHERS,
    OWN_SENTENCE_LENGTH,
    OWN_SEPARATORS,
    OWN_STOPS,
    OWN_TAGS_PER_WORD,
    OWN_WORD_LENGTH,
    PAGE_HAS_MAIN,
    PAGE_HEADINGS,
    PAGE_LINK_DENSITY,
    PAGE_LIST_ITEMS,
    PAGE_LOG_ARTICLES,
    PAGE_LOG_BLOCKS,
    PAGE_LOG_LENGTH,
    PAGE_LOG_LONG_BLOCKS,
    PAGE_LOG_WORDS,
    PAGE_LONG_DENSITY,
    PAGE_STOPS_PER_WORD,
    PARENT,
    PATH,
    PATH_LINK_DENSITY,
    PATH_LOG_BLOCKS,
    PATH_LOG_MEAN_WORDS,
    PATH_LOG_WORDS,
    PATH_LONG_DENSITY,
    PATH_SHARE_OF_WORDS,
    POSITION_DEPTH,
    POSITION_LOG_BLOCKS_BEFORE,
    POSITION_LOG_BLOCKS_BEHIND,
    POSITION_LOG_TO_HEADING_BEFORE,
    POSITION_LOG_TO_HEADING_BEHIND,
    POSITION_LOG_TO_LONG_BEFORE,
    POSITION_LOG_TO_LONG_BEHIND,
    POSITION_SAME_HOLDER_BEFORE,
    POSITION_SAME_HOLDER_BEHIND,
    POSITION_SAME_PARENT_BEFORE,
    POSITION_SAME_PARENT_BEHIND,
    POSITION_SHARE_OF_BLOCKS,
    POSITION_SHARE_OF_LONG_BEFORE,
    POSITION_SHARE_OF_LONG_BEHIND,
    POSITION_SHARE_OF_WORDS,
    SCORED_LEVELS,
    SUM_HEADINGS,
    SUM_ITEMS,
    SUM_LINKS,
    SUM_LONG,
    SUM_LONG_WORDS,
    SUM_MASS,
    SUM_ROWS,
    SUM_STOPS,
    SUM_WORDS,
    TAGS,
    TAGS_BEFORE,
    WIDER_STEP,
    WINDOWS,
    WORDS,
)
from gristmill.kernel.rows import (
    CAPITALS,
    COMMAS,
    DIGITS,
    ENDS_WITH_COLON,
    FIRST_KIND,
    HAS_AT,
    HAS_COPYRIGHT,
    HASH_BITS,
    HASH_PRIME,
    LAST_KIND,
    LENGTH,
    OTHERS,
    SEPARATORS,
    STOPS,
)

Counts = npt.NDArray[np.int32]
"""Numbers of the blocks or elements of a page, with a row for each property."""

MAIN_CODE = CODES["main"]
ARTICLE_CODE = CODES["article"]
BODY_CODE = CODES["body"]
MIN_SIGNS = 256
"""How many signs of texts there are at least: see `_sign`."""
SIGN_BYTES = 8
PAIRS = 1024
"""How many numbers of pairs of bytes there are."""
LOGS = np.log1p(np.arange(4096, dtype=np.float64))
"""The logarithms of small numbers plus 1; nearly all that are asked for."""


def _places(tags: Sequence[str]) -> Counts:
    """Return for each code of an element the place of its name among these, or -1."""
    places = np.full(max(CODES.values()) + 1, -1, np.int32)
    for place, tag in enumerate(tags):
        places[CODES[tag]] = place
    return places


HOLDER_PLACES = _places(HOLDERS)
AROUND_PLACES = _places(AROUND)
WIDTHS = np.array(WINDOWS, np.int32)
WINDOWS_NUMBER = len(WINDOWS)


def describe(table: Matrix, blocks: Counts, measures: Counts, elements: Counts, length: int) -> None:
    """Fill all rows of a table but those of names, which `describe_names` fills; the table must have a column a block.

    `blocks` and `elements` have the rows that `mill_columns` names, `measures` those of `rows`. `length` is that of the
    page.
    """
    page = Page(table, blocks, measures, elements)
    page.own()
    page.add_up()
    page.holders()
    page.levels()
    page.group(blocks[PATH], 0)
    page.group(page.named(), NAMED_STEP)
    page.main()
    page.positions()
    page.neighbours()
    page.windows()
    page.whole(length)


def _log(number: int) -> float:
    """Return the logarithm of 1 + a number."""
    if number < LOGS.shape[0]:
        return float(LOGS[number])
    return log1p(number)


def _share(part: float, whole: float) -> float:
    """Divide; between two integers, compiled code would leave out the fraction."""
    return part / whole


class Page:
    """The numbers of a page, and the table that is filled with its features."""

    def __init__(self, table: Matrix, blocks: Counts, measures: Counts, elements: Counts) -> None:
        self.table = table
        self.blocks = blocks
        self.measures = measures
        self.elements = elements
        self.size = blocks.shape[1]
        self.number = elements.shape[1]
        self.sums = np.zeros((SUM_ROWS, self.size + 1), np.int64)

    def own(self) -> None:
        """Describe each block by itself."""
        table, blocks, measures = self.table, self.blocks, self.measures
        for at in range(self.size):
            words = max(blocks[WORDS, at], 1)
            length = max(measures[LENGTH, at], 1)
            stops, commas, digits = measures[STOPS, at], measures[COMMAS, at], measures[DIGITS, at]
            table[OWN_LOG_WORDS, at] = _log(words)
            table[OWN_LINK_DENSITY, at] = min(1.0, _share(blocks[LINK_WORDS, at], words))
            table[OWN_ENDS_SENTENCE, at] = measures[LAST_KIND, at] == STOPS
            table[OWN_LOG_CHARACTERS, at] = _log(length)
            table[OWN_LOG_LINKS, at] = _log(blocks[LINKS, at])
            table[OWN_LOG_TAGS, at] = _log(blocks[TAGS, at])
            table[OWN_LOG_TAGS_BEFORE, at] = _log(blocks[TAGS_BEFORE, at])
            table[OWN_LOG_STOPS, at] = _log(stops)
            table[OWN_LOG_COMMAS, at] = _log(commas)
            table[OWN_LOG_DIGITS, at] = _log(digits)
            table[OWN_WORD_LENGTH, at] = min(_share(length, words) / 10, 3.0)
            table[OWN_TAGS_PER_WORD, at] = min(_share(blocks[TAGS, at], words), 3.0)
            table[OWN_SENTENCE_LENGTH, at] = min(_share(words, stops + 1) / 20, 3.0)
            table[OWN_LINKS_PER_WORD, at] = min(_share(blocks[LINKS, at], words), 3.0)
            table[OWN_CAPITALS, at] = _share(measures[CAPITALS, at], length)
            table[OWN_DIGITS, at] = _share(digits, length)
            table[OWN_STOPS, at] = _share(stops, length)
            table[OWN_COMMAS, at] = _share(commas, length)
            table[OWN_SEPARATORS, at] = _share(measures[SEPARATORS, at], length)
            table[OWN_OTHERS, at] = _share(measures[OTHERS, at], length)
            table[OWN_IS_HEADING, at] = blocks[KIND, at] == HEADING
            table[OWN_IS_LIST_ITEM, at] = blocks[KIND, at] == LIST_ITEM
            table[OWN_ENDS_WITH_COLON, at] = measures[ENDS_WITH_COLON, at]
            table[OWN_BEGINS_WITH_CAPITAL, at] = measures[FIRST_KIND, at] == CAPITALS
            table[OWN_BEGINS_WITH_DIGIT, at] = measures[FIRST_KIND, at] == DIGITS
            table[OWN_IS_REPEATED, at] = blocks[IS_REPEATED, at]
            table[OWN_IS_IN_TITLE, at] = blocks[IS_IN_TITLE, at]
            table[OWN_HAS_COPYRIGHT, at] = measures[HAS_COPYRIGHT, at]
            table[OWN_HAS_AT, at] = measures[HAS_AT, at]

    def add_up(self) -> None:
        """Add up from the beginning of the page to each block."""
        blocks, measures, sums = self.blocks, self.measures, self.sums
        for at in range(self.size):
            words = max(blocks[WORDS, at], 1)
            links = min(blocks[LINK_WORDS, at], words)
            is_long = blocks[WORDS, at] >= MIN_LONG_WORDS and _share(links, words) < MAX_LONG_LINK_DENSITY
            sums[SUM_WORDS, at + 1] = sums[SUM_WORDS, at] + words
            sums[SUM_LINKS, at + 1] = sums[SUM_LINKS, at] + links
            sums[SUM_LONG_WORDS, at + 1] = sums[SUM_LONG_WORDS, at] + (words if is_long else 0)
            sums[SUM_LONG, at + 1] = sums[SUM_LONG, at] + is_long
            sums[SUM_STOPS, at + 1] = sums[SUM_STOPS, at] + measures[STOPS, at]
            sums[SUM_MASS, at + 1] = sums[SUM_MASS, at] + (2 * words if is_long else -4 - 2 * links - words)
            sums[SUM_HEADINGS, at + 1] = sums[SUM_HEADINGS, at] + (blocks[KIND, at] == HEADING)
            sums[SUM_ITEMS, at + 1] = sums[SUM_ITEMS, at] + (blocks[KIND, at] == LIST_ITEM)

    def inside(self, row: int, element: int) -> int:
        """Return the sum over the blocks in an element."""
        end, first = self.elements[END, element], self.elements[FIRST, element]
        total: int = self.sums[row, end] - self.sums[row, first]
        return total

    def is_long(self, at: int) -> bool:
        """Tell whether a block is long."""
        found: bool = self.sums[SUM_LONG, at + 1] > self.sums[SUM_LONG, at]
        return found

    def holders(self) -> None:
        """Describe the element that holds each block, and tell which elements are around it at any distance."""
        table, blocks, elements = self.table, self.blocks, self.elements
        bits = np.zeros(self.number, np.int64)
        depths = np.zeros(self.number, np.int64)
        for element in range(1, self.number):
            place = AROUND_PLACES[elements[CODE, element]]
            bits[element] = bits[elements[PARENT, element]] | (1 << place if place >= 0 else 0)
            depths[element] = depths[elements[PARENT, element]] + 1
        table[HOLDER_FLAGS : HOLDER_FLAGS + HOLDER_NUMBER, :] = 0
        for at in range(self.size):
            element = blocks[HOLDER, at]
            place = HOLDER_PLACES[elements[CODE, element] if element else BODY_CODE]
            if place >= 0:
                table[HOLDER_FLAGS + place, at] = 1
            for place in range(AROUND_NUMBER):
                table[AROUND_FLAGS + place, at] = (bits[element] >> place) & 1
            table[POSITION_DEPTH, at] = _share(depths[element], 10)

    def levels(self) -> None:
        """Describe the elements around each block: how much text, of what kind, is in each."""
        table, elements, sums = self.table, self.elements, self.sums
        all_words = sums[SUM_WORDS, self.size]
        all_long = max(1, sums[SUM_LONG_WORDS, self.size])
        found = np.zeros((self.number, LEVEL_STEP), np.float32)
        for element in range(self.number):
            number = elements[END, element] - elements[FIRST, element]
            if number > 0:
                words = self.inside(SUM_WORDS, element)
                long_words = self.inside(SUM_LONG_WORDS, element)
                stops = self.inside(SUM_STOPS, element)
                found[element, 0] = _log(words)
                found[element, LEVEL_LOG_BLOCKS - LEVEL_LOG_WORDS] = _log(number)
                found[element, LEVEL_LOG_MEAN_WORDS - LEVEL_LOG_WORDS] = (
                    found[element, 0] if number == 1 else log1p(_share(words, number))
                )
                found[element, LEVEL_LOG_STOPS - LEVEL_LOG_WORDS] = _log(stops)
                found[element, LEVEL_SHARE_OF_WORDS - LEVEL_LOG_WORDS] = _share(words, all_words)
                found[element, LEVEL_LINK_DENSITY - LEVEL_LOG_WORDS] = _share(self.inside(SUM_LINKS, element), words)
                found[element, LEVEL_SHARE_OF_LONG - LEVEL_LOG_WORDS] = _share(long_words, all_long)
                found[element, LEVEL_LONG_DENSITY - LEVEL_LOG_WORDS] = _share(long_words, words)
        for at in range(self.size):
            element = self.blocks[HOLDER, at]
            for level in range(LEVELS):
                for row in range(LEVEL_STEP):
                    table[LEVEL_LOG_WORDS + level * LEVEL_STEP + row, at] = found[element, row]
                element = elements[PARENT, element]

    def named(self) -> Counts:
        """Number the groups of blocks that have the same path, and whose holders have the same names.

        Blocks are taken path by path, and `seen` remembers for each name in which path it was last.
        """
        blocks, elements = self.blocks, self.elements
        groups = np.zeros(self.size, np.int32)
        largest_path, largest_name = 0, 0
        for at in range(self.size):
            largest_path = max(largest_path, blocks[PATH, at])
        for element in range(self.number):
            largest_name = max(largest_name, elements[NAMES, element])
        starts = np.zeros(largest_path + 2, np.int32)
        order = np.zeros(self.size, np.int32)
        seen = np.full((2, largest_name + 1), -1, np.int32)
        for at in range(self.size):
            starts[blocks[PATH, at] + 1] += 1
        for path in range(largest_path + 1):
            starts[path + 1] += starts[path]
        for at in range(self.size):
            path = blocks[PATH, at]
            order[starts[path]] = at
            starts[path] += 1
        number = 0
        for place in range(self.size):
            at = order[place]
            name = elements[NAMES, blocks[HOLDER, at]]
            if seen[0, name] != blocks[PATH, at]:
                seen[0, name], seen[1, name] = blocks[PATH, at], number
                number += 1
            groups[at] = seen[1, name]
        return groups

    def group(self, groups: Counts, step: int) -> None:
        """Describe the group of each block; `step` is that from the rows of groups by path to the rows to fill."""
        table, sums = self.table, self.sums
        largest = 0
        for at in range(self.size):
            largest = max(largest, groups[at])
        found = np.zeros((SUM_LONG_WORDS + 1, largest + 1), np.int64)
        sizes = np.zeros(largest + 1, np.int64)
        means = np.zeros(largest + 1, np.float64)
        for at in range(self.size):
            place = groups[at]
            for row in range(SUM_LONG_WORDS + 1):
                found[row, place] += sums[row, at + 1] - sums[row, at]
            sizes[place] += 1
        for place in range(largest + 1):
            if sizes[place] == 1:
                means[place] = _log(found[SUM_WORDS, place])
            elif sizes[place]:
                means[place] = log1p(_share(found[SUM_WORDS, place], sizes[place]))
        for at in range(self.size):
            place = groups[at]
            words = found[SUM_WORDS, place]
            table[PATH_LOG_WORDS + step, at] = _log(words)
            table[PATH_LOG_BLOCKS + step, at] = _log(sizes[place])
            table[PATH_LOG_MEAN_WORDS + step, at] = means[place]
            table[PATH_SHARE_OF_WORDS + step, at] = _share(words, sums[SUM_WORDS, self.size])
            table[PATH_LINK_DENSITY + step, at] = _share(found[SUM_LINKS, place], words)
            table[PATH_LONG_DENSITY + step, at] = _share(found[SUM_LONG_WORDS, place], words)

    def main(self) -> None:
        """Describe how each block lies to the elements that most probably hold the text, found in two ways.

        One is that of Readability: paragraphs give points to their parent, and half as many to its parent. The other is
        the element with the most text, where short blocks and links count as negative.
        """
        scores = self.scores()
        best, largest = 0, 0
        for element in range(self.number):
            if scores[element] > scores[best]:
                best = element
            if self.inside(SUM_MASS, element) > self.inside(SUM_MASS, largest):
                largest = element
        self.distances(0, best)
        self.distances(1, largest)
        self.distances(2, self.elements[PARENT, best])
        highest = max(1e-9, scores[best])
        for at in range(self.size):
            element = self.blocks[HOLDER, at]
            for level in range(SCORED_LEVELS):
                self.table[LEVEL_SCORE + level, at] = scores[element] / highest
                element = self.elements[PARENT, element]

    def scores(self) -> npt.NDArray[np.float64]:
        """Return for each element the points by which Readability chooses the main one."""
        points = np.zeros((2, self.number), np.float64)
        for at in range(self.size):
            if self.is_long(at):
                words = self.sums[SUM_WORDS, at + 1] - self.sums[SUM_WORDS, at]
                given = 1 + min(self.measures[COMMAS, at], 10) + min(_share(words, 20), 3.0)
                parent = self.elements[PARENT, self.blocks[HOLDER, at]]
                points[0, parent] += given
                points[1, self.elements[PARENT, parent]] += given / 2
        for element in range(self.number):
            if points[0, element] + points[1, element] > 0:
                density = _share(self.inside(SUM_LINKS, element), max(1, self.inside(SUM_WORDS, element)))
                points[0, element] = (points[0, element] + points[1, element]) * (1 - density)
        scores: npt.NDArray[np.float64] = points[0]
        return scores

    def distances(self, place: int, element: int) -> None:
        """Describe how many blocks each block is before and behind an element, and the element itself."""
        table = self.table
        first, end = self.elements[FIRST, element], self.elements[END, element]
        words = self.inside(SUM_WORDS, element)
        share = _share(words, self.sums[SUM_WORDS, self.size])
        density = _share(self.inside(SUM_LINKS, element), max(1, words))
        for at in range(self.size):
            table[MAIN_LOG_BLOCKS_BEFORE + place, at] = _log(max(first - at, 0))
            table[MAIN_LOG_BLOCKS_BEHIND + place, at] = _log(max(at - end + 1, 0))
            table[MAIN_SHARE_OF_WORDS + place, at] = share
            table[MAIN_LINK_DENSITY + place, at] = density

    def positions(self) -> None:
        """Describe the position of each block on the page, and its distance from headings and long blocks."""
        table, sums, size = self.table, self.sums, self.size
        all_words, all_long = sums[SUM_WORDS, size], max(1, sums[SUM_LONG_WORDS, size])
        for at in range(size):
            table[POSITION_SHARE_OF_BLOCKS, at] = _share(at, size)
            table[POSITION_SHARE_OF_WORDS, at] = _share(sums[SUM_WORDS, at], all_words)
            table[POSITION_SHARE_OF_LONG_BEFORE, at] = _share(sums[SUM_LONG_WORDS, at], all_long)
            table[POSITION_SHARE_OF_LONG_BEHIND, at] = 1 - _share(sums[SUM_LONG_WORDS, at + 1], all_long)
            table[POSITION_LOG_BLOCKS_BEFORE, at] = min(_log(at), 5.0)
            table[POSITION_LOG_BLOCKS_BEHIND, at] = min(_log(size - 1 - at), 5.0)
        self.nearest(SUM_LONG, POSITION_LOG_TO_LONG_BEFORE, POSITION_LOG_TO_LONG_BEHIND)
        self.nearest(SUM_HEADINGS, POSITION_LOG_TO_HEADING_BEFORE, POSITION_LOG_TO_HEADING_BEHIND)
        self.edges()

    def nearest(self, row: int, row_before: int, row_behind: int) -> None:
        """Describe the distance from the nearest block before and behind at which a sum grows."""
        sums, size = self.sums, self.size
        steps = NO_SUCH_BLOCK
        for at in range(size):
            self.table[row_before, at] = min(_log(steps), 5.0)
            steps = 1 if sums[row, at + 1] > sums[row, at] else steps + 1
        steps = NO_SUCH_BLOCK
        for at in range(size - 1, -1, -1):
            self.table[row_behind, at] = min(_log(steps), 5.0)
            steps = 1 if sums[row, at + 1] > sums[row, at] else steps + 1

    def edges(self) -> None:
        """Tell whether each block has the same holder, and the same holder's parent, as those before and behind it."""
        table, size = self.table, self.size
        for at in range(size):
            holder = self.blocks[HOLDER, at]
            parent = self.elements[PARENT, holder]
            other = self.blocks[HOLDER, at - 1] if at else -1
            table[POSITION_SAME_HOLDER_BEFORE, at] = holder == other
            table[POSITION_SAME_PARENT_BEFORE, at] = other >= 0 and parent == self.elements[PARENT, other]
            other = self.blocks[HOLDER, at + 1] if at + 1 < size else -1
            table[POSITION_SAME_HOLDER_BEHIND, at] = holder == other
            table[POSITION_SAME_PARENT_BEHIND, at] = other >= 0 and parent == self.elements[PARENT, other]

    def neighbours(self) -> None:
        """Describe the neighbours of each block one by one; all is 0 where there is none."""
        row = 0
        for step in range(-NEIGHBOURS_PER_SIDE, NEIGHBOURS_PER_SIDE + 1):
            if step:
                self.shift(OWN_LOG_WORDS, NEIGHBOUR_LOG_WORDS + row, step)
                self.shift(OWN_LINK_DENSITY, NEIGHBOUR_LINK_DENSITY + row, step)
                self.shift(OWN_ENDS_SENTENCE, NEIGHBOUR_ENDS_SENTENCE + row, step)
                self.shift(OWN_IS_HEADING, NEIGHBOUR_IS_HEADING + row, step)
                self.shift(NAMED_LOG_MEAN_WORDS, NEIGHBOUR_MEAN_WORDS + row, step)
                for at in range(self.size):
                    self.table[NEIGHBOUR_EXISTS + row, at] = 0 <= at + step < self.size
                row += NEIGHBOUR_STEP

    def shift(self, row: int, new: int, step: int) -> None:
        """Write a row of the table into a new one, so that each block has the value of a neighbour."""
        for at in range(self.size):
            other = at + step
            self.table[new, at] = self.table[row, other] if 0 <= other < self.size else 0

    def windows(self) -> None:
        """Describe wider windows before and behind each block by means, which are differences of sums."""
        sums = np.zeros(self.size + 1, np.float64)
        self.window(self.added(OWN_LOG_WORDS, sums), LAST5_LOG_WORDS)
        self.window(self.added(OWN_LINK_DENSITY, sums), LAST5_LINK_DENSITY)
        self.window(self.added(OWN_ENDS_SENTENCE, sums), LAST5_ENDS_SENTENCE)
        for at in range(self.size + 1):
            sums[at] = self.sums[SUM_LONG, at]
        self.window(sums, LAST5_IS_LONG)

    def added(self, row: int, sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Add up a row of the table from the beginning of the page to each block."""
        for at in range(self.size):
            sums[at + 1] = sums[at] + self.table[row, at]
        return sums

    def window(self, sums: npt.NDArray[np.float64], row: int) -> None:
        """Fill the rows of one property with its means in all windows."""
        table, size = self.table, self.size
        for number in range(WINDOWS_NUMBER):
            width = WIDTHS[number]
            for at in range(size):
                table[row, at] = (sums[at] - sums[max(at - width, 0)]) / width
                table[row + NEXT_STEP, at] = (sums[min(at + width + 1, size)] - sums[at + 1]) / width
            row += WIDER_STEP

    def whole(self, length: int) -> None:
        """Describe the page as a whole, in every column alike."""
        sums, size = self.sums, self.size
        has_main, articles = 0, 0
        for element in range(1, self.number):
            code = self.elements[CODE, element]
            has_main |= code == MAIN_CODE
            articles += code == ARTICLE_CODE
        words = sums[SUM_WORDS, size]
        self.everywhere(PAGE_LOG_WORDS, _log(words))
        self.everywhere(PAGE_LINK_DENSITY, _share(sums[SUM_LINKS, size], words))
        self.everywhere(PAGE_LONG_DENSITY, _share(sums[SUM_LONG_WORDS, size], words))
        self.everywhere(PAGE_LOG_BLOCKS, _log(size))
        self.everywhere(PAGE_LOG_LONG_BLOCKS, _log(sums[SUM_LONG, size]))
        self.everywhere(PAGE_STOPS_PER_WORD, _share(sums[SUM_STOPS, size], words))
        self.everywhere(PAGE_LOG_LENGTH, _log(length) / 4)
        self.everywhere(PAGE_HEADINGS, _share(sums[SUM_HEADINGS, size], size))
        self.everywhere(PAGE_LIST_ITEMS, _share(sums[SUM_ITEMS, size], size))
        self.everywhere(PAGE_HAS_MAIN, has_main)
        self.everywhere(PAGE_LOG_ARTICLES, _log(articles))

    def everywhere(self, row: int, value: float) -> None:
        """Fill a row with one value."""
        for at in range(self.size):
            self.table[row, at] = value


def describe_names(table: Matrix, blocks: Counts, elements: Counts, values: npt.NDArray[np.float64]) -> None:
    """Fill the rows of names: those of the nearest elements around each block, and the sum, maximum and minimum of all.

    `values` has a number for each text in the column NAMES: below 0, it is typical of boilerplate, above 0 of text.
    """
    number = elements.shape[1]
    found = np.zeros((3, number), np.float64)
    found[:, 0] = values[elements[NAMES, 0]]
    for element in range(1, number):
        parent, value = elements[PARENT, element], values[elements[NAMES, element]]
        found[0, element] = found[0, parent] + value
        found[1, element] = max(found[1, parent], value)
        found[2, element] = min(found[2, parent], value)
    for at in range(blocks.shape[1]):
        element = blocks[HOLDER, at]
        table[NAMES_SUM, at] = found[0, element]
        table[NAMES_MOST, at] = found[1, element]
        table[NAMES_LEAST, at] = found[2, element]
        for level in range(LEVELS):
            table[LEVEL_NAMES + level, at] = values[elements[NAMES, element]]
            element = elements[PARENT, element]


def compare(blocks: Counts, lengths: Counts, data: bytes, offsets: Counts, title: bytes) -> None:
    """Fill the rows of `blocks` that tell which texts come more than once, and which are part of the title."""
    first: dict[bytes, int] = {}
    number = blocks.shape[1]
    size = MIN_SIGNS
    while size < 4 * number:
        size *= 2
    seen = np.zeros(size, np.int32)
    signs = np.zeros(number, np.int32)
    for at in range(number):
        signs[at] = _sign(data, offsets[at], offsets[at + 1]) & (size - 1)
        seen[signs[at]] += 1
    pairs = _pairs(title)
    for at in range(number):
        start, end = offsets[at], offsets[at + 1]
        blocks[IS_REPEATED, at] = blocks[IS_IN_TITLE, at] = 0
        if seen[signs[at]] > 1:
            earlier = first.setdefault(data[start:end], at)
            if earlier != at:
                blocks[IS_REPEATED, at] = blocks[IS_REPEATED, earlier] = 1
        if (
            lengths[at] >= MIN_TITLE_CHARACTERS
            and end - start <= len(title)
            and pairs[_pair(data, start)]
            and pairs[_pair(data, end - 2)]
        ):
            blocks[IS_IN_TITLE, at] = title.find(data[start:end]) >= 0  # `in` for bytes is several times slower


def _sign(data: bytes, start: int, end: int) -> int:
    """Return a number that is the same for the same texts; only texts that share theirs need to be compared.

    It depends on some bytes at either end.
    """
    sign = 0
    if end - start > 2 * SIGN_BYTES:
        for at in range(end - SIGN_BYTES, end):
            sign = (sign ^ data[at]) * HASH_PRIME & HASH_BITS
        end = start + SIGN_BYTES
    for at in range(start, end):
        sign = (sign ^ data[at]) * HASH_PRIME & HASH_BITS
    return sign ^ sign >> 15


def _pairs(title: bytes) -> bytearray:
    """Note the pairs of bytes in the title: where the first or last pair of a text is not there, nor is the text."""
    found = bytearray(PAIRS)
    for at in range(len(title) - 1):
        found[_pair(title, at)] = 1
    return found


def _pair(data: bytes, at: int) -> int:
    """Return the number of the pair of bytes at a place; several pairs share one."""
    return (data[at] * 31 + data[at + 1]) % PAIRS


def label(
    table: Matrix, noted: npt.NDArray[np.int32], values: npt.NDArray[np.float64], labels: npt.NDArray[np.int32]
) -> None:
    """Label blocks by their scores as text or boilerplate, and boilerplate by its most conspicuous property.

    That is one of the noted rows of the table, of which the first that is not 0 counts, or its names.
    """
    for at in range(values.shape[0]):
        if values[at] <= 0.5:
            labels[at] = IS_TEXT
        elif table[OWN_LINK_DENSITY, at] > 0.5:
            labels[at] = IS_LINKS
        else:
            labels[at] = IS_PLAIN
            for level in range(NEAR_LEVELS):
                if table[LEVEL_NAMES + level, at] < -1:
                    labels[at] = IS_BY_NAME
            for place in range(noted.shape[0] - 1, -1, -1):
                if table[noted[place], at] > 0:
                    labels[at] = IS_INSIDE + place
