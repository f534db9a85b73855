"""`gristmill commoncrawl`: pages from Common Crawl and the Wayback Machine, and going on where that was stopped."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from gristmill.cli.access import AllowNetwork, Contact, Hosts, access_of
from gristmill.cli.choices import ARCHIVE_INDEXES, ARCHIVE_KEEPS, one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.grouped import GroupedCommand
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_lines, write_result
from gristmill.errors import GristmillError, UsageError
from gristmill.wording import plural, size

if TYPE_CHECKING:
    from gristmill.commoncrawl.figures import ArchiveSummary

_WHERE, _WHAT, _MANY, _PACE = "Which archive", "Which pages", "How many", "Manners"
"""Groups of options in the help."""
_ANY = "any"


def commoncrawl(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="A folder of such pages, to go on with it.", show_default=False),
    ] = None,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Where pages go.", rich_help_panel=_WHERE)
    ] = None,
    crawl: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A crawl: CC-MAIN-2026-42. Can be repeated.", rich_help_panel=_WHERE),
    ] = None,
    latest: Annotated[
        int | None, typer.Option(help="So many of the latest crawls [1].", min=1, rich_help_panel=_WHERE)
    ] = None,
    index: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="columnar: for any question. cdx: a server, for small sites [columnar].",
            autocompletion=one_of(ARCHIVE_INDEXES),
            rich_help_panel=_WHERE,
        ),
    ] = None,
    wayback: Annotated[
        list[str] | None,
        typer.Option(metavar="DOMAIN", help="A site in the Wayback Machine instead.", rich_help_panel=_WHERE),
    ] = None,
    files: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Whole files instead: warc or wet, or a list of paths.", rich_help_panel=_WHERE
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Where the files are: s3://commoncrawl/.", rich_help_panel=_WHERE),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", metavar="FILE", help="Settings in TOML.", rich_help_panel=_WHERE),
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A domain and all below it. Can be repeated.", rich_help_panel=_WHAT),
    ] = None,
    host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A host. Can be repeated.", rich_help_panel=_WHAT)
    ] = None,
    url: Annotated[
        list[str] | None,
        typer.Option(metavar="ADDRESS", help="An address; all that begin so if it ends in *.", rich_help_panel=_WHAT),
    ] = None,
    lang: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="Main language of the page: is or isl,fao [any].", rich_help_panel=_WHAT),
    ] = None,
    word: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="One of these is in the address. Can be repeated.", rich_help_panel=_WHAT),
    ] = None,
    media: Annotated[
        list[str] | None,
        typer.Option("--type", metavar="TYPE", help="Media type, or any [HTML].", rich_help_panel=_WHAT),
    ] = None,
    status: Annotated[
        int | None, typer.Option(help="HTTP status; 0 is any [200].", min=0, max=999, rich_help_panel=_WHAT)
    ] = None,
    since: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help="First capture: 2010.", rich_help_panel=_WHAT)
    ] = None,
    until: Annotated[
        str | None, typer.Option("--to", metavar="TIME", help="Last capture: 201506.", rich_help_panel=_WHAT)
    ] = None,
    pages: Annotated[
        int | None, typer.Option(help="Most pages, or files; 0 is no limit [0].", min=0, rich_help_panel=_MANY)
    ] = None,
    sample: Annotated[
        int | None, typer.Option(help="So many at random, of all in the index.", min=0, rich_help_panel=_MANY)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the random sample [1].", rich_help_panel=_MANY)] = None,
    keep: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="Captures of a page: latest, yearly or all [latest].",
            autocompletion=one_of(ARCHIVE_KEEPS),
            rich_help_panel=_MANY,
        ),
    ] = None,
    duplicates: Annotated[
        bool | None,
        typer.Option("--duplicates", help="Also pages with the same content as another.", rich_help_panel=_MANY),
    ] = None,
    parallel: Annotated[
        int | None, typer.Option(help="Requests at a time for files [8].", min=1, rich_help_panel=_PACE)
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="Most requests a second for files [20].", min=0, rich_help_panel=_PACE)
    ] = None,
    delay: Annotated[
        float | None,
        typer.Option(help="Seconds between requests to index servers [1.5].", min=0, rich_help_panel=_PACE),
    ] = None,
    contact: Contact = "",
    allow_network: AllowNetwork = None,
    hosts: Hosts = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Fetch pages from Common Crawl or the Wayback Machine.

    An index is asked which pages there are, then only these are fetched, out of files of a gigabyte each. Ctrl-C stops,
    and `gristmill commoncrawl FOLDER` goes on. `gristmill commoncrawl stats FOLDER` shows figures,
    `gristmill commoncrawl crawls` lists the crawls that there are.

    \b
    Examples:
      gristmill commoncrawl --domain example.is --lang isl --crawl CC-MAIN-2026-42 -o pages --contact me@example.org
      gristmill commoncrawl --url 'https://example.org/news/*' --latest 3 -o pages --contact me@example.org
      gristmill commoncrawl --files wet --crawl CC-MAIN-2026-42 --sample 5 -o pages --contact me@example.org
      gristmill commoncrawl --wayback example.org --from 2010 --to 2015 -o pages --contact me@example.org
      gristmill commoncrawl pages                go on with what was stopped
      gristmill build pages -o corpus            make a corpus of what was fetched
    """
    form = chosen_format(as_json, as_csv)
    if index and wayback:
        raise UsageError("--wayback asks another archive: leave --index out")
    options: dict[str, dict[str, Any]] = {
        "wanted": {
            "domains": [*(domain or []), *(wayback or [])] or None, "hosts": host, "urls": url, "words": word,
            "languages": _split(lang), "types": [] if media == [_ANY] else media, "status": status, "since": since,
            "until": until,
        },
        "source": {
            "index": "wayback" if wayback else index, "crawls": crawl, "latest": latest, "files": files,
        },
        "take": {"pages": pages, "sample": sample, "seed": seed, "keep": keep, "duplicates": duplicates},
        "servers": {"data": data},
        "pace": {"parallel": parallel, "rate": rate, "delay": delay},
    }  # fmt: skip
    path = folder or output
    if path is None or (folder and output):
        raise UsageError("say where the pages go, with -o FOLDER; or give a folder of such pages alone, to go on")
    access = access_of(contact, allow_network, hosts)
    settings = _settings(path, options, config, is_old=folder is not None)
    from gristmill.commoncrawl import fetch_commoncrawl

    with progress_bars() as progress:
        summary = fetch_commoncrawl(path, settings, access=access, progress=progress)
    _tell_end(path, summary, form)


