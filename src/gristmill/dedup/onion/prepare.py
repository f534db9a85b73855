"""What is done before the first round: it is noted down what the run is, and how its work is divided."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from gristmill.dedup.job import INDEX_CARD, Job
from gristmill.dedup.onion.index import Index
from gristmill.dedup.onion.plan import Bundle, Plan, Settings
from gristmill.file_systems import is_shared
from gristmill.nodes import boot
from gristmill.shards import write_atomically
from gristmill.version import __version__


def begin(plan: Plan, kind: str, settled: Index | None, job: Job) -> None:
    """Make the folder for what is put aside, and clear away what another kind of run left there and in the index.

    An index of settled shards stays as it is. What was put aside before the machine was last started is not trusted, if
    it may not have reached the disk.
    """
    card = json.dumps(
        {
            "gristmill": __version__,
            "boot": _boot(plan.work),
            "kind": kind,
            "settings": [getattr(plan.settings, name) for name in Settings.__slots__],
            "shards": [[shard.name, *_stamp(shard.documents)] for shard in job.shards],
            "known": [[str(folder.resolve()), *_stamp(folder / INDEX_CARD)] for folder, _ in plan.known],
        },
    )
    path = plan.card
    if path.exists() and path.read_bytes() == card.encode():
        return
    clear(plan.work)
    _clear_index(settled, job)
    plan.work.mkdir(parents=True)
    write_atomically(path, card.encode())


def divide(plan: Plan, bundles: Sequence[Bundle], settled: Index | None, job: Job) -> None:
    """Note down how the work is divided, when the shards are surveyed, and clear away what was divided otherwise."""
    card = json.dumps(
        {
            "bits": plan.bits,
            "bundles": [bundle.rows[0] for bundle in bundles],
            "names": [shard.name for bundle in bundles for shard in bundle.shards],
            "rows": [*(row for bundle in bundles for row in bundle.rows[:-1]), bundles[-1].rows[-1] if bundles else 0],
        }
    ).encode()
    path = plan.catalogue
    if path.exists() and path.read_bytes() == card:
        return
    path.unlink(missing_ok=True)
    for left in plan.work.iterdir():
        if left not in (plan.card, plan.survey(0).parent):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    _clear_index(settled, job)
    write_atomically(path, card)


def _clear_index(settled: Index | None, job: Job) -> None:
    """Clear away what another run left in the index; that of settled shards stays."""
    if settled is None:
        job.remove_index()
    else:
        settled.prune()


def _boot(work: Path) -> str:
    """Tells this start of the machine from others; empty where files are flushed before they get their names.

    That is so where other machines see them (`drafts.move`): one of these may go on with what this one has begun.
    """
    return "" if is_shared(work.parent) else boot()


def clear(work: Path) -> None:
    """Remove what was put aside; the card first, so that what is left of it is never taken for the whole."""
    (work / "plan.json").unlink(missing_ok=True)
    shutil.rmtree(work, ignore_errors=True)


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns
