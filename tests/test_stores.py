"""Addresses, the stores behind them, and what their errors mean: against a real S3 server on loopback."""

from __future__ import annotations

import logging
import time

import pytest

from gristmill.errors import UsageError
from gristmill.stores import Address, StoreError, filesystem_of, is_address, retried
from gristmill.stores.errors import ChangedError, MissingError, RefusedError
from gristmill.stores.filesystem import path_of

pytest.importorskip("moto.server", reason="moto is not installed")
pytest.importorskip("s3fs", reason="s3fs is not installed")

from fsspec.asyn import sync
from s3_server import S3, Fault, FaultyProxy

SIGNED = "https://me:pw@host.example/a%20b/x.warc.gz?id=7&X-Amz-Credential=AK&X-Amz-Signature=abc#part"


@pytest.mark.parametrize("text", ["s3://bucket/key", "GS://b/k", "https://example.org/a", "abfs://c@a/x", "memory://x"])
def test_addresses(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize("text", ["C:\\pages\\x.warc", "C:/pages", "s3:/x", "pages/a.html", "", "//host/x"])
def test_paths_are_no_addresses(text: str) -> None:
    assert not is_address(text)


def test_parts_of_an_address() -> None:
    address = Address.parse("S3://bucket/a/b%20c?/d#1.warc.gz")
    assert (address.scheme, address.bucket, address.key) == ("s3", "bucket", "a/b%20c?/d#1.warc.gz")
    assert (address.name, str(address.parent)) == ("d#1.warc.gz", "s3://bucket/a/b%20c?")
    assert str(Address.parse("s3://bucket").parent) == "s3://bucket"
    assert str(Address.parse("s3://bucket/a/").join("shards", "00000/")) == "s3://bucket/a/shards/00000"
    assert str(address) == address.full


def test_secrets_are_in_requests_only() -> None:
    address = Address.parse(SIGNED)
    assert address.full == SIGNED
    assert str(address) == "https://host.example/a%20b/x.warc.gz?id=7"
    assert repr(address) == f"Address('{address}')"
    assert (address.bucket, address.name) == ("host.example", "x.warc.gz")
    assert address.parent.full == SIGNED.replace("/x.warc.gz", "")
    assert address.join("y").full == SIGNED.replace(".gz", ".gz/y")


def test_wrong_addresses() -> None:
    with pytest.raises(UsageError, match="no address such as"):
        Address.parse("s3://")
    with pytest.raises(UsageError, match=r"^s3://bucket/x is given with credentials in it") as caught:
        Address.parse("s3://AKIA:secret@bucket/x")
    assert "secret@" not in str(caught.value)
    with pytest.raises(UsageError, match="no store is known by nostore://"):
        filesystem_of(Address.parse("nostore://a/b"))
    with pytest.raises(UsageError, match="abfs://container/b needs a library: pip install 'adlfs'"):
        filesystem_of(Address.parse("abfs://me@container/b"))


def test_a_file_system_sees_what_is_new(s3: S3) -> None:
    bucket = Address.parse(s3.bucket("fresh"))
    files = filesystem_of(bucket)
    assert files.ls(path_of(bucket)) == []
    s3.put("fresh", "a/b.txt", b"x")
    assert files.find(path_of(bucket)) == ["fresh/a/b.txt"]
    assert filesystem_of(bucket.join("a")) is files


def _read(address: Address) -> bytes:
    files = filesystem_of(address)
    body = files.call_s3("get_object", Bucket=address.bucket, Key=address.key)["Body"]
    try:
        return bytes(sync(files.loop, body.read))
    finally:
        body.close()


def test_what_passes_is_tried_again(s3: S3, faulty_s3: FaultyProxy, caplog: pytest.LogCaptureFixture) -> None:
    address = Address.parse(s3.bucket("throttled", {"x": b"abc"})).join("x")
    faulty_s3.add(Fault(times=2, status=503))
    faulty_s3.add(Fault(status=500, code="InternalError"))
    faulty_s3.add(Fault(break_after=1))
    with caplog.at_level(logging.INFO, "gristmill"):
        assert retried(lambda: _read(address), address) == b"abc"
    assert [record.getMessage().partition(" (")[2].partition(")")[0] for record in caplog.records][:3] == [
        "the store answers 503 SlowDown",
        "the store answers 503 SlowDown",
        "the store answers 500 InternalError",
    ]
    assert len(faulty_s3.asked("GET", "/throttled/x")) == 5


def test_a_server_says_when_to_come_again(s3: S3, faulty_s3: FaultyProxy) -> None:
    address = Address.parse(s3.bucket("later", {"x": b"abc"})).join("x")
    faulty_s3.add(Fault(status=503, headers={"Retry-After": "1"}))
    begun = time.monotonic()
    assert retried(lambda: _read(address), address) == b"abc"
    assert time.monotonic() - begun >= 1
    faulty_s3.add(Fault(status=503, headers={"Retry-After": "1000"}))
    with pytest.raises(StoreError, match="can't be reached just now"):
        retried(lambda: _read(address), address)


def test_patience_ends(s3: S3, faulty_s3: FaultyProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    address = Address.parse(s3.bucket("slow", {"x": b"abc"})).join("x")
    faulty_s3.add(Fault(times=1000, status=503))
    monkeypatch.setenv("GRISTMILL_PATIENCE", "0.5")
    message = r"^s3://slow/x can't be reached just now \(the store answers 503 SlowDown\); run the same command again"
    with pytest.raises(StoreError, match=message):
        retried(lambda: _read(address), address)
    assert 2 <= len(faulty_s3.asked("GET")) <= 4
    monkeypatch.setenv("GRISTMILL_PATIENCE", "long")
    with pytest.raises(UsageError, match="should be a number of seconds"):
        retried(lambda: _read(address), address)


@pytest.mark.parametrize(
    ("status", "code", "kind", "message"),
    [
        (403, "InvalidAccessKeyId", RefusedError, "does not accept these credentials for s3://faulty/x"),
        (403, "AccessDenied", RefusedError, r"access to s3://faulty/x is denied \(AccessDenied\): set AWS_ACCESS_KEY"),
        (400, "ExpiredToken", RefusedError, "are no longer valid: get new ones"),
        (403, "RequestTimeTooSkewed", RefusedError, "the clock of this machine is wrong"),
        (412, "PreconditionFailed", ChangedError, "s3://faulty/x has changed meanwhile"),
        (416, "InvalidRange", ChangedError, "shorter than it was"),
        (400, "Strange", StoreError, "answers 400 Strange"),
    ],
)
def test_what_does_not_pass(
    s3: S3, faulty_s3: FaultyProxy, status: int, code: str, kind: type[StoreError], message: str
) -> None:
    address = Address.parse(s3.bucket("faulty", {"x": b"abc"})).join("x")
    faulty_s3.add(Fault(status=status, code=code))
    with pytest.raises(kind, match=message):
        retried(lambda: _read(address), address)
    assert len(faulty_s3.asked("GET")) == 1


def test_what_is_not_there(s3: S3, monkeypatch: pytest.MonkeyPatch) -> None:
    s3.bucket("empty")
    missing = Address.parse("s3://empty/x")
    with pytest.raises(MissingError, match=r"^there is no s3://empty/x$"):
        retried(lambda: _read(missing), missing)
    nowhere = Address.parse("s3://nobody-has-this/x")
    with pytest.raises(MissingError, match=r"^there is no bucket nobody-has-this \(s3://nobody-has-this/x\); check"):
        retried(lambda: _read(nowhere), nowhere)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(RefusedError, match=r"^no credentials for s3://empty/x: set AWS_ACCESS_KEY_ID and"):
        retried(lambda: _read(missing), missing)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    with pytest.raises(StoreError, match="can't be reached just now"):
        retried(lambda: _read(missing), missing, seconds=0.1)
