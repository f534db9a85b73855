"""Cut a page into the blocks that a reader sees.

No tree of the page is built: of its elements only those are followed that hold blocks, on a stack, tag by tag. All else (which text
belongs to which block, what is hidden, counts, positions) is done on arrays over all tags or all pieces of text of a page. Nothing here is
recursive, and time is linear in the size of the page whatever the page is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import compress
from typing import Literal

import numpy as np
from turbohtml import unescape

from gristmill.clean.elements import (
    BLOCKS,
    CELLS,
    CODES,
    HEADINGS,
    HIDDEN,
    IMPLIED_ENDS,
    INLINE,
    LIST_ITEMS,
    NAMES,
    RAW_TEXT,
    SPACED,
    TABLE_PARTS,
    VOID,
)
from gristmill.clean.markup import NO_TAG, Attributes, Flags, Ints, Markup, find_attributes, scan
from gristmill.clean.metadata import Metadata, read_metadata
from gristmill.clean.words import are_unspaced, count_words
from gristmill.decode.tidy import compose, needs_care, utf16
from gristmill.document import Block, Kind

Segmentation = Literal["block", "text-node", "non-inline"]
"""What ends a block: jusText's block tags and two `<br>`; any tag, as in Victor; any tag but those inside a line, as in CEDAR."""

_DEEPEST_PATH = 64  # elements of a path that are kept; a path without limit would make deep pages quadratic
_LOOK_BACK = 256  # how far up the stack an end tag looks for its start tag, for the same reason
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\xad\ufeff]")
_SEPARATORS = (b"", b" ", b"\0")  # between pieces of text: nothing, a space, the end of a block
_STEPS = tuple(f"/{name}" for name in NAMES)


def _kind(name: str) -> Kind | None:
    """The kind of the blocks in an element, if it has a say in that."""
    if name in HEADINGS:
        return "h"
    if name in LIST_ITEMS:
        return "l"
    return "p" if name in BLOCKS and name != "div" else None


_KINDS = tuple(map(_kind, NAMES))
_ALL_P: list[Kind] = ["p"]


def _among(names: frozenset[str]) -> Flags:
    """For each code whether its name is one of these; `NO_TAG`, the last, is none."""
    flags = np.zeros(len(NAMES) + 1, np.bool_)
    flags[[CODES[name] for name in names if name in CODES]] = True
    return flags


_EDGES = frozenset({"html", "body", "head"})  # every page has them, with or without tags: nothing is opened or closed
_UNSEEN = HIDDEN - RAW_TEXT
_A, _BR, _P = CODES["a"], CODES["br"], CODES["p"]
_IS_SPACED = _among(SPACED)
_IS_VOID = _among(VOID)
_IS_BLOCK = _among(BLOCKS)
_IS_UNSEEN = _among(_UNSEEN)
_IS_NEVER_SEEN = _among(_UNSEEN - {"noscript"})
_IS_MAYBE_SEEN = _among(_UNSEEN & {"noscript"})
_SHORTEST_TEXT = 20  # bytes between two tags that are more than white space and single words


@dataclass(frozen=True, slots=True)
class _Rules:
    """What tags do, by their codes."""

    ends_block: Flags
    holds: Flags
    """Whether the element goes onto the stack."""


def _rules() -> dict[Segmentation, _Rules]:
    any_tag = np.ones(len(NAMES) + 1, np.bool_)
    any_tag[NO_TAG] = False
    not_holding = _IS_VOID | _among(_EDGES | RAW_TEXT | {"title"})
    ends: dict[Segmentation, Flags] = {"block": _IS_BLOCK, "text-node": any_tag, "non-inline": any_tag & ~_among(INLINE)}
    return {name: _Rules(flags & ~_among(_UNSEEN | RAW_TEXT), (flags | _among(_UNSEEN)) & ~not_holding) for name, flags in ends.items()}


