"""The features of `texrex` that are read from the markup: doctype, containers, tags, and how long blocks are with them.

Schäfer, Accurate and efficient general-purpose boilerplate detection (2016), Table 1. What it leaves open is as in his
program, by which the training data were made. In

    <div><p>One</p>
    <div></div><a href=/><img src=i></a><!-- x -->
    <ul><li>Two</ul><p>

the block `One` is from behind its `<p>` up to behind its `</p>`, 7 characters, of which 3 are text. Its tags are
`<div>`, `<p>` and `</p>`: two of three are start tags. `Two` goes from behind `<li>` up to behind `<p>`, 11 characters.
Its tags are all since `</p>`: `<div>`, `</div>`, `<a>`, `<img>`, `</a>`, the comment, `<ul>`, `<li>`, `</ul>`, `<p>`.
Comments count as start tags, so that seven of ten are. Containers between the two blocks, `<div>`, `</div>` and `<li>`,
leave three empty blocks, and `Two` has one link.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from gristmill.arrays.dtypes import Flags, Floats, Ints
from gristmill.cleaning.markup import Markup
from gristmill.cleaning.segmented import Segmented
from gristmill.cleaning.tags import PageTags, tags_of
from gristmill.kernel.elements import CODES, CONTAINERS, HEADINGS, NAMES, RAW_TEXT

DOCTYPES = ("DtXhtml", "DtHtml4", "DtHtml5")
_KINDS = ("article", "section", "div", "p", "h", "blockquote", "td", "li")
_KIND_OF = {name: _KINDS.index("h" if name in HEADINGS else name) for name in CONTAINERS}
_NO_CONTAINER = len(_KINDS)
_CONTAINER = np.array([_KIND_OF.get(name, _NO_CONTAINER) for name in (*NAMES, "")])  # the last is for `NO_TAG`, -1
_DOCTYPE = re.compile(rb"<!doctype([^>]{0,1000})>", re.IGNORECASE)
_HTML5 = re.compile(rb"\s+html\s*")
_MAX_HEAD_BYTES = 1 << 16  # in which the doctype is looked for
_MAX_EMPTY_BLOCKS = 20


class MarkupColumns(NamedTuple):
    """What the markup says about each block."""

    raw_lengths: Ints
    """Characters from behind the container tag before the block to behind the one that ends it."""
    links: Ints
    """Links that begin since the block before."""
    doctypes: Floats
    """The columns DtXhtml, DtHtml4 and DtHtml5, the same in each row."""
    containers: Floats
    """The columns ContArticle to ContLi."""
    closed: Floats
    """The column ContClose."""
    open_share: Floats
    """The column OpenProp."""
    skipped: Floats
    """The column SkippedDivs."""


def markup_columns(page: Segmented) -> MarkupColumns:
    """Compute the features that are read from the markup."""
    tags = tags_of(page)
    body = _body(tags)
    since = np.maximum(tags.behind_last, body) + 1  # the first tag that counts for a block
    breaks = tags.are(CONTAINERS)
    last = _last_before(breaks, tags.before)
    last[last < body] = body
    is_link = tags.are({"a"}) & ~tags.closing
    container = _CONTAINER[tags.codes[last]] if len(breaks) else np.full(len(page), _NO_CONTAINER)
    container[last < 0] = _NO_CONTAINER
    closed = tags.closing[last] & (last >= 0) if len(breaks) else np.zeros(len(page), np.bool_)
    skipped = tags.count(breaks, since, tags.before) + (tags.behind_last < 0)
    return MarkupColumns(
        _raw_lengths(tags, last),
        tags.count(is_link, since, tags.behind + 1),
        np.broadcast_to(doctype(page.markup), (len(page), len(DOCTYPES))),
        (container[:, None] == np.arange(_NO_CONTAINER)).astype(np.float64),
        closed.astype(np.float64),
        _open_share(tags, since),
        np.minimum(_MAX_EMPTY_BLOCKS, skipped) / _MAX_EMPTY_BLOCKS,
    )


def doctype(markup: Markup | None) -> Floats:
    """Tell by three flags whether a page declares itself as XHTML 1, HTML 4 or HTML5; all are 0 if it is none of them.

    `<!DOCTYPE html>` is HTML5. `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "...">` is XHTML.
    """
    flags = np.zeros(len(DOCTYPES))
    found = _DOCTYPE.search(markup.data[:_MAX_HEAD_BYTES]) if markup is not None else None
    if found:
        declared = found[1].lower()
        if b"xhtml 1" in declared:
            flags[0] = 1
        elif b"html 4" in declared:
            flags[1] = 1
        elif _HTML5.fullmatch(declared):
            flags[2] = 1
    return flags


def _body(tags: PageTags) -> int:
    """Return the start tag of the body; -1 if there is none."""
    found = np.flatnonzero(tags.codes == CODES["body"])
    return int(found[0]) if len(found) and (found[0] < tags.before[:1]).all() else -1


def _last_before(wanted: Flags, number: Ints) -> Ints:
    """Return the last of the wanted tags among the first `number[n]` tags; -1 if there is none."""
    places = np.flatnonzero(wanted)
    last: Ints = np.concatenate((np.full(1, -1), places))[places.searchsorted(number)]
    return last


def _raw_lengths(tags: PageTags, last: Ints) -> Ints:
    """Return how long each block is in the source, given the container tag before it."""
    ends = np.concatenate((tags.ends, [tags.length, 0]))  # the last item is for -1: the beginning of the page
    lengths: Ints = ends[tags.behind] - ends[last]
    return lengths


def _open_share(tags: PageTags, since: Ints) -> Floats:
    """Compute OpenProp: the share of start tags among the tags since the block before, with the one that ends it.

    The end tag of raw text, such as a script, is no tag of its own in the markup, so it is added.
    """
    raw = tags.are(RAW_TEXT)
    starts = tags.count(~tags.closing, since, tags.behind + 1)
    ends = tags.count(tags.closing, since, tags.behind + 1) + tags.count(raw & ~tags.closing, since, tags.behind + 1)
    share: Floats = starts / np.maximum(1, starts + ends)
    return share
