"""Find pages by their address, host, language, kind, year, by what became of them, and by their text.

Only the columns that are asked for are read, a part of a shard at a time, within a time limit: what is found says
whether everything was looked at. Pages come in the order of the corpus, records that gave no page behind those of
their shard.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from gristmill.arrays.dtypes import Flags, Ints
from gristmill.corpus.attributes import host_of
from gristmill.corpus.lookup import read_by_id, row_groups
from gristmill.corpus.reader import REPLACED, CorpusReader
from gristmill.document import document_id
from gristmill.errors import UsageError
from gristmill.shards import DOCUMENTS, Shard, open_parquet, read_columns

KEPT, DUPLICATE, SKIPPED = "kept", "duplicate", "skipped"
"""Reasons that are no names of filters; `skipped` is all records that gave no page, `skipped:broken` some of them."""
_SHOWN = ("url", "title", "lang", "page_kind", "date", "published", "words", "dropped", "detail", "source", "offset")
_YEAR = "^[0-9]{4}([^0-9]|$)"
_MAX_TERMS = 20
_PATIENCE = 4
"""How many times longer than the limit it may take to find the pages that are shown, if not to count the others."""


@dataclass(frozen=True, slots=True)
class PageQuery:
    """What pages are looked for; an empty field lets all pass."""

    url: str = ""
    """A part of the address."""
    host: str = ""
    """The host, as `host_of` tells it; with a dot before it, also its subdomains."""
    reason: str = ""
    """What dropped the page: the name of a filter, `duplicate`, `replaced`, `kept`, `skipped` or `skipped:broken`."""
    lang: str = ""
    kind: str = ""
    year: str = ""
    """The year of publication, or else of fetching, as `year_of` tells it."""
    terms: tuple[tuple[str, ...], ...] = ()
    """Words or phrases that must stand in the page, kept or not, each in one of several forms."""

    @property
    def takes_pages(self) -> bool:
        """Whether it may find pages."""
        return self._skipped is None

    @property
    def takes_skipped(self) -> bool:
        """Whether it may find records that gave no page, of which only the address is known."""
        return not (self.lang or self.kind or self.year or self.terms) and (
            not self.reason or self._skipped is not None
        )

    @property
    def _skipped(self) -> str | None:
        """Which records are asked for that gave no page: the reason, or an empty text for all; None for none."""
        name, _, reason = self.reason.partition(":")
        return reason if name == SKIPPED else None

    def skips(self, reasons: pa.ChunkedArray) -> Flags:
        """Tell which skipped records have the reason that is asked for."""
        return _numpy(pc.equal(reasons, self._skipped)) if self._skipped else np.ones(len(reasons), np.bool_)


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page or record that was found."""

    id: str
    """The id of the document; empty if there is none."""
    url: str
    title: str = ""
    lang: str = ""
    kind: str = ""
    date: str = ""
    published: str = ""
    words: int = 0
    reason: str = ""
    """What dropped it; `kept` if nothing did."""
    detail: str = ""
    place: str = ""
    """The file that it stands in, and where."""

    def to_json(self) -> dict[str, Any]:
        """All fields, for programs."""
        return asdict(self)


@dataclass(slots=True)
class FoundPages:
    """Some of the pages that were found, and how many there are as far as was looked."""

    pages: list[FoundPage] = field(default_factory=list)
    count: int = 0
    looked_at: int = 0
    """Pages and records that were looked at."""
    total: int = 0
    """Pages and records that there are, if all were looked at; else pages alone."""
    complete: bool = True
    """Whether everything was looked at."""

    def to_json(self) -> dict[str, Any]:
        """All fields, for programs."""
        return asdict(self)


Row = tuple[Shard, int, bool]
"""A row of a shard: its number, and whether it is one of the skipped records."""


def find_pages(
    corpus: CorpusReader,
    query: PageQuery,
    *,
    first: int = 0,
    limit: int = 50,
    max_seconds: float = 3.0,
    among: Mapping[str, Ints] | None = None,
) -> FoundPages:
    """Find pages, and return `limit` of them from place `first` on.

    After `max_seconds` no more are counted, and after four times of that none are looked for. `among` are the rows of
    each shard, by name, that an index has found; others are not looked at.
    """
    if len(query.terms) > _MAX_TERMS:
        raise UsageError(f"at most {_MAX_TERMS} words can be looked for at a time")
    start = time.monotonic()
    found = FoundPages(total=corpus.counts["pages"] + _skipped_records(corpus))
    shown: list[Row] = []
    for shard in corpus.shards:
        for is_skipped, count, rows in _matches(corpus, shard, query, among):
            found.looked_at += count
            wanted = rows[max(0, first - found.count) : max(0, first + limit - found.count)]
            shown += [(shard, row, is_skipped) for row in wanted.tolist()]
            found.count += len(rows)
            spent = time.monotonic() - start
            if spent > max_seconds and (len(shown) == limit or spent > max_seconds * _PATIENCE):
                found.complete = False
                break
        if not found.complete:
            break
    found.complete = found.complete or found.looked_at >= found.total
    found.pages = _described(corpus, shown)
    return found


