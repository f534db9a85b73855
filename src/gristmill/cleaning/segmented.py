"""What segmentation makes of a page: its blocks as columns, and the elements that hold them.

`segmentation` makes it; the cleaning methods see it through `features`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.markup import Markup
from gristmill.cleaning.metadata import Links, Metadata
from gristmill.cleaning.signs import Signs
from gristmill.columns import KINDS, Coded, Columns, Texts
from gristmill.document import Block, blocks_of
from gristmill.kernel.elements import CODES, NAMES

Segmentation = Literal["block", "text-node", "non-inline", "all-but-links", "container", "html4"]
"""What ends a block.

`block`: jusText's block tags, and two `<br>`. `text-node`: any tag, as in Victor. `non-inline`: any tag but inline
ones, as in CEDAR. `all-but-links`: any tag but `<a>`, as in boilerpipe. `container`: the tags in which texrex looks for
text, such as `div`, `p`, `li`, `td`. `html4`: the tags of HTML 4.0 but inline ones,
images and input fields, as in Htmlcleaner.
"""

MAX_BLOCKS = 500_000
"""Blocks that a page may have: on 10 MB, one every 20 bytes, tags included. No page of text comes near it."""

WITH_MARKUP: frozenset[Segmentation] = frozenset({"text-node", "container"})
"""The ways of segmentation that are for methods which look at single tags."""


def _no_ints() -> Ints:
    return np.zeros(0, np.int64)


def _one_zero() -> Ints:
    return np.zeros(1, np.int64)


def no_columns() -> Columns:
    """Return the columns of a page without blocks."""
    none = Texts(b"", np.zeros(1, np.int32))
    numbers = [np.zeros(0, np.int32)] * 7
    return Columns.of(none, none, Coded(KINDS, np.zeros(0, np.int32)), Coded([], np.zeros(0, np.int32)), numbers)


@dataclass(slots=True)
class Elements:
    """The elements that hold blocks, as columns in the order of the page; element 0 is the body of the page.

    The blocks of an element are a run, `first` to `end` - 1, so sums over the blocks of all elements are differences of
    prefix sums. `<div><p>a</p><p>b</p></div>c` has three blocks and the elements body, div, p, p: `parents` is
    [0, 0, 1, 1], `first` is [0, 0, 0, 1] and `end` is [3, 2, 1, 2].
    """

    codes: Ints = field(default_factory=_one_zero)
    """The code of the name of each element; 0 for names that are not in `CODES`, and for the body."""
    parents: Ints = field(default_factory=_one_zero)
    """The element around each element; the body is its own parent."""
    first: Ints = field(default_factory=_one_zero)
    """The first block in the element or below it."""
    end: Ints = field(default_factory=_one_zero)
    """The first block behind the element."""
    names: Coded = field(default_factory=lambda: Coded.same("", 1))
    """Class and id, as written."""
    opened: Ints = field(default_factory=lambda: np.full(1, -1))
    """The start tag of each element, by its number in `Segmented.tags`; -1 for the body."""
    closed: Ints = field(default_factory=_one_zero)
    """The tag that ends it; the number of tags if nothing does."""

    @property
    def tags(self) -> list[str]:
        """The name of each element; empty for names that are not in `CODES`."""
        tags = list(map(NAMES.__getitem__, self.codes.tolist()))
        tags[0] = "body"
        return tags


@dataclass(slots=True)
class Segmented:
    """The blocks of a page, the elements that hold them, the metadata of the page, and signs of its kind."""

    columns: Columns = field(default_factory=no_columns)
    elements: Elements = field(default_factory=Elements)
    holders: Ints = field(default_factory=_no_ints)
    """The innermost element that holds each block."""
    tags_before: Ints = field(default_factory=_no_ints)
    """The number of tags between each block and the block before it."""
    metadata: Metadata = field(default_factory=Metadata)
    length: int = 0
    """Characters of the source."""
    signs: Signs = field(default_factory=Signs)
    """What its markup says about the kind of the page."""
    links: Links = field(default_factory=Links)
    """Where the page links to, as written."""
    tags: Ints = field(default_factory=_no_ints)
    """The code of each tag's name, or its complement (`~code`) for an end tag; -1 for comments and the like.

    The page `<p>a<br>b</p>` has the tags [p, br, ~p].
    """
    tags_up_to: Ints = field(default_factory=_no_ints)
    """The number of these that stand before the text of each block."""
    source: bytes = b""
    """The page in which the places of blocks are, in UTF-8, for methods that render it; empty for plain text."""
    markup: Markup | None = field(default=None, repr=False, compare=False)
    """The markup itself, for `tags_of`: only where the segmentation is one of `WITH_MARKUP`, as it needs memory."""
    has_too_many_blocks: bool = False
    """Whether it would have more than `MAX_BLOCKS`: then it has none."""

    @property
    def texts(self) -> list[str]:
        """The texts of the blocks with white space folded: methods score them without line breaks."""
        return self.columns.folded.tolist()

    @property
    def blocks(self) -> list[Block]:
        """The blocks as objects, made anew each time."""
        return blocks_of(self.columns)

    def part(self, first: int, end: int) -> Segmented:
        """Return some of its blocks as a page of their own, with all elements, of which most hold none of them."""
        chosen = np.arange(first, end)
        columns, of = self.columns.take(chosen), self.elements
        held = replace(of, first=np.clip(of.first, first, end) - first, end=np.clip(of.end, first, end) - first)
        return Segmented(
            columns,
            held,
            self.holders[first:end],
            self.tags_before[first:end],
            self.metadata,
            int(columns.end[-1] - columns.start[0]),
            self.signs,
        )

    def tags_between(self, name: str) -> Ints:
        """Count the start tags of a name between each block and the block before it.

        The text nodes of `<p>a<br>b<br><br>c` have the tags [p, br, br, br], of which [1, 2, 4] stand before each and
        [1, 1, 2] since the one before. The prefix sums of `br` are [0, 0, 1, 2, 3], so there are [0, 1, 2] of them.
        """
        found = np.concatenate(([0], np.cumsum(self.tags == CODES[name])))
        counts: Ints = found[self.tags_up_to] - found[self.tags_up_to - self.tags_before]
        return counts

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.columns)

    def __bool__(self) -> bool:
        return True
