"""A file with addresses for each query, found by other means: BootCaT's own results, or those of a search by hand."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gristmill.bootstrapping.providers.found import Found, printable
from gristmill.bootstrapping.providers.provider import Provider, ProviderError, Result
from gristmill.bootstrapping.providers.saved_results import read_saved_results
from gristmill.bootstrapping.query import Query
from gristmill.errors import UsageError
from gristmill.fetching.session import Session
from gristmill.registry import part

_TERM = re.compile(r'"([^"]*)"|([^\s()"]+)')
_MAX_LINE_CHARACTERS = 65_536
_MAX_PAGE_BYTES = 50_000_000
_PAGES = frozenset([".htm", ".html"])
_SCHEMES = ("http://", "https://")


class _Listed(NamedTuple):
    """An address of a file, with its query."""

    query: str
    url: str
    title: str = ""


@part("search provider", "file")
@dataclass(frozen=True)
class File:
    """Addresses in a file, or in a folder with a file for each query, also pages of results as browsers save them."""

    def open(self, place: str, session: Session, lang: str) -> Provider:
        """Read the file."""
        del lang
        return FileProvider(Path(place), session)

    def trusted(self, place: str) -> list[str]:
        """Return no address; raise if the file is not there."""
        if not Path(place).exists():
            raise UsageError(f"there is no file {place} with addresses for queries")
        return []


class FileProvider:
    """Answers the queries that a file has addresses for.

    A query is the same in any order of its words and in upper or lower case. Where the file has none with all forms and
    filter words of a query, the one without filter words counts, and then the one with the first form of each word.
    """

    name = "file"
    max_words = 0

    def __init__(self, path: Path, session: Session) -> None:
        self.left_out: Counter[str] = Counter()
        self._path = path
        self._session = session
        self._listed: dict[frozenset[str], list[_Listed]] = {}
        self._queries: dict[str, None] = {}
        for listed in self._read():
            self._listed.setdefault(_key(listed.query), []).append(listed)
            self._queries[listed.query] = None

    @property
    def queries(self) -> list[str]:
        """The queries that the file has addresses for, as they stand there."""
        return list(self._queries)

    async def search(self, query: Query, count: int) -> list[Result]:
        """Return at most so many of the addresses that the file has for a query."""
        plain = Query(tuple(word[:1] for word in query.words))
        for asked in (query, Query(query.words), plain):
            listed = self._listed.get(_key(asked.text))
            if listed is not None:
                break
        else:
            raise ProviderError(f"{self._path} has no addresses for the query {printable(query.text)}")
        found = Found(self._session, self.left_out, count)
        for item in listed:
            if found.is_full:
                break
            found.add(item.url, item.title)
        return found.results

    def _read(self) -> Iterator[_Listed]:
        try:
            if self._path.is_dir():
                for file in sorted(self._path.iterdir()):
                    if file.is_file() and not file.name.startswith("."):
                        yield from self._read_file(file, file.stem)
            else:
                yield from self._read_file(self._path, "")
        except OSError as error:
            raise UsageError(f"can't read the addresses in {error.filename or self._path}: {error.strerror}") from error

    def _read_file(self, file: Path, query: str) -> Iterator[_Listed]:
        if file.suffix.lower() not in _PAGES:
            yield from self._read_lines(file, query)
            return
        if file.stat().st_size > _MAX_PAGE_BYTES:
            self.left_out["saved page too long"] += 1
            return
        saved = read_saved_results(file.read_bytes())
        for address in saved.addresses:
            yield _Listed(saved.query or query or file.stem, address)

    def _read_lines(self, file: Path, query: str) -> Iterator[_Listed]:
        """Read lines `query TAB address`, or a line with a query and lines with addresses below it."""
        with file.open(encoding="utf-8-sig", errors="replace") as lines:
            for number, line in enumerate(lines, 1):
                text = line.strip()
                if not text or text.startswith("#"):
                    continue
                if len(text) > _MAX_LINE_CHARACTERS:
                    self.left_out["line too long"] += 1
                    continue
                before, tab, behind = text.partition("\t")
                if tab and behind.strip().startswith(_SCHEMES):
                    url, _, title = behind.strip().partition("\t")
                    yield _Listed(before.strip(), url, title)
                elif text.startswith(_SCHEMES):
                    if not query:
                        raise UsageError(
                            f"{file}, line {number}: an address with no query. Write its query before it and a tab "
                            "between them, or the query in a line above"
                        )
                    yield _Listed(query, *text.partition("\t")[::2])
                elif tab:
                    self.left_out["no web address"] += 1
                else:
                    query = text


def _key(text: str) -> frozenset[str]:
    """Return what two queries that mean the same have in common: their words and phrases."""
    terms = (phrase or word for phrase, word in _TERM.findall(text))
    return frozenset(" ".join(term.casefold().split()) for term in terms if term != "OR")
