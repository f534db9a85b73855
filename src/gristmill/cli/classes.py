"""`gristmill classes`: show what a corpus says that a name is, or evaluate that."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.console import note, progress_bars
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Trust, Where
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_lines, write_result, write_table
from gristmill.errors import UsageError
from gristmill.table import Column
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.search.classes.classes import Classes, Searched

_SHOWN = ("noun", "count", "documents", "hypernyms", "patterns", "example")


def classes(
    corpus: CorpusFolder,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Such as 'Al Franken' [all frequent names].", show_default=False),
    ] = None,
    *,
    last: Annotated[
        bool, typer.Option("--last", help="The last word of the name stands for it, too: Franken.")
    ] = False,
    wordnet: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A WordNet, to cluster by hypernyms [by distribution].", file_okay=False),
    ] = None,
    hypernyms: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Which hypernyms make clusters, in TOML.", dir_okay=False)
    ] = None,
    senses: Annotated[int, typer.Option(metavar="N", help="Senses of a noun in WordNet that count.", min=1)] = 1,
    patterns: Annotated[
        str | None,
        typer.Option(
            metavar="KIND|FILE",
            help="tree, tags, or your own file in TOML [tags; trees where there are none].",
        ),
    ] = None,
    enough: Annotated[
        int, typer.Option(metavar="N", help="Run no further pattern when so much is found; 0: run all.", min=0)
    ] = 50,
    min_count: Annotated[int, typer.Option(metavar="N", help="Only classes that are said so often.", min=1)] = 1,
    min_frequency: Annotated[int, typer.Option(metavar="N", help="Only names that occur so often.", min=1)] = 5,
    limit: Annotated[
        int, typer.Option("--limit", "-l", metavar="N", help="How many names, without a NAME; 0 for all.", min=0)
    ] = 50,
    every: Annotated[bool, typer.Option("--all", help="Show the classes of all clusters.")] = False,
    query: Annotated[
        str | None, typer.Option(metavar="CLASS", help="Write the query for the lines of a class.")
    ] = None,
    expected: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Evaluate: names, a tab, and their types. Needs --wordnet.", dir_okay=False),
    ] = None,
    lang: Annotated[
        str | None, typer.Option(metavar="CODE", help="Which language [the largest one with tags].")
    ] = None,
    where: Where = None,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Classes of names: what a corpus says that they are.

    Patterns find what is said of a name: "X is a comedian", "X, the author of", "comedians such as X", "X and other
    authors". Questions, negated and conditional sentences are left out. What is found is clustered, by hypernyms of
    WordNet or by distribution, and the cluster with the highest frequency has the classes of the name.

    \b
    Examples:
      gristmill classes corpus 'Al Franken'
      gristmill classes corpus 'Al Franken' --wordnet /usr/share/wordnet --all
      gristmill classes corpus --limit 100 --csv
      gristmill classes corpus --expected types.tsv --wordnet /usr/share/wordnet
    """
    form = chosen_format(as_json, as_csv)
    if name is not None and expected is not None:
        raise UsageError("--expected evaluates the names of a file: leave the name out")
    if expected is not None and wordnet is None:
        raise UsageError("--expected compares classes by a WordNet: give its folder by --wordnet")
    if query is not None and name is None:
        raise UsageError("--query is for a class of a name: give the name, too")
    opened = open_corpus(corpus, trust=trust)
    searched = opened.open_classes(
        lang=lang,
        where=where,
        patterns=patterns,
        wordnet=wordnet,
        hypernyms=hypernyms,
        senses=senses,
        enough=enough or None,
    )
    if expected is not None:
        _evaluate(searched, expected, form, last=last)
    elif name is None:
        _all_names(searched, form, last=last, limit=limit or None, min_count=min_count, min_frequency=min_frequency)
    else:
        from gristmill.search.classes.classes import classes_of
        from gristmill.search.classes.names import name_of

        given = name_of(name, searched.lang, searched.patterns.titles, last=last)
        found = classes_of(searched, given, min_count=min_count)
        if query is not None:
            write_lines([found.query(query)])
        else:
            _write(found, form, every=every)


def _evaluate(searched: Searched, expected: Path, form: str, *, last: bool) -> None:
    from gristmill.search.classes.classes import classes_of
    from gristmill.search.classes.evaluation import evaluate, read_expected
    from gristmill.search.classes.names import name_of

    names = read_expected(expected)
    titles = searched.patterns.titles
    with progress_bars() as progress:
        report = progress("finding classes", len(names))

        def find(name: str) -> Classes:
            report(1)
            return classes_of(searched, name_of(name, searched.lang, titles, last=last))

        if searched.wordnet is None:
            raise UsageError("give the folder of a WordNet by --wordnet")
        result = evaluate(names, find, searched.wordnet)
    write_result(result, form)


def _all_names(
    searched: Searched, form: str, *, last: bool, limit: int | None, min_count: int, min_frequency: int
) -> None:
    from gristmill.search.classes.classes import names_with_classes
    from gristmill.search.classes.names import frequent_names

    names = frequent_names(searched.index, searched.part, searched.patterns, min_count=min_frequency, last=last)
    with progress_bars() as progress:
        report = progress("finding classes", min(len(names), limit or len(names)))
        found = names_with_classes(searched, names, limit=limit, min_count=min_count, report=report)
    write_result(found, form)
    if form == "table":
        looked_at = len(found.rows) + found.without
        more = f" (there are {found.names:,}; --limit 0 for all)" if looked_at < found.names else ""
        often = f" that {'occurs' if looked_at == 1 else 'occur'} {plural(min_frequency, 'time')} or more"
        rarer = "; --min-frequency 1 takes rarer ones" if min_frequency > 1 and not more else ""
        note(
            f"{plural(looked_at, 'name')}{often if min_frequency > 1 else ''} ({found.lang}): "
            f"{len(found.rows):,} with classes, {found.without:,} without{more}{rarer}"
        )


def _write(found: Classes, form: str, *, every: bool) -> None:
    """Write the classes of a name; on a terminal, only those of the first cluster, and what else there is."""
    if form != "table":
        write_result(found, form)
        return
    often = f"{plural(found.frequency, 'time')} in {plural(found.sentences, 'sentence')}"
    note(f"{found.name}, {often}; by {found.clustered_by}")
    rows = found.rows if every else found.types
    names = ("cluster", *_SHOWN) if every else _SHOWN
    columns = [Column(one, "class" if one == "noun" else "") for one in names]
    if rows:
        write_table(columns, [[getattr(row, one) for one in names] for row in rows])
    elif found.frequency:
        note("nothing is said of it by these patterns")
    else:
        note("the name does not occur: it is found as it is written, with its capitals and as a whole")
    _notes(found, len(found.rows) - len(rows))


def _notes(found: Classes, more: int) -> None:
    """Say what is not shown."""
    if more:
        note(f"{plural(more, 'class')} in other clusters; --all shows them")
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in found.left_out.items() if count)
    if left_out:
        note(f"sentences left out: {left_out}")
    for reason, nouns in found.filtered.items():
        note(f"no classes ({reason}): {', '.join(f'{noun} {count:,}' for noun, count in nouns.items())}")
    not_run = [run.name for run in found.patterns if run.found is None]
    if not_run:
        note(f"not run, since there was enough: {', '.join(not_run)}; --enough 0 runs all")
