"""The features of `victor` (section 3.2), each with a small number of values, for all text nodes of a page at once.

A feature is computed as a column of numbers, and then turned into a value by the edges in `EDGES`. `evaluation` uses
them to train the model.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.ancestors import nearest
from gristmill.cleaning.features import Features
from gristmill.cleaning.tags import PageTags, tags_of
from gristmill.kernel.elements import BLOCKS, HEADINGS, INLINE
from gristmill.literature.cleaning.victor_languages import fits
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
# Edges for shares, for counts within a node, for counts within a page.
_SHARE_EDGES = (0.001, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.999)
_COUNT_EDGES = (1, 2, 3, 5, 10, 20, 50)
_PAGE_COUNT_EDGES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
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
_MAX_SEARCHED_CHARACTERS = 200  # of a node, by the regular expressions
_MAX_IDENTIFIED_CHARACTERS = 100  # of a node, of which the language is looked at: our choice, for speed
_HASH_BASE = np.uint64(0x9E3779B97F4A7C15)

EDGES: dict[str, tuple[float, ...]] = {
    **{f"container.{name}": (1,) for name in (*_CONTAINERS, "img")},
    **{f"split.{name}": (1, 2, 3) for name in ("p", "br", "hr", "class-inline", "class-block")},
    **{f"char.{name}-rel": _SHARE_EDGES for name in ("alpha", "num", "punct", "white", "other")},
    **{f"token.{name}-rel": _SHARE_EDGES for name in ("alpha", "num", "mix", "other")},
    **{f"token.{name}-abs": _COUNT_EDGES for name in ("alpha", "num", "mix", "other")},
    "sentence.count": (1, 2, 3, 5, 10),
    "sentence.avg-length": (3, 5, 8, 12, 20, 40),
    "sentence-begin": (1,),
    "sentence-end": (1,),
    "first-duplicate": (1,),
    "duplicate-count": (1, 2, 3, 5, 10),
    **{f"regexp.{name}": tuple(range(1, len(patterns) + 1)) for name, patterns in _REGEXPS.items()},
    "div-group.word-ratio": _SHARE_EDGES,
    "td-group.word-ratio": _SHARE_EDGES,
    "position": tuple(at / 10 for at in range(1, 10)),
    "document.word-count": _PAGE_COUNT_EDGES,
    "document.sentence-count": _PAGE_COUNT_EDGES,
    "document.block-count": _PAGE_COUNT_EDGES,
    "document.max-div-group": _SHARE_EDGES,
    "document.max-td-group": _SHARE_EDGES,
    "langid1": (0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.12),
    "langid2": (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5),
}
"""The features with their edges: a number below the first has value 0, from the first on 1, from the second on 2..."""
LANGUAGE_FEATURES = ("langid1", "langid2")
"""The last of the features, which are used only if that is asked for."""
NAMES = tuple(EDGES)
BASES: Ints = np.cumsum([0, *(len(edges) + 1 for edges in EDGES.values())])
"""The number of each feature's first value, if the values of all features are numbered in a row; the last is the total.

