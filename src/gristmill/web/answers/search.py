"""What the pages of searches need besides: pieces of long lists, wider context, and what can be typed next."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from gristmill.errors import GristmillError
from gristmill.operations.common import NoParameters
from gristmill.operations.declaration import File, operation
from gristmill.operations.search import SearchAsked, state_of
from gristmill.operations.searched import find
from gristmill.parameters import asked, param
from gristmill.pipeline import Corpus
from gristmill.search.completion import MAX_ITEMS, complete_condition, complete_query
from gristmill.search.concordance.lines import line_cells
from gristmill.search.concordance.wider import MAX_TOKENS, TOKENS, wider_context
from gristmill.web.downloads import Writer, content_type, format_param


@asked
class LinesAsked(SearchAsked):
    """Which piece of a long list of lines is wanted."""

    state: str = param("The state that a search gave; another one is refused.", default="", max_characters=100)
    format: str = format_param()


@operation(LinesAsked, room="search")
def lines(corpus: Corpus, asked: LinesAsked) -> File:
    """Give a piece of all lines, to be put together with others: rows without a head, or objects with commas between.

    With `state`, which a search gives, it is refused if the corpus has changed since.
    """
    if asked.state and asked.state != state_of(corpus):
        raise GristmillError("the corpus has changed meanwhile: begin again")
    chosen = find(corpus, asked).lines(asked.offset, asked.limit or None, asked.shows)
    if asked.format == "json":
        text = ",\n".join(json.dumps(line.to_json(), ensure_ascii=False) for line in chosen)
    else:
        text = Writer(asked.format).rows(map(line_cells, chosen))
    return File(text.encode("utf-8", "replace"), content_type(asked.format))


@dataclass(frozen=True, slots=True)
class ContextAsked:
    """Of which hit the context is, and how wide."""

    position: int = param(about="Position of the hit's first token, as a concordance gives it.", minimum=0)
    length: int = param("Tokens of the hit.", default=1, minimum=1, maximum=10_000)
    tokens: int = param("Tokens to each side.", default=TOKENS, minimum=0, maximum=MAX_TOKENS)


@operation(ContextAsked, room="search")
def context(corpus: Corpus, asked: ContextAsked) -> dict[str, Any]:
    """Give the text around a hit, block by block.

    Blocks have their number in the document, and the text before the hit, of the hit and after it, of which two may be
    empty.
    """
    return wider_context(corpus.index, asked.position, asked.length, asked.tokens).to_json()


@operation(NoParameters, room="search")
def lists(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """Say which lists of words queries can name, as in `[lemma = $name]`: those in the folder `lists` of the corpus."""
    del asked
    return {"lists": [{"name": name, "bytes": path.stat().st_size} for name, path in corpus.lists.items()]}


@dataclass(frozen=True, slots=True)
class CompleteAsked:
    """A text that somebody types."""

    text: str = param("What was typed so far.", default="", max_characters=10_000)
    at: int | None = param(
        "Where the cursor is, in characters; at the end if it is not given.", default=None, minimum=0
    )
    kind: str = param("A query, or a condition on documents.", default="query", choices=("query", "where"))
    limit: int = param("Suggestions at most.", default=MAX_ITEMS, minimum=1, maximum=100)


@operation(CompleteAsked, room="search")
def complete(corpus: Corpus, asked: CompleteAsked) -> dict[str, Any]:
    """Say what can be typed at a place of a query or a condition.

    Each of `items` has a `label` to be shown, how often it occurs (`count`, null for names), and what to `insert`
    instead of the text from `start` to before `end`.
    """
    completing = complete_query if asked.kind == "query" else complete_condition
    return completing(corpus.index, asked.text, asked.at, asked.limit).to_json()
