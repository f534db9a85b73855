"""Subcorpora with names that last: listed, saved, renamed, removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.operations.common import NameAsked
from gristmill.operations.declaration import operation
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.saved import Removed, SavedSubcorpus, Subcorpora
    from gristmill.search.subcorpora import NamedSubcorpus


@asked
class SubcorporaAsked:
    """Which subcorpora are shown."""

    name: str | None = param("Only the one of this name.", default=None, kw_only=False, max_characters=64)


@operation(
    SubcorporaAsked,
    room="search",
    table=True,
    group="search",
    examples=("gristmill subcorpora corpus", "gristmill subcorpora corpus news --json"),
)
def subcorpora(corpus: Corpus, asked: SubcorporaAsked) -> Subcorpora:
    """Show the subcorpora that have a name.

    Each has its size, its condition, and who saved it when. It can be used as @NAME wherever a condition on documents
    is asked for: '@news & lang="en"'. A note says why one can't be used any more, if so.
    """
    from gristmill.search.saved import saved_subcorpora

    return saved_subcorpora(corpus.index, corpus.folder, asked.name)


@asked
class SaveAsked:
    """A condition, and the name that it gets."""

    name: str = param("Letters, digits, - and _.", kw_only=False, max_characters=64)
    where: str = param(
        'A condition on documents: lang="en" & year>=2010; @name stands for another subcorpus.',
        kw_only=False,
        kind="condition",
    )
    replace: bool = param("Replace the subcorpus of this name, if there is one.", default=False)


@operation(
    SaveAsked,
    room="search",
    group="search",
    effect="writes",
    role="annotator",
    examples=(
        "gristmill save-subcorpus corpus news 'host=\"news.*\" & year>=2015'",
        "gristmill save-subcorpus corpus english-news '@news & lang=\"en\"'",
    ),
)
def save_subcorpus(corpus: Corpus, asked: SaveAsked, user: str = "") -> SavedSubcorpus:
    """Save a condition on documents under a name.

    @NAME then stands for it wherever a condition is asked for: for commands, in Python and in the web app. Names of
    others in the condition are replaced by what they stand for now. What is added to the corpus later and meets the
    condition is in it, too; no document need meet it yet.
    """
    from gristmill.search.saved import measured
    from gristmill.search.subcorpora import expanded, save_subcorpus
    from gristmill.search.subcorpus import Subcorpus

    Subcorpus(corpus.index, expanded(asked.where, corpus.folder))  # raises if documents have no such attributes
    saved = save_subcorpus(corpus.folder, asked.name, asked.where, by=user, replace=asked.replace)
    return measured(corpus.index, saved)


@asked
class RenameAsked:
    """The old and the new name of a subcorpus."""

    name: str = param("The name that it has.", kw_only=False, max_characters=64)
    new: str = param("The name that it gets.", kw_only=False, max_characters=64)


@operation(
    RenameAsked,
    room="search",
    group="search",
    effect="writes",
    role="annotator",
    needs_index=False,
    examples=("gristmill rename-subcorpus corpus news papers",),
)
def rename_subcorpus(corpus: Corpus, asked: RenameAsked) -> NamedSubcorpus:
    """Give a subcorpus another name, which must be free."""
    from gristmill.search.subcorpora import rename_subcorpus

    return rename_subcorpus(corpus.folder, asked.name, asked.new)


@operation(
    NameAsked,
    room="search",
    group="search",
    effect="writes",
    role="annotator",
    needs_index=False,
    examples=("gristmill remove-subcorpus corpus news",),
)
def remove_subcorpus(corpus: Corpus, asked: NameAsked) -> Removed:
    """Remove a subcorpus: its name, and not its documents."""
    from gristmill.search.saved import Removed
    from gristmill.search.subcorpora import remove_subcorpus

    remove_subcorpus(corpus.folder, asked.name)
    return Removed(asked.name)
