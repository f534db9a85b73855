"""Word sketches, the thesaurus and sketch differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.errors import UsageError
from gristmill.operations.declaration import File, operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus
from gristmill.search.sketches.difference import sketch_difference as find_difference
from gristmill.search.sketches.queries import query_of
from gristmill.search.sketches.sketch import ORDERS
from gristmill.search.sketches.sketch import sketch as make_sketch
from gristmill.search.sketches.store import AUTOMATIC_TOKENS, SOURCES, Sketches
from gristmill.search.sketches.thesaurus import thesaurus as find_similar
from gristmill.search.sketches.words import find_word
from gristmill.search.text_languages import TextLanguages
from gristmill.web.answers.about import NoParameters
from gristmill.web.downloads import format_param, table_answer

MAX_ROWS = 20_000
_LANG = "Code of a language; without it, the largest one that has tags."
_WHERE = "Only documents for which this holds: year>=2010, or @name of a subcorpus."
_SOURCE = "Relations by dependencies or by tags; without it, by dependencies if most text in the language was parsed."
_TAG = "Its part of speech, such as NOUN; without it, the one with the most grammatical relations."


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketched:
    """Which word, in which documents."""

    word: str = param("A lemma: go, not goes.", default="", max_characters=200)
    tag: str = param(_TAG, default="", max_characters=20)
    lang: str = param(_LANG, default="", max_characters=20)
    where: str = param(_WHERE, default="")
    source: str = param(_SOURCE, default="", choices=("", *SOURCES))


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchAsked(Sketched):
    """Which collocates of a word are shown."""

    relation: str = param("Only this grammatical relation, such as object_of.", default="", max_characters=100)
    order: str = param("Collocates by logDice (score), or by count.", default="score", choices=ORDERS)
    min_count: int | None = param(
        "Only collocates that stand with it so often; 2, or 1 for a word that occurs less than 500 times.",
        default=None,
        minimum=1,
    )
    page: int = param("Which page of the collocates, from 1.", default=1, minimum=1, maximum=10**5)
    rows: int = param("Collocates of each relation on a page.", default=12, minimum=1, maximum=MAX_ROWS)
    format: str = format_param()


@operation(SketchAsked, room="search")
def sketch(corpus: Corpus, asked: SketchAsked) -> dict[str, Any] | File:
    """Make the word sketch of a lemma: its collocates by grammatical relation, the most typical first.

    `relations` says of each relation its `name` and `title`, how many `pairs` and different `collocates` it has, and
    how many of these stand there often `enough` to be shown. Rows have `relation`, `collocate`, `tag`, `count`, `score`
    (logDice), and `example`, the commonest wording. `tags` are the parts of speech that the lemma has.
    """
    sketches = _sketches(corpus, asked, asked.lang, asked.where)
    found = make_sketch(
        sketches,
        asked.word,
        asked.tag or None,
        relation=asked.relation or None,
        min_count=asked.min_count,
        order=asked.order,
        limit=asked.rows,
        first=(asked.page - 1) * asked.rows,
    )
    tags = sketches.base.tags_of(found.word)
    return table_answer(found, asked.format, f"sketch-{asked.word}", {"tags": tags} if asked.format == "json" else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThesaurusAsked(Sketched):
    """Which words that are used like a word are shown."""

    min_frequency: int = param("Only words that occur at least so often.", default=5, minimum=1)
    min_shared: int = param("Only words that share so many collocates with it.", default=3, minimum=1)
    rows: int = param("How many words.", default=60, minimum=1, maximum=MAX_ROWS)
    format: str = format_param()


@operation(ThesaurusAsked, room="search")
def thesaurus(corpus: Corpus, asked: ThesaurusAsked) -> dict[str, Any] | File:
    """Find the words that are used like a lemma: that stand in the same relations with the same words.

    `words` is the number of all that share enough with it, `features` the number of its collocates that were compared.
    Rows have `word`, `frequency`, `similarity`, `shared` (collocates that both have) and `examples` of these.
    """
    sketches = _sketches(corpus, asked, asked.lang, asked.where)
    found = find_similar(
        sketches,
        asked.word,
        asked.tag or None,
        min_frequency=asked.min_frequency,
        min_shared=asked.min_shared,
        limit=asked.rows,
    )
    tags = sketches.base.tags_of(found.word)
    given = {"tags": tags} if asked.format == "json" else None
    return table_answer(found, asked.format, f"thesaurus-{asked.word}", given)


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceAsked(Sketched):
    """Which two words are compared, or one in which two parts of the corpus."""

    other: str = param("The other lemma; without it, the same in other documents.", default="", max_characters=200)
    other_where: str = param("The second word in documents for which this holds; without it, in the same.", default="")
    relation: str = param("Only this grammatical relation, such as object_of.", default="", max_characters=100)
    min_count: int = param("Only collocates that stand so often with one of the two.", default=2, minimum=1)
    rows: int = param("Collocates of each relation.", default=20, minimum=1, maximum=MAX_ROWS)
    format: str = format_param()


@operation(DifferenceAsked, room="search")
def sketch_difference(corpus: Corpus, asked: DifferenceAsked) -> dict[str, Any] | File:
    """Compare the sketches of two lemmas, or of one lemma in two parts of the corpus.

    Rows have `relation`, `collocate`, `tag`, counts and scores with both words, and `side`: from -1, with the first
    word alone, to 1, with the second alone.
    """
    if not asked.other.strip() and not asked.other_where.strip():
        raise UsageError("a difference is of two words, or of one in two parts of the corpus: name the other one")
    here = _sketches(corpus, asked, asked.lang, asked.where)
    there = _sketches(corpus, asked, here.lang, asked.other_where) if asked.other_where.strip() else None
    found = find_difference(
        here,
        asked.word,
        asked.other.strip() or None,
        asked.tag or None,
        other_sketches=there,
        relation=asked.relation or None,
        min_count=asked.min_count,
        limit=asked.rows,
    )
    return table_answer(found, asked.format, f"difference-{asked.word}-{asked.other}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchQueryAsked(Sketched):
    """Which pairs of a sketch a query is wanted for."""

    relation: str = param(about="The grammatical relation, such as object_of.", max_characters=100)
    collocate: str = param("A collocate; without it, all of the relation.", default="", max_characters=200)
    collocate_tag: str = param("Its part of speech.", default="", max_characters=20)


@operation(SketchQueryAsked, room="search")
def sketch_query(corpus: Corpus, asked: SketchQueryAsked) -> dict[str, Any]:
    """Write the query in CQL that finds exactly the pairs which a sketch counts."""
    sketches = _sketches(corpus, asked, asked.lang, asked.where)
    word = find_word(sketches, asked.word, asked.tag or None)
    other = (asked.collocate, asked.collocate_tag) if asked.collocate else None
    return {"query": query_of(sketches, asked.relation, (word.lemma, word.tag), other)}


@operation(NoParameters, room="search")
def sketch_languages(corpus: Corpus, asked: NoParameters) -> dict[str, Any]:
    """List the languages whose paragraphs have tags, so that there can be sketches, with their tokens.

    `parsed` are those whose tokens have relations: their sketches can be made by `dependencies`, and by `tags`.
    """
    del asked
    texts = TextLanguages(corpus.index)
    languages = texts.tagged()
    return {"languages": languages, "parsed": [lang for lang in languages if texts.have_relations(lang)]}


def _sketches(corpus: Corpus, asked: Sketched, lang: str, where: str) -> Sketches:
    return corpus.sketches(
        lang=lang.strip() or None,
        where=where.strip() or None,
        source=asked.source or None,
        max_tokens=AUTOMATIC_TOKENS,
    )
