"""Generated documents and their truth."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.document import Kind


@dataclass(frozen=True, slots=True)
class MadeBlock:
    """A generated block, and the text that it is a copy of."""

    text: str
    origin: int
    """The number of the text that it was made from.

    Blocks with the same number are copies of one text, up to the changes that the next fields describe.
    """
    changed: float = 0.0
    """The share of the text's words that were changed, left out or added."""
    part: float = 1.0
    """The share of the text's words that were taken; the first ones, if not all."""
    kind: Kind = "p"
    path: str = ""
    """The elements that the block stands in; empty for the usual ones of its kind."""
    row: int = 0
    """The number of the table row of which the block is a cell, from 1; 0 if it is none."""
    written: str = ""
    """The way in which the text is written differently, letter by letter: one of `WAYS`; empty if it is not."""


@dataclass(frozen=True, slots=True)
class Made:
    """A generated document, and what it was made from."""

    url: str
    blocks: tuple[MadeBlock, ...]
    kind: str
    """One of `KINDS`, the same for all documents that were made together; or `repeated`."""
    cluster: int
    """The number of the cluster: documents with the same number are copies or revisions of one document."""
    resemblance: float = 1.0
    """The intended resemblance to the first version of the document; 1 for the first version itself."""
    lang: str = "und"

    @property
    def text(self) -> str:
        """The text, with a line for each block."""
        return "\n".join(block.text for block in self.blocks)