_RULES = _rules()
_CLOSES = {
    CODES[tag]: (frozenset(map(CODES.__getitem__, closed)), frozenset(map(CODES.__getitem__, barrier)))
    for tag, (closed, barrier) in IMPLIED_ENDS.items()
}
_CELL_CODES = frozenset(map(CODES.__getitem__, CELLS))
_TABLE_CODES = frozenset(map(CODES.__getitem__, TABLE_PARTS))
_HEADING_CODES = frozenset(map(CODES.__getitem__, HEADINGS))
_BLOCK_CODES = frozenset(map(CODES.__getitem__, BLOCKS))


def _no_ints() -> Ints:
    return np.zeros(0, np.intp)


@dataclass(slots=True)
class Elements:
    """The elements that hold blocks, in the order of the page; the first stands for the body of the page."""

    tags: list[str] = field(default_factory=lambda: ["body"])
    parents: Ints = field(default_factory=lambda: np.zeros(1, np.intp))
    first: Ints = field(default_factory=lambda: np.zeros(1, np.intp))
    """The first block in the element or below it."""
    end: Ints = field(default_factory=lambda: np.zeros(1, np.intp))
    """The first block behind the element."""
    names: list[str] = field(default_factory=lambda: [""])
    """Class and id, as written."""
    codes: Ints = field(default_factory=lambda: np.zeros(1, np.intp))
    """The places of the tags in `NAMES`; 0 for elements that are not there, and for the first."""


@dataclass(slots=True)
class Segmented:
    """The blocks of a page, the elements that hold them, and what the page says about itself."""

    blocks: list[Block] = field(default_factory=list)
    elements: Elements = field(default_factory=Elements)
    holders: Ints = field(default_factory=_no_ints)
    """For each block the innermost element that holds it."""
    tags_before: Ints = field(default_factory=_no_ints)
    """For each block the tags between the block before and it."""
    metadata: Metadata = field(default_factory=Metadata)
    length: int = 0
    """Characters of the source."""


def segment(source: str, segmentation: Segmentation = "block") -> Segmented:
    """The visible text of a page of HTML as blocks, in the order of the page.

    Positions are those in the page with Unix line ends, as `decode` gives it.
    """
    data = source.encode("utf-8", "replace")
    if b"\r" in data or b"\0" in data:
        source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        data = source.encode("utf-8", "replace")
    markup = scan(data)
    tree = _follow(markup, _RULES[segmentation])
    found = find_attributes(markup, tree.opened[1:])
    hidden = _hidden(markup, tree, found)
    segmented = Segmented(metadata=read_metadata(markup, hidden), length=len(source))
    pieces = _pieces(markup, hidden)
    if pieces.texts:
        ends = _ends_of_blocks(markup, pieces, segmentation)
        _cut(segmented, markup, pieces, ends, tree)
        segmented.elements.names = _names(tree, found)
    return segmented


def segment_text(source: str) -> Segmented:
    """The lines of a plain text as blocks."""
    blocks = []
    start = 0
    for line in source.split("\n"):
        clean = _clean(line)
        if clean:
            blocks.append(Block(clean, "p", "", start, start + len(line), count_words(clean), 0, 0, 0))
        start += len(line) + 1
    none = np.zeros(len(blocks), np.intp)
    return Segmented(blocks, Elements(end=np.full(1, len(blocks))), none, none, length=len(source))


@dataclass(slots=True)
class _Tree:
    """The elements that hold blocks, by the places of their tags."""

    tags: Ints
    """The tags that open or close them."""
    tops: Ints
    """After each of these tags, the innermost open element; one more for before them all."""
    codes: Ints
    parents: list[int]
    opened: Ints
    closed: Ints
    """For each element its start tag and its end, among all tags of the page. The first element is open from before all to behind all."""


