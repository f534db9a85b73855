"""The blocks of a page as columns of numbers: the input of all cleaning methods."""

from __future__ import annotations

import functools

import numpy as np

from gristmill.arrays.dtypes import Floats, Ints
from gristmill.cleaning.segmented import Segmented
from gristmill.cleaning.stopwords import stop_word_densities
from gristmill.columns import Columns
from gristmill.document import Block
from gristmill.language import Models


class Features:
    """The blocks of a page as columns, one item a block; a column is computed when it is first used."""

    def __init__(self, page: Segmented, models: Models | None = None, url: str = "") -> None:
        self.page = page
        self.url = url
        """The address of the page, for methods that compare the pages of a site; empty if it is not known."""
        self.models = models or Models.load()
        self._densities: dict[str, Floats] = {}

    @functools.cached_property
    def blocks(self) -> list[Block]:
        """The blocks as objects; columns are faster."""
        return self.page.blocks

    @property
    def columns(self) -> Columns:
        """The blocks as columns."""
        return self.page.columns

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self.page)

    def __bool__(self) -> bool:
        return True

    @functools.cached_property
    def texts(self) -> list[str]:
        """The texts of the blocks, with white space folded."""
        return self.page.texts

    @functools.cached_property
    def words(self) -> Ints:
        """Words in the block; in scripts without spaces, estimated from the number of characters."""
        return self.page.columns.words.astype(np.int64)

    @functools.cached_property
    def link_words(self) -> Ints:
        """Words inside links."""
        return self.page.columns.link_words.astype(np.int64)

    @functools.cached_property
    def links(self) -> Ints:
        """Links that begin in the block."""
        return self.page.columns.links.astype(np.int64)

    @functools.cached_property
    def tags(self) -> Ints:
        """Tags inside the block."""
        return self.page.columns.tags.astype(np.int64)

    @functools.cached_property
    def characters(self) -> Ints:
        """Characters of text in the block."""
        return self.page.columns.folded.lengths()

    @functools.cached_property
    def link_density(self) -> Floats:
        """Share of words that are inside links."""
        return np.minimum(1.0, self.link_words / np.maximum(1, self.words))

    def stop_word_density(self, lang: str) -> Floats:
        """Share of stop words among the words; NaN if there is no stop list, or in scripts without spaces."""
        if lang not in self._densities:
            self._densities[lang] = np.array(stop_word_densities(self.texts, self.models.stop_list(lang)), np.float64)
        return self._densities[lang]
