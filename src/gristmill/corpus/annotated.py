"""How the shards of a corpus were annotated."""

from __future__ import annotations

from pathlib import Path

from gristmill.errors import GristmillError
from gristmill.shapes import misfit
from gristmill.shards import TOKENS, facts

_SHAPE = {"settings": {"taggers": [str]}}


def stored_choices(shard: Path) -> list[str] | None:
    """The taggers that a shard was annotated with; None if it was not."""
    if not (shard / TOKENS).exists():
        return None
    found = facts(shard / TOKENS)
    fault = misfit(found, _SHAPE, "what it says of itself")
    if fault:
        raise GristmillError(
            f"{shard / TOKENS} is damaged ({fault}): delete it, and annotate the corpus with `gristmill annotate`"
        )
    taggers: list[str] = found["settings"]["taggers"]
    return taggers