def _split(codes: list[str] | None) -> list[str] | None:
    return (
        None if codes is None else [code.strip().lower() for item in codes for code in item.split(",") if code.strip()]
    )


def _settings(path: Path, options: dict[str, dict[str, Any]], config: Path | None, *, is_old: bool) -> Any:
    """Put the settings together: of the folder or a file, and what options change."""
    from gristmill.archive.crawls import COMMON_CRAWL
    from gristmill.commoncrawl import ArchiveConfig
    from gristmill.settings import read_toml

    if is_old and not (path / COMMON_CRAWL).is_file():
        raise UsageError(f"there are no pages of an archive in {path}: say what is wanted, and give the folder with -o")
    if is_old and config:
        raise UsageError("--config is for a new folder")
    before = path / COMMON_CRAWL if is_old else config
    tables = read_toml(before) if before else {}
    for section, values in options.items():
        given = {name: value for name, value in values.items() if value is not None}
        if given and is_old and section in {"wanted", "source", "take"}:
            raise UsageError(f"what is wanted can't be changed while {path} goes on: give a new folder with -o")
        if given:
            tables[section] = {**tables.get(section, {}), **given}
    return ArchiveConfig.from_table(tables)


def _tell_end(folder: Path, summary: ArchiveSummary, form: str) -> None:
    """Show the figures, and say how to go on."""
    write_result(summary, form)
    name = shlex.quote(str(folder))
    if form == "table":
        note(f"{summary.found:,} found, {summary.stored:,} stored; {_cost(summary)}")
    if not summary.stored:
        raise GristmillError(
            "nothing was stored: " + ("the index has nothing of what is wanted" if not summary.found else "see above")
        )
    if form == "table":
        if summary.failed:
            note(f"{plural(summary.failed, 'page')} failed; to try again: gristmill commoncrawl {name}")
        note(f"Next: gristmill build {name} -o corpus")


def _cost(summary: ArchiveSummary) -> str:
    return f"{plural(summary.requests, 'request')}, {size(summary.bytes)}"


def stats(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder of pages from an archive.", show_default=False)
    ],
    *,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show what was found in the index, what was left out and why, what is stored and what failed.

    \b
    Example:
      gristmill commoncrawl stats pages
    """
    from gristmill.commoncrawl import summary_of

    form = chosen_format(as_json, as_csv)
    summary = summary_of(folder)
    write_result(summary, form)
    if form == "table":
        note(f"{summary.found:,} found, {summary.stored:,} stored; {_cost(summary)}")


def crawls(
    *,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", metavar="FILE", help="Settings in TOML, with servers.")
    ] = None,
    contact: Contact = "",
    allow_network: AllowNetwork = None,
    hosts: Hosts = None,
) -> None:
    """List the crawls of Common Crawl, the latest first.

    \b
    Example:
      gristmill commoncrawl crawls --contact me@example.org
    """
    access = access_of(contact, allow_network, hosts)
    from gristmill.commoncrawl import ArchiveConfig, list_crawls

    write_lines(list_crawls(ArchiveConfig.from_file(config) if config else None, access=access))


class Command(GroupedCommand):
    """The command `commoncrawl`, which hands over to `stats` and `crawls`."""

    others: ClassVar[dict[str, str]] = {"stats": "commoncrawl", "crawls": "commoncrawl"}
