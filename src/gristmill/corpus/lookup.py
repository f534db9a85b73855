"""Lookup of single documents by id or address, which reads these and no others."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gristmill.corpus.reader import CorpusReader
from gristmill.document import document_id
from gristmill.errors import GristmillError, UsageError
from gristmill.shards import Shard, open_parquet, read_columns

_ID = re.compile(r"(\d{5,})-(\d{6,})")
_OF_ANOTHER_CORPUS = re.compile(r"(.+)/(\d{5,}-\d{6,})")
_MAX_LISTED = 10
"""Documents that are listed if a name stands for several."""
_MAX_SUGGESTED = 3
"""Addresses that are suggested if a name stands for none."""
_PIECE_CHARACTERS = 4
"""Length of the pieces by which addresses are found that are like a given one."""
_MAX_PIECES = 24
"""Pieces of an address that are looked for."""
_MAX_CANDIDATES = 100
"""Addresses that are compared in full with a given one."""
_MAX_OFFSET_DIGITS = 18
"""Digits that the offset of a record may have."""
_MAX_COMPARED_CHARACTERS = 1000
"""Characters by which two addresses are compared."""


@dataclass(slots=True)
class _Matches:
    """Number of documents that match, and the ids and addresses of the first of them."""

    count: int = 0
    first: list[tuple[str, str]] = field(default_factory=list)

    def add(self, shard: Shard, urls: pa.ChunkedArray, flags: pa.ChunkedArray) -> None:
        rows = np.flatnonzero(flags.to_numpy())
        self.count += len(rows)
        self.first += _named(shard, urls, rows[: _MAX_LISTED - len(self.first)])


def find_document(corpus: CorpusReader, name: str, nor: str = "") -> str:
    """Find the id of the document that a name stands for: its id, its address, or a unique part of that.

    Documents that a filter dropped are found if there are no others. Raise `UsageError`, with what comes closest, if
    there is not one; `nor` is what else was looked for in vain.
    """
    if _ID.fullmatch(name):
        _check_id(corpus, name)
        return name
    found = next((matches for matches in _matches(corpus, name) if matches.count), None)
    if found is None:
        raise UsageError(_nothing_found(corpus, name, nor))
    if found.count > 1:
        more = f"\n  and {found.count - _MAX_LISTED:,} more" if found.count > _MAX_LISTED else ""
        raise UsageError(
            f"{found.count:,} documents match {name!r}; which one? Give its id:\n{_lines(found.first)}{more}"
        )
    return found.first[0][0]


@dataclass(frozen=True, slots=True)
class At:
    """What stands at an address or a place: a page by its id, or a skipped record by its row."""

    name: str
    url: str
    state: str
    skipped: dict[str, Any] | None = None


def find_at(corpus: CorpusReader, name: str) -> list[At]:
    """Find all pages and skipped records of an address, or at `FILE:OFFSET`; the end of the file's path will do."""
    if _ID.fullmatch(name):
        return []
    return [
        found
        for shard in corpus.shards
        for found in (*_pages_at(shard, name, corpus.replaced(shard)), *_skipped_at(shard, name))
    ]


def which_one(found: Sequence[At], name: str) -> str:
    """Ask which of several is meant."""
    lines = [f"  {item.name}  {item.state}  {item.url}".rstrip() for item in found[:_MAX_LISTED]]
    more = [f"  and {len(found) - _MAX_LISTED:,} more"] if len(found) > _MAX_LISTED else []
    asked = (
        f"{len(found):,} pages and records match {name!r}; which one? Give its id or place, which begin these lines:"
    )
    return "\n".join([asked, *lines, *more])


def _pages_at(shard: Shard, name: str, replaced: Mapping[int, str]) -> Iterator[At]:
    """Pages of a shard with an address, or at `FILE:OFFSET`, and what became of them."""
    table = read_columns(shard.documents, ["url", "source", "offset", "dropped"])
    left = read_columns(shard.duplicates, ["text_blocks"])["text_blocks"]
    for row in np.flatnonzero(_are_at(table, name)).tolist():
        dropped = table["dropped"][row].as_py() or ("" if left[row].as_py() else "duplicate")
        state = f"dropped by {dropped}" if dropped else "kept"
        if row in replaced and not table["dropped"][row].as_py():
            state = f"replaced by {replaced[row]}"
        yield At(document_id(shard.name, row), table["url"][row].as_py(), state)


