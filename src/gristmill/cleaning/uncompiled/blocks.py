"""Segmentation of a page on arrays, where the kernel is not compiled: `segment_markup` makes what the kernel makes.

No full tree of the page is built. The elements that hold blocks are followed tag by tag (`tree`); everything else
(which text belongs to which block, counts, positions) is done on arrays over all tags of a page, or over all pieces of
text between tags. Nothing is recursive, and time is linear in the size of the page, whatever the page is.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress

import numpy as np
from turbohtml import unescape

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.metadata import read_links, read_metadata
from gristmill.cleaning.preformatted import as_written
from gristmill.cleaning.segmented import MAX_BLOCKS, Segmentation, Segmented
from gristmill.cleaning.signs import read_signs
from gristmill.cleaning.uncompiled.attributes import Attributes, find_attributes
from gristmill.cleaning.uncompiled.lines import BREAK, breaks_before, holds_references, preformatted, spaces_by_tags
from gristmill.cleaning.uncompiled.markup import NO_TAG, Markup
from gristmill.cleaning.uncompiled.rows import rows_of_blocks
from gristmill.cleaning.uncompiled.tree import RULES, Tree, follow, hidden_behind
from gristmill.columns import KINDS, Coded, Columns, Texts
from gristmill.kernel.elements import BLOCKS, CODES, HEADINGS, LIST_ITEMS, NAMES
from gristmill.text.composition import clean_text, needs_care
from gristmill.text.scripts import are_unspaced
from gristmill.text.units import utf16
from gristmill.text.words import count_words

_MAX_PATH_ELEMENTS = 64  # that are kept; a path without limit would make deep pages quadratic
# What is written between two pieces of text: nothing, a space, the end of a line, the end of a block.
_SEPARATORS = (b"", b" ", BREAK.encode(), b"\0")
_LINE_END, _BLOCK_END = 2, 3
_STEPS = tuple(f"/{name}" for name in NAMES)


_PARAGRAPH, _HEADING, _LIST_ITEM = range(len(KINDS))


def _kind(name: str) -> int | None:
    """Return the kind of blocks that an element holds; None if that depends on the element around it."""
    if name in HEADINGS:
        return _HEADING
    if name in LIST_ITEMS:
        return _LIST_ITEM
    return _PARAGRAPH if name in BLOCKS and name != "div" else None


_KINDS = tuple(map(_kind, NAMES))
_A, _BR = CODES["a"], CODES["br"]


def segment_markup(markup: Markup, length: int, segmentation: Segmentation = "block") -> Segmented:
    """Segment a page whose markup has been found already, given how many characters it has."""
    tree = follow(markup, RULES[segmentation])
    found = find_attributes(markup, tree.opened[1:])
    hidden = hidden_behind(markup, tree, found)
    metadata, signs, links = read_metadata(markup, hidden), read_signs(markup), read_links(markup)
    segmented = Segmented(metadata=metadata, length=length, signs=signs, links=links)
    pieces = _pieces(markup, hidden)
    if pieces.texts:
        ends = _ends_of_blocks(markup, pieces, segmentation)
        _add_blocks(segmented, markup, pieces, ends, tree, hidden)
        segmented.elements.names = _names(tree, found)
    return segmented


@dataclass(slots=True)
class _Pieces:
    """The pieces of visible text between tags, as columns, without those that are only white space.

    `<p>a <b>b</b><i>c</i><br>d` has the texts `a `, `b`, `c`, `d`, with 1, 2, 4 and 6 tags before them. `spaced` is
    [0, 0, 0, 2]: the space behind `a` is part of that piece, and between `b` and `c` there is none.
    """

    texts: list[bytes]
    tags: Ints
    """The number of tags before each piece."""
    starts: Ints
    """The place of each piece in the markup's data."""
    spaced: Ints
    """The separator before each piece: 1 for white space between tags or a tag that separates words, 2 for `<br>`."""
    has_references: list[bool]
    """Whether character references in each piece are resolved."""


def _pieces(markup: Markup, hidden: Flags) -> _Pieces:
    """Collect the pieces of visible text.

    Candidate n is the text behind n tags. `spaces` counts for each candidate what separates words there: the tag
    before it, and the candidate itself if it is white space. If its prefix sum grows from one piece to the next, there
    is space between the two.
    """
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
    return _Pieces(list(compress(texts, filled.tolist())), tags, begins[tags], spaced, holds_references(markup, tags))


def _ends_of_blocks(markup: Markup, pieces: _Pieces, segmentation: Segmentation) -> Flags:
    """Tell which tags end a block: one `<br>` ends a line, but a second with no text between them ends the block."""
    rules = RULES[segmentation]
    ends = rules.ends_block[markup.codes]
    breaks = np.flatnonzero(markup.codes == _BR)
    if len(breaks) > 1 and rules.two_breaks_end_block:
        # Two breaks follow each other if as many pieces, and as many ends of blocks, stand before both.
        texts_before = np.searchsorted(pieces.tags, breaks, "right")
        ends_before = np.cumsum(ends)[breaks]
        ends[breaks[1:]] |= (texts_before[1:] == texts_before[:-1]) & (ends_before[1:] == ends_before[:-1])
    return ends


