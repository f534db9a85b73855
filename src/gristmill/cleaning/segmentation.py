"""Cut a page into the blocks that a reader sees.

No tree of the page is built: of its elements only those are followed that hold blocks, on a stack, tag by tag. All else
(which text belongs to which block, what is hidden, counts, positions) is done on arrays over all tags or all pieces of
text of a page. Nothing here is recursive, and time is linear in the size of the page whatever the page is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import compress

import numpy as np
from turbohtml import unescape

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.attributes import Attributes, find_attributes
from gristmill.cleaning.elements import BLOCKS, CODES, HEADINGS, LIST_ITEMS, NAMES
from gristmill.cleaning.lines import BREAK, as_written, breaks_before, preformatted, spaces_by_tags
from gristmill.cleaning.markup import NO_TAG, Markup, scan
from gristmill.cleaning.metadata import Metadata, read_metadata
from gristmill.cleaning.rows import rows_of_blocks
from gristmill.cleaning.tree import RULES, Segmentation, Tree, follow, hidden_behind
from gristmill.document import Block, Kind
from gristmill.text.composition import compose, needs_care
from gristmill.text.scripts import are_unspaced
from gristmill.text.units import utf16
from gristmill.text.words import count_words

_DEEPEST_PATH = 64  # elements of a path that are kept; a path without limit would make deep pages quadratic
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\xad\ufeff]")
_SEPARATORS = (
    b"",
    b" ",
    BREAK.encode(),
    b"\0",
)  # between pieces of text: nothing, a space, the end of a line, of a block
_LINE_END, _BLOCK_END = 2, 3
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


_A, _BR = CODES["a"], CODES["br"]


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
    texts: list[str] = field(default_factory=list)
    """The texts of the blocks with white space folded: what is shown in lines is scored as if it were not."""


def segment(source: str, segmentation: Segmentation = "block") -> Segmented:
    """The visible text of a page of HTML as blocks, in the order of the page.

    Positions are those in the page with Unix line ends, as `decode` gives it.
    """
    data = source.encode("utf-8", "replace")
    if b"\r" in data or b"\0" in data:
        source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
        data = source.encode("utf-8", "replace")
    markup = scan(data)
    tree = follow(markup, RULES[segmentation])
    found = find_attributes(markup, tree.opened[1:])
    hidden = hidden_behind(markup, tree, found)
    segmented = Segmented(metadata=read_metadata(markup, hidden), length=len(source))
    pieces = _pieces(markup, hidden)
    if pieces.texts:
        ends = _ends_of_blocks(markup, pieces, segmentation)
        _cut(segmented, markup, pieces, ends, tree, hidden)
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
    texts = [block.text for block in blocks]
    return Segmented(blocks, Elements(end=np.full(1, len(blocks))), none, none, length=len(source), texts=texts)


@dataclass(slots=True)
class _Pieces:
    """Visible text between tags, without what is only white space."""

    texts: list[bytes]
    tags: Ints
    """The number of tags before each piece."""
    starts: Ints
    spaced: Ints
    """1 if there is space before the piece, in the page or by the nature of a tag, 2 if there is a `<br>`."""


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
    spaces = spaces_by_tags(markup)
    spaces[places[blank]] += 1
    tags = places[np.flatnonzero(filled)]
    number = spaces.cumsum()[tags]
    spaced = np.concatenate(([0], number[1:] > number[:-1])) + breaks_before(markup, hidden, tags)
    return _Pieces(list(compress(texts, filled.tolist())), tags, begins[tags], spaced)


def _ends_of_blocks(markup: Markup, pieces: _Pieces, segmentation: Segmentation) -> Flags:
    """Which tags end a block: one `<br>` is the end of a line; two or more, with nothing between them, are the end of a block."""
    ends = RULES[segmentation].ends_block[markup.codes]
    breaks = np.flatnonzero(markup.codes == _BR)
    if len(breaks) > 1:
        since = np.searchsorted(pieces.tags, breaks, "right")
        blocks = np.cumsum(ends)[breaks]
        ends[breaks[1:]] |= (since[1:] == since[:-1]) & (blocks[1:] == blocks[:-1])
    return ends


def _cut(segmented: Segmented, markup: Markup, pieces: _Pieces, ends: Flags, tree: Tree, hidden: Flags) -> None:
    """Make the blocks of the pieces between the ends of blocks."""
    boundaries = np.concatenate(([-1], np.flatnonzero(ends), [len(ends)]))
    block = np.searchsorted(boundaries, pieces.tags) - 1  # the last boundary before each piece
    first = np.concatenate(([True], block[1:] != block[:-1]))
    separators = np.where(first, _BLOCK_END, pieces.spaced)
    separators[0] = 0
    parts = [b""] * (2 * len(pieces.texts))
    parts[::2] = map(_SEPARATORS.__getitem__, separators.tolist())
    parts[1::2] = pieces.texts
    begun = np.flatnonzero(first)
    before, behind = boundaries[block[begun]], boundaries[block[begun] + 1]
    number = np.cumsum(first) - 1
    lines = _Lines(number[separators == _LINE_END].tolist(), dict(preformatted(markup, tree, hidden, before, behind)))
    clean, texts, words, link_words = _words(
        b"".join(parts).decode(), pieces.texts, _in_link(markup, pieces.tags), number, lines
    )
    is_tag = starts_of(markup.codes != NO_TAG)
    is_link = starts_of((markup.codes == _A) & ~markup.closing)
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
        clean, texts = list(compress(clean, keep.tolist())), list(compress(texts, keep.tolist()))
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
            texts,
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
    segmented.holders, segmented.tags_before, segmented.texts = holders, gaps, clean
    for cell, row in rows_of_blocks(elements.codes, elements.parents, elements.first, elements.end):
        segmented.blocks[cell].row = row


def _in_link(markup: Markup, tags: Ints) -> Flags:
    """For each piece whether it stands in a link."""
    links = np.flatnonzero(markup.codes == _A)
    if not len(links):
        return np.zeros(len(tags), np.bool_)
    last = np.searchsorted(links, tags) - 1
    return (last >= 0) & ~markup.closing[links[last]]


@dataclass(slots=True)
class _Lines:
    """Which blocks have more white space than a space between words."""

    broken: list[int]
    """Blocks with a `<br>`, once for each."""
    written: dict[int, str]
    """The text of blocks whose white space is shown as it is written."""

    def restored(self, clean: list[str], texts: list[str], *, unusual: bool) -> list[str]:
        """Clean texts with the lines that they had before they were folded."""
        if not self.broken and not self.written:
            return clean
        clean = clean.copy()
        clean_line = _clean if unusual else _single_spaced
        for block in dict.fromkeys(self.broken):
            clean[block] = "\n".join(filter(None, map(clean_line, texts[block].split(BREAK))))
        for block, text in self.written.items():
            clean[block] = as_written(text, unusual=unusual)
        return clean


def _words(
    joined: str, pieces: list[bytes], in_link: Flags, block: Ints, lines: _Lines
) -> tuple[list[str], list[str], Ints, Ints]:
    """Clean texts, the same with their lines, and the words of each and of its links."""
    texts = (unescape(joined) if "&" in joined else joined).split("\0")
    items = list(map(str.split, texts))
    clean = list(map(" ".join, items))
    linked = list(compress(pieces, in_link.tolist()))
    unusual = _is_unusual(" ".join(clean))
    if unusual:
        clean = list(map(_clean, clean))
        words = list(map(count_words, clean))
        link_words = [count_words(unescape(text.decode())) for text in linked]
    else:
        words = list(map(len, items))
        link_words = list(map(len, map(bytes.split, linked)))
    counted = (
        np.bincount(block[in_link], link_words, len(clean)).astype(np.intp) if linked else np.zeros(len(clean), np.intp)
    )
    return clean, lines.restored(clean, texts, unusual=unusual), np.array(words), counted


def _is_unusual(page: str) -> bool:
    """Whether blocks must be looked at one by one: controls or decomposed letters (from character references), a script without spaces."""
    if page.isascii():
        return not page.isprintable()
    codes = utf16(page)
    codes = codes[codes - 32 > 94]  # ASCII controls come round to large numbers
    return needs_care(codes) or are_unspaced(codes)


def _paths(tree: Tree, elements: list[int]) -> tuple[list[str], list[Kind]]:
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


def _names(tree: Tree, found: Attributes) -> list[str]:
    """Class and id of each element."""
    names = [""] * len(tree.codes)
    elements = np.searchsorted(tree.opened, found.named)
    is_element = np.append(tree.opened, -2)[elements] == found.named
    for element, value in zip(elements[is_element].tolist(), compress(found.names, is_element.tolist()), strict=True):
        names[element] += f" {value}" if names[element] else value
    return names


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


def _clean(text: str) -> str:
    """White space folded; character references may have brought in control characters and decomposed letters."""
    text = _single_spaced(text)
    if text.isascii():
        return text if text.isprintable() else _single_spaced(_CONTROLS.sub("", text))
    if not text.isprintable():
        text = _single_spaced(_CONTROLS.sub("", text))
    return compose(text)
