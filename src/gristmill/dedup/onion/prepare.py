"""What is done before the first round, and between it and the second."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from gristmill.arrays.dtypes import Ints
from gristmill.arrays.ragged import starts_of
from gristmill.arrays.storing import save_arrays
from gristmill.dedup.exact import Catalogue, first_copies, read_catalogue
from gristmill.dedup.job import INDEX_CARD, Job
from gristmill.dedup.onion.index import Index
from gristmill.dedup.onion.plan import Outline, Plan, Settings
from gristmill.dedup.result import NOBODY, pack_elsewhere
from gristmill.lazy import LazyModule
from gristmill.shards import Shard, read_columns, write_atomically
from gristmill.version import __version__

pc = LazyModule("pyarrow.compute")

_PLAN_FILE = "plan.json"
_BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")
# Fewest characters a token, with punctuation and spaces: pseudo-words of scripts without spaces are short.
_MIN_CHARACTERS_PER_TOKEN = dict.fromkeys("zh ja".split(), 1.3) | dict.fromkeys("th lo my km bo dz".split(), 3.0)


def begin(plan: Plan, kind: str, settled: Index | None, job: Job) -> None:
    """Make the folder for what is put aside, and clear away what another kind of run left there and in the index.

    An index of settled shards stays as it is. What was put aside before the machine was last started is not trusted: it
    may not have reached the disk.
    """
    card = json.dumps(
        {
            "gristmill": __version__,
            "boot": _boot(),
            "kind": kind,
            "settings": [getattr(plan.settings, name) for name in Settings.__slots__],
            "bits": plan.bits,
            "shards": [[shard.name, *_stamp(shard.documents)] for shard in plan.shards],
            "known": [[str(index.folder.resolve()), *_stamp(index.folder / INDEX_CARD)] for index in plan.known],
        },
    )
    path = plan.work / _PLAN_FILE
    if path.exists() and path.read_bytes() == card.encode():
        return
    clear(plan.work)
    if settled is None:
        job.remove_index()
    else:
        settled.prune()
    plan.work.mkdir(parents=True)
    write_atomically(path, card.encode())


def _boot() -> str:
    """Tells this start of the machine from others; where the system has no name for it, it is the minute."""
    return (
        _BOOT_ID_FILE.read_text("ascii")
        if _BOOT_ID_FILE.exists()
        else str(round((time.time() - time.monotonic()) / 60))
    )


def clear(work: Path) -> None:
    """Remove what was put aside; the card first, so that what is left of it is never taken for the whole."""
    (work / _PLAN_FILE).unlink(missing_ok=True)
    shutil.rmtree(work, ignore_errors=True)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def estimate(shard: Shard) -> int:
    """About how many n-grams a shard has: rather too many."""
    table = read_columns(shard.documents, ["dropped", "lang", "length"])
    table = table.filter(pc.equal(table["dropped"], ""))
    lengths = table["length"].to_numpy()
    per_token = np.array([_MIN_CHARACTERS_PER_TOKEN.get(lang, 5.0) for lang in table["lang"].to_pylist()], np.float64)
    return int((lengths / per_token).sum())


def find_copies(plan: Plan) -> Catalogue:
    """All documents; which are exact copies of others, here or in text that is there already, is noted down."""
    catalogue = read_catalogue(plan.shards)
    if not plan.copies.exists():
        first = first_copies(catalogue.digests, catalogue.kept)
        for number, index in enumerate(plan.known):
            rows = np.flatnonzero(catalogue.kept & (first == np.arange(len(first))))
            found = index.copies(catalogue.digests[rows])
            there = found != NOBODY
            first[rows[there]] = pack_elsewhere(number, found[there])
            first = np.where(first >= 0, first[np.maximum(first, 0)], first)  # copies of a copy
        save_arrays(plan.copies, {"first": first})
    return catalogue


def merge_outlines(plan: Plan, rows: Sequence[int]) -> None:
    """Where shards begin among all blocks, and which block is which; `rows` says where they begin among all rows."""
    if plan.starts.exists():
        return
    of_blocks: list[Ints] = [np.empty(0, np.int64)]
    numbers: list[Ints] = [np.empty(0, np.int64)]
    documents, blocks = [], []
    for shard, (start, _) in enumerate(pairwise(rows)):
        outline = Outline.read(plan.outline(shard))
        of_blocks.append(np.repeat(outline.rows + start, np.diff(outline.first_blocks)))
        numbers.append(
            np.full(len(outline.rows), NOBODY) if plan.settings.whole_documents else np.array(outline.numbers)
        )
        documents.append(len(outline.rows))
        blocks.append(len(outline.tokens) - 1)
    save_arrays(plan.blocks, {"rows": np.concatenate(of_blocks), "numbers": np.concatenate(numbers).astype(np.int32)})
    starts = {
        "rows": rows,
        "documents": starts_of(np.array(documents, np.int64)),
        "blocks": starts_of(np.array(blocks, np.int64)),
    }
    save_arrays(plan.starts, {name: np.array(values, np.int64) for name, values in starts.items()})
