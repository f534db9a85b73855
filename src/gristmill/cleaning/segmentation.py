"""Segmentation of a page into the blocks that a reader sees, such as paragraphs, headings and list items.

`segment` does it for HTML, `segment_text` for plain text; `cleaner` calls them. Nothing is recursive, and time is
linear in the size of the page, whatever the page is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gristmill.cleaning.markup import Markup, Tags, markup_of, scan
from gristmill.cleaning.metadata import read_links, read_metadata
from gristmill.cleaning.preformatted import as_written
from gristmill.cleaning.segmented import MAX_BLOCKS, WITH_MARKUP, Elements, Segmentation, Segmented
from gristmill.cleaning.signs import read_signs
from gristmill.columns import KINDS, Coded, Columns, Int32, Texts
from gristmill.kernel import cut, find_names, find_pieces, follow, hide, hold, to_characters, write, written_between
from gristmill.kernel.rows import (
    BEHIND,
    BLOCK_KIND,
    CLOSED,
    CLOSING,
    CODE,
    FIRST,
    FROM,
    GAP,
    HOLDER,
    LINK_WORDS,
    LINKS,
    NAME,
    OPENED,
    PARENT,
    PATH,
    PREFORMATTED_BLOCK,
    ROW,
    TAG_BEFORE,
    TAG_BEHIND,
    TAGS,
    TAGS_BEFORE_BLOCK,
    UP_TO,
    WORDS,
)
from gristmill.kernel.rules import RULES, Table
from gristmill.text.composition import clean_text
from gristmill.text.words import count_words


def segment(source: str | bytes, segmentation: Segmentation = "block", characters: int | None = None) -> Segmented:
    """Segment the visible text of an HTML page into blocks, in the order of the page.

    Positions of blocks are in characters of the page with Unix line ends, as `decode` returns it: as text, or as the
    bytes of its UTF-8; `characters` says how many these are, if it is known.
    """
    found = (scan(source), characters) if isinstance(source, bytes) and characters is not None else markup_of(source)
    segmented = segment_markup(*found, segmentation)
    segmented.source = source if isinstance(source, bytes) else source.encode("utf-8", "replace")
    return segmented


def segment_markup(markup: Markup, length: int, segmentation: Segmentation = "block") -> Segmented:
    """Segment a page whose markup has been found already, given how many characters it has."""
    if isinstance(markup, Tags):
        segmented = _segment_tags(markup, length, segmentation)
    else:
        from gristmill.cleaning.uncompiled import blocks as uncompiled  # noqa: PLC0415 (only without a compiled kernel)

        segmented = uncompiled.segment_markup(markup, length, segmentation)  # type: ignore[arg-type]
    if segmentation in WITH_MARKUP:
        segmented.markup = markup
    return segmented


def _segment_tags(markup: Tags, length: int, segmentation: Segmentation) -> Segmented:
    """Segment a page whose tags the kernel has found."""
    data, tags, rules = markup.data, markup.tags, RULES[segmentation]
    elements, tops = follow(tags, rules)
    hidden = hide(data, tags, rules, elements, tops)
    metadata, signs = read_metadata(markup, hidden.view(np.bool_)), read_signs(markup)
    links = read_links(markup)
    pieces = find_pieces(data, tags, rules, hidden)
    if not pieces.shape[1]:
        return Segmented(metadata=metadata, length=length, signs=signs, links=links)
    blocks = cut(data, tags, rules, elements, tops, pieces)
    if blocks.shape[1] > MAX_BLOCKS:
        return Segmented(metadata=metadata, length=length, signs=signs, links=links, has_too_many_blocks=True)
    if len(data) != length:
        to_characters(data, blocks)
    folded, shown, offsets, counts, unusual = write(data, pieces)
    keep = offsets[1:] > offsets[:-1]
    if not keep.all():  # references to white space or control characters may be all that a block has
        blocks, counts = np.ascontiguousarray(blocks[:, keep]), counts[:, keep]
        offsets = np.concatenate((offsets[:1], offsets[1:][keep]))
    clean = Texts(folded, offsets)
    texts = clean if shown is folded else Texts(shown, offsets)
    if blocks[PREFORMATTED_BLOCK].any():
        texts = _as_written(texts, markup, rules, hidden, blocks, unusual=unusual)
    spans, described, paths = hold(elements, blocks, rules, tags.shape[1])
    numbers = (blocks[FROM], blocks[UP_TO], counts[WORDS], counts[LINK_WORDS], blocks[LINKS], blocks[TAGS])
    columns = Columns.of(
        texts, clean, Coded(KINDS, described[BLOCK_KIND]), Coded(paths, described[PATH]), [*numbers, described[ROW]]
    )
    names = Coded(*find_names(data, tags, elements))
    held = Elements(
        elements[NAME], elements[PARENT], spans[FIRST], spans[BEHIND], names, elements[OPENED], elements[CLOSED]
    )
    signed = tags[CODE] ^ -tags[CLOSING]
    before = blocks[TAGS_BEFORE_BLOCK]
    return Segmented(columns, held, blocks[HOLDER], blocks[GAP], metadata, length, signs, links, signed, before)


def _as_written(
    texts: Texts, markup: Tags, rules: Table, hidden: npt.NDArray[np.uint8], blocks: Int32, *, unusual: bool
) -> Texts:
    """Return texts in which those of preformatted blocks have their white space as it is written."""
    parts = texts.parts(np.arange(len(texts)))
    written = np.flatnonzero(blocks[PREFORMATTED_BLOCK])
    before, behind = blocks[TAG_BEFORE : TAG_BEHIND + 1, written].tolist()
    for block, first, last in zip(written.tolist(), before, behind, strict=True):
        text = written_between(markup.data, markup.tags, rules, hidden, first, last)
        parts[block] = as_written(text.decode(), unusual=unusual).encode("utf-8", "replace")
    return Texts.of_parts(parts)


def segment_text(source: str) -> Segmented:
    """Segment plain text into blocks, one for each line that is not empty."""
    texts, starts, ends = [], [], []
    start = 0
    for line in source.split("\n"):
        clean = clean_text(line)
        if clean:
            texts.append(clean)
            starts.append(start)
            ends.append(start + len(line))
            if len(texts) > MAX_BLOCKS:
                return Segmented(length=len(source), has_too_many_blocks=True)
        start += len(line) + 1
    folded = Texts.of(texts)
    none = np.zeros(len(texts), np.int32)
    words = np.array(list(map(count_words, texts)), np.int32)
    columns = Columns.of(
        folded,
        folded,
        Coded(KINDS, none),
        Coded.same("", len(texts)),
        [np.array(starts, np.int32), np.array(ends, np.int32), words, none, none, none, none],
    )
    nothing = np.zeros(len(texts), np.int64)
    elements = Elements(end=np.full(1, len(texts)))
    return Segmented(columns, elements, nothing, nothing, length=len(source), tags_up_to=nothing)
