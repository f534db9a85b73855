"""A corpus on disk: documents come back as they went in, and exports cut it anew."""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gristmill
from gristmill.corpus import FORMATS, Corpus, Selection
from gristmill.document import DOCUMENT_SCHEMA, Block, Document, from_arrow, to_arrow
from gristmill.pipeline import process


def test_documents_survive_arrow() -> None:
    document = gristmill.clean("<p>one <a>two</a><p>three", url="u")
    assert from_arrow(to_arrow([document, Document(), document])) == [document, Document(), document]


def test_what_is_stored_is_what_the_stages_made(corpus: Corpus, sample_pages: dict[str, gristmill.Page]) -> None:
    stored = {document.url: document for document in corpus.pages()}
    for url, page in list(sample_pages.items())[::9]:
        made = process(page, corpus.config)
        made.id = stored[url].id
        assert stored[url] == made


def test_any_parquet_reader_can_read_it(corpus: Corpus) -> None:
    table = pq.read_table(corpus.shards[0] / "documents.parquet")
    assert table.schema.equals(DOCUMENT_SCHEMA)
    assert table.num_rows == corpus.counts["pages"]
    assert table["id"].to_pylist()[:2] == ["00000-000000", "00000-000001"]


def test_documents_as_built(corpus: Corpus) -> None:
    documents = list(corpus.documents())
    assert len(documents) == corpus.counts["kept"] == corpus.size["documents"]
    assert sum(len(document.blocks) for document in documents) == corpus.size["blocks"]
    assert sum(document.words for document in documents) == corpus.size["words"]
    assert sum(len(document.text.encode()) for document in documents) == corpus.size["bytes"]


