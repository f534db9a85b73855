"""Search phrases of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gristmill.operations.common import OfPart, Rows
from gristmill.operations.declaration import operation
from gristmill.operations.query import Query
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.phrases.phrases import Phrases

_NO_WILDCARD = "none"


@asked
class PhrasesQueryAsked:
    """Which tree is written as a query."""

    query: str = param("A tree, in CQL.", kw_only=False, kind="query", name="q", max_characters=10_000)
    lang: str | None = param(
        "Code of a language [the largest one that has relations].", default=None, kind="lang", max_characters=20
    )


@asked
class PhrasesAsked(PhrasesQueryAsked, OfPart, Rows):
    """Which search phrases are made of a tree."""

    min_frequency: int = param("Only phrases that so many sentences of the corpus are like.", default=1, minimum=1)
    max_words: int = param("Most words of a phrase.", default=10, minimum=2, maximum=50)
    wildcard: str = param(
        "What the search engine takes for any word; none: it has no such sign.", default="*", max_characters=10
    )


@operation(
    PhrasesAsked,
    room="search",
    table=True,
    group="search",
    examples=(
        'gristmill phrases corpus \'1:[tag="NOUN"] <nsubj ([lemma="drive"] >obj [lemma="ball"])\'',
        'gristmill phrases corpus \'[lemma="bake"] >obj [lemma="bread"]\' --limit 100 > phrases.txt',
        "gristmill bootstrap --tuples phrases.txt --filter-words 0 -o new --provider searxng:http://localhost:8888",
    ),
)
def phrases(corpus: Corpus, asked: PhrasesAsked) -> Phrases:
    """Make search phrases of a tree, for a search engine.

    Sentences of the corpus that match the tree with parts of speech in place of its words show how such a thing is
    said. The words of the tree are put in, and wildcards for all that may be anything. Phrases with many non-content
    words (a, that, of) come first: they find least beside. Each line is a query of `gristmill bootstrap --tuples`.
    """
    from gristmill.bootstrapping.frequencies import Frequencies
    from gristmill.search.phrases.phrases import phrases_of

    found = phrases_of(
        corpus.index,
        asked.query,
        lang=asked.lang,
        where=asked.where,
        limit=asked.end,
        min_frequency=asked.min_frequency,
        max_words=asked.max_words,
        wildcard="" if asked.wildcard == _NO_WILDCARD else asked.wildcard,
        in_use=lambda lang: Frequencies.of_language(lang).shares,
    )
    return found.from_row(asked.offset)


@operation(
    PhrasesQueryAsked,
    room="search",
    group="search",
    examples=('gristmill phrases-query corpus \'[lemma="bake"] >obj [lemma="bread"]\'',),
)
def phrases_query(corpus: Corpus, asked: PhrasesQueryAsked) -> Query:
    """Write the query for a tree in what its phrases found.

    It leaves out questions, negated and conditional sentences, as the phrases do.
    """
    from gristmill.search.phrases.phrases import query_of_tree

    return Query(query_of_tree(corpus.index, asked.query, asked.lang))
