"""The features of `mill` by operations on arrays, for machines on which the kernel is not compiled.

They are the same as those of `kernel.mill`, which has a loop where this has an operation. `kernel.mill_columns` has
their names. `rows_of("own", "log_words link_density")` are the rows with these names in the table of features.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Flags, Floats, Ints, Matrix
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmented import Elements
from gristmill.columns import KINDS, Int32
from gristmill.kernel.elements import CODES, NAMES
from gristmill.kernel.mill_columns import (
    AROUND,
    FEATURES,
    HOLDERS,
    LEVELS,
    MAX_LONG_LINK_DENSITY,
    MAX_TITLE_CHARACTERS,
    MIN_LONG_WORDS,
    MIN_TITLE_CHARACTERS,
    NEIGHBOURS_PER_SIDE,
    NO_SUCH_BLOCK,
    ROWS,
    SCORED_LEVELS,
    WINDOWS,
)
from gristmill.kernel.rows import (
    CAPITALS,
    COMMAS,
    DIGITS,
    ENDS_WITH_COLON,
    FIRST_KIND,
    HAS_AT,
    HAS_COPYRIGHT,
    KIND_BITS,
    LAST_KIND,
    LENGTH,
    MEASURE_ROWS,
    OTHERS,
    SEPARATORS,
    SPACES,
    STOPS,
)
from gristmill.text.units import utf16


def rows_of(group: str, names: str) -> list[int]:
    """Return the rows of some features of a group."""
    return [ROWS[f"{group}.{name}"] for name in names.split()]


_OWN_LOGS = rows_of(
    "own",
    "log_words log_characters log_links log_tags log_tags_before log_stops log_commas log_digits",
)
_OWN_RATIOS = rows_of("own", "word_length tags_per_word sentence_length links_per_word")
_OWN_KINDS = [CAPITALS, DIGITS, STOPS, COMMAS, SEPARATORS, OTHERS]
_OWN_SHARES = rows_of("own", "capitals digits stops commas separators others")
_OWN_FLAGS = rows_of(
    "own",
    "ends_sentence is_heading is_list_item ends_with_colon begins_with_capital begins_with_digit is_repeated"
    " is_in_title has_copyright has_at",
)
_HOLDER_FLAGS = [ROWS[f"holder.{tag}"] for tag in HOLDERS]
_AROUND_FLAGS = [ROWS[f"around.{tag}"] for tag in AROUND]
_LEVEL_ROWS = [
    rows_of(
        f"level{level}",
        "log_words log_blocks log_mean_words log_stops share_of_words link_density share_of_long long_density",
    )
    for level in range(1, LEVELS + 1)
]
_GROUP_ROWS = [
    rows_of(group, "log_words log_blocks log_mean_words share_of_words link_density long_density")
    for group in ("path", "named")
]
_MAIN_BLOCKS = [ROWS[f"main{number}.log_blocks_{side}"] for side in ("before", "behind") for number in (1, 2, 3)]
_MAIN_PAGE = [ROWS[f"main{number}.{name}"] for name in ("share_of_words", "link_density") for number in (1, 2, 3)]
_SCORE_ROWS = [ROWS[f"level{level}.score"] for level in range(1, SCORED_LEVELS + 1)]
_POSITION_SHARES = rows_of("position", "share_of_blocks share_of_words share_of_long_before share_of_long_behind depth")
_POSITION_LOGS = rows_of(
    "position",
    "log_blocks_before log_blocks_behind log_to_long_before log_to_long_behind log_to_heading_before"
    " log_to_heading_behind",
)
_SAME_BEFORE = rows_of("position", "same_holder_before same_parent_before")
_SAME_BEHIND = rows_of("position", "same_holder_behind same_parent_behind")
_OF_NEIGHBOURS = [
    ROWS[name]
    for name in (
        "own.log_words", "own.link_density", "own.ends_sentence", "own.is_heading", "named.log_mean_words",
    )
]  # fmt: skip
_NEIGHBOUR = "log_words link_density ends_sentence is_heading named_log_mean_words exists"
_NEIGHBOUR_ROWS = {
    sign * step: rows_of(f"{side}{step}", _NEIGHBOUR)
    for step in range(1, NEIGHBOURS_PER_SIDE + 1)
    for sign, side in ((-1, "before"), (1, "behind"))
}
_OF_WINDOWS = rows_of("own", "log_words link_density ends_sentence")
_WINDOW = "log_words link_density ends_sentence is_long"
_WINDOW_ROWS = [(width, rows_of(f"last{width}", _WINDOW), rows_of(f"next{width}", _WINDOW)) for width in WINDOWS]
_PAGE_ROWS = rows_of(
    "page",
    "log_words link_density long_density log_blocks log_long_blocks stops_per_word log_length headings list_items"
    " has_main log_articles",
)
_NAMES_ROWS = [*(ROWS[f"level{level}.names"] for level in range(1, LEVELS + 1)), *rows_of("names", "sum most least")]


@functools.cache
def _character_kinds() -> Bytes:
    """Return the table of the kind of each UTF-16 code unit; halves of surrogate pairs count as letters."""
    from gristmill.kernel.text import CHARACTERS  # noqa: PLC0415 (where the kernel is compiled, nothing else needs it)

    return np.frombuffer(CHARACTERS, np.uint8) & np.uint8(KIND_BITS)


def _flags(names: Sequence[str]) -> Matrix:
    """Make a table with a row for each of the names, and a column for each code: 1 where the code is that name's."""
    table = np.zeros((len(names), len(NAMES)), np.float32)
    for row, name in enumerate(names):
        table[row, CODES[name]] = 1
    return table


