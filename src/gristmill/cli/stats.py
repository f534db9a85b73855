"""`gristmill stats`: show what each stage kept and dropped, and run the experiments on corpora that papers report."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.console import progress_bars
from gristmill.cli.experiments import Picture, show_experiment
from gristmill.cli.funnel import show_funnel
from gristmill.cli.options import CorpusFolder, Json, Workers
from gristmill.cli.terminal import safe
from gristmill.errors import UsageError
from gristmill.experiment import EXPERIMENTS, CorpusExperiment
from gristmill.registry import did_you_mean

_FUNNEL = "funnel"


def stats(
    corpus: CorpusFolder,
    *,
    show: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="funnel; stages (sizes, times); domains; fragments; ngrams (in one domain, across them); resemblance.",
            autocompletion=one_of((_FUNNEL, *EXPERIMENTS)),
        ),
    ] = _FUNNEL,
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

    experiment = _chosen(show, deduplicated, drawn=picture is not None)
    opened = CorpusReader(corpus)
    if dropped:
        for fields in opened.dropped():
            sys.stdout.buffer.write(("\t".join(map(safe, fields)) + "\n").encode())
    elif not experiment:
        show_funnel(opened, as_json)
    else:
        opened.check_complete()
        with progress_bars(resumable=False) as progress:
            amount = sum(shard.documents.stat().st_size for shard in opened.shards)
            kept = {"only_kept": deduplicated} if experiment.of_kept_text else {}
            found = experiment.run(opened, workers=workers, report=progress("counting", amount), **kept)
        show_experiment(found, picture, as_json=as_json)


def _chosen(show: str, deduplicated: bool, *, drawn: bool) -> CorpusExperiment | None:
    """Find the experiment to be shown; None for the funnel. Raises before any work is done if it can't be shown so."""
    shown = (_FUNNEL, *EXPERIMENTS)
    if show not in shown:
        raise UsageError(f"can't show {show!r}{did_you_mean(show, shown)} (there are: {', '.join(shown)})")
    experiment = None if show == _FUNNEL else EXPERIMENTS[show]
    if deduplicated and not (experiment and experiment.of_kept_text):
        of_kept = [name for name, one in EXPERIMENTS.items() if one.of_kept_text]
        raise UsageError(f"--deduplicated is for --show {' and --show '.join(of_kept)}")
    if drawn and not (experiment and experiment.draws):
        instead = " (gristmill report draws the funnel)" if not experiment else ""
        names = [name for name, one in EXPERIMENTS.items() if one.draws]
        raise UsageError(f"there is no picture of {show}, but of {', '.join(names)}{instead}")
    return experiment
