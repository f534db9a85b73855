"""Pages are found by what is known of them, and their originals are read again, if they are what they were."""

from __future__ import annotations

import dataclasses
import gzip
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gristmill
from gristmill.corpus import CorpusReader
from gristmill.corpus.finding import PageQuery, find_pages
from gristmill.corpus.originals import NoOriginalError, read_original
from gristmill.document import Document
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.search.page_text import rows_with
from gristmill.search.terms import parse_terms
from gristmill.shards import ShardWriter

_PAGE = (
    "<title>Mill {n}</title><p>A mill by the river grinds grain into flour, and the miller of town {n} sells it.</p>"
)


def _dropped(corpus: gristmill.Corpus, reason: str) -> set[str]:
    return {url for found, _, url, _ in corpus.dropped() if found == reason}


@pytest.mark.parametrize("reason", ["status", "content-type", "duplicate"])
def test_pages_are_found_by_reason(corpus: gristmill.Corpus, reason: str) -> None:
    found = find_pages(corpus.reader, PageQuery(reason=reason), limit=200)
    assert {page.url for page in found.pages} == _dropped(corpus, reason)
    assert found.count == len(found.pages)
    assert {page.reason for page in found.pages} == {reason}
    assert found.complete


def test_kept_and_skipped_pages_are_found(corpus: gristmill.Corpus) -> None:
    kept = find_pages(corpus.reader, PageQuery(reason="kept"), limit=200)
    assert [page.id for page in kept.pages] == [document.id for document in corpus.documents()]
    skipped = find_pages(corpus.reader, PageQuery(reason="skipped"), limit=200)
    assert skipped.count == corpus.counts["skipped"]["revisit"]
    assert find_pages(corpus.reader, PageQuery(reason="skipped:revisit")).count == skipped.count
    assert find_pages(corpus.reader, PageQuery(reason="skipped:broken")).count == 0
    assert find_pages(corpus.reader, PageQuery()).count == corpus.counts["pages"] + skipped.count


def test_pages_are_found_by_what_is_known_of_them(corpus: gristmill.Corpus) -> None:
    def matching(holds: Callable[[Document], bool]) -> set[str]:
        return {document.id for document in corpus.pages() if holds(document)}

    def found(**query: Any) -> set[str]:
        return {page.id for page in find_pages(corpus.reader, PageQuery(**query), limit=200).pages if page.id}

    assert found(url="NEWS") == matching(lambda page: "news" in page.url.lower())
    assert found(host="gazette.example") == matching(lambda page: "//gazette.example/" in page.url)
    assert found(host=".gazette.example") == found(host="gazette.example") != set()
    assert found(host=".example") == matching(lambda page: ".example" in page.url)
    assert found(lang="de") == matching(lambda page: page.lang == "de") != set()
    assert found(kind="forum") == matching(lambda page: page.page_kind == "forum")
    assert found(year="2023") == matching(lambda page: (page.published or page.date).startswith("2023")) != set()
    assert found(lang="de", year="1990") == set()


def test_results_come_in_parts(corpus: gristmill.Corpus) -> None:
    whole = find_pages(corpus.reader, PageQuery(reason="kept"), limit=200)
    parts = [find_pages(corpus.reader, PageQuery(reason="kept"), first=first, limit=10) for first in range(0, 120, 10)]
    assert [page for part in parts for page in part.pages] == whole.pages
    assert {part.count for part in parts} == {whole.count}


def test_a_search_without_time_says_so(corpus: gristmill.Corpus) -> None:
    found = find_pages(corpus.reader, PageQuery(), limit=5, max_seconds=0)
    assert len(found.pages) == 5
    assert not found.complete
    assert found.looked_at < found.total


def test_words_are_found_in_all_text_or_by_the_index(indexed: gristmill.Corpus) -> None:
    terms = parse_terms('salmon ("fish pass" OR weir)')
    scanned = find_pages(indexed.reader, PageQuery(terms=terms, reason="kept"), limit=200)
    looked_up = find_pages(indexed.reader, PageQuery(), limit=200, among=rows_with(indexed.index, terms))
    assert looked_up.count > 0
    assert {page.id for page in looked_up.pages} <= {page.id for page in scanned.pages}
    assert find_pages(indexed.reader, PageQuery(terms=(("no such words at all",),))).count == 0


def test_a_wrong_year_is_told(corpus: gristmill.Corpus) -> None:
    with pytest.raises(UsageError, match="four digits"):
        find_pages(corpus.reader, PageQuery(year="19"))


