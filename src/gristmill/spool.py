"""Records that are put aside on disk, to be read again in another order than they came in."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class Spool(Generic[T]):
    """A list in a temporary file without a name, which goes with the process however that ends.

    Memory: two numbers a record.
    """

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(prefix="spool-", suffix=".tmp", dir=folder)  # noqa: SIM115 (closed on exit)
        self._places: list[int] = []
        self._end = 0

    def append(self, record: T) -> None:
        """Put a record aside."""
        self._places.append(self._end)
        self._file.seek(self._end)
        self._end += self._file.write(pickle.dumps(record, pickle.HIGHEST_PROTOCOL))

    def __getitem__(self, number: int) -> T:
        """The record that was put aside as that one."""
        self._file.seek(self._places[number])
        record: T = pickle.load(self._file)  # noqa: S301 (nobody else can have written it)
        return record

    def __len__(self) -> int:
        return len(self._places)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
