"""Saved subcorpora of a corpus with their sizes, for the command line, Python and the web app."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gristmill.errors import GristmillError
from gristmill.search.index.index import Index
from gristmill.search.subcorpora import (
    NamedSubcorpus,
    expanded,
    known_subcorpus,
    read_subcorpora,
    remove_subcorpus,
    rename_subcorpus,
    save_subcorpus,
)
from gristmill.search.subcorpus import Subcorpus


@dataclass(frozen=True, slots=True)
class SavedSubcorpus(NamedSubcorpus):
    """A condition that was saved under a name, and how much meets it now."""

    documents: int | None = None
    """How many documents it has; None if it can't be used any more."""
    tokens: int | None = None
    problem: str = ""
    """Why it can't be used any more, if so."""

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)


class SavedSubcorpora:
    """The subcorpora of a corpus that have names: they are listed, saved, renamed and removed."""

    def __init__(self, folder: Path, index: Callable[[], Index]) -> None:
        """Take the folder of a corpus, and what gives its index when that is needed."""
        self.folder = folder
        self._index = index

    def __repr__(self) -> str:
        return f"<subcorpora: {', '.join(read_subcorpora(self.folder)) or 'none'}>"

    def __iter__(self) -> Iterator[SavedSubcorpus]:
        """All of them with their sizes, by name."""
        return map(self._measured, read_subcorpora(self.folder).values())

    def __getitem__(self, name: str) -> SavedSubcorpus:
        """The one of this name; raises if there is none."""
        return self._measured(known_subcorpus(read_subcorpora(self.folder), name))

    def save(self, name: str, where: str, *, by: str = "", replace: bool = False) -> SavedSubcorpus:
        """Save a condition on documents under a name, to be used as `@name`; no document need meet it yet.

        Raises if it is no condition, if documents have no such attributes, or if the name is taken and not to be
        replaced.
        """
        Subcorpus(self._index(), expanded(where, self.folder))
        return self._measured(save_subcorpus(self.folder, name, where, by=by, replace=replace))

    def rename(self, name: str, new: str) -> SavedSubcorpus:
        """Give one another name, which must be free."""
        return self._measured(rename_subcorpus(self.folder, name, new))

    def remove(self, name: str) -> None:
        """Remove one: its name and condition, and not the documents that are in it."""
        remove_subcorpus(self.folder, name)

    def _measured(self, item: NamedSubcorpus) -> SavedSubcorpus:
        try:
            part = Subcorpus(self._index(), item.where)
        except GristmillError as error:
            return SavedSubcorpus(**asdict(item), problem=str(error))
        return SavedSubcorpus(**asdict(item), documents=part.documents, tokens=part.size)
