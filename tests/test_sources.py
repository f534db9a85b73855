"""Sources are known by what they hold: under whatever name, from whatever folder, and if they have grown."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.archive import Skip, WarcWriter, find_sources, read
from gristmill.archive.source import signature_of
from gristmill.corpus.inventory import SourceNote
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline import add, build, reading
from gristmill.shards import Shard, read_rows

ENGINE = InlineEngine()
HTML = {"Content-Type": "text/html"}


def story(subject: str) -> str:
    return " ".join(
        (
            f"In chapter {number} the {subject} stood by the river, a {subject} that every other {subject} in the "
            f"land was built after."
        )
        for number in range(1, 9)
    )


def record(subject: str, *, compress: bool = True) -> bytes:
    stream = io.BytesIO()
    with WarcWriter(stream, compress=compress) as writer:
        body = f"<html><body><p>{story(subject)}</p></body></html>".encode()
        writer.write_response(f"http://a.example/{subject}", "2020-01-01T00:00:00Z", 200, HTML, body)
    return stream.getvalue()


def page(path: Path, subject: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<html><body><p>{story(subject)}</p></body></html>", "utf-8")
    return path


def urls(corpus: gristmill.Corpus) -> list[str]:
    return [document.url for document in corpus.pages()]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_same_name_in_another_folder_is_another_file(tmp_path: Path) -> None:
    for folder, subject in (("a", "mill"), ("b", "bridge")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "part.warc.gz").write_bytes(record(subject))
    assert run("build", "part.warc.gz", "-o", "../corpus", "-j", "1", cwd=tmp_path / "a").returncode == 0
    ran = run("add", "../corpus", "part.warc.gz", "-j", "1", cwd=tmp_path / "b")
    assert ran.returncode == 0
    assert b"1 page read" in ran.stderr
    assert urls(gristmill.Corpus(tmp_path / "corpus")) == ["http://a.example/mill", "http://a.example/bridge"]


def test_the_same_file_under_another_name_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "jan").mkdir()
    shutil.copy(page(tmp_path / "a.html", "mill"), tmp_path / "jan" / "b.html")
    corpus = build([tmp_path / "a.html"], tmp_path / "corpus", engine=ENGINE)
    notes: list[SourceNote] = []
    before = contents(corpus.folder)
    add(corpus.folder, [tmp_path / "jan"], engine=ENGINE, notes=notes.append)
    assert contents(corpus.folder) == before
    assert notes == [SourceNote(f"{tmp_path}/jan/b.html", "there", f"{tmp_path}/a.html")]
    ran = run("add", corpus.folder, tmp_path / "jan", "-j", "1")
    assert f"already there: {tmp_path}/jan/b.html (as {tmp_path}/a.html)" in ran.stderr.decode()
    assert b"nothing new" in ran.stderr


def test_many_that_are_there_are_counted(tmp_path: Path) -> None:
    for number in range(9):
        page(tmp_path / "pages" / f"{number}.html", f"mill{number}")
    build([tmp_path / "pages"], tmp_path / "corpus", engine=ENGINE)
    said = run("add", tmp_path / "corpus", tmp_path / "pages", "-j", "1").stderr.decode()
    assert said.count("already there: ") == 5
    assert "and 4 more files are already there" in said


@pytest.mark.parametrize("compress", [True, False])
def test_an_archive_that_grew_is_read_from_there(tmp_path: Path, compress: bool) -> None:
    path = tmp_path / "crawl.warc"
    first, second = record("mill", compress=compress), record("bridge", compress=compress)
    path.write_bytes(first)
    corpus = build([path], tmp_path / "corpus", engine=ENGINE)
    path.write_bytes(first + second)
    ran = run("add", corpus.folder, path, "-j", "1")
    assert f"read from byte {len(first):,} on: {path}, which has grown" in ran.stderr.decode()
    assert b"1 page read" in ran.stderr
    corpus = gristmill.Corpus(corpus.folder)
    assert [(document.url, document.offset) for document in corpus.pages()] == [
        ("http://a.example/mill", 0),
        ("http://a.example/bridge", len(first)),
    ]
    assert b"nothing new" in run("add", corpus.folder, path, "-j", "1").stderr
    before = contents(corpus.folder)
    build([path], corpus.folder, engine=ENGINE)  # all of it is there
    assert contents(corpus.folder) == before


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("there", [1, 12, 60, -50])
def test_a_record_that_was_cut_off_is_read_when_the_rest_has_come(tmp_path: Path, there: int, compress: bool) -> None:
    path = tmp_path / "crawl.warc.gz"
    mill, bridge, tower = (record(subject, compress=compress) for subject in ("mill", "bridge", "tower"))
    path.write_bytes(mill + bridge[:there])
    corpus = build([path], tmp_path / "corpus", engine=ENGINE)
    assert urls(corpus) == ["http://a.example/mill"]
    path.write_bytes(mill + bridge + tower)
    corpus = add(corpus.folder, path, engine=ENGINE)
    assert urls(corpus) == [f"http://a.example/{subject}" for subject in ("mill", "bridge", "tower")]


@pytest.mark.parametrize("packed", [False, True])
def test_lines_of_json_that_grew(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / ("pages.jsonl.gz" if packed else "pages.jsonl")
    lines = [
        json.dumps({"text": story(subject), "url": f"http://a.example/{subject}"}).encode() + b"\n"
        for subject in ("mill", "well")
    ]
    lines = [gzip.compress(line) for line in lines] if packed else lines
    path.write_bytes(lines[0])
    corpus = build([path], tmp_path / "corpus", engine=ENGINE)
    path.write_bytes(b"".join(lines))
    notes: list[SourceNote] = []
    corpus = add(corpus.folder, path, engine=ENGINE, notes=notes.append)
    assert notes == [SourceNote(str(path), "grown", str(path), len(lines[0]))]
    assert urls(corpus) == ["http://a.example/mill", "http://a.example/well"]


def test_a_changed_file_is_added(tmp_path: Path) -> None:
    path = page(tmp_path / "a.html", "mill")
    corpus = build([path], tmp_path / "corpus", engine=ENGINE)
    page(path, "bell")
    corpus = add(corpus.folder, path, engine=ENGINE)
    assert corpus.counts["pages"] == 2
    archive = tmp_path / "x.warc"
    archive.write_bytes(record("mill", compress=False))
    corpus = add(corpus.folder, archive, engine=ENGINE)
    archive.write_bytes(record("well", compress=False) * 2)
    assert add(corpus.folder, archive, engine=ENGINE).counts["pages"] == 5


def test_one_file_under_two_paths_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page(tmp_path / "pages" / "a.html", "mill")
    (tmp_path / "link.html").symlink_to(tmp_path / "pages" / "a.html")
    monkeypatch.chdir(tmp_path)
    sources = find_sources(["pages", "pages/../pages/a.html", tmp_path / "pages" / "a.html", "link.html"])
    assert [source.name for source in sources] == ["pages/a.html"]


def test_a_build_is_finished_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for subject in ("mill", "bridge"):
        (tmp_path / f"{subject}.warc").write_bytes(record(subject))
    page(tmp_path / "pages" / "a.html", "tower")
    given = ["mill.warc", "bridge.warc", "pages"]
    monkeypatch.chdir(tmp_path)
    build(given, "whole", engine=ENGINE)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "read", _fail)
        with pytest.raises(GristmillError, match="3 of 3 shards failed"):
            build(given, "corpus", engine=ENGINE)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    build(
        [tmp_path / "pages", *(f"../{name}" for name in given[:2])], "../corpus", engine=ENGINE
    )  # and in another order
    assert contents(tmp_path / "corpus") == contents(tmp_path / "whole")
    Shard.of(tmp_path / "corpus", "00001").sources.unlink()  # as a kill may leave it
    build([f"../{name}" for name in given], "../corpus", engine=ENGINE)
    assert Shard.of(tmp_path / "corpus", "00001").sources.exists()


def test_an_addition_is_finished_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page(tmp_path / "pages" / "a.html", "mill")
    corpus = build([tmp_path / "pages"], tmp_path / "corpus", engine=ENGINE)
    path = tmp_path / "b.warc"
    path.write_bytes(record("bridge"))
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "read", _fail)
        with pytest.raises(GristmillError, match="1 of 1 shards failed"):
            add("corpus", ["b.warc"], engine=ENGINE)
    path.write_bytes(record("bridge") + record("well"))  # it goes on growing
    monkeypatch.chdir(tmp_path / "pages")
    corpus = add("../corpus", ["../b.warc", "a.html"], engine=ENGINE)
    assert [document.source for document in corpus.pages()] == [f"{tmp_path}/pages/a.html", "b.warc"]
    assert add("../corpus", ["../b.warc"], engine=ENGINE).counts["pages"] == 3


def _fail(*_: object) -> None:
    raise RuntimeError("the power went")


def test_what_changed_since_a_build_is_said(tmp_path: Path) -> None:
    for subject in ("mill", "bridge"):
        page(tmp_path / "jan" / f"{subject}.html", subject)
    (tmp_path / "jan" / "x.warc").write_bytes(record("tower"))
    build([tmp_path / "jan"], tmp_path / "corpus", engine=ENGINE)
    page(tmp_path / "jan" / "well.html", "well")
    (tmp_path / "jan" / "x.warc").write_bytes(record("tower") + record("gate"))
    with pytest.raises(UsageError) as caught:
        build([tmp_path / "jan"], tmp_path / "corpus", engine=ENGINE)
    message = str(caught.value)
    assert f"new: {tmp_path}/jan/well.html\n  grown: {tmp_path}/jan/x.warc\n" in message
    assert f"gristmill add {tmp_path}/corpus" in message
    page(tmp_path / "jan" / "mill.html", "windmill")
    (tmp_path / "jan" / "bridge.html").unlink()
    with pytest.raises(UsageError, match=r"changed: .*/mill.html\n  gone: .*/bridge.html\nGive another folder"):
        build([tmp_path / "jan"], tmp_path / "corpus", engine=ENGINE)


def test_signatures() -> None:
    """All of a small file counts; of a large one its ends and places between, and its size."""
    small = os.urandom(300_000)
    seen = {
        signature_of(io.BytesIO(data), len(data))
        for data in (small, small[:-1], b"x" + small[1:], small[:150_000] + b"y" + small[150_001:])
    }
    assert len(seen) == 4
    large = bytearray(5_000_000)
    first = signature_of(io.BytesIO(large), len(large))
    for place in (0, 65_000, 2_300_000, 4_999_999):
        changed = large.copy()
        changed[place] = 1
        assert (signature_of(io.BytesIO(changed), len(large)) != first) == (place != 2_300_000)
    assert signature_of(io.BytesIO(large + b"more"), len(large)) == first
    assert signature_of(io.BytesIO(b""), 0)


def test_a_file_is_read_as_far_as_it_went_when_it_was_found(tmp_path: Path) -> None:
    for name, part in (
        ("x.warc.gz", record("mill")),
        ("x.warc", record("mill", compress=False)),
        ("x.jsonl", b'{"text": "words"}\n'),
    ):
        (tmp_path / name).write_bytes(part)
        (source,) = find_sources([tmp_path / name])
        (tmp_path / name).write_bytes(part * 3)
        items = list(read(source))
        assert [type(item) for item in items] == [Page]
        assert not any(isinstance(item, Skip) for item in items)


@pytest.mark.parametrize(
    "command", [["build", "https://a.example/x.html", "-o", "corpus"], ["add", "corpus", "http://a.example/"]]
)
def test_pages_on_the_web_are_not_downloaded(tmp_path: Path, command: list[str]) -> None:
    if command[0] == "add":
        build([page(tmp_path / "a.html", "mill")], tmp_path / "corpus", engine=ENGINE)
    ran = run(*command, cwd=tmp_path)
    assert ran.returncode == 2
    assert b"only archives are read from the web" in ran.stderr
    assert f"gristmill crawl {command[-1] if command[0] == 'add' else command[1]} -o crawl/" in ran.stderr.decode()


def test_the_files_of_a_shard_are_listed(tmp_path: Path) -> None:
    paths = [page(tmp_path / "pages" / f"{subject}.html", subject) for subject in ("bridge", "mill")]
    corpus = build([tmp_path / "pages"], tmp_path / "corpus", engine=ENGINE)
    rows = list(read_rows(corpus.shards[0].sources))
    assert [(row["name"], row["size"], row["start"]) for row in rows] == [
        (str(path), path.stat().st_size, 0) for path in paths
    ]
