"""`gristmill crawl`: fetch pages from the web, follow their links, and go on with a crawl that was stopped."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from gristmill.cli.console import Interrupted, note
from gristmill.cli.grouped import GroupedCommand
from gristmill.cli.options import Workers
from gristmill.cli.settings import Tables, lines_of, refuse_fixed, with_settings
from gristmill.cli.terminal import safe
from gristmill.crawling.config import NAME, WHAT, CrawlConfig
from gristmill.errors import GristmillError, UsageError
from gristmill.wording import duration, plural, size

if TYPE_CHECKING:
    from gristmill.crawling.progress import CrawlSummary

_STANDARD_INPUT = "-"


@with_settings(CrawlConfig)
def crawl(
    seeds: Annotated[
        list[str],
        typer.Argument(
            metavar="SEED",
            help="Addresses to begin with, or files of them, one a line; - is standard input. "
            "Or the folder of a crawl, to go on with it.",
            show_default=False,
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Where the crawl goes: a new folder.", rich_help_panel=WHAT
        ),
    ] = None,
    same_site: Annotated[
        bool, typer.Option("--same-site", help="Only the sites of the seeds.", rich_help_panel=WHAT)
    ] = False,
    tables: Tables,
    workers: Workers = None,
    as_json: Annotated[bool, typer.Option("--json", help="Figures as lines of JSON, every few seconds.")] = False,
) -> None:
    """Crawl the web for text, where most of it is.

    Hosts that give clean text in the wanted languages for their bytes come first; hosts that give hardly any are left.
    robots.txt is obeyed. Ctrl-C stops, and `gristmill crawl FOLDER` goes on; options then change settings.
    `gristmill crawl stats FOLDER` shows figures (`gristmill crawl stats --help`).

    \b
    Examples:
      gristmill crawl https://example.org/ -o crawl --same-site --contact me@example.org
      gristmill crawl seeds.txt -o crawl --lang cs --domain .cz --words 10000000 --contact me@example.org
      gristmill crawl crawl                      go on with a crawl that was stopped
      gristmill crawl crawl --hours 5 --forbid example.com
      gristmill crawl stats crawl                yield by host and over time, what was in vain
      gristmill build crawl -o corpus            make a corpus of what was fetched
    """
    old = _old_crawl(seeds, output)
    if old is not None:
        if same_site:
            raise UsageError(f"--same-site can't be changed while {old} goes on: begin a new crawl with -o")
        summary = _go_on(old, tables, workers, as_json)
    elif output is None:
        raise UsageError("say where the crawl goes, with -o FOLDER; or give the folder of a crawl, to go on with it")
    else:
        old, summary = _begin(_addresses(seeds), output, tables, workers, as_json, same_site=same_site)
    _tell_end(old, summary, as_json)


def _old_crawl(seeds: Sequence[str], output: Path | None) -> Path | None:
    """Find the folder of the crawl that is to go on, if a folder is given instead of addresses."""
    folders = [seed for seed in seeds if seed != _STANDARD_INPUT and Path(seed).is_dir()]
    if not folders:
        return None
    if output is not None:
        raise UsageError(f"{folders[0]!r} is a folder: give it without -o to go on with the crawl in it")
    if len(seeds) > 1:
        raise UsageError(f"give the folder of the crawl alone to go on with it: gristmill crawl {folders[0]}")
    return Path(folders[0])


def _addresses(seeds: Sequence[str]) -> list[str]:
    """Replace `-` by the addresses on standard input."""
    found: list[str] = []
    for seed in seeds:
        if seed == _STANDARD_INPUT:
            found += lines_of(sys.stdin.buffer.read(), "standard input")
        else:
            found.append(seed)
    return found


def _begin(
    seeds: list[str],
    folder: Path,
    tables: Mapping[str, Mapping[str, Any]],
    workers: int | None,
    as_json: bool,
    *,
    same_site: bool,
) -> tuple[Path, CrawlSummary]:
    """Begin a crawl; a part of one has a folder of its own in the folder of the whole, which is returned."""
    from gristmill.cli.crawl_view import crawl_view

    settings = CrawlConfig.from_table(tables, "the settings of the crawl")
    _check(settings)
    begin, _ = _crawler()
    with crawl_view(str(folder), as_json=as_json) as show:
        summary: CrawlSummary = begin(seeds, folder, settings, same_site=same_site, workers=workers, progress=show)
    from gristmill.crawling.parts import part_folder

    return part_folder(folder, *settings.own_part), summary


def _go_on(folder: Path, tables: Mapping[str, Mapping[str, Any]], workers: int | None, as_json: bool) -> CrawlSummary:
    from gristmill.cli.crawl_view import crawl_view

    if not (folder / NAME).is_file():
        if parts := sorted(path.parent for path in folder.glob(f"part-*/{NAME}")):
            raise UsageError(f"{folder} has {len(parts)} parts, which go on one by one: gristmill crawl {parts[0]}")
        raise UsageError(f"there is no crawl in {folder}: begin one with gristmill crawl SEED... -o {folder}")
    refuse_fixed(CrawlConfig, tables, folder, "crawl")
    before = CrawlConfig.from_file(folder / NAME)
    changes = {section: dict(values) for section, values in tables.items()}
    if "forbid" in changes.get("scope", {}):
        changes["scope"]["forbid"] = list(dict.fromkeys([*before.scope.forbid, *changes["scope"]["forbid"]]))
    settings = before.replace(changes, "the settings of the crawl")
    _check(settings)
    _tell_what_is_unusual(settings)
    _, resume = _crawler()
    with crawl_view(str(folder), as_json=as_json) as show:
        summary: CrawlSummary = resume(folder, changes, workers=workers, progress=show)
    return summary


def _check(settings: Any) -> None:
    """Refuse languages that nobody knows, and warn of bad manners."""
    from gristmill.language.codes import check_code

    for code in settings.scope.languages:
        check_code(code)
    if not settings.manners.robots:
        note("robots.txt is not obeyed: do this only on sites whose owners have agreed")


def _tell_what_is_unusual(settings: Any) -> None:
    """Name settings that could surprise somebody who got the folder of a crawl from elsewhere."""
    if settings.fetch.networks:
        note(f"private networks are crawled, too: {safe(', '.join(settings.fetch.networks))}")
    if settings.fetch.hosts_file:
        note(f"names are looked up first in {safe(settings.fetch.hosts_file)}")


def _crawler() -> tuple[Any, Any]:
    """Import the functions that begin a crawl and go on with one, which need the extra `crawl`."""
    try:
        from gristmill.crawling import crawl as begin
        from gristmill.crawling import resume
        from gristmill.crawling.crawler import Crawler
    except ModuleNotFoundError as error:
        raise UsageError(f"crawling needs {error.name}: pip install 'gristmill[crawl]'") from error
    del Crawler
    return begin, resume


def _tell_end(folder: Path, summary: CrawlSummary, as_json: bool) -> None:
    """Write the report, and say what was done and how to go on."""
    from gristmill.cli.crawl_view import write_line
    from gristmill.crawling.progress import ENDINGS
    from gristmill.html.crawl_report import write_report

    report = write_report(folder)
    name = shlex.quote(str(folder))
    if as_json:
        write_line(summary)
    else:
        note(
            f"{plural(summary.pages, 'page')}, {plural(summary.words, 'word')} of clean text "
            f"in {size(summary.bytes)} downloaded (yield {summary.text_yield:.2%}), {duration(summary.seconds)}"
        )
        ending = "" if summary.ended == "interrupted" else f"{ENDINGS.get(summary.ended, summary.ended)}; "
        note(f"{ending}the figures are in {report}")
    if summary.ended == "interrupted":
        raise Interrupted(f"interrupted; what was fetched is kept, and this goes on: gristmill crawl {name}")
    if not summary.pages:
        raise GristmillError(f"no page was stored. To see why: gristmill crawl stats {name}, and the file {folder}/log")
    if not as_json:
        if summary.ended in {"pages", "words", "megabytes", "hours"}:
            note(f"To go on: gristmill crawl {name} --{summary.ended} MORE")
        note(f"Next: gristmill build {name} -o corpus")


class Command(GroupedCommand):
    """The command `crawl`, which hands over to `crawl stats`."""

    others: ClassVar[dict[str, str]] = {"stats": "crawl_stats"}
