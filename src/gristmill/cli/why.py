"""`gristmill why`: what each stage and each filter found in one page, and what they decided."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.cli.options import CorpusFolder, Trust
from gristmill.cli.style import plural
from gristmill.cli.terminal import safe

if TYPE_CHECKING:
    from gristmill.corpus.explain import Explained, Skipped
    from gristmill.document import Block, Document
    from gristmill.filter import Verdict

_EXCERPT = 60
_SKIPPED = {
    "broken": "the record is broken",
    "revisit": "a revisit of a page that is stored elsewhere",
    "other": "no page (a request, metadata...)",
}


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
    page. You can name a skipped record by its address, or by its place, FILE:OFFSET, as `gristmill stats --dropped`
    lists it; the end of the file's path is enough.

    \b
    Examples:
      gristmill why corpus 00000-000012
      gristmill why corpus example.org/news
      gristmill why corpus crawl.warc.gz:46397
      gristmill why corpus 00000-000012 --json | jq .filters
    """
    from gristmill.corpus import Corpus
    from gristmill.corpus.explain import explain

    found = explain(Corpus(corpus, trust=trust), page, [Corpus(folder) for folder in against or []])
    text = json.dumps(_as_json(found), ensure_ascii=False, indent=1) if as_json else "\n".join(map(safe, _lines(found)))
    sys.stdout.buffer.write(f"{text}\n".encode())


def _lines(found: Explained | Skipped) -> Iterator[str]:
    from gristmill.corpus.explain import Skipped

    if isinstance(found, Skipped):
        yield f"skipped: {_SKIPPED.get(found.reason, found.reason)}{f' ({found.detail})' if found.detail else ''}"
        yield ""
        yield from _facts({"address": found.url, "place": f"{found.source}:{found.offset}"})
        return
    document = found.document
    yield f"dropped by {found.reason}: {found.detail}" if found.reason else "kept"
    yield ""
    yield from _facts(
        {"id": document.id, "address": document.url, "title": document.title, **_stages(document, found.limit)}
    )
    yield "filters"
    decisions = list(map(_decision, found.verdicts))
    width, wide = max(map(len, decisions), default=0), max((len(verdict.name) for verdict in found.verdicts), default=0)
    for decision, verdict in zip(decisions, found.verdicts, strict=True):
        yield f"  {decision:{width}}  {verdict.name:{wide}}  {verdict.detail}"
    if not document.method:
        yield "  the page was not cleaned, so filters for text were not asked"
    yield from _repeated(found)
    yield from _blocks(document)


def _facts(facts: dict[str, str]) -> Iterator[str]:
    for name, value in facts.items():
        if value:
            yield f"{name:10} {value}".rstrip()


def _stages(document: Document, limit: int) -> dict[str, str]:
    """What was found before any filter for text was asked."""
    from gristmill.filter.registry import is_file

    place = f"from {document.source}:{document.offset}{f', {document.date}' if document.date else ''}"
    answer = "a file" if is_file(document) else f"HTTP status {document.status}"
    size = f"more than {limit:,} bytes" if document.size > limit else plural(document.size, "byte")
    fetched = f"{answer}, {document.content_type or 'no content type'}, {size}, {place}"
    if not document.method:
        return {"fetched": fetched}
    declared = f"; the page says {document.declared_lang}" if document.declared_lang else ""
    text = sum(block.score <= document.max_boilerplate for block in document.blocks)
    return {
        "fetched": fetched,
        "decoded": f"{document.encoding}, told by {document.encoding_from}" + ", mojibake repaired" * document.repaired,
        "language": f"{document.lang} ({document.lang_confidence:.2f}){declared}",
        "cleaned": f"by {document.method}: {text:,} of {plural(len(document.blocks), 'block')} are text (score at most "
        f"{document.max_boilerplate}), {plural(document.words, 'word')}, {plural(document.length, 'character')} left after filters",
    }


def _decision(verdict: Verdict) -> str:
    if verdict.stage == "block":
        return f"{plural(verdict.dropped_blocks, 'block')} dropped"
    return "passed" if verdict.passed else "failed"


def _repeated(found: Explained) -> Iterator[str]:
    if found.document.dropped:
        return
    repeated = found.repeated
    copy = f", copy of {repeated.copy_of} {repeated.copy_url}".rstrip() if repeated.copy_of else ""
    blocks, words = plural(len(repeated.blocks), "block"), plural(repeated.words, "word")
    left = f"{repeated.blocks_left:,} of {blocks} and {repeated.words_left:,} of {words}"
    yield from _facts({"repeated": f"{repeated.share:.0%} of its text{copy}; left are {left}"})


def _blocks(document: Document) -> Iterator[str]:
    """Every block with its score, and what decided on it."""
    from gristmill.document import fold

    if document.blocks:
        yield "blocks"
    for number, block in enumerate(document.blocks):
        text = fold(block.text)
        text = text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"
        yield f"  {number:4}  {block.score:.2f}  {_state(block, document):28}  {block.lang or '-':3}  {text}"


def _state(block: Block, document: Document) -> str:
    if block.score > document.max_boilerplate:
        return block.label or "boilerplate"
    return f"dropped by {block.dropped}" if block.dropped else block.label or "text"


def _as_json(found: Explained | Skipped) -> dict[str, Any]:
    from gristmill.corpus.explain import Skipped

    if isinstance(found, Skipped):
        return {"kept": False, "skipped": dataclasses.asdict(found)}
    record = dataclasses.asdict(found.document)
    record["digest"] = found.document.digest.hex()
    repeated = dataclasses.asdict(found.repeated)
    return {
        "kept": not found.reason,
        "reason": found.reason,
        "detail": found.detail,
        "filters": [dataclasses.asdict(verdict) for verdict in found.verdicts],
        "repeated": {
            name: repeated[name] for name in ("share", "copy_of", "copy_url", "words", "words_left", "blocks_left")
        },
        "document": record,
    }
