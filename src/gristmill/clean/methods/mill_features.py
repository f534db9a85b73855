"""What `mill` looks at: for each block of a page some two hundred numbers, on the block, the elements that hold it, its neighbours, its page.

Nothing here depends on a language: characters are told apart by their Unicode category, and no word list is used but one of class and id
names, which is learned with the model.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gristmill.clean.elements import CODES, HEADINGS, NAMES
from gristmill.clean.features import Features
from gristmill.clean.segment import Elements
from gristmill.decode.tidy import utf16

Matrix = npt.NDArray[np.float32]
Ints = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]

LEVELS = 5
"""The holder of a block and so many elements less one above it are described."""
_REACH = 3  # neighbours on each side that are described
_WINDOWS = (5, 12)
_LONG = 15  # words of a block that is probably running text, if it is no link

# Kinds of characters.
_LETTER, _UPPER, _DIGIT, _SPACE, _STOP, _COMMA, _SEPARATOR, _OTHER = range(8)
_STOPS = ".!?…。！？｡؟۔।॥։።"
_COMMAS = ",;、，；،؛"
_SEPARATORS = "|»›«‹·•→←>/"

# Elements that tell something about what stands in them, near or far above.
_HOLDERS = ("p", "div", "li", "td", "dd", "dt", "blockquote", "pre", "figcaption", "option", "section", "article", "h1", "h2", "h3", "h4", "body")
_AROUND = (
    "article", "main", "nav", "header", "footer", "aside", "form", "table", "ul", "ol", "li", "blockquote", "figure", "select", "dl", "section",
    "p", "pre", "details", "td", "fieldset",
)  # fmt: skip
_NAME_PART = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}")


@functools.cache
def _character_kinds() -> npt.NDArray[np.uint8]:
    """For each UTF-16 code unit what kind of character it is; halves of surrogate pairs count as letters."""
    kinds = np.full(1 << 16, _OTHER, np.uint8)
    for code in range(1 << 16):
        category = unicodedata.category(chr(code))
        if category[0] in "LM" or category == "Cs":
            kinds[code] = _UPPER if category in {"Lu", "Lt"} else _LETTER
        elif category[0] == "N":
            kinds[code] = _DIGIT
        elif category[0] == "Z":
            kinds[code] = _SPACE
    for characters, kind in ((_STOPS, _STOP), (_COMMAS, _COMMA), (_SEPARATORS, _SEPARATOR), ("\n", _SPACE)):
        kinds[list(map(ord, characters))] = kind
    return kinds


def _flags(names: Sequence[str]) -> Matrix:
    """A row for each code: which of the names it stands for."""
    table = np.zeros((len(NAMES), len(names)), np.float32)
    for column, name in enumerate(names):
        table[CODES[name], column] = 1
    return table


_IS_HOLDER = _flags(_HOLDERS)
_IS_AROUND = _flags(_AROUND).astype(np.bool_)
_HEADING_CODES = [CODES[name] for name in sorted(HEADINGS)]
_BODY = CODES["body"]


@functools.lru_cache(maxsize=1 << 16)
def name_words(names: str) -> tuple[str, ...]:
    """The words in class and id names: `post-navLinks` has post, nav and links."""
    return tuple(word.lower() for word in _NAME_PART.findall(names))


def describe(page: Features, names: Floats) -> Matrix:
    """A row for each block. `names` has for each element what its class and id names say: below 0 boilerplate, above 0 text."""
    return np.concatenate(columns(page) + [name_columns(page, names)], axis=1)


def columns(page: Features) -> list[Matrix]:
    """All that is known without the names of elements."""
    elements = page.page.elements
    holders = page.page.holders
    counts = _count_characters(page.texts)
    words = np.maximum(page.words, 1)
    density = page.link_density
    is_long = (page.words >= _LONG) & (density < 0.3)
    own = _own(page, counts, words, density)
    sums = np.stack((words, page.link_words.clip(None, words), words * is_long, np.ones(len(words)), is_long, counts[:, _STOP]), axis=1)
    totals = np.concatenate((np.zeros((1, sums.shape[1])), np.cumsum(sums, axis=0)))
    ancestors = climb(elements.parents, holders)
    codes = np.array([CODES.get(tag, _BODY) for tag in elements.tags])
    tree = _tree(elements, codes, totals, ancestors)
    groups = _groups(page, sums, elements, holders)
    candidates = _candidates(elements, sums, totals, holders, counts)
    return [
        own,
        _IS_HOLDER[codes[holders]],
        _around(elements.parents, codes)[holders],
        tree,
        groups,
        candidates,
        _positions(page, totals, own, is_long, ancestors),
        _neighbours(own, groups, page),
        _windows(own, is_long),
        _whole(page, totals, elements, own),
    ]


def _count_characters(texts: list[str]) -> Floats:
    """For each block the number of characters of each kind."""
    joined = utf16("\n".join(texts))
    kinds = _character_kinds()[joined].astype(np.intp)
    block = np.cumsum(joined == ord("\n"))
    return np.bincount(block * 8 + kinds, minlength=8 * len(texts)).reshape(-1, 8)[: len(texts)].astype(np.float64)


def _own(page: Features, counts: Floats, words: Ints, density: Floats) -> Matrix:
    """The block by itself. The first three columns are used again for its neighbours."""
    lengths = np.maximum(page.characters, 1)
    shares = counts[:, (_UPPER, _DIGIT, _STOP, _COMMA, _SEPARATOR, _OTHER)] / lengths[:, None]
    ends = np.array([text[-1:] in _STOPS for text in page.texts])
    logs = np.log1p(
        np.stack((words, page.characters, page.links, page.tags, page.page.tags_before, counts[:, _STOP], counts[:, _COMMA], counts[:, _DIGIT]), axis=1)
    )
    kinds = [block.kind for block in page.blocks]
    texts = page.texts
    title = page.page.metadata.title
    seen: dict[str, int] = {}
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
    rest = np.array(
        [
            (
                kind == "h",
                kind == "l",
                text[-1:] == ":",
                text[:1].isupper(),
                text[:1].isdigit(),
                seen[text] > 1,
                len(text) > 7 and text in title,
                "©" in text,
                "@" in text,
            )
            for text, kind in zip(texts, kinds, strict=True)
        ],
        np.float64,
    )
    others = np.stack(
        (
            density,
            ends,
            lengths / words / 10,
            page.tags / words,
            words / (counts[:, _STOP] + 1) / 20,
            page.links / words,
        ),
        axis=1,
    )
    return np.concatenate((logs[:, :1], others[:, :2], logs[:, 1:], others[:, 2:].clip(0, 3), shares, rest), axis=1).astype(np.float32)


def climb(parents: Ints, holders: Ints) -> Ints:
    """For each block its holder and the elements above it, as many as there are levels."""
    ancestors = np.empty((len(holders), LEVELS), np.intp)
    at = holders
    for level in range(LEVELS):
        ancestors[:, level] = at
        at = parents[at]
    return ancestors


def _around(parents: Ints, codes: Ints) -> Matrix:
    """For each element which of the telling elements it is or stands in: doubles the distance looked up with each step."""
    flags = _IS_AROUND[codes]
    at = parents
    while at.any():
        flags = flags | flags[at]
        at = at[at]
    return flags.astype(np.float32)


def _tree(elements: Elements, codes: Ints, totals: Floats, ancestors: Ints) -> Matrix:
    """The elements that hold a block: how much text, of what kind, is in each; and how many siblings are like it."""
    inside = totals[elements.end] - totals[elements.first]
    words, links, long_words, blocks, _, stops = inside.T
    whole = totals[-1]
    alike = _alike(elements)
    table = np.stack(
        (
            np.log1p(words),
            words / max(1.0, whole[0]),
            links / np.maximum(1, words),
            np.log1p(blocks),
            np.log1p(words / np.maximum(1, blocks)),
            long_words / max(1.0, whole[2]),
            long_words / np.maximum(1, words),
            np.log1p(stops),
            np.log1p(alike),
        ),
        axis=1,
    ).astype(np.float32)
    return table[ancestors].reshape(len(ancestors), -1)


def _alike(elements: Elements) -> Ints:
    """For each element the number of elements under the same parent that have its tag and names."""
    keys = list(zip(elements.parents.tolist(), elements.tags, elements.names, strict=True))
    number: dict[tuple[int, str, str], int] = {}
    for key in keys:
        number[key] = number.get(key, 0) + 1
    return np.array([number[key] for key in keys])


def _groups(page: Features, sums: Floats, elements: Elements, holders: Ints) -> Matrix:
    """The blocks of a page that stand in the same place of its structure: same path; same path and names."""
    found = []
    names = elements.names
    paths = [block.path for block in page.blocks]
    for keys in (paths, [(path, names[at]) for path, at in zip(paths, holders.tolist(), strict=True)]):
        numbers: dict[object, int] = {}
        group = np.array([numbers.setdefault(key, len(numbers)) for key in keys])
        total = np.stack([np.bincount(group, column, len(numbers)) for column in (sums[:, 0], sums[:, 1], sums[:, 2], sums[:, 3])], axis=1)
        words, links, long_words, blocks = total.T
        table = np.stack(
            (np.log1p(words), words / sums[:, 0].sum(), links / words, long_words / words, np.log1p(blocks), np.log1p(words / blocks)), axis=1
        )
        found.append(table[group])
    return np.concatenate(found, axis=1).astype(np.float32)


def _candidates(elements: Elements, sums: Floats, totals: Floats, holders: Ints, counts: Floats) -> Matrix:
    """How each block stands to the elements that most probably hold the text of the page, found in two ways.

    One is that of Readability: paragraphs give points to their parent and half as many to its parent. The other takes the element whose
    text is most, when short blocks and links count against it.
    """
    parents = elements.parents
    words, links, long_words = sums[:, 0], sums[:, 1], sums[:, 2]
    points = (long_words > 0) * (1 + counts[:, _COMMA].clip(0, 10) + (words / 20).clip(0, 3))
    held = parents[holders]
    score = np.bincount(held, points, len(parents)) + np.bincount(parents[held], points / 2, len(parents))
    inside = totals[elements.end] - totals[elements.first]
    score *= 1 - (inside[:, 1] / np.maximum(1, inside[:, 0]))
    value = np.concatenate(([0.0], np.cumsum(np.where(long_words > 0, words, -2.0 - links - 0.5 * words))))
    mass = value[elements.end] - value[elements.first]
    best = [int(np.argmax(score)), int(np.argmax(mass))]
    if len(score) > 1:
        best.append(int(parents[best[0]]))
    else:
        best.append(0)
    at = np.arange(len(words))
    found = []
    whole = max(1.0, totals[-1][0])
    for element in best:
        first, end = int(elements.first[element]), int(elements.end[element])
        found += [
            (at >= first) & (at < end),
            np.log1p((first - at).clip(0)),
            np.log1p((at - end + 1).clip(0)),
            np.full(len(at), inside[element, 0] / whole),
            np.full(len(at), inside[element, 1] / max(1.0, inside[element, 0])),
        ]
    limit = max(1e-9, float(score.max()))
    found += [score[holders] / limit, score[held] / limit, score[parents[held]] / limit]
    return np.stack(found, axis=1).astype(np.float32)


def _positions(page: Features, totals: Floats, own: Matrix, is_long: npt.NDArray[np.bool_], ancestors: Ints) -> Matrix:
    """Where on the page the block stands, and how far from headings and longer texts."""
    number = len(is_long)
    at = np.arange(number)
    whole = totals[-1]
    starts = np.array([block.start for block in page.blocks])
    is_heading = own[:, _KIND_H] > 0
    depth = np.array([block.path.count("/") for block in page.blocks])
    found = [
        at / number,
        np.log1p(at),
        np.log1p(number - 1 - at),
        totals[:-1, 0] / max(1.0, whole[0]),
        totals[:-1, 2] / max(1.0, whole[2]),
        1 - totals[1:, 2] / max(1.0, whole[2]),
        starts / max(1, page.page.length),
        depth / 10,
        np.concatenate(([0], ancestors[1:, 0] == ancestors[:-1, 0])),
        np.concatenate(([0], ancestors[1:, 1] == ancestors[:-1, 1])),
        np.concatenate((ancestors[1:, 0] == ancestors[:-1, 0], [0])),
        np.concatenate((ancestors[1:, 1] == ancestors[:-1, 1], [0])),
        *_distances(is_long, at),
        *_distances(is_heading, at),
    ]
    return np.stack(found, axis=1).astype(np.float32)


_KIND_H = 20  # the column of `_own` that is 1 for headings


def _distances(wanted: npt.NDArray[np.bool_], at: Ints) -> tuple[Floats, Floats]:
    """Blocks to the nearest such block before and behind, as logarithms; 5 stands for none."""
    places = np.flatnonzero(wanted)
    far = len(at) * 2 + 150
    before = np.concatenate(([-far], places))[np.searchsorted(places, at)]
    behind = np.append(places, far + len(at))[np.searchsorted(places, at, "right")]
    return np.log1p(at - before).clip(None, 5), np.log1p(behind - at).clip(None, 5)


def _neighbours(own: Matrix, groups: Matrix, page: Features) -> Matrix:
    """Length, links, end, kind and company of the blocks around."""
    del page
    table = np.concatenate((own[:, :3], own[:, _KIND_H : _KIND_H + 1], groups[:, 11:12], np.ones((len(own), 1), np.float32)), axis=1)
    padded = np.pad(table, ((_REACH, _REACH), (0, 0)))
    around = [offset for offset in range(2 * _REACH + 1) if offset != _REACH]
    return np.concatenate([padded[offset : offset + len(own)] for offset in around], axis=1)


def _windows(own: Matrix, is_long: npt.NDArray[np.bool_]) -> Matrix:
    """Means over more blocks before and behind."""
    table = np.concatenate((own[:, :3], is_long[:, None]), axis=1)
    totals = np.concatenate((np.zeros((1, 4)), np.cumsum(table, axis=0)))
    at = np.arange(len(own))
    found = []
    for width in _WINDOWS:
        first, end = np.maximum(at - width, 0), np.minimum(at + width + 1, len(own))
        found += [(totals[at] - totals[first]) / width, (totals[end] - totals[at + 1]) / width]
    return np.concatenate(found, axis=1).astype(np.float32)


def _whole(page: Features, totals: Floats, elements: Elements, own: Matrix) -> Matrix:
    """The page."""
    words, links, long_words, blocks, longs, stops = totals[-1]
    numbers = [
        np.log1p(words),
        links / max(1.0, words),
        long_words / max(1.0, words),
        np.log1p(blocks),
        np.log1p(longs),
        stops / max(1.0, words),
        np.log1p(page.page.length) / 4,
        float(own[:, _KIND_H].mean()),
        float(own[:, _KIND_H + 1].mean()),
        "article" in elements.tags,
        "main" in elements.tags,
        np.log1p(elements.tags.count("article")),
    ]
    return np.repeat(np.array([numbers], np.float32), len(own), axis=0)


def name_columns(page: Features, names: Floats) -> Matrix:
    """What the names of the elements around a block say: the nearest, and the sum, the most and the least of all."""
    parents = page.page.elements.parents
    total, most, least = names.copy(), names.copy(), names.copy()
    total[0] = 0.0  # the root is above all, but would be counted once a step
    at = parents
    while at.any():
        total, most, least = total + total[at], np.maximum(most, most[at]), np.minimum(least, least[at])
        at = at[at]
    table = np.stack((total + names[0], most, least), axis=1)
    ancestors = climb(parents, page.page.holders)
    return np.concatenate((names[ancestors], table[page.page.holders]), axis=1).astype(np.float32)
