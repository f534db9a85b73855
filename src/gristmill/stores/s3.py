"""Objects in S3 and stores that speak its language, by requests to s3fs that say which version is wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gristmill.stores.address import Address
from gristmill.stores.errors import ChangedError
from gristmill.stores.filesystem import filesystem_of
from gristmill.stores.patience import retried
from gristmill.stores.stored import Check, Stored

_PART_BYTES = 1 << 20
SCHEMES = frozenset({"s3", "s3a"})


class S3Object:
    """One object of S3."""

    def __init__(self, address: Address) -> None:
        self._address = address

    def describe(self) -> Stored:
        """Ask by a HEAD request what is there."""
        answer = filesystem_of(self._address).call_s3("head_object", **self._place())
        return self._stored(answer, int(answer["ContentLength"]))

    def fetch(self, begin: int, end: int, known: Stored | None, check: Check, parts: list[bytes]) -> None:
        """Get a range of the version that is known, by `If-Match`."""
        from fsspec.asyn import sync  # noqa: PLC0415 (an extra)

        files = filesystem_of(self._address)
        asked = {**self._place(), "Range": f"bytes={begin}-{end - 1}"}
        if known and known.version:
            asked["IfMatch"] = known.version
        sync(files.loop, self._get, files, asked, check, parts)

    async def _get(self, files: Any, asked: Mapping[str, str], check: Check, parts: list[bytes]) -> None:
        answer = await files._call_s3("get_object", **asked)  # noqa: SLF001 (its public form can't be awaited)
        body = answer["Body"]
        try:
            check(self._stored(answer, size_of_whole(answer.get("ContentRange"), asked["Range"], self._address)))
            while part := await body.read(_PART_BYTES):
                parts.append(part)
        finally:
            body.close()

    def close(self) -> None:
        """Nothing is held for one object: connections are shared."""

    def _place(self) -> dict[str, str]:
        bucket, key, version = filesystem_of(self._address).split_path(self._address.full)
        return {"Bucket": bucket, "Key": key, **({"VersionId": version} if version else {})}

    def _stored(self, answer: Mapping[str, Any], size: int) -> Stored:
        return Stored(self._address, size, str(answer.get("ETag") or ""), str(answer.get("ContentType") or ""))


def size_of_whole(content_range: str | None, asked: str, address: Address) -> int:
    """Read the size of an object from `Content-Range`; raises if the range is another one than was asked for."""
    unit, _, said = (content_range or "").partition(" ")
    span, _, whole = said.partition("/")
    if (
        unit != "bytes"
        or not whole.isdigit()
        or span.partition("-")[0] != asked.removeprefix("bytes=").partition("-")[0]
    ):
        raise ChangedError(f"{address} came with other bytes than were asked for ({content_range or 'no range'})")
    return int(whole)


def list_s3(bucket: Address, prefix: str) -> Iterator[Stored]:
    """List all objects of a bucket whose keys begin so, a thousand for each request, in the order of their keys."""
    files = filesystem_of(bucket)
    asked = {"Bucket": bucket.bucket, "Prefix": prefix}
    folder = bucket.join(prefix) if prefix else bucket
    while True:
        page = retried(lambda: files.call_s3("list_objects_v2", **asked), folder)
        for item in page.get("Contents", ()):
            if not item["Key"].endswith("/"):  # else it marks a folder
                address = Address(bucket.scheme, f"{bucket.bucket}/{item['Key']}")
                yield Stored(address, int(item["Size"]), item.get("ETag", ""))
        if not page.get("IsTruncated"):
            return
        asked["ContinuationToken"] = page["NextContinuationToken"]
