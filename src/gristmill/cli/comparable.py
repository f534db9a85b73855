"""`gristmill comparable`: documents of two languages on the same subject."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.console import note
from gristmill.cli.options import CorpusFolder
from gristmill.cli.table import AsCsv, AsJson, chosen_format, write_table
from gristmill.table import Column


def comparable(
    corpus: CorpusFolder,
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Code of one language: en.", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Code of the other: de.", show_default=False)],
    *,
    documents: Annotated[
        int, typer.Option("--documents", "-n", metavar="N", help="Documents of TARGET for each of SOURCE.", min=1)
    ] = 3,
    lines: Annotated[int, typer.Option(metavar="N", help="Rows to show; 0 for all.", min=0)] = 20,
    dictionaries: Annotated[
        list[Path] | None,
        typer.Option(
            "--dictionary",
            metavar="FILE",
            help="Word translations: TSV, Parquet, or freedict's .index. Can be repeated. "
            "[that of CORPUS/parallel/SOURCE-TARGET]",
        ),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Rank documents of two languages on the same subject.

    They are compared by their words, through a dictionary, and by numbers and names. `gristmill parallel` learns a
    dictionary, which is used if it is in the folder of the corpus. The pairs that are most alike come first.

    \b
    Examples:
      gristmill comparable corpus en de
      gristmill comparable corpus en de --dictionary pairs/dictionary.parquet --lines 0 --csv
    """
    from gristmill.corpus import CorpusReader
    from gristmill.parallel.comparing import find_comparable, learned_dictionary

    form = chosen_format(as_json, as_csv)
    if not dictionaries and learned_dictionary(CorpusReader(corpus), (source, target)) is None:
        note(
            "without a dictionary only numbers, names and words that are written alike count: "
            f"`gristmill parallel {corpus} {source} {target}` learns one, or give --dictionary FILE"
        )
    found = find_comparable(corpus, source, target, n=documents, dictionaries=dictionaries or ())
    columns = [Column("similarity", "", "{:.3f}".format), Column("rank"), Column("source"), Column("target")]
    columns += [Column("source_url", source), Column("target_url", target)]
    rows = [[getattr(one, column.name) for column in columns] for one in (found[:lines] if lines else found)]
    write_table(columns, rows, form)
    if form == "table" and len(rows) < len(found):
        note(f"rows 1-{len(rows):,} of {len(found):,}; --lines 0 for all")