def _skipped_at(shard: Shard, name: str) -> Iterator[At]:
    """Skipped records of a shard with an address, or at `FILE:OFFSET`."""
    table = read_columns(shard.skipped, ["reason", "source", "offset", "url", "detail"])
    for row in np.flatnonzero(_are_at(table, name)).tolist():
        record: dict[str, Any] = table.slice(row, 1).to_pylist()[0]
        yield At(f"{record['source']}:{record['offset']}", record["url"], f"skipped ({record['reason']})", record)


def _are_at(table: pa.Table, name: str) -> npt.NDArray[np.bool_]:
    """Whether each row has this address, or stands at this `FILE:OFFSET`."""
    flags = pc.equal(table["url"], name)
    file, _, offset = name.rpartition(":")
    if file and offset.isdecimal() and len(offset) <= _MAX_OFFSET_DIGITS:
        same = pc.or_(pc.equal(table["source"], file), pc.ends_with(table["source"], f"/{file}"))
        flags = pc.or_(flags, pc.and_(same, pc.equal(table["offset"], int(offset))))
    found: npt.NDArray[np.bool_] = flags.to_numpy()
    return found


def _check_id(corpus: CorpusReader, identifier: str) -> None:
    """Raise if there is no document of this id."""
    shard, row = _place(_shards(corpus), identifier)
    if shard is None:
        names = list(_shards(corpus))
        hint = f": its shards are {names[0]} to {names[-1]}" if names else ""
    else:
        with open_parquet(shard.documents) as file:
            count = file.metadata.num_rows
        if row < count:
            return
        hint = (
            f": the last one of its shard is {document_id(shard.name, count - 1)}" if count else ": its shard is empty"
        )
    raise UsageError(f"there is no document {identifier} in {corpus.folder}{hint}")


def has_document(corpus: CorpusReader, identifier: str) -> bool:
    """Tell whether there is a document of this id."""
    shard, row = _place(_shards(corpus), identifier)
    if shard is None:
        return False
    with open_parquet(shard.documents) as file:
        return bool(row < file.metadata.num_rows)


def _nothing_found(corpus: CorpusReader, name: str, nor: str) -> str:
    """The message that a name stands for no document, with addresses that are like it."""
    elsewhere = _OF_ANOTHER_CORPUS.fullmatch(name)
    if elsewhere:
        return f"{name} is a document of another corpus; look there for {elsewhere[2]}"
    closest = _closest(corpus, name)
    hint = f"; the closest:\n{_lines(closest)}" if closest else ""
    return f"no address in {corpus.folder} has {name!r} in it{nor}{hint}"


def _lines(found: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"  {identifier}  {url}" for identifier, url in found)


def _matches(corpus: CorpusReader, name: str) -> Sequence[_Matches]:
    """Matches of each kind, the best first: the whole address or a part of it, of kept documents or of all."""
    kinds = [_Matches() for _ in range(4)]
    for shard in corpus.shards:
        table = read_columns(shard.documents, ["url", "dropped"])
        kept = pc.equal(table["dropped"], "")
        replaced = corpus.replaced(shard)
        if replaced:
            kept = pc.and_(kept, pc.invert(pc.is_in(pa.array(range(len(kept))), pa.array(list(replaced), pa.int64()))))
        whole, part = pc.equal(table["url"], name), pc.match_substring(table["url"], name, ignore_case=True)
        for kind, flags in zip(kinds, (pc.and_(whole, kept), whole, pc.and_(part, kept), part), strict=True):
            kind.add(shard, table["url"], flags)
    return kinds


def _named(shard: Shard, urls: pa.ChunkedArray, rows: npt.NDArray[np.intp]) -> list[tuple[str, str]]:
    """Ids and addresses of some rows."""
    return [
        (document_id(shard.name, int(row)), url) for row, url in zip(rows, urls.take(rows).to_pylist(), strict=True)
    ]


