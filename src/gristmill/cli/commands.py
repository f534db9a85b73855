"""`gristmill build`: make a corpus."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from gristmill.cli.choices import READABLE, one_of
from gristmill.cli.clean import given_settings
from gristmill.cli.console import note, progress_bars
from gristmill.cli.declared import with_asked
from gristmill.cli.faults import end_build
from gristmill.cli.options import (
    Filters,
    Json,
    Plugins,
    Scratch,
)
from gristmill.cli.settings import Tables, with_settings
from gristmill.cli.table import write_account
from gristmill.config import Config
from gristmill.operations.work import BuildWork
from gristmill.presets import PRESETS, with_thresholds


@with_settings(Config)
@with_asked("work", BuildWork)
def build(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            help=f"{READABLE}; folders, patterns; or the word sample or sample-parallel.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the corpus goes.", show_default=False)
    ],
    *,
    config: Annotated[
        Path | None, typer.Option("--config", "-c", metavar="FILE", help="Settings in TOML, e.g. another corpus.toml.")
    ] = None,
    tables: Tables,
    preset: Annotated[
        str | None,
        typer.Option(help=f"Filters: {PRESETS.everyday}.", autocompletion=one_of(PRESETS)),
    ] = None,
    filters: Filters = None,
    min_bytes: Annotated[int | None, typer.Option(help="Drop smaller pages [100].", min=0)] = None,
    max_bytes: Annotated[int | None, typer.Option(help="Drop larger pages [10000000].", min=1)] = None,
    min_length: Annotated[
        int | None, typer.Option(help="Drop documents with fewer characters of text [200].", min=0)
    ] = None,
    plugins: Plugins = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Use all that the file of --config names: plugins, taggers, files.")
    ] = False,
    work: BuildWork,
    scratch: Scratch = None,
    as_json: Json = False,
) -> None:
    """Build a corpus: read, clean, filter, de-duplicate.

    A build that was stopped continues when you run the same command again. Nothing is thrown away: what is dropped
    stays in the corpus with the reason, and `gristmill export` can choose again with other thresholds.

    Several machines can build one corpus, in a folder that all of them see: each builds a part (`--part 3/16`), then
    one of them does the rest with `--merge`. The rest is de-duplication, which compares all shards, and the report.

    \b
    Examples:
      gristmill build sample -o corpus
      gristmill build crawl/*.warc.gz saved-pages/ -o corpus --lang cs,sk --workers 8
      gristmill build crawl/*.warc.gz -o corpus --mirror s3://bucket/corpus
      gristmill build crawl/*.warc.gz -o corpus --lang en --preset ukwac --filter length:min=500 --filter no-size
      gristmill build crawl/*.warc.gz -o corpus --part 3/16      on one of sixteen machines
      gristmill build crawl/*.warc.gz -o corpus --merge          on one of them, when all parts are done
    """
    from gristmill.corpus.funnel import funnel
    from gristmill.engine.memory import keep_memory
    from gristmill.pipeline import build as build_corpus
    from gristmill.pipeline import build_part
    from gristmill.sample import ARCHIVES

    del scratch  # it was chosen when it was read
    chosen_part = work.chosen_part()
    for name in ARCHIVES:
        if name in sources and Path(name).exists():
            note(f"building the bundled {name}; for the folder of that name say ./{name}")
    languages = tables.get("filter", {}).pop("languages", None)
    settings = Config.from_file(config) if config else Config()
    settings = settings.replace(**given_settings(tables)).with_plugins(*plugins or ())
    settings = settings.with_filters(*filters or (), preset=preset, languages=languages)
    specs = with_thresholds(settings.filter.filters, "size", {"min": min_bytes, "max": max_bytes})
    specs = with_thresholds(specs, "length", {"min": min_length})
    settings = dataclasses.replace(settings, filter=dataclasses.replace(settings.filter, filters=specs))
    keep_memory()
    if chosen_part:
        with progress_bars() as progress:
            done = build_part(
                sources, output, chosen_part, settings, workers=work.workers, progress=progress, trust=trust
            )
        write_account(done, "json" if as_json else "lines")
        return
    with progress_bars() as progress:
        corpus = build_corpus(
            sources,
            output,
            settings,
            workers=work.workers,
            engine=work.engine,
            memory=work.memory,
            progress=progress,
            trust=trust,
            mirror=work.mirror,
            merge=work.merge,
        )
    write_account(funnel(corpus.reader), "json" if as_json else "lines")
    if corpus.counts["kept"] and not as_json:
        print(f"\nNext: gristmill search {output} 'some words'        (or CQL: '[lemma=\"go\"] [tag=\"ADP\"]')")
        print(f"      gristmill export {output} -o corpus.jsonl     (or .vert, .conllu, .txt, .parquet, .jsonl.zst)")
    end_build(corpus.reader)
