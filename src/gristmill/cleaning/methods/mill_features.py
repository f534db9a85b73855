"""The features of `mill`: some two hundred numbers for each block, about it, its elements, its neighbours and its page.

They are independent of language: characters are distinguished by their Unicode category, and the only words that count
are those in class and id names, whose weights are learned with the model. `describe` makes all features but those of
names, which `describe_names` makes. Training uses both too, and columns must keep their order, since models know
features by their column.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Bytes, Floats, Ints, Matrix
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmented import Elements
from gristmill.columns import KINDS
from gristmill.kernel.elements import CODES, NAMES
from gristmill.text.characters import CONTROLS, unit_table
from gristmill.text.units import SURROGATES, utf16

LEVELS = 5
"""How many of the elements around a block are described, its holder and upwards."""
_NEIGHBOURS_PER_SIDE = 3
_WINDOWS_BLOCKS = (5, 12)  # on each side
_MAX_TITLE_CHARACTERS = 1000  # in which blocks are looked for; without limit, long titles would make pages quadratic
_MIN_LONG_WORDS = 15  # of a block that is probably running text, unless it is links
_MAX_LONG_LINK_DENSITY = 0.3  # of such a block
_NO_SUCH_BLOCK_BLOCKS = 150  # a distance that stands for "none on this page"

# Kinds of characters.
_LETTER, _UPPER, _DIGIT, _SPACE, _STOP, _COMMA, _SEPARATOR, _OTHER = range(8)
_STOPS = ".!?…。！？｡؟۔।॥։።"
_COMMAS = ",;、，；،؛"
_SEPARATORS = "|»›«‹·•→←>/"

# Elements that matter as the holder of a block, and those that matter anywhere above it.
_HOLDERS = tuple("p div li td dd dt blockquote pre figcaption option section article h1 h2 h3 h4 body".split())
_AROUND = tuple(
    (
        "article main nav header footer aside form table ul ol li blockquote figure select dl"
        " section p pre details td fieldset"
    ).split()
)
_NAME_PART = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")


@functools.cache
def _character_kinds() -> Bytes:
    """Make the table of the kind of each UTF-16 code unit; halves of surrogate pairs count as letters."""
    kinds = unit_table(
        _OTHER,
        {"L": _LETTER, "M": _LETTER, "Lu": _UPPER, "Lt": _UPPER, "N": _DIGIT, "Z": _SPACE},
        {CONTROLS: _OTHER, _STOPS: _STOP, _COMMAS: _COMMA, _SEPARATORS: _SEPARATOR, "\n": _SPACE},
    )
    kinds[SURROGATES] = _LETTER
    return kinds


def _flags(names: Sequence[str]) -> Matrix:
    """Make a table with a row for each code, and a column for each of the names: 1 where the code is that name's."""
    table = np.zeros((len(NAMES), len(names)), np.float32)
    for column, name in enumerate(names):
        table[CODES[name], column] = 1
    return table


_IS_HOLDER = _flags(_HOLDERS)
_AROUND_BITS = (_flags(_AROUND).astype(np.intp) << np.arange(len(_AROUND))).sum(axis=1)  # bit n for _AROUND[n]
_BODY = CODES["body"]


@functools.lru_cache(maxsize=1 << 16)
def name_words(names: str) -> tuple[str, ...]:
    """Split class and id names into words, each once: `post-navLinks` has post, nav and links."""
    return tuple(dict.fromkeys(map(str.lower, _NAME_PART.findall(names))))


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
        at = self.at[:, None]
        steps: Floats = np.log1p(np.concatenate((first - at, at - end + 1), axis=1).clip(0))
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
    """Return all features but those of names, a row a block."""
    elements = outline.elements
    holders = page.page.holders
    characters = _Characters(page.texts)
    words = outline.words
    density = page.link_density
    is_long = (page.words >= _MIN_LONG_WORDS) & (density < _MAX_LONG_LINK_DENSITY)
    links = np.minimum(page.link_words, words)
    stops = characters.counts[:, _STOP]
    sums = _side_by_side(words, links, words * is_long, np.ones(len(words)), is_long, stops)
    totals = before(sums)
    codes = elements.codes.copy()
    codes[0] = _BODY
    own = _own(page, characters, words, density)
    groups = _groups(page, sums, outline)
    return np.concatenate(
        (
            own,
            _IS_HOLDER[codes[holders]],
            _around(elements.parents, codes, holders),
            _tree(outline, sums),
            groups,
            _candidates(outline, sums, characters.counts[:, _COMMA]),
            _positions(page, totals, own, is_long, outline),
            _neighbours(own, groups),
            _windows(own, is_long),
            _whole(page, totals, elements, own),
        ),
        axis=1,
    )


