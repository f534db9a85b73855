"""`gristmill judgements`: how far annotators agree, and a gold standard of what they judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.cli.console import note
from gristmill.cli.options import CorpusFolder
from gristmill.cli.table import AsJson, write_json, write_table
from gristmill.errors import UsageError
from gristmill.table import Column
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.judgements.blocks.agreement import Agreement, Measure
    from gristmill.judgements.blocks.progress import Work


def judgements(
    corpus: CorpusFolder,
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write a gold standard, a Parquet file.")
    ] = None,
    annotator: Annotated[
        list[str] | None, typer.Option("--annotator", metavar="NAME", help="Only what they say. Can be repeated.")
    ] = None,
    min_agreement: Annotated[
        int,
        typer.Option(
            metavar="PERCENT", help="Take blocks on which fewer annotators agree for undecided.", min=0, max=100
        ),
    ] = 0,
    min_annotators: Annotated[int, typer.Option(metavar="N", help="Only pages that so many have finished.", min=1)] = 1,
    roles: Annotated[bool, typer.Option("--roles", help="Show the agreement on roles, not on what is text.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show how annotators agree, and export a gold standard.

    Blocks are judged in the browser (gristmill serve CORPUS, "Annotate"). The gold standard has the pages that somebody
    has finished, with the majority of each block and its reliability, as in Canola; evaluate and train read it.

    \b
    Examples:
      gristmill judgements corpus
      gristmill judgements corpus -o gold.parquet --min-agreement 80
      gristmill evaluate gold.parquet --method mill,justext
      gristmill train mill gold.parquet -o my.mill
    """
    from dataclasses import asdict

    from gristmill.corpus import CorpusReader
    from gristmill.judgements.blocks.agreement import agreement
    from gristmill.judgements.blocks.gold import Choice, write_gold
    from gristmill.judgements.blocks.pages import refresh
    from gristmill.judgements.blocks.progress import work
    from gristmill.judgements.blocks.store import BlockStore, has_judgements

    reader = CorpusReader(corpus)
    if not has_judgements(reader.folder):
        raise UsageError(f"nobody has judged pages of {corpus} yet: do it with `gristmill serve {corpus}`")
    names = tuple(annotator or ())
    with BlockStore(reader.folder) as store:
        refresh(reader, store)
        people = work(store)
        found = agreement(store, "role" if roles else "verdict", names)
        changed = sum(number for _, _, number in store.changed())
    export = write_gold(reader, output, Choice(names, min_agreement, min_annotators)) if output else None
    if as_json:
        facts: dict[str, Any] = {"annotators": [asdict(item) for item in people], "agreement": asdict(found)}
        write_json(facts | {"changed": changed, "gold": asdict(export) if export else None})
    else:
        _show(people, found, changed)
    if export:
        note(f"{export}\nwritten to {output}: gristmill evaluate {output}, gristmill train mill {output} -o my.mill")


def _show(people: Sequence[Work], found: Agreement, changed: int) -> None:
    columns = [Column("annotator"), Column("finished"), Column("begun"), Column("blocks")]
    write_table(columns, [(item.annotator, item.finished, item.begun, item.blocks) for item in people])
    if found.blocks:
        note("")
        shown = (Column("blocks"), Column("agree", show=_percent), Column("kappa", show=_kappa))
        by_words = (Column("words"), Column("by words", "agree", _percent), Column("kappa by words", "kappa", _kappa))
        rows = [
            (f"{pair.first}, {pair.second}", pair.pages, pair.blocks, *_measure(pair.by_blocks), pair.words,
             *_measure(pair.by_words))
            for pair in found.pairs
        ]  # fmt: skip
        rows.append(
            ("all (Fleiss)", found.pages, found.blocks, *_measure(found.by_blocks), found.words,
             *_measure(found.by_words))
        )  # fmt: skip
        write_table([Column("agreement of"), Column("pages"), *shown, *by_words], rows)
    else:
        note("No block was judged by two annotators, so there is no agreement to be shown.")
    if changed:
        note(f"{plural(changed, 'judgement')} of text that has changed since: kept, and not used")


def _measure(measure: Measure) -> tuple[float | None, float | None]:
    return measure.percent, measure.kappa


def _percent(value: float) -> str:
    return f"{value:.1%}"


def _kappa(value: float) -> str:
    return f"{value:.3f}"
