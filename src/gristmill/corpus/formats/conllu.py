"""CoNLL-U, the format of Universal Dependencies: words, lemmas, tags, features, and relations where they are known.

A sentence has a tree of relations, or none at all: so it is always valid.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from gristmill.annotation import Annotation, glued
from gristmill.annotation.relations import as_tree
from gristmill.corpus.selecting import SelectedDocument
from gristmill.registry import part

_SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"
"""Stands for a word without a printable character."""
_NOTHING = "_"
"""Stands in a column for which there is no value."""


@part("export format", "conllu", suffixes=(".conllu", ".conll"), has_tokens=True)
def conllu(chosen: SelectedDocument) -> Iterator[str]:
    """Write sentences, with comments that tell where documents and paragraphs begin."""
    document = chosen.document
    header = (
        f"# newdoc id = {document.id}\n# url = {_line(document.url)}\n"
        f"# title = {_line(document.title)}\n# lang = {document.lang}\n"
    )
    for paragraph, number, annotation in zip(chosen.paragraphs(), chosen.numbers, chosen.annotations, strict=True):
        block = f"{document.id}.{number}"
        if annotation.words:
            role = f"# role = {paragraph.block.role}\n" if paragraph.block.role else ""
            header += f"# newpar id = {block}\n# kind = {paragraph.block.kind}\n{role}"
        for sentence, (text, rows) in enumerate(_sentences(annotation), 1):
            yield f"{header}# sent_id = {block}.{sentence}\n# text = {text}\n{rows}\n"
            header = ""


def _sentences(annotation: Annotation) -> Iterator[tuple[str, str]]:
    """The text of each sentence, and a line for each of its tokens."""
    words = list(map(_form, annotation.words))
    known = (annotation.lemmas, annotation.tags, annotation.xpos, annotation.feats)
    columns = [words, *(list(map(_value, column)) for column in known)]
    rows = list(map("\t".join, zip(*columns, strict=True)))
    no_space = [*glued(annotation)[1:], False]
    end = 0
    for length in annotation.sentences:
        start, end = end, end + length
        places = range(start, end)
        text = "".join([words[place] if no_space[place] else words[place] + " " for place in places])
        relations = _relations(annotation.heads[start:end], annotation.deprels[start:end])
        lines = [
            f"{number}\t{rows[place]}\t{relation}\t_\t{'SpaceAfter=No' if no_space[place] else '_'}\n"
            for number, (place, relation) in enumerate(zip(places, relations, strict=True), 1)
        ]
        yield text.rstrip(" "), "".join(lines)


def _relations(heads: Sequence[int], deprels: Sequence[str]) -> list[str]:
    """The columns of the head and the relation of each token of a sentence."""
    if not any(deprels):
        return [f"{_NOTHING}\t{_NOTHING}"] * len(heads)
    return [
        f"{number + head if head else 0}\t{_value(relation)}"
        for number, (head, relation) in enumerate(zip(*as_tree(heads, deprels), strict=True), 1)
    ]


@functools.lru_cache(1 << 16)
def _form(word: str) -> str:
    """A word as a form, which is never empty and has no white space but single spaces within."""
    return _line(word) or _UNPRINTABLE


def _line(value: str) -> str:
    return _SPACES.sub(" ", value).strip()


@functools.lru_cache(1 << 16)
def _value(value: str) -> str:
    return _SPACES.sub(_NOTHING, value.strip()) or _NOTHING
