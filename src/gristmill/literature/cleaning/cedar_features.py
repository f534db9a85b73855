"""The features of `cedar` (section 5.2): words, and others with a small number of values, for all blocks of a page.

A feature other than words is computed as a column of numbers, and then turned into a value by the edges in `EDGES`;
tags are values by themselves. `evaluation` uses them to train the model.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.features import Features
from gristmill.kernel.elements import CODES
from gristmill.text.characters import Characters

Values = npt.NDArray[np.int16]

_WORD = re.compile(r"\w+")
_SHARE_EDGES = (0.001, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 0.999)
_COUNT_EDGES = (1, 2, 3, 5, 10)
_TAGS = (
    *("p", "div", "li", "ul", "ol", "td", "th", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "body", "form"),
    *("option", "select", "dd", "dt", "dl", "blockquote", "pre", "center", "section", "article", "nav", "footer"),
    *("header", "aside", "label", "caption", "address", "fieldset", "noscript", "iframe", "figcaption", "button"),
)
_INSIDE = (
    *("a", "b", "strong", "i", "em", "u", "font", "span", "small", "big", "code", "tt", "cite", "q", "sub", "sup"),
    *("ins", "del", "abbr", "acronym", "img"),
)
"""The tags inside a line that are looked for in a block: those of section 5.1 that pages have, and images before it."""
_NUMBER_OF_TAG = {CODES[tag]: number for number, tag in enumerate(_TAGS, 1) if tag in CODES}
_MISSING = -1.0  # of stop words where there is no stop list

EDGES: dict[str, tuple[float, ...]] = {
    "tokens": (2, 3, 5, 8, 12, 17, 25, 40, 60, 100),
    "tokens in anchors": _SHARE_EDGES,
    "stop words": (-0.5, *_SHARE_EDGES),
    "names": (1, 2, 3, 5, 10),
    "share of names": _SHARE_EDGES,
    "numbers": (1, 2, 3, 5),
    "anchors": _COUNT_EDGES,
    "tags inside": _COUNT_EDGES,
    "tags before": (1, 2, 3, 4, 6, 9, 14),
    "sentences": (1, 2, 3, 5),
    "ends as a sentence": (1,),
    "position": tuple(at / 10 for at in range(1, 10)),
    **{f"has {tag}": (1.0,) for tag in _INSIDE},
    **{place: tuple(range(1, len(_TAGS) + 1)) for place in ("tag", "tag around", "tag around that")},
}
"""The features with their edges: a number below the first has value 0, from the first on 1, from the second on 2..."""
NAMES = tuple(EDGES)
BASES: Ints = np.cumsum([0, *(len(edges) + 1 for edges in EDGES.values())])
"""The number of each feature's first value, if the values of all features are numbered in a row; the last is the total.

Value v of feature f is so the number BASES[f] + v: that of its weight.
"""


def features(page: Features, lang: str) -> Values:
    """Compute the values of all features but words, a row a block."""
    columns = _of_text(page, lang) | _of_markup(page)
    return np.stack(
        [np.searchsorted(edges, columns[name], "right").astype(np.int16) for name, edges in EDGES.items()], 1
    )


def _of_text(page: Features, lang: str) -> dict[str, npt.NDArray[np.generic]]:
    """Count tokens, stop words, names and sentences.

    Names stand for named entities: words with a capital behind a word that does not end a sentence. "In Rome, Paul met
    Ann." has three: "In" begins the block, the others do not.
    """
    characters = Characters(page.texts)
    capital, white, digit = characters.are("Lu", "Lt"), characters.are("Z"), characters.are("N")
    stops = characters.among(".!?。！？")
    begins = np.append(True, white[:-1])
    begins[characters.starts] = False
    second = np.append([True, True], stops[:-2])[: len(stops)]  # what stands before the space before a word
    names = characters.count(capital & begins & ~second)
    ends = characters.starts + np.maximum(0, characters.lengths - 1)
    densities = page.stop_word_density(lang)
    return {
        "tokens": page.words,
        "stop words": np.where(np.isnan(densities), _MISSING, densities),
        "names": names,
        "share of names": names / np.maximum(1, page.words),
        "numbers": characters.count(digit & ~np.append(False, digit[:-1])),
        "sentences": characters.count(stops),
        "ends as a sentence": stops[ends],
        "position": np.arange(len(page)) / max(1, len(page)),
    }


def _of_markup(page: Features) -> dict[str, npt.NDArray[np.generic]]:
    """Tell of the tags in the block, before it, and around it ("tags in and around the block")."""
    elements = page.page.elements
    numbers = _tag_numbers()[elements.codes]
    numbers[0] = _NUMBER_OF_TAG[CODES["body"]]
    holders = page.page.holders
    around = elements.parents[holders]
    return {
        "tokens in anchors": page.link_density,
        "anchors": page.links,
        "tags inside": page.tags,
        "tags before": page.page.tags_before,
        **{f"has {tag}": counts for tag, counts in zip(_INSIDE, _tags_inside(page), strict=True)},
        "tag": numbers[holders],
        "tag around": numbers[around],
        "tag around that": numbers[elements.parents[around]],
    }


def _tags_inside(page: Features) -> list[Ints]:
    """Count the start tags of each name in `_INSIDE` that stand in a block, or right before its first word.

    `<p><b>one</b> <i>two</i><p>three` has the tags [p, b, /b, i, /i, /p, p]. The first block begins behind 2 of them,
    all of which are its own, and has 3 inside: so its tags are those from 0 to 5.
    """
    tags = page.page.tags
    first = page.page.tags_up_to - page.page.tags_before
    end = np.minimum(page.page.tags_up_to + page.tags, len(tags))
    sums = (np.concatenate(([0], np.cumsum(tags == CODES[tag]))) for tag in _INSIDE)
    return [before[end] - before[first] for before in sums]


@functools.cache
def _tag_numbers() -> npt.NDArray[np.int64]:
    return np.array([_NUMBER_OF_TAG.get(code, 0) for code in range(max(CODES.values()) + 1)], np.int64)


class Bags(NamedTuple):
    """The known words of all blocks: for each of them the block and its number in the vocabulary, and how often."""

    blocks: Ints
    words: Ints
    counts: Ints


def bags(page: Features, vocabulary: Mapping[str, int]) -> Bags:
    """Count the words of each block that are in the vocabulary.

    Block and word are packed into one number, block * size + word, to be counted.
    """
    blocks: list[int] = []
    words: list[int] = []
    for at, text in enumerate(page.texts):
        found = [vocabulary[word] for word in words_of(text) if word in vocabulary]
        words += found
        blocks += [at] * len(found)
    size = max(1, len(vocabulary))
    cells, counts = np.unique(np.array(blocks, np.int64) * size + np.array(words, np.int64), return_counts=True)
    return Bags(cells // size, cells % size, counts)


def words_of(text: str) -> list[str]:
    """Return the words of a text in small letters."""
    return _WORD.findall(text.lower())
