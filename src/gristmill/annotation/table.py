"""The file `tokens.parquet`: the annotations of a shard, row-aligned with `documents.parquet`.

A row is a document; its lists have an entry for each annotated block, sentence or token. Two tokens have no space
between them if the second starts where the first ends. Documents that were dropped have empty lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

from gristmill.annotation.annotation import Annotation
from gristmill.shards import Shard, read_batches

Annotated = Mapping[int, Annotation]
"""The annotations of one document, by the numbers of its blocks."""

_ITEMS = {
    "blocks": pa.int32(),  # which blocks of the document are annotated
    "tokens": pa.int32(),  # how many tokens each of these has
    "taggers": pa.string(),  # and which tagger it got
    "sentences": pa.int32(),  # how many tokens each sentence has; a sentence lies within a block
    "word": pa.string(),
    "start": pa.int32(),  # where the word begins in its block's text, in characters
    "lemma": pa.string(),
    "tag": pa.string(),  # universal part of speech
    "xpos": pa.string(),  # the tagger's own tag
    "feats": pa.string(),  # universal features
    "head": pa.int32(),  # how many tokens further on the head stands; 0: a root, or not known
    "deprel": pa.string(),  # universal relation to the head; empty: not known
}
TOKENS_SCHEMA: pa.Schema = pa.schema(
    [
        pa.field(name, pa.list_(pa.field("element", kind, nullable=False)), nullable=False)
        for name, kind in _ITEMS.items()
    ]
)

_BY_BLOCK: dict[str, Callable[[Annotation], Any]] = {
    "tokens": lambda annotation: len(annotation.words),
    "taggers": lambda annotation: annotation.tagger,
}
_BY_ITEM: dict[str, Callable[[Annotation], list[Any]]] = {
    "sentences": lambda annotation: annotation.sentences,
    "word": lambda annotation: annotation.words,
    "start": lambda annotation: annotation.starts,
    "lemma": lambda annotation: annotation.lemmas,
    "tag": lambda annotation: annotation.tags,
    "xpos": lambda annotation: annotation.xpos,
    "feats": lambda annotation: annotation.feats,
    "head": lambda annotation: annotation.heads,
    "deprel": lambda annotation: annotation.deprels,
}


def to_arrow(documents: Sequence[Annotated]) -> pa.RecordBatch:
    """Convert annotated documents to Arrow columns, whole lists at a time: no object is made for a single token."""
    columns = [_column(name, documents) for name in TOKENS_SCHEMA.names]
    return pa.RecordBatch.from_arrays(columns, schema=TOKENS_SCHEMA)


def _column(name: str, documents: Sequence[Annotated]) -> pa.Array:
    """Make one column: a list for each document, of its blocks, or of the sentences or tokens of all its blocks."""
    values: list[Any]
    if name == "blocks":
        counts, values = list(map(len, documents)), list(chain.from_iterable(documents))
    elif name in _BY_BLOCK:
        counts = list(map(len, documents))
        values = [_BY_BLOCK[name](annotation) for document in documents for annotation in document.values()]
    else:
        lists = [list(map(_BY_ITEM[name], document.values())) for document in documents]
        counts = [sum(map(len, parts)) for parts in lists]
        values = list(chain.from_iterable(chain.from_iterable(lists)))
    return _lists(name, counts, values)


def _lists(name: str, counts: Iterable[int], values: list[Any]) -> pa.Array:
    """Make a column of lists from the values of all lists and the number in each.

    With the counts [2, 0, 1], the offsets are [0, 2, 2, 3]: the three lists are values[0:2], values[2:2], values[2:3].
    """
    offsets = pa.array([0, *accumulate(counts)], pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.array(values, _ITEMS[name]), type=TOKENS_SCHEMA.field(name).type)


def read_annotations(shard: Shard, rows: int = 256) -> Iterator[dict[int, Annotation]]:
    """Read the annotations of all documents of a shard, in their order."""
    for batch in read_batches(shard.tokens, None, rows):
        yield from from_arrow(batch)


def from_arrow(batch: pa.RecordBatch) -> Iterator[dict[int, Annotation]]:
    """Convert Arrow columns to annotated documents."""
    columns = {name: _values(batch.column(name).flatten()) for name in TOKENS_SCHEMA.names}
    block = token = sentence = 0
    for blocks in batch.column("blocks").value_lengths().to_pylist():
        document = {}
        for place in range(block, block + blocks):
            end, last = token + columns["tokens"][place], sentence
            before = token
            while before < end:
                before += columns["sentences"][last]
                last += 1
            document[columns["blocks"][place]] = Annotation(
                columns["word"][token:end],
                columns["start"][token:end],
                columns["sentences"][sentence:last],
                columns["lemma"][token:end],
                columns["tag"][token:end],
                columns["xpos"][token:end],
                columns["taggers"][place],
                columns["feats"][token:end],
                columns["head"][token:end],
                columns["deprel"][token:end],
            )
            token, sentence = end, last
        block += blocks
        yield document


def _values(array: pa.Array) -> list[Any]:
    """Convert an array to Python objects, where equal strings are one object."""
    if not pa.types.is_string(array.type):
        return list(array.to_pylist())
    encoded = array.dictionary_encode()
    strings = encoded.dictionary.to_pylist()
    return list(map(strings.__getitem__, encoded.indices.to_pylist()))