def _add_blocks(segmented: Segmented, markup: Markup, pieces: _Pieces, ends: Flags, tree: Tree, hidden: Flags) -> None:
    """Make blocks of the pieces between the tags that end blocks, and describe the elements by them.

    With tags 0, 3 and 4 of six as ends, the boundaries are [-1, 0, 3, 4, 6]. Pieces behind 1, 3 and 5 tags lie behind
    the boundaries number 1, 1 and 3: the first two are one block, between the tags 0 and 3, and the third is another.
    """
    boundaries = np.concatenate(([-1], np.flatnonzero(ends), [len(ends)]))
    interval = np.searchsorted(boundaries, pieces.tags) - 1
    is_first = np.concatenate(([True], interval[1:] != interval[:-1]))
    first = np.flatnonzero(is_first)  # the first piece of each block
    if len(first) > MAX_BLOCKS:
        segmented.has_too_many_blocks = True
        return
    before, behind = boundaries[interval[first]], boundaries[interval[first] + 1]  # the tags around each block
    clean, texts, words, link_words = _texts_and_words(markup, pieces, is_first, tree, hidden, before, behind)
    tags_up_to = starts_of(markup.codes != NO_TAG)
    links_up_to = starts_of((markup.codes == _A) & ~markup.closing)
    tags, links = tags_up_to[behind] - tags_up_to[before + 1], links_up_to[behind] - links_up_to[before + 1]
    gaps = tags_up_to[before + 1] - np.concatenate(([0], tags_up_to[behind[:-1]]))
    starts, stops = _positions(markup, pieces, first, behind)
    at = pieces.tags[first]
    holders = tree.tops[tree.tags.searchsorted(at)]
    if not all(clean):  # references to control characters may be all that a block has
        keep = np.array(list(map(bool, clean)))
        same = texts is clean
        clean, texts = list(compress(clean, keep.tolist())), list(compress(texts, keep.tolist()))
        texts = clean if same else texts
        words, link_words, tags, links, gaps, starts, stops, at, holders = (
            column[keep] for column in (words, link_words, tags, links, gaps, starts, stops, at, holders)
        )
    elements = segmented.elements
    elements.codes, elements.parents = tree.codes, np.array(tree.parents)
    elements.first, elements.end = at.searchsorted(tree.opened + 1), at.searchsorted(tree.closed + 1)
    paths, kinds = _paths(tree, np.flatnonzero(elements.end > elements.first).tolist())
    held = holders.tolist()
    rows = np.zeros(len(held), np.int32)
    for cell, row in rows_of_blocks(elements.codes, elements.parents, elements.first, elements.end):
        rows[cell] = row
    folded = Texts.of(clean)
    numbers = [column.astype(np.int32) for column in (starts, stops, words, link_words, links, tags)]
    segmented.columns = Columns.of(
        folded if texts is clean else Texts.of(texts),
        folded,
        Coded(KINDS, np.array(list(map(kinds.__getitem__, held)), np.int32)),
        Coded.of(map(paths.__getitem__, held)),
        [*numbers, rows],
    )
    segmented.holders, segmented.tags_before = holders, gaps
    elements.opened, elements.closed = tree.opened, tree.closed
    codes = np.where(markup.codes == NO_TAG, 0, markup.codes).astype(np.int32)
    segmented.tags = np.where((markup.codes == NO_TAG) | markup.closing, ~codes, codes)
    segmented.tags_up_to = at


def _positions(markup: Markup, pieces: _Pieces, first: Ints, behind: Ints) -> Ints:
    """Find where blocks begin and end in the source, given the first piece of each and the tag behind it.

    A block begins at its first character that is not white space, and goes up to the tag that ends it.
    """
    starts = pieces.starts[first]
    indented = np.flatnonzero(np.frombuffer(markup.data, np.uint8)[starts] <= ord(" "))
    indents = [len(text) - len(text.lstrip()) for text in map(pieces.texts.__getitem__, first[indented].tolist())]
    starts[indented] += np.array(indents, np.intp)
    stops = np.append(markup.starts, len(markup.data))[behind]
    return markup.in_source(np.stack((starts, stops)))


def _in_link(markup: Markup, tags: Ints) -> Flags:
    """Tell for each piece, given by the number of tags before it, whether it stands in a link."""
    links = np.flatnonzero(markup.codes == _A)
    if not len(links):
        return np.zeros(len(tags), np.bool_)
    last = np.searchsorted(links, tags) - 1
    return (last >= 0) & ~markup.closing[links[last]]


