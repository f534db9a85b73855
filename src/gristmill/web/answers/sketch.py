"""What the pages of word sketches ask besides: the lines of a pair, and the languages that there can be sketches of."""

from __future__ import annotations

from typing import Any

from gristmill.operations.declaration import operation
from gristmill.operations.sketches import WordAsked, sketches
from gristmill.parameters import asked, param
from gristmill.pipeline import Corpus
from gristmill.search.sketches.queries import query_of
from gristmill.search.sketches.words import find_word
from gristmill.search.text_languages import TextLanguages
from gristmill.web.answers.about import NoParameters


@asked
class SketchQueryAsked(WordAsked):
    """Which pairs of a sketch a query is wanted for."""

    relation: str = param("The grammatical relation, such as object_of.", max_characters=100)
    collocate: str | None = param("A collocate; without it, all of the relation.", default=None, max_characters=200)
    collocate_tag: str = param("Its part of speech.", default="", max_characters=20)


@operation(SketchQueryAsked, room="search")
def sketch_query(corpus: Corpus, asked: SketchQueryAsked) -> dict[str, Any]:
    """Write the query in CQL that finds exactly the pairs which a sketch counts."""
    made = sketches.ask(corpus, asked)
    word = find_word(made, asked.word, asked.tag)
    other = (asked.collocate, asked.collocate_tag) if asked.collocate else None
    return {"query": query_of(made, asked.relation, (word.lemma, word.tag), other)}


@operation(NoParameters, room="search")
def sketch_languages(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """List the languages whose paragraphs have tags, so that there can be sketches, with their tokens.

    `parsed` are those whose tokens have relations: their sketches can be made by `dependencies`, and by `tags`.
    """
    del asked
    texts = TextLanguages(corpus.index)
    languages = texts.tagged()
    return {"languages": languages, "parsed": [lang for lang in languages if texts.have_relations(lang)]}
