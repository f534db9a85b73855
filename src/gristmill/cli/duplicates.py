"""`gristmill duplicates`: show one document beside the first copies of its blocks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.choices import one_of
from gristmill.cli.options import CorpusFolder
from gristmill.cli.output import STANDARD, Output, check_output, checked_format, write_output

if TYPE_CHECKING:
    from gristmill.corpus.copies import Relative, TracedDocument

_FORMATS = ("text", "json", "html")


def duplicates(
    corpus: CorpusFolder,
    document: Annotated[
        str,
        typer.Argument(
            metavar="DOC",
            help="A document: its id, its address, or a part that only its address has.",
            show_default=False,
        ),
    ],
    *,
    copies: Annotated[bool, typer.Option("--copies", help="Also list the documents that repeat this one.")] = False,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against",
            metavar="FOLDER",
            help="A corpus that this one was de-duplicated against, to show the texts there.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output, with whole texts.")] = False,
    output_format: Annotated[
        str, typer.Option("--format", "-f", help=f"{', '.join(_FORMATS)}.", autocompletion=one_of(_FORMATS))
    ] = "text",
    output: Output = STANDARD,
    html: Annotated[Path | None, typer.Option(metavar="FILE", hidden=True)] = None,
) -> None:
    """Show where a document's repeated blocks come from.

    It shows the document and the first copies of its blocks side by side.

    Words that differ are coloured. Where there are no colours, [-words-] are only in the first copy, and {+words+} only
    in this document. Blocks are numbered from 0; boilerplate is left out.

    \b
    Examples:
      gristmill duplicates corpus 00000-000012
      gristmill duplicates corpus example.org/news --copies --format html -o news.html
      gristmill duplicates new 00003-000100 --against old
    """
    form = checked_format(output_format, _FORMATS, as_json)
    for name in (output, *([str(html)] if html else [])):
        check_output(name)
    from gristmill.corpus import CorpusReader
    from gristmill.corpus.copies import trace
    from gristmill.corpus.lookup import find_document
    from gristmill.corpus.repeaters import repeaters_of
    from gristmill.corpus.side_by_side import to_json
    from gristmill.html.compared import compared_page

    opened = CorpusReader(corpus)
    others = [CorpusReader(folder) for folder in against or []]
    identifier = find_document(opened, document)
    traced = trace(opened, identifier, others)
    repeated_by = repeaters_of(opened, identifier) if copies else None
    if html:
        write_output(compared_page(traced, repeated_by), str(html))
    if form == "json":
        write_output(json.dumps(to_json(traced, repeated_by), ensure_ascii=False, indent=1) + "\n", output)
    elif form == "html":
        write_output(compared_page(traced, repeated_by), output)
    elif not html:
        _show(traced, repeated_by, output)


def _show(document: TracedDocument, copies: Sequence[Relative] | None, output: str) -> None:
    from rich.console import Console

    from gristmill.cli.sidebyside import plain_lines, print_table

    console = Console(highlight=False)
    if console.is_terminal and output == STANDARD:
        print_table(console, document, copies)
    else:
        write_output("".join(f"{line}\n" for line in plain_lines(document, copies)), output)
