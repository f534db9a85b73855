"""Objects as files: read on after breaks, never short, never of two versions; from S3, web servers and other stores."""

from __future__ import annotations

import hashlib
import io
import os
import random
from pathlib import Path

import pytest
from stored_files import LARGE, noise, warc

import gristmill
from gristmill.archive import find_sources, read
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.stores import Address, StoreError, filesystem, web
from gristmill.stores.errors import ChangedError, MissingError, RefusedError
from gristmill.stores.reading import StoredFile, describe

pytest.importorskip("moto.server", reason="moto is not installed")
pytest.importorskip("s3fs", reason="s3fs is not installed")

import fsspec
from s3_server import S3, Asked, Fault, FaultyProxy

BODY = noise(24_000_000)
SECRET = "sEcReT"  # noqa: S105 (not one of anybody)


def _open(text: str) -> StoredFile:
    found = describe(Address.parse(text))
    return StoredFile(found.address, found.size, found.signature)


def _hash(file: StoredFile, size: int = 1 << 16) -> str:
    state = hashlib.sha256()
    while part := file.read(size):
        state.update(part)
    return state.hexdigest()


def _is_get(asked: Asked) -> bool:
    return asked.method == "GET"


def test_a_connection_that_breaks_costs_only_the_rest(s3: S3, faulty_s3: FaultyProxy) -> None:
    s3.bucket("broken", {"large": BODY})
    for after in (0, 1, 200_000, 3_000_000, 5_000_000, 0):
        faulty_s3.add(Fault(break_after=after, of=_is_get))
    with _open("s3://broken/large") as file:
        assert _hash(file) == hashlib.sha256(BODY).hexdigest()
    # What is on its way when a connection is reset may be lost: less than what the systems of both ends hold.
    assert faulty_s3.sent < len(BODY) + 10_000_000
    ranges = [tuple(map(int, asked.range.split("-"))) for asked in faulty_s3.asked("GET")]
    assert len(ranges) <= 16
    assert all("if-match" in asked.headers for asked in faulty_s3.asked("GET")[2:])
    assert max(end - begin + 1 for begin, end in ranges) == 1 << 23


def test_places_are_read_by_small_ranges(s3: S3, faulty_s3: FaultyProxy) -> None:
    body = BODY[:12_000_000]
    s3.bucket("sought", {"x": body})
    disk, choice = io.BytesIO(body), random.Random(7)
    with _open("s3://sought/x") as file:
        assert file.seek(-10, os.SEEK_END) == len(body) - 10
        assert file.read() == body[-10:]
        assert file.read(5) == b""
        assert faulty_s3.sent <= 1 << 18
        for _ in range(40):
            place, size = choice.randrange(len(body) + 10), choice.choice([0, 1, 100, 70_000, 600_000])
            assert file.seek(place) == disk.seek(place)
            assert file.read(size) == disk.read(size)
            assert file.seek(-3 if place > 5 else 0, os.SEEK_CUR) == disk.seek(-3 if place > 5 else 0, os.SEEK_CUR)
            assert file.read(9) == disk.read(9)
            assert file.tell() == disk.tell()
        buffer = bytearray(100)
        file.seek(4)
        assert file.readinto(buffer) == 100
        assert buffer == body[4:104]
        with pytest.raises(ValueError, match="before the beginning"):
            file.seek(-1)
        with pytest.raises(OSError, match="fileno"):
            file.fileno()


