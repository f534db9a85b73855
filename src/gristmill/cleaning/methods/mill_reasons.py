"""Why `mill` gives a block its score: what the score would be if one property of the block were another.

Boosted trees have no weights that could be read off. What can be had without a trick is an experiment: a group of
features (the length of the block, its links, its role, its neighbours...) gets the values that are in the middle of
those on the other side of the threshold (of text, if the block is boilerplate), all others stay, and the trees are
asked again. Groups interact, so the differences don't add up to the score.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gristmill.cleaning.features import Features
from gristmill.cleaning.methods.mill import centred, shipped, threshold
from gristmill.cleaning.methods.mill_features import describe
from gristmill.cleaning.methods.trees import probability
from gristmill.kernel.mill_columns import FEATURES, ROWS

_GROUPS = {
    "its length": ("own.log_words", "own.log_characters", "own.sentence_length", "own.word_length"),
    "its links": ("own.link_density", "own.log_links", "own.links_per_word"),
    "its punctuation and signs": (
        *("own.ends_sentence", "own.log_stops", "own.log_commas", "own.log_digits", "own.capitals", "own.digits"),
        *("own.stops", "own.commas", "own.separators", "own.others", "own.ends_with_colon", "own.begins_with_capital"),
        *("own.begins_with_digit", "own.has_copyright", "own.has_at"),
    ),
    "its own tags": ("own.log_tags", "own.log_tags_before", "own.tags_per_word", "own.is_heading", "own.is_list_item"),
    "repeated on the page, or in its title": ("own.is_repeated", "own.is_in_title"),
    "its words": ("phrases.",),
    "its role": ("role.",),
    "the element that holds it": ("holder.",),
    "the elements around it": ("around.", "level", "path.", "main"),
    "names of classes and ids": ("names.", "level1.names", "level2.names", "level3.names", "level4.names",
                                 "level5.names", "named."),
    "its place on the page": ("position.", "place."),
    "the blocks before and behind it": ("before", "behind", "last", "next", "roles_before.", "roles_behind."),
}  # fmt: skip
"""Groups of features, by the names of their features or how these begin; a feature is in the last group that has it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A group of features, and the score of the block if it were like the blocks on the other side in that."""

    group: str
    score: float
    """What the score would be."""
    change: float
    """How much higher the score is than it would be: above 0, this speaks for boilerplate."""

    def to_json(self) -> dict[str, Any]:
        """All fields, for programs."""
        return asdict(self)


def reasons(page: Features, block: int) -> list[Reason]:
    """Find what the score of a block depends on, the most important first.

    It is empty if all blocks of the page are on the same side.
    """
    if not 0 <= block < len(page):
        return []
    words, trees = shipped()
    table = words.look(describe(page), page.page.elements.names)
    odds = centred(trees.odds(table), page.columns.words)
    others = np.flatnonzero((odds < 0) != (odds[block] < 0))
    if not len(others):
        return []
    middle = np.median(table[:, others], axis=1).astype(np.float32)
    groups = _groups()
    tried = np.repeat(table[:, [block]], len(groups) + 1, axis=1)
    for number, rows in enumerate(groups.values(), 1):
        tried[rows, number] = middle[rows]
    border = threshold(probability(trees.odds(table)), page.columns.words)
    scores = probability(math.log(border / (1 - border)) - trees.odds(np.ascontiguousarray(tried))).tolist()
    found = [Reason(name, score, scores[0] - score) for name, score in zip(groups, scores[1:], strict=True)]
    return sorted(found, key=lambda reason: -abs(reason.change))


def _groups() -> dict[str, list[int]]:
    """The rows of the table that each group has."""
    groups: dict[str, list[int]] = {name: [] for name in _GROUPS}
    for feature in FEATURES:
        fitting = [name for name, beginnings in _GROUPS.items() if feature.startswith(beginnings)]
        if fitting:
            groups[fitting[-1]].append(ROWS[feature])
    return groups
