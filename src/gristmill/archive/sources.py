"""Find the archives and pages that the user named on the command line or in `build`."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from gristmill import sample
from gristmill.archive.crawls import COMMON_CRAWL, end_of_responses, has_pages, is_crawl, is_crawled
from gristmill.archive.kind import foreign_kind, sniff
from gristmill.archive.opening import open_source
from gristmill.archive.source import Source, signature_of
from gristmill.arguments import is_address
from gristmill.errors import UsageError

PAGES = "pages"
"""The folder of a corpus for pages that were fetched for it."""
READABLE = (
    "WARC, ARC, WET and WACZ archives, HTML, MHTML, text, PDF, DOCX, ODT and EPUB files, JSON lines, Parquet, "
    "ZIP files of these"
)
_ADDRESS_AS_PATH = re.compile(r"[a-z][a-z0-9+.-]+:/[^/]", re.IGNORECASE)
"""What `pathlib` makes of an address."""


def find_sources(arguments: Sequence[str | os.PathLike[str]], leave_out: Path | None = None) -> list[Source]:
    """Find the files behind names, folders, patterns, addresses and the words for bundled samples, in a stable order.

    Each file is found once. Of a crawl, which may be going on, they are its WARC files, as far as these are complete.
    Files in the folder `leave_out` are no sources, as a corpus may be built inside the folder that it is built from;
    but for those that are named in its folder `pages`, where commands put what they fetch for a corpus.
    """
    found: dict[str, Source] = {}
    left_out = leave_out.resolve() if leave_out else None
    fetched = left_out / PAGES if left_out else None
    inside = 0
    for argument in [_without_scheme(os.fspath(argument)) for argument in arguments]:
        if is_address(argument):
            found |= {source.path: source for source in _behind(argument) if source.path not in found}
            continue
        is_fetched = fetched is not None and Path(argument).resolve().is_relative_to(fetched)
        for path in _expand(argument):
            is_bundled = argument in sample.ARCHIVES
            name = argument if is_bundled else os.fsencode(path.as_posix()).decode("utf-8", "replace")
            whole = path.resolve()
            if left_out and not is_fetched and whole.is_relative_to(left_out):
                inside += 1
            elif str(whole) not in found:
                found[str(whole)] = _source(path, name)
    sources = [source for source in found.values() if source.size or not is_crawled(Path(source.path))]
    if not sources:
        _refuse_new_crawl(arguments)
        named = ", ".join(str(argument) for argument in arguments)
        if inside:
            raise UsageError(f"all files of {named} are in {leave_out}, where the output goes: that is not read")
        raise UsageError(f"no files in {named}: give {READABLE}, or folders of them")
    _refuse_foreign(sources)
    return sources


def _without_scheme(argument: str) -> str:
    """Make the address of a file on this machine a path; other arguments stay as they are."""
    if not argument.lower().startswith("file:///"):
        return argument
    from urllib.request import url2pathname  # noqa: PLC0415 (such addresses are rare)

    return url2pathname(argument[len("file://") :])


def _behind(address: str) -> list[Source]:
    from gristmill.archive.stored import stored_sources  # noqa: PLC0415 (most sources are files)

    return stored_sources(address)


def _refuse_new_crawl(arguments: Sequence[str | os.PathLike[str]]) -> None:
    """Raise if one of the arguments is a crawl, which then has fetched nothing so far."""
    for path in map(Path, arguments):
        if is_crawl(path):
            command = "commoncrawl" if (path / COMMON_CRAWL).is_file() else "crawl"
            raise UsageError(f"the crawl in {path} has no pages yet: go on by `gristmill {command} {path}` first")


def _refuse_foreign(sources: Sequence[Source]) -> None:
    """Raise if none of the sources can be read; among others that can, each is counted as skipped."""
    if any(source.kind != "foreign" for source in sources):
        return
    with open_source(sources[0]) as file:
        what = foreign_kind(file, sources[0].name)
    more = f" (and {len(sources) - 1:,} more are of no better kind)" if len(sources) > 1 else ""
    raise UsageError(f"{sources[0].name} is {what}{more}; what can be read: {READABLE}")


def _source(path: Path, name: str) -> Source:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if is_crawled(path):
                size = end_of_responses(file, size)
            return Source(str(path), name, sniff(file, path.name), size, signature_of(file, size))
    except OSError as error:
        raise UsageError(f"can't read {name}: {error.strerror or error}") from error


def _expand(argument: str) -> list[Path]:
    if argument in sample.ARCHIVES:
        return [sample.ARCHIVES[argument]]
    path = Path(argument)
    if path.is_dir():
        return sorted(_files(path))
    if path.exists():
        return [path]
    # Path.glob refuses absolute patterns.
    matches = sorted(glob.glob(argument, recursive=True)) if glob.has_magic(argument) else []  # noqa: PTH207
    if not matches and _ADDRESS_AS_PATH.match(argument):
        raise UsageError(f"{argument!r} looks like an address that was made a path: give it as text (s3://...)")
    if not matches:
        raise UsageError(f"there is no file or folder {argument!r}")
    return [file for match in matches for file in _expand(match)]


def _files(folder: Path) -> Iterator[Path]:
    """List all files below a folder but hidden ones; of crawls and all that is below them, only the WARC files."""
    crawls: set[str] = set()
    for parent, folders, files in os.walk(folder, onerror=_refuse, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if parent in crawls or is_crawl(Path(parent)):
            crawls.update(os.path.join(parent, name) for name in folders)  # noqa: PTH118 (as `os.walk` names them)
            files[:] = [name for name in files if has_pages(Path(name))]
        yield from (path for name in files if not name.startswith(".") and (path := Path(parent, name)).is_file())


def _refuse(error: OSError) -> None:
    """Raise for a folder that can't be read, which `os.walk` would skip silently."""
    raise UsageError(f"can't read the folder {error.filename}: {error.strerror}")
