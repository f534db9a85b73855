"""`build`, as users have it: it starts a worker process first, which imports what it needs while this one does so too.

So this module imports little: what builds a corpus takes half a second to import.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gristmill.engine import early_worker
from gristmill.lazy import importing

if TYPE_CHECKING:
    from gristmill.config import Config
    from gristmill.engine import Engine
    from gristmill.pipeline.corpus import Corpus
    from gristmill.progress import Progress


def build(
    sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    config: Config | None = None,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    memory: int | str = "1GB",
    progress: bool | Progress = False,
    trust: bool = False,
) -> Corpus:
    """Build a corpus from archives and pages into the folder `output`, or finish one that was begun there.

    The result does not depend on `workers`, nor on `memory` (bytes, or `4GB`), which bounds what de-duplication uses.
    `progress` shows bars. Settings that were read from a file need `trust` if they name plugins or files that the user
    has not allowed before. Raises `GristmillError` if a shard failed; the others are kept, and the same call goes on.
    """
    with contextlib.nullcontext() if engine else early_worker("gristmill.pipeline.shard:get_ready"):
        with importing():
            from gristmill.pipeline.building import build_corpus  # noqa: PLC0415 (while the worker gets ready)

        return build_corpus(
            sources,
            output,
            config,
            workers=workers,
            engine=engine,
            memory=memory,
            progress=progress,
            trust=trust,
        )
