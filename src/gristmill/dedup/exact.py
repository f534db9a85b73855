"""Exact copies: documents whose clean text is the same to the letter, or whose pages were before they were cleaned.

Memory: 24 bytes a document (its digest, and where it stands), and what sorting these needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gristmill.arrays.dtypes import Hashes, Ints
from gristmill.dedup.copies import not_shown, write_copies
from gristmill.dedup.job import Job
from gristmill.errors import UsageError
from gristmill.kept import replaced_flags
from gristmill.lazy import LazyModule
from gristmill.registry import part
from gristmill.shards import Shard, read_columns

pc = LazyModule("pyarrow.compute")

KEEP = ("first", "none")
OF = {"text": "digest", "page": "page_digest"}
"""What may be the same, and the column that has its digest."""


@part("de-duplication method", "exact")
@dataclass(frozen=True, kw_only=True)
class Exact:
    """Drops documents that are the same as an earlier one."""

    keep: str = "first"
    """`first` keeps one of the copies; `none` drops all, as was done for ukWaC, where most were machine-made pages.

    Of settled shards nothing is dropped any more: a document there stays when a copy of it is added.
    """

    of: str = "text"
    """`text`: clean texts are compared, with white space folded; `page`: pages as they were fetched, byte for byte.

    `exact:of=page,keep=none` is what was done for ukWaC before cleaning (Ferraresi et al. 2008, section 2.2).
    """

    def __post_init__(self) -> None:
        if self.of not in OF:
            raise UsageError(f"exact: of must be one of {', '.join(OF)}, not {self.of!r}")
        if self.keep not in KEEP:
            raise UsageError(f"exact: keep must be one of {', '.join(KEEP)}, not {self.keep!r}")

    def check(self, job: Job) -> None:
        """Refuse other corpora to compare with."""
        job.refuse_others("exact")

    def run(self, job: Job) -> dict[str, int]:
        """Find the copies and write them down."""
        catalogue = comparable(job, OF[self.of])
        write_copies(
            job, catalogue.starts, first_copies(catalogue.digests, catalogue.kept), keep_first=self.keep == "first"
        )
        return {}


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All documents of a corpus, a row each."""

    digests: Hashes
    """Two numbers a document."""
    kept: npt.NDArray[np.bool_]
    """Whether the filters kept it, no later version replaces it, and there is text in it."""
    starts: list[int]
    """The row at which each shard begins, and at the end how many there are."""


def comparable(job: Job, column: str = "digest") -> Catalogue:
    """Read the documents of all shards, settled ones too; those of settled ones that are not shown are not kept."""
    catalogue = read_catalogue((*job.settled, *job.shards), column)
    for flags, start in zip(not_shown(job.settled).values(), catalogue.starts, strict=False):
        catalogue.kept[start : start + len(flags)] &= ~flags
    return catalogue


def read_catalogue(shards: Sequence[Shard], column: str = "digest") -> Catalogue:
    """Read what there is to be known of all documents of some shards, by the column that has their digests."""
    digests, kept, starts = [np.empty((0, 2), np.uint64)], [np.empty(0, np.bool_)], [0]
    for shard in shards:
        table = read_columns(shard.documents, [column, "dropped", "text_blocks"])
        digests.append(np.frombuffer(b"".join(table[column].to_pylist()), np.uint64).reshape(-1, 2))
        kept.append(pc.and_(pc.equal(table["dropped"], ""), pc.greater(table["text_blocks"], 0)).to_numpy().copy())
        if column != "digest":
            kept[-1] &= digests[-1].any(axis=1)  # of the others it is not known
        replaced = replaced_flags(shard)
        if replaced is not None:
            kept[-1] &= ~replaced
        starts.append(starts[-1] + table.num_rows)
    return Catalogue(np.concatenate(digests), np.concatenate(kept), starts)


def first_copies(digests: Hashes, kept: npt.NDArray[np.bool_]) -> Ints:
    """For each row the first kept row with the same digest; a row that is not kept is its own."""
    first = np.arange(len(digests), dtype=np.int64)
    rows = np.flatnonzero(kept)
    rows = rows[np.lexsort((digests[rows, 1], digests[rows, 0]))]  # stable: equal digests stay in source order
    starts_group = np.ones(len(rows), np.bool_)
    starts_group[1:] = (digests[rows[1:]] != digests[rows[:-1]]).any(axis=1)
    first[rows] = rows[np.flatnonzero(starts_group)[np.cumsum(starts_group) - 1]]
    return first
