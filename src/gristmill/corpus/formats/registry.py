"""What an export format is, and where formats are filed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from gristmill.document import Document
from gristmill.registry import Registry


class Format(Protocol):
    """Turns one document, already cut to the blocks that are wanted, into text, with its last line end."""

    def __call__(self, document: Document) -> Iterator[str]:
        """The pieces of text that make up the document in the file."""


FORMATS: Registry[Format] = Registry("export format")
