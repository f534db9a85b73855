"""`gristmill commoncrawl`: pages from Common Crawl and the Wayback Machine, and going on where that was stopped."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from gristmill.cli.access import AllowNetwork, Contact, Hosts, access_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.grouped import GroupedCommand
from gristmill.cli.settings import Tables, with_settings
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_lines, write_result
from gristmill.commoncrawl.config import ArchiveConfig
from gristmill.commoncrawl.servers import WHERE
from gristmill.errors import GristmillError, UsageError
from gristmill.wording import plural, size

if TYPE_CHECKING:
    from gristmill.commoncrawl.figures import ArchiveSummary

_ANY = "any"


@with_settings(ArchiveConfig)
def commoncrawl(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="A folder of such pages, to go on with it.", show_default=False),
    ] = None,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Where pages go.", rich_help_panel=WHERE)
    ] = None,
    tables: Tables,
    wayback: Annotated[
        list[str] | None,
        typer.Option(metavar="DOMAIN", help="A site in the Wayback Machine instead.", rich_help_panel=WHERE),
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
    if wayback:
        _use_wayback(tables, wayback)
    if list(tables.get("wanted", {}).get("types", ())) == [_ANY]:
        tables["wanted"]["types"] = ()
    path = folder or output
    if path is None or (folder and output):
        raise UsageError("say where the pages go, with -o FOLDER; or give a folder of such pages alone, to go on")
    access = access_of(contact, allow_network, hosts)
    settings = _settings(path, tables, is_old=folder is not None)
    from gristmill.commoncrawl import fetch_commoncrawl

    with progress_bars() as progress:
        summary = fetch_commoncrawl(path, settings, access=access, progress=progress)
    _tell_end(path, summary, form)


def _use_wayback(tables: Tables, sites: list[str]) -> None:
    """Ask the Wayback Machine for sites."""
    if tables.setdefault("source", {}).setdefault("index", "wayback") != "wayback":
        raise UsageError("--wayback asks another archive: leave --index out")
    wanted = tables.setdefault("wanted", {})
    wanted["domains"] = [*wanted.get("domains", ()), *sites]


def _settings(path: Path, tables: Tables, *, is_old: bool) -> ArchiveConfig:
    """Put the settings together: of the folder, if there is one, and what is changed."""
    from gristmill.archive.crawls import COMMON_CRAWL

    if not is_old:
        return ArchiveConfig.from_table(tables)
    if not (path / COMMON_CRAWL).is_file():
        raise UsageError(f"there are no pages of an archive in {path}: say what is wanted, and give the folder with -o")
    if not tables.keys().isdisjoint({"wanted", "source", "take"}):
        raise UsageError(f"what is wanted can't be changed while {path} goes on: give a new folder with -o")
    return ArchiveConfig.from_file(path / COMMON_CRAWL).replace(tables)


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
    from gristmill.commoncrawl import list_crawls

    write_lines(list_crawls(ArchiveConfig.from_file(config) if config else None, access=access))


class Command(GroupedCommand):
    """The command `commoncrawl`, which hands over to `stats` and `crawls`."""

    others: ClassVar[dict[str, str]] = {"stats": "commoncrawl", "crawls": "commoncrawl"}
