"""`gristmill report`: write what was kept and dropped, and why, as one page of HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import CorpusFolder, EngineName, Workers


def report(
    corpus: CorpusFolder,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="File to write [CORPUS/report.html].", show_default=False),
    ] = None,
    workers: Workers = None,
    engine: EngineName = None,
) -> None:
    """Write what was kept and dropped, and why, as a web page.

    It shows the stages from records to kept text with all reasons, hosts, languages, years, kinds of pages and roles,
    repeated text, samples of everything that was dropped, and what other thresholds would keep. It is one file, which
    needs nothing else: you can send it to others. `build`, `add` and `dedup` write it into the folder of the corpus.

    \b
    Examples:
      gristmill report corpus
      gristmill report corpus -o report.html
    """
    from gristmill.cli.output import check_output
    from gristmill.corpus import CorpusReader
    from gristmill.html.report import NAME, make_report
    from gristmill.pipeline.reporting import count_figures
    from gristmill.shards import write_atomically

    path = output or corpus / NAME
    CorpusReader(corpus).check_complete()
    check_output(str(path))
    with progress_bars() as progress:
        count_figures(corpus, workers=workers, engine=engine, progress=progress)
    write_atomically(path, make_report(CorpusReader(corpus), corpus.resolve().name if output else ""))
    note(f"written to {path}")
