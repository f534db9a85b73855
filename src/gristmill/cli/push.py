"""`gristmill push`: put a corpus into an object store."""

from __future__ import annotations

from typing import Annotated

import typer

from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import CorpusFolder, Workers
from gristmill.wording import plural


def push(
    corpus: CorpusFolder,
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Where it goes: s3://bucket/corpus.", show_default=False)
    ],
    *,
    unguarded: Annotated[
        bool,
        typer.Option(
            "--unguarded", help="Also into stores that can't keep two writers apart: nobody else writes there."
        ),
    ] = False,
    workers: Workers = None,
) -> None:
    """Put a corpus, or what has changed of it, into a store.

    The store has all of the corpus then: `gristmill pull` brings it back. Only files that are new or have changed are
    uploaded. The mirror changes in one step, at the end, and a push that was stopped goes on when you run the same
    command again. Credentials are those of the store's own tools, such as AWS_PROFILE.

    \b
    Examples:
      gristmill push corpus s3://bucket/corpus
      gristmill push corpus gs://bucket/corpora/news
    """
    from gristmill.pipeline import push as push_corpus

    with progress_bars() as progress:
        done = push_corpus(corpus, address, workers=workers, progress=progress, unguarded=unguarded)
    if done.sent:
        note(f"{plural(done.sent, 'file')} ({done.sent_bytes / 1e6:,.1f} MB) uploaded")
    if done.removed:
        note(f"{plural(done.removed, 'file')} removed that the corpus has not")
    note(
        f"{done.mirror.address} has {plural(done.files, 'file')} ({done.bytes / 1e6:,.1f} MB), "
        f"edition {done.mirror.edition}{'' if done.sent else '; nothing was to be uploaded'}"
    )