_IS_HOLDER = _flags(HOLDERS)
_AROUND_BITS = (_flags(AROUND).astype(np.intp).T << np.arange(len(AROUND))).sum(axis=1)  # bit n for AROUND[n]
_BODY = CODES["body"]


@dataclass(slots=True)
class Outline:
    """The structure of a page, as far as the features need it."""

    elements: Elements
    ancestors: Ints
    """The elements around each block, a row a block: its holder, the holder's parent, and so on."""
    groups: Ints
    """The number of each block's group: all blocks with the same path."""
    words: Floats
    """The words of each block, at least 1."""
    at: Ints
    """The places of the blocks: 0, 1, 2..."""

    @classmethod
    def of(cls, page: Features) -> Outline:
        """Make the outline of a page, which must have at least one block."""
        holders, parents = page.page.holders, page.page.elements.parents
        groups = page.columns.path.codes.astype(np.int64)
        words = np.maximum(page.words, 1).astype(np.float64)
        return cls(page.page.elements, _climb(parents, holders), groups, words, np.arange(len(holders)))

    def inside(self, columns: Floats) -> Floats:
        """Add up columns over the blocks in each element.

        The columns' prefix sums up to the end of an element, less those up to its beginning: with the words [5, 2, 4]
        of three blocks the prefix sums are [0, 5, 7, 11], and an element with the last two blocks has 11 - 5.
        """
        totals = before(columns)
        return totals[self.elements.end] - totals[self.elements.first]

    def distances(self, chosen: list[int]) -> Floats:
        """Return how many blocks each block is before and behind each of the chosen elements, as logarithms.

        Both are 0 for a block inside.
        """
        first, end = self.elements.first[chosen], self.elements.end[chosen]
        steps: Floats = np.log1p(np.concatenate((first[:, None] - self.at, self.at - end[:, None] + 1)).clip(0))
        return steps


def _side_by_side(*columns: npt.NDArray[Any]) -> Floats:
    """Put columns into one array; for short columns this is several times faster than `np.stack`."""
    return np.array(columns, np.float64).T


def before(columns: Floats) -> Floats:
    """Return prefix sums: row n is the sum over the first n blocks, the last row the sum over all."""
    return np.concatenate((np.zeros_like(columns[:1]), np.cumsum(columns, axis=0)))


def _climb(parents: Ints, holders: Ints) -> Ints:
    """Return for each block the elements around it: its holder, the holder's parent, and so on, `LEVELS` in all."""
    ancestors = np.empty((len(holders), LEVELS), np.intp)
    at = holders
    for level in range(LEVELS):
        ancestors[:, level] = at
        at = parents[at]
    return ancestors


