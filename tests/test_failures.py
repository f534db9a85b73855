"""Whatever a page does to the program costs that page, never the shard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
from command import run

import gristmill
from gristmill import part
from gristmill.archive import Source, WarcWriter, find_sources, opening, readers
from gristmill.cleaning import METHODS, Scores
from gristmill.cleaning.features import Features
from gristmill.config import Config
from gristmill.engine import InlineEngine
from gristmill.pipeline import ShardTask
from gristmill.shards import Shard

STORY = (
    "It was the miller who said that the river would rise in the night, and it was the river that did what he had "
    "said it would do. "
)


def score(page: Features, lang: str) -> Scores:
    """Fail on one page, and run out of memory on another."""
    del lang
    text = " ".join(block.text for block in page.blocks)
    if "memory" in text:
        raise MemoryError
    if "cursed" in text:
        raise IndexError("index 0 is out of\nbounds")
    return Scores(np.zeros(len(page.blocks)), ["text"] * len(page.blocks))


@pytest.fixture
def method() -> Iterator[str]:
    part("cleaning method", "cursed")(score)
    yield "cursed"
    METHODS._parts.pop("cursed")


@pytest.fixture
def site_method() -> Iterator[str]:
    def score_site(pages: Sequence[Features]) -> list[Scores]:
        return [score(page, "") for page in pages]

    part("cleaning method", "cursed-site", alone=score)(score_site)
    yield "cursed-site"
    METHODS._parts.pop("cursed-site")


def archive(path: Path, *words: str) -> Path:
    with path.open("wb") as file, WarcWriter(file) as writer:
        for number, word in enumerate(words):
            body = f"<html><body><p>{number} {word} {STORY * 3}{number}</p></body></html>".encode()
            writer.write_response(
                f"http://a.example/{number}", "2020-01-01T00:00:00Z", 200, {"Content-Type": "text/html"}, body
            )
    return path


@pytest.mark.parametrize("by_site", [False, True])
def test_a_page_that_fails_is_dropped_and_logged(tmp_path: Path, method: str, site_method: str, by_site: bool) -> None:
    path = archive(tmp_path / "x.warc.gz", "good", "cursed", "better")
    config = Config().replace(clean_method=site_method if by_site else method, dedup_method="exact")
    for name in ("one", "two"):
        corpus = gristmill.build([path], tmp_path / name, config, engine=InlineEngine())
    assert corpus.counts["dropped"] == {"failed": 1}
    assert corpus.counts["pages"] == 3
    assert corpus.counts["kept"] == 2
    (found,) = [fields for fields in corpus.dropped() if fields[0] == "failed"]
    assert found == ("failed", "IndexError: index 0 is out of bounds", "http://a.example/1", "00000-000001")
    log = corpus.shards[0].failures.read_text("utf-8")
    assert log.startswith(f"http://a.example/1\n{path}:")
    assert "gristmill/pipeline/reading.py:" in log
    assert 'raise IndexError("index 0 is out of\\nbounds")' in log
    assert str(Path(gristmill.__file__).parent) not in log
    assert log == Shard.of(tmp_path / "one", "00000").failures.read_text("utf-8")
    assert b"failed (see failures.log" in run("stats", corpus.folder).stdout
    assert b"IndexError" in run("why", corpus.folder, "http://a.example/1").stdout


def test_pages_on_which_a_part_fails_fail_the_command(tmp_path: Path, method: str) -> None:
    archive(tmp_path / "x.warc.gz", "good", "cursed", "better")
    done = run(
        "build", "x.warc.gz", "-o", "corpus", "--engine", "inline", "--method", method, "--dedup", "exact", cwd=tmp_path
    )
    assert done.returncode == 1
    error = done.stderr.decode()
    assert "IndexError: index 0 is out of bounds (1 page; the first: 00000-000001)" in error
    assert error.endswith("Where it failed: corpus/shards/00000/failures.log\n")
    assert gristmill.Corpus(tmp_path / "corpus").counts["kept"] == 2


def test_only_what_is_added_fails_an_addition(tmp_path: Path, method: str) -> None:
    config = Config().replace(clean_method=method, dedup_method="exact")
    source = archive(tmp_path / "x.warc.gz", "good", "cursed")
    gristmill.build(source, tmp_path / "corpus", config, engine=InlineEngine())
    archive(tmp_path / "y.warc.gz", "better")
    archive(tmp_path / "z.warc.gz", "cursed again")
    assert run("add", "corpus", "y.warc.gz", "--engine", "inline", cwd=tmp_path).returncode == 0
    done = run("add", "corpus", "z.warc.gz", "--engine", "inline", cwd=tmp_path)
    assert done.returncode == 1
    assert b"1 page; the first: 00002-000000" in done.stderr


def test_no_failures_no_log(tmp_path: Path, method: str) -> None:
    path = archive(tmp_path / "x.warc.gz", "good")
    shard = Shard.of(tmp_path, "00000")
    shard.folder.mkdir(parents=True)
    shard.failures.write_text("from a run before")
    ShardTask(shard, tuple(find_sources([path])), Config().replace(clean_method=method)).run(lambda _: None)
    assert not shard.failures.exists()


@pytest.mark.parametrize("by_site", [False, True])
def test_a_page_that_takes_too_much_memory_costs_no_other(
    tmp_path: Path, method: str, site_method: str, by_site: bool
) -> None:
    path = archive(tmp_path / "x.warc.gz", "good", "memory", "better")
    config = Config().replace(clean_method=site_method if by_site else method, dedup_method="exact")
    corpus = gristmill.build([path], tmp_path / "corpus", config, engine=InlineEngine())
    assert corpus.counts["dropped"] == {"failed": 1}
    assert corpus.counts["kept"] == 2
    (found,) = [fields for fields in corpus.dropped() if fields[0] == "failed"]
    assert found == ("failed", "MemoryError", "http://a.example/1", "00000-000001")


def test_a_file_that_takes_too_much_memory_to_be_read_costs_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    (tmp_path / "good.html").write_text(f"<p>{STORY * 3}")
    (tmp_path / "hungry.html").write_text(f"<p>{STORY * 4}")
    page = find_sources([tmp_path])
    archived = archive(tmp_path / "x.warc.gz", "hungry")
    limits = {"hungry.html": MemoryError(), "x.warc.gz": MemoryError()}

    def open_source(source: Source) -> BinaryIO:
        if error := limits.get(Path(source.path).name):
            raise error
        return opening.open_source(source)

    monkeypatch.setattr(readers, "open_source", open_source)
    shard = Shard(tmp_path / "00000")
    config = Config().replace(clean_method=method)
    counts = ShardTask(shard, tuple(page), config).run(lambda _: None)
    assert (counts["skipped.broken"], counts["pages"]) == (1, 1)
    with pytest.raises(MemoryError):
        ShardTask(shard, tuple(find_sources([archived])), config).run(lambda _: None)


def test_a_log_of_bounded_size(tmp_path: Path, method: str) -> None:
    path = archive(tmp_path / "x.warc.gz", *["cursed"] * 210)
    shard = Shard(tmp_path / "00000")
    ShardTask(shard, tuple(find_sources([path])), Config().replace(clean_method=method)).run(lambda _: None)
    assert shard.failures.read_text("utf-8").endswith("\nand 10 more pages\n")
