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

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from gristmill.columns import Coded, Columns
from gristmill.config import Config
from gristmill.document import Block, Document, folded
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
            document.lang, document.lang_confidence = self._of(_running_text(document.blocks))

    def label_kept(self, document: Document) -> None:
        """Set the language of a document to that of its kept text; without any, or if it was given, it stays."""
        kept = () if self.given else document.kept()
        if kept:
            document.lang, document.lang_confidence = self._of(kept)

    def _of(self, blocks: Sequence[Block]) -> Identified:
        """Find the language that most of the text is in, and its share of the blocks that are long enough to tell.

        If no block tells, the text is identified as a whole.
        """
        texts = folded(blocks)
        votes: Counter[str] = Counter()
        for block, text in zip(blocks, texts, strict=True):
            if block.lang or len(text) >= _MIN_UNKNOWN_CHARACTERS:
                votes[block.lang] += len(text)
        lang = max(votes, key=votes.__getitem__, default="")
        if lang:
            return Identified(lang, votes[lang] / votes.total())
        lengths = list(accumulate(map(len, texts)))
        return self._identify("\n".join(texts[: bisect_right(lengths, _MAX_PAGE_CHARACTERS) + 1]))

    def _identify(self, text: str) -> Identified:
        """Identify the language of a text once: often all that looked like running text is kept, and asked for anew."""
        if text not in self._identified:
            if len(self._identified) >= _REMEMBERED_PAGES:
                self._identified.clear()
            self._identified[text] = self.models.identify(text)
        return self._identified[text]


def _running_text(blocks: Sequence[Block]) -> Sequence[Block]:
    """Find longer blocks without many links; if there are none, all blocks."""
    return [block for block in blocks if block.words >= 10 and block.link_density < 0.3] or blocks
