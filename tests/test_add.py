"""Adding pages to a corpus: what is there stays as it is, and is not read again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill import sample
from gristmill.corpus import Manifest
from gristmill.corpus.copies import trace
from gristmill.corpus.repeaters import repeaters_of
from gristmill.dedup.onion.method import Onion
from gristmill.engine import InlineEngine
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline import add, build, deduplicate, reading

ENGINE = InlineEngine()
SAMPLE = Path(sample.__file__).parent / "web.warc.gz"


def _page(folder: Path, name: str, *, text: str) -> Path:
    path = folder / f"{name}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<html><body><p>{text}</p></body></html>", "utf-8")
    return path


def _story(subject: str) -> str:
    return " ".join(
        (
            f"In chapter {number} the {subject} stood by the river, a {subject} that every other {subject} in the "
            f"land was built after."
        )
        for number in range(1, 9)
    )


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for subject in ("mill", "bridge"):
        _page(tmp_path / "pages", subject, text=_story(subject))
    return tmp_path / "pages"


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("shards/*/*.parquet"))}


def test_added_is_as_if_built_at_once(tmp_path: Path) -> None:
    one, two = tmp_path / "one.warc.gz", tmp_path / "two.warc.gz"
    shutil.copy(SAMPLE, one)
    two.write_bytes(b"\n" + SAMPLE.read_bytes())
    at_once = build([one, two], tmp_path / "at-once", engine=ENGINE)
    build([one], tmp_path / "added", engine=ENGINE)
    added = add(tmp_path / "added", [two], engine=ENGINE)
    assert added.counts == at_once.counts
    assert added.manifest.to_table() == at_once.manifest.to_table()
    for number in range(2):
        for name in ("documents", "duplicates", "skipped"):
            file = f"shards/{number:05d}/{name}.parquet"
            assert (added.folder / file).read_bytes() == (at_once.folder / file).read_bytes(), file


def test_only_new_files_of_a_folder_are_read(tmp_path: Path, pages: Path) -> None:
    corpus = build([pages], tmp_path / "corpus", engine=ENGINE)
    assert corpus.counts["pages"] == 2
    _page(pages, "church", text=_story("church"))
    corpus = add(corpus.folder, [pages], engine=ENGINE)
    assert corpus.counts["pages"] == 3
    assert [Path(document.source).name for document in corpus.pages()] == ["bridge.html", "mill.html", "church.html"]
    before = (corpus.folder / "corpus.toml").read_bytes()
    add(corpus.folder, [pages], engine=ENGINE)
    assert (corpus.folder / "corpus.toml").read_bytes() == before


def test_old_text_is_repeated_in_new_pages(tmp_path: Path, pages: Path) -> None:
    corpus = build([pages], tmp_path / "corpus", engine=ENGINE)
    copy = _page(tmp_path / "later", "a-copy", text=f"{_story('mill')} ")
    corpus = add(corpus.folder, copy, engine=ENGINE)
    assert [reason for reason, *_ in corpus.dropped()] == ["duplicate"]
    assert {Path(document.source).name for document in corpus.documents()} == {"bridge.html", "mill.html"}


def test_what_was_kept_stays_kept(tmp_path: Path, pages: Path) -> None:
    """A page of one paragraph stays when a longer page with the same paragraph is added; so do files beside it."""
    corpus = build([pages], tmp_path / "corpus", engine=ENGINE)
    before = _files(corpus.folder)
    longer = _page(tmp_path / "later", "longer", text=f"{_story('tower')}</p><p>{_story('mill')}")
    corpus = add(corpus.folder, longer, engine=ENGINE)
    assert {Path(document.source).name for document in corpus.documents()} == {
        "bridge.html",
        "longer.html",
        "mill.html",
    }
    assert [document.text for document in corpus.documents()][2] == _story("tower")
    assert {name: (corpus.folder / "shards/00000" / name).read_bytes() for name in before} == before
    first, second = trace(corpus.reader, "00001-000000").blocks
    assert first.verdict == "unique"
    assert second.copy
    assert (second.verdict, second.copy.id, second.copy.block) == ("duplicate", "00000-000001", 0)
    assert [relative.id for relative in repeaters_of(corpus.reader, "00000-000001")] == ["00001-000000"]


def test_an_interrupted_addition_goes_on(tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = build([pages], tmp_path / "corpus", engine=ENGINE).folder
    whole = tmp_path / "whole"
    shutil.copytree(folder, whole)
    more = [
        _page(tmp_path / "more", "tower", text=_story("tower")),
        _page(tmp_path / "more", "well", text=_story("well")),
    ]
    with monkeypatch.context() as patch:
        patch.setattr(reading, "read", _fail)
        with pytest.raises(GristmillError, match="1 of 1 shards failed"):
            add(folder, more, engine=ENGINE)
    for make in (gristmill.index, gristmill.annotate, gristmill.run_watches):
        with pytest.raises(GristmillError, match="not complete: an addition was interrupted"):
            make(folder, engine=ENGINE)
    with pytest.raises(UsageError, match="interrupted: finish it first"):
        add(folder, more[:1], engine=ENGINE)
    assert add(folder, more, engine=ENGINE).counts == add(whole, more, engine=ENGINE).counts
    assert _files(folder) == _files(whole)
    assert (folder / "corpus.toml").read_bytes() == (whole / "corpus.toml").read_bytes()


def test_what_was_there_is_read_and_searched_while_pages_are_added(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = build([pages], tmp_path / "corpus", engine=ENGINE)
    hits = len(before.search("mill"))
    more = _page(tmp_path / "more", "tower", text=f"{_story('tower')} The mill was far away.")
    with monkeypatch.context() as patch:
        patch.setattr(Onion, "run", _fail)  # the shard is built, and not de-duplicated
        with pytest.raises(RuntimeError, match="the power went"):
            add(before.folder, more, engine=ENGINE)
    before.refresh()
    for corpus in (before, gristmill.Corpus(before.folder), gristmill.Corpus(before.folder, build=False)):
        assert len(corpus.search("mill")) == hits
        assert corpus.counts["kept"] == len(list(corpus.documents())) == corpus.size["documents"] == 2
        assert len(corpus.shards) == 1
    assert run("export", before.folder, "-o", tmp_path / "x.txt").returncode == 0
    status = gristmill.status(before.folder)
    assert not status.complete
    assert next(stage.command for stage in status.stages if stage.command).startswith(f"gristmill add {before.folder}")
    add(before.folder, more, engine=ENGINE)
    before.refresh()
    assert len(before.search("mill")) == hits + 1


def test_the_log_names_the_shards_that_are_judged(
    tmp_path: Path, pages: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpus = build([pages], tmp_path / "corpus", engine=ENGINE)
    with caplog.at_level("DEBUG", "gristmill"):
        add(corpus.folder, _page(tmp_path / "more", "tower", text=_story("tower")), engine=ENGINE)
    named = [record.getMessage() for record in caplog.records if "in shard" in record.getMessage()]
    assert named
    assert all("shard 00001" in message for message in named)


def test_a_wrong_option_leaves_the_corpus_as_it_was(tmp_path: Path, pages: Path) -> None:
    corpus = build([pages], tmp_path / "corpus", engine=ENGINE)
    before = (corpus.folder / "corpus.toml").read_bytes()
    with pytest.raises(UsageError, match="needs at least"):
        add(corpus.folder, _page(tmp_path / "more", "tower", text=_story("tower")), memory="10MB", engine=ENGINE)
    assert (corpus.folder / "corpus.toml").read_bytes() == before
    assert [path.name for path in (corpus.folder / "shards").iterdir()] == ["00000"]


@pytest.mark.parametrize("length", [0, 100, 300])
def test_n_grams_that_are_cut_off_are_made_anew(tmp_path: Path, pages: Path, length: int) -> None:
    corpus = build([pages], tmp_path / "corpus", engine=ENGINE)
    shutil.copytree(corpus.folder, tmp_path / "whole")
    file = next((corpus.folder / "ngrams").glob("*/00000"))
    file.write_bytes(file.read_bytes()[:length])
    more = _page(tmp_path / "more", "tower", text=f"{_story('tower')} {_story('mill')}")
    add(tmp_path / "whole", more, engine=ENGINE)
    add(corpus.folder, more, engine=ENGINE)
    assert _files(corpus.folder) == _files(tmp_path / "whole")


def _fail(*_: object) -> None:
    raise RuntimeError("the power went")


def test_what_is_judged_anew_amid_an_addition_is_finished_first(
    tmp_path: Path, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until that is done, no shard is settled: some may have new verdicts and others old ones."""
    folder = build([pages], tmp_path / "corpus", engine=ENGINE).folder
    tower = _page(tmp_path / "more", "tower", text=_story("tower"))
    with monkeypatch.context() as patch:
        patch.setattr(Onion, "run", _fail)
        with pytest.raises(RuntimeError):
            add(folder, tower, engine=ENGINE)
        with pytest.raises(RuntimeError):
            deduplicate(folder, engine=ENGINE)
    with pytest.raises(GristmillError, match="not complete"):
        add(folder, tower, engine=ENGINE)
    assert deduplicate(folder, engine=ENGINE).counts["pages"] == 3
    assert add(folder, tower, engine=ENGINE).counts["pages"] == 3


