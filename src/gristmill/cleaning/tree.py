"""Follow the elements of a page that hold blocks, from start tag to end tag, and tell what in them is shown.

It is a stack, not a tree: end tags that are left out, or stand in the wrong place, are dealt with as browsers do in the
common cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.attributes import Attributes
from gristmill.cleaning.elements import (
    BLOCKS,
    CELLS,
    CODES,
    HEADINGS,
    HIDDEN,
    IMPLIED_ENDS,
    INLINE,
    NAMES,
    RAW_TEXT,
    TABLE_PARTS,
    VOID,
)
from gristmill.cleaning.markup import NO_TAG, Markup

Segmentation = Literal["block", "text-node", "non-inline"]
"""What ends a block: jusText's block tags and two `<br>`; any tag, as in Victor; any tag but those inside a line, as in CEDAR."""


_LOOK_BACK = 256  # how far up the stack an end tag looks for its start tag; without limit deep pages would be quadratic


def among(names: frozenset[str]) -> Flags:
    """For each code whether its name is one of these; `NO_TAG`, the last, is none."""
    flags = np.zeros(len(NAMES) + 1, np.bool_)
    flags[[CODES[name] for name in names if name in CODES]] = True
    return flags


_EDGES = frozenset({"html", "body", "head"})  # every page has them, with or without tags: nothing is opened or closed
_UNSEEN = HIDDEN - RAW_TEXT
_P = CODES["p"]
_IS_VOID = among(VOID)
_IS_BLOCK = among(BLOCKS)
_IS_UNSEEN = among(_UNSEEN)
_IS_NEVER_SEEN = among(_UNSEEN - {"noscript"})
_IS_MAYBE_SEEN = among(_UNSEEN & {"noscript"})
_SHORTEST_TEXT = 20  # bytes between two tags that are more than white space and single words


@dataclass(frozen=True, slots=True)
class Rules:
    """What tags do, by their codes."""

    ends_block: Flags
    holds: Flags
    """Whether the element goes onto the stack."""


def _rules() -> dict[Segmentation, Rules]:
    any_tag = np.ones(len(NAMES) + 1, np.bool_)
    any_tag[NO_TAG] = False
    not_holding = _IS_VOID | among(_EDGES | RAW_TEXT | {"title"})
    ends: dict[Segmentation, Flags] = {"block": _IS_BLOCK, "text-node": any_tag, "non-inline": any_tag & ~among(INLINE)}
    return {
        name: Rules(flags & ~among(_UNSEEN | RAW_TEXT), (flags | among(_UNSEEN)) & ~not_holding)
        for name, flags in ends.items()
    }


RULES = _rules()
_CLOSES = {
    CODES[tag]: (frozenset(map(CODES.__getitem__, closed)), frozenset(map(CODES.__getitem__, barrier)))
    for tag, (closed, barrier) in IMPLIED_ENDS.items()
}
_CELL_CODES = frozenset(map(CODES.__getitem__, CELLS))
_TABLE_CODES = frozenset(map(CODES.__getitem__, TABLE_PARTS))
_HEADING_CODES = frozenset(map(CODES.__getitem__, HEADINGS))
_BLOCK_CODES = frozenset(map(CODES.__getitem__, BLOCKS))


@dataclass(slots=True)
class Tree:
    """The elements that hold blocks, by the places of their tags."""

    tags: Ints
    """The tags that open or close them."""
    tops: Ints
    """After each of these tags, the innermost open element; one more for before them all."""
    codes: Ints
    parents: list[int]
    opened: Ints
    closed: Ints
    """For each element its start tag and its end, among all tags of the page.

    The first element is open from before all to behind all.
    """


def follow(markup: Markup, rules: Rules) -> Tree:
    """Go through the start and end tags of elements that hold blocks."""
    tags = np.flatnonzero(rules.holds[markup.codes])
    is_end, codes = markup.closing[tags], markup.codes[tags]
    is_start = ~is_end
    opened = np.flatnonzero(is_start)
    parents, closed, tops = _pair((codes ^ -is_end.astype(np.int16)).tolist(), len(opened) + 1)
    after = starts_of(is_start)  # the element that a start tag opens is the innermost
    after[np.flatnonzero(is_end) + 1] = tops
    places = np.concatenate((tags, [len(markup.codes)]))
    return Tree(
        tags,
        after,
        np.concatenate(([0], codes[opened])),
        parents,
        np.concatenate(([-1], tags[opened])),
        places[np.array(closed, np.intp)],
    )


