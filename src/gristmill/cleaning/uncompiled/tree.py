"""The elements of a page that hold blocks: where each begins and ends, which stands in which, and what is hidden.

`segmentation` makes blocks with them. They are followed tag by tag on a stack, as a parser does. End tags that are left
out, or stand in the wrong place, are handled as browsers do in the common cases.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.segmented import Segmentation
from gristmill.cleaning.uncompiled.attributes import Attributes
from gristmill.cleaning.uncompiled.markup import NO_TAG, Markup
from gristmill.kernel.elements import (
    BLOCKS,
    CELLS,
    CODES,
    CONTAINERS,
    HEADINGS,
    HIDDEN,
    HTML4_BREAKS,
    IMPLIED_ENDS,
    INLINE,
    NAMES,
    RAW_TEXT,
    TABLE_PARTS,
    VOID,
)

_MAX_LOOK_BACK_ELEMENTS = 256  # that an end tag looks for its start tag in; without limit, time would be quadratic


def among(names: frozenset[str]) -> Flags:
    """Make a table that tells for each code whether its name is one of these; `NO_TAG` is -1, the last item."""
    flags = np.zeros(len(NAMES) + 1, np.bool_)
    flags[[CODES[name] for name in names if name in CODES]] = True
    return flags


_EDGES = frozenset({"html", "body", "head"})  # every page has them, with or without tags: the tags do nothing
_HIDDEN_WITH_MARKUP = HIDDEN - RAW_TEXT  # `markup` has already removed raw text
_P = CODES["p"]
_IS_VOID = among(VOID)
_IS_BLOCK = among(BLOCKS)
_IS_HIDDEN = among(_HIDDEN_WITH_MARKUP)
_IS_ALWAYS_HIDDEN = among(_HIDDEN_WITH_MARKUP - {"noscript"})
_IS_NOSCRIPT = among(_HIDDEN_WITH_MARKUP & {"noscript"})
_MIN_TEXT_BYTES = 20  # between two tags; less is white space or single words


@dataclass(frozen=True, slots=True)
class Rules:
    """What tags do in one way of segmentation: tables by the codes of their names."""

    ends_block: Flags
    """Whether the tag ends a block."""
    holds: Flags
    """Whether the element goes onto the stack."""
    two_breaks_end_block: bool
    """Whether two `<br>` with no text between them end a block."""


def _rules() -> dict[Segmentation, Rules]:
    """Make the rules of each way of segmentation."""
    any_tag = np.ones(len(NAMES) + 1, np.bool_)
    any_tag[NO_TAG] = False
    not_holding = _IS_VOID | among(_EDGES | RAW_TEXT | {"title"})
    ends: dict[Segmentation, Flags] = {
        "block": _IS_BLOCK,
        "text-node": any_tag,
        "non-inline": any_tag & ~among(INLINE),
        "all-but-links": any_tag & ~among(frozenset({"a"})),
        "container": among(CONTAINERS),
        "html4": among(HTML4_BREAKS),
    }
    return {
        name: Rules(flags & ~among(HIDDEN), (flags | _IS_BLOCK | _IS_HIDDEN) & ~not_holding, name != "container")
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
    """The elements that hold blocks, in the order of their start tags; element 0 is the whole page.

    The tags of `<div><p>a<p>b</div>` have the numbers 0 to 3. The elements are the page, `div`, `p`, `p`: they have the
    parents [0, 0, 1, 1], are opened at [-1, 0, 1, 2] and closed at [4, 3, 2, 3]. The innermost open elements, before
    all tags and after each, are the tops [0, 1, 2, 3, 0].
    """

    tags: Ints
    """The tags that open or close these elements, by their numbers in `Markup`."""
    tops: Ints
    """The innermost open element before all of these tags, and after each of them."""
    codes: Ints
    """The code of the name of each element."""
    parents: list[int]
    """The element around each element."""
    opened: Ints
    """The start tag of each element."""
    closed: Ints
    """The tag that ends each element: its end tag, or another that implies it."""


def follow(markup: Markup, rules: Rules) -> Tree:
    """Follow the elements that hold blocks from start tag to end tag."""
    tags = np.flatnonzero(rules.holds[markup.codes])
    is_end, codes = markup.closing[tags], markup.codes[tags]
    is_start = ~is_end
    opened = np.flatnonzero(is_start)
    parents, closed, tops = _pair_tags((codes ^ -is_end.astype(np.int16)).tolist(), len(opened) + 1)
    after = starts_of(is_start)  # after a start tag, its own element is the innermost
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


def _pair_tags(steps: list[int], number: int) -> tuple[list[int], list[int], list[int]]:
    """Find the parent of each element, the step that closes it, and after each end tag the innermost open element.

    A step is the code of a start tag or, for an end tag, the complement of the code, which is negative. This loop sees
    every tag of a page, so it does as little as possible: what is neither a plain start tag nor the end tag of the
    innermost element is left to functions.
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
            if open_codes[-1] == _P and code in _BLOCK_CODES:  # paragraphs hold no blocks
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
    """Close all elements that are deeper on the stack than `depth`."""
    for element in stack[depth:]:
        closed[element] = place
    del stack[depth:], open_codes[depth:]