def test_fewer_bytes_than_were_asked_for(s3: S3, faulty_s3: FaultyProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    s3.bucket("short", {"x": BODY[:3_000_000]})
    faulty_s3.add(Fault(times=3, shorten_to=100_000, of=_is_get))
    with _open("s3://short/x") as file:
        assert file.read() == BODY[:3_000_000]
    monkeypatch.setenv("GRISTMILL_PATIENCE", "0.2")
    faulty_s3.add(Fault(times=10**6, shorten_to=0, of=_is_get))
    with _open("s3://short/x") as file:
        for _ in range(2):  # it does not come to life again
            with pytest.raises(StoreError, match="s3://short/x can't be reached just now"):
                file.read()
        assert isinstance(file.failure, StoreError)


def test_a_server_that_stalls(s3: S3, faulty_s3: FaultyProxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem, "READ_SECONDS", 0.3)
    monkeypatch.setattr(web, "READ_SECONDS", 0.3)
    filesystem._open.clear()
    s3.bucket("stalled", {"x": BODY[:1000]})
    for address in ("s3://stalled/x", f"{faulty_s3.endpoint}/stalled/x"):
        with _open(address) as file:
            faulty_s3.add(Fault(stall=1, of=_is_get))
            assert file.read() == BODY[:1000]
    filesystem._open.clear()


def test_an_object_that_is_replaced_while_it_is_read(s3: S3, faulty_s3: FaultyProxy) -> None:
    body = BODY[:20_000_000]
    for address in ("s3://replaced/x", f"{faulty_s3.endpoint}/replaced/x"):
        s3.bucket("replaced", {"x": body})
        with _open(address) as file:
            file.read(1000)
            s3.put("replaced", "x", body[::-1])
            with pytest.raises(ChangedError, match="has changed"):
                file.read()
        longer, gone = _open(address), _open(address)
        s3.put("replaced", "x", body + b"1")
        with pytest.raises(ChangedError), longer:
            longer.read()
        s3.client.delete_object(Bucket="replaced", Key="x")
        with pytest.raises(MissingError, match="there is no"), gone:
            gone.read()


def test_an_empty_object(s3: S3) -> None:
    s3.bucket("nothing", {"x": b""})
    for address in ("s3://nothing/x", f"{s3.endpoint}/nothing/x"):
        with _open(address) as file:
            assert file.read() == file.read(10) == b""


def test_a_file_that_is_closed_does_not_go_on_trying(s3: S3, faulty_s3: FaultyProxy) -> None:
    s3.bucket("closed", {"x": BODY[:9_000_000]})
    file = _open("s3://closed/x")
    file.read(300_000)
    faulty_s3.add(Fault(times=10**6, status=503, of=lambda asked: not asked.range.startswith("300000-")))
    file.read(1_000)  # so that what follows is asked for
    file.close()
    assert file.closed


class TestWeb:
    """Files on a web server: the S3 server answers anybody, by HTTP, if its objects are public."""

    @pytest.fixture(autouse=True)
    def _bucket(self, s3: S3) -> None:
        s3.bucket("public", {"a.warc.gz": LARGE["large.warc.gz"], "b.zip": LARGE["large.zip"], "page": b"<html><p>x"})

    @pytest.mark.parametrize("name", ["a.warc.gz", "b.zip"])
    @pytest.mark.parametrize("unranged", [False, True])
    def test_archives_are_read(self, faulty_s3: FaultyProxy, tmp_path: Path, name: str, unranged: bool) -> None:
        source = find_sources([f"{faulty_s3.endpoint}/public/{name}"])[0]
        for after in (300_000, 500_000):
            faulty_s3.add(Fault(break_after=after, unranged=unranged, of=_is_get))
        faulty_s3.add(Fault(times=10**6 if unranged else 0, unranged=True))
        bodies = [item.body for item in read(source) if isinstance(item, Page)]
        (tmp_path / name).write_bytes(LARGE[f"large.{name.partition('.')[2]}"])
        assert bodies == [item.body for item in read(find_sources([tmp_path / name])[0]) if isinstance(item, Page)]
        assert len(bodies) == 12

    def test_what_identifies_a_file(self, faulty_s3: FaultyProxy) -> None:
        address = Address.parse(f"{faulty_s3.endpoint}/public/a.warc.gz")
        etag = describe(address)
        faulty_s3.add(Fault(hidden=frozenset({"etag"})))
        time = describe(address)
        assert etag.version.startswith('"')
        assert time.version.endswith("GMT")
        assert len({etag.signature, time.signature}) == 2
        faulty_s3.add(Fault(times=10**6, hidden=frozenset({"etag", "last-modified"})))
        source = find_sources([address.full])[0]
        assert describe(address).signature == ""
        assert len(source.signature) == 32  # of its bytes
        assert len(list(read(source))) == 12

    def test_without_a_length(self, faulty_s3: FaultyProxy) -> None:
        faulty_s3.add(Fault(unranged=True, hidden=frozenset({"content-length"})))
        with pytest.raises(StoreError, match=r"does not say how long .* is: download it and give the file"):
            find_sources([f"{faulty_s3.endpoint}/public/a.warc.gz"])

    def test_pages_are_for_the_crawler(self, faulty_s3: FaultyProxy) -> None:
        with pytest.raises(UsageError, match=r"gristmill crawl http://.*/public/page -o crawl/"):
            find_sources([f"{faulty_s3.endpoint}/public/page"])

    def test_errors(self, faulty_s3: FaultyProxy, monkeypatch: pytest.MonkeyPatch) -> None:
        with pytest.raises(MissingError, match="there is no http://"):
            find_sources([f"{faulty_s3.endpoint}/public/none.warc.gz"])
        faulty_s3.add(Fault(status=401))
        with pytest.raises(RefusedError, match=r"is denied: give a link that is signed, or the name and the password"):
            find_sources([f"{faulty_s3.endpoint}/public/a.warc.gz"])
        faulty_s3.add(Fault(times=2, status=429, headers={"Retry-After": "0"}))
        assert find_sources([f"{faulty_s3.endpoint}/public/a.warc.gz"])
        monkeypatch.setenv("GRISTMILL_PATIENCE", "0")
        with pytest.raises(
            StoreError, match=r"http://127\.0\.0\.1:9/a\.warc\.gz can't be reached just now \(.*refused"
        ):
            find_sources(["http://127.0.0.1:9/a.warc.gz"])

    def test_secrets_stay_out_of_a_corpus(self, faulty_s3: FaultyProxy, tmp_path: Path) -> None:
        host = faulty_s3.endpoint.removeprefix("http://")
        address = f"http://me:{SECRET}@{host}/public/a.warc.gz?X-Amz-Signature={SECRET}&token={SECRET}"
        corpus = gristmill.build([address], tmp_path / "corpus", engine=InlineEngine())
        assert corpus.counts["pages"] == 12
        assert all(asked.headers["authorization"].startswith("Basic ") for asked in faulty_s3.log)
        assert {document.source for document in corpus.reader.pages()} == {f"{faulty_s3.endpoint}/public/a.warc.gz"}
        files = [path.read_bytes() for path in (tmp_path / "corpus").rglob("*") if path.is_file()]
        assert len(files) > 5
        assert not any(SECRET.encode() in content for content in files)
        faulty_s3.add(Fault(status=403, times=10))
        with pytest.raises(RefusedError) as caught:
            find_sources([address])
        assert SECRET not in str(caught.value)


def test_other_stores_of_fsspec() -> None:
    store = fsspec.filesystem("memory")
    store.pipe({"/shelf/a.warc.gz": warc(3, 200_000), "/shelf/b/c.html": b"<p>x", "/other": b""})
    sources = find_sources(["memory://shelf"])
    assert [(source.name, source.kind) for source in sources] == [
        ("memory://shelf/a.warc.gz", "warc"),
        ("memory://shelf/b/c.html", "page"),
    ]
    assert [type(item) for item in read(sources[0])] == [Page] * 3
    assert find_sources(["memory://shelf/*.warc.gz"]) == sources[:1]
    store.pipe("/shelf/a.warc.gz", warc(3, 200_001))
    with pytest.raises(ChangedError):
        list(read(sources[0]))
    store.rm("/shelf", recursive=True)
    with pytest.raises(MissingError, match=r"there is no memory://shelf/a\.warc\.gz"):
        list(read(sources[0]))


def test_files_on_this_machine_by_their_address(tmp_path: Path) -> None:
    (tmp_path / "a b.html").write_text("<p>x")
    [source] = find_sources([(tmp_path / "a b.html").as_uri()])
    assert source.name == (tmp_path / "a b.html").as_posix()
