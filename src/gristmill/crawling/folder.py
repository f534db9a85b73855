"""The folder of a crawl: made for a new one, opened to go on, and its log."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

from gristmill.crawling.config import NAME as CONFIG
from gristmill.crawling.config import CrawlConfig
from gristmill.crawling.frontier import NAME as FRONTIER
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.urls import normalise

LOG = "log"
_MAX_LOG_BYTES = 256_000_000
_MAX_SEED_FILE_BYTES = 1_000_000_000
_FILE_SUFFIXES = frozenset([".txt", ".csv", ".tsv", ".list", ".lst", ".urls", ".toml", ".gz"])
"""Ends of names of files; none is a domain of the web."""


def is_crawl(folder: Path) -> bool:
    """Tell whether a folder is one of a crawl."""
    return (folder / CONFIG).is_file() and (folder / FRONTIER).is_file()


def refuse_used(folder: Path) -> None:
    """Raise if a folder can't become that of a new crawl."""
    if is_crawl(folder):
        raise UsageError(f"{folder} is a crawl already: `gristmill crawl {folder}` goes on with it")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder")
    if (folder / CONFIG).exists():
        raise UsageError(
            f"{folder} has a {CONFIG}, but is no crawl: give a new folder; a file of settings is for --config"
        )
    if folder.is_dir() and any(item.name not in {"inbox", LOG} for item in _visible(folder)):
        raise UsageError(f"{folder} is not empty: give a new folder for the crawl")


def _visible(folder: Path) -> Iterable[Path]:
    return (item for item in folder.iterdir() if not item.name.startswith((".", FRONTIER, CONFIG)))


def refuse_links(folder: Path) -> None:
    """Raise if something in the folder of a crawl, which may be a stranger's, is a link: it would be written there."""
    for item in folder.iterdir():
        if item.is_symlink():
            raise UsageError(
                f"{item} is a link, and the crawl would write to where it leads: put the file itself there"
            )


def remove_unbegun(folder: Path) -> None:
    """Remove what a crawl has left that was killed before it had begun."""
    for path in folder.glob(f"{FRONTIER}*"):
        path.unlink()


def read_seeds(given: Sequence[str | Path]) -> list[str]:
    """Read addresses: each argument is one, or a file of them, one a line, in which `#` begins a comment.

    Addresses are normalised, and each is there once. An address may lack `https://` in a file and on its own.
    """
    found: dict[str, None] = {}
    for argument in given:
        path = Path(argument)
        if "://" not in str(argument) and path.is_file():
            found.update(dict.fromkeys(_read_file(path)))
        else:
            found[_address(str(argument), str(argument), is_argument=True)] = None
    if not found:
        raise UsageError("no seeds: give addresses to begin with, or a file of them, one a line")
    return list(found)


def _read_file(path: Path) -> list[str]:
    if path.stat().st_size > _MAX_SEED_FILE_BYTES:
        raise UsageError(f"{path} is too large for a list of addresses")
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no list of addresses: it is not UTF-8") from error
    except OSError as error:
        raise UsageError(f"can't read {path}: {error.strerror}") from error
    stripped = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    return [_address(line.split()[0], f"{path}, line {number}") for number, line in stripped if line and line[0] != "#"]


def _address(text: str, where: str, *, is_argument: bool = False) -> str:
    url = normalise(text if "://" in text else f"https://{text}")
    is_bare = is_argument and "://" not in text
    if not url or (is_bare and ("." not in text or _is_file_name(text))):
        hint = " (there is no file of that name either)" if is_bare else ""
        raise UsageError(f"{where}: {text!r} is not an address of the web{hint}")
    return url


def _is_file_name(text: str) -> bool:
    """Tell whether what could be an address is rather the name of a file that is not there."""
    first, slash, _ = text.partition("/")
    return Path(text).suffix.lower() in _FILE_SUFFIXES and (not slash or "." not in first.strip("."))


class Log:
    """The log of a crawl: a line for each request, with what came of it. A full file is numbered and kept."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOG
        self._file = self._open()

    def _open(self) -> TextIO:
        return self._path.open("a", encoding="utf-8", errors="backslashreplace", newline="\n")

    def write(self, now: float, outcome: str, url: str, *details: object) -> None:
        """Write a line: time, outcome, details, address. Nothing in them can break the line."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        fields = "\t".join([stamp, outcome, *map(str, details), url])
        self._file.write((fields if fields.replace("\t", "").isprintable() else _printable(fields)) + "\n")

    def flush(self) -> None:
        """Hand what was written to the system, and begin a new file if this one is full."""
        self._file.flush()
        if self._file.tell() > _MAX_LOG_BYTES:
            self._file.close()
            number = 1
            while self._path.with_name(f"{LOG}-{number:05}").exists():
                number += 1
            self._path.rename(self._path.with_name(f"{LOG}-{number:05}"))
            self._file = self._open()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _printable(text: str) -> str:
    return "".join(
        char if char == "\t" or char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def open_config(folder: Path) -> CrawlConfig:
    """Read the settings of a crawl that exists."""
    if (folder / CONFIG).is_file() and not (folder / FRONTIER).is_file():
        raise GristmillError(f"{folder / FRONTIER} is missing: the crawl can't go on without it; begin a new one")
    if not is_crawl(folder):
        raise UsageError(f"{folder} is not a crawl: give addresses to begin with, and the folder of the crawl with -o")
    return CrawlConfig.from_file(folder / CONFIG)
