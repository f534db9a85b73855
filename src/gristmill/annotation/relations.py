"""Relations of tokens in sentences: trees as offsets to heads, which stay trees when tokens are joined or cut off.

The head of a token is how many tokens further on it stands: -2 is two tokens before. The root of a sentence has 0, and
so has a token of which nothing is known; its relation is empty.

    The mill stands .      heads  1, 1, 0, -1      relations  det, nsubj, root, punct
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

ROOT = "root"
UNKNOWN_RELATION = "dep"
"""What Universal Dependencies calls a relation that can't be said to be any other."""

Relations = tuple[list[int], list[str]]
"""Offsets of heads and names of relations."""


def is_root(relation: str) -> bool:
    """Tell whether a relation is that of a root; it may have a subtype."""
    return relation == ROOT or relation.startswith(f"{ROOT}:")


def as_tree(heads: Sequence[int], relations: Sequence[str]) -> Relations:
    """Return the relations of one sentence as a tree with one root, or as they are if none is known at all.

    Most are trees already. What has no head in the sentence, and one token of each circle, is attached to the root.
    """
    if not any(relations):
        return [0] * len(heads), [""] * len(heads)
    size = len(heads)
    free = [at for at, head in enumerate(heads) if head == 0 or not 0 <= at + head < size]
    root = next((at for at in free if is_root(relations[at])), free[0] if free else 0)
    made = [relation or UNKNOWN_RELATION for relation in relations]
    offsets = list(heads)
    free += _first_of_circles(offsets, [root, *free])
    for at in free:
        offsets[at] = root - at
        if is_root(made[at]):
            made[at] = UNKNOWN_RELATION
    offsets[root], made[root] = 0, relations[root] if is_root(relations[root]) else ROOT
    for at, (offset, relation) in enumerate(zip(offsets, made, strict=True)):
        if offset and is_root(relation):
            made[at] = UNKNOWN_RELATION
    return offsets, made


def as_trees(heads: Sequence[int], relations: Sequence[str], lengths: Iterable[int]) -> Relations:
    """Return the relations of several sentences, which have so many tokens, as trees."""
    offsets, made, end = list[int](), list[str](), 0
    for length in lengths:
        start, end = end, end + length
        ours = as_tree(heads[start:end], relations[start:end])
        offsets += ours[0]
        made += ours[1]
    return offsets, made


def _first_of_circles(heads: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Find a token of each circle of heads: one from which no way leads to the `ends`."""
    visits = [0] * len(heads)
    for at in ends:
        visits[at] = -1
    found = []
    for start in range(len(heads)):
        at = start
        while not visits[at]:
            visits[at] = start + 1
            at += heads[at]
        if visits[at] == start + 1:
            found.append(at)
            visits[at] = -1
    return found


def joined(heads: Sequence[int], relations: Sequence[str], groups: Sequence[int]) -> Relations:
    """Return the relations of groups of tokens that become one token each; `groups` has the group of each token.

    A group has the relation of that of its tokens which stands highest in the tree, as the others hang on it or on
    what hangs on it: so a tree stays one. Groups are numbered from 0 on, without gaps, in the order of their tokens.
    """
    heads = [head if 0 <= at + head < len(heads) else 0 for at, head in enumerate(heads)]
    depths = _depths(heads)
    tops: dict[int, int] = {}
    for at, group in enumerate(groups):
        if group not in tops or depths[at] < depths[tops[group]]:
            tops[group] = at
    made = [groups[at + heads[at]] - group for group, at in sorted(tops.items())]
    return made, [relations[at] for _, at in sorted(tops.items())]


def _depths(heads: Sequence[int]) -> list[int]:
    """Count the tokens from each one to its root; in a circle, to where it closes."""
    depths = [-1] * len(heads)
    for start in range(len(heads)):
        way, at = [], start
        while depths[at] < 0:
            depths[at] = 0
            way.append(at)
            at += heads[at]
        depth = depths[at] if at not in way[-1:] else -1
        for place in reversed(way):
            depth += 1
            depths[place] = depth
    return depths
