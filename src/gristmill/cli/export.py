"""`gristmill export`: write a corpus to one file, or to a folder of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from gristmill.cli.choices import CORPUS_MANAGERS, EXPORT_FORMATS, one_of
from gristmill.cli.console import note, progress_bars
from gristmill.cli.declared import with_asked
from gristmill.cli.options import (
    CorpusFolder,
    EngineName,
    Plugins,
    Taggers,
    Trust,
    Workers,
)
from gristmill.errors import UsageError
from gristmill.operations.selected import Selected
from gristmill.personal import KINDS
from gristmill.wording import plural

_KINDS_IN_WORDS = {"email": "e-mail addresses", "phone": "phone numbers", "ip": "IP addresses"}
_CHANGES = {
    "replaced": "had tabs, line ends or NULs, which vertical text can't hold: they were replaced",
    "stripped": "had spaces at the ends, which Sketch Engine takes away",
    "cut": "were too long for the corpus manager, and cut off",
    "composed": "had characters in parts, which CWB puts together (NFC)",
}
"""What happens to values that a corpus manager can't hold, in words."""
_NOTED = {"badness", "country"}
"""Attributes of documents that only a filter notes, the one of the same name."""


@with_asked("selected", Selected)
def export(
    corpus: CorpusFolder,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write (.gz, .zst compress), or a folder, with --shard-size; "
            "- is standard output, with --format.",
        ),
    ] = "-",
    *,
    format_name: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help=f"{EXPORT_FORMATS.everyday} [by the file's name].",
            autocompletion=one_of(EXPORT_FORMATS),
        ),
    ] = None,
    manager: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="MANAGER",
            help=f"Corpus manager that vertical text is for: {', '.join(CORPUS_MANAGERS)} "
            f"[{CORPUS_MANAGERS.default}; cwb for names in .vrt].",
            autocompletion=one_of(CORPUS_MANAGERS),
        ),
    ] = None,
    chunks: Annotated[
        bool,
        typer.Option("--chunks", help="Mark noun, verb and prepositional chunks in vertical text: <nc>, <vc>, <pc>."),
    ] = False,
    selected: Selected,
    taggers: Taggers = None,
    shard_size: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="Fill a folder with files of about this size before they are compressed: 500MB, 1GB."
        ),
    ] = None,
    mask: Annotated[str | None, typer.Option(metavar="KINDS", help=f"Mask personal data: {','.join(KINDS)}.")] = None,
    plugins: Plugins = None,
    workers: Workers = None,
    trust: Trust = False,
    engine: EngineName = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Write a corpus to a file, with any thresholds.

    All filters are applied again. Documents that were dropped before come back if they pass now. Pages that were
    dropped before they were cleaned can't come back, since there is no text of them. FILE.toml, beside the file, says
    what is in it. Vertical text also gets the file that its corpus manager needs to load it. A folder is filled with
    00000.parquet and so on, or with files in another --format, such as jsonl.zst.

    \b
    Examples:
      gristmill export corpus -o corpus.vert
      gristmill export corpus -o corpus.vrt --for cwb
      gristmill export corpus -o strict.jsonl.zst --max-boilerplate 0.1 --min-length 1000 --lang en
      gristmill export corpus -o with-captions.vert --roles all --without navigation,form,notice
      gristmill export corpus -o british.conllu --where 'host=".*\\.uk" & year>=2007'
      gristmill export corpus -o as-ukwac.txt --preset ukwac --filter function-words:share=0.3
      gristmill export corpus -o dataset/ --shard-size 1GB --format jsonl.zst --mask email,phone,ip
    """
    from gristmill.corpus import CorpusReader
    from gristmill.corpus.exporting import prepare_export
    from gristmill.pipeline.telling import say_if_outdated

    del plugins  # they were loaded when they were read
    selection = selected.selection(corpus)
    if output == "-" and format_name is None and shard_size is None:
        raise UsageError(
            "say where to write the corpus, such as -o corpus.jsonl; "
            f"standard output needs --format ({', '.join(EXPORT_FORMATS)})"
        )
    opened = CorpusReader(corpus, trust=trust)
    writing = prepare_export(
        opened,
        output,
        format_name,
        selection,
        taggers,
        mask or (),
        shard_size,
        manager=manager,
        chunks=chunks,
        force=force,
    )
    if taggers is None and writing.has_tokens:
        say_if_outdated(opened, note)
    gone = opened.out_of_reach(selection)
    with progress_bars(resumable=False) as progress:
        outcome = writing.run(progress, workers=workers, engine=engine)
    count = outcome.counts["documents"]
    if output != "-":
        note(f"{plural(count, 'document')} written to {output}")
    if outcome.mask:
        note(f"masked: {', '.join(f'{_KINDS_IN_WORDS[kind]} {outcome.masked[kind]:,}' for kind in outcome.mask)}")
    for change, values in outcome.changed.items():
        note(f"{plural(values, 'value')} {_CHANGES[change]}")
    if not count:
        note(
            f"No document passes. What there is, in which languages, and what filters dropped: gristmill stats {corpus}"
        )
        _note_unknown(opened.config.filter.filters, selected.where)
    if gone:
        one = gone == 1
        note(
            f"{plural(gone, 'page')} {'passes' if one else 'pass'} these filters for pages, "
            f"but {'was' if one else 'were'} dropped before {'it was' if one else 'they were'} cleaned: "
            f"build anew to have {'it' if one else 'them'}"
        )


def _note_unknown(filters: Sequence[str], where: str | None) -> None:
    """Say that a corpus was built without the filter that notes an attribute, if nothing passes a condition on it."""
    from gristmill.condition import Condition

    names = {one.name for one in Condition.parse(where).comparisons()} if where and "@" not in where else set()
    built_with = {one.partition(":")[0] for one in filters}
    for name in sorted(names & _NOTED - built_with):
        note(
            f"{name} is noted by the filter of this name, which the corpus was not built with: gristmill parts filters"
        )
