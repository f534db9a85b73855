"""The stage that annotates: what is in `tokens.parquet`, and when it has to be written again."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gristmill
from gristmill.annotation import (
    AnnotateTask,
    Annotation,
    annotate,
    annotate_blocks,
    blocks,
    glued,
    is_current,
    read_annotations,
    settings,
    stage,
)
from gristmill.annotation.table import TOKENS_SCHEMA, from_arrow, to_arrow
from gristmill.annotation.taggers.forms import FormTagger
from gristmill.corpus import CorpusReader
from gristmill.document import Block
from gristmill.engine import silent
from gristmill.shards import Shard, document_writer, facts

FORMS = ("forms",)


@pytest.fixture(scope="module")
def shard(corpus: CorpusReader, tmp_path_factory: pytest.TempPathFactory) -> Shard:
    """A shard of the sample, annotated by a tagger that is quick."""
    copy = Shard(tmp_path_factory.mktemp("shards") / corpus.shards[0].name)
    shutil.copytree(corpus.shards[0].folder, copy.folder)
    AnnotateTask(copy, FORMS).run(silent)
    return copy


def test_kept_blocks_of_kept_documents_are_annotated(shard: Shard) -> None:
    documents = list(shard.read_documents())
    assert any(document.dropped for document in documents)
    for document, annotated in zip(documents, read_annotations(shard), strict=True):
        kept = {
            number
            for number, block in enumerate(document.blocks)
            if block.is_kept(document.max_boilerplate, document.roles)
        }
        assert set(annotated) == (set() if document.dropped else kept)


def test_words_are_where_they_start(shard: Shard) -> None:
    for document, annotated in zip(shard.read_documents(), read_annotations(shard), strict=True):
        for number, annotation in annotated.items():
            text = document.blocks[number].text
            assert [
                text[start : start + len(word)] for start, word in zip(annotation.starts, annotation.words, strict=True)
            ] == annotation.words
            assert "".join(annotation.words) == "".join(text.split())
            assert (
                len(annotation.words)
                == len(annotation.lemmas)
                == len(annotation.tags)
                == len(annotation.xpos)
                == len(annotation.feats)
                == len(annotation.heads)
                == len(annotation.deprels)
                == sum(annotation.sentences)
            )
            assert all(annotation.sentences)


def test_what_is_counted_is_there(shard: Shard) -> None:
    found = facts(shard.tokens)
    annotated = [annotation for document in read_annotations(shard) for annotation in document.values()]
    assert found["counts"]["blocks"] == len(annotated)
    assert found["counts"]["tokens"] == sum(len(annotation.words) for annotation in annotated) > 20_000
    assert found["counts"]["sentences"] == sum(len(annotation.sentences) for annotation in annotated)
    assert found["counts"]["documents"] == sum(1 for document in read_annotations(shard) if document)
    assert sum(found["languages"].values()) == sum(found["taggers"].values()) == found["counts"]["tokens"]
    assert set(found["taggers"]) == {annotation.tagger for annotation in annotated} == set(FORMS)
    assert {"en", "cs", "ja", "el"} <= set(found["languages"])


def test_any_parquet_reader_can_read_it(shard: Shard) -> None:
    table = pq.read_table(shard.tokens)
    assert table.schema.equals(TOKENS_SCHEMA)
    assert table.num_rows == pq.read_metadata(shard.documents).num_rows


def test_strings_are_stored_by_number(shard: Shard) -> None:
    names = ["word", "lemma", "tag", "xpos", "feats"]
    with pq.ParquetFile(shard.tokens, read_dictionary=[f"{name}.list.element" for name in names]) as file:
        table = file.read_row_group(0)
    for name in names:
        (chunk,) = table[name].chunks
        assert len(chunk.values.dictionary) == len(set(chunk.values.dictionary.to_pylist())) < len(chunk.values)


def test_the_same_bytes_each_time_however_the_work_is_cut(
    shard: Shard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again, cut = Shard(tmp_path / "again"), Shard(tmp_path / "cut")
    for copy in (again, cut):
        shutil.copytree(shard.folder, copy.folder)
    AnnotateTask(again, FORMS).run(silent)
    assert again.tokens.read_bytes() == shard.tokens.read_bytes()
    monkeypatch.setattr(stage, "_CHARACTERS_AT_ONCE", 1000)
    monkeypatch.setattr(stage, "_TOKENS_AT_ONCE", 5000)
    AnnotateTask(cut, FORMS).run(silent)
    assert pq.read_metadata(cut.tokens).num_row_groups > 1
    assert pq.read_table(cut.tokens).equals(pq.read_table(shard.tokens))


def test_all_work_is_reported(shard: Shard) -> None:
    reported: list[int] = []
    task = AnnotateTask(shard, FORMS)
    task.run(reported.append)
    assert sum(reported) == task.cost == shard.documents.stat().st_size
    assert task.name == f"shard {shard.name}"


def test_a_task_that_fails_leaves_nothing(
    corpus: CorpusReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shard = Shard(tmp_path / "shard")
    shutil.copytree(corpus.shards[0].folder, shard.folder)
    shard.tokens.unlink(missing_ok=True)
    before = sorted(shard.folder.iterdir())

    def fail(*_: Any) -> list[Annotation]:
        raise gristmill.GristmillError("no")

    monkeypatch.setattr(stage, "annotate", fail)
    with pytest.raises(gristmill.GristmillError):
        AnnotateTask(shard).run(silent)
    assert sorted(shard.folder.iterdir()) == before
    assert not is_current(shard)


def test_what_was_annotated_otherwise_is_stale(shard: Shard, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_current(shard, FORMS)
    assert not is_current(shard)
    assert not is_current(shard, ("de=forms",))
    with monkeypatch.context() as patch:
        patch.setattr(settings, "__version__", "other")
        assert not is_current(shard, FORMS)
    with monkeypatch.context() as patch:
        patch.setattr(stage, "versions_of", lambda *_: {"forms": "other"})
        assert not is_current(shard, FORMS)


def test_models_are_known_by_what_is_in_them(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.write_text("one")
    choice = f"de=udpipe:model={model}"
    before = settings.settings_of([choice])
    assert list(before["models"]) == [str(model)]
    settings._digest.cache_clear()
    model.write_text("two")
    assert settings.settings_of([choice]) != before
    settings._digest.cache_clear()


def test_versions_are_those_of_the_taggers() -> None:
    assert list(settings.versions_of(["simplemma:dictionary=hbs", "forms", "unheard-of"])) == ["simplemma"]
    assert settings.versions(["no-such-library"]) == {}


def test_new_rules_make_only_their_languages_stale() -> None:
    assert settings.versions_of(["forms"], ["und"]) == {"rules of und": "2"}
    rules = {"rules of de": "2", "rules of zh": "4"}
    assert settings.versions_of(["forms"], ["de", "zh-Hant"]) == rules | {"words of zh": "own"}


def test_a_shard_without_documents(tmp_path: Path) -> None:
    shard = Shard(tmp_path / "empty")
    with document_writer(shard) as writer:
        writer.finish({"counts": {}})
    found = AnnotateTask(shard, FORMS).run(silent)
    assert found["counts"] == {"blocks": 0, "documents": 0, "sentences": 0, "tokens": 0}
    assert list(read_annotations(shard)) == []


_LANGS = st.sampled_from(["en", "de", "zh", "ja", "th", "ar", "und", "xx", "", "pt-br"])
_TEXTS = st.lists(st.tuples(st.text(max_size=60), _LANGS), max_size=6)


@given(_TEXTS)
def test_any_text_can_be_annotated(texts: list[tuple[str, str]]) -> None:
    together = annotate(texts, FORMS)
    assert together == [annotate([text], FORMS)[0] for text in texts]  # whatever stands beside
    for (text, _), annotation in zip(texts, together, strict=True):
        assert all(
            text.startswith(word, start) for word, start in zip(annotation.words, annotation.starts, strict=True)
        )
        assert len(annotation.words) == sum(annotation.sentences) == len(glued(annotation))


def test_the_language_of_a_block_is_its_own_or_that_of_its_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "tagger_for", lambda lang, _: (lang, FormTagger()))

    def block(text: str, lang: str) -> Block:
        return Block(text, "p", "", 0, 0, 2, 0, 0, 0, lang=lang)

    long = "Kočky sedí na zdi. " * 10
    found = annotate_blocks([block(long, "cs"), block(long, ""), block("Kočky sedí.", "bg")], "de")
    assert [annotation.tagger for annotation in found] == [
        "cs",
        "de",
        "de",
    ]  # of a short one it can't be told for certain


_WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)


@st.composite
def _annotations(draw: st.DrawFn) -> Annotation:
    sentences = draw(st.lists(st.integers(1, 3), max_size=3))
    count = sum(sentences)

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return list(draw(st.lists(values, min_size=count, max_size=count)))

    numbers = st.integers(0, 2**31 - 1)
    return Annotation(
        column(_WORDS),
        column(numbers),
        sentences,
        column(_WORDS),
        column(_WORDS),
        column(st.just("") | _WORDS),
        draw(_WORDS),
        column(st.sampled_from(["", "Case=Gen|Number=Sing"])),
        column(st.integers(-2, 2)),
        column(st.sampled_from(["", "root", "obl:arg"])),
    )


@given(st.lists(st.dictionaries(st.integers(0, 1000), _annotations(), max_size=3), max_size=4), st.integers(0, 4))
def test_annotations_survive_arrow(documents: Sequence[dict[int, Annotation]], first: int) -> None:
    batch = to_arrow(documents)
    assert list(from_arrow(batch)) == list(documents)
    assert list(from_arrow(batch.slice(min(first, len(documents))))) == list(documents[first:])


def test_glue() -> None:
    assert glued(Annotation(["a", "b", "c"], [0, 1, 3], [3])) == [False, True, False]
    assert glued(Annotation(["a"], [0], [1])) == [False]
    assert glued(Annotation()) == []