class _Characters:
    """The characters of all blocks: how many of each of the eight kinds a block has, and which are first and last.

    A key is 8 * block + kind, so that one `bincount` counts all kinds in all blocks. For the texts `A` and `b.`, joined
    as `A`, line end, `b`, `.`, line end, the kinds are [1, 3, 0, 4, 3] and the keys [1, 3, 8, 12, 11].
    """

    def __init__(self, texts: list[str]) -> None:
        joined = utf16("\n".join(texts) + "\n")
        ends = np.flatnonzero(joined == ord("\n"))
        kinds = _character_kinds()[joined]
        steps = np.zeros(len(joined), np.intp)
        steps[ends[:-1] + 1] = 8
        keys = np.cumsum(steps) + kinds
        self.counts = np.bincount(keys, minlength=8 * len(texts)).reshape(-1, 8).astype(np.float64)
        starts = np.concatenate(([0], ends[:-1] + 1))
        self.first, self.last = kinds[starts], kinds[ends - 1]
        self.ends_with_colon = joined[ends - 1] == ord(":")
        self.keys, self.joined = keys, joined

    def have(self, character: str) -> npt.NDArray[np.bool_]:
        """Tell which blocks have a character."""
        found = np.zeros(len(self.counts), np.bool_)
        found[self.keys[self.joined == ord(character)] >> 3] = True
        return found


def _own(page: Features, characters: _Characters, words: Floats, density: Floats) -> Matrix:
    """Describe each block by itself; the first three columns are also used to describe its neighbours."""
    counts = characters.counts
    lengths = np.maximum(page.characters, 1)
    logs = np.log1p(
        _side_by_side(
            words,
            lengths,
            page.links,
            page.tags,
            page.page.tags_before,
            counts[:, _STOP],
            counts[:, _COMMA],
            counts[:, _DIGIT],
        )
    )
    ratios = _side_by_side(
        lengths / words / 10, page.tags / words, words / (counts[:, _STOP] + 1) / 20, page.links / words
    ).clip(0, 3)
    title = page.page.metadata.title[:_MAX_TITLE_CHARACTERS]
    kinds = page.columns.kind.codes
    flags = np.array(
        (
            kinds == KINDS.index("h"),
            kinds == KINDS.index("l"),
            characters.ends_with_colon,
            characters.first == _UPPER,
            characters.first == _DIGIT,
            _repeated(page.texts),
            [7 < len(text) <= len(title) and text in title for text in page.texts],
            characters.have("©"),
            characters.have("@"),
        )
    ).T
    shares = counts[:, (_UPPER, _DIGIT, _STOP, _COMMA, _SEPARATOR, _OTHER)] / lengths[:, None]
    columns = (logs[:, :1], density[:, None], (characters.last == _STOP)[:, None], logs[:, 1:], ratios, shares, flags)
    return np.concatenate(columns, axis=1, dtype=np.float32)


def _repeated(texts: list[str]) -> list[bool]:
    """Tell which texts occur more than once."""
    if len(set(texts)) == len(texts):
        return [False] * len(texts)
    number = Counter(texts)
    return [number[text] > 1 for text in texts]


_OWN_COLUMNS = 29  # how many `_own` makes
_HEADING_COLUMN = 20  # the one that is 1 for headings; the next is 1 for list items


def add_up(parents: Ints, values: Floats) -> Floats:
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


def around_column(tag: str) -> int:
    """Return the column that tells whether a block is inside such an element."""
    return _OWN_COLUMNS + len(_HOLDERS) + _AROUND.index(tag)


def _around(parents: Ints, codes: Ints, holders: Ints) -> Matrix:
    """Tell for each block in which of the elements `_AROUND` it is, at any distance.

    A number holds a bit for each of these; the bits of all elements above are joined by pointer doubling, as in
    `add_up`, and unpacked to a column each at the end.
    """
    bits = _AROUND_BITS[codes]
    at = parents
    while at.any():
        bits = bits | bits[at]
        at = at[at]
    flags: Matrix = ((bits[holders][:, None] >> np.arange(len(_AROUND))) & 1).astype(np.float32)
    return flags


def _tree(outline: Outline, sums: Floats) -> Matrix:
    """Describe the elements around each block: how much text, of what kind, is in each."""
    inside = outline.inside(sums)
    words, links, long_words, blocks, _, stops = inside.T
    some_words, some_blocks = np.maximum(1, words), np.maximum(1, blocks)
    logs = np.log1p(_side_by_side(words, blocks, words / some_blocks, stops))
    shares = _side_by_side(
        words / sums[:, 0].sum(), links / some_words, long_words / max(1.0, sums[:, 2].sum()), long_words / some_words
    )
    table = np.concatenate((logs, shares), axis=1, dtype=np.float32)
    return table[outline.ancestors].reshape(len(sums), -1)


def _groups(page: Features, sums: Floats, outline: Outline) -> Matrix:
    """Describe the blocks that have the same path as each block, and those with the same path and names."""
    names = outline.elements.names.codes
    numbers: dict[tuple[int, int], int] = {}
    keys = zip(outline.groups.tolist(), names[page.page.holders].tolist(), strict=True)
    named = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
    found = []
    for group in (outline.groups, named):
        words, links, long_words, blocks = (np.bincount(group, column) for column in sums.T[:4])
        logs = np.log1p(_side_by_side(words, blocks, words / blocks))
        shares = _side_by_side(words / words.sum(), links / words, long_words / words)
        found.append(np.concatenate((logs, shares), axis=1)[group])
    return np.concatenate(found, axis=1, dtype=np.float32)