def _originals(corpus: gristmill.Corpus) -> list[bytes]:
    return [read_original(corpus.reader, document).body for document in corpus.pages()]


def test_originals_of_the_sample_are_those_that_were_read(
    corpus: gristmill.Corpus, sample_pages: dict[str, gristmill.Page]
) -> None:
    for document in corpus.pages():
        if document.url in sample_pages and not document.dropped:
            assert read_original(corpus.reader, document).body == sample_pages[document.url].body


def _write_zip(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "pages.zip", "w") as packed:
        for number in range(3):
            packed.writestr(f"deep/{number}.html", _PAGE.format(n=number))
    return folder / "pages.zip"


def _write_lines(folder: Path, name: str) -> Path:
    lines = [json.dumps({"html": _PAGE.format(n=number), "url": f"http://x.example/{number}"}) for number in range(3)]
    data = "\n".join(lines).encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    return folder / name


def _write_parquet(folder: Path) -> Path:
    table = pa.table({"html": [_PAGE.format(n=number) for number in range(200)]})
    pq.write_table(table, folder / "pages.parquet", row_group_size=70)
    return folder / "pages.parquet"


def _write_pages(folder: Path) -> Path:
    (folder / "site").mkdir()
    for number in range(3):
        (folder / "site" / f"{number}.html").write_text(_PAGE.format(n=number))
    return folder / "site"


@pytest.mark.parametrize(
    "write",
    [
        _write_zip,
        lambda folder: _write_lines(folder, "pages.jsonl"),
        lambda folder: _write_lines(folder, "pages.jsonl.gz"),
        _write_parquet,
        _write_pages,
    ],
    ids=["zip", "jsonl", "jsonl.gz", "parquet", "pages"],
)
def test_originals_are_read_from_sources_of_all_kinds(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    corpus = gristmill.build([write(tmp_path)], tmp_path / "corpus", engine=InlineEngine())
    found = _originals(corpus)
    assert len(found) >= 3
    assert found == [_PAGE.format(n=number).encode() for number in range(len(found))]


@pytest.fixture
def built(tmp_path: Path) -> gristmill.Corpus:
    return gristmill.build([_write_pages(tmp_path)], tmp_path / "corpus", engine=InlineEngine())


def _first(corpus: gristmill.Corpus) -> Document:
    return next(iter(corpus.pages()))


def test_an_original_that_has_changed_is_not_read(built: gristmill.Corpus) -> None:
    place = Path(_first(built).source)
    place.write_text(place.read_text().replace("grain", "wheat"))
    with pytest.raises(NoOriginalError, match="not what it was"):
        read_original(built.reader, _first(built))
    place.unlink()
    with pytest.raises(NoOriginalError, match="not there any more"):
        read_original(built.reader, _first(built))


def test_originals_are_found_where_they_were_moved_to_with_the_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tmp_path / "before"
    before.mkdir()
    _write_pages(before)
    monkeypatch.chdir(before)
    gristmill.build(["site"], "corpus", engine=InlineEngine())
    monkeypatch.chdir("/")
    shutil.move(before, tmp_path / "after")
    corpus = gristmill.Corpus(tmp_path / "after" / "corpus")
    assert read_original(corpus.reader, _first(corpus)).body == _PAGE.format(n=0).encode()


@pytest.mark.parametrize("name", ["/etc/passwd", "/dev/zero", "//server/share/x.html", "a\0b", "../../../etc/passwd"])
def test_a_document_can_name_only_the_sources_of_its_corpus(built: gristmill.Corpus, name: str) -> None:
    document = dataclasses.replace(_first(built), source=name)
    with pytest.raises(NoOriginalError, match="none of the sources"):
        read_original(built.reader, document)


@pytest.mark.parametrize("name", ["/etc/passwd", "/dev/zero", "//server/share/x.html", "/proc/self/environ"])
def test_a_corpus_of_a_stranger_can_not_have_files_read(built: gristmill.Corpus, name: str) -> None:
    """Sources that are listed are read only if they are what the corpus was built from, by size and hash."""
    shard = built.shards[0]
    rows = pq.read_table(shard.sources).to_pylist()
    kept = pq.read_schema(shard.sources)
    rows[0]["name"] = name
    with ShardWriter(shard.sources, kept) as writer:
        writer.write(pa.Table.from_pylist(rows, kept))
        writer.finish({})
    document = dataclasses.replace(_first(built), source=name)
    with pytest.raises(NoOriginalError, match="not what it was"):
        read_original(CorpusReader(built.folder), document)
