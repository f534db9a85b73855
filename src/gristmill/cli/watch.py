"""`gristmill watch`: manage standing queries, which search all documents that are added to a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import MAIL_PERIODS, WATCH_ORDERS, WATCH_SCHEDULES, one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import CorpusFolder, Query, Trust
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_json, write_lines, write_table, write_text
from gristmill.cli.terminal import safe
from gristmill.errors import GristmillError, UsageError
from gristmill.table import Column
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.pipeline.mailing import Mailing
    from gristmill.search.watch.watches import Watch

Name = Annotated[str, typer.Argument(metavar="NAME", help="As `watch list` shows it.")]
Every = Annotated[
    str,
    typer.Option(
        metavar="|".join(MAIL_PERIODS),
        help="How often mail is sent, if something is new [daily].",
        show_default=False,
        autocompletion=one_of(MAIL_PERIODS),
    ),
]

Schedule = Annotated[
    str,
    typer.Option(
        metavar="|".join(WATCH_SCHEDULES),
        help="How often what is found comes to the text, the feed and the mail [each run, mail daily].",
        show_default=False,
        autocompletion=one_of(WATCH_SCHEDULES),
    ),
]
Sort = Annotated[
    str,
    typer.Option(
        help=f"Sort the lines of each run by {', '.join(WATCH_ORDERS)} [as in the corpus].",
        show_default=False,
        autocompletion=one_of(WATCH_ORDERS),
    ),
]
Length = Annotated[
    int | None, typer.Option(metavar="N", help="Characters to each side of a hit [its sentence].", min=0)
]
Words = Annotated[int | None, typer.Option(metavar="N", help="Words to each side, instead of characters.", min=0)]
Lines = Annotated[
    int | None,
    typer.Option(metavar="N", help="Show so many lines of each run; 0 for all [0].", min=0, show_default=False),
]

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
    sort: Sort = "",
    context: Length = None,
    tokens: Words = None,
    limit: Lines = None,
    mail: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="Mail what is found to this address. Can be repeated."),
    ] = None,
    every: Schedule = "",
    feed_url: Annotated[
        str, typer.Option(metavar="URL", help="Where you publish its feed; the feed says so.", show_default=False)
    ] = "",
    trust: Trust = False,
) -> None:
    """Search all documents that are added from now on for a query.

    Each `gristmill add` then searches the new documents only. What it finds is in the folder watches/NAME of the
    corpus, as text in lines.txt and as an Atom feed in feed.xml. `gristmill watch send` mails it. With --every, what is
    found waits until a day or a week has passed.

    \b
    Examples:
      gristmill watch add corpus '[lemma="mill"]'
      gristmill watch add corpus '[lemma="be"] "like"' --name quotative --where 'lang="en"' --all
      gristmill watch add corpus 'mill*' --sort right --tokens 8 --limit 50
      gristmill watch add corpus 'mill*' --every weekly
      gristmill watch add corpus 'mill*' --name mills --mail me@example.org --every weekly
    """
    from gristmill.pipeline import watch as add_watch
    from gristmill.search.watch.feed import FEED
    from gristmill.search.watch.watches import TEXT

    watch = add_watch(
        corpus,
        " ".join(words),
        where=where,
        name=name,
        everything=everything,
        sort=sort,
        context=context,
        tokens=tokens,
        limit=limit or 0,
        mail=mail or (),
        every=every,
        feed_url=feed_url,
    )
    note(
        f"watching for {watch.query} as {watch.name}; "
        f"what is found comes to {watch.folder / TEXT} and {watch.folder / FEED}"
    )
    _say_mail(corpus, watch)
    if everything:
        _run(corpus, trust)


def _say_mail(corpus: Path, watch: Watch) -> None:
    if watch.mail.to:
        note(f"{watch.mail.every} mail to {', '.join(watch.mail.to)} is sent by gristmill watch send {corpus}")


@group.command("set")
def set_(
    corpus: CorpusFolder,
    name: Name,
    *,
    sort: Sort = "",
    unsorted: Annotated[bool, typer.Option("--unsorted", help="Lines are in the order of the corpus again.")] = False,
    context: Length = None,
    tokens: Words = None,
    sentence: Annotated[bool, typer.Option("--sentence", help="Lines are whole sentences again.")] = False,
    limit: Lines = None,
    every: Schedule = "",
) -> None:
    """Change the order, length and number of the lines of a query, and how often they are given out.

    What you don't name stays as it is. A new length is that of lines that are found from now on; order and limit hold
    for the lines of earlier runs, too.

    \b
    Examples:
      gristmill watch set corpus quotative --sort right --limit 50
      gristmill watch set corpus quotative --tokens 8 --every weekly
    """
    from gristmill.pipeline import set_watch

    if sort and unsorted:
        raise UsageError("give --sort or --unsorted, not both")
    order = "" if unsorted else sort or None
    if order is None and not (sentence or every) and context is None and tokens is None and limit is None:
        raise UsageError("say what is to be changed: --sort, --context, --tokens, --limit or --every")
    watch = set_watch(
        corpus, name, sort=order, context=context, tokens=tokens, sentence=sentence, limit=limit, every=every or None
    )
    note(f"{watch.name}: {_manner(watch)}")


def _manner(watch: Watch) -> str:
    """Say how lines are shown, and how often they are given out."""
    shown = watch.showing
    length = "sentences" if shown.context is None and shown.tokens is None else ""
    length = length or (f"{shown.context} characters" if shown.tokens is None else f"{shown.tokens} words")
    limit = f"{shown.limit:,} of a run" if shown.limit else "all"
    when = "after each run" if watch.every == WATCH_SCHEDULES[0] else watch.every
    return f"lines by {shown.sort or 'the order of the corpus'}, {length}, {limit}, {when}"


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
    say_found(corpus, found)


def say_found(corpus: Path, found: dict[str, int]) -> None:
    """Say how many lines each query found, and how many of them are beyond its limit, or wait for their day."""
    from gristmill.search.watch.watches import read_watches

    watches = {watch.name: watch for watch in read_watches(corpus)} if any(found.values()) else {}
    for name, count in found.items():
        limit = watches[name].showing.limit if name in watches else 0
        waiting = watches[name].waiting() if name in watches else 0
        more = count - limit if limit and not waiting else 0
        beyond = f", {more:,} of them beyond the limit (gristmill watch show {corpus} {name})" if more > 0 else ""
        later = f"; {plural(waiting, 'line')} to be given out {watches[name].every}" if waiting else ""
        note(f"{name}: {plural(count, 'new line')}{beyond}{later}")


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
    names = ("name", "query", "where", "lines", "shown", "every", "mail")
    rows = [
        (watch.name, watch.query, watch.where, watch.count(), watch.shown(), watch.every, _mail_of(watch))
        for watch in watches
    ]
    if rows or form != "table":
        write_table([*map(Column, names)], rows, form)
    else:
        note(f"nothing is watched for: add a query with gristmill watch add {corpus} QUERY")


def _mail_of(watch: Watch) -> str:
    return f"{watch.mail.every} to {', '.join(watch.mail.to)}" if watch.mail.to else ""


@group.command("show")
def show(corpus: CorpusFolder, name: Name, *, as_json: AsJson = False, as_csv: AsCsv = False) -> None:
    """Show all that a query found.

    Lines are in the order of the corpus, those beyond the limit of a run as well.

    \b
    Example:
      gristmill watch show corpus quotative
    """
    from gristmill.corpus import Manifest
    from gristmill.search.concordance.lines import lines_csv
    from gristmill.search.watch.watches import find_watch, line_text

    Manifest.read(corpus)
    form = chosen_format(as_json, as_csv)
    lines = list(find_watch(corpus, name).lines())
    if form == "json":
        write_json({"name": name, "lines": [line.to_json() for line in lines]})
    elif form == "csv":
        write_text(lines_csv(lines))
    else:
        write_lines(safe(line) for line in "".join(map(line_text, lines)).split("\n")[:-1])


@group.command("mail")
def mail(
    corpus: CorpusFolder,
    name: Name,
    addresses: Annotated[
        list[str] | None, typer.Argument(metavar="ADDRESS", help="Who gets it.", show_default=False)
    ] = None,
    *,
    every: Every = "",
    stop: Annotated[bool, typer.Option("--stop", help="Mail it to nobody any more.")] = False,
) -> None:
    """Set who gets by mail what a query finds from now on.

    The addresses replace those that were set before. `gristmill watch send` sends the mail.

    \b
    Examples:
      gristmill watch mail corpus quotative me@example.org --every weekly
      gristmill watch mail corpus quotative --stop
    """
    from gristmill.pipeline import set_mail

    if bool(addresses) == stop:
        raise UsageError("give the addresses that get mail, or --stop if nobody is to get it any more")
    watch = set_mail(corpus, name, addresses or (), every=every)
    if stop:
        note(f"nobody gets mail of {name} any more")
    _say_mail(corpus, watch)


@group.command("feed")
def feed(
    corpus: CorpusFolder,
    name: Name,
    url: Annotated[str, typer.Argument(metavar="URL", help="Where its feed is to be had.", show_default=False)] = "",
    *,
    stop: Annotated[bool, typer.Option("--stop", help="It is not published at this address any more.")] = False,
) -> None:
    """Set where you publish the feed of a query.

    A feed should say its own address, by which feed readers know it. Without one it says feed.xml, which is right
    wherever the file is published under its name.

    \b
    Examples:
      gristmill watch feed corpus quotative https://example.org/quotative.xml
      gristmill watch feed corpus quotative --stop
    """
    from gristmill.pipeline import set_feed_url
    from gristmill.search.watch.feed import FEED

    if bool(url) == stop:
        raise UsageError("give the address of the feed, or --stop if it is not published there any more")
    watch = set_feed_url(corpus, name, url)
    note(f"{watch.folder / FEED} says that it is at {watch.address or FEED}")


@group.command("send")
def send(corpus: CorpusFolder, *, trust: Trust = False) -> None:
    """Mail what is new, to those whose digest is due.

    Each recipient gets one mail with all queries, once a day or a week, if there is something new. The server is yours:
    GRISTMILL_SMTP=smtp://user@mail.example.org:587 (or smtps://), GRISTMILL_SMTP_PASSWORD, and the sender in
    GRISTMILL_MAIL_FROM. What can't be sent now is sent the next time. `gristmill feeds run` does this by itself.

    \b
    Example:
      gristmill watch send corpus
    """
    from gristmill.pipeline import mail_watches

    say_mailing(mail_watches(corpus, trust=trust))


def say_mailing(mailing: Mailing) -> None:
    """Say who was sent a digest; raise if somebody was not."""
    for recipient in mailing.sent:
        note(f"a digest was sent to {recipient}")
    if mailing.unsent:
        failures = "\n".join(f"  {recipient}: {reason}" for recipient, reason in mailing.unsent)
        raise GristmillError(f"not sent, and kept for the next time:\n{failures}")
    if not mailing.sent:
        note("no digest is due, or nothing is new")


@group.command("remove")
def remove(corpus: CorpusFolder, name: Name) -> None:
    """Stop watching for a query, and delete what it found.

    \b
    Example:
      gristmill watch remove corpus quotative
    """
    from gristmill.pipeline import unwatch

    unwatch(corpus, name)
    note(f"{name} is no longer watched for, and its lines are deleted")
