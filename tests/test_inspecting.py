"""A page is looked at as it was judged, by other methods and thresholds, and when its original is gone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import gristmill
from gristmill.cleaning import METHODS
from gristmill.corpus import CorpusReader
from gristmill.corpus.copies import trace
from gristmill.corpus.explain import about_block, block_state
from gristmill.corpus.inspecting import View, inspect_page, reasons_for
from gristmill.corpus.rebuilt import rebuilt_page
from gristmill.corpus.similar import alike
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.html.colouring import COLOURINGS, Colouring, hues
from gristmill.html.judged import judged_page


@pytest.fixture(scope="module")
def article(corpus: gristmill.Corpus) -> str:
    return next(page.id for page in corpus.documents() if "riverpost.example/news" in page.url)


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """A corpus whose source is gone."""
    folder = tmp_path_factory.mktemp("moved")
    source = folder / "web.warc.gz"
    shutil.copy(gristmill.sample.WARC, source)
    corpus = gristmill.build([source], folder / "corpus", engine=InlineEngine())
    source.unlink()
    return corpus


def test_a_page_is_shown_as_it_was_judged(corpus: gristmill.Corpus, article: str) -> None:
    found = inspect_page(corpus.reader, article)
    document = next(page for page in corpus.pages() if page.id == article)
    kept = {id(block) for block in document.kept()}
    assert [seen.kept for seen in found.blocks] == [id(block) in kept for block in document.blocks]
    assert [seen.state for seen in found.blocks] == [block_state(block, document) for block in document.blocks]
    assert not found.missing
    assert not found.notes
    traced = {block.number: block for block in trace(corpus.reader, article).blocks}
    assert {seen.number: seen.traced for seen in found.blocks if seen.traced} == traced
    for seen, (start, end) in zip(found.blocks, found.places, strict=True):
        assert seen.block.text.split()[0][:3] in found.text[start:end]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_can_judge_it(corpus: gristmill.Corpus, article: str, method: str) -> None:
    found = inspect_page(corpus.reader, article, View(method, other="mill"))
    assert found.document.method == method
    assert len(found.blocks) == len(found.places) > 20
    assert any(seen.other_kept for seen in found.blocks)
    if method == "mill":
        assert not any(seen.differs for seen in found.blocks)


def test_methods_are_compared_where_their_blocks_overlap(corpus: gristmill.Corpus, article: str) -> None:
    found = inspect_page(corpus.reader, article, View(other="all"))
    assert all(seen.differs != seen.kept for seen in found.blocks)
    assert {seen.other_score for seen in found.blocks} == {0.0}


def test_threshold_and_roles_change_what_is_kept(corpus: gristmill.Corpus, article: str) -> None:
    everything = inspect_page(corpus.reader, article, View(max_boilerplate=1.0, roles="all"))
    assert all(seen.kept for seen in everything.blocks)
    titles = inspect_page(corpus.reader, article, View(roles="title"))
    assert {seen.block.role for seen in titles.blocks if seen.kept} == {"title"}
    assert not any(seen.kept for seen in inspect_page(corpus.reader, article, View(max_boilerplate=0.0)).blocks)
    assert inspect_page(corpus.reader, article).document.max_boilerplate == 0.5


def test_what_is_not_known_is_refused(corpus: gristmill.Corpus, article: str) -> None:
    for view in (View("nonsense"), View(other="nonsense"), View(roles="nonsense")):
        with pytest.raises(UsageError, match="nonsense"):
            inspect_page(corpus.reader, article, view)
    with pytest.raises(UsageError, match="no page"):
        inspect_page(corpus.reader, "00000-999999")


def test_a_page_that_was_dropped_before_cleaning_is_judged_now(corpus: gristmill.Corpus) -> None:
    dropped = next(page.id for page in corpus.pages() if page.url.endswith("/robots.txt"))
    found = inspect_page(corpus.reader, dropped)
    assert found.explained.reason == "content-type"
    assert [seen.block.text for seen in found.blocks] == ["User-agent: * Disallow: /private/"]
    assert "before it was cleaned" in found.notes[0]
    picture = next(page.id for page in corpus.pages() if page.url.endswith(".gif"))
    assert "no page" in inspect_page(corpus.reader, picture).missing


def test_without_the_original_the_page_is_made_of_its_blocks(moved: gristmill.Corpus, article: str) -> None:
    found = inspect_page(moved.reader, article)
    assert "not there any more" in found.missing
    for seen, (start, end) in zip(found.blocks, found.places, strict=True):
        assert found.text[start:end].replace("&amp;", "&").replace("<br>", "\n") == seen.block.text
    again = inspect_page(moved.reader, article, View("justext", other="mill"))
    assert "not exact" in again.notes[0]
    assert len(again.blocks) == len(found.blocks)
    assert reasons_for(moved.reader, article, 0) == []


def test_a_rebuilt_page_has_the_same_blocks(corpus: gristmill.Corpus) -> None:
    for document in list(corpus.documents())[::10]:
        text, _ = rebuilt_page(document.blocks)
        assert [block.text.split() for block in gristmill.clean(text).blocks] == [
            block.text.split() for block in document.blocks
        ]


def test_hostile_paths_are_no_elements() -> None:
    block = gristmill.clean("<p>text of a mill").blocks[0]
    for path in ("html/script/p", "<img src=x>", "a/" * 10_000, ""):
        block.path = path
        text, places = rebuilt_page([block, block])
        assert "script" not in text
        assert "<img" not in text
        assert [text[start:end] for start, end in places] == ["text of a mill"] * 2


def test_reasons_of_mill_say_what_would_change_the_score(corpus: gristmill.Corpus, article: str) -> None:
    found = inspect_page(corpus.reader, article)
    menu = next(seen for seen in found.blocks if seen.block.role == "navigation" and not seen.kept)
    reasons = reasons_for(corpus.reader, article, menu.number)
    assert [abs(reason.change) for reason in reasons] == sorted((abs(each.change) for each in reasons), reverse=True)
    assert reasons[0].change > 0.01
    assert all(reason.score + reason.change == pytest.approx(menu.block.score, abs=1e-6) for reason in reasons)
    assert reasons_for(corpus.reader, article, 100_000) == []


@pytest.mark.parametrize("by", COLOURINGS)
def test_every_block_has_a_colour_that_is_in_the_legend(corpus: gristmill.Corpus, article: str, by: str) -> None:
    found = inspect_page(corpus.reader, article)
    colouring = Colouring(found.blocks, by)
    legend = colouring.legend(found)
    assert {colouring.key(seen) for seen in found.blocks} == {key for key, *_ in legend}
    assert sum(count for _, _, count, _ in legend) == len(found.blocks)


def test_the_style_sheet_has_the_hues() -> None:
    css = (Path(gristmill.__file__).parent / "web" / "static" / "inspector.css").read_text()
    for key, hue in hues().items():
        assert f".{key} {{ --hue: {hue}; }}" in css or f".{key}{{--hue:{hue}}}" in css


def test_the_file_and_the_room_say_the_same_of_a_block(corpus: gristmill.Corpus, article: str) -> None:
    document = inspect_page(corpus.reader, article).document
    block = document.blocks[0]
    assert about_block(block, document, kept=False).partition("\n")[0] in judged_page(document)


def test_texts_are_alike_if_they_share_three_words() -> None:
    texts = ["a mill by the river", "one two three", "equal", "a mill by a brook"]
    others = ["old mill by the sea", "three two one", "equal", "by the brook a mill"]
    assert alike(texts, others).tolist() == [True, False, True, False]
    assert alike([], []).tolist() == []


def test_a_corpus_that_names_filters_of_strangers_is_shown_without_asking_them(
    corpus: gristmill.Corpus, article: str, tmp_path: Path
) -> None:
    folder = tmp_path / "theirs"
    shutil.copytree(corpus.folder, folder)
    manifest = folder / "corpus.toml"
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    text = manifest.read_text()
    assert '"length' in text
    manifest.write_text(text.replace('"length', f'"word-list:file={secret}", "length', 1))
    found = inspect_page(CorpusReader(folder), article)
    assert "not asked again" in found.notes[0]
    assert len(found.blocks) > 20