def test_thresholds_can_be_changed_afterwards(corpus: Corpus) -> None:
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
    ],
)
def test_wrong_selections(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(gristmill.UsageError, match=message):
        Selection(**wrong)


def test_the_text_is_that_of_the_selection(corpus: Corpus) -> None:
    for document in corpus.documents(Selection(max_boilerplate=1.0)):
        assert document.text == "\n".join(block.text for block in document.blocks)


def test_a_threshold_includes_its_own_score(corpus: Corpus) -> None:
    def scores(selection: Selection) -> set[float]:
        return {block.score for document in corpus.documents(selection) for block in document.blocks}

    threshold = sorted(scores(Selection()))[-20]
    assert max(scores(Selection(max_boilerplate=threshold))) == threshold


def test_everything_can_be_had_back(corpus: Corpus, truth: dict[str, dict[str, object]]) -> None:
    everything = Selection(max_boilerplate=1.0, max_duplicate=1.0, min_length=0)
    assert {document.url for document in corpus.documents(everything)} == set(truth)


def test_text(corpus: Corpus, tmp_path: Path) -> None:
    assert gristmill.export(corpus, tmp_path / "x.txt") == corpus.counts["kept"]
    documents = (tmp_path / "x.txt").read_text("utf-8").split("\n\n")
    assert documents[:-1] == [document.text for document in corpus.documents()]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_jsonl(corpus: Corpus, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"x.jsonl{suffix}"
    gristmill.export(corpus, path)
    data = path.read_bytes()
    if suffix == ".gz":
        data = gzip.decompress(data)
    elif suffix == ".zst":
        data = pa.CompressedInputStream(io.BytesIO(data), "zstd").read()
    records = [json.loads(line) for line in data.decode().splitlines()]
    assert [(record["id"], record["text"]) for record in records] == [(document.id, document.text) for document in corpus.documents()]
    gristmill.export(corpus, tmp_path / f"again.jsonl{suffix}")
    assert (tmp_path / f"again.jsonl{suffix}").read_bytes() == path.read_bytes()


def test_vertical(corpus: Corpus, tmp_path: Path) -> None:
    gristmill.export(corpus, tmp_path / "x.vert", selection=Selection(languages=("en",)))
    lines = (tmp_path / "x.vert").read_text("utf-8").splitlines()
    tokens = [line for line in lines if not line.startswith("<")]
    documents = list(corpus.documents(Selection(languages=("en",))))
    assert len(tokens) == sum(len(document.text.split()) for document in documents)
    assert sum(line.startswith("<doc ") for line in lines) == lines.count("</doc>") == len(documents)


def test_vertical_escapes_markup() -> None:
    block = Block('a <b> & "c"', "h", "", 0, 0, 4, 0, 0, 0, score=0.45)
    made = "".join(FORMATS["vertical"](Document(id="1", title='<"&\n', blocks=[block])))
    assert made.splitlines() == [
        (
            '<doc id="1" url="" canonical="" date="" published="" lang="und" declared_lang=""'
            ' title="&lt;&quot;&amp;&#10;" author="" source="">'
        ),
        '<p kind="h" bpc="e">',
        "a",
        "&lt;b&gt;",
        "&amp;",
        '"c"',
        "</p>",
        "</doc>",
    ]


def test_quantiles() -> None:
    def letters(scores: Iterable[float]) -> str:
        return "".join(Block("", "p", "", 0, 0, 0, 0, 0, 0, score=score).quantile for score in scores)

    tenths = [number / 10 for number in range(11)]
    assert letters(tenths) == "abcdefghijj"
    assert letters(math.nextafter(tenth, 0) for tenth in tenths) == "aabcdefghij"
    assert letters([0.05, 0.999]) == "aj"


@pytest.mark.parametrize("name", ["jsonl", "vertical"])
def test_exports_have_what_a_page_says_of_itself(name: str) -> None:
    document = Document(canonical="http://c.example/", declared_lang="cs-CZ", author="A. Miller", published="2024-05-01")
    made = "".join(FORMATS[name](document))
    for value in (document.canonical, document.declared_lang, document.author, document.published):
        assert value in made


def test_links_and_pipes_are_written_through(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "target.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "target.txt")
    gristmill.export(corpus, tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "target.txt").read_text("utf-8") != "old"
    os.mkfifo(tmp_path / "pipe.txt")
    with (tmp_path / "read.txt").open("wb") as file, subprocess.Popen(["cat", tmp_path / "pipe.txt"], stdout=file):  # noqa: S607
        gristmill.export(corpus, tmp_path / "pipe.txt")
    assert (tmp_path / "read.txt").read_bytes() == (tmp_path / "target.txt").read_bytes()


def test_a_failed_export_leaves_no_file(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(gristmill.GristmillError, match="can't write"):
        gristmill.export(corpus, tmp_path / "no-folder" / "x.txt")
    with pytest.raises(gristmill.UsageError, match="can't tell the format"):
        gristmill.export(corpus, tmp_path / "x.doc")
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_shard_is_named(corpus: Corpus, tmp_path: Path) -> None:
    shutil.copytree(corpus.folder, tmp_path / "corpus")
    (tmp_path / "corpus" / "shards" / "00000" / "documents.parquet").write_bytes(b"junk")
    with pytest.raises(gristmill.GristmillError, match=r"can't read .*00000"):
        gristmill.export(Corpus(tmp_path / "corpus"), tmp_path / "x.txt")


def test_no_corpus_and_an_unfinished_one(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(gristmill.UsageError, match="there is no corpus"):
        Corpus(tmp_path)
    text = (corpus.folder / "corpus.toml").read_text("utf-8")
    (tmp_path / "corpus.toml").write_text(text[: text.index("[counts]")], "utf-8")
    with pytest.raises(gristmill.GristmillError, match="not complete"):
        Corpus(tmp_path)
    (tmp_path / "corpus.toml").write_text("= broken")
    with pytest.raises(gristmill.GristmillError, match="can't read"):
        Corpus(tmp_path)


def test_a_corpus_of_another_format(tmp_path: Path) -> None:
    (tmp_path / "corpus.toml").write_text("[corpus]\nformat = 1\n")
    with pytest.raises(gristmill.UsageError, match=r"another version \(format 1, not"):
        Corpus(tmp_path)
