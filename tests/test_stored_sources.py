"""Archives in an object store give what the same files on disk give, or an error: never less."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import run
from stored_files import LARGE, TEXT, warc

import gristmill
from gristmill import sample
from gristmill.archive import Skip, Source, find_sources, read
from gristmill.archive.place import read_at
from gristmill.consent import Named, forget, remembered
from gristmill.corpus import CorpusReader
from gristmill.corpus.originals import NoOriginalError, read_original
from gristmill.document import Document, Page
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.stores import StoreError
from gristmill.stores.errors import ChangedError, MissingError

pytest.importorskip("moto.server", reason="moto is not installed")
pytest.importorskip("s3fs", reason="s3fs is not installed")

from moto.s3.models import s3_backends
from s3_server import S3, Fault, FaultyProxy

ENGINE = InlineEngine()


def given(items: Iterator[Page | Skip]) -> list[Any]:
    """What is read, without the name of the source."""
    return [
        (type(item), item.offset, item.url.rpartition("/")[2], getattr(item, "body", getattr(item, "reason", "")))
        for item in items
    ]


def names(sources: list[Source], before: str) -> list[str]:
    return [source.name.removeprefix(before) for source in sources]


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what does not work fail soon."""
    monkeypatch.setenv("GRISTMILL_PATIENCE", "0.15")


def test_all_kinds_are_read_as_from_disk(s3: S3, tmp_path: Path) -> None:
    s3.bucket("large", LARGE)
    for name, body in LARGE.items():
        (tmp_path / name).write_bytes(body)
    on_disk, stored = find_sources([tmp_path]), find_sources(["s3://large"])
    assert [(source.kind, source.size) for source in stored] == [(source.kind, source.size) for source in on_disk]
    assert names(stored, "s3://large/") == names(on_disk, f"{tmp_path.as_posix()}/")
    for one, other in zip(stored, on_disk, strict=True):
        assert given(read(one)) == given(read(other))
        for page in [item for item in read(other) if isinstance(item, Page)][-1:]:
            found = read_at(one, page.source.replace(other.name, one.name), page.offset)
            assert isinstance(found, Page)
            assert found.body == page.body


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.usefixtures("impatient")
def test_a_store_that_fails_is_no_broken_file(s3: S3, faulty_s3: FaultyProxy, name: str) -> None:
    s3.bucket("large", {name: LARGE[name]})
    source = find_sources([f"s3://large/{name}"])[0]
    faulty_s3.clear()
    whole = len(list(read(source)))
    requests = len(faulty_s3.asked("GET"))
    assert requests > 1
    for good in range(requests):  # so many requests work, and none from then on
        faulty_s3.clear()
        faulty_s3.add(Fault(times=good))
        faulty_s3.add(Fault(times=10**6, status=503))
        items: list[Page | Skip] = []
        with pytest.raises(StoreError, match=f"s3://large/{name} can't be reached"):
            items.extend(read(source))
        assert len(items) < whole
        assert not any(isinstance(item, Skip) and item.reason == "broken" for item in items)
    with pytest.raises(StoreError, match="can't be reached"):
        read_at(source, source.name, 0)


@pytest.mark.parametrize("start", [0, 3])
def test_damaged_archives_are_read_as_from_disk(s3: S3, tmp_path: Path, start: int) -> None:
    data = bytearray(warc(30, 60_000))
    for place in random.Random(start).sample(range(len(data)), 12):
        data[place] ^= 0xFF
    data[:start] = b"???"[:start]
    (tmp_path / "a.warc.gz").write_bytes(data)
    plain = [warc(3, 200_000, compress=False), warc(9, compress=False)]
    (tmp_path / "b.warc").write_bytes(b"junk\r\n".join(plain)[start:])
    s3.bucket("damaged", {path.name: path.read_bytes() for path in tmp_path.iterdir()})
    for one, other in zip(find_sources(["s3://damaged"]), find_sources([tmp_path]), strict=True):
        found = given(read(one))
        assert found == given(read(other))
        assert any(item[3] == "broken" for item in found)


def _folder(folder: Path) -> Path:
    """A folder of an archive and a page."""
    (folder / "sub").mkdir(parents=True)
    shutil.copy(sample.WARC, folder / "sub" / "a.warc.gz")
    (folder / "z.html").write_text(f"<p>{TEXT}")
    return folder


def _documents(corpus: gristmill.Corpus) -> list[Document]:
    found = [document for shard in corpus.shards for document in shard.read_documents()]
    for document in found:
        document.source = document.source.rpartition("/")[2]
        document.url = document.url.rpartition("/")[2] if document.url.startswith("file:") else document.url
    return found


