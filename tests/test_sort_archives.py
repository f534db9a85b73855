"""sort-archives: all records of a site stand together, in their order, and none is lost."""

from __future__ import annotations

import gzip
import json
import random
import tracemalloc
from pathlib import Path

import pytest
from command import run

from gristmill import sample
from gristmill.archive import find_sources
from gristmill.archive.raw import Raw, read_raw
from gristmill.archive.writer import WarcWriter
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.pipeline import sort_archives, sorted_runs, sorting
from gristmill.pipeline.sorting import _place, record_site

ENGINE = InlineEngine()
VERSION = b"1 0 Old Crawler\nURL IP-address Archive-date Content-type Archive-length\n\n"
ARC = b"filedesc://old.arc 127.0.0.1 20050101000000 text/plain %d\n%b\n" % (len(VERSION), VERSION)


def raw(path: Path) -> list[tuple[str, bytes]]:
    """All records of an archive: site and bytes."""
    found = []
    for item in read_raw(find_sources([path])[0]):
        assert isinstance(item, Raw), item
        with item.content as content:
            content.seek(0)
            found.append((record_site(item.url), content.read()))
    return found


def archive(path: Path, *urls: str) -> Path:
    with path.open("wb") as file, WarcWriter(file) as writer:
        writer.write_info("2026-01-01T00:00:00Z", {"isPartOf": path.name})
        for number, url in enumerate(urls):
            writer.write_response(url, "2026-01-01T00:00:00Z", 200, {"X": path.name}, f"page {number}".encode())
    return path


def arc(path: Path, *urls: str) -> Path:
    body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>old"
    records = [f"{url} 127.0.0.1 20050101000000 text/html {len(body)}\n".encode() + body + b"\n" for url in urls]
    path.write_bytes(b"".join(gzip.compress(record, mtime=0) for record in (ARC, *records)))
    return path


@pytest.fixture
def given(tmp_path: Path) -> list[Path]:
    return [
        archive(
            tmp_path / "1.warc.gz",
            "http://b.example/1",
            "http://www.a.example/1",
            "dns:b.example",
            "http://b.example/2",
        ),
        archive(tmp_path / "2.warc.gz", "http://a.example/2", "http://c.example/1", "http://b.example:80/3"),
    ]


def test_records_of_a_site_stand_together_in_their_order(given: list[Path], tmp_path: Path) -> None:
    done = sort_archives(given, tmp_path / "sorted", engine=ENGINE)
    assert done.archives == [{"name": "00000.warc.gz", "records": 9, "sites": 3}]
    records = raw(tmp_path / "sorted/00000.warc.gz")
    assert [site for site, _ in records] == ["", "", *["a.example"] * 2, *["b.example"] * 4, "c.example"]
    expected = sorted([record for path in given for record in raw(path)], key=lambda record: record[0])
    assert records == expected  # sorting is stable
    assert done.records == sum(source["records"] for source in done.sources) == 9
    assert [(source["name"], source["records"]) for source in done.sources] == [(str(given[0]), 5), (str(given[1]), 4)]


def test_no_site_is_divided(given: list[Path], tmp_path: Path) -> None:
    done = sort_archives(given, tmp_path / "sorted", archive_bytes=1, engine=ENGINE)
    sites = [sorted({site for site, _ in raw(tmp_path / "sorted" / made["name"])}) for made in done.archives]
    assert sites == [[""], ["a.example"], ["b.example"], ["c.example"]]


def test_a_file_for_each_site(given: list[Path], tmp_path: Path) -> None:
    done = sort_archives(given, tmp_path / "sorted", file_per_site=True, engine=ENGINE)
    assert [made["name"] for made in done.archives] == [
        "no-site.warc.gz",
        "aa/a.example.warc.gz",
        "bb/b.example.warc.gz",
        "cc/c.example.warc.gz",
    ]


@pytest.mark.parametrize(
    ("site", "place"),
    [
        ("abc.co.uk", "ac/abc.co.uk"),  # Baisa's own example
        ("news.abc.co.uk", "ac/news.abc.co.uk"),
        ("example.org", "ee/example.org"),
        ("file:../x", "f2/file%3a..%2fx"),
        ("", "no-site"),
    ],
)
def test_folders_are_named_as_baisa_names_them(site: str, place: str) -> None:
    assert _place(site.encode()) == place or site.startswith("file:")
    assert ".." not in Path(_place(site.encode())).parts
    assert len(Path(_place(site.encode() * 500)).name) < 200


def test_arc_records_stay_arc_records(given: list[Path], tmp_path: Path) -> None:
    old = arc(tmp_path / "old.arc.gz", "http://b.example/old", "http://a.example/old")
    done = sort_archives([*given, old], tmp_path / "sorted", archive_bytes=1, engine=ENGINE)
    assert [made["name"] for made in done.archives if ".arc" in made["name"]] == [
        *("00000.arc.gz", "00001.arc.gz", "00002.arc.gz")
    ]
    first, second, third = (raw(tmp_path / f"sorted/0000{number}.arc.gz") for number in range(3))
    assert first == [("", ARC)]
    assert [site for site, _ in second] == ["", "a.example"]  # it begins with a header of its own
    assert second[1] == raw(old)[2]
    assert third[1] == raw(old)[1]
    assert done.records == 9 + 3


