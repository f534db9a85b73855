"""The tags around the blocks of a page, for methods whose features count them one by one.

Most methods need to know of tags only what `Segmented` has as columns. Those that need more ask `tags_of` for it: it is
computed from the markup when it is asked for, so that it costs other methods nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.arrays.ragged import starts_of
from gristmill.cleaning.markup import Markup, Tags
from gristmill.cleaning.segmented import Segmented
from gristmill.kernel.elements import CODES, NAMES


@dataclass(frozen=True)
class PageTags:
    """The tags, comments and doctypes of a page as columns, and where its blocks stand among them.

    Tag n is item n. In `<ul><li>One <b>two</b><hr>three` there are the tags 0 `<ul>`, 1 `<li>`, 2 `<b>`, 3 `</b>` and
    4 `<hr>`. Two blocks, `One two` and `three`, have 2 and 5 tags `before` their first letter; the tags `behind` them
    are 4 and 5, the number of all, as nothing ends the second.
    """

    starts: Ints
    """Where the `<` stands, in characters of the page."""
    ends: Ints
    """Where text goes on, in characters: behind the tag, or behind the whole element if that holds a script."""
    codes: npt.NDArray[np.int32]
    """The code of the name, as in `CODES`; 0 for other names, `NO_TAG` for comments and doctypes."""
    closing: Flags
    """Whether it is an end tag."""
    before: Ints
    """The number of tags before the first letter of each block."""
    behind: Ints
    """The tag that ends each block; the number of tags if none does."""
    length: int
    """Characters of the page; 0 if its markup is not known."""

    def are(self, names: AbstractSet[str]) -> Flags:
        """Tell which tags have one of these names."""
        wanted = np.zeros(len(NAMES) + 1, np.bool_)  # one more, as `NO_TAG` is -1
        wanted[[CODES[name] for name in names if name in CODES]] = True
        found: Flags = wanted[self.codes]
        return found

    @functools.cached_property
    def behind_last(self) -> Ints:
        """The tag that ends the block before each block; -1 for the first block."""
        return np.concatenate((np.full(1, -1), self.behind[:-1]))[: len(self.behind)]

    def count(self, wanted: Flags, first: Ints, end: Ints) -> Ints:
        """Count the wanted ones among the tags `first[n]` to `end[n]` - 1, for each n."""
        sums = starts_of(wanted)
        counts: Ints = sums[np.minimum(end, len(wanted))] - sums[np.minimum(first, len(wanted))]
        return np.maximum(0, counts)


def tags_of(page: Segmented) -> PageTags:
    """Find the tags around the blocks of a page; a page whose markup was not kept, or plain text, has none."""
    columns, markup = page.columns, page.markup
    if markup is None:
        none = np.zeros(0, np.intp)
        nothing = np.zeros(len(page), np.intp)
        return PageTags(none, none, none.astype(np.int32), none.astype(np.bool_), nothing, nothing, 0)
    starts, ends = _in_characters(markup, page.length)
    return PageTags(
        starts,
        ends,
        markup.codes.astype(np.int32, copy=False),
        markup.closing,
        starts.searchsorted(columns.start.astype(np.int64)),
        starts.searchsorted(columns.end.astype(np.int64)),
        page.length,
    )


def _in_characters(markup: Markup, length: int) -> tuple[Ints, Ints]:
    """Return where tags start and where text goes on behind them, in characters of the source.

    In UTF-8 the bytes 128 to 191 (as signed numbers: below -64) continue a character and count nothing.
    """
    starts, ends = markup.starts.astype(np.int64), markup.text_starts.astype(np.int64)
    if not isinstance(markup, Tags):
        return markup.in_source(starts), markup.in_source(ends)  # type: ignore[attr-defined] # on arrays, raw text is cut out
    if len(markup.data) != length:
        continued = np.flatnonzero(np.frombuffer(markup.data, np.int8) < -64)
        starts, ends = (places - continued.searchsorted(places) for places in (starts, ends))
    return starts, ends
