"""What a title or paragraph says: its type, its named entities, and those that it has in common with what is above it.

The vector of a node has its type, and for each type of entities how many instances it has, and how many of those above
match one of its own: in its title, in the paragraphs between that and itself, and in each of the last three nodes
(BOEMIE, sections 3.2 and 3.3.1, and the example of figure 2). The vectors of the nodes around count, too, as context.
The paper also has the names themselves as features, which say nothing on pages with other names; here they are compared
and not learned.

Its title is the nearest one above. The paper does not say which it is where items are not known yet: so there are the
last nodes, too, for an item without a title has that of the item before above it.

Words in common are no part of the paper, which has them as future work ("text segmentation methods", section 5).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gristmill.cleaning.items.entities import Entities, Entity

Values = npt.NDArray[np.intp]
"""Values of features, a row a node."""
BINS = 4
"""Numbers that are told apart: 0, 1, 2, and 3 or more."""
BEFORE = (1, 2, 3)
"""How far before a node those stand with which it is compared one by one."""
_COMPARED = ("title", "paragraphs", *(f"{at} before" for at in BEFORE))
WORD_NAMES = tuple(f"words in common with {at} before" for at in BEFORE)
"""The features of words, behind all others if they are asked for."""


def feature_names(entities: Entities) -> tuple[str, ...]:
    """Name the features in their order, without those of words."""
    counted = (f"#{name}" for name in entities.types)
    return ("title", *counted, *(f"{name} in common with {what}" for what in _COMPARED for name in entities.types))


def vectors(texts: Sequence[str], titles: Sequence[bool], entities: Entities, *, words: bool = False) -> Values:
    """Describe the nodes of a region; numbers are not cut off yet.

    Title `Richards`, then `Sanya Richards won the 400m.`: of the second, 1 athlete and 1 sport, and of the title 1.
    """
    found = entities.find_all(texts)
    above: list[Entity] = []
    paragraphs = _Seen()
    rows = []
    for node, (own, is_title) in enumerate(zip(found, titles, strict=True)):
        counts = Counter(entity.type for entity in own)
        compared = [_common(above, own), paragraphs.common(own)]
        compared += [_common(found[node - at] if at <= node else [], own) for at in BEFORE]
        rows.append(
            [
                int(is_title),
                *(counts[name] for name in entities.types),
                *(common[name] for common in compared for name in entities.types),
            ]
        )
        if is_title:
            above, paragraphs = own, _Seen()
        else:
            paragraphs.add(own)
    table: Values = np.array(rows, np.intp).reshape(len(rows), len(feature_names(entities)))
    return np.concatenate((table, common_words(texts)), 1) if words else table


def _common(above: Sequence[Entity], own: Sequence[Entity]) -> Counter[str]:
    """Count the instances above that match one of these, by their type."""
    known = {(entity.type, word) for entity in own for word in entity.words}
    return Counter(entity.type for entity in above if any((entity.type, word) in known for word in entity.words))


class _Seen:
    """The instances of the paragraphs above, found by their words."""

    def __init__(self) -> None:
        self._count = 0
        self._places: dict[tuple[str, str], list[int]] = {}

    def add(self, found: Sequence[Entity]) -> None:
        """Add the instances of a paragraph."""
        for entity in found:
            for word in entity.words:
                self._places.setdefault((entity.type, word), []).append(self._count)
            self._count += 1

    def common(self, found: Sequence[Entity]) -> Counter[str]:
        """Count the instances that match one of these, by their type; three or more are as good as three."""
        matching = {
            (entity.type, place)
            for entity in found
            for word in entity.words
            for place in self._places.get((entity.type, word), ())[:BINS]
        }
        return Counter(name for name, _ in matching)


_WORD = re.compile(r"\w{4,}")
_COMMON = 4
"""Words that are in more than one of so many nodes of a page, and in more than three, link nothing."""
_MAX_CHARACTERS = 20_000


def common_words(texts: Sequence[str]) -> Values:
    """Count the different words of four letters or more that a node has in common with each of the last three."""
    found = [set(_WORD.findall(text[:_MAX_CHARACTERS].lower())) for text in texts]
    nodes = Counter(word for words in found for word in words)
    usual = {word for word, count in nodes.items() if count > max(_COMMON - 1, len(found) / _COMMON)}
    rare = [words - usual for words in found]
    rows = [[len(own & rare[node - at]) if at <= node else 0 for at in BEFORE] for node, own in enumerate(rare)]
    return np.array(rows, np.intp).reshape(len(rows), len(BEFORE))


def binned(values: Values) -> Values:
    """Cut numbers off at the last bin."""
    found: Values = np.minimum(values, BINS - 1)
    return found
