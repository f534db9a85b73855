"""Records in a temporary file, to be read in another order than they came in; builds by site use it."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

from gristmill.scratch import scratch_folder

T = TypeVar("T")


class Spool(Generic[T]):
    """A list in a temporary file without a name, which the system removes when the process ends, however it ends.

    It is in a folder, or in the scratch space if there is one. In memory is only the offset of each record.
    """

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(prefix="spool-", suffix=".tmp", dir=scratch_folder(folder))  # noqa: SIM115 (closed on exit)
        self._places: list[int] = []
        self._end = 0

    def append(self, record: T) -> None:
        """Write a record at the end."""
        self._places.append(self._end)
        self._file.seek(self._end)
        self._end += self._file.write(pickle.dumps(record, pickle.HIGHEST_PROTOCOL))

    def __getitem__(self, number: int) -> T:
        """Read the record with this number."""
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
