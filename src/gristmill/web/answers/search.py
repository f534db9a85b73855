"""Search: concordances, how many hits there are, wider context, and what can be typed next."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

from gristmill.errors import GristmillError
from gristmill.operations.declaration import File, operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus
from gristmill.search.completion import MAX_ITEMS, complete_condition, complete_query
from gristmill.search.concordance.concordance import Concordance
from gristmill.search.concordance.hints import why_nothing
from gristmill.search.concordance.lines import VIEWS, Context, line_cells, line_fields
from gristmill.search.concordance.request import LinesPage, SearchRequest
from gristmill.search.concordance.wider import MAX_TOKENS, TOKENS, wider_context
from gristmill.search.cql.strategies import STRATEGIES
from gristmill.web.answers.about import NoParameters
from gristmill.web.downloads import Writer, content_type, format_param, rows_file
from gristmill.web.kept_searches import KEPT

MAX_LINES = 10_000
"""Lines of one answer; the pages that stand behind each other give all."""
_MAX_FILTERS = 30
"""Of each kind; a page has a link to leave out each of them, which has all others."""
COLLATION = "Sort by the alphabet of this language, such as sv; by default that of most of the text."
_STRUCTURES = ("", "doc", "p", "s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What all searches have: a query, where it is asked, and what is done with its hits."""

    q: str = param(
        "What to search for: words, in which * and ? are wildcards, or CQL.", default="", max_characters=10_000
    )
    where: str = param(
        'Only documents for which this holds: lang="en" & year>=2010, or @name of a subcorpus.', default=""
    )
    having: tuple[str, ...] = param("Only hits with this query near them.", default=(), max_values=_MAX_FILTERS)
    lacking: tuple[str, ...] = param("Only hits without this query near them.", default=(), max_values=_MAX_FILTERS)
    window: str = param("How near: 5 tokens, or 3,0 (left, right), or s, p, doc.", default="", max_characters=30)
    only: tuple[str, ...] = param(
        "Only hits for which a key has this value: 1:lemma=bread, host=a.org.", default=(), max_values=_MAX_FILTERS
    )
    first_in: str = param("Only the first hit of each doc, p or s.", default="", choices=_STRUCTURES)
    sample: int | None = param("A random sample of so many hits.", default=None, minimum=1)
    strategy: str = param("Which of all matches count; all if it is empty.", default="", choices=("", *STRATEGIES))
    aligned: str = param(
        "Of a parallel corpus: search its other language, with this one beside the hits.", default="", max_characters=40
    )
    aligned_with: tuple[str, ...] = param(
        "Only hits with this query in the language beside them.", default=(), max_values=_MAX_FILTERS
    )
    aligned_without: tuple[str, ...] = param(
        "Only hits without this query in the language beside them.", default=(), max_values=_MAX_FILTERS
    )

    def request(
        self, *, sort: str = "", collation: str = "", shuffle: bool = False, seed: int | None = None
    ) -> SearchRequest:
        """Put the search together; what is left empty in a form is not asked for."""
        having, lacking, beside, not_beside = (
            tuple(filter(None, map(str.strip, given)))
            for given in (self.having, self.lacking, self.aligned_with, self.aligned_without)
        )
        aligned = self.aligned.strip() or None
        return SearchRequest(
            self.q,
            self.where.strip() or None,
            having=having,
            lacking=lacking,
            window=(self.window.strip() or None) if having or lacking else None,
            only=tuple(filter(None, self.only)),
            first_in=self.first_in or None,
            sample=self.sample,
            sort=sort.strip() or None,
            collation=(collation.strip() or None) if sort.strip() else None,
            shuffle=shuffle and not sort.strip(),
            seed=seed if self.sample or shuffle else None,
            strategy=self.strategy or None,
            aligned=aligned,
            aligned_with=beside if aligned else (),
            aligned_without=not_beside if aligned else (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Concordanced(Searched):
    """Which lines of a concordance are shown, and how."""

    sort: str = param("Keys to sort by: left, right, node, or -1:lemma,host.", default="", max_characters=300)
    collation: str = param(COLLATION, default="", max_characters=40)
    shuffle: bool = param("In random order.", default=False)
    seed: int | None = param("Another number, another sample or order.", default=None, minimum=0, maximum=2**32)
    view: str = param("Key words in context, or whole sentences.", default="kwic", choices=VIEWS)
    context: int = param("Characters to each side of a hit.", default=80, minimum=0, maximum=1_000)
    tokens: int | None = param("Tokens to each side, instead of characters.", default=None, minimum=0, maximum=300)
    page: int = param("Which page of the lines, from 1.", default=1, minimum=1, maximum=10**9)
    lines: int = param("Lines on a page.", default=25, minimum=1, maximum=MAX_LINES)
    format: str = format_param()

    def to_request(self) -> SearchRequest:
        """Put the search together."""
        return self.request(sort=self.sort, collation=self.collation, shuffle=self.shuffle, seed=self.seed)


def search_of(asked: Any) -> Searched:
    """Take what all searches have out of other parameters."""
    return Searched(**{item.name: getattr(asked, item.name) for item in fields(Searched)})


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
    request = asked.to_request()
    found = KEPT.find(corpus, request)
    page = LinesPage.of(found, asked.page, asked.lines, Context(asked.view, asked.context, asked.tokens))
    if asked.format != "json":
        names = line_fields(aligned=found.beside is not None)
        return rows_file(names, map(line_cells, page.lines), asked.format, "concordance")
    facts = request.to_json(found)
    more = {"shown": len(found), "state": _state(corpus), "hints": _hints(corpus, request, found)}
    return {**facts, **more, **page.to_json()}


def _hints(corpus: Corpus, request: SearchRequest, found: Concordance) -> list[str]:
    if len(found):
        return []
    everything = SearchRequest(
        request.query, request.where, strategy=request.strategy, aligned=request.aligned, lists=request.lists
    )
    if request != everything and len(KEPT.find(corpus, everything)):
        return ["No hit passes the filters."]
    return why_nothing(found, request.query)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesAsked(Concordanced):
    """Which piece of a long list of lines is wanted."""

    first: int = param("Number of the first line, from 0.", default=0, minimum=0)
    state: str = param("The state that a concordance gave; another one is refused.", default="", max_characters=100)


@operation(LinesAsked, room="search")
def lines(corpus: Corpus, asked: LinesAsked) -> File:
    """Give a piece of all lines, to be put together with others: rows without a head, or objects with commas between.

    `lines` is how many there are, from the number `first` on. With `state`, which a concordance gives, it is refused
    if the corpus has changed since.
    """
    if asked.state and asked.state != _state(corpus):
        raise GristmillError("the corpus has changed meanwhile: begin again")
    found = KEPT.find(corpus, asked.to_request())
    chosen = found.lines(asked.first, asked.lines, Context(asked.view, asked.context, asked.tokens))
    if asked.format == "json":
        text = ",\n".join(json.dumps(line.to_json(), ensure_ascii=False) for line in chosen)
    else:
        text = Writer(asked.format).rows(map(line_cells, chosen))
    return File(text.encode("utf-8", "replace"), content_type(asked.format))


def _state(corpus: Corpus) -> str:
    """What tells this state of the index from another one."""
    return str(corpus.index.card.get("corpus", {}).get("fingerprint", ""))


@operation(Searched, room="search")
def count(corpus: Corpus, asked: Searched) -> dict[str, Any]:
    """Say how many hits a query has, their rate per million tokens, and in how many documents they are."""
    request = asked.request()
    return request.to_json(KEPT.find(corpus, request))


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
