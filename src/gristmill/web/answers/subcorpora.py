"""Subcorpora with names that last: listed, saved, renamed, removed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from gristmill.errors import GristmillError
from gristmill.pipeline import Corpus
from gristmill.search.subcorpora import (
    NamedSubcorpus,
    expanded,
    read_subcorpora,
    remove_subcorpus,
    rename_subcorpus,
    save_subcorpus,
)
from gristmill.search.subcorpus import Subcorpus
from gristmill.web.answers.about import NoParameters
from gristmill.web.operations import operation
from gristmill.web.parameters import param


@operation("subcorpora", room="search")
def subcorpora(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """List the subcorpora that were saved: name, condition, by whom and when, documents and tokens.

    Each can be used as `@name` wherever a condition on documents is asked for. `problem` says why one can't be used any
    more, if so.
    """
    del asked
    return {
        "subcorpora": [_described(corpus, item) for item in read_subcorpora(corpus.folder).values()],
        "documents": corpus.index.documents,
        "tokens": corpus.index.size,
    }


def _described(corpus: Corpus, item: NamedSubcorpus) -> dict[str, Any]:
    try:
        part = Subcorpus(corpus.index, item.where)
    except GristmillError as error:
        return {**asdict(item), "documents": None, "tokens": None, "problem": str(error)}
    return {**asdict(item), "documents": part.documents, "tokens": part.size, "problem": ""}


@dataclass(frozen=True, slots=True)
class SaveAsked:
    """A condition, and the name that it gets."""

    name: str = param(about="Letters, digits, - and _.", max_characters=64)
    where: str = param(about='A condition on documents: lang="en" & year>=2010; @name stands for another subcorpus.')
    replace: bool = param(False, "Replace the subcorpus of this name, if there is one.")


@operation("subcorpus-save", room="search", role="annotator", writes=True)
def subcorpus_save(corpus: Corpus, asked: SaveAsked, user: str) -> dict[str, Any]:
    """Save a condition on documents under a name; no document need meet it yet."""
    Subcorpus(corpus.index, expanded(asked.where, corpus.folder))  # raises if documents have no such attributes
    saved = save_subcorpus(corpus.folder, asked.name, asked.where, by=user, replace=asked.replace)
    return _described(corpus, saved)


@dataclass(frozen=True, slots=True)
class RenameAsked:
    """The old and the new name of a subcorpus."""

    name: str = param(about="The name that it has.", max_characters=64)
    new: str = param(about="The name that it gets.", max_characters=64)


@operation("subcorpus-rename", room="search", role="annotator", writes=True)
def subcorpus_rename(corpus: Corpus, asked: RenameAsked) -> dict[str, Any]:
    """Give a subcorpus another name."""
    return _described(corpus, rename_subcorpus(corpus.folder, asked.name, asked.new))


@dataclass(frozen=True, slots=True)
class NameAsked:
    """A name."""

    name: str = param(about="Its name.", max_characters=64)


@operation("subcorpus-remove", room="search", role="annotator", writes=True)
def subcorpus_remove(corpus: Corpus, asked: NameAsked) -> dict[str, Any]:
    """Remove a subcorpus: its name and condition, not its documents."""
    remove_subcorpus(corpus.folder, asked.name)
    return {"removed": asked.name}
