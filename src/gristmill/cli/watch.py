"""`gristmill watch`: manage standing queries, which search all documents that are added to a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import CorpusFolder, Query, Trust
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_table
from gristmill.table import Column
from gristmill.wording import plural

group = typer.Typer(
    help="Standing queries: search all pages that are added later.",
    epilog="\b\nExamples:\n  gristmill watch add corpus '[lemma=\"mill\"]'\n  gristmill watch list corpus",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@group.command("add")
def add(
    corpus: CorpusFolder,
    words: Query,
    *,
    name: Annotated[str, typer.Option(help="Its name [made of the words of the query].", show_default=False)] = "",
    where: Annotated[
        str, typer.Option(metavar="CONDITION", help="Only documents for which this holds.", show_default=False)
    ] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Also search the documents that are in the corpus now.")
    ] = False,
    trust: Trust = False,
) -> None:
    """Search all documents that are added from now on for a query.

    Each `gristmill add` then searches the new documents only. What it finds is in the folder watches/NAME of the
    corpus, as text in lines.txt and as an Atom feed in feed.xml.

    \b
    Examples:
      gristmill watch add corpus '[lemma="mill"]'
      gristmill watch add corpus '[lemma="be"] "like"' --name quotative --where 'lang="en"' --all
    """
    from gristmill.pipeline import watch as add_watch
    from gristmill.search.watch.watches import FEED, TEXT

    watch = add_watch(corpus, " ".join(words), where=where, name=name, everything=everything)
    note(
        f"watching for {watch.query} as {watch.name}; "
        f"what is found comes to {watch.folder / TEXT} and {watch.folder / FEED}"
    )
    if everything:
        _run(corpus, trust)


@group.command("run")
def run(corpus: CorpusFolder, *, trust: Trust = False) -> None:
    """Search what is new for all queries.

    `gristmill add` does this by itself. You need it only after an `add` that was interrupted.

    \b
    Example:
      gristmill watch run corpus
    """
    from gristmill.corpus import Manifest

    Manifest.read(corpus)
    _run(corpus, trust)


def _run(corpus: Path, trust: bool) -> None:
    from gristmill.pipeline import run_watches

    with progress_bars() as progress:
        found = run_watches(corpus, progress=progress, trust=trust)
    say_found(found)


def say_found(found: dict[str, int]) -> None:
    """Say how many lines each query found."""
    for name, count in found.items():
        note(f"{name}: {plural(count, 'new line')}")


@group.command("list")
def list_watches(corpus: CorpusFolder, *, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """Show all queries and how much they found.

    \b
    Example:
      gristmill watch list corpus
    """
    from gristmill.corpus import Manifest
    from gristmill.search.watch.watches import read_watches

    Manifest.read(corpus)
    form = chosen_format(as_json, as_csv)
    watches = read_watches(corpus)
    rows = [(watch.name, watch.query, watch.where, watch.count()) for watch in watches]
    if rows or form != "table":
        write_table([Column("name"), Column("query"), Column("where"), Column("lines")], rows, form)
    else:
        note(f"nothing is watched for: add a query with gristmill watch add {corpus} QUERY")


@group.command("remove")
def remove(
    corpus: CorpusFolder, name: Annotated[str, typer.Argument(metavar="NAME", help="As `watch list` shows it.")]
) -> None:
    """Stop watching for a query, and delete what it found.

    \b
    Example:
      gristmill watch remove corpus quotative
    """
    from gristmill.pipeline import unwatch

    unwatch(corpus, name)
    note(f"{name} is no longer watched for, and its lines are deleted")