def _pair(steps: list[int], number: int) -> tuple[list[int], list[int], list[int]]:
    """The parent of each element and the step that closes it, and after each end tag the innermost open element.

    A step is the code of a start tag, or for an end tag its complement, which is negative. All tags of a page come by
    here, so the loop does the least that it can, and what is neither a plain start tag nor the end tag of the innermost
    element is left to functions.
    """
    stack, open_codes = [0], [0]
    parents, closed, tops = [0], [len(steps)] * number, []
    element = 0
    for place, code in enumerate(steps):
        if code < 0:
            if code == ~open_codes[-1] and len(stack) > 1:
                closed[stack.pop()] = place
                open_codes.pop()
            else:
                _close(stack, open_codes, closed, place, _depth_to_close(open_codes, ~code))
            tops.append(stack[-1])
        else:
            if open_codes[-1] == _P and code in _BLOCK_CODES:
                closed[stack.pop()] = place
                open_codes.pop()
            if code in _CLOSES and open_codes[-1] not in _CLOSES[code][1]:
                _close(stack, open_codes, closed, place, _depth_of_implied(open_codes, code))
            element += 1
            parents.append(stack[-1])
            stack.append(element)
            open_codes.append(code)
    return parents, closed, tops


def _close(stack: list[int], open_codes: list[int], closed: list[int], place: int, depth: int) -> None:
    """Close all elements deeper than that."""
    for element in stack[depth:]:
        closed[element] = place
    del stack[depth:], open_codes[depth:]


def _depth_of_implied(stack: list[int], code: int) -> int:
    """How deep the stack is without what a start tag closes by itself."""
    closed, barrier = _CLOSES[code]
    for at in range(len(stack) - 1, max(0, len(stack) - _LOOK_BACK), -1):
        if stack[at] in barrier:
            break
        if stack[at] in closed:
            return at
    return len(stack)


def _depth_to_close(stack: list[int], code: int) -> int:
    """How deep the stack is without an element and what stands open inside it.

    The end of a cell can't be crossed from inside, and no end tag inside a line ends a block.
    """
    is_heading, in_line = code in _HEADING_CODES, code not in _BLOCK_CODES and not _IS_UNSEEN[code]
    for at in range(len(stack) - 1, max(0, len(stack) - _LOOK_BACK), -1):
        if stack[at] == code or (is_heading and stack[at] in _HEADING_CODES):
            return at
        if (stack[at] in _CELL_CODES and code not in _TABLE_CODES) or (in_line and stack[at] in _BLOCK_CODES):
            break
    return len(stack)


def hidden_behind(markup: Markup, tree: Tree, found: Attributes) -> Flags:
    """For each tag whether what stands behind it is not shown.

    What is in `noscript`, or is marked as hidden, counts as shown if there is more of it than of all other text: then a
    script would show it.
    """
    number = len(markup.codes)
    never = covered(*spans(tree, _IS_NEVER_SEEN), number)
    first, last = spans(tree, _IS_MAYBE_SEEN)
    if found.hidden:
        marked = np.array(_marked(markup, tree, found), np.intp).reshape(-1, 2)
        first, last = np.concatenate((first, marked[:, 0])), np.concatenate((last, marked[:, 1]))
    if not len(first):
        return never
    hidden = never | covered(first, last, number)
    lengths = np.append(markup.starts[1:] - markup.ends[:-1], 0)
    lengths[(lengths < _SHORTEST_TEXT) | never] = 0
    return never if 2 * lengths[~hidden].sum() < lengths.sum() else hidden


def covered(first: Ints, last: Ints, number: int) -> Flags:
    """Which of so many tags stand in one of the spans; spans may stand in each other."""
    if not len(first):
        return np.zeros(number, np.bool_)
    depth = np.bincount(first, minlength=number + 1) - np.bincount(last, minlength=number + 1)
    inside: Flags = np.cumsum(depth)[:number] > 0
    return inside


def spans(tree: Tree, wanted: Flags) -> tuple[Ints, Ints]:
    """From which to which tag such elements go."""
    elements = np.flatnonzero(wanted[tree.codes])
    return tree.opened[elements], tree.closed[elements]


def _marked(markup: Markup, tree: Tree, found: Attributes) -> list[tuple[int, int]]:
    """From which to which tag it is marked as hidden."""
    tags = np.array(found.hidden)
    places = np.searchsorted(tree.opened, tags)
    is_element = np.append(tree.opened, -2)[places] == tags
    marked: list[tuple[int, int]] = []
    ends: dict[int, dict[int, int]] = {}
    for tag, code, place, followed in zip(
        tags.tolist(), markup.codes[tags].tolist(), places.tolist(), is_element.tolist(), strict=True
    ):
        if _IS_VOID[code] or NAMES[code] in _EDGES:
            continue
        if followed:
            marked.append((tag, int(tree.closed[place])))
        else:
            if code not in ends:
                ends[code] = _ends_in_line(markup, code)
            marked.append((tag, ends[code][tag]))
    return marked


def _ends_in_line(markup: Markup, code: int) -> dict[int, int]:
    """For each start tag of elements that are not followed its end tag, or else the next block tag."""
    tags = np.flatnonzero(markup.codes == code)
    ends: dict[int, int] = {}
    stack: list[int] = []
    for tag, closes in zip(tags.tolist(), markup.closing[tags].tolist(), strict=True):
        if not closes:
            stack.append(tag)
        elif stack:
            ends[stack.pop()] = tag
    blocks = np.append(np.flatnonzero(_IS_BLOCK[markup.codes]), len(markup.codes))
    ends.update(zip(stack, blocks[np.searchsorted(blocks[:-1], stack)].tolist(), strict=True))
    return ends
