"""Where the files of an archive are: an HTTP server or an S3 bucket, of which parts of files are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a file."""

    data: bytes
    start: int
    """Where in the file it begins."""
    total: int
    """Bytes of the whole file."""
    version: str = ""
    """What changes when the file does (ETag); empty if the server does not say."""


class StoreError(Exception):
    """A part of a file that can't be had. `may_pass` says that it is worth trying again another day."""

    def __init__(self, reason: str, detail: str = "", *, may_pass: bool = False) -> None:
        super().__init__(f"{reason} ({detail})" if detail else reason)
        self.reason = reason
        self.may_pass = may_pass


class Store(Protocol):
    """The files of an archive. Errors are raised as `StoreError`, after it was tried again where that helps."""

    async def read(self, path: str, start: int, length: int) -> Part:
        """Read so many bytes from an offset on; fewer only where the file ends."""

    async def read_end(self, path: str, length: int) -> Part:
        """Read the last bytes of a file, or all if it is shorter."""


REASONS = {
    "missing": "the server has no such file",
    "refused": "the server refuses it, also after waiting",
    "no answer": "no answer, also after waiting",
    "truncated": "the answer ended before its end, each time",
    "range": "the server sends something else than the part that was asked for",
    "status": "the server answers with an error",
    "changed": "the file has changed on the server",
}
"""Why a part of a file can't be had, in words."""
