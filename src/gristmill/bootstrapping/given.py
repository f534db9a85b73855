"""What a user gives a bootstrap to begin with: words, tuples, addresses, files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from gristmill.arguments import as_texts
from gristmill.bootstrapping.words import read_tuples, read_words, unique
from gristmill.crawling.folder import read_seeds

Place = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Given:
    """What the first round begins with."""

    words: tuple[str, ...] = ()
    tuples: tuple[tuple[str, ...], ...] = ()
    urls: tuple[str, ...] = ()
    local: tuple[str, ...] = ()
    """Files and folders that are built into the corpus before."""

    @classmethod
    def of(
        cls,
        words: Place | Sequence[str] = (),
        tuples: Place | Iterable[Sequence[str]] = (),
        urls: Place | Sequence[str] = (),
        local: Iterable[Place] = (),
    ) -> Self:
        """Take lists as they are; a single text or path is a file, with one word, tuple or address on each line."""
        return cls(
            tuple(_words(words)),
            tuple(_tuples(tuples)),
            tuple(read_seeds([urls] if isinstance(urls, str | Path) else list(as_texts(urls, "urls"))) if urls else ()),
            tuple(str(Path(path).absolute()) for path in local),
        )

    def __bool__(self) -> bool:
        return bool(self.words or self.tuples or self.urls or self.local)


def _words(given: Place | Sequence[str]) -> list[str]:
    return read_words(given) if isinstance(given, str | os.PathLike) else unique(as_texts(given, "words"))


def _tuples(given: Place | Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    if isinstance(given, str | os.PathLike):
        return read_tuples(given)
    return [tuple(unique(as_texts(words, "tuples"))) for words in given]
