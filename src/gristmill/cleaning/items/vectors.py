"""What a title or paragraph says: its type, its named entities, and those that it has in common with what is above it.

The vector of a node has its type, how many instances of each type of entity it has, and how many of the instances
above it match one of its own: in its title, and in the paragraphs between that and itself (BOEMIE, sections 3.2 and
3.3.1, and the example of figure 2). The vectors of the nodes before count, too, as context. The paper also has the
names themselves as features, which say nothing on pages with other names; here they are compared and not learned.

Its title is the nearest one above. The paper does not say which it is where items are not known yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gristmill.cleaning.items.entities import Entities, Entity

Values = npt.NDArray[np.intp]
"""Values of features, a row a node."""
BINS = 4
"""Numbers that are told apart: 0, 1, 2, and 3 or more."""


def feature_names(entities: Entities) -> tuple[str, ...]:
    """Name the features in their order."""
    return ("title", *(f"#{name}" for name in entities.types), "common with title", "common with paragraphs")


def vectors(texts: Sequence[str], titles: Sequence[bool], entities: Entities) -> Values:
    """Describe the nodes of a region; numbers are not cut off yet.

    Title `Richards`, then `Sanya Richards won the 400m.`: of the second, 1 athlete and 1 sport, and of the title 1.
    """
    above: list[Entity] = []
    paragraphs = _Seen()
    rows = []
    for text, is_title in zip(texts, titles, strict=True):
        own = entities.find(text)
        counts = Counter(entity.type for entity in own)
        with_title = sum(any(entity.matches(other) for other in own) for entity in above)
        rows.append([int(is_title), *(counts[name] for name in entities.types), with_title, paragraphs.common(own)])
        if is_title:
            above, paragraphs = own[:_MAX_INSTANCES], _Seen()
        else:
            paragraphs.add(own)
    return np.array(rows, np.intp).reshape(len(rows), len(feature_names(entities)))


_MAX_INSTANCES = 50
"""Instances of a title that are compared."""


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

    def common(self, found: Sequence[Entity]) -> int:
        """Count the instances that match one of these; three or more are as good as three."""
        matching: set[int] = set()
        for entity in found:
            for word in entity.words:
                matching.update(self._places.get((entity.type, word), ())[:BINS])
        return len(matching)


def binned(values: Values) -> Values:
    """Cut numbers off at the last bin."""
    found: Values = np.minimum(values, BINS - 1)
    return found