def test_a_corpus_is_the_same_as_from_disk(s3: S3, tmp_path: Path) -> None:
    folder = _folder(tmp_path / "given")
    s3.bucket("same", {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.*")})
    on_disk = gristmill.build([folder], tmp_path / "disk", engine=ENGINE)
    stored = gristmill.build(["s3://same"], tmp_path / "store", engine=ENGINE)
    assert stored.counts == on_disk.counts
    assert _documents(stored) == _documents(on_disk)
    notes: list[str] = []
    s3.put("same", "more/b.html", f"<p>{TEXT[::-1]}".encode())
    stored = gristmill.add(stored, ["s3://same"], engine=ENGINE, notes=lambda note: notes.append(str(note)))
    assert notes == ["already there: s3://same/sub/a.warc.gz", "already there: s3://same/z.html"]
    assert stored.counts["pages"] == on_disk.counts["pages"] + 1


def test_the_command(s3: S3, faulty_s3: FaultyProxy, tmp_path: Path) -> None:
    s3.bucket("used", {"a.warc.gz": warc(3), "b.warc.gz": warc(4, 200_000)})
    faulty_s3.add(Fault(times=10**6, status=503, of=lambda asked: "b.warc.gz" in asked.path))
    build = ["build", "s3://used/*.warc.gz", "-o", str(tmp_path / "corpus"), "--workers", "2"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRISTMILL_PATIENCE", "0.2")
        failed = run(*build)
    assert failed.returncode == 1
    assert "building: 1 of 2 shards failed:" in failed.stderr.decode()
    said = "shard 00001 (s3://used/b.warc.gz): s3://used/b.warc.gz can't be reached just now"
    assert said in " ".join(failed.stderr.decode().split())
    assert [path.parent.name for path in tmp_path.glob("corpus/shards/*/documents.parquet")] == ["00000"]
    faulty_s3.clear()
    assert run(*build).returncode == 0
    assert not faulty_s3.asked("GET", "a.warc.gz")
    assert gristmill.Corpus(tmp_path / "corpus").counts["pages"] == 7


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("s3://nobody-has-this/x", "there is no bucket nobody-has-this"),
        ("s3://listed/nothing", "there is no file or folder s3://listed/nothing"),
        ("s3://listed/*.nothing", "there is no file or folder"),
        ("s3://", "is no address such as"),
        ("s3://key:secret@listed/x", r"^s3://listed/x is given with credentials"),
        ("strange://listed/x", "no store is known by strange://"),
        ("https://a.example/", "gristmill crawl https://a.example/ -o crawl/"),
        ("s3:/listed/x", "give it as text"),
    ],
)
def test_wrong_addresses(s3: S3, address: str, message: str) -> None:
    s3.bucket("listed", {"x": b""})
    with pytest.raises(UsageError, match=message):
        find_sources([address])


FILES = [
    "a-b/c.html",
    "a/b.html",
    "a/.hidden.html",
    ".git/x.html",
    "a/c/d.warc.gz",
    "e[1].txt",
    "a.b/x.html",
    "ä/ö.html",
]
CRAWL = ["k/crawl.toml", "k/pages-00000.warc.gz", "k/log.txt", "k/more/part.warc.gz", "k/more/state.db"]


def _content(name: str) -> bytes:
    return warc(1) if name.endswith(".gz") else b"<p>x" if not name.endswith("/") else b""


@pytest.mark.parametrize(
    "pattern",
    ["", "/", "/a", "/a/", "/a/*", "/*", "/**/*.html", "/*/b.html", "/a*", "/[a-e]*/?.html", "/e[1].txt", "/k*"],
)
def test_objects_are_listed_as_files_are(s3: S3, tmp_path: Path, pattern: str) -> None:
    for name in (*FILES, *CRAWL):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(_content(name))
    if "listed" not in [bucket["Name"] for bucket in s3.client.list_buckets()["Buckets"]] or len(s3.keys("listed")) < 9:
        s3.bucket("listed", {name: _content(name) for name in (*FILES, *CRAWL, "a/")})
    stored = find_sources([f"s3://listed{pattern}"])
    assert names(stored, "s3://listed/") == names(find_sources([f"{tmp_path}{pattern}"]), f"{tmp_path.as_posix()}/")


def test_many_objects_are_listed_without_looking_into_them(s3: S3, faulty_s3: FaultyProxy) -> None:
    s3.bucket("many")
    store = s3_backends["123456789012"]["aws"]
    for number in range(2500):
        store.put_object("many", f"{number % 7}/{number:05d}.warc.gz", b"x%d" % number)
    sources = find_sources(["s3://many"])
    assert [source.name for source in sources] == sorted(source.name for source in sources)
    assert len({source.signature for source in sources}) == len(sources) == 2500
    assert [asked.path.partition("?")[0] for asked in faulty_s3.log] == ["/many"] * 3


def test_kinds_are_told_by_names_or_else_by_content(s3: S3, faulty_s3: FaultyProxy) -> None:
    pages = {"a": warc(1), "b.data": b"<html><p>x", "c.gz": LARGE["large.jsonl.gz"], "d.html": b"%PDF-1.4"}
    s3.bucket("kinds", pages)
    faulty_s3.clear()
    assert [source.kind for source in find_sources(["s3://kinds"])] == ["warc", "page", "jsonl", "page"]
    assert {asked.path.partition("?")[0] for asked in faulty_s3.log} == {
        f"/kinds{x}" for x in ("", "/a", "/b.data", "/c.gz")
    }
    [item] = read(find_sources(["s3://kinds/d.html"])[0])  # its content is looked at when it is read
    assert isinstance(item, Skip)
    assert "PDF" in item.detail


def test_what_cannot_be_read_is_said(s3: S3) -> None:
    s3.bucket("foreign", {"a.png": b"\x89PNG\r\n"})
    with pytest.raises(UsageError, match=r"s3://foreign/a\.png is a picture"):
        find_sources(["s3://foreign"])


@pytest.mark.usefixtures("impatient")
def test_an_object_that_changes_is_not_read(s3: S3) -> None:
    a_long_one = warc(40, 600_000, compress=False)
    s3.bucket("changing", {"a.warc": a_long_one, "b.warc.gz": warc(3), "c.warc.gz": b"", "d.warc.gz": warc(2)})
    a, b, c, d = find_sources(["s3://changing"])
    items = read(a)
    next(items)
    s3.put("changing", "a.warc", a_long_one[::-1])
    with pytest.raises(ChangedError, match=r"s3://changing/a\.warc has changed"):
        list(items)
    with pytest.raises(ChangedError, match="run the same command again"):
        list(read(a))
    s3.client.delete_object(Bucket="changing", Key="b.warc.gz")
    with pytest.raises(MissingError, match=r"there is no s3://changing/b\.warc\.gz"):
        list(read(b))
    assert [item.detail for item in read(c) if isinstance(item, Skip)] == ["the file is empty"]
    s3.put("changing", "d.warc.gz", warc(2) + b"more")
    with pytest.raises(ChangedError):
        list(read(d))


def test_originals_are_read_from_stores_that_are_allowed(s3: S3, faulty_s3: FaultyProxy, tmp_path: Path) -> None:
    s3.bucket("mine", {"a.warc.gz": warc(3)})
    corpus = CorpusReader(gristmill.build(["s3://mine/a.warc.gz"], tmp_path / "corpus", engine=ENGINE).folder)
    document = next(corpus.documents())
    store = Named("store", "s3://mine")
    assert store in remembered()
    assert TEXT.encode() in read_original(corpus, document).body
    forget([store])
    faulty_s3.clear()
    with pytest.raises(NoOriginalError, match="it is in s3://mine, which was not allowed here"):
        read_original(corpus, document)
    assert not faulty_s3.log
    shown = run("trust", corpus.folder, "--yes")
    assert shown.stdout.split() == [b"store", b"s3://mine"]
    assert TEXT.encode() in read_original(corpus, document).body
    s3.put("mine", "a.warc.gz", warc(4))
    with pytest.raises(NoOriginalError, match="is not what it was when the corpus was built"):
        read_original(corpus, document)
    faulty_s3.add(Fault(times=10, status=403, code="AccessDenied"))
    with pytest.raises(NoOriginalError, match=r"access to s3://mine/a\.warc\.gz is denied"):
        read_original(corpus, document)


def test_errors_are_those_of_the_user(s3: S3, faulty_s3: FaultyProxy) -> None:
    s3.bucket("closed", {"a.warc.gz": warc(1)})
    faulty_s3.add(Fault(times=2, status=403, code="InvalidAccessKeyId"))
    with pytest.raises(GristmillError, match="does not accept these credentials for s3://closed/a"):
        find_sources(["s3://closed/a.warc.gz"])
