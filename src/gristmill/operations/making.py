"""What changes a corpus: its index is made of what a selection keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.errors import UsageError
from gristmill.operations.declaration import operation
from gristmill.operations.selected import Selected
from gristmill.operations.work import DividedWork
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus, PartDone
    from gristmill.search.index.index import Index


@asked
class IndexAsked(Selected, DividedWork):
    """What is indexed, and how."""

    check: bool = param("Make nothing: read all files of the index and say whether one is damaged.", default=False)
    compact: bool = param("Merge all segments of the index into one, which is searched fastest.", default=False)


@operation(
    IndexAsked,
    name="index",
    room="search",
    group="make",
    effect="writes",
    needs_index=False,
    examples=(
        "gristmill index corpus",
        "gristmill index corpus --max-boilerplate 0.2 --where 'year>=2010'",
        "gristmill index corpus --roles all",
        "gristmill index corpus --compact",
        "gristmill index corpus --part 3/16",
        "gristmill index corpus --check",
    ),
)
def make_index(corpus: Corpus, asked: IndexAsked) -> Index | PartDone:
    """Make the index in which a corpus is searched.

    A search makes the index by itself if there is none or the corpus has changed; only shards that are new or have
    changed are indexed. Do it before to have the index before the first search, or to search another selection of the
    corpus than the one it was built with: with all `roles`, comments and captions, too, as `<p role="comment">`.

    It also merges segments when they are many and small, and makes again what is damaged. Use `compact` when no more
    pages will be added, and `check` after copying, or if the disk is not to be trusted.

    Several machines can index one corpus, in a folder that all of them see: each does a `part`, such as 3/16, and when
    all are done, one of them does the rest with `merge`.
    """
    from gristmill.pipeline.indexing import check_index, index, index_part

    part, means = asked.chosen_part(), asked.means(corpus)
    if asked.check:
        return check_index(corpus)
    selection = asked.selection(corpus.folder)
    if part and asked.compact:
        raise UsageError("--compact merges all segments: give it with --merge, when all parts are done")
    if part:
        return index_part(corpus, part, selection, **means)
    made = index(corpus, selection, compact=asked.compact, merge=asked.merge, say=corpus.say, **means)
    corpus.refresh()
    return made
