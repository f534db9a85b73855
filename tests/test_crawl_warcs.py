"""The WARC files of a crawl are what all readers of archives expect, and whatever is torn off them is not lost."""

from __future__ import annotations

import gzip
import io
import logging
import random
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
from warcio.archiveiterator import ArchiveIterator as WarcioIterator
from warcio.cli import main as warcio

import gristmill
from gristmill.archive import Skip, find_sources, read
from gristmill.archive.crawls import end_of_responses, members
from gristmill.crawling.warcs import StoredExchange, WarcFiles, records
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.fetching.exchange import Exchange

ENGINE = InlineEngine()
HEADS = {
    "plain": b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n",
    "chunked": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n",
    "gzip": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n",
    "bare": b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n",
}


def body(number: int) -> bytes:
    words = " ".join(f"word{number}x{place} of the mill by the river" for place in range(40))
    return f"<html><body><p>{words}.</p></body></html>".encode()


def exchange(number: int, kind: str = "plain") -> Exchange:
    data = body(number)
    sent = {
        "chunked": b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data),
        "gzip": gzip.compress(data, mtime=0),
    }.get(kind, data)
    return Exchange(
        url=f"http://a.example/{number}?q=%C4%8D",
        date=f"2026-11-17T05:40:{number % 60:02d}Z",
        ip="127.0.0.1",
        request=b"GET /%d HTTP/1.1\r\nHost: a.example\r\n\r\n" % number,
        wire=HEADS[kind] + sent,
        status=200,
        headers={},
    )


def stored(files: WarcFiles, position: tuple[int, int] = (0, 0)) -> list[Exchange]:
    return [item.exchange for item in files.recover(*position)]


def numbers(found: list[Exchange]) -> list[int]:
    return [int(item.url.rpartition("/")[2].partition("?")[0]) for item in found]


def fill(folder: Path, count: int, max_bytes: int = 1_000_000_000) -> WarcFiles:
    folder.mkdir(exist_ok=True)
    files = WarcFiles(folder, max_bytes, {"http-header-user-agent": "gristmill (+mailto:me@a.example)"})
    for number in range(count):
        files.append(records(exchange(number)))
    return files


def warcs(folder: Path) -> list[Path]:
    return sorted(folder.glob("pages-*.warc.gz"))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    with fill(tmp_path / "crawl", 0) as files:
        for number, kind in enumerate(HEADS):
            files.append(records(exchange(number, kind)))
        files.append(records(Exchange("http://a.example/9", "2026-11-17T05:40:40Z", "::1", b"GET", b"HTTP/1.1 ", 204)))
    return warcs(tmp_path / "crawl")[0]


def record_list(path: Path) -> Iterator[WarcRecord]:
    with path.open("rb") as file:
        yield from ArchiveIterator(file, parse_http=False)


def test_what_the_server_sent_is_stored_byte_for_byte(archive: Path) -> None:
    responses = [
        record.reader.read() for record in record_list(archive) if record.record_type == WarcRecordType.response
    ]
    assert responses[:4] == [exchange(number, kind).wire for number, kind in enumerate(HEADS)]


def test_records_and_their_fields(archive: Path) -> None:
    found = [(record.record_type, dict(record.headers), record.reader.read()) for record in record_list(archive)]
    assert [kind for kind, _, _ in found[:3]] == [
        WarcRecordType.warcinfo,
        WarcRecordType.request,
        WarcRecordType.response,
    ]
    info = found[0][2].decode()
    assert "software: gristmill/" in info
    assert "http-header-user-agent: gristmill (+mailto:me@a.example)\r\n" in info
    request, response = found[1], found[2]
    assert request[2] == exchange(0).request
    assert request[1]["WARC-Concurrent-To"] == response[1]["WARC-Record-ID"]
    assert response[1]["WARC-Target-URI"] == "http://a.example/0?q=%C4%8D"
    assert response[1]["WARC-IP-Address"] == "127.0.0.1"
    assert response[1]["WARC-Date"] == "2026-11-17T05:40:00Z"
    assert response[1]["Content-Type"] == "application/http; msgtype=response"
    assert len({headers["WARC-Record-ID"] for _, headers, _ in found}) == len(found)


