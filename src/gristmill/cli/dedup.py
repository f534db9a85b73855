"""`gristmill dedup`: de-duplicate an existing corpus anew, and show what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gristmill.arguments import as_bytes
from gristmill.cli.choices import DEDUP_METHODS
from gristmill.cli.console import note, progress_bars
from gristmill.cli.options import CorpusFolder, EngineName, Plugins, Scratch, Trust, Workers
from gristmill.cli.terminal import excerpt, safe, safe_lines

if TYPE_CHECKING:
    from gristmill.corpus import CorpusReader
    from gristmill.corpus.repetition import Repetition

MEMORY_HELP = "What all workers together may use: 500MB, 4GB [1GB; on a cluster, for each]."


def dedup(
    corpus: CorpusFolder,
    *,
    method: Annotated[
        str | None,
        typer.Option("--method", "-m", metavar="NAME[:SETTINGS]", help=f"{DEDUP_METHODS.everyday} [as before]."),
    ] = None,
    n: Annotated[int | None, typer.Option("-n", help="Tokens of an n-gram [10].", min=1)] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Drop blocks with a higher duplicate share [0.5].", min=0, max=1)
    ] = None,
    level: Annotated[str | None, typer.Option(help="What is kept or dropped: block or document [block].")] = None,
    exclude: Annotated[
        str | None, typer.Option(help="Tokens to leave out: punctuation, stopwords, punctuation+stopwords, none.")
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against", metavar="FOLDER", help="Another corpus: its text counts as duplicate here. Can be repeated."
        ),
    ] = None,
    memory: Annotated[str | None, typer.Option(metavar="SIZE", help=MEMORY_HELP, show_default=False)] = None,
    plugins: Plugins = None,
    trust: Trust = False,
    workers: Workers = None,
    engine: EngineName = None,
    scratch: Scratch = None,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """De-duplicate a corpus again, or against others.

    Choose another method or other settings, or name other corpora whose text counts as duplicate here.

    Nothing is thrown away: each block gets a duplicate share, a verdict and the place of its first copy. If it was
    stopped, the same command continues.

    \b
    Examples:
      gristmill dedup corpus --threshold 0.25
      gristmill dedup new --against old
      gristmill dedup corpus --method minhash:k=6,s=14,r=2
      gristmill dedup corpus --method onion:n=7,exclude=none --memory 4GB
    """
    from gristmill.corpus.repetition import repetition
    from gristmill.engine.memory import keep_memory
    from gristmill.pipeline import deduplicate

    del plugins, scratch  # they were loaded, and chosen, when they were read
    given = {"n": n, "threshold": threshold, "level": level, "exclude": exclude}
    spec = _spec(corpus, method, {name: str(value) for name, value in given.items() if value is not None})
    keep_memory()
    with progress_bars() as progress:
        done = deduplicate(
            corpus,
            spec,
            against or (),
            workers=workers,
            engine=engine,
            memory=memory_size(memory),
            progress=progress,
            trust=trust,
        )
    found = repetition(done.reader)
    print(json.dumps(found.to_json(), indent=2) if as_json else safe_lines(repetition_table(done.reader, found)))
    if not as_json:
        note(
            f"\nNext: gristmill export {corpus} -o corpus.jsonl, or see one document: gristmill duplicates {corpus} DOC"
        )


def memory_size(text: str | None) -> int | None:
    """Read a number of bytes with a unit, such as `4GB`, if one is given."""
    return None if text is None else as_bytes(text, "memory")


def _spec(corpus: Path, method: str | None, given: dict[str, str]) -> str | None:
    """Put a method and its parameters together, of which some may be given one by one."""
    if not given:
        return method
    from gristmill import dedup as methods
    from gristmill.corpus import Manifest

    before = method or Manifest.read(corpus).config.dedup.method
    name = before.partition(":")[0].strip()
    return methods.spec_of(name, methods.replace(methods.parse(before), name, given))


def repetition_table(corpus: CorpusReader, found: Repetition) -> str:
    """Lay out what there was and what is left, the hosts with most repeated text, and the blocks with most copies."""
    from gristmill.corpus.repetition import texts_of

    rows = [
        ("", "before", "after", "left"),
        *(_row(name, *getattr(found, name)) for name in ("documents", "blocks", "words")),
    ]
    if "ngrams" in found.found:
        rows.append(_row(f"duplicate {found.found['n']}-grams", found.found["repeated"], found.found["left"]))
    hosts = [
        (f"  {host.host}", f"{host.words:,}", f"{host.words - host.repeated:,}", f"{1 - host.share:.1%}")
        for host in found.hosts
        if host.repeated
    ]
    lines = _columns([*rows, *([("", "", "", ""), ("words by host", "", "", ""), *hosts] if hosts else [])])
    if found.repeated:
        lines += ["", "most repeated blocks"]
        texts = map(safe, map(excerpt, texts_of(corpus, found.repeated)))
        lines += [
            f"{block.copies:>8,} copies of {block.document} block {block.block}: {text}"
            for block, text in zip(found.repeated, texts, strict=True)
        ]
    return "\n".join(lines)


def _row(name: str, before: int, after: int) -> tuple[str, str, str, str]:
    return name, f"{before:,}", f"{after:,}", f"{after / before:.1%}" if before else "-"


def _columns(rows: list[tuple[str, str, str, str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    return [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        for row in rows
    ]
