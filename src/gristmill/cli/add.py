"""`gristmill add`: add pages to a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import READABLE
from gristmill.cli.console import note, progress_bars
from gristmill.cli.declared import with_asked
from gristmill.cli.faults import shard_count, tell_faults
from gristmill.cli.options import CorpusFolder, Plugins, Scratch, Trust
from gristmill.cli.watch import say_found
from gristmill.operations.work import BuildWork
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.corpus.inventory import SourceNote

_MAX_NAMED_FILES = 5
"""Files that are named one by one; of more the number is said."""
_NOTHING_NEW = "nothing new: all of it is in the corpus already"


@with_asked("work", BuildWork)
def add(
    corpus: CorpusFolder,
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE", help=f"{READABLE}; folders, patterns.", show_default=False),
    ],
    *,
    plugins: Plugins = None,
    trust: Trust = False,
    work: BuildWork,
    scratch: Scratch = None,
) -> None:
    """Add pages to a corpus, built as the others were.

    Files are known by what they hold. One that is in the corpus already is left out, under whatever name, so you can
    give the same folder again and again. Of an archive that has grown at its end the rest is read. Text that the corpus
    has already is marked as repeated in the new pages. The next search brings the index up to date. Standing queries
    (`gristmill watch`) search the new pages at once. Several machines can build the new pages, a part each (`--part
    3/16`); then `--merge` de-duplicates them.

    \b
    Examples:
      gristmill add corpus crawl/2026-11-*.warc.gz
      gristmill add corpus saved-pages/ --mirror s3://bucket/corpus
    """
    from gristmill.corpus import Manifest
    from gristmill.engine.memory import keep_memory
    from gristmill.pipeline import add as add_to_corpus

    del plugins, scratch  # they were loaded, and chosen, when they were read
    chosen = work.chosen_part()
    lines = _watched(corpus)
    before, first = Manifest.read(corpus).counts or {"pages": 0, "kept": 0}, shard_count(corpus)
    keep_memory()
    passed: list[SourceNote] = []
    with progress_bars() as progress:
        found = add_to_corpus(
            corpus,
            sources,
            workers=work.workers,
            engine=work.engine,
            memory=work.memory,
            progress=progress,
            notes=passed.append,
            trust=trust,
            mirror=work.mirror,
            part=chosen,
            merge=work.merge,
        )
    _say_passed(passed)
    if chosen:
        note(f"part {chosen} is done. When all parts are, run the same command with --merge instead of --part")
        return
    after = found.counts
    pages = after["pages"] - before["pages"]
    note(
        f"{plural(pages, 'page')} read; {corpus} has {plural(after['kept'], 'document')}, {before['kept']:,} before"
        if pages
        else _NOTHING_NEW
    )
    say_found(corpus, {name: count - lines.get(name, 0) for name, count in _watched(corpus).items()})
    tell_faults(found.reader, first)


def _say_passed(passed: Sequence[SourceNote]) -> None:
    """Say which files were not read, or not from their beginning."""
    for state, more in (("there", "are already there"), ("grown", "have grown, and the rest of them is read")):
        notes = [each for each in passed if each.state == state]
        for found in notes[:_MAX_NAMED_FILES]:
            note(str(found))
        if len(notes) > _MAX_NAMED_FILES:
            note(f"and {len(notes) - _MAX_NAMED_FILES:,} more files {more}")


def _watched(corpus: Path) -> dict[str, int]:
    """Count the lines that each standing query has found."""
    from gristmill.search.watch.watches import read_watches

    return {watch.name: watch.count() for watch in read_watches(corpus)}