def _candidates(outline: Outline, sums: Floats, commas: Floats) -> Matrix:
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
    page = np.concatenate((inside_words[chosen] / words.sum(), density[chosen]))
    columns = (outline.distances(chosen), score[outline.ancestors[:, :3]], np.repeat(page[None], len(words), axis=0))
    return np.concatenate(columns, axis=1, dtype=np.float32)


def _positions(page: Features, totals: Floats, own: Matrix, is_long: npt.NDArray[np.bool_], outline: Outline) -> Matrix:
    """Describe the position of each block on the page, and its distance from headings and long blocks."""
    at, number = outline.at, len(outline.at)
    whole = np.maximum(1, totals[-1])
    same = (outline.ancestors[1:, :2] == outline.ancestors[:-1, :2]).astype(np.float64)
    edge = np.zeros((1, 2))
    edge_first, edge_last = np.concatenate((edge, same)), np.concatenate((same, edge))
    depth = add_up(outline.elements.parents, np.ones(len(outline.elements.parents)))
    shares = (
        at / number,
        totals[:-1, 0] / whole[0],
        totals[:-1, 2] / whole[2],
        1 - totals[1:, 2] / whole[2],
        depth[page.page.holders] / 10,
    )
    steps = (at, number - 1 - at, *_distances(is_long, at), *_distances(own[:, _HEADING_COLUMN] > 0, at))
    logs = np.log1p(_side_by_side(*steps)).clip(None, 5)
    return np.concatenate((_side_by_side(*shares), logs, edge_first, edge_last), axis=1, dtype=np.float32)


def _distances(wanted: npt.NDArray[np.bool_], at: Ints) -> tuple[Ints, Ints]:
    """Count the blocks to the nearest wanted block before and behind; without one, 150 or more."""
    places = np.flatnonzero(wanted)
    far = len(at) * 2 + _NO_SUCH_BLOCK_BLOCKS
    earlier = np.concatenate(([-far], places))[np.searchsorted(places, at)]
    later = np.append(places, far + len(at))[np.searchsorted(places, at, "right")]
    return at - earlier, later - at


def _neighbours(own: Matrix, groups: Matrix) -> Matrix:
    """Describe the neighbours of each block: length, links, end, heading, words in their group, and that they exist.

    The table has rows of zeros before the first block and behind the last, so that a neighbour is a slice of it.
    """
    reach = _NEIGHBOURS_PER_SIDE
    table = np.zeros((len(own) + 2 * reach, 6), np.float32)
    middle = table[reach:-reach]
    middle[:, :3], middle[:, 3], middle[:, 4], middle[:, 5] = own[:, :3], own[:, _HEADING_COLUMN], groups[:, 8], 1
    offsets = [offset for offset in range(2 * reach + 1) if offset != reach]
    return np.concatenate([table[offset : offset + len(own)] for offset in offsets], axis=1)


def _windows(own: Matrix, is_long: npt.NDArray[np.bool_]) -> Matrix:
    """Describe wider windows before and behind each block by means, which are differences of prefix sums."""
    totals = before(np.concatenate((own[:, :3], is_long[:, None]), axis=1, dtype=np.float64))
    at = np.arange(len(own))
    found = []
    for width in _WINDOWS_BLOCKS:
        first, end = np.maximum(at - width, 0), np.minimum(at + width + 1, len(own))
        found += [(totals[at] - totals[first]) / width, (totals[end] - totals[at + 1]) / width]
    return np.concatenate(found, axis=1, dtype=np.float32)


def _whole(page: Features, totals: Floats, elements: Elements, own: Matrix) -> Matrix:
    """Describe the page as a whole, in every row alike."""
    words, links, long_words, blocks, longs, stops = totals[-1]
    numbers = (
        np.log1p(words),
        links / max(1.0, words),
        long_words / max(1.0, words),
        np.log1p(blocks),
        np.log1p(longs),
        stops / max(1.0, words),
        np.log1p(page.page.length) / 4,
        own[:, _HEADING_COLUMN].mean(),
        own[:, _HEADING_COLUMN + 1].mean(),
        "main" in elements.tags,
        np.log1p(elements.tags.count("article")),
    )
    return np.repeat(np.array([numbers], np.float32), len(own), axis=0)


def describe_names(outline: Outline, names: Floats) -> Matrix:
    """Describe the names of the elements around each block: those of the nearest, and the sum, maximum and minimum.

    `names` has a number for each element: below 0 its names are typical of boilerplate, above 0 of text.
    """
    parents = outline.elements.parents
    most, least = names, names
    at = parents
    while at.any():
        most, least = np.maximum(most, most[at]), np.minimum(least, least[at])
        at = at[at]
    table = _side_by_side(add_up(parents, names) + names[0], most, least)
    return np.concatenate((names[outline.ancestors], table[outline.ancestors[:, 0]]), axis=1, dtype=np.float32)
