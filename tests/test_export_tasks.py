"""Exports that several tasks write: the same bytes as those of one process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import gristmill
from gristmill.corpus import parallel_export
from gristmill.corpus.formats import FORMATS
from gristmill.corpus.parallel_export import cut
from gristmill.corpus.selecting import SelectedDocument
from gristmill.engine import InlineEngine, LocalEngine

PAGES, OTHERS = 40, 15


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """A corpus of three shards, one of which has no text."""
    folder = tmp_path_factory.mktemp("pages")
    for number in range(PAGES + OTHERS):
        place = folder / ("a" if number < PAGES else "c")
        place.mkdir(exist_ok=True)
        words = " ".join(f"word{number * at % 97}" for at in range(150))
        page = f"<title>{number}</title><p>Write to jo{number}@mill.example. {words}."
        (place / f"{number:03d}.html").write_text(page, "utf-8")
    (folder / "b.warc").write_bytes(b"")
    config = gristmill.Config().replace(dedup_method="exact", filter_languages=())
    sources = [str(folder / name) for name in ("c", "b.warc", "a")]
    made = gristmill.build(sources, folder / "corpus", config, engine=InlineEngine())
    gristmill.annotate(made, engine=InlineEngine())
    return made


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel_export, "_SMALL_WORK_DOCUMENTS", 1)


def _written(path: Path) -> dict[str, bytes]:
    files = [*path.parent.glob(f"{path.name}*"), *(path.iterdir() if path.is_dir() else ())]
    return {file.relative_to(path.parent).as_posix(): file.read_bytes() for file in files if file.is_file()}


@pytest.mark.parametrize("name", ["all.jsonl", "all.md", "all.vert", "all.vrt"])
def test_one_file(corpus: gristmill.Corpus, tmp_path: Path, name: str) -> None:
    for folder, engine in (("alone", None), ("tasks", InlineEngine())):
        (tmp_path / folder).mkdir()
        gristmill.export(corpus, tmp_path / folder / name, mask="email", workers=1, engine=engine)
    assert _written(tmp_path / "tasks" / name) == _written(tmp_path / "alone" / name)


@pytest.mark.parametrize(
    ("form", "size"),
    [("jsonl.gz", 1), ("jsonl.gz", 3_000), ("jsonl", 10**9), ("parquet", 20_000), ("vertical", 100_000)],
)
def test_files_in_a_folder(corpus: gristmill.Corpus, tmp_path: Path, form: str, size: int) -> None:
    for folder, engine in (("alone", None), ("tasks", InlineEngine())):
        gristmill.export(
            corpus, tmp_path / folder / "set", form, shard_size=size, mask="email", workers=1, engine=engine
        )
    made = _written(tmp_path / "tasks" / "set")
    assert made == _written(tmp_path / "alone" / "set")
    assert len(made) > 20 or size > 1


def test_tasks_are_used(corpus: gristmill.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By an engine, and for a file that is not compressed by two workers, but not by one."""
    used: list[str] = []
    monkeypatch.setattr(parallel_export, "_write_file", lambda *_: used.append("file"))
    gristmill.export(corpus, tmp_path / "a.jsonl", workers=1)
    assert not used
    gristmill.export(corpus, tmp_path / "b.jsonl", workers=2)
    assert used == ["file"]
    gristmill.export(corpus, tmp_path / "c.jsonl.gz", workers=2)
    assert used == ["file"]


def test_worker_processes(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    where = gristmill.Selection(where="words > 20")
    alone = gristmill.export(corpus, tmp_path / "alone.jsonl", selection=where, workers=1)
    assert gristmill.export(corpus, tmp_path / "tasks.jsonl", selection=where, engine=LocalEngine(2)) == alone > PAGES
    assert (tmp_path / "tasks.jsonl").read_bytes() == (tmp_path / "alone.jsonl").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"{name}.jsonl{end}" for name in ("alone", "tasks") for end in ("", ".toml")
    ]


def test_a_format_of_this_process_alone(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    """Workers would not know it: this process writes."""

    @gristmill.part("export format", "titles", suffixes=(".titles",))
    def titles(chosen: SelectedDocument) -> Iterator[str]:
        yield f"{chosen.document.title}\n"

    try:
        gristmill.export(corpus, tmp_path / "all.titles", workers=2)
    finally:
        del FORMATS._parts["titles"]
    assert (tmp_path / "all.titles").read_text("utf-8").count("\n") > PAGES


def test_a_failed_part_leaves_nothing(
    corpus: gristmill.Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise gristmill.GristmillError("the disk is full")

    monkeypatch.setattr(parallel_export.WriteFile, "run", fail)
    for output, size in (("all.jsonl", None), ("set", 1000)):
        with pytest.raises(gristmill.GristmillError, match="the disk is full"):
            gristmill.export(corpus, tmp_path / output, "jsonl", shard_size=size, engine=InlineEngine())
    assert not list(tmp_path.iterdir())


def test_cuts() -> None:
    assert cut(np.array([3, 3, 1, 9, 2]), 5) == [0, 2, 4, 5]
    assert cut(np.array([5, 5]), 5) == [0, 1, 2]
    assert cut(np.array([1, 1]), 5) == [0, 2]
    assert cut(np.empty(0, np.int64), 5) == [0, 0]
    assert cut(np.array([0, 0, 5, 0]), 5) == [0, 3, 4]
