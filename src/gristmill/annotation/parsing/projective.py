"""Trees without crossing relations, which are all that the parser can make.

A relation crosses if a word between its ends hangs on a word that is not. Such relations are lifted: the word hangs on
the head of its head instead, the shortest one first, until none crosses (Nivre and Nilsson 2005, without their names of
relations, from which the first head could be found again).
"""

from __future__ import annotations

from collections.abc import Sequence


def lifted(heads: Sequence[int]) -> list[int]:
    """Return the offsets of heads of a tree after lifting; those of a projective tree are as they were."""
    made = list(heads)
    while True:
        crossing = [at for at, head in enumerate(made) if head and not _is_projective(made, at)]
        if not crossing:
            return made
        at = min(crossing, key=lambda place: (abs(made[place]), place))
        head = at + made[at]
        made[at] += made[head]


def _is_projective(heads: Sequence[int], at: int) -> bool:
    """Tell whether all words between a word and its head hang on that head, by however many others."""
    head = at + heads[at]
    for between in range(min(at, head) + 1, max(at, head)):
        place = between
        while place != head and heads[place]:
            place += heads[place]
        if place != head:
            return False
    return True
