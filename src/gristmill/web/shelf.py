"""The corpora that a server has, by the names that stand in addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gristmill.corpus import CorpusReader
from gristmill.corpus.manifest import NAME as MANIFEST
from gristmill.errors import UsageError

_UNFIT = re.compile(r"[^\w.-]+")
RESERVED = frozenset({"api", "static", "login", "logout", "search"})
"""What addresses begin with that are not of a corpus."""


@dataclass(frozen=True, slots=True)
class Shelved:
    """A corpus on the shelf: its name in addresses, and its folder, which no request can name."""

    name: str
    folder: Path


class Shelf:
    """Some corpora, found by name and in no other way: nothing of a request becomes a path."""

    def __init__(self, folders: list[Path]) -> None:
        """Take corpora by their folders; each is named like its folder, with a number if that name is taken."""
        self._corpora: dict[str, Shelved] = {}
        for folder in folders:
            name = self._free_name(folder)
            self._corpora[name] = Shelved(name, folder)

    @classmethod
    def of_folder(cls, folder: Path) -> Shelf:
        """Take a corpus, or all corpora in a folder; raises if there is none."""
        if (folder / MANIFEST).is_file():
            CorpusReader(folder)  # so that a corpus that can't be read is told of at once
            return cls([folder])
        found = sorted(place.parent for place in folder.glob(f"*/{MANIFEST}")) if folder.is_dir() else []
        if not found:
            raise UsageError(
                f"{folder} is neither a corpus nor a folder of corpora: give the folder that `gristmill build` made"
            )
        return cls(found)

    def __iter__(self) -> Iterator[Shelved]:
        return iter(self._corpora.values())

    def __len__(self) -> int:
        return len(self._corpora)

    def folders(self) -> dict[str, Path]:
        """The folders of all corpora, by name."""
        return {item.name: item.folder for item in self}

    def get(self, name: str) -> Shelved | None:
        """Find a corpus by its name."""
        return self._corpora.get(name)

    def _free_name(self, folder: Path) -> str:
        base = _UNFIT.sub("-", folder.resolve().name).strip("-.") or "corpus"
        names = [base, *(f"{base}-{number}" for number in range(2, len(self._corpora) + 3))]
        return next(name for name in names if name not in self._corpora and name not in RESERVED)
