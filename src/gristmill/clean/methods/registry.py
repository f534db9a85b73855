"""What a cleaning method is, and where methods are filed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gristmill.document import Block
from gristmill.registry import Registry


class Method(Protocol):
    """Sets the boilerplate score and the label of every block of a page in a language."""

    def __call__(self, blocks: Sequence[Block], lang: str) -> None:
        """Score the blocks in place."""


METHODS: Registry[Method] = Registry("cleaning method")
