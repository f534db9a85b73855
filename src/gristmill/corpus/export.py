"""Write a corpus to one file in some format, and beside it what was written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from gristmill.arguments import as_path, as_texts, check_type
from gristmill.corpus.corpus import Corpus, Selection, opened
from gristmill.corpus.cut import Cut
from gristmill.corpus.formats import FORMATS, Format
from gristmill.corpus.manifest import NAME
from gristmill.corpus.outcome import Outcome
from gristmill.corpus.output import PACKED, is_file, open_output
from gristmill.corpus.tokens import cuts_with_tokens
from gristmill.errors import GristmillError, UsageError
from gristmill.shards import write_atomically


def export(
    corpus: str | os.PathLike[str],
    output: str | os.PathLike[str],
    format_name: str | None = None,
    selection: Selection | None = None,
    on_document: Callable[[], None] | None = None,
    taggers: str | Sequence[str] | None = None,
) -> int:
    """Write the documents that a selection keeps to a file, and return how many they are.

    The format is told by the file's name if it is not given; a name that ends in `.gz` or `.zst` is compressed; `-` is standard output.
    Tokens are those that the corpus was annotated with; where there are none, or with other `taggers`, it is annotated on the way. Beside
    the file goes what is in it, `FILE.toml`, and what other programs need to load it.
    """
    corpus = opened(corpus)
    path = str(as_path(output, "output"))
    check_type(selection, Selection, "selection", "a gristmill.Selection")
    taggers = None if taggers is None else as_texts(taggers, "taggers")
    name = format_name or format_of(path)
    made = FORMATS[name]
    if path.endswith(PACKED) and not made.compressible:
        raise UsageError(f"{name} is compressed by itself: give a name that does not end in {Path(path).suffix}")
    if is_file(path):
        _refuse_own_files(corpus, Path(path), made)
    selection = selection or Selection()
    outcome = Outcome(name, selection)
    cuts = outcome.counted(_cuts(corpus, made, selection, taggers))
    with open_output(path) as stream:
        made.write(_reported(cuts, on_document), stream)
    if is_file(path):
        _write_beside(Path(path), made, outcome, corpus)
    return outcome.counts["documents"]


def format_of(path: str) -> str:
    """The format that a file's name stands for."""
    suffix = Path(path.removesuffix(".gz").removesuffix(".zst")).suffix
    found = next((name for name, made in FORMATS.items() if suffix in made.suffixes), None)
    if found is None:
        raise UsageError(f"can't tell the format from the name {path!r}: give --format ({', '.join(FORMATS)})")
    return found


def _cuts(corpus: Corpus, made: Format, selection: Selection, taggers: Sequence[str] | None) -> Iterator[Cut]:
    return cuts_with_tokens(corpus, selection, taggers) if made.has_tokens else corpus.cuts(selection)


def _reported(cuts: Iterable[Cut], on_document: Callable[[], None] | None) -> Iterator[Cut]:
    for cut in cuts:
        yield cut
        if on_document:
            on_document()


def _refuse_own_files(corpus: Corpus, path: Path, made: Format) -> None:
    """Raise if what is to be written would take the place of what the corpus is made of: `corpus.toml`, or what is in its shards."""
    folder = corpus.folder.resolve()
    for target in (path.resolve(), *(beside.resolve() for beside in (_card(path), *made.beside(path)))):
        if target == folder / NAME or target.is_relative_to(folder / "shards"):
            raise UsageError(f"{target} belongs to the corpus in {corpus.folder}: give another file to write to")


def _card(path: Path) -> Path:
    return path.with_name(f"{path.name}.toml")


def _write_beside(path: Path, made: Format, outcome: Outcome, corpus: Corpus) -> None:
    try:
        for beside, content in made.beside(path).items():
            write_atomically(beside, content.encode())
        write_atomically(_card(path), outcome.to_toml(corpus, path).encode())
    except OSError as error:
        raise GristmillError(f"can't write beside {path}: {error.strerror or error}") from error