Value v of feature f is so the number BASES[f] + v: that of its weight.
"""


def features(page: Features, lang: str | None = None) -> Values:
    """Compute the values of the features, a row a node; those of language identification only with a language."""
    characters = Characters(page.texts)
    tags = tags_of(page.page)
    columns = _containers(page, tags) | _splits(tags) | _characters(characters) | _tokens(characters)
    columns |= _sentences(page, characters)
    columns |= _duplicates(characters) | _regexps(page, columns["char.num-rel"]) | _groups(page)
    columns |= _document(page, columns)
    if lang is not None:
        columns |= _languages(page.texts, lang)
    names = [name for name in NAMES if name in columns]
    return np.stack([np.searchsorted(EDGES[name], columns[name], "right").astype(np.int16) for name in names], 1)


def _containers(page: Features, tags: PageTags) -> Columns:
    """Tell which elements stand around each node.

    By pointer doubling: `above` is first the parent of each element, then its grandparent, then the fourth above.
    """
    elements = page.page.elements
    flags = np.array([_CONTAINED.get(tag, _IN_NONE) for tag in elements.tags], np.bool_)
    above = elements.parents
    while above.any():
        flags |= flags[above]
        above = above[above]
    columns = zip(_CONTAINERS, flags[page.page.holders].T, strict=True)
    return {f"container.{name}": column for name, column in columns} | {"container.img": _in_images(tags)}


def _in_images(tags: PageTags) -> npt.NDArray[np.bool_]:
    """Tell which nodes stand between `<img>` and `</img>`, as only broken pages have it: images hold no text."""
    images = np.flatnonzero(tags.are({"img"}))
    place = images.searchsorted(tags.before)
    closing = np.concatenate(([True], tags.closing[images], [False]))  # before the first, and behind the last
    inside: npt.NDArray[np.bool_] = ~closing[place] & closing[place + 1]
    return inside


def _splits(tags: PageTags) -> Columns:
    """Count the tags of each kind between a node and the one before it; start and end tags count alike."""
    kinds: dict[str, AbstractSet[str]] = {
        "p": {"p"},
        "br": {"br"},
        "hr": {"hr"},
        "class-inline": INLINE,
        "class-block": BLOCKS - {"hr"},
    }
    since = np.maximum(0, tags.behind_last)
    return {f"split.{name}": tags.count(tags.are(names), since, tags.before) for name, names in kinds.items()}


def _characters(characters: Characters) -> Columns:
    """Compute the shares of letters, digits, punctuation, white space and other characters."""
    kinds = {"alpha": ("L", "M"), "num": ("N",), "punct": ("P",), "white": ("Z",)}
    counts = {name: characters.count(characters.are(*categories)) for name, categories in kinds.items()}
    counts["other"] = characters.lengths - sum(counts.values())
    return {f"char.{name}-rel": count / np.maximum(1, characters.lengths) for name, count in counts.items()}


def _tokens(characters: Characters) -> Columns:
    """Count the tokens (between white space) with letters, with digits, with both, with neither."""
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
    """Count sentences, by full stops, exclamation and question marks, and tell whether one begins or ends the node."""
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
    """Count the other nodes that have the same letters, and tell which node is the first of them.

    A node's hash is the sum of its letters times powers of a base, by their place among the letters of the node: `a1b`
    and `a-b` have the places 0, 0, 1, and the middle counts nothing. A node without letters is like no other.
    """
    letters = characters.are("L", "M")
    seen = np.cumsum(letters)
    before: Ints = (seen - letters)[characters.starts]
    place = np.maximum(0, seen - np.repeat(before, characters.lengths + 1) - 1)
    powers = np.cumprod(np.full(int(place.max(initial=0)) + 1, _HASH_BASE))
    hashes = np.add.reduceat(
        np.where(letters, (characters.codes + np.uint64(1)) * powers[place], np.uint64(0)), characters.starts
    )
    _, first, group, counts = np.unique(hashes, return_index=True, return_inverse=True, return_counts=True)
    others = np.where(characters.count(letters) > 0, counts[group] - 1, 0)
    is_first = np.zeros(len(hashes), np.bool_)
    is_first[first] = True
    return {"first-duplicate": is_first & (others > 0), "duplicate-count": others}


def _regexps(page: Features, digits: Column) -> Columns:
    """Return for each set of expressions the number of the first that is found in the node, from 1; 0 if none is."""
    numbered: npt.NDArray[np.bool_] = np.greater(digits, 0)
    columns: Columns = {}
    for name, patterns in _PATTERNS.items():
        wanted = (
            ["://" in text or "www." in text or "@" in text for text in page.texts]
            if name == "url"
            else numbered.tolist()
        )
        columns[f"regexp.{name}"] = np.array(
            [
                _first(patterns, text[:_MAX_SEARCHED_CHARACTERS]) if look else 0
                for text, look in zip(page.texts, wanted, strict=True)
            ],
            np.intp,
        )
    return columns


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> int:
    return next((number for number, pattern in enumerate(patterns, 1) if pattern.search(text)), 0)


def _groups(page: Features) -> Columns:
    """Compute the share of the page's words outside links that are in the same innermost `div`, or table cell."""
    words = np.maximum(0, page.words - page.link_words)
    total, elements = max(1, int(words.sum())), page.page.elements
    columns: Columns = {}
    for tag in ("div", "td"):
        is_tag = np.array([name == tag for name in elements.tags], np.bool_)
        group = nearest(is_tag, elements.parents)[page.page.holders]
        sizes = np.bincount(group, words, len(elements.tags))
        columns[f"{tag}-group.word-ratio"] = np.where(group > 0, sizes[group], 0.0) / total
    return columns


def _document(page: Features, columns: Columns) -> Columns:
    """Describe the whole page, for all its nodes alike, and the position of each node."""
    number = len(page)
    whole: dict[str, float] = {
        "document.word-count": float(page.words.sum()),
        "document.sentence-count": float(np.sum(columns["sentence.count"])),
        "document.block-count": number,
        "document.max-div-group": float(np.max(columns["div-group.word-ratio"])),
        "document.max-td-group": float(np.max(columns["td-group.word-ratio"])),
    }
    position: Columns = {"position": np.arange(number) / number}
    return position | {name: np.full(number, value) for name, value in whole.items()}


def _languages(texts: list[str], lang: str) -> Columns:
    """Compute how probable the text of each node is in a language, after Beesley (1988) and Cavnar and Trenkle (1994).

    `langid1` is the mean probability of a character after the one before it, `langid2` the similarity of the ranks of
    n-grams. Both are 0 if the language is not known.
    """
    found = fits([text[:_MAX_IDENTIFIED_CHARACTERS] for text in texts], lang)
    return dict(zip(LANGUAGE_FEATURES, found or (np.zeros(len(texts)),) * 2, strict=True))
