"""What `mill` looks at: some two hundred numbers for each block, on itself, the elements that hold it, its neighbours, its page.

Nothing here depends on a language: characters are told apart by their Unicode category, and no word list is used but
one of class and id names, which is learned with the model.
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

from gristmill.arrays.dtypes import Bytes, Floats, Ints
from gristmill.cleaning.elements import CODES, NAMES
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import Elements
from gristmill.text.characters import CONTROLS, unit_table
from gristmill.text.units import SURROGATES, utf16

Matrix = npt.NDArray[np.float32]

LEVELS = 5
"""The holder of a block and so many elements less one above it are described."""
_REACH = 3  # neighbours on each side that are described
_WINDOWS = (5, 12)
_TITLE = (
    1000  # characters of a title in which blocks are looked for; without limit long titles would make pages quadratic
)
_LONG = 15  # words of a block that is probably running text, if it is no link

# Kinds of characters.
_LETTER, _UPPER, _DIGIT, _SPACE, _STOP, _COMMA, _SEPARATOR, _OTHER = range(8)
_STOPS = ".!?…。！？｡؟۔।॥։።"
_COMMAS = ",;、，；،؛"
_SEPARATORS = "|»›«‹·•→←>/"

# Elements that tell something about what stands in them, near or far above.
_HOLDERS = (
    "p", "div", "li", "td", "dd", "dt", "blockquote", "pre", "figcaption", "option", "section", "article", "h1", "h2", "h3", "h4", "body",
)  # fmt: skip
_AROUND = (
    "article", "main", "nav", "header", "footer", "aside", "form", "table", "ul", "ol", "li", "blockquote", "figure", "select", "dl",
    "section", "p", "pre", "details", "td", "fieldset",
)  # fmt: skip
_NAME_PART = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")


@functools.cache
def _character_kinds() -> Bytes:
    """For each UTF-16 code unit what kind of character it is; halves of surrogate pairs count as letters."""
    kinds = unit_table(
        _OTHER,
        {"L": _LETTER, "M": _LETTER, "Lu": _UPPER, "Lt": _UPPER, "N": _DIGIT, "Z": _SPACE},
        {CONTROLS: _OTHER, _STOPS: _STOP, _COMMAS: _COMMA, _SEPARATORS: _SEPARATOR, "\n": _SPACE},
    )
    kinds[SURROGATES] = _LETTER
    return kinds


def _flags(names: Sequence[str]) -> Matrix:
    """A row for each code: which of the names it stands for."""
    table = np.zeros((len(NAMES), len(names)), np.float32)
    for column, name in enumerate(names):
        table[CODES[name], column] = 1
    return table


_IS_HOLDER = _flags(_HOLDERS)
_AROUND_BITS = (_flags(_AROUND).astype(np.intp) << np.arange(len(_AROUND))).sum(axis=1)
_BODY = CODES["body"]


@functools.lru_cache(maxsize=1 << 16)
def name_words(names: str) -> tuple[str, ...]:
    """The words in class and id names, each once: `post-navLinks` has post, nav and links."""
    return tuple(dict.fromkeys(map(str.lower, _NAME_PART.findall(names))))


@dataclass(slots=True)
class Outline:
    """The structure of a page."""

    elements: Elements
    ancestors: Ints
    """For each block its holder and the elements above it, a column a level."""
    groups: Ints
    """For each block the number of its group: all blocks with the same path."""
    words: Floats
    at: Ints
    """The places of the blocks: 0, 1, 2..."""

    @classmethod
    def of(cls, page: Features) -> Outline:
        """The outline of a page with at least one block."""
        holders, parents = page.page.holders, page.page.elements.parents
        numbers: dict[str, int] = {}
        groups = np.array([numbers.setdefault(block.path, len(numbers)) for block in page.blocks])
        words = np.maximum(page.words, 1).astype(np.float64)
        return cls(page.page.elements, _climb(parents, holders), groups, words, np.arange(len(holders)))

    def inside(self, columns: Floats) -> Floats:
        """The sums of columns over the blocks in each element."""
        totals = before(columns)
        return totals[self.elements.end] - totals[self.elements.first]

    def distances(self, chosen: list[int]) -> Floats:
        """How far each block is before or behind each of the chosen elements, as logarithms: 0 and 0 inside."""
        first, end = self.elements.first[chosen], self.elements.end[chosen]
        at = self.at[:, None]
        steps: Floats = np.log1p(np.concatenate((first - at, at - end + 1), axis=1).clip(0))
        return steps


def _side_by_side(*columns: npt.NDArray[Any]) -> Floats:
    """Columns as one array: several times faster than `np.stack` for short ones."""
    return np.array(columns, np.float64).T


def before(columns: Floats) -> Floats:
    """Sums over all blocks before each place, and over all blocks."""
    return np.concatenate((np.zeros_like(columns[:1]), np.cumsum(columns, axis=0)))


def _climb(parents: Ints, holders: Ints) -> Ints:
    ancestors = np.empty((len(holders), LEVELS), np.intp)
    at = holders
    for level in range(LEVELS):
        ancestors[:, level] = at
        at = parents[at]
    return ancestors


def describe(page: Features, outline: Outline) -> Matrix:
    """All that is known of each block without the names of elements: a row a block."""
    elements = outline.elements
    holders = page.page.holders
    characters = _Characters(page.texts)
    words = outline.words
    density = page.link_density
    is_long = (page.words >= _LONG) & (density < 0.3)
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
    """Characters of all blocks at once: how many of each kind, and which are first and last."""

    def __init__(self, texts: list[str]) -> None:
        joined = utf16("\n".join(texts) + "\n")
        ends = np.flatnonzero(joined == ord("\n"))
        kinds = _character_kinds()[joined]
        block = np.zeros(len(joined), np.intp)
        block[ends[:-1] + 1] = 8
        keys = np.cumsum(block) + kinds
        self.counts = np.bincount(keys, minlength=8 * len(texts)).reshape(-1, 8).astype(np.float64)
        starts = np.concatenate(([0], ends[:-1] + 1))
        self.first, self.last = kinds[starts], kinds[ends - 1]
        self.ends_with_colon = joined[ends - 1] == ord(":")
        self.block, self.joined = keys, joined

    def have(self, character: str) -> npt.NDArray[np.bool_]:
        """Which blocks have a character."""
        found = np.zeros(len(self.counts), np.bool_)
        found[self.block[self.joined == ord(character)] >> 3] = True
        return found


def _own(page: Features, characters: _Characters, words: Floats, density: Floats) -> Matrix:
    """The block by itself. The first three columns are used again for its neighbours."""
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
    title = page.page.metadata.title[:_TITLE]
    kinds = np.frombuffer("".join([block.kind for block in page.blocks]).encode(), np.uint8)
    flags = np.array(
        (
            kinds == ord("h"),
            kinds == ord("l"),
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
    """Which texts are there more than once."""
    if len(set(texts)) == len(texts):
        return [False] * len(texts)
    number = Counter(texts)
    return [number[text] > 1 for text in texts]


_OWN = 29  # columns of `_own`
_KIND_H = 20  # that which is 1 for headings


def add_up(parents: Ints, values: Floats) -> Floats:
    """For each element the sum of the values of it and all elements above it, without the root: the distance doubles with each step."""
    total = values.copy()
    total[0] = 0.0
    at = parents
    while at.any():
        total = total + total[at]
        at = at[at]
    return total


def around_column(tag: str) -> int:
    """The column that says whether a block stands somewhere in such an element."""
    return _OWN + len(_HOLDERS) + _AROUND.index(tag)


def _around(parents: Ints, codes: Ints, holders: Ints) -> Matrix:
    """For each block in which of the telling elements it stands, near or far."""
    bits = _AROUND_BITS[codes]
    at = parents
    while at.any():
        bits = bits | bits[at]
        at = at[at]
    flags: Matrix = ((bits[holders][:, None] >> np.arange(len(_AROUND))) & 1).astype(np.float32)
    return flags


def _tree(outline: Outline, sums: Floats) -> Matrix:
    """The elements that hold a block: how much text, of what kind, is in each."""
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
    """The blocks of a page that stand in the same place of its structure: same path; same path and names."""
    names = outline.elements.names
    numbers: dict[tuple[int, str], int] = {}
    keys = zip(outline.groups.tolist(), [names[at] for at in page.page.holders.tolist()], strict=True)
    named = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
    found = []
    for group in (outline.groups, named):
        words, links, long_words, blocks = (np.bincount(group, column) for column in sums.T[:4])
        logs = np.log1p(_side_by_side(words, blocks, words / blocks))
        shares = _side_by_side(words / words.sum(), links / words, long_words / words)
        found.append(np.concatenate((logs, shares), axis=1)[group])
    return np.concatenate(found, axis=1, dtype=np.float32)


def _candidates(outline: Outline, sums: Floats, commas: Floats) -> Matrix:
    """How each block stands to the elements that most probably hold the text of the page, found in two ways.

    One is that of Readability: paragraphs give points to their parent and half as many to its parent. The other takes
    the element whose text is most, when short blocks and links count against it.
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
    """Where on the page the block stands, and how far from headings and longer texts."""
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
    steps = (at, number - 1 - at, *_distances(is_long, at), *_distances(own[:, _KIND_H] > 0, at))
    logs = np.log1p(_side_by_side(*steps)).clip(None, 5)
    return np.concatenate((_side_by_side(*shares), logs, edge_first, edge_last), axis=1, dtype=np.float32)


