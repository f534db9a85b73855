"""Corpora of many shards: what the driver would have to do for each of them is done by tasks, by threads, or once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

import gristmill
from gristmill.corpus import listing
from gristmill.corpus.inventory import Inventory
from gristmill.corpus.manifest import Manifest
from gristmill.engine import InlineEngine, LocalEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline import building
from gristmill.pipeline.shard import ShardTask
from gristmill.pipeline.stages import status
from gristmill.shards import Shard
from gristmill.stages import Runner, over_shards, spans
from gristmill.threads import in_threads

PAGES = 12


def _pages(folder: Path, count: int = PAGES) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        words = " ".join(f"word{number * place % 89}" for place in range(1, 120))
        (folder / f"{number:02d}.html").write_text(f"<title>{number}</title><p>{words}.", "utf-8")
    return folder


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _many(patch: pytest.MonkeyPatch) -> None:
    """Let a few shards be many, each of one page."""
    patch.setattr(building, "_SHARD_FILES", 1)
    patch.setattr(listing, "_FEW_SHARDS", 2)
    patch.setattr(spans, "_SPAN_SHARDS", 5)
    patch.setattr("gristmill.threads._FEW", 2)


def test_many_shards_are_built_as_few_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans, threads and the plan of a build change nothing in the corpus."""
    pages = _pages(tmp_path / "pages")
    with monkeypatch.context() as patch:
        patch.setattr(building, "_SHARD_FILES", 1)
        gristmill.build(pages, tmp_path / "few", engine=InlineEngine())
        gristmill.index(tmp_path / "few", engine=InlineEngine())
    _many(monkeypatch)
    gristmill.build(pages, tmp_path / "many", engine=InlineEngine())
    gristmill.index(tmp_path / "many", engine=InlineEngine())
    assert len(Manifest.read(tmp_path / "many").entries) == PAGES
    assert _files(tmp_path / "many") == _files(tmp_path / "few")
    assert status(tmp_path / "many").up_to_date
    assert gristmill.annotate(tmp_path / "many", engine=InlineEngine()) == gristmill.annotate(
        tmp_path / "few", engine=InlineEngine()
    )


def test_a_build_of_many_shards_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was to be built is known by the plan, whatever the files are called now; and it is gone at the end."""
    _many(monkeypatch)
    pages, corpus = _pages(tmp_path / "pages"), tmp_path / "corpus"
    gristmill.build(pages, tmp_path / "whole", engine=InlineEngine())
    with monkeypatch.context() as patch:
        patch.setattr(ShardTask, "run", _stop_at(5))
        with pytest.raises(KeyboardInterrupt):
            gristmill.build(pages, corpus, engine=InlineEngine())
    assert (corpus / "sources.parquet").exists()
    assert len(Inventory(corpus, Manifest.read(corpus).entries).shards) == PAGES
    pages.rename(tmp_path / "moved")
    (tmp_path / "moved" / "99.html").write_text("<p>One more.", "utf-8")
    with pytest.raises(UsageError, match=r"99\.html"):
        gristmill.build(tmp_path / "moved", corpus, engine=InlineEngine())
    (tmp_path / "moved" / "99.html").unlink()
    gristmill.build(tmp_path / "moved", corpus, engine=InlineEngine())
    assert _files(corpus) == _files(tmp_path / "whole")
    assert not (corpus / "sources.parquet").exists()


def _stop_at(count: int) -> object:
    run, done = ShardTask.run, iter(range(count))

    def stopping(task: ShardTask, report: object) -> object:
        if next(done, None) is None:
            raise KeyboardInterrupt
        return run(task, report)  # type: ignore[arg-type]

    return stopping


def test_pages_are_added_to_many_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _many(monkeypatch)
    gristmill.build(_pages(tmp_path / "pages", 4), tmp_path / "corpus", engine=InlineEngine())
    gristmill.add(tmp_path / "corpus", _pages(tmp_path / "pages"), engine=InlineEngine())
    assert len(Manifest.read(tmp_path / "corpus").settled) == PAGES
    assert not (tmp_path / "corpus" / "sources.parquet").exists()


def _names(shards: Sequence[Shard]) -> list[str]:
    return [shard.name for shard in shards]


def _fail(shards: Sequence[Shard]) -> None:
    raise GristmillError(f"{shards[0].name} can't be read")


@pytest.mark.parametrize("workers", [1, 2])
def test_spans_are_in_order(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "_SPAN_SHARDS", 3)
    shards = [Shard(Path(f"{number:05d}")) for number in range(10)]
    with Runner(workers, LocalEngine(2) if workers > 1 else None) as runner:
        found = over_shards(runner, "asking", shards, _names)
        assert [len(part) for part in found] == [3, 3, 3, 1]
        assert [name for part in found for name in part] == [shard.name for shard in shards]
        with pytest.raises(GristmillError, match="4 of 4 spans failed"):
            over_shards(runner, "asking", shards, _fail)
    assert over_shards(None, "asking", shards, _names) == [[shard.name for shard in shards]]


def test_threads_keep_order_and_raise() -> None:
    seen: set[int] = set()

    def double(number: int) -> int:
        seen.add(threading.get_ident())
        return number * 2

    assert in_threads(double, range(5000)) == [number * 2 for number in range(5000)]
    assert len(seen) > 1
    seen.clear()
    assert in_threads(double, range(10)) == [number * 2 for number in range(10)]
    assert seen == {threading.get_ident()}
    assert in_threads(double, []) == []
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda number: 1 // (number - 3000), range(5000))
