"""Files on web servers, by ranges of bytes; from servers that know no ranges, by one request from the beginning.

What such a server sends goes to a temporary file, so that readers can go back in it; after a break it has to send all
of it again, of which what came before is passed over.
"""

from __future__ import annotations

import base64
import http.client
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from typing import IO, Any

from gristmill.stores.address import Address
from gristmill.stores.errors import ChangedError, StoreError
from gristmill.stores.filesystem import READ_SECONDS
from gristmill.stores.s3 import size_of_whole
from gristmill.stores.stored import Check, Stored
from gristmill.version import __version__

_PART_BYTES = 1 << 20
_EMPTY = 416
"""The status for the first byte of a file that has none."""


class WebFile:
    """One file on a web server."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._whole: _Download | None = None

    def describe(self) -> Stored:
        """Ask for the first byte: servers that refuse HEAD, and links that are signed for GET, know that."""
        try:
            with self._ask("bytes=0-0") as answer:
                return self._stored(answer, "bytes=0-0")
        except urllib.error.HTTPError as error:
            if error.code != _EMPTY:
                raise
        with self._ask("") as answer:
            return self._stored(answer, "")

    def fetch(self, begin: int, end: int, known: Stored | None, check: Check, parts: list[bytes]) -> None:
        """Get a range."""
        del known  # each answer says which version it is of
        if self._whole:
            self._whole.fetch(begin, end, check, parts)
            return
        asked = f"bytes={begin}-{end - 1}"
        answer = self._ask(asked)
        if answer.status == http.HTTPStatus.OK:  # it sends all of it
            self._whole = _Download(self, answer, self._stored(answer, asked))
            self._whole.fetch(begin, end, check, parts)
            return
        with answer:
            check(self._stored(answer, asked))
            while part := answer.read(_PART_BYTES):
                parts.append(part)

    def close(self) -> None:
        """Close what is held of a server that knows no ranges."""
        if self._whole:
            self._whole.close()
            self._whole = None

    def open_whole(self) -> tuple[Any, Stored]:
        """Ask for the file from its beginning."""
        answer = self._ask("")
        return answer, self._stored(answer, "")

    def _ask(self, byte_range: str) -> Any:
        address, user = _without_user(self._address.full)
        headers = {"User-Agent": f"gristmill/{__version__}", "Accept-Encoding": "identity"}
        if byte_range:
            headers["Range"] = byte_range
        request = urllib.request.Request(address, headers=headers)  # noqa: S310 (only addresses of the web come here)
        if user:
            request.add_unredirected_header("Authorization", f"Basic {base64.b64encode(user.encode()).decode()}")
        try:
            return urllib.request.urlopen(request, timeout=READ_SECONDS)  # noqa: S310
        except urllib.error.HTTPError as error:
            error.close()
            raise

    def _stored(self, answer: Any, asked: str) -> Stored:
        if answer.status == http.HTTPStatus.PARTIAL_CONTENT:
            size = size_of_whole(answer.headers.get("Content-Range"), asked, self._address)
        elif (said := answer.headers.get("Content-Length") or "").isdigit():
            size = int(said)
        else:
            answer.close()
            raise StoreError(f"the server does not say how long {self._address} is: download it and give the file")
        return Stored(self._address, size, _version(answer.headers), answer.headers.get_content_type())


class _Download:
    """A file that comes from its beginning to its end, as far as it was asked for."""

    def __init__(self, file: WebFile, answer: Any, stored: Stored) -> None:
        self._file = file
        self._answer: Any = answer
        self._stored = stored
        self._kept: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (`close` closes it)
        self._size = 0
        """The bytes that are kept."""

    def fetch(self, begin: int, end: int, check: Check, parts: list[bytes]) -> None:
        """Get on to the end of a range, and give it."""
        check(self._stored)
        try:
            self._get_to(min(end, self._stored.size))
        except BaseException:
            self._drop()
            raise
        self._kept.seek(begin)
        parts.append(self._kept.read(end - begin))

    def _get_to(self, end: int) -> None:
        if self._size >= end:
            return
        if self._answer is None:
            self._begin_anew()
        self._kept.seek(self._size)
        while self._size < end:
            part = self._answer.read(_PART_BYTES)
            if not part:
                raise http.client.IncompleteRead(b"", end - self._size)
            self._kept.write(part)
            self._size += len(part)

    def _begin_anew(self) -> None:
        self._answer, stored = self._file.open_whole()
        if (stored.version, stored.size) != (self._stored.version, self._stored.size):
            raise ChangedError(f"{stored.address} has changed meanwhile")
        left = self._size
        while left > 0:
            part = self._answer.read(min(left, _PART_BYTES))
            if not part:
                raise http.client.IncompleteRead(b"", left)
            left -= len(part)

    def _drop(self) -> None:
        if self._answer is not None:
            self._answer.close()
            self._answer = None

    def close(self) -> None:
        """Give up the connection and the file."""
        self._drop()
        self._kept.close()


def _version(headers: Any) -> str:
    etag = (headers.get("ETag") or "").strip()
    return etag or (headers.get("Last-Modified") or "").strip()


def _without_user(address: str) -> tuple[str, str]:
    """Take name and password out of an address; they go into a header."""
    parts = urllib.parse.urlsplit(address)
    user, mark, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=host, fragment="").geturl(), urllib.parse.unquote(user) if mark else ""
