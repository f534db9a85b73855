"""Subcorpora with names that last: listed, saved, renamed, removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.operations.declaration import operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus
from gristmill.web.answers.about import NoParameters


@operation(NoParameters, room="search")
def subcorpora(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """List the subcorpora that were saved: name, condition, by whom and when, documents and tokens.

    Each can be used as `@name` wherever a condition on documents is asked for. `problem` says why one can't be used any
    more, if so.
    """
    del asked
    return {
        "subcorpora": [item.to_json() for item in corpus.subcorpora],
        "documents": corpus.index.documents,
        "tokens": corpus.index.size,
    }


@dataclass(frozen=True, slots=True)
class SaveAsked:
    """A condition, and the name that it gets."""

    name: str = param(about="Letters, digits, - and _.", max_characters=64)
    where: str = param(about='A condition on documents: lang="en" & year>=2010; @name stands for another subcorpus.')
    replace: bool = param("Replace the subcorpus of this name, if there is one.", default=False)


@operation(SaveAsked, room="search", role="annotator", effect="writes")
def subcorpus_save(corpus: Corpus, asked: SaveAsked, user: str) -> dict[str, Any]:
    """Save a condition on documents under a name; no document need meet it yet."""
    return corpus.subcorpora.save(asked.name, asked.where, by=user, replace=asked.replace).to_json()


@dataclass(frozen=True, slots=True)
class RenameAsked:
    """The old and the new name of a subcorpus."""

    name: str = param(about="The name that it has.", max_characters=64)
    new: str = param(about="The name that it gets.", max_characters=64)


@operation(RenameAsked, room="search", role="annotator", effect="writes")
def subcorpus_rename(corpus: Corpus, asked: RenameAsked) -> dict[str, Any]:
    """Give a subcorpus another name."""
    return corpus.subcorpora.rename(asked.name, asked.new).to_json()


@dataclass(frozen=True, slots=True)
class NameAsked:
    """A name."""

    name: str = param(about="Its name.", max_characters=64)


@operation(NameAsked, room="search", role="annotator", effect="writes")
def subcorpus_remove(corpus: Corpus, asked: NameAsked) -> dict[str, Any]:
    """Remove a subcorpus: its name and condition, not its documents."""
    corpus.subcorpora.remove(asked.name)
    return {"removed": asked.name}
