"""`build`, as users have it: it starts a worker process first, which imports what it needs while this one does so too.

So this module imports little: what builds a corpus takes half a second to import.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from gristmill.engine import early_worker, engine_of
from gristmill.lazy import importing
from gristmill.parts import Part

if TYPE_CHECKING:
    from gristmill.config import Config
    from gristmill.engine import Engine
    from gristmill.pipeline.corpus import Corpus
    from gristmill.pipeline.dividing import PartDone
    from gristmill.progress import Progress


def build(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    config: Config | None = None,
    *,
    workers: int | None = None,
    engine: Engine | str | None = None,
    memory: int | str | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
    mirror: str | None = None,
    merge: bool = False,
) -> Corpus:
    """Build a corpus from archives and pages into the folder `output`, or finish one that was begun there.

    The result does not depend on `workers`, nor on the `engine`, which is one of `gristmill.engine` or the name of one:
    `ray:address=auto` for a cluster. Nor does it depend on `memory` (bytes, or `4GB`), which bounds what de-duplication
    uses in all workers together: 1 GB by default, or as much for each worker on a cluster.
    `progress` shows bars. Settings that were read from a file need `trust` if they name plugins or files that the user
    has not allowed before. `mirror` is an address such as `s3://bucket/corpus`, where finished shards go meanwhile, and
    all of the corpus in the end, as by `push`. Raises `GristmillError` if a shard failed; the others are kept, and the
    same call goes on.

    With `merge` nothing is read: `build_part` has built all shards, or else it raises and says which are missing.
    """
    found = _build(
        sources,
        output,
        config,
        workers=workers,
        engine=engine,
        memory=memory,
        progress=progress,
        trust=trust,
        mirror=mirror,
        merge=merge,
    )
    return cast("Corpus", found)


def build_part(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    part: str | Part,
    config: Config | None = None,
    *,
    workers: int | None = None,
    engine: Engine | str | None = None,
    progress: bool | Progress = False,
    trust: bool = False,
) -> PartDone:
    """Build the shards of one part, such as `3/16`, while others build the other parts in the same folder.

    All are given the same sources and settings. When all are done, `build(..., merge=True)` does the rest, in which all
    shards are compared with each other.
    """
    chosen = Part.parse(part) if isinstance(part, str) else part
    found = _build(sources, output, config, workers=workers, engine=engine, progress=progress, trust=trust, part=chosen)
    return cast("PartDone", found)


def _build(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    config: Config | None,
    *,
    engine: Engine | str | None,
    memory: int | str | None = None,
    **options: Any,
) -> Corpus | PartDone:
    """Import what builds a corpus while a worker gets ready, and let it do so."""
    engine = engine_of(engine)
    with contextlib.nullcontext() if engine else early_worker("gristmill.pipeline.shard:get_ready"):
        with importing():
            from gristmill.pipeline.building import build_corpus  # noqa: PLC0415 (while the worker gets ready)

        return build_corpus(
            sources,
            output,
            config,
            engine=engine,
            memory=memory,
            **options,
        )