def _distances(wanted: npt.NDArray[np.bool_], at: Ints) -> tuple[Ints, Ints]:
    """Blocks to the nearest such block before and behind; more than 150 stands for none."""
    places = np.flatnonzero(wanted)
    far = len(at) * 2 + 150
    earlier = np.concatenate(([-far], places))[np.searchsorted(places, at)]
    later = np.append(places, far + len(at))[np.searchsorted(places, at, "right")]
    return at - earlier, later - at


def _neighbours(own: Matrix, groups: Matrix) -> Matrix:
    """Length, links, end, kind and company of the blocks around."""
    table = np.zeros((len(own) + 2 * _REACH, 6), np.float32)
    middle = table[_REACH:-_REACH]
    middle[:, :3], middle[:, 3], middle[:, 4], middle[:, 5] = own[:, :3], own[:, _KIND_H], groups[:, 8], 1
    return np.concatenate(
        [table[offset : offset + len(own)] for offset in range(2 * _REACH + 1) if offset != _REACH], axis=1
    )


def _windows(own: Matrix, is_long: npt.NDArray[np.bool_]) -> Matrix:
    """Means over more blocks before and behind."""
    totals = before(np.concatenate((own[:, :3], is_long[:, None]), axis=1, dtype=np.float64))
    at = np.arange(len(own))
    found = []
    for width in _WINDOWS:
        first, end = np.maximum(at - width, 0), np.minimum(at + width + 1, len(own))
        found += [(totals[at] - totals[first]) / width, (totals[end] - totals[at + 1]) / width]
    return np.concatenate(found, axis=1, dtype=np.float32)