def _depth_of_implied(stack: list[int], code: int) -> int:
    """Return how deep the stack is without the element whose end tag a start tag implies: `<li>` ends the last one."""
    closed, barrier = _CLOSES[code]
    for at in range(len(stack) - 1, max(0, len(stack) - _MAX_LOOK_BACK_ELEMENTS), -1):
        if stack[at] in barrier:
            break
        if stack[at] in closed:
            return at
    return len(stack)


def _depth_to_close(stack: list[int], code: int) -> int:
    """Return how deep the stack is without the element that an end tag closes, and what is open inside it.

    Only tags of a table close something outside the cell they stand in. The end tag of an inline element does not
    close a block.
    """
    is_heading, in_line = code in _HEADING_CODES, code not in _BLOCK_CODES and not _IS_HIDDEN[code]
    for at in range(len(stack) - 1, max(0, len(stack) - _MAX_LOOK_BACK_ELEMENTS), -1):
        if stack[at] == code or (is_heading and stack[at] in _HEADING_CODES):
            return at
        if (stack[at] in _CELL_CODES and code not in _TABLE_CODES) or (in_line and stack[at] in _BLOCK_CODES):
            break
    return len(stack)


def hidden_behind(markup: Markup, tree: Tree, found: Attributes) -> Flags:
    """Tell for each tag whether the text behind it is hidden.

    Text in `noscript`, or marked as hidden by an attribute, counts as shown if it is more than all other text, or all
    that there is: then a script would show it.
    """
    number = len(markup.codes)
    never = covered(*spans(tree, _IS_ALWAYS_HIDDEN), number)
    first, last = spans(tree, _IS_NOSCRIPT)
    if found.hidden:
        marked = np.array(_marked_as_hidden(markup, tree, found), np.intp).reshape(-1, 2)
        first, last = np.concatenate((first, marked[:, 0])), np.concatenate((last, marked[:, 1]))
    if not len(first):
        return never
    hidden = never | covered(first, last, number)
    lengths = np.append(markup.starts[1:] - markup.ends[:-1], 0)
    lengths[(lengths < _MIN_TEXT_BYTES) | never] = 0
    is_most = 2 * lengths[~hidden].sum() < lengths.sum()
    return never if is_most or _is_all(markup, never, hidden) else hidden


def _is_all(markup: Markup, never: Flags, hidden: Flags) -> bool:
    """Tell whether there is hidden text, be it ever so short, and none that is shown."""
    begins, ends = np.concatenate(([0], markup.ends)), np.append(markup.starts, len(markup.data))
    filled = np.flatnonzero(np.frombuffer(markup.data, np.uint8) > ord(" "))
    is_text = filled.searchsorted(begins) < filled.searchsorted(ends)  # before the first tag, and behind each
    return bool((is_text[1:] & hidden & ~never).any() and not is_text[0] and not (is_text[1:] & ~hidden).any())


def covered(first: Ints, last: Ints, number: int) -> Flags:
    """Tell which of `number` tags are in one of the spans `first[n]` to `last[n]`, which may be nested.

    The spans 1 to 4 and 2 to 3 of five tags change the depth by [0, 1, 1, -1, -1]. Added up, the depth is
    [0, 1, 2, 1, 0]: the tags 1, 2 and 3 are inside.
    """
    if not len(first):
        return np.zeros(number, np.bool_)
    depth = np.bincount(first, minlength=number + 1) - np.bincount(last, minlength=number + 1)
    inside: Flags = np.cumsum(depth)[:number] > 0
    return inside


def spans(tree: Tree, wanted: Flags) -> tuple[Ints, Ints]:
    """Return the first and the last tags of all elements whose codes are wanted."""
    elements = np.flatnonzero(wanted[tree.codes])
    return tree.opened[elements], tree.closed[elements]


def _marked_as_hidden(markup: Markup, tree: Tree, found: Attributes) -> list[tuple[int, int]]:
    """Return the first and the last tag of each element that an attribute hides."""
    tags = np.array(found.hidden)
    places = np.searchsorted(tree.opened, tags)
    is_element = np.append(tree.opened, -2)[places] == tags  # -2 is no tag: for places behind the last element
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
                ends[code] = _ends_of_inline(markup, code)
            marked.append((tag, ends[code][tag]))
    return marked


def _ends_of_inline(markup: Markup, code: int) -> dict[int, int]:
    """Map each start tag of an element that is not in the tree to its end tag, or else to the next block tag."""
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
