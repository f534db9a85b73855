"""`gristmill sort-archives`: sort the records of archives by site."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import EngineName, Json, Scratch, Workers
from gristmill.cli.terminal import safe
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.pipeline.sorting import SortedArchives

_MAX_NAMED = 5


def sort_archives(
    archives: Annotated[
        list[str],
        typer.Argument(metavar="ARCHIVE", help="WARC and ARC archives; folders, patterns.", show_default=False),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where the sorted archives go.", show_default=False),
    ],
    *,
    size: Annotated[
        str, typer.Option(metavar="SIZE", help="When an archive has so many bytes, the next site begins another one.")
    ] = "1GB",
    file_per_site: Annotated[
        bool, typer.Option("--file-per-site", help="An archive for each site: abc.co.uk in ac/abc.co.uk.warc.gz.")
    ] = False,
    workers: Workers = None,
    engine: EngineName = None,
    scratch: Scratch = None,
    as_json: Json = False,
) -> None:
    """Sort the records of archives by site.

    All records of a site stand together then, in one archive, in the order of the archives that are given and of the
    records in them. Every record is kept, also those that are no pages; broken ones are counted, with the reason. It
    needs little memory, and as much room on the disk again as the archives that it makes, until it is done. What was
    stopped goes on when you run the same command again. If there is no record at all, it ends with exit code 1.

    \b
    Examples:
      gristmill sort-archives crawl/*.warc.gz -o sorted
      gristmill sort-archives crawl/*.arc.gz -o sites --file-per-site
    """
    from gristmill.arguments import as_bytes
    from gristmill.pipeline.sorting import sort_archives as sort

    del scratch  # it was chosen when it was read
    with progress_bars() as progress:
        done = sort(
            archives,
            output,
            archive_bytes=max(1, as_bytes(size, "an archive")),
            file_per_site=file_per_site,
            workers=workers,
            engine=engine,
            progress=progress,
        )
    if as_json:
        print(json.dumps(done.to_json(), indent=2))
    else:
        _tell(done)
    if not done.records:
        raise typer.Exit(1)


def _tell(done: SortedArchives) -> None:
    """Say what was sorted, what is broken, and what was left out."""
    note(
        f"{plural(done.records, 'record')} of {plural(done.sites, 'site')} in {plural(len(done.archives), 'archive')} "
        f"in {done.folder}; {plural(done.broken, 'broken record')}"
    )
    faults = [f"{source['name']}:{fault}" for source in done.sources for fault in source["faults"]]
    for fault in faults[:_MAX_NAMED]:
        note(safe(f"broken: {fault}"))
    if done.broken > _MAX_NAMED:
        note(f"and {done.broken - min(len(faults), _MAX_NAMED):,} more; --json lists up to a hundred of each archive")
    if done.left_out:
        note(safe(f"left out, as they are no archives: {', '.join(done.left_out[:_MAX_NAMED])}"))
