"""The corpora that a server has, by the names that stand in addresses."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gristmill.corpus import CorpusReader
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.errors import UsageError

_UNFIT = re.compile(r"[^\w.-]+")
_SECONDS_BETWEEN_LOOKS = 1.0
RESERVED = frozenset({"api", "static", "login", "logout", "search"})
"""What addresses begin with that are not of a corpus."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A corpus on the shelf: its name in addresses, and its folder, which no request can name."""

    name: str
    folder: Path


class Shelf:
    """Some corpora, found by name and in no other way: nothing of a request becomes a path."""

    def __init__(self, folders: list[Path], place: Path | None = None) -> None:
        """Take corpora by their folders; each is named like its folder, with a number if that name is taken.

        With `place`, a folder of corpora, `look` finds those that come to be in it.
        """
        self._corpora: dict[str, Shelved] = {}
        self._place = place
        self._looked = time.monotonic()
        for folder in folders:
            self._add(folder)

    def _add(self, folder: Path) -> None:
        name = self._free_name(folder)
        self._corpora[name] = Shelved(name, folder)

    @classmethod
    def of_folder(cls, folder: Path) -> Shelf:
        """Take a corpus, or all corpora in a folder; raises if there is none."""
        if (folder / MANIFEST).is_file():
            CorpusReader(folder)  # so that a corpus that can't be read is told of at once
            return cls([folder])
        found = _corpora_in(folder)
        if not found:
            raise UsageError(
                f"{folder} is neither a corpus nor a folder of corpora: give the folder that `gristmill build` made"
            )
        return cls(found, folder)

    def look(self) -> None:
        """Look for corpora that have come to be since, and forget those that are gone; others keep their names."""
        if self._place is None or time.monotonic() - self._looked < _SECONDS_BETWEEN_LOOKS:
            return
        self._looked = time.monotonic()
        there = _corpora_in(self._place)
        self._corpora = {name: item for name, item in self._corpora.items() if item.folder in there}
        known = {item.folder for item in self}
        for folder in there:
            if folder not in known:
                self._add(folder)

    def __iter__(self) -> Iterator[Shelved]:
        return iter(self._corpora.values())

    def __len__(self) -> int:
        return len(self._corpora)

    def folders(self) -> dict[str, Path]:
        """The folders of all corpora, by name."""
        return {item.name: item.folder for item in self}

    def get(self, name: str) -> Shelved | None:
        """Find a corpus by its name; it may have come to be just now."""
        if name and name not in self._corpora:
            self.look()
        return self._corpora.get(name)

    def _free_name(self, folder: Path) -> str:
        base = _UNFIT.sub("-", folder.resolve().name).strip("-.") or "corpus"
        names = [base, *(f"{base}-{number}" for number in range(2, len(self._corpora) + 3))]
        return next(name for name in names if name not in self._corpora and name not in RESERVED)


def _corpora_in(folder: Path) -> list[Path]:
    """Find the corpora in a folder, but for hidden ones."""
    try:
        return sorted(place.parent for place in folder.glob(f"[!.]*/{MANIFEST}"))
    except OSError:
        return []