def test_shards_of_other_versions_say_so(tmp_path: Path, pages: Path) -> None:
    corpus = build([pages], tmp_path / "corpus", engine=ENGINE)
    manifest = Manifest.read(corpus.folder)
    manifest.versions["ftfy"] = "0.1"
    manifest.write()
    corpus = add(corpus.folder, _page(tmp_path / "more", "tower", text=_story("tower")), engine=ENGINE)
    first, second = corpus.manifest.entries
    assert not first.versions
    assert set(second.versions) == {"ftfy"}


def test_not_to_what_is_not_built(tmp_path: Path, pages: Path) -> None:
    corpus = build([pages], tmp_path / "corpus", engine=ENGINE)
    corpus.shards[0].documents.unlink()
    manifest = Manifest.read(corpus.folder)
    manifest.counts = None
    manifest.write()
    with pytest.raises(GristmillError, match="not complete"):
        add(corpus.folder, [pages], engine=ENGINE)


def test_command(tmp_path: Path, pages: Path) -> None:
    assert run("build", pages, "-o", tmp_path / "corpus", "-j", "1").returncode == 0
    _page(pages, "church", text=_story("church"))
    ran = run("add", tmp_path / "corpus", pages, "-j", "1")
    assert ran.returncode == 0
    assert b"1 page read" in ran.stderr
    assert b"3 documents, 2 before" in ran.stderr
    assert b"nothing new" in run("add", tmp_path / "corpus", pages, "-j", "1").stderr
    nowhere = run("add", tmp_path / "nowhere", pages)
    assert nowhere.returncode == 2
    assert b"there is no corpus" in nowhere.stderr
    assert run("add", tmp_path / "corpus", tmp_path / "missing").returncode == 2
