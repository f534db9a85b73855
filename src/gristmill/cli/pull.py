"""`gristmill pull`: bring a corpus back from an object store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import Workers
from gristmill.wording import plural


def pull(
    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS", help="What push or --mirror was given: s3://bucket/corpus.", show_default=False
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the corpus goes.", show_default=False)
    ],
    *,
    shards: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Only these shards: 0-9,12. It becomes a corpus of these.")
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="PARTS",
            help="Only these parts: documents (always), tokens, report, index, ngrams, pages, other. "
            "What is left out is made again when it is needed, but for pages.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Bring an older state of the same corpus up to date with its mirror.")
    ] = False,
    workers: Workers = None,
) -> None:
    """Bring a corpus, or some of it, back from a store.

    Each file is checked by its size and hash. A pull that was stopped goes on when you run the same command again;
    until it is done, there is no corpus in the folder. What the corpus names (programs, plugins, files elsewhere) is
    not trusted by pulling it: see `gristmill trust`.

    \b
    Examples:
      gristmill pull s3://bucket/corpus -o corpus
      gristmill pull s3://bucket/corpus -o sample --shards 0-9,12 --only documents,tokens
    """
    from gristmill.pipeline.pulling import bring

    with progress_bars() as progress:
        done = bring(address, output, shards=shards, only=only, force=force, workers=workers, progress=progress)
    note(f"{plural(done.files, 'file')} ({done.bytes / 1e6:,.1f} MB) brought to {output}, edition {done.edition}")
    if done.part_of is not None:
        note(f"{output} holds {done.shards:,} of the {done.part_of:,} shards of the corpus")
    if not done.complete:
        note("The corpus is not complete: run the command that was interrupted, such as `gristmill build`, again.")
