"""`gristmill sketch`: show the word sketch of a lemma, words that are used like it, or how it differs from another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.cli.choices import SKETCH_ORDERS, SKETCH_SOURCES, one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.opened import open_corpus
from gristmill.cli.options import CorpusFolder, Trust, Where
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_lines, write_result, write_table
from gristmill.errors import UsageError
from gristmill.table import Column
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.pipeline import Corpus
    from gristmill.search.sketches.difference import SketchDifference
    from gristmill.search.sketches.sketch import Sketch
    from gristmill.search.sketches.store import Sketches


def sketch(
    corpus: CorpusFolder,
    word: Annotated[
        str | None, typer.Argument(metavar="WORD", help="A lemma: go, not goes.", show_default=False)
    ] = None,
    *,
    tag: Annotated[
        str | None,
        typer.Option(metavar="TAG", help="Its part of speech, such as NOUN [the one with the most relations]."),
    ] = None,
    other: Annotated[
        str | None, typer.Option("--with", metavar="OTHER", help="Compare with the sketch of another lemma.")
    ] = None,
    thesaurus: Annotated[bool, typer.Option("--thesaurus", help="Words that are used like it.")] = False,
    relation: Annotated[str | None, typer.Option(metavar="NAME", help="Only this relation, such as object_of.")] = None,
    order: Annotated[
        str, typer.Option(help=f"{', '.join(SKETCH_ORDERS)}.", autocompletion=one_of(SKETCH_ORDERS))
    ] = "score",
    min_count: Annotated[
        int | None,
        typer.Option(metavar="N", help="Only what stands with it so often [2; 1 for rare words].", min=1),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-l", metavar="N", help="Rows of each relation; 0 for all.", min=0)
    ] = 10,
    lang: Annotated[
        str | None, typer.Option(metavar="CODE", help="Which language [the largest one with tags].")
    ] = None,
    where: Where = None,
    other_where: Annotated[
        str | None, typer.Option(metavar="CONDITION", help="Compare with the sketch in documents for which this holds.")
    ] = None,
    grammar: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A sketch grammar of your own, in TOML.", dir_okay=False)
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            help="Relations by dependencies or by tags [dependencies if most text was parsed].",
            autocompletion=one_of(SKETCH_SOURCES),
        ),
    ] = None,
    build: Annotated[bool, typer.Option("--build", help="Only make what sketches need, for the web app.")] = False,
    trust: Trust = False,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Word sketch: collocates by grammatical relation.

    Relations are objects and subjects of verbs, adjectives with nouns, prepositions, and others. They are found by the
    dependencies of tokens if the corpus was parsed, and otherwise by patterns of tags. The score is logDice, which is
    14 if two words only occur together. What is counted is stored in the corpus at the first time; that takes a second
    for a million tokens. --thesaurus lists words that stand in the same relations with the same words. --with shows two
    words side by side.

    \b
    Examples:
      gristmill sketch corpus bread
      gristmill sketch corpus bake --tag VERB --relation object --limit 0 --csv
      gristmill sketch corpus bread --thesaurus
      gristmill sketch corpus bread --with cake
      gristmill sketch corpus bread --where 'year<2015' --other-where 'year>=2015'
    """
    form = chosen_format(as_json, as_csv)
    if thesaurus and (other or other_where):
        raise UsageError("--thesaurus is of one word: leave --with and --other-where out")
    if build == (word is not None):
        raise UsageError("give a word, or --build without one")
    opened = open_corpus(corpus, trust=trust)
    sketches = _open(opened, lang, where, grammar, source)
    if word is None:
        note(f"{plural(sketches.base.size, 'token')} ({sketches.lang}): sketches of {len(sketches.base.units):,} words")
        return
    most: int | None = limit or None
    if thesaurus:
        from gristmill.search.sketches.thesaurus import thesaurus as similar

        _write_thesaurus(similar(sketches, word, tag, limit=most), form)
    elif other or other_where:
        from gristmill.search.sketches.difference import sketch_difference

        there = _open(opened, sketches.lang, other_where, grammar, source) if other_where else None
        found = sketch_difference(
            sketches,
            word,
            other,
            tag,
            other_sketches=there,
            relation=relation,
            min_count=2 if min_count is None else min_count,
            limit=most,
        )
        _write(found, form, [Column("collocate"), Column("tag"), *_sides(found)])
    else:
        from gristmill.search.sketches.sketch import sketch as make

        one = make(sketches, word, tag, relation=relation, min_count=min_count, order=order, limit=most)
        names = ("collocate", "tag", "count", "score", "example")
        _write(one, form, [Column(name, "logDice" if name == "score" else "") for name in names])


def _open(corpus: Corpus, lang: str | None, where: str | None, grammar: Path | None, source: str | None) -> Sketches:
    with progress_bars() as progress:
        report = progress("making sketches", None)
        return corpus.sketches(lang=lang, where=where, grammar=grammar, source=source, report=report)


def _sides(found: SketchDifference) -> list[Column]:
    one, two = (found.word, found.other) if found.word != found.other else ("here", "there")
    return [
        Column("count", one),
        Column("other_count", two),
        Column("score", f"{one} logDice"),
        Column("other_score", f"{two} logDice"),
        Column("side"),
    ]


def _write_thesaurus(found: Any, form: str) -> None:
    if form == "table":
        note(f"{found.word} ({found.tag}), {plural(found.frequency, 'time')} in {plural(found.size, 'token')}")
    count = write_result(found, form)
    if form == "table" and not found.words:
        note("no other word stands in the same relations with the same words, twice or more")
    elif form == "table":
        note(f"rows 1-{count:,} of {found.words:,}; --limit 0 shows all" if count < found.words else "")


def _write(found: Sketch | SketchDifference, form: str, columns: list[Column]) -> None:
    """Write a result as JSON or CSV; or, on a terminal, relation by relation."""
    if form != "table":
        write_result(found, form)
        return
    note(f"{found.heading} in {plural(found.size, 'token')}")
    empty = 0
    for relation in found.relations:
        rows = [
            [getattr(row, column.name) for column in columns] for row in found.rows if row.relation == relation.name
        ]
        if not rows:
            empty += 1
            continue
        write_lines(["", f"{relation.title}  [{relation.name}]  {_figures(relation)}"])
        write_table(columns, rows)
    if empty:
        note(f"{plural(empty, 'relation')} more; --min-count 1 shows what stands there once, --relation one of them")


def _figures(relation: Any) -> str:
    others = getattr(relation, "other_pairs", None)
    return f"{relation.pairs:,}" if others is None else f"{relation.pairs:,} and {others:,}"