def _closest(corpus: CorpusReader, name: str) -> list[tuple[str, str]]:
    """Documents whose addresses are most like a name, among those that share many short pieces with it."""
    wanted = re.sub(r"^\w+://(www\.)?", "", name.lower())[:_MAX_COMPARED_CHARACTERS]
    starts = range(0, max(1, len(wanted) - _PIECE_CHARACTERS + 1), max(1, len(wanted) // _MAX_PIECES))
    pieces = sorted({wanted[start : start + _PIECE_CHARACTERS] for start in starts})
    candidates: list[tuple[int, str, str]] = []
    for shard in corpus.shards:
        urls = read_columns(shard.documents, ["url"])["url"]
        lowered = pc.utf8_lower(urls)
        scores = np.zeros(len(urls), np.int64)
        for piece in pieces:
            scores += pc.match_substring(lowered, piece).to_numpy()
        rows = np.argsort(-scores, kind="stable")[:_MAX_CANDIDATES]
        rows = rows[scores[rows] * 3 >= len(pieces)]
        candidates += [
            (-score, *known) for score, known in zip(scores[rows].tolist(), _named(shard, urls, rows), strict=True)
        ]
    best = [(identifier, url) for _, identifier, url in sorted(candidates)[:_MAX_CANDIDATES]]
    return sorted(best, key=lambda known: -_likeness(known[1].lower()[:_MAX_COMPARED_CHARACTERS], wanted))[
        :_MAX_SUGGESTED
    ]


def _likeness(url: str, wanted: str) -> float:
    """Similarity of two addresses, from 0 to 1."""
    return difflib.SequenceMatcher(None, url, wanted, autojunk=False).ratio()


def _place(shards: Mapping[str, Shard], identifier: str) -> tuple[Shard | None, int]:
    """The shard of a document and its row there, given all shards by name."""
    parts = _ID.fullmatch(identifier)
    return (shards.get(parts[1]), int(parts[2])) if parts else (None, 0)


def _shards(corpus: CorpusReader) -> dict[str, Shard]:
    return {shard.name: shard for shard in corpus.shards}


def replaced_document(corpus: CorpusReader, identifier: str) -> str:
    """Find the id of the version that replaces a document; empty if none does."""
    shard, row = _place(_shards(corpus), identifier)
    return corpus.replaced(shard).get(row, "") if shard else ""


def read_by_id(
    corpus: CorpusReader, file: str, ids: Iterable[str], columns: Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read columns of some documents from a file of the shards, in corpus order.

    Only the row groups are read that they are in. A column of the blocks is named like `blocks.text`. Ids of documents
    that are not there are passed over.
    """
    shards = _shards(corpus)
    wanted: dict[Shard, set[int]] = {}
    for identifier in ids:
        shard, row = _place(shards, identifier)
        if shard:
            wanted.setdefault(shard, set()).add(row)
    for shard in sorted(wanted):
        rows = np.array(sorted(wanted[shard]))
        for start, table in row_groups(shard.folder / file, columns, rows):
            for row in rows[(rows >= start) & (rows < start + table.num_rows)].tolist():
                yield document_id(shard.name, row), table.slice(row - start, 1).to_pylist()[0]


def row_groups(
    path: Path, columns: Sequence[str], rows: npt.NDArray[np.intp] | None = None
) -> Iterator[tuple[int, pa.Table]]:
    """Read the row groups of a file, or those that some rows are in, each with the number of its first row."""
    with open_parquet(path) as file:
        names = _full_names(file, columns, path)
        ends = np.cumsum([file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)])
        groups = np.arange(len(ends)) if rows is None else np.unique(np.searchsorted(ends, rows, side="right"))
        for group in groups[groups < len(ends)].tolist():
            table = file.read_row_group(group, columns=names)
            yield int(ends[group]) - table.num_rows, table


def _full_names(file: pq.ParquetFile, columns: Sequence[str], path: Path) -> list[str]:
    """Columns as Parquet calls them, which puts names of its own between a list or map and what is in it.

    A column may have others in it, all of which are taken.
    """
    there = [file.schema.column(number).path for number in range(len(file.schema))]
    plain = {name: re.sub(r"\.list\.\w+|\.key_value\.\w+", "", name) for name in there}
    wanted = {name: {plain[name], plain[name].partition(".")[0]}.intersection(columns) for name in there}
    missing = set(columns).difference(*wanted.values())
    if missing:
        raise GristmillError(
            f"{path} has no {', '.join(sorted(missing))}: it is damaged, or no file of this corpus; "
            "get it back from a copy, or build the corpus again"
        )
    return [name for name in there if wanted[name]]
