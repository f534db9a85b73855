"""The languages of blocks and of pages: identified by models, or given by the user.

Each block is identified once. A page is in the language that most of the text of its blocks is in, so that it costs
next to nothing to find it again when other blocks are kept:

    block            language     characters
    "Der Müller..."  de           400
    "Contact"        (too short)  7, which don't count
    "About us..."    en           100

This page is in German, with a confidence of 400 / 500 = 0.8.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.columns import Coded, Columns
from gristmill.config import Config
from gristmill.document import Document
from gristmill.language import Identified, Models

# Characters, also blanks, that a block must have: no identifier is sure of less.
_MIN_CHARACTERS_ASCII, _MIN_CHARACTERS = 25, 7
_MAX_BLOCK_CHARACTERS = 200  # that are identified: with more the answer is the same in all but five of 10,000 blocks
_MAX_PAGE_CHARACTERS = 4000  # about: whole blocks are identified
_MIN_CONFIDENCE = 0.5  # below it an answer is a guess
_MIN_UNKNOWN_CHARACTERS = 60  # of a block whose unknown language counts against the others
_REMEMBERED_PAGES = 8


@dataclass(frozen=True, slots=True)
class Languages:
    """How pages get their language: by models that identify it, or from the user who gave it."""

    models: Models
    """What identifies the languages of blocks, also where the language of the page is given."""
    given: str = ""
    """The language of all pages, if the user gave it."""
    _identified: dict[str, Identified] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The answers for the last texts that were identified as wholes."""

    @classmethod
    def of_config(cls, config: Config) -> Languages:
        """Identify languages by the models that settings name, unless they give the language."""
        return cls(Models.load(config.language.models, config.language.identifier), config.clean.lang)

    def label_blocks(self, columns: Columns) -> None:
        """Set the language of each block, if the identifier is sure."""
        texts = columns.folded.tolist()
        long = [
            at
            for at, text in enumerate(texts)
            if len(text) >= _MIN_CHARACTERS_ASCII or (len(text) >= _MIN_CHARACTERS and not text.isascii())
        ]
        answers = self.models.identify_all([texts[at][:_MAX_BLOCK_CHARACTERS] for at in long], guess=False)
        found = [""] * len(texts)
        for at, (lang, confidence) in zip(long, answers, strict=True):
            found[at] = lang if confidence >= _MIN_CONFIDENCE else ""
        columns.lang = Coded.of(found)

    def label_page(self, document: Document) -> None:
        """Set the language of a document that is not cleaned yet: by the blocks that look like running text."""
        if self.given:
            document.lang, document.lang_confidence = self.given, 1.0
        else:
            columns = document.as_columns()
            document.lang, document.lang_confidence = self._of(columns, _running_text(columns))

    def label_kept(self, document: Document) -> None:
        """Set the language of a document to that of its kept text; without any, or if it was given, it stays."""
        if self.given:
            return
        columns = document.as_columns()
        kept = columns.kept(document.max_boilerplate)
        if len(kept):
            document.lang, document.lang_confidence = self._of(columns, kept)

    def _of(self, columns: Columns, blocks: Ints) -> Identified:
        """Find the language that most of the text is in, and its share of the blocks that are long enough to tell.

        If no block tells, the text is identified as a whole.
        """
        lengths, langs = columns.folded.lengths()[blocks], columns.lang.take(blocks)
        counted = np.flatnonzero(langs.flags(bool) | (lengths >= _MIN_UNKNOWN_CHARACTERS))
        if len(counted):
            codes = langs.codes[counted]
            votes = np.bincount(codes, lengths[counted])
            most = codes[votes[codes].argmax()]  # the first of several that are as frequent
            if lang := langs.values[most]:
                return Identified(lang, float(votes[most] / votes.sum()))
        some = blocks[: np.searchsorted(lengths.cumsum(), _MAX_PAGE_CHARACTERS, "right") + 1]
        return self._identify(b"\n".join(columns.folded.parts(some)).decode())

    def _identify(self, text: str) -> Identified:
        """Identify the language of a text once: often all that looked like running text is kept, and asked for anew."""
        if text not in self._identified:
            if len(self._identified) >= _REMEMBERED_PAGES:
                self._identified.clear()
            self._identified[text] = self.models.identify(text)
        return self._identified[text]


def _running_text(columns: Columns) -> Ints:
    """Find longer blocks without many links; if there are none, all blocks."""
    is_running = (columns.words >= 10) & (columns.link_words / np.maximum(columns.words, 1) < 0.3)
    return np.flatnonzero(is_running if is_running.any() else np.ones(len(columns), np.bool_))
