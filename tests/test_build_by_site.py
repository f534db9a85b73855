"""Building with a method that compares the pages of a site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import gristmill
from gristmill import sample
from gristmill.archive.writer import WarcWriter
from gristmill.cleaning.site import clean_site, sites
from gristmill.config import Config
from gristmill.document import Document, Page
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError
from gristmill.pipeline import build_part, by_site
from gristmill.pipeline.by_site import parts
from gristmill.pipeline.failures import Failures
from gristmill.pipeline.put_aside import RecordFiles, RecordsWriter, page_bytes, page_of
from gristmill.pipeline.reading import process_safely
from gristmill.shards import Shard
from gristmill.spool import Spool

BY_SITE = Config().replace(clean_method="site-dom")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Several archives and single pages, so that there are several shards."""
    folder = tmp_path_factory.mktemp("inputs")
    data = sample.WARC.read_bytes()
    for name, size in (("a", len(data)), ("b", len(data) // 2), ("c", 100)):  # the last one has no page
        (folder / f"{name}.warc.gz").write_bytes(data[:size])
    for number in range(4):
        (folder / f"{number}.html").write_bytes(
            b"<html><body><p>Home of the mill</p><p>The mill burnt down, and it was number %d" % number
        )
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_bytes_do_not_depend_on_workers(inputs: Path, tmp_path: Path) -> None:
    for workers in (1, 3):
        gristmill.build([inputs], tmp_path / str(workers), BY_SITE, workers=workers)
    assert contents(tmp_path / "1") == contents(tmp_path / "3")


def test_pages_of_a_host_are_seen_together_and_stay_in_order(sample_pages: dict[str, Page], tmp_path: Path) -> None:
    corpus = gristmill.build(["sample"], tmp_path / "corpus", BY_SITE, engine=InlineEngine())
    usual = gristmill.build(["sample"], tmp_path / "usual", engine=InlineEngine())
    documents, others = (list(Shard.of(tmp_path / name, "00000").read_documents()) for name in ("corpus", "usual"))
    assert [(document.id, document.url, document.offset) for document in documents] == [
        (document.id, document.url, document.offset) for document in others
    ]
    assert corpus.counts["skipped"] == usual.counts["skipped"]
    found = {document.url: [block.score for block in document.blocks] for document in documents if not document.dropped}
    for pages in sites(sample_pages.values()).values():
        for document in clean_site(pages, method="site-dom"):
            if document.url in found:
                assert found[document.url] == [block.score for block in document.blocks]


def test_progress_adds_up(inputs: Path, tmp_path: Path) -> None:
    whole: dict[str, int | None] = {}
    done: dict[str, list[int]] = {}

    def begin(name: str, amount: int | None) -> Callable[[int], None]:
        whole[name] = amount
        return done.setdefault(name, []).append

    gristmill.build([inputs], tmp_path / "corpus", BY_SITE, engine=InlineEngine(), progress=begin)
    assert list(whole) == [
        *("grouping by site", "comparing sites", "building", "de-duplicating", "counting", "reporting")
    ]
    for round_ in ("grouping by site", "comparing sites"):
        assert sum(done[round_]) == whole[round_]
    assert sum(done["counting"]) == whole["counting"]
    assert sum(done["building"]) == whole["building"]
    assert sum(done["building"]) > 0
    assert sum(done["de-duplicating"]) > 0


def test_a_large_site_is_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_site, "MAX_SITE_BYTES", 100)
    assert list(parts([(3, 10), (4, 20)])) == [[3, 4]]
    assert list(parts([(number, 30) for number in range(8)])) == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert list(parts([(0, 1000), (1, 0), (2, 0)])) == [[0], [1, 2]]
    assert list(parts([(0, 0), (1, 0)])) == [[0, 1]]


def test_a_spool_gives_back_what_was_put_aside(tmp_path: Path) -> None:
    with Spool[str](tmp_path) as spool:
        for text in ("one", "two", "three"):
            spool.append(text)
        assert [spool[number] for number in (2, 0, 1, 2)] == ["three", "one", "two", "three"]
        spool.append("four")
        assert spool[3] == "four"
        assert len(spool) == 4
        assert list(tmp_path.iterdir()) == []


MENU = "<ul><li>Home of the old mill</li><li>Everything about flour and grain</li></ul>"
STORIES = [
    "The miller bought a new stone",
    "On Sunday the river came into the yard",
    "No flour until May",
    "Rain again",
]


def write_archive(path: Path, pages: dict[str, str]) -> Path:
    with path.open("wb") as file, WarcWriter(file) as writer:
        for url, html in pages.items():
            writer.write_response(url, "2026-01-01T00:00:00Z", 200, {"Content-Type": "text/html"}, html.encode())
            writer.write_revisit(f"{url}?again", "2026-01-02T00:00:00Z", url)
    return path


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four archives, each with one page of a site, and with one of another."""
    folder = tmp_path_factory.mktemp("archives")
    return [
        write_archive(
            folder / f"{number}.warc.gz",
            {
                f"http://{'www.' * (number % 2)}mill.example/{number}": f"{MENU}<p>{story}. {story * 12}.",
                f"http://other{number}.example/": f"{MENU}<div><p>{story[::-1] * 12}",
            },
        )
        for number, story in enumerate(STORIES)
    ]


SMALL = BY_SITE.with_filters("length:min=1", "size:min=1")


def test_a_menu_that_is_in_four_archives_is_found_in_all_of_them(archives: list[Path], tmp_path: Path) -> None:
    corpus = gristmill.build(archives, tmp_path / "corpus", SMALL, engine=InlineEngine())
    assert len(corpus.shards) == 4
    for number, (shard, story) in enumerate(zip(corpus.shards, STORIES, strict=True)):
        own, other = shard.read_documents()
        assert (own.source, own.id) == (str(archives[number]), f"0000{number}-000000")
        assert own.text == f"{story}. {story * 12}."
        assert [block.label for block in own.blocks] == ["template", "template", "own"]
        assert "template" not in [block.label for block in other.blocks]  # the only page of its site
    assert corpus.counts["skipped"]["revisit"] == 8
    assert not (tmp_path / "corpus/by-site").exists()


def test_buckets_workers_and_parts_make_no_difference(
    archives: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gristmill.build(archives, tmp_path / "one", SMALL, engine=InlineEngine())
    expected = contents(tmp_path / "one")
    gristmill.build(archives, tmp_path / "two", SMALL, workers=2)
    assert contents(tmp_path / "two") == expected
    monkeypatch.setattr(by_site, "_BUCKET_BYTES", 100)
    gristmill.build(archives, tmp_path / "many", SMALL, engine=InlineEngine())
    assert contents(tmp_path / "many") == expected
    for part in ("1/2", "2/2"):
        build_part(archives, tmp_path / "parts", part, SMALL)
        if part == "1/2":
            with pytest.raises(GristmillError, match="run part 2/2"):
                gristmill.build(archives, tmp_path / "parts", SMALL, merge=True)
    gristmill.build(archives, tmp_path / "parts", SMALL, engine=InlineEngine(), merge=True)
    assert contents(tmp_path / "parts") == expected


def test_one_shard_is_built_again_with_the_pages_of_all(archives: list[Path], tmp_path: Path) -> None:
    corpus = gristmill.build(archives, tmp_path / "corpus", SMALL, engine=InlineEngine())
    expected = contents(tmp_path / "corpus")
    corpus.shards[2].documents.unlink()
    gristmill.build(archives, tmp_path / "corpus", SMALL, engine=InlineEngine())
    assert contents(tmp_path / "corpus") == expected


def test_what_is_added_is_compared_among_itself(archives: list[Path], tmp_path: Path) -> None:
    gristmill.build(archives[:1], tmp_path / "corpus", SMALL, engine=InlineEngine())
    corpus = gristmill.add(tmp_path / "corpus", archives[1:], engine=InlineEngine())
    labels = [[block.label for block in next(shard.read_documents()).blocks] for shard in corpus.shards]
    assert labels[1:] == [["template", "template", "own"]] * 3
    assert "template" not in labels[0]


def test_records_that_are_damaged(tmp_path: Path) -> None:
    """What was put aside is in the folder of the corpus: if somebody has changed it, that is said."""
    path = tmp_path / "by-site/pages/00000.records"
    with RecordsWriter(path) as writer:
        writer.append(b"one")
        writer.append(b"two")
        writer.finish()
    with RecordFiles() as files:
        assert [files.read(path, number) for number in (1, 0)] == [b"two", b"one"]
    path.write_bytes(b"x" * path.stat().st_size)
    with RecordFiles() as files, pytest.raises(GristmillError, match="by-site and build again"):
        files.read(path, 0)
    page = Page("http://a.example/\ud800", b"\nx\n", headers={"a": "b"}, attributes={"query": "mill"}, is_text=True)
    assert page_of(page_bytes(page)) == page


def test_large_sites_are_bounded_over_all_archives(
    archives: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two pages fit: the four pages of the site are compared two by two."""
    seen: list[int] = []

    def counted(site: Sequence[Page], config: Config, failures: Failures) -> list[list[Document]]:
        seen.append(len(site))
        return process_safely(site, config, failures)

    monkeypatch.setattr(by_site, "MAX_SITE_BYTES", 1200)
    monkeypatch.setattr(by_site, "process_safely", counted)
    gristmill.build(archives, tmp_path / "corpus", SMALL, engine=InlineEngine())
    assert sorted(seen) == [1, 1, 1, 1, 2, 2]
