"""Search: concordances, wider context, and what can be typed next."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from gristmill.errors import GristmillError
from gristmill.operations.declaration import File, operation
from gristmill.operations.searched import Ordered, find
from gristmill.parameters import asked, param
from gristmill.pipeline import Corpus
from gristmill.search.completion import MAX_ITEMS, complete_condition, complete_query
from gristmill.search.concordance.hints import why_nothing
from gristmill.search.concordance.lines import Context, line_cells, line_fields
from gristmill.search.concordance.wider import MAX_TOKENS, TOKENS, wider_context
from gristmill.web.answers.about import NoParameters
from gristmill.web.downloads import Writer, content_type, format_param, rows_file

MAX_LINES = 10_000
"""Lines of one answer; the pages that stand behind each other give all."""


@asked
class Concordanced(Ordered):
    """Which lines of a concordance are shown, and how."""

    view: Literal["kwic", "sentence"] = param("Key words in context, or whole sentences.", default="kwic")
    context: int = param("Characters to each side of a hit.", default=80, minimum=0, maximum=1_000)
    tokens: int | None = param("Tokens to each side, instead of characters.", default=None, minimum=0, maximum=300)
    limit: int = param("How many lines.", default=20, minimum=1, maximum=MAX_LINES)
    offset: int = param("How many lines to leave out before them.", default=0, minimum=0)
    format: str = format_param()


@operation(Concordanced, room="search")
def concordance(corpus: Corpus, asked: Concordanced) -> dict[str, Any] | File:
    """Search a corpus, and give a page of the lines.

    `total` is the number of hits, `per_million` their rate, `documents` in how many documents they are, `tokens` how
    much was searched; `sample` is the size of a sample, if it is one. `shown` is the number of all lines, of which
    `lines` are those from the number `first` on. Each has `left`, `node` and `right`, which together are the text as it
    stands there, with a line end between blocks, and its document and block. `position` and `length` are for `context`;
    `from_right` says that it is read from the right. If the query has labels, `labels` has the `position` and `word` of
    each labelled token, and where it stands in the text, in characters (`at`). With `aligned`, each line has the `text`
    in the other language that it is aligned with, its document, the `score` of the alignment, and `marks`, which say
    where the queries in `aligned_with` match, in characters. If nothing is found, `hints` say why.
    If some tokens don't have an attribute that the query asks for, `missing` says how many and in which languages,
    `per_million` is the rate among the other tokens, which are `rated_tokens`, and `notes` say so in words.
    """
    found = find(corpus, asked)
    context = Context(asked.view, asked.context, asked.tokens)
    page = list(found.lines(asked.offset, asked.limit, context))
    if asked.format != "json":
        return rows_file(line_fields(aligned=found.beside is not None), map(line_cells, page), asked.format, "lines")
    lengths = found.chosen(asked.offset, asked.limit).lengths.tolist()
    return {
        "query": asked.query,
        **found.counts().to_json(),
        "shown": len(found),
        "state": _state(corpus),
        "hints": [] if len(found) else why_nothing(found),
        "labels": list(found.labels),
        "first": asked.offset,
        "lines": [
            {**line.to_json(), "length": length, "from_right": line.from_right}
            for line, length in zip(page, lengths, strict=True)
        ],
    }


@asked
class LinesAsked(Concordanced):
    """Which piece of a long list of lines is wanted."""

    state: str = param("The state that a concordance gave; another one is refused.", default="", max_characters=100)


@operation(LinesAsked, room="search")
def lines(corpus: Corpus, asked: LinesAsked) -> File:
    """Give a piece of all lines, to be put together with others: rows without a head, or objects with commas between.

    With `state`, which a concordance gives, it is refused if the corpus has changed since.
    """
    if asked.state and asked.state != _state(corpus):
        raise GristmillError("the corpus has changed meanwhile: begin again")
    found = find(corpus, asked)
    chosen = found.lines(asked.offset, asked.limit, Context(asked.view, asked.context, asked.tokens))
    if asked.format == "json":
        text = ",\n".join(json.dumps(line.to_json(), ensure_ascii=False) for line in chosen)
    else:
        text = Writer(asked.format).rows(map(line_cells, chosen))
    return File(text.encode("utf-8", "replace"), content_type(asked.format))


def _state(corpus: Corpus) -> str:
    """What tells this state of the index from another one."""
    return str(corpus.index.card.get("corpus", {}).get("fingerprint", ""))


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
