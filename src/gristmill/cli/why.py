"""`gristmill why`: what each stage and each filter found in one page, and what they decided."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.cli.options import CorpusFolder, Trust
from gristmill.cli.terminal import excerpt, safe

if TYPE_CHECKING:
    from gristmill.corpus.explain import Explained, Skipped
    from gristmill.document import Document


_STATE_WIDTH = len("left out: its role is navigation")


def why(
    corpus: CorpusFolder,
    page: Annotated[
        str,
        typer.Argument(
            metavar="PAGE",
            help="A page: its id, its address, or a part that only its address has; or FILE:OFFSET.",
            show_default=False,
        ),
    ],
    *,
    against: Annotated[
        list[Path] | None,
        typer.Option("--against", metavar="FOLDER", help="A corpus that this one was de-duplicated against."),
    ] = None,
    trust: Trust = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output, with whole texts.")] = False,
) -> None:
    """Explain what happened to one page, and why.

    It shows what each stage and each filter found. All filters are applied, also those after the one that dropped the
    page. You can name a skipped record by its address, or by its place, FILE:OFFSET, as `gristmill dropped`
    lists it; the end of the file's path is enough.

    \b
    Examples:
      gristmill why corpus 00000-000012
      gristmill why corpus example.org/news
      gristmill why corpus crawl.warc.gz:46397
      gristmill why corpus 00000-000012 --json | jq .filters
    """
    from gristmill.corpus import CorpusReader
    from gristmill.corpus.explain import explain

    found = explain(CorpusReader(corpus, trust=trust), page, [CorpusReader(folder) for folder in against or []])
    text = json.dumps(found.to_json(), ensure_ascii=False, indent=1) if as_json else "\n".join(map(safe, _lines(found)))
    sys.stdout.buffer.write(f"{text}\n".encode())


def _lines(found: Explained | Skipped) -> Iterator[str]:
    from gristmill.corpus.explain import Skipped, decision

    if isinstance(found, Skipped):
        yield f"skipped: {found.words}"
        yield ""
        yield from _facts({"address": found.url, "place": f"{found.source}:{found.offset}"})
        return
    document = found.document
    if found.replaced_by and found.reason == "replaced":
        yield f"replaced by a later version: {found.replaced_by}"
    else:
        yield f"dropped by {found.reason}: {found.detail}" if found.reason else "kept"
    yield ""
    yield from _facts(found.facts())
    yield "filters"
    decisions = list(map(decision, found.verdicts))
    width, wide = max(map(len, decisions), default=0), max((len(verdict.name) for verdict in found.verdicts), default=0)
    for decided, verdict in zip(decisions, found.verdicts, strict=True):
        yield f"  {decided:{width}}  {verdict.name:{wide}}  {verdict.detail}"
    if not document.method:
        yield "  the page was not cleaned, so filters for text were not asked"
    yield from _facts({"repeated": found.duplicates()})
    yield from _blocks(document)


def _facts(facts: dict[str, str]) -> Iterator[str]:
    for name, value in facts.items():
        if value:
            yield f"{name:10} {value}".rstrip()


def _blocks(document: Document) -> Iterator[str]:
    """Every block with its score and its role, and what decided on it."""
    from gristmill.corpus.explain import block_state

    if document.blocks:
        yield "blocks"
    for number, block in enumerate(document.blocks):
        state = block_state(block, document)
        about = f"{block.score:.2f}  {block.role or '-':10}  {state:{_STATE_WIDTH}}  {block.lang or '-':3}"
        yield f"  {number:4}  {about}  {excerpt(block.text)}"
