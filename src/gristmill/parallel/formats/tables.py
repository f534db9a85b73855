"""Sentence pairs as rows of a table: TSV, JSON lines and Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.parallel.formats.registry import Languages, TextFormat, Write
from gristmill.parallel.formats.values import DECIMALS, columns, one_line, places
from gristmill.parallel.reader import FOUND_SCHEMA, FoundBeads, ParallelCorpus
from gristmill.parallel.records import SIDES
from gristmill.registry import part

TSV_COLUMNS = ("score", "source_text", "target_text", "source_url", "target_url", "source_place", "target_place", "id")
"""Names of the columns of TSV."""
_ROW_GROUP_BEADS = 1 << 16
_LANGUAGES = tuple(f"{side}_language" for side in SIDES)
SCHEMA: pa.Schema = pa.schema(
    [*(field for field in FOUND_SCHEMA if field.name != "pair"), *(pa.field(name, pa.string()) for name in _LANGUAGES)]
)
"""The columns of Parquet and the fields of JSON lines: those of beads, and the languages of the sides."""


def _tsv_head(languages: Languages) -> str:
    del languages
    return "\t".join(TSV_COLUMNS) + "\n"


def _tsv(found: FoundBeads, languages: Languages) -> Iterator[str]:
    """Texts have no tabs or line ends in them, so nothing is quoted."""
    del languages
    known = columns(found, "source_text", "target_text", "source_url", "target_url")
    where = (places(found, side) for side in SIDES)
    for texts, (score, bead), *at in zip(known, columns(found, "score", "id"), *where, strict=True):
        yield "\t".join([f"{score:.4f}", *map(one_line, texts), *at, bead]) + "\n"


def _nothing(languages: Languages) -> str:
    del languages
    return ""


def _jsonl(found: FoundBeads, languages: Languages) -> Iterator[str]:
    """Scores are rounded, so that single precision does not show."""
    table = _table(found, languages)
    for values in zip(*map(_values, table.columns), strict=True):
        yield json.dumps(dict(zip(SCHEMA.names, values, strict=True)), ensure_ascii=False) + "\n"


def _values(column: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_floating(column.type):
        return list(np.round(column.to_numpy().astype(np.float64), DECIMALS).tolist())
    return list(column.to_pylist())


def _table(found: FoundBeads, languages: Languages) -> pa.Table:
    """Make rows of beads, with the languages of their sides."""
    beads = dict(zip(found.beads.schema.names, found.beads.columns, strict=True))
    beads |= {name: pa.repeat(pa.scalar(lang), len(found)) for name, lang in zip(_LANGUAGES, languages, strict=True)}
    return pa.table([beads[name] for name in SCHEMA.names], schema=SCHEMA)


@dataclass(frozen=True, slots=True)
class ParquetFormat:
    """Writes row groups of some ten thousand beads, in which each column is compressed for itself."""

    suffixes: tuple[str, ...] = (".parquet",)
    compressible: bool = False

    def files(self, name: str, languages: Languages) -> list[str]:
        """One file, of that name."""
        del languages
        return [name]

    @contextmanager
    def writer(self, streams: Sequence[BinaryIO], corpus: ParallelCorpus) -> Iterator[Write]:
        """Write a row group at a time; which beads are in it does not depend on how they come."""
        waiting: list[pa.Table] = []
        with pq.ParquetWriter(pa.PythonFile(streams[0], "w"), SCHEMA, compression="zstd") as file:

            def flush(least: int) -> None:
                while waiting and sum(table.num_rows for table in waiting) >= least:
                    whole = pa.concat_tables(waiting)
                    file.write_table(whole.slice(0, _ROW_GROUP_BEADS))
                    waiting[:] = [whole.slice(_ROW_GROUP_BEADS)] if whole.num_rows > _ROW_GROUP_BEADS else []

            def write(found: FoundBeads) -> None:
                waiting.append(_table(found, corpus.languages))
                flush(_ROW_GROUP_BEADS)

            yield write
            flush(1)

    def beside(self, names: Sequence[str], languages: Languages) -> dict[str, str]:
        """Nothing: a Parquet file says itself what is in it."""
        del names, languages
        return {}


part("format of sentence pairs", "tsv")(TextFormat(_tsv, (".tsv",), _tsv_head))
part("format of sentence pairs", "jsonl")(TextFormat(_jsonl, (".jsonl",), _nothing))
part("format of sentence pairs", "parquet")(ParquetFormat())
