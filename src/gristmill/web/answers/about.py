"""What a corpus is: its size, its languages, and whether it can be searched."""

from __future__ import annotations

from typing import Any, TypedDict

from gristmill.errors import GristmillError
from gristmill.operations.common import NoParameters
from gristmill.operations.declaration import operation
from gristmill.pipeline import Corpus
from gristmill.web.workers import without_place


class About(TypedDict):
    """What a corpus is."""

    size: dict[str, Any]
    pages: int
    tokens: int | None
    hint: str


@operation(NoParameters, room="report")
def about(corpus: Corpus, asked: NoParameters) -> About:
    """Say how large the corpus is, in which languages, and how many tokens its index has.

    `tokens` is null if there is no index; then `hint` says how to make one.
    """
    del asked
    try:
        tokens, hint = corpus.index.size, ""
    except GristmillError as error:
        tokens, hint = None, without_place(error, corpus.folder)
    return {"size": dict(corpus.size), "pages": corpus.counts["pages"], "tokens": tokens, "hint": hint}