def describe(page: Features, outline: Outline) -> Matrix:
    """Return the table of features; its rows of names are not filled."""
    table = np.empty((len(FEATURES), len(page)), np.float32)
    elements = outline.elements
    measures = measure(page.texts)
    words = outline.words
    is_long = (page.words >= MIN_LONG_WORDS) & (page.link_density < MAX_LONG_LINK_DENSITY)
    links = np.minimum(page.link_words, words)
    sums = _side_by_side(words, links, words * is_long, np.ones(len(words)), is_long, measures[STOPS])
    totals = before(sums)
    codes = elements.codes.copy()
    codes[0] = _BODY
    _own(table, page, measures, words)
    table[_HOLDER_FLAGS] = _IS_HOLDER[:, codes[page.page.holders]]
    table[_AROUND_FLAGS] = _around(elements.parents, codes, page.page.holders)
    _levels(table, outline, sums)
    _groups(table, page, sums, outline)
    _main(table, outline, sums, measures[COMMAS])
    _positions(table, page, totals, is_long, outline)
    _neighbours(table)
    _windows(table, is_long)
    _whole(table, page, totals, elements)
    return table


def measure(texts: list[str]) -> Int32:
    """Measure texts as `kernel.measure` does.

    A key is 8 * block + kind, so that one `bincount` counts all kinds in all blocks. For the texts `A` and `b.`, joined
    as `A`, line end, `b`, `.`, line end, the kinds are [1, 3, 0, 4, 3] and the keys [1, 3, 8, 12, 11].
    """
    joined = utf16("\n".join(texts) + "\n")
    ends = np.flatnonzero(joined == ord("\n"))
    kinds = _character_kinds()[joined]
    steps = np.zeros(len(joined), np.intp)
    steps[ends[:-1] + 1] = 8
    keys = np.cumsum(steps) + kinds
    measures = np.zeros((MEASURE_ROWS, len(texts)), np.int32)
    counts = np.bincount(keys, minlength=8 * len(texts)).reshape(-1, 8).T
    counts[SPACES] -= 1
    measures[: len(counts)] = counts
    measures[LENGTH] = list(map(len, texts))
    measures[FIRST_KIND] = kinds[np.concatenate(([0], ends[:-1] + 1))]
    measures[LAST_KIND] = kinds[ends - 1]
    measures[ENDS_WITH_COLON] = joined[ends - 1] == ord(":")
    for row, sign in ((HAS_COPYRIGHT, "©"), (HAS_AT, "@")):
        measures[row, keys[joined == ord(sign)] >> 3] = 1
    return measures


def _own(table: Matrix, page: Features, measures: Int32, words: Floats) -> None:
    """Describe each block by itself."""
    lengths = np.maximum(measures[LENGTH], 1)
    stops, commas, digits = measures[STOPS], measures[COMMAS], measures[DIGITS]
    counts = (words, lengths, page.links, page.tags, page.page.tags_before, stops, commas, digits)
    table[_OWN_LOGS] = np.log1p(np.array(counts, np.float64))
    ratios = (lengths / words / 10, page.tags / words, words / (stops + 1) / 20, page.links / words)
    table[_OWN_RATIOS] = np.array(ratios).clip(0, 3)
    table[_OWN_SHARES] = measures[_OWN_KINDS] / lengths
    table[ROWS["own.link_density"]] = page.link_density
    title = page.page.metadata.title[:MAX_TITLE_CHARACTERS]
    kinds, first = page.columns.kind.codes, measures[FIRST_KIND]
    table[_OWN_FLAGS] = (
        measures[LAST_KIND] == STOPS,
        kinds == KINDS.index("h"),
        kinds == KINDS.index("l"),
        measures[ENDS_WITH_COLON],
        first == CAPITALS,
        first == DIGITS,
        _repeated(page.texts),
        [MIN_TITLE_CHARACTERS <= len(text) <= len(title) and text in title for text in page.texts],
        measures[HAS_COPYRIGHT],
        measures[HAS_AT],
    )


def _repeated(texts: list[str]) -> list[bool]:
    """Tell which texts occur more than once."""
    if len(set(texts)) == len(texts):
        return [False] * len(texts)
    number = Counter(texts)
    return [number[text] > 1 for text in texts]