@dataclass(slots=True)
class _Lines:
    """The blocks that have line breaks."""

    broken: list[int]
    """Blocks with a `<br>`, once for each `<br>`."""
    written: dict[int, str]
    """Preformatted blocks, with their text as written."""

    def restored(self, clean: list[str], texts: list[str], *, unusual: bool) -> list[str]:
        """Return clean texts with the line breaks that they had in `texts`, before white space was folded."""
        if not self.broken and not self.written:
            return clean
        clean = clean.copy()
        clean_line = clean_text if unusual else _single_spaced
        for block in dict.fromkeys(self.broken):
            clean[block] = "\n".join(filter(None, map(clean_line, texts[block].split(BREAK))))
        for block, text in self.written.items():
            clean[block] = as_written(text, unusual=unusual)
        return clean


def _texts_and_words(
    markup: Markup, pieces: _Pieces, is_first: Flags, tree: Tree, hidden: Flags, before: Ints, behind: Ints
) -> tuple[list[str], list[str], Ints, Ints]:
    """Return for each block its text with white space folded, its text with line breaks, its words and link words.

    All pieces are joined to one text with separators between them, and then split into blocks: the work is done in a
    few calls for the page instead of a few for each piece.
    """
    separators = np.where(is_first, _BLOCK_END, pieces.spaced)
    separators[0] = 0
    parts = [b""] * (2 * len(pieces.texts))
    parts[::2] = map(_SEPARATORS.__getitem__, separators.tolist())
    resolved = pieces.texts
    if any(b"&" in text for text in resolved):  # one by one, as no reference goes on behind a tag
        resolved = [
            unescape(text.decode()).encode() if b"&" in text and wanted else text
            for text, wanted in zip(pieces.texts, pieces.has_references, strict=True)
        ]
    parts[1::2] = resolved
    texts = b"".join(parts).decode().split("\0")
    items = list(map(str.split, texts))
    clean = list(map(" ".join, items))
    block = np.cumsum(is_first) - 1
    lines = _Lines(block[separators == _LINE_END].tolist(), dict(preformatted(markup, tree, hidden, before, behind)))
    in_link = _in_link(markup, pieces.tags)
    linked = list(compress(resolved, in_link.tolist()))
    unusual = _is_unusual(" ".join(clean))
    if unusual:
        clean = list(map(clean_text, clean))
        words = list(map(count_words, clean))
        link_words = [count_words(text.decode()) for text in linked]
    else:
        words = list(map(len, items))
        link_words = list(map(len, map(bytes.split, compress(pieces.texts, in_link.tolist()))))
    counted = (
        np.bincount(block[in_link], link_words, len(clean)).astype(np.intp) if linked else np.zeros(len(clean), np.intp)
    )
    return clean, lines.restored(clean, texts, unusual=unusual), np.array(words), counted


def _is_unusual(page: str) -> bool:
    """Tell whether a page has characters for which blocks must be normalised and counted one by one.

    These are control characters and decomposed letters, which come from character references, and scripts without
    spaces.
    """
    if page.isascii():
        return not page.isprintable()
    codes = utf16(page)
    codes = codes[codes - 32 > 94]  # all but printable ASCII: controls come round to large numbers
    return needs_care(codes) or are_unspaced(codes)


def _paths(tree: Tree, elements: list[int]) -> tuple[list[str], list[int]]:
    """Return the paths of elements, and the kind of blocks in them; a `div` takes the kind of the element around it."""
    paths, kinds = ["html/body"] * len(tree.parents), [_PARAGRAPH] * len(tree.parents)
    codes, parents = tree.codes.tolist(), tree.parents
    known: dict[str, str] = {}
    for element in elements[1:]:  # the first is the body
        parent, code = parents[element], codes[element]
        path = paths[parent]
        if len(path) > _MAX_PATH_ELEMENTS and path.count("/") >= _MAX_PATH_ELEMENTS - 1:
            path = "html/body/" + path.split("/", 3)[3]
        path += _STEPS[code]
        paths[element] = known.setdefault(path, path)  # of a million elements inside each other, nearly all are alike
        kind = _KINDS[code]
        kinds[element] = kinds[parent] if kind is None else kind
    return paths, kinds


def _names(tree: Tree, found: Attributes) -> Coded:
    """Return class and id of each element, with a space between them."""
    names = [""] * len(tree.codes)
    elements = np.searchsorted(tree.opened, found.named)
    is_element = np.append(tree.opened, -2)[elements] == found.named  # -2 is no tag: for places behind the last element
    for element, value in zip(elements[is_element].tolist(), compress(found.names, is_element.tolist()), strict=True):
        names[element] += f" {value}" if names[element] else value
    return Coded.of(names)


def _single_spaced(text: str) -> str:
    return " ".join(text.split())
