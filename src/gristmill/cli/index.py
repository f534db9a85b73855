"""`gristmill index`: make the index in which a corpus is searched, or check it."""

from __future__ import annotations

from typing import Annotated

import typer

from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import (
    CorpusFolder,
    EngineName,
    Filters,
    Langs,
    MaxBoilerplate,
    MaxDuplicate,
    Merge,
    MinLength,
    OnePart,
    Plugins,
    Preset,
    Roles,
    Scratch,
    Trust,
    Where,
    Without,
    Workers,
    codes,
)
from gristmill.cli.parts import say_part
from gristmill.errors import UsageError
from gristmill.wording import plural


def index(
    corpus: CorpusFolder,
    *,
    max_boilerplate: MaxBoilerplate = None,
    roles: Roles = None,
    without: Without = None,
    max_duplicate: MaxDuplicate = None,
    lang: Langs = None,
    where: Where = None,
    preset: Preset = None,
    filters: Filters = None,
    min_length: MinLength = None,
    plugins: Plugins = None,
    trust: Trust = False,
    check: Annotated[
        bool, typer.Option("--check", help="Make nothing: read all files of the index and say whether one is damaged.")
    ] = False,
    compact: Annotated[
        bool, typer.Option("--compact", help="Merge all segments of the index into one, which is searched fastest.")
    ] = False,
    workers: Workers = None,
    engine: EngineName = None,
    part: OnePart = None,
    merge: Merge = False,
    scratch: Scratch = None,
) -> None:
    """Make the index in which a corpus is searched.

    A search makes the index by itself if there is none or the corpus has changed; only shards that are new or have
    changed are indexed. Use this command to have the index before the first search, or to search another selection of
    the corpus than the one it was built with. It also merges segments when they are many and small, and makes again
    what is damaged.

    \b
    Examples:
      gristmill index corpus
      gristmill index corpus --max-boilerplate 0.2 --where 'year>=2010'
      gristmill index corpus --roles all         to search comments and captions, too: <p role="comment">
      gristmill index corpus --compact           when no more pages will be added
      gristmill index corpus --part 3/16         on one of 16 machines; when all are done, --merge on one of them
      gristmill index corpus --check             after copying, or if the disk is not to be trusted
    """
    from gristmill.corpus import Selection
    from gristmill.pipeline import index as index_corpus
    from gristmill.pipeline import index_part
    from gristmill.pipeline.dividing import as_part, check_choice
    from gristmill.pipeline.indexing import check_index

    del plugins, scratch  # they were loaded, and chosen, when they were read
    chosen = as_part(part)
    check_choice(chosen, merge=merge)
    if check:
        checked = check_index(corpus)
        note(f"the index is whole: {plural(checked.size, 'token')} of {plural(checked.documents, 'document')}")
        return
    selection = Selection(
        max_boilerplate,
        max_duplicate,
        codes(lang),
        min_length,
        preset,
        tuple(filters or ()),
        where,
        roles,
        without or (),
    )
    if chosen:
        if compact:
            raise UsageError("--compact merges all segments: give it with --merge, when all parts are done")
        with progress_bars() as progress:
            done = index_part(corpus, chosen, selection, workers=workers, progress=progress, trust=trust)
        say_part(done, "indexed")
        return
    with progress_bars() as progress:
        made = index_corpus(
            corpus,
            selection,
            workers=workers,
            engine=engine,
            progress=progress,
            trust=trust,
            compact=compact,
            say=note,
            merge=merge,
        )
    size = f"{made.bytes_per_token:.1f} bytes a token" if made.size else "empty"
    note(f"{plural(made.size, 'token')} of {plural(made.documents, 'document')} indexed, {size}")
