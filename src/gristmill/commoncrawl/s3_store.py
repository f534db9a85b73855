"""Read parts of files from an S3 bucket, or from another object store that speaks the same protocol.

The endpoint of another object store, and who asks, come from the environment, as with the tools of AWS. They are not
stored, so that no folder from elsewhere can name them.
"""

from __future__ import annotations

import asyncio
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from gristmill.commoncrawl.store import Part, StoreError
from gristmill.commoncrawl.throttle import Throttle
from gristmill.errors import UsageError
from gristmill.wording import one_line

SCHEME = "s3://"
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE")
_REGION = "us-east-1"
_REFUSED = ("SLOW_DOWN", "SlowDown", "SERVICE_UNAVAILABLE", "THROTTLING", "HTTP status 503", "HTTP status 429")
_FAULTS = ("NETWORK_CONNECTION", "REQUEST_TIMEOUT", "INTERNAL_FAILURE", "HTTP status 5")
_MAX_OPEN_FILES = 256
_MAX_DETAIL_CHARACTERS = 200
_CONNECT_SECONDS = 15.0


class S3Store:
    """Files in a bucket, below `s3://bucket/` or `s3://bucket/folder/`."""

    def __init__(self, base: str, throttle: Throttle, retries: int = 4) -> None:
        self._root = base.removeprefix(SCHEME).strip("/")
        if not self._root:
            raise UsageError(f"{base!r} names no bucket (s3://commoncrawl/)")
        self._throttle = throttle
        self._retries = retries
        self._files = lru_cache(maxsize=_MAX_OPEN_FILES)(_file_system().open_input_file)

    async def read(self, path: str, start: int, length: int) -> Part:
        """Read so many bytes from an offset on; fewer only where the file ends."""
        return await self._read(path, start, length)

    async def read_end(self, path: str, length: int) -> Part:
        """Read the last bytes of a file, or all if it is shorter."""
        return await self._read(path, None, length)

    async def _read(self, path: str, start: int | None, length: int) -> Part:
        for _ in range(self._retries):
            sent = await self._throttle.turn()
            try:
                part = await asyncio.to_thread(self._part, f"{self._root}/{path}", start, length)
            except FileNotFoundError:
                raise StoreError("missing") from None
            except OSError as error:
                last = _store_error(str(error))
                if not last.may_pass:
                    raise last from error
                self._throttle.failed(str(last), sent)
            else:
                self._throttle.answered(len(part.data))
                return part
        raise last

    def _part(self, path: str, start: int | None, length: int) -> Part:
        file = self._files(path)
        total = file.size()
        first = max(0, total - length) if start is None else start
        if first >= total > 0:
            raise StoreError("range", "the file is shorter")
        data = file.read_at(min(length, total - first), first)
        if len(data) != min(length, total - first):
            raise StoreError("truncated")
        return Part(data, first, total)


def _file_system() -> Any:
    """Open the object store that the environment names; anonymously, if it says nothing of who asks."""
    from pyarrow import fs  # noqa: PLC0415 (takes long to import)

    endpoint = next((os.environ[name] for name in _ENDPOINTS if os.environ.get(name)), "")
    scheme, mark, host = endpoint.partition("://")
    return fs.S3FileSystem(
        anonymous=not (any(os.environ.get(name) for name in _CREDENTIALS) or _credentials_file().is_file()),
        region=os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or _REGION,
        scheme=scheme if mark else "https",
        endpoint_override=(host if mark else endpoint).strip("/") or None,
        connect_timeout=_CONNECT_SECONDS,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1),  # whoever waits must know of it
    )


def _credentials_file() -> Path:
    return Path(os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or Path.home() / ".aws" / "credentials")


def _store_error(message: str) -> StoreError:
    """Tell by the message of the library what has happened."""
    detail = one_line(message[:_MAX_DETAIL_CHARACTERS])
    if any(mark in message for mark in _REFUSED):
        return StoreError("refused", detail, may_pass=True)
    if "ACCESS_DENIED" in message or "HTTP status 403" in message:
        return StoreError("refused", detail)
    if any(mark in message for mark in _FAULTS):
        return StoreError("no answer", detail, may_pass=True)
    return StoreError("status", detail)