def test_fastwarc_verifies_all_digests(archive: Path) -> None:
    verified = 0
    for with_http in (False, True):
        with archive.open("rb") as file:
            for record in ArchiveIterator(file, parse_http=with_http):
                if "WARC-Block-Digest" in record.headers and not with_http:
                    assert record.verify_block_digest(), record.headers
                    verified += 1
                if "WARC-Payload-Digest" in record.headers and with_http:
                    assert record.verify_payload_digest(), record.headers
                    verified += 1
    assert verified == 13


def test_warcio_checks_and_indexes_it(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        warcio(["check", "-v", str(archive)])
    said = capsys.readouterr().out
    assert "fail" not in said
    assert said.count("digest pass") == 10
    warcio(["index", str(archive), "-f", "offset,warc-type,warc-target-uri,http:status"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11
    with archive.open("rb") as file:
        bodies = [record.content_stream().read() for record in WarcioIterator(file) if record.rec_type == "response"]
    assert bodies[:3] == [body(0), body(1), body(2)]


def test_pywb_indexes_it(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs where pywb is installed."""
    indexer = pytest.importorskip("pywb.indexer.cdxindexer")
    indexer.main(["-j", str(archive)])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:4]] == [f"example,a)/{number}?q=%c4%8d" for number in range(4)]
    assert len(lines) == 5


def test_a_name_in_an_address_makes_no_header(tmp_path: Path) -> None:
    hostile = Exchange("http://a.example/\r\nWARC-Type: x\r\n\r\n\udce9", "2026-11-17T05:40:40Z", "::1", b"", b"", 200)
    (tmp_path / "x.warc.gz").write_bytes(records(hostile))
    found = [dict(record.headers) for record in record_list(tmp_path / "x.warc.gz")]
    assert [headers["WARC-Target-URI"] for headers in found] == ["http://a.example/WARC-Type: x?"] * 2


def test_files_are_rotated_between_exchanges(tmp_path: Path) -> None:
    fill(tmp_path, 40, max_bytes=3_000).close()
    paths = warcs(tmp_path)
    assert [path.name for path in paths] == [f"pages-{number:05d}.warc.gz" for number in range(len(paths))]
    assert len(paths) > 3
    for path in paths:
        kinds = [record.record_type for record in record_list(path)]
        assert kinds[0] == WarcRecordType.warcinfo
        assert kinds[1:] == [WarcRecordType.request, WarcRecordType.response] * (len(kinds) // 2)
    assert all(path.stat().st_size >= 3_000 for path in paths[:-1])
    assert numbers(stored(WarcFiles(tmp_path, 3_000))) == list(range(40))


def test_records_are_there_at_once(tmp_path: Path) -> None:
    with fill(tmp_path, 2) as files:
        assert files.position == (0, warcs(tmp_path)[0].stat().st_size)
        assert numbers(stored(WarcFiles(tmp_path, 1 << 30))) == [0, 1]


def test_what_was_stored_becomes_an_exchange_again(tmp_path: Path) -> None:
    fill(tmp_path, 2).close()
    found = list(WarcFiles(tmp_path, 1 << 30).recover(0, 0))
    assert [type(item) for item in found] == [StoredExchange] * 2
    first, second = (item.exchange for item in found)
    assert first == Exchange(
        **{name: getattr(exchange(0), name) for name in ("url", "date", "ip", "request", "wire", "status")},
        headers={"content-type": "text/html; charset=utf-8", "set-cookie": "a=1, b=2"},
    )
    assert numbers(stored(WarcFiles(tmp_path, 1 << 30), (found[0].number, found[0].end))) == [1]
    assert second.request == exchange(1).request
    assert found[1].end == warcs(tmp_path)[0].stat().st_size


def test_a_file_that_was_torn_at_any_byte_goes_on(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    fill(whole, 3).close()
    data = warcs(whole)[0].read_bytes()
    ends = [item.end for item in WarcFiles(whole, 1 << 30).recover(0, 0)]
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    path = crawl / "pages-00000.warc.gz"
    more = records(exchange(7))
    for cut in range(ends[0], len(data) + 1):
        path.write_bytes(data[:cut])
        with path.open("rb") as file:
            safe = max(end for end in ends if end <= cut)
            assert end_of_responses(file, cut) == safe
        files = WarcFiles(crawl, 1 << 30)
        assert numbers(stored(files, (0, ends[0]))) == [number for number in (1, 2) if ends[number] <= cut]
        assert files.position == (0, safe)
        assert path.stat().st_size == safe
        files.append(more)
        files.close()
        assert path.read_bytes() == data[:safe] + more


def test_a_file_that_was_torn_in_its_first_record_begins_again(tmp_path: Path) -> None:
    fill(tmp_path / "whole", 1).close()
    data = warcs(tmp_path / "whole")[0].read_bytes()
    crawl = tmp_path / "crawl"
    crawl.mkdir()
    path = crawl / "pages-00000.warc.gz"
    for cut in (0, 1, 5, 60, 200, 400):
        path.write_bytes(data[:cut])
        files = WarcFiles(crawl, 1 << 30)
        assert not stored(files)
        files.append(records(exchange(7)))
        files.close()
        assert numbers(stored(WarcFiles(crawl, 1 << 30))) == [7]
        assert next(record.record_type for record in record_list(path)) == WarcRecordType.warcinfo


def test_recovery_over_several_files(tmp_path: Path) -> None:
    fill(tmp_path, 40, max_bytes=3_000).close()
    everything = list(WarcFiles(tmp_path, 3_000).recover(0, 0))
    last = warcs(tmp_path)[-1]
    with last.open("r+b") as file:
        file.truncate(last.stat().st_size - 3)
    for seen in (everything[3], everything[20]):
        files = WarcFiles(tmp_path, 3_000)
        begun = everything.index(seen) + 1
        assert numbers(stored(files, (seen.number, seen.end))) == list(range(begun, 39))
    assert files.position == (everything[38].number, last.stat().st_size)


def test_damage_behind_the_position_is_cut_off(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fill(tmp_path, 4).close()
    path = warcs(tmp_path)[0]
    ends = [item.end for item in WarcFiles(tmp_path, 1 << 30).recover(0, 0)]
    with path.open("r+b") as file:
        file.seek(ends[1] + 30)
        file.write(bytes(len(path.read_bytes()) - ends[1] - 30))
    with caplog.at_level(logging.WARNING):
        assert numbers(stored(WarcFiles(tmp_path, 1 << 30), (0, ends[0]))) == [1]
    assert f"is damaged behind byte {ends[1]}" in caplog.text
    assert path.stat().st_size == ends[1]


def test_a_file_that_lost_its_end_is_told_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    fill(tmp_path, 4).close()
    path = warcs(tmp_path)[0]
    ends = [item.end for item in WarcFiles(tmp_path, 1 << 30).recover(0, 0)]
    with path.open("r+b") as file:
        file.truncate(ends[2] + 20)
    files = WarcFiles(tmp_path, 1 << 30)
    with caplog.at_level(logging.WARNING):
        assert not stored(files, (0, ends[3]))
    assert "bytes less than the crawl has noted down: pages at its end are lost" in caplog.text
    files.append(records(exchange(7)))
    files.close()
    assert numbers(stored(WarcFiles(tmp_path, 1 << 30))) == [0, 1, 2, 7]


def test_a_file_that_is_missing_is_an_error(tmp_path: Path) -> None:
    fill(tmp_path, 4).close()
    warcs(tmp_path)[0].unlink()
    with pytest.raises(GristmillError, match="is missing, which the crawl was writing: put it back"):
        stored(WarcFiles(tmp_path, 1 << 30), (0, 100))


DISK_FULL = """
import resource, sys
from pathlib import Path
from gristmill.crawling.warcs import WarcFiles
from gristmill.errors import GristmillError
folder, limit = Path(sys.argv[1]), int(sys.argv[2])
record = (folder / "record").read_bytes()
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
files = WarcFiles(folder, 1 << 30)
for number in range(3):
    try:
        files.append(record)
    except GristmillError as error:
        print(error, flush=True)
        print(files.position[1] == (folder / "pages-00000.warc.gz").stat().st_size, flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        files.flush()
files.close()
"""


@pytest.mark.parametrize("share", [0.5, 2.5])
def test_nothing_torn_is_left_if_the_disk_is_full(tmp_path: Path, share: float) -> None:
    record = records(exchange(1))
    (tmp_path / "record").write_bytes(record)
    limit = str(int(len(record) * share))
    ran = subprocess.run(
        [sys.executable, "-c", DISK_FULL, tmp_path, limit], capture_output=True, text=True, check=True, timeout=300
    )
    said, torn = ran.stdout.splitlines()
    assert said.startswith(f"can't write to {tmp_path}/pages-00000.warc.gz: File too large")
    assert torn == "True"
    assert len(stored(WarcFiles(tmp_path, 1 << 30))) == 3


def crawl_folder(folder: Path) -> Path:
    """A folder with all that a crawl has but pages."""
    folder.mkdir(parents=True)
    for name in ("crawl.toml", "frontier.sqlite", "frontier.sqlite-wal", "frontier.sqlite-shm", "log"):
        (folder / name).write_bytes(b"<p>no page at all</p>")
    (folder / "report.html").write_bytes(body(99))
    (folder / "inbox").mkdir()
    (folder / "inbox" / "from-3.html").write_bytes(body(98))
    return folder


def urls(corpus: gristmill.Corpus) -> list[int]:
    return sorted(int(document.url.rpartition("/")[2].partition("?")[0]) for document in corpus.pages())


def test_the_pages_of_a_crawl_are_its_warc_files(tmp_path: Path) -> None:
    for folder in ("one", "parts", "parts/1", "parts/2/deep"):
        crawl_folder(tmp_path / "crawls" / folder)
    (tmp_path / "crawls" / "page.html").write_bytes(body(97))
    fill(tmp_path / "crawls/one", 2).close()
    fill(tmp_path / "crawls/parts/1", 1).close()
    fill(tmp_path / "crawls/parts/2/deep", 1).close()
    found = {str(Path(source.path).relative_to(tmp_path)) for source in find_sources([tmp_path / "crawls"])}
    assert found == {
        "crawls/page.html",
        "crawls/one/pages-00000.warc.gz",
        "crawls/parts/1/pages-00000.warc.gz",
        "crawls/parts/2/deep/pages-00000.warc.gz",
    }
    assert len(find_sources([tmp_path / "crawls/parts"])) == 2
    assert len(find_sources([tmp_path / "crawls/parts/2/deep/pages-00000.warc.gz"])) == 1


def test_a_crawl_without_pages(tmp_path: Path) -> None:
    crawl = crawl_folder(tmp_path / "crawl")
    for data in (None, b"", records(exchange(0))[:-1]):
        if data is not None:
            (crawl / "pages-00000.warc.gz").write_bytes(data)
        with pytest.raises(UsageError, match=r"the crawl in .*/crawl has no pages yet: .*`gristmill crawl .*/crawl`"):
            find_sources([crawl])


def test_a_crawl_is_built_and_added_while_it_runs(tmp_path: Path) -> None:
    """Whatever the crawl has torn or is just writing is no damage, and it is read when it is whole."""
    crawl = crawl_folder(tmp_path / "crawl")
    whole = crawl_folder(tmp_path / "whole")
    fill(whole, 12, max_bytes=3_000).close()
    data = {path.name: path.read_bytes() for path in warcs(whole)}
    first, second = list(data)[:2]
    (crawl / first).write_bytes(data[first][:-40])
    corpus = gristmill.build(crawl, tmp_path / "corpus", engine=ENGINE)
    seen = len(urls(corpus))
    assert 0 < seen < 12
    assert not corpus.counts["skipped"].get("broken")
    (crawl / first).write_bytes(data[first])
    (crawl / second).write_bytes(data[second][:300])
    corpus = gristmill.add(corpus.folder, crawl, engine=ENGINE)
    assert len(urls(corpus)) == seen + 1
    shutil.copytree(whole, crawl, dirs_exist_ok=True)
    corpus = gristmill.add(corpus.folder, crawl, engine=ENGINE)
    assert urls(corpus) == list(range(12))
    assert not corpus.counts["skipped"].get("broken")


def test_a_crawl_that_was_killed_meanwhile_is_not_read_twice(tmp_path: Path) -> None:
    """A request without its response is cut off at the next start: what was built must not reach behind it."""
    crawl = crawl_folder(tmp_path / "crawl")
    fill(crawl, 2).close()
    path = warcs(crawl)[0]
    whole = path.read_bytes()
    orphan = next(members(io.BytesIO(records(exchange(2))), 0))[1]
    path.write_bytes(whole + records(exchange(2))[: orphan + 5])
    corpus = gristmill.build(crawl, tmp_path / "corpus", engine=ENGINE)
    files = WarcFiles(crawl, 1 << 30)
    assert not stored(files, (0, len(whole)))
    files.append(records(exchange(3)))
    files.close()
    corpus = gristmill.add(corpus.folder, crawl, engine=ENGINE)
    assert urls(corpus) == [0, 1, 3]


def test_what_looks_like_a_record_within_a_page_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that holds a whole archive and the beginning of another, which are stored as they are."""
    crawl = crawl_folder(tmp_path / "crawl")
    chance = random.Random(0)
    inner = b"".join(
        records(Exchange("http://a.example/5", "2026-11-17T05:40:40Z", "::1", b"", chance.randbytes(60_000), 200))
        for _ in range(4)
    )[:-50_000]
    files = fill(crawl, 1)
    hostile = Exchange("http://a.example/6", "2026-11-17T05:40:40Z", "::1", b"", HEADS["plain"] + inner + b"end", 200)
    with monkeypatch.context() as stored_only:
        stored_only.setattr("gristmill.crawling.warcs.member", lambda record: zlib.compress(record, 0, 31))
        files.append(records(hostile))
    files.append(records(exchange(7)))
    files.close()
    path = warcs(crawl)[0]
    size = path.stat().st_size
    assert path.read_bytes().count(b"\x1f\x8b\x08") > 7
    with path.open("r+b") as file:
        assert end_of_responses(file, size) == size
        assert end_of_responses(file, size - 1) < size - 1
    assert [item.url for source in find_sources([crawl]) for item in read(source) if isinstance(item, Page)] == [
        "http://a.example/0?q=%C4%8D",
        "http://a.example/6",
        "http://a.example/7?q=%C4%8D",
    ]


def test_a_damaged_file_of_a_crawl_is_read_as_any_other(tmp_path: Path) -> None:
    crawl = crawl_folder(tmp_path / "crawl")
    fill(crawl, 3).close()
    path = warcs(crawl)[0]
    data = bytearray(path.read_bytes())
    data[-8:-4] = bytes(4)
    path.write_bytes(data)
    items = [item for source in find_sources([crawl]) for item in read(source)]
    assert [item.url for item in items if isinstance(item, Page)] == [exchange(number).url for number in range(2)]
    assert [item.reason for item in items if isinstance(item, Skip) and item.reason != "other"] == ["broken"]
