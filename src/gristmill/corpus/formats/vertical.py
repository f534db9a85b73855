"""Vertical text, as corpus managers read it: a token a line, structures as tags.

The columns are word, tag, lemma and the tagger's own tag, then what is derived of them: `lempos`, and for managers that
can't derive it, `lc` and `lemma_lc`. `<g/>` stands between tokens that have no space between them. How values are
written differs between managers, and is in `dialects.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from gristmill.annotation import Annotation, glued
from gristmill.annotation.chunks import KINDS, Words, find_chunks
from gristmill.corpus.attributes import (
    DOC_ATTRIBUTES,
    LEMPOS,
    LOWER_CASED,
    P_ATTRIBUTES,
    lempos_letter,
)
from gristmill.corpus.formats.dialects import CWB, DIALECTS, SKETCH_ENGINE, Dialect
from gristmill.corpus.formats.managers import companions
from gristmill.corpus.formats.registry import Write
from gristmill.corpus.selecting import SelectedDocument
from gristmill.registry import part

NAME = "vertical"
_SUFFIXES = {SKETCH_ENGINE: (".vert", ".vertical"), CWB: (".vrt",)}
"""Ends of file names by the manager that they are for: `cwb-encode -F` reads files that end in .vrt."""


@dataclass(frozen=True, slots=True)
class VerticalFormat:
    """Vertical text in one dialect, which counts the values that its manager can't hold."""

    dialect: Dialect
    chunks: bool = False
    """Whether it has chunks as structures."""
    has_tokens: bool = True
    compressible: bool = True

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Ends of file names that stand for it; those of its own manager come first."""
        own = _SUFFIXES[self.dialect.name]
        return *own, *(suffix for suffixes in _SUFFIXES.values() for suffix in suffixes if suffix not in own)

    @contextmanager
    def writer(self, stream: BinaryIO) -> Iterator[Write]:
        """Write a document at a time."""

        def write(chosen: SelectedDocument) -> int:
            data = "".join(vertical(chosen, self.dialect, chunks=self.chunks)).encode()
            stream.write(data)
            return len(data)

        yield write

    def beside(self, path: Path) -> dict[Path, str]:
        """Files with which the manager loads the text, by their paths."""
        return companions(path, self.dialect, tuple(KINDS) if self.chunks else ())


part("export format", "vertical")(VerticalFormat(DIALECTS[SKETCH_ENGINE]()))


def vertical_for(manager: str | None, path: str = "", *, chunks: bool = False) -> VerticalFormat:
    """Make the format for a corpus manager; if none is named, for that which the file's name stands for."""
    if manager is None:
        manager = CWB if path.removesuffix(".gz").removesuffix(".zst").endswith(_SUFFIXES[CWB]) else SKETCH_ENGINE
    return VerticalFormat(DIALECTS[manager](), chunks)


def vertical(chosen: SelectedDocument, dialect: Dialect, *, chunks: bool = False) -> Iterator[str]:
    """Write `<doc>` with metadata, `<p>` with what is known of each block, `<s>` and tokens, and chunks if asked."""
    yield dialect.opened("doc", [(name, value(chosen.document)) for name, value in DOC_ATTRIBUTES.items()])
    for paragraph, annotation in zip(chosen.paragraphs(), chosen.annotations, strict=True):
        if annotation.words:
            yield dialect.opened("p", [(name, value(paragraph)) for name, value in P_ATTRIBUTES.items()])
            lang = P_ATTRIBUTES["lang"](paragraph)
            yield from sentence_lines(annotation, dialect, _tags_of_chunks(annotation, lang) if chunks else {})
            yield "</p>\n"
    yield "</doc>\n"


def _tags_of_chunks(annotation: Annotation, lang: str) -> dict[int, tuple[str, str]]:
    """The tags that go before some tokens, and those that go after: a noun chunk is within its prepositional one."""
    words = Words.of(annotation.tags, annotation.feats, annotation.sentences)
    found = find_chunks(words, lang)
    tags: dict[int, tuple[str, str]] = {}
    for kind in ("pc", "nc", "vc"):  # from the outside to the inside
        for start, end in zip(*(edges.tolist() for edges in found[kind]), strict=True):
            before, after = tags.get(start, ("", ""))
            tags[start] = f"{before}<{kind}>\n", after
            before, after = tags.get(end - 1, ("", ""))
            tags[end - 1] = before, f"\n</{kind}>{after}"
    return tags


def sentence_lines(
    annotation: Annotation, dialect: Dialect, tags: Mapping[int, tuple[str, str]] = MappingProxyType({})
) -> Iterator[str]:
    """`<s>` and the tokens of each sentence, a line each, with the tags of chunks around them."""
    columns = _columns(annotation, dialect)
    lines = list(map("\t".join, zip(*map(dialect.fields, columns), strict=True)))
    for place, (before, after) in tags.items():
        lines[place] = f"{before}{lines[place]}{after}"
    no_space = glued(annotation)
    with_glue = [f"<g/>\n{line}" if is_glued else line for line, is_glued in zip(lines, no_space, strict=True)]
    end = 0
    for length in annotation.sentences:
        start, end = end, end + length
        yield "<g/>\n<s>\n" if no_space[start] else "<s>\n"
        yield "\n".join([lines[start], *with_glue[start + 1 : end]])
        yield "\n</s>\n"


@functools.cache
def _ending(tag: str) -> str:
    """What follows the lemma in `lempos`."""
    return f"-{lempos_letter(tag)}"


def _columns(annotation: Annotation, dialect: Dialect) -> list[list[str]]:
    """The values of the columns of a dialect; lemmas are cut so that `lempos` has room for its letter."""
    room = dialect.max_value_bytes - len("-n")
    lemmas = annotation.lemmas
    if max(map(len, lemmas)) * 4 > room:
        lemmas = [lemma.encode()[:room].decode(errors="ignore") for lemma in lemmas]
    known = {"word": annotation.words, "tag": annotation.tags, "lemma": lemmas, "xpos": annotation.xpos}
    for name, source in LOWER_CASED.items():
        if name in dialect.columns:
            known[name] = dialect.lowered(known[source])
    known[LEMPOS] = [lemma + ending for lemma, ending in zip(lemmas, map(_ending, annotation.tags), strict=True)]
    return [known[name] for name in dialect.columns]
