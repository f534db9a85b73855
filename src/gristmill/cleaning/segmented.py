"""What segmentation makes of a page: its blocks as columns, and the elements that hold them.

`segmentation` makes it; the cleaning methods see it through `features`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.cleaning.metadata import Links, Metadata
from gristmill.cleaning.signs import Signs
from gristmill.columns import KINDS, Coded, Columns, Texts
from gristmill.document import Block, blocks_of
from gristmill.kernel.elements import NAMES

Segmentation = Literal["block", "text-node", "non-inline"]
"""What ends a block.

`block`: jusText's block tags, and two `<br>`. `text-node`: any tag, as in Victor. `non-inline`: any tag but inline
ones, as in CEDAR.
"""


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

    @property
    def texts(self) -> list[str]:
        """The texts of the blocks with white space folded: methods score them without line breaks."""
        return self.columns.folded.tolist()

    @property
    def blocks(self) -> list[Block]:
        """The blocks as objects, made anew each time."""
        return blocks_of(self.columns)

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.columns)

    def __bool__(self) -> bool:
        return True