def _whole(page: Features, totals: Floats, elements: Elements, own: Matrix) -> Matrix:
    """The page."""
    words, links, long_words, blocks, longs, stops = totals[-1]
    numbers = (
        np.log1p(words),
        links / max(1.0, words),
        long_words / max(1.0, words),
        np.log1p(blocks),
        np.log1p(longs),
        stops / max(1.0, words),
        np.log1p(page.page.length) / 4,
        own[:, _KIND_H].mean(),
        own[:, _KIND_H + 1].mean(),
        "main" in elements.tags,
        np.log1p(elements.tags.count("article")),
    )
    return np.repeat(np.array([numbers], np.float32), len(own), axis=0)


def describe_names(outline: Outline, names: Floats) -> Matrix:
    """What the names of the elements around a block say: the nearest, and the sum, the most and the least of all.

    `names` has a number for each element: below 0 its names are those of boilerplate, above 0 of text.
    """
    parents = outline.elements.parents
    most, least = names, names
    at = parents
    while at.any():
        most, least = np.maximum(most, most[at]), np.minimum(least, least[at])
        at = at[at]
    table = _side_by_side(add_up(parents, names) + names[0], most, least)
    return np.concatenate((names[outline.ancestors], table[outline.ancestors[:, 0]]), axis=1, dtype=np.float32)
