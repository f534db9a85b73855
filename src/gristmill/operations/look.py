"""What a corpus is made of: how far its stages are, what they kept, and what they dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.operations.common import NoParameters, Rows
from gristmill.operations.declaration import operation
from gristmill.operations.opened import AnyCorpus, opened
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from pathlib import Path

    from gristmill.corpus.dropped import Dropped
    from gristmill.corpus.funnel import Funnel
    from gristmill.corpus.side_by_side import SideBySide
    from gristmill.pipeline import Corpus
    from gristmill.pipeline.stages import Status


@operation(
    NoParameters,
    room="report",
    table=True,
    needs_index=False,
    needs_complete=False,
    group="look",
    examples=("gristmill status corpus", "gristmill status corpus --json"),
)
def status(corpus: Corpus | Path, asked: NoParameters) -> Status:
    """Show how far each stage is, and what is to be done.

    Of each stage it shows how many shards are current, missing (not done yet), stale (done, but of something that has
    changed since) or outdated (done by other versions: used as it is, until you ask for it anew). Nothing is changed.
    It is of the corpus as it is now, also if a build or an addition has not come to its end.
    """
    from gristmill.pipeline import Corpus, status

    del asked
    found = status(corpus)
    is_served = isinstance(corpus, Corpus) and not corpus.build
    return found.without_place() if is_served else found


@operation(
    NoParameters,
    room="report",
    needs_index=False,
    group="look",
    examples=("gristmill stats corpus", "gristmill stats corpus --json | jq .counts.dropped"),
)
def stats(corpus: Corpus, asked: NoParameters) -> Funnel:
    """Show how many pages each stage kept and dropped.

    It also shows how much text there is, and in which languages. What was dropped is listed page by page by `dropped`.
    """
    from gristmill.corpus.funnel import funnel

    del asked
    return funnel(corpus.reader)


@asked
class DuplicatesAsked:
    """Which document is shown, beside which copies."""

    document: str = param(
        "A document: its id, its address, or a part that only its address has.",
        kw_only=False,
        max_characters=10_000,
        example="00000-000012",
    )
    copies: bool = param("Also list the documents that repeat this one.", default=False)
    against: tuple[AnyCorpus, ...] = param(
        "A corpus that this one was de-duplicated against, to show the texts there.",
        default=(),
        kind="corpus",
        max_characters=200,
    )


@operation(
    DuplicatesAsked,
    room="duplicates",
    needs_index=False,
    group="look",
    examples=(
        "gristmill duplicates corpus 00000-000012",
        "gristmill duplicates corpus example.org/news --copies --html news.html",
        "gristmill duplicates new 00003-000100 --against old",
    ),
)
def duplicates(corpus: Corpus, asked: DuplicatesAsked) -> SideBySide:
    """Show where a document's repeated blocks come from.

    It shows the document and the first copies of its blocks side by side. [-words-] are only in the first copy, and
    {+words+} only in this document; a terminal shows colours instead. Blocks are numbered from 0; boilerplate is left
    out.
    """
    from gristmill.corpus.copies import trace
    from gristmill.corpus.lookup import find_document
    from gristmill.corpus.repeaters import repeaters_of
    from gristmill.corpus.side_by_side import SideBySide

    identifier = find_document(corpus.reader, asked.document)
    traced = trace(corpus.reader, identifier, [opened(other).reader for other in asked.against])
    return SideBySide(traced, repeaters_of(corpus.reader, identifier) if asked.copies else None)


@asked
class DroppedAsked(Rows):
    """What was dropped is listed."""

    reason: str | None = param(
        "Only what was dropped for this reason: a filter, such as length, or duplicate, replaced, revisit.",
        default=None,
        max_characters=200,
        example="duplicate",
    )


@operation(
    DroppedAsked,
    name="dropped",
    room="report",
    table=True,
    needs_index=False,
    group="look",
    examples=(
        "gristmill dropped corpus",
        "gristmill dropped corpus --reason length --limit 0 --csv",
        "gristmill why corpus 00000-000012",
    ),
)
def list_dropped(corpus: Corpus, asked: DroppedAsked) -> Dropped:
    """List pages that were not kept, and why.

    Of each page you see the reason, what was found, its address, and its id. Records that are no pages have their place
    instead, FILE:OFFSET. By id or place, `gristmill why` tells of one page in detail.
    """
    from gristmill.corpus.dropped import list_dropped

    found = list_dropped(corpus.reader, asked.reason, asked.offset, asked.limit or None)
    return found if corpus.build else found.without_places()
