"""Word sketches, the thesaurus, sketch differences."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from gristmill.operations.common import OfPart, Rows
from gristmill.operations.declaration import operation
from gristmill.operations.query import Query
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.sketches.difference import SketchDifference
    from gristmill.search.sketches.sketch import Sketch
    from gristmill.search.sketches.store import Sketches
    from gristmill.search.sketches.thesaurus import Thesaurus


@asked
class SketchesAsked(OfPart):
    """What sketches are made of, and how."""

    lang: str | None = param(
        "Code of a language [the largest one that has tags].", default=None, kind="lang", max_characters=20
    )
    source: Literal["dependencies", "tags"] | None = param(
        "What relations are found by [dependencies if most of the text in the language was parsed].", default=None
    )
    grammar: str | os.PathLike[str] | None = param("A sketch grammar of your own, in TOML.", default=None, kind="file")


@asked
class WordAsked(SketchesAsked):
    """Which word is looked at."""

    word: str = param("A lemma: go, not goes.", kw_only=False, max_characters=200, example="bread")
    tag: str | None = param(
        "Its part of speech, such as NOUN [the one with the most grammatical relations].",
        default=None,
        max_characters=20,
    )


@asked
class _Collocates:
    relation: str | None = param("Only this grammatical relation, such as object_of.", default=None, max_characters=100)
    min_together: int | None = param(
        "Only collocates that stand with it so often [2; 1 for a word that occurs less than 500 times].",
        default=None,
        minimum=1,
    )
    limit: int = param("Collocates of each relation; 0 for all.", default=15, minimum=0, short="-l")
    offset: int = param("Collocates of each relation to leave out before them.", default=0, minimum=0)


@operation(
    SketchesAsked,
    room="search",
    group="search",
    examples=(
        "gristmill sketches corpus",
        "gristmill sketches corpus --lang de --where 'year>=2015'",
    ),
)
def sketches(corpus: Corpus, asked: SketchesAsked) -> Sketches:
    """Make what word sketches need, before they are asked for.

    What is counted is stored in the corpus, once for each language, condition and grammar. Sketches make it when they
    are first asked for, which takes a second for a million tokens. The web app and assistants make it for up to 8
    million tokens, so that nobody waits long.
    """
    return _made(corpus, asked, asked.lang, asked.where)


def _made(corpus: Corpus, asked: SketchesAsked, lang: str | None, where: str | None) -> Sketches:
    from gristmill.search.sketches.grammar import read_grammar
    from gristmill.search.sketches.store import AUTOMATIC_TOKENS, open_sketches

    return open_sketches(
        corpus.index,
        corpus.folder,
        lang=lang,
        where=where,
        grammar=read_grammar(asked.grammar) if asked.grammar is not None else None,
        source=asked.source,
        max_tokens=None if corpus.build else AUTOMATIC_TOKENS,
        report=corpus.report("making sketches", None),
    )


@asked
class SketchAsked(WordAsked, _Collocates):
    """Which word is sketched, and which of its collocates are shown."""

    order: Literal["score", "count"] = param("Collocates by logDice (score), or by count.", default="score")


@operation(
    SketchAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill sketch corpus bread",
        "gristmill sketch corpus bake --tag VERB --relation object --limit 0 --csv",
        "gristmill sketch corpus bake --source tags --order count",
    ),
)
def sketch(corpus: Corpus, asked: SketchAsked) -> Sketch:
    """Show the collocates of a word by grammatical relation.

    Relations are objects and subjects of verbs, adjectives with nouns, prepositions, and others. They are found by the
    dependencies of tokens if the corpus was parsed, and otherwise by patterns of tags. The score is logDice, which is
    14 if two words only occur together. Each collocate has an example, the commonest wording of the two.
    """
    from gristmill.search.sketches.sketch import sketch

    return sketch(
        _made(corpus, asked, asked.lang, asked.where),
        asked.word,
        asked.tag,
        relation=asked.relation,
        min_together=asked.min_together,
        order=asked.order,
        limit=asked.limit or None,
        first=asked.offset,
    )


@asked
class SketchQueryAsked(WordAsked):
    """Which pairs of a sketch a query is wanted for."""

    relation: str = param(
        "The grammatical relation, such as object_of.", kw_only=False, max_characters=100, example="object_of"
    )
    collocate: str | None = param("A collocate [all of the relation].", default=None, kw_only=False, max_characters=200)
    collocate_tag: str | None = param("Its part of speech [any].", default=None, max_characters=20)


@operation(
    SketchQueryAsked,
    room="search",
    group="search",
    examples=("gristmill sketch-query corpus bread object_of bake",),
)
def sketch_query(corpus: Corpus, asked: SketchQueryAsked) -> Query:
    """Write the query for the pairs that a sketch counts."""
    from gristmill.search.sketches.queries import query_of
    from gristmill.search.sketches.words import find_word

    made = _made(corpus, asked, asked.lang, asked.where)
    word = find_word(made, asked.word, asked.tag)
    other = (asked.collocate, asked.collocate_tag or "") if asked.collocate else None
    return Query(query_of(made, asked.relation, (word.lemma, word.tag), other))


@asked
class ThesaurusAsked(WordAsked, Rows):
    """Which words that are used like a word are shown."""

    min_frequency: int = param("Only words that occur at least so often.", default=5, minimum=1)
    min_shared: int = param("Only words that share so many collocates with it.", default=3, minimum=1)


@operation(
    ThesaurusAsked,
    room="search",
    table=True,
    group="search",
    tool=True,
    examples=(
        "gristmill thesaurus corpus bread",
        "gristmill thesaurus corpus take --tag VERB --min-frequency 20 --limit 0 --csv",
    ),
)
def thesaurus(corpus: Corpus, asked: ThesaurusAsked) -> Thesaurus:
    """Find the words that are used like a word.

    They have its part of speech, and stand in the same grammatical relations with the same words: what one drinks,
    pours and spills is water, coffee, wine. Collocates count that stand twice or more with both.
    """
    from gristmill.search.sketches.thesaurus import thesaurus

    found = thesaurus(
        _made(corpus, asked, asked.lang, asked.where),
        asked.word,
        asked.tag,
        min_frequency=asked.min_frequency,
        min_shared=asked.min_shared,
        limit=asked.end,
    )
    return found.from_row(asked.offset)


@asked
class SketchDifferenceAsked(WordAsked, _Collocates):
    """Which two words are compared, or one in which two parts of the corpus."""

    other: str | None = param(
        "The other lemma; without it, the same in other documents.", default=None, kw_only=False, max_characters=200
    )
    other_where: str | None = param(
        "The second word in documents for which this holds [in the same].", default=None, kind="condition"
    )


@operation(
    SketchDifferenceAsked,
    room="search",
    table=True,
    group="search",
    examples=(
        "gristmill sketch-difference corpus take come",
        "gristmill sketch-difference corpus bread --where 'year<2015' --other-where 'year>=2015'",
    ),
)
def sketch_difference(corpus: Corpus, asked: SketchDifferenceAsked) -> SketchDifference:
    """Compare the sketches of two words.

    They can be one word in two parts of the corpus, too. Each collocate has its counts and scores (logDice) with both
    words. `side` goes from -1, with the first word alone, to 1, with the second alone; between them it is the
    difference of the scores, of which 4 is all.
    """
    from gristmill.search.sketches.difference import sketch_difference

    here = _made(corpus, asked, asked.lang, asked.where)
    return sketch_difference(
        here,
        asked.word,
        asked.other,
        asked.tag,
        other_sketches=_made(corpus, asked, here.lang, asked.other_where) if asked.other_where else None,
        relation=asked.relation,
        min_together=asked.min_together,
        limit=asked.limit or None,
        first=asked.offset,
    )
