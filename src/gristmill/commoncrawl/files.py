"""Fetch whole files of an archive: in parts, under a hidden name until they are complete."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import aclosing
from pathlib import Path

from gristmill import drafts
from gristmill.archive.crawls import has_pages
from gristmill.commoncrawl.capture import Capture, is_path
from gristmill.commoncrawl.captures import Captures, Entry
from gristmill.commoncrawl.ordered import in_order
from gristmill.commoncrawl.piece import Piece
from gristmill.commoncrawl.store import Part, Store, StoreError
from gristmill.crawling.folder import Log
from gristmill.progress import Advance

_PART_BYTES = 8_000_000
_MAX_FILE_BYTES = 100_000_000_000


def piece_of_paths(step: str, lines: Iterable[str], base: str) -> Piece:
    """Make captures of a list of files: paths, or addresses below that of the store."""
    piece = Piece(step)
    names: set[str] = set()
    for line in lines:
        path = line.removeprefix(base if base.endswith("/") else f"{base}/").lstrip("/")
        name = Path(path).name
        if is_path(path) and has_pages(Path(name)) and name not in names:
            names.add(name)
            piece.captures.append(Capture(path, path, "", filename=path))
        else:
            piece.refused["path"] += 1
    return piece


class FileFetcher:
    """Fetches whole files into a folder."""

    def __init__(self, folder: Path, captures: Captures, log: Log, advance: Advance) -> None:
        self._folder = folder
        self._captures = captures
        self._log = log
        self._advance = advance

    async def fetch(self, store: Store, parallel: int) -> None:
        """Fetch all files that are wanted, so many at a time."""
        jobs = (self._fetch(store, entry) for entry in self._captures.waiting())
        try:
            async with aclosing(in_order(jobs, parallel)) as files:
                async for _ in files:
                    self._log.flush()
        finally:
            self._log.flush()

    async def _fetch(self, store: Store, entry: Entry) -> None:
        path = entry.capture.filename
        name = Path(path).name
        outcome = "stored"
        if not (self._folder / name).exists():  # or else it was killed right after it had got its name
            try:
                await self._download(store, path, self._folder / f".{name}.part")
            except StoreError as error:
                outcome = error.reason
                if not (self._folder / f".{name}.part").stat().st_size:
                    (self._folder / f".{name}.part").unlink()
            else:
                drafts.commit(self._folder / f".{name}.part", self._folder / name)
        self._captures.settle_file(entry.place, "" if outcome == "stored" else outcome)
        self._log.write(time.time(), outcome, path)
        self._advance(1)

    async def _download(self, store: Store, path: str, draft: Path) -> None:
        """Read a file part by part, from where it was left; again from its start if it has changed since."""
        with draft.open("ab") as file:
            size = file.tell()
            known = self._captures.steps.get(f"file {path}")
            if size and known is None:
                file.truncate(0)
                size = 0
            total = json.loads(known)[0] if known else size + 1
            while size < total:
                part = await store.read(path, size, _PART_BYTES)
                if known is None:
                    known = self._note(path, part)
                if json.loads(known) != [part.total, part.version]:
                    self._captures.forget(f"file {path}")
                    raise StoreError("changed")
                file.write(part.data)
                file.flush()
                size, total = size + len(part.data), part.total
            if size != total:
                self._captures.forget(f"file {path}")
                raise StoreError("truncated")

    def _note(self, path: str, part: Part) -> str:
        if part.total > _MAX_FILE_BYTES:
            raise StoreError("range", "the file is too long")
        value = json.dumps([part.total, part.version])
        self._captures.note(f"file {path}", value)
        return value
