"""`gristmill experiment`: run the experiments on corpora that papers report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.console import progress_bars
from gristmill.cli.experiments import Picture, check_drawn, show_experiment
from gristmill.cli.options import CorpusFolder, Json, Workers
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

if TYPE_CHECKING:
    from gristmill.corpus import CorpusReader
    from gristmill.experiment import Experiment
    from gristmill.progress import Advance

_SHOWN = ("stages", "domains", "fragments", "ngrams", "resemblance")
_DRAWN = ("domains", "ngrams", "resemblance")
_OF_KEPT_TEXT = ("ngrams", "resemblance")


def experiment(
    corpus: CorpusFolder,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="stages (sizes, times); domains; fragments; ngrams (in one domain, across them); resemblance.",
            autocompletion=one_of(_SHOWN),
            show_default=False,
        ),
    ],
    *,
    deduplicated: Annotated[
        bool, typer.Option("--deduplicated", help="ngrams and resemblance: of the text that is kept at the end.")
    ] = False,
    picture: Picture = None,
    workers: Workers = None,
    as_json: Json = False,
) -> None:
    """Repeat an experiment of the literature on a corpus.

    These are sizes after each stage and times, the distribution of domains, fragments of documents before and after
    de-duplication, repeated n-grams within and across domains, and how many pairs of documents resemble each other to
    which degree. Experiments on gold standards are those of `gristmill evaluate --show`.

    \b
    Examples:
      gristmill experiment corpus stages
      gristmill experiment corpus resemblance --picture resemblance.svg
      gristmill experiment corpus ngrams --deduplicated --json
    """
    from gristmill.corpus import CorpusReader

    if name not in _SHOWN:
        raise UsageError(
            f"there is no experiment {name!r}{did_you_mean(name, _SHOWN)} (there are: {', '.join(_SHOWN)})"
        )
    if deduplicated and name not in _OF_KEPT_TEXT:
        raise UsageError(f"--deduplicated is for {' and '.join(_OF_KEPT_TEXT)}")
    check_drawn(picture, name, _DRAWN)
    opened = CorpusReader(corpus)
    opened.check_complete()
    with progress_bars(resumable=False) as progress:
        amount = sum(shard.documents.stat().st_size for shard in opened.shards)
        found = _experiment(opened, name, progress("counting", amount), deduplicated=deduplicated, workers=workers)
    show_experiment(found, picture, as_json=as_json)


def _experiment(
    corpus: CorpusReader, name: str, report: Advance, *, deduplicated: bool, workers: int | None
) -> Experiment:
    """Run an experiment by its name."""
    from gristmill.report import experiments

    if name == "domains":
        return experiments.domains(corpus)
    if name == "ngrams":
        return experiments.ngrams(corpus, only_kept=deduplicated, workers=workers, report=report)
    if name == "resemblance":
        return experiments.resemblance(corpus, only_kept=deduplicated, workers=workers, report=report)
    run = experiments.stages if name == "stages" else experiments.fragments
    return run(corpus, workers=workers, report=report)
