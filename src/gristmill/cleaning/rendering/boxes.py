"""Where the blocks of a page stand when a browser shows it, and how they look: a box for each block, as columns.

`rendered` has them from a browser, `estimated` guesses them from the markup.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints

PAGE_WIDTH = 1024
"""The width of the window in pixels: that of most screens when the methods that use it were made."""


WHITE = float(0xFFFFFF)
"""The background where no other is known."""


@dataclass(frozen=True, slots=True)
class Boxes:
    """The boxes of blocks, in pixels from the upper left corner of the page. What is not shown has no size."""

    x: Floats
    y: Floats
    width: Floats
    height: Floats
    font_size: Floats
    weight: Floats
    """How bold the text is: 400 is usual, 700 is bold."""
    contrast: Floats
    """How far the brightness of the text is from that of what is behind it, from 0 to 1."""
    background: Floats
    """The colour behind the text, as a number: red * 65536 + green * 256 + blue."""

    def __len__(self) -> int:
        return len(self.x)

    @property
    def page_width(self) -> float:
        """The width of all that is shown, at least that of the window."""
        return float((self.x + self.width).max(initial=PAGE_WIDTH))

    @property
    def page_height(self) -> float:
        """The height of all that is shown."""
        return float((self.y + self.height).max(initial=1.0))

    def joined(self, first: Ints) -> Boxes:
        """Return a box around each run of blocks, given their first ones.

        Fonts are means by area, the background is that of the first. A block that is not shown adds nothing, unless
        none of the run is shown.
        """
        area = self.width * self.height
        shown = area > 0
        left = np.minimum.reduceat(np.where(shown, self.x, np.inf), first)
        top = np.minimum.reduceat(np.where(shown, self.y, np.inf), first)
        right = np.maximum.reduceat(np.where(shown, self.x + self.width, -np.inf), first)
        bottom = np.maximum.reduceat(np.where(shown, self.y + self.height, -np.inf), first)
        none = ~np.isfinite(left)
        weights = np.maximum(area, 1e-9)
        total = np.add.reduceat(weights, first)

        def mean(values: Floats) -> Floats:
            found: Floats = np.add.reduceat(values * weights, first) / total
            return found

        x, y = np.where(none, self.x[first], left), np.where(none, self.y[first], top)
        return Boxes(
            x,
            y,
            np.where(none, 0.0, right - np.where(none, 0.0, left)),
            np.where(none, 0.0, bottom - np.where(none, 0.0, top)),
            mean(self.font_size),
            mean(self.weight),
            mean(self.contrast),
            self.background[first],
        )
