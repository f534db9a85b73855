"""What could not be read, and where the program failed: a few lines for the end of a command that built pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow.parquet as pq

from gristmill.corpus.funnel import reason_words
from gristmill.corpus.reader import CorpusReader
from gristmill.shards import Shard, read_rows
from gristmill.wording import plural

FAILED = "failed"
"""The reason of documents on which the program failed."""
_UNREAD = ("broken", "unreadable")
_MAX_NAMED = 5
"""Files and errors that are named one by one; of more the number is said."""


@dataclass(frozen=True, slots=True)
class Faults:
    """What went wrong in some shards of a corpus."""

    broken: Sequence[str]
    """Files with records that could not be read, with how many these are and what was wrong with the last."""
    unreadable: Sequence[str]
    """Files of kinds that can't be read."""
    failed: Sequence[str]
    """Errors of the program on pages, with how many pages these were and which was the first."""
    logs: Sequence[str]
    """Where it is written what the program did when it failed."""

    @staticmethod
    def of(corpus: CorpusReader, first: int = 0) -> Faults:
        """Look for them in all shards, or in those from the `first` on."""
        shards, counts = corpus.shards[first:], corpus.counts
        skipped = counts["skipped"].keys() & set(_UNREAD)
        broken, unreadable = (_files(shards, reason) if reason in skipped else [] for reason in _UNREAD)
        logged = [shard for shard in shards if shard.failures.exists()] if FAILED in counts["dropped"] else []
        return Faults(broken, unreadable, _errors(logged), [str(shard.failures) for shard in logged])

    def lines_of_broken(self) -> Iterator[str]:
        """Say which files are broken."""
        return _named(self.broken, "file")

    def lines_of_failed(self) -> Iterator[str]:
        """Say on which pages the program failed, and how."""
        return _named(self.failed, "error")

    def lines_of_nothing(self, corpus: CorpusReader) -> Iterator[str]:
        """Say why nothing of a corpus was kept."""
        counts = corpus.counts
        yield from _named([*self.broken, *self.unreadable], "file")
        dropped = Counter(counts["dropped"]) + Counter(duplicates=counts["duplicates"])
        for reason, count in dropped.most_common():
            yield f"{reason_words(reason)}: {plural(count, 'page')}"
        if not counts["records"]:
            yield "there is no record in what was given"


def _files(shards: Sequence[Shard], reason: str) -> list[str]:
    """Name each file of which records were skipped, with their number and what was found in the last."""
    found: dict[str, tuple[int, str]] = {}
    for shard in shards:
        rows = pq.read_table(shard.skipped, columns=["source", "detail"], filters=[("reason", "==", reason)])
        for source, detail in zip(*(column.to_pylist() for column in rows.columns), strict=True):
            found[source] = found.get(source, (0, ""))[0] + 1, detail
    return [
        f"{source}: {detail}" if count == 1 else f"{source}: {count:,} records; the last: {detail}"
        for source, (count, detail) in found.items()
    ]


def _errors(shards: Sequence[Shard]) -> list[str]:
    """Name each error on pages, with the number of pages and the first of them."""
    found: dict[str, tuple[int, str]] = {}
    for shard in shards:
        for row in read_rows(shard.documents, ["id", "dropped", "detail"]):
            if row["dropped"] == FAILED:
                count, first = found.get(row["detail"], (0, row["id"]))
                found[row["detail"]] = count + 1, first
    return [
        f"{detail} ({plural(count, 'page')}; the first: {first})"
        for detail, (count, first) in sorted(found.items(), key=lambda item: -item[1][0])
    ]


def _named(lines: Sequence[str], noun: str) -> Iterator[str]:
    yield from lines[:_MAX_NAMED]
    if len(lines) > _MAX_NAMED:
        yield f"and {plural(len(lines) - _MAX_NAMED, f'more {noun}')}"
