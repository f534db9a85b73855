"""Documents that were made, and what is true of them."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.document import Kind


@dataclass(frozen=True, slots=True)
class MadeBlock:
    """A block, and the text that it is a copy of."""

    text: str
    origin: int
    """The number of the text that it was made from.

    Blocks with the same number are copies of one text, but for what follows.
    """
    changed: float = 0.0
    """Share of the text's words that were changed, left out or added to."""
    part: float = 1.0
    """Share of the text's words that were taken; the first ones, if it is not all."""
    kind: Kind = "p"
    path: str = ""
    """The elements that it stands in; empty for those that its kind stands in."""
    row: int = 0
    """Which of the table rows of its page it is a cell of, from 1; 0 if it is none."""
    written: str = ""
    """How the text is written in another way, letter by letter: one of `WAYS`; empty if it is written as it was."""


@dataclass(frozen=True, slots=True)
class Made:
    """A document, and what it was made from."""

    url: str
    blocks: tuple[MadeBlock, ...]
    kind: str
    """One of `KINDS`, that of all documents that were made together; or `repeated`."""
    cluster: int
    """Documents with the same number are one document, in copies or revisions."""
    resemblance: float = 1.0
    """The resemblance to the first version of the document that was aimed at; 1 for the first version itself."""
    lang: str = "und"

    @property
    def text(self) -> str:
        """The text, a block a line."""
        return "\n".join(block.text for block in self.blocks)
