"""Cut a page into the blocks that a reader sees.

No tree of the page is built: of its elements only those are followed that hold blocks, on a stack, tag by tag. All else (which text belongs to
which block, what is hidden, counts, positions) is done on arrays over all tags or all pieces of text of a page. Nothing here is recursive, and
time is linear in the size of the page whatever the page is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain, compress, repeat
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
_WHITE_SPACE = bytes.maketrans(b"\t\n\x0b\x0c\r", b"     ")
_SEPARATORS = (b"", b" ", b"\0")  # between pieces of text: nothing, a space, the end of a block
_KINDS: dict[str, Kind] = {}
_KINDS.update(dict.fromkeys(BLOCKS - {"div"}, "p"))
_KINDS.update(dict.fromkeys(HEADINGS, "h"))
_KINDS.update(dict.fromkeys(LIST_ITEMS, "l"))


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
    ends = {"block": _IS_BLOCK, "text-node": any_tag, "non-inline": any_tag & ~_among(INLINE)}
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
    if "\r" in source:
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in source:
        source = source.replace("\0", "\ufffd")
    data = source.encode("utf-8", "replace").translate(_WHITE_SPACE)
    markup = scan(data)
    tree = _follow(markup, _RULES[segmentation])
    found = find_attributes(data, markup, tree.opened[1:])
    hidden = _hidden(markup, tree, found)
    segmented = Segmented(metadata=read_metadata(data, markup, hidden), length=len(source))
    pieces = _pieces(data, markup, hidden)
    if pieces.texts:
        ends = _ends_of_blocks(markup, pieces, segmentation)
        _cut(segmented, data, markup, pieces, ends, tree)
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
    tops: list[int]
    """After each of these tags, the innermost open element; one more for before them all."""
    codes: list[int]
    parents: list[int]
    opened: Ints
    closed: Ints
    """For each element its start tag and its end, among all tags of the page. The first element is open from before all to behind all."""


def _follow(markup: Markup, rules: _Rules) -> _Tree:  # noqa: C901 - one loop over all tags of a page, so nothing is called in it
    """Go through the start and end tags of elements that hold blocks."""
    tags = np.flatnonzero(rules.holds[markup.codes])
    stack, open_codes = [0], [0]
    tops, codes, parents, opened, closed = [0], [0], [0], [-1], [len(tags)]
    for place, (code, is_end) in enumerate(zip(markup.codes[tags].tolist(), markup.closing[tags].tolist(), strict=True)):
        top = open_codes[-1]
        if is_end:
            if code == top and len(stack) > 1:
                closed[stack.pop()] = place
                open_codes.pop()
            else:
                depth = _depth_to_close(open_codes, code)
                while len(stack) > depth:
                    closed[stack.pop()] = place
                    open_codes.pop()
        else:
            if code in _BLOCK_CODES:
                if top == _P:
                    closed[stack.pop()] = place
                    open_codes.pop()
                if code in _CLOSES and open_codes[-1] not in _CLOSES[code][1]:
                    depth = _depth_of_implied(open_codes, code)
                    while len(stack) > depth:
                        closed[stack.pop()] = place
                        open_codes.pop()
            parents.append(stack[-1])
            stack.append(len(codes))
            open_codes.append(code)
            codes.append(code)
            opened.append(place)
            closed.append(len(tags))
        tops.append(stack[-1])
    places = np.concatenate((tags, [len(markup.codes), -1]))
    return _Tree(tags, tops, codes, parents, places[opened], places[closed])


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


def _hidden(markup: Markup, tree: _Tree, found: Attributes) -> list[tuple[int, int]]:
    """From which to which tag nothing is shown.

    What is in `noscript`, or is marked as hidden, counts as shown if there is more of it than of all other text: then a script would show it.
    """
    never = _spans(tree, _IS_NEVER_SEEN)
    maybe = _spans(tree, _IS_UNSEEN & ~_IS_NEVER_SEEN) + _marked(markup, tree, found)
    if maybe:
        lengths = markup.starts[1:] - markup.ends[:-1]
        lengths[lengths < _SHORTEST_TEXT] = 0
        for first, last in never:
            lengths[first:last] = 0
        shown = lengths.copy()
        for first, last in maybe:
            shown[first:last] = 0
        if 2 * shown.sum() < lengths.sum():
            return never
    return never + maybe


def _spans(tree: _Tree, wanted: Flags) -> list[tuple[int, int]]:
    elements = np.flatnonzero(wanted[tree.codes])
    return list(zip(tree.opened[elements].tolist(), tree.closed[elements].tolist(), strict=True))


def _marked(markup: Markup, tree: _Tree, found: Attributes) -> list[tuple[int, int]]:
    """From which to which tag it is marked as hidden."""
    spans: list[tuple[int, int]] = []
    for tag in found.hidden:
        code = int(markup.codes[tag])
        if _IS_VOID[code] or NAMES[code] in _EDGES:
            continue
        element = int(np.searchsorted(tree.opened, tag))
        if element < len(tree.opened) and tree.opened[element] == tag:
            spans.append((tag, int(tree.closed[element])))
        elif not spans or tag >= spans[-1][1]:  # once is enough
            spans.append((tag, _end_in_line(markup, tag)))
    return spans


def _end_in_line(markup: Markup, tag: int) -> int:
    """The end tag of an element that is not followed, or else the next block tag."""
    code = markup.codes[tag]
    rest = slice(tag, len(markup.codes))
    same = np.flatnonzero(markup.codes[rest] == code)
    depth = np.cumsum(np.where(markup.closing[rest][same], -1, 1))
    end = np.flatnonzero(depth == 0)
    if len(end):
        return tag + int(same[end[0]])
    blocks = np.flatnonzero(_IS_BLOCK[markup.codes[rest]])
    return tag + int(blocks[0]) if len(blocks) else len(markup.codes)


@dataclass(slots=True)
class _Pieces:
    """Visible text between tags, without what is only white space."""

    texts: list[bytes]
    tags: Ints
    """The number of tags before each piece."""
    starts: Ints
    spaced: Flags
    """Whether there is space before the piece, in the page or by the nature of a tag."""


def _pieces(data: bytes, markup: Markup, hidden: list[tuple[int, int]]) -> _Pieces:
    begins = np.concatenate(([0], markup.ends))
    ends = np.append(markup.starts, len(data))
    some = ends > begins
    for first, last in hidden:
        some[first + 1 : last + 1] = False
    places = np.flatnonzero(some)
    texts = [data[begin:end] for begin, end in zip(begins[places].tolist(), ends[places].tolist(), strict=True)]
    filled = np.array([not text.isspace() for text in texts], np.bool_)
    spaces = _IS_SPACED[markup.codes]
    if len(spaces):  # two links that touch are two things
        links = markup.codes == _A
        spaces[1:] |= links[1:] & links[:-1] & markup.closing[:-1] & (markup.ends[:-1] == markup.starts[1:])
    before = np.concatenate(([0], np.cumsum(spaces)))
    blank = np.zeros(len(begins), np.intp)
    blank[places[~filled]] = 1
    tags = places[filled]
    number = (before + np.cumsum(blank))[tags]
    spaced = np.concatenate(([0], np.diff(number))) > 0
    return _Pieces([text for text, fill in zip(texts, filled.tolist(), strict=True) if fill], tags, begins[tags], spaced)


def _ends_of_blocks(markup: Markup, pieces: _Pieces, segmentation: Segmentation) -> Flags:
    """Which tags end a block: one `<br>` is white space; two or more, with nothing between them, are the end of a block."""
    ends = _RULES[segmentation].ends_block[markup.codes]
    breaks = np.flatnonzero(markup.codes == _BR)
    if len(breaks) > 1:
        since = np.searchsorted(pieces.tags, breaks, "right")
        blocks = np.cumsum(ends)[breaks]
        ends[breaks[1:]] |= (since[1:] == since[:-1]) & (blocks[1:] == blocks[:-1])
    return ends


def _cut(segmented: Segmented, data: bytes, markup: Markup, pieces: _Pieces, ends: Flags, tree: _Tree) -> None:
    """Make the blocks of the pieces between the ends of blocks."""
    boundaries = np.concatenate(([-1], np.flatnonzero(ends), [len(ends)]))
    block = np.searchsorted(boundaries, pieces.tags) - 1  # the last boundary before each piece
    first = np.concatenate(([True], block[1:] != block[:-1]))
    separators = np.where(first, 2, pieces.spaced)
    separators[0] = 0
    joined = b"".join(chain.from_iterable(zip(map(_SEPARATORS.__getitem__, separators.tolist()), pieces.texts, strict=True))).decode()
    texts = joined.split("\0")
    in_link = _in_link(markup, pieces.tags)
    clean, words, link_words = _words(texts, joined, pieces, in_link, np.cumsum(first) - 1)
    begun = np.flatnonzero(first)
    block = block[begun]
    before, behind = boundaries[block], boundaries[block + 1]
    is_tag = np.concatenate(([0], np.cumsum(markup.codes != NO_TAG)))
    is_link = np.concatenate(([0], np.cumsum((markup.codes == _A) & ~markup.closing)))
    tags, links = is_tag[behind] - is_tag[before + 1], is_link[behind] - is_link[before + 1]
    gaps = is_tag[before + 1] - np.concatenate(([0], is_tag[behind[:-1]]))
    starts = pieces.starts[begun] + [len(text) - len(text.lstrip(" ")) for text in texts]
    stops = np.append(markup.starts, len(data))[behind]
    starts, stops = _in_characters(data, starts), _in_characters(data, stops)
    at = pieces.tags[begun]
    holders = np.array(tree.tops)[np.searchsorted(tree.tags, at)]
    if not all(clean):
        keep = np.array(list(map(bool, clean)))
        clean = list(filter(None, clean))
        words, link_words, tags, links, gaps, starts, stops, at, holders = (
            column[keep] for column in (words, link_words, tags, links, gaps, starts, stops, at, holders)
        )
    paths, kinds = _paths(tree)
    held = holders.tolist()
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
    elements = segmented.elements
    elements.tags, elements.parents = [NAMES[code] for code in tree.codes], np.array(tree.parents)
    elements.tags[0] = "body"
    elements.first, elements.end = np.searchsorted(at, tree.opened + 1), np.searchsorted(at, tree.closed + 1)


def _in_link(markup: Markup, tags: Ints) -> Flags:
    """For each piece whether it stands in a link."""
    links = np.flatnonzero(markup.codes == _A)
    if not len(links):
        return np.zeros(len(tags), np.bool_)
    last = np.searchsorted(links, tags) - 1
    return (last >= 0) & ~markup.closing[links[last]]


def _words(texts: list[str], joined: str, pieces: _Pieces, in_link: Flags, block: Ints) -> tuple[list[str], Ints, Ints]:
    """Clean texts, and the words of each and of its links."""
    if "&" in joined:
        texts = [unescape(text) if "&" in text else text for text in texts]
        joined = "\0".join(texts)
    clean = list(map(" ".join, map(str.split, texts)))
    linked = [pieces.texts[at] for at in np.flatnonzero(in_link).tolist()]
    if _is_unusual(" ".join(clean)):
        clean = list(map(_clean, clean))
        words = list(map(count_words, clean))
        link_words = [count_words(unescape(text.decode())) for text in linked]
    else:
        words = [spaces + 1 for spaces in map(str.count, clean, repeat(" "))]
        link_words = list(map(len, map(bytes.split, linked)))
    counted = np.bincount(block[in_link], link_words, len(texts)).astype(np.intp) if linked else np.zeros(len(texts), np.intp)
    return clean, np.array(words), counted


def _is_unusual(page: str) -> bool:
    """Whether blocks must be looked at one by one: controls or decomposed letters (from character references), a script without spaces."""
    if page.isascii():
        return not page.isprintable()
    codes = utf16(page)
    codes = codes[codes - 32 > 94]  # ASCII controls come round to large numbers
    return needs_care(codes) or are_unspaced(codes)


def _in_characters(data: bytes, places: Ints) -> Ints:
    """Places in bytes as places in characters."""
    if data.isascii():
        return places
    continued = np.flatnonzero(np.frombuffer(data, np.int8) < -64)  # bytes 128 to 191 go on with a character
    return places - np.searchsorted(continued, places)


def _paths(tree: _Tree) -> tuple[list[str], list[Kind]]:
    """The path of each element, and the kind of a block in it: in a mere `div`, the innermost other element says."""
    paths, depths = ["html/body"], [2]
    kinds: list[Kind] = ["p"]
    for code, parent in zip(tree.codes[1:], tree.parents[1:], strict=True):
        name, path, depth = NAMES[code], paths[parent], depths[parent]
        if depth == _DEEPEST_PATH:
            path = "html/body/" + path.split("/", 3)[3]
        else:
            depth += 1
        paths.append(f"{path}/{name}")
        depths.append(depth)
        kinds.append(_KINDS.get(name) or kinds[parent])
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
