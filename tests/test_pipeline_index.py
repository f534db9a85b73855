"""The index of a corpus is made when it is needed, and made anew when the corpus has changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import run

from gristmill import Config, Corpus, Selection, annotate, build, deduplicate, index
from gristmill.engine import InlineEngine, Report, silent
from gristmill.errors import UsageError

ENGINE = InlineEngine()
FORMS = Config().replace(annotate_taggers=("forms",))


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """A small one, whose tagger knows no language and is loaded at once."""
    text = " ".join(f"The mill of number {number} stands by the river." for number in range(20))
    page = tmp_path / "page.html"
    page.write_text(f"<html lang=en><body><p>{text}</p></body></html>", "utf-8")
    return build(page, tmp_path / "corpus", FORMS, engine=ENGINE)


def test_an_index_that_is_made_anew_is_of_what_the_old_one_was(corpus: Corpus) -> None:
    index(corpus.folder, Selection(languages=("cs",)), engine=ENGINE)
    assert corpus.search("mill").size == 0
    card = corpus.folder / "index/index.toml"
    card.write_text(card.read_text("utf-8").replace("format = ", "format = 9"), "utf-8")
    assert Corpus(corpus.folder).search("mill").size == 0
    next(corpus.folder.glob("index/segments/*/glue.arrays")).unlink()
    assert Corpus(corpus.folder).search("mill").size == 0
    index(corpus.folder, engine=ENGINE)
    assert Corpus(corpus.folder).search("mill").size > 0


def test_it_is_made_when_it_is_needed_and_not_again(corpus: Corpus) -> None:
    begun: list[str] = []

    def begin(name: str, _: int | None) -> Report:
        begun.append(name)
        return silent

    corpus = Corpus(corpus.folder, progress=begin)
    assert len(corpus.search("mill")) == 20
    assert begun == ["annotating", "indexing"]
    again = Corpus(corpus.folder, progress=begin)
    assert len(again.search("mill")) == 20
    assert begun == ["annotating", "indexing"]


def test_it_is_made_anew_after_every_change(corpus: Corpus) -> None:
    before = corpus.index.card["corpus"]["fingerprint"]
    deduplicate(corpus.folder, "onion:n=7", engine=ENGINE)
    after = Corpus(corpus.folder).index.card["corpus"]["fingerprint"]
    assert after != before
    counts = annotate(corpus.folder, ["en=simplemma"], engine=ENGINE)
    assert set(counts["taggers"]) == {"simplemma"}
    changed = Corpus(corpus.folder)
    assert changed.index.card["corpus"]["fingerprint"] not in {before, after}
    assert len(changed.search('[lemma="stand"]')) == 20


def test_tokens_that_are_gone_are_made_again(corpus: Corpus) -> None:
    assert len(corpus.search("mill")) == 20
    (corpus.folder / "shards/00000/tokens.parquet").unlink()
    shutil.rmtree(corpus.folder / "index")
    assert len(Corpus(corpus.folder).search("mill")) == 20


def test_wrong_taggers_change_nothing(corpus: Corpus) -> None:
    before = (corpus.folder / "corpus.toml").read_bytes()
    with pytest.raises(UsageError, match="hanta"):
        annotate(corpus.folder, ["en=hnata"], engine=ENGINE)
    assert (corpus.folder / "corpus.toml").read_bytes() == before


def test_an_index_is_checked_byte_by_byte(corpus: Corpus) -> None:
    folder = corpus.folder
    index(folder, engine=InlineEngine())
    whole = run("index", folder, "--check")
    assert (whole.returncode, whole.stderr.startswith(b"the index is whole: ")) == (0, True)
    file = next(folder.glob("index/segments/*/attribute-lemma.arrays"))
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)
    for damaged in (run("index", folder, "--check"), run("search", folder, "mill")):
        assert damaged.returncode == 1
        assert b"damaged (attribute-lemma.arrays is not as it was written): make it again" in damaged.stderr
    assert run("index", folder).returncode == 0
    assert run("search", folder, "mill").returncode == 0
