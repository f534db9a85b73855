"""Read documents with known clusters of duplicates from a user's files, for `gristmill evaluate dedup`.

A file is JSON lines or Parquet with `id`, `text` (a block a line) and `cluster` (a name or a number; a document without
one is alone).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from gristmill.errors import UsageError
from gristmill.evaluation.near_duplicates.record import Made, MadeBlock
from gristmill.language import identify

_COLUMNS = ("id", "text", "cluster")
_PARQUET = b"PAR1"


def read_clusters(paths: Sequence[Path]) -> list[Made]:
    """Read the documents of all files; ids and names of clusters hold for all of them together."""
    ids: set[str] = set()
    names: dict[Any, int] = {}
    documents = []
    for path in paths:
        before = len(ids)
        for where, row in _rows(path):
            identity = str(row["id"])
            if identity in ids:
                raise UsageError(f"{where}: there is another document with the id {identity!r}")
            ids.add(identity)
            name = (identity,) if row["cluster"] in {None, ""} else str(row["cluster"])
            documents.append(_document(identity, _text(row, where), names.setdefault(name, len(names))))
        if len(ids) == before:
            raise UsageError(f"{path} has no documents")
    return documents


def _document(identity: str, text: str, cluster: int) -> Made:
    blocks = tuple(MadeBlock(line, -1) for line in map(str.strip, text.splitlines()) if line)
    return Made(identity, blocks, "given", cluster, lang=identify(text).lang)


def _text(row: dict[str, Any], where: str) -> str:
    """The text of a row, without lone surrogates, which can't be stored."""
    if not isinstance(row["text"], str):
        raise UsageError(f"{where}: text must be text, not {type(row['text']).__name__}")
    return row["text"].encode("utf-8", "replace").decode()


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the rows of a file, each with its name for messages."""
    try:
        with path.open("rb") as file:
            is_parquet = file.read(len(_PARQUET)) == _PARQUET
        yield from _parquet_rows(path) if is_parquet else _json_rows(path)
    except FileNotFoundError:
        raise UsageError(f"there is no file {str(path)!r}") from None
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        raise UsageError(f"can't read {path} as JSON lines or Parquet: {str(error).splitlines()[0]}") from error


def _parquet_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with pq.ParquetFile(path) as file:
        missing = [name for name in _COLUMNS if name not in file.schema_arrow.names]
        if missing:
            raise UsageError(f"{path} has no column {', '.join(missing)} (it must have {', '.join(_COLUMNS)})")
        number = 0
        for batch in file.iter_batches(columns=list(_COLUMNS)):
            for row in batch.to_pylist():
                number += 1
                yield f"{path}, row {number}", row


def _json_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            where = f"{path}, line {number}"
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                raise UsageError(f"{where}: this is not JSON (and the file is not Parquet)") from None
            missing = [name for name in _COLUMNS if name not in row] if isinstance(row, dict) else list(_COLUMNS)
            if missing:
                raise UsageError(f"{where}: there is no {', '.join(missing)} (a line must have {', '.join(_COLUMNS)})")
            yield where, row
