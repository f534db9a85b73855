"""Uploads: a stream becomes an object of a store in one step, when it is complete, or never.

What is written goes to the store on the way, so that an upload takes little memory and no disk, whatever its size. In
S3 these are the parts of a multipart upload, which nobody sees before it is completed. In other stores it is an object
under another name.
"""

from __future__ import annotations

import base64
import hashlib
import io
import logging
import uuid
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from gristmill.errors import GristmillError
from gristmill.stores.address import Address
from gristmill.stores.errors import StoreError, problem_of
from gristmill.stores.filesystem import filesystem_of, path_of
from gristmill.stores.objects import CONFLICT, S3, BusyError, TakenError, answer_code, exists, make_parents
from gristmill.stores.patience import retried

PART_BYTES = 32 << 20
"""The size of the parts of an upload; all but the last are of one size, as some stores want it."""
_MAX_PARTS = 10_000
_PARTS_UNDER_WAY = 2
"""Parts that are sent while the next one is written."""
_MARK = "gristmill"
"""The key of the metadata by which an upload knows its object again."""
_GARBLED = frozenset({"BadDigest", "IncompleteBody", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch"})
"""Codes of S3 for a body that does not fit its hash or its size."""
_log = logging.getLogger(__name__)


class Upload(ABC):
    """A stream of bytes that is to become an object; without `commit` there is none in the end."""

    def __init__(self, address: Address) -> None:
        """Begin an upload to an address."""
        self.address = address
        self.size = 0
        """Bytes that were written so far."""

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Write some bytes."""

    @abstractmethod
    def hold(self) -> None:
        """Send all that is left, so that nothing of it is in memory; nobody sees it yet."""

    @abstractmethod
    def commit(self, *, replace: bool) -> None:
        """Make it an object; raises `TakenError` if there is one and it is not to be replaced."""

    @abstractmethod
    def abort(self) -> None:
        """Remove what was sent, unless it has become an object."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abort()


def begin_upload(address: Address) -> Upload:
    """Begin an upload to an address; use it in a `with`, which removes what was sent and not committed."""
    return _S3Upload(address) if address.scheme in S3 else _DraftUpload(address)


class UploadStream(io.RawIOBase):
    """An upload as a file to write to; closing it does not commit."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload

    def writable(self) -> bool:
        """Whether it can be written to: it can."""
        return True

    def write(self, data: Any, /) -> int:
        """Write some bytes."""
        given = bytes(data)
        self._upload.write(given)
        return len(given)


class _S3Upload(Upload):
    """A multipart upload, or one request for what is small."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._fs = filesystem_of(address)
        bucket, key, _ = self._fs.split_path(path_of(address))
        self._place = {"Bucket": bucket, "Key": key}
        self._mark = uuid.uuid4().hex
        self._rest = bytearray()
        self._id = ""
        self._sent: list[str] = []
        """The ETags of the parts, as far as they are known."""
        self._pool: ThreadPoolExecutor | None = None
        self._under_way: deque[Future[str]] = deque()

    def write(self, data: bytes) -> None:
        self._rest += data
        self.size += len(data)
        while len(self._rest) >= PART_BYTES:
            self._send(bytes(self._rest[:PART_BYTES]))
            del self._rest[:PART_BYTES]

    def hold(self) -> None:
        if self._rest or not self._id:
            self._send(bytes(self._rest))
            self._rest.clear()
        while self._under_way:
            self._sent.append(self._under_way.popleft().result())

    def commit(self, *, replace: bool) -> None:
        condition = {} if replace else {"IfNoneMatch": "*"}
        if self._id:
            self.hold()
            parts = [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(self._sent, 1)]
            self._finish("complete_multipart_upload", condition, UploadId=self._id, MultipartUpload={"Parts": parts})
            self._id = ""
        else:
            data = bytes(self._rest)
            self._finish("put_object", condition, Body=data, ContentMD5=_md5(data), Metadata={_MARK: self._mark})
        self._clear()

    def abort(self) -> None:
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)
        upload, self._id = self._id, ""
        if upload:
            self._abort(upload)

    def _send(self, part: bytes) -> None:
        """Send a part, in the background; wait if enough of them are under way."""
        if not self._id:
            about = {_MARK: self._mark}
            self._id = str(self._call("create_multipart_upload", Metadata=about)["UploadId"])
            self._pool = ThreadPoolExecutor(_PARTS_UNDER_WAY)
        while len(self._under_way) >= _PARTS_UNDER_WAY:
            self._sent.append(self._under_way.popleft().result())
        number = len(self._sent) + len(self._under_way) + 1
        if number > _MAX_PARTS:
            raise GristmillError(
                f"{self.address} would be larger than {_MAX_PARTS * PART_BYTES / 1e9:.0f} GB: write several files, "
                "such as with --shard-size 10GB"
            )
        assert self._pool is not None
        self._under_way.append(self._pool.submit(self._send_now, number, self._id, part))

    def _send_now(self, number: int, upload: str, part: bytes) -> str:
        about = {"UploadId": upload, "PartNumber": number, "ContentMD5": _md5(part)}
        try:
            return str(self._call("upload_part", Body=part, **about)["ETag"])
        except StoreError as error:
            if answer_code(error.__cause__) == "NoSuchUpload":  # who was faster has cleared it away
                raise _taken(self.address) from error
            raise

    def _call(self, method: str, **arguments: Any) -> Any:
        return retried(lambda: self._request(method, arguments), self.address)

    def _request(self, method: str, arguments: dict[str, Any]) -> Any:
        """Make a request; what did not arrive as it was sent can be sent again."""
        try:
            return self._fs.call_s3(method, **self._place, **arguments)
        except Exception as error:
            if answer_code(error) not in _GARBLED:
                raise
        raise BusyError(f"what came to {self.address} is not what was sent")

    def _finish(self, method: str, condition: dict[str, str], **arguments: Any) -> None:
        """Make the request that makes the object.

        If its answer gets lost, the next attempt is refused, since the object is there or the upload is gone: then the
        object's mark says whether it is this one.
        """

        def attempt() -> None:
            try:
                self._request(method, arguments | condition)
            except Exception as error:
                code = answer_code(error)
                if code in {"PreconditionFailed", "412", "NoSuchUpload"}:
                    if self._is_mine():
                        return
                    raise _taken(self.address) from error
                if condition and code in {"NotImplemented", "501"}:
                    _log.warning("%s: the store does not know conditional requests", self.address)
                    if exists(self.address):
                        raise _taken(self.address) from error
                    condition.clear()
                elif code != CONFLICT:
                    raise
            else:
                return
            raise BusyError(f"{self.address} is not written yet")

        retried(attempt, self.address)

    def _is_mine(self) -> bool:
        try:
            found = self._fs.call_s3("head_object", **self._place)
        except FileNotFoundError:
            return False
        return bool(found.get("Metadata", {}).get(_MARK) == self._mark)

    def _clear(self) -> None:
        """Abort other uploads of the same object, which killed processes have left: their parts cost money."""
        own = self._place["Key"]
        _abort_uploads(self.address, own, lambda key: key == own)

    def _abort(self, upload: str) -> None:
        try:
            self._call("abort_multipart_upload", UploadId=upload)
        except StoreError as error:  # what was wrong before is being raised; the next upload tries again
            _log.info("an unfinished upload is left: %s", error)


class _DraftUpload(Upload):
    """An object under another name, which is moved to its own when it is complete."""

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self._fs, self._path = filesystem_of(address), path_of(address)
        self._draft = f"{self._path}.{uuid.uuid4().hex}.tmp"
        make_parents(address)
        self._file: Any = self._told(lambda: self._fs.open(self._draft, "wb"))
        self._done = False

    def write(self, data: bytes) -> None:
        self._told(lambda: self._file.write(data))
        self.size += len(data)

    def hold(self) -> None:
        self._told(self._file.close)

    def commit(self, *, replace: bool) -> None:
        self.hold()
        if not replace and exists(self.address):
            raise _taken(self.address)
        self._told(lambda: self._fs.mv(self._draft, self._path))
        self._done = True

    def abort(self) -> None:
        if not self._done:
            try:
                self._file.close()
                self._fs.rm_file(self._draft)
            except Exception as error:  # noqa: BLE001 (what was wrong before is being raised)
                _log.info("an unfinished upload is left at %s: %s", self._draft, error)

    def _told(self, action: Callable[[], Any]) -> Any:
        try:
            return action()
        except Exception as error:
            raise problem_of(error, self.address).error from error


def abort_uploads(folder: Address, chosen: Callable[[str], bool]) -> None:
    """Abort unfinished uploads to S3 below a folder, chosen by their names there, which killed processes have left."""
    if folder.scheme in S3:
        base = filesystem_of(folder).split_path(path_of(folder))[1].rstrip("/") + "/"
        _abort_uploads(folder, base, lambda key: chosen(key.removeprefix(base)))


def _abort_uploads(address: Address, prefix: str, chosen: Callable[[str], bool]) -> None:
    """Abort unfinished uploads whose keys begin with a prefix; where that is not allowed, they are left."""
    fs = filesystem_of(address)
    bucket = fs.split_path(path_of(address))[0]
    after: dict[str, str] = {}

    def call(method: str, **arguments: str) -> Any:
        return retried(lambda: fs.call_s3(method, Bucket=bucket, **arguments), address)

    try:
        while True:
            answer = call("list_multipart_uploads", Prefix=prefix, **after)
            for item in answer.get("Uploads", []):
                if chosen(item["Key"]):
                    call("abort_multipart_upload", Key=item["Key"], UploadId=item["UploadId"])
            if not answer.get("IsTruncated"):
                return
            after = {"KeyMarker": answer["NextKeyMarker"], "UploadIdMarker": answer["NextUploadIdMarker"]}
    except StoreError as error:
        _log.info("unfinished uploads are left: %s", error)


def _taken(address: Address) -> TakenError:
    return TakenError(f"{address} is there already: another program has written it meanwhile")


def _md5(data: bytes) -> str:
    """The hash by which the store checks what it got."""
    return base64.b64encode(hashlib.md5(data, usedforsecurity=False).digest()).decode()