def _follow(markup: Markup, rules: _Rules) -> _Tree:
    """Go through the start and end tags of elements that hold blocks."""
    tags = np.flatnonzero(rules.holds[markup.codes])
    is_end, codes = markup.closing[tags], markup.codes[tags]
    is_start = ~is_end
    opened = np.flatnonzero(is_start)
    parents, closed, tops = _pair((codes ^ -is_end.astype(np.int16)).tolist(), len(opened) + 1)
    after = np.concatenate(([0], is_start.cumsum()))  # the element that a start tag opens is the innermost
    after[np.flatnonzero(is_end) + 1] = tops
    places = np.concatenate((tags, [len(markup.codes)]))
    return _Tree(
        tags, after, np.concatenate(([0], codes[opened])), parents, np.concatenate(([-1], tags[opened])), places[np.array(closed, np.intp)]
    )


def _pair(steps: list[int], number: int) -> tuple[list[int], list[int], list[int]]:
    """The parent of each element and the step that closes it, and after each end tag the innermost open element.

    A step is the code of a start tag, or for an end tag its complement, which is negative. All tags of a page come by here, so the loop
    does the least that it can, and what is neither a plain start tag nor the end tag of the innermost element is left to functions.
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


def _hidden(markup: Markup, tree: _Tree, found: Attributes) -> Flags:
    """For each tag whether what stands behind it is not shown.

    What is in `noscript`, or is marked as hidden, counts as shown if there is more of it than of all other text: then a script would show
    it.
    """
    number = len(markup.codes)
    never = _covered(*_spans(tree, _IS_NEVER_SEEN), number)
    first, last = _spans(tree, _IS_MAYBE_SEEN)
    if found.hidden:
        marked = np.array(_marked(markup, tree, found), np.intp).reshape(-1, 2)
        first, last = np.concatenate((first, marked[:, 0])), np.concatenate((last, marked[:, 1]))
    if not len(first):
        return never
    hidden = never | _covered(first, last, number)
    lengths = np.append(markup.starts[1:] - markup.ends[:-1], 0)
    lengths[(lengths < _SHORTEST_TEXT) | never] = 0
    return never if 2 * lengths[~hidden].sum() < lengths.sum() else hidden


def _covered(first: Ints, last: Ints, number: int) -> Flags:
    """Which of so many tags stand in one of the spans; spans may stand in each other."""
    if not len(first):
        return np.zeros(number, np.bool_)
    depth = np.bincount(first, minlength=number + 1) - np.bincount(last, minlength=number + 1)
    covered: Flags = np.cumsum(depth)[:number] > 0
    return covered


def _spans(tree: _Tree, wanted: Flags) -> tuple[Ints, Ints]:
    """From which to which tag such elements go."""
    elements = np.flatnonzero(wanted[tree.codes])
    return tree.opened[elements], tree.closed[elements]


def _marked(markup: Markup, tree: _Tree, found: Attributes) -> list[tuple[int, int]]:
    """From which to which tag it is marked as hidden."""
    tags = np.array(found.hidden)
    places = np.searchsorted(tree.opened, tags)
    is_element = np.append(tree.opened, -2)[places] == tags
    spans: list[tuple[int, int]] = []
    ends: dict[int, dict[int, int]] = {}
    for tag, code, place, followed in zip(tags.tolist(), markup.codes[tags].tolist(), places.tolist(), is_element.tolist(), strict=True):
        if _IS_VOID[code] or NAMES[code] in _EDGES:
            continue
        if followed:
            spans.append((tag, int(tree.closed[place])))
        else:
            if code not in ends:
                ends[code] = _ends_in_line(markup, code)
            spans.append((tag, ends[code][tag]))
    return spans


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


@dataclass(slots=True)
class _Pieces:
    """Visible text between tags, without what is only white space."""

    texts: list[bytes]
    tags: Ints
    """The number of tags before each piece."""
    starts: Ints
    spaced: Flags
    """Whether there is space before the piece, in the page or by the nature of a tag."""


def _pieces(markup: Markup, hidden: Flags) -> _Pieces:
    data = markup.data
    begins = np.concatenate(([0], markup.ends))
    ends = np.append(markup.starts, len(data))
    some = ends > begins
    some[1:] &= ~hidden
    places = np.flatnonzero(some)
    texts = [data[begin:end] for begin, end in zip(begins[places].tolist(), ends[places].tolist(), strict=True)]
    blank = np.fromiter(map(bytes.isspace, texts), np.bool_, len(texts))
    filled = ~blank
    spaces = np.zeros(len(begins), np.intp)  # before each piece: white space, or tags that stand for it
    spaces[1:] = _IS_SPACED[markup.codes]
    links = markup.codes == _A
    touching = links[1:] & links[:-1] & markup.closing[:-1] & (markup.ends[:-1] == markup.starts[1:])
    spaces[2:] |= touching  # two links that touch are two things
    spaces[places[blank]] += 1
    tags = places[np.flatnonzero(filled)]
    number = spaces.cumsum()[tags]
    spaced = np.concatenate(([False], number[1:] > number[:-1]))
    return _Pieces(list(compress(texts, filled.tolist())), tags, begins[tags], spaced)


def _ends_of_blocks(markup: Markup, pieces: _Pieces, segmentation: Segmentation) -> Flags:
    """Which tags end a block: one `<br>` is white space; two or more, with nothing between them, are the end of a block."""
    ends = _RULES[segmentation].ends_block[markup.codes]
    breaks = np.flatnonzero(markup.codes == _BR)
    if len(breaks) > 1:
        since = np.searchsorted(pieces.tags, breaks, "right")
        blocks = np.cumsum(ends)[breaks]
        ends[breaks[1:]] |= (since[1:] == since[:-1]) & (blocks[1:] == blocks[:-1])
    return ends


def _cut(segmented: Segmented, markup: Markup, pieces: _Pieces, ends: Flags, tree: _Tree) -> None:
    """Make the blocks of the pieces between the ends of blocks."""
    boundaries = np.concatenate(([-1], np.flatnonzero(ends), [len(ends)]))
    block = np.searchsorted(boundaries, pieces.tags) - 1  # the last boundary before each piece
    first = np.concatenate(([True], block[1:] != block[:-1]))
    separators = np.where(first, 2, pieces.spaced)
    separators[0] = 0
    parts = [b""] * (2 * len(pieces.texts))
    parts[::2] = map(_SEPARATORS.__getitem__, separators.tolist())
    parts[1::2] = pieces.texts
    clean, words, link_words = _words(b"".join(parts).decode(), pieces.texts, _in_link(markup, pieces.tags), np.cumsum(first) - 1)
    begun = np.flatnonzero(first)
    block = block[begun]
    before, behind = boundaries[block], boundaries[block + 1]
    is_tag = np.concatenate(([0], np.cumsum(markup.codes != NO_TAG)))
    is_link = np.concatenate(([0], np.cumsum((markup.codes == _A) & ~markup.closing)))
    tags, links = is_tag[behind] - is_tag[before + 1], is_link[behind] - is_link[before + 1]
    gaps = is_tag[before + 1] - np.concatenate(([0], is_tag[behind[:-1]]))
    starts = pieces.starts[begun]
    indented = np.flatnonzero(np.frombuffer(markup.data, np.uint8)[starts] <= ord(" "))
    indents = [len(text) - len(text.lstrip()) for text in map(pieces.texts.__getitem__, begun[indented].tolist())]
    starts[indented] += np.array(indents, np.intp)
    stops = np.append(markup.starts, len(markup.data))[behind]
    starts, stops = markup.in_source(np.stack((starts, stops)))
    at = pieces.tags[begun]
    holders = tree.tops[tree.tags.searchsorted(at)]
    if not all(clean):
        keep = np.array(list(map(bool, clean)))
        clean = list(filter(None, clean))
        words, link_words, tags, links, gaps, starts, stops, at, holders = (
            column[keep] for column in (words, link_words, tags, links, gaps, starts, stops, at, holders)
        )
    elements = segmented.elements
    elements.codes, elements.parents = tree.codes, np.array(tree.parents)
    elements.tags = list(map(NAMES.__getitem__, tree.codes.tolist()))
    elements.tags[0] = "body"
    elements.first, elements.end = at.searchsorted(tree.opened + 1), at.searchsorted(tree.closed + 1)
    held = holders.tolist()
    paths, kinds = _paths(tree, np.flatnonzero(elements.end > elements.first).tolist())
    segmented.blocks = list(
        map(
            Block,
            clean,
            map(kinds.__getitem__, held),
            map(paths.__getitem__, held),
            starts.tolist(),
            stops.tolist(),
            words.tolist(),
            link_words.tolist(),
            links.tolist(),
            tags.tolist(),
        )
    )
    segmented.holders, segmented.tags_before = holders, gaps


def _in_link(markup: Markup, tags: Ints) -> Flags:
    """For each piece whether it stands in a link."""
    links = np.flatnonzero(markup.codes == _A)
    if not len(links):
        return np.zeros(len(tags), np.bool_)
    last = np.searchsorted(links, tags) - 1
    return (last >= 0) & ~markup.closing[links[last]]


def _words(joined: str, pieces: list[bytes], in_link: Flags, block: Ints) -> tuple[list[str], Ints, Ints]:
    """Clean texts, and the words of each and of its links."""
    items = list(map(str.split, (unescape(joined) if "&" in joined else joined).split("\0")))
    clean = list(map(" ".join, items))
    linked = list(compress(pieces, in_link.tolist()))
    if _is_unusual(" ".join(clean)):
        clean = list(map(_clean, clean))
        words = list(map(count_words, clean))
        link_words = [count_words(unescape(text.decode())) for text in linked]
    else:
        words = list(map(len, items))
        link_words = list(map(len, map(bytes.split, linked)))
    counted = np.bincount(block[in_link], link_words, len(clean)).astype(np.intp) if linked else np.zeros(len(clean), np.intp)
    return clean, np.array(words), counted


def _is_unusual(page: str) -> bool:
    """Whether blocks must be looked at one by one: controls or decomposed letters (from character references), a script without spaces."""
    if page.isascii():
        return not page.isprintable()
    codes = utf16(page)
    codes = codes[codes - 32 > 94]  # ASCII controls come round to large numbers
    return needs_care(codes) or are_unspaced(codes)


def _paths(tree: _Tree, elements: list[int]) -> tuple[list[str], list[Kind]]:
    """The paths of elements, and the kind of a block in them: in a mere `div`, the innermost other element says."""
    paths, kinds = ["html/body"] * len(tree.parents), _ALL_P * len(tree.parents)
    codes, parents = tree.codes.tolist(), tree.parents
    for element in elements[1:]:  # the first is the body
        parent, code = parents[element], codes[element]
        path = paths[parent]
        if len(path) > _DEEPEST_PATH and path.count("/") >= _DEEPEST_PATH - 1:
            path = "html/body/" + path.split("/", 3)[3]
        paths[element] = path + _STEPS[code]
        kinds[element] = _KINDS[code] or kinds[parent]
    return paths, kinds


def _names(tree: _Tree, found: Attributes) -> list[str]:
    """Class and id of each element."""
    names = [""] * len(tree.codes)
    elements = np.searchsorted(tree.opened, found.named)
    is_element = np.append(tree.opened, -2)[elements] == found.named
    for element, value in zip(elements[is_element].tolist(), compress(found.names, is_element.tolist()), strict=True):
        names[element] += f" {value}" if names[element] else value
    return names


def _clean(text: str) -> str:
    """White space folded; character references may have brought in control characters and decomposed letters."""
    text = " ".join(text.split())
    if text.isascii():
        return text if text.isprintable() else " ".join(_CONTROLS.sub("", text).split())
    if not text.isprintable():
        text = " ".join(_CONTROLS.sub("", text).split())
    return compose(text)