def _skipped_records(corpus: CorpusReader) -> int:
    return sum(count for reason, count in corpus.counts["skipped"].items() if reason != "other")


def _matches(
    corpus: CorpusReader, shard: Shard, query: PageQuery, among: Mapping[str, Ints] | None
) -> Iterator[tuple[bool, int, Ints]]:
    """Yield which rows match, part by part: whether they are skipped records, how many there are, their numbers."""
    with open_parquet(shard.documents) as file:
        pages = file.metadata.num_rows
    if not query.takes_pages or (among is not None and shard.name not in among):
        yield False, pages, np.zeros(0, np.int64)
    else:
        yield from ((False, count, rows) for count, rows in _pages(corpus, shard, query, among))
    with open_parquet(shard.skipped) as file:
        records = file.metadata.num_rows
    if not records:
        return
    rows = np.zeros(0, np.int64)
    if query.takes_skipped and among is None:
        table = read_columns(shard.skipped, ["url", "reason"])
        rows = np.flatnonzero(_address_flags(table["url"], query) & query.skips(table["reason"]))
    yield True, records, rows


def _pages(
    corpus: CorpusReader, shard: Shard, query: PageQuery, among: Mapping[str, Ints] | None
) -> Iterator[tuple[int, Ints]]:
    state = _State(corpus, shard)
    for start, table in row_groups(shard.documents, _columns(query)):
        flags = _flags(table, query)
        if query.reason:
            flags &= state.flags(query.reason, table["dropped"], start)
        if among is not None:
            inside = among[shard.name] - start
            has = np.zeros(len(flags), np.bool_)
            has[inside[(inside >= 0) & (inside < len(flags))]] = True
            flags &= has
        rows = np.flatnonzero(flags)
        if query.terms and len(rows):
            rows = _with_text(shard, start, rows, query.terms)
        yield table.num_rows, rows + start


def _columns(query: PageQuery) -> list[str]:
    """Name the columns that a query needs."""
    needed = {
        "url": query.url or query.host,
        "lang": query.lang,
        "page_kind": query.kind,
        "published": query.year,
        "date": query.year,
        "dropped": query.reason,
    }
    return [name for name, value in needed.items() if value] or ["status"]


def _flags(table: pa.Table, query: PageQuery) -> Flags:
    flags = _address_flags(table["url"], query) if query.url or query.host else np.ones(table.num_rows, np.bool_)
    if query.lang:
        flags &= _numpy(pc.equal(table["lang"], query.lang))
    if query.kind:
        flags &= _numpy(pc.equal(table["page_kind"], query.kind))
    if query.year:
        flags &= _year_flags(table["published"], table["date"], query.year)
    return flags


def _address_flags(urls: pa.ChunkedArray, query: PageQuery) -> Flags:
    flags = np.ones(len(urls), np.bool_)
    if query.url:
        flags &= _numpy(pc.match_substring(urls, query.url, ignore_case=True))
    if query.host:
        flags &= _numpy(pc.match_substring(urls, query.host.removeprefix("."), ignore_case=True))
        rows = np.flatnonzero(flags)
        is_wanted = _host_check(query.host.lower())
        flags[rows] = [is_wanted(host_of(url)) for url in urls.take(pa.array(rows)).to_pylist()]
    return flags


def _host_check(wanted: str) -> Callable[[str], bool]:
    if wanted.startswith("."):
        return lambda host: host == wanted[1:] or host.endswith(wanted)
    return lambda host: host.lower() == wanted


def _year_flags(published: pa.ChunkedArray, dates: pa.ChunkedArray, year: str) -> Flags:
    if not re.fullmatch(r"[0-9]{4}", year):
        raise UsageError(f"a year has four digits, unlike {year[:20]!r}")
    says = _numpy(pc.match_substring_regex(published, _YEAR))
    by_page = _numpy(pc.starts_with(published, year))
    by_date = _numpy(pc.and_(pc.starts_with(dates, year), pc.match_substring_regex(dates, _YEAR)))
    return np.where(says, by_page, by_date)


