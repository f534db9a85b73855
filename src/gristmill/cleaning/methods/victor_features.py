"""The features of Victor (section 3.2), each with a small number of values, for all text nodes of a page at once."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.elements import BLOCKS, HEADINGS, INLINE
from gristmill.cleaning.features import Features
from gristmill.cleaning.segmentation import Elements
from gristmill.text.characters import Characters

Values = npt.NDArray[np.int16]
Column = npt.NDArray[np.intp] | npt.NDArray[np.float64] | npt.NDArray[np.bool_]
Columns = dict[str, Column]

_CONTAINERS: dict[str, AbstractSet[str]] = {
    "p": {"p"},
    "a": {"a"},
    "u": {"u"},
    "class-header": HEADINGS,
    "class-bold": {"b", "strong"},
    "class-italic": {"i", "em"},
    "class-list": {"ul", "ol", "li", "dl", "dt", "dd"},
    "class-form": {"form", "fieldset", "legend", "select", "optgroup", "option", "textarea", "label", "button"},
}
_CONTAINED = {tag: [tag in tags for tags in _CONTAINERS.values()] for tag in frozenset().union(*_CONTAINERS.values())}
_IN_NONE = [False] * len(_CONTAINERS)
_SHARES = (0.001, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.999)
_FEW = (1, 2, 3, 5, 10, 20, 50)
_MANY = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_REGEXPS = {
    "url": (r"://|\bwww\.", r"[\w.-]{1,64}@[\w-]{1,64}\."),
    "date": (
        r"\b\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}\b",
        r"\b(?:19|20)\d\d-\d\d-\d\d\b",
        r"\b\d{1,2}(?:\.|st|nd|rd|th)? [^\W\d_]{3,12},? (?:19|20)\d\d\b",
        r"\b[^\W\d_]{3,12} \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d\b",
        r"\b(?:19|20)\d\d\b",
    ),
    "time": (r"\b\d{1,2}:\d\d\b", r"\b\d{1,2} ?[aApP]\.?[mM]\b"),
}
_PATTERNS = {name: tuple(re.compile(pattern) for pattern in patterns) for name, patterns in _REGEXPS.items()}
_LONGEST = 200  # characters of a block that the expressions look at
_BASE = np.uint64(0x9E3779B97F4A7C15)

EDGES: dict[str, tuple[float, ...]] = {
    **{f"container.{name}": (1,) for name in _CONTAINERS},
    **{f"split.{name}": (1, 2, 3) for name in ("p", "void", "class-inline", "class-block")},
    **{f"char.{name}-rel": _SHARES for name in ("alpha", "num", "punct", "white", "other")},
    **{f"token.{name}-rel": _SHARES for name in ("alpha", "num", "mix", "other")},
    **{f"token.{name}-abs": _FEW for name in ("alpha", "num", "mix", "other")},
    "sentence.count": (1, 2, 3, 5, 10),
    "sentence.avg-length": (3, 5, 8, 12, 20, 40),
    "sentence-begin": (1,),
    "sentence-end": (1,),
    "first-duplicate": (1,),
    "duplicate-count": (1, 2, 3, 5, 10),
    **{f"regexp.{name}": tuple(range(1, len(patterns) + 1)) for name, patterns in _REGEXPS.items()},
    "div-group.word-ratio": _SHARES,
    "td-group.word-ratio": _SHARES,
    "position": tuple(at / 10 for at in range(1, 10)),
    "document.word-count": _MANY,
    "document.sentence-count": _MANY,
    "document.block-count": _MANY,
    "document.max-div-group": _SHARES,
    "document.max-td-group": _SHARES,
}
"""The features, and the numbers from which on a feature has its next value. Value 0 is below the first."""
NAMES = tuple(EDGES)
BASES: Ints = np.cumsum([0, *(len(edges) + 1 for edges in EDGES.values())])
"""Where the values of each feature begin if all values of all features are numbered through; the last is how many there are."""


def features(page: Features) -> Values:
    """The values of all features of all nodes, a row for each node."""
    characters = Characters(page.texts)
    columns = (
        _containers(page) | _splits(page) | _characters(characters) | _tokens(characters) | _sentences(page, characters)
    )
    columns |= _duplicates(characters) | _regexps(page, columns["char.num-rel"]) | _groups(page)
    columns |= _document(page, columns)
    return np.stack(
        [np.searchsorted(edges, columns[name], "right").astype(np.int16) for name, edges in EDGES.items()], 1
    )


def _containers(page: Features) -> Columns:
    """Which elements stand around each node."""
    elements = page.page.elements
    flags = np.array([_CONTAINED.get(tag, _IN_NONE) for tag in elements.tags], np.bool_)
    above = elements.parents
    while above.any():  # twice as far up each time
        flags |= flags[above]
        above = above[above]
    return {f"container.{name}": column for name, column in zip(_CONTAINERS, flags[page.page.holders].T, strict=True)}


def _splits(page: Features) -> Columns:
    """How many tags of a kind stand between a node and the one before it: start and end tags, `<br>` and other void ones together."""
    elements, number = page.page.elements, len(page.blocks)

    def between(tags: AbstractSet[str]) -> Ints:
        wanted = np.array([tag in tags for tag in elements.tags], np.bool_)
        wanted[0] = False
        places = np.concatenate((elements.first[wanted], elements.end[wanted]))
        return np.bincount(places, minlength=number + 1)[:number]

    inline, block, paragraph = between(INLINE), between(BLOCKS), between({"p"})
    void = np.maximum(0, page.page.tags_before - inline - block)
    return {"split.p": paragraph, "split.void": void, "split.class-inline": inline, "split.class-block": block}


def _characters(characters: Characters) -> Columns:
    kinds = {"alpha": ("L", "M"), "num": ("N",), "punct": ("P",), "white": ("Z",)}
    counts = {name: characters.count(characters.are(*categories)) for name, categories in kinds.items()}
    counts["other"] = characters.lengths - sum(counts.values())
    return {f"char.{name}-rel": count / np.maximum(1, characters.lengths) for name, count in counts.items()}


def _tokens(characters: Characters) -> Columns:
    """Tokens are what white space divides: those with letters, with digits, with both, with neither."""
    solid = ~characters.are("Z")
    begins = solid.copy()
    begins[1:] &= ~solid[:-1]
    places = np.flatnonzero(begins)
    if len(places):
        letters, digits = (np.bitwise_or.reduceat(characters.are(*kinds), places) for kinds in (("L", "M"), ("N",)))
    else:
        letters = digits = np.zeros(0, np.bool_)
    text = np.searchsorted(characters.starts, places, "right") - 1
    kinds = {"alpha": letters & ~digits, "num": digits & ~letters, "mix": letters & digits, "other": ~letters & ~digits}
    counts = {name: np.bincount(text[flags], minlength=len(characters.starts)) for name, flags in kinds.items()}
    total = np.maximum(1, sum(counts.values()))
    absolute: Columns = {f"token.{name}-abs": count for name, count in counts.items()}
    return absolute | {f"token.{name}-rel": count / total for name, count in counts.items()}


def _sentences(page: Features, characters: Characters) -> Columns:
    """Sentences are counted by full stops, exclamation and question marks."""
    stops = characters.among(".!?。！？")
    capital = characters.are("Lu", "Lt")
    count = characters.count(stops)
    return {
        "sentence.count": count,
        "sentence.avg-length": page.words / np.maximum(1, count),
        "sentence-begin": capital[characters.starts],
        "sentence-end": stops[characters.starts + np.maximum(0, characters.lengths - 1)],
    }


def _duplicates(characters: Characters) -> Columns:
    """How many other nodes have the same letters, and which is the first of them; without letters a node is like no other."""
    letters = characters.are("L", "M")
    seen = np.cumsum(letters)
    before: Ints = (seen - letters)[characters.starts]
    place = np.maximum(0, seen - np.repeat(before, characters.lengths + 1) - 1)
    powers = np.cumprod(np.full(int(place.max(initial=0)) + 1, _BASE))
    hashes = np.add.reduceat(
        np.where(letters, (characters.codes + np.uint64(1)) * powers[place], np.uint64(0)), characters.starts
    )
    _, first, group, counts = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    others = np.where(characters.count(letters) > 0, counts[group] - 1, 0)
    is_first = np.zeros(len(hashes), np.bool_)
    is_first[first] = True
    return {"first-duplicate": is_first & (others > 0), "duplicate-count": others}


def _regexps(page: Features, digits: Column) -> Columns:
    """For each set of expressions the number of the first that is found in the node, from 1; 0 if none is."""
    numbered: npt.NDArray[np.bool_] = np.greater(digits, 0)
    columns: Columns = {}
    for name, patterns in _PATTERNS.items():
        wanted = (
            ["://" in text or "www." in text or "@" in text for text in page.texts]
            if name == "url"
            else numbered.tolist()
        )
        columns[f"regexp.{name}"] = np.array(
            [_first(patterns, text[:_LONGEST]) if look else 0 for text, look in zip(page.texts, wanted, strict=True)],
            np.intp,
        )
    return columns


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> int:
    return next((number for number, pattern in enumerate(patterns, 1) if pattern.search(text)), 0)


def _groups(page: Features) -> Columns:
    """The share of the words outside links that stand in the same innermost `div`, and in the same table cell."""
    words = np.maximum(0, page.words - page.link_words)
    total = max(1, int(words.sum()))
    columns: Columns = {}
    for tag in ("div", "td"):
        group = _innermost(page.page.elements, tag)[page.page.holders]
        sizes = np.bincount(group, words, len(page.page.elements.tags))
        columns[f"{tag}-group.word-ratio"] = np.where(group > 0, sizes[group], 0.0) / total
    return columns


def _innermost(elements: Elements, tag: str) -> Ints:
    """For each element the nearest of that name, itself or around it; the body of the page if there is none."""
    up = np.where([name == tag for name in elements.tags], np.arange(len(elements.tags)), elements.parents)
    while True:
        further = up[up]
        if np.array_equal(further, up):
            return up
        up = further


def _document(page: Features, columns: Columns) -> Columns:
    """What is the same for all nodes of a page, and the place of each among them."""
    number = len(page.blocks)
    whole: dict[str, float] = {
        "document.word-count": float(page.words.sum()),
        "document.sentence-count": float(np.sum(columns["sentence.count"])),
        "document.block-count": number,
        "document.max-div-group": float(np.max(columns["div-group.word-ratio"])),
        "document.max-td-group": float(np.max(columns["td-group.word-ratio"])),
    }
    position: Columns = {"position": np.arange(number) / number}
    return position | {name: np.full(number, value) for name, value in whole.items()}
