"""Small indexes from plain Python lists, for trying things out and for tests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from gristmill.corpus.attributes import COLUMNS, DEPREL, FEATS
from gristmill.search.index.index import Index
from gristmill.search.index.writing import Coded, Columns, StructureColumns, code, with_values, write_index

Token = (
    tuple[str, str, str, str, bool]
    | tuple[str, str, str, str, bool, str]
    | tuple[str, str, str, str, bool, str, int, str]
)
"""Word, tag, lemma, xpos, whether it is glued to the token before it; features; how far its head is, and its relation.

What it has not can be left out.
"""


@dataclass(frozen=True, slots=True)
class PlainParagraph:
    """Sentences, each a list of tokens, and the attributes of the paragraph."""

    sentences: Sequence[Sequence[Token]]
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlainDocument:
    """Paragraphs, and the attributes of the document."""

    paragraphs: Sequence[PlainParagraph]
    attributes: Mapping[str, str] = field(default_factory=dict)


def make_index(folder: str | os.PathLike[str], documents: Iterable[PlainDocument]) -> Index:
    """Write an index from plain columns into a folder, and open it.

    A document with a sentence of three tokens:

        sentence = [("We", "PRON", "we", "", False), ("went", "VERB", "go", "", False), (".", "PUNCT", ".", "", True)]
        document = PlainDocument([PlainParagraph([sentence], {"kind": "p"})], {"host": "mill.example", "year": "2005"})
        index = make_index(folder, [document])

    Structures without tokens are left out. An attribute that only some structures have is empty in the others.
    """
    kept = [document for document in documents if any(_tokens(paragraph) for paragraph in document.paragraphs)]
    paragraphs = [paragraph for document in kept for paragraph in document.paragraphs if _tokens(paragraph)]
    sentences = [sentence for paragraph in paragraphs for sentence in paragraph.sentences if sentence]
    tokens = [token for sentence in sentences for token in sentence]
    columns = Columns(
        _attributes(tokens),
        np.array([token[4] for token in tokens], np.bool_),
        {
            "doc": _structures(
                [sum(map(_tokens, document.paragraphs)) for document in kept],
                [document.attributes for document in kept],
            ),
            "p": _structures(list(map(_tokens, paragraphs)), [paragraph.attributes for paragraph in paragraphs]),
            "s": _structures(list(map(len, sentences)), []),
        },
        np.array([token[6] if len(token) > 6 else 0 for token in tokens], np.int64),
    )
    write_index(Path(folder), columns)
    return Index.open(folder)


def _attributes(tokens: Sequence[Token]) -> dict[str, Coded]:
    values: dict[str, list[Any]] = {name: [token[at] for token in tokens] for at, name in enumerate(COLUMNS)}
    values[FEATS] = [token[5] if len(token) > 5 else "" for token in tokens]
    values[DEPREL] = [token[7] if len(token) > 7 else "" for token in tokens]
    return with_values({name: code(pa.array(column, pa.string())) for name, column in values.items()})


def _tokens(paragraph: PlainParagraph) -> int:
    """Count the tokens of a paragraph."""
    return sum(map(len, paragraph.sentences))


def _structures(lengths: Sequence[int], attributes: Sequence[Mapping[str, str]]) -> StructureColumns:
    names = dict.fromkeys(name for row in attributes for name in row)
    values = {name: code(pa.array([row.get(name, "") for row in attributes], pa.string())) for name in names}
    return StructureColumns(np.array([0, *accumulate(lengths)], np.int64), values)
