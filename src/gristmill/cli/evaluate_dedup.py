"""`gristmill evaluate dedup`: measure de-duplication methods on documents whose near-duplicates are known."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import DEDUP_METHODS, SAME_CLUSTER
from gristmill.cli.console import note, progress_bars
from gristmill.config import DedupConfig
from gristmill.errors import UsageError

if TYPE_CHECKING:
    from gristmill.dedup.evaluation import Quality
    from gristmill.evaluation.clusters import Agreement
    from gristmill.evaluation.near_duplicates import Made, Tally

_SAMPLE = "sample"
_COLUMNS = ("method", "pairs P", "R", "F1", "B-cubed P", "R", "F1", "AU-ROC", "left", "seconds")
_PROMISES = {
    "copies_gone": "copies gone",
    "revisions_gone": "revisions gone",
    "texts_lost": "texts lost",
    "unique_words_lost": "unique words lost",
    "first_blocks_lost": "first blocks lost",
}


def dedup(
    truth: Annotated[
        list[str],
        typer.Argument(
            metavar="TRUTH", help="JSON lines or Parquet: id, text, cluster; or the word sample.", show_default=False
        ),
    ],
    *,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            metavar="NAME:PARAMETERS",
            help=f"De-duplication method, of {DEDUP_METHODS.everyday}; can be repeated.",
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            help="Documents that have more than this share of their text in common belong together.", min=0, max=1
        ),
    ] = SAME_CLUSTER,
    seed: Annotated[int, typer.Option(help="For the near-duplicates that are made of the sample.", min=0)] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """Compare de-duplication methods on documents of which it is known which belong together.

    TRUTH has a document a row: its id, its text (a block a line), and the name of its cluster. For the word sample,
    near-duplicates of many kinds are made of the bundled sample's texts. Pairs and B-cubed say how well the clusters
    agree, and AU-ROC how well the scores of all pairs tell true pairs from others; left is the number of documents that
    have text left.

    Of the sample it is also known which blocks are copies of which. A second table says which share is gone of the
    words of copies, and of revisions that have a resemblance of 0.3 or more; which share of texts of ten words or more
    is lost, since no copy of them is left; which share of words that are there once; and of how many first blocks, such
    as headlines, no copy is left.

    \b
    Examples:
      gristmill evaluate dedup sample -m onion -m exact
      gristmill evaluate dedup my-clusters.jsonl -m onion:n=7,threshold=0.25 -m minhash:k=6,s=14 --json
    """
    from gristmill.dedup import parse
    from gristmill.dedup.comparison import compare_methods

    methods = list(dict.fromkeys(method or [DedupConfig().method]))
    for spec in methods:
        parse(spec)  # a wrong name is an error before anything is read
    documents = _read(truth, seed)
    with progress_bars(resumable=False) as progress:
        report = progress("evaluating", len(methods))
        found = compare_methods(documents, methods, threshold, blocks_known=_SAMPLE in truth, report=report)
    if json_output:
        print(json.dumps(found.to_json(), indent=2))
        return
    print(_table([_COLUMNS, *map(_row, found.qualities)]))
    if found.promises:
        rows = [_promise_row(quality.method, found.promises) for quality in found.qualities]
        print(f"\n{_table([('method', *_PROMISES.values()), *rows])}")


def _read(truth: Sequence[str], seed: int) -> list[Made]:
    from gristmill.evaluation.known_clusters import read_clusters
    from gristmill.evaluation.near_duplicates import make, sample_texts

    if _SAMPLE not in truth:
        return read_clusters([Path(name) for name in truth])
    if len(truth) > 1:
        raise UsageError("the sample can't be evaluated together with files; for a file of that name say ./sample")
    if Path(_SAMPLE).exists():
        note("evaluating on the bundled sample; for the file of that name say ./sample")
    return list(make(sample_texts(), seed))


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Lay out columns of text, names flush left and figures flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:{'>' if at else '<'}{width}}" for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _promise_row(method: str, promises: Mapping[str, Tally]) -> tuple[str, ...]:
    shares = [promises[method].share(name) for name in _PROMISES]
    return (method, *("-" if share is None else f"{share:.2%}" for share in shares))


def _row(quality: Quality) -> tuple[str, ...]:
    area = "-" if quality.au_roc is None else f"{quality.au_roc:.3f}"
    return (
        quality.method,
        *_cells(quality.pairs),
        *_cells(quality.b_cubed),
        area,
        f"{quality.left:,}",
        f"{quality.seconds:.2f}",
    )


def _cells(agreement: Agreement) -> tuple[str, str, str]:
    return f"{agreement.precision:.3f}", f"{agreement.recall:.3f}", f"{agreement.f1:.3f}"