def _with_text(shard: Shard, start: int, rows: Ints, terms: Sequence[Sequence[str]]) -> Ints:
    """Choose those rows of a row group in whose blocks one form of each term stands, whatever the case."""
    _, table = next(row_groups(shard.documents, ["blocks.text"], rows[:1] + start))
    blocks = pa.concat_arrays(table["blocks"].take(pa.array(rows)).chunks)
    texts = blocks.flatten().field("text")
    owners = pc.list_parent_indices(blocks).to_numpy()
    has = np.ones(len(rows), np.bool_)
    for forms in terms:
        flags = np.zeros(len(texts), np.bool_)
        for form in forms:
            flags |= _numpy(pc.match_substring(texts, form, ignore_case=True))
        has &= np.bincount(owners[flags], minlength=len(rows)) > 0
    return rows[has]


class _State:
    """What became of the pages of a shard; files are read when they are needed."""

    def __init__(self, corpus: CorpusReader, shard: Shard) -> None:
        self._corpus, self._shard = corpus, shard
        self._replaced: dict[int, str] | None = None
        self._left: Flags | None = None

    @property
    def replaced(self) -> dict[int, str]:
        """The rows of pages that other versions replace, and the ids of these."""
        if self._replaced is None:
            self._replaced = self._corpus.replaced(self._shard)
        return self._replaced

    @property
    def left(self) -> Flags:
        """Whether de-duplication left text of each page."""
        if self._left is None:
            self._left = read_columns(self._shard.duplicates, ["text_blocks"])["text_blocks"].to_numpy() > 0
        return self._left

    def flags(self, reason: str, dropped: pa.ChunkedArray, start: int) -> Flags:
        """Tell of the pages of a row group whether this became of them."""
        if reason not in {KEPT, DUPLICATE, REPLACED}:
            return _numpy(pc.equal(dropped, reason))
        flags = _numpy(pc.equal(dropped, ""))
        replaced = np.zeros(len(flags), np.bool_)
        replaced[[row - start for row in self.replaced if start <= row < start + len(flags)]] = True
        if reason == REPLACED:
            return flags & replaced
        left = self.left[start : start + len(flags)]
        return flags & ~replaced & (left if reason == KEPT else ~left)

    def of(self, row: int, dropped: str, detail: str) -> tuple[str, str]:
        """Say what became of a page, and what was found."""
        if dropped:
            return dropped, detail
        if row in self.replaced:
            return REPLACED, f"by {self.replaced[row]}"
        return (KEPT, "") if self.left[row] else (DUPLICATE, "")


def _described(corpus: CorpusReader, rows: Sequence[Row]) -> list[FoundPage]:
    """Look up what is known of some pages and records."""
    names = [document_id(shard.name, row) for shard, row, is_skipped in rows if not is_skipped]
    known = dict(read_by_id(corpus, DOCUMENTS, names, _SHOWN))
    states: dict[str, _State] = {}
    skipped: dict[str, pa.Table] = {}
    found = []
    for shard, row, is_skipped in rows:
        if is_skipped:
            if shard.name not in skipped:
                skipped[shard.name] = read_columns(shard.skipped, ["reason", "source", "offset", "url", "detail"])
            found.append(_record(skipped[shard.name].slice(row, 1).to_pylist()[0]))
        else:
            name = document_id(shard.name, row)
            state = states.setdefault(shard.name, _State(corpus, shard))
            found.append(_page(name, known[name], *state.of(row, known[name]["dropped"], known[name]["detail"])))
    return found


def _page(name: str, row: Mapping[str, Any], reason: str, detail: str) -> FoundPage:
    same = {key: row[key] for key in ("url", "title", "lang", "date", "published", "words")}
    place = f"{row['source']}:{row['offset']}"
    return FoundPage(name, kind=row["page_kind"], reason=reason, detail=detail, place=place, **same)


def _record(row: Mapping[str, Any]) -> FoundPage:
    place = f"{row['source']}:{row['offset']}"
    return FoundPage("", row["url"], reason=f"{SKIPPED}:{row['reason']}", detail=row["detail"], place=place)


def _numpy(flags: pa.ChunkedArray) -> Flags:
    found: Flags = flags.to_numpy(zero_copy_only=False) if isinstance(flags, pa.Array) else flags.to_numpy()
    return found
