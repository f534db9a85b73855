"""By which taggers the shards of a corpus were annotated, as `tokens.parquet` says it."""

from __future__ import annotations

from gristmill.errors import GristmillError
from gristmill.shapes import misfit
from gristmill.shards import Shard, facts

_SHAPE = {"settings": {"taggers": [str]}}


def stored_choices(shard: Shard) -> list[str] | None:
    """Read the taggers that a shard was annotated with; None if it was not annotated."""
    if not shard.tokens.exists():
        return None
    found = facts(shard.tokens)
    fault = misfit(found, _SHAPE, "what it says of itself")
    if fault:
        raise GristmillError(
            f"{shard.tokens} is damaged ({fault}): delete it, and annotate the corpus with `gristmill annotate`"
        )
    taggers: list[str] = found["settings"]["taggers"]
    return taggers
