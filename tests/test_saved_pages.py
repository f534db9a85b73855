"""Pages as people save them and data sets have them (MHTML, WACZ, ZIP, text, JSON lines, Parquet), and other files."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import quopri
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import run

import gristmill
from gristmill.archive import Skip, WarcWriter, find_sources, jsonl, packed, read
from gristmill.archive.kind import Kind
from gristmill.archive.packed import unpacked
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError

TEXT = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he "
    "had said. "
) * 3
HTML = f"<html><head><title>Müller</title></head><body><p>{TEXT} Größe</p></body></html>"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(200)


def items(path: Path, limit: int = 10_000_000) -> list[Page | Skip]:
    return [item for source in find_sources([path]) for item in read(source, limit)]


def kind(path: Path) -> Kind:
    return find_sources([path])[0].kind


def build(path: Path, output: Path) -> gristmill.Corpus:
    corpus = gristmill.build([path], output, engine=InlineEngine())
    counts = corpus.counts
    assert counts["records"] == counts["pages"] + sum(counts["skipped"].values())
    return corpus


def mhtml(
    encoding: str = "quoted-printable", charset: str = "utf-8", *, nested: bool = False, location: bool = True
) -> bytes:
    body = HTML.encode(charset)
    codings: dict[str, Callable[[bytes], bytes]] = {
        "quoted-printable": quopri.encodestring,
        "base64": base64.encodebytes,
        "8bit": bytes,
    }
    packed = codings[encoding](body)
    page = (
        f'Content-Type: text/html; charset="{charset}"\nContent-ID: '
        f"<frame-1@mhtml.blink>\nContent-Transfer-Encoding: {encoding}\n"
    )
    page += "Content-Location: https://mill.example/a?b=1\n" if location else ""
    picture = "Content-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Location: https://mill.example/x.png\n\niVBORw0KGgo=\n"
    parts = f"--bound\n{page}\n".encode() + packed + f"\n--bound\n{picture}\n--bound--\n".encode()
    if nested:
        parts = b"--outer\nContent-Type: multipart/alternative; boundary=bound\n\n" + parts + b"--outer--\n"
    head = (
        "From: <Saved by Blink>\nSnapshot-Content-Location: https://mill.example/snap\nSubject: "
        "=?utf-8?Q?M=C3=BCller?=\n"
    )
    head += (
        "Date: Tue, 3 Mar 2020 10:00:00 +0100\nMIME-Version: 1.0\nContent-Type: "
        'multipart/related;\n\ttype="text/html";\n'
    )
    head += f'\tboundary="{"outer" if nested else "bound"}"\n\n'
    return (head.encode() + parts).replace(b"\n", b"\r\n")


def wacz(*records: tuple[str, str]) -> bytes:
    stream = io.BytesIO()
    with WarcWriter(stream) as writer:
        for url, body in records:
            writer.write_response(url, "2020-01-01T00:00:00Z", 200, {"Content-Type": "text/html"}, body.encode())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("archive/data.warc.gz", stream.getvalue())
        archive.writestr("datapackage.json", '{"profile": "data-package"}')
        archive.writestr(
            "pages/pages.jsonl", '{"format": "json-pages-1.0"}\n{"url": "https://a.example/", "text": "not a page"}\n'
        )
        archive.writestr("indexes/index.cdx.gz", gzip.compress(b"example,a)/ 2020 {}"))
    return packed.getvalue()


def zipped_files(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


class TestMhtml:
    @pytest.mark.parametrize("nested", [False, True])
    @pytest.mark.parametrize("charset", ["utf-8", "windows-1252"])
    @pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit"])
    def test_the_page_in_it(self, tmp_path: Path, encoding: str, charset: str, nested: bool) -> None:
        path = tmp_path / "saved.mhtml"
        path.write_bytes(mhtml(encoding, charset, nested=nested))
        assert kind(path) == "mhtml"
        (page,) = items(path)
        assert isinstance(page, Page)
        assert (page.url, page.date, page.content_type) == (
            "https://mill.example/a?b=1",
            "2020-03-03T09:00:00Z",
            "text/html",
        )
        assert HTML in page.body.decode(charset)
        document = gristmill.clean(page.body)
        assert document.title == "Müller"

    def test_built(self, tmp_path: Path) -> None:
        (tmp_path / "saved.mht").write_bytes(mhtml())
        (document,) = build(tmp_path / "saved.mht", tmp_path / "corpus").documents()
        assert document.text.endswith("Größe")
        assert "=" not in document.text

    def test_address_of_the_whole_or_of_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.mhtml"
        path.write_bytes(mhtml(location=False))
        assert items(path)[0].url == "https://mill.example/snap"
        path.write_bytes(
            mhtml(location=False).replace(b"Snapshot-Content-Location: https://mill.example/snap\r\n", b"")
        )
        assert items(path)[0].url == f"file:{path}"

    def test_the_named_root_is_the_page(self, tmp_path: Path) -> None:
        data = mhtml().replace(b'type="text/html";', b'type="text/html"; start="<main@x>";')
        data = data.replace(
            b"--bound--", b"--bound\r\nContent-Type: text/html\r\nContent-ID: <main@x>\r\n\r\n<p>The root\r\n--bound--"
        )
        (tmp_path / "a.mhtml").write_bytes(data)
        (page,) = items(tmp_path / "a.mhtml")
        assert isinstance(page, Page)
        assert page.body.strip() == b"<p>The root"

    def test_damage(self, tmp_path: Path) -> None:
        """Cut anywhere, it is a page, or less of one, or a counted skip."""
        whole = mhtml("base64")
        for end in range(0, len(whole), 37):
            (tmp_path / "a.mhtml").write_bytes(whole[:end] or b"\n")
            assert len(items(tmp_path / "a.mhtml")) == 1

    def test_clean(self, tmp_path: Path) -> None:
        (tmp_path / "a.mhtml").write_bytes(mhtml())
        ran = run("clean", tmp_path / "a.mhtml", "--format", "json")
        found = json.loads(ran.stdout)
        assert (found["url"], found["title"]) == ("https://mill.example/a?b=1", "Müller")
        assert run("clean", "-", stdin=mhtml()).stdout.decode().strip().endswith("Größe")


class TestText:
    @pytest.mark.parametrize("encoding", ["utf-8", "windows-1252", "utf-16"])
    @pytest.mark.parametrize("name", ["a.txt", "README", "notes.md", "a.txt.gz"])
    def test_text_is_kept(self, tmp_path: Path, name: str, encoding: str) -> None:
        data = f"Über die Größe der Mühle.\n{TEXT}".encode(encoding)
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        corpus = build(tmp_path / name, tmp_path / "corpus")
        (document,) = corpus.documents()
        assert document.content_type == "text/plain"
        assert "Größe" in document.text

    @pytest.mark.parametrize(
        "start", ["ID3 tags", "MZ", "BM 100", "OggS", "{\\rt", "WARC", "PAR", "%PD", "From: me\nTo: you\n\n"]
    )
    def test_text_that_begins_like_something_else(self, tmp_path: Path, start: str) -> None:
        (tmp_path / "a.txt").write_text(f"{start} {TEXT}", "utf-8")
        (page,) = items(tmp_path / "a.txt")
        assert isinstance(page, Page)
        assert page.is_text

    def test_bytes_called_text_are_not(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_bytes(bytes(range(256)) * 20)
        (page,) = items(tmp_path / "a.txt")
        assert isinstance(page, Page)
        assert not page.is_text
        assert page.content_type == "application/octet-stream"

    def test_html_called_text_is_html_and_text_on_html_is_text(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text(HTML, "utf-8")
        (tmp_path / "b.txt").write_text(f"The tag <p> begins a paragraph. {TEXT}", "utf-8")
        assert [isinstance(item, Page) and item.is_text for item in items(tmp_path)] == [False, True]

    def test_clean(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text(f"Title\n\n{TEXT}", "utf-8")
        ran = run("clean", tmp_path / "a.txt")
        assert ran.stdout.decode().startswith("Title\nIt was the miller")
        assert b"does not look like HTML" not in ran.stderr


RECORDS: dict[str, dict[str, Any]] = {
    "fineweb": {
        "text": TEXT,
        "id": "<urn:uuid:1>",
        "dump": "CC",
        "url": "https://a.example/1",
        "date": "2020-01-02T03:04:05Z",
    },
    "c4": {"text": TEXT, "timestamp": "2020-01-02T03:04:05Z", "url": "https://a.example/1"},
    "culturax": {"text": TEXT, "timestamp": "2020/01/02 03:04:05", "url": "https://a.example/1", "source": "mC4"},
    "oscar": {
        "content": TEXT,
        "warc_headers": {
            "warc-target-uri": "https://a.example/1",
            "warc-date": "2020-01-02T03:04:05Z",
            "warc-type": "conversion",
        },
        "metadata": {"identification": {"label": "en", "prob": 0.9}},
    },
    "oscar of Hugging Face": {
        "id": 7,
        "text": TEXT,
        "meta": {"warc_headers": {"warc-target-uri": "https://a.example/1", "warc-date": "2020-01-02T03:04:05Z"}},
    },
    "glotcc": {"content": TEXT, "warc-target-uri": "https://a.example/1", "warc-date": "2020-01-02T03:04:05Z"},
    "hplt": {
        "f": "x.warc.gz",
        "o": 5,
        "u": "https://a.example/1",
        "ts": "2020-01-02T03:04:05Z",
        "text": TEXT,
        "id": "abc",
    },
    "redpajama": {
        "url": "https://a.example/1",
        "date_download": "2020-01-02T03:04:05Z",
        "raw_content": TEXT,
        "title": "x",
    },
    "redpajama 1": {"text": TEXT, "meta": {"url": "https://a.example/1", "timestamp": "20200102030405"}},
    "dolma": {"id": "https://a.example/1", "text": TEXT, "created": "2020-01-02T03:04:05Z", "metadata": {"length": 3}},
    "seconds": {"text": TEXT, "url": "https://a.example/1", "timestamp": 1577934245},
    "html": {"html": HTML, "url": "https://a.example/1", "date": "2020-01-02T03:04:05Z"},
    "raw": {"raw": HTML, "uri": "https://a.example/1", "date": "2020-01-02T03:04:05Z"},
}


class TestJsonLines:
    @pytest.mark.parametrize("name", RECORDS)
    def test_the_fields_of_data_sets(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "x.jsonl").write_text(json.dumps(RECORDS[name]) + "\n", "utf-8")
        (page,) = items(tmp_path / "x.jsonl")
        assert isinstance(page, Page)
        assert (page.url, page.date) == ("https://a.example/1", "2020-01-02T03:04:05Z")
        assert page.is_text == (name not in {"html", "raw"})
        assert TEXT in page.body.decode()

    def test_places_and_what_is_no_page(self, tmp_path: Path) -> None:
        lines = [
            '{"text": "one"}',
            "",
            "[1, 2]",
            '{"text": 5}',
            "{broken",
            '{"text": "two", "url": "no address"}',
            '{"other": "x"}',
        ]
        path = tmp_path / "x.jsonl"
        path.write_text("\n".join(lines), "utf-8")
        found = items(path)
        assert [item.reason if isinstance(item, Skip) else item.body.decode() for item in found] == [
            *("one", "broken", "broken", "broken", "two", "broken")
        ]
        data = path.read_bytes()
        assert [data[item.offset :].split(b"\n")[0].decode() for item in found] == [line for line in lines if line]
        assert [item.url for item in found if isinstance(item, Page)] == [f"file:{path}#1", f"file:{path}#6"]

    @pytest.mark.parametrize("ending", ["gz", "zst", "bz2", "xz", "lz4"])
    def test_compressed(self, tmp_path: Path, ending: str) -> None:
        data = b"".join(json.dumps({"text": f"{number} {TEXT}"}).encode() + b"\n" for number in range(50))
        half = len(data) // 2
        packers: dict[str, Callable[[bytes], bytes]] = {
            "gz": gzip.compress,
            "zst": lambda part: pa.compress(part, codec="zstd", asbytes=True),
            "lz4": lambda part: pa.compress(part, codec="lz4", asbytes=True),
            "bz2": bz2.compress,
            "xz": lzma.compress,
        }
        pack = packers[ending]
        path = tmp_path / f"x.jsonl.{ending}"
        path.write_bytes(pack(data[:half]) + pack(data[half:]) if ending != "lz4" else pack(data))
        assert kind(path) == "jsonl"
        assert len(items(path)) == 50
        path.write_bytes(pack(data)[: len(pack(data)) // 2])
        found = items(path)
        assert isinstance(found[-1], Skip)
        assert found[-1].reason == "broken"
        path.rename(tmp_path / f"name.{ending}")
        path = tmp_path / f"name.{ending}"
        path.write_bytes(pack(data))
        assert kind(path) == "jsonl"

    def test_a_line_that_has_no_end(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jsonl, "_MAX_LINE_BYTES", 10_000)
        lines = [
            '{"text": "one"}',
            '{"text": "' + "x" * 3_000_000 + '"}',
            '{"text": "two"}',
            "[" * 9000,
            '{"text": "' + "y" * 9_900 + '"}',
        ]
        (tmp_path / "x.jsonl").write_text("\n".join(lines), "utf-8")
        found = items(tmp_path / "x.jsonl", limit=5000)
        assert [item.reason if isinstance(item, Skip) else len(item.body) for item in found] == [
            3,
            "broken",
            3,
            "broken",
            5001,
        ]

    def test_json_that_is_not_lines_is_no_page(self, tmp_path: Path) -> None:
        (tmp_path / "package.json").write_text(json.dumps({"name": "x", "version": 1}, indent=2))
        with pytest.raises(UsageError, match=r"package\.json is JSON data, not lines of JSON"):
            find_sources([tmp_path])

    def test_own_exports_are_read(self, tmp_path: Path, corpus: gristmill.Corpus) -> None:
        for name in ("x.jsonl", "x.parquet"):
            gristmill.export(corpus, tmp_path / name)
            documents = list(corpus.documents())
            found = items(tmp_path / name)
            assert [(item.url, item.date) for item in found if isinstance(item, Page)] == [
                (item.url, item.date) for item in documents
            ]
            assert [item.body.decode() for item in found if isinstance(item, Page)] == [
                document.text for document in documents
            ]


class TestParquet:
    @pytest.mark.parametrize("name", RECORDS)
    def test_the_columns_of_data_sets(self, tmp_path: Path, name: str) -> None:
        pq.write_table(pa.Table.from_pylist([RECORDS[name]] * 150), tmp_path / "x.parquet")
        found = items(tmp_path / "x.parquet")
        assert len(found) == 150
        assert [item.offset for item in found] == list(range(150))
        page = found[-1]
        assert isinstance(page, Page)
        assert (page.url, page.date) == ("https://a.example/1", "2020-01-02T03:04:05Z")

    def test_other_types(self, tmp_path: Path) -> None:
        table = pa.table(
            {
                "content": pa.array([HTML.encode(), None, b""], pa.large_binary()),
                "url": pa.array(["https://a.example/1", None, "x"]).dictionary_encode(),
                "timestamp": pa.array(
                    [datetime(2020, 1, 2, 3, 4, 5, tzinfo=UTC)] * 3, pa.timestamp("ns", "Europe/Prague")
                ),
                "embedding": pa.array([[1.0], [2.0], None]),
            }
        )
        pq.write_table(table, tmp_path / "x.parquet")
        first, second, third = items(tmp_path / "x.parquet")
        assert isinstance(first, Page)
        assert (first.url, first.date, first.is_text) == ("https://a.example/1", "2020-01-02T03:04:05Z", False)
        assert [isinstance(item, Skip) and item.detail for item in (second, third)] == ["no text in this row"] * 2

    def test_no_text_at_all(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"text": [[1, 2]], "n": [1]}), tmp_path / "x.parquet")
        (skip,) = items(tmp_path / "x.parquet")
        assert isinstance(skip, Skip)
        assert skip.reason == "unreadable"
        assert skip.detail.endswith("there are text, n")

    def test_damage(self, tmp_path: Path) -> None:
        path = tmp_path / "x.parquet"
        pq.write_table(pa.Table.from_pylist([RECORDS["fineweb"]] * 50), path)
        whole = path.read_bytes()
        for end in range(4, len(whole), 61):
            path.write_bytes(whole[:end])
            assert isinstance(items(path)[-1], Skip)
            path.write_bytes(whole[:end] + b"\xff\x00\xff" + whole[end + 3 :])
            assert items(path)


class TestZip:
    def test_wacz(self, tmp_path: Path) -> None:
        path = tmp_path / "x.wacz"
        path.write_bytes(wacz(("https://a.example/", HTML), ("https://b.example/", HTML)))
        assert kind(path) == "wacz"
        corpus = build(path, tmp_path / "corpus")
        assert [document.url for document in corpus.pages()] == ["https://a.example/", "https://b.example/"]
        assert {document.source for document in corpus.pages()} == {f"{path}/archive/data.warc.gz"}
        assert corpus.counts["skipped"] == {"other": 3}

    def test_everything_that_is_read_alone_is_read_in_it(self, tmp_path: Path) -> None:
        table = io.BytesIO()
        pq.write_table(pa.Table.from_pylist([RECORDS["fineweb"]]), table)
        warc = io.BytesIO()
        with WarcWriter(warc) as writer:
            writer.write_response(
                "https://w.example/", "2020-01-01T00:00:00Z", 200, {"Content-Type": "text/html"}, HTML.encode()
            )
        files = {
            "jan/a.html": HTML.encode(),
            "b.txt": TEXT.encode(),
            "c.mhtml": mhtml(),
            "d.jsonl": json.dumps(RECORDS["oscar"]).encode() * 1,
            "e.parquet": table.getvalue(),
            "f.warc.gz": warc.getvalue(),
            "g.png": PNG,
            "__MACOSX/._a.html": b"junk",
            "h.zip": zipped_files({"x.html": HTML.encode()}),
            "empty/": b"",
        }
        path = tmp_path / "pages.zip"
        path.write_bytes(zipped_files(files))
        found = items(path)
        name = str(path)
        assert [item.url for item in found if isinstance(item, Page)] == [
            f"file:{name}/jan/a.html",
            f"file:{name}/b.txt",
            "https://mill.example/a?b=1",
            "https://a.example/1",
            "https://a.example/1",
            "https://w.example/",
        ]
        assert [(item.source, item.detail) for item in found if isinstance(item, Skip)] == [
            (f"{name}/g.png", "a picture"),
            (f"{name}/h.zip", "an archive within an archive: unpack it"),
        ]

    def test_bombs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(packed, "_ALWAYS_ALLOWED_BYTES", 100_000)
        path = tmp_path / "x.zip"
        path.write_bytes(zipped_files({"bomb.html": b"<p>" + b"x" * 50_000_000, "b.html": HTML.encode()}))
        bomb, page = items(path)
        assert isinstance(bomb, Skip)
        assert bomb.detail == packed.BOMB
        assert isinstance(page, Page)
        data = zipped_files({f"{number}.html": HTML.encode() for number in range(20)}, zipfile.ZIP_STORED)
        first = data.index(b"PK\x01\x02")
        size = data.index(b"PK\x01\x02", first + 1) - first
        entry = data[first : first + size]
        (tmp_path / "y.zip").write_bytes(
            data[: len(HTML.encode()) + 40] + entry * 20 + data[-22:]
        )  # the same bytes again and again
        assert all(isinstance(item, Skip) for item in items(tmp_path / "y.zip"))

    def test_damage(self, tmp_path: Path) -> None:
        whole = zipped_files({"a.html": HTML.encode(), "b.warc": b"WARC/1.0\r\n"})
        path = tmp_path / "x.zip"
        for end in range(4, len(whole), 23):
            path.write_bytes(whole[:end])
            assert items(path)
            path.write_bytes(whole[:end] + b"\xff\xee" + whole[end + 2 :])
            items(path)


class TestUnreadable:
    @pytest.mark.parametrize(
        ("name", "data", "what"),
        [
            ("pictures.tar", bytes(257) + b"ustar\x00" + bytes(300), "a tar archive: unpack it"),
            ("pictures.tar.gz", gzip.compress(bytes(257) + b"ustar\x00" + bytes(300)), "a tar archive: unpack it"),
            ("x.png", PNG, "a picture"),
            ("no-name", PNG, "a picture"),
            ("x.7z", b"7z\xbc\xaf\x27\x1c" + bytes(50), "a 7z archive"),
            ("x.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(50), "an old Office document: save it as .docx"),
            ("x.css", b"p { color: red }", "a style sheet"),
            ("x.js", b"alert('<p>')", "a script"),
            ("x.csv", b"a,b\n1,2\n", "a table"),
            ("x.xlsx", zipped_files({"xl/workbook.xml": b"<x/>"}), "a table"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_alone_it_is_refused_by_name(self, tmp_path: Path, name: str, data: bytes, what: str) -> None:
        (tmp_path / name).write_bytes(data)
        ran = run("build", tmp_path / name, "-o", tmp_path / "corpus")
        assert ran.returncode == 2
        assert f"{name} is {what}" in ran.stderr.decode()
        assert not (tmp_path / "corpus").exists()
        cleaned = run("clean", tmp_path / name)
        assert (cleaned.returncode, what in cleaned.stderr.decode()) == (2, True)

    def test_among_pages_it_is_counted(self, tmp_path: Path) -> None:
        folder = tmp_path / "pages"
        folder.mkdir()
        (folder / "a.html").write_text(HTML, "utf-8")
        (folder / "b.png").write_bytes(PNG)
        (folder / "c.css").write_text("p {}")
        corpus = build(folder, tmp_path / "corpus")
        assert corpus.counts["skipped"] == {"unreadable": 2}
        assert corpus.counts["kept"] == 1
        assert next(iter(corpus.dropped())) == ("unreadable", "a picture", "", f"{folder}/b.png:0")
        assert b"files that can't be read" in run("stats", corpus.folder).stdout


def test_a_build_that_keeps_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>short")
    ran = run("build", tmp_path / "a.html", "-o", tmp_path / "corpus", "-j", "1")
    assert ran.returncode == 1
    assert b"nothing was kept" in ran.stderr


def test_unpacked_is_the_file_itself_if_it_is_not_compressed() -> None:
    file = io.BytesIO(b"plain")
    assert unpacked(file) is file


def test_the_host_of_a_file_is_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for month, text in (
        ("jan", TEXT),
        ("feb", " ".join(f"On day {day} of the month the bells rang {day} times." for day in range(28))),
    ):
        (tmp_path / "pages" / month).mkdir(parents=True)
        (tmp_path / "pages" / month / "a.html").write_text(f"<html><body><p>{text}", "utf-8")
    corpus = build(Path("pages"), tmp_path / "corpus")
    assert [item.url for item in corpus.documents(gristmill.Selection(where='host="jan"'))] == ["file:pages/jan/a.html"]
