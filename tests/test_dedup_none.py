"""The method that compares nothing: everything is kept, and marked as unique."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.engine import InlineEngine

PAGE = "<html><body><p>" + "The mill stands by the river, and the miller has been gone for many years now. " * 5


def test_copies_are_kept(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "pages" / name).mkdir(parents=True)
        (tmp_path / "pages" / name / "page.html").write_text(PAGE)
    config = gristmill.Config().replace(dedup_method="none")
    corpus = gristmill.build([tmp_path / "pages"], tmp_path / "corpus", config, engine=InlineEngine())
    assert [document.words for document in corpus.documents()] == [80, 80]
    assert corpus.counts["duplicates"] == 0
    added = tmp_path / "more.html"
    added.write_text(f"{PAGE}<p>")  # a file that is there already would not be read
    assert gristmill.add(corpus, [added], engine=InlineEngine()).counts["kept"] == 3


def test_other_corpora_are_refused(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    with pytest.raises(gristmill.UsageError, match="none can't compare with other corpora"):
        gristmill.deduplicate(_copied(corpus, tmp_path), "none", corpus.folder, engine=InlineEngine())


def test_on_the_command_line(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    folder = _copied(corpus, tmp_path)
    assert run("dedup", folder, "--method", "none").returncode == 0
    assert gristmill.Corpus(folder).counts["duplicates"] == 0


def _copied(corpus: gristmill.Corpus, tmp_path: Path) -> Path:
    shutil.copytree(corpus.folder, tmp_path / "copy")
    return tmp_path / "copy"
