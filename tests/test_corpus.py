"""A corpus on disk: documents come back as they went in, and exports select from it anew."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

import gristmill
from gristmill.corpus import CorpusReader, Selection
from gristmill.corpus.attributes import DOC_ATTRIBUTES, P_ATTRIBUTES, host_of
from gristmill.corpus.selecting import SelectedDocument
from gristmill.document import DOCUMENT_SCHEMA, Block, Document, from_arrow, to_arrow
from gristmill.pipeline import process
from gristmill.report.storing import NAME as FIGURES
from gristmill.shards import Shard


def test_documents_survive_arrow() -> None:
    document = gristmill.clean("<p>one <a>two</a><p>three", url="u")
    assert from_arrow(to_arrow([document, Document(), document])) == [document, Document(), document]


def test_what_is_stored_is_what_the_stages_made(
    corpus: gristmill.Corpus, sample_pages: dict[str, gristmill.Page]
) -> None:
    stored = {document.url: document for document in corpus.pages()}
    for url, page in list(sample_pages.items())[::9]:
        made = process(page, corpus.config)
        made.id = stored[url].id
        assert stored[url] == made


def test_any_parquet_reader_can_read_it(corpus: gristmill.Corpus) -> None:
    table = pq.read_table(corpus.shards[0].documents)
    assert table.schema.equals(DOCUMENT_SCHEMA)
    assert table.num_rows == corpus.counts["pages"]
    assert table["id"].to_pylist()[:2] == ["00000-000000", "00000-000001"]


def test_shards_know_their_files(corpus: gristmill.Corpus) -> None:
    shard = Shard.of(corpus.folder, "00000")
    assert corpus.shards == Shard.all_in(corpus.folder) == [shard]
    assert (shard.name, str(shard), shard.is_built) == ("00000", str(corpus.folder / "shards" / "00000"), True)
    made = {shard.documents, shard.duplicates, shard.skipped, shard.sources, shard.folder / FIGURES}
    assert made <= set(shard.folder.iterdir()) <= {*made, shard.tokens, shard.failures}
    assert shard < Shard.of(corpus.folder, "00001")
    assert not Shard.of(corpus.folder, "00001").is_built


def test_documents_as_built(corpus: gristmill.Corpus) -> None:
    documents = list(corpus.documents())
    assert len(documents) == corpus.counts["kept"] == corpus.size["documents"]
    assert sum(len(document.blocks) for document in documents) == corpus.size["blocks"]
    assert sum(document.words for document in documents) == corpus.size["words"]
    assert sum(len(document.text.encode()) for document in documents) == corpus.size["bytes"]


def test_thresholds_can_be_changed_afterwards(corpus: gristmill.Corpus) -> None:
    def count(selection: Selection) -> int:
        return sum(len(document.blocks) for document in corpus.documents(selection))

    built = count(Selection())
    assert count(Selection(max_boilerplate=0.0)) < built < count(Selection(max_boilerplate=1.0))
    with_copies = len(list(corpus.documents(Selection(max_duplicate=1.0))))
    assert with_copies == corpus.counts["passed"]
    short_too = len(list(corpus.documents(Selection(max_duplicate=1.0, min_length=0))))
    assert short_too == corpus.counts["passed"] + corpus.counts["dropped"].get("length", 0)
    assert {document.lang for document in corpus.documents(Selection(languages=("cs", "el")))} == {"cs", "el"}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"languages": "cs"}, "languages must be a list of strings, not 'cs'"),
        ({"filters": "length"}, "filters must be a list of strings, not 'length'"),
        ({"min_length": -1}, "min_length must not be negative, but it is -1"),
        ({"where": 'hots="x"'}, "no attribute 'hots'; did you mean 'host'"),
        ({"where": 'host="x'}, "host"),
    ],
)
def test_wrong_selections(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(gristmill.UsageError, match=message):
        Selection(**wrong)


@pytest.mark.parametrize(
    "selection",
    [
        Selection(),
        Selection(max_duplicate=0.3),
        Selection(max_boilerplate=0.9),
        Selection(preset="none", max_duplicate=1.0, max_boilerplate=1.0),
        Selection(where='lang="cs|el" & words>=150'),
        Selection(where='lang="xx"'),
    ],
    ids=["built", "duplicates", "boilerplate", "everything", "where", "nothing"],
)
def test_cuts_say_where_blocks_stood(corpus: gristmill.Corpus, selection: Selection) -> None:
    pages = {document.id: document for document in corpus.pages()}
    rows = list(pages)
    for chosen in corpus.reader.select(selection):
        stored = pages[chosen.document.id]
        assert rows[chosen.row] == chosen.document.id
        assert [stored.blocks[number].text for number in chosen.numbers] == [
            block.text for block in chosen.document.blocks
        ]
        assert chosen.numbers == sorted(set(chosen.numbers))
        assert len(chosen.shares) == len(chosen.numbers)
    assert [chosen.document for chosen in corpus.reader.select(selection)] == list(corpus.documents(selection))


@pytest.mark.parametrize(
    "selection", [Selection(), Selection(max_duplicate=0.3), Selection(where='year>"2000"'), Selection(min_length=2000)]
)
def test_cuts_without_text_tell_the_same(corpus: gristmill.Corpus, selection: Selection) -> None:
    def told(chosen: SelectedDocument) -> list[object]:
        attributes = [value(chosen.document) for value in DOC_ATTRIBUTES.values()]
        paragraphs = [value(paragraph) for paragraph in chosen.paragraphs() for value in P_ATTRIBUTES.values()]
        return [attributes, paragraphs, chosen.row, chosen.numbers, chosen.shares]

    with_text, without = (
        [told(chosen) for chosen in corpus.reader.select(selection, with_text=way)] for way in (True, False)
    )
    assert with_text == without
    assert with_text
    assert [told(chosen) for chosen in corpus.reader.select(selection, corpus.shards[0])] == with_text


def test_what_stands_where(corpus: gristmill.Corpus) -> None:
    hosts = {urlsplit(document.url).hostname for document in corpus.documents()}
    chosen = min(filter(None, hosts))
    assert {host_of(document.url) for document in corpus.documents(Selection(where=f'host=="{chosen}"'))} == {chosen}
    words = [document.words for document in corpus.documents(Selection(where='words>=300 & lang!="en"'))]
    assert words == [
        document.words for document in corpus.documents() if document.words >= 300 and document.lang != "en"
    ]


@pytest.mark.parametrize(
    ("document", "host", "year"),
    [
        (Document(url="http://WWW.A.example:80/x", date="2024-05-01", published="2007-01-01"), "www.a.example", "2007"),
        (Document(url="http://[broken/", date="2024-05-01T00:00:00Z", published="May 2007"), "", "2024"),
        (Document(url="file:/x.html"), "", ""),
        (Document(published="20070501"), "", ""),
    ],
)
def test_hosts_and_years(document: Document, host: str, year: str) -> None:
    assert DOC_ATTRIBUTES["host"](document) == host
    assert DOC_ATTRIBUTES["year"](document) == year


def test_the_text_is_that_of_the_selection(corpus: gristmill.Corpus) -> None:
    for document in corpus.documents(Selection(max_boilerplate=1.0)):
        assert document.text == Document(blocks=document.blocks, max_boilerplate=1.0).text
        assert document.text.replace("\t", "\n") == "\n".join(block.text for block in document.blocks)


def test_a_threshold_includes_its_own_score(corpus: gristmill.Corpus) -> None:
    def scores(selection: Selection) -> set[float]:
        return {block.score for document in corpus.documents(selection) for block in document.blocks}

    threshold = sorted(scores(Selection()))[-20]
    assert max(scores(Selection(max_boilerplate=threshold))) == threshold


def test_everything_can_be_had_back(corpus: gristmill.Corpus, truth: dict[str, dict[str, object]]) -> None:
    everything = Selection(max_boilerplate=1.0, max_duplicate=1.0, min_length=0)
    assert {document.url for document in corpus.documents(everything)} == set(truth)


def test_quantiles() -> None:
    def letters(scores: Iterable[float]) -> str:
        return "".join(Block("", "p", "", 0, 0, 0, 0, 0, 0, score=score).quantile for score in scores)

    tenths = [number / 10 for number in range(11)]
    assert letters(tenths) == "abcdefghijj"
    assert letters(math.nextafter(tenth, 0) for tenth in tenths) == "aabcdefghij"
    assert letters([0.05, 0.999]) == "aj"


def test_a_damaged_shard_is_named(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    shutil.copytree(corpus.folder, tmp_path / "corpus")
    Shard.of(tmp_path / "corpus", "00000").documents.write_bytes(b"junk")
    with pytest.raises(gristmill.GristmillError, match=r"can't read .*00000"):
        gristmill.export(CorpusReader(tmp_path / "corpus"), tmp_path / "x.txt")


def test_no_corpus_and_an_unfinished_one(corpus: gristmill.Corpus, tmp_path: Path) -> None:
    with pytest.raises(gristmill.UsageError, match="there is no corpus"):
        CorpusReader(tmp_path)
    text = (corpus.folder / "corpus.toml").read_text("utf-8")
    (tmp_path / "corpus.toml").write_text(text[: text.index("[counts]")], "utf-8")
    with pytest.raises(gristmill.GristmillError, match="not complete"):
        CorpusReader(tmp_path)
    with pytest.raises(gristmill.UsageError, match=r"corpus.toml is a file: give the folder"):
        CorpusReader(tmp_path / "corpus.toml")
    (tmp_path / "corpus.toml").write_text("= broken")
    with pytest.raises(gristmill.GristmillError, match="can't read"):
        CorpusReader(tmp_path)
