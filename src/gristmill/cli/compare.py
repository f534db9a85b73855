"""`gristmill compare`: show the words most typical of each of two corpora, by part of speech, side by side."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import WITH_LETTER
from gristmill.cli.console import note, note_figures
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Trust, Where
from gristmill.cli.statistics import Limit, MatchingWords, MinFrequency
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_json, write_table, write_text
from gristmill.cli.terminal import terminal_width
from gristmill.notebook import Value
from gristmill.table import Column

if TYPE_CHECKING:
    from gristmill.search import Comparison, Keyword

_MIN_COLUMNS_SIDE_BY_SIDE = 130
"""Columns of a terminal that two lists beside each other need."""


def compare(
    corpus: CorpusFolder,
    other: Annotated[
        Path | None, typer.Argument(metavar="OTHER", help="Folder of another corpus.", show_default=False)
    ] = None,
    *,
    where: Where = None,
    other_where: Annotated[
        str | None, typer.Option(metavar="CONDITION", help="Only documents of the other for which this holds.")
    ] = None,
    tags: Annotated[
        str, typer.Option(metavar="TAGS", help="Which parts of speech, with commas between them: NOUN,VERB|AUX,ADJ.")
    ] = "NOUN,VERB,ADJ",
    attribute: Annotated[str, typer.Option("--attribute", "-a", metavar="NAME", help="word or lemma.")] = "word",
    ignore_case: Annotated[bool, typer.Option("--ignore-case/--case", help="Words and lemmas in lower case.")] = True,
    matching: MatchingWords = WITH_LETTER,
    min_frequency: MinFrequency = 1,
    limit: Limit = 20,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Compare two corpora, by part of speech.

    As ukWaC was compared with the BNC: for nouns, verbs and adjectives there are two lists each, of the words most
    typical of the one corpus and of the other by log-likelihood. Without OTHER the documents that --where chooses are
    compared with all others of the corpus.

    \b
    Examples:
      gristmill compare new old
      gristmill compare corpus --where 'host=".*\\.example"' --other-where 'lang="de"' --tags NOUN,PROPN
      gristmill compare new old --attribute lemma --limit 50 --csv
    """
    from gristmill.search.statistics.compare import split_tags

    form = chosen_format(as_json, as_csv)
    found = open_corpus(corpus, trust=trust).compare(
        open_corpus(other, trust=trust) if other else None,
        attribute,
        where=where,
        other_where=other_where,
        tags=split_tags(tags),
        ignore_case=ignore_case,
        matching=matching,
        min_frequency=min_frequency,
        limit=limit or None,
    )
    note_figures(found.notes(), form)
    if form == "json":
        write_json(found.to_json())
    elif form == "csv":
        write_text(found.to_csv())
    else:
        _show(found, *_titles(corpus, other))


def _titles(corpus: Path, other: Path | None) -> tuple[str, str]:
    """Names for the two corpora: their folders, if these have different names."""
    names = corpus.resolve().name, other.resolve().name if other else ""
    return names if other and names[0] != names[1] else ("corpus", "other")


def _show(found: Comparison, name: str, other: str) -> None:
    write_table([Column(found.attribute), Column(name), Column(other)], found.vocabulary.rows())
    width = terminal_width()
    if found.without_tags():
        return
    wide = width is None or width >= _MIN_COLUMNS_SIDE_BY_SIDE
    for typical in found.typical:
        print()
        if not typical.corpus and not typical.other:
            note(f"{typical.tag}: no words that are typical of either")
            continue
        one, two = ([Column(f"{typical.tag}: {side}"), *_columns(name, other)] for side in (name, other))
        if wide:
            rows = [[*_cells(first), *_cells(second)] for first, second in zip_longest(typical.corpus, typical.other)]
            write_table([*one, *two], rows)
        else:
            write_table(one, map(_cells, typical.corpus))
            print()
            write_table(two, map(_cells, typical.other))


def _columns(name: str, other: str) -> list[Column]:
    return [Column(name), Column(other), Column(f"{name}/M"), Column(f"{other}/M"), Column("LL")]


def _cells(row: Keyword | None) -> list[Value]:
    from gristmill.search.statistics.compare import FIGURES

    return [getattr(row, name) for name in FIGURES] if row else [""] * len(FIGURES)
