"""Classes of names: what a corpus says that they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gristmill.errors import UsageError
from gristmill.operations.declaration import File, operation
from gristmill.parameters import param
from gristmill.pipeline import Corpus
from gristmill.search.classes.classes import ENOUGH, Classes, classes_of, names_with_classes
from gristmill.search.classes.names import frequent_names, name_of
from gristmill.web.downloads import format_param, table_answer

MAX_NAMES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Which name, in which documents."""

    name: str = param("A name, such as Al Franken.", default="", max_characters=200)
    last: bool = param("The last word of the name stands for it, too.", default=False)
    enough: int = param("Run no further pattern when so much is found; 0 to run all.", default=ENOUGH, minimum=0)
    lang: str = param("Code of a language; without it, the largest one that has tags.", default="", max_characters=20)
    where: str = param("Only documents for which this holds: year>=2010, or @name of a subcorpus.", default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassesAsked(Named):
    """Of which name the classes are shown."""

    min_count: int = param("Only classes that are said so often.", default=1, minimum=1)
    format: str = format_param()


@operation(ClassesAsked, room="search")
def classes(corpus: Corpus, asked: ClassesAsked) -> dict[str, Any] | File:
    """Find the classes of a name: what the corpus says that it is, clustered by distribution.

    Rows have `noun`, `count`, `documents`, `share`, `cluster` (1 is that of the highest frequency, whose classes are
    those of the name), `patterns` that found it, and `example`. `left_out` says how many sentences were left out and
    why, `filtered` which nouns were, `patterns` what each pattern found; `found` is null if it was not run.
    """
    found = _found(corpus, asked, asked.min_count)
    return table_answer(found, asked.format, f"classes-{asked.name}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassQueryAsked(Named):
    """Which class of a name a query is wanted for."""

    noun: str = param("A class; without it, all of the name.", default="", max_characters=200)
    pattern: str = param("Only what this pattern found.", default="", max_characters=60)


@operation(ClassQueryAsked, room="search")
def classes_query(corpus: Corpus, asked: ClassQueryAsked) -> dict[str, Any]:
    """Write the query in CQL that finds the lines in which a class is said of a name."""
    found = _found(corpus, asked, 1)
    return {"query": found.query(asked.noun or None, asked.pattern or None)}


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesAsked:
    """How many names of a corpus are shown with their classes."""

    lang: str = param("Code of a language; without it, the largest one that has tags.", default="", max_characters=20)
    where: str = param("Only documents for which this holds: year>=2010, or @name of a subcorpus.", default="")
    min_frequency: int = param("Only names that occur so often.", default=5, minimum=1)
    rows: int = param(
        "How many names are looked at, the most frequent first.", default=30, minimum=1, maximum=MAX_NAMES
    )
    format: str = format_param()


@operation(NamesAsked, room="search")
def classes_names(corpus: Corpus, asked: NamesAsked) -> dict[str, Any] | File:
    """List the most frequent names of a corpus with their classes.

    Rows have `name`, `frequency`, `found` (how often anything is said that it is), `cluster` and `classes` with their
    counts. `names` is the number of all names that are frequent enough, `without` of those without a class.
    """
    searched = corpus.open_classes(lang=asked.lang.strip() or None, where=asked.where.strip() or None)
    names = frequent_names(searched.index, searched.part, searched.patterns, min_count=asked.min_frequency)
    return table_answer(names_with_classes(searched, names, limit=asked.rows), asked.format, "names")


def _found(corpus: Corpus, asked: Named, min_count: int) -> Classes:
    if not asked.name.strip():
        raise UsageError("which name? Write one, such as Al Franken")
    searched = corpus.open_classes(
        lang=asked.lang.strip() or None,
        where=asked.where.strip() or None,
        enough=asked.enough or None,
    )
    name = name_of(asked.name, searched.lang, searched.patterns.titles, last=asked.last)
    return classes_of(searched, name, min_count=min_count)
