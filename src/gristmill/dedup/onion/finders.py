"""What a finder of duplicate n-grams is, and the registry of finders.

All give the same n-grams; they differ in what that costs.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from gristmill.arrays.dtypes import Hashes
from gristmill.dedup.tokens import Tokens
from gristmill.errors import GristmillError
from gristmill.registry import Registry, parts_of

Batches = Callable[[], Iterator[Tokens]]
"""Reads the corpus from its beginning, some documents at a time; a text of the tokens is a document."""


class Finder(Protocol):
    """Finds the n-grams that occur twice or more in a corpus, in one document or several; none crosses its end."""

    def __call__(self, batches: Batches, n: int, memory: int, work: Path) -> Hashes:
        """Their hashes (those of `shingle`), sorted, each once.

        Works within so many bytes, and puts what it has to into a folder.
        """


FINDERS: Registry[Finder] = parts_of("finder of duplicate n-grams")


@contextmanager
def needs_space_in(folder: Path) -> Iterator[None]:
    """Say what to do when the disk fills up."""
    try:
        yield
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise GristmillError(
            f"there is no space left in {folder} for the n-grams of the corpus: make room there and run it again"
        ) from error
