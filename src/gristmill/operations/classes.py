"""Classes of names: what a corpus says that they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gristmill.errors import UsageError
from gristmill.operations.common import OfPart
from gristmill.operations.declaration import operation
from gristmill.operations.query import Query
from gristmill.parameters import asked, param

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.classes.classes import Classes, NamesWithClasses, Searched
    from gristmill.search.classes.evaluation import ClassEvaluation


@asked
class SearchedAsked(OfPart):
    """Where and how classes are looked for."""

    last: bool = param("The last word of a name stands for it, too: Franken.", default=False)
    enough: int = param("Run no further pattern when so much is found; 0 to run all.", default=50, minimum=0)
    lang: str | None = param(
        "Code of a language [the largest one that has tags].", default=None, kind="lang", max_characters=20
    )
    patterns: str | os.PathLike[str] | None = param(
        "tree, tags, or your own file in TOML [tags; trees where there are none].", default=None, kind="file"
    )
    wordnet: str | os.PathLike[str] | None = param(
        "The folder of a WordNet, to cluster by hypernyms [by distribution].", default=None, kind="file"
    )
    hypernyms: str | os.PathLike[str] | None = param(
        "Which hypernyms make clusters, in TOML.", default=None, kind="file"
    )
    senses: int = param("Senses of a noun in WordNet that count.", default=1, minimum=1)


@asked
class ClassesAsked(SearchedAsked):
    """Of which name, or of which names, the classes are shown."""

    name: str | None = param(
        "A name, such as 'Al Franken' [all frequent names].", default=None, kw_only=False, max_characters=200
    )
    min_count: int = param("Only classes that are said so often.", default=1, minimum=1)
    min_frequency: int = param("Without a name: only names that occur so often.", default=5, minimum=1)
    limit: int = param(
        "Without a name: how many names, the most frequent first; 0 for all.", default=50, minimum=0, short="-l"
    )
    offset: int = param("Without a name: how many names to leave out before them.", default=0, minimum=0)


@operation(
    ClassesAsked,
    room="search",
    table=True,
    group="search",
    examples=(
        "gristmill classes corpus 'Al Franken'",
        "gristmill classes corpus 'Al Franken' --wordnet /usr/share/wordnet",
        "gristmill classes corpus --limit 100 --csv",
    ),
)
def classes(corpus: Corpus, asked: ClassesAsked) -> Classes | NamesWithClasses:
    """Find the classes of a name: what it is said to be.

    Patterns find what is said of it: "X is a comedian", "X, the author of", "comedians such as X", "X and other
    authors". Questions, negated and conditional sentences are left out. What is found is clustered, by hypernyms of
    WordNet or by distribution, and the cluster with the highest frequency, number 1, has the classes of the name.
    Without a name, the most frequent names of the corpus are shown with theirs.
    """
    from gristmill.search.classes.classes import classes_of, names_with_classes
    from gristmill.search.classes.names import frequent_names, name_of

    searched = _searched(corpus, asked)
    if asked.name is not None:
        name = name_of(asked.name, searched.lang, searched.patterns.titles, last=asked.last)
        return classes_of(searched, name, min_count=asked.min_count)
    names = frequent_names(
        searched.index, searched.part, searched.patterns, min_count=asked.min_frequency, last=asked.last
    )
    return names_with_classes(
        searched,
        names,
        limit=asked.limit or None,
        first=asked.offset,
        min_count=asked.min_count,
        min_frequency=asked.min_frequency,
        report=corpus.report("finding classes", min(len(names), asked.limit or len(names))),
    )


@asked
class ClassesQueryAsked(SearchedAsked):
    """Which class of a name a query is wanted for."""

    name: str = param("A name, such as 'Al Franken'.", kw_only=False, max_characters=200)
    noun: str | None = param("A class [all of the name].", default=None, kw_only=False, max_characters=200)
    pattern: str | None = param("Only what this pattern found.", default=None, max_characters=60)


@operation(
    ClassesQueryAsked,
    room="search",
    group="search",
    examples=("gristmill classes-query corpus 'Al Franken' comedian",),
)
def classes_query(corpus: Corpus, asked: ClassesQueryAsked) -> Query:
    """Write the query for lines in which a class is said."""
    from gristmill.search.classes.classes import classes_of
    from gristmill.search.classes.names import name_of

    searched = _searched(corpus, asked)
    name = name_of(asked.name, searched.lang, searched.patterns.titles, last=asked.last)
    return Query(classes_of(searched, name).query(asked.noun, asked.pattern))


@asked
class ClassesEvaluationAsked(SearchedAsked):
    """Which classes are expected."""

    expected: str | os.PathLike[str] = param(
        "A file with a name, a tab, and its types with commas between in each line.", kw_only=False, kind="file"
    )


@operation(
    ClassesEvaluationAsked,
    room="search",
    table=True,
    group="search",
    examples=("gristmill classes-evaluation corpus types.tsv --wordnet /usr/share/wordnet",),
)
def classes_evaluation(corpus: Corpus, asked: ClassesEvaluationAsked) -> ClassEvaluation:
    """Compare the classes of names with expected types.

    A class is correct if it is that type, or near enough to it in a WordNet, which must be given. The accuracy is the
    mean over names that have classes.
    """
    from gristmill.search.classes.classes import classes_of
    from gristmill.search.classes.evaluation import evaluate, read_expected
    from gristmill.search.classes.names import name_of

    names = read_expected(asked.expected)
    searched = _searched(corpus, asked) if asked.wordnet is not None else None
    if searched is None or searched.wordnet is None:
        raise UsageError("classes are compared with types by a WordNet: give its folder by wordnet")
    report = corpus.report("finding classes", len(names))

    def find(name: str) -> Classes:
        report(1)
        return classes_of(searched, name_of(name, searched.lang, searched.patterns.titles, last=asked.last))

    return evaluate(names, find, searched.wordnet)


def _searched(corpus: Corpus, asked: SearchedAsked) -> Searched:
    from gristmill.search.classes.opening import open_classes

    return open_classes(
        corpus.index,
        lambda lang: corpus.sketches(lang=lang),
        lang=asked.lang,
        where=asked.where,
        patterns=asked.patterns,
        wordnet=asked.wordnet,
        hypernyms=asked.hypernyms,
        senses=asked.senses,
        enough=asked.enough or None,
    )
