"""Building with a method that compares the pages of a site."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import gristmill
from gristmill import sample
from gristmill.cleaning.site import clean_site, sites
from gristmill.config import Config
from gristmill.document import Page
from gristmill.engine import InlineEngine
from gristmill.pipeline import shard
from gristmill.pipeline.shard import _parts
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
    assert list(whole) == ["building", "de-duplicating", "counting", "reporting"]
    assert sum(done["counting"]) == whole["counting"]
    assert sum(done["building"]) == whole["building"]
    assert sum(done["building"]) > 0
    assert sum(done["de-duplicating"]) > 0


def test_a_large_site_is_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard, "_MAX_SITE_BYTES", 100)
    assert list(_parts([(3, 10), (4, 20)])) == [[3, 4]]
    assert list(_parts([(number, 30) for number in range(8)])) == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert list(_parts([(0, 1000), (1, 0), (2, 0)])) == [[0], [1, 2]]
    assert list(_parts([(0, 0), (1, 0)])) == [[0, 1]]


def test_a_spool_gives_back_what_was_put_aside(tmp_path: Path) -> None:
    with Spool[str](tmp_path) as spool:
        for text in ("one", "two", "three"):
            spool.append(text)
        assert [spool[number] for number in (2, 0, 1, 2)] == ["three", "one", "two", "three"]
        spool.append("four")
        assert spool[3] == "four"
        assert len(spool) == 4
        assert list(tmp_path.iterdir()) == []
