"""`gristmill experiment`: run the experiments on corpora that papers report."""

from __future__ import annotations

from typing import Annotated

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.console import progress_bars
from gristmill.cli.experiments import Picture, check_drawn, show_experiment
from gristmill.cli.options import CorpusFolder, Json, Plugins, Workers
from gristmill.errors import UsageError
from gristmill.experiment import EXPERIMENTS


def experiment(
    corpus: CorpusFolder,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="stages (sizes, times); domains; fragments; ngrams (in one domain, across them); resemblance; "
            "or one of a plugin.",
            autocompletion=one_of(EXPERIMENTS),
            show_default=False,
        ),
    ],
    *,
    deduplicated: Annotated[
        bool, typer.Option("--deduplicated", help="ngrams and resemblance: of the text that is kept at the end.")
    ] = False,
    picture: Picture = None,
    plugins: Plugins = None,
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

    del plugins  # they were loaded when they were read
    chosen = EXPERIMENTS[name]
    if deduplicated and not chosen.of_kept_text:
        of_kept = [name for name, one in EXPERIMENTS.items() if one.of_kept_text]
        raise UsageError(f"--deduplicated is for {' and '.join(of_kept)}")
    check_drawn(picture, name, [name for name, one in EXPERIMENTS.items() if one.draws])
    opened = CorpusReader(corpus)
    opened.check_complete()
    with progress_bars(resumable=False) as progress:
        amount = sum(shard.documents.stat().st_size for shard in opened.shards)
        kept = {"only_kept": deduplicated} if chosen.of_kept_text else {}
        found = chosen.run(opened, workers=workers, report=progress("counting", amount), **kept)
    show_experiment(found, picture, as_json=as_json)
