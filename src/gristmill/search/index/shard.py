"""The task of indexing one shard: what a selection keeps of its tokens becomes parts of an index, of bounded size.

Tokens are read row group by row group as numbers in dictionaries, and nothing is made in Python for a single one of
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from gristmill.annotation.blocks import annotate_blocks
from gristmill.annotation.provided import tagger_name
from gristmill.annotation.table import to_arrow
from gristmill.arrays.dtypes import Ids
from gristmill.arrays.ragged import starts_of
from gristmill.corpus import CorpusReader, Selection
from gristmill.corpus.annotated import stored_choices
from gristmill.corpus.attributes import COLUMNS, DOC_ATTRIBUTES, P_ATTRIBUTES, TOKEN_ATTRIBUTES
from gristmill.corpus.selecting import SelectedDocument
from gristmill.drafts import move, temporary_name
from gristmill.engine import Report
from gristmill.errors import GristmillError
from gristmill.search.index.heads import within_sentences
from gristmill.search.index.stored import Stored, key, open_tokens
from gristmill.search.index.writing import Columns, StructureColumns, code, with_values, write_index
from gristmill.shards import Shard

PART_TOKENS = 4_000_000
"""A part is closed when it has so many tokens."""
NUMBER = "number"
"""The attribute of paragraphs that says which block of its document each is, as `gristmill why` counts them."""
TAGGER = "tagger"
"""The attribute of paragraphs that names the tagger by which each was annotated."""


@dataclass(frozen=True, slots=True)
class IndexTask:
    """Writes the parts for one shard into a folder, which gets its name when all are there."""

    corpus: str
    shard: Shard
    folder: str
    selection: Selection
    part_tokens: int = PART_TOKENS

    @property
    def name(self) -> str:
        """The shard."""
        return f"shard {self.shard.name}"

    @property
    def cost(self) -> int:
        """Bytes to read."""
        return self.shard.tokens.stat().st_size

    def run(self, report: Report) -> int:
        """Write the parts and return how many there are: at least one, which may be empty."""
        folder = Path(self.folder)
        temporary = temporary_name(folder)
        temporary.mkdir(parents=True)
        number = 0
        for number, pieces in enumerate(_gathered(self._pieces(report), self.part_tokens), 1):
            write_index(temporary / f"{number:05d}", _columns(pieces))
        if not number:
            number = 1
            write_index(temporary / f"{number:05d}", empty_columns())
        move(temporary, folder)
        return number

    def _pieces(self, report: Report) -> Iterator[Piece]:
        """Yield what is selected of each row group."""
        shard, done, corpus = self.shard, 0, CorpusReader.shared(self.corpus)
        choices = stored_choices(shard) or []
        selected = corpus.select(self.selection, shard, with_text=False)
        with open_tokens(shard) as tokens:
            for group, members in groupby(selected, lambda chosen: tokens.group_of(chosen.row)):
                yield _piece(tokens.read(group), list(members), corpus, choices)
                before, done = done, self.cost * (group + 1) // len(tokens.ends)
                report(done - before)
        report(self.cost - done)


@dataclass(frozen=True, slots=True)
class Piece:
    """The kept tokens of a row group, and the structures over them, none of which is empty."""

    tokens: dict[str, pa.Array]
    glued: npt.NDArray[np.bool_]
    heads: npt.NDArray[np.int32]
    lengths: dict[str, Ids]
    """Tokens of each document, paragraph and sentence."""
    attributes: dict[str, dict[str, pa.Array]]


def _piece(stored: Stored, selected: Sequence[SelectedDocument], corpus: CorpusReader, choices: Sequence[str]) -> Piece:
    """Gather what is selected of the blocks of a row group, and annotate what is not stored.

    Blocks are found by their keys (row of the document, number of the block), which are packed into one number each:

        stored.keys  2|0, 2|3, 4|1
        wanted       2|3, 4|0, 4|1
        blocks       1, 2, 2            by binary search; at 2 there is 4|1 and not 4|0, so that is missing
        blocks       1, 3, 2            after the missing block was annotated and added at the end
    """
    sizes = np.array([len(chosen.numbers) for chosen in selected])
    numbers = np.fromiter(chain.from_iterable(chosen.numbers for chosen in selected), np.int64, int(sizes.sum()))
    wanted = key(np.repeat([chosen.row for chosen in selected], sizes), numbers)
    blocks = np.searchsorted(stored.keys, wanted)
    missing = np.append(stored.keys, -1)[blocks] != wanted
    if missing.any():
        corpus.check_taggers(choices)
        blocks[missing] = len(stored.keys) + np.arange(int(missing.sum()))
        stored += _annotated(selected, np.split(missing, np.cumsum(sizes)[:-1]), choices)
    counts = stored.counts[blocks]
    of_documents = np.add.reduceat(counts, np.cumsum(sizes) - sizes)
    tokens = stored.tokens_of(blocks)
    has_tokens = counts > 0
    paragraphs = _of_paragraphs(selected, numbers, has_tokens) | {TAGGER: _names(stored.taggers, blocks[has_tokens])}
    return Piece(
        {name: stored.tokens[name].take(pa.array(tokens)) for name in TOKEN_ATTRIBUTES},
        stored.glued()[tokens],
        stored.heads[tokens],
        {
            "doc": of_documents[of_documents > 0],
            "p": counts[has_tokens],
            "s": stored.sentences[stored.sentences_of(blocks)],
        },
        {"doc": _of_documents(selected, of_documents > 0), "p": paragraphs, "s": {}},
    )


def _annotated(
    selected: Sequence[SelectedDocument], missing: Sequence[npt.NDArray[np.bool_]], choices: Sequence[str]
) -> Stored:
    """Annotate the blocks that only this selection keeps, as the others were annotated."""
    made = []
    for chosen, flags in zip(selected, missing, strict=True):
        blocks = list(compress(chosen.document.blocks, flags))
        if any(block.words and not block.text for block in blocks):
            raise GristmillError(
                f"tokens of document {chosen.document.id} are missing: annotate the corpus with `gristmill annotate`"
            )
        made.append(
            dict(
                zip(
                    compress(chosen.numbers, flags), annotate_blocks(blocks, chosen.document.lang, choices), strict=True
                )
            )
        )
    return Stored.of(pa.Table.from_batches([to_arrow(made)]), np.array([chosen.row for chosen in selected], np.int64))


def _of_documents(selected: Sequence[SelectedDocument], has_tokens: npt.NDArray[np.bool_]) -> dict[str, pa.Array]:
    documents = [chosen.document for chosen in compress(selected, has_tokens)]
    return {name: pa.array(list(map(value, documents)), pa.string()) for name, value in DOC_ATTRIBUTES.items()}


def _of_paragraphs(
    selected: Sequence[SelectedDocument], numbers: Ids, has_tokens: npt.NDArray[np.bool_]
) -> dict[str, pa.Array]:
    paragraphs = list(compress(chain.from_iterable(chosen.paragraphs() for chosen in selected), has_tokens))
    values = {name: pa.array(list(map(get, paragraphs)), pa.string()) for name, get in P_ATTRIBUTES.items()}
    return {**values, NUMBER: pa.array(numbers[has_tokens]).cast(pa.string())}


def _names(taggers: pa.Array, blocks: Ids) -> pa.Array:
    """Name the taggers of some blocks, without their parameters."""
    coded = taggers.take(pa.array(blocks)).dictionary_encode()
    names = pa.array(list(map(tagger_name, coded.dictionary.to_pylist())), pa.string())
    return names.take(coded.indices)


def _gathered(pieces: Iterable[Piece], tokens: int) -> Iterator[list[Piece]]:
    """Put pieces together until they have so many tokens."""
    gathered: list[Piece] = []
    for piece in pieces:
        if len(piece.glued):
            gathered.append(piece)
        if sum(len(one.glued) for one in gathered) >= tokens:
            yield gathered
            gathered = []
    if gathered:
        yield gathered


def _columns(pieces: Sequence[Piece]) -> Columns:
    """Make the columns of some pieces, from which a part is written."""
    structures = {}
    for kind, attributes in pieces[0].attributes.items():
        bounds = starts_of(np.concatenate([piece.lengths[kind] for piece in pieces]))
        values = {
            name: code(pa.chunked_array([piece.attributes[kind][name] for piece in pieces])) for name in attributes
        }
        structures[kind] = StructureColumns(bounds, values)
    return Columns(
        with_values(
            {name: code(pa.chunked_array([piece.tokens[name] for piece in pieces])) for name in TOKEN_ATTRIBUTES}
        ),
        np.concatenate([piece.glued for piece in pieces]),
        structures,
        within_sentences(np.concatenate([piece.heads for piece in pieces]), structures["s"].bounds),
    )


def empty_columns() -> Columns:
    """Make the columns of an index without tokens."""
    nothing, no_bounds = code(pa.array([], pa.string())), np.zeros(1, np.int64)
    return Columns(
        dict.fromkeys(COLUMNS, nothing),
        np.zeros(0, np.bool_),
        {
            "doc": StructureColumns(no_bounds, dict.fromkeys(DOC_ATTRIBUTES, nothing)),
            "p": StructureColumns(no_bounds, dict.fromkeys([*P_ATTRIBUTES, NUMBER, TAGGER], nothing)),
            "s": StructureColumns(no_bounds),
        },
    )
