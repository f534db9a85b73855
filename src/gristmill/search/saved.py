"""Saved subcorpora of a corpus with their sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gristmill.errors import GristmillError
from gristmill.search.index.index import Index
from gristmill.search.subcorpora import NamedSubcorpus, known_subcorpus, read_subcorpora
from gristmill.search.subcorpus import Subcorpus
from gristmill.table import Column, Part, Table
from gristmill.wording import plural


@dataclass(frozen=True, slots=True)
class SavedSubcorpus(NamedSubcorpus):
    """A condition that was saved under a name, and how much meets it now."""

    documents: int | None = None
    """How many documents it has; None if it can't be used any more."""
    tokens: int | None = None
    problem: str = ""
    """Why it can't be used any more, if so."""

    def lines(self) -> Iterator[str]:
        """Yield its size."""
        yield f"@{self.name} has {plural(self.documents or 0, 'document')}, {plural(self.tokens or 0, 'token')}"


@dataclass(frozen=True, slots=True)
class Removed:
    """The name of a subcorpus that was removed."""

    name: str

    def lines(self) -> Iterator[str]:
        """Yield what was done."""
        yield f"@{self.name} is removed; its documents are where they were"

    def to_json(self) -> dict[str, Any]:
        """Return its name."""
        return {"removed": self.name}


@dataclass(frozen=True, slots=True, repr=False)
class Subcorpora(Table):
    """The subcorpora of a corpus that have names."""

    documents: int
    """How many documents the whole corpus has."""
    tokens: int
    rows: list[SavedSubcorpus]

    @property
    def columns(self) -> Sequence[Column]:
        """Name, size, when and by whom it was saved, condition, and why it can't be used."""
        return [*map(Column, ("name", "documents", "tokens", "saved", "by", "where", "problem"))]

    def parts(self) -> list[Part]:
        """Return the columns but for problems, which notes tell."""
        return [Part(self.columns[:-1], [row[:-1] for row in self.cells()])]

    @property
    def heading(self) -> str:
        """How many there are, and how large the whole corpus is."""
        whole = f"{plural(self.documents, 'document')}, {plural(self.tokens, 'token')}"
        return (
            f"{len(self.rows):,} {'subcorpus' if len(self.rows) == 1 else 'subcorpora'}; the whole corpus has {whole}"
        )

    def notes(self) -> list[str]:
        """Say which can't be used, and how one is saved if there is none."""
        if not self.rows:
            return ["no subcorpus was saved yet: gristmill save-subcorpus CORPUS NAME CONDITION"]
        return [f"@{row.name} can't be used: {row.problem}" for row in self.rows if row.problem]


def saved_subcorpora(index: Index, folder: Path, name: str | None = None) -> Subcorpora:
    """List the subcorpora of the corpus in a folder, or the one of a name; raises if there is none."""
    known = read_subcorpora(folder)
    items = known.values() if name is None else [known_subcorpus(known, name)]
    return Subcorpora(index.documents, index.size, [measured(index, item) for item in items])


def measured(index: Index, item: NamedSubcorpus) -> SavedSubcorpus:
    """Find how much is in a subcorpus, or why it can't be used."""
    try:
        part = Subcorpus(index, item.where)
    except GristmillError as error:
        return SavedSubcorpus(**asdict(item), problem=str(error))
    return SavedSubcorpus(**asdict(item), documents=part.documents, tokens=part.size)
