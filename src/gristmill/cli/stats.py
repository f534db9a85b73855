"""`gristmill stats`: show what each stage kept and dropped, and run the experiments on corpora that papers report."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.console import progress_bars
from gristmill.cli.experiments import Picture, check_drawn, show_experiment
from gristmill.cli.funnel import show_funnel
from gristmill.cli.options import CorpusFolder, Json, Workers
from gristmill.cli.terminal import safe
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

if TYPE_CHECKING:
    from gristmill.corpus import CorpusReader
    from gristmill.experiment import Experiment
    from gristmill.progress import Advance

_SHOWN = ("funnel", "stages", "domains", "fragments", "ngrams", "resemblance")
_DRAWN = ("domains", "ngrams", "resemblance")
_OF_KEPT_TEXT = ("ngrams", "resemblance")


def stats(
    corpus: CorpusFolder,
    *,
    show: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="funnel; stages (sizes, times); domains; fragments; ngrams (in one domain, across them); resemblance.",
            autocompletion=one_of(_SHOWN),
        ),
    ] = "funnel",
    deduplicated: Annotated[
        bool, typer.Option("--deduplicated", help="ngrams and resemblance: of the text that is kept at the end.")
    ] = False,
    picture: Picture = None,
    dropped: Annotated[
        bool, typer.Option("--dropped", help="List what was not kept: reason, finding, address, id or FILE:OFFSET.")
    ] = False,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Show how many pages each stage kept and dropped.

    It also shows how much text there is, and in which languages. With --show it runs one of the experiments that papers
    on web corpora report: sizes after each stage and times, the distribution of domains, fragments of documents before
    and after de-duplication, repeated n-grams within and across domains, and how many pairs of documents resemble each
    other to which degree.

    \b
    Examples:
      gristmill stats corpus
      gristmill stats corpus --json | jq .counts.dropped
      gristmill stats corpus --dropped | grep ^length
      gristmill stats corpus --show stages
      gristmill stats corpus --show resemblance --picture resemblance.svg
      gristmill why corpus 00000-000012      for one page in detail, by the last column of --dropped
    """
    from gristmill.corpus import CorpusReader

    if show not in _SHOWN:
        raise UsageError(f"can't show {show!r}{did_you_mean(show, _SHOWN)} (there are: {', '.join(_SHOWN)})")
    if deduplicated and show not in _OF_KEPT_TEXT:
        raise UsageError(f"--deduplicated is for --show {' and --show '.join(_OF_KEPT_TEXT)}")
    check_drawn(picture, show, _DRAWN, " (gristmill report draws the funnel)" if show == "funnel" else "")
    opened = CorpusReader(corpus)
    if dropped:
        for fields in opened.dropped():
            sys.stdout.buffer.write(("\t".join(map(safe, fields)) + "\n").encode())
    elif show == "funnel":
        show_funnel(opened, as_json)
    else:
        opened.check_complete()
        with progress_bars(resumable=False) as progress:
            amount = sum(shard.documents.stat().st_size for shard in opened.shards)
            found = _experiment(opened, show, progress("counting", amount), deduplicated=deduplicated, workers=workers)
        show_experiment(found, picture, as_json=as_json)


def _experiment(
    corpus: CorpusReader, show: str, report: Advance, *, deduplicated: bool, workers: int | None
) -> Experiment:
    """Run an experiment by its name."""
    from gristmill.report import experiments

    if show == "domains":
        return experiments.domains(corpus)
    if show == "ngrams":
        return experiments.ngrams(corpus, only_kept=deduplicated, workers=workers, report=report)
    if show == "resemblance":
        return experiments.resemblance(corpus, only_kept=deduplicated, workers=workers, report=report)
    run = experiments.stages if show == "stages" else experiments.fragments
    return run(corpus, workers=workers, report=report)