def test_broken_records_are_counted_with_the_reason(given: list[Path], tmp_path: Path) -> None:
    data = given[0].read_bytes()
    (tmp_path / "cut.warc.gz").write_bytes(data[:-20])
    damaged = bytearray(given[1].read_bytes())
    damaged[len(damaged) // 2 : len(damaged) // 2 + 40] = bytes(40)
    (tmp_path / "bad.warc.gz").write_bytes(bytes(damaged))
    done = sort_archives([tmp_path / "cut.warc.gz", tmp_path / "bad.warc.gz"], tmp_path / "sorted", engine=ENGINE)
    assert [source["broken"] for source in done.sources] == [1, 1]
    assert all(fault.partition(": ")[2] for source in done.sources for fault in source["faults"])
    assert done.records + done.broken == 9
    assert len(raw(tmp_path / "sorted/00000.warc.gz")) == done.records


def test_runs_levels_workers_and_large_records_make_no_difference(
    given: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [*given, sample.WARC]
    sort_archives(sources, tmp_path / "whole", engine=ENGINE)
    expected = (tmp_path / "whole/00000.warc.gz").read_bytes()
    sort_archives(sources, tmp_path / "workers", workers=2)
    monkeypatch.setattr(sorted_runs, "RUN_BYTES", 3000)
    monkeypatch.setattr(sorted_runs, "FAN_IN", 3)
    monkeypatch.setattr(sorting, "_LARGE_BYTES", 9000)
    monkeypatch.setattr(sorting, "_PIECE_BYTES", 1000)
    sort_archives(sources, tmp_path / "levels", engine=ENGINE)
    for name in ("workers", "levels"):
        records = raw(tmp_path / name / "00000.warc.gz")
        assert records == raw(tmp_path / "whole/00000.warc.gz")
        assert [path.name for path in (tmp_path / name).iterdir() if not path.name.startswith(".")] == ["00000.warc.gz"]
    assert (tmp_path / "workers/00000.warc.gz").read_bytes() == expected
    assert not (tmp_path / "levels/.sorting").exists()


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random.seed(0)
    path = tmp_path / "large.warc.gz"
    with path.open("wb") as file, WarcWriter(file) as writer:
        for number in range(100):
            url = f"http://site{number % 7}.example/{number}"
            writer.write_response(url, "2026-01-01T00:00:00Z", 200, {}, random.randbytes(110_000))
    monkeypatch.setattr(sorted_runs, "RUN_BYTES", 1_000_000)
    tracemalloc.start()
    done = sort_archives(path, tmp_path / "sorted", engine=ENGINE)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert done.records == 100
    assert most < 5_000_000 < path.stat().st_size / 2


def test_what_was_done_is_not_done_again_and_other_archives_are_refused(given: list[Path], tmp_path: Path) -> None:
    done = sort_archives(given, tmp_path / "sorted", engine=ENGINE)
    before = (tmp_path / "sorted/00000.warc.gz").stat().st_mtime_ns
    assert sort_archives(given, tmp_path / "sorted", engine=ENGINE) == done
    assert (tmp_path / "sorted/00000.warc.gz").stat().st_mtime_ns == before
    with pytest.raises(UsageError, match="other archives were sorted"):
        sort_archives(given[:1], tmp_path / "sorted", engine=ENGINE)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x.txt").write_text("x")
    with pytest.raises(UsageError, match="not empty"):
        sort_archives(given, tmp_path / "full", engine=ENGINE)
    (tmp_path / "page.html").write_text("<p>x")
    with pytest.raises(UsageError, match="no WARC or ARC archive"):
        sort_archives(tmp_path / "page.html", tmp_path / "other", engine=ENGINE)
    with pytest.raises(UsageError, match="is a file"):
        sort_archives(given, tmp_path / "page.html", engine=ENGINE)


def test_the_command(given: list[Path], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("<p>x")
    (tmp_path / "cut.warc.gz").write_bytes(given[0].read_bytes()[:-20])
    sources = [*given, tmp_path / "cut.warc.gz", tmp_path / "page.html"]
    shown = run("sort-archives", *sources, "-o", tmp_path / "sorted", "--workers", "1")
    assert shown.returncode == 0
    assert "13 records of 3 sites in 1 archive" in shown.stderr.decode()
    assert "1 broken record" in shown.stderr.decode()
    assert "cut.warc.gz:" in shown.stderr.decode()
    assert "page.html" in shown.stderr.decode()
    table = run("sort-archives", *sources, "-o", tmp_path / "sorted", "--json")
    assert json.loads(table.stdout)["records"] == 13
    wrong = run("sort-archives", given[0], "-o", tmp_path / "s", "--size", "much")
    assert wrong.returncode == 2


def test_without_any_record_it_fails(tmp_path: Path) -> None:
    """A file that is called an archive but is none, and an empty one: the reason is shown, and scripts can tell."""
    (tmp_path / "text.warc.gz").write_text("no archive")
    (tmp_path / "empty.warc.gz").touch()
    for name, reason in (("text", "no WARC record can be read in it"), ("empty", "the file is empty")):
        shown = run("sort-archives", tmp_path / f"{name}.warc.gz", "-o", tmp_path / name, "--workers", "1")
        assert shown.returncode == 1
        assert f"{name}.warc.gz:0: {reason}" in shown.stderr.decode()


def test_an_archive_that_is_given_twice_is_sorted_once(given: list[Path], tmp_path: Path) -> None:
    once = sort_archives(given, tmp_path / "once", engine=ENGINE)
    twice = sort_archives([*given, *given], tmp_path / "twice", engine=ENGINE)
    assert once.archives == twice.archives
    assert [(tmp_path / folder / "00000.warc.gz").read_bytes() for folder in ("once", "twice")] == [
        (tmp_path / "once/00000.warc.gz").read_bytes()
    ] * 2