def _add_up(parents: Ints, values: Floats) -> Floats:
    """Return for each element the sum of its own value and those of all elements above it, without the root.

    By pointer doubling, so that the number of steps is the logarithm of the depth. In a chain with the parents
    [0, 0, 1, 2, 3] and values of 1, the sums are [0, 1, 1, 1, 1] at first, then, with `at` the parents,
    [0, 1, 2, 2, 2], then, with `at` their parents [0, 0, 0, 1, 2], [0, 1, 2, 3, 4].
    """
    total = values.copy()
    total[0] = 0.0
    at = parents
    while at.any():
        total = total + total[at]
        at = at[at]
    return total


def _around(parents: Ints, codes: Ints, holders: Ints) -> Ints:
    """Tell for each block in which of the elements `AROUND` it is, at any distance.

    A number holds a bit for each of these; the bits of all elements above are joined by pointer doubling, as in
    `_add_up`, and unpacked to a row each at the end.
    """
    bits = _AROUND_BITS[codes]
    at = parents
    while at.any():
        bits = bits | bits[at]
        at = at[at]
    flags: Ints = (bits[holders] >> np.arange(len(AROUND))[:, None]) & 1
    return flags


def _levels(table: Matrix, outline: Outline, sums: Floats) -> None:
    """Describe the elements around each block: how much text, of what kind, is in each."""
    inside = outline.inside(sums)
    words, links, long_words, blocks, _, stops = inside.T
    some_words, some_blocks = np.maximum(1, words), np.maximum(1, blocks)
    logs = np.log1p(np.array((words, blocks, words / some_blocks, stops)))
    all_words, all_long = sums[:, 0].sum(), max(1.0, sums[:, 2].sum())
    shares = np.array((words / all_words, links / some_words, long_words / all_long, long_words / some_words))
    found = np.concatenate((logs, shares))
    for level, rows in enumerate(_LEVEL_ROWS):
        table[rows] = found[:, outline.ancestors[:, level]]


def _groups(table: Matrix, page: Features, sums: Floats, outline: Outline) -> None:
    """Describe the blocks that have the same path as each block, and those with the same path and names."""
    names = outline.elements.names.codes
    numbers: dict[tuple[int, int], int] = {}
    keys = zip(outline.groups.tolist(), names[page.page.holders].tolist(), strict=True)
    named = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
    for group, rows in zip((outline.groups, named), _GROUP_ROWS, strict=True):
        words, links, long_words, blocks = (np.bincount(group, column) for column in sums.T[:4])
        some_words, some_blocks = np.maximum(1, words), np.maximum(1, blocks)
        logs = np.log1p(np.array((words, blocks, words / some_blocks)))
        shares = np.array((words / words.sum(), links / some_words, long_words / some_words))
        table[rows] = np.concatenate((logs, shares))[:, group]


def _main(table: Matrix, outline: Outline, sums: Floats, commas: Int32) -> None:
    """Describe how each block lies to the elements that most probably hold the text of the page, found in two ways.

    One is that of Readability: paragraphs give points to their parent, and half as many to its parent. The other is the
    element with the most text, where short blocks and links count as negative.
    """
    parents = outline.elements.parents
    words, links, long_words = sums.T[:3]
    held, above = outline.ancestors[:, 1], outline.ancestors[:, 2]
    points = (long_words > 0) * (1 + commas.clip(0, 10) + (words / 20).clip(0, 3))
    values = np.where(long_words > 0, words, -2.0 - links - 0.5 * words)
    inside_words, inside_links, mass = outline.inside(_side_by_side(words, links, values)).T
    density = inside_links / np.maximum(1, inside_words)
    score = (np.bincount(held, points, len(parents)) + np.bincount(above, points / 2, len(parents))) * (1 - density)
    best = int(np.argmax(score))
    chosen = [best, int(np.argmax(mass)), int(parents[best])]
    score /= max(1e-9, float(score.max()))
    table[_MAIN_BLOCKS] = outline.distances(chosen)
    table[_SCORE_ROWS] = score[outline.ancestors[:, :SCORED_LEVELS]].T
    table[_MAIN_PAGE] = np.concatenate((inside_words[chosen] / words.sum(), density[chosen]))[:, None]


def _positions(table: Matrix, page: Features, totals: Floats, is_long: Flags, outline: Outline) -> None:
    """Describe the position of each block on the page, and its distance from headings and long blocks."""
    at, number = outline.at, len(outline.at)
    whole = np.maximum(1, totals[-1])
    depth = _add_up(outline.elements.parents, np.ones(len(outline.elements.parents)))
    table[_POSITION_SHARES] = (
        at / number,
        totals[:-1, 0] / whole[0],
        totals[:-1, 2] / whole[2],
        1 - totals[1:, 2] / whole[2],
        depth[page.page.holders] / 10,
    )
    is_heading = table[ROWS["own.is_heading"]] > 0
    steps = (at, number - 1 - at, *_distances(is_long, at), *_distances(is_heading, at))
    table[_POSITION_LOGS] = np.log1p(np.array(steps, np.float64)).clip(None, 5)
    same = np.zeros((2, number + 1))
    same[:, 1:-1] = (outline.ancestors[1:, :2] == outline.ancestors[:-1, :2]).T
    table[_SAME_BEFORE], table[_SAME_BEHIND] = same[:, :-1], same[:, 1:]


def _distances(wanted: Flags, at: Ints) -> tuple[Ints, Ints]:
    """Count the blocks to the nearest wanted block before and behind; without one, 150 or more."""
    places = np.flatnonzero(wanted)
    far = len(at) * 2 + NO_SUCH_BLOCK
    earlier = np.concatenate(([-far], places))[np.searchsorted(places, at)]
    later = np.append(places, far + len(at))[np.searchsorted(places, at, "right")]
    return at - earlier, later - at


def _neighbours(table: Matrix) -> None:
    """Describe the neighbours of each block: length, links, end, heading, words in their group, and that they exist.

    What is copied has columns of zeros before the first block and behind the last, so that a neighbour is a slice.
    """
    reach, number = NEIGHBOURS_PER_SIDE, table.shape[1]
    copied = np.zeros((len(_OF_NEIGHBOURS) + 1, number + 2 * reach), np.float32)
    copied[:-1, reach:-reach], copied[-1, reach:-reach] = table[_OF_NEIGHBOURS], 1
    for step, rows in _NEIGHBOUR_ROWS.items():
        table[rows] = copied[:, reach + step : reach + step + number]


def _windows(table: Matrix, is_long: Flags) -> None:
    """Describe wider windows before and behind each block by means, which are differences of prefix sums."""
    totals = before(np.concatenate((table[_OF_WINDOWS], is_long[None]), dtype=np.float64).T).T
    number = table.shape[1]
    at = np.arange(number)
    for width, rows_before, rows_behind in _WINDOW_ROWS:
        first, end = np.maximum(at - width, 0), np.minimum(at + width + 1, number)
        table[rows_before] = (totals[:, at] - totals[:, first]) / width
        table[rows_behind] = (totals[:, end] - totals[:, at + 1]) / width


def _whole(table: Matrix, page: Features, totals: Floats, elements: Elements) -> None:
    """Describe the page as a whole, in every column alike."""
    words, links, long_words, blocks, longs, stops = totals[-1]
    numbers = (
        np.log1p(words),
        links / max(1.0, words),
        long_words / max(1.0, words),
        np.log1p(blocks),
        np.log1p(longs),
        stops / max(1.0, words),
        np.log1p(page.page.length) / 4,
        table[ROWS["own.is_heading"]].mean(),
        table[ROWS["own.is_list_item"]].mean(),
        "main" in elements.tags,
        np.log1p(elements.tags.count("article")),
    )
    table[_PAGE_ROWS] = np.array(numbers, np.float32)[:, None]


def describe_names(table: Matrix, outline: Outline, values: Floats) -> None:
    """Fill the rows of names: those of the nearest elements around each block, and the sum, maximum and minimum of all.

    `values` has a number for each of the texts of names: below 0, it is typical of boilerplate, above 0 of text.
    """
    names = values[outline.elements.names.codes]
    parents = outline.elements.parents
    most, least = np.maximum(names, names[0]), np.minimum(names, names[0])
    at = parents
    while at.any():
        most, least = np.maximum(most, most[at]), np.minimum(least, least[at])
        at = at[at]
    above = np.array((_add_up(parents, names) + names[0], most, least))
    table[_NAMES_ROWS] = np.concatenate((names[outline.ancestors].T, above[:, outline.ancestors[:, 0]]))
